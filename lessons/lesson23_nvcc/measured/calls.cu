/* What a call across files costs: a kernel that calls parts/device.cu's silu many times for each element. Built in three ways by builds.sh: with
 * silu in another file (-dc), in the same file (-DSAME_FILE), and in another file with link-time optimization. */
#include "../../../common/check.h"
#include "../../../common/device.h"
#include "../../../common/record.h"
#include "../../../common/verify.h"

#ifdef SAME_FILE
#include "../parts/device.cu"
#else
#include "../parts/silu.h"
#endif

enum { CALLS = 64, BLOCK = 256, RUNS = 11 };

static __global__ void calls_kernel(const float *x, float *y, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        float sum = 0;
        for (int k = 0; k < CALLS; k++) {
            sum += silu(x[i] + k);
        }
        y[i] = sum;
    }
}

static void launch(const float *x, float *y, int n) {
    calls_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}

static float median_ms(const float *x, float *y, int n) {
    float ms[RUNS];
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int run = -3; run < RUNS; run++) {
        CUDA_CHECK(cudaEventRecord(start));
        launch(x, y, n);
        CUDA_CHECK(cudaEventRecord(stop));
        CUDA_CHECK(cudaEventSynchronize(stop));
        CUDA_CHECK(cudaEventElapsedTime(&ms[run < 0 ? 0 : run], start, stop));
    }
    for (int i = 1; i < RUNS; i++) {
        for (int k = i; k > 0 && ms[k] < ms[k - 1]; k--) {
            float t = ms[k];
            ms[k] = ms[k - 1];
            ms[k - 1] = t;
        }
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    return ms[RUNS / 2];
}

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, 1);
    int n = options.size >= 0 ? (int)options.size : device_is_emulator() ? 10000 : 1 << 24;
    size_t bytes = n * sizeof(float);
    float *x = (float *)verify_host_alloc(bytes), *y = (float *)verify_host_alloc(bytes);
    float *expected = (float *)verify_host_alloc(bytes);
    float *dev_x = (float *)verify_alloc(bytes), *dev_y = (float *)verify_alloc(bytes);
    device_print_backend();
    verify_random(x, n, -10.0f, 10.0f, options.seed);
    for (int i = 0; i < n; i++) {
        double sum = 0;
        for (int k = 0; k < CALLS && i < 100000; k++) {
            double v = x[i] + (float)k;
            sum += v / (1.0 + exp(-v));
        }
        expected[i] = (float)sum;
    }
    CUDA_CHECK(cudaMemcpy(dev_x, x, bytes, cudaMemcpyHostToDevice));
    if (n > 0 && !device_is_emulator()) {
        printf("%d calls for each of %d elements: ", CALLS, n);
        record_print("%.4f ms\n", "calls_kernel", "ms", "ms", median_ms(dev_x, dev_y, n));
    } else if (n > 0) {
        launch(dev_x, dev_y, n);
    }
    CUDA_CHECK(cudaMemcpy(y, dev_y, bytes, cudaMemcpyDeviceToHost));
    verify_floats("calls_kernel", y, expected, n < 100000 ? n : 100000, 1e-3, 1e-5);
    verify_free("calls, x", dev_x, bytes);
    verify_free("calls, y", dev_y, bytes);
    free(x), free(y), free(expected);
    return verify_finish("calls");
}
