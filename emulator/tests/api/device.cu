// What the device says about itself, and what can be set on it.
#include "api_test.h"

/* What an H200 answers, except for what depends on the machine or says how fast it is. */
static const struct {
    const char *name;
    enum cudaDeviceAttr attribute;
    int value;
} known[] = {
    {"MaxThreadsPerBlock", cudaDevAttrMaxThreadsPerBlock, 1024},
    {"MaxBlockDimX", cudaDevAttrMaxBlockDimX, 1024},
    {"MaxBlockDimY", cudaDevAttrMaxBlockDimY, 1024},
    {"MaxBlockDimZ", cudaDevAttrMaxBlockDimZ, 64},
    {"MaxGridDimX", cudaDevAttrMaxGridDimX, 2147483647},
    {"MaxGridDimY", cudaDevAttrMaxGridDimY, 65535},
    {"MaxGridDimZ", cudaDevAttrMaxGridDimZ, 65535},
    {"MaxSharedMemoryPerBlock", cudaDevAttrMaxSharedMemoryPerBlock, 49152},
    {"TotalConstantMemory", cudaDevAttrTotalConstantMemory, 65536},
    {"WarpSize", cudaDevAttrWarpSize, 32},
    {"MaxPitch", cudaDevAttrMaxPitch, 2147483647},
    {"MaxRegistersPerBlock", cudaDevAttrMaxRegistersPerBlock, 65536},
    {"TextureAlignment", cudaDevAttrTextureAlignment, 512},
    {"GpuOverlap", cudaDevAttrGpuOverlap, 1},
    {"MultiProcessorCount", cudaDevAttrMultiProcessorCount, 132},
    {"KernelExecTimeout", cudaDevAttrKernelExecTimeout, 0},
    {"Integrated", cudaDevAttrIntegrated, 0},
    {"CanMapHostMemory", cudaDevAttrCanMapHostMemory, 1},
    {"ComputeMode", cudaDevAttrComputeMode, 0},
    {"MaxTexture1DWidth", cudaDevAttrMaxTexture1DWidth, 131072},
    {"MaxTexture2DWidth", cudaDevAttrMaxTexture2DWidth, 131072},
    {"MaxTexture2DHeight", cudaDevAttrMaxTexture2DHeight, 65536},
    {"MaxTexture3DWidth", cudaDevAttrMaxTexture3DWidth, 16384},
    {"MaxTexture3DHeight", cudaDevAttrMaxTexture3DHeight, 16384},
    {"MaxTexture3DDepth", cudaDevAttrMaxTexture3DDepth, 16384},
    {"MaxTexture2DLayeredWidth", cudaDevAttrMaxTexture2DLayeredWidth, 32768},
    {"MaxTexture2DLayeredHeight", cudaDevAttrMaxTexture2DLayeredHeight, 32768},
    {"MaxTexture2DLayeredLayers", cudaDevAttrMaxTexture2DLayeredLayers, 2048},
    {"SurfaceAlignment", cudaDevAttrSurfaceAlignment, 512},
    {"ConcurrentKernels", cudaDevAttrConcurrentKernels, 1},
    {"TccDriver", cudaDevAttrTccDriver, 0},
    {"L2CacheSize", cudaDevAttrL2CacheSize, 62914560},
    {"MaxThreadsPerMultiProcessor", cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
    {"AsyncEngineCount", cudaDevAttrAsyncEngineCount, 3},
    {"UnifiedAddressing", cudaDevAttrUnifiedAddressing, 1},
    {"MaxTexture1DLayeredWidth", cudaDevAttrMaxTexture1DLayeredWidth, 32768},
    {"MaxTexture1DLayeredLayers", cudaDevAttrMaxTexture1DLayeredLayers, 2048},
    {"MaxTexture2DGatherWidth", cudaDevAttrMaxTexture2DGatherWidth, 32768},
    {"MaxTexture2DGatherHeight", cudaDevAttrMaxTexture2DGatherHeight, 32768},
    {"MaxTexture3DWidthAlt", cudaDevAttrMaxTexture3DWidthAlt, 8192},
    {"MaxTexture3DHeightAlt", cudaDevAttrMaxTexture3DHeightAlt, 8192},
    {"MaxTexture3DDepthAlt", cudaDevAttrMaxTexture3DDepthAlt, 32768},
    {"TexturePitchAlignment", cudaDevAttrTexturePitchAlignment, 32},
    {"MaxTextureCubemapWidth", cudaDevAttrMaxTextureCubemapWidth, 32768},
    {"MaxTextureCubemapLayeredWidth", cudaDevAttrMaxTextureCubemapLayeredWidth, 32768},
    {"MaxTextureCubemapLayeredLayers", cudaDevAttrMaxTextureCubemapLayeredLayers, 2046},
    {"MaxSurface1DWidth", cudaDevAttrMaxSurface1DWidth, 32768},
    {"MaxSurface2DWidth", cudaDevAttrMaxSurface2DWidth, 131072},
    {"MaxSurface2DHeight", cudaDevAttrMaxSurface2DHeight, 65536},
    {"MaxSurface3DWidth", cudaDevAttrMaxSurface3DWidth, 16384},
    {"MaxSurface3DHeight", cudaDevAttrMaxSurface3DHeight, 16384},
    {"MaxSurface3DDepth", cudaDevAttrMaxSurface3DDepth, 16384},
    {"MaxSurface1DLayeredWidth", cudaDevAttrMaxSurface1DLayeredWidth, 32768},
    {"MaxSurface1DLayeredLayers", cudaDevAttrMaxSurface1DLayeredLayers, 2048},
    {"MaxSurface2DLayeredWidth", cudaDevAttrMaxSurface2DLayeredWidth, 32768},
    {"MaxSurface2DLayeredHeight", cudaDevAttrMaxSurface2DLayeredHeight, 32768},
    {"MaxSurface2DLayeredLayers", cudaDevAttrMaxSurface2DLayeredLayers, 2048},
    {"MaxSurfaceCubemapWidth", cudaDevAttrMaxSurfaceCubemapWidth, 32768},
    {"MaxSurfaceCubemapLayeredWidth", cudaDevAttrMaxSurfaceCubemapLayeredWidth, 32768},
    {"MaxSurfaceCubemapLayeredLayers", cudaDevAttrMaxSurfaceCubemapLayeredLayers, 2046},
    {"MaxTexture1DLinearWidth", cudaDevAttrMaxTexture1DLinearWidth, 268435456},
    {"MaxTexture2DLinearWidth", cudaDevAttrMaxTexture2DLinearWidth, 131072},
    {"MaxTexture2DLinearHeight", cudaDevAttrMaxTexture2DLinearHeight, 65000},
    {"MaxTexture2DLinearPitch", cudaDevAttrMaxTexture2DLinearPitch, 2097120},
    {"MaxTexture2DMipmappedWidth", cudaDevAttrMaxTexture2DMipmappedWidth, 32768},
    {"MaxTexture2DMipmappedHeight", cudaDevAttrMaxTexture2DMipmappedHeight, 32768},
    {"ComputeCapabilityMajor", cudaDevAttrComputeCapabilityMajor, 9},
    {"ComputeCapabilityMinor", cudaDevAttrComputeCapabilityMinor, 0},
    {"MaxTexture1DMipmappedWidth", cudaDevAttrMaxTexture1DMipmappedWidth, 32768},
    {"StreamPrioritiesSupported", cudaDevAttrStreamPrioritiesSupported, 1},
    {"GlobalL1CacheSupported", cudaDevAttrGlobalL1CacheSupported, 1},
    {"LocalL1CacheSupported", cudaDevAttrLocalL1CacheSupported, 1},
    {"MaxSharedMemoryPerMultiprocessor", cudaDevAttrMaxSharedMemoryPerMultiprocessor, 233472},
    {"MaxRegistersPerMultiprocessor", cudaDevAttrMaxRegistersPerMultiprocessor, 65536},
    {"ManagedMemory", cudaDevAttrManagedMemory, 1},
    {"IsMultiGpuBoard", cudaDevAttrIsMultiGpuBoard, 0},
    {"SingleToDoublePrecisionPerfRatio", cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {"ConcurrentManagedAccess", cudaDevAttrConcurrentManagedAccess, 1},
    {"ComputePreemptionSupported", cudaDevAttrComputePreemptionSupported, 1},
    {"CanUseHostPointerForRegisteredMem", cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {"CooperativeLaunch", cudaDevAttrCooperativeLaunch, 1},
    {"MaxSharedMemoryPerBlockOptin", cudaDevAttrMaxSharedMemoryPerBlockOptin, 232448},
    {"CanFlushRemoteWrites", cudaDevAttrCanFlushRemoteWrites, 0},
    {"HostRegisterSupported", cudaDevAttrHostRegisterSupported, 1},
    {"DirectManagedMemAccessFromHost", cudaDevAttrDirectManagedMemAccessFromHost, 0},
    {"MaxBlocksPerMultiprocessor", cudaDevAttrMaxBlocksPerMultiprocessor, 32},
    {"MaxPersistingL2CacheSize", cudaDevAttrMaxPersistingL2CacheSize, 39321600},
    {"MaxAccessPolicyWindowSize", cudaDevAttrMaxAccessPolicyWindowSize, 134217728},
    {"ReservedSharedMemoryPerBlock", cudaDevAttrReservedSharedMemoryPerBlock, 1024},
    {"MemoryPoolsSupported", cudaDevAttrMemoryPoolsSupported, 1},
};

static void attributes() {
    for (const auto &k : known) {
        int v = -1;
        MUST(cudaDeviceGetAttribute(&v, k.attribute, 0));
        EXPECT_EQUAL(k.name, k.value, v);
    }
    int v = -1;
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetAttribute(&v, (cudaDeviceAttr)0, 0));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetAttribute(&v, cudaDevAttrMax, 0));
}

static int asked(cudaDeviceAttr attribute) {
    int v = -1;
    MUST(cudaDeviceGetAttribute(&v, attribute, 0));
    return v;
}

/* The structure says the same as the attributes. */
static void properties() {
    cudaDeviceProp p;
    MUST(cudaGetDeviceProperties(&p, 0));
#define SAME(field, attribute) EXPECT_EQUAL(#field, asked(cudaDevAttr##attribute), p.field)
    SAME(textureAlignment, TextureAlignment);
    SAME(texturePitchAlignment, TexturePitchAlignment);
    SAME(surfaceAlignment, SurfaceAlignment);
    SAME(memPitch, MaxPitch);
    SAME(maxTexture1D, MaxTexture1DWidth);
    SAME(maxTexture1DMipmap, MaxTexture1DMipmappedWidth);
    SAME(maxTexture2D[0], MaxTexture2DWidth);
    SAME(maxTexture2D[1], MaxTexture2DHeight);
    SAME(maxTexture2DMipmap[0], MaxTexture2DMipmappedWidth);
    SAME(maxTexture2DMipmap[1], MaxTexture2DMipmappedHeight);
    SAME(maxTexture2DLinear[0], MaxTexture2DLinearWidth);
    SAME(maxTexture2DLinear[1], MaxTexture2DLinearHeight);
    SAME(maxTexture2DLinear[2], MaxTexture2DLinearPitch);
    SAME(maxTexture2DGather[0], MaxTexture2DGatherWidth);
    SAME(maxTexture2DGather[1], MaxTexture2DGatherHeight);
    SAME(maxTexture3D[0], MaxTexture3DWidth);
    SAME(maxTexture3D[1], MaxTexture3DHeight);
    SAME(maxTexture3D[2], MaxTexture3DDepth);
    SAME(maxTexture3DAlt[0], MaxTexture3DWidthAlt);
    SAME(maxTexture3DAlt[1], MaxTexture3DHeightAlt);
    SAME(maxTexture3DAlt[2], MaxTexture3DDepthAlt);
    SAME(maxTextureCubemap, MaxTextureCubemapWidth);
    SAME(maxTexture1DLayered[0], MaxTexture1DLayeredWidth);
    SAME(maxTexture1DLayered[1], MaxTexture1DLayeredLayers);
    SAME(maxTexture2DLayered[0], MaxTexture2DLayeredWidth);
    SAME(maxTexture2DLayered[1], MaxTexture2DLayeredHeight);
    SAME(maxTexture2DLayered[2], MaxTexture2DLayeredLayers);
    SAME(maxTextureCubemapLayered[0], MaxTextureCubemapLayeredWidth);
    SAME(maxTextureCubemapLayered[1], MaxTextureCubemapLayeredLayers);
    SAME(maxSurface1D, MaxSurface1DWidth);
    SAME(maxSurface2D[0], MaxSurface2DWidth);
    SAME(maxSurface2D[1], MaxSurface2DHeight);
    SAME(maxSurface3D[0], MaxSurface3DWidth);
    SAME(maxSurface3D[1], MaxSurface3DHeight);
    SAME(maxSurface3D[2], MaxSurface3DDepth);
    SAME(maxSurface1DLayered[0], MaxSurface1DLayeredWidth);
    SAME(maxSurface1DLayered[1], MaxSurface1DLayeredLayers);
    SAME(maxSurface2DLayered[0], MaxSurface2DLayeredWidth);
    SAME(maxSurface2DLayered[1], MaxSurface2DLayeredHeight);
    SAME(maxSurface2DLayered[2], MaxSurface2DLayeredLayers);
    SAME(maxSurfaceCubemap, MaxSurfaceCubemapWidth);
    SAME(maxSurfaceCubemapLayered[0], MaxSurfaceCubemapLayeredWidth);
    SAME(maxSurfaceCubemapLayered[1], MaxSurfaceCubemapLayeredLayers);
    SAME(integrated, Integrated);
    SAME(canMapHostMemory, CanMapHostMemory);
    SAME(concurrentKernels, ConcurrentKernels);
    SAME(tccDriver, TccDriver);
    SAME(persistingL2CacheMaxSize, MaxPersistingL2CacheSize);
    SAME(accessPolicyMaxWindowSize, MaxAccessPolicyWindowSize);
    SAME(streamPrioritiesSupported, StreamPrioritiesSupported);
    SAME(globalL1CacheSupported, GlobalL1CacheSupported);
    SAME(localL1CacheSupported, LocalL1CacheSupported);
    SAME(sharedMemPerMultiprocessor, MaxSharedMemoryPerMultiprocessor);
    SAME(regsPerMultiprocessor, MaxRegistersPerMultiprocessor);
    SAME(isMultiGpuBoard, IsMultiGpuBoard);
    SAME(multiGpuBoardGroupID, MultiGpuBoardGroupID);
    SAME(hostNativeAtomicSupported, HostNativeAtomicSupported);
    SAME(pageableMemoryAccess, PageableMemoryAccess);
    SAME(concurrentManagedAccess, ConcurrentManagedAccess);
    SAME(computePreemptionSupported, ComputePreemptionSupported);
    SAME(canUseHostPointerForRegisteredMem, CanUseHostPointerForRegisteredMem);
    SAME(pageableMemoryAccessUsesHostPageTables, PageableMemoryAccessUsesHostPageTables);
    SAME(directManagedMemAccessFromHost, DirectManagedMemAccessFromHost);
    SAME(maxBlocksPerMultiProcessor, MaxBlocksPerMultiprocessor);
    SAME(reservedSharedMemPerBlock, ReservedSharedMemoryPerBlock);
    SAME(hostRegisterSupported, HostRegisterSupported);
    SAME(sparseCudaArraySupported, SparseCudaArraySupported);
    SAME(hostRegisterReadOnlySupported, HostRegisterReadOnlySupported);
    SAME(timelineSemaphoreInteropSupported, TimelineSemaphoreInteropSupported);
    SAME(memoryPoolsSupported, MemoryPoolsSupported);
    SAME(gpuDirectRDMASupported, GPUDirectRDMASupported);
    SAME(gpuDirectRDMAFlushWritesOptions, GPUDirectRDMAFlushWritesOptions);
    SAME(gpuDirectRDMAWritesOrdering, GPUDirectRDMAWritesOrdering);
    SAME(memoryPoolSupportedHandleTypes, MemoryPoolSupportedHandleTypes);
    SAME(deferredMappingCudaArraySupported, DeferredMappingCudaArraySupported);
    SAME(ipcEventSupported, IpcEventSupport);
    SAME(clusterLaunch, ClusterLaunch);
    SAME(pciBusID, PciBusId);
    SAME(pciDeviceID, PciDeviceId);
    SAME(pciDomainID, PciDomainId);
    SAME(memoryBusWidth, GlobalMemoryBusWidth);
    SAME(ECCEnabled, EccEnabled);
#if CUDART_VERSION >= 13000
    SAME(deviceNumaConfig, NumaConfig);
    SAME(deviceNumaId, NumaId);
    SAME(mpsEnabled, MpsEnabled);
    SAME(hostNumaId, HostNumaId);
    SAME(gpuPciDeviceID, GpuPciDeviceId);
    SAME(gpuPciSubsystemID, GpuPciSubsystemId);
    SAME(hostNumaMultinodeIpcSupported, HostNumaMultinodeIpcSupported);
#endif
}

static void limits() {
    const size_t large = (size_t)1 << 40, any = (size_t)-1; /* any: it depends on the device's memory */
    const struct {
        const char *name;
        cudaLimit limit;
        size_t wanted, got;
        cudaError_t error;
    } cases[] = {{"stack", cudaLimitStackSize, 0, 0, cudaSuccess},
                 {"stack", cudaLimitStackSize, 1, 16, cudaSuccess},
                 {"stack", cudaLimitStackSize, 1000, 1008, cudaSuccess},
                 {"stack", cudaLimitStackSize, 100000, 100000, cudaSuccess},
                 {"stack", cudaLimitStackSize, 600000, 1024, cudaErrorInvalidValue},
                 {"printf buffer", cudaLimitPrintfFifoSize, 0, 524288, cudaSuccess},
                 {"printf buffer", cudaLimitPrintfFifoSize, 600000, 600064, cudaSuccess},
                 {"printf buffer", cudaLimitPrintfFifoSize, large, (size_t)1 << 31, cudaSuccess},
                 {"heap", cudaLimitMallocHeapSize, 0, 4 << 20, cudaSuccess},
                 {"heap", cudaLimitMallocHeapSize, 1 << 24, 1 << 24, cudaSuccess},
                 {"heap", cudaLimitMallocHeapSize, large, any, cudaSuccess},
                 {"pending launches", cudaLimitDevRuntimePendingLaunchCount, 0, 32, cudaSuccess},
                 {"pending launches", cudaLimitDevRuntimePendingLaunchCount, 5000, 5000, cudaSuccess},
                 {"pending launches", cudaLimitDevRuntimePendingLaunchCount, large, any, cudaSuccess},
                 {"fetch granularity", cudaLimitMaxL2FetchGranularity, 1, 1, cudaSuccess},
                 {"fetch granularity", cudaLimitMaxL2FetchGranularity, 1000, 64, cudaErrorInvalidValue},
                 {"persisting cache", cudaLimitPersistingL2CacheSize, 0, 0, cudaSuccess},
                 {"persisting cache", cudaLimitPersistingL2CacheSize, 1, 3932160, cudaSuccess},
                 {"persisting cache", cudaLimitPersistingL2CacheSize, 1 << 24, 19660800, cudaSuccess},
                 {"persisting cache", cudaLimitPersistingL2CacheSize, large, 11796480, cudaErrorInvalidValue}};
    for (const auto &c : cases) {
        size_t before = 0, after = 0;
        char name[80];
        MUST(cudaDeviceGetLimit(&before, c.limit));
        snprintf(name, sizeof name, "%s of %zu is answered", c.name, c.wanted);
        EXPECT_EQUAL(name, c.error, cudaDeviceSetLimit(c.limit, c.wanted));
        MUST(cudaDeviceGetLimit(&after, c.limit));
        snprintf(name, sizeof name, "%s of %zu becomes", c.name, c.wanted);
        if (c.got != any)
            EXPECT_EQUAL(name, c.got, after);
        MUST(cudaDeviceSetLimit(c.limit, before));
        cudaGetLastError();
    }
    size_t v = 0;
    const size_t standard[] = {1024, 8650752, 8388608, 0, 2048, 64, 11796480};
    for (int l = 0; l < 7; l++)
        if (l != cudaLimitDevRuntimeSyncDepth) {
            MUST(cudaDeviceGetLimit(&v, (cudaLimit)l));
            EXPECT_EQUAL("a limit at first", standard[l], v);
        }
    EXPECT(cudaErrorUnsupportedLimit, cudaDeviceGetLimit(&v, cudaLimitDevRuntimeSyncDepth));
    EXPECT(cudaErrorUnsupportedLimit, cudaDeviceSetLimit(cudaLimitDevRuntimeSyncDepth, 3));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetLimit(&v, (cudaLimit)99));
}

