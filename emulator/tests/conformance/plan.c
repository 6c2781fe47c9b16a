/* Turns a line of forms.txt into a test: what each operand is, from the opcode's name and the operands' letters. */
#include "plan.h"
#include "values.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* Opcodes that access memory, transfer control or have no result, and a few that ../coverage has: other tests execute them. */
static const char *const elsewhere[] = {
    "bra",
    "brx",
    "call",
    "ret",
    "exit",
    "bar",
    "barrier",
    "trap",
    "brkpt",
    "pmevent",
    "ld",
    "ldu",
    "st",
    "atom",
    "red",
    "membar",
    "fence",
    "nanosleep",
    "prefetch",
    "prefetchu",
    "cp",
    "tex",
    "tld4",
    "txq",
    "suld",
    "sust",
    "sured",
    "suq",
    "mbarrier",
    "wmma",
    "mma",
    "ldmatrix",
    "stmatrix",
    "isspacep",
    "cvta",
    "alloca",
    "stacksave",
    "stackrestore",
    "discard",
    "applypriority",
    "createpolicy",
    "griddepcontrol",
    "elect",
    "mapa",
    "getctarank",
    "setmaxnreg",
    "wgmma",
    "tensormap",
    "istypep",
    "activemask",
    "fma.rn.oob",
    "cvt.f16.f16",
    "cvt.bf16.bf16",
    "cvt.f16.bf16",
    "cvt.bf16.f16",
};

static bool opcode_is(const char *name, const char *opcode) {
    size_t n = strlen(opcode);
    return strncmp(name, opcode, n) == 0 && (name[n] == '.' || name[n] == 0);
}

static bool has_modifier(const char *name, const char *modifier) {
    size_t n = strlen(modifier);
    for (const char *p = strchr(name, '.'); p; p = strchr(p + 1, '.'))
        if (strncmp(p + 1, modifier, n) == 0 && (p[n + 1] == '.' || p[n + 1] == 0))
            return true;
    return false;
}

struct type {
    const char *name;
    enum value_kind kind;
    char letter; /* of the register that holds it; 0: any */
};
static const struct type types[] = {
    {"pred", VALUE_PRED, 'p'},     {"f16", VALUE_F16, 'h'},   {"bf16", VALUE_BF16, 'h'},   {"f16x2", VALUE_F16X2, 'w'},
    {"bf16x2", VALUE_BF16X2, 'w'}, {"f32", VALUE_F32, 'w'},   {"tf32", VALUE_F32, 'w'},    {"f64", VALUE_F64, 'l'},
    {"u8", VALUE_INT16, 0},        {"s8", VALUE_INT16, 0},    {"b8", VALUE_INT16, 0},      {"u16", VALUE_INT16, 'h'},
    {"s16", VALUE_INT16, 'h'},     {"b16", VALUE_INT16, 'h'}, {"u16x2", VALUE_INT32, 'w'}, {"s16x2", VALUE_INT32, 'w'},
    {"u32", VALUE_INT32, 'w'},     {"s32", VALUE_INT32, 'w'}, {"b32", VALUE_INT32, 'w'},   {"u64", VALUE_INT64, 'l'},
    {"s64", VALUE_INT64, 'l'},     {"b64", VALUE_INT64, 'l'}, {"b128", VALUE_INT128, 'q'}, {"e4m3x2", VALUE_INT16, 'h'},
    {"e5m2x2", VALUE_INT16, 'h'},
};

/* The types in a name, in order: "cvt.rn.f16.f32" has f16 and f32. */
static size_t name_types(const char *name, const struct type *found[], size_t room) {
    size_t count = 0;
    for (const char *p = strchr(name, '.'); p; p = strchr(p, '.')) {
        size_t length = strcspn(++p, ".");
        for (size_t i = 0; i < COUNT(types) && count < room; i++)
            if (strlen(types[i].name) == length && strncmp(types[i].name, p, length) == 0)
                found[count++] = &types[i];
    }
    return count;
}

static enum value_kind kind_of_letter(char letter) {
    switch (letter) {
    case 'p':
    case 'P':
        return VALUE_PRED;
    case 'b':
    case 'h':
        return VALUE_INT16;
    case 'l':
        return VALUE_INT64;
    case 'q':
        return VALUE_INT128;
    default:
        return VALUE_INT32;
    }
}

/* Operands whose meaning is not the instruction's type. */
static bool special_kind(const char *name, int k, enum value_kind *kind) {
    if (opcode_is(name, "shl") || opcode_is(name, "shr") || opcode_is(name, "bmsk") || opcode_is(name, "szext"))
        return *kind = VALUE_SHIFT, k == 2 || (opcode_is(name, "bmsk") && k == 1);
    if (opcode_is(name, "shf"))
        return *kind = VALUE_SHIFT, k == 3;
    if (opcode_is(name, "bfe"))
        return *kind = VALUE_FIELD, k >= 2;
    if (opcode_is(name, "bfi"))
        return *kind = VALUE_FIELD, k >= 3;
    if (opcode_is(name, "fns"))
        return *kind = VALUE_FIELD, k >= 2;
    return false;
}

