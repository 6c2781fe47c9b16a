// Stencils in three dimensions: every neighbour from global memory; planes in shared memory with a column in registers
// that moves along z; and heat that spreads until it changes little, which the host asks for after every few steps.
#include "program.h"
#include <utility>

enum { NX = 37, NY = 29, NZ = 19, TX = 16, TY = 8 };

__host__ __device__ int at(int x, int y, int z) {
    return (z * NY + y) * NX + x;
}
__host__ __device__ bool inside(int x, int y, int z) {
    return x > 0 && y > 0 && z > 0 && x < NX - 1 && y < NY - 1 && z < NZ - 1;
}
__host__ __device__ float point(float c, float w, float e, float n, float s, float b, float t) {
    float sum = ((w + e) + (n + s)) + (b + t);
    return c * 0.25f + sum * 0.125f; // both products are exact, so that it makes no difference whether they are fused
}

__global__ void by_neighbours(const float *in, float *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z;
    if (x >= NX || y >= NY)
        return;
    out[at(x, y, z)] = inside(x, y, z)
                           ? point(in[at(x, y, z)], in[at(x - 1, y, z)], in[at(x + 1, y, z)], in[at(x, y - 1, z)],
                                   in[at(x, y + 1, z)], in[at(x, y, z - 1)], in[at(x, y, z + 1)])
                           : in[at(x, y, z)];
}

__global__ void __launch_bounds__(TX *TY, 2) by_planes(const float *__restrict__ in, float *__restrict__ out) {
    __shared__ float plane[TY + 2][TX + 2];
    int x = blockIdx.x * TX + threadIdx.x, y = blockIdx.y * TY + threadIdx.y;
    bool here = x < NX && y < NY;
    float below = 0, centre = here ? in[at(x, y, 0)] : 0, above = here ? in[at(x, y, 1)] : 0;
    if (here) {
        out[at(x, y, 0)] = centre;
        out[at(x, y, NZ - 1)] = in[at(x, y, NZ - 1)];
    }
    for (int z = 1; z < NZ - 1; z++) {
        below = centre, centre = above;
        above = here ? in[at(x, y, z + 1)] : 0;
        __syncthreads();
        plane[threadIdx.y + 1][threadIdx.x + 1] = centre;
        if (threadIdx.x == 0 && x > 0 && y < NY)
            plane[threadIdx.y + 1][0] = in[at(x - 1, y, z)];
        if (threadIdx.x == TX - 1 && x + 1 < NX && y < NY)
            plane[threadIdx.y + 1][TX + 1] = in[at(x + 1, y, z)];
        if (threadIdx.y == 0 && y > 0 && x < NX)
            plane[0][threadIdx.x + 1] = in[at(x, y - 1, z)];
        if (threadIdx.y == TY - 1 && y + 1 < NY && x < NX)
            plane[TY + 1][threadIdx.x + 1] = in[at(x, y + 1, z)];
        __syncthreads();
        int i = threadIdx.x + 1, j = threadIdx.y + 1;
        if (here)
            out[at(x, y, z)] = inside(x, y, z) ? point(centre, plane[j][i - 1], plane[j][i + 1], plane[j - 1][i],
                                                       plane[j + 1][i], below, above)
                                               : centre;
    }
}

// The greatest change, compared as bits: a float that is not negative orders like its bits.
__global__ void greatest_change(const float *a, const float *b, int n, int *most) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, bits = i < n ? __float_as_int(fabsf(a[i] - b[i])) : 0;
    if (__syncthreads_or(bits > *(volatile int *)most))
        for (int d = 16; d > 0; d /= 2)
            bits = max(bits, __shfl_xor_sync(~0u, bits, d));
    if (threadIdx.x % 32 == 0)
        atomicMax(most, bits);
}

static void step_on_host(const float *in, float *out) {
    for (int z = 0; z < NZ; z++)
        for (int y = 0; y < NY; y++)
            for (int x = 0; x < NX; x++)
                out[at(x, y, z)] = inside(x, y, z) ? point(in[at(x, y, z)], in[at(x - 1, y, z)], in[at(x + 1, y, z)],
                                                           in[at(x, y - 1, z)], in[at(x, y + 1, z)],
                                                           in[at(x, y, z - 1)], in[at(x, y, z + 1)])
                                                   : in[at(x, y, z)];
}

int main() {
    const int n = NX * NY * NZ, steps = 6;
    static float a[n], b[n], found[n];
    uint32_t seed = 31;
    for (float &v : a)
        v = (float)(next_random(&seed) % 1000);
    float *from = to_device(a, n), *to = device_zeros<float>(n), *start = to_device(a, n);
    dim3 block(TX, TY), tiles((NX + TX - 1) / TX, (NY + TY - 1) / TY), all(tiles.x, tiles.y, NZ);
    for (int s = 0; s < steps; s++) {
        by_neighbours<<<all, block>>>(from, to);
        step_on_host(a, b);
        std::swap(from, to);
        memcpy(a, b, sizeof a);
    }
    FINISH();
    from_device(found, from, n);
    check_equal("by neighbours", a, found, n);
    show_bits("after six steps", found, n);

    CUDA(cudaMemcpy(from, start, n * sizeof(float), cudaMemcpyDeviceToDevice));
    int bits = 0, *most = device_zeros<int>(1), rounds = 0;
    do {
        for (int s = 0; s < steps; s++) {
            by_planes<<<tiles, block>>>(from, to);
            std::swap(from, to);
        }
        CUDA(cudaMemset(most, 0, sizeof(int)));
        greatest_change<<<(n + 255) / 256, 256>>>(from, to, n, most);
        FINISH();
        from_device(&bits, most, 1);
        if (++rounds == 1) {
            from_device(found, from, n);
            check_equal("by planes", a, found, n);
        }
    } while (bits > 0x40c00000 && rounds < 50); // 6.0f
    show("rounds until little changes", rounds);
    printf("greatest change = %a\n", *(float *)&bits);
    check("it comes to rest", rounds > 1 && rounds < 50);
    return program_failures;
}
