// Transposes: straight, through a padded tile, through a swizzled tile, of 2- and 16-byte elements, in place, by blocks
// in diagonal order, and of small matrices within a warp by shuffles.
#include "program.h"

enum { TILE = 32, ROWS = 8 };

template <typename T> __global__ void straight(const T *in, T *out, int width, int height) {
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            out[x * height + y + j] = in[(y + j) * width + x];
}

template <typename T, int PAD, bool DIAGONAL> __global__ void tiled(const T *in, T *out, int width, int height) {
    __shared__ T tile[TILE][TILE + PAD];
    int bx = blockIdx.x, by = blockIdx.y;
    if (DIAGONAL) { // blocks that run together touch different rows and columns
        int b = bx + gridDim.x * by;
        by = b % gridDim.y;
        bx = (b / gridDim.y + by) % gridDim.x;
    }
    int x = bx * TILE + threadIdx.x, y = by * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(y + j) * width + x];
    __syncthreads();
    x = by * TILE + threadIdx.x, y = bx * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        if (x < height && y + j < width)
            out[(size_t)(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <typename T> __global__ void swizzled(const T *in, T *out, int width, int height) {
    __shared__ T tile[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
    for (int j = ty; j < TILE; j += ROWS, y += ROWS)
        if (x < width && y < height)
            tile[j][tx ^ j] = in[y * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + tx;
    for (int j = ty; j < TILE; j += ROWS)
        if (x < height && (int)blockIdx.x * TILE + j < width)
            out[(blockIdx.x * TILE + j) * height + x] = tile[tx][j ^ tx];
}

// A square matrix in place: the block of a tile above the diagonal exchanges it with its mirror image.
__global__ void in_place(int *m, int n) {
    __shared__ int upper[TILE][TILE + 1], lower[TILE][TILE + 1];
    if (blockIdx.x < blockIdx.y)
        return;
    int x0 = blockIdx.x * TILE, y0 = blockIdx.y * TILE, i = threadIdx.x;
    for (int j = threadIdx.y; j < TILE; j += ROWS) {
        if (x0 + i < n && y0 + j < n)
            upper[j][i] = m[(y0 + j) * n + x0 + i];
        if (y0 + i < n && x0 + j < n)
            lower[j][i] = m[(x0 + j) * n + y0 + i];
    }
    __syncthreads();
    for (int j = threadIdx.y; j < TILE; j += ROWS) {
        if (x0 + i < n && y0 + j < n)
            m[(y0 + j) * n + x0 + i] = lower[i][j];
        if (y0 + i < n && x0 + j < n)
            m[(x0 + j) * n + y0 + i] = upper[i][j];
    }
}

// A warp holds a 32x32 matrix, a column per lane; five rounds of exchanges turn it.
__global__ void in_registers(const int *in, int *out) {
    int column[32], lane = threadIdx.x;
#pragma unroll
    for (int j = 0; j < 32; j++)
        column[j] = in[blockIdx.x * 1024 + j * 32 + lane];
#pragma unroll
    for (int d = 16; d > 0; d /= 2)
#pragma unroll
        for (int j = 0; j < 32; j++)
            if ((j & d) == 0) {
                int send = lane & d ? column[j] : column[j + d];
                int got = __shfl_xor_sync(~0u, send, d);
                if (lane & d)
                    column[j] = got;
                else
                    column[j + d] = got;
            }
#pragma unroll
    for (int j = 0; j < 32; j++)
        out[blockIdx.x * 1024 + j * 32 + lane] = column[j];
}

struct pair16 {
    double a, b;
};

template <typename T> static T element(int i) {
    return (T)(i * 7 + 3);
}
template <> pair16 element(int i) {
    return {i * 0.5, -i * 3.0};
}

template <typename T> static bool turned(const T *out, int width, int height) {
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            T e = element<T>(y * width + x);
            if (memcmp(&out[x * height + y], &e, sizeof e) != 0)
                return false;
        }
    return true;
}

template <typename T> static void try_all(const char *type, int width, int height) {
    int n = width * height;
    T *host = (T *)malloc(n * sizeof(T));
    for (int i = 0; i < n; i++)
        host[i] = element<T>(i);
    T *in = to_device(host, n), *out = device_zeros<T>(n);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE), block(TILE, ROWS);
    void (*kernels[])(const T *, T *, int, int) = {straight<T>, tiled<T, 0, false>, tiled<T, 1, false>,
                                                   tiled<T, 1, true>, swizzled<T>};
    const char *names[] = {"straight", "tile", "padded tile", "diagonal order", "swizzled tile"};
    for (int k = 0; k < 5; k++) {
        CUDA(cudaMemset(out, 0xee, n * sizeof(T)));
        kernels[k]<<<grid, block>>>(in, out, width, height);
        FINISH();
        from_device(host, out, n);
        char name[80];
        snprintf(name, sizeof name, "%s of %s", names[k], type);
        check(name, turned(host, width, height));
    }
    free(host);
    CUDA(cudaFree(in));
    CUDA(cudaFree(out));
}

int main() {
    try_all<float>("float", 101, 67);
    try_all<short>("short", 70, 33);
    try_all<pair16>("16 bytes", 45, 99);

    const int n = 83, matrices = 3;
    static int m[n * n], found[n * n];
    for (int i = 0; i < n * n; i++)
        m[i] = element<int>(i);
    int *device = to_device(m, n * n);
    in_place<<<dim3(3, 3), dim3(TILE, ROWS)>>>(device, n);
    FINISH();
    from_device(found, device, n * n);
    check("in place", turned(found, n, n));
    show_bits("turned", found, n * n);
    in_registers<<<matrices, 32>>>(to_device(m, matrices * 1024), device);
    FINISH();
    from_device(found, device, matrices * 1024);
    bool right = true;
    for (int i = 0; i < matrices * 1024; i++)
        right &= found[i] == m[i / 1024 * 1024 + i % 32 * 32 + i / 32 % 32];
    check("in the registers of a warp", right);
    return program_failures;
}
