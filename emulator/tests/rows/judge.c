#include "judge.h"

#include <string.h>

#include "check/probes.h"
#include "ptx/opcode.h"
#include "tier/translator.h"

#define E(name)  ((uint64_t)1 << EFFECT_##name)
#define S(name)  ((uint64_t)1 << PROBE_##name)
#define COUNT(a) (sizeof(a) / sizeof *(a))

/* The effects that only instructions of a kind have; all others may come with any of them. */
#define MEMORY_EFFECTS                                                                                                 \
    (E(ACCESS) | E(COPY_READ) | E(COPY_WRITE) | E(BULK_READ) | E(BULK_WRITE) | E(MATRIX_ROWS) | E(TILE) |              \
     E(DESCRIPTORS) | E(TEXTURE) | E(SURFACE) | E(STACK) | MBARRIER_EFFECTS)
#define MBARRIER_EFFECTS                                                                                               \
    (E(MBARRIER_INIT) | E(MBARRIER_ARRIVE) | E(MBARRIER_TOUCH) | E(MBARRIER_INVAL) | E(MBARRIER_WAIT))
#define ORDER_EFFECTS (E(BARRIER) | E(CLUSTER_ARRIVE) | E(CLUSTER_WAIT) | E(FENCE))
#define CONTROL_EFFECTS                                                                                                \
    (E(BRANCH) | E(BRANCH_IF) | E(BRANCH_TABLE) | E(CALL) | E(CALL_INDIRECT) | E(BUILTIN) | E(RETURN) | E(EXIT) |      \
     E(TRAP))

/* ---- memory ---- */

/* What a use of memory leaves: its effects, and what its first operand must be. */
static const struct memory_rule {
    uint64_t effects;
    bool loads, stores, atomic, reduces;
    enum { READ, WRITTEN, EITHER } first;
} memory_rules[] = {
    [MEMORY_NONE] = {0, .first = EITHER},
    [MEMORY_LOAD] = {E(ACCESS), .loads = true, .first = WRITTEN},
    [MEMORY_STORE] = {E(ACCESS), .stores = true, .first = READ},
    [MEMORY_ATOMIC] = {E(ACCESS), .atomic = true, .first = EITHER},
    [MEMORY_ASYNC_STORE] = {E(ACCESS) | E(MBARRIER_ARRIVE), .stores = true, .first = READ},
    [MEMORY_ASYNC_ATOMIC] = {E(ACCESS) | E(MBARRIER_ARRIVE), .atomic = true, .first = READ},
    [MEMORY_COPY] = {E(COPY_READ) | E(COPY_WRITE), .first = READ},
    [MEMORY_BULK_COPY] = {E(BULK_READ) | E(BULK_WRITE), .first = READ},
    [MEMORY_BULK_ATOMIC] = {E(BULK_READ) | E(BULK_WRITE), .reduces = true, .first = READ},
    [MEMORY_MATRIX_LOAD] = {E(MATRIX_ROWS), .loads = true, .first = WRITTEN},
    [MEMORY_MATRIX_STORE] = {E(MATRIX_ROWS), .stores = true, .first = READ},
    [MEMORY_TILE_LOAD] = {E(TILE), .loads = true, .first = WRITTEN},
    [MEMORY_TILE_STORE] = {E(TILE), .stores = true, .first = READ},
    [MEMORY_DESCRIPTORS] = {E(DESCRIPTORS), .loads = true, .first = WRITTEN},
    [MEMORY_TEXTURE] = {E(TEXTURE), .first = WRITTEN},
    [MEMORY_SURFACE_LOAD] = {E(SURFACE), .first = WRITTEN},
    [MEMORY_SURFACE_STORE] = {E(SURFACE), .stores = true, .first = READ},
    [MEMORY_MBARRIER] = {MBARRIER_EFFECTS, .first = EITHER},
    [MEMORY_HINT] = {0, .first = READ},
    [MEMORY_STACK] = {E(STACK), .first = EITHER},
};

/* Parameters of functions and kernels are no memory: they lie in the frame. */
static bool is_parameter(const struct evidence *e) {
    const struct ptx_operand *o = e->p->operands;
    return opcode_has(e->p->opcode, "param") && !opcode_has(e->p->opcode, "tensormap") &&
           (o[0].kind == OPERAND_ADDRESS || o[1].kind == OPERAND_ADDRESS);
}

/* Does nothing, and names a cache, or the map that is to be in one. */
static bool is_hint(const struct evidence *e) {
    return e->effects == E(NOTHING) &&
           (opcode_has(e->p->opcode, "L1") || opcode_has(e->p->opcode, "L2") || opcode_has(e->p->opcode, "tensormap"));
}

