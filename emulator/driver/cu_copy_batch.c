/* Many copies in one call. Their descriptions have the runtime's layout. */
#include "driver/driver.h"

#include "api/transfer.h"

#if CUDART_VERSION >= 12080
static cudaError_t copy_rows(const char *function, const CUdeviceptr *to, const CUdeviceptr *from, const size_t *sizes,
                             size_t count, const CUmemcpyAttributes *attributes, const size_t *indices,
                             size_t attribute_count, size_t *failed, CUstream stream) {
    const struct copy_batch b = {(void *const *)(const void *)to,
                                 (const void *const *)(const void *)from,
                                 sizes,
                                 count,
                                 (const struct cudaMemcpyAttributes *)(const void *)attributes,
                                 indices,
                                 attribute_count};
    return transfer_copy_batch(function, &b, failed, stream);
}

static cudaError_t copy_boxes(const char *function, size_t count, const CUDA_MEMCPY3D_BATCH_OP *operations,
                              size_t *failed, unsigned long long flags, CUstream stream) {
    _Static_assert(sizeof *operations == sizeof(struct cudaMemcpy3DBatchOp), "the same layout");
    return transfer_copy_boxes(function, (const struct cudaMemcpy3DBatchOp *)(const void *)operations, count, failed,
                               flags, stream);
}

/* The first forms report which copy was refused. */
#undef cuMemcpyBatchAsync
EXPORT CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                                   CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                   size_t *failed, CUstream stream);
EXPORT CUresult cuMemcpyBatchAsync(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                                   CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                   size_t *failed, CUstream stream) {
    CALL(copy_rows(__func__, to, from, sizes, count, attributes, indices, attribute_count, failed, stream));
}
EXPORT CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                                      CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                      CUstream stream);
EXPORT CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                                      CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                      CUstream stream) {
    CALL(copy_rows(__func__, to, from, sizes, count, attributes, indices, attribute_count, NULL, stream));
}

#undef cuMemcpy3DBatchAsync
EXPORT CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, size_t *failed,
                                     unsigned long long flags, CUstream stream);
EXPORT CUresult cuMemcpy3DBatchAsync(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, size_t *failed,
                                     unsigned long long flags, CUstream stream) {
    CALL(copy_boxes(__func__, count, operations, failed, flags, stream));
}
EXPORT CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, unsigned long long flags,
                                        CUstream stream);
EXPORT CUresult cuMemcpy3DBatchAsync_v2(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, unsigned long long flags,
                                        CUstream stream) {
    CALL(copy_boxes(__func__, count, operations, NULL, flags, stream));
}
#endif
