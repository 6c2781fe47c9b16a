#include "api/transfer.h"

#include <stdlib.h>
#include <string.h>

#include "api/queue.h"
#include "check/checks.h"
#include "check/copy_watch.h"
#include "memory/memory.h"

/* Copies from pageable memory up to this size are staged: the call returns before the copy is done. */
#define STAGED_BYTES 65536

enum home { HOME_PAGEABLE, HOME_PINNED, HOME_MANAGED, HOME_DEVICE };

struct place {
    uint8_t *bytes;
    uint64_t address; /* as the program gave it; 0 for what was staged */
    size_t pitch, slice;
    enum home home;
};

/* ---- Checks ---- */

/* Bytes from the first to the last of a box; false when that is no number. */
static bool extent(struct box b, struct side s, size_t *bytes) {
    size_t rows, slices, sum;
    return !__builtin_mul_overflow(b.height - 1, b.height > 1 ? s.pitch : 0, &rows) &&
           !__builtin_mul_overflow(b.depth - 1, b.depth > 1 ? s.slice : 0, &slices) &&
           !__builtin_add_overflow(rows, slices, &sum) && !__builtin_add_overflow(sum, b.width, bytes);
}

static enum home home_of(const struct allocation *a) {
    switch (a->kind) {
    case MEMORY_PINNED:
    case MEMORY_REGISTERED:
        return HOME_PINNED;
    case MEMORY_MANAGED:
        return HOME_MANAGED;
    default:
        return HOME_DEVICE;
    }
}

static bool freed(const struct allocation *a) {
    return a->size && !a->limit;
}

/* Finds the bytes of one side of a transfer. `role` is "destination" or "source". */
static cudaError_t locate(const char *function, const char *role, struct side s, struct box b, struct place *out) {
    size_t bytes;
    unsigned long long at = s.address;
    if (!extent(b, s, &bytes))
        return state_refuse(function, cudaErrorInvalidValue, "The size is larger than any memory.");
    if (b.height > 1 && s.pitch < b.width)
        return state_refuse(function, cudaErrorInvalidPitchValue,
                            "The %s's rows are %zu bytes apart (its pitch), and %zu bytes of each are wanted.", role,
                            s.pitch, b.width);
    const struct allocation *a = memory_find(s.address);
    *out = (struct place){
        .bytes = (uint8_t *)(uintptr_t)s.address, .address = s.address, .pitch = s.pitch, .slice = s.slice};
    if (a && freed(a)) {
        if (a->kind == MEMORY_REGISTERED || a->kind == MEMORY_PINNED)
            return cudaSuccess; /* by now the host may use the addresses for something else */
        return state_refuse(function, cudaErrorInvalidValue, "The %s 0x%llx is in memory that was freed.", role, at);
    }
    if (!a && memory_is_device_range(s.address))
        return state_refuse(function, cudaErrorInvalidValue,
                            "The %s 0x%llx is a device address where nothing is "
                            "allocated.",
                            role, at);
    if (!a)
        return s.address ? cudaSuccess
                         : state_refuse(function, cudaErrorInvalidValue, "The %s is a null pointer.", role);
    out->home = home_of(a);
    out->bytes = memory_at(a, s.address, bytes);
    if (!out->bytes)
        return state_refuse(function, cudaErrorInvalidValue,
                            "The %s has %llu bytes left from 0x%llx on (an allocation of %llu bytes), and %zu bytes "
                            "are wanted.",
                            role, (unsigned long long)(a->base + a->limit - s.address), at, (unsigned long long)a->size,
                            bytes);
    return cudaSuccess;
}

