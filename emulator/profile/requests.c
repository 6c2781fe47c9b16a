/* Counts the memory requests of an instruction. */
#include "machine/access.h"
#include "machine/block_cluster.h"
#include "memory/memory.h"
#include "ops/async.h"
#include "ops/matrix.h"
#include "ops/tensor_copy.h"
#include "ops/wgmma.h"
#include "profile/array_counts.h"
#include "profile/counters.h"
#include "profile/patterns.h"
#include "profile/reuse.h"
#include "profile/trace.h"
#include "profile/traits.h"

#define SECTOR     32
#define WORD       4
#define LINE_LANES 8 /* a matrix in memory is moved in pieces of eight lines, of 16 bytes */
#define LINE_BYTES 16

/* The first of the five counts of a kind of access. */
#define FIELDS(kind) COUNT_##kind##_REQUESTS

struct asking {
    struct counters *c;
    const struct warp *w;
    const struct insn *in;
    const struct access *a;
    struct insn_details *d;
};

static void keep_example(const struct asking *k, unsigned fields, enum pattern_kind kind, const uint64_t *addresses,
                         uint32_t mask, unsigned bytes, struct pattern_cost cost) {
    struct access_example *e = &k->d->example;
    if (!k->c->detailed || (e->mask && e->cost >= cost.sectors))
        return;
    for (int l = 0; l < WARP_SIZE; l++)
        e->addresses[l] = addresses[l];
    e->block = k->w->block->index;
    e->warp = k->w->index;
    e->mask = mask;
    e->bytes = (uint16_t)bytes;
    e->cost = cost.sectors;
    e->ideal = cost.ideal;
    e->pattern = (uint8_t)kind;
    e->kind = (uint8_t)((fields - COUNT_GLOBAL_LOAD_REQUESTS) / COUNTS_PER_KIND);
}

static void note_line(const struct counters *c, const struct warp *w, struct insn_details *d, uint64_t address) {
    d->counts.n[COUNT_LINES_FIRST + reuse_note(c->reuse, w->block->index, w->index, address)]++;
}

/* Splits a request for sectors by the arrays that it accesses. */
static void add_to_arrays(const struct asking *k, enum access_kind kind, const uint64_t *addresses, uint32_t mask,
                          unsigned bytes, unsigned sectors) {
    const struct array_request r = {k->w, kind, kind == ACCESS_LOAD && k->a->ordered};
    array_counts_split(k->c->arrays, &r, &k->d->part, addresses, mask, bytes, sectors);
}

/* One request for sectors. */
static void add_global(const struct asking *k, unsigned fields, enum pattern_kind kind, const uint64_t *addresses,
                       uint32_t mask, unsigned bytes) {
    struct pattern_cost cost = patterns_cost(k->d->patterns, kind, addresses, mask, bytes);
    uint64_t *n = &k->d->counts.n[fields];
    n[0]++;
    n[1] += cost.sectors;
    n[2] += cost.ideal;
    n[3] += (uint64_t)bytes * (unsigned)__builtin_popcount(mask);
    n[4] += cost.used;
    k->d->counts.n[COUNT_GLOBAL_CONTENTION] += cost.busiest;
    keep_example(k, fields, kind, addresses, mask, bytes, cost);
    if (k->c->arrays)
        add_to_arrays(k, (enum access_kind)k->a->kind, addresses, mask, bytes, cost.sectors);
    if (fields != FIELDS(GLOBAL_LOAD) || !k->c->reuse)
        return;
    for (uint32_t left = cost.line_lanes; left; left &= left - 1)
        note_line(k->c, k->w, k->d, addresses[first_lane(left)]);
}

