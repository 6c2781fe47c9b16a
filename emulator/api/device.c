/* The emulated device and what it says about itself.
 *
 * It is described honestly: its name says that no GPU is there, and what would be a statement about speed (clock rates,
 * bus width) is 0. Limits that shape programs are those of an H200, so that a program launches the same grids. */
#include "api/api.h"

#include <stdio.h>
#include <string.h>

#include "api/limits.h"
#include "api/queue.h"
#include "memory/memory.h"

#define NAME "Emulated GPU (runs on the CPU)"

static bool device_exists(int device) {
    return device >= 0 && device < state_device_count();
}

static cudaError_t no_device(const char *function, int device) {
    int count = state_device_count();
    return state_refuse(function, cudaErrorInvalidDevice, "There is no device %d: %d device%s, counted from 0.", device,
                        count, count == 1 ? "" : "s");
}

/* ---- Attributes: the ones that are not here are 0 ---- */

static const struct {
    int attribute, value;
} attributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, LIMIT_BLOCK_THREADS},
    {cudaDevAttrMaxBlockDimX, LIMIT_BLOCK_X},
    {cudaDevAttrMaxBlockDimY, LIMIT_BLOCK_Y},
    {cudaDevAttrMaxBlockDimZ, LIMIT_BLOCK_Z},
    {cudaDevAttrMaxGridDimX, LIMIT_GRID_X},
    {cudaDevAttrMaxGridDimY, LIMIT_GRID_Y},
    {cudaDevAttrMaxGridDimZ, LIMIT_GRID_Z},
    {cudaDevAttrMaxSharedMemoryPerBlock, LIMIT_SHARED_BLOCK},
    {cudaDevAttrTotalConstantMemory, LIMIT_CONSTANT},
    {cudaDevAttrWarpSize, 32},
    {cudaDevAttrMaxPitch, 2147483647},
    {cudaDevAttrMaxRegistersPerBlock, LIMIT_REGISTERS},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrMultiProcessorCount, LIMIT_SMS},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrPciBusId, 0},
    {cudaDevAttrL2CacheSize, LIMIT_L2},
    {cudaDevAttrMaxThreadsPerMultiProcessor, LIMIT_SM_THREADS},
    {cudaDevAttrAsyncEngineCount, 3},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrComputeCapabilityMajor, 9},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrGlobalL1CacheSupported, 1},
    {cudaDevAttrLocalL1CacheSupported, 1},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, LIMIT_SHARED_SM},
    {cudaDevAttrMaxRegistersPerMultiprocessor, LIMIT_REGISTERS},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrComputePreemptionSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrCooperativeLaunch, 1},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, LIMIT_SHARED_BLOCK_OPTIN},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrMaxBlocksPerMultiprocessor, LIMIT_SM_BLOCKS},
    {cudaDevAttrReservedSharedMemoryPerBlock, LIMIT_SHARED_RESERVED},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrHostNumaId, -1},
    {cudaDevAttrNumaId, -1},
};

