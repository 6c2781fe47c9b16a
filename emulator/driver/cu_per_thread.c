/* The twins for programs in which each thread has its own default stream: stream 0 means that one. */
#include "driver/driver.h"

#define OWN(stream) ((stream) ? (stream) : CU_STREAM_PER_THREAD)

#define TWIN(name, ending, parameters, arguments)                                                                      \
    EXPORT CUresult name##_##ending parameters;                                                                        \
    EXPORT CUresult name##_##ending parameters {                                                                       \
        return name arguments;                                                                                         \
    }

TWIN(cuLaunchKernel, ptsz,
     (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned n,
      CUstream s, void **a, void **e),
     (f, gx, gy, gz, bx, by, bz, n, OWN(s), a, e))
TWIN(cuLaunchCooperativeKernel, ptsz,
     (CUfunction f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned n,
      CUstream s, void **a),
     (f, gx, gy, gz, bx, by, bz, n, OWN(s), a))
TWIN(cuLaunchHostFunc, ptsz, (CUstream s, CUhostFn f, void *d), (OWN(s), f, d))
TWIN(cuMemcpyAsync, ptsz, (CUdeviceptr t, CUdeviceptr f, size_t n, CUstream s), (t, f, n, OWN(s)))
TWIN(cuMemcpyPeerAsync, ptsz, (CUdeviceptr t, CUcontext tc, CUdeviceptr f, CUcontext fc, size_t n, CUstream s),
     (t, tc, f, fc, n, OWN(s)))
TWIN(cuMemcpyHtoDAsync_v2, ptsz, (CUdeviceptr t, const void *f, size_t n, CUstream s), (t, f, n, OWN(s)))
TWIN(cuMemcpyDtoHAsync_v2, ptsz, (void *t, CUdeviceptr f, size_t n, CUstream s), (t, f, n, OWN(s)))
TWIN(cuMemcpyDtoDAsync_v2, ptsz, (CUdeviceptr t, CUdeviceptr f, size_t n, CUstream s), (t, f, n, OWN(s)))
TWIN(cuMemcpyHtoAAsync_v2, ptsz, (CUarray t, size_t o, const void *f, size_t n, CUstream s), (t, o, f, n, OWN(s)))
TWIN(cuMemcpyAtoHAsync_v2, ptsz, (void *t, CUarray f, size_t o, size_t n, CUstream s), (t, f, o, n, OWN(s)))
TWIN(cuMemcpy2DAsync_v2, ptsz, (const CUDA_MEMCPY2D *c, CUstream s), (c, OWN(s)))
TWIN(cuMemcpy3DAsync_v2, ptsz, (const CUDA_MEMCPY3D *c, CUstream s), (c, OWN(s)))
TWIN(cuMemcpy3DPeerAsync, ptsz, (const CUDA_MEMCPY3D_PEER *c, CUstream s), (c, OWN(s)))
#if CUDART_VERSION >= 12080
#undef cuMemcpyBatchAsync
#undef cuMemcpy3DBatchAsync
EXPORT CUresult cuMemcpyBatchAsync(CUdeviceptr *t, CUdeviceptr *f, size_t *n, size_t c, CUmemcpyAttributes *a,
                                   size_t *i, size_t k, size_t *failed, CUstream s);
EXPORT CUresult cuMemcpyBatchAsync_v2(CUdeviceptr *t, CUdeviceptr *f, size_t *n, size_t c, CUmemcpyAttributes *a,
                                      size_t *i, size_t k, CUstream s);
EXPORT CUresult cuMemcpy3DBatchAsync(size_t c, CUDA_MEMCPY3D_BATCH_OP *o, size_t *failed, unsigned long long f,
                                     CUstream s);
EXPORT CUresult cuMemcpy3DBatchAsync_v2(size_t c, CUDA_MEMCPY3D_BATCH_OP *o, unsigned long long f, CUstream s);
/* These refuse NULL in this form, too, as NVIDIA's driver does: the stream has to be named. */
TWIN(cuMemcpyBatchAsync, ptsz,
     (CUdeviceptr * t, CUdeviceptr *f, size_t *n, size_t c, CUmemcpyAttributes *a, size_t *i, size_t k, size_t *failed,
      CUstream s),
     (t, f, n, c, a, i, k, failed, s))
TWIN(cuMemcpyBatchAsync_v2, ptsz,
     (CUdeviceptr * t, CUdeviceptr *f, size_t *n, size_t c, CUmemcpyAttributes *a, size_t *i, size_t k, CUstream s),
     (t, f, n, c, a, i, k, s))