static void flags() {
    unsigned f = 99;
    EXPECT(cudaSuccess, cudaGetDeviceFlags(&f));
    EXPECT_EQUAL("flags at first", cudaDeviceMapHost, f);
    EXPECT(cudaSuccess, cudaSetDeviceFlags(cudaDeviceScheduleSpin));
    EXPECT(cudaSuccess, cudaGetDeviceFlags(&f));
    EXPECT_EQUAL("flags that were set", cudaDeviceScheduleSpin | cudaDeviceMapHost, f);
    EXPECT(cudaSuccess, cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync | cudaDeviceLmemResizeToMax));
    EXPECT(cudaSuccess, cudaGetDeviceFlags(&f));
    EXPECT_EQUAL("flags that replaced them",
                 cudaDeviceScheduleBlockingSync | cudaDeviceLmemResizeToMax | cudaDeviceMapHost, f);
    EXPECT(cudaErrorInvalidValue, cudaSetDeviceFlags(0x400));
    EXPECT(cudaErrorInvalidValue, cudaSetDeviceFlags(3));
    EXPECT(cudaErrorInvalidValue, cudaGetDeviceFlags(0));
    EXPECT(cudaSuccess, cudaSetDeviceFlags(cudaDeviceSyncMemops));
    EXPECT(cudaSuccess, cudaGetDeviceFlags(&f));
    EXPECT_EQUAL("synchronous memory operations", cudaDeviceSyncMemops | cudaDeviceMapHost, f);
    EXPECT(cudaSuccess, cudaSetDeviceFlags(cudaDeviceScheduleAuto));
    EXPECT(cudaSuccess, cudaInitDevice(0, cudaDeviceScheduleYield, cudaInitDeviceFlagsAreValid));
    EXPECT(cudaSuccess, cudaGetDeviceFlags(&f));
    EXPECT_EQUAL("flags of cudaInitDevice", cudaDeviceScheduleYield | cudaDeviceMapHost, f);
    EXPECT(cudaSuccess, cudaInitDevice(0, cudaDeviceScheduleSpin, 0));
    EXPECT(cudaSuccess, cudaGetDeviceFlags(&f));
    EXPECT_EQUAL("flags that cudaInitDevice is to ignore", cudaDeviceScheduleYield | cudaDeviceMapHost, f);
    EXPECT(cudaErrorInvalidDevice, cudaInitDevice(99, 0, 0));
    EXPECT(cudaSuccess, cudaInitDevice(0, 0, 8));
    EXPECT(cudaErrorInvalidValue, cudaInitDevice(0, 0x1000, cudaInitDeviceFlagsAreValid));
}

