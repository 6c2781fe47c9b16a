/* The twins that nvcc --default-stream per-thread calls: stream 0 means the calling thread's own default stream. */
#include "api/api.h"

/* For a call whose stream is the last argument. */
#define OWN(stream) ((stream) ? (stream) : cudaStreamPerThread)
#define TWIN(name, parameters, arguments)                                                                              \
    EXPORT cudaError_t name##_ptsz parameters {                                                                        \
        return name arguments;                                                                                         \
    }

EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                      cudaStream_t stream);

TWIN(__cudaLaunchKernel, (cudaKernel_t k, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s), (k, g, b, a, n, OWN(s)))
TWIN(cudaLaunchKernel, (const void *f, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s), (f, g, b, a, n, OWN(s)))
TWIN(cudaLaunchCooperativeKernel, (const void *f, dim3 g, dim3 b, void **a, size_t n, cudaStream_t s),
     (f, g, b, a, n, OWN(s)))
TWIN(cudaLaunchHostFunc, (cudaStream_t s, cudaHostFn_t f, void *d), (OWN(s), f, d))

EXPORT cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *function, void **args) {
    if (!config)
        return state_return(cudaErrorInvalidValue);
    cudaLaunchConfig_t own = *config;
    own.stream = OWN(own.stream);
    return cudaLaunchKernelExC(&own, function, args);
}

TWIN(cudaMemcpyAsync, (void *to, const void *from, size_t n, enum cudaMemcpyKind k, cudaStream_t s),
     (to, from, n, k, OWN(s)))
TWIN(cudaMemcpy2DAsync,
     (void *to, size_t tp, const void *from, size_t fp, size_t w, size_t h, enum cudaMemcpyKind k, cudaStream_t s),
     (to, tp, from, fp, w, h, k, OWN(s)))
TWIN(cudaMemcpy3DAsync, (const struct cudaMemcpy3DParms *p, cudaStream_t s), (p, OWN(s)))
TWIN(cudaMemcpy3DPeerAsync, (const struct cudaMemcpy3DPeerParms *p, cudaStream_t s), (p, OWN(s)))
TWIN(cudaMemcpyToSymbolAsync,
     (const void *to, const void *from, size_t n, size_t at, enum cudaMemcpyKind k, cudaStream_t s),
     (to, from, n, at, k, OWN(s)))
TWIN(cudaMemcpyFromSymbolAsync,
     (void *to, const void *from, size_t n, size_t at, enum cudaMemcpyKind k, cudaStream_t s),
     (to, from, n, at, k, OWN(s)))
TWIN(cudaMemsetAsync, (void *to, int v, size_t n, cudaStream_t s), (to, v, n, OWN(s)))
TWIN(cudaMemset2DAsync, (void *to, size_t p, int v, size_t w, size_t h, cudaStream_t s), (to, p, v, w, h, OWN(s)))
TWIN(cudaMemset3DAsync, (struct cudaPitchedPtr to, int v, struct cudaExtent e, cudaStream_t s), (to, v, e, OWN(s)))
TWIN(cudaMallocAsync, (void **out, size_t n, cudaStream_t s), (out, n, OWN(s)))
TWIN(cudaMallocFromPoolAsync, (void **out, size_t n, cudaMemPool_t p, cudaStream_t s), (out, n, p, OWN(s)))
TWIN(cudaFreeAsync, (void *p, cudaStream_t s), (p, OWN(s)))
#if CUDART_VERSION >= 13000
TWIN(cudaMemPrefetchAsync, (const void *p, size_t n, struct cudaMemLocation l, unsigned f, cudaStream_t s),
     (p, n, l, f, OWN(s)))
TWIN(cudaMemPrefetchBatchAsync,
     (void **p, size_t *n, size_t c, struct cudaMemLocation *l, size_t *i, size_t m, unsigned long long f,
      cudaStream_t s),
     (p, n, c, l, i, m, f, OWN(s)))
TWIN(cudaMemDiscardBatchAsync, (void **p, size_t *n, size_t c, unsigned long long f, cudaStream_t s),
     (p, n, c, f, OWN(s)))
TWIN(cudaMemDiscardAndPrefetchBatchAsync,
     (void **p, size_t *n, size_t c, struct cudaMemLocation *l, size_t *i, size_t m, unsigned long long f,
      cudaStream_t s),
     (p, n, c, l, i, m, f, OWN(s)))
TWIN(cudaMemcpyBatchAsync,
     (void *const *to, const void *const *from, const size_t *n, size_t c, struct cudaMemcpyAttributes *a, size_t *i,
      size_t m, cudaStream_t s),
     (to, from, n, c, a, i, m, OWN(s)))
TWIN(cudaMemcpy3DBatchAsync, (size_t c, struct cudaMemcpy3DBatchOp *o, unsigned long long f, cudaStream_t s),
     (c, o, f, OWN(s)))
#else
TWIN(cudaMemPrefetchAsync, (const void *p, size_t n, int d, cudaStream_t s), (p, n, d, OWN(s)))
EXPORT cudaError_t cudaMemPrefetchAsync_v2(const void *p, size_t n, struct cudaMemLocation l, unsigned f,
                                           cudaStream_t s);
TWIN(cudaMemPrefetchAsync_v2, (const void *p, size_t n, struct cudaMemLocation l, unsigned f, cudaStream_t s),
     (p, n, l, f, OWN(s)))