/* One request for banks. */
static void add_shared(const struct asking *k, unsigned fields, enum pattern_kind kind, const uint64_t *addresses,
                       uint32_t mask, unsigned bytes) {
    struct pattern_cost cost = patterns_cost(k->d->patterns, kind, addresses, mask, bytes);
    unsigned twice = k->c->traits->insns[k->in->index].compares ? 2 : 1;
    uint64_t *n = &k->d->counts.n[fields];
    n[0]++;
    n[1] += twice * cost.sectors;
    n[2] += (uint64_t)cost.sectors - cost.ideal;
    n[3] += twice * cost.ideal;
    n[4] += (uint64_t)bytes * (unsigned)__builtin_popcount(mask);
    k->d->counts.n[COUNT_SHARED_CONTENTION] += cost.busiest;
    keep_example(k, fields, kind, addresses, mask, bytes, cost);
}

/* Local memory is interleaved by lane: the same word of all lanes is one line of 128 bytes. */
static void add_local(const struct asking *k, const uint64_t *addresses, uint32_t mask, unsigned bytes) {
    uint64_t *n = &k->d->counts.n[k->a->kind == ACCESS_LOAD ? FIELDS(LOCAL_LOAD) : FIELDS(LOCAL_STORE)];
    struct pattern_cost cost = {0};
    for (unsigned word = 0; word < bytes; word += WORD) {
        uint64_t places[WARP_SIZE];
        for (unsigned l = 0; l < WARP_SIZE; l++) {
            uint64_t offset = (addresses[l] & 0xffffffffu) + word;
            places[l] = offset / WORD * WORD * WARP_SIZE + l * WORD + offset % WORD;
        }
        unsigned piece = bytes < WORD ? bytes : WORD;
        struct pattern_cost one = patterns_cost(k->d->patterns, PATTERN_GLOBAL, places, mask, piece);
        cost.sectors = (uint16_t)(cost.sectors + one.sectors);
        cost.ideal = (uint16_t)(cost.ideal + one.ideal);
        cost.used = (uint16_t)(cost.used + one.used);
    }
    n[0]++;
    n[1] += cost.sectors;
    n[2] += cost.ideal;
    n[3] += (uint64_t)bytes * (unsigned)__builtin_popcount(mask);
    n[4] += cost.used;
}

/* ---- ld, st, atom, red ---- */

static void ask_global(const struct asking *k, const uint64_t *addresses, uint32_t mask, unsigned bytes) {
    const struct insn_traits *t = &k->c->traits->insns[k->in->index];
    if (k->a->kind == ACCESS_ATOMIC)
        add_global(k, t->unseen ? FIELDS(GLOBAL_RED) : FIELDS(GLOBAL_ATOM), PATTERN_GLOBAL_ATOMIC, addresses, mask,
                   bytes);
    else
        add_global(k, k->a->kind == ACCESS_LOAD ? FIELDS(GLOBAL_LOAD) : FIELDS(GLOBAL_STORE), PATTERN_GLOBAL, addresses,
                   mask, bytes);
}

static void ask_shared(const struct asking *k, const uint64_t *addresses, uint32_t mask, unsigned bytes) {
    const struct insn_traits *t = &k->c->traits->insns[k->in->index];
    if (k->a->kind == ACCESS_ATOMIC)
        add_shared(k, FIELDS(SHARED_ATOM), t->counts ? PATTERN_SHARED_COUNT : PATTERN_SHARED_ATOMIC, addresses, mask,
                   bytes);
    else if (k->a->kind == ACCESS_LOAD)
        add_shared(k, FIELDS(SHARED_LOAD), PATTERN_SHARED_LOAD, addresses, mask, bytes);
    else
        add_shared(k, FIELDS(SHARED_STORE), PATTERN_SHARED_STORE, addresses, mask, bytes);
}

static void count_requests(const struct asking *k, enum ptx_space space, const uint64_t *addresses, uint32_t mask,
                           unsigned bytes) {
    if (!mask)
        return;
    switch (space) {
    case SPACE_GLOBAL:
        ask_global(k, addresses, mask, bytes);
        break;
    case SPACE_SHARED:
        ask_shared(k, addresses, mask, bytes);
        break;
    case SPACE_LOCAL:
        add_local(k, addresses, mask, bytes);
        break;
    default:
        break; /* constant memory and parameters have a separate cache */
    }
}

