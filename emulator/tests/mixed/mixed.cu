// emulatorMixBlocks: blocks that do not wait for each other are found out, and those that do come to their end. One line per check.
#include <dlfcn.h>

#include "../api/api_test.h"
#include "emulator.h"

enum { BLOCKS = 400, BLOCK = 64, ROUNDS = 20 };

/* Each block says something, and looks whether the one before has. */
static __global__ void looks(volatile int *said, int *seen, bool waits) {
    int b = blockIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        said[b] = 1;
        while (waits && b > 0 && !said[b - 1]) {
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        seen[b] = b == 0 || said[b - 1];
    }
}

/* Every thread takes its neighbour's number, again and again: in the end they have gone round. */
static __global__ void goes_round(int *y) {
    __shared__ int s[2][BLOCK];
    int t = threadIdx.x;
    s[0][t] = t;
    for (int r = 0; r < ROUNDS; r++) {
        __syncthreads();
        s[(r + 1) % 2][(t + 1) % BLOCK] = s[r % 2][t];
    }
    __syncthreads();
    y[blockIdx.x * BLOCK + t] = s[ROUNDS % 2][t];
}

static int blocks_that_saw(bool waits) {
    static int seen[BLOCKS];
    int *dev_said = NULL, *dev_seen = NULL, count = 0;
    MUST(cudaMalloc((void **)&dev_said, sizeof seen));
    MUST(cudaMalloc((void **)&dev_seen, sizeof seen));
    MUST(cudaMemset(dev_said, 0, sizeof seen));
    looks<<<BLOCKS, BLOCK>>>(dev_said, dev_seen, waits);
    MUST(cudaMemcpy(seen, dev_seen, sizeof seen, cudaMemcpyDeviceToHost));
    for (int b = 0; b < BLOCKS; b++) {
        count += seen[b];
    }
    MUST(cudaFree(dev_said));
    MUST(cudaFree(dev_seen));
    return count;
}

static int wrong_after_rounds() {
    static int y[BLOCKS * BLOCK];
    int *dev_y = NULL, wrong = 0;
    MUST(cudaMalloc((void **)&dev_y, sizeof y));
    goes_round<<<BLOCKS, BLOCK>>>(dev_y);
    MUST(cudaMemcpy(y, dev_y, sizeof y, cudaMemcpyDeviceToHost));
    for (int i = 0; i < BLOCKS * BLOCK; i++) {
        wrong += y[i] != (i + BLOCK - ROUNDS) % BLOCK;
    }
    MUST(cudaFree(dev_y));
    return wrong;
}

int main() {
    auto mix = (void (*)(int))dlsym(RTLD_DEFAULT, "emulatorMixBlocks");
    if (!mix) {
        printf("skip mixed: not on the emulator\n");
        return 0;
    }
    bool in_order = strcmp(getenv("EMULATOR_THREADS"), "1") == 0; // with more threads a block may be overtaken
    if (in_order) {
        EXPECT_EQUAL("blocks in their order see what those before have said", BLOCKS, blocks_that_saw(false));
    }
    mix(1);
    int saw = blocks_that_saw(false);
    check("mixed blocks that do not wait are found out", saw > 0 && saw < BLOCKS * 9 / 10, "nearly all have seen it");
    EXPECT_EQUAL("mixed blocks that wait all see it", BLOCKS, blocks_that_saw(true));
    EXPECT_EQUAL("barriers hold in mixed blocks", 0, wrong_after_rounds());
    mix(0);
    if (in_order) {
        EXPECT_EQUAL("and then they run in their order again", BLOCKS, blocks_that_saw(false));
    }
    return failures != 0;
}
