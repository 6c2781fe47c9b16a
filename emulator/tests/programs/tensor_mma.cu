/* A matrix product as fast programs write it, with ldmatrix from padded shared memory and mma.sync; stmatrix and
 * movmatrix; and a warp whose lanes come to a matrix instruction at different times. */
// arch: sm_90
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "program.h"

#define SIDE  64
#define PITCH (SIDE + 8) /* halves: eight rows lie in different banks */

__device__ static unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

/* A 16 x 16 tile as A operand; rows of 8 halves, one per lane. */
__device__ static void load_a(uint32_t (&a)[4], const half *tile) {
    const half *row = tile + threadIdx.x % 16 * PITCH + threadIdx.x / 16 % 2 * 8;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"(shared_address(row)));
}

/* A 16 x 8 tile that lies in memory row after row, as B operand. */
__device__ static void load_b(uint32_t (&b)[2], const half *tile) {
    const half *row = tile + threadIdx.x % 16 * PITCH;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
                 : "=r"(b[0]), "=r"(b[1])
                 : "r"(shared_address(row)));
}

__device__ static void multiply_add(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                 "{%0, %1, %2, %3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/* Each of four warps computes 16 rows of the product. */
__global__ void gemm(const half *a, const half *b, half *c) {
    __shared__ __align__(16) half sa[SIDE * PITCH], sb[SIDE * PITCH];
    for (int i = threadIdx.x; i < SIDE * SIDE; i += blockDim.x) {
        sa[i / SIDE * PITCH + i % SIDE] = a[i];
        sb[i / SIDE * PITCH + i % SIDE] = b[i];
    }
    __syncthreads();
    int row = threadIdx.x / 32 * 16;
    for (int column = 0; column < SIDE; column += 8) {
        float sum[4] = {0, 0, 0, 0};
        for (int k = 0; k < SIDE; k += 16) {
            uint32_t fa[4], fb[2];
            load_a(fa, sa + row * PITCH + k);
            load_b(fb, sb + k * PITCH + column);
            multiply_add(sum, fa, fb);
        }
        half2 upper = __floats2half2_rn(sum[0], sum[1]), lower = __floats2half2_rn(sum[2], sum[3]);
        int lane = threadIdx.x % 32;
        *(half2 *)&c[(row + lane / 4) * SIDE + column + lane % 4 * 2] = upper;
        *(half2 *)&c[(row + lane / 4 + 8) * SIDE + column + lane % 4 * 2] = lower;
    }
}

static void try_gemm() {
    static half a[SIDE * SIDE], b[SIDE * SIDE], c[SIDE * SIDE];
    static float found[SIDE * SIDE], expected[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i] = __float2half(i * 5 % 13 - 6);
        b[i] = __float2half(i * 3 % 7 - 3);
    }
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            expected[i] += __half2float(a[i / SIDE * SIDE + k]) * __half2float(b[k * SIDE + i % SIDE]);
    half *da = to_device(a, SIDE * SIDE), *db = to_device(b, SIDE * SIDE), *dc = device_zeros<half>(SIDE * SIDE);
    gemm<<<1, 128>>>(da, db, dc);
    FINISH();
    from_device(c, dc, SIDE * SIDE);
    for (int i = 0; i < SIDE * SIDE; i++)
        found[i] = __half2float(c[i]);
    check_equal("gemm", expected, found, SIDE * SIDE);
}

/* stmatrix.trans and movmatrix both transpose; twice is nothing. */
__global__ void transpose_twice(const uint32_t *in, uint32_t *out) {
    __shared__ __align__(16) uint32_t rows[8][4];
    uint32_t x = in[threadIdx.x], y;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(y) : "r"(x));
    asm volatile(
        "stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(shared_address(rows[threadIdx.x % 8])),
        "r"(y)
        : "memory");
    __syncwarp();
    out[threadIdx.x] = rows[threadIdx.x / 4][threadIdx.x % 4];
    out[32 + threadIdx.x] = y;
}

static void try_transpose() {
    uint32_t in[32], out[64], expected[64];
    for (int i = 0; i < 32; i++)
        expected[i] = in[i] = (2 * i) | (2 * i + 1) << 16;
    for (int i = 0; i < 32; i++) /* lane i: row i / 4, elements 2 * (i % 4) and the next */
        expected[32 + i] = (i % 4 * 16 + i / 4) | (i % 4 * 16 + 8 + i / 4) << 16;
    uint32_t *device_in = to_device(in, 32), *device_out = device_zeros<uint32_t>(64);
    transpose_twice<<<1, 32>>>(device_in, device_out);
    FINISH();
    from_device(out, device_out, 64);
    check_equal("transposed twice", expected, out, 64);
}

/* Odd lanes come late: the instruction waits for them. The lanes' sums of 16 ones, and of what they bring. */
__global__ void late(int *out) {
    int c0 = threadIdx.x, c1 = 0, d0, d1, a = 0x01010101, b = 0x01010101;
    volatile int spin = 0;
    if (threadIdx.x % 2)
        for (int i = 0; i < 100; i++)
            spin = spin + 1;
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%4, %5};"
                 : "=r"(d0), "=r"(d1)
                 : "r"(a), "r"(b), "r"(c0), "r"(c1));
    out[threadIdx.x] = d0 + d1;
}

static void try_late() {
    int out[32], expected[32], *device = device_zeros<int>(32);
    for (int i = 0; i < 32; i++)
        expected[i] = 32 + i;
    late<<<1, 32>>>(device);
    FINISH();
    from_device(out, device, 32);
    check_equal("lanes that come late", expected, out, 32);
}

/* The accumulator goes round and round: a long sum that single precision holds exactly. */
__global__ void accumulate(float *out) {
    uint32_t one = 0x3f803f80; /* bfloat16 */
    float c[4] = {0, 0, 0, 0};
    for (int i = 0; i < 1000; i++)
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, "
            "{%0, %1, %2, %3};"
            : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
            : "r"(one));
    out[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

static void try_accumulate() {
    float out[32], expected[32], *device = device_zeros<float>(32);
    for (int i = 0; i < 32; i++)
        expected[i] = 4 * 16000;
    accumulate<<<1, 32>>>(device);
    FINISH();
    from_device(out, device, 32);
    check_equal("a long sum", expected, out, 32);
}

int main() {
    try_gemm();
    try_transpose();
    try_late();
    try_accumulate();
    return program_failures != 0;
}
