/* Copies to, from and between CUDA arrays; transfer.c does the work. */
#include "api/array.h"

#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

/* One side of a copy: an array and a place in it, or memory. */
struct end {
    cudaArray_const_t array; /* or NULL */
    size_t x, y;
    struct side memory;
};

static cudaError_t copy(const char *function, struct end to, struct end from, struct box box, enum cudaMemcpyKind kind,
                        cudaStream_t stream, bool async) {
    ENTER();
    struct copy_request r = {.function = function,
                             .to = to.memory,
                             .from = from.memory,
                             .box = box,
                             .kind = kind,
                             .stream = stream,
                             .async = async};
    cudaError_t error = to.array ? array_side(function, to.array, to.x, to.y, 0, box, &r.to) : cudaSuccess;
    if (error == cudaSuccess && from.array)
        error = array_side(function, from.array, from.x, from.y, 0, box, &r.from);
    return error == cudaSuccess ? transfer_copy(&r) : error;
}

#define ARRAY(array, x, y)     ((struct end){array, x, y, {0, 0, 0}})
#define MEMORY(pointer, pitch) ((struct end){NULL, 0, 0, {ADDRESS(pointer), pitch, 0}})
#define BOX(width, height)     ((struct box){width, height, 1})
#define OWN(stream)            ((stream) ? (stream) : cudaStreamPerThread)
#define NEED(array)                                                                                                    \
    do {                                                                                                               \
        if (!(array))                                                                                                  \
            return state_return(cudaErrorInvalidValue);                                                                \
    } while (0)

/* ---- Rectangles ---- */

static cudaError_t to_array(const char *function, cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                            size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t s, bool async) {
    NEED(to);
    return copy(function, ARRAY(to, x, y), MEMORY(from, pitch), BOX(width, height), kind, s, async);
}

static cudaError_t from_array(const char *function, void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                              size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t s, bool async) {
    NEED(from);
    return copy(function, MEMORY(to, pitch), ARRAY(from, x, y), BOX(width, height), kind, s, async);
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, enum cudaMemcpyKind kind) {
    return to_array(__func__, to, x, y, from, pitch, width, height, kind, NULL, false);
}

EXPORT cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                            size_t width, size_t height, enum cudaMemcpyKind kind) {
    return to_array("cudaMemcpy2DToArray", to, x, y, from, pitch, width, height, kind, cudaStreamPerThread, false);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                     size_t height, enum cudaMemcpyKind kind, cudaStream_t s) {
    return to_array(__func__, to, x, y, from, pitch, width, height, kind, s, true);
}

EXPORT cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                                 size_t width, size_t height, enum cudaMemcpyKind kind,
                                                 cudaStream_t s) {
    return to_array("cudaMemcpy2DToArrayAsync", to, x, y, from, pitch, width, height, kind, OWN(s), true);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                  size_t height, enum cudaMemcpyKind kind) {
    return from_array(__func__, to, pitch, from, x, y, width, height, kind, NULL, false);
}

EXPORT cudaError_t cudaMemcpy2DFromArray_ptds(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                              size_t width, size_t height, enum cudaMemcpyKind kind) {
    return from_array("cudaMemcpy2DFromArray", to, pitch, from, x, y, width, height, kind, cudaStreamPerThread, false);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y, size_t width,
                                       size_t height, enum cudaMemcpyKind kind, cudaStream_t s) {
    return from_array(__func__, to, pitch, from, x, y, width, height, kind, s, true);
}

EXPORT cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void *to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                                   size_t width, size_t height, enum cudaMemcpyKind kind,
                                                   cudaStream_t s) {
    return from_array("cudaMemcpy2DFromArrayAsync", to, pitch, from, x, y, width, height, kind, OWN(s), true);
}

static cudaError_t between(const char *function, cudaArray_t to, size_t x, size_t y, cudaArray_const_t from,
                           size_t from_x, size_t from_y, struct box box, enum cudaMemcpyKind kind, cudaStream_t s) {
    NEED(to && from);
    return copy(function, ARRAY(to, x, y), ARRAY(from, from_x, from_y), box, kind, s, false);
}

cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t x, size_t y, cudaArray_const_t from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, enum cudaMemcpyKind kind) {
    return between(__func__, to, x, y, from, from_x, from_y, BOX(width, height), kind, NULL);
}

EXPORT cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t to, size_t x, size_t y, cudaArray_const_t from,
                                                 size_t from_x, size_t from_y, size_t width, size_t height,
                                                 enum cudaMemcpyKind kind) {
    return between("cudaMemcpy2DArrayToArray", to, x, y, from, from_x, from_y, BOX(width, height), kind,
                   cudaStreamPerThread);
}

