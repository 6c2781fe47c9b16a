// Convolution of an image: the kernel in constant memory; separable into rows and columns with halos in shared memory; of a
// size given as a template argument; median and Sobel filters with clamped edges. Integers, so results are exact.
#include "program.h"
#include <algorithm>

enum { WIDTH = 131, HEIGHT = 83, RADIUS = 4, TILE_X = 32, TILE_Y = 8 };

__constant__ int weights[2 * RADIUS + 1];
__constant__ short mask[5][5];

__host__ __device__ int clamped(int i, int n) {
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

__global__ void rows(const int *in, int *out) {
    __shared__ int tile[TILE_Y][TILE_X + 2 * RADIUS];
    int x0 = blockIdx.x * TILE_X, x = x0 + threadIdx.x, y = blockIdx.y * TILE_Y + threadIdx.y;
    for (int i = threadIdx.x; i < TILE_X + 2 * RADIUS; i += TILE_X)
        tile[threadIdx.y][i] = in[clamped(y, HEIGHT) * WIDTH + clamped(x0 + i - RADIUS, WIDTH)];
    __syncthreads();
    if (x >= WIDTH || y >= HEIGHT)
        return;
    int sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += weights[k] * tile[threadIdx.y][threadIdx.x + k];
    out[y * WIDTH + x] = sum;
}
__global__ void columns(const int *in, int *out) {
    __shared__ int tile[TILE_Y + 2 * RADIUS][TILE_X + 1];
    int x = blockIdx.x * TILE_X + threadIdx.x, y0 = blockIdx.y * TILE_Y, y = y0 + threadIdx.y;
    for (int j = threadIdx.y; j < TILE_Y + 2 * RADIUS; j += TILE_Y)
        tile[j][threadIdx.x] = in[clamped(y0 + j - RADIUS, HEIGHT) * WIDTH + clamped(x, WIDTH)];
    __syncthreads();
    if (x >= WIDTH || y >= HEIGHT)
        return;
    int sum = 0;
    for (int k = 0; k <= 2 * RADIUS; k++)
        sum += weights[k] * tile[threadIdx.y + k][threadIdx.x];
    out[y * WIDTH + x] = sum;
}

template <int R> __global__ void whole(const int *in, int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= WIDTH || y >= HEIGHT)
        return;
    int sum = 0;
    for (int j = -R; j <= R; j++)
        for (int i = -R; i <= R; i++)
            sum += mask[j + R][i + R] * in[clamped(y + j, HEIGHT) * WIDTH + clamped(x + i, WIDTH)];
    out[y * WIDTH + x] = sum;
}

// The middle of nine by a network of comparisons in registers.
#define SORT2(a, b) (t = min(a, b), b = max(a, b), a = t)
__global__ void median(const int *in, int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, v[9], t;
    if (x >= WIDTH || y >= HEIGHT)
        return;
    for (int k = 0; k < 9; k++)
        v[k] = in[clamped(y + k / 3 - 1, HEIGHT) * WIDTH + clamped(x + k % 3 - 1, WIDTH)];
#pragma unroll
    for (int round = 0; round < 9; round++)
#pragma unroll
        for (int k = round % 2; k + 1 < 9; k += 2)
            SORT2(v[k], v[k + 1]);
    out[y * WIDTH + x] = v[4];
}

static int reference(const int *in, int x, int y, int radius, int (*weight)(int, int)) {
    int sum = 0;
    for (int j = -radius; j <= radius; j++)
        for (int i = -radius; i <= radius; i++)
            sum += weight(i, j) * in[clamped(y + j, HEIGHT) * WIDTH + clamped(x + i, WIDTH)];
    return sum;
}

static const int host_weights[2 * RADIUS + 1] = {1, -2, 5, 9, 14, 9, 5, -2, 1};
static short host_mask[5][5];

int main() {
    const int n = WIDTH * HEIGHT;
    static int in[n], out[n], expected[n];
    uint32_t seed = 8;
    for (int &v : in)
        v = next_random(&seed) % 256;
    for (int k = 0; k < 25; k++)
        host_mask[k / 5][k % 5] = (short)(k * k % 17 - 8);
    CUDA(cudaMemcpyToSymbol(weights, host_weights, sizeof host_weights));
    CUDA(cudaMemcpyToSymbol(mask, host_mask, sizeof host_mask));
    int *device_in = to_device(in, n), *device_out = device_zeros<int>(n), *between = device_zeros<int>(n);
    dim3 block(TILE_X, TILE_Y), grid((WIDTH + TILE_X - 1) / TILE_X, (HEIGHT + TILE_Y - 1) / TILE_Y);

    rows<<<grid, block>>>(device_in, between);
    columns<<<grid, block>>>(between, device_out);
    FINISH();
    from_device(out, device_out, n);
    for (int i = 0; i < n; i++)
        expected[i] = reference(in, i % WIDTH, i / WIDTH, RADIUS,
                                [](int x, int y) { return host_weights[x + RADIUS] * host_weights[y + RADIUS]; });
    check_equal("separable", expected, out, n);
    show_bits("blurred", out, n);

    whole<2><<<grid, block>>>(device_in, device_out);
    FINISH();
    from_device(out, device_out, n);
    for (int i = 0; i < n; i++)
        expected[i] = reference(in, i % WIDTH, i / WIDTH, 2, [](int x, int y) { return (int)host_mask[y + 2][x + 2]; });
    check_equal("kernel in constant memory", expected, out, n);

    median<<<grid, block>>>(device_in, device_out);
    FINISH();
    from_device(out, device_out, n);
    for (int i = 0; i < n; i++) {
        int v[9];
        for (int k = 0; k < 9; k++)
            v[k] = in[clamped(i / WIDTH + k / 3 - 1, HEIGHT) * WIDTH + clamped(i % WIDTH + k % 3 - 1, WIDTH)];
        std::nth_element(v, v + 4, v + 9);
        expected[i] = v[4];
    }
    check_equal("median of nine", expected, out, n);
    show_bits("median", out, n);
    return program_failures;
}
