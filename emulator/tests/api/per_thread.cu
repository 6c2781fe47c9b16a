// flags: --default-stream per-thread
// Compiled so that <<<grid, block>>> and stream 0 mean the calling thread's own default stream.
#include "api_test.h"

__global__ void increment(int *p) {
    atomicAdd(p, 1);
}

static int *d;

static void *thread_main(void *) {
    for (int i = 0; i < 20; i++)
        increment<<<1, 32>>>(d);
    return (void *)(size_t)cudaStreamSynchronize(0);
}

int main() {
    int h = 0;
    void *error;
    pthread_t thread;
    gate_create();
    MUST(cudaMalloc(&d, 4));
    increment<<<1, 1>>>(d);
    gate_open();
    gate_kernel<<<1, 1>>>(gate_flag);
    EXPECT(cudaSuccess, cudaMemset(d, 0, 4));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    gate_close(0); /* this thread's stream; the other thread's does not wait for it */
    pthread_create(&thread, NULL, thread_main, NULL);
    pthread_join(thread, &error);
    EXPECT_EQUAL("the other thread's stream went on", cudaSuccess, (size_t)error);
    EXPECT(cudaErrorNotReady, cudaStreamQuery(0));
    gate_open();
    increment<<<1, 1>>>(d);
    EXPECT(cudaSuccess, cudaMemcpyAsync(&h, d, 4, cudaMemcpyDeviceToHost, 0));
    EXPECT(cudaSuccess, cudaStreamSynchronize(0));
    EXPECT_EQUAL("all kernels ran", 20 * 32 + 1, h);
    gate_close(cudaStreamLegacy); /* per-thread streams are blocking ones */
    increment<<<1, 1>>>(d);
    usleep(20000);
    EXPECT(cudaErrorNotReady, cudaStreamQuery(0));
    gate_open();
    EXPECT(cudaSuccess, cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("after the legacy stream", 20 * 32 + 2, h);
    return failures != 0;
}
