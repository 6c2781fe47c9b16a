#include "isa/operand_types.h"

#include <stdint.h>
#include <string.h>

#include "ptx/opcode.h"

struct signature {
    const char *opcode; /* the beginning of the opcode; of several the first counts */
    uint8_t types;      /* the number of types in the opcode; opcodes with another number are not checked */
    const char *operands[2];
};

/* The result of set is not checked: ptxas accepts integers for .bf16, too. */
static const struct signature signatures[] = {
    {"add", 1, {"ttt"}},         {"sub", 1, {"ttt"}},    {"addc", 1, {"ttt"}},   {"subc", 1, {"ttt"}},
    {"mul.wide", 1, {"wtt"}},    {"mul", 1, {"ttt"}},    {"mul24", 1, {"ttt"}},  {"mad.wide", 1, {"wttw"}},
    {"mad", 1, {"tttt"}},        {"madc", 1, {"tttt"}},  {"mad24", 1, {"tttt"}}, {"fma", 1, {"tttt"}},
    {"sad", 1, {"tttt"}},        {"div", 1, {"ttt"}},    {"rem", 1, {"ttt"}},    {"min", 1, {"ttt"}},
    {"max", 1, {"ttt"}},         {"abs", 1, {"tt"}},     {"neg", 1, {"tt"}},     {"rcp", 1, {"tt"}},
    {"sqrt", 1, {"tt"}},         {"rsqrt", 1, {"tt"}},   {"sin", 1, {"tt"}},     {"cos", 1, {"tt"}},
    {"lg2", 1, {"tt"}},          {"ex2", 1, {"tt"}},     {"tanh", 1, {"tt"}},    {"copysign", 1, {"ttt"}},
    {"testp", 1, {"pt"}},        {"and", 1, {"ttt"}},    {"or", 1, {"ttt"}},     {"xor", 1, {"ttt"}},
    {"not", 1, {"tt"}},          {"cnot", 1, {"tt"}},    {"shl", 1, {"ttn"}},    {"shr", 1, {"ttn"}},
    {"shf", 1, {"tttn"}},        {"lop3", 1, {"tttt-"}}, {"prmt", 1, {"tttt"}},  {"brev", 1, {"tt"}},
    {"popc", 1, {"nt"}},         {"clz", 1, {"nt"}},     {"bfind", 1, {"nt"}},   {"bfe", 1, {"ttnn"}},
    {"bfi", 1, {"tttnn"}},       {"dp4a", 2, {"nnnn"}},  {"dp2a", 2, {"nnnn"}},  {"setp", 1, {"ptt", "pttp"}},
    {"set", 2, {"-tt", "-ttp"}}, {"selp", 1, {"tttp"}},  {"slct", 2, {"uuut"}},  {"mov", 1, {"tt"}},
    {"cvt", 2, {"UT"}},          {"cvta", 1, {"tt"}},    {"st.async", 1, {""}},  {"st.bulk", 1, {""}},
    {"red.async", 1, {""}},      {"ld", 1, {"Ta"}},      {"st", 1, {"aT"}},      {"atom", 1, {"tat", "tatt"}},
    {"red", 1, {"at"}},
};

static bool begins_with(const char *opcode, const char *words) {
    size_t n = strlen(words);
    return strncmp(opcode, words, n) == 0 && (opcode[n] == '.' || opcode[n] == '\0');
}

const char *instruction_operands(const char *opcode, unsigned count) {
    size_t i = 0, rows = sizeof signatures / sizeof *signatures;
    while (i < rows && !begins_with(opcode, signatures[i].opcode))
        i++;
    if (i == rows || strstr(opcode, "cache_hint") || opcode_type(opcode, signatures[i].types) != TYPE_NONE ||
        opcode_type(opcode, signatures[i].types - 1) == TYPE_NONE)
        return NULL;
    for (int way = 0; way < 2; way++) {
        const char *letters = signatures[i].operands[way];
        if (letters && strlen(letters) == count)
            return letters;
    }
    return NULL;
}
