/* cublas_types.h - NVIDIA's matrix product for other types than float, to compare with: cublasGemmEx.
 *
 *     struct cublas cublas = cublas_open();
 *     int status = cublas_gemm_ex(&cublas, &CUBLAS_FP16, M, N, K, 1, A, B, 0, C, stream);    row-major; not 0: it refuses
 *
 * The numbers are those of library_types.h and cublas_api.h, which are not needed to compile. */
#ifndef COMMON_CUBLAS_TYPES_H
#define COMMON_CUBLAS_TYPES_H

#include <cuda_fp16.h>

#include "cublas.h"

/* cudaDataType_t, and cublasComputeType_t. */
enum { CUBLAS_R_32F = 0, CUBLAS_R_16F = 2, CUBLAS_R_8I = 3, CUBLAS_R_32I = 10, CUBLAS_R_16BF = 14 };
enum { CUBLAS_SUMS_16F = 64, CUBLAS_SUMS_32F = 68, CUBLAS_SUMS_32I = 72, CUBLAS_SUMS_TF32 = 77 };

struct cublas_types {
    int number, result, compute; /* of A and B, of C, and how it is summed */
};

static const struct cublas_types CUBLAS_FP16 = {CUBLAS_R_16F, CUBLAS_R_32F, CUBLAS_SUMS_32F};
static const struct cublas_types CUBLAS_FP16_SUMS16 = {CUBLAS_R_16F, CUBLAS_R_16F, CUBLAS_SUMS_16F};
static const struct cublas_types CUBLAS_BF16 = {CUBLAS_R_16BF, CUBLAS_R_32F, CUBLAS_SUMS_32F};
static const struct cublas_types CUBLAS_BF16_TO_BF16 = {CUBLAS_R_16BF, CUBLAS_R_16BF, CUBLAS_SUMS_32F};
static const struct cublas_types CUBLAS_TF32 = {CUBLAS_R_32F, CUBLAS_R_32F, CUBLAS_SUMS_TF32};
static const struct cublas_types CUBLAS_INT8 = {CUBLAS_R_8I, CUBLAS_R_32I, CUBLAS_SUMS_32I};
static const struct cublas_types CUBLAS_FP32 = {CUBLAS_R_32F, CUBLAS_R_32F, CUBLAS_SUMS_32F};

/* alpha and beta have the type of the sums. As in cublas_sgemm, C's transpose is asked for. `B_transposed`: B is N x K. */
static inline int cublas_gemm_ex(const struct cublas *cublas, const struct cublas_types *types, int M, int N, int K,
                                 float alpha, const void *A, const void *B, float beta, void *C, cudaStream_t stream,
                                 bool B_transposed = false) {
    enum { DEFAULT_ALGORITHM = -1 };
    cublas_check(cublas->gemm_ex ? 0 : -1, "looking for cublasGemmEx");
    cublas_check(cublas->set_stream(cublas->handle, stream), "cublasSetStream");
    int whole[2] = {(int)alpha, (int)beta};
    half halves[2] = {__float2half(alpha), __float2half(beta)};
    float floats[2] = {alpha, beta};
    const void *factors = types->compute == CUBLAS_SUMS_32I   ? (const void *)whole
                          : types->compute == CUBLAS_SUMS_16F ? (const void *)halves
                                                              : (const void *)floats;
    size_t factor = types->compute == CUBLAS_SUMS_16F ? sizeof(half) : sizeof(float);
    return cublas->gemm_ex(cublas->handle, B_transposed, 0, N, M, K, factors, B, types->number, B_transposed ? K : N, A,
                           types->number, K, (const char *)factors + factor, C, types->result, N, types->compute,
                           DEFAULT_ALGORITHM);
}

#endif
