/* Correct, and written in another way: two pitched pictures with pitches of their own, a two-dimensional grid, one copy
 * by cudaMemcpy row after row, and one way out for all errors. */
#include <cuda_runtime.h>

struct picture {
    char *base;
    size_t pitch;
};

__device__ static float *pixel(struct picture p, unsigned row, unsigned col) {
    return (float *)(p.base + row * p.pitch) + col;
}

__global__ void subtract_from_one(struct picture from, struct picture to, unsigned rows, unsigned cols) {
    unsigned col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols) {
        *pixel(to, row, col) = 1 - *pixel(from, row, col);
    }
}

cudaError_t negative(const float *in, float *out, int rows, int cols) {
    size_t width = cols * sizeof(float);
    struct picture from = {}, to = {};
    cudaError_t error = cudaSuccess;
    if (rows && cols) {
        error = cudaMallocPitch((void **)&from.base, &from.pitch, width, rows);
    }
    if (rows && cols && !error) {
        error = cudaMallocPitch((void **)&to.base, &to.pitch, 2 * width, rows);
    }
    if (from.base && to.base) {
        dim3 block(32, 4), grid((cols + 31) / 32, (rows + 3) / 4);
        error = cudaMemcpy2D(from.base, from.pitch, in, width, width, rows, cudaMemcpyDefault);
        if (!error) {
            subtract_from_one<<<grid, block>>>(from, to, rows, cols);
            error = cudaGetLastError();
        }
        if (!error) {
            error = cudaMemcpy2DAsync(out, width, to.base, to.pitch, width, rows, cudaMemcpyDeviceToHost, 0);
        }
        cudaError_t finished = cudaStreamSynchronize(0);
        error = error ? error : finished;
    }
    cudaFree(to.base); // freeing NULL does nothing
    cudaFree(from.base);
    return error;
}
