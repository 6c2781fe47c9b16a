/* Copies by tensor maps: see tensor_copy.h. Copying, filling and refusing match an H200 (tests/tensor_map). */
#include "ops/tensor_copy.h"

#include <stdio.h>
#include <string.h>

#include "machine/block_cluster.h"
#include "machine/finding.h"
#include "ops/atomic.h"
#include "ops/load_store.h"

#define SHARED_ALIGN 128

/* ---- the map ---- */

static uint64_t address_of(const struct warp *w, uint32_t reg, uint32_t bits, int64_t offset, int lane) {
    const void *at = w->regs + reg;
    uint64_t base = bits == 64 ? ((const uint64_t *)at)[lane] : bits ? ((const uint32_t *)at)[lane] : 0;
    return base + (uint64_t)offset;
}

static uint64_t map_address(const struct warp *w, const struct tensor_copy *t, int lane) {
    return address_of(w, t->map.address_reg, t->map.address_bits, t->map_offset, lane);
}

/* Without a report. */
static const uint8_t *map_host(const struct warp *w, const struct tensor_copy *t, int lane) {
    uint64_t address = map_address(w, t, lane), offset = address & (((uint64_t)1 << WINDOW_SHIFT) - 1);
    if (address % TENSOR_MAP_ALIGN)
        return NULL;
    if (address >> WINDOW_SHIFT == PARAM_WINDOW >> WINDOW_SHIFT)
        return offset + TENSOR_MAP_BYTES <= w->launch->kernel->param_bytes ? w->launch->params + offset : NULL;
    return address >> WINDOW_SHIFT ? NULL : memory_translate(address, TENSOR_MAP_BYTES);
}

static void begin_walk(const struct warp *w, const struct tensor_copy *t, const struct tensor_map *map, int lane,
                       struct tensor_walk *walk) {
    int32_t coordinates[TENSOR_RANKS];
    uint16_t offsets[TENSOR_RANKS - 2] = {0};
    for (unsigned i = 0; i < t->rank; i++)
        coordinates[i] = ((const int32_t *)(const void *)(w->regs + t->coordinates[i]))[lane];
    for (unsigned i = 0; t->has_offsets && i + 2 < t->rank; i++)
        offsets[i] = ((const uint16_t *)(const void *)(w->regs + t->offsets[i]))[lane];
    tensor_walk_begin(walk, map, coordinates, offsets);
}

/* ---- errors ---- */

static const struct insn *illegal(struct warp *w, const struct insn *in, int lane, const char *what,
                                  const char *advice) {
    char detail[300];
    snprintf(detail, sizeof detail, "Illegal instruction: a copy by a tensor map%s", what);
    report_insn(w, in, FINDING_LAUNCH_FAILURE, 1u << lane, detail, advice);
    return warp_fault(w, 715);
}

static const char *const type_names[TENSOR_TYPES] = {"UINT8",       "UINT16",   "UINT32",      "INT32",   "UINT64",
                                                     "INT64",       "FLOAT16",  "FLOAT32",     "FLOAT64", "BFLOAT16",
                                                     "FLOAT32_FTZ", "TFLOAT32", "TFLOAT32_FTZ"};

static bool map_fits(struct warp *w, const struct insn *in, int lane, const struct tensor_map *m) {
    const struct tensor_copy *t = in->extra;
    char what[200];
    if (!tensor_map_is_sealed(m))
        return illegal(w, in, lane, ", but there is no tensor map at its address.",
                       "Create it with cuTensorMapEncodeTiled() or cuTensorMapEncodeIm2col(), and pass it to the "
                       "kernel as a `const __grid_constant__ CUtensorMap` parameter, or copy all its 128 bytes.");
    const char *problem = tensor_map_problem(m);
    if (problem) {
        snprintf(what, sizeof what, ", but this tensor map is not valid: %s.", problem);
        return illegal(w, in, lane, what, "A tensormap.replace has made it invalid.");
    }
    if (m->rank != t->rank) {
        snprintf(what, sizeof what, " names %u coordinates, and the map's tensor has %u dimensions.", t->rank, m->rank);
        return illegal(w, in, lane, what,
                       "The rank of the instruction (.1d to .5d) has to match that of the tensor map.");
    }
    if (m->mode != t->mode)
        return illegal(w, in, lane,
                       m->mode == TENSOR_TILED ? " is in im2col mode, and the map is for tiles."
                       : m->mode == TENSOR_IM2COL_WIDE
                           ? ", but only compute capability 10.0 accepts a map for im2col::w."
                           : " is in tile mode, and the map is for im2col.",
                       "cuTensorMapEncodeTiled() creates maps for .tile, cuTensorMapEncodeIm2col() for .im2col.");
    if (m->mode == TENSOR_IM2COL && m->interleave) {
        report_insn(w, in, FINDING_UNSUPPORTED, 1u << lane, "im2col of an interleaved tensor is not supported.", "");
        warp_fault(w, 801);
        return false;
    }
    if (t->reductions && t->reductions[m->type].operation == TENSOR_NO_REDUCTION) {
        snprintf(what, sizeof what, " reduces a tensor of type %s, which does not have this operation.",
                 type_names[m->type]);
        return illegal(w, in, lane, what, "The operation has to be one that red supports for the type.");
    }
    return true;
}

