// expect: not_by_kernel
// says: memory of cudaMallocPitch
/* Allocates pitched memory, and works in another array, without gaps. */
#include <cuda_runtime.h>

#include "right.h"

cudaError_t negative(const float *in, float *out, int rows, int cols) {
    float *x = NULL, *unused = NULL;
    size_t width = cols * sizeof(float), pitch = 0;
    if (rows == 0 || cols == 0) {
        return cudaSuccess;
    }
    cudaError_t error = cudaMallocPitch((void **)&unused, &pitch, width, rows);
    error = error ? error : cudaMalloc((void **)&x, width * rows);
    error = error ? error : there_and_back(in, out, rows, cols, width, x, width);
    cudaFree(x);
    cudaFree(unused);
    return error;
}
