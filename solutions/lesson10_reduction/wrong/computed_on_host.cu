// expect: not_implemented
// says: no kernel was launched
/* There and back again, and the host adds. */
#include <math.h>
#include <vector>

#include "common/check.h"

void summarize(const float *x, float *result, int n, float *partial, unsigned *done, cudaStream_t stream) {
    (void)partial, (void)done;
    static float both[2];
    static std::vector<float> copy;
    copy.resize(n);
    CUDA_CHECK(cudaMemcpyAsync(copy.data(), x, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    }
    both[0] = 0;
    both[1] = -INFINITY;
    for (float value : copy) {
        both[0] += value;
        both[1] = both[1] >= value ? both[1] : value;
    }
    CUDA_CHECK(cudaMemcpyAsync(result, both, sizeof both, cudaMemcpyHostToDevice, stream));
}
