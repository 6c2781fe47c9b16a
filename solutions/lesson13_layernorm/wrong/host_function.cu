// expect: not_by_kernel
// says: kernels have
/* A host function computes mean and variance in the middle of the stream, and kernels only y: the host hands over much less than y has, but for a few
 * rows, of which a kernel does all. */
#include "common/check.h"

enum { LINES = 64, ELEMENTS = 1 << 20, COLUMNS = 1 << 14 };

static struct statistics {
    float x[ELEMENTS], mean[COLUMNS], variance[COLUMNS];
    int rows, cols;
} * pinned;

static void compute(void *) {
    struct statistics *s = pinned;
    for (int c = 0; c < s->cols; c++) {
        double sum = 0, squares = 0;
        for (int row = 0; row < s->rows; row++) {
            sum += s->x[(size_t)row * s->cols + c];
        }
        double mean = sum / s->rows;
        for (int row = 0; row < s->rows; row++) {
            double apart = s->x[(size_t)row * s->cols + c] - mean;
            squares += apart * apart;
        }
        s->mean[c] = (float)mean;
        s->variance[c] = (float)(squares / s->rows);
    }
}

__global__ void apply_kernel(const float *x, float *y, const float *gamma, const float *beta, const float *mean,
                             const float *variance, int rows, int cols, float epsilon) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        float m = mean[c], scale = gamma[c] * rsqrtf(variance[c] + epsilon), shift = beta[c];
        for (int row = blockIdx.y; row < rows; row += gridDim.y) {
            y[(size_t)row * cols + c] = (x[(size_t)row * cols + c] - m) * scale + shift;
        }
    }
}

__global__ void carry_kernel(float *mean, float *variance, const float *partial, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        mean[c] = partial[c];
        variance[c] = partial[cols + c];
    }
}

__global__ void few_kernel(const float *x, float *mean, float *variance, int rows, int cols) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c < cols) {
        float sum = 0.0f, squares = 0.0f;
        for (int row = 0; row < rows; row++) {
            sum += x[(size_t)row * cols + c];
        }
        for (int row = 0; row < rows; row++) {
            float apart = x[(size_t)row * cols + c] - sum / rows;
            squares += apart * apart;
        }
        mean[c] = sum / rows;
        variance[c] = squares / rows;
    }
}

static void statistics_of_host(const float *x, float *mean, float *variance, int rows, int cols, float *partial,
                               cudaStream_t stream) {
    size_t all = (size_t)rows * cols, row = cols * sizeof(float);
    if (!pinned) {
        CUDA_CHECK(cudaMallocHost(&pinned, sizeof *pinned));
    }
    pinned->rows = rows, pinned->cols = cols;
    CUDA_CHECK(cudaMemcpyAsync(pinned->x, x, all * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaLaunchHostFunc(stream, compute, NULL));
    CUDA_CHECK(cudaMemcpyAsync(partial, pinned->mean, row, cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaMemcpyAsync(partial + cols, pinned->variance, row, cudaMemcpyHostToDevice, stream));
    carry_kernel<<<(cols + 127) / 128, 128, 0, stream>>>(mean, variance, partial, cols);
    CUDA_CHECK_LAUNCH();
}

void batchnorm(const float *x, float *y, const float *gamma, const float *beta, float *mean, float *variance, int rows,
               int cols, float epsilon, float *partial, cudaStream_t stream) {
    if (cols == 0) {
        return;
    }
    if (rows < 8) {
        few_kernel<<<(cols + 127) / 128, 128, 0, stream>>>(x, mean, variance, rows, cols);
        CUDA_CHECK_LAUNCH();
    } else {
        statistics_of_host(x, mean, variance, rows, cols, partial, stream);
    }
    dim3 grid((cols + 127) / 128, rows < LINES ? rows : LINES);
    apply_kernel<<<grid, 128, 0, stream>>>(x, y, gamma, beta, mean, variance, rows, cols, epsilon);
    CUDA_CHECK_LAUNCH();
}
