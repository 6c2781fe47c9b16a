// expect: use_after_free
/* The memory is freed before the kernel uses it. */
#include <cuda_runtime.h>

enum { BLOCK = 128 }; // threads in a block

/* x[rows][cols], float, `pitch` bytes from row to row. Grid: a block for each row. */
__global__ void negative_kernel(float *x, size_t pitch, int cols) {
    float *row = (float *)((char *)x + blockIdx.x * pitch);
    for (int col = threadIdx.x; col < cols; col += blockDim.x) {
        row[col] = 1.0f - row[col];
    }
}

/* There and back, by way of x on the device. A row has cols floats, which are `width` bytes; that is also the pitch of
 * in and out, since they have no gaps. Returns the first error; the caller frees. */
static cudaError_t there_and_back(const float *in, float *out, int rows, int cols, size_t width, float *x,
                                  size_t pitch) {
    cudaError_t error = cudaMemcpy2D(x, pitch, in, width, width, rows, cudaMemcpyHostToDevice);
    if (error != cudaSuccess) {
        return error;
    }
    cudaFree(x);
    negative_kernel<<<rows, BLOCK>>>(x, pitch, cols);
    error = cudaGetLastError();
    if (error != cudaSuccess) {
        return error;
    }
    return cudaMemcpy2D(out, width, x, pitch, width, rows, cudaMemcpyDeviceToHost);
}

cudaError_t negative(const float *in, float *out, int rows, int cols) {
    float *x = NULL;
    size_t width = cols * sizeof(float), pitch = 0;
    if (rows == 0 || cols == 0) {
        return cudaSuccess;
    }
    cudaError_t allocated = cudaMallocPitch((void **)&x, &pitch, width, rows);
    if (allocated != cudaSuccess) {
        return allocated;
    }
    cudaError_t error = there_and_back(in, out, rows, cols, width, x, pitch);
    cudaError_t freed = cudaFree(x);
    return error != cudaSuccess ? error : freed;
}
