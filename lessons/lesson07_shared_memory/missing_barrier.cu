/* A mistake to look at: version 2 of lesson 07 without its __syncthreads(). The page shows what is reported.
 *
 *     sh tools/compile/build.sh lessons/lesson07_shared_memory/missing_barrier.cu build/missing_barrier
 *     sh tools/actions/sanitize.sh build/missing_barrier         on the emulator with checks, or under compute-sanitizer
 *
 * One block of two warps. Every input is 1 and so is every weight: each output is 33, but near the ends, where
 * neighbours do not exist.
 */
#include <cstdio>

enum { BLOCK = 64, RADIUS = 16, N = 64 };

__global__ void stencil(const float *x, float *y, int n) {
    __shared__ float tile[BLOCK + 2 * RADIUS];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, j = i - RADIUS;
    tile[t] = 0 <= j && j < n ? x[j] : 0.0f;
    if (t < 2 * RADIUS) {
        tile[BLOCK + t] = j + BLOCK < n ? x[j + BLOCK] : 0.0f;
    }
    // here it is missing
    if (i < n) {
        float sum = 0.0f;
        for (int k = 0; k <= 2 * RADIUS; k++) {
            sum += tile[t + k];
        }
        y[i] = sum;
    }
}

int main() {
    float host[N], *x, *y;
    for (int i = 0; i < N; i++) {
        host[i] = 1.0f;
    }
    cudaMalloc(&x, sizeof host);
    cudaMalloc(&y, sizeof host);
    cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice);
    stencil<<<N / BLOCK, BLOCK>>>(x, y, N);
    cudaError_t error = cudaMemcpy(host, y, sizeof host, cudaMemcpyDeviceToHost);
    printf("%s. y[16] = %g, y[32] = %g; both should be 33.\n", cudaGetErrorString(error), host[16], host[32]);
    cudaFree(x);
    cudaFree(y);
}
