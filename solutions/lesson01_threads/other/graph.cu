// expect: pass
/* Written differently: saxpy as a graph of one kernel, reverse by cudaLaunchKernelEx; a launch that fails is told by assert. */
#undef NDEBUG
#include <assert.h>

#include "common/check.h"
#include "../wrong/right.h"

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    void *arguments[] = {&a, &x, &y, &out, &n};
    cudaKernelNodeParams kernel = {};
    cudaGraph_t graph;
    cudaGraphNode_t node;
    cudaGraphExec_t ready;
    if (n == 0) {
        return;
    }
    kernel.func = (void *)saxpy_kernel;
    kernel.gridDim = dim3((n + 63) / 64);
    kernel.blockDim = dim3(64);
    kernel.kernelParams = arguments;
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, NULL, 0, &kernel));
    CUDA_CHECK(cudaGraphInstantiate(&ready, graph, NULL, NULL, 0));
    CUDA_CHECK(cudaGraphLaunch(ready, 0));
    CUDA_CHECK(cudaGraphExecDestroy(ready));
    CUDA_CHECK(cudaGraphDestroy(graph));
}

void reverse(const float *in, float *out, int n) {
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((n + 127) / 128);
    config.blockDim = dim3(128);
    if (n > 0) {
        assert(cudaLaunchKernelEx(&config, reverse_kernel, in, out, n) == cudaSuccess);
    }
}
