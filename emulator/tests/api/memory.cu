// What allocating, copying, filling and freeing answer, right and wrong.
#include "api_test.h"

static char host[8 << 20], other[8 << 20];

static void allocate() {
    void *p = (void *)1;
    EXPECT(cudaSuccess, cudaMalloc(&p, 0));
    EXPECT_EQUAL("no bytes are a null pointer", 0, (size_t)p);
    EXPECT(cudaErrorInvalidValue, cudaMalloc((void **)0, 4));
    EXPECT(cudaErrorMemoryAllocation, cudaMalloc(&p, (size_t)1 << 46));
    EXPECT(cudaSuccess, cudaMallocManaged(&p, 0));
    EXPECT(cudaSuccess, cudaMallocHost(&p, 0));
    size_t pitch;
    const int widths[] = {1, 512, 513, 1000, 4096}, pitches[] = {512, 512, 1024, 1024, 4096};
    for (int i = 0; i < 5; i++) {
        MUST(cudaMallocPitch(&p, &pitch, widths[i], 10));
        EXPECT_EQUAL("pitch", pitches[i], pitch);
        MUST(cudaFree(p));
    }
}

static void directions(char *d, char *e) {
    EXPECT(cudaSuccess, cudaMemcpy(d, host, 1000, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, d, 1000, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(d, host, 1000, cudaMemcpyDeviceToHost));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, other, 1000, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, other, 1000, cudaMemcpyDeviceToHost));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, other, 1000, cudaMemcpyDeviceToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, d, 10, cudaMemcpyDeviceToDevice));
    EXPECT(cudaSuccess, cudaMemcpy(d, e, 1000, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMemcpy(d, e, 1000, cudaMemcpyHostToHost));
    EXPECT(cudaSuccess, cudaMemcpy(host, other, 1000, cudaMemcpyDefault));
    EXPECT(cudaErrorInvalidMemcpyDirection, cudaMemcpy(d, host, 10, (cudaMemcpyKind)7));
    EXPECT(cudaSuccess, cudaMemcpy(d, host, 0, (cudaMemcpyKind)7));
    EXPECT(cudaSuccess, cudaMemcpy(0, 0, 0, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(0, host, 4, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(d, 0, 4, cudaMemcpyHostToDevice));
}

static void bounds(char *d) {
    char *large;
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(d, host, 1001, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(d, host, 8 << 20, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(host, d + 1, 1000, cudaMemcpyDeviceToHost));
    EXPECT(cudaErrorInvalidValue, cudaMemset(d, 0, 1001));
    EXPECT(cudaErrorInvalidValue, cudaMemset(host, 0, 10));
    EXPECT(cudaErrorInvalidValue, cudaMemset(0, 0, 10));
    EXPECT(cudaSuccess, cudaMemset(0, 0, 0));
    MUST(cudaMalloc(&large, 4 << 20));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(large, host, (4 << 20) + 1, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(large + 1, host, 4 << 20, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemset(large, 0, (4 << 20) + 1));
    EXPECT(cudaSuccess, cudaMemset(large, 0, 4 << 20));
    EXPECT(cudaSuccess, cudaFree(large));
}

static void pitched(char *d) {
    EXPECT(cudaErrorInvalidPitchValue, cudaMemcpy2D(d, 10, host, 20, 15, 2, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy2D(d, 10, host, 20, 15, 1, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMemcpy2D(d, 10, host, 20, 15, 0, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy2D(d, 100, host, 100, 100, 11, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMemcpy2D(d, 100, host, 100, 100, 10, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemset2D(d, 10, 0, 20, 2));
    EXPECT(cudaSuccess, cudaMemset2D(d, 10, 0, 20, 1));
    for (int i = 0; i < 1000; i++)
        host[i] = (char)i, other[i] = 0;
    MUST(cudaMemset(d, 7, 1000));
    EXPECT(cudaSuccess, cudaMemcpy2D(d + 5, 100, host, 30, 20, 9, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMemset2D(d + 50, 100, 3, 10, 9));
    EXPECT(cudaSuccess, cudaMemcpy(other, d, 1000, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 1000; i++) {
        int x = i % 100, y = i / 100;
        char expected = y < 9 && x >= 5 && x < 25 ? (char)(y * 30 + x - 5) : y < 9 && x >= 50 && x < 60 ? 3 : 7;
        wrong += other[i] != expected;
    }
    EXPECT_EQUAL("bytes that a pitched copy and fill got wrong", 0, wrong);
}

static void boxes() {
    cudaPitchedPtr p;
    const cudaExtent extent = make_cudaExtent(40, 6, 5), inner = make_cudaExtent(10, 3, 2);
    EXPECT(cudaSuccess, cudaMalloc3D(&p, extent));
    EXPECT(cudaSuccess, cudaMemset3D(p, 9, extent));
    cudaMemcpy3DParms in = {}, out = {};
    for (int i = 0; i < 10 * 3 * 2; i++)
        host[i] = (char)(i + 100);
    in.srcPtr = make_cudaPitchedPtr(host, 10, 10, 3);
    in.dstPtr = p;
    in.dstPos = make_cudaPos(4, 2, 1);
    in.extent = inner;
    in.kind = cudaMemcpyHostToDevice;
    EXPECT(cudaSuccess, cudaMemcpy3D(&in));
    out.srcPtr = p;
    out.dstPtr = make_cudaPitchedPtr(other, 40, 40, 6);
    out.extent = extent;
    out.kind = cudaMemcpyDeviceToHost;
    EXPECT(cudaSuccess, cudaMemcpy3D(&out));
    int wrong = 0;
    for (int i = 0; i < 40 * 6 * 5; i++) {
        int x = i % 40 - 4, y = i / 40 % 6 - 2, z = i / 240 - 1;
        bool inside = x >= 0 && x < 10 && y >= 0 && y < 3 && z >= 0 && z < 2;
        wrong += other[i] != (inside ? (char)(x + 10 * (y + 3 * z) + 100) : 9);
    }
    EXPECT_EQUAL("bytes that 3D copies got wrong", 0, wrong);
    EXPECT(cudaSuccess, cudaFree(p.ptr));
}

static void freeing(char *d) {
    char *pinned;
    EXPECT(cudaErrorInvalidValue, cudaFree(d + 16));
    EXPECT(cudaErrorInvalidValue, cudaFree(host));
    EXPECT(cudaSuccess, cudaFree(0));
    EXPECT(cudaSuccess, cudaFree(d));
    EXPECT(cudaErrorInvalidValue, cudaFree(d));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(d, host, 10, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMallocHost(&pinned, 100));
    EXPECT(cudaErrorInvalidValue, cudaFree(pinned));
    EXPECT(cudaErrorInvalidValue, cudaFreeHost(host));
    EXPECT(cudaSuccess, cudaFreeHost(pinned));
    EXPECT(cudaSuccess, cudaFreeHost(0));
    EXPECT(cudaErrorInvalidValue, cudaFreeHost(pinned));
}

static void shared_with_host(char *d) {
    char *pinned, *managed;
    unsigned flags;
    void *p;
    MUST(cudaMallocHost(&pinned, 100));
    EXPECT(cudaSuccess, cudaMemcpy(pinned, host, 100, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(pinned, host, 100, cudaMemcpyDeviceToHost));
    EXPECT(cudaSuccess, cudaMemset(pinned, 5, 100));
    EXPECT_EQUAL("pinned memory is filled when cudaMemset returns", 5, pinned[99]);
    EXPECT(cudaErrorInvalidValue, cudaMemcpy(d, pinned, 101, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaHostGetDevicePointer(&p, pinned, 0));
    EXPECT(cudaErrorInvalidValue, cudaHostGetDevicePointer(&p, host, 0));
    EXPECT(cudaSuccess, cudaHostGetFlags(&flags, pinned));
    EXPECT(cudaErrorInvalidValue, cudaHostGetFlags(&flags, host));
    EXPECT(cudaErrorInvalidValue, cudaFreeHost(d));
    MUST(cudaMallocManaged(&managed, 1000));
    EXPECT(cudaSuccess, cudaMemcpy(managed, host, 100, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaMemcpy(managed, host, 100, cudaMemcpyHostToHost));
    EXPECT(cudaSuccess, cudaMemcpy(host, managed, 100, cudaMemcpyDeviceToHost));
    EXPECT(cudaErrorInvalidValue, cudaFreeHost(managed));
    EXPECT(cudaSuccess, cudaFree(managed));
    EXPECT(cudaSuccess, cudaFreeHost(pinned));
}

static void registered(char *d) {
    char *page = (char *)malloc(1 << 20);
    EXPECT(cudaSuccess, cudaHostRegister(page, 1 << 20, 0));
    EXPECT(cudaErrorHostMemoryAlreadyRegistered, cudaHostRegister(page, 1 << 20, 0));
    EXPECT(cudaErrorInvalidValue, cudaHostUnregister(page + 4096));
    EXPECT(cudaSuccess, cudaHostUnregister(page));
    EXPECT(cudaErrorHostMemoryNotRegistered, cudaHostUnregister(page));
    EXPECT(cudaErrorInvalidValue, cudaHostRegister(d, 100, 0));
    EXPECT(cudaErrorInvalidValue, cudaHostRegister(0, 100, 0));
    EXPECT(cudaErrorInvalidValue, cudaHostRegister(page, 0, 0));
    free(page);
}

static void attributes(char *d) {
    cudaPointerAttributes a;
    char *pinned, *managed;
    MUST(cudaMallocHost(&pinned, 100));
    MUST(cudaMallocManaged(&managed, 100));
    const struct {
        const char *name;
        void *pointer;
        int type, device;
    } cases[] = {{"device memory", d, cudaMemoryTypeDevice, 0},
                 {"the last byte of device memory", d + 999, cudaMemoryTypeDevice, 0},
                 {"behind device memory", d + 1000, cudaMemoryTypeUnregistered, -2},
                 {"pinned memory", pinned, cudaMemoryTypeHost, 0},
                 {"managed memory", managed, cudaMemoryTypeManaged, 0},
                 {"host memory", host, cudaMemoryTypeUnregistered, -2}};
    for (const auto &c : cases) {
        char name[100];
        MUST(cudaPointerGetAttributes(&a, c.pointer));
        snprintf(name, sizeof name, "type of %s", c.name);
        EXPECT_EQUAL(name, c.type, a.type);
        snprintf(name, sizeof name, "device of %s", c.name);
        EXPECT_EQUAL(name, c.device, a.device);
        snprintf(name, sizeof name, "pointers of %s", c.name);
        bool right =
            (a.devicePointer != 0) == (c.device == 0) && (a.hostPointer != 0) == (c.type != cudaMemoryTypeDevice);
        check(name, right, "wrong");
    }
    MUST(cudaFree(managed));
    MUST(cudaFreeHost(pinned));
}

static void in_stream_order(char *d) {
    void *p;
    EXPECT(cudaSuccess, cudaMallocAsync(&p, 100, 0));
    EXPECT(cudaSuccess, cudaMemsetAsync(p, 1, 100, 0));
    EXPECT(cudaSuccess, cudaFree(p));
    EXPECT(cudaSuccess, cudaMallocAsync(&p, 100, 0));
    EXPECT(cudaSuccess, cudaFreeAsync(p, 0));
    EXPECT(cudaErrorInvalidValue, cudaFreeAsync(host, 0));
    EXPECT(cudaSuccess, cudaFreeAsync(0, 0));
    EXPECT(cudaSuccess, cudaFreeAsync(d, 0));
    cudaMemPool_t pool;
    EXPECT(cudaSuccess, cudaDeviceGetDefaultMemPool(&pool, 0));
    EXPECT(cudaSuccess, cudaMallocFromPoolAsync(&p, 100, pool, 0));
    EXPECT(cudaSuccess, cudaFreeAsync(p, 0));
    EXPECT(cudaSuccess, cudaMemPoolTrimTo(pool, 0));
}

#if CUDART_VERSION >= 13000
static void prefetch(char *d) {
    char *m;
    const cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, nowhere = {cudaMemLocationTypeDevice, 5},
                          cpu = {cudaMemLocationTypeHost, 0};
    MUST(cudaMallocManaged(&m, 1000));
    EXPECT(cudaErrorInvalidValue, cudaMemPrefetchAsync(d, 10, here, 0));
    EXPECT(cudaSuccess, cudaMemPrefetchAsync(m, 1000, here, 0));
    EXPECT(cudaErrorInvalidValue, cudaMemPrefetchAsync(m, 1001, here, 0));
    EXPECT(cudaErrorInvalidDevice, cudaMemPrefetchAsync(m, 1000, nowhere, 0));
    EXPECT(cudaSuccess, cudaMemPrefetchAsync(m, 1000, cpu, 0));
    EXPECT(cudaSuccess, cudaFree(m));
}
#else
static void prefetch(char *) {}
#endif

int main() {
    char *d, *e;
    MUST(cudaMalloc(&d, 1000));
    MUST(cudaMalloc(&e, 1000));
    allocate();
    directions(d, e);
    bounds(d);
    pitched(d);
    boxes();
    freeing(d);
    shared_with_host(e);
    registered(e);
    attributes(e);
    prefetch(e);
    in_stream_order(e);
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