/* im2col: the filter's base is in the bounding box, and of a store the box is in the tensor. */
static bool pixels_fit(struct warp *w, const struct insn *in, int lane, const struct tensor_walk *walk) {
    const struct tensor_copy *t = in->extra;
    const struct tensor_map *m = walk->map;
    char what[200];
    for (unsigned i = 1; i + 1 < m->rank; i++) {
        int64_t first = m->lower[i - 1], last = (int64_t)m->last[i] + m->upper[i - 1];
        if (walk->first[i] < first || walk->first[i] > last) {
            snprintf(what, sizeof what, " starts at %lld in dimension %u, outside the bounding box: %lld to %lld.",
                     (long long)walk->first[i], i, (long long)first, (long long)last);
            return illegal(w, in, lane, what,
                           "In im2col mode, the coordinates are those of the filter's corner, which moves within the "
                           "corners passed to cuTensorMapEncodeIm2col().");
        }
        if (t->store && (m->lower[i - 1] < 0 || m->upper[i - 1] > 0))
            return illegal(w, in, lane, " stores in im2col mode, and the bounding box is not within the tensor.",
                           "Only loads may start before the tensor.");
    }
    return true;
}

static bool coordinates_fit(struct warp *w, const struct insn *in, int lane, const struct tensor_walk *walk) {
    const struct tensor_copy *t = in->extra;
    const struct tensor_map *m = walk->map;
    char what[200];
    if (walk->first[0] * tensor_map_unit(m) % 16) {
        snprintf(what, sizeof what, " starts at coordinate %lld, which is not at a multiple of 16 bytes.",
                 (long long)walk->first[0]);
        return illegal(
            w, in, lane, what,
            "The first coordinate times the bytes of an element has to be a multiple of 16, negative or not.");
    }
    for (unsigned i = 0; t->store && i < m->rank; i++)
        if (walk->first[i] < 0) {
            snprintf(what, sizeof what, " to global memory starts at a negative coordinate: %lld in dimension %u.",
                     (long long)walk->first[i], i);
            return illegal(w, in, lane, what, "Only loads may start before the tensor.");
        }
    return m->mode != TENSOR_IM2COL || pixels_fit(w, in, lane, walk);
}

const struct insn *op_tensor_map(struct warp *w, const struct insn *in) {
    const struct tensor_copy *t = in->extra;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        struct tensor_map map;
        struct tensor_walk walk;
        const uint8_t *host = map_host(w, t, l);
        if (!host && !access_lane_host(w, in, map_address(w, t, l), TENSOR_MAP_BYTES, l))
            return NULL;
        if (!host)
            return illegal(w, in, l, " has its map in shared or local memory.",
                           "A tensor map has to be a kernel parameter, or in constant or global memory.");
        memcpy(&map, host, sizeof map);
        if (!map_fits(w, in, l, &map))
            return NULL;
        begin_walk(w, t, &map, l, &walk);
        if (!coordinates_fit(w, in, l, &walk))
            return NULL;
        ((uint32_t *)(void *)(w->regs + t->bytes))[l] = tensor_map_box_bytes(&map);
    }
    return in + 1;
}

/* ---- the sides ---- */

static uint64_t shared_address(const struct warp *w, const struct bulk *side, int lane) {
    return address_of(w, side->address_reg, side->address_bits, side->offset, lane);
}

/* The same address in the block of that rank. */
static uint64_t address_in(uint64_t address, uint32_t rank) {
    return (address & ~(uint64_t)UINT32_MAX) | cluster_address(rank, (uint32_t)address);
}

