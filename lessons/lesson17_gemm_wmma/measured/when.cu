/* when.cu - when does cuBLAS use tensor cores? One product of each case; record.list has ncu count how many instructions of
 * tensor cores its kernels executed. Before each case a kernel whose number of blocks is the case's number. */
#include <stdio.h>

#include "../../../common/cublas_types.h"

struct request {
    const char *what;
    const struct cublas_types *types;
    int M, N, K, offset; // bytes from an aligned address to A
    bool B_transposed;
};

static const struct cublas_types PEDANTIC = {CUBLAS_R_16F, CUBLAS_R_32F, 69}; // CUBLAS_COMPUTE_32F_PEDANTIC
static const struct request requests[] = {
    {"fp32", &CUBLAS_FP32, 4096, 4096, 4096},
    {"fp32 that may be TF32", &CUBLAS_TF32, 4096, 4096, 4096},
    {"fp32 that may be TF32, K = 4098", &CUBLAS_TF32, 4096, 4096, 4098},
    {"fp32 that may be TF32, K = 4097", &CUBLAS_TF32, 4096, 4096, 4097},
    {"fp16", &CUBLAS_FP16, 4096, 4096, 4096},
    {"fp16, K = 4100", &CUBLAS_FP16, 4096, 4096, 4100},
    {"fp16, K = 4098", &CUBLAS_FP16, 4096, 4096, 4098},
    {"fp16, K = 4097", &CUBLAS_FP16, 4096, 4096, 4097},
    {"fp16, A 8 bytes off", &CUBLAS_FP16, 4096, 4096, 4096, 8},
    {"fp16, A 2 bytes off", &CUBLAS_FP16, 4096, 4096, 4096, 2},
    {"fp16, 64 x 64 x 64", &CUBLAS_FP16, 64, 64, 64},
    {"fp16, 16 x 4096 x 4096", &CUBLAS_FP16, 16, 4096, 4096},
    {"fp16, 1 x 4096 x 4096", &CUBLAS_FP16, 1, 4096, 4096},
    {"fp16, pedantic", &PEDANTIC, 4096, 4096, 4096},
    {"fp16 with sums in fp16", &CUBLAS_FP16_SUMS16, 4096, 4096, 4096},
    {"bf16", &CUBLAS_BF16, 4096, 4096, 4096},
    {"int8", &CUBLAS_INT8, 4096, 4096, 4096},
    {"int8, B transposed", &CUBLAS_INT8, 4096, 4096, 4096, 0, true},
    {"int8, B transposed, K = 4098", &CUBLAS_INT8, 4096, 4096, 4098, 0, true},
};

__global__ void case_kernel() {}

int main() {
    const size_t bytes = (size_t)4104 * 4104 * sizeof(float);
    char *A, *B, *C;
    struct cublas cublas = cublas_open();
    cublas_print(&cublas);
    if (!cublas.library) {
        return CHECK_EXIT_FAIL;
    }
    CUDA_CHECK(cudaMalloc((void **)&A, bytes));
    CUDA_CHECK(cudaMalloc((void **)&B, bytes));
    CUDA_CHECK(cudaMalloc((void **)&C, bytes));
    CUDA_CHECK(cudaMemset(A, 0, bytes));
    CUDA_CHECK(cudaMemset(B, 0, bytes));
    for (size_t r = 0; r < sizeof requests / sizeof requests[0]; r++) {
        const struct request *q = &requests[r];
        case_kernel<<<(int)r + 1, 1>>>();
        CUDA_CHECK_LAUNCH();
        int status = cublas_gemm_ex(&cublas, q->types, q->M, q->N, q->K, 1, A + q->offset, B, 0, C, 0, q->B_transposed);
        CUDA_CHECK(cudaDeviceSynchronize());
        printf("case %zu: %s%s\n", r + 1, q->what, status ? ": refused" : "");
        record_row(q->what, "case", (double)r + 1, "");
        record_row(q->what, "refused", status != 0, "");
    }
    cublas_close(&cublas);
    return 0;
}