static bool wants_device(enum cudaMemcpyKind kind, bool destination) {
    return kind == cudaMemcpyDeviceToDevice || kind == (destination ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
}

static const char *const kind_names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                         "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};

/* CUDA knows by the address what its own memory is and takes the direction as a hint, except for pageable memory. */
static cudaError_t check_direction(const struct copy_request *r, const struct place *p, bool destination) {
    if (p->home != HOME_PAGEABLE || !wants_device(r->kind, destination))
        return cudaSuccess;
    return state_refuse(r->function, cudaErrorInvalidValue,
                        "%s wants a device address as its %s, and got host memory. The first argument is where to copy "
                        "to, the second where from.",
                        kind_names[r->kind], destination ? "destination" : "source");
}

/* ---- Copies ---- */

struct copy_operation {
    struct operation op;
    struct place to, from;
    struct box box;
    uint8_t *staged; /* or NULL */
    const char *function;
};

static void copy_box(const struct place *to, const struct place *from, struct box b) {
    for (size_t z = 0; z < b.depth; z++)
        for (size_t y = 0; y < b.height; y++)
            memmove(to->bytes + z * to->slice + y * to->pitch, from->bytes + z * from->slice + y * from->pitch,
                    b.width);
}

/* For the checks. A fill has no source. */
static void watch(const struct operation *op, const char *function, const struct place *to, const struct place *from,
                  struct box b) {
    struct copied c = {.function = function,
                       .to = {to->address, to->pitch, to->slice},
                       .fill = !from,
                       .width = b.width,
                       .height = b.height,
                       .depth = b.depth,
                       .order = &op->order};
    if (from)
        c.from = (struct copy_side){from->address, from->pitch, from->slice};
    copy_watch(&c);
}

static int run_copy(struct operation *op, int fault) {
    struct copy_operation *c = (struct copy_operation *)op;
    copy_box(&c->to, &c->from, c->box);
    if (checks_on())
        watch(op, c->function, &c->to, &c->from, c->box);
    return fault;
}

static void release_copy(struct operation *op) {
    free(((struct copy_operation *)op)->staged);
    free(op);
}

/* Takes a copy of the source now, so that the program may change it. */
static bool stage(struct copy_operation *c) {
    struct place packed = {.pitch = c->box.width, .slice = c->box.width * c->box.height};
    c->staged = packed.bytes = malloc(packed.slice * c->box.depth);
    if (!c->staged)
        return false;
    copy_box(&packed, &c->from, c->box);
    c->from = packed;
    return true;
}

/* Does the call return before the copy is done? CUDA's rules: always when both sides are on the device; never to or
 * from pageable memory, except for what was staged. */
static bool returns_early(const struct copy_request *r, struct copy_operation *c) {
    if (c->to.home == HOME_PAGEABLE)
        return false;
    if (c->from.home == HOME_PAGEABLE) {
        size_t plane, bytes;
        return r->async && !__builtin_mul_overflow(c->box.width, c->box.height, &plane) &&
               !__builtin_mul_overflow(plane, c->box.depth, &bytes) && bytes <= STAGED_BYTES && stage(c);
    }
    return r->async || (c->to.home == HOME_DEVICE && c->from.home == HOME_DEVICE);
}

cudaError_t transfer_copy(const struct copy_request *r) {
    ENTER();
    struct stream *s = queue_find(r->stream);
    if (!s)
        return state_refuse(r->function, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    if (!r->box.width || !r->box.height || !r->box.depth)
        return cudaSuccess;
    if ((unsigned)r->kind > cudaMemcpyDefault)
        return state_refuse(r->function, cudaErrorInvalidMemcpyDirection, "There is no copy direction %d.",
                            (int)r->kind);
    struct place to, from;
    cudaError_t error = locate(r->function, "destination", r->to, r->box, &to);
    if (error == cudaSuccess)
        error = locate(r->function, "source", r->from, r->box, &from);
    if (error == cudaSuccess)
        error = check_direction(r, &to, true);
    if (error == cudaSuccess)
        error = check_direction(r, &from, false);
    if (error != cudaSuccess)
        return error;
    struct copy_operation *c = calloc(1, sizeof *c);
    if (!c)
        return state_return(cudaErrorMemoryAllocation);
    *c = (struct copy_operation){.op = {.run = run_copy, .release = release_copy},
                                 .to = to,
                                 .from = from,
                                 .box = r->box,
                                 .function = r->function};
    if (!returns_early(r, c))
        return state_return((cudaError_t)queue_execute(s, &c->op));
    queue_submit(s, &c->op);
    return cudaSuccess;
}

/* ---- Fills ---- */

struct fill_operation {
    struct operation op;
    struct place to;
    struct box box;
    unsigned char value;
};

static int run_fill(struct operation *op, int fault) {
    struct fill_operation *f = (struct fill_operation *)op;
    for (size_t z = 0; z < f->box.depth; z++)
        for (size_t y = 0; y < f->box.height; y++)
            memset(f->to.bytes + z * f->to.slice + y * f->to.pitch, f->value, f->box.width);
    if (checks_on())
        watch(op, NULL, &f->to, NULL, f->box);
    return fault;
}

static void release_fill(struct operation *op) {
    free(op);
}

cudaError_t transfer_fill(const struct fill_request *r) {
    ENTER();
    struct stream *s = queue_find(r->stream);
    if (!s)
        return state_refuse(r->function, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    if (!r->box.width || !r->box.height || !r->box.depth)
        return cudaSuccess;
    struct place to;
    cudaError_t error = locate(r->function, "destination", r->to, r->box, &to);
    if (error != cudaSuccess)
        return error;
    if (to.home == HOME_PAGEABLE)
        return state_refuse(r->function, cudaErrorInvalidValue,
                            "The pointer is host memory, and %s fills device "
                            "memory.",
                            r->function);
    struct fill_operation *f = calloc(1, sizeof *f);
    if (!f)
        return state_return(cudaErrorMemoryAllocation);
    *f = (struct fill_operation){
        .op = {.run = run_fill, .release = release_fill}, .to = to, .box = r->box, .value = r->value};
    if (to.home == HOME_PINNED)
        return state_return((cudaError_t)queue_execute(s, &f->op));
    queue_submit(s, &f->op);
    return cudaSuccess;
}
