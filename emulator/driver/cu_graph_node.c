/* Nodes of graphs with their parameters, and edges. The nodes are the runtime's; this file converts one form of the
 * parameters to the other. */
#include "driver/cu_copy.h"

#include <string.h>

#include "api/registration.h"
#include "api/state.h"
#include "driver/context.h"
#include "driver/cu_array.h"

/* The headers give these names to the newest form; each form has a separate function here. */
#undef cuGraphAddKernelNode
#undef cuGraphKernelNodeGetParams
#undef cuGraphKernelNodeSetParams
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphGetEdges
#undef cuGraphNodeGetDependencies
#undef cuGraphNodeGetDependentNodes
#undef cuGraphAddDependencies
#undef cuGraphRemoveDependencies
#undef cuGraphAddNode

/* Evaluates `call` while the device of a context is the current one; NULL means the current context. */
#define IN_CONTEXT(context, call)                                                                                      \
    do {                                                                                                               \
        int device_ = (context) ? context_device(context) : state_device();                                            \
        if (device_ < 0)                                                                                               \
            return cudaErrorDeviceUninitialized; /* CUDA_ERROR_INVALID_CONTEXT */                                      \
        struct current_context before_ = context_visit_device(device_);                                                \
        cudaError_t error_ = (call);                                                                                   \
        state_set_context(before_);                                                                                    \
        return error_;                                                                                                 \
    } while (0)

/* ---- kernels ---- */

static struct cudaKernelNodeParams kernel_parameters(const CUDA_KERNEL_NODE_PARAMS_v1 *p) {
    return (struct cudaKernelNodeParams){.func = p->func,
                                         .gridDim = {p->gridDimX, p->gridDimY, p->gridDimZ},
                                         .blockDim = {p->blockDimX, p->blockDimY, p->blockDimZ},
                                         .sharedMemBytes = p->sharedMemBytes,
                                         .kernelParams = p->kernelParams,
                                         .extra = p->extra};
}

/* A program of the runtime identifies a kernel by a host function, the driver by its handle. */
static CUDA_KERNEL_NODE_PARAMS_v1 kernel_answer(const struct cudaKernelNodeParams *p) {
    return (CUDA_KERNEL_NODE_PARAMS_v1){.func = (CUfunction)(void *)registration_entry(p->func),
                                        .gridDimX = p->gridDim.x,
                                        .gridDimY = p->gridDim.y,
                                        .gridDimZ = p->gridDim.z,
                                        .blockDimX = p->blockDim.x,
                                        .blockDimY = p->blockDim.y,
                                        .blockDimZ = p->blockDim.z,
                                        .sharedMemBytes = p->sharedMemBytes,
                                        .kernelParams = p->kernelParams,
                                        .extra = p->extra};
}

/* A kernel and its function in a context are the same handle. A function implies its context. */
static CUDA_KERNEL_NODE_PARAMS_v1 with_function(const CUDA_KERNEL_NODE_PARAMS_v2 *p, CUcontext *context) {
    CUDA_KERNEL_NODE_PARAMS_v1 first;
    memcpy(&first, p, sizeof first); /* the second form has more fields after it */
    *context = p->func ? NULL : p->ctx;
    if (!p->func)
        first.func = (CUfunction)(void *)p->kern;
    return first;
}

static cudaError_t add_kernel(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *p) {
    if (!p)
        return cudaErrorInvalidValue;
    const struct cudaKernelNodeParams same = kernel_parameters(p);
    return cudaGraphAddKernelNode(out, graph, before, count, &same);
}

static cudaError_t set_kernel(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *p) {
    if (!p)
        return cudaErrorInvalidValue;
    const struct cudaKernelNodeParams same = kernel_parameters(p);
    return exec ? cudaGraphExecKernelNodeSetParams(exec, node, &same) : cudaGraphKernelNodeSetParams(node, &same);
}

static cudaError_t get_kernel(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *out) {
    struct cudaKernelNodeParams p;
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaGraphKernelNodeGetParams(node, &p);
    if (error == cudaSuccess)
        *out = kernel_answer(&p);
    return error;
}

static cudaError_t add_kernel_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS_v2 *p) {
    CUcontext context;
    if (!p)
        return cudaErrorInvalidValue;
    const CUDA_KERNEL_NODE_PARAMS_v1 first = with_function(p, &context);
    IN_CONTEXT(context, add_kernel(out, graph, before, count, &first));
}

static cudaError_t set_kernel_v2(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *p) {
    CUcontext context;
    if (!p)
        return cudaErrorInvalidValue;
    const CUDA_KERNEL_NODE_PARAMS_v1 first = with_function(p, &context);
    IN_CONTEXT(context, set_kernel(exec, node, &first));
}

