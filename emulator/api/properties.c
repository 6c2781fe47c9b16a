/* What the emulated device reports about itself: attributes, and the structure that holds most of them.
 *
 * It is described honestly: its name shows that this is no GPU, and any value that would be a statement about speed
 * (bus width, the memory's clock) is 0, as is everything that is not emulated (RDMA). clock() counts nanoseconds, so
 * the clock rate is 1 GHz: a kernel that waits for a number of clocks waits that long. Limits that shape programs are
 * those of an H200, so that a program launches the same grids. */
#include <stdio.h>
#include <string.h>

#include "api/device.h"
#include "base/limits.h"
#include "base/settings.h"
#include "memory/memory.h"

#define CLOCK_KHZ 1000000

#define NAME "Emulated GPU (runs on the CPU)"

/* By number, as the toolkit names them; those that are not listed are 0. The reserved numbers and their values are an
 * H200's. */
static const int attributes[] = {
    [cudaDevAttrMaxThreadsPerBlock] = LIMIT_BLOCK_THREADS,
    [cudaDevAttrMaxBlockDimX] = LIMIT_BLOCK_X,
    [cudaDevAttrMaxBlockDimY] = LIMIT_BLOCK_Y,
    [cudaDevAttrMaxBlockDimZ] = LIMIT_BLOCK_Z,
    [cudaDevAttrMaxGridDimX] = LIMIT_GRID_X,
    [cudaDevAttrMaxGridDimY] = LIMIT_GRID_Y,
    [cudaDevAttrMaxGridDimZ] = LIMIT_GRID_Z,
    [cudaDevAttrMaxSharedMemoryPerBlock] = LIMIT_SHARED_BLOCK,
    [cudaDevAttrTotalConstantMemory] = LIMIT_CONSTANT,
    [cudaDevAttrWarpSize] = 32,
    [cudaDevAttrMaxPitch] = 2147483647,
    [cudaDevAttrClockRate] = CLOCK_KHZ,
    [cudaDevAttrMaxRegistersPerBlock] = LIMIT_REGISTERS,
    [cudaDevAttrTextureAlignment] = 512,
    [cudaDevAttrGpuOverlap] = 1,
    [cudaDevAttrMultiProcessorCount] = LIMIT_SMS,
    [cudaDevAttrCanMapHostMemory] = 1,
    [cudaDevAttrMaxTexture1DWidth] = LIMIT_IMAGE_1D,
    [cudaDevAttrMaxTexture2DWidth] = LIMIT_IMAGE_WIDTH,
    [cudaDevAttrMaxTexture2DHeight] = LIMIT_IMAGE_HEIGHT,
    [cudaDevAttrMaxTexture3DWidth] = LIMIT_IMAGE_3D,
    [cudaDevAttrMaxTexture3DHeight] = LIMIT_IMAGE_3D,
    [cudaDevAttrMaxTexture3DDepth] = LIMIT_IMAGE_3D,
    [cudaDevAttrMaxTexture2DLayeredWidth] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxTexture2DLayeredHeight] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxTexture2DLayeredLayers] = LIMIT_LAYERS,
    [cudaDevAttrSurfaceAlignment] = 512,
    [cudaDevAttrConcurrentKernels] = 1,
    [cudaDevAttrL2CacheSize] = LIMIT_L2,
    [cudaDevAttrMaxThreadsPerMultiProcessor] = LIMIT_SM_THREADS,
    [cudaDevAttrAsyncEngineCount] = 3,
    [cudaDevAttrUnifiedAddressing] = 1,
    [cudaDevAttrMaxTexture1DLayeredWidth] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxTexture1DLayeredLayers] = LIMIT_LAYERS,
    [44] = 1,
    [cudaDevAttrMaxTexture2DGatherWidth] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxTexture2DGatherHeight] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxTexture3DWidthAlt] = LIMIT_IMAGE_3D_ALT,
    [cudaDevAttrMaxTexture3DHeightAlt] = LIMIT_IMAGE_3D_ALT,
    [cudaDevAttrMaxTexture3DDepthAlt] = LIMIT_IMAGE_DEPTH_ALT,
    [cudaDevAttrTexturePitchAlignment] = 32,
    [cudaDevAttrMaxTextureCubemapWidth] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxTextureCubemapLayeredWidth] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxTextureCubemapLayeredLayers] = LIMIT_CUBE_LAYERS,
    [cudaDevAttrMaxSurface1DWidth] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxSurface2DWidth] = LIMIT_IMAGE_WIDTH,
    [cudaDevAttrMaxSurface2DHeight] = LIMIT_IMAGE_HEIGHT,
    [cudaDevAttrMaxSurface3DWidth] = LIMIT_IMAGE_3D,
    [cudaDevAttrMaxSurface3DHeight] = LIMIT_IMAGE_3D,
    [cudaDevAttrMaxSurface3DDepth] = LIMIT_IMAGE_3D,
    [cudaDevAttrMaxSurface1DLayeredWidth] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxSurface1DLayeredLayers] = LIMIT_LAYERS,
    [cudaDevAttrMaxSurface2DLayeredWidth] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxSurface2DLayeredHeight] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxSurface2DLayeredLayers] = LIMIT_LAYERS,
    [cudaDevAttrMaxSurfaceCubemapWidth] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxSurfaceCubemapLayeredWidth] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxSurfaceCubemapLayeredLayers] = LIMIT_CUBE_LAYERS,
    [cudaDevAttrMaxTexture1DLinearWidth] = LIMIT_IMAGE_LINEAR,
    [cudaDevAttrMaxTexture2DLinearWidth] = LIMIT_IMAGE_WIDTH,
    [cudaDevAttrMaxTexture2DLinearHeight] = LIMIT_PITCHED_HEIGHT,
    [cudaDevAttrMaxTexture2DLinearPitch] = LIMIT_PITCH,
    [cudaDevAttrMaxTexture2DMipmappedWidth] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxTexture2DMipmappedHeight] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrMaxTexture1DMipmappedWidth] = LIMIT_IMAGE_LAYERED,
    [cudaDevAttrStreamPrioritiesSupported] = 1,
    [cudaDevAttrGlobalL1CacheSupported] = 1,
    [cudaDevAttrLocalL1CacheSupported] = 1,
    [cudaDevAttrMaxSharedMemoryPerMultiprocessor] = LIMIT_SHARED_SM,
    [cudaDevAttrMaxRegistersPerMultiprocessor] = LIMIT_REGISTERS,
    [cudaDevAttrManagedMemory] = 1,
    [cudaDevAttrSingleToDoublePrecisionPerfRatio] = 2,
    [cudaDevAttrConcurrentManagedAccess] = 1,
    [cudaDevAttrComputePreemptionSupported] = 1,
    [cudaDevAttrCanUseHostPointerForRegisteredMem] = 1,
    [cudaDevAttrCooperativeLaunch] = 1,
    [cudaDevAttrClusterLaunch] = 1,
    [cudaDevAttrMaxSharedMemoryPerBlockOptin] = LIMIT_SHARED_BLOCK_OPTIN,
    [cudaDevAttrHostRegisterSupported] = 1,
    [cudaDevAttrMaxBlocksPerMultiprocessor] = LIMIT_SM_BLOCKS,
    [cudaDevAttrMaxPersistingL2CacheSize] = LIMIT_PERSISTING_L2,
    [cudaDevAttrMaxAccessPolicyWindowSize] = LIMIT_ACCESS_WINDOW,
    [cudaDevAttrReservedSharedMemoryPerBlock] = LIMIT_SHARED_RESERVED,
    [cudaDevAttrSparseCudaArraySupported] = 1,
    [cudaDevAttrHostRegisterReadOnlySupported] = 1,
    [cudaDevAttrMemoryPoolsSupported] = 1,
    [cudaDevAttrMemoryPoolSupportedHandleTypes] = cudaMemHandleTypePosixFileDescriptor,
    [cudaDevAttrDeferredMappingCudaArraySupported] = 1,
    [cudaDevAttrMemSyncDomainCount] = LIMIT_SYNC_DOMAINS,
    [cudaDevAttrNumaId] = -1,
    [cudaDevAttrHostNumaId] = -1,
