/* Copies of rows of bytes to, from and between arrays. Offsets count bytes; the copied bytes are in the array's first
 * row. */
#include "api/array.h"
#include "driver/cu_array.h"

/* One side of a copy: an array and an offset, or memory at an address. */
struct end {
    CUarray array;
    uint64_t at;
    bool is_array;
};
#define IN(array, offset) ((struct end){array, offset, true})
#define MEMORY(address)   ((struct end){NULL, (uint64_t)(uintptr_t)(address), false})

static cudaError_t find_side(const char *function, struct end e, size_t bytes, struct side *out) {
    *out = (struct side){.address = e.at};
    return e.is_array ? array_side(function, RUNTIME_ARRAY(e.array), e.at, 0, 0, (struct box){bytes, 1, 1}, out)
                      : cudaSuccess;
}

/* Between arrays texels are copied: those of both have the same size, and there is a whole number of them. */
static cudaError_t check_texels(const char *function, struct end to, struct end from, size_t bytes) {
    cudaArray_t target = RUNTIME_ARRAY(to.array), source = RUNTIME_ARRAY(from.array);
    if (!to.is_array || !from.is_array || !array_exists(target) || !array_exists(source))
        return cudaSuccess; /* a missing array is found later */
    size_t texel = array_texel_bytes(target), other = array_texel_bytes(source);
    if (texel == other && !(bytes % texel || to.at % texel || from.at % texel))
        return cudaSuccess;
    return state_refuse(function, cudaErrorInvalidValue,
                        "A copy of %zu bytes from byte %zu to byte %zu does not copy whole texels: the source's have "
                        "%zu bytes, the destination's %zu.",
                        bytes, (size_t)from.at, (size_t)to.at, other, texel);
}

static cudaError_t copy(const char *function, struct end to, struct end from, size_t bytes, enum cudaMemcpyKind kind,
                        CUstream stream, bool async) {
    struct copy_request r = {
        .function = function, .box = {bytes, 1, 1}, .kind = kind, .stream = stream, .async = async};
    cudaError_t error = check_texels(function, to, from, bytes);
    if (error == cudaSuccess)
        error = find_side(function, to, bytes, &r.to);
    if (error == cudaSuccess)
        error = find_side(function, from, bytes, &r.from);
    return error == cudaSuccess ? transfer_copy(&r) : error;
}

/* A copy in the default stream, and its twin in the thread's own. */
#define WAITING(name, parameters, target, source, kind)                                                                \
    CUresult name parameters {                                                                                         \
        CALL(copy(__func__, target, source, bytes, kind, NULL, false));                                                \
    }                                                                                                                  \
    EXPORT CUresult name##_ptds parameters;                                                                            \
    EXPORT CUresult name##_ptds parameters {                                                                           \
        CALL(copy(__func__, target, source, bytes, kind, CU_STREAM_PER_THREAD, false));                                \
    }

WAITING(cuMemcpyHtoA_v2, (CUarray to, size_t offset, const void *from, size_t bytes), IN(to, offset), MEMORY(from),
        cudaMemcpyHostToDevice)
WAITING(cuMemcpyAtoH_v2, (void *to, CUarray from, size_t offset, size_t bytes), MEMORY(to), IN(from, offset),
        cudaMemcpyDeviceToHost)
WAITING(cuMemcpyDtoA_v2, (CUarray to, size_t offset, CUdeviceptr from, size_t bytes), IN(to, offset), MEMORY(from),
        cudaMemcpyDeviceToDevice)
WAITING(cuMemcpyAtoD_v2, (CUdeviceptr to, CUarray from, size_t offset, size_t bytes), MEMORY(to), IN(from, offset),
        cudaMemcpyDeviceToDevice)
WAITING(cuMemcpyAtoA_v2, (CUarray to, size_t offset, CUarray from, size_t from_offset, size_t bytes), IN(to, offset),
        IN(from, from_offset), cudaMemcpyDeviceToDevice)

CUresult cuMemcpyHtoAAsync(CUarray to, size_t offset, const void *from, size_t bytes, CUstream stream) {
    CALL(copy(__func__, IN(to, offset), MEMORY(from), bytes, cudaMemcpyHostToDevice, stream, true));
}
CUresult cuMemcpyAtoHAsync(void *to, CUarray from, size_t offset, size_t bytes, CUstream stream) {
    CALL(copy(__func__, MEMORY(to), IN(from, offset), bytes, cudaMemcpyDeviceToHost, stream, true));
}
