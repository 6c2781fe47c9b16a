// Blocks that wait for other blocks, as chained scans do: it must cost little, also when several threads of the host work on them, more
// than the host has cores. Time of the processor is measured, not time: other programs may run.
// environment: EMULATOR_THREADS=4
#include "api_test.h"

#define BLOCKS 1024
#define MOST   32 // blocks that are surely resident at once

static int *flags;

static __device__ void work(int rounds) {
    __shared__ int s[256];
    s[threadIdx.x] = threadIdx.x;
    for (int round = 0; round < rounds; round++) {
        __syncthreads();
        int v = s[(threadIdx.x + 1) % 256];
        __syncthreads();
        s[threadIdx.x] = v;
    }
    __syncthreads();
}

__global__ void chain(int *flags) {
    work(64);
    if (threadIdx.x == 0) {
        int before;
        while ((before = atomicAdd(&flags[blockIdx.x], 0)) == 0) {
        }
        atomicAdd(&flags[blockIdx.x + 1], before + 1);
    }
    __syncthreads();
}

// The other way round: nobody can end before the last one has begun.
__global__ void backwards(volatile int *flags) {
    if (threadIdx.x == 0) {
        while (blockIdx.x + 1 < gridDim.x && flags[blockIdx.x + 1] == 0) {
        }
        flags[blockIdx.x] = 1;
    }
    __syncthreads();
}

// Looks that are counted, so that the registers are others each time; and a long sum before.
__global__ void impatient(volatile int *flags, int *looks) {
    float sum = 0;
    for (int i = 0; i < 5000; i++)
        sum = sum * 0.5f + i;
    if (threadIdx.x == 0) {
        int n = 0;
        while (flags[blockIdx.x] == 0)
            n++;
        looks[blockIdx.x] = n + (sum < 0);
        flags[blockIdx.x + 1] = 1;
    }
    __syncthreads();
}

static void run(const char *name, int blocks, int threads, int first, void (*launch)(int, int)) {
    char line[100];
    int last = 0, one = 1;
    MUST(cudaMemset(flags, 0, (BLOCKS + 1) * sizeof(int)));
    if (first >= 0)
        MUST(cudaMemcpy(flags + first, &one, sizeof one, cudaMemcpyHostToDevice));
    clock_t start = clock();
    launch(blocks, threads);
    MUST(cudaDeviceSynchronize());
    double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    MUST(cudaMemcpy(&last, flags + (first == 0 ? blocks : 0), sizeof last, cudaMemcpyDeviceToHost));
    snprintf(line, sizeof line, "%s: the last flag is set", name);
    check(line, last != 0, "it is not");
    snprintf(line, sizeof line, "%s: seconds of the processor", name);
    char why[100];
    snprintf(why, sizeof why, "expected less than 2, found %.1f", seconds);
    check(line, seconds < 2, why);
}

static int *looks;

int main() {
    MUST(cudaMalloc((void **)&flags, (BLOCKS + 1) * sizeof(int)));
    MUST(cudaMalloc((void **)&looks, BLOCKS * sizeof(int)));
    run("a chain", BLOCKS, 256, 0, [](int b, int t) { chain<<<b, t>>>(flags); });
    run("a chain backwards", MOST, 64, -1, [](int b, int t) { backwards<<<b, t>>>(flags); });
    run("blocks that count their looks", 16, 64, 0, [](int b, int t) { impatient<<<b, t>>>(flags, looks); });
    return failures != 0;
}
