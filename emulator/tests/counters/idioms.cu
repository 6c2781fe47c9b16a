/* Kernels as people write them: what a GPU counts for each, and what the emulator counts.
 *
 * Each launch prints a line with its name. record.sh runs the program under ncu on a GPU, and idioms.csv is what it counted on an
 * H200; counters.test.sh runs it on the emulator and compares. */
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
#include <dlfcn.h>
#include <mma.h>

#include "emulator.h"

enum { SIDE = 128, N = SIDE * SIDE, BLOCK = 256 };

struct buffers {
    float *a, *b, *c;
    int *keys, *bins;
    __half *half_a, *half_b;
    cudaTextureObject_t linear, array;
    cudaSurfaceObject_t surface;
};

#define GLOBAL_INDEX (blockIdx.x * blockDim.x + threadIdx.x)

/* ---- element by element ---- */

__global__ void copy_float(const float *a, float *c) {
    c[GLOBAL_INDEX] = a[GLOBAL_INDEX];
}
__global__ void copy_float2(const float2 *a, float2 *c) {
    if (GLOBAL_INDEX < N / 2)
        c[GLOBAL_INDEX] = a[GLOBAL_INDEX];
}
__global__ void copy_float4(const float4 *a, float4 *c) {
    if (GLOBAL_INDEX < N / 4)
        c[GLOBAL_INDEX] = a[GLOBAL_INDEX];
}
__global__ void copy_char(const char *a, char *c) {
    c[GLOBAL_INDEX] = a[GLOBAL_INDEX];
}
__global__ void copy_double(const double *a, double *c) {
    if (GLOBAL_INDEX < N / 2)
        c[GLOBAL_INDEX] = a[GLOBAL_INDEX];
}
__global__ void copy_shifted(const float *a, float *c) {
    if (GLOBAL_INDEX + 1 < N)
        c[GLOBAL_INDEX] = a[GLOBAL_INDEX + 1];
}
__global__ void copy_strided(const float *a, float *c, int stride) {
    unsigned i = GLOBAL_INDEX * stride % N;
    c[i] = a[i];
}
__global__ void add_partial(const float *a, const float *b, float *c, int n) {
    unsigned i = GLOBAL_INDEX;
    if (i < n)
        c[i] = a[i] + b[i];
}
struct particle {
    float x, y, z, mass, vx, vy, vz, charge;
};
__global__ void array_of_structures(const particle *p, float *c) {
    unsigned i = GLOBAL_INDEX;
    if (i < N / 8)
        c[i] = p[i].x * p[i].mass;
}
__global__ void structure_of_arrays(const float *x, const float *mass, float *c) {
    unsigned i = GLOBAL_INDEX;
    if (i < N / 8)
        c[i] = x[i] * mass[i];
}
__global__ void broadcast(const float *a, float *c) {
    c[GLOBAL_INDEX] = a[blockIdx.x] + a[N - 1];
}
__global__ void gather(const float *a, const int *keys, float *c) {
    c[GLOBAL_INDEX] = a[keys[GLOBAL_INDEX]];
}
__global__ void scatter(const float *a, const int *keys, float *c) {
    c[keys[GLOBAL_INDEX]] = a[GLOBAL_INDEX];
}
__global__ void stencil(const float *a, float *c) {
    unsigned i = GLOBAL_INDEX;
    if (i >= 1 && i + 1 < N)
        c[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
}

/* ---- transposes ---- */

__global__ void transpose_rows(const float *a, float *c) { /* reads rows, writes columns */
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    c[x * SIDE + y] = a[y * SIDE + x];
}
__global__ void transpose_columns(const float *a, float *c) {
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    c[y * SIDE + x] = a[x * SIDE + y];
}
template <int padding> __global__ void transpose_shared(const float *a, float *c) {
    __shared__ float tile[32][32 + padding];
    for (int i = threadIdx.y; i < 32; i += 8)
        tile[i][threadIdx.x] = a[(blockIdx.y * 32 + i) * SIDE + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < 32; i += 8)
        c[(blockIdx.x * 32 + i) * SIDE + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][i];
}
__global__ void transpose_swizzled(const float *a, float *c) {
    __shared__ float tile[32][32];
    for (int i = threadIdx.y; i < 32; i += 8)
        tile[i][threadIdx.x ^ i] = a[(blockIdx.y * 32 + i) * SIDE + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    for (int i = threadIdx.y; i < 32; i += 8)
        c[(blockIdx.x * 32 + i) * SIDE + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][i ^ threadIdx.x];
}

/* ---- matrix products ---- */

__global__ void gemm_naive(const float *a, const float *b, float *c) {
    unsigned x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < SIDE; k++)
        sum += a[y * SIDE + k] * b[k * SIDE + x];
    c[y * SIDE + x] = sum;
}
__global__ void gemm_uncoalesced(const float *a, const float *b, float *c) {
    unsigned y = blockIdx.x * 16 + threadIdx.x, x = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < SIDE; k++)
        sum += a[y * SIDE + k] * b[k * SIDE + x];
    c[y * SIDE + x] = sum;
}
__global__ void gemm_tiled(const float *a, const float *b, float *c) {
    __shared__ float as[16][16], bs[16][16];
    unsigned tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
    float sum = 0;
    for (int t = 0; t < SIDE; t += 16) {
        as[ty][tx] = a[y * SIDE + t + tx];
        bs[ty][tx] = b[(t + ty) * SIDE + x];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[y * SIDE + x] = sum;
}
template <bool shared> __global__ void gemm_wmma(const __half *a, const __half *b, float *c) {
    using namespace nvcuda::wmma;
    __shared__ __align__(32) __half as[16 * 16], bs[16 * 16];
    fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
    fragment<matrix_b, 16, 16, 16, __half, row_major> fb;
    fragment<accumulator, 16, 16, 16, float> fc;
    fill_fragment(fc, 0);
    for (int k = 0; k < SIDE; k += 16) {
        const __half *pa = a + blockIdx.y * 16 * SIDE + k, *pb = b + k * SIDE + blockIdx.x * 16;
        if (shared) {
            for (int i = threadIdx.x; i < 256; i += 32) {
                as[i] = pa[i / 16 * SIDE + i % 16];
                bs[i] = pb[i / 16 * SIDE + i % 16];
            }
            __syncwarp();
            load_matrix_sync(fa, as, 16);
            load_matrix_sync(fb, bs, 16);
        } else {
            load_matrix_sync(fa, pa, SIDE);
            load_matrix_sync(fb, pb, SIDE);
        }
        mma_sync(fc, fa, fb, fc);
        __syncwarp();
    }
    store_matrix_sync(c + blockIdx.y * 16 * SIDE + blockIdx.x * 16, fc, SIDE, mem_row_major);
}

/* ---- reductions, scans, histograms ---- */

__global__ void reduce_interleaved(const float *a, float *c) { /* the classic mistake: divergent and with conflicts */
    __shared__ float s[BLOCK];
    s[threadIdx.x] = a[GLOBAL_INDEX];
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        unsigned i = 2 * d * threadIdx.x;
        if (i < blockDim.x)
            s[i] += s[i + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        c[blockIdx.x] = s[0];
}
__global__ void reduce_modulo(const float *a, float *c) {
    __shared__ float s[BLOCK];
    s[threadIdx.x] = a[GLOBAL_INDEX];
    __syncthreads();
    for (unsigned d = 1; d < blockDim.x; d *= 2) {
        if (threadIdx.x % (2 * d) == 0)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        c[blockIdx.x] = s[0];
}
__global__ void reduce_sequential(const float *a, float *c) {
    __shared__ float s[BLOCK];
    s[threadIdx.x] = a[GLOBAL_INDEX];
    __syncthreads();
    for (unsigned d = blockDim.x / 2; d > 0; d /= 2) {
        if (threadIdx.x < d)
            s[threadIdx.x] += s[threadIdx.x + d];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        c[blockIdx.x] = s[0];
}
__global__ void reduce_shuffle(const float *a, float *c) {
    float v = a[GLOBAL_INDEX];
    for (int d = 16; d; d /= 2)
        v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(c, v);
}
__global__ void histogram_global(const int *keys, int *bins) {
    atomicAdd(&bins[keys[GLOBAL_INDEX] % 64], 1);
}
__global__ void histogram_shared(const int *keys, int *bins) {
    __shared__ int s[64];
    if (threadIdx.x < 64)
        s[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&s[keys[GLOBAL_INDEX] % 64], 1);
    __syncthreads();
    if (threadIdx.x < 64)
        atomicAdd(&bins[threadIdx.x], s[threadIdx.x]);
}
__global__ void scan_block(const float *a, float *c) {
    __shared__ float s[BLOCK];
    s[threadIdx.x] = a[GLOBAL_INDEX];
    for (unsigned d = 1; d < BLOCK; d *= 2) {
        __syncthreads();
        float v = threadIdx.x >= d ? s[threadIdx.x - d] : 0;
        __syncthreads();
        s[threadIdx.x] += v;
    }
    c[GLOBAL_INDEX] = s[threadIdx.x];
}

/* ---- divergence ---- */

__device__ __noinline__ float work(float x, int n) {
    for (int i = 0; i < n; i++)
        x = x * 1.5f + 0.25f;
    return x;
}
__global__ void diverge_even_odd(const float *a, float *c) {
    float x = a[GLOBAL_INDEX];
    if (threadIdx.x % 2)
        x = work(x, 8);
    else
        x = work(x, 16) - 1;
    c[GLOBAL_INDEX] = x;
}
__global__ void diverge_by_warp(const float *a, float *c) {
    float x = a[GLOBAL_INDEX];
    if (threadIdx.x / 32 % 2)
        x = work(x, 8);
    else
        x = work(x, 16) - 1;
    c[GLOBAL_INDEX] = x;
}
__global__ void diverge_loop(const float *a, float *c) { /* each lane has another number of turns */
    float x = a[GLOBAL_INDEX];
#pragma unroll 1
    for (unsigned i = 0; i < threadIdx.x % 32; i++)
        x = x * 1.5f + c[i];
    c[GLOBAL_INDEX] = x;
}
__global__ void collatz(const int *keys, int *bins) {
    unsigned n = (unsigned)keys[GLOBAL_INDEX] + 1, steps = 0;
    while (n != 1) {
        n = n % 2 ? 3 * n + 1 : n / 2;
        steps++;
    }
    bins[GLOBAL_INDEX] = (int)steps;
}

/* ---- local memory, copies, textures ---- */

__global__ void local_array(const int *keys, int *bins) { /* each thread its own histogram, indexed by data */
    int count[16] = {0};
    for (int i = 0; i < 32; i++)
        count[keys[(GLOBAL_INDEX + i) % N] % 16]++;
    int sum = 0;
    for (int i = 0; i < 16; i++)
        sum += count[i] * i;
    bins[GLOBAL_INDEX] = sum;
}
__global__ void copy_async(const float *a, float *c) {
    namespace cg = cooperative_groups;
    __shared__ __align__(16) float s[BLOCK];
    cg::memcpy_async(cg::this_thread_block(), (float4 *)s, (const float4 *)(a + blockIdx.x * BLOCK), sizeof s);
    cg::wait(cg::this_thread_block());
    c[GLOBAL_INDEX] = s[BLOCK - 1 - threadIdx.x];
}
__global__ void texture_linear(cudaTextureObject_t t, float *c) {
    c[GLOBAL_INDEX] = tex1Dfetch<float>(t, (int)GLOBAL_INDEX);
}
__global__ void texture_array(cudaTextureObject_t t, float *c) {
    c[GLOBAL_INDEX] = tex2D<float>(t, GLOBAL_INDEX % SIDE, GLOBAL_INDEX / SIDE);
}
__global__ void surface_array(cudaSurfaceObject_t s, float *c) {
    c[GLOBAL_INDEX] = surf2Dread<float>(s, (int)(GLOBAL_INDEX % SIDE * sizeof(float)), (int)(GLOBAL_INDEX / SIDE));
}

/* ---- launches ---- */

static void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}

#define RUN(name, kernel, grid, block, ...)                                                                            \
    do {                                                                                                               \
        printf("%s\n", name);                                                                                          \
        kernel<<<grid, block>>>(__VA_ARGS__);                                                                          \
        check(cudaGetLastError(), name);                                                                               \
        check(cudaDeviceSynchronize(), name);                                                                          \
    } while (0)
#define RUN_FLAT(kernel, ...) RUN(#kernel, kernel, N / BLOCK, BLOCK, __VA_ARGS__)

static void make_textures(struct buffers *b) {
    cudaResourceDesc r = {};
    cudaTextureDesc t = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = b->a;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = N * sizeof(float);
    check(cudaCreateTextureObject(&b->linear, &r, &t, NULL), "texture");
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    check(cudaMallocArray(&array, &format, SIDE, SIDE, cudaArraySurfaceLoadStore), "array");
    check(cudaMemcpy2DToArray(array, 0, 0, b->a, SIDE * sizeof(float), SIDE * sizeof(float), SIDE,
                              cudaMemcpyDeviceToDevice),
          "copy to array");
    r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    check(cudaCreateTextureObject(&b->array, &r, &t, NULL), "texture");
    check(cudaCreateSurfaceObject(&b->surface, &r), "surface");
}

static void make(struct buffers *b) {
    check(cudaMalloc(&b->a, N * sizeof(float)), "a");
    check(cudaMalloc(&b->b, N * sizeof(float)), "b");
    check(cudaMalloc(&b->c, N * sizeof(float)), "c");
    check(cudaMalloc(&b->bins, N * sizeof(int)), "bins");
    check(cudaMalloc(&b->half_a, N * sizeof(__half)), "half a");
    check(cudaMalloc(&b->half_b, N * sizeof(__half)), "half b");
    for (void *p : {(void *)b->a, (void *)b->b, (void *)b->c, (void *)b->bins})
        check(cudaMemset(p, 0, N * 4), "cudaMemset");
    check(cudaMemset(b->half_a, 0, N * 2), "cudaMemset");
    check(cudaMemset(b->half_b, 0, N * 2), "cudaMemset");
    uint32_t state = 7;
    int *keys = (int *)malloc(N * sizeof *keys);
    for (int i = 0; i < N; i++) {
        state = state * 1664525u + 1013904223u;
        keys[i] = (int)((state >> 8) % N);
    }
    check(cudaMalloc(&b->keys, N * sizeof(int)), "keys");
    check(cudaMemcpy(b->keys, keys, N * sizeof *keys, cudaMemcpyHostToDevice), "keys");
    free(keys);
    make_textures(b);
}

/* The sums that emulator.h offers, which are counted in a quicker way than a profile: they must be the same. */
static void start_sums(void) {
    void (*start)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "emulatorCountersStart");
    if (start)
        start();
}
static void print_sums(void) {
    typedef void stop_function(struct emulatorCounters *, size_t);
    struct emulatorCounters n = {};
    stop_function *stop = (stop_function *)dlsym(RTLD_DEFAULT, "emulatorCountersStop");
    if (!stop)
        return;
    stop(&n, sizeof n);
    printf("SUM smsp__inst_executed.sum %llu\n", (unsigned long long)n.warp_instructions);
    printf("SUM smsp__thread_inst_executed_pred_on.sum %llu\n", (unsigned long long)n.thread_instructions);
    printf("SUM l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum %llu\n", (unsigned long long)n.global_load_requests);
    printf("SUM l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum %llu\n", (unsigned long long)n.global_load_sectors);
    printf("SUM l1tex__t_requests_pipe_lsu_mem_global_op_st.sum %llu\n", (unsigned long long)n.global_store_requests);
    printf("SUM l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum %llu\n", (unsigned long long)n.global_store_sectors);
    printf("SUM emulator__bytes_mem_global_op_ld.sum %llu\n", (unsigned long long)n.global_load_bytes);
    printf("SUM emulator__bytes_mem_global_op_st.sum %llu\n", (unsigned long long)n.global_store_bytes);
    printf("SUM smsp__inst_executed_op_shared_ld_pred_on_any.sum %llu\n", (unsigned long long)n.shared_load_requests);
    printf("SUM l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum %llu\n",
           (unsigned long long)n.shared_load_wavefronts);
    printf("SUM smsp__inst_executed_op_shared_st_pred_on_any.sum %llu\n", (unsigned long long)n.shared_store_requests);
    printf("SUM l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum %llu\n",
           (unsigned long long)n.shared_store_wavefronts);
    printf("SUM emulator__branches_conditional.sum %llu\n", (unsigned long long)n.branches);
    printf("SUM smsp__sass_branch_targets_threads_divergent.sum %llu\n", (unsigned long long)n.divergent_branches);
    printf("SUM emulator__barrier_arrivals.sum %llu\n", (unsigned long long)n.barriers);
    printf("SUM emulator__floating_point_operations.sum %llu\n", (unsigned long long)n.float_operations);
}

int main(int argc, char **) {
    struct buffers b;
    make(&b);
    if (argc > 1)
        start_sums();
    dim3 rows(32, 8), tile(16, 16), tiles(SIDE / 16, SIDE / 16);
    RUN_FLAT(copy_float, b.a, b.c);
    RUN_FLAT(copy_float2, (const float2 *)b.a, (float2 *)b.c);
    RUN_FLAT(copy_float4, (const float4 *)b.a, (float4 *)b.c);
    RUN_FLAT(copy_char, (const char *)b.a, (char *)b.c);
    RUN_FLAT(copy_double, (const double *)b.a, (double *)b.c);
    RUN_FLAT(copy_shifted, b.a, b.c);
    for (int stride : {2, 3, 8, 33}) {
        char name[32];
        snprintf(name, sizeof name, "copy_strided %d", stride);
        RUN(name, copy_strided, N / BLOCK, BLOCK, b.a, b.c, stride);
    }
    RUN("add_partial 1000", add_partial, 4, BLOCK, b.a, b.b, b.c, 1000);
    RUN("add_partial block of 100", add_partial, 10, 100, b.a, b.b, b.c, 999);
    RUN_FLAT(array_of_structures, (const particle *)b.a, b.c);
    RUN_FLAT(structure_of_arrays, b.a, b.b, b.c);
    RUN_FLAT(broadcast, b.a, b.c);
    RUN_FLAT(gather, b.a, b.keys, b.c);
    RUN_FLAT(scatter, b.a, b.keys, b.c);
    RUN_FLAT(stencil, b.a, b.c);
    RUN("transpose_rows", transpose_rows, dim3(SIDE / 32, SIDE / 8), rows, b.a, b.c);
    RUN("transpose_columns", transpose_columns, dim3(SIDE / 32, SIDE / 8), rows, b.a, b.c);
    RUN("transpose_shared padding 0", transpose_shared<0>, dim3(SIDE / 32, SIDE / 32), rows, b.a, b.c);
    RUN("transpose_shared padding 1", transpose_shared<1>, dim3(SIDE / 32, SIDE / 32), rows, b.a, b.c);
    RUN("transpose_swizzled", transpose_swizzled, dim3(SIDE / 32, SIDE / 32), rows, b.a, b.c);
    RUN("gemm_naive", gemm_naive, tiles, tile, b.a, b.b, b.c);
    RUN("gemm_uncoalesced", gemm_uncoalesced, tiles, tile, b.a, b.b, b.c);
    RUN("gemm_tiled", gemm_tiled, tiles, tile, b.a, b.b, b.c);
    RUN("gemm_wmma global", gemm_wmma<false>, tiles, 32, b.half_a, b.half_b, b.c);
    RUN("gemm_wmma shared", gemm_wmma<true>, tiles, 32, b.half_a, b.half_b, b.c);
    RUN_FLAT(reduce_interleaved, b.a, b.c);
    RUN_FLAT(reduce_modulo, b.a, b.c);
    RUN_FLAT(reduce_sequential, b.a, b.c);
    RUN_FLAT(reduce_shuffle, b.a, b.c);
    RUN_FLAT(histogram_global, b.keys, b.bins);
    RUN_FLAT(histogram_shared, b.keys, b.bins);
    RUN_FLAT(scan_block, b.a, b.c);
    RUN_FLAT(diverge_even_odd, b.a, b.c);
    RUN_FLAT(diverge_by_warp, b.a, b.c);
    RUN_FLAT(diverge_loop, b.a, b.c);
    RUN_FLAT(collatz, b.keys, b.bins);
    RUN_FLAT(local_array, b.keys, b.bins);
    RUN_FLAT(copy_async, b.a, b.c);
    RUN_FLAT(texture_linear, b.linear, b.c);
    RUN_FLAT(texture_array, b.array, b.c);
    RUN_FLAT(surface_array, b.surface, b.c);
    if (argc > 1)
        print_sums();
    return 0;
}
