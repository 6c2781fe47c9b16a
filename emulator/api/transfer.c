#include "api/transfer.h"

#include <stdlib.h>
#include <string.h>

#include "api/capture.h"
#include "api/graph_work.h"
#include "api/queue.h"
#include "check/authors.h"
#include "base/checks.h"
#include "check/copy_watch.h"
#include "memory/memory.h"
#include "profile/host_calls.h"

/* Copies from pageable memory up to this size are staged: the call returns before the copy is done. */
#define STAGED_BYTES 65536

struct place {
    uint8_t *bytes;
    uint64_t address; /* as the program passed it; 0 for staged data */
    size_t pitch, slice;
    enum home home;
    struct side origin; /* for staged data: its original address */
};

/* ---- Checks ---- */

/* Bytes from the first to the last of a box; false on overflow. */
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

/* A graph's memory may be live by the time a copy is executed. */
static bool freed(const struct allocation *a) {
    return a->size && !memory_is_live(a) && !a->reserved;
}

/* Host pointer to the bytes, if they are all in the allocation. */
static uint8_t *bytes_at(const struct allocation *a, uint64_t address, uint64_t size) {
    uint64_t offset = address - a->base, limit = a->reserved ? a->size : a->limit;
    if (a->mappings)
        return memory_mapped_at(a, address, size);
    return offset < limit && size <= limit - offset ? a->host + offset : NULL;
}

