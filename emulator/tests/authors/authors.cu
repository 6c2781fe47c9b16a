// What emulator.h offers to graders: who wrote each byte of memory, what was launched, and that everything that reads global memory
// is counted. One line per check.
// arch: sm_90
#include <cuda/ptx>
#include <cuda_pipeline.h>
#include <dlfcn.h>
#include <mma.h>

#include "../api/api_test.h"
#include "emulator.h"

namespace ptx = cuda::ptx;

#define N 1024

template <typename F> static F *emulator_function(const char *name) {
    return (F *)dlsym(RTLD_DEFAULT, name);
}

static void authors_start() {
    emulator_function<void(void)>("emulatorAuthorsStart")();
}

static size_t not_by_kernels(const void *p, size_t bytes) {
    return emulator_function<size_t(const void *, size_t)>("emulatorNotByKernels")(p, bytes);
}

static void expect_author(const char *name, const char *expected, const void *p) {
    const char *found = emulator_function<const char *(const void *)>("emulatorAuthor")(p);
    char why[100];
    snprintf(why, sizeof why, "expected %s, found %s", expected, found);
    check(name, strcmp(expected, found) == 0, why);
}

template <typename T> static T *device_array(size_t n) {
    T *p = NULL;
    MUST(cudaMalloc((void **)&p, n * sizeof(T)));
    return p;
}

// ---- who wrote ----

template <typename T> __global__ void store_run(T *out, T value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = value;
}

// A warp's first access goes another way than those after it.
__global__ void store_rows(int *out, int n) {
    for (int row = 0; row < 4; row++)
        out[row * n + blockIdx.x * blockDim.x + threadIdx.x] = row;
}

__global__ void store_scattered(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i * 37 % n] = i;
}

__global__ void store_single(char *out) {
    out[7] = 1;
}

__global__ void store_generic(int *a, bool shared) {
    __shared__ int tile[32];
    int *to = shared ? tile : a;
    to[threadIdx.x] = 1;
}

__global__ void add_atomically(int *out, unsigned long long *wide) {
    atomicAdd(&out[threadIdx.x], 1);
    atomicMax(wide, (unsigned long long)threadIdx.x);
}

__global__ void copy_in_kernel(char *out, const char *in, int n) {
    if (threadIdx.x == 0)
        memcpy(out, in, n);
}

__global__ void store_matrix(float *out) {
    nvcuda::wmma::fragment<nvcuda::wmma::accumulator, 16, 16, 16, float> c;
    nvcuda::wmma::fill_fragment(c, 1.0f);
#pragma unroll 1
    for (int i = 0; i < 2; i++) // the second time, the instruction knows where it stored before
        nvcuda::wmma::store_matrix_sync(out + i * 16 * 32, c, 32, nvcuda::wmma::mem_row_major);
}

