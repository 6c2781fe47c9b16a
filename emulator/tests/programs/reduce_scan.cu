// Block reduction in several shapes, and an inclusive scan over blocks: shared memory, barriers, warp shuffles.
#include "program.h"

__inline__ __device__ int warp_sum(int x) {
    for (int offset = 16; offset > 0; offset /= 2)
        x += __shfl_down_sync(0xffffffff, x, offset);
    return x;
}

template <int BLOCK> __global__ void reduce_tree(const int *x, int n, int *sum) {
    __shared__ int partial[BLOCK];
    int total = 0;
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK)
        total += x[i];
    partial[threadIdx.x] = total;
    __syncthreads();
    for (int s = BLOCK / 2; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            partial[threadIdx.x] += partial[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(sum, partial[0]);
}

__global__ void reduce_shuffle(const int *x, int n, int *sum) {
    __shared__ int warps[32];
    int total = 0, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        total += x[i];
    total = warp_sum(total);
    if (lane == 0)
        warps[warp] = total;
    __syncthreads();
    if (warp == 0) {
        total = lane < (blockDim.x + 31) / 32 ? warps[lane] : 0;
        total = warp_sum(total);
        if (lane == 0)
            atomicAdd(sum, total);
    }
}

// The last block to finish adds up: memory fences and an atomic counter.
__device__ unsigned blocks_done;
__global__ void reduce_last_block(const int *x, int n, volatile int *partial, int *sum) {
    __shared__ bool last;
    int total = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        total += x[i];
    total = warp_sum(total);
    if (threadIdx.x % 32 == 0)
        atomicAdd((int *)&partial[blockIdx.x], total);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 0) {
        total = 0;
        for (int b = 0; b < gridDim.x; b++)
            total += partial[b];
        *sum = total;
    }
}

__global__ void scan_block(const int *x, int *y, int *sums, int n) {
    extern __shared__ int buffer[];
    int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
    int *from = buffer, *to = buffer + blockDim.x;
    from[t] = i < n ? x[i] : 0;
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        to[t] = t >= d ? from[t] + from[t - d] : from[t];
        __syncthreads();
        int *other = from;
        from = to;
        to = other;
    }
    if (i < n)
        y[i] = from[t];
    if (t == blockDim.x - 1)
        sums[blockIdx.x] = from[t];
}

__global__ void scan_add(int *y, const int *sums, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && blockIdx.x > 0)
        y[i] += sums[blockIdx.x - 1];
}

int main() {
    const int n = 100003;
    static int x[n], y[n], expected[n];
    uint32_t seed = 1;
    int total = 0;
    for (int i = 0; i < n; i++) {
        x[i] = (int)(next_random(&seed) % 2001) - 1000;
        total += x[i];
        expected[i] = total;
    }
    int *device_x = to_device(x, n), *sum = device_zeros<int>(1), found;

    reduce_tree<256><<<7, 256>>>(device_x, n, sum);
    FINISH();
    from_device(&found, sum, 1);
    check_equal("tree reduction", &total, &found, 1);

    CUDA(cudaMemset(sum, 0, sizeof(int)));
    reduce_shuffle<<<5, 416>>>(device_x, n, sum);
    FINISH();
    from_device(&found, sum, 1);
    check_equal("shuffle reduction", &total, &found, 1);

    int *partial = device_zeros<int>(33);
    for (int round = 0; round < 2; round++) {
        CUDA(cudaMemset(partial, 0, 33 * sizeof(int)));
        reduce_last_block<<<33, 96>>>(device_x, n, partial, sum);
        FINISH();
        from_device(&found, sum, 1);
        check_equal("last block reduction", &total, &found, 1);
    }

    const int block = 512, blocks = (n + block - 1) / block;
    int *device_y = device_zeros<int>(n), *sums = device_zeros<int>(blocks), *none = device_zeros<int>(1);
    scan_block<<<blocks, block, 2 * block * sizeof(int)>>>(device_x, device_y, sums, n);
    scan_block<<<1, block, 2 * block * sizeof(int)>>>(sums, sums, none, blocks);
    scan_add<<<blocks, block>>>(device_y, sums, n);
    FINISH();
    from_device(y, device_y, n);
    check_equal("scan", expected, y, n);
    return program_failures;
}