static void choosing() {
    int d = -1, n = 0, several[20] = {}, wrong[] = {99};
    cudaDeviceProp p = {};
    EXPECT(cudaSuccess, cudaChooseDevice(&d, &p));
    EXPECT_EQUAL("chosen", 0, d);
    EXPECT(cudaErrorInvalidValue, cudaChooseDevice(0, &p));
    EXPECT(cudaErrorInvalidValue, cudaChooseDevice(&d, 0));
    EXPECT(cudaErrorInvalidDevice, cudaSetValidDevices(wrong, 1));
    EXPECT(cudaErrorInvalidValue, cudaSetValidDevices(0, 1));
    EXPECT(cudaErrorInvalidValue, cudaSetValidDevices(wrong, -1));
    EXPECT(cudaSuccess, cudaSetValidDevices(several, 1));
    MUST(cudaGetDeviceCount(&n));
    EXPECT(cudaSuccess, cudaSetValidDevices(several, n));
    EXPECT(cudaErrorInvalidValue, cudaSetValidDevices(several, n + 1));
    EXPECT(cudaSuccess, cudaSetValidDevices(several, 0));
    EXPECT(cudaSuccess, cudaSetValidDevices(0, 0));
    EXPECT(cudaErrorInvalidValue, cudaGetDevice(0));
    EXPECT(cudaErrorInvalidValue, cudaGetDeviceCount(0));
}

