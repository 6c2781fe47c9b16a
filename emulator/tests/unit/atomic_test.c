/* atom and red: which spellings exist, what lanes get and leave, and that host threads do not lose updates. */
#include <pthread.h>
#include <stdint.h>

#include "machine/grid.h"
#include "fake_warp.h"
#include "memory/memory.h"
#include "ops/atomic.h"

static int failures;

static void check(const char *name, bool good) {
    printf(good ? "ok atomic/%s\n" : "not ok atomic/%s: see tests/unit/atomic_test.c\n", name);
    failures += !good;
}

/* ---- spellings ---- */

static bool gives_result(const char *opcode) {
    return strncmp(opcode, "atom.", 5) == 0;
}

static bool exists(const char *opcode) {
    struct access a = {0};
    return atomic_operation(opcode, gives_result(opcode), &a);
}

static void test_spellings(void) {
    static const char *const legal[] = {
        "atom.global.add.u32",
        "red.global.add.s32",
        "atom.add.u64",
        "atom.shared.cas.b32",
        "atom.global.cas.b16",
        "atom.global.relaxed.gpu.add.f32",
        "red.relaxed.sys.global.min.s64",
        "atom.acq_rel.cta.shared::cta.exch.b64",
        "atom.global.exch.b128",
        "atom.global.add.noftz.f16x2",
        "red.global.add.noftz.bf16",
        "atom.global.max.noftz.v4.bf16x2",
        "atom.global.add.v4.f32",
        "atom.global.inc.u32",
        "atom.global.add.L2::cache_hint.u32",
    };
    static const char *const illegal[] = {
        "atom.global.add.s64",       "atom.global.add.f16", "atom.global.and.u32",    "red.global.cas.b32",
        "red.global.exch.b32",       "atom.global.inc.s32", "atom.global.add.v8.f32", "atom.global.min.f32",
        "atom.global.min.noftz.f16", "atom.global.add",     "atom.global.u32",        "atom.global.fancy.add.u32",
        "atom.global.add.noftz.f32", "ld.global.u32",       "atom.global.add.v2.u32", "atom.global.add.noftz.v8.f16x2",
    };
    bool good = true;
    for (size_t i = 0; i < sizeof legal / sizeof *legal; i++)
        good &= exists(legal[i]);
    check("legal_spellings", good);
    good = true;
    for (size_t i = 0; i < sizeof illegal / sizeof *illegal; i++)
        good &= !exists(illegal[i]);
    check("illegal_spellings", good);
    struct access a = {0};
    check("access_filled", atomic_operation("atom.global.add.noftz.v4.bf16", true, &a) && a.bytes == 2 &&
                               a.count == 4 && a.type == TYPE_BF16);
}

/* ---- a warp that can reach memory ---- */

enum { RESULT, ADDRESS, DATA, DATA_C };

struct bench {
    struct fake_warp fake;
    struct access access;
    struct worker worker;
    const struct allocation *cache[1];
    struct block block;
    struct launch launch;
    _Alignas(64) uint8_t shared[1024];
};

static void bench_init(struct bench *b, const char *opcode, bool shared, bool result) {
    memset(b, 0, sizeof *b);
    fake_warp_init(&b->fake, &(struct form){.handler = op_atomic});
    if (!atomic_operation(opcode, gives_result(opcode), &b->access))
        abort();
    uint32_t slot = sizeof b->fake.frame[0];
    b->access.kind = ACCESS_ATOMIC;
    b->access.space = shared ? SPACE_SHARED : SPACE_GLOBAL;
    b->access.address_bits = 64;
    b->access.address_reg = ADDRESS * slot;
    for (int i = 0; i < 8; i++)
        b->access.regs[i] = ~0u, b->access.data[i] = (DATA + 2 * (uint32_t)i) * slot;
    if (result)
        b->access.regs[0] = RESULT * slot;
    b->access.regs2[0] = DATA * slot, b->access.regs2[1] = DATA_C * slot;
    b->fake.insn.extra = &b->access;
    b->worker.cache = b->cache, b->worker.cache_size = 1;
    b->launch.shared_bytes = b->launch.plain_bytes = sizeof b->shared;
    b->launch.config.peers = 1; /* device 0 may use its own memory */
    b->block.shared = b->shared;
    b->fake.warp.worker = &b->worker, b->fake.warp.block = &b->block, b->fake.warp.launch = &b->launch;
}

/* ---- one warp: old values and results in lane order ---- */

