/* priority.cu - a short kernel beside a long one: in a stream of the same priority, and in one of the greatest.
 *
 * The long kernel has many more blocks than the GPU holds at a time, so there are always some that wait. When is the short one done, from
 * the call that launches it? Both ways take turns, 21 rounds; the median, the shortest and the longest. */
#include <time.h>

#include "../../../common/bench.h"
#include "../../../common/check.h"
#include "../../../common/device.h"
#include "../../../common/record.h"
#include "../../../common/verify.h"

enum { ROUNDS = 21, BLOCK = 256 };

static __global__ void busy(unsigned *x, int rounds) {
    unsigned bits = blockIdx.x * BLOCK + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        bits = (bits ^ bits >> 16) * 0x7feb352du;
    }
    x[blockIdx.x * BLOCK + threadIdx.x] = bits;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

int main(void) {
    static float time_of[2][ROUNDS];
    int least = 0, greatest = 0, multiprocessors = 0, rounds = device_is_emulator() ? 2 : 100000;
    cudaStream_t background, stream[2];
    unsigned *x, *y;
    device_print_backend();
    CUDA_CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    int blocks = multiprocessors * 8 * (device_is_emulator() ? 1 : 16);
    CUDA_CHECK(cudaMalloc((void **)&x, (size_t)blocks * BLOCK * sizeof *x));
    CUDA_CHECK(cudaMalloc((void **)&y, BLOCK * sizeof *y));
    CUDA_CHECK(cudaStreamCreateWithPriority(&background, cudaStreamNonBlocking, least));
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream[0], cudaStreamNonBlocking, least));
    CUDA_CHECK(cudaStreamCreateWithPriority(&stream[1], cudaStreamNonBlocking, greatest));
    for (int r = -2; r < ROUNDS; r++) {
        for (int k = 0; k < 2; k++) {
            int way = (k + r + 2) % 2;
            busy<<<blocks, BLOCK, 0, background>>>(x, rounds);
            CUDA_CHECK_LAUNCH();
            double begin = now();
            busy<<<1, BLOCK, 0, stream[way]>>>(y, 1);
            CUDA_CHECK_LAUNCH();
            CUDA_CHECK(cudaStreamSynchronize(stream[way]));
            time_of[way][r < 0 ? 0 : r] = (float)(now() - begin);
            CUDA_CHECK(cudaDeviceSynchronize());
        }
    }
    int found[BLOCK], expected[BLOCK];
    CUDA_CHECK(cudaMemcpy(found, y, sizeof found, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < BLOCK; i++) {
        expected[i] = (int)((i ^ i >> 16) * 0x7feb352du);
    }
    verify_ints("the short kernel", found, expected, BLOCK);
    for (int way = 0; way < 2 && !device_is_emulator(); way++) {
        qsort(time_of[way], ROUNDS, sizeof time_of[way][0], bench_order);
        printf("priority %3d  %10.1f  %10.1f .. %10.1f  us until the short kernel is done\n", way ? greatest : least,
               time_of[way][ROUNDS / 2], time_of[way][0], time_of[way][ROUNDS - 1]);
        char priority[16];
        snprintf(priority, sizeof priority, "%d", way ? greatest : least);
        record_row(priority, "us", time_of[way][ROUNDS / 2], "us");
    }
    for (int way = 0; way < 2; way++) {
        CUDA_CHECK(cudaStreamDestroy(stream[way]));
    }
    CUDA_CHECK(cudaStreamDestroy(background));
    CUDA_CHECK(cudaFree(x));
    CUDA_CHECK(cudaFree(y));
    return verify_finish("priority");
}
