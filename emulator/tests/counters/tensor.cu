/* What ncu counts for tensor instructions: kernels with one form each, executed ROUNDS times by each of four warps. Prints the names of the
 * launches in their order, one a line. Operands are whatever lies there. */
// arch: sm_90a
#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>

#define ROUNDS 10

static __device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

/* ---- mma.sync: registers of A, B, C and D, of 32 bits each ---- */

#define MMA(name, opcode, d_list, a_list, b_list)                                                                      \
    __global__ void name(unsigned *y) {                                                                                \
        unsigned r[16];                                                                                                \
        for (int i = 0; i < 16; i++)                                                                                   \
            r[i] = threadIdx.x + i;                                                                                    \
        _Pragma("unroll 1") for (int i = 0; i < ROUNDS; i++) asm volatile(                                             \
            opcode " " d_list ", " a_list ", " b_list ", " d_list ";" : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]),            \
            "+r"(r[3]) : "r"(r[4]), "r"(r[5]), "r"(r[6]), "r"(r[7]), "r"(r[8]), "r"(r[9]));                            \
        y[threadIdx.x] = r[0] + r[1] + r[2] + r[3];                                                                    \
    }
#define TWO   "{%0, %1}"
#define FOUR  "{%0, %1, %2, %3}"
#define A1    "{%4}"
#define A2    "{%4, %5}"
#define A4    "{%4, %5, %6, %7}"
#define B1    "{%8}"
#define B2    "{%8, %9}"
#define SHAPE "mma.sync.aligned."
MMA(mma_m16n8k16_bf16_f32, SHAPE "m16n8k16.row.col.f32.bf16.bf16.f32", FOUR, A4, B2)
MMA(mma_m16n8k8_bf16_f32, SHAPE "m16n8k8.row.col.f32.bf16.bf16.f32", FOUR, A2, B1)
MMA(mma_m16n8k16_f16_f32, SHAPE "m16n8k16.row.col.f32.f16.f16.f32", FOUR, A4, B2)
MMA(mma_m16n8k16_f16_f16, SHAPE "m16n8k16.row.col.f16.f16.f16.f16", TWO, A4, B2)
MMA(mma_m16n8k8_tf32_f32, SHAPE "m16n8k8.row.col.f32.tf32.tf32.f32", FOUR, A4, B2)
MMA(mma_m16n8k4_tf32_f32, SHAPE "m16n8k4.row.col.f32.tf32.tf32.f32", FOUR, A2, B1)
MMA(mma_m16n8k32_s8_s32, SHAPE "m16n8k32.row.col.s32.s8.s8.s32", FOUR, A4, B2)
MMA(mma_m16n8k16_s8_s32, SHAPE "m16n8k16.row.col.s32.s8.s8.s32", FOUR, A2, B1)
MMA(mma_m16n8k32_e4m3_f32, SHAPE "m16n8k32.row.col.f32.e4m3.e4m3.f32", FOUR, A4, B2)

__global__ void mma_m8n8k4_f64(double *y) {
    double d[2] = {0, 0}, a = threadIdx.x, b = 1;
    _Pragma("unroll 1") for (int i = 0; i < ROUNDS; i++) asm volatile(
        "mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(d[0]),
        "+d"(d[1]) : "d"(a), "d"(b));
    y[threadIdx.x] = d[0] + d[1];
}

/* ---- moving matrices ---- */

#define MATRICES(name, opcode, pitch)                                                                                  \
    __global__ void name(unsigned *y) {                                                                                \
        __shared__ alignas(128) char s[32 * 144];                                                                      \
        unsigned r[4] = {threadIdx.x, 1, 2, 3}, at = shared_address(s + threadIdx.x % 32 * (pitch));                   \
        _Pragma("unroll 1") for (int i = 0; i < ROUNDS; i++) asm volatile(opcode : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), \
                                                                          "+r"(r[3]) : "r"(at) : "memory");            \
        y[threadIdx.x] = r[0] + r[1] + r[2] + r[3];                                                                    \
    }