/* Finds the bytes of one side of a transfer. `role` is "destination" or "source". */
static cudaError_t locate(const char *function, const char *role, struct side s, struct box b, struct place *out) {
    size_t bytes;
    unsigned long long at = s.address;
    *out = (struct place){
        .bytes = (uint8_t *)(uintptr_t)s.address, .address = s.address, .pitch = s.pitch, .slice = s.slice};
    if (!extent(b, s, &bytes))
        return state_refuse(function, cudaErrorInvalidValue, "The size is larger than the address space.");
    if (b.height > 1 && s.pitch < b.width)
        return state_refuse(function, cudaErrorInvalidPitchValue,
                            "The %s's pitch is %zu bytes, less than the row width of %zu bytes.", role, s.pitch,
                            b.width);
    const struct allocation *a = memory_find(s.address);
    if (a && freed(a)) {
        if (a->kind == MEMORY_REGISTERED || a->kind == MEMORY_PINNED)
            return cudaSuccess; /* by now the host may use the addresses for something else */
        return state_refuse(function, cudaErrorInvalidValue, "The %s 0x%llx points to freed memory.", role, at);
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
    out->bytes = bytes_at(a, s.address, bytes);
    if (!out->bytes && a->mappings)
        return state_refuse(
            function, cudaErrorInvalidValue,
            "Some of the %zu bytes of the %s from 0x%llx on are not mapped, or the device has no access to them.",
            bytes, role, at);
    if (!out->bytes)
        return state_refuse(
            function, cudaErrorInvalidValue,
            "The %s has %llu bytes left from 0x%llx on (an allocation of %llu bytes), and %zu bytes are requested.",
            role, (unsigned long long)(a->base + a->size - s.address), at, (unsigned long long)a->size, bytes);
    if (a->mappings && strcmp(role, "destination") == 0 && !a->mappings->at(a, s.address, bytes, true))
        return state_refuse(function, cudaErrorInvalidValue, "The destination 0x%llx is mapped read-only.", at);
    return cudaSuccess;
}

static bool wants_device(enum cudaMemcpyKind kind, bool destination) {
    return kind == cudaMemcpyDeviceToDevice || kind == (destination ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost);
}

static const char *const kind_names[] = {"cudaMemcpyHostToHost", "cudaMemcpyHostToDevice", "cudaMemcpyDeviceToHost",
                                         "cudaMemcpyDeviceToDevice", "cudaMemcpyDefault"};

/* CUDA recognizes its own memory by the address and takes the direction as a hint, except for pageable memory. */
static cudaError_t check_direction(const struct copy_request *r, const struct place *p, bool destination) {
    if (p->home != HOME_PAGEABLE || !wants_device(r->kind, destination))
        return cudaSuccess;
    return state_refuse(r->function, cudaErrorInvalidValue,
                        "%s expects a device address as its %s, and got host memory. The first argument is the "
                        "destination, the second the source.",
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

/* For the checks: what is about to be written, ... */
static void watch_before(const struct place *to, struct box b) {
    if (check_is_on(CHECK_RACE))
        copy_watch_before(to->address, (b.depth - 1) * to->slice + (b.height - 1) * to->pitch + b.width);
}

/* The address that a row is copied from; 0: not known. */
static uint64_t row_of(const struct place *from, size_t z, size_t y) {
    struct side s = from->address ? (struct side){from->address, from->pitch, from->slice} : from->origin;
    return s.address ? s.address + z * s.slice + y * s.pitch : 0;
}

static void note_authors(const struct place *to, const struct place *from, struct box b) {
    for (size_t z = 0; z < b.depth; z++)
        for (size_t y = 0; y < b.height; y++) {
            uint64_t into = to->address + z * to->slice + y * to->pitch;
            if (from)
                authors_copied(into, row_of(from, z, y), b.width);
            else
                authors_filled(into, b.width);
        }
}

/* ... and what has been done. A fill has no source. */
static void watch(const struct operation_order *order, const char *function, const struct place *to,
                  const struct place *from, struct box b) {
    if (authors_wanted())
        note_authors(to, from, b);
    if (!checks_on())
        return;
    struct copied c = {.function = function,
                       .to = {to->address, to->pitch, to->slice},
                       .fill = !from,
                       .width = b.width,
                       .height = b.height,
                       .depth = b.depth,
                       .order = order};
    if (from)
        c.from = (struct copy_side){from->address, from->pitch, from->slice};
    copy_watch(&c);
}

static int run_copy(struct operation *op, int fault) {
    struct copy_operation *c = (struct copy_operation *)op;
    watch_before(&c->to, c->box);
    copy_box(&c->to, &c->from, c->box);
    watch(&op->order, c->function, &c->to, &c->from, c->box);
    return fault;
}

static void release_copy(struct operation *op) {
    free(((struct copy_operation *)op)->staged);
    free(op);
}

/* Copies the source now, so that the program may change it. */
static bool stage(struct copy_operation *c) {
    struct place packed = {.pitch = c->box.width,
                           .slice = c->box.width * c->box.height,
                           .origin = {c->from.address, c->from.pitch, c->from.slice}};
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

/* Finds both sides of a copy that is not empty, and checks all but the stream. */
static cudaError_t prepare(const struct copy_request *r, struct place *to, struct place *from) {
    if ((unsigned)r->kind > cudaMemcpyDefault)
        return state_refuse(r->function, cudaErrorInvalidMemcpyDirection, "There is no copy direction %d.",
                            (int)r->kind);
    cudaError_t error = locate(r->function, "destination", r->to, r->box, to);
    if (error == cudaSuccess)
        error = locate(r->function, "source", r->from, r->box, from);
    if (error == cudaSuccess)
        error = check_direction(r, to, true);
    if (error == cudaSuccess)
        error = check_direction(r, from, false);
    return error;
}

cudaError_t transfer_check(const struct copy_request *r) {
    struct place to, from;
    return prepare(r, &to, &from);
}

/* True when memory of a graph is not live at the moment. */
static bool gone(uint64_t address) {
    const struct allocation *a = memory_find(address);
    return a && a->reserved && !a->limit;
}

static cudaError_t refuse_gone(const char *function) {
    return state_refuse(function, cudaErrorIllegalAddress,
                        "It accesses a graph's memory that is not currently allocated.");
}

cudaError_t transfer_now(const struct operation_order *order, const struct copy_request *r) {
    struct place to = {0}, from = {0};
    cudaError_t error = prepare(r, &to, &from);
    if (error != cudaSuccess)
        return error;
    if (gone(r->to.address) || gone(r->from.address))
        return refuse_gone(r->function);
    watch_before(&to, r->box);
    copy_box(&to, &from, r->box);
    watch(order, r->function, &to, &from, r->box);
    return cudaSuccess;
}

enum home transfer_home(uint64_t address) {
    const struct allocation *a = memory_find(address);
    return a && !(freed(a) && (a->kind == MEMORY_REGISTERED || a->kind == MEMORY_PINNED)) ? home_of(a) : HOME_PAGEABLE;
}

static cudaError_t find_fill(const char *function, struct side s, struct box b, struct place *to) {
    cudaError_t error = locate(function, "destination", s, b, to);
    if (error == cudaSuccess && to->home == HOME_PAGEABLE)
        error = state_refuse(function, cudaErrorInvalidValue,
                             "The pointer is host memory, and %s fills device "
                             "memory.",
                             function);
    return error;
}

cudaError_t transfer_check_fill(const char *function, struct side s, struct box b) {
    struct place to;
    return find_fill(function, s, b, &to);
}

static void fill_bytes(const struct place *to, struct box box, unsigned value, unsigned element) {
    for (size_t z = 0; z < box.depth; z++)
        for (size_t y = 0; y < box.height; y++) {
            uint8_t *row = to->bytes + z * to->slice + y * to->pitch;
            if (element == 1)
                memset(row, (int)(value & 0xff), box.width);
            else
                for (size_t x = 0; x < box.width; x += element)
                    memcpy(row + x, &value, element);
        }
}

cudaError_t transfer_fill_now(const struct operation_order *order, const struct fill_request *r) {
    struct place to = {0};
    cudaError_t error = find_fill(r->function, r->to, r->box, &to);
    if (error != cudaSuccess)
        return error;
    if (gone(r->to.address))
        return refuse_gone(r->function);
    watch_before(&to, r->box);
    fill_bytes(&to, r->box, r->value, r->element);
    watch(order, r->function, &to, NULL, r->box);
    return cudaSuccess;
}

/* A copy into a stream that is captured becomes a node, which copies from the memory that the pointers refer to by
 * then. */
static cudaError_t capture_copy(struct stream *s, const struct copy_request *r) {
    if (!r->async)
        return capture_refuse(r->function, s);
    cudaError_t error = transfer_check(r);
    struct work *w = error == cudaSuccess ? work_copy_request(r, &error) : NULL;
    return w ? capture_work(s, w) : error;
}

cudaError_t transfer_copy(const struct copy_request *r) {
    ENTER();
    struct stream *s = queue_find(r->stream);
    if (!s)
        return state_refuse(r->function, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    bool captured;
    cudaError_t error = capture_check(r->function, s, &captured);
    if (error != cudaSuccess)
        return error;
    if (!r->box.width || !r->box.height || !r->box.depth)
        return cudaSuccess;
    if (captured)
        return capture_copy(s, r);
    struct place to, from;
    if ((error = prepare(r, &to, &from)) != cudaSuccess)
        return error;
    struct copy_operation *c = calloc(1, sizeof *c);
    if (!c)
        return state_return(cudaErrorMemoryAllocation);
    *c = (struct copy_operation){.op = {.run = run_copy, .release = release_copy},
                                 .to = to,
                                 .from = from,
                                 .box = r->box,
                                 .function = r->function};
    bool waits = !returns_early(r, c);
    if (from.home == HOME_PAGEABLE)
        host_calls_note(HOST_COPY_IN, r->function);
    else if (waits)
        host_calls_note(HOST_WAIT, r->function);
    if (waits)
        return state_return((cudaError_t)queue_execute(s, &c->op));
    queue_submit(s, &c->op);
    return cudaSuccess;
}

/* ---- Fills ---- */

struct fill_operation {
    struct operation op;
    struct place to;
    struct box box;
    unsigned value, element;
    const char *function;
};

static int run_fill(struct operation *op, int fault) {
    struct fill_operation *f = (struct fill_operation *)op;
    watch_before(&f->to, f->box);
    fill_bytes(&f->to, f->box, f->value, f->element);
    watch(&op->order, f->function, &f->to, NULL, f->box);
    return fault;
}

static void release_fill(struct operation *op) {
    free(op);
}

static cudaError_t capture_fill(struct stream *s, const struct fill_request *r) {
    const struct cudaMemsetParams p = {.dst = (void *)(uintptr_t)r->to.address,
                                       .pitch = r->to.pitch,
                                       .value = r->value,
                                       .elementSize = r->element,
                                       .width = r->box.width / r->element,
                                       .height = r->box.height};
    cudaError_t error;
    if (r->box.depth > 1)
        return state_refuse(r->function, cudaErrorNotSupported, "Fills of several slices cannot be captured.");
    struct work *w = work_fill(r->function, &p, &error);
    return w ? capture_work(s, w) : error;
}

cudaError_t transfer_fill(const struct fill_request *r) {
    ENTER();
    struct stream *s = queue_find(r->stream);
    if (!s)
        return state_refuse(r->function, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    bool captured;
    cudaError_t error = capture_check(r->function, s, &captured);
    if (error != cudaSuccess)
        return error;
    if (!r->box.width || !r->box.height || !r->box.depth)
        return cudaSuccess;
    if (captured)
        return r->async ? capture_fill(s, r) : capture_refuse(r->function, s);
    struct place to;
    if ((error = find_fill(r->function, r->to, r->box, &to)) != cudaSuccess)
        return error;
    struct fill_operation *f = calloc(1, sizeof *f);
    if (!f)
        return state_return(cudaErrorMemoryAllocation);
    *f = (struct fill_operation){.op = {.run = run_fill, .release = release_fill},
                                 .to = to,
                                 .box = r->box,
                                 .value = r->value,
                                 .element = r->element,
                                 .function = r->function};
    if (!r->async)
        host_calls_note(HOST_PREPARE, r->function);
    if (to.home == HOME_PINNED)
        return state_return((cudaError_t)queue_execute(s, &f->op));
    queue_submit(s, &f->op);
    return cudaSuccess;
}
