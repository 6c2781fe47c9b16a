/* How many blocks of a kernel fit on a multiprocessor of the emulated device. */
#include "api/api.h"

#include "api/limits.h"
#include "api/registration.h"

#define WARP_THREADS 32
#define SHARED_UNIT  128 /* shared memory is given out in units of this many bytes */

static int minimum(int a, int b) {
    return a < b ? a : b;
}

/* Blocks per multiprocessor for a block of `threads` with `shared` bytes, static and dynamic. */
static int blocks_per_sm(int threads, size_t shared) {
    int warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
    size_t need = (shared + LIMIT_SHARED_RESERVED + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
    int blocks = minimum(LIMIT_SM_BLOCKS, LIMIT_SM_THREADS / WARP_THREADS / warps);
    return minimum(blocks, (int)(LIMIT_SHARED_SM / need));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                   size_t dynamic_shared, unsigned flags) {
    ENTER();
    (void)flags;
    if (!blocks || threads < 1)
        return state_return(cudaErrorInvalidValue);
    cudaError_t error;
    struct entry *entry = registration_entry(function);
    if (!entry)
        return state_return(cudaErrorInvalidDeviceFunction);
    struct kernel *k = registration_kernel(entry, state_device(), &error);
    if (!k)
        return state_return(error);
    bool fits = (unsigned)threads <= k->max_threads && dynamic_shared <= k->max_dynamic_shared;
    *blocks = fits ? blocks_per_sm(threads, k->static_shared + dynamic_shared) : 0;
    return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int threads,
                                                          size_t dynamic_shared) {
    return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic_shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks, int threads) {
    ENTER();
    if (!bytes || blocks < 1 || threads < 1)
        return state_return(cudaErrorInvalidValue);
    cudaError_t error;
    struct entry *entry = registration_entry(function);
    if (!entry)
        return state_return(cudaErrorInvalidDeviceFunction);
    struct kernel *k = registration_kernel(entry, state_device(), &error);
    if (!k)
        return state_return(error);
    long left = LIMIT_SHARED_SM / blocks / SHARED_UNIT * SHARED_UNIT - LIMIT_SHARED_RESERVED - (long)k->static_shared;
    *bytes = left < 0 ? 0 : (size_t)(left < (long)k->max_dynamic_shared ? left : (long)k->max_dynamic_shared);
    return cudaSuccess;
}
