// Registers: how many ptxas gives a kernel, and how many blocks they leave room for.
#include "api_test.h"

/* Each thread holds as many numbers as the loop is unrolled. */
template <int BLOCKS> __global__ void __launch_bounds__(256, BLOCKS) greedy(float *p) {
    float v[80];
    for (int i = 0; i < 80; i++)
        v[i] = p[i * 256 + threadIdx.x];
    __syncthreads();
    for (int i = 0; i < 80; i++)
        p[i * 256 + threadIdx.x] = v[i] * v[79 - i] + v[(i + 7) % 80];
}

/* A warp's registers come in pieces of 256, a quarter of all in each of four schedulers. */
static int blocks_by_registers(int registers, int threads) {
    int piece = (registers * 32 + 255) / 256 * 256;
    return 65536 / 4 / piece * 4 / ((threads + 31) / 32);
}

static void registers() {
    cudaFuncAttributes loose, tight;
    MUST(cudaFuncGetAttributes(&loose, greedy<1>));
    MUST(cudaFuncGetAttributes(&tight, greedy<4>));
    check("80 numbers need more than 80 registers", loose.numRegs > 80 && loose.numRegs <= 255, "no");
    check("four blocks of 256 threads leave 64 registers each", tight.numRegs > 40 && tight.numRegs <= 64, "no");
    for (int threads : {32, 96, 256, 512, 768, 1024}) {
        int n = -1;
        char name[60];
        snprintf(name, sizeof name, "blocks of %d threads with many registers", threads);
        MUST(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, greedy<1>, threads, 0));
        EXPECT_EQUAL(name, blocks_by_registers(loose.numRegs, threads), n);
    }
    size_t bytes = 0;
    int most = blocks_by_registers(loose.numRegs, 256);
    EXPECT(cudaSuccess, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, greedy<1>, most, 256));
    EXPECT(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, greedy<1>, most + 1, 256));
}

int main() {
    registers();
    return failures != 0;
}