/* ---- Runs of bytes, which continue in the next row: rows are stored one after the other here ---- */

/* The address of a run in an array, as memory. */
static cudaError_t run_side(const char *function, cudaArray_const_t array, size_t x, size_t y, size_t count,
                            struct side *out) {
    cudaError_t error = array_side(function, array, x, y, 0, BOX(0, 0), out);
    if (error != cudaSuccess)
        return error;
    const struct image *m = &array->image;
    if (count > m->slice - (y * m->pitch + x))
        return state_refuse(function, cudaErrorInvalidValue, "%zu bytes do not fit into the array from that position.",
                            count);
    return cudaSuccess;
}

static cudaError_t copy_run(const char *function, struct end to, struct end from, size_t count,
                            enum cudaMemcpyKind kind, cudaStream_t s, bool async) {
    ENTER();
    cudaError_t error = to.array ? run_side(function, to.array, to.x, to.y, count, &to.memory) : cudaSuccess;
    if (error == cudaSuccess && from.array)
        error = run_side(function, from.array, from.x, from.y, count, &from.memory);
    to.array = from.array = NULL;
    return error == cudaSuccess ? copy(function, to, from, BOX(count, 1), kind, s, async) : error;
}

static cudaError_t run_to(const char *function, cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                          enum cudaMemcpyKind kind, cudaStream_t s, bool async) {
    NEED(to);
    return copy_run(function, ARRAY(to, x, y), MEMORY(from, 0), count, kind, s, async);
}

static cudaError_t run_from(const char *function, void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                            enum cudaMemcpyKind kind, cudaStream_t s, bool async) {
    NEED(from);
    return copy_run(function, MEMORY(to, 0), ARRAY(from, x, y), count, kind, s, async);
}

cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                              enum cudaMemcpyKind kind) {
    return run_to(__func__, to, x, y, from, count, kind, NULL, false);
}

EXPORT cudaError_t cudaMemcpyToArray_ptds(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                                          enum cudaMemcpyKind kind) {
    return run_to("cudaMemcpyToArray", to, x, y, from, count, kind, cudaStreamPerThread, false);
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                                   enum cudaMemcpyKind kind, cudaStream_t s) {
    return run_to(__func__, to, x, y, from, count, kind, s, true);
}

EXPORT cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t to, size_t x, size_t y, const void *from, size_t count,
                                               enum cudaMemcpyKind kind, cudaStream_t s) {
    return run_to("cudaMemcpyToArrayAsync", to, x, y, from, count, kind, OWN(s), true);
}

cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                enum cudaMemcpyKind kind) {
    return run_from(__func__, to, from, x, y, count, kind, NULL, false);
}

EXPORT cudaError_t cudaMemcpyFromArray_ptds(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                            enum cudaMemcpyKind kind) {
    return run_from("cudaMemcpyFromArray", to, from, x, y, count, kind, cudaStreamPerThread, false);
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                     enum cudaMemcpyKind kind, cudaStream_t s) {
    return run_from(__func__, to, from, x, y, count, kind, s, true);
}

EXPORT cudaError_t cudaMemcpyFromArrayAsync_ptsz(void *to, cudaArray_const_t from, size_t x, size_t y, size_t count,
                                                 enum cudaMemcpyKind kind, cudaStream_t s) {
    return run_from("cudaMemcpyFromArrayAsync", to, from, x, y, count, kind, OWN(s), true);
}

static cudaError_t run_between(const char *function, cudaArray_t to, size_t x, size_t y, cudaArray_const_t from,
                               size_t from_x, size_t from_y, size_t count, enum cudaMemcpyKind kind, cudaStream_t s) {
    NEED(to && from);
    return copy_run(function, ARRAY(to, x, y), ARRAY(from, from_x, from_y), count, kind, s, false);
}

cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t x, size_t y, cudaArray_const_t from, size_t from_x,
                                   size_t from_y, size_t count, enum cudaMemcpyKind kind) {
    return run_between(__func__, to, x, y, from, from_x, from_y, count, kind, NULL);
}

EXPORT cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t to, size_t x, size_t y, cudaArray_const_t from,
                                               size_t from_x, size_t from_y, size_t count, enum cudaMemcpyKind kind) {
    return run_between("cudaMemcpyArrayToArray", to, x, y, from, from_x, from_y, count, kind, cudaStreamPerThread);
}
