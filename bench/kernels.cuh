/* The kernels that the emulator is timed with: by bench.cu against plain C, by watching.cu against themselves when watched. */
#ifndef BENCH_KERNELS_CUH
#define BENCH_KERNELS_CUH

#include <cuda_fp16.h>
#include <mma.h>

enum { TILE = 16, REDUCTION_BLOCK = 256, REDUCTION_EACH = 16, MANDELBROT_LIMIT = 256, BODIES_BLOCK = 256, RADIUS = 4 };

/* --- vecadd: c[i] = a[i] + b[i] --- */

__global__ void vecadd_kernel(const float *a, const float *b, float *c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

/* --- matmul: c = a * b, n x n, n a multiple of TILE --- */

__global__ void matmul_naive_kernel(const float *a, const float *b, float *c, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int k = 0; k < n; k++) {
        sum += a[row * n + k] * b[k * n + column];
    }
    c[row * n + column] = sum;
}

__global__ void matmul_tiled_kernel(const float *a, const float *b, float *c, int n) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < n; start += TILE) {
        tile_a[threadIdx.y][threadIdx.x] = a[row * n + start + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(start + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++) {
            sum += tile_a[threadIdx.y][k] * tile_b[k][threadIdx.x];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}

/* --- reduction: sums[block] is the sum of the block's 256 elements --- */

__global__ void reduction_kernel(const float *x, float *sums, int n) {
    __shared__ float partial[REDUCTION_BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    partial[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    for (int stride = REDUCTION_BLOCK / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = partial[0];
    }
}

/* The same with REDUCTION_EACH elements a thread, added up before the block's: sums[block] is the sum of what it took. */
__global__ void reduction_many_kernel(const float *x, float *sums, int n) {
    __shared__ float partial[REDUCTION_BLOCK];
    float sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        sum += x[i];
    }
    partial[threadIdx.x] = sum;
    __syncthreads();
    for (int stride = REDUCTION_BLOCK / 2; stride > 0; stride /= 2) {
        if (threadIdx.x < stride) {
            partial[threadIdx.x] += partial[threadIdx.x + stride];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = partial[0];
    }
}

/* --- mandelbrot: iterations until |z| > 2 --- */

static __host__ __device__ int mandelbrot_iterations(float cx, float cy) {
    float x = 0, y = 0;
    int count = 0;
    while (count < MANDELBROT_LIMIT && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        count++;
    }
    return count;
}

__global__ void mandelbrot_kernel(int *counts, int width, int height) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height) {
        counts[row * width + column] =
            mandelbrot_iterations(-2.0f + 3.0f * column / width, -1.0f + 2.0f * row / height);
    }
}

/* --- n-body: the acceleration of each of n bodies (x, y, z, mass), n a multiple of BODIES_BLOCK --- */

__host__ __device__ static inline void attract(float4 me, float4 other, float *x, float *y, float *z) {
    float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
    float inverse = 1.0f / sqrtf(dx * dx + dy * dy + dz * dz + 1e-3f);
    float strength = other.w * inverse * inverse * inverse;
    *x += dx * strength;
    *y += dy * strength;
    *z += dz * strength;
}

__global__ void bodies_kernel(const float4 *bodies, float4 *accelerations, int n) {
    __shared__ float4 tile[BODIES_BLOCK];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i];
    float x = 0, y = 0, z = 0;
    for (int start = 0; start < n; start += BODIES_BLOCK) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < BODIES_BLOCK; k++) {
            attract(me, tile[k], &x, &y, &z);
        }
        __syncthreads();
    }
    accelerations[i] = make_float4(x, y, z, 0);
}

/* --- transposes of n x n, n a multiple of 32: one side goes along rows, the other one down columns --- */

__global__ void transpose_to_columns_kernel(const float *from, float *to, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    to[x * n + y] = from[y * n + x];
}

__global__ void transpose_from_columns_kernel(const float *from, float *to, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    to[y * n + x] = from[x * n + y];
}

/* --- stencils that read their neighbours' words from global memory --- */

__global__ void stencil_5_points_kernel(const float *from, float *to, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, i = y * width + x;
    if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
        to[i] = 0.2f * (from[i] + from[i - 1] + from[i + 1] + from[i - width] + from[i + width]);
    } else if (x < width && y < height) {
        to[i] = from[i];
    }
}

/* to[i] is the mean of from[i - RADIUS] to from[i + RADIUS], which must be there. */
__global__ void stencil_line_kernel(const float *from, float *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    if (i < n) {
        for (int k = -RADIUS; k <= RADIUS; k++) {
            sum += from[i + k];
        }
        to[i] = sum / (2 * RADIUS + 1);
    }
}

/* --- single bytes --- */

__global__ void threshold_kernel(const unsigned char *from, unsigned char *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = from[i] > 127 ? 255 : 0;
    }
}

/* bins[256] += how often each byte occurs; a block counts in shared memory. */
__global__ void histogram_kernel(const unsigned char *x, unsigned *bins, int n) {
    __shared__ unsigned counts[256];
    counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(&counts[x[i]], 1u);
    }
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], counts[threadIdx.x]);
}

/* --- wmma: c = a * b, n x n, half precision in, single out; a warp a tile of 16 x 16, n a multiple of 16 --- */

__global__ void to_half_kernel(const float *from, half *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = __float2half(from[i]);
    }
}

__global__ void wmma_kernel(const half *a, const half *b, float *c, int n) {
    using namespace nvcuda;
    int row = blockIdx.y * 16, column = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 16;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(left, a + row * n + k, n);
        wmma::load_matrix_sync(right, b + k * n + column, n);
        wmma::mma_sync(sum, left, right, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

/* --- an empty kernel, for what a launch costs --- */

__global__ void empty_kernel() {}

#endif