__global__ void store_in_bulk(int *out) {
    __shared__ alignas(16) int tile[64];
    tile[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

__global__ void store_surface(cudaSurfaceObject_t s) {
    surf2Dwrite(1.0f, s, threadIdx.x * 4, 0);
}

template <typename T> static void expect_run(const char *name, T value) {
    T *p = device_array<T>(N);
    authors_start();
    store_run<<<(N - 1 + 127) / 128, 128>>>(p, value, N - 1);
    EXPECT_EQUAL(name, (N - 1) * sizeof(T), not_by_kernels(p, N * sizeof(T)));
}

static void stores() {
    expect_run<char>("stores of bytes", 1);
    expect_run<short>("stores of 2 bytes", 1);
    expect_run<int>("stores of 4 bytes", 1);
    expect_run<double>("stores of 8 bytes", 1);
    expect_run<float2>("stores of float2", {1, 2});
    expect_run<float4>("stores of float4", {1, 2, 3, 4});
    expect_run<double2>("stores of double2", {1, 2});
    int *p = device_array<int>(N);
    authors_start();
    store_rows<<<2, 128>>>(p, 256);
    EXPECT_EQUAL("stores in a loop", N * 4, not_by_kernels(p, N * 4));
    authors_start();
    store_scattered<<<8, 128>>>(p, N);
    EXPECT_EQUAL("scattered stores", N * 4, not_by_kernels(p, N * 4));
    authors_start();
    EXPECT_EQUAL("the start forgets", 0, not_by_kernels(p, N * 4));
    store_single<<<1, 1>>>((char *)p);
    EXPECT_EQUAL("a single byte", 8, 7 + not_by_kernels((char *)p + 7, 2));
    expect_author("the byte before it", "nobody", (char *)p + 6);
    store_generic<<<1, 32>>>(p + 64, false);
    store_generic<<<1, 32>>>(p + 128, true);
    EXPECT_EQUAL("generic stores", 32 * 4, not_by_kernels(p + 64, N));
    expect_author("what they did not reach", "nobody", p + 128);
}

static void other_stores() {
    int *p = device_array<int>(N);
    unsigned long long *wide = device_array<unsigned long long>(2);
    authors_start();
    add_atomically<<<1, 64>>>(p, wide);
    EXPECT_EQUAL("atomics", 64 * 4, not_by_kernels(p, N * 4));
    EXPECT_EQUAL("atomics at one address", 8, not_by_kernels(wide, 16));
    copy_in_kernel<<<1, 32>>>((char *)p + 1000, (char *)p, 99);
    EXPECT_EQUAL("memcpy in a kernel", 99, not_by_kernels((char *)p + 1000, 200));
    authors_start();
    float *matrix = device_array<float>(32 * 32);
    store_matrix<<<1, 32>>>(matrix);
    EXPECT_EQUAL("a row of a matrix", 16 * 4, not_by_kernels(matrix, 4 * 32));
    EXPECT_EQUAL("its last row", 16 * 4, not_by_kernels(matrix + 15 * 32, 4 * 32));
    EXPECT_EQUAL("a row of another matrix", 16 * 4, not_by_kernels(matrix + 31 * 32, 4 * 32));
    store_in_bulk<<<1, 64>>>(p);
    EXPECT_EQUAL("a bulk copy to global memory", 64 * 4, not_by_kernels(p, N * 4));
}

static void surfaces() {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    MUST(cudaMallocArray(&array, &format, 32, 1, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface;
    MUST(cudaCreateSurfaceObject(&surface, &resource));
    float *p = device_array<float>(32);
    authors_start();
    store_surface<<<1, 16>>>(surface);
    MUST(cudaMemcpy2DFromArray(p, 128, array, 0, 0, 128, 1, cudaMemcpyDeviceToDevice));
    EXPECT_EQUAL("what a kernel stored to a surface, copied", 64, not_by_kernels(p, 128));
}

static __device__ int variable[32];
static __managed__ int managed_variable[32];

__global__ void store_variables() {
    variable[threadIdx.x] = 1;
    managed_variable[threadIdx.x] = 1;
}

static void others() {
    int *p = device_array<int>(N), *q = device_array<int>(N), host[32] = {};
    void *address;
    authors_start();
    store_run<<<1, N>>>(p, 1, N);
    MUST(cudaMemcpy(p + 8, host, 16, cudaMemcpyHostToDevice));
    EXPECT_EQUAL("a copy from the host", 32, not_by_kernels(p, N * 4));
    expect_author("a copy from the host is a copy", "copy", p + 8);
    MUST(cudaMemset(p + 16, 0, 4));
    expect_author("a fill", "memset", p + 16);
    MUST(cudaMemcpyAsync(q, p, N * 4, cudaMemcpyDeviceToDevice));
    EXPECT_EQUAL("a copy on the device hands authors on", 32, not_by_kernels(q, N * 4));
    expect_author("also others than kernels", "memset", q + 16);
    EXPECT_EQUAL("and kernels", 16, not_by_kernels(q + 12, 100));
    store_variables<<<1, 32>>>();
    MUST(cudaGetSymbolAddress(&address, variable));
    EXPECT_EQUAL("a variable", 128, not_by_kernels(address, 128));
    MUST(cudaMemcpyToSymbol(variable, host, 64));
    expect_author("a copy to a variable", "copy", address);
    MUST(cudaMemcpyToSymbolAsync(variable, p, 64, 0, cudaMemcpyDeviceToDevice));
    expect_author("of what a kernel wrote", "kernel", address);
    int *later = device_array<int>(32);
    store_run<<<1, 32>>>(later, 1, 32);
    EXPECT_EQUAL("memory allocated after the start", 128, not_by_kernels(later, 128));
    MUST(cudaFree(later));
    EXPECT_EQUAL("freed memory is nobody's", 0, not_by_kernels(later, 128));
}

static void set_pinned(void *p) {
    ((int *)p)[3] = 77;
}

// Memory that the host can store to.
static void both_sides(const char *kind, int *p) {
    char name[100];
    authors_start();
    for (int i = 0; i < 32; i++)
        p[i] = 5;
    snprintf(name, sizeof name, "%s: the host's stores", kind);
    EXPECT_EQUAL(name, 0, not_by_kernels(p, 128));
    expect_author(name, "host", p);
    store_run<<<1, 32>>>(p, 6, 32);
    snprintf(name, sizeof name, "%s: a kernel's stores", kind);
    EXPECT_EQUAL(name, 128, not_by_kernels(p, 128));
    p[9] = 5;
    snprintf(name, sizeof name, "%s: the host's stores afterwards", kind);
    EXPECT_EQUAL(name, 36, not_by_kernels(p, 128));
    MUST(cudaLaunchHostFunc(0, set_pinned, p));
    snprintf(name, sizeof name, "%s: a host function's stores", kind);
    EXPECT_EQUAL(name, 12, not_by_kernels(p, 128));
    int *q = device_array<int>(32);
    MUST(cudaMemcpy(q, p, 128, cudaMemcpyDefault));
    snprintf(name, sizeof name, "%s: copied to the device", kind);
    EXPECT_EQUAL(name, 12, not_by_kernels(q, 128));
    expect_author(name, "copy", q + 3);
    MUST(cudaMemcpy(p, q + 16, 64, cudaMemcpyDefault));
    snprintf(name, sizeof name, "%s: copied from the device", kind);
    EXPECT_EQUAL(name, 64 + 64, not_by_kernels(p, 128));
}

static void shared_memory_of_both() {
    int *managed, *pinned, *own = (int *)calloc(32, sizeof(int));
    MUST(cudaMallocManaged((void **)&managed, 128));
    MUST(cudaMallocHost((void **)&pinned, 128));
    both_sides("managed memory", managed);
    both_sides("pinned memory", pinned);
    MUST(cudaHostRegister(own, 128, 0));
    both_sides("registered memory", own);
    MUST(cudaHostUnregister(own));
    EXPECT_EQUAL("no memory of the emulator's", 0, not_by_kernels(own, 128));
    free(own);
}

// ---- launches ----

static void set_nothing(void *) {}

static cudaGraphExec_t graph_of_all(int *p, int *q, void **args) {
    cudaGraph_t graph;
    cudaGraphNode_t kernel, copy, fill, host;
    cudaKernelNodeParams k = {};
    k.func = (void *)store_run<int>;
    k.gridDim = dim3(2);
    k.blockDim = dim3(16);
    k.kernelParams = args;
    cudaMemsetParams m = {};
    m.dst = p + 8;
    m.elementSize = 4;
    m.width = 1;
    m.height = 1;
    cudaHostNodeParams h = {set_nothing, NULL};
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddKernelNode(&kernel, graph, NULL, 0, &k));
    MUST(cudaGraphAddMemsetNode(&fill, graph, &kernel, 1, &m));
    MUST(cudaGraphAddMemcpyNode1D(&copy, graph, &fill, 1, q, p, 128, cudaMemcpyDeviceToDevice));
    MUST(cudaGraphAddHostNode(&host, graph, &copy, 1, &h));
    cudaGraphExec_t executable;
    MUST(cudaGraphInstantiate(&executable, graph, 0));
    return executable;
}

static void expect_launch(const char *name, const struct emulatorLaunch *l, unsigned grid, unsigned block,
                          unsigned dynamic, cudaStream_t stream) {
    char why[300];
    snprintf(why, sizeof why, "found %s, %u blocks, %u threads, %u bytes, stream %p", l->kernel, l->grid[0],
             l->block[0], l->dynamic_shared, l->stream);
    check(name,
          strcmp(l->kernel, "void store_run<int>(int *, int, int)") == 0 && l->grid[0] == grid &&
              l->block[0] == block && l->dynamic_shared == dynamic && l->stream == (void *)stream &&
              l->threads == (uint64_t)grid * block,
          why);
}

static void launches() {
    int *p = device_array<int>(N), *q = device_array<int>(N), value = 1, n = 32;
    void *args[] = {&p, &value, &n};
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    store_run<<<1, 1>>>(p, 1, 1);
    authors_start();
    store_run<<<3, 32, 100>>>(p, 1, 32);
    MUST(cudaLaunchKernel((void *)store_run<int>, dim3(1), dim3(64), args, 0, stream));
    MUST(cudaStreamSynchronize(stream));
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(1);
    config.blockDim = dim3(96);
    MUST(cudaLaunchKernelExC(&config, (void *)store_run<int>, args));
    MUST(cudaLaunchCooperativeKernel((void *)store_run<int>, dim3(1), dim3(128), args, 0, (cudaStream_t)0));
    MUST(cudaDeviceSynchronize());
    MUST(cudaGraphLaunch(graph_of_all(p, q, args), stream));
    EXPECT_EQUAL("a graph's nodes", 32, not_by_kernels(q, 128));
    expect_author("a graph's fill, copied", "memset", q + 8);
    struct emulatorLaunch l[8];
    auto *all = emulator_function<size_t(struct emulatorLaunch *, size_t)>("emulatorLaunches");
    EXPECT_EQUAL("launches", 5, all(l, 8));
    EXPECT_EQUAL("launches, asked without room", 5, all(NULL, 0));
    expect_launch("<<<>>>", &l[0], 3, 32, 100, 0);
    expect_launch("cudaLaunchKernel", &l[1], 1, 64, 0, stream);
    expect_launch("cudaLaunchKernelExC", &l[2], 1, 96, 0, 0);
    expect_launch("cudaLaunchCooperativeKernel", &l[3], 1, 128, 0, 0);
    expect_launch("a graph's kernel", &l[4], 2, 16, 0, stream);
    EXPECT_EQUAL("cooperative", 1, l[3].cooperative - l[2].cooperative);
}

// ---- counters ----

static struct emulatorCounters counted(void (*run)()) {
    struct emulatorCounters c = {};
    emulator_function<void(void)>("emulatorCountersStart")();
    run();
    emulator_function<void(struct emulatorCounters *, size_t)>("emulatorCountersStop")(&c, sizeof c);
    return c;
}

__global__ void atomics(int *p, int *out) {
    out[threadIdx.x] = atomicAdd(&p[threadIdx.x], 1);
    atomicAdd(&p[64 + threadIdx.x], 1);
}

__global__ void copies(const int *in, int *out) {
    __shared__ alignas(128) int tile[64], bulk[64];
    __shared__ uint64_t barrier;
    __pipeline_memcpy_async(&tile[threadIdx.x], &in[threadIdx.x * 32], 4); // all from one bank
    __pipeline_commit();
    __pipeline_wait_prior(0);
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, bulk, in, sizeof bulk, &barrier);
        uint64_t token =
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof bulk);
        while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cta, &barrier, token)) {
        }
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, bulk, 128);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

