#include "statement.h"

#include <stdbool.h>
#include <string.h>

const char statement_module[] =
    ".version 9.0\n.target sm_90a\n.address_size 64\n"
    ".global .align 256 .b8 gbuf[4096];\n"
    ".const .align 256 .b32 cbuf[64] = {2, 3, 5, 7, 11, 13, 17, 19, 1000003, 1000033, 0x7fffffff, 0x80000000, "
    "0xff00ff00,"
    " 0x3f800000, 0xbf800000, 0x40490fdb, 0x12345678, 0x9abcdef0, 0xdeadbeef, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512};\n"
    ".func nothing { ret; }\n"
    ".func (.param .b32 result) helper(.param .b32 value)\n"
    "{ .reg .b32 %r; ld.param.b32 %r, [value]; add.u32 %r, %r, 7; st.param.b32 [result], %r; ret; }\n"
    ".func (.param .align 16 .b8 result[64]) structure(.param .align 16 .b8 value[64])\n"
    "{ .reg .b64 %r<4>; ld.param.v2.b64 {%r0, %r1}, [value+16]; ld.param.v2.b64 {%r2, %r3}, [value+32];\n"
    "st.param.v2.b64 [result+16], {%r0, %r1}; st.param.v2.b64 [result+32], {%r2, %r3}; ret; }\n";

const char statement_body[] =
    "(.param .align 16 .b8 pin[64], .param .u64 texture, .param .u64 input, .param .u64 output)\n"
    "{ .reg .pred %p<24>; .reg .b8 %c<8>; .reg .b16 %h<24>; .reg .b32 %w<80>; .reg .b64 %l<40>; .reg .b128 %q<12>;"
    " .reg .b64 %ga, %sa, %sb, %la, %ca, %sg, %lg, %cg, %gm, %sm, %ba, %bn, %bt, %bg, %ng, %tg, %st, %tx, %policy, "
    "%o64, "
    "%size64;"
    " .reg .b32 %full, %zero, %one, %few, %size, %stride, %long, %s32, %o32;"
    " .shared .align 256 .b8 sbuf[4096]; .shared .align 8 .b64 mbar[192]; .local .align 64 .b8 lbuf[64];";

/* A thread's own 64 bytes of each buffer, and its own mbarriers; constants in groups of eight threads. */
const char statement_addresses[] =
    " { .reg .b32 %t; .reg .b64 %o; mov.u32 %t, %tid.x; mul.wide.u32 %o, %t, 64;"
    " mov.u64 %gm, gbuf; mov.u64 %sm, sbuf; add.u64 %ga, %gm, %o; add.u64 %sa, %sm, %o; add.u64 %sb, %sa, 2048;"
    " cvt.u32.u64 %s32, %sa; mov.u64 %la, lbuf; mul.wide.u32 %o, %t, 8; mov.u64 %ba, mbar; add.u64 %ba, %ba, %o;"
    " add.u64 %bn, %ba, 512; add.u64 %bt, %ba, 1024; and.b32 %t, %t, 7; mul.wide.u32 %o, %t, 32; mov.u64 %ca, cbuf;"
    " add.u64 %ca, %ca, %o; cvta.shared.u64 %sg, %sa; cvta.shared.u64 %bg, %ba;"
    " cvta.shared.u64 %ng, %bn; cvta.shared.u64 %tg, %bt; cvta.local.u64 %lg, %la; cvta.const.u64 %cg, %ca; }"
    " mov.u32 %full, 0xffffffff; mov.u32 %zero, 0; mov.u32 %one, 1; mov.u32 %few, 2; mov.u32 %size, 64; mov.u32 "
    "%stride, 32;"
    " mov.u32 %long, 128; mov.u64 %size64, 64; mov.u64 %st, 0; ld.param.u64 %tx, [texture];"
    " createpolicy.fractional.L2::evict_first.b64 %policy, 1.0;";

const struct statement_bank statement_banks[STATEMENT_BANKS] = {
    {'w', 4, 0}, {'l', 8, 80}, {'h', 2, 120}, {'q', 16, 144}, {'p', 0, 168}};

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
    } else if (letter == 'm') {
        put(w, has_word(&o, "shared") ? "%sm" : "%gm", 3);
    } else if (letter == 'b') {
        put(w, has_word(&o, "shared") ? "%ba" : "%bg", 3);
    } else if (letter == 'N') {
        put(w, has_word(&o, "shared") ? "%bn" : "%ng", 3);
    } else if (letter == 'B') {
        put(w, has_word(&o, "shared") ? "%bt" : "%tg", 3);
    } else if (letter == 'S') {
        put(w, has_word(&o, "shared") ? "%sa" : "%sg", 3);
    } else if (letter == 'y') {
        put(w, "%policy", 7);
    } else if (*after >= '1' && *after <= '8') {
        put_vector(w, bank, (unsigned)(*after++ - '0'));
    } else if (letter == 'v' && o.vector > 1) {
        put_vector(w, bank, o.vector);
    } else {
        put_register(w, bank ? bank : 'w');
    }
    return after;
}

size_t statement_write(const char *candidate, char *out, size_t room, struct statement_registers *used) {
    struct writer w = {.out = out, .room = room};
    for (const char *s = candidate; *s;) {
        if (*s == '$')
            s = placeholder(&w, candidate, s);
        else
            put(&w, s++, 1);
    }
    if (*candidate != '{')
        put(&w, ";", 1);
    if (used)
        for (int i = 0; i < STATEMENT_BANKS; i++)
            used->count[i] = w.next[(int)statement_banks[i].letter];
    return w.length;
}
