/* How many blocks of a kernel fit on an SM of the emulated device. */
#include "api/api.h"

#include "base/limits.h"
#include "api/execution.h"
#include "api/registration.h"
#include "profile/occupancy_limits.h"

#define WARP_THREADS 32
#define SHARED_UNIT  128 /* shared memory is allocated in units of this many bytes */

static int minimum(int a, int b) {
    return a < b ? a : b;
}

/* Blocks per SM for a block of `threads` with `shared` bytes, static and dynamic, and this many registers in each
 * thread. */
static int blocks_per_sm(int threads, size_t shared, unsigned registers) {
    int warps = (threads + WARP_THREADS - 1) / WARP_THREADS;
    size_t need = (shared + LIMIT_SHARED_RESERVED + SHARED_UNIT - 1) / SHARED_UNIT * SHARED_UNIT;
    int blocks = minimum(LIMIT_SM_BLOCKS, LIMIT_SM_THREADS / WARP_THREADS / warps);
    blocks = minimum(blocks, (int)occupancy_blocks_by_registers(registers, (unsigned)warps));
    return minimum(blocks, (int)(LIMIT_SHARED_SM / need));
}

static const struct kernel *kernel_of(const void *function, unsigned *registers, cudaError_t *error) {
    struct entry *entry = registration_entry(function);
    *error = cudaErrorInvalidDeviceFunction;
    const struct kernel *k = entry ? registration_kernel(entry, state_device(), error) : NULL;
    if (!k)
        state_return(*error);
    else if (registers)
        *registers = registration_registers(entry);
    return k;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function, int threads,
                                                                   size_t dynamic_shared, unsigned flags) {
    ENTER();
    if (!blocks || threads < 1 || (flags & ~(unsigned)cudaOccupancyDisableCachingOverride))
        return state_return(cudaErrorInvalidValue);
    cudaError_t error;
    unsigned registers = 0;
    const struct kernel *k = kernel_of(function, &registers, &error);
    if (!k)
        return error;
    bool fits = threads <= LIMIT_BLOCK_THREADS && dynamic_shared <= k->max_dynamic_shared; /* regardless of bounds */
    *blocks = fits ? blocks_per_sm(threads, k->static_shared + dynamic_shared, registers) : 0;
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
    unsigned registers = 0;
    const struct kernel *k = kernel_of(function, &registers, &error);
    if (!k)
        return error;
    if (threads > LIMIT_BLOCK_THREADS || blocks > blocks_per_sm(threads, 0, registers))
        return state_return(cudaErrorInvalidValue);
    /* NVIDIA's result leaves out what the driver reserves for every block. */
    long left = LIMIT_SHARED_SM / blocks / SHARED_UNIT * SHARED_UNIT - (long)k->static_shared;
    *bytes = left < 0 ? 0 : (size_t)(left < (long)k->max_dynamic_shared ? left : (long)k->max_dynamic_shared);
    return cudaSuccess;
}

/* ---- Clusters ---- */

/* The number of SMs in each part of the device that can hold a cluster (a graphics processing cluster, as far as it is
 * in use), and the most blocks of clusters that one part holds: an H200's results follow from these. Other devices may
 * have other parts. */
static const unsigned parts[] = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};
#define SM_CLUSTER_BLOCKS 8

/* Clusters of this many blocks that are resident at once, where each SM can hold per_sm blocks. */
static int resident_clusters(uint64_t size, int per_sm) {
    unsigned clusters = 0, most = (unsigned)minimum(per_sm, SM_CLUSTER_BLOCKS);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i] >= size)
            clusters += parts[i] * most / (unsigned)size;
    return (int)clusters;
}

static unsigned most_blocks(const struct kernel *k) {
    return k->preferences.large_clusters ? LIMIT_CLUSTER_LARGE : LIMIT_CLUSTER;
}

static cudaError_t blocks_of(const void *function, const cudaLaunchConfig_t *config, int *blocks) {
    dim3 b = config->blockDim;
    return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, (int)(b.x * b.y * b.z),
                                                         config->dynamicSmemBytes);
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *function, const cudaLaunchConfig_t *config) {
    ENTER();
    cudaError_t error;
    int blocks = 0;
    if (!size || !config)
        return state_return(cudaErrorInvalidValue);
    const struct kernel *k = kernel_of(function, NULL, &error);
    if (!k)
        return error;
    error = blocks_of(function, config, &blocks);
    if (error == cudaSuccess)
        *size = blocks ? (int)most_blocks(k) : 0;
    return error;
}

/* Blocks of the cluster that a configuration requests, or else the kernel; 0: neither does. */
static uint64_t cluster_blocks(const struct kernel *k, const cudaLaunchConfig_t *config) {
    dim3 n = execution_kernel_cluster(k);
    for (unsigned i = 0; config->attrs && i < config->numAttrs; i++)
        if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
            const cudaLaunchAttributeValue *v = &config->attrs[i].val;
            n = (dim3){v->clusterDim.x, v->clusterDim.y, v->clusterDim.z};
        }
    return (uint64_t)n.x * n.y * n.z;
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *function, const cudaLaunchConfig_t *config) {
    ENTER();
    cudaError_t error;
    int blocks = 0;
    if (!clusters || !config)
        return state_return(cudaErrorInvalidValue);
    const struct kernel *k = kernel_of(function, NULL, &error);
    if (!k)
        return error;
    uint64_t size = cluster_blocks(k, config);
    if (size > most_blocks(k))
        return state_refuse(__func__, cudaErrorInvalidClusterSize, "A cluster of %llu blocks is too large.",
                            (unsigned long long)size);
    error = blocks_of(function, config, &blocks);
    if (error == cudaSuccess)
        *clusters = size ? resident_clusters(size, blocks) : 0;
    return error;
}