static void preferences() {
    cudaFuncCache cache = (cudaFuncCache)9;
    EXPECT(cudaSuccess, cudaDeviceGetCacheConfig(&cache));
    EXPECT_EQUAL("cache preference at first", cudaFuncCachePreferNone, cache);
    EXPECT(cudaSuccess, cudaDeviceSetCacheConfig(cudaFuncCachePreferL1));
    EXPECT(cudaSuccess, cudaDeviceGetCacheConfig(&cache));
    EXPECT_EQUAL("cache preference that was set", cudaFuncCachePreferL1, cache);
    EXPECT(cudaErrorInvalidValue, cudaDeviceSetCacheConfig((cudaFuncCache)7));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetCacheConfig(0));
    EXPECT(cudaSuccess, cudaDeviceSetCacheConfig(cudaFuncCachePreferNone));
#if CUDART_VERSION >= 12000
#pragma nv_diag_suppress 1444
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    cudaSharedMemConfig banks = (cudaSharedMemConfig)9;
    EXPECT(cudaSuccess, cudaDeviceGetSharedMemConfig(&banks));
    EXPECT_EQUAL("bank size", cudaSharedMemBankSizeFourByte, banks);
    EXPECT(cudaSuccess, cudaDeviceSetSharedMemConfig(cudaSharedMemBankSizeEightByte));
    EXPECT(cudaSuccess, cudaDeviceGetSharedMemConfig(&banks));
    EXPECT_EQUAL("bank size stays", cudaSharedMemBankSizeFourByte, banks);
    EXPECT(cudaErrorInvalidValue, cudaDeviceSetSharedMemConfig((cudaSharedMemConfig)7));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetSharedMemConfig(0));