static bool memory_fits(const struct instruction *row, const struct evidence *e) {
    const struct memory_rule *r = &memory_rules[row->memory];
    uint64_t found = e->effects & MEMORY_EFFECTS;
    if (is_parameter(e))
        return (row->memory == MEMORY_LOAD && row->first == FIRST_WRITTEN) ||
               (row->memory == MEMORY_STORE && row->first == FIRST_READ);
    if (row->memory == MEMORY_MBARRIER && (!found || found & ~MBARRIER_EFFECTS))
        return false;
    if (row->memory == MEMORY_BULK_COPY || row->memory == MEMORY_BULK_ATOMIC)
        found &= ~E(MBARRIER_ARRIVE); /* it may tell one */
    if ((row->memory == MEMORY_HINT) != is_hint(e))
        return false;
    return (row->memory == MEMORY_MBARRIER || found == r->effects) && e->loads == r->loads && e->stores == r->stores &&
           e->atomic == r->atomic && e->reduces == r->reduces &&
           (r->first == EITHER || (r->first == WRITTEN) == (row->first != FIRST_READ));
}

/* ---- the first operand ---- */

static bool can_be_written(const struct ptx_insn *p) {
    enum ptx_operand_kind kind = p->operand_count ? p->operands[0].kind : OPERAND_NONE;
    return kind == OPERAND_REGISTER || kind == OPERAND_VECTOR || kind == OPERAND_PAIR || kind == OPERAND_SINK;
}

static bool first_fits(const struct instruction *row, const struct evidence *e) {
    bool written = row->first != FIRST_READ;
    if (e->first_updated != (row->first == FIRST_UPDATED))
        return false;
    if (e->form || has_effect(e, EFFECT_BARRIER_RESULT))
        return written;
    if (is_parameter(e))
        return true; /* its memory says it */
    return e->first_is_register ? written == e->first_written : !written || can_be_written(e->p);
}

/* ---- order ---- */

static uint64_t order_effects(const struct instruction *row) {
    return row->order == ORDER_BLOCK            ? E(BARRIER)
           : row->order == ORDER_CLUSTER_ARRIVE ? E(CLUSTER_ARRIVE)
           : row->order == ORDER_CLUSTER_WAIT   ? E(CLUSTER_WAIT)
           : row->order == ORDER_FENCE          ? E(FENCE)
                                                : 0;
}

/* Where order is what checks make of it: the kind of site, both ways. */
static bool probes_fit(const struct instruction *row, const struct evidence *e) {
    static const struct {
        uint8_t order;
        uint64_t probes;
    } rules[] = {{ORDER_COPY_COMMIT, S(COMMIT)},
                 {ORDER_COPY_WAIT, S(WAIT)},
                 {ORDER_COPY_WAIT_ALL, S(WAIT_ALL)},
                 {ORDER_MBARRIER_INIT, S(MBARRIER_INIT)},
                 {ORDER_MBARRIER_WAIT, S(MBARRIER_WAIT)},
                 {ORDER_MBARRIER_COPIES, S(MBARRIER_COPIES)},
                 {ORDER_BULK_COMMIT, S(BULK_COMMIT)},
                 {ORDER_BULK_WAIT, S(BULK_WAIT)},
                 {ORDER_PRODUCT_FENCE, S(PRODUCT_FENCE)},
                 {ORDER_PRODUCT_COMMIT, S(PRODUCT_COMMIT)},
                 {ORDER_PRODUCT_WAIT, S(PRODUCT_WAIT)},
                 {ORDER_REGISTERS, S(REGISTERS)},
                 {ORDER_GRIDS, S(GRIDS)}};
    for (size_t i = 0; i < COUNT(rules); i++)
        if ((row->order == rules[i].order) != ((e->probes & rules[i].probes) != 0))
            return false;
    bool arrives = row->order == ORDER_MBARRIER_ARRIVE;
    return (!arrives || e->probes & S(MBARRIER_ARRIVE)) && (row->order == ORDER_WARP) == e->notes_mask;
}

/* Orders that the machine always keeps leave nothing to see; their names say it. */
static bool silent_order_fits(const struct instruction *row, const struct evidence *e) {
    bool bulk = strstr(e->p->opcode, ".bulk.commit_group") || strstr(e->p->opcode, ".bulk.wait_group");
    bool waits = opcode_has(e->p->opcode, "wait_group"), next = opcode_has(e->p->opcode, "launch_dependents");
    if ((row->order == ORDER_BULK_COMMIT || row->order == ORDER_BULK_WAIT) != bulk)
        return false;
    return (!bulk || (row->order == ORDER_BULK_WAIT) == waits) && (row->order == ORDER_NEXT_GRID) == next;
}

