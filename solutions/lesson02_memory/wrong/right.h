/* The kernel of exercise 02, done right, for files that are about something else. */
__global__ void negative_kernel(float *x, size_t pitch, int cols) {
    float *row = (float *)((char *)x + blockIdx.x * pitch);
    for (int col = threadIdx.x; col < cols; col += blockDim.x) {
        row[col] = 1.0f - row[col];
    }
}

/* There and back, by way of x on the device. */
static cudaError_t there_and_back(const float *in, float *out, int rows, int cols, size_t width, float *x,
                                  size_t pitch) {
    cudaError_t error = cudaMemcpy2D(x, pitch, in, width, width, rows, cudaMemcpyHostToDevice);
    if (error != cudaSuccess) {
        return error;
    }
    negative_kernel<<<rows, 128>>>(x, pitch, cols);
    error = cudaGetLastError();
    return error != cudaSuccess ? error : cudaMemcpy2D(out, width, x, pitch, width, rows, cudaMemcpyDeviceToHost);
}
