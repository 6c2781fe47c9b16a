/* Many copies in one call, in the form of each version, and copies of boxes between contexts. */
#include "driver_test.h"

static char host[4096], back[4096];
static CUdeviceptr d;

static void box_between_contexts(CUcontext context) {
    CUDA_MEMCPY3D_PEER c = {.srcXInBytes = 1,
                            .srcY = 2,
                            .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                            .srcDevice = d,
                            .srcContext = context,
                            .srcPitch = 10,
                            .srcHeight = 10,
                            .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                            .dstDevice = d + 2048,
                            .dstContext = context,
                            .dstPitch = 4,
                            .dstHeight = 5,
                            .WidthInBytes = 3,
                            .Height = 5,
                            .Depth = 2};
    int wrong = 0;
    MUST(cuMemcpyHtoD(d, host, sizeof host));
    EXPECT(CUDA_SUCCESS, cuMemcpy3DPeer(&c));
    MUST(cuMemcpyDtoH(back, d + 2048, 40));
    for (int i = 0; i < 30; i++)
        wrong +=
            back[20 * (i / 15) + 4 * (i / 3 % 5) + i % 3] != host[100 * (i / 15) + 10 * (i / 3 % 5 + 2) + i % 3 + 1];
    EXPECT_EQUAL("bytes of a box that are wrong", 0, wrong);
    EXPECT_EQUAL("bytes beside it stay", host[2048 + 3], back[3]);
    MUST(cuMemsetD8(d + 2048, 0, 40));
    EXPECT(CUDA_SUCCESS, cuMemcpy3DPeerAsync(&c, NULL));
    MUST(cuMemcpyDtoH(back, d + 2048, 40));
    EXPECT_EQUAL("the same in a stream's order", host[21], back[0]);
    if (refuses_nonsense()) {
        c.dstContext = (CUcontext)(void *)host;
        EXPECT(CUDA_ERROR_INVALID_CONTEXT, cuMemcpy3DPeer(&c));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DPeer(NULL));
    }
}

#if CUDA_VERSION >= 13000
static CUstream s;

/* The first forms say which copy was refused. */
typedef CUresult (*rows_form)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t,
                              size_t *, CUstream);
typedef CUresult (*boxes_form)(size_t, CUDA_MEMCPY3D_BATCH_OP *, size_t *, unsigned long long, CUstream);

static void *form(const char *name, int version) {
    void *function = NULL;
    MUST(cuGetProcAddress(name, &function, version, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
    return function;
}

static void rows(void) {
    CUdeviceptr to[] = {d, d + 1000, d + 2000},
                from[] = {(CUdeviceptr)host, (CUdeviceptr)(host + 500), (CUdeviceptr)(host + 100)};
    size_t sizes[] = {100, 200, 300}, indices[] = {0, 2}, wrong[] = {1}, failed = 9;
    CUmemcpyAttributes a[2] = {{.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM},
                               {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL}};
    MUST(cuMemsetD8(d, 0, sizeof back));
    MUST(cuCtxSynchronize());
    EXPECT(CUDA_SUCCESS, cuMemcpyBatchAsync(to, from, sizes, 3, a, indices, 2, s));
    EXPECT(CUDA_SUCCESS, cuStreamSynchronize(s));
    MUST(cuMemcpyDtoH(back, d, sizeof back));
    check("the batch has been copied",
          !memcmp(back, host, 100) && !memcmp(back + 1000, host + 500, 200) && !memcmp(back + 2000, host + 100, 300) &&
              !back[100] && !back[2300],
          "it has not");
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync(to, from, sizes, 3, a, wrong, 1, s));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync(to, from, sizes, 0, a, indices, 1, s));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyBatchAsync(to, from, sizes, 3, a, indices, 1, NULL));
    rows_form first = (rows_form)(uintptr_t)form("cuMemcpyBatchAsync", 12080);
    check("the first form is another", first != (rows_form)(uintptr_t)form("cuMemcpyBatchAsync", 13000), "the same");
    EXPECT(CUDA_SUCCESS, first(to, from, sizes, 3, a, indices, 2, &failed, s));
    sizes[1] = 5000;
    EXPECT(CUDA_ERROR_INVALID_VALUE, first(to, from, sizes, 3, a, indices, 2, &failed, s));
    if (refuses_nonsense())
        EXPECT_EQUAL("which of them is refused", 1, failed);
    MUST(cuStreamSynchronize(s));
}

