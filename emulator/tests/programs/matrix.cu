// Matrix products: naive, tiled, with a register tile per thread; and n-body with rsqrtf. Results against double on the host.
#include "program.h"

__global__ void naive(const float *a, const float *b, float *c, int m, int n, int k) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || column >= n)
        return;
    float sum = 0;
    for (int i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}

template <int T> __global__ void tiled(const float *a, const float *b, float *c, int m, int n, int k) {
    __shared__ float sa[T][T], sb[T][T];
    int row = blockIdx.y * T + threadIdx.y, column = blockIdx.x * T + threadIdx.x;
    float sum = 0;
    for (int start = 0; start < k; start += T) {
        sa[threadIdx.y][threadIdx.x] = row < m && start + threadIdx.x < k ? a[row * k + start + threadIdx.x] : 0;
        sb[threadIdx.y][threadIdx.x] =
            column < n && start + threadIdx.y < k ? b[(start + threadIdx.y) * n + column] : 0;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < T; i++)
            sum = fmaf(sa[threadIdx.y][i], sb[i][threadIdx.x], sum);
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

// 64x64 outputs by 256 threads, 4x4 each, loaded as float4. m, n multiples of 64, k of 16.
__global__ void register_tile(const float *a, const float *b, float *c, int n, int k) {
    __shared__ float sa[16][64];
    __shared__ __align__(16) float sb[16][64];
    float sum[4][4] = {};
    int t = threadIdx.x, tx = t % 16, ty = t / 16, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    for (int start = 0; start < k; start += 16) {
        float4 va = *(const float4 *)&a[(row0 + t / 4) * k + start + t % 4 * 4];
        sa[t % 4 * 4 + 0][t / 4] = va.x, sa[t % 4 * 4 + 1][t / 4] = va.y;
        sa[t % 4 * 4 + 2][t / 4] = va.z, sa[t % 4 * 4 + 3][t / 4] = va.w;
        *(float4 *)&sb[t / 16][t % 16 * 4] = *(const float4 *)&b[(start + t / 16) * n + column0 + t % 16 * 4];
        __syncthreads();
        for (int i = 0; i < 16; i++)
            for (int y = 0; y < 4; y++)
                for (int x = 0; x < 4; x++)
                    sum[y][x] += sa[i][ty * 4 + y] * sb[i][tx * 4 + x];
        __syncthreads();
    }
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            c[(row0 + ty * 4 + y) * n + column0 + tx * 4 + x] = sum[y][x];
}

struct body {
    float x, y, z, mass;
};
__global__ void forces(const float4 *bodies, float3 *out, int n) {
    __shared__ float4 tile[64];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = bodies[i < n ? i : 0];
    float3 sum = make_float3(0, 0, 0);
    for (int start = 0; start < n; start += 64) {
        tile[threadIdx.x] = start + threadIdx.x < n ? bodies[start + threadIdx.x] : make_float4(0, 0, 0, 0);
        __syncthreads();
        for (int j = 0; j < 64; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float s = tile[j].w * inverse * inverse * inverse;
            sum.x += dx * s, sum.y += dy * s, sum.z += dz * s;
        }
        __syncthreads();
    }
    if (i < n)
        out[i] = sum;
}

static void multiply(const float *a, const float *b, float *c, int m, int n, int k) {
    for (int row = 0; row < m; row++)
        for (int column = 0; column < n; column++) {
            double sum = 0;
            for (int i = 0; i < k; i++)
                sum += (double)a[row * k + i] * b[i * n + column];
            c[row * n + column] = (float)sum;
        }
}

static void nbody() {
    const int n = 150;
    static body bodies[n];
    static float found[3 * n], expected[3 * n];
    uint32_t seed = 77;
    for (int i = 0; i < n; i++)
        bodies[i] = {next_random(&seed) % 100 / 10.0f, next_random(&seed) % 100 / 10.0f,
                     next_random(&seed) % 100 / 10.0f, 1 + next_random(&seed) % 3 / 2.0f};
    for (int i = 0; i < n; i++) {
        double sx = 0, sy = 0, sz = 0;
        for (int j = 0; j < n; j++) {
            double dx = bodies[j].x - bodies[i].x, dy = bodies[j].y - bodies[i].y, dz = bodies[j].z - bodies[i].z;
            double s = bodies[j].mass * pow(dx * dx + dy * dy + dz * dz + 0.01, -1.5);
            sx += dx * s, sy += dy * s, sz += dz * s;
        }
        expected[3 * i] = (float)sx, expected[3 * i + 1] = (float)sy, expected[3 * i + 2] = (float)sz;
    }
    body *device = to_device(bodies, n);
    float *out = device_zeros<float>(3 * n);
    forces<<<(n + 63) / 64, 64>>>((const float4 *)device, (float3 *)out, n);
    FINISH();
    from_device(found, out, 3 * n);
    check_close("n-body", expected, found, 3 * n, 1e-4);
}

int main() {
    const int m = 128, n = 192, k = 80;
    static float a[m * k], b[k * n], c[m * n], expected[m * n];
    uint32_t seed = 3;
    for (float &x : a)
        x = (float)(next_random(&seed) % 2000) / 1000 - 1;
    for (float &x : b)
        x = (float)(next_random(&seed) % 2000) / 1000 - 1;
    multiply(a, b, expected, m, n, k);
    float *device_a = to_device(a, m * k), *device_b = to_device(b, k * n), *device_c = device_zeros<float>(m * n);
    naive<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(device_a, device_b, device_c, m, n, k);
    FINISH();
    from_device(c, device_c, m * n);
    check_close("naive", expected, c, m * n, 1e-5);
    register_tile<<<dim3(n / 64, m / 64), 256>>>(device_a, device_b, device_c, n, k);
    FINISH();
    from_device(c, device_c, m * n);
    check_close("register tile", expected, c, m * n, 1e-5);
    multiply(a, b, expected, 61, 45, 37); // sizes that no tile divides
    tiled<16><<<dim3(3, 4), dim3(16, 16)>>>(device_a, device_b, device_c, 61, 45, 37);
    FINISH();
    from_device(c, device_c, 61 * 45);
    check_close("tiled", expected, c, 61 * 45, 1e-5);
    nbody();
    return program_failures;
}