MATRICES(ldmatrix_x1, "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%4];", 16)
MATRICES(ldmatrix_x2, "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%4];", 16)
MATRICES(ldmatrix_x4, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];", 16)
MATRICES(ldmatrix_x4_conflicts, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];", 128)
MATRICES(ldmatrix_x4_padded, "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];", 144)
MATRICES(ldmatrix_x4_trans, "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];", 16)
MATRICES(stmatrix_x4, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};", 16)
MATRICES(stmatrix_x4_conflicts, "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%4], {%0, %1, %2, %3};", 128)

/* ---- wgmma ---- */

#define R4(i)  "+r"(d[i]), "+r"(d[i + 1]), "+r"(d[i + 2]), "+r"(d[i + 3])
#define R16(i) R4(i), R4(i + 4), R4(i + 8), R4(i + 12)
#define R32    R16(0), R16(16)
#define L4     "{%0, %1, %2, %3}"
#define L16    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15"
#define L32    "{" L16 ", %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}"
#define L16_IN "{" L16 "}"

/* Two distances in units of 16 bytes, and the swizzle's number. */
static __device__ uint64_t descriptor(const void *p, unsigned leading, unsigned stride, uint64_t swizzle) {
    return (uint64_t)(shared_address(p) >> 4) | (uint64_t)leading << 16 | (uint64_t)stride << 32 | swizzle << 62;
}

#define WGMMA(name, opcode, registers, list, operands, tail, leading, stride, swizzle)                                 \
    __global__ void name(unsigned *y) {                                                                                \
        extern __shared__ __align__(1024) char s[];                                                                    \
        unsigned d[32];                                                                                                \
        uint64_t a = descriptor(s, leading, stride, swizzle), b = descriptor(s + 16384, leading, stride, swizzle);     \
        for (int i = 0; i < 32; i++)                                                                                   \
            d[i] = 0;                                                                                                  \
        asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                        \
        _Pragma("unroll 1") for (int i = 0; i < ROUNDS; i++) asm volatile(                                             \
            "{ .reg .pred p; setp.ne.b32 p, 1, 0; wgmma.mma_async.sync.aligned." opcode " " list ", " operands         \
            ", p" tail "; }" : registers : "l"(a),                                                                     \
            "l"(b), "r"(threadIdx.x) : "memory");                                                                      \
        asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                                 \
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                                                 \
        unsigned sum = 0;                                                                                              \
        for (int i = 0; i < 32; i++)                                                                                   \
            sum += d[i];                                                                                               \
        y[threadIdx.x] = sum;                                                                                          \
    }
#define FLOATS ", 1, 1"
#define HALVES ", 1, 1, 0, 0"
WGMMA(wgmma_n8_bf16, "m64n8k16.f32.bf16.bf16", R4(0), L4, "%4, %5", HALVES, 8, 16, 0)
WGMMA(wgmma_n64_bf16_plain, "m64n64k16.f32.bf16.bf16", R32, L32, "%32, %33", HALVES, 8, 16, 0)
WGMMA(wgmma_n64_bf16_swizzle32, "m64n64k16.f32.bf16.bf16", R32, L32, "%32, %33", HALVES, 1, 16, 3)
WGMMA(wgmma_n64_bf16_swizzle64, "m64n64k16.f32.bf16.bf16", R32, L32, "%32, %33", HALVES, 1, 32, 2)
WGMMA(wgmma_n64_bf16_swizzle128, "m64n64k16.f32.bf16.bf16", R32, L32, "%32, %33", HALVES, 1, 64, 1)
WGMMA(wgmma_n64_bf16_transposed, "m64n64k16.f32.bf16.bf16", R32, L32, "%32, %33", ", 1, 1, 1, 1", 1, 64, 1)
WGMMA(wgmma_n64_bf16_registers, "m64n64k16.f32.bf16.bf16", R32, L32, "{%34, %34, %34, %34}, %33", ", 1, 1, 0", 1, 64, 1)
WGMMA(wgmma_n64_f16_f16, "m64n64k16.f16.f16.f16", R16(0), L16_IN, "%16, %17", HALVES, 1, 64, 1)
WGMMA(wgmma_n64_tf32, "m64n64k8.f32.tf32.tf32", R32, L32, "%32, %33", FLOATS, 1, 64, 1)
WGMMA(wgmma_n64_e4m3, "m64n64k32.f32.e4m3.e4m3", R32, L32, "%32, %33", FLOATS, 1, 64, 1)
WGMMA(wgmma_n64_s8, "m64n64k32.s32.s8.s8", R32, L32, "%32, %33", "", 1, 64, 1)