static void boxes(void) {
    CUDA_MEMCPY3D_BATCH_OP o = {.extent = {10, 4, 3}, .srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_STREAM};
    size_t failed = 9;
    int wrong = 0;
    o.src.type = o.dst.type = CU_MEMCPY_OPERAND_TYPE_POINTER;
    o.src.op.ptr.ptr = (CUdeviceptr)(host + 64);
    o.src.op.ptr.rowLength = 16;
    o.src.op.ptr.layerHeight = 6;
    o.dst.op.ptr.ptr = d;
    MUST(cuMemsetD8(d, 0, sizeof back));
    MUST(cuCtxSynchronize());
    EXPECT(CUDA_SUCCESS, cuMemcpy3DBatchAsync(1, &o, 0, s));
    EXPECT(CUDA_SUCCESS, cuStreamSynchronize(s));
    MUST(cuMemcpyDtoH(back, d, sizeof back));
    for (int i = 0; i < 120; i++)
        wrong += back[i] != host[64 + i % 10 + 16 * (i / 10 % 4 + 6 * (i / 40))];
    EXPECT_EQUAL("bytes that a batch of boxes got wrong", 0, wrong + (back[120] != 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync(0, &o, 0, s));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3DBatchAsync(1, &o, 1, s));
    boxes_form first = (boxes_form)(uintptr_t)form("cuMemcpy3DBatchAsync", 12080);
    EXPECT(CUDA_SUCCESS, first(1, &o, &failed, 0, s));
    o.src.op.ptr.rowLength = 5;
    EXPECT(CUDA_ERROR_INVALID_VALUE, first(1, &o, &failed, 0, s));
    if (refuses_nonsense())
        EXPECT_EQUAL("the box that is refused", 0, failed);
    MUST(cuStreamSynchronize(s));
}

/* In the form for threads with streams of their own, NULL is refused as well. */
static void own_stream(void) {
    void *function = NULL;
    CUdeviceptr to[] = {d}, from[] = {(CUdeviceptr)host};
    size_t sizes[] = {100}, indices[] = {0};
    CUmemcpyAttributes a = {.srcAccessOrder = CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL};
    MUST(cuGetProcAddress("cuMemcpyBatchAsync", &function, 13000, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
    CUresult (*own)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t, CUstream) =
        (CUresult(*)(CUdeviceptr *, CUdeviceptr *, size_t *, size_t, CUmemcpyAttributes *, size_t *, size_t, CUstream))(
            uintptr_t)function;
    EXPECT(CUDA_ERROR_INVALID_VALUE, own(to, from, sizes, 1, &a, indices, 1, NULL));
    EXPECT(CUDA_SUCCESS, own(to, from, sizes, 1, &a, indices, 1, CU_STREAM_PER_THREAD));
    MUST(cuCtxSynchronize());
}
#endif

int main(void) {
    CUcontext context = begin();
    for (int i = 0; i < (int)sizeof host; i++)
        host[i] = (char)(i * 7 + i / 256);
    MUST(cuMemAlloc(&d, sizeof host));
    box_between_contexts(context);
#if CUDA_VERSION >= 13000
    MUST(cuStreamCreate(&s, 0));
    rows();
    boxes();
    own_stream();
    MUST(cuStreamDestroy(s));
#endif
    MUST(cuMemFree(d));
    return failures != 0;
}
