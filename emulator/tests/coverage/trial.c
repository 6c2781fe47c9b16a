#include "trial.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* ---- text ---- */

struct text {
    char *out;
    size_t length, room;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(t->out + t->length, t->room - t->length, format, arguments);
    va_end(arguments);
    t->length += (size_t)n < t->room - t->length ? (size_t)n : t->room - t->length - 1;
}

/* fill: words start, start + step, ... of a buffer get numbers that follow from their place. Seen as single precision (or two
 * halves, or any format of up to 32 bits) they are small: one bit of each exponent is missing. */
size_t trial_write_header(char *out, size_t room) {
    struct text t = {.out = out, .room = room};
    add(&t, "%s", statement_module);
    add(&t,
        ".func fill(.param .b64 where, .param .b32 words, .param .b32 start, .param .b32 step)\n"
        "{ .reg .pred %%p; .reg .b64 %%a, %%o; .reg .b32 %%n, %%i, %%s, %%x, %%y; ld.param.u64 %%a, [where];\n"
        "ld.param.u32 %%n, [words]; ld.param.u32 %%i, [start]; ld.param.u32 %%s, [step];\n"
        "NEXT: setp.ge.u32 %%p, %%i, %%n; @%%p bra DONE; mad.lo.u32 %%x, %%i, 0x9e3779b1, 0x85ebca6b;\n"
        "shr.u32 %%y, %%x, 15; xor.b32 %%x, %%x, %%y; mul.lo.u32 %%x, %%x, 0xc2b2ae35; and.b32 %%x, %%x, 0xbfffbfff;\n"
        "mul.wide.u32 %%o, %%i, 4; add.u64 %%o, %%o, %%a; st.u32 [%%o], %%x; add.u32 %%i, %%i, %%s; bra NEXT;\n"
        "DONE: ret; }\n");
    add(&t, ".func save(.param .b64 from, .param .b64 to, .param .b32 words, .param .b32 start, .param .b32 step)\n"
            "{ .reg .pred %%p; .reg .b64 %%a, %%b, %%o, %%f; .reg .b32 %%n, %%i, %%s, %%x; ld.param.u64 %%a, [from];\n"
            "ld.param.u64 %%b, [to]; ld.param.u32 %%n, [words]; ld.param.u32 %%i, [start]; ld.param.u32 %%s, [step];\n"
            "NEXT: setp.ge.u32 %%p, %%i, %%n; @%%p bra DONE; mul.wide.u32 %%o, %%i, 4; add.u64 %%f, %%o, %%a;\n"
            "add.u64 %%o, %%o, %%b; ld.u32 %%x, [%%f]; st.u32 [%%o], %%x; add.u32 %%i, %%i, %%s; bra NEXT;\n"
            "DONE: ret; }\n");
    return t.length;
}

static void fill(struct text *t, const char *generic, unsigned words, const char *start, const char *step) {
    add(t,
        "{ .param .b64 a; .param .b32 n; .param .b32 i; .param .b32 s; st.param.b64 [a], %s; st.param.b32 [n], %u;"
        " st.param.b32 [i], %s; st.param.b32 [s], %s; call fill, (a, n, i, s); }\n",
        generic, words, start, step);
}

static void save(struct text *t, const char *generic, const char *to, unsigned words, const char *start,
                 const char *step) {
    add(t,
        "{ .param .b64 a; .param .b64 b; .param .b32 n; .param .b32 i; .param .b32 s; st.param.b64 [a], %s;"
        " st.param.b64 [b], %s; st.param.b32 [n], %u; st.param.b32 [i], %s; st.param.b32 [s], %s;"
        " call save, (a, b, n, i, s); }\n",
        generic, to, words, start, step);
}

/* ---- registers ---- */

static void load_registers(struct text *t, const struct statement_registers *used) {
    for (int bank = 0; bank < STATEMENT_BANKS; bank++) {
        const struct statement_bank *b = &statement_banks[bank];
        for (unsigned i = 0; i < used->count[bank]; i++) {
            unsigned offset = (b->first_slot + i * (b->bytes == 16 ? 2 : 1)) * 8 * TRIAL_THREADS;
            if (b->bytes == 0)
                add(t, "ld.global.u32 %%scratch, [%%in+%u]; setp.ne.u32 %%p%u, %%scratch, 0;\n", offset, i);
            else if (b->bytes == 16)
                add(t,
                    "{ .reg .b64 %%x, %%y; ld.global.u64 %%x, [%%in+%u]; ld.global.u64 %%y, [%%in+%u];"
                    " mov.b128 %%q%u, {%%x, %%y}; }\n",
                    offset, offset + 8 * TRIAL_THREADS, i);
            else
                add(t, "ld.global.b%u %%%c%u, [%%in+%u];\n", 8 * b->bytes, b->letter, i, offset);
        }
    }
}