__global__ void wait_long(int *out) {
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 33);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
    uint64_t token = 0;
    if (threadIdx.x < 33)
        token = ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier);
    while (!ptx::mbarrier_try_wait(ptx::sem_acquire, ptx::scope_cta, &barrier, token)) {
    }
    if (out)
        *out = 1;
}

// Each block brings `steps` KiB to three stages, `early` steps before it waits for one. All lanes wait, and more than once.
__global__ void ring(const int *in, int steps, int early) {
    __shared__ alignas(128) int stage[3][256];
    __shared__ uint64_t full[3];
    for (int s = 0; s < 3 && threadIdx.x == 0; s++)
        ptx::mbarrier_init(&full[s], 1);
    if (threadIdx.x == 0)
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    __syncwarp();
    for (int step = 1 - early; step < steps; step++) {
        int next = step + early - 1;
        if (next < steps && threadIdx.x == 0) {
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[next % 3], in, 1024, &full[next % 3]);
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[next % 3], 1024);
        }
        __syncwarp();
        for (int again = 0; again < 2 && step >= 0; again++)
            while (!ptx::mbarrier_try_wait_parity(&full[step % 3], step / 3 & 1)) {
            }
        __syncwarp();
    }
}

static void expect_ahead(const char *name, int blocks, int steps, int early, unsigned long long kib) {
    static int *in = device_array<int>(256);
    static int the_blocks, the_steps, the_early;
    the_blocks = blocks, the_steps = steps, the_early = early;
    struct emulatorCounters c = counted([] { ring<<<the_blocks, 32>>>(in, the_steps, the_early); });
    EXPECT_EQUAL(name, kib * 1024, c.bulk_ahead);
}

