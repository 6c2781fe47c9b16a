/* What a program may ask and set about a kernel. */
#include "api/api.h"

#include <string.h>

#include "api/limits.h"
#include "api/registration.h"

/* Loads the kernel that a function means, for a call named in messages. */
static struct kernel *kernel_of(const char *call, const void *function, struct entry **entry, cudaError_t *error) {
    *error = state_enter();
    if (*error != cudaSuccess) {
        state_return(*error);
        return NULL;
    }
    *entry = registration_entry(function);
    if (!*entry) {
        *error = state_refuse(call, cudaErrorInvalidDeviceFunction, "That is not a __global__ function.");
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
    out->sharedSizeBytes = k->static_shared;
    out->localSizeBytes = k->local_bytes;
    out->maxThreadsPerBlock = (int)k->max_threads;
    out->numRegs = ASSUMED_REGISTERS;
    out->ptxVersion = registration_ptx_arch(entry);
    out->binaryVersion = 90;
    out->maxDynamicSharedSizeBytes = (int)k->max_dynamic_shared;
    out->preferredShmemCarveout = -1;
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *function, enum cudaFuncAttribute attribute, int value) {
    cudaError_t error;
    struct entry *entry;
    struct kernel *k = kernel_of(__func__, function, &entry, &error);
    if (!k)
        return error;
    switch ((int)attribute) {
    case cudaFuncAttributeMaxDynamicSharedMemorySize:
        if (value < 0 || (unsigned)value + k->static_shared > LIMIT_SHARED_BLOCK_OPTIN)
            return state_refuse(__func__, cudaErrorInvalidValue,
                                "%d bytes of dynamic and %u of static shared memory; a block may have %d in all.",
                                value, k->static_shared, LIMIT_SHARED_BLOCK_OPTIN);
        k->max_dynamic_shared = (uint32_t)value;
        return cudaSuccess;
    case cudaFuncAttributePreferredSharedMemoryCarveout: /* a hint */
        return value >= -1 && value <= 100 ? cudaSuccess : state_return(cudaErrorInvalidValue);
    case cudaFuncAttributeNonPortableClusterSizeAllowed:
        return cudaSuccess;
    default:
        return state_refuse(__func__, cudaErrorNotSupported, "Attribute %d is not emulated.", (int)attribute);
    }
}

cudaError_t cudaFuncSetCacheConfig(const void *function, enum cudaFuncCache config) {
    (void)config; /* a hint */
    cudaError_t error;
    struct entry *entry;
    return kernel_of(__func__, function, &entry, &error) ? cudaSuccess : error;
}

cudaError_t cudaFuncGetName(const char **name, const void *function) {
    if (!name)
        return state_return(cudaErrorInvalidValue);
    struct entry *entry = registration_entry(function);
    if (!entry)
        return state_return(cudaErrorInvalidDeviceFunction);
    *name = registration_entry_name(entry);
    return cudaSuccess;
}