#if CUDART_VERSION >= 12090
    [cudaDevAttrHostNumaMemoryPoolsSupported] = 1,
#endif
#if CUDART_VERSION >= 13000
    [cudaDevAttrHostMemoryPoolsSupported] = 1,
#endif
};

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    if (!value || (int)attribute < 1 || (int)attribute >= cudaDevAttrMax)
        return state_return(cudaErrorInvalidValue);
    if (!device_exists(device))
        return device_missing(__func__, device);
    unsigned number = (unsigned)attribute;
    *value = attribute == cudaDevAttrPciDeviceId               ? device
             : attribute == cudaDevAttrComputeCapabilityMajor  ? (int)setting_capability() / 10
             : attribute == cudaDevAttrComputeCapabilityMinor  ? (int)setting_capability() % 10
             : number < sizeof attributes / sizeof *attributes ? attributes[number]
                                                               : 0;
    return cudaSuccess;
}

static const struct cudaDeviceProp properties = {
    .name = NAME,
    .sharedMemPerBlock = LIMIT_SHARED_BLOCK,
    .regsPerBlock = LIMIT_REGISTERS,
    .warpSize = 32,
    .memPitch = 2147483647,
    .maxThreadsPerBlock = LIMIT_BLOCK_THREADS,
    .maxThreadsDim = {LIMIT_BLOCK_X, LIMIT_BLOCK_Y, LIMIT_BLOCK_Z},
    .maxGridSize = {LIMIT_GRID_X, LIMIT_GRID_Y, LIMIT_GRID_Z},
    .totalConstMem = LIMIT_CONSTANT,
    .textureAlignment = 512,
    .texturePitchAlignment = 32,
    .multiProcessorCount = LIMIT_SMS,
    .canMapHostMemory = 1,
    .maxTexture1D = LIMIT_IMAGE_1D,
    .maxTexture1DMipmap = LIMIT_IMAGE_LAYERED,
    .maxTexture2D = {LIMIT_IMAGE_WIDTH, LIMIT_IMAGE_HEIGHT},
    .maxTexture2DMipmap = {LIMIT_IMAGE_LAYERED, LIMIT_IMAGE_LAYERED},
    .maxTexture2DLinear = {LIMIT_IMAGE_WIDTH, LIMIT_PITCHED_HEIGHT, LIMIT_PITCH},
    .maxTexture2DGather = {LIMIT_IMAGE_LAYERED, LIMIT_IMAGE_LAYERED},
    .maxTexture3D = {LIMIT_IMAGE_3D, LIMIT_IMAGE_3D, LIMIT_IMAGE_3D},
    .maxTexture3DAlt = {LIMIT_IMAGE_3D_ALT, LIMIT_IMAGE_3D_ALT, LIMIT_IMAGE_DEPTH_ALT},
    .maxTextureCubemap = LIMIT_IMAGE_LAYERED,
    .maxTexture1DLayered = {LIMIT_IMAGE_LAYERED, LIMIT_LAYERS},
    .maxTexture2DLayered = {LIMIT_IMAGE_LAYERED, LIMIT_IMAGE_LAYERED, LIMIT_LAYERS},
    .maxTextureCubemapLayered = {LIMIT_IMAGE_LAYERED, LIMIT_CUBE_LAYERS},
    .maxSurface1D = LIMIT_IMAGE_LAYERED,
    .maxSurface2D = {LIMIT_IMAGE_WIDTH, LIMIT_IMAGE_HEIGHT},
    .maxSurface3D = {LIMIT_IMAGE_3D, LIMIT_IMAGE_3D, LIMIT_IMAGE_3D},
    .maxSurface1DLayered = {LIMIT_IMAGE_LAYERED, LIMIT_LAYERS},
    .maxSurface2DLayered = {LIMIT_IMAGE_LAYERED, LIMIT_IMAGE_LAYERED, LIMIT_LAYERS},
    .maxSurfaceCubemap = LIMIT_IMAGE_LAYERED,
    .maxSurfaceCubemapLayered = {LIMIT_IMAGE_LAYERED, LIMIT_CUBE_LAYERS},
    .surfaceAlignment = 512,
    .concurrentKernels = 1,
    .asyncEngineCount = 3,
    .unifiedAddressing = 1,
    .l2CacheSize = LIMIT_L2,
    .persistingL2CacheMaxSize = LIMIT_PERSISTING_L2,
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
    .clusterLaunch = 1,
    .sharedMemPerBlockOptin = LIMIT_SHARED_BLOCK_OPTIN,
    .maxBlocksPerMultiProcessor = LIMIT_SM_BLOCKS,
    .accessPolicyMaxWindowSize = LIMIT_ACCESS_WINDOW,
    .reservedSharedMemPerBlock = LIMIT_SHARED_RESERVED,
    .hostRegisterSupported = 1,
    .sparseCudaArraySupported = 1,
    .hostRegisterReadOnlySupported = 1,
    .memoryPoolsSupported = 1,
    .memoryPoolSupportedHandleTypes = cudaMemHandleTypePosixFileDescriptor,
    .deferredMappingCudaArraySupported = 1,
#if CUDART_VERSION >= 13000
    .deviceNumaId = -1,
    .hostNumaId = -1,
#else
    .deviceOverlap = 1,
    .clockRate = CLOCK_KHZ,
    .singleToDoublePrecisionPerfRatio = 2,
    .maxTexture1DLinear = LIMIT_IMAGE_LINEAR,
#endif
};

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device) {
    if (!p)
        return state_return(cudaErrorInvalidValue);
    if (!device_exists(device))
        return device_missing("cudaGetDeviceProperties", device);
    *p = properties;
    p->major = (int)setting_capability() / 10;
    p->minor = (int)setting_capability() % 10;
    p->totalGlobalMem = memory_total();
    p->pciDeviceID = device;
    memcpy(p->uuid.bytes, "emulated GPU \0\0\0", sizeof p->uuid.bytes);
    p->uuid.bytes[15] = (char)device;
    return cudaSuccess;
}
