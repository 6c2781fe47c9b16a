// Many copies in one call.
#include "api_test.h"

#if CUDART_VERSION >= 13000
static char host[4096], back[4096];
static char *d;
static cudaStream_t s;

static void one_dimension() {
    void *dsts[] = {d, d + 1000, d + 2000};
    const void *srcs[] = {host, host + 500, host + 100};
    size_t sizes[] = {100, 200, 300}, one[] = {0}, two[] = {0, 2}, wrong[] = {1}, order[] = {2, 0};
    cudaMemcpyAttributes a[2] = {};
    a[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    a[1].srcAccessOrder = cudaMemcpySrcAccessOrderDuringApiCall;
    MUST(cudaMemset(d, 0, 4096));
    EXPECT(cudaSuccess, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, a, one, 1, s));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
    EXPECT(cudaSuccess, cudaMemcpy(back, d, 4096, cudaMemcpyDeviceToHost));
    check("the batch has been copied",
          !memcmp(back, host, 100) && !memcmp(back + 1000, host + 500, 200) && !memcmp(back + 2000, host + 100, 300) &&
              back[100] == 0 && back[2300] == 0,
          "it has not");
    EXPECT(cudaSuccess, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, a, two, 2, s));
    a[0].srcAccessOrder = cudaMemcpySrcAccessOrderAny;
    EXPECT(cudaSuccess, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, a, one, 1, s));
    a[0].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, a, one, 1, s));
    a[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, a, wrong, 1, s));
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, a, order, 2, s));
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, a, one, 4, s));
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(dsts, srcs, sizes, 0, a, one, 1, s));
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, a, one, 0, s));
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, 0, one, 1, s));
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(0, srcs, sizes, 3, a, one, 1, s));
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(dsts, 0, sizes, 3, a, one, 1, s));
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(dsts, srcs, 0, 3, a, one, 1, s));
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, a, one, 1, 0));
    a[0].flags = 99;
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, a, one, 1, s));
    a[0].flags = cudaMemcpyFlagPreferOverlapWithCompute;
    EXPECT(cudaSuccess, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, a, one, 1, s));
    sizes[1] = 5000;
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, a, one, 1, s));
    sizes[1] = 0;
    EXPECT(cudaErrorInvalidValue, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, a, one, 1, s));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
    cudaMemcpyAttributes stream_order = {};
    stream_order.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    sizes[1] = 200;
    EXPECT(cudaSuccess, cudaMemcpyBatchAsync(dsts, srcs, sizes, 3, stream_order, s));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
}

static void three_dimensions() {
    cudaArray_t array;
    cudaChannelFormatDesc texel = cudaCreateChannelDesc<short>();
    MUST(cudaMalloc3DArray(&array, &texel, make_cudaExtent(16, 8, 4)));
    cudaMemcpy3DBatchOp ops[2] = {};
    /* 6 x 5 x 2 texels of the host into the array at (3, 2, 1) */
    ops[0].src.type = cudaMemcpyOperandTypePointer;
    ops[0].src.op.ptr.ptr = host;
    ops[0].src.op.ptr.rowLength = 8;
    ops[0].src.op.ptr.layerHeight = 5;
    ops[0].dst.type = cudaMemcpyOperandTypeArray;
    ops[0].dst.op.array.array = array;
    ops[0].dst.op.array.offset = {3, 2, 1};
    ops[0].extent = make_cudaExtent(6, 5, 2);
    ops[0].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    /* plain memory: 10 x 4 x 3 bytes, tight on the device */
    ops[1].src.type = cudaMemcpyOperandTypePointer;
    ops[1].src.op.ptr.ptr = host + 64;
    ops[1].src.op.ptr.rowLength = 16;
    ops[1].src.op.ptr.layerHeight = 6;
    ops[1].dst.type = cudaMemcpyOperandTypePointer;
    ops[1].dst.op.ptr.ptr = d;
    ops[1].extent = make_cudaExtent(10, 4, 3);
    ops[1].srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    MUST(cudaMemset(d, 0, 4096));
    EXPECT(cudaSuccess, cudaMemcpy3DBatchAsync(2, ops, 0, s));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
    int wrong = 0;
    MUST(cudaMemcpy(back, d, 4096, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 120; i++)
        wrong += back[i] != host[64 + i % 10 + 16 * (i / 10 % 4 + 6 * (i / 40))];
    EXPECT_EQUAL("bytes that a batch got wrong", 0, wrong + (back[120] != 0));
    cudaMemcpy3DParms out = {};
    out.srcArray = array;
    out.dstPtr = make_cudaPitchedPtr(back, 32, 16, 8);
    out.extent = make_cudaExtent(16, 8, 4);
    out.kind = cudaMemcpyDeviceToHost;
    EXPECT(cudaSuccess, cudaMemcpy3D(&out));
    wrong = 0;
    for (int i = 0; i < 60; i++) {
        int x = i % 6, y = i / 6 % 5, z = i / 30;
        short expected, found;
        memcpy(&expected, host + 2 * (x + 8 * (y + 5 * z)), 2);
        memcpy(&found, back + 2 * (x + 3 + 16 * (y + 2 + 8 * (z + 1))), 2);
        wrong += expected != found;
    }
    EXPECT_EQUAL("texels that a batch got wrong", 0, wrong);
    EXPECT(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(0, ops, 0, s));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, 0, 0, s));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, ops, 1, s));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, ops, 0, 0));
    ops[0].extent.width = 14;
    EXPECT(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, ops, 0, s));
    ops[0].extent.width = 6;
    ops[0].src.op.ptr.rowLength = 5;
    EXPECT(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, ops, 0, s));
    ops[0].src.op.ptr.rowLength = 8;
    ops[1].srcAccessOrder = cudaMemcpySrcAccessOrderInvalid;
    EXPECT(cudaErrorInvalidValue, cudaMemcpy3DBatchAsync(2, ops, 0, s));
    EXPECT(cudaSuccess, cudaFreeArray(array));
}

int main() {
    for (int i = 0; i < 4096; i++)
        host[i] = (char)(i * 7 + i / 256);
    MUST(cudaMalloc(&d, 4096));
    MUST(cudaStreamCreate(&s));
    one_dimension();
    three_dimensions();
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
#else
int main() {
    return 0;
}
#endif