#endif
    int least = 9, greatest = 9;
    EXPECT(cudaSuccess, cudaDeviceGetStreamPriorityRange(&least, &greatest));
    EXPECT_EQUAL("least priority", 0, least);
    EXPECT_EQUAL("greatest priority", -5, greatest);
    EXPECT(cudaSuccess, cudaDeviceGetStreamPriorityRange(0, 0));
    EXPECT(cudaSuccess, cudaCtxResetPersistingL2Cache());
    EXPECT(cudaSuccess, cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTargetCurrentDevice,
                                                           cudaFlushGPUDirectRDMAWritesToOwner));
}

static void numbers() {
    char id[32] = "", small[4];
    int d = -1, domain = -1, bus = -1, number = -1;
    cudaDeviceProp p;
    MUST(cudaGetDeviceProperties(&p, 0));
    EXPECT(cudaSuccess, cudaDeviceGetPCIBusId(id, sizeof id, 0));
    EXPECT_EQUAL("length of a bus id", 12, strlen(id));
    EXPECT(cudaSuccess, cudaDeviceGetByPCIBusId(&d, id));
    EXPECT_EQUAL("the device of its bus id", 0, d);
    EXPECT_EQUAL("a bus id has three numbers", 3, sscanf(id, "%x:%x:%x.0", &domain, &bus, &number));
    check("which are the properties'", domain == p.pciDomainID && bus == p.pciBusID && number == p.pciDeviceID, id);
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(small, sizeof small, 0));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(id, 12, 0));
    EXPECT(cudaSuccess, cudaDeviceGetPCIBusId(id, 13, 0));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceGetPCIBusId(id, sizeof id, 99));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetPCIBusId(0, 10, 0));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&d, "nonsense"));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceGetByPCIBusId(&d, "ffff:ee:1f.0"));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(0, id));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetByPCIBusId(&d, 0));
    char short_id[32];
    snprintf(short_id, sizeof short_id, "%02x:%02x.0", p.pciBusID, p.pciDeviceID);
    if (p.pciDomainID == 0)
        EXPECT(cudaSuccess, cudaDeviceGetByPCIBusId(&d, short_id));
}

