/* How fast the emulator multiplies matrices of bf16 by mma.sync and by wgmma: 512 x 512 x 512, in turns. A rate of this machine's CPU, never of
 * a GPU. `make -C bench` does not build it; see the line below.
 *
 *   nvcc -std=c++17 -O3 -cudart shared -gencode arch=compute_90a,code=compute_90a -o tensor bench/tensor.cu && cuda-emulator ./tensor */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cuda_bf16.h>
#include <vector>

typedef __nv_bfloat16 bf16;

#define SIZE 512

static __device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

/* C = A * B; rows of A and columns of B lie next to one another along k. Four warps, each 32 x 32. */
__global__ void mma_kernel(const bf16 *a, const bf16 *b, float *c, int n) {
    constexpr int TILE = 64, DEPTH = 32, PITCH = DEPTH + 8;
    __shared__ alignas(16) bf16 as[TILE][PITCH], bs[TILE][PITCH];
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int down = warp / 2 * 32, right = warp % 2 * 32;
    float d[2][4][4] = {};
    for (int k = 0; k < n; k += DEPTH) {
        for (int i = threadIdx.x; i < TILE * DEPTH / 8; i += blockDim.x) {
            int r = i / (DEPTH / 8), at = i % (DEPTH / 8) * 8;
            *(int4 *)&as[r][at] = *(const int4 *)&a[(row + r) * n + k + at];
            *(int4 *)&bs[r][at] = *(const int4 *)&b[(column + r) * n + k + at];
        }
        __syncthreads();
        for (int kk = 0; kk < DEPTH; kk += 16) {
            unsigned fa[2][4], fb[4][2];
            for (int i = 0; i < 2; i++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                             : "=r"(fa[i][0]), "=r"(fa[i][1]), "=r"(fa[i][2]), "=r"(fa[i][3])
                             : "r"(shared_address(&as[down + 16 * i + lane % 16][kk + lane / 16 * 8])));
            for (int j = 0; j < 4; j++)
                asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                             : "=r"(fb[j][0]), "=r"(fb[j][1])
                             : "r"(shared_address(&bs[right + 8 * j + lane % 8][kk + lane / 8 % 2 * 8])));
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 4; j++)
                    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, "
                                 "%7}, {%8, %9}, {%0, %1, %2, %3};"
                                 : "+f"(d[i][j][0]), "+f"(d[i][j][1]), "+f"(d[i][j][2]), "+f"(d[i][j][3])
                                 : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fa[i][2]), "r"(fa[i][3]), "r"(fb[j][0]),
                                   "r"(fb[j][1]));
        }
        __syncthreads();
    }
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            for (int e = 0; e < 4; e++)
                c[(row + down + 16 * i + lane / 4 + e / 2 * 8) * n + column + right + 8 * j + lane % 4 * 2 + e % 2] =
                    d[i][j][e];
}

/* Pieces of 16 bytes; one of a row along k lies `rows` pieces behind the one before. */
static __device__ uint64_t descriptor(const void *p, unsigned rows) {
    return (uint64_t)(shared_address(p) >> 4) | (uint64_t)rows << 16 | (uint64_t)(128 >> 4) << 32;
}

/* The same by a warpgroup, 64 x 64. */
__global__ void wgmma_kernel(const bf16 *a, const bf16 *b, float *c, int n) {
    constexpr int TILE = 64, PIECES = 8;
    __shared__ alignas(128) int4 as[PIECES][TILE], bs[PIECES][TILE];
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    float d[32] = {};
    for (int k = 0; k < n; k += 8 * PIECES) {
        for (int i = threadIdx.x; i < TILE * PIECES; i += blockDim.x) {
            int r = i / PIECES, piece = i % PIECES;
            as[piece][r] = *(const int4 *)&a[(row + r) * n + k + 8 * piece];
            bs[piece][r] = *(const int4 *)&b[(column + r) * n + k + 8 * piece];
        }
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncthreads();
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
        for (int piece = 0; piece < PIECES; piece += 2)
            asm volatile(
                "{ .reg .pred p; setp.ne.b32 p, 1, 0;"
                "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
                "%31}, %32, %33, p, 1, 1, 0, 0; }"
                : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]),
                  "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]), "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15]),
                  "+f"(d[16]), "+f"(d[17]), "+f"(d[18]), "+f"(d[19]), "+f"(d[20]), "+f"(d[21]), "+f"(d[22]),
                  "+f"(d[23]), "+f"(d[24]), "+f"(d[25]), "+f"(d[26]), "+f"(d[27]), "+f"(d[28]), "+f"(d[29]),
                  "+f"(d[30]), "+f"(d[31])
                : "l"(descriptor(&as[piece][0], TILE)), "l"(descriptor(&bs[piece][0], TILE))
                : "memory");
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        __syncthreads();
    }
    for (int i = 0; i < 32; i++)
        c[(row + 16 * warp + lane / 4 + i / 2 % 2 * 8) * n + column + i / 4 * 8 + lane % 4 * 2 + i % 2] = d[i];
}

/* Of the processor, by all threads: others may use the machine, too. */
static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static float value_at(uint32_t i) {
    i *= 2654435761u;
    i ^= i >> 15;
    return (float)(int)(i % 2001 - 1000) / 1000.0f;
}

int main(int argc, char **argv) {
    const int n = SIZE, rounds = argc > 1 ? atoi(argv[1]) : 5;
    std::vector<bf16> a(n * n), b(n * n);
    std::vector<float> c(n * n), first;
    for (int i = 0; i < n * n; i++)
        a[i] = __float2bfloat16(value_at(i)), b[i] = __float2bfloat16(value_at(i + n * n));
    bf16 *da, *db;
    float *dc;
    cudaMalloc(&da, n * n * sizeof *da);
    cudaMalloc(&db, n * n * sizeof *db);
    cudaMalloc(&dc, n * n * sizeof *dc);
    cudaMemcpy(da, a.data(), n * n * sizeof *da, cudaMemcpyDefault);
    cudaMemcpy(db, b.data(), n * n * sizeof *db, cudaMemcpyDefault);
    double best[2] = {1e9, 1e9};
    for (int round = 0; round < rounds; round++)
        for (int which = 0; which < 2; which++) {
            double begin = seconds();
            (which ? wgmma_kernel : mma_kernel)<<<dim3(n / 64, n / 64), 128>>>(da, db, dc, n);
            cudaError_t error = cudaDeviceSynchronize();
            double time = seconds() - begin;
            cudaMemcpy(c.data(), dc, n * n * sizeof *dc, cudaMemcpyDefault);
            if (first.empty())
                first = c;
            if (error != cudaSuccess || c != first) {
                printf("FAIL: %s\n", error ? cudaGetErrorString(error) : "the two kernels differ");
                return 1;
            }
            best[which] = time < best[which] ? time : best[which];
        }
    for (int which = 0; which < 2; which++)
        printf("%-6s %7.1f ms of processors, %6.2f GFLOP/s each\n", which ? "wgmma" : "mma", best[which] * 1e3,
               2.0 * n * n * n / best[which] / 1e9);
    double exact = 0;
    for (int k = 0; k < n; k++)
        exact += (double)__bfloat162float(a[k]) * (double)__bfloat162float(b[k]);
    printf("c[0] %.9g, exactly %.9g\n", first[0], exact);
    return 0;
}
