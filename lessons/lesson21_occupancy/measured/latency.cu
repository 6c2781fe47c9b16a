/* Lesson 21: how long one takes, in clocks, and how many have to be under way: an FMA, a load from shared memory, a load from global memory
 * that is in no cache. One warp, in which each instruction needs the result of the one before; and FMAs in several chains and warps, until no
 * more of them start in a clock.
 */
#include <cuda_runtime.h>
#include <stdint.h>

#include "../../../common/check.h"
#include "../../../common/device.h"
#include "../../../common/record.h"
#include "../../../common/verify.h"

enum { STEPS = 4096, HOPS = 512, SHARED = 1024 };

/* CHAINS chains of FMAs in each thread; the clocks that the block took, as its first thread saw it. */
template <int CHAINS> static __global__ void fma_kernel(const float *x, float *y, long long *clocks) {
    float v[CHAINS];
    for (int k = 0; k < CHAINS; k++) {
        v[k] = x[threadIdx.x] / (k + 1);
    }
    __syncthreads();
    long long start = clock64();
#pragma unroll 16
    for (int s = 0; s < STEPS; s++) {
        for (int k = 0; k < CHAINS; k++) {
            v[k] = fmaf(v[k], v[k], -1.9f);
        }
    }
    __syncthreads();
    long long stop = clock64();
    float sum = 0.0f;
    for (int k = 0; k < CHAINS; k++) {
        sum += v[k];
    }
    y[threadIdx.x] = sum;
    if (threadIdx.x == 0) {
        *clocks = stop - start;
    }
}

/* Each word says where the next one is. */
static __global__ void chase_global(const unsigned *next, unsigned *end, long long *clocks) {
    unsigned at = 0;
    long long start = clock64();
    for (int s = 0; s < HOPS; s++) {
        at = next[at];
    }
    *clocks = clock64() - start + (at == ~0u);
    *end = at;
}

static __global__ void chase_shared(const unsigned *next, unsigned *end, long long *clocks) {
    __shared__ unsigned copy[SHARED];
    for (int i = 0; i < SHARED; i++) {
        copy[i] = next[i];
    }
    unsigned at = 0;
    long long start = clock64();
    for (int s = 0; s < HOPS; s++) {
        at = copy[at];
    }
    *clocks = clock64() - start + (at == ~0u);
    *end = at;
}

/* A ring through n words, `stride` apart. */
static unsigned *ring(unsigned n, unsigned stride) {
    unsigned *host = (unsigned *)verify_host_alloc(n * sizeof *host), *device;
    for (unsigned i = 0; i < n; i++) {
        host[i] = (i + stride) % n;
    }
    CUDA_CHECK(cudaMalloc((void **)&device, n * sizeof *device));
    CUDA_CHECK(cudaMemcpy(device, host, n * sizeof *device, cudaMemcpyHostToDevice));
    free(host);
    return device;
}

static long long fetch(const long long *device) {
    long long value;
    CUDA_CHECK(cudaMemcpy(&value, device, sizeof value, cudaMemcpyDeviceToHost));
    return value;
}

static void check_end(const char *name, const unsigned *device, unsigned n, unsigned stride) {
    int expected = (int)((uint64_t)HOPS * stride % n), found;
    CUDA_CHECK(cudaMemcpy(&found, device, sizeof found, cudaMemcpyDeviceToHost));
    verify_ints(name, &found, &expected, 1);
}

static void loads(long long *clocks, unsigned *end) {
    const unsigned large = 1u << 28, far = 524288 + 64; // 1 GiB, and each hop to another page
    unsigned *global = ring(device_is_emulator() ? 1u << 20 : large, far), *small = ring(SHARED, 33);
    chase_global<<<1, 1>>>(global, end, clocks);
    CUDA_CHECK_LAUNCH();
    record_print("load from global memory: %.1f clocks\n", "load from global memory", "clocks", "",
                 (double)fetch(clocks) / HOPS);
    check_end("global", end, device_is_emulator() ? 1u << 20 : large, far);
    for (int run = 0; run < 2; run++) { // the second time the code is in the caches
        chase_shared<<<1, 1>>>(small, end, clocks);
        CUDA_CHECK_LAUNCH();
    }
    record_print("load from shared memory: %.1f clocks\n", "load from shared memory", "clocks", "",
                 (double)fetch(clocks) / HOPS);
    check_end("shared", end, SHARED, 33);
    CUDA_CHECK(cudaFree(global));
    CUDA_CHECK(cudaFree(small));
}

template <int CHAINS> static void fmas(const float *x, float *y, long long *clocks) {
    float input[1024], found[1024], expected[1024];
    CUDA_CHECK(cudaMemcpy(input, x, sizeof input, cudaMemcpyDeviceToHost));
    for (int warps = 1; warps <= 32; warps *= 2) {
        for (int run = 0; run < 2; run++) {
            fma_kernel<CHAINS><<<1, 32 * warps>>>(x, y, clocks);
            CUDA_CHECK_LAUNCH();
        }
        double took = (double)fetch(clocks);
        char name[32];
        snprintf(name, sizeof name, "%d chains, %d warps", CHAINS, warps);
        printf("%s: ", name);
        record_print("%.2f clocks for a step, ", name, "clocks for a step", "", took / STEPS);
        record_print("%.1f FMAs in a clock\n", name, "FMAs in a clock", "", 32.0 * warps * CHAINS * STEPS / took);
        CUDA_CHECK(cudaMemcpy(found, y, 32 * warps * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < 32 * warps; i++) {
            expected[i] = 0.0f;
            for (int k = 0; k < CHAINS; k++) {
                float v = input[i] / (k + 1);
                for (int s = 0; s < STEPS; s++) {
                    v = fmaf(v, v, -1.9f);
                }
                expected[i] += v;
            }
        }
        verify_floats_exact("FMAs", found, expected, 32 * warps);
    }
}

int main(void) {
    float *x, *y, host[1024];
    long long *clocks;
    unsigned *end;
    device_print_backend();
    verify_random(host, 1024, -1.0f, 1.0f, 1);
    CUDA_CHECK(cudaMalloc((void **)&x, sizeof host));
    CUDA_CHECK(cudaMalloc((void **)&y, sizeof host));
    CUDA_CHECK(cudaMalloc((void **)&clocks, sizeof *clocks));
    CUDA_CHECK(cudaMalloc((void **)&end, sizeof *end));
    CUDA_CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));
    fmas<1>(x, y, clocks);
    fmas<2>(x, y, clocks);
    fmas<4>(x, y, clocks);
    fmas<8>(x, y, clocks);
    loads(clocks, end);
    return verify_finish("latency");
}