struct operation {
    const char *name; /* after "atom.global." */
    char letter;
    uint64_t (*next)(uint64_t x, uint64_t b, uint64_t c);
};

static float f32(uint64_t x) {
    float f;
    uint32_t bits = (uint32_t)x;
    memcpy(&f, &bits, sizeof f);
    return f;
}
static uint64_t next_add(uint64_t x, uint64_t b, uint64_t c) {
    return (void)c, x + b;
}
static uint64_t next_exch(uint64_t x, uint64_t b, uint64_t c) {
    return (void)x, (void)c, b;
}
static uint64_t next_cas(uint64_t x, uint64_t b, uint64_t c) {
    return x == b ? c : x;
}
static uint64_t next_xor(uint64_t x, uint64_t b, uint64_t c) {
    return (void)c, x ^ b;
}
static uint64_t next_and(uint64_t x, uint64_t b, uint64_t c) {
    return (void)c, x & b;
}
static uint64_t next_or(uint64_t x, uint64_t b, uint64_t c) {
    return (void)c, x | b;
}
static uint64_t next_inc(uint64_t x, uint64_t b, uint64_t c) {
    return (void)c, x >= b ? 0 : x + 1;
}
static uint64_t next_dec(uint64_t x, uint64_t b, uint64_t c) {
    return (void)c, x == 0 || x > b ? b : x - 1;
}
static uint64_t next_umin(uint64_t x, uint64_t b, uint64_t c) {
    return (void)c, x < b ? x : b;
}
static uint64_t next_umax(uint64_t x, uint64_t b, uint64_t c) {
    return (void)c, x > b ? x : b;
}
static uint64_t next_smin32(uint64_t x, uint64_t b, uint64_t c) {
    return (void)c, (int32_t)x < (int32_t)b ? x : b;
}
static uint64_t next_smax32(uint64_t x, uint64_t b, uint64_t c) {
    return (void)c, (int32_t)x > (int32_t)b ? x : b;
}
static uint64_t next_smin64(uint64_t x, uint64_t b, uint64_t c) {
    return (void)c, (int64_t)x < (int64_t)b ? x : b;
}
static uint64_t next_smax64(uint64_t x, uint64_t b, uint64_t c) {
    return (void)c, (int64_t)x > (int64_t)b ? x : b;
}
static uint64_t next_add_f32(uint64_t x, uint64_t b, uint64_t c) {
    float sum = f32(x) + f32(b);
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    return (void)c, bits;
}

static const struct operation operations[] = {
    {"add.u32", 'w', next_add},     {"add.u64", 'l', next_add},    {"exch.b32", 'w', next_exch},
    {"exch.b64", 'l', next_exch},   {"cas.b16", 'h', next_cas},    {"cas.b32", 'w', next_cas},
    {"cas.b64", 'l', next_cas},     {"and.b32", 'w', next_and},    {"or.b32", 'w', next_or},
    {"xor.b64", 'l', next_xor},     {"inc.u32", 'w', next_inc},    {"dec.u32", 'w', next_dec},
    {"min.u32", 'w', next_umin},    {"max.u64", 'l', next_umax},   {"min.s32", 'w', next_smin32},
    {"max.s32", 'w', next_smax32},  {"min.s64", 'l', next_smin64}, {"max.s64", 'l', next_smax64},
    {"add.f32", 'w', next_add_f32},
};

/* Small numbers, so that compares meet and sums of floats are exact whatever their order. */
static uint64_t small(const struct operation *o) {
    uint64_t n = fake_random() % 5;
    if (strstr(o->name, "f32")) {
        float f = (float)n;
        uint32_t bits;
        memcpy(&bits, &f, sizeof bits);
        return bits;
    }
    return n == 4 ? UINT64_MAX : n;
}