/* ---- bulk copies ---- */

template <unsigned BYTES> __global__ void bulk_load(unsigned *y) {
    extern __shared__ __align__(1024) char s[];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&full)) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(&full)),
                     "r"(BYTES * ROUNDS)
                     : "memory");
        _Pragma("unroll 1") for (int i = 0; i < ROUNDS; i++) asm volatile(
            "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                shared_address(s)),
            "l"(y), "r"(BYTES), "r"(shared_address(&full)) : "memory");
        asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], 0; @!p bra again; }" ::"r"(
                         shared_address(&full))
                     : "memory");
    }
    __syncthreads();
}
template <unsigned BYTES> __global__ void bulk_store(unsigned *y) {
    extern __shared__ __align__(1024) char s[];
    if (threadIdx.x == 0) {
        _Pragma("unroll 1") for (int i = 0; i < ROUNDS; i++) asm volatile(
            "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(y), "r"(shared_address(s)),
            "r"(BYTES) : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

template <typename T> static void launch(const char *name, void (*kernel)(T *), void *y, unsigned shared) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    kernel<<<1, 128, shared>>>((T *)y);
    cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", name, cudaGetErrorString(error));
        cudaGetLastError();
    }
    puts(name);
}

int main() {
    void *y;
    cudaMalloc(&y, 65536);
    cudaMemset(y, 0, 65536);
#define RUN(kernel)   launch(#kernel, kernel, y, 0)
#define RUN_S(kernel) launch(#kernel, kernel, y, 65536)
    RUN(mma_m16n8k16_bf16_f32);
    RUN(mma_m16n8k8_bf16_f32);
    RUN(mma_m16n8k16_f16_f32);
    RUN(mma_m16n8k16_f16_f16);
    RUN(mma_m16n8k8_tf32_f32);
    RUN(mma_m16n8k4_tf32_f32);
    RUN(mma_m16n8k32_s8_s32);
    RUN(mma_m16n8k16_s8_s32);
    RUN(mma_m16n8k32_e4m3_f32);
    RUN(mma_m8n8k4_f64);
    RUN(ldmatrix_x1);
    RUN(ldmatrix_x2);
    RUN(ldmatrix_x4);
    RUN(ldmatrix_x4_conflicts);
    RUN(ldmatrix_x4_padded);
    RUN(ldmatrix_x4_trans);
    RUN(stmatrix_x4);
    RUN(stmatrix_x4_conflicts);
    RUN_S(wgmma_n8_bf16);
    RUN_S(wgmma_n64_bf16_plain);
    RUN_S(wgmma_n64_bf16_swizzle32);
    RUN_S(wgmma_n64_bf16_swizzle64);
    RUN_S(wgmma_n64_bf16_swizzle128);
    RUN_S(wgmma_n64_bf16_transposed);
    RUN_S(wgmma_n64_bf16_registers);
    RUN_S(wgmma_n64_f16_f16);
    RUN_S(wgmma_n64_tf32);
    RUN_S(wgmma_n64_e4m3);
    RUN_S(wgmma_n64_s8);
    RUN_S(bulk_load<16>);
    RUN_S(bulk_load<128>);
    RUN_S(bulk_load<1024>);
    RUN_S(bulk_load<16384>);
    RUN_S(bulk_store<128>);
    RUN_S(bulk_store<1024>);
    RUN_S(bulk_store<16384>);
    return 0;
}