/* A generic access is one request in each space that its lanes' addresses belong to. */
static void ask_generic(const struct asking *k, const uint64_t *addresses, unsigned bytes) {
    uint32_t shared = 0, local = 0, global = 0;
    for (uint32_t left = k->w->mask; left; left &= left - 1) {
        int l = first_lane(left);
        uint64_t window = addresses[l] >> WINDOW_SHIFT << WINDOW_SHIFT;
        uint32_t bit = (uint32_t)1 << l;
        if (window == SHARED_WINDOW)
            shared |= bit;
        else if (window == LOCAL_WINDOW)
            local |= bit;
        else if (window != PARAM_WINDOW)
            global |= bit;
    }
    count_requests(k, SPACE_GLOBAL, addresses, global, bytes);
    count_requests(k, SPACE_SHARED, addresses, shared, bytes);
    count_requests(k, SPACE_LOCAL, addresses, local, bytes);
}

static void plain_access(const struct asking *k) {
    uint64_t addresses[WARP_SIZE];
    unsigned bytes = (unsigned)k->a->bytes * k->a->count;
    access_addresses(k->w, k->in, addresses);
    if (k->c->trace && k->w->block->index == 0)
        trace_access(k->c->trace, k->w, k->a, addresses, k->w->mask, bytes);
    if (k->a->space == SPACE_GENERIC)
        ask_generic(k, addresses, bytes);
    else
        count_requests(k, (enum ptx_space)k->a->space, addresses, k->w->mask, bytes);
}

/* ---- copies ---- */

/* Lanes of a cp.async that read anything. */
static uint32_t copying_lanes(const struct warp *w, const struct insn *in) {
    if (in->kind == COPY_UNLESS)
        return w->mask & ~*(const uint32_t *)(const void *)(w->regs + in->op[2]);
    uint32_t lanes = w->mask;
    const uint32_t *wanted = (const uint32_t *)(const void *)(w->regs + in->op[2]);
    for (int l = 0; in->kind == COPY_SOME && l < WARP_SIZE; l++)
        lanes &= ~((uint32_t)(wanted[l] == 0) << l);
    return lanes;
}

/* The two halves of a copy; with a predicate each has its own before it. */
static const struct insn *half_before(const struct insn *in) {
    return in - 1 - (in[-1].flags & INSN_PREDICATE ? 1 : 0);
}
static const struct insn *half_behind(const struct insn *in) {
    return in + 1 + (in[1].flags & INSN_PREDICATE ? 1 : 0);
}

static void copy_read(const struct asking *k) {
    uint64_t addresses[WARP_SIZE];
    uint32_t lanes = copying_lanes(k->w, k->in);
    uint64_t *sectors = &k->d->counts.n[COUNT_GLOBAL_LOAD_SECTORS], before = *sectors;
    access_addresses(k->w, k->in, addresses);
    k->d->counts.n[COUNT_COPIES]++;
    if (!lanes)
        return;
    add_global(k, FIELDS(GLOBAL_LOAD), PATTERN_GLOBAL, addresses, lanes, (unsigned)k->a->bytes * k->a->count);
    if (k->c->traits->insns[k->in->index].bypasses) {
        uint64_t to[WARP_SIZE];
        access_addresses(k->w, half_behind(k->in), to);
        *sectors = before + count_bypass_sectors(addresses, to, lanes);
    }
}

/* Lines of shared memory that nothing has been copied to in their block so far: the real size of a multi-stage
 * pipeline. Of a multicast those of this block. */
static unsigned places_filled(const struct block *b, uint64_t address, uint32_t bytes) {
    uint32_t offset = 0;
    unsigned count = 0;
    struct block *to = bytes ? cluster_find(b, (uint32_t)address, bytes, &offset) : NULL;
    for (uint32_t line = offset / BULK_LINE_BYTES; to && line <= (offset + bytes - 1) / BULK_LINE_BYTES; line++) {
        uint64_t bit = (uint64_t)1 << line % 64;
        count += !(to->bulk_lines[line / 64] & bit);
        to->bulk_lines[line / 64] |= bit;
    }
    return count;
}

