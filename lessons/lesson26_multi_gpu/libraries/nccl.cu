/* NCCL, one process for all GPUs: the all-reduce of lesson 26, as a library does it.
 *
 *     sh lessons/lesson26_multi_gpu/libraries/build.sh       builds this where nccl.h is found, and says where the programs are
 *
 * A *communicator* stands for one GPU of a group. One thread serves all of them here, so the calls of a group stand between
 * ncclGroupStart and ncclGroupEnd: each would otherwise wait for those that this thread has not made yet. */
#include <nccl.h>

#include "../../../common/check.h"
#include "../../../common/verify.h"

#define NCCL_CHECK(call)                                                                                               \
    do {                                                                                                               \
        ncclResult_t result_ = (call);                                                                                 \
        if (result_ != ncclSuccess) {                                                                                  \
            fprintf(stderr, "%s:%d: %s failed: %s\n", __FILE__, __LINE__, #call, ncclGetErrorString(result_));         \
            exit(CHECK_EXIT_FAIL);                                                                                     \
        }                                                                                                              \
    } while (0)

enum { DEVICES_MAX = 8, N = 100003 };

int main(void) {
    int count = 0;
    ncclComm_t comm[DEVICES_MAX];
    cudaStream_t stream[DEVICES_MAX];
    float *x[DEVICES_MAX], *y[DEVICES_MAX], *host = (float *)verify_host_alloc(N * sizeof(float)),
                                            *expected = (float *)verify_host_alloc(N * sizeof(float));
    CUDA_CHECK(cudaGetDeviceCount(&count));
    count = count < DEVICES_MAX ? count : DEVICES_MAX;
    NCCL_CHECK(ncclCommInitAll(comm, count, NULL)); // devices 0 to count - 1
    for (int i = 0; i < N; i++) {
        expected[i] =
            (float)(count * (i % 1000) + count * (count - 1) / 2); // whole numbers: any order gives these bits
    }
    for (int d = 0; d < count; d++) {
        CUDA_CHECK(cudaSetDevice(d));
        CUDA_CHECK(cudaStreamCreate(&stream[d]));
        x[d] = (float *)verify_alloc(N * sizeof(float));
        y[d] = (float *)verify_alloc(N * sizeof(float));
        for (int i = 0; i < N; i++) {
            host[i] = (float)(i % 1000 + d);
        }
        CUDA_CHECK(cudaMemcpy(x[d], host, N * sizeof(float), cudaMemcpyHostToDevice));
    }
    NCCL_CHECK(ncclGroupStart());
    for (int d = 0; d < count; d++) {
        NCCL_CHECK(ncclAllReduce(x[d], y[d], N, ncclFloat, ncclSum, comm[d], stream[d]));
    }
    NCCL_CHECK(ncclGroupEnd());
    for (int d = 0; d < count; d++) {
        CUDA_CHECK(cudaSetDevice(d));
        CUDA_CHECK(cudaStreamSynchronize(stream[d]));
        CUDA_CHECK(cudaMemcpy(host, y[d], N * sizeof(float), cudaMemcpyDeviceToHost));
        verify_floats_exact("ncclAllReduce", host, expected, N);
        NCCL_CHECK(ncclCommDestroy(comm[d]));
    }
    printf("%d GPU%s\n", count, count == 1 ? "" : "s");
    return verify_finish("NCCL");
}