TWIN(cuMemcpy3DBatchAsync, ptsz,
     (size_t c, CUDA_MEMCPY3D_BATCH_OP *o, size_t *failed, unsigned long long f, CUstream s), (c, o, failed, f, s))
TWIN(cuMemcpy3DBatchAsync_v2, ptsz, (size_t c, CUDA_MEMCPY3D_BATCH_OP *o, unsigned long long f, CUstream s),
     (c, o, f, s))
#endif
TWIN(cuMemsetD8Async, ptsz, (CUdeviceptr t, unsigned char v, size_t n, CUstream s), (t, v, n, OWN(s)))
TWIN(cuMemsetD16Async, ptsz, (CUdeviceptr t, unsigned short v, size_t n, CUstream s), (t, v, n, OWN(s)))
TWIN(cuMemsetD32Async, ptsz, (CUdeviceptr t, unsigned v, size_t n, CUstream s), (t, v, n, OWN(s)))
TWIN(cuMemsetD2D8Async, ptsz, (CUdeviceptr t, size_t p, unsigned char v, size_t w, size_t h, CUstream s),
     (t, p, v, w, h, OWN(s)))
TWIN(cuMemsetD2D16Async, ptsz, (CUdeviceptr t, size_t p, unsigned short v, size_t w, size_t h, CUstream s),
     (t, p, v, w, h, OWN(s)))
TWIN(cuMemsetD2D32Async, ptsz, (CUdeviceptr t, size_t p, unsigned v, size_t w, size_t h, CUstream s),
     (t, p, v, w, h, OWN(s)))
TWIN(cuMemAllocAsync, ptsz, (CUdeviceptr * o, size_t n, CUstream s), (o, n, OWN(s)))
TWIN(cuMemAllocFromPoolAsync, ptsz, (CUdeviceptr * o, size_t n, CUmemoryPool p, CUstream s), (o, n, p, OWN(s)))
TWIN(cuMemFreeAsync, ptsz, (CUdeviceptr p, CUstream s), (p, OWN(s)))
#undef cuMemPrefetchAsync
EXPORT CUresult cuMemPrefetchAsync(CUdeviceptr p, size_t n, CUdevice d, CUstream s);
EXPORT CUresult cuMemPrefetchAsync_v2(CUdeviceptr p, size_t n, CUmemLocation l, unsigned f, CUstream s);
TWIN(cuMemPrefetchAsync, ptsz, (CUdeviceptr p, size_t n, CUdevice d, CUstream s), (p, n, d, OWN(s)))
TWIN(cuMemPrefetchAsync_v2, ptsz, (CUdeviceptr p, size_t n, CUmemLocation l, unsigned f, CUstream s),
     (p, n, l, f, OWN(s)))
#if CUDART_VERSION >= 13000
TWIN(cuMemPrefetchBatchAsync, ptsz,
     (CUdeviceptr * p, size_t *n, size_t c, CUmemLocation *l, size_t *i, size_t k, unsigned long long f, CUstream s),
     (p, n, c, l, i, k, f, OWN(s)))
TWIN(cuMemDiscardBatchAsync, ptsz, (CUdeviceptr * p, size_t *n, size_t c, unsigned long long f, CUstream s),
     (p, n, c, f, OWN(s)))
TWIN(cuMemDiscardAndPrefetchBatchAsync, ptsz,
     (CUdeviceptr * p, size_t *n, size_t c, CUmemLocation *l, size_t *i, size_t k, unsigned long long f, CUstream s),
     (p, n, c, l, i, k, f, OWN(s)))