/* All of a box in the shared memory of a block of the cluster; NULL after a report. */
static uint8_t *shared_host(struct warp *w, const struct insn *in, uint64_t begin, uint64_t size, int lane) {
    uint64_t *at = &REG(uint64_t, 0)[lane];
    uint32_t offset;
    *at = begin;
    if ((uint32_t)begin % SHARED_ALIGN) {
        report_insn(w, in, FINDING_MISALIGNED, 1u << lane,
                    "A copy by a tensor map has an address in shared memory that is not a multiple of 128.",
                    "Declare the tile `alignas(128) __shared__`, or with swizzling `alignas(1024)`.");
        warp_fault(w, 716);
        return NULL;
    }
    struct block *block = cluster_find(w->block, (uint32_t)begin, size, &offset);
    if (block && access_lane_host(w, in, begin, 16, lane))
        return block->shared + offset;
    for (; *at < begin + size; *at += 16)
        if (!access_lane_host(w, in, *at, 16, lane))
            return NULL;
    return NULL;
}

/* Host pointer to a piece in global memory; NULL after a report, which names the first 16 bytes that are wrong. */
static uint8_t *global_host(struct warp *w, const struct insn *in, const struct tensor_piece *p, int lane) {
    const struct bulk *side = in->extra;
    const struct allocation *found = w->worker->cache[side->access.slot];
    uint8_t *host = found ? memory_mapped_at(found, p->global, p->bytes) : NULL;
    bool load = side->access.kind == ACCESS_LOAD;
    if (host && (load || memory_mapped_store_at(found, p->global, p->bytes)))
        return host;
    uint64_t *at = &REG(uint64_t, 0)[lane], begin = p->global & ~(uint64_t)15, end = p->global + p->bytes;
    /* Bytes by 16 from an aligned address on, so that the report names the first ones that are wrong. */
    for (*at = begin; *at < end; *at += 16)
        if (!access_lane_host(w, in, *at, (uint32_t)(end - *at < 16 ? end - *at : 16), lane))
            return NULL;
    *at = begin;
    host = access_lane_host(w, in, begin, (uint32_t)(end - begin), lane); /* as one */
    return host ? host + (p->global - begin) : NULL;
}

/* ---- moving ---- */

/* One lane's copy. */
struct move {
    struct warp *w;
    const struct insn *in; /* the side that writes */
    const struct tensor_copy *copy;
    struct tensor_map map;
    struct tensor_walk walk;
    uint8_t *base;                  /* where the box begins in shared memory */
    uint32_t shared;                /* the same as an address, whose low bits swizzling uses */
    const struct allocation *found; /* of a load: the other side has checked all that it reads */
};

static bool move_begin(struct move *m, struct warp *w, const struct tensor_copy *copy, int lane) {
    const uint8_t *host = map_host(w, copy, lane);
    *m = (struct move){.w = w, .copy = copy};
    if (!host)
        return false;
    memcpy(&m->map, host, sizeof m->map);
    if (!tensor_map_is_sealed(&m->map) || tensor_map_problem(&m->map) || m->map.rank != copy->rank)
        return false;
    begin_walk(w, copy, &m->map, lane, &m->walk);
    return true;
}

static uint8_t *piece_host(struct move *m, const struct tensor_piece *p, int lane) {
    if (m->copy->store)
        return global_host(m->w, m->in, p, lane);
    uint8_t *host = m->found ? memory_mapped_at(m->found, p->global, p->bytes) : NULL;
    if (!host && (m->found = memory_find(p->global)))
        host = memory_mapped_at(m->found, p->global, p->bytes);
    return host;
}

static void fill(uint8_t *to, uint32_t bytes, bool nan) {
    uint64_t pattern = nan ? 0x7ff77ff77ff77ff7u : 0; /* the same for all types */
    for (uint32_t i = 0; i < bytes; i += sizeof pattern)
        memcpy(to + i, &pattern, bytes - i < sizeof pattern ? bytes - i : sizeof pattern);
}

/* On their way to shared memory numbers become tf32: rounded to nearest, ties away from zero. */
static void round_to_tf32(uint8_t *at, uint32_t bytes) {
    for (uint32_t i = 0; i < bytes; i += 4) {
        uint32_t x;
        memcpy(&x, at + i, 4);
        /* A NaN becomes the one NaN of tf32. Otherwise half of the last kept bit is added, and 13 bits are cut
         * off. */
        x = (x & 0x7fffffffu) > 0x7f800000u ? 0x7fffe000u : (x + 0x1000u) & ~0x1fffu;
        memcpy(at + i, &x, 4);
    }
}