static void store_registers(struct text *t, const struct statement_registers *used) {
    for (int bank = 0; bank < STATEMENT_BANKS; bank++) {
        const struct statement_bank *b = &statement_banks[bank];
        for (unsigned i = 0; i < used->count[bank]; i++) {
            unsigned offset = (b->first_slot + i * (b->bytes == 16 ? 2 : 1)) * 8 * TRIAL_THREADS;
            if (b->bytes == 0)
                add(t, "selp.u32 %%scratch, 1, 0, %%p%u; st.global.u32 [%%out+%u], %%scratch;\n", i, offset);
            else if (b->bytes == 16)
                add(t,
                    "{ .reg .b64 %%x, %%y; mov.b128 {%%x, %%y}, %%q%u; st.global.u64 [%%out+%u], %%x;"
                    " st.global.u64 [%%out+%u], %%y; }\n",
                    i, offset, offset + 8 * TRIAL_THREADS);
            else
                add(t, "st.global.b%u [%%out+%u], %%%c%u;\n", 8 * b->bytes, offset, b->letter, i);
        }
    }
}

/* ---- what a form needs around it ---- */

static bool mentions(const char *form, const char *word) {
    return strstr(form, word) != NULL;
}

/* Bytes that arrive at the mbarrier %bt. */
static unsigned arriving_bytes(const char *form) {
    unsigned count = mentions(form, ".v4.") ? 4 : mentions(form, ".v2.") ? 2 : 1;
    if (strncmp(form, "cp.", 3) == 0)
        return 64;
    return count * (mentions(form, "64 [") ? 8 : 4);
}

static void before(struct text *t, const char *form) {
    if (mentions(form, "%b") || mentions(form, "$b") || mentions(form, "$B") || mentions(form, "%st"))
        add(t, "mbarrier.init.shared.b64 [%%ba], 3; mbarrier.init.shared.b64 [%%bt], 1;\n"
               "mbarrier.arrive.shared.b64 %%st, [%%ba]; fence.mbarrier_init.release.cluster;\n");
    if (mentions(form, "%bt") || mentions(form, "$B"))
        add(t, "mbarrier.arrive.expect_tx.shared.b64 _, [%%bt], %u;\n", arriving_bytes(form));
    if (mentions(form, "async"))
        add(t, "fence.proxy.async;\n");
    add(t, "bar.sync 0;\n");
}

/* A wait that does not come to its end would hang: it is given up. */
static void after(struct text *t, const char *form) {
    if (mentions(form, "cp.async.c"))
        add(t, "cp.async.wait_all;\n");
    if (mentions(form, "bulk_group"))
        add(t, "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; fence.proxy.async;\n");
    if (mentions(form, "%bt") || mentions(form, "$B"))
        add(t, "mov.u32 %%scratch, 0;\n"
               "AGAIN: mbarrier.try_wait.parity.shared.b64 %%over, [%%bt], 0; add.u32 %%scratch, %%scratch, 1;\n"
               "setp.gt.or.u32 %%over, %%scratch, 1000, %%over; @!%%over bra AGAIN; fence.proxy.async;\n");
    if (mentions(form, "$b") && !mentions(form, "inval"))
        add(t,
            "mbarrier.test_wait.parity.shared.b64 %%over, [%%ba], 0; selp.u32 %%scratch, 1, 2, %%over;\n"
            "st.global.u32 [%%out+%u], %%scratch;\n",
            79 * 8 * TRIAL_THREADS);
    add(t, "bar.sync 0;\n");
}

struct trial trial_of(const char *form) {
    static char text[4096];
    struct trial trial = {.form = form, .threads = 32};
    statement_write(form, text, sizeof text, &trial.used);
    if (strncmp(form, "bar.", 4) == 0 || strncmp(form, "barrier.", 8) == 0)
        trial.threads = 64;
    return trial;
}