/* Lanes on `cells` different addresses. */
static bool one_warp(const struct operation *o, bool shared, bool result, unsigned cells,
                     const struct allocation *memory) {
    static struct bench b;
    char opcode[64];
    snprintf(opcode, sizeof opcode, "atom.global.%s", o->name);
    bench_init(&b, opcode, shared, result);
    unsigned bytes = letter_bytes(o->letter);
    uint8_t *host = shared ? b.shared : memory->host;
    uint64_t model[WARP_SIZE] = {0}, old[WARP_SIZE];
    b.fake.warp.mask = cells == 3 ? (uint32_t)fake_random() | 4 : FULL_MASK;
    for (unsigned i = 0; i < WARP_SIZE; i++) {
        model[i] = small(o);
        memcpy(host + i * bytes, &model[i], bytes);
        model[i] = 0;
        memcpy(&model[i], host + i * bytes, bytes);
    }
    for (int l = 0; l < WARP_SIZE; l++) {
        unsigned cell = (unsigned)l % cells;
        fake_set_lane(&b.fake, ADDRESS, 'l', l, (shared ? 0 : memory->base) + cell * bytes);
        fake_set_lane(&b.fake, DATA, o->letter, l, small(o));
        fake_set_lane(&b.fake, DATA_C, o->letter, l, small(o));
        uint64_t mask = bytes == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * bytes) - 1;
        old[l] = fake_lane(&b.fake, RESULT, o->letter, l);
        if (!LANE_ON(b.fake.warp.mask))
            continue;
        old[l] = result ? model[cell] : old[l];
        model[cell] = mask & o->next(model[cell], fake_lane(&b.fake, DATA, o->letter, l),
                                     fake_lane(&b.fake, DATA_C, o->letter, l));
    }
    bool good = fake_warp_run(&b.fake);
    for (unsigned i = 0; i < WARP_SIZE; i++)
        good &=
            memcmp(host + i * bytes, &model[i], bytes) == 0 && fake_lane(&b.fake, RESULT, o->letter, (int)i) == old[i];
    return good;
}

static void test_operations(const struct allocation *memory) {
    static const unsigned cells[] = {1, 3, 7, 32};
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        bool good = true;
        for (unsigned round = 0; round < 64; round++)
            good &= one_warp(&operations[i], round & 1, round & 2, cells[round >> 2 & 3], memory);
        check(operations[i].name, good);
    }
}

/* ---- 128 bits, vectors ---- */

static void test_wide(const struct allocation *memory) {
    static struct bench b;
    bench_init(&b, "atom.global.cas.b128", false, true);
    unsigned __int128 value[WARP_SIZE], *cell = (void *)memory->host;
    for (int l = 0; l < WARP_SIZE; l++) {
        value[l] = (unsigned __int128)fake_random() << 64 | fake_random();
        cell[l] = value[l];
        unsigned __int128 expected = l & 1 ? value[l] : value[l] + ((unsigned __int128)1 << 100), desired = ~value[l];
        fake_set_lane(&b.fake, ADDRESS, 'l', l, memory->base + 16 * (uint64_t)l);
        memcpy(b.fake.frame[DATA] + 16 * l, &expected, 16);
        memcpy(b.fake.frame[DATA_C] + 16 * l, &desired, 16);
    }
    bool good = fake_warp_run(&b.fake);
    for (int l = 0; l < WARP_SIZE; l++)
        good &= cell[l] == (l & 1 ? ~value[l] : value[l]) && memcmp(b.fake.frame[RESULT] + 16 * l, &value[l], 16) == 0;
    check("cas.b128", good);
}

static void test_vector(const struct allocation *memory) {
    static struct bench b;
    bench_init(&b, "atom.global.add.v2.f32", false, true);
    b.access.regs[1] = DATA_C * (uint32_t)sizeof b.fake.frame[0];
    float *cell = (void *)memory->host;
    for (int l = 0; l < WARP_SIZE; l++) {
        float x = (float)l, y = (float)(100 + l);
        cell[2 * l] = 1000, cell[2 * l + 1] = 2000;
        fake_set_lane(&b.fake, ADDRESS, 'l', l, memory->base + 8 * (uint64_t)l);
        memcpy(b.fake.frame[DATA] + 4 * l, &x, 4);
        memcpy(b.fake.frame[DATA + 2] + 4 * l, &y, 4);
    }
    bool good = fake_warp_run(&b.fake);
    for (int l = 0; l < WARP_SIZE; l++)
        good &= cell[2 * l] == (float)(1000 + l) && cell[2 * l + 1] == (float)(2100 + l) &&
                f32(fake_lane(&b.fake, RESULT, 'w', l)) == 1000 && f32(fake_lane(&b.fake, DATA_C, 'w', l)) == 2000;
    check("add.v2.f32", good);
}

/* ---- floating-point details, as an H200 gives them ---- */

