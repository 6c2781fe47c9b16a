// Copies to, from and between CUDA arrays, asynchronous boxes, and the last questions about surfaces.
#include "api_test.h"
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#pragma nv_diag_suppress 1444

enum { WIDTH = 16, HEIGHT = 8, BYTES = WIDTH * HEIGHT };
static unsigned char in[BYTES], out[BYTES];
static cudaArray_t a, b;
static cudaStream_t s;

/* Everything in `out` is zero but a rectangle that came from `in` at another place. */
static void expect_rectangle(const char *name, int x, int y, int width, int height, int from_x, int from_y) {
    int wrong = 0;
    for (int i = 0; i < BYTES; i++) {
        int u = i % WIDTH - x, v = i / WIDTH - y;
        bool inside = u >= 0 && u < width && v >= 0 && v < height;
        wrong += out[i] != (inside ? in[(v + from_y) * WIDTH + u + from_x] : 0);
    }
    EXPECT_EQUAL(name, 0, wrong);
}

static void clear(cudaArray_t array) {
    static const unsigned char zeros[BYTES] = {};
    MUST(cudaMemcpy2DToArray(array, 0, 0, zeros, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    memset(out, 0, sizeof out);
}

static void rectangles() {
    clear(a);
    clear(b);
    EXPECT(cudaSuccess, cudaMemcpy2DToArray(a, 0, 0, in, WIDTH, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMemcpy2DFromArray(out + 2 * WIDTH + 3, WIDTH, a, 1, 4, 5, 3, cudaMemcpyDeviceToHost));
    expect_rectangle("cudaMemcpy2DFromArray", 3, 2, 5, 3, 1, 4);
    memset(out, 0, sizeof out);
    EXPECT(cudaSuccess, cudaMemcpy2DFromArrayAsync(out, WIDTH, a, 0, 0, WIDTH, HEIGHT, cudaMemcpyDeviceToHost, s));
    MUST(cudaStreamSynchronize(s));
    expect_rectangle("cudaMemcpy2DFromArrayAsync", 0, 0, WIDTH, HEIGHT, 0, 0);
    EXPECT(cudaSuccess, cudaMemcpy2DArrayToArray(b, 4, 1, a, 2, 3, 6, 4));
    MUST(cudaMemcpy2DFromArray(out, WIDTH, b, 0, 0, WIDTH, HEIGHT, cudaMemcpyDeviceToHost));
    expect_rectangle("cudaMemcpy2DArrayToArray", 4, 1, 6, 4, 2, 3);
    clear(b);
    EXPECT(cudaSuccess, cudaMemcpy2DToArrayAsync(b, 2, 2, in, WIDTH, 7, 5, cudaMemcpyHostToDevice, s));
    MUST(cudaStreamSynchronize(s));
    MUST(cudaMemcpy2DFromArray(out, WIDTH, b, 0, 0, WIDTH, HEIGHT, cudaMemcpyDeviceToHost));
    expect_rectangle("cudaMemcpy2DToArrayAsync", 2, 2, 7, 5, 0, 0);
    EXPECT(cudaErrorInvalidValue, cudaMemcpy2DToArray(a, 10, 0, in, WIDTH, 7, 1, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy2DFromArray(out, WIDTH, a, 0, 6, 4, 3, cudaMemcpyDeviceToHost));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy2DArrayToArray(b, 12, 0, a, 0, 0, 6, 1));
}

/* Runs of bytes go on in the next row. */
static void runs() {
    clear(a);
    EXPECT(cudaSuccess, cudaMemcpyToArray(a, 0, 0, in, BYTES, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMemcpyFromArray(out, a, 0, 0, BYTES, cudaMemcpyDeviceToHost));
    expect_rectangle("whole arrays", 0, 0, WIDTH, HEIGHT, 0, 0);
    memset(out, 0, sizeof out);
    EXPECT(cudaSuccess, cudaMemcpyFromArrayAsync(out, a, 5, 2, 40, cudaMemcpyDeviceToHost, s));
    MUST(cudaStreamSynchronize(s));
    EXPECT_EQUAL("a run of 40 bytes", 0, memcmp(out, in + 2 * WIDTH + 5, 40));
    clear(b);
    EXPECT(cudaSuccess, cudaMemcpyToArrayAsync(b, 3, 1, in, 50, cudaMemcpyHostToDevice, s));
    MUST(cudaStreamSynchronize(s));
    EXPECT(cudaSuccess, cudaMemcpyFromArray(out, b, 3, 1, 50, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("a run of 50 bytes", 0, memcmp(out, in, 50));
    clear(b);
    EXPECT(cudaSuccess, cudaMemcpyArrayToArray(b, 0, 0, a, 0, 0, BYTES));
    MUST(cudaMemcpyFromArray(out, b, 0, 0, BYTES, cudaMemcpyDeviceToHost));
    expect_rectangle("cudaMemcpyArrayToArray", 0, 0, WIDTH, HEIGHT, 0, 0);
    EXPECT(cudaErrorInvalidValue, cudaMemcpyToArray(a, 1, 0, in, BYTES, cudaMemcpyHostToDevice));
}

static void boxes() {
    cudaPitchedPtr p;
    cudaExtent e = make_cudaExtent(8, 4, 4);
    MUST(cudaMalloc3D(&p, e));
    EXPECT(cudaSuccess, cudaMemset3DAsync(p, 6, e, s));
    cudaMemcpy3DParms from = {};
    from.srcPtr = p;
    from.dstPtr = make_cudaPitchedPtr(out, 8, 8, 4);
    from.extent = e;
    from.kind = cudaMemcpyDeviceToHost;
    EXPECT(cudaSuccess, cudaMemcpy3DAsync(&from, s));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
    int wrong = 0;
    for (int i = 0; i < BYTES; i++)
        wrong += out[i] != 6;
    EXPECT_EQUAL("a box that was filled", 0, wrong);
    MUST(cudaFree(p.ptr));
}

static void surfaces() {
    cudaArray_t array;
    cudaSurfaceObject_t surface;
    cudaResourceDesc r = {}, found = {};
    cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
    MUST(cudaMallocArray(&array, &texel, 8, 8, cudaArraySurfaceLoadStore));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    EXPECT(cudaSuccess, cudaCreateSurfaceObject(&surface, &r));
    EXPECT(cudaSuccess, cudaGetSurfaceObjectResourceDesc(&found, surface));
    EXPECT_EQUAL("array of a surface", (size_t)array, (size_t)found.res.array.array);
    EXPECT(cudaSuccess, cudaDestroySurfaceObject(surface));
    EXPECT(cudaSuccess, cudaFreeArray(array));
}

int main() {
    cudaChannelFormatDesc byte = cudaCreateChannelDesc<unsigned char>();
    for (int i = 0; i < BYTES; i++)
        in[i] = (unsigned char)(i + 1);
    MUST(cudaMallocArray(&a, &byte, WIDTH, HEIGHT));
    MUST(cudaMallocArray(&b, &byte, WIDTH, HEIGHT));
    MUST(cudaStreamCreate(&s));
    rectangles();
    runs();
    boxes();
    surfaces();
    EXPECT(cudaSuccess, cudaFreeArray(a));
    EXPECT(cudaSuccess, cudaFreeArray(b));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
