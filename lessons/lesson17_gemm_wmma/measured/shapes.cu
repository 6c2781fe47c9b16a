/* shapes MxNxK...: version 8 of lesson 17 next to cuBLAS on other shapes, in fp16 with sums in fp32, for a GPU. The two take turns, and what
 * was timed is verified. SEED is read. */
#define main lesson17_main
#include "../lesson17.cu"
#undef main

int main(int argc, char **argv) {
    const char *seed = getenv("SEED");
    device_print_backend();
    struct cublas cublas = cublas_open();
    cublas_print(&cublas);
    for (int a = 1; a < argc; a++) {
        int M = 0, N = 0, K = 0;
        if (sscanf(argv[a], "%dx%dx%d", &M, &N, &K) != 3) {
            fprintf(stderr, "%s is no shape like 512x256x4096\n", argv[a]);
            return CHECK_EXIT_USAGE;
        }
        struct gemm g = gemm_create(FP16, M, N, K, 1.0f, 0.0f, seed ? atoi(seed) : 1);
        printf("shape %d %d %d\n", M, N, K);
        record_part("%dx%dx%d", M, N, K);
        gemm_race(&g, &versions[7], 1, &cublas);
        gemm_free(&g);
    }
    cublas_close(&cublas);
    return verify_finish("version 8 and cuBLAS");
}