/* One piece, or the part of it that stays together in shared memory. */
static void move_part(struct move *m, const struct tensor_piece *p, uint8_t *global, uint8_t *shared, uint32_t done,
                      uint32_t bytes) {
    if (!m->copy->store && !p->inside)
        fill(shared, bytes, m->map.fill_nan);
    else if (!m->copy->store) {
        memcpy(shared, global + done, bytes);
        if (m->map.type == TENSOR_TF32 || m->map.type == TENSOR_TF32_FTZ)
            round_to_tf32(shared, bytes);
    } else if (m->copy->reductions)
        atomic_apply(&m->copy->reductions[m->map.type], global + done, shared, bytes / tensor_type_bytes[m->map.type]);
    else
        memcpy(global + done, shared, bytes);
}

/* A piece's parts are its pieces of 16 bytes where they are swizzled, else itself. */
static uint32_t part_bytes(const struct tensor_map *map, const struct tensor_piece *p, uint32_t done) {
    uint32_t left = p->bytes - done, whole = 16 - (p->shared + done) % 16;
    return map->swizzle && whole < left ? whole : left;
}

/* Moves the part of a piece that stays unchanged, 16 bytes at a time, each to its place. Returns its size. */
static uint32_t move_swizzled(const struct move *m, const struct tensor_piece *p, uint8_t *global) {
    bool rounds = !m->copy->store && (m->map.type == TENSOR_TF32 || m->map.type == TENSOR_TF32_FTZ);
    uint32_t done = 0, address = m->shared + p->shared;
    if (!m->map.swizzle || !p->inside || m->copy->reductions || rounds)
        return 0;
    for (; done + 16 <= p->bytes; done += 16) {
        uint8_t *shared = m->base + (tensor_swizzle(&m->map, address + done) - m->shared);
        memcpy(m->copy->store ? global + done : shared, m->copy->store ? shared : global + done, 16);
    }
    return done;
}

/* Stores write whole pieces of 16 bytes, also beyond the tensor's last element, with the bytes that shared memory has
 * there. Not where the allocation ends. */
static uint32_t bytes_stored(const struct move *m, const struct tensor_piece *p) {
    const struct bulk *side = m->in->extra;
    uint32_t whole = (p->bytes + 15) & ~15u;
    const struct allocation *found = m->w->worker->cache[side->access.slot];
    return whole > p->bytes && found && memory_mapped_at(found, p->global, whole) ? whole : p->bytes;
}

static bool move_lane(struct move *m, int lane) {
    struct tensor_piece p;
    uint8_t *global = NULL;
    while (tensor_walk_next(&m->walk, &p)) {
        if (p.inside && !(global = piece_host(m, &p, lane)))
            return false;
        /* A store leaves out what is outside of the tensor; a load fills it. */
        if (!p.inside && m->copy->store)
            continue;
        if (m->copy->store)
            p.bytes = bytes_stored(m, &p);
        for (uint32_t done = move_swizzled(m, &p, global), bytes; done < p.bytes; done += bytes) {
            bytes = part_bytes(&m->map, &p, done);
            move_part(m, &p, global, m->base + (tensor_swizzle(&m->map, m->shared + p.shared + done) - m->shared), done,
                      bytes);
        }
    }
    return true;
}

/* ---- the two sides as instructions ---- */

static uint64_t shared_size(const struct move *m) {
    return (uint64_t)m->walk.rows * m->walk.pitch;
}

/* The whole part of the tensor that a copy reads is checked before any of it is moved. */
const struct insn *op_tensor_read(struct warp *w, const struct insn *in) {
    const struct bulk *side = in->extra;
    const struct tensor_copy *t = side->tensor;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        struct move m;
        struct tensor_piece p;
        uint32_t inside = 0;
        move_begin(&m, w, t, l);
        if (t->store && !shared_host(w, in, shared_address(w, side, l), shared_size(&m), l))
            return NULL;
        for (; tensor_walk_next(&m.walk, &p); inside += p.inside ? p.bytes : 0)
            if (!t->store && p.inside && !global_host(w, in, &p, l))
                return NULL;
        ((uint32_t *)(void *)(w->regs + t->global_bytes))[l] = inside;
    }
    return in + 1;
}