/* k: of the half that writes. A copy through L1 (.ca) is read from its banks, which are those of shared memory, and
 * there two lanes with the same word are two. */
static void copy_write(const struct asking *k) {
    uint64_t addresses[WARP_SIZE], from[WARP_SIZE];
    unsigned bytes = (unsigned)k->a->bytes * k->a->count;
    const struct insn *read = half_before(k->in);
    uint32_t lanes = copying_lanes(k->w, read);
    access_addresses(k->w, k->in, addresses);
    struct pattern_cost cost = patterns_cost(k->d->patterns, PATTERN_SHARED_STORE, addresses, k->w->mask, bytes);
    unsigned wavefronts = cost.sectors;
    if (lanes && !k->c->traits->insns[read->index].bypasses) {
        access_addresses(k->w, read, from);
        unsigned reads = patterns_cost(k->d->patterns, PATTERN_SHARED_ATOMIC, from, lanes, bytes).sectors;
        wavefronts = reads > wavefronts ? reads : wavefronts;
    }
    k->d->counts.n[COUNT_COPY_WAVEFRONTS] += wavefronts;
    keep_example(k, FIELDS(SHARED_STORE), PATTERN_SHARED_STORE, addresses, k->w->mask, bytes, cost);
}

/* One copy by its direction. global: bytes of global memory; filled: of shared memory, in all blocks together. */
static void bulk_direction(uint64_t *n, const struct bulk *to, bool from_global, uint32_t global, uint64_t filled) {
    if (from_global) {
        n[COUNT_BULK_LOADS]++;
        n[COUNT_BULK_FILLED] += filled;
        if (to->ranks == ~0u)
            return;
        n[COUNT_MULTICASTS]++;
        n[COUNT_MULTICAST_READ] += global;
        n[COUNT_MULTICAST_FILLED] += filled;
    } else if (to->access.space != SPACE_GLOBAL) {
        n[COUNT_BULK_BETWEEN]++;
        n[COUNT_BULK_BETWEEN_BYTES] += filled;
    } else if (to->access.kind == ACCESS_ATOMIC) {
        n[COUNT_BULK_REDUCTIONS]++;
        n[COUNT_BULK_REDUCED] += global;
    } else {
        n[COUNT_BULK_STORES]++;
    }
}

/* Blocks that a lane's copy fills the shared memory of. */
static unsigned blocks_filled(const struct warp *w, const struct bulk *to, int lane) {
    if (to->ranks == ~0u)
        return 1;
    return (unsigned)__builtin_popcount(((const uint16_t *)(const void *)(w->regs + to->ranks))[lane]);
}

struct bulk_side {
    const struct asking *k;
    bool stores;
};

static void add_bulk_part(void *context, uint64_t address, uint32_t bytes, const uint8_t *from) {
    (void)from;
    const struct bulk_side *side = context;
    array_counts_bulk(side->k->c->arrays, side->k->w, side->stores, address, bytes);
}

/* The side of a lane's copy that is in global memory. */
static void add_bulk_to_arrays(const struct asking *k, const struct bulk *b, int lane, bool stores, uint32_t bytes) {
    struct bulk_side side = {k, stores};
    if (b->access.space != SPACE_GLOBAL)
        return;
    if (b->tensor)
        tensor_copy_parts((struct warp *)(uintptr_t)k->w, b, lane, add_bulk_part, &side);
    else
        add_bulk_part(&side, bulk_address(k->w, b, lane), bytes, NULL);
}

