/* Declarations that the headers of CUDA 12.0, 12.1 and 12.2 lack, so that this library builds with them and exports the
 * same functions: a program of theirs calls none of these, and the library that it links against is not affected.
 * Layouts and numbers are the ABI's. */
#ifndef API_NEWER_H
#define API_NEWER_H

#if CUDART_VERSION < 12010
#define cudaErrorUnsupportedDevSideSync ((cudaError_t)225)
#define cudaDeviceSyncMemops            0x80
typedef struct CUkern_st *cudaKernel_t;
#endif

#if CUDART_VERSION < 12020
#define cudaDevAttrNumaId                             ((enum cudaDeviceAttr)131)
#define cudaDevAttrHostNumaId                         ((enum cudaDeviceAttr)134)
#define cudaMemRangeAttributePreferredLocationType    ((enum cudaMemRangeAttribute)5)
#define cudaMemRangeAttributePreferredLocationId      ((enum cudaMemRangeAttribute)6)
#define cudaMemRangeAttributeLastPrefetchLocationType ((enum cudaMemRangeAttribute)7)
#define cudaMemRangeAttributeLastPrefetchLocationId   ((enum cudaMemRangeAttribute)8)
#define cudaMemLocationTypeHost                       ((enum cudaMemLocationType)2)
#define cudaMemLocationTypeHostNuma                   ((enum cudaMemLocationType)3)
#define cudaMemLocationTypeHostNumaCurrent            ((enum cudaMemLocationType)4)

struct cudaMemcpyNodeParams {
    int flags;
    int reserved[3];
    struct cudaMemcpy3DParms copyParams;
};
struct cudaMemsetParamsV2 {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};
struct cudaHostNodeParamsV2 {
    cudaHostFn_t fn;
    void *userData;
};
struct cudaMemAllocNodeParamsV2 {
    struct cudaMemPoolProps poolProps;
    const struct cudaMemAccessDesc *accessDescs;
    size_t accessDescCount, bytesize;
    void *dptr;
};
struct cudaMemFreeNodeParams {
    void *dptr;
};
struct cudaKernelNodeParamsV2 {
    void *func;
    dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};
struct cudaChildGraphNodeParams {
    cudaGraph_t graph;
};
struct cudaEventRecordNodeParams {
    cudaEvent_t event;
};
struct cudaEventWaitNodeParams {
    cudaEvent_t event;
};
struct cudaGraphNodeParams {
    enum cudaGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct cudaKernelNodeParamsV2 kernel;
        struct cudaMemcpyNodeParams memcpy;
        struct cudaMemsetParamsV2 memset;
        struct cudaHostNodeParamsV2 host;
        struct cudaChildGraphNodeParams graph;
        struct cudaEventWaitNodeParams eventWait;
        struct cudaEventRecordNodeParams eventRecord;
        struct cudaMemAllocNodeParamsV2 alloc;
        struct cudaMemFreeNodeParams free;
    };
    long long reserved2;
};
#endif

#if CUDART_VERSION < 12030
#define cudaErrorLossyQuery                     ((cudaError_t)402)
#define cudaGraphNodeTypeConditional            ((enum cudaGraphNodeType)13)
#define cudaGraphCondAssignDefault              1
#define cudaGraphKernelNodePortProgrammatic     1
#define cudaGraphKernelNodePortLaunchCompletion 2

typedef unsigned long long cudaGraphConditionalHandle;
enum cudaGraphConditionalNodeType { cudaGraphCondTypeIf = 0, cudaGraphCondTypeWhile = 1 };
struct cudaConditionalNodeParams {
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    unsigned size;
    cudaGraph_t *phGraph_out;
};
typedef enum { cudaGraphDependencyTypeDefault = 0, cudaGraphDependencyTypeProgrammatic = 1 } cudaGraphDependencyType;
typedef struct cudaGraphEdgeData_st {
    unsigned char from_port, to_port, type, reserved[5];
} cudaGraphEdgeData;

cudaError_t cudaStreamGetCaptureInfo_v3(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                        unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                        const cudaGraphEdgeData **edges, size_t *count);
cudaError_t cudaStreamUpdateCaptureDependencies_v2(cudaStream_t stream, cudaGraphNode_t *nodes,
                                                   const cudaGraphEdgeData *edges, size_t count, unsigned flags);
#endif

#endif