static bool order_fits(const struct instruction *row, const struct evidence *e) {
    bool words = row->order == ORDER_BY_WORDS;
    if ((e->effects & ORDER_EFFECTS) != order_effects(row) ||
        (words && !has_effect(e, EFFECT_ACCESS) && !is_parameter(e)))
        return false;
    bool tells = e->probes & S(MBARRIER_ARRIVE) && row->memory == MEMORY_MBARRIER;
    if ((has_effect(e, EFFECT_ACCESS) && !words) || (tells && row->order != ORDER_MBARRIER_ARRIVE))
        return false;
    return probes_fit(row, e) && silent_order_fits(row, e);
}

/* ---- control, lanes ---- */

static bool control_fits(const struct instruction *row, const struct evidence *e) {
    static const uint64_t effects[] = {
        [CONTROL_NEXT] = 0,
        [CONTROL_BRANCH] = E(BRANCH) | E(BRANCH_IF),
        [CONTROL_TABLE] = E(BRANCH_TABLE),
        [CONTROL_CALL] = E(CALL) | E(CALL_INDIRECT) | E(BUILTIN),
        [CONTROL_RETURN] = E(RETURN) | E(EXIT),
        [CONTROL_EXIT] = E(EXIT),
        [CONTROL_TRAP] = E(TRAP),
    };
    uint64_t around = e->p->predicate && row->control != CONTROL_BRANCH ? E(BRANCH_IF) : 0;
    uint64_t found = e->effects & CONTROL_EFFECTS & ~around;
    bool returns = strncmp(e->p->opcode, "ret", 3) == 0; /* from a kernel it is an exit */
    return (row->control == CONTROL_NEXT) == !found && !(found & ~effects[row->control]) &&
           (row->control == CONTROL_RETURN) == returns;
}

static bool lanes_fit(const struct instruction *row, const struct evidence *e) {
    uint64_t waits = E(BARRIER) | E(CLUSTER_ARRIVE) | E(CLUSTER_WAIT) | E(PAUSE);
    bool sync = opcode_has(e->p->opcode, "sync") && !(e->effects & waits);
    switch (row->lanes) {
    case LANES_OWN:
        return !sync && !(e->effects & waits) && row->memory != MEMORY_MBARRIER ? true
                                                                                : row->order == ORDER_MBARRIER_COPIES;
    case LANES_EXCHANGE:
        return sync && e->form && e->probes == S(NOTHING);
    case LANES_SYNC:
        return sync && !e->form;
    default:
        return e->effects & (waits | MBARRIER_EFFECTS) && row->order != ORDER_MBARRIER_COPIES &&
               !(e->effects & (E(ACCESS) | E(BULK_READ)));
    }
}

/* ---- second tier, checks ---- */

static bool compiling_fits(const struct instruction *row, const struct evidence *e) {
    bool lanes = e->steps & (1u << STEP_LANES), memory = e->steps & (1u << STEP_MEMORY | 1u << STEP_PROBED);
    bool branch = e->steps & (1u << STEP_BRANCH);
    switch (row->compiling) {
    case COMPILED_LANES:
    case COMPILED_NARROW:
        return e->form || row->decoding != DECODING_form;
    case COMPILED_ACCESS:
        return e->loads || e->stores || is_parameter(e);
    case COMPILED_BRANCH:
        return row->control == CONTROL_BRANCH;
    default:
        return !lanes && !memory && !branch;
    }
}

static bool watching_fits(const struct instruction *row, const struct evidence *e) {
    return is_parameter(e) || (row->probing == PROBED) == (e->probes != S(NOTHING));
}

/* ---- the class ---- */

#define C(name) (1u << CLASS_##name)
#define FLOATS  (C(FP16) | C(FP32) | C(FP64))

/* How instructions count that are not what their family is. */
static const struct {
    const char *opcode; /* begins with this */
    uint32_t class;
} exceptions[] = {
    {"prmt", C(MOVE)},
    {"selp", C(MOVE)},
    {"slct", C(MOVE)},
    {"rcp", C(SPECIAL)},
    {"sqrt", C(SPECIAL)},
    {"rsqrt", C(SPECIAL)},
    {"sin", C(SPECIAL)},
    {"cos", C(SPECIAL)},
    {"lg2", C(SPECIAL)},
    {"ex2", C(SPECIAL)},
    {"tanh", C(SPECIAL)},
    {"div.full", C(SPECIAL)},
    {"div.approx", C(SPECIAL)},
    {"istypep", C(INTEGER)},
    {"prefetch", C(MEMORY)},
    {"applypriority", C(MEMORY)},
    {"discard", C(MEMORY)},
    {"bar.warp", C(WARP)},
    {"alloca", C(OTHER)},
    {"stack", C(OTHER)},
    {"griddepcontrol", C(CONTROL)},
    {"pmevent", C(OTHER)},
    {"setmaxnreg", C(OTHER)},
    {"barrier.cluster", C(SYNC)},
    {"mapa", C(MOVE)},
    {"getctarank", C(INTEGER)},
    {"st.async", C(MEMORY)},
    {"red.async", C(ATOMIC)},
    {"movmatrix", C(WARP)},
    {"mma", C(TENSOR)},
    {"wmma.mma", C(TENSOR)},
    {"wmma", C(MEMORY)},
    {"wgmma.mma_async", C(TENSOR)},
    {"wgmma", C(SYNC)},
};