/* k: of the half that writes. A copy by a tensor map may fill more than it reads. */
static void bulk_copy(const struct asking *k) {
    const struct access *from = half_before(k->in)->extra, *to = k->in->extra;
    const struct tensor_copy *tensor = ((const struct bulk *)k->in->extra)->tensor;
    const uint32_t *size = (const uint32_t *)(const void *)(k->w->regs + k->in->op[1]);
    const uint32_t *global = tensor ? (const uint32_t *)(const void *)(k->w->regs + tensor->global_bytes) : size;
    uint64_t *n = k->d->counts.n;
    for (uint32_t left = k->w->mask; left; left &= left - 1) {
        int l = first_lane(left);
        n[COUNT_BULK_COPIES]++;
        n[COUNT_BULK_PLACES] +=
            to->space == SPACE_GLOBAL ? 0 : places_filled(k->w->block, bulk_address(k->w, k->in->extra, l), size[l]);
        n[COUNT_BULK_BYTES] += size[l];
        n[COUNT_BULK_LOADED] += from->space == SPACE_GLOBAL ? global[l] : 0;
        n[COUNT_BULK_STORED] += to->space == SPACE_GLOBAL ? global[l] : 0;
        if (k->c->arrays) {
            add_bulk_to_arrays(k, half_before(k->in)->extra, l, false, global[l]);
            add_bulk_to_arrays(k, k->in->extra, l, true, global[l]);
        }
        bulk_direction(n, k->in->extra, from->space == SPACE_GLOBAL, global[l],
                       (uint64_t)size[l] * blocks_filled(k->w, k->in->extra, l));
    }
}

/* The results of earlier waits: each of them is followed by another one, except the last, of a warp that arrives
 * late. */
static void take_bytes_ahead(const struct asking *k) {
    struct mbarrier_log *log = &cluster_block(k->w->block, 0)->mbarriers;
    k->d->counts.n[COUNT_BULK_AHEAD] += log->bytes_ahead;
    log->bytes_ahead = 0;
}

/* ---- matrices ---- */

/* ldmatrix, stmatrix: eight lanes give the rows of a matrix. */
static void move_matrix(const struct asking *k) {
    const struct matrix_access *m = k->in->extra;
    uint64_t addresses[WARP_SIZE];
    uint32_t lanes = m->count == 4 ? FULL_MASK : ((uint32_t)1 << 8 * m->count) - 1;
    access_addresses(k->w, k->in, addresses);
    add_shared(k, m->access.kind == ACCESS_LOAD ? FIELDS(SHARED_LOAD) : FIELDS(SHARED_STORE), PATTERN_SHARED_MATRIX,
               addresses, lanes, LINE_BYTES);
}

#define WAVEFRONT_BYTES 128

/* wgmma: its operands are read once for the whole warpgroup, 128 bytes at a time, in any layout. */
static void product(const struct asking *k) {
    const struct wgmma *m = k->in->extra;
    unsigned rows = m->columns * (m->sparse ? 2u : 1u) + (m->a_in_registers ? 0 : WGMMA_WARPS * WGMMA_ROWS);
    if (k->w->index % WGMMA_WARPS)
        return;
    k->d->counts.n[COUNT_TENSOR]++;
    k->d->counts.n[COUNT_PRODUCT_WAVEFRONTS] += rows * WGMMA_ROW_BYTES / WAVEFRONT_BYTES;
}

static bool is_shared(const struct access *a, uint64_t address) {
    return a->space == SPACE_SHARED ||
           (a->space == SPACE_GENERIC && address >> WINDOW_SHIFT == SHARED_WINDOW >> WINDOW_SHIFT);
}

/* One piece of a matrix: eight lines, 16 (or 32) bytes of each, four lanes to a line. */
static void wmma_piece(const struct asking *k, uint64_t address, uint64_t step, unsigned bytes, bool shared) {
    uint64_t lanes[WARP_SIZE];
    bool load = k->a->kind == ACCESS_LOAD;
    for (unsigned l = 0; l < WARP_SIZE; l++)
        lanes[l] = address + l / 4 * step + l % 4 * bytes;
    if (shared)
        add_shared(k, load ? FIELDS(SHARED_LOAD) : FIELDS(SHARED_STORE),
                   load ? PATTERN_SHARED_LOAD : PATTERN_SHARED_STORE, lanes, FULL_MASK, bytes);
    else
        add_global(k, load ? FIELDS(GLOBAL_LOAD) : FIELDS(GLOBAL_STORE), PATTERN_GLOBAL, lanes, FULL_MASK, bytes);
}