#endif
TWIN(cuStreamGetPriority, ptsz, (CUstream s, int *p), (OWN(s), p))
TWIN(cuStreamGetFlags, ptsz, (CUstream s, unsigned *f), (OWN(s), f))
TWIN(cuStreamGetId, ptsz, (CUstream s, unsigned long long *i), (OWN(s), i))
TWIN(cuStreamGetCtx, ptsz, (CUstream s, CUcontext *c), (OWN(s), c))
#if CUDART_VERSION >= 12050
TWIN(cuStreamGetCtx_v2, ptsz, (CUstream s, CUcontext *c, CUgreenCtx *g), (OWN(s), c, g))
#endif
#if CUDART_VERSION >= 12080
TWIN(cuStreamGetDevice, ptsz, (CUstream s, CUdevice *d), (OWN(s), d))
#endif
TWIN(cuStreamWaitEvent, ptsz, (CUstream s, CUevent e, unsigned f), (OWN(s), e, f))
TWIN(cuStreamAddCallback, ptsz, (CUstream s, CUstreamCallback c, void *d, unsigned f), (OWN(s), c, d, f))
TWIN(cuStreamQuery, ptsz, (CUstream s), (OWN(s)))
TWIN(cuStreamSynchronize, ptsz, (CUstream s), (OWN(s)))
TWIN(cuStreamAttachMemAsync, ptsz, (CUstream s, CUdeviceptr p, size_t n, unsigned f), (OWN(s), p, n, f))
TWIN(cuStreamCopyAttributes, ptsz, (CUstream t, CUstream f), (OWN(t), OWN(f)))
TWIN(cuStreamGetAttribute, ptsz, (CUstream s, CUstreamAttrID i, CUstreamAttrValue *v), (OWN(s), i, v))
TWIN(cuStreamSetAttribute, ptsz, (CUstream s, CUstreamAttrID i, const CUstreamAttrValue *v), (OWN(s), i, v))
TWIN(cuStreamBeginCapture_v2, ptsz, (CUstream s, CUstreamCaptureMode m), (OWN(s), m))
TWIN(cuStreamEndCapture, ptsz, (CUstream s, CUgraph *g), (OWN(s), g))
TWIN(cuStreamIsCapturing, ptsz, (CUstream s, CUstreamCaptureStatus *c), (OWN(s), c))
#undef cuStreamGetCaptureInfo
EXPORT CUresult cuStreamGetCaptureInfo(CUstream s, CUstreamCaptureStatus *c, cuuint64_t *i);
TWIN(cuStreamGetCaptureInfo, ptsz, (CUstream s, CUstreamCaptureStatus *c, cuuint64_t *i), (OWN(s), c, i))
EXPORT CUresult cuStreamGetCaptureInfo_v2(CUstream s, CUstreamCaptureStatus *c, cuuint64_t *i, CUgraph *g,
                                          const CUgraphNode **b, size_t *n);
TWIN(cuStreamGetCaptureInfo_v2, ptsz,
     (CUstream s, CUstreamCaptureStatus *c, cuuint64_t *i, CUgraph *g, const CUgraphNode **b, size_t *n),
     (OWN(s), c, i, g, b, n))
#if CUDA_VERSION >= 12030
EXPORT CUresult cuStreamGetCaptureInfo_v3(CUstream s, CUstreamCaptureStatus *c, cuuint64_t *i, CUgraph *g,
                                          const CUgraphNode **b, const CUgraphEdgeData **e, size_t *n);
TWIN(cuStreamGetCaptureInfo_v3, ptsz,
     (CUstream s, CUstreamCaptureStatus *c, cuuint64_t *i, CUgraph *g, const CUgraphNode **b, const CUgraphEdgeData **e,
      size_t *n),
     (OWN(s), c, i, g, b, e, n))
TWIN(cuStreamBeginCaptureToGraph, ptsz,
     (CUstream s, CUgraph g, const CUgraphNode *b, const CUgraphEdgeData *e, size_t n, CUstreamCaptureMode m),
     (OWN(s), g, b, e, n, m))
#endif
#undef cuStreamUpdateCaptureDependencies
EXPORT CUresult cuStreamUpdateCaptureDependencies(CUstream s, CUgraphNode *b, size_t n, unsigned f);
TWIN(cuStreamUpdateCaptureDependencies, ptsz, (CUstream s, CUgraphNode *b, size_t n, unsigned f), (OWN(s), b, n, f))
#if CUDA_VERSION >= 12030
EXPORT CUresult cuStreamUpdateCaptureDependencies_v2(CUstream s, CUgraphNode *b, const CUgraphEdgeData *e, size_t n,
                                                     unsigned f);
TWIN(cuStreamUpdateCaptureDependencies_v2, ptsz,
     (CUstream s, CUgraphNode *b, const CUgraphEdgeData *e, size_t n, unsigned f), (OWN(s), b, e, n, f))
#endif
TWIN(cuEventRecord, ptsz, (CUevent e, CUstream s), (e, OWN(s)))
TWIN(cuEventRecordWithFlags, ptsz, (CUevent e, CUstream s, unsigned f), (e, OWN(s), f))
TWIN(cuGraphLaunch, ptsz, (CUgraphExec e, CUstream s), (e, OWN(s)))
TWIN(cuGraphUpload, ptsz, (CUgraphExec e, CUstream s), (e, OWN(s)))