static uint64_t one_sum(const char *opcode, char letter, bool shared, const struct allocation *memory, uint64_t x,
                        uint64_t y) {
    static struct bench b;
    bench_init(&b, opcode, shared, false);
    b.fake.warp.mask = 1;
    uint8_t *host = shared ? b.shared : memory->host;
    memcpy(host, &x, 8);
    fake_set_lane(&b.fake, ADDRESS, 'l', 0, shared ? 0 : memory->base);
    fake_set_lane(&b.fake, DATA, letter, 0, y);
    fake_warp_run(&b.fake);
    uint64_t result = 0;
    memcpy(&result, host, letter_bytes(letter));
    return result;
}

static void test_float_details(const struct allocation *m) {
    check("global_f32_flushes", one_sum("red.global.add.f32", 'w', false, m, 0x80000001u, 0x80000001u) == 0x80000000u &&
                                    one_sum("red.global.add.f32", 'w', false, m, 0x00800001, 0x80800000u) == 0);
    check("shared_f32_keeps_subnormals", one_sum("red.global.add.f32", 'w', true, m, 1, 1) == 2);
    check("f32_nan_is_canonical",
          one_sum("red.global.add.f32", 'w', false, m, 0x7f812345, 0) == 0x7fffffff &&
              one_sum("red.global.add.f32", 'w', true, m, 0x7f800000, 0xff800000u) == 0x7fffffff);
    uint64_t quiet = 0xfff8000012345678u, signalling = 0x7ff0000087654321u;
    check("global_f64_nan_unchanged", one_sum("red.global.add.f64", 'l', false, m, quiet, signalling) == signalling &&
                                          one_sum("red.global.add.f64", 'l', false, m, signalling, 0) == signalling);
    check("shared_f64_nan_of_old_value", one_sum("red.global.add.f64", 'l', true, m, quiet, signalling) == quiet);
    check("half_subnormals",
          one_sum("red.global.add.noftz.f16x2", 'w', false, m, 0x00013c00, 0x03ff1000) == 0x04003c00);
    check("half_rounds_to_even", one_sum("red.global.add.noftz.f16", 'h', false, m, 0x3c00, 0x1000) == 0x3c00 &&
                                     one_sum("red.global.add.noftz.f16", 'h', false, m, 0x3c01, 0x1000) == 0x3c02);
    check("bfloat_sum", one_sum("red.global.add.noftz.bf16x2", 'w', false, m, 0x3f807f7f, 0x3f807f7f) == 0x40007f80);
}

/* ---- several host threads ---- */

enum { ROUNDS = 20000 };

struct shared_work {
    const char *opcode;
    char letter;
    const struct allocation *memory;
    uint64_t value;
    bool spread; /* two cells in turn, or one for all lanes */
};

static void *work(void *argument) {
    const struct shared_work *s = argument;
    struct bench *b = aligned_alloc(64, (sizeof *b + 63) / 64 * 64);
    bench_init(b, s->opcode, false, true);
    for (int l = 0; l < WARP_SIZE; l++) {
        fake_set_lane(&b->fake, ADDRESS, 'l', l, s->memory->base + (s->spread ? l % 2 * letter_bytes(s->letter) : 0));
        fake_set_lane(&b->fake, DATA, s->letter, l, s->value);
    }
    for (int i = 0; i < ROUNDS; i++)
        fake_warp_run(&b->fake);
    free(b);
    return NULL;
}

static void together(const char *name, struct shared_work s, uint64_t expected) {
    pthread_t threads[3];
    memset(s.memory->host, 0, 64);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, work, &s);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    uint64_t found = 0;
    memcpy(&found, s.memory->host, letter_bytes(s.letter));
    check(name, found == expected);
}

static void test_threads(const struct allocation *m) {
    uint64_t lanes = 3 * ROUNDS * WARP_SIZE;
    together("threads/add_one_cell", (struct shared_work){"atom.global.add.u32", 'w', m, 1, false}, lanes);
    together("threads/add_two_cells", (struct shared_work){"atom.global.add.u64", 'l', m, 3, true}, 3 * lanes / 2);
    together("threads/inc_wraps", (struct shared_work){"atom.global.inc.u32", 'w', m, 999, true}, lanes / 2 % 1000);
    float sum = (float)(lanes / 2);
    uint32_t bits;
    memcpy(&bits, &sum, sizeof bits);
    together("threads/add_float", (struct shared_work){"atom.global.add.f32", 'w', m, 0x3f800000, true}, bits);
}

int main(void) {
    const struct allocation *memory = memory_allocate(4096, 0, MEMORY_DEVICE, 0, NULL);
    test_spellings();
    test_operations(memory);
    test_wide(memory);
    test_vector(memory);
    test_float_details(memory);
    test_threads(memory);
    return failures != 0;
}
