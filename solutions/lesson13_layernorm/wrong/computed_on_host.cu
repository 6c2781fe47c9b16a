// expect: not_implemented
/* There and back again, and the host adds. */
#include <math.h>
#include <vector>

#include "common/check.h"

void batchnorm(const float *x, float *y, const float *gamma, const float *beta, float *mean, float *variance, int rows,
               int cols, float epsilon, float *partial, cudaStream_t stream) {
    size_t n = (size_t)rows * cols;
    std::vector<float> in(n), out(n), g(cols), b(cols), m(cols), v(cols);
    (void)partial;
    CUDA_CHECK(cudaMemcpyAsync(in.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaMemcpyAsync(g.data(), gamma, cols * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CUDA_CHECK(cudaMemcpyAsync(b.data(), beta, cols * sizeof(float), cudaMemcpyDeviceToHost, stream));
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    }
    for (int c = 0; c < cols; c++) {
        double sum = 0, squares = 0;
        for (int row = 0; row < rows; row++) {
            sum += in[(size_t)row * cols + c];
        }
        for (int row = 0; row < rows; row++) {
            squares += pow(in[(size_t)row * cols + c] - sum / rows, 2);
        }
        m[c] = (float)(sum / rows);
        v[c] = (float)(squares / rows);
        for (int row = 0; row < rows; row++) {
            size_t i = (size_t)row * cols + c;
            out[i] = (in[i] - m[c]) / sqrtf(v[c] + epsilon) * g[c] + b[c];
        }
    }
    CUDA_CHECK(cudaMemcpyAsync(y, out.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaMemcpyAsync(mean, m.data(), cols * sizeof(float), cudaMemcpyHostToDevice, stream));
    CUDA_CHECK(cudaMemcpyAsync(variance, v.data(), cols * sizeof(float), cudaMemcpyHostToDevice, stream));
}
