/* rounding.cu - who rounds floats to TF32, and how? A product by cuBLAS, compared with exact ones: of the floats as they are, rounded to
 * nearest (as __float_to_tf32 does), and with their last 13 bits cut off (as the tensor core does). The smallest error tells. And the
 * bits of our own versions' results, as a number to compare with what the emulator prints. */
#define main lesson17_main
#include "../lesson17.cu"
#undef main

static float cut(float x) {
    uint32_t bits = verify_bits(x) & ~0x1fffu;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static float as_it_is(float x) {
    return x;
}

static float nearest(float x) {
    return kind_rounded(TF32, x);
}

/* The root mean square of found - A * B, with all numbers changed by `change`, divided by that of A * B. */
static double off(const float *A, const float *B, int n, const float *found, float (*change)(float)) {
    double errors = 0, squares = 0;
    double *row = (double *)verify_host_alloc(n * sizeof(double));
    for (int i = 0; i < n; i += n / 32) {
        for (int j = 0; j < n; j++) {
            row[j] = 0;
        }
        for (int k = 0; k < n; k++) {
            for (int j = 0; j < n; j++) {
                row[j] += (double)change(A[i * n + k]) * change(B[k * n + j]);
            }
        }
        for (int j = 0; j < n; j++) {
            errors += (found[i * n + j] - row[j]) * (found[i * n + j] - row[j]);
            squares += row[j] * row[j];
        }
    }
    free(row);
    return sqrt(errors / squares);
}

static void compare(const char *name, const float *A, const float *B, int n, const float *C) {
    printf("%-14s", name);
    record_print("  as they are %.2e", name, "as they are", "", off(A, B, n, C, as_it_is));
    record_print("  to nearest %.2e", name, "to nearest", "", off(A, B, n, C, nearest));
    record_print("  cut off %.2e\n", name, "cut off", "", off(A, B, n, C, cut));
}

/* FNV-1a of the results' bytes. */
static uint64_t hash_of(const void *x, size_t bytes) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++) {
        hash = (hash ^ ((const unsigned char *)x)[i]) * 0x100000001b3u;
    }
    return hash;
}

static void tf32_of_cublas(int n) {
    size_t bytes = (size_t)n * n * sizeof(float);
    float *A = (float *)verify_host_alloc(bytes), *B = (float *)verify_host_alloc(bytes),
          *C = (float *)verify_host_alloc(bytes);
    struct gemm_call call = {n, n, n, 1.0f, 0.0f};
    void *there[2];
    verify_random(A, (size_t)n * n, -1.0f, 1.0f, 1);
    verify_random(B, (size_t)n * n, -1.0f, 1.0f, 2);
    for (int m = 0; m < 2; m++) {
        CUDA_CHECK(cudaMalloc(&there[m], bytes));
        CUDA_CHECK(cudaMemcpy(there[m], m ? B : A, bytes, cudaMemcpyHostToDevice));
    }
    CUDA_CHECK(cudaMalloc(&call.C, bytes));
    call.A = there[0], call.B = there[1];
    gemm8<tf32>(&call, 0);
    CUDA_CHECK(cudaMemcpy(C, call.C, bytes, cudaMemcpyDeviceToHost));
    compare("gemm_kernel8", A, B, n, C);
    struct cublas cublas = cublas_open();
    if (cublas.library) {
        cublas_check(cublas_gemm_ex(&cublas, &CUBLAS_TF32, n, n, n, 1, call.A, call.B, 0, call.C, 0), "cublasGemmEx");
        CUDA_CHECK(cudaMemcpy(C, call.C, bytes, cudaMemcpyDeviceToHost));
        compare("cuBLAS, TF32", A, B, n, C);
    }
    cublas_close(&cublas);
}

int main() {
    device_print_backend();
    tf32_of_cublas(512);
    for (int v = 0; v < VERSIONS; v++) {
        struct gemm g = gemm_create(versions[v].kind, 136, 264, 1000, 2.0f, -1.0f, 1);
        gemm_reset(&g);
        versions[v].launch(&g.call, 0);
        CUDA_CHECK(cudaDeviceSynchronize());
        gemm_verify(&g, versions[v].name);
        char bits[24];
        snprintf(bits, sizeof bits, "0x%016llx",
                 (unsigned long long)hash_of(g.found_C, g.n_C * kinds[versions[v].kind].sum));
        printf("bits of %-16s %s\n", versions[v].name, bits + 2);
        record_text(versions[v].name, "bits", bits, "");
        gemm_free(&g);
    }
    return verify_finish("rounding");
}
