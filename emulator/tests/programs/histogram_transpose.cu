// Shared and global atomics, a padded tile in shared memory, a 2D stencil with a halo.
#include "program.h"

__global__ void histogram(const unsigned char *x, int n, unsigned *bins) {
    __shared__ unsigned local[256];
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[x[i]], 1u);
    __syncthreads();
    for (int b = threadIdx.x; b < 256; b += blockDim.x)
        atomicAdd(&bins[b], local[b]);
}

__global__ void transpose(const float *in, float *out, int width, int height) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (x < height && y + j < width)
            out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

__global__ void stencil(const float *in, float *out, int width, int height) {
    __shared__ float tile[10][34];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    for (int j = threadIdx.y; j < 10; j += 8)
        for (int i = threadIdx.x; i < 34; i += 32) {
            int gx = min(max((int)blockIdx.x * 32 + i - 1, 0), width - 1);
            int gy = min(max((int)blockIdx.y * 8 + j - 1, 0), height - 1);
            tile[j][i] = in[gy * width + gx];
        }
    __syncthreads();
    if (x < width && y < height) {
        int i = threadIdx.x + 1, j = threadIdx.y + 1;
        out[y * width + x] =
            0.5f * tile[j][i] + 0.125f * (((tile[j - 1][i] + tile[j + 1][i]) + tile[j][i - 1]) + tile[j][i + 1]);
    }
}

// One of each atomic, with results that do not depend on the order.
struct atomics {
    int added, least, most, ored, anded, xored, swapped, compared, incremented, decremented;
    unsigned long long wide, wide_most;
    float sum;
    double precise;
};
__global__ void all_atomics(struct atomics *a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&a->added, i);
    atomicSub(&a->added, 1);
    atomicMin(&a->least, 1000 - i);
    atomicMax(&a->most, i * 3);
    atomicOr(&a->ored, 1 << (i % 20));
    atomicAnd(&a->anded, ~(1 << (i % 7)));
    atomicXor(&a->xored, i);
    atomicAdd(&a->swapped, atomicExch(&a->compared, 0));
    atomicInc((unsigned *)&a->incremented, 99);
    atomicDec((unsigned *)&a->decremented, 49);
    atomicAdd(&a->wide, 0x100000001ull * i);
    atomicMax(&a->wide_most, (unsigned long long)i << 33);
    atomicAdd(&a->sum, 0.25f);
    atomicAdd(&a->precise, 0.5);
}

// A compare-and-swap loop: product of all threads' factors, modulo 2^32.
__global__ void product(unsigned *p) {
    unsigned old = *p, assumed, factor = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
    do {
        assumed = old;
        old = atomicCAS(p, assumed, assumed * factor);
    } while (old != assumed);
}

static void run_atomics() {
    struct atomics start = {0, 5000, -1, 0, -1, 0, 0, 7, 0, 0, 0, 0, 0, 0}, found;
    struct atomics *a = to_device(&start, 1);
    const int n = 3 * 96;
    all_atomics<<<3, 96>>>(a);
    FINISH();
    from_device(&found, a, 1);
    int xored = 0;
    for (int i = 0; i < n; i++)
        xored ^= i;
    check("atomic add and sub", found.added == n * (n - 1) / 2 - n);
    check("atomic min and max", found.least == 1000 - (n - 1) && found.most == 3 * (n - 1));
    check("atomic or, and, xor", found.ored == 0xfffff && found.anded == ~0x7f && found.xored == xored);
    check("atomic exch", found.swapped == 7 && found.compared == 0);
    check("atomic inc and dec",
          found.incremented == n % 100 && found.decremented == 50 - n % 50 - (n % 50 == 0 ? 50 : 0));
    check("atomic 64 bits", found.wide == 0x100000001ull * (n * (n - 1) / 2) && found.wide_most == (n - 1ull) << 33);
    check("atomic float and double", found.sum == 0.25f * n && found.precise == 0.5 * n);

    unsigned one = 1, expected = 1, got, *p = to_device(&one, 1);
    for (unsigned i = 0; i < 4 * 64; i++)
        expected *= 2 * i + 1;
    product<<<4, 64>>>(p);
    FINISH();
    from_device(&got, p, 1);
    check_equal("compare-and-swap loop", &expected, &got, 1);
}

int main() {
    const int n = 70001, width = 131, height = 75;
    static unsigned char bytes[n];
    static float in[width * height], out[width * height], expected[width * height];
    unsigned bins[256], count[256] = {0};
    uint32_t seed = 5;
    for (int i = 0; i < n; i++)
        count[bytes[i] = (unsigned char)(next_random(&seed) % (1 + i % 256))]++;
    unsigned *device_bins = device_zeros<unsigned>(256);
    histogram<<<6, 192>>>(to_device(bytes, n), n, device_bins);
    FINISH();
    from_device(bins, device_bins, 256);
    check_equal("histogram", count, bins, 256);

    for (int i = 0; i < width * height; i++)
        in[i] = (float)(next_random(&seed) % 1000) / 7;
    float *device_in = to_device(in, width * height), *device_out = device_zeros<float>(width * height);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            expected[x * height + y] = in[y * width + x];
    transpose<<<dim3((width + 31) / 32, (height + 31) / 32), dim3(32, 8)>>>(device_in, device_out, width, height);
    FINISH();
    from_device(out, device_out, width * height);
    check_equal("transpose", expected, out, width * height);

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            float up = in[(y ? y - 1 : 0) * width + x], down = in[(y < height - 1 ? y + 1 : y) * width + x];
            float left = in[y * width + (x ? x - 1 : 0)], right = in[y * width + (x < width - 1 ? x + 1 : x)];
            expected[y * width + x] = 0.5f * in[y * width + x] + 0.125f * (((up + down) + left) + right);
        }
    stencil<<<dim3((width + 31) / 32, (height + 7) / 8), dim3(32, 8)>>>(device_in, device_out, width, height);
    FINISH();
    from_device(out, device_out, width * height);
    check_close("stencil", expected, out, width * height, 1e-6);
    run_atomics();
    return program_failures;
}