/* A box between the tensor and this address of shared memory. */
static bool move_box(struct warp *w, const struct insn *in, uint64_t address, int lane) {
    const struct bulk *side = in->extra;
    const struct tensor_copy *t = side->tensor;
    struct move m;
    uint32_t offset;
    move_begin(&m, w, t, lane);
    m.in = in;
    m.shared = (uint32_t)address;
    m.base = t->store ? cluster_find(w->block, (uint32_t)address, 0, &offset)->shared + offset
                      : shared_host(w, in, address, shared_size(&m), lane);
    return m.base && move_lane(&m, lane);
}

static uint32_t ranks_of(const struct warp *w, const struct bulk *shared, int lane) {
    return ((const uint16_t *)(const void *)(w->regs + shared->ranks))[lane];
}

const struct insn *op_tensor_write(struct warp *w, const struct insn *in) {
    const struct bulk *shared = ((const struct bulk *)in->extra)->tensor->shared;
    for (uint32_t rest = w->mask; rest; rest &= rest - 1) {
        int l = first_lane(rest);
        uint64_t address = shared_address(w, shared, l);
        uint32_t ranks = shared->ranks == ~0u ? 0 : ranks_of(w, shared, l);
        if (shared->ranks == ~0u && !move_box(w, in, address, l))
            return NULL;
        if (!cluster_has_ranks(w, in, ranks, l))
            return NULL;
        for (; ranks; ranks &= ranks - 1)
            if (!move_box(w, in, address_in(address, (uint32_t)__builtin_ctz(ranks)), l))
                return NULL;
    }
    return in + 1;
}

/* ---- for the checks ---- */

/* The next row of a box that is loaded, filled or not, or the next piece. */
static bool next_of_side(struct move *m, bool global, struct tensor_piece *p) {
    if (global || m->copy->store)
        return tensor_walk_next(&m->walk, p);
    *p = (struct tensor_piece){.shared = m->walk.row * m->walk.pitch, .bytes = m->walk.row_bytes, .inside = true};
    return m->walk.row++ < m->walk.rows;
}

/* A piece in the tensor: as one, or in parts that come from one place of shared memory. */
static void visit_piece(const struct move *m, const struct tensor_piece *p, visit_part *visit, void *context) {
    for (uint32_t done = 0, bytes = p->bytes; done < p->bytes; done += bytes) {
        /* Without a place in shared memory the bytes are not needed, and the piece need not be split. */
        bytes = m->base ? part_bytes(&m->map, p, done) : p->bytes;
        const uint8_t *from = m->base;
        visit(context, p->global + done, bytes,
              from ? from + (tensor_swizzle(&m->map, m->shared + p->shared + done) - m->shared) : NULL);
    }
}

/* The parts of a box in shared memory, or of what it has in the tensor. */
static void each_part(struct move m, bool global, uint64_t address, visit_part *visit, void *context) {
    struct tensor_piece p;
    while (next_of_side(&m, global, &p)) {
        if (global && p.inside)
            visit_piece(&m, &p, visit, context);
        if (global || !p.inside)
            continue;
        for (uint32_t done = 0, bytes; done < p.bytes; done += bytes) {
            bytes = part_bytes(&m.map, &p, done);
            visit(context,
                  (address & ~(uint64_t)UINT32_MAX) | tensor_swizzle(&m.map, (uint32_t)address + p.shared + done),
                  bytes, NULL);
        }
    }
}

void tensor_copy_parts(struct warp *w, const struct bulk *side, int lane, visit_part *visit, void *context) {
    bool global = side->access.space == SPACE_GLOBAL, several = side->ranks != ~0u;
    const struct tensor_copy *t = side->tensor;
    uint64_t address = shared_address(w, t->shared, lane);
    uint32_t offset;
    struct move m;
    if (!move_begin(&m, w, t, lane))
        return;
    if (global && t->store && !t->reductions) {
        const struct block *own = cluster_find(w->block, (uint32_t)address, shared_size(&m), &offset);
        m.shared = (uint32_t)address;
        m.base = own ? own->shared + offset : NULL;
    }
    if (!several)
        each_part(m, global, address, visit, context);
    for (uint32_t ranks = several ? ranks_of(w, side, lane) : 0; ranks; ranks &= ranks - 1)
        each_part(m, global, address_in(address, (uint32_t)__builtin_ctz(ranks)), visit, context);
}