static int attribute_value(int attribute) {
    for (unsigned i = 0; i < sizeof attributes / sizeof *attributes; i++)
        if (attributes[i].attribute == attribute)
            return attributes[i].value;
    return 0;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    if (!value || (int)attribute < 1 || (int)attribute >= cudaDevAttrMax)
        return state_return(cudaErrorInvalidValue);
    if (!device_exists(device))
        return no_device(__func__, device);
    *value = attribute == cudaDevAttrPciDeviceId ? device : attribute_value(attribute);
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
    if (!p)
        return state_return(cudaErrorInvalidValue);
    if (!device_exists(device))
        return no_device("cudaGetDeviceProperties", device);
    *p = (struct cudaDeviceProp){
        .totalGlobalMem = memory_total(),
        .sharedMemPerBlock = LIMIT_SHARED_BLOCK,
        .regsPerBlock = LIMIT_REGISTERS,
        .warpSize = 32,
        .memPitch = 2147483647,
        .maxThreadsPerBlock = LIMIT_BLOCK_THREADS,
        .maxThreadsDim = {LIMIT_BLOCK_X, LIMIT_BLOCK_Y, LIMIT_BLOCK_Z},
        .maxGridSize = {LIMIT_GRID_X, LIMIT_GRID_Y, LIMIT_GRID_Z},
        .totalConstMem = LIMIT_CONSTANT,
        .major = 9,
        .minor = 0,
        .textureAlignment = 512,
        .texturePitchAlignment = 32,
        .multiProcessorCount = LIMIT_SMS,
        .canMapHostMemory = 1,
        .surfaceAlignment = 512,
        .concurrentKernels = 1,
        .pciDeviceID = device,
        .asyncEngineCount = 3,
        .unifiedAddressing = 1,
        .l2CacheSize = LIMIT_L2,
        .maxThreadsPerMultiProcessor = LIMIT_SM_THREADS,
        .streamPrioritiesSupported = 1,
        .globalL1CacheSupported = 1,
        .localL1CacheSupported = 1,
        .sharedMemPerMultiprocessor = LIMIT_SHARED_SM,
        .regsPerMultiprocessor = LIMIT_REGISTERS,
        .managedMemory = 1,
        .concurrentManagedAccess = 1,
        .computePreemptionSupported = 1,
        .canUseHostPointerForRegisteredMem = 1,
        .cooperativeLaunch = 1,
        .sharedMemPerBlockOptin = LIMIT_SHARED_BLOCK_OPTIN,
        .maxBlocksPerMultiProcessor = LIMIT_SM_BLOCKS,
        .reservedSharedMemPerBlock = LIMIT_SHARED_RESERVED,
        .hostRegisterSupported = 1,
        .memoryPoolsSupported = 1,
    };
#if CUDART_VERSION < 13000
    p->deviceOverlap = 1;
    p->singleToDoublePrecisionPerfRatio = 2;
#endif
    snprintf(p->name, sizeof p->name, "%s", NAME);
    memcpy(p->uuid.bytes, "emulated GPU \0\0\0", sizeof p->uuid.bytes);
    p->uuid.bytes[15] = (char)device;
    return cudaSuccess;
}

/* ---- Choosing a device ---- */

cudaError_t cudaGetDeviceCount(int *count) {
    if (!count)
        return state_return(cudaErrorInvalidValue);
    *count = state_device_count();
    return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
    if (!device)
        return state_return(cudaErrorInvalidValue);
    *device = state_device();
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
    if (!device_exists(device))
        return no_device(__func__, device);
    state_set_device(device);
    return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags) {
    (void)device_flags, (void)flags;
    return device_exists(device) ? cudaSuccess : no_device(__func__, device);
}

cudaError_t cudaSetValidDevices(int *devices, int count) {
    for (int i = 0; i < count; i++)
        if (!devices || !device_exists(devices[i]))
            return state_return(cudaErrorInvalidDevice);
    return cudaSuccess;
}

/* All devices are alike, so the first one matches best. */
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted) {
    if (!device || !wanted)
        return state_return(cudaErrorInvalidValue);
    *device = 0;
    return cudaSuccess;
}

static unsigned device_flags = cudaDeviceMapHost;

cudaError_t cudaSetDeviceFlags(unsigned flags) {
    if (flags & ~(unsigned)cudaDeviceMask)
        return state_return(cudaErrorInvalidValue);
    device_flags = flags | cudaDeviceMapHost;
    return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned *flags) {
    if (!flags)
        return state_return(cudaErrorInvalidValue);
    *flags = device_flags;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int length, int device) {
    if (!id || length < 1)
        return state_return(cudaErrorInvalidValue);
    if (!device_exists(device))
        return no_device(__func__, device);
    snprintf(id, (size_t)length, "0000:00:%02x.0", (unsigned)device);
    return cudaSuccess;
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id) {
    unsigned number;
    if (!device || !id)
        return state_return(cudaErrorInvalidValue);
    if (sscanf(id, "0000:00:%x.0", &number) != 1 || !device_exists((int)number))
        return state_return(cudaErrorInvalidDevice);
    *device = (int)number;
    return cudaSuccess;
}

/* ---- Limits and preferences ---- */

