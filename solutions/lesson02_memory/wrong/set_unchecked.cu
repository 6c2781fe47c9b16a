// expect: api_error
// says: cudaMemset failed
/* The gaps are cleared as well, and nobody asks whether that worked. */
#include <cuda_runtime.h>

#include "right.h"

cudaError_t negative(const float *in, float *out, int rows, int cols) {
    float *x = NULL;
    size_t width = cols * sizeof(float), pitch = 0;
    if (rows == 0 || cols == 0) {
        return cudaSuccess;
    }
    cudaError_t error = cudaMallocPitch((void **)&x, &pitch, width, rows);
    if (!error) {
        cudaMemset(x, 0, pitch * rows);
        error = there_and_back(in, out, rows, cols, width, x, pitch);
    }
    cudaFree(x);
    return error;
}