size_t trial_write(struct trial *trial, const char *name, char *out, size_t room) {
    static char statement[4096];
    struct text t = {.out = out, .room = room};
    statement_write(trial->form, statement, sizeof statement, NULL);
    add(&t, ".visible .entry %s%s\n", name, statement_body);
    add(&t, " .reg .b64 %%in, %%out, %%to, %%generic; .reg .b32 %%scratch, %%me, %%all; .reg .pred %%over;\n%s\n",
        statement_addresses);
    add(&t,
        "mov.u32 %%me, %%tid.x; mov.u32 %%all, %%ntid.x; ld.param.u64 %%in, [input]; ld.param.u64 %%out, [output];\n"
        "mul.wide.u32 %%to, %%me, 8; add.u64 %%in, %%in, %%to; add.u64 %%out, %%out, %%to;\n");
    fill(&t, "%gm", TRIAL_BUFFER / 4, "%me", "%all");
    add(&t, "cvta.shared.u64 %%generic, %%sm;\n");
    fill(&t, "%generic", TRIAL_BUFFER / 4, "%me", "%all");
    fill(&t, "%lg", 16, "0", "1");
    load_registers(&t, &trial->used);
    before(&t, trial->form);
    add(&t, "%s\n", statement);
    after(&t, trial->form);
    store_registers(&t, &trial->used);
    add(&t, "ld.param.u64 %%to, [output]; add.u64 %%to, %%to, %u;\n", (unsigned)TRIAL_INPUT_BYTES);
    save(&t, "%gm", "%to", TRIAL_BUFFER / 4, "%me", "%all");
    add(&t, "add.u64 %%to, %%to, %u; cvta.shared.u64 %%generic, %%sm;\n", TRIAL_BUFFER);
    save(&t, "%generic", "%to", TRIAL_BUFFER / 4, "%me", "%all");
    add(&t, "{ .reg .b64 %%o; mul.wide.u32 %%o, %%me, 64; add.u64 %%to, %%to, %u; add.u64 %%to, %%to, %%o; }\n",
        TRIAL_BUFFER);
    save(&t, "%lg", "%to", 16, "0", "1");
    add(&t, "ret;\n}\n");
    return t.length;
}

/* ---- input and output ---- */

static uint32_t mix(uint32_t x) {
    x = x * 0x9e3779b1u + 0x85ebca6bu;
    x = (x ^ x >> 15) * 0xc2b2ae35u;
    return (x ^ x >> 13) & 0xbfffbfffu;
}

void trial_fill_input(uint8_t *input) {
    const unsigned predicates = statement_banks[4].first_slot;
    for (uint32_t i = 0; i < TRIAL_INPUT_BYTES / 8; i++) {
        uint32_t words[2] = {mix(2 * i + 1000), mix(2 * i + 1001)};
        if (i / TRIAL_THREADS >= predicates)
            words[0] &= 1;
        memcpy(input + 8 * (size_t)i, words, 8);
    }
}

void trial_fill_parameter(uint8_t pin[64]) {
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t word = mix(i);
        memcpy(pin + 4 * (size_t)i, &word, 4);
    }
}

static uint32_t hash_bytes(uint32_t hash, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i + 4 <= size; i += 4) { /* all pieces are whole words */
        uint32_t word;
        memcpy(&word, bytes + i, 4);
        hash = (hash ^ word) * 0x01000193u;
        hash ^= hash >> 17;
    }
    return hash;
}

uint32_t trial_hash(const struct trial *trial, const uint8_t *output) {
    uint32_t hash = 0x811c9dc5u;
    for (int bank = 0; bank < STATEMENT_BANKS; bank++) {
        size_t slots = trial->used.count[bank] * (statement_banks[bank].bytes == 16 ? 2u : 1u);
        hash = hash_bytes(hash, output + statement_banks[bank].first_slot * (size_t)8 * TRIAL_THREADS,
                          slots * 8 * TRIAL_THREADS);
    }
    hash = hash_bytes(hash, output + 79 * 8 * TRIAL_THREADS, 8 * TRIAL_THREADS);
    return hash_bytes(hash, output + TRIAL_INPUT_BYTES, 3 * TRIAL_BUFFER);
}

uint32_t trial_fingerprint(const struct trial *trial) {
    static char text[TRIAL_TEXT];
    struct trial copy = *trial;
    size_t n = trial_write_header(text, sizeof text);
    n += trial_write(&copy, "f", text + n, sizeof text - n - 4);
    memset(text + n, 0, 4); /* to a whole word */
    return hash_bytes(0x811c9dc5u, (const uint8_t *)text, (n + 3) & ~(size_t)3);
}