static size_t limits[] = {
    [cudaLimitStackSize] = 1024,           [cudaLimitPrintfFifoSize] = 8650752,
    [cudaLimitMallocHeapSize] = 8388608,   [cudaLimitDevRuntimePendingLaunchCount] = 2048,
    [cudaLimitMaxL2FetchGranularity] = 64, [cudaLimitPersistingL2CacheSize] = 0,
};

/* The emulator grows stacks and heaps as needed, so a limit is only remembered. */
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value) {
    ENTER();
    if ((unsigned)limit >= sizeof limits / sizeof *limits)
        return state_return(cudaErrorInvalidValue);
    if (limit == cudaLimitDevRuntimeSyncDepth)
        return state_return(cudaErrorUnsupportedLimit);
    limits[limit] = value;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
    ENTER();
    if (!value)
        return state_return(cudaErrorInvalidValue);
    if ((unsigned)limit >= sizeof limits / sizeof *limits)
        return state_return(cudaErrorInvalidValue);
    if (limit == cudaLimitDevRuntimeSyncDepth) /* kernels that wait for kernels went with compute capability 9.0 */
        return state_return(cudaErrorUnsupportedLimit);
    *value = limits[limit];
    return cudaSuccess;
}

cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config) {
    ENTER();
    (void)config; /* a hint */
    return cudaSuccess;
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
    ENTER();
    if (!config)
        return state_return(cudaErrorInvalidValue);
    *config = cudaFuncCachePreferNone;
    return cudaSuccess;
}

cudaError_t cudaCtxResetPersistingL2Cache(void) {
    ENTER();
    return cudaSuccess;
}

/* ---- Peers: all devices share one address space ---- */

static cudaError_t check_peer(const char *function, int peer) {
    if (!device_exists(peer))
        return no_device(function, peer);
    if (peer == state_device())
        return state_refuse(function, cudaErrorPeerAccessUnsupported, "Device %d is the current device itself.", peer);
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
    if (!can)
        return state_return(cudaErrorInvalidValue);
    if (!device_exists(device) || !device_exists(peer))
        return no_device(__func__, device_exists(device) ? peer : device);
    *can = device != peer;
    return cudaSuccess;
}

static bool peers[MAX_DEVICES][MAX_DEVICES];

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    ENTER();
    if (flags)
        return state_return(cudaErrorInvalidValue);
    cudaError_t error = check_peer(__func__, peer);
    if (error != cudaSuccess)
        return error;
    if (peers[state_device()][peer])
        return state_return(cudaErrorPeerAccessAlreadyEnabled);
    peers[state_device()][peer] = true;
    return cudaSuccess;
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
    ENTER();
    cudaError_t error = check_peer(__func__, peer);
    if (error != cudaSuccess)
        return error;
    if (!peers[state_device()][peer])
        return state_return(cudaErrorPeerAccessNotEnabled);
    peers[state_device()][peer] = false;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from, int to) {
    if (!value || from == to)
        return state_return(cudaErrorInvalidValue);
    if (!device_exists(from) || !device_exists(to))
        return state_return(cudaErrorInvalidDevice);
    *value = attribute == cudaDevP2PAttrAccessSupported || attribute == cudaDevP2PAttrNativeAtomicSupported;
    return cudaSuccess;
}

/* ---- The end ---- */

static void free_of_program(const struct allocation *a, void *device) {
    if (a->device == *(int *)device && !a->name &&
        (a->kind == MEMORY_DEVICE || a->kind == MEMORY_MANAGED || a->kind == MEMORY_PINNED))
        memory_free(a->base);
}

/* As on an H200: after a fault the reset itself succeeds, and yet the process gets no working device any more. */
cudaError_t cudaDeviceReset(void) {
    int device = state_device();
    if (state_enter() == cudaErrorNotPermitted)
        return state_return(cudaErrorNotPermitted);
    queue_wait_device(device);
    memory_each_live(free_of_program, &device);
    if (state_observe(device) != cudaSuccess)
        state_replace_fault(device, cudaErrorDevicesUnavailable);
    return cudaSuccess;
}
