/* cublas.h - NVIDIA's matrix product, to compare with.
 *
 *     struct cublas cublas = cublas_open();                   cublas.sgemm is NULL where there is no cuBLAS
 *     cublas_sgemm(&cublas, M, N, K, 1, A, B, 0, C, stream);  C = 1 * A * B + 0 * C, row-major like the lessons' own
 *     cublas_close(&cublas);
 *
 * The library is looked for when the program runs (LD_LIBRARY_PATH, then the system's folders), so nothing needs it in order
 * to compile or to run: with a CUDA toolkit it is there, with the compiler alone it is not. It is asked for on a GPU only; the
 * emulator could not run its machine code. Plain fp32 is what it computes: TF32, which rounds the inputs, is off by default.
 */
#ifndef COMMON_CUBLAS_H
#define COMMON_CUBLAS_H

#include <dlfcn.h>

#include "check.h"
#include "device.h"
#include "record.h"

typedef struct cublasContext *cublas_handle;

/* What we use of cublas_v2.h; an enum of that header is an int here. */
struct cublas {
    void *library;
    cublas_handle handle;
    int (*create)(cublas_handle *);
    int (*destroy)(cublas_handle);
    int (*set_stream)(cublas_handle, cudaStream_t);
    int (*version)(cublas_handle, int *);
    int (*sgemm)(cublas_handle, int, int, int, int, int, const float *, const float *, int, const float *, int,
                 const float *, float *, int);
    int (*gemm_ex)(cublas_handle, int, int, int, int, int, const void *, const void *, int, int, const void *, int, int,
                   const void *, void *, int, int, int, int); /* for cublas_types.h */
};

static inline void cublas_check(int status, const char *what) {
    if (status != 0) {
        fprintf(stderr, "%s failed with status %d: cublasStatus_t in the manual of cuBLAS says what it means\n", what,
                status);
        printf("FAIL: %s\n", what);
        exit(CHECK_EXIT_FAIL);
    }
}

static inline struct cublas cublas_open(void) {
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    struct cublas cublas = {};
    for (int k = 0; k < 3 && !cublas.library && !device_is_emulator(); k++) {
        cublas.library = dlopen(names[k], RTLD_NOW | RTLD_LOCAL);
    }
    if (!cublas.library) {
        return cublas;
    }
    cublas.create = (int (*)(cublas_handle *))dlsym(cublas.library, "cublasCreate_v2");
    cublas.destroy = (int (*)(cublas_handle))dlsym(cublas.library, "cublasDestroy_v2");
    cublas.set_stream = (int (*)(cublas_handle, cudaStream_t))dlsym(cublas.library, "cublasSetStream_v2");
    cublas.version = (int (*)(cublas_handle, int *))dlsym(cublas.library, "cublasGetVersion_v2");
    *(void **)&cublas.sgemm = dlsym(cublas.library, "cublasSgemm_v2");
    *(void **)&cublas.gemm_ex = dlsym(cublas.library, "cublasGemmEx");
    if (!cublas.create || !cublas.destroy || !cublas.set_stream || !cublas.version || !cublas.sgemm) {
        cublas_check(-1, "looking for cuBLAS's functions");
    }
    cublas_check(cublas.create(&cublas.handle), "cublasCreate");
    return cublas;
}

/* One line: which version it is, or that there is none to compare with. */
static inline void cublas_print(const struct cublas *cublas) {
    int version = 0;
    char text[32];
    if (!cublas->sgemm) {
        printf("cuBLAS: not found, no comparison (its folder belongs into LD_LIBRARY_PATH)\n");
        return;
    }
    cublas_check(cublas->version(cublas->handle, &version), "cublasGetVersion");
    snprintf(text, sizeof text, "%d.%d.%d", version / 10000, version / 100 % 100, version % 100);
    printf("cuBLAS: %s\n", text);
    record_text("cuBLAS", "version", text, "");
}

/* C = alpha * A * B + beta * C. cuBLAS counts column by column: what is a matrix of M rows to us is its transpose to
 * cuBLAS. So we ask for the transpose of C, which is the transpose of B times the transpose of A. */
static inline void cublas_sgemm(struct cublas *cublas, int M, int N, int K, float alpha, const float *A, const float *B,
                                float beta, float *C, cudaStream_t stream) {
    enum { NOT_TRANSPOSED = 0 };
    cublas_check(cublas->set_stream(cublas->handle, stream), "cublasSetStream");
    cublas_check(
        cublas->sgemm(cublas->handle, NOT_TRANSPOSED, NOT_TRANSPOSED, N, M, K, &alpha, B, N, A, K, &beta, C, N),
        "cublasSgemm");
}

static inline void cublas_close(struct cublas *cublas) {
    if (cublas->library) {
        cublas_check(cublas->destroy(cublas->handle), "cublasDestroy");
        dlclose(cublas->library);
    }
}

#endif