/* setp of one half has no p|q, though its form has the letter. */
static bool single_predicate(const char *name) {
    const struct type *found[6];
    size_t count = name_types(name, found, COUNT(found));
    return opcode_is(name, "setp") && count &&
           (found[count - 1]->kind == VALUE_F16 || found[count - 1]->kind == VALUE_BF16);
}

/* The last 32-bit operand of a warp instruction is its membermask; before it shfl has lane and clamp. */
static void warp_kinds(struct plan *plan) {
    static const char *const warp[] = {"shfl", "vote", "match", "redux"};
    for (size_t i = 0; i < COUNT(warp); i++)
        if (opcode_is(plan->name, warp[i])) {
            plan->operand[plan->count - 1].kind = VALUE_LANES;
            if (i == 0)
                plan->operand[plan->count - 2].kind = plan->operand[plan->count - 3].kind = VALUE_SHIFT;
        }
}

static enum value_kind operand_kind(const char *name, int k, char letter) {
    const struct type *found[6];
    size_t count = name_types(name, found, COUNT(found));
    enum value_kind kind = kind_of_letter(letter);
    enum value_kind special;
    if (special_kind(name, k, &special))
        return special;
    if (!count)
        return kind;
    const struct type *source = found[count - 1];
    if (opcode_is(name, "slct") && k < 3)
        source = found[0];
    if (k == 0 && count > 1 && !opcode_is(name, "setp"))
        source = found[0];
    return source->letter == letter || (!source->letter && letter == 'h') ? source->kind : kind;
}

unsigned plan_output_bytes(char letter) {
    switch (letter) {
    case 'b':
        return 1;
    case 'h':
        return 2;
    case 'w':
    case 'W':
        return 4;
    case 'l':
        return 8;
    case 'q':
        return 16;
    default:
        return 0;
    }
}

static void place_operands(struct plan *plan) {
    for (int k = 0; k < plan->count; k++) {
        struct plan_operand *o = &plan->operand[k];
        if (o->letter == 'i')
            continue;
        int *slots = o->output ? &plan->output_slots : &plan->input_slots;
        o->slot = (uint8_t)*slots;
        *slots += o->letter == 'q' || o->letter == 'P' || o->letter == 'W' ? 2 : 1;
    }
    if (plan->carry_in)
        plan->carry_in_slot = (uint8_t)plan->input_slots++;
    if (plan->carry_out)
        plan->carry_out_slot = (uint8_t)plan->output_slots++;
}

static void carries(struct plan *plan) {
    const char *n = plan->name;
    bool subtract = opcode_is(n, "sub") || opcode_is(n, "subc");
    if (has_modifier(n, "cc"))
        plan->carry_out = subtract ? CARRY_SUBTRACT : CARRY_ADD;
    if (opcode_is(n, "addc") || opcode_is(n, "madc"))
        plan->carry_in = CARRY_ADD;
    if (opcode_is(n, "subc"))
        plan->carry_in = CARRY_SUBTRACT;
}

static size_t immediates(const char *name, const int64_t **values) {
    static const int64_t tables[] = {0xe8, 0x96, 0xca, 0x1b, 0x80, 0xfe, 0x3c, 0x00, 0xff, 0x4d};
    static const int64_t small[] = {0, 1, 5, 31};
    *values = opcode_is(name, "lop3") ? tables : small;
    return opcode_is(name, "lop3") ? COUNT(tables) : COUNT(small);
}

size_t plan_form(const char *name, const char *operands, struct plan *plans, size_t room) {
    for (size_t i = 0; i < COUNT(elsewhere); i++)
        if (opcode_is(name, elsewhere[i]))
            return 0;
    struct plan plan = {0};
    size_t length = strlen(operands);
    if (length < 1 || length > PLAN_OPERANDS || strlen(name) >= sizeof plan.name || room == 0)
        return 0;
    strcpy(plan.name, name);
    strcpy(plan.operands, operands);
    plan.count = (int)length;
    for (int k = 0; k < plan.count; k++) {
        struct plan_operand *o = &plan.operand[k];
        o->letter = operands[k] == 'P' && single_predicate(name) ? 'p' : operands[k];
        o->output = k == 0;
        o->kind = operand_kind(name, k, o->letter);
    }
    warp_kinds(&plan);
    carries(&plan);
    place_operands(&plan);
    if (plan.input_slots > INPUT_SLOTS || plan.output_slots > OUTPUT_SLOTS)
        return 0;
    if (!strchr(operands, 'i'))
        return plans[0] = plan, 1;
    const int64_t *values;
    size_t count = immediates(name, &values);
    for (size_t i = 0; i < count && i < room; i++) {
        plans[i] = plan;
        plans[i].has_immediate = true;
        plans[i].immediate = values[i];
    }
    return count < room ? count : room;
}

struct plan *plan_read(const char *path, size_t *count) {
    FILE *file = fopen(path, "r");
    if (!file)
        return perror(path), NULL;
    struct plan *plans = NULL;
    size_t used = 0, room = 0;
    char name[96], operands[16], line[160];
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#' || sscanf(line, "%95s %15s", name, operands) != 2)
            continue;
        if (used + 16 > room) {
            room = room ? 2 * room : 1024;
            plans = realloc(plans, room * sizeof *plans);
            if (!plans)
                abort();
        }
        used += plan_form(name, operands, plans + used, 16);
    }
    fclose(file);
    *count = used;
    return plans;
}

