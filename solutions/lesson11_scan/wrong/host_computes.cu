// expect: not_by_kernel
/* A cheat: the host does it, and copies the result to the device; kernels are launched for show. */
#include "common/check.h"

#include "right.h"

void split(const unsigned *x, unsigned *y, int n, int bit, int *sums, cudaStream_t stream) {
    static unsigned in[1 << 20], out[1 << 20];
    int at = 0;
    right_split(x, y, n, bit, sums, stream);
    CUDA_CHECK(cudaMemcpyAsync(in, x, n * sizeof *x, cudaMemcpyDeviceToHost, stream));
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    }
    for (unsigned one = 0; one < 2; one++) {
        for (int i = 0; i < n; i++) {
            if ((in[i] >> bit & 1) == one) {
                out[at++] = in[i];
            }
        }
    }
    CUDA_CHECK(cudaMemcpyAsync(y, out, n * sizeof *y, cudaMemcpyHostToDevice, stream));
}
