/* Many copies in one call. They are done one after the other, which their order, being open, allows. */
#include "api/array.h"
#include "api/transfer.h"
#include "memory/memory.h"

#if CUDART_VERSION >= 12080
#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

/* May the call return before the copy has been done? Not when the source may change after the call; and not when it is
 * pageable memory to be read in the stream's order, since a call that returns early has staged it. */
static bool may_return(enum cudaMemcpySrcAccessOrder order, const void *source) {
    return order == cudaMemcpySrcAccessOrderAny ||
           (order == cudaMemcpySrcAccessOrderStream && memory_find(ADDRESS(source)));
}

static bool good_order(enum cudaMemcpySrcAccessOrder order) {
    return order == cudaMemcpySrcAccessOrderStream || order == cudaMemcpySrcAccessOrderDuringApiCall ||
           order == cudaMemcpySrcAccessOrderAny;
}

static cudaError_t check_stream(const char *function, cudaStream_t stream) {
    if (stream == NULL || stream == cudaStreamLegacy)
        return state_refuse(function, cudaErrorInvalidValue, "The call needs a stream other than the default stream.");
    return cudaSuccess;
}

/* ---- Runs of bytes ---- */

static bool good_batch(const struct copy_batch *b) {
    if (!b->to || !b->from || !b->sizes || !b->count || !b->attributes || !b->indices || !b->attribute_count ||
        b->attribute_count > b->count || b->indices[0] != 0)
        return false;
    for (size_t i = 1; i < b->attribute_count; i++)
        if (b->indices[i] <= b->indices[i - 1] || b->indices[i] >= b->count)
            return false;
    for (size_t i = 0; i < b->attribute_count; i++)
        if (!good_order(b->attributes[i].srcAccessOrder) ||
            (b->attributes[i].flags & ~(unsigned)cudaMemcpyFlagPreferOverlapWithCompute))
            return false;
    for (size_t i = 0; i < b->count; i++)
        if (!b->sizes[i])
            return false;
    return true;
}

cudaError_t transfer_copy_batch(const char *function, const struct copy_batch *b, size_t *failed, cudaStream_t stream) {
    ENTER();
    if (failed)
        *failed = SIZE_MAX;
    cudaError_t error = check_stream(function, stream);
    if (error == cudaSuccess && !good_batch(b))
        error = state_refuse(function, cudaErrorInvalidValue,
                             "Every list is required, no size may be 0, the attributes' indices have to start at 0 and "
                             "increase, and every attribute has to specify an order.");
    size_t a = 0;
    for (size_t i = 0; i < b->count && error == cudaSuccess; i++) {
        while (a + 1 < b->attribute_count && b->indices[a + 1] <= i)
            a++;
        struct copy_request r = {.function = function,
                                 .to = {.address = ADDRESS(b->to[i])},
                                 .from = {.address = ADDRESS(b->from[i])},
                                 .box = {b->sizes[i], 1, 1},
                                 .kind = cudaMemcpyDefault,
                                 .stream = stream,
                                 .async = may_return(b->attributes[a].srcAccessOrder, b->from[i])};
        error = transfer_copy(&r);
        if (error != cudaSuccess && failed)
            *failed = i;
    }
    return error;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemcpyBatchAsync(void *const *to, const void *const *from, const size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                 cudaStream_t stream) {
    struct copy_batch b = {to, from, sizes, count, attributes, indices, attribute_count};
    return transfer_copy_batch(__func__, &b, NULL, stream);
}
#else
cudaError_t cudaMemcpyBatchAsync(void **to, void **from, size_t *sizes, size_t count,
                                 struct cudaMemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                 size_t *failed, cudaStream_t stream) {
    struct copy_batch b = {to, (const void *const *)from, sizes, count, attributes, indices, attribute_count};
    return transfer_copy_batch(__func__, &b, failed, stream);
}
#endif

/* ---- Boxes ---- */

static size_t texel_bytes(const struct cudaMemcpy3DBatchOp *op) {
    const struct cudaMemcpy3DOperand *ends[] = {&op->src, &op->dst};
    for (int i = 0; i < 2; i++)
        if (ends[i]->type == cudaMemcpyOperandTypeArray && array_exists(ends[i]->op.array.array))
            return array_texel_bytes(ends[i]->op.array.array);
    return 1;
}

/* One end of a copy. Lengths are in texels as soon as an array takes part; 0 means as long as the box. */
static cudaError_t end_of(const char *function, const struct cudaMemcpy3DOperand *o, struct cudaExtent e, size_t texel,
                          struct box box, struct side *out) {
    if (o->type == cudaMemcpyOperandTypeArray) {
        struct cudaOffset3D at = o->op.array.offset;
        return array_side(function, o->op.array.array, at.x * texel, at.y, at.z, box, out);
    }
    if (o->type != cudaMemcpyOperandTypePointer)
        return state_return(cudaErrorInvalidValue);
    size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : e.width;
    size_t rows = o->op.ptr.layerHeight ? o->op.ptr.layerHeight : e.height;
    if (row < e.width || rows < e.height)
        return state_refuse(function, cudaErrorInvalidValue,
                            "Rows of %zu and layers of %zu rows cannot contain a box of %zu x %zu.", row, rows, e.width,
                            e.height);
    *out = (struct side){ADDRESS(o->op.ptr.ptr), row * texel, row * texel * rows};
    return cudaSuccess;
}

static cudaError_t copy_box(const char *function, const struct cudaMemcpy3DBatchOp *op, cudaStream_t stream) {
    size_t texel = texel_bytes(op);
    struct cudaExtent e = op->extent;
    struct copy_request r = {.function = function,
                             .box = {e.width * texel, e.height, e.depth},
                             .kind = cudaMemcpyDefault,
                             .stream = stream,
                             .async = op->src.type == cudaMemcpyOperandTypeArray ||
                                      may_return(op->srcAccessOrder, op->src.op.ptr.ptr)};
    cudaError_t error = end_of(function, &op->dst, e, texel, r.box, &r.to);
    if (error == cudaSuccess)
        error = end_of(function, &op->src, e, texel, r.box, &r.from);
    return error == cudaSuccess ? transfer_copy(&r) : error;
}

cudaError_t transfer_copy_boxes(const char *function, const struct cudaMemcpy3DBatchOp *ops, size_t count,
                                size_t *failed, unsigned long long flags, cudaStream_t stream) {
    ENTER();
    if (failed)
        *failed = SIZE_MAX;
    cudaError_t error = check_stream(function, stream);
    if (error == cudaSuccess && (!count || !ops || flags))
        error = state_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < count && error == cudaSuccess; i++)
        if (!good_order(ops[i].srcAccessOrder))
            error = state_return(cudaErrorInvalidValue);
    for (size_t i = 0; i < count && error == cudaSuccess; i++) {
        error = copy_box(function, &ops[i], stream);
        if (error != cudaSuccess && failed)
            *failed = i;
    }
    return error;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *ops, unsigned long long flags,
                                   cudaStream_t stream) {
    return transfer_copy_boxes(__func__, ops, count, NULL, flags, stream);
}
#else
cudaError_t cudaMemcpy3DBatchAsync(size_t count, struct cudaMemcpy3DBatchOp *ops, size_t *failed,
                                   unsigned long long flags, cudaStream_t stream) {
    return transfer_copy_boxes(__func__, ops, count, failed, flags, stream);
}
#endif
#endif
