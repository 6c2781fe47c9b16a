/* Kernels whose counts can be worked out by hand: what the counters must say. See memory.cu for the comments. */
#include "emulator.h"
#include "run_case.h"

#define N 1024

static void *symbol(const char *name) {
    return dlsym(RTLD_DEFAULT, name);
}

/* Starts counting, or ends it and gives the counts. Without an emulator every count is unknown, and the case fails. */
static void start(void) {
    void (*begin)(void) = (void (*)(void))symbol("emulatorCountersStart");
    if (begin)
        begin();
}
static struct emulatorCounters stop(void) {
    struct emulatorCounters c;
    void (*end)(struct emulatorCounters *, size_t) =
        (void (*)(struct emulatorCounters *, size_t))symbol("emulatorCountersStop");
    memset(&c, 0xff, sizeof c);
    if (end)
        end(&c, sizeof c);
    return c;
}

static void expect(const char *what, uint64_t found, uint64_t expected) {
    if (found != expected)
        fprintf(stderr, "%s: expected %llu, found %llu\n", what, (unsigned long long)expected,
                (unsigned long long)found);
}

// EXPECT coalesced 0 none
// SILENT
__global__ void coalesced(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2.0f * x[i] + 1.0f;
}
static void case_coalesced(void) {
    float *x = device_array<float>(N), *y = device_array<float>(N);
    start();
    coalesced<<<N / 256, 256>>>(x, y, N);
    struct emulatorCounters c = stop();
    expect("launches", c.launches, 1);
    expect("load requests", c.global_load_requests, N / 32);
    expect("load sectors", c.global_load_sectors, N / 8);
    expect("load bytes", c.global_load_bytes, 4 * N);
    expect("store requests", c.global_store_requests, N / 32);
    expect("store sectors", c.global_store_sectors, N / 8);
    expect("store bytes", c.global_store_bytes, 4 * N);
    expect("operations", c.float_operations, 2 * N);
    expect("branches", c.branches, N / 32);
    expect("divergent branches", c.divergent_branches, 0);
    expect("threads per instruction", c.thread_instructions, 32 * c.warp_instructions);
}

// EXPECT strided 0 none
// SILENT
__global__ void strided(const float *x, float *y) {
    y[threadIdx.x] = x[threadIdx.x * 8];
}
static void case_strided(void) {
    float *x = device_array<float>(256 * 8), *y = device_array<float>(256);
    start();
    strided<<<1, 256>>>(x, y);
    struct emulatorCounters c = stop();
    expect("load sectors", c.global_load_sectors, 256);
    expect("store sectors", c.global_store_sectors, 32);
}

// EXPECT half_a_warp 0 none
// SILENT
__global__ void half_a_warp(float *y, int n) {
    if (threadIdx.x < n)
        y[threadIdx.x] = sqrtf(y[threadIdx.x]);
    else
        y[threadIdx.x + 32] = __fdividef(1.0f, y[threadIdx.x + 32]);
}
static void case_half_a_warp(void) {
    float *y = device_array<float>(64);
    start();
    half_a_warp<<<1, 32>>>(y, 16);
    struct emulatorCounters c = stop();
    expect("branches", c.branches, 1);
    expect("divergent branches", c.divergent_branches, 1);
    expect("load requests", c.global_load_requests, 2);
    expect("load sectors", c.global_load_sectors, 4);
    expect("load bytes", c.global_load_bytes, 128);
}

// EXPECT wide 0 none
// SILENT
__global__ void wide(const float4 *x, float4 *y) {
    y[threadIdx.x] = x[threadIdx.x];
}
static void case_wide(void) {
    float4 *x = device_array<float4>(128), *y = device_array<float4>(128);
    start();
    wide<<<1, 128>>>(x, y);
    struct emulatorCounters c = stop();
    expect("load requests", c.global_load_requests, 4);
    expect("load sectors", c.global_load_sectors, 64);
    expect("load bytes", c.global_load_bytes, 2048);
    expect("store sectors", c.global_store_sectors, 64);
}

// EXPECT transposed 0 none
// SILENT
template <int width> __global__ void transposed(const float *x, float *y) {
    __shared__ float tile[32][width];
    tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
    __syncthreads();
    y[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
static void case_transposed(void) {
    float *x = device_array<float>(1024), *y = device_array<float>(1024);
    start();
    transposed<32><<<1, dim3(32, 32)>>>(x, y);
    struct emulatorCounters c = stop();
    expect("store requests", c.shared_store_requests, 32);
    expect("store passes", c.shared_store_wavefronts, 32);
    expect("load requests", c.shared_load_requests, 32);
    expect("load passes", c.shared_load_wavefronts, 32 * 32);
    expect("barriers", c.barriers, 32);
    start();
    transposed<33><<<1, dim3(32, 32)>>>(x, y);
    expect("load passes with padding", stop().shared_load_wavefronts, 32);
}

// EXPECT atomics 0 none
// SILENT
__global__ void atomics(int *bins) {
    __shared__ int own[32];
    own[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&own[threadIdx.x & 7], 1);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
static void case_atomics(void) {
    int *bins = device_array<int>(32);
    start();
    atomics<<<10, 32>>>(bins);
    struct emulatorCounters c = stop();
    expect("global atomics", c.global_atomic_requests, 10);
    expect("shared atomics", c.shared_atomic_requests, 10);
    expect("shared atomics, wavefronts", c.shared_atomic_wavefronts, 10);
}

/* 32 lanes in one bank, at 8 words: whoever adds a constant 1 is counted, anybody else comes one by one. */
// EXPECT atomics_collide 0 none
// SILENT
__global__ void atomics_collide(int *bins, int what) {
    __shared__ int own[256];
    for (int i = threadIdx.x; i < 256; i += 32)
        own[i] = 0;
    __syncthreads();
    if (what == 1)
        atomicAdd(&own[(threadIdx.x & 7) * 32], 1);
    else
        atomicAdd(&own[(threadIdx.x & 7) * 32], what);
    __syncthreads();
    bins[threadIdx.x] = own[threadIdx.x * 8];
}
static void case_atomics_collide(void) {
    int *bins = device_array<int>(32);
    start();
    atomics_collide<<<1, 32>>>(bins, 1);
    struct emulatorCounters c = stop();
    expect("words of one bank, counted", c.shared_atomic_wavefronts, 8);
    start();
    atomics_collide<<<1, 32>>>(bins, 2);
    c = stop();
    expect("words of one bank, one by one", c.shared_atomic_wavefronts, 32);
}

// EXPECT off_again 0 none
// SILENT
static void case_off_again(void) {
    float *x = device_array<float>(N), *y = device_array<float>(N);
    start();
    stop();
    coalesced<<<4, 256>>>(x, y, N);
    cudaDeviceSynchronize();
    start();
    struct emulatorCounters c = stop();
    expect("launches", c.launches, 0);
    expect("instructions", c.warp_instructions, 0);
}

static const struct test_case cases[] = {
    CASE(coalesced),  CASE(strided), CASE(half_a_warp),     CASE(wide),
    CASE(transposed), CASE(atomics), CASE(atomics_collide), CASE(off_again),
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
