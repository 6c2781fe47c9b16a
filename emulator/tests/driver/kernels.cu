/* What the programs beside load, as PTX, as a fat binary, and as machine code. */
__device__ int counter = 5;
__constant__ float factors[4];

extern "C" __global__ void scale(float *to, const float *from, float factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[i] * factor;
    }
}

extern "C" __global__ void count_up(void) {
    atomicAdd(&counter, 1);
}

extern "C" __global__ void reverse_shared(int *values) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = values[threadIdx.x];
    __syncthreads();
    values[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(64) at_most_64(float *to) {
    to[threadIdx.x] = factors[threadIdx.x % 4];
}

extern "C" __global__ void write_to(int *to) {
    *to = threadIdx.x;
}
