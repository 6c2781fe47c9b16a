// expect: launch_error
// says: 65535
/* A row of blocks for each row of the picture, in y, where a grid has 65535 at most. */
#include <cuda_runtime.h>

__global__ void negative_kernel(float *x, size_t pitch, int cols) {
    float *row = (float *)((char *)x + blockIdx.y * pitch);
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (col < cols) {
        row[col] = 1.0f - row[col];
    }
}

cudaError_t negative(const float *in, float *out, int rows, int cols) {
    float *x = NULL;
    size_t width = cols * sizeof(float), pitch = 0;
    if (rows == 0 || cols == 0) {
        return cudaSuccess;
    }
    cudaError_t error = cudaMallocPitch((void **)&x, &pitch, width, rows);
    error = error ? error : cudaMemcpy2D(x, pitch, in, width, width, rows, cudaMemcpyHostToDevice);
    if (!error) {
        negative_kernel<<<dim3((cols + 127) / 128, rows), 128>>>(x, pitch, cols);
        error = cudaGetLastError();
    }
    error = error ? error : cudaMemcpy2D(out, width, x, pitch, width, rows, cudaMemcpyDeviceToHost);
    cudaFree(x);
    return error;
}