#if CUDART_VERSION >= 12080
TWIN(cudaMemcpyBatchAsync,
     (void **to, void **from, size_t *n, size_t c, struct cudaMemcpyAttributes *a, size_t *i, size_t m, size_t *e,
      cudaStream_t s),
     (to, from, n, c, a, i, m, e, OWN(s)))
TWIN(cudaMemcpy3DBatchAsync, (size_t c, struct cudaMemcpy3DBatchOp *o, size_t *e, unsigned long long f, cudaStream_t s),
     (c, o, e, f, OWN(s)))
#endif
#endif

#if CUDART_VERSION >= 12080
TWIN(cudaStreamGetDevice, (cudaStream_t s, int *d), (OWN(s), d))
#endif

TWIN(cudaStreamSetAttribute, (cudaStream_t s, cudaLaunchAttributeID i, const cudaLaunchAttributeValue *v),
     (OWN(s), i, v))
TWIN(cudaStreamGetAttribute, (cudaStream_t s, cudaLaunchAttributeID i, cudaLaunchAttributeValue *v), (OWN(s), i, v))
TWIN(cudaStreamCopyAttributes, (cudaStream_t t, cudaStream_t f), (OWN(t), OWN(f)))
TWIN(cudaStreamSynchronize, (cudaStream_t s), (OWN(s)))
TWIN(cudaStreamQuery, (cudaStream_t s), (OWN(s)))
TWIN(cudaStreamGetFlags, (cudaStream_t s, unsigned *f), (OWN(s), f))
TWIN(cudaStreamGetPriority, (cudaStream_t s, int *p), (OWN(s), p))
TWIN(cudaStreamGetId, (cudaStream_t s, unsigned long long *i), (OWN(s), i))
TWIN(cudaStreamIsCapturing, (cudaStream_t s, enum cudaStreamCaptureStatus *c), (OWN(s), c))
TWIN(cudaStreamAttachMemAsync, (cudaStream_t s, void *p, size_t n, unsigned f), (OWN(s), p, n, f))
TWIN(cudaStreamAddCallback, (cudaStream_t s, cudaStreamCallback_t c, void *d, unsigned f), (OWN(s), c, d, f))
TWIN(cudaStreamWaitEvent, (cudaStream_t s, cudaEvent_t e, unsigned f), (OWN(s), e, f))
TWIN(cudaEventRecord, (cudaEvent_t e, cudaStream_t s), (e, OWN(s)))
TWIN(cudaEventRecordWithFlags, (cudaEvent_t e, cudaStream_t s, unsigned f), (e, OWN(s), f))

TWIN(cudaGraphLaunch, (cudaGraphExec_t e, cudaStream_t s), (e, OWN(s)))
TWIN(cudaGraphUpload, (cudaGraphExec_t e, cudaStream_t s), (e, OWN(s)))
TWIN(cudaStreamBeginCapture, (cudaStream_t s, enum cudaStreamCaptureMode m), (OWN(s), m))
TWIN(cudaStreamEndCapture, (cudaStream_t s, cudaGraph_t *g), (OWN(s), g))
#if CUDART_VERSION >= 12030
TWIN(cudaStreamBeginCaptureToGraph,
     (cudaStream_t s, cudaGraph_t g, const cudaGraphNode_t *n, const cudaGraphEdgeData *d, size_t c,
      enum cudaStreamCaptureMode m),
     (OWN(s), g, n, d, c, m))
#endif

EXPORT cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *out, cudaGraph_t graph,
                                                       cudaGraphInstantiateParams *p) {
    if (p)
        p->uploadStream = OWN(p->uploadStream);
    return cudaGraphInstantiateWithParams(out, graph, p);
}

#if CUDART_VERSION >= 13000
TWIN(cudaStreamGetCaptureInfo,
     (cudaStream_t s, enum cudaStreamCaptureStatus *t, unsigned long long *i, cudaGraph_t *g, const cudaGraphNode_t **n,
      const cudaGraphEdgeData **d, size_t *c),
     (OWN(s), t, i, g, n, d, c))
TWIN(cudaStreamUpdateCaptureDependencies,
     (cudaStream_t s, cudaGraphNode_t *n, const cudaGraphEdgeData *d, size_t c, unsigned f), (OWN(s), n, d, c, f))
#else
#undef cudaStreamGetCaptureInfo
EXPORT cudaError_t cudaStreamGetCaptureInfo(cudaStream_t s, enum cudaStreamCaptureStatus *t, unsigned long long *i);
TWIN(cudaStreamGetCaptureInfo, (cudaStream_t s, enum cudaStreamCaptureStatus *t, unsigned long long *i), (OWN(s), t, i))
TWIN(cudaStreamGetCaptureInfo_v2,
     (cudaStream_t s, enum cudaStreamCaptureStatus *t, unsigned long long *i, cudaGraph_t *g, const cudaGraphNode_t **n,
      size_t *c),
     (OWN(s), t, i, g, n, c))
TWIN(cudaStreamGetCaptureInfo_v3,
     (cudaStream_t s, enum cudaStreamCaptureStatus *t, unsigned long long *i, cudaGraph_t *g, const cudaGraphNode_t **n,
      const cudaGraphEdgeData **d, size_t *c),
     (OWN(s), t, i, g, n, d, c))
TWIN(cudaStreamUpdateCaptureDependencies, (cudaStream_t s, cudaGraphNode_t *n, size_t c, unsigned f), (OWN(s), n, c, f))
TWIN(cudaStreamUpdateCaptureDependencies_v2,
     (cudaStream_t s, cudaGraphNode_t *n, const cudaGraphEdgeData *d, size_t c, unsigned f), (OWN(s), n, d, c, f))
#endif