// For each KiB that is waited for: what others have brought by then and no wait has made known.
static void bulk_ahead() {
    expect_ahead("bytes ahead: all is brought before the first wait", 1, 3, 3, 2 + 1);
    expect_ahead("bytes ahead: two steps, of five", 1, 5, 3, 2 + 2 + 2 + 1);
    expect_ahead("bytes ahead: one step, of five", 1, 5, 2, 1 + 1 + 1 + 1);
    expect_ahead("bytes ahead: each step is brought when the one before is known", 1, 5, 1, 0);
    expect_ahead("bytes ahead: of several blocks, each its own", 4, 5, 3, 4 * 7);
}

// Each warp multiplies `products` times.
__global__ void multiply(int products, float *out) {
    float c[4] = {};
    for (int i = 0; i < products; i++)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, "
            "{%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(0));
    out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

static void tensor_products() {
    struct emulatorCounters c = counted([] { multiply<<<2, 96>>>(5, device_array<float>(96)); });
    EXPECT_EQUAL("products on tensor cores, each once for a warp", 2 * 3 * 5, c.tensor_products);
    c = counted([] { multiply<<<2, 96>>>(0, device_array<float>(96)); });
    EXPECT_EQUAL("without one", 0, c.tensor_products);
}

__global__ void fetch(cudaTextureObject_t t, cudaSurfaceObject_t s, float *out) {
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f) + surf2Dread<float>(s, threadIdx.x * 4, 0);
}

