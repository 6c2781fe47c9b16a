/* sweep EDGE...: variants of version 8 of lesson 17, in fp16, on square matrices of those edges, for a GPU. All of them and cuBLAS
 * take turns; what was timed is verified. */
#define main lesson17_main
#include "../../lesson17.cu"
#undef main

template <class D> static void variant(const struct gemm_call *g, cudaStream_t stream) {
    size_t shared = sizeof(stage<fp16, D>) * D::STAGES;
    launch(gemm_kernel8<fp16, D>, D::M, D::N, D::THREADS, shared, g, stream);
}

// The block's tile, bytes of a step, the warp's tile, stages, rows of blocks at the same time.
#define VARIANT(...)                                                                                                   \
    { #__VA_ARGS__, FP16, variant < shape < __VA_ARGS__>> }
static const struct gemm_version variants[] = {
    VARIANT(128, 128, 64, 64, 32, 4, 8),  VARIANT(128, 128, 64, 64, 64, 4, 8),   VARIANT(128, 128, 128, 64, 64, 3, 8),
    VARIANT(128, 256, 64, 64, 64, 3, 8),  VARIANT(128, 256, 64, 64, 64, 4, 8),   VARIANT(128, 256, 128, 64, 64, 3, 1),
    VARIANT(128, 256, 128, 64, 64, 3, 8), VARIANT(128, 256, 128, 64, 64, 3, 16), VARIANT(128, 256, 128, 64, 64, 4, 8),
    VARIANT(256, 128, 64, 64, 64, 4, 8),  VARIANT(256, 128, 128, 64, 64, 3, 8),  VARIANT(256, 128, 128, 64, 64, 4, 8),
};

int main(int argc, char **argv) {
    device_print_backend();
    struct cublas cublas = cublas_open();
    for (int a = 1; a < argc; a++) {
        int n = atoi(argv[a]);
        if (device_is_emulator()) { // nothing to time, but they can be verified
            frame lesson = frame_of("variants", variants, sizeof variants / sizeof variants[0]);
            lesson_verify(&lesson, 0, lesson.count - 1, gemm_shape{n, n, n, false}, 1);
            continue;
        }
        struct gemm g = gemm_create(FP16, n, n, n, 1.0f, 0.0f, 1);
        printf("M = N = K = %d\n", n);
        record_part("n=%d", n);
        gemm_race(&g, variants, sizeof variants / sizeof variants[0], &cublas);
        gemm_free(&g);
    }
    cublas_close(&cublas);
    return verify_finish("variants");
}