static cudaError_t get_kernel_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2 *out) {
    CUDA_KERNEL_NODE_PARAMS_v1 first;
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = get_kernel(node, &first);
    if (error == cudaSuccess) {
        memset(out, 0, sizeof *out);
        memcpy(out, &first, sizeof first);
    }
    return error;
}

/* Without an executable graph there is nothing to change; it is not a request to change the graph. */
#define OF(exec, call) ((exec) ? (call) : cudaErrorInvalidValue)

EXPORT CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                                     const CUDA_KERNEL_NODE_PARAMS_v1 *p);
EXPORT CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                                     const CUDA_KERNEL_NODE_PARAMS_v1 *p) {
    CALL(add_kernel(out, graph, before, count, p));
}
EXPORT CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *out);
EXPORT CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *out) {
    CALL(get_kernel(node, out));
}
EXPORT CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *p);
EXPORT CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *p) {
    CALL(set_kernel(NULL, node, p));
}
EXPORT CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *p);
EXPORT CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                               const CUDA_KERNEL_NODE_PARAMS_v1 *p) {
    CALL(OF(exec, set_kernel(exec, node, p)));
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS_v2 *p) {
    CALL(add_kernel_v2(out, graph, before, count, p));
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v2 *out) {
    CALL(get_kernel_v2(node, out));
}
CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *p) {
    CALL(set_kernel_v2(NULL, node, p));
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *p) {
    CALL(OF(exec, set_kernel_v2(exec, node, p)));
}
/* The attributes have the runtime's numbers and layout. */
CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
    CALL(cudaGraphKernelNodeCopyAttributes(to, from));
}
CUresult cuGraphKernelNodeGetAttribute(CUgraphNode node, CUkernelNodeAttrID id, CUkernelNodeAttrValue *out) {
    CALL(cudaGraphKernelNodeGetAttribute(node, (cudaLaunchAttributeID)id, (cudaLaunchAttributeValue *)(void *)out));
}
CUresult cuGraphKernelNodeSetAttribute(CUgraphNode node, CUkernelNodeAttrID id, const CUkernelNodeAttrValue *value) {
    CALL(cudaGraphKernelNodeSetAttribute(node, (cudaLaunchAttributeID)id,
                                         (const cudaLaunchAttributeValue *)(const void *)value));
}

/* ---- copies ---- */

/* Bytes of an element; widths and positions in arrays count elements for the runtime. */
static size_t element_of(cudaArray_t array) {
    struct cudaChannelFormatDesc d;
    if (!array || cudaArrayGetInfo(&d, NULL, NULL, array) != cudaSuccess)
        return 1;
    return array_element_bytes(d);
}

static CUmemorytype memory_type(cudaArray_t array, enum cudaMemcpyKind kind, enum cudaMemcpyKind other_host) {
    if (array)
        return CU_MEMORYTYPE_ARRAY;
    return kind == cudaMemcpyDefault                            ? CU_MEMORYTYPE_UNIFIED
           : kind == cudaMemcpyHostToHost || kind == other_host ? CU_MEMORYTYPE_HOST
                                                                : CU_MEMORYTYPE_DEVICE;
}

static CUDA_MEMCPY3D copy_answer(const struct cudaMemcpy3DParms *p) {
    CUDA_MEMCPY3D c = {.srcXInBytes = p->srcPos.x * element_of(p->srcArray),
                       .srcY = p->srcPos.y,
                       .srcZ = p->srcPos.z,
                       .srcMemoryType = memory_type(p->srcArray, p->kind, cudaMemcpyHostToDevice),
                       .srcArray = DRIVER_ARRAY(p->srcArray),
                       .srcPitch = p->srcPtr.pitch,
                       .srcHeight = p->srcPtr.ysize,
                       .dstXInBytes = p->dstPos.x * element_of(p->dstArray),
                       .dstY = p->dstPos.y,
                       .dstZ = p->dstPos.z,
                       .dstMemoryType = memory_type(p->dstArray, p->kind, cudaMemcpyDeviceToHost),
                       .dstArray = DRIVER_ARRAY(p->dstArray),
                       .dstPitch = p->dstPtr.pitch,
                       .dstHeight = p->dstPtr.ysize,
                       .WidthInBytes = p->extent.width * element_of(p->dstArray ? p->dstArray : p->srcArray),
                       .Height = p->extent.height,
                       .Depth = p->extent.depth};
    if (c.srcMemoryType == CU_MEMORYTYPE_HOST)
        c.srcHost = p->srcPtr.ptr;
    else
        c.srcDevice = (uintptr_t)p->srcPtr.ptr;
    if (c.dstMemoryType == CU_MEMORYTYPE_HOST)
        c.dstHost = p->dstPtr.ptr;
    else
        c.dstDevice = (uintptr_t)p->dstPtr.ptr;
    return c;
}