/* A and B in shared memory are fetched as by ldmatrix: four pieces of eight lines at once. */
static void wmma_rows(const struct asking *k, uint64_t address, uint64_t step, unsigned lines, unsigned bytes) {
    uint64_t lanes[WARP_SIZE];
    unsigned count = 0;
    for (unsigned line = 0; line < lines; line += LINE_LANES)
        for (unsigned at = 0; at < bytes; at += LINE_BYTES) {
            for (unsigned l = 0; l < LINE_LANES; l++)
                lanes[count++] = address + (line + l) * step + at;
            if (count < WARP_SIZE)
                continue;
            add_shared(k, FIELDS(SHARED_LOAD), PATTERN_SHARED_MATRIX, lanes, FULL_MASK, LINE_BYTES);
            count = 0;
        }
    if (count)
        add_shared(k, FIELDS(SHARED_LOAD), PATTERN_SHARED_MATRIX, lanes, ((uint32_t)1 << count) - 1, LINE_BYTES);
}

static void wmma_access(const struct asking *k) {
    const struct matrix_access *m = k->in->extra;
    uint64_t addresses[WARP_SIZE];
    access_addresses(k->w, k->in, addresses);
    uint64_t stride = ((const uint32_t *)(const void *)(k->w->regs + m->stride))[0], step = stride * m->bits / 8;
    unsigned length = m->transposed ? m->rows : m->columns, lines = m->transposed ? m->columns : m->rows;
    unsigned bytes = length * m->bits / 8, lane_bytes = m->role == ROLE_C && m->bits >= 32 ? m->bits / 4 : 4;
    bool shared = is_shared(k->a, addresses[0]);
    if (m->bits == 64)
        lane_bytes = 8;
    if (shared && m->role != ROLE_C && m->bits == 16) {
        wmma_rows(k, addresses[0], step, lines, bytes);
        return;
    }
    unsigned width = 4 * lane_bytes < bytes ? 4 * lane_bytes : bytes;
    for (unsigned line = 0; line < lines; line += LINE_LANES)
        for (unsigned at = 0; at < bytes; at += width)
            wmma_piece(k, addresses[0] + line * step + at, step, width / 4, shared);
}

/* An access that is costlier than any before has a new pattern or a new place in its line, so the examples of a profile
 * are complete. */
static void begin_memory(const struct counters *c, const struct insn *in, struct insn_details *d) {
    const struct access *a = in->extra;
    d->lines = c->reuse && a->space == SPACE_GLOBAL && a->kind == ACCESS_LOAD;
    d->patterns = patterns_new(); /* without memory for it, patterns are counted each time */
    d->plain = d->patterns && !c->trace && c->traits->insns[in->index].shape == SHAPE_ACCESS &&
               (a->space == SPACE_GLOBAL || a->space == SPACE_SHARED) && a->kind != ACCESS_ATOMIC && a->address_bits;
}

/* The case of nearly every access: a pattern that its instruction has had before, in a space that its opcode names. */
static bool again(const struct warp *w, const struct insn *in, struct insn_details *d) {
    const struct access *a = in->extra;
    const void *reg = w->regs + a->address_reg;
    return a->address_bits == 64 ? patterns_again64(d->patterns, reg, (uint64_t)in->imm, w->mask)
                                 : patterns_again32(d->patterns, reg, (uint32_t)in->imm, w->mask);
}

void counters_settle(const struct insn *in, struct insn_details *d) {
    if (!d->plain)
        return;
    const struct access *a = in->extra;
    struct pattern_sum sum = patterns_sum(d->patterns);
    bool global = a->space == SPACE_GLOBAL, load = a->kind == ACCESS_LOAD;
    uint64_t *n = &d->counts.n[global ? (load ? FIELDS(GLOBAL_LOAD) : FIELDS(GLOBAL_STORE))
                                      : (load ? FIELDS(SHARED_LOAD) : FIELDS(SHARED_STORE))];
    uint64_t bytes = (uint64_t)a->bytes * a->count * sum.lanes;
    n[0] += sum.accesses;
    n[1] += sum.sectors;
    n[2] += global ? sum.ideal : sum.sectors - sum.ideal;
    n[3] += global ? bytes : sum.ideal;
    n[4] += global ? sum.used : bytes;
}

