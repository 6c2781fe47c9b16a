/* Exercise 07, done right, for files that are about something else. */
enum { BLOCK = 256 }; // threads in a block

__global__ void moving_max_kernel(const float *x, float *y, int n, int radius) {
    extern __shared__ float tile[]; // the block's outputs and the halo on both sides: blockDim.x + 2 * radius elements

    int first = blockIdx.x * blockDim.x - radius; // may be negative
    int length = blockDim.x + 2 * radius;
    for (int t = threadIdx.x; t < length; t += blockDim.x) {
        int j = first + t;
        tile[t] = 0 <= j && j < n ? x[j] : -INFINITY;
    }

    __syncthreads();

    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float largest = -INFINITY;
        for (int k = 0; k <= 2 * radius; k++) {
            largest = fmaxf(largest, tile[threadIdx.x + k]);
        }
        y[i] = largest;
    }
}

static void right_moving_max(const float *x, float *y, int n, int radius, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int blocks = (n + BLOCK - 1) / BLOCK;
    size_t bytes = (BLOCK + 2 * radius) * sizeof(float);
    moving_max_kernel<<<blocks, BLOCK, bytes, stream>>>(x, y, n, radius);
    CUDA_CHECK_LAUNCH();
}