/* The inputs depend on the operands' kinds only, so that forms with the same result are stored once. */
static uint64_t seed_of(const struct plan *plan) {
    uint64_t seed = 0x5eed;
    for (int k = 0; k < plan->count; k++)
        if (!plan->operand[k].output && plan->operand[k].letter != 'i')
            seed = seed * 31 + (uint64_t)plan->operand[k].kind + 1;
    return seed;
}

/* Case c of the cross product of the operands' first edge values; false when it is past the end. */
static bool crossed(const struct plan_operand *const sources[], int n, size_t c, uint64_t values[]) {
    static const size_t per_operand[] = {1, CASES, 18, 7, 4, 3, 2, 2, 2};
    for (int j = 0; j < n; j++) {
        size_t edges = value_edge_count(sources[j]->kind);
        size_t m = per_operand[n] < edges ? per_operand[n] : edges;
        values[j] = value_edge(sources[j]->kind, c % m);
        c /= m;
    }
    return c == 0;
}

/* Double precision keeps NaN payloads, so of several NaN operands it matters which one comes out. */
static bool several_nans(const struct plan_operand *const sources[], int n, struct random *r, uint64_t values[]) {
    static const uint64_t nans[] = {0x7ff8000000000aaa, 0xfff8000000000bbb, 0x7ff0000000000ccc, 0xfff4000000000ddd};
    for (int j = 0; j < n; j++)
        if (n < 3 || sources[j]->kind != VALUE_F64)
            return false;
    for (int j = 0; j < n; j++)
        values[j] = random_next(r) % 3 ? nans[random_next(r) % COUNT(nans)] : value_everyday(VALUE_F64, r);
    return true;
}

static void mixed(const struct plan_operand *const sources[], int n, size_t c, struct random *r, uint64_t values[]) {
    if (c % 5 == 1 && several_nans(sources, n, r, values))
        return;
    for (int j = 0; j < n; j++) {
        enum value_kind kind = sources[j]->kind;
        switch (c % 5) {
        case 0:
            values[j] = value_random(kind, r);
            break;
        case 1:
            values[j] = random_next(r) & 1 ? value_edge(kind, random_next(r) >> 32) : value_everyday(kind, r);
            break;
        case 2:
            values[j] = j && kind == sources[0]->kind ? value_near(kind, values[0], r) : value_everyday(kind, r);
            break;
        case 3:
            values[j] = j == 2 ? value_cancelling(kind, values[0], values[1], r) : value_everyday(kind, r);
            break;
        default:
            values[j] = value_everyday(kind, r);
        }
    }
}

void plan_inputs(const struct plan *plan, uint64_t *inputs) {
    const struct plan_operand *sources[PLAN_OPERANDS];
    int n = 0;
    for (int k = 0; k < plan->count; k++) {
        const struct plan_operand *o = &plan->operand[k];
        if (!o->output && o->letter != 'i' && o->kind != VALUE_PRED && o->kind != VALUE_LANES)
            sources[n++] = o;
    }
    struct random r = {seed_of(plan)};
    for (size_t c = 0; c < CASES; c++) {
        uint64_t *in = inputs + c * INPUT_SLOTS, values[PLAN_OPERANDS];
        memset(in, 0, INPUT_SLOTS * sizeof *in);
        for (int k = 0; k < plan->count; k++) { /* predicates and masks in any combination with the rest */
            const struct plan_operand *o = &plan->operand[k];
            if (!o->output && o->letter != 'i')
                in[o->slot] = value_random(o->kind, &r);
        }
        if (!crossed(sources, n, c, values))
            mixed(sources, n, c, &r, values);
        for (int j = 0; j < n; j++) {
            in[sources[j]->slot] = values[j];
            if (sources[j]->letter == 'q')
                in[sources[j]->slot + 1] = random_next(&r);
        }
        if (plan->carry_in)
            in[plan->carry_in_slot] = random_next(&r) & 1;
    }
}

void plan_label(const struct plan *plan, char *out, size_t room) {
    int n = snprintf(out, room, "%s %s", plan->name, plan->operands);
    if (plan->has_immediate && n > 0 && (size_t)n < room)
        snprintf(out + n, room - (size_t)n, " %" PRId64, plan->immediate);
}

static uint32_t crc32_of(uint32_t crc, const void *data, size_t size) {
    const unsigned char *p = data;
    for (crc = ~crc; size--; p++) {
        crc ^= *p;
        for (int i = 0; i < 8; i++)
            crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
    }
    return ~crc;
}

uint32_t plan_fingerprint(const struct plan *plan) {
    static uint64_t inputs[CASES * INPUT_SLOTS];
    char text[4096];
    plan_inputs(plan, inputs);
    uint32_t crc = crc32_of(0, text, plan_kernel(plan, "k", text, sizeof text));
    return crc32_of(crc, inputs, sizeof inputs);
}