static void counters() {
    struct emulatorCounters c = counted([] {
        int *p = device_array<int>(128);
        atomics<<<1, 32>>>(p, p + 32);
    });
    EXPECT_EQUAL("sectors of atomics that return", 4, c.global_atom_sectors);
    EXPECT_EQUAL("sectors of atomics that do not", 4, c.global_red_sectors);
    EXPECT_EQUAL("they are no loads", 0, c.global_load_sectors);
    c = counted([] {
        int *p = device_array<int>(1100);
        copies<<<1, 32>>>(p, p + 1028);
    });
    EXPECT_EQUAL("asynchronous copies", 1, c.async_copies);
    EXPECT_EQUAL("their passes over the banks", 32, c.async_copy_wavefronts);
    EXPECT_EQUAL("their sectors", 32, c.global_load_sectors);
    EXPECT_EQUAL("bulk copies", 2, c.bulk_copies);
    EXPECT_EQUAL("what they load", 256, c.bulk_load_bytes);
    EXPECT_EQUAL("what they store", 128, c.bulk_store_bytes);
    EXPECT_EQUAL("lines that they fill", 2, c.bulk_places);
    EXPECT_EQUAL("waiting for them loads nothing", 0, c.shared_load_requests);
    c = counted([] { wait_long<<<1, 64>>>(NULL); });
    EXPECT_EQUAL("asking an mbarrier again and again loads nothing", 0,
                 c.shared_load_requests + c.shared_load_wavefronts);
}

static void fetches() {
    static cudaTextureObject_t texture;
    static cudaSurfaceObject_t surface;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    MUST(cudaMallocArray(&array, &format, 32, 2, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    MUST(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    MUST(cudaCreateSurfaceObject(&surface, &resource));
    struct emulatorCounters c = counted([] { fetch<<<1, 32>>>(texture, surface, device_array<float>(32)); });
    EXPECT_EQUAL("texture requests", 8, c.texture_requests);
    EXPECT_EQUAL("texture sectors", 8, c.texture_sectors);
    EXPECT_EQUAL("surface requests", 4, c.surface_load_requests);
    EXPECT_EQUAL("surface sectors", 8, c.surface_load_sectors);
}

#include "arrays.h"

int main() {
    if (!emulator_function<void>("emulatorAuthorsStart")) {
        printf("skip authors: not on the emulator\n");
        return 0;
    }
    counters();
    bulk_ahead();
    tensor_products();
    fetches();
    stores();
    other_stores();
    surfaces();
    others();
    shared_memory_of_both();
    launches();
    arrays();
    return failures != 0;
}