static cudaError_t add_copy(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                            const CUDA_MEMCPY3D *c, CUcontext context) {
    struct cudaMemcpy3DParms p;
    cudaError_t error = copy_parameters(c, &p);
    if (error != cudaSuccess)
        return error;
    IN_CONTEXT(context, cudaGraphAddMemcpyNode(out, graph, before, count, &p));
}

static cudaError_t get_copy(CUgraphNode node, CUDA_MEMCPY3D *out) {
    struct cudaMemcpy3DParms p;
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaGraphMemcpyNodeGetParams(node, &p);
    if (error == cudaSuccess)
        *out = copy_answer(&p);
    return error;
}

static cudaError_t set_copy(CUgraphNode node, const CUDA_MEMCPY3D *c) {
    struct cudaMemcpy3DParms p;
    cudaError_t error = copy_parameters(c, &p);
    return error == cudaSuccess ? cudaGraphMemcpyNodeSetParams(node, &p) : error;
}

static cudaError_t set_copy_of(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *c, CUcontext context) {
    struct cudaMemcpy3DParms p;
    cudaError_t error = copy_parameters(c, &p);
    if (error != cudaSuccess)
        return error;
    IN_CONTEXT(context, cudaGraphExecMemcpyNodeSetParams(exec, node, &p));
}

CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                              const CUDA_MEMCPY3D *c, CUcontext context) {
    CALL(add_copy(out, graph, before, count, c, context));
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *out) {
    CALL(get_copy(node, out));
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *c) {
    CALL(set_copy(node, c));
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *c, CUcontext context) {
    CALL(set_copy_of(exec, node, c, context));
}

/* ---- fills ---- */

static cudaError_t fill_parameters(const CUDA_MEMSET_NODE_PARAMS *p, struct cudaMemsetParams *out) {
    if (!p)
        return cudaErrorInvalidValue;
    *out = (struct cudaMemsetParams){.dst = driver_pointer(p->dst),
                                     .pitch = p->pitch,
                                     .value = p->value,
                                     .elementSize = p->elementSize,
                                     .width = p->width,
                                     .height = p->height};
    return cudaSuccess;
}

static cudaError_t add_fill(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                            const CUDA_MEMSET_NODE_PARAMS *f, CUcontext context) {
    struct cudaMemsetParams p;
    cudaError_t error = fill_parameters(f, &p);
    if (error != cudaSuccess)
        return error;
    IN_CONTEXT(context, cudaGraphAddMemsetNode(out, graph, before, count, &p));
}

static cudaError_t get_fill(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *out) {
    struct cudaMemsetParams p;
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = cudaGraphMemsetNodeGetParams(node, &p);
    if (error == cudaSuccess)
        *out = (CUDA_MEMSET_NODE_PARAMS){.dst = (uintptr_t)p.dst,
                                         .pitch = p.pitch,
                                         .value = p.value,
                                         .elementSize = p.elementSize,
                                         .width = p.width,
                                         .height = p.height};
    return error;
}

static cudaError_t set_fill(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *f) {
    struct cudaMemsetParams p;
    cudaError_t error = fill_parameters(f, &p);
    return error == cudaSuccess ? cudaGraphMemsetNodeSetParams(node, &p) : error;
}

static cudaError_t set_fill_of(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *f,
                               CUcontext context) {
    struct cudaMemsetParams p;
    cudaError_t error = fill_parameters(f, &p);
    if (error != cudaSuccess)
        return error;
    IN_CONTEXT(context, cudaGraphExecMemsetNodeSetParams(exec, node, &p));
}

CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *p, CUcontext context) {
    CALL(add_fill(out, graph, before, count, p, context));
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *out) {
    CALL(get_fill(node, out));
}
CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p) {
    CALL(set_fill(node, p));
}
CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *p,
                                        CUcontext context) {
    CALL(set_fill_of(exec, node, p, context));
}

/* ---- functions of the host, events, graphs in graphs ---- */

#define HOST_PARAMETERS(p) ((const struct cudaHostNodeParams *)(const void *)(p)) /* the same layout */

CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                            const CUDA_HOST_NODE_PARAMS *p) {
    CALL(cudaGraphAddHostNode(out, graph, before, count, HOST_PARAMETERS(p)));
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *out) {
    CALL(cudaGraphHostNodeGetParams(node, (struct cudaHostNodeParams *)(void *)out));
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p) {
    CALL(cudaGraphHostNodeSetParams(node, HOST_PARAMETERS(p)));
}
CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *p) {
    CALL(cudaGraphExecHostNodeSetParams(exec, node, HOST_PARAMETERS(p)));
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                                   CUevent event) {
    CALL(cudaGraphAddEventRecordNode(out, graph, before, count, event));
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *out) {
    CALL(cudaGraphEventRecordNodeGetEvent(node, out));
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
    CALL(cudaGraphEventRecordNodeSetEvent(node, event));
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
    CALL(cudaGraphExecEventRecordNodeSetEvent(exec, node, event));
}
CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                                 CUevent event) {
    CALL(cudaGraphAddEventWaitNode(out, graph, before, count, event));
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *out) {
    CALL(cudaGraphEventWaitNodeGetEvent(node, out));
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
    CALL(cudaGraphEventWaitNodeSetEvent(node, event));
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
    CALL(cudaGraphExecEventWaitNodeSetEvent(exec, node, event));
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *out) {
    CALL(cudaGraphChildGraphNodeGetGraph(node, out));
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraph child) {
    CALL(cudaGraphExecChildGraphNodeSetParams(exec, node, child));
}
CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original, CUgraph clone) {
    CALL(cudaGraphNodeFindInClone(out, original, clone));
}
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node, unsigned enabled) {
    CALL(cudaGraphNodeSetEnabled(exec, node, enabled));
}
CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node, unsigned *enabled) {
    CALL(cudaGraphNodeGetEnabled(exec, node, enabled));
}

/* ---- memory ---- */

/* Their parameters have the runtime's layout, too. */
CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *p) {
    CALL(cudaGraphAddMemAllocNode(out, graph, before, count, (struct cudaMemAllocNodeParams *)(void *)p));
}
CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *out) {
    CALL(cudaGraphMemAllocNodeGetParams(node, (struct cudaMemAllocNodeParams *)(void *)out));
}
CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                               CUdeviceptr address) {
    CALL(cudaGraphAddMemFreeNode(out, graph, before, count, driver_pointer(address)));
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *out) {
    CALL(cudaGraphMemFreeNodeGetParams(node, out));
}
CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value) {
    DRIVER_CALL(DRIVER_INITIALIZED,
                cudaDeviceGetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)attribute, value));
}
CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value) {
    DRIVER_CALL(DRIVER_INITIALIZED,
                cudaDeviceSetGraphMemAttribute(device, (enum cudaGraphMemAttributeType)attribute, value));
}

/* ---- edges ---- */

#if CUDART_VERSION >= 13000
#define RUNTIME(name, ...) name(__VA_ARGS__)
#elif CUDART_VERSION >= 12030
#define RUNTIME(name, ...) name##_v2(__VA_ARGS__)
#endif
#if CUDART_VERSION >= 13000
#define WITHOUT_DATA , NULL
#else
#define WITHOUT_DATA
#endif

EXPORT CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count);
EXPORT CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
    CALL(cudaGraphGetEdges(graph, from, to WITHOUT_DATA, count));
}
EXPORT CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count);
EXPORT CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count) {
    CALL(cudaGraphNodeGetDependencies(node, nodes WITHOUT_DATA, count));
}
EXPORT CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count);
EXPORT CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count) {
    CALL(cudaGraphNodeGetDependentNodes(node, nodes WITHOUT_DATA, count));
}
EXPORT CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count);
EXPORT CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
    CALL(cudaGraphAddDependencies(graph, from, to WITHOUT_DATA, count));
}
EXPORT CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count);
EXPORT CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
    CALL(cudaGraphRemoveDependencies(graph, from, to WITHOUT_DATA, count));
}

#if CUDA_VERSION >= 12030
#define DATA(edges)  ((cudaGraphEdgeData *)(void *)(edges)) /* the same layout */
#define GIVEN(edges) ((const cudaGraphEdgeData *)(const void *)(edges))

