// expect: not_by_kernel
// says: read by kernels in the host's memory
/* A node of a graph is a function of the host, which computes in managed memory; a kernel reads the result there. */
#include "common/check.h"
#include "host_works.h"

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    static float *managed;
    static cudaGraph_t graph;
    static cudaGraphExec_t executable;
    if (n == 0) {
        return;
    }
    struct work *w = prepare(a, n);
    if (!managed) {
        cudaGraphNode_t node;
        cudaHostNodeParams parameters = {compute, w};
        CUDA_CHECK(cudaMallocManaged(&managed, MOST * sizeof(float)));
        CUDA_CHECK(cudaGraphCreate(&graph, 0));
        CUDA_CHECK(cudaGraphAddHostNode(&node, graph, NULL, 0, &parameters));
        CUDA_CHECK(cudaGraphInstantiate(&executable, graph, 0));
    }
    w->result = managed;
    CUDA_CHECK(cudaMemcpyAsync(w->x, x, n * sizeof(float), cudaMemcpyDeviceToHost, 0));
    CUDA_CHECK(cudaMemcpyAsync(w->y, y, n * sizeof(float), cudaMemcpyDeviceToHost, 0));
    CUDA_CHECK(cudaGraphLaunch(executable, 0));
    carry<<<(n + 255) / 256, 256>>>(out, managed, n);
    CUDA_CHECK_LAUNCH();
}