/* The classes that the manual's families have. */
static const struct {
    const char *family; /* begins with this */
    uint32_t classes;
} families[] = {
    {"integer arithmetic", C(INTEGER)},
    {"extended-precision", C(INTEGER)},
    {"bits, logic", C(INTEGER)},
    {"video", C(INTEGER)},
    {"single and double", C(FP32) | C(FP64)},
    {"half precision", C(FP16)},
    {"comparison", C(INTEGER) | FLOATS},
    {"conversion", C(CONVERSION)},
    {"moving, packing", C(MOVE)},
    {"loads", C(MEMORY)},
    {"stores", C(MEMORY)},
    {"addresses", C(MOVE)},
    {"atomics", C(ATOMIC)},
    {"fences", C(SYNC)},
    {"barriers", C(SYNC)},
    {"warp", C(WARP)},
    {"control flow", C(CONTROL)},
    {"miscellaneous", C(SYNC)},
    {"mbarrier", C(SYNC)},
    {"asynchronous copies", C(MEMORY)},
    {"tensor maps", C(MEMORY)},
    {"matrices", C(MEMORY)},
    {"textures", C(TEXTURE)},
    {"surfaces", C(TEXTURE)},
    {"special registers", C(MOVE)},
};

static uint32_t classes_of(const struct evidence *e) {
    for (size_t i = 0; i < COUNT(exceptions); i++)
        if (strncmp(e->p->opcode, exceptions[i].opcode, strlen(exceptions[i].opcode)) == 0)
            return exceptions[i].class;
    for (size_t i = 0; *e->family && i < COUNT(families); i++)
        if (strncmp(e->family, families[i].family, strlen(families[i].family)) == 0)
            return families[i].classes;
    return *e->family ? 0 : ~0u;
}

static bool class_fits(const struct instruction *row, const struct evidence *e) {
    enum ptx_type type = opcode_type(e->p->opcode, 0);
    bool integer = type >= TYPE_B8 && type <= TYPE_S16;
    uint32_t class = 1u << instruction_class(row, e->p->opcode);
    integer |= type >= TYPE_B32 && type <= TYPE_S32;
    if ((row->control != CONTROL_NEXT && class != C(CONTROL)) || (integer && class & FLOATS))
        return false;
    return class & classes_of(e);
}

/* ---- what the manual's family does ---- */

/* A row that is wrong in all its columns is decoded as it says. Instructions of these families have one of these
 * effects. */
static bool family_fits(const struct evidence *e) {
    static const struct {
        const char *family;
        uint64_t effects;
    } rules[] = {{"loads", E(ACCESS) | E(MOVE) | E(NONE)},
                 {"stores", E(ACCESS) | E(MOVE)},
                 {"atomics", E(ACCESS)},
                 {"fences", E(FENCE)},
                 {"barriers", E(BARRIER) | E(CLUSTER_ARRIVE) | E(CLUSTER_WAIT) | E(NONE)},
                 {"mbarrier", MBARRIER_EFFECTS | E(NONE)},
                 {"textures", E(TEXTURE) | E(TEXTURE_QUERY)},
                 {"surfaces", E(SURFACE) | E(TEXTURE_QUERY)}};
    for (size_t i = 0; i < COUNT(rules); i++)
        if (strncmp(e->family, rules[i].family, strlen(rules[i].family)) == 0)
            return e->effects & rules[i].effects;
    return true;
}

const char *judge(const struct instruction *row, const struct evidence *e) {
    return row == &instruction_unknown ? "it has no row"
           : !memory_fits(row, e)      ? "memory"
           : !first_fits(row, e)       ? "first"
           : !order_fits(row, e)       ? "order"
           : !control_fits(row, e)     ? "control"
           : !lanes_fit(row, e)        ? "lanes"
           : !compiling_fits(row, e)   ? "compiling"
           : !watching_fits(row, e)    ? "probing"
           : !class_fits(row, e)       ? "class"
           : !family_fits(e)           ? "family"
                                       : NULL;
}