static void texture_widths() {
    const struct {
        const char *name;
        cudaChannelFormatDesc desc;
        size_t width;
    } cases[] = {{"char", cudaCreateChannelDesc<char>(), (size_t)1 << 30},
                 {"float", cudaCreateChannelDesc<float>(), (size_t)1 << 30},
                 {"float2", cudaCreateChannelDesc<float2>(), (size_t)1 << 29},
                 {"float4", cudaCreateChannelDesc<float4>(), (size_t)1 << 28}};
    for (const auto &c : cases) {
        size_t width = 0;
        EXPECT(cudaSuccess, cudaDeviceGetTexture1DLinearMaxWidth(&width, &c.desc, 0));
        EXPECT_EQUAL(c.name, c.width, width);
    }
    size_t width = 0;
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetTexture1DLinearMaxWidth(0, &cases[0].desc, 0));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetTexture1DLinearMaxWidth(&width, 0, 0));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceGetTexture1DLinearMaxWidth(&width, &cases[0].desc, 99));
    cudaChannelFormatDesc three = cudaCreateChannelDesc(32, 32, 32, 0, cudaChannelFormatKindFloat);
    EXPECT(cudaErrorInvalidChannelDescriptor, cudaDeviceGetTexture1DLinearMaxWidth(&width, &three, 0));
}

