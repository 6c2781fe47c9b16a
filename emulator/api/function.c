/* Queries and settings of a kernel. */
#include "api/device.h"
#include "api/execution.h"

#include <string.h>

#include "base/limits.h"
#include "base/settings.h"
#include "api/registration.h"
#include "decode/static_limits.h"

/* Loads the kernel of a function, for a call named in messages. */
static struct kernel *kernel_of(const char *call, const void *function, struct entry **entry, cudaError_t *error) {
    *error = state_enter();
    if (*error != cudaSuccess) {
        state_return(*error);
        return NULL;
    }
    *entry = registration_entry(function);
    if (!*entry) { /* CUDA takes an unknown address for a kernel's handle */
        *error = state_refuse(call, function ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction,
                              "That is not a __global__ function.");
        return NULL;
    }
    struct kernel *k = registration_kernel(*entry, state_device(), error);
    if (!k)
        state_return(*error);
    return k;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *function) {
    if (!out)
        return state_return(cudaErrorInvalidValue);
    cudaError_t error;
    struct entry *entry;
    struct kernel *k = kernel_of(__func__, function, &entry, &error);
    if (!k)
        return error;
    memset(out, 0, sizeof *out);
    /* ptxas aligns the end of the static variables for the extern __shared__ arrays of the module, if there are any. */
    out->sharedSizeBytes = k->has_dynamic_shared ? k->dynamic_start - k->reserved_shared : k->static_shared;
    out->constSizeBytes = k->constant_bytes;
    out->localSizeBytes = k->local_bytes;
    out->maxThreadsPerBlock = (int)k->max_threads;
    out->numRegs = (int)registration_registers(entry);
    out->ptxVersion = (int)limits_target_arch(k->ptx->module);
    out->binaryVersion = (int)setting_capability();
    out->maxDynamicSharedSizeBytes = (int)k->max_dynamic_shared;
    out->preferredShmemCarveout = k->preferences.carveout;
    out->clusterSchedulingPolicyPreference = k->preferences.cluster_policy;
    out->nonPortableClusterSizeAllowed = k->preferences.large_clusters;
    out->clusterDimMustBeSet = k->ptx->explicit_cluster;
    const dim3 cluster = execution_kernel_cluster(k);
    out->requiredClusterWidth = (int)cluster.x;
    out->requiredClusterHeight = (int)cluster.y;
    out->requiredClusterDepth = (int)cluster.z;
    return cudaSuccess;
}

static cudaError_t set_cluster(const char *function, struct kernel *k, unsigned dimension, int value) {
    if (value < 0)
        return state_refuse(function, cudaErrorInvalidValue, "A cluster cannot have %d blocks.", value);
    if (k->ptx->cluster[0])
        return state_refuse(function, cudaErrorInvalidValue,
                            "The kernel was compiled for clusters of %u x %u x %u blocks.", k->ptx->cluster[0],
                            k->ptx->cluster[1], k->ptx->cluster[2]);
    k->preferences.cluster[dimension] = (uint32_t)value;
    return cudaSuccess;
}

static cudaError_t set_attribute(const char *function, struct kernel *k, enum cudaFuncAttribute attribute, int value) {
    switch ((int)attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (unsigned)value + k->static_shared > LIMIT_SHARED_BLOCK_OPTIN)
            return state_refuse(function, cudaErrorInvalidValue,
                                "%d bytes of dynamic and %u of static shared memory; the limit is %d per block.", value,
                                k->static_shared, LIMIT_SHARED_BLOCK_OPTIN);
        k->max_dynamic_shared = (uint32_t)value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout:
        if (value < -1 || value > 100)
            return state_refuse(function, cudaErrorInvalidValue, "A carve-out is -1 or a percentage, not %d.", value);
        k->preferences.carveout = value;
        return cudaSuccess;
    case cudaFuncAttributeRequiredClusterWidth:
    case cudaFuncAttributeRequiredClusterHeight:
    case cudaFuncAttributeRequiredClusterDepth:
        return set_cluster(function, k, (unsigned)(attribute - cudaFuncAttributeRequiredClusterWidth), value);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        k->preferences.large_clusters = value != 0;
        return cudaSuccess;
    case cudaFuncAttributeClusterSchedulingPolicyPreference:
        if ((unsigned)value > cudaClusterSchedulingPolicyLoadBalancing)
            return state_return(cudaErrorInvalidValue);
        k->preferences.cluster_policy = value;
        return cudaSuccess;
    default:
        return state_refuse(function, cudaErrorInvalidValue, "Attribute %d cannot be set.", (int)attribute);
    }
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value) {
    cudaError_t error;
    struct entry *entry;
    struct kernel *k = kernel_of(__func__, function, &entry, &error);
    return k ? set_attribute(__func__, k, attribute, value) : error;
}

#if CUDART_VERSION >= 12080
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t handle, enum cudaFuncAttribute attribute, int value,
                                            int device) {
    ENTER();
    cudaError_t error = cudaErrorInvalidResourceHandle;
    struct entry *entry = registration_entry(handle);
    if (!entry)
        return state_refuse(__func__, error, "That is not a kernel.");
    if (!device_exists(device))
        return device_missing(__func__, device);
    struct kernel *k = registration_kernel(entry, device, &error);
    return k ? set_attribute(__func__, k, attribute, value) : state_return(error);
}
#endif

/* Hints. */
cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) {
    cudaError_t error;
    struct entry *entry;
    if (!kernel_of(__func__, function, &entry, &error))
        return error;
    return (unsigned)config > cudaFuncCachePreferEqual ? state_return(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaFuncSetSharedMemConfig(const void *function, enum cudaSharedMemConfig config) {
    cudaError_t error;
    struct entry *entry;
    if (!kernel_of(__func__, function, &entry, &error))
        return error;
    return (unsigned)config > cudaSharedMemBankSizeEightByte ? state_return(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
    cudaError_t error;
    struct entry *entry;
    if (!name)
        return state_return(cudaErrorInvalidValue);
    if (!kernel_of(__func__, function, &entry, &error))
        return error;
    *name = registration_entry_name(entry);
    return cudaSuccess;
}

#if CUDART_VERSION >= 12040
cudaError_t cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *size) {
    cudaError_t error;
    struct entry *entry;
    if (!offset)
        return state_return(cudaErrorInvalidValue);
    const struct kernel *k = kernel_of(__func__, function, &entry, &error);
    if (!k)
        return error;
    if (index >= k->param_count)
        return state_return(cudaErrorInvalidValue);
    *offset = k->params[index].offset;
    if (size)
        *size = k->params[index].size;
    return cudaSuccess;
}
#endif

/* A cudaFunction_t is for the driver's calls, which are defined elsewhere; it is the kernel's handle. */
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *function) {
    cudaError_t error;
    struct entry *entry;
    if (!out)
        return state_return(cudaErrorInvalidValue);
    if (!kernel_of(__func__, function, &entry, &error))
        return error;
    *out = (cudaFunction_t)(void *)entry;
    return cudaSuccess;
}
