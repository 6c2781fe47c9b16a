// expect: api_error
// says: negative printed something
/* Returns the error, and prints it, too. */
#include <cuda_runtime.h>
#include <stdio.h>

#include "right.h"

cudaError_t negative(const float *in, float *out, int rows, int cols) {
    float *x = NULL;
    size_t width = cols * sizeof(float), pitch = 0;
    if (rows == 0 || cols == 0) {
        return cudaSuccess;
    }
    cudaError_t error = cudaMallocPitch((void **)&x, &pitch, width, rows);
    error = error ? error : there_and_back(in, out, rows, cols, width, x, pitch);
    if (error != cudaSuccess) {
        fprintf(stderr, "negative: %s\n", cudaGetErrorString(error));
    }
    cudaFree(x);
    return error;
}