CUresult cuGraphGetEdges_v2(CUgraph graph, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *data, size_t *count) {
    CALL(RUNTIME(cudaGraphGetEdges, graph, from, to, DATA(data), count));
}
CUresult cuGraphNodeGetDependencies_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count) {
    CALL(RUNTIME(cudaGraphNodeGetDependencies, node, nodes, DATA(data), count));
}
CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode node, CUgraphNode *nodes, CUgraphEdgeData *data, size_t *count) {
    CALL(RUNTIME(cudaGraphNodeGetDependentNodes, node, nodes, DATA(data), count));
}
CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *data, size_t count) {
    CALL(RUNTIME(cudaGraphAddDependencies, graph, from, to, GIVEN(data), count));
}
CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *data, size_t count) {
    CALL(RUNTIME(cudaGraphRemoveDependencies, graph, from, to, GIVEN(data), count));
}

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle *out, CUgraph graph, CUcontext context,
                                        unsigned initial, unsigned flags) {
    CALL(context && !context_exists(context)
             ? cudaErrorDeviceUninitialized
             : cudaGraphConditionalHandleCreate((cudaGraphConditionalHandle *)out, graph, initial, flags));
}
#endif

/* ---- any node ---- */

#if CUDA_VERSION >= 12020
_Static_assert(sizeof(CUgraphNodeParams) == sizeof(struct cudaGraphNodeParams), "one layout, but for copies");

/* Everything except kernels and copies has the runtime's layout. */
static cudaError_t any_parameters(const CUgraphNodeParams *p, struct cudaGraphNodeParams *out, CUcontext *context) {
    *context = NULL;
    if (!p)
        return cudaErrorInvalidValue;
    memcpy(out, p, sizeof *out);
    if (p->type == CU_GRAPH_NODE_TYPE_KERNEL) {
        *context = p->kernel.func ? NULL : p->kernel.ctx;
        if (!p->kernel.func)
            out->kernel.func = (void *)p->kernel.kern;
    } else if (p->type == CU_GRAPH_NODE_TYPE_MEMSET) {
        *context = p->memset.ctx;
    } else if (p->type == CU_GRAPH_NODE_TYPE_MEMCPY) {
        *context = p->memcpy.copyCtx;
        memset(&out->memcpy, 0, sizeof out->memcpy);
        out->memcpy.flags = p->memcpy.flags;
        return copy_parameters(&p->memcpy.copyParams, &out->memcpy.copyParams);
    }
    return cudaSuccess;
}

/* Some nodes return results in their parameters: an address, or the graphs inside. */
static void answer(const struct cudaGraphNodeParams *from, CUgraphNodeParams *p) {
    if (p->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
        p->alloc.dptr = (uintptr_t)from->alloc.dptr;
#if CUDA_VERSION >= 12030
    if (p->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
        p->conditional.phGraph_out = from->conditional.phGraph_out;
#endif
}

static cudaError_t add_plainly(CUgraphNode *out, CUgraph graph, const CUgraphNode *before,
                               const cudaGraphEdgeData *data, size_t count, struct cudaGraphNodeParams *p) {
#if CUDART_VERSION >= 12030
    return RUNTIME(cudaGraphAddNode, out, graph, before, data, count, p);
#else
    return data ? cudaErrorInvalidValue : cudaGraphAddNode(out, graph, before, count, p);
#endif
}

static cudaError_t add_any_in(CUcontext context, CUgraphNode *out, CUgraph graph, const CUgraphNode *before,
                              const void *data, size_t count, struct cudaGraphNodeParams *p) {
    IN_CONTEXT(context, add_plainly(out, graph, before, data, count, p));
}

static cudaError_t add_any(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, const void *data, size_t count,
                           CUgraphNodeParams *p) {
    struct cudaGraphNodeParams same;
    CUcontext context;
    cudaError_t error = any_parameters(p, &same, &context);
    if (error == cudaSuccess)
        error = add_any_in(context, out, graph, before, data, count, &same);
    if (error == cudaSuccess)
        answer(&same, p);
    return error;
}

static cudaError_t set_any(CUgraphExec exec, CUgraphNode node, const CUgraphNodeParams *p) {
    struct cudaGraphNodeParams same;
    CUcontext context;
    cudaError_t error = any_parameters(p, &same, &context);
    if (error != cudaSuccess)
        return error;
    IN_CONTEXT(context, exec ? cudaGraphExecNodeSetParams(exec, node, &same) : cudaGraphNodeSetParams(node, &same));
}

EXPORT CUresult cuGraphAddNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                               CUgraphNodeParams *p);
EXPORT CUresult cuGraphAddNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                               CUgraphNodeParams *p) {
    CALL(add_any(out, graph, before, NULL, count, p));
}
#if CUDA_VERSION >= 12030
CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, const CUgraphEdgeData *data,
                           size_t count, CUgraphNodeParams *p) {
    CALL(add_any(out, graph, before, data, count, p));
}
#endif
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *p) {
    CALL(set_any(NULL, node, p));
}
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node, CUgraphNodeParams *p) {
    CALL(OF(exec, set_any(exec, node, p)));
}
#endif