EXPORT CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **arguments, void **extra);
EXPORT CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **arguments, void **extra) {
    if (!config)
        return CUDA_ERROR_INVALID_VALUE;
    CUlaunchConfig own = *config;
    own.hStream = OWN(own.hStream);
    return cuLaunchKernelEx(&own, f, arguments, extra);
}

EXPORT CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec *out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *p);
EXPORT CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec *out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *p) {
    if (!p)
        return CUDA_ERROR_INVALID_VALUE;
    CUDA_GRAPH_INSTANTIATE_PARAMS own = *p;
    own.hUploadStream = OWN(own.hUploadStream);
    CUresult error = cuGraphInstantiateWithParams(out, graph, &own);
    p->hErrNode_out = own.hErrNode_out;
    p->result_out = own.result_out;
    return error;
}

/* Functions without a stream: their work is ordered in the thread's stream; a copy is waited for. */
#define FILLING(name, parameters, call)                                                                                \
    EXPORT CUresult name##_ptds parameters;                                                                            \
    EXPORT CUresult name##_ptds parameters {                                                                           \
        return call;                                                                                                   \
    }
#define WAITING(name, parameters, call)                                                                                \
    EXPORT CUresult name##_ptds parameters;                                                                            \
    EXPORT CUresult name##_ptds parameters {                                                                           \
        CUresult error = call;                                                                                         \
        return error == CUDA_SUCCESS ? cuStreamSynchronize(CU_STREAM_PER_THREAD) : error;                              \
    }

WAITING(cuMemcpy, (CUdeviceptr t, CUdeviceptr f, size_t n), cuMemcpyAsync(t, f, n, OWN(NULL)))
WAITING(cuMemcpyHtoD_v2, (CUdeviceptr t, const void *f, size_t n), cuMemcpyHtoDAsync_v2(t, f, n, OWN(NULL)))
WAITING(cuMemcpyDtoH_v2, (void *t, CUdeviceptr f, size_t n), cuMemcpyDtoHAsync_v2(t, f, n, OWN(NULL)))
WAITING(cuMemcpyDtoD_v2, (CUdeviceptr t, CUdeviceptr f, size_t n), cuMemcpyDtoDAsync_v2(t, f, n, OWN(NULL)))
WAITING(cuMemcpyPeer, (CUdeviceptr t, CUcontext tc, CUdeviceptr f, CUcontext fc, size_t n),
        cuMemcpyPeerAsync(t, tc, f, fc, n, OWN(NULL)))
WAITING(cuMemcpy2D_v2, (const CUDA_MEMCPY2D *c), cuMemcpy2DAsync_v2(c, OWN(NULL)))
WAITING(cuMemcpy2DUnaligned_v2, (const CUDA_MEMCPY2D *c), cuMemcpy2DAsync_v2(c, OWN(NULL)))
WAITING(cuMemcpy3D_v2, (const CUDA_MEMCPY3D *c), cuMemcpy3DAsync_v2(c, OWN(NULL)))
WAITING(cuMemcpy3DPeer, (const CUDA_MEMCPY3D_PEER *c), cuMemcpy3DPeerAsync(c, OWN(NULL)))
FILLING(cuMemsetD8_v2, (CUdeviceptr t, unsigned char v, size_t n), cuMemsetD8Async(t, v, n, OWN(NULL)))
FILLING(cuMemsetD16_v2, (CUdeviceptr t, unsigned short v, size_t n), cuMemsetD16Async(t, v, n, OWN(NULL)))
FILLING(cuMemsetD32_v2, (CUdeviceptr t, unsigned v, size_t n), cuMemsetD32Async(t, v, n, OWN(NULL)))
FILLING(cuMemsetD2D8_v2, (CUdeviceptr t, size_t p, unsigned char v, size_t w, size_t h),
        cuMemsetD2D8Async(t, p, v, w, h, OWN(NULL)))
FILLING(cuMemsetD2D16_v2, (CUdeviceptr t, size_t p, unsigned short v, size_t w, size_t h),
        cuMemsetD2D16Async(t, p, v, w, h, OWN(NULL)))
FILLING(cuMemsetD2D32_v2, (CUdeviceptr t, size_t p, unsigned v, size_t w, size_t h),
        cuMemsetD2D32Async(t, p, v, w, h, OWN(NULL)))