static void peers_of_itself() {
    int v = -1;
    EXPECT(cudaSuccess, cudaDeviceCanAccessPeer(&v, 0, 0));
    EXPECT_EQUAL("a device is not its own peer", 0, v);
    EXPECT(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&v, 0, 99));
    EXPECT(cudaErrorInvalidValue, cudaDeviceCanAccessPeer(0, 0, 0));
    EXPECT(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceDisablePeerAccess(99));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 0));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 99));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetP2PAttribute(0, cudaDevP2PAttrAccessSupported, 0, 1));
#if CUDART_VERSION >= 13000
    unsigned caps[13];
    cudaAtomicOperation ops[13];
    for (int i = 0; i < 13; i++) {
        ops[i] = (cudaAtomicOperation)i;
        caps[i] = 77;
    }
    EXPECT(cudaSuccess, cudaDeviceGetHostAtomicCapabilities(caps, ops, 13, 0));
    for (int i = 0; i < 13; i++)
        EXPECT_EQUAL("atomics between host and device", 0, caps[i]);
    EXPECT(cudaErrorInvalidDevice, cudaDeviceGetHostAtomicCapabilities(caps, ops, 13, 99));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetHostAtomicCapabilities(0, ops, 13, 0));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetHostAtomicCapabilities(caps, 0, 13, 0));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetHostAtomicCapabilities(caps, ops, 0, 0));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceGetP2PAtomicCapabilities(caps, ops, 13, 0, 0));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceGetP2PAtomicCapabilities(caps, ops, 13, 0, 99));
#endif
}

#if CUDART_VERSION >= 12040
static void budget(cudaAsyncNotificationInfo_t *, void *, cudaAsyncCallbackHandle_t) {}

static void notifications() {
    cudaAsyncCallbackHandle_t handle = 0;
    EXPECT(cudaSuccess, cudaDeviceRegisterAsyncNotification(0, budget, 0, &handle));
    check("a handle", handle != 0, "none");
    EXPECT(cudaSuccess, cudaDeviceUnregisterAsyncNotification(0, handle));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceRegisterAsyncNotification(99, budget, 0, &handle));
    EXPECT(cudaErrorInvalidValue, cudaDeviceRegisterAsyncNotification(0, 0, 0, &handle));
}
#else
static void notifications() {}
#endif

int main() {
    attributes();
    properties();
    flags();
    choosing();
    MUST(cudaFree(0));
    limits();
    preferences();
    numbers();
    texture_widths();
    peers_of_itself();
    notifications();
    return failures != 0;
}