/* The lines of an access that has just been found again. */
static void note_lines(const struct counters *c, const struct warp *w, const struct insn *in, struct insn_details *d) {
    uint32_t lanes = patterns_line_lanes(d->patterns, access_address(w, in, first_lane(w->mask)));
    for (; lanes; lanes &= lanes - 1)
        note_line(c, w, d, access_address(w, in, first_lane(lanes)));
}

/* Plain accesses of compiled kernels reach this only when their pattern is not their last one. */
static void tell_compiled(const struct counters *c, const struct insn *in, const struct insn_details *d) {
    const struct access *a = in->extra;
    patterns_report(d->patterns, a->address_bits == 32, &c->counted.accesses[in->index]);
}

/* An access that has just been found again, by the array that it is in. */
static void note_array(const struct counters *c, const struct warp *w, const struct insn *in, struct insn_details *d) {
    const struct access *a = in->extra;
    struct pattern_met met = patterns_met(d->patterns, access_address(w, in, first_lane(w->mask)));
    const struct array_request r = {w, (enum access_kind)a->kind, a->kind == ACCESS_LOAD && a->ordered};
    unsigned bytes = (unsigned)a->bytes * a->count;
    if (met.from >= d->part.from && met.to <= d->part.to) {
        array_counts_add(c->arrays, &r, &d->part, w->mask, bytes, met.cost->sectors);
        return;
    }
    uint64_t addresses[WARP_SIZE];
    access_addresses(w, in, addresses);
    array_counts_split(c->arrays, &r, &d->part, addresses, w->mask, bytes, met.cost->sectors);
}

static void ask_once(struct counters *c, const struct warp *w, const struct insn *in, struct insn_record *r) {
    struct asking k = {c, w, in, in->extra, counters_details(r)};
    bool whole = w->mask == FULL_MASK;
    switch ((enum insn_shape)c->traits->insns[in->index].shape) {
    case SHAPE_ACCESS:
        plain_access(&k);
        break;
    case SHAPE_COPY_READ:
        copy_read(&k);
        break;
    case SHAPE_COPY_WRITE:
        copy_write(&k);
        break;
    case SHAPE_BULK:
        bulk_copy(&k);
        break;
    case SHAPE_MATRIX: /* while lanes are missing, it waits for them */
        if (whole)
            move_matrix(&k);
        break;
    case SHAPE_WMMA:
        if (whole)
            wmma_access(&k);
        break;
    case SHAPE_PRODUCT:
        if (whole)
            product(&k);
        break;
    case SHAPE_MBARRIER_WAIT:
        take_bytes_ahead(&k);
        break;
    case SHAPE_TEXTURE:
        counters_texture(c, &k.d->counts, w, in);
        break;
    case SHAPE_SURFACE:
        counters_surface(c, &k.d->counts, w, in);
        break;
    case SHAPE_TENSOR:
    case SHAPE_NONE:
        break;
    }
}

void counters_memory(struct counters *c, const struct warp *w, const struct insn *in, struct insn_record *r) {
    if (c->traits->insns[in->index].shape == SHAPE_TENSOR) {
        counters_details(r)->counts.n[COUNT_TENSOR] += w->mask == FULL_MASK;
        return;
    }
    if (!counters_details(r)->patterns)
        begin_memory(c, in, r->details);
    if (!r->details->plain || !again(w, in, r->details))
        ask_once(c, w, in, r);
    else {
        if (r->details->lines)
            note_lines(c, w, in, r->details);
        if (c->arrays && ((const struct access *)in->extra)->space == SPACE_GLOBAL)
            note_array(c, w, in, r->details);
    }
    if (r->details->plain && !r->details->lines && !c->arrays) /* by array, compiled code cannot count */
        tell_compiled(c, in, r->details);
}
