#include "statement.h"

#include <stdbool.h>
#include <string.h>

const char statement_module[] = ".version 9.0\n.target sm_90a\n.address_size 64\n"
                                ".global .align 256 .b8 gbuf[1024];\n"
                                ".const .align 256 .b8 cbuf[256];\n"
                                ".func nothing { ret; }\n"
                                ".func (.param .b32 result) helper(.param .b32 value)\n"
                                "{ .reg .b32 %r; ld.param.b32 %r, [value]; st.param.b32 [result], %r; ret; }\n"
                                ".func (.param .align 16 .b8 result[64]) structure(.param .align 16 .b8 value[64])\n"
                                "{ .reg .b64 %r; ld.param.b64 %r, [value]; st.param.b64 [result], %r; ret; }\n";

const char statement_body[] =
    "(.param .align 16 .b8 pin[64], .param .u64 texture)\n"
    "{ .reg .pred %p<24>; .reg .b8 %c<8>; .reg .b16 %h<24>; .reg .b32 %w<80>; .reg .b64 %l<40>; .reg .b128 %q<12>;"
    " .reg .b64 %ga, %sa, %sb, %la, %ca, %ba, %tx;"
    " .shared .align 256 .b8 sbuf[1024]; .shared .align 8 .b64 mbar; .local .align 256 .b8 lbuf[256];";

const char statement_addresses[] =
    " mov.u64 %ga, gbuf; mov.u64 %sa, sbuf; mov.u64 %sb, sbuf+512; mov.u64 %la, lbuf; mov.u64 %ca, cbuf;"
    " mov.u64 %ba, mbar; ld.param.u64 %tx, [texture];";

/* ---- types ---- */

static const struct {
    const char *name;
    char bank; /* of the register that holds it */
} types[] = {
    {"pred", 'p'},   {"b8", 'h'},     {"u8", 'h'},     {"s8", 'h'},     {"b16", 'h'},    {"u16", 'h'},
    {"s16", 'h'},    {"f16", 'h'},    {"bf16", 'h'},   {"b32", 'w'},    {"u32", 'w'},    {"s32", 'w'},
    {"f32", 'w'},    {"f16x2", 'w'},  {"bf16x2", 'w'}, {"u16x2", 'w'},  {"s16x2", 'w'},  {"tf32", 'w'},
    {"b64", 'l'},    {"u64", 'l'},    {"s64", 'l'},    {"f64", 'l'},    {"f32x2", 'l'},  {"b128", 'q'},
    {"e4m3x2", 'h'}, {"e5m2x2", 'h'}, {"e2m3x2", 'h'}, {"e3m2x2", 'h'}, {"e4m3x4", 'w'}, {"e5m2x4", 'w'},
};

static char bank_of(const char *word, size_t length) {
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strlen(types[i].name) == length && memcmp(types[i].name, word, length) == 0)
            return types[i].bank;
    return 0;
}

struct opcode {
    const char *text;
    size_t length;
    char first, last; /* banks of its first and last type */
    unsigned vector;  /* .v2 .v4 .v8 */
};

static bool has_word(const struct opcode *o, const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; i + n < o->length; i++)
        if (o->text[i] == '.' && memcmp(o->text + i + 1, word, n) == 0 &&
            (i + n + 1 == o->length || strchr(".:", o->text[i + n + 1])))
            return true;
    return false;
}

/* The instruction that the placeholder at `at` belongs to: a block has several. */
static struct opcode opcode_at(const char *candidate, const char *at) {
    const char *begin = at;
    while (begin > candidate && !(begin[-1] == ' ' && begin - candidate >= 2 && strchr(";{", begin[-2])))
        begin--;
    if (strncmp(begin, "@$p ", 4) == 0 || strncmp(begin, "@!$p ", 5) == 0)
        begin = strchr(begin, ' ') + 1;
    struct opcode o = {.text = begin, .length = strcspn(begin, " ;"), .vector = 1};
    for (size_t i = 0; i < o.length; i++) {
        size_t n = strcspn(begin + i + 1, ". ;");
        char bank = begin[i] == '.' && i + n < o.length ? bank_of(begin + i + 1, n) : 0;
        o.first = o.first ? o.first : bank;
        o.last = bank ? bank : o.last;
    }
    o.vector = has_word(&o, "v8") ? 8 : has_word(&o, "v4") ? 4 : has_word(&o, "v2") ? 2 : 1;
    return o;
}

/* ---- placeholders ---- */

struct writer {
    char *out;
    size_t length, room;
    unsigned next[128]; /* number of the next register of a bank */
};

static void put(struct writer *w, const char *text, size_t length) {
    for (size_t i = 0; i < length && w->length + 1 < w->room; i++)
        w->out[w->length++] = text[i];
    w->out[w->length] = '\0';
}

static void put_register(struct writer *w, char bank) {
    char name[16];
    put(w, name, (size_t)snprintf(name, sizeof name, "%%%c%u", bank, w->next[(int)bank]++));
}

static void put_vector(struct writer *w, char bank, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        put(w, i ? ", " : "{", i ? 2 : 1);
        put_register(w, bank);
    }
    put(w, "}", 1);
}

static const char *address(const struct opcode *o) {
    return has_word(o, "shared") ? "%sa" : has_word(o, "local") ? "%la" : has_word(o, "const") ? "%ca" : "%ga";
}

/* Writes what the placeholder at `at` stands for; returns where it ends. */
static const char *placeholder(struct writer *w, const char *candidate, const char *at) {
    struct opcode o = opcode_at(candidate, at);
    char letter = at[1], bank = letter == 't' || letter == 'v' ? o.last : letter == 'u' ? o.first : letter;
    const char *after = at + 2;
    if (letter == 'a') {
        put(w, address(&o), 3);
    } else if (letter == 'b') {
        put(w, "%ba", 3);
    } else if (letter == 'y') {
        put(w, "%l39", 4);
    } else if (*after >= '1' && *after <= '8') {
        put_vector(w, bank, (unsigned)(*after++ - '0'));
    } else if (letter == 'v' && o.vector > 1) {
        put_vector(w, bank, o.vector);
    } else {
        put_register(w, bank ? bank : 'w');
    }
    return after;
}

size_t statement_write(const char *candidate, char *out, size_t room) {
    struct writer w = {.out = out, .room = room};
    for (const char *s = candidate; *s;) {
        if (*s == '$')
            s = placeholder(&w, candidate, s);
        else
            put(&w, s++, 1);
    }
    if (*candidate != '{')
        put(&w, ";", 1);
    return w.length;
}
