// What graphs that allocate use of a device's memory, and give back. The numbers are the GPU's own: graphs share what lives at different
// times, and keep it until somebody trims it.
#include "program.h"

#define MIB ((size_t)1 << 20)

static void used(const char *when) {
    unsigned long long now = 0, most = 0;
    CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &now));
    CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &most));
    show(when, now / MIB);
    show("  at most", most / MIB);
}

static cudaGraphNode_t allocate(cudaGraph_t g, cudaGraphNode_t after, size_t mib, void **memory) {
    cudaMemAllocNodeParams p = {};
    cudaGraphNode_t node;
    p.bytesize = mib * MIB;
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    CUDA(cudaGraphAddMemAllocNode(&node, g, &after, after != NULL, &p));
    *memory = p.dptr;
    return node;
}

static cudaGraphNode_t release(cudaGraph_t g, cudaGraphNode_t after, void *memory) {
    cudaGraphNode_t node;
    CUDA(cudaGraphAddMemFreeNode(&node, g, &after, 1, memory));
    return node;
}

static cudaGraphExec_t instantiate(cudaGraph_t g) {
    cudaGraphExec_t e;
    CUDA(cudaGraphInstantiate(&e, g, 0));
    CUDA(cudaGraphDestroy(g));
    return e;
}

static cudaGraph_t new_graph() {
    cudaGraph_t g;
    CUDA(cudaGraphCreate(&g, 0));
    return g;
}

/* Two allocations, the second when the first is freed. */
static cudaGraphExec_t one_by_one(size_t mib) {
    cudaGraph_t g = new_graph();
    void *first, *second;
    cudaGraphNode_t node = allocate(g, NULL, mib, &first);
    node = release(g, node, first);
    node = allocate(g, node, mib, &second);
    release(g, node, second);
    return instantiate(g);
}

static cudaGraphExec_t both_at_once(size_t mib) {
    cudaGraph_t g = new_graph();
    void *first, *second;
    cudaGraphNode_t node = allocate(g, NULL, mib, &first);
    node = allocate(g, node, mib, &second);
    node = release(g, node, second);
    release(g, node, first);
    return instantiate(g);
}

static void launch(cudaGraphExec_t e, cudaStream_t s) {
    CUDA(cudaGraphLaunch(e, s));
    CUDA(cudaStreamSynchronize(s));
}

static void trim() {
    CUDA(cudaDeviceGraphMemTrim(0));
    used("trimmed");
}

static void freed_within(cudaStream_t s, cudaStream_t t) {
    cudaGraphExec_t a = one_by_one(64), b = one_by_one(64), c = both_at_once(64);
    used("instantiated");
    launch(a, s);
    used("one by one");
    launch(b, s);
    used("another, in the same stream");
    launch(b, t);
    used("in another stream");
    launch(c, s);
    used("both at once");
    trim();
    launch(a, s);
    used("one by one again");
    CUDA(cudaGraphExecDestroy(a));
    CUDA(cudaGraphExecDestroy(b));
    CUDA(cudaGraphExecDestroy(c));
    used("all destroyed");
    trim();
}

static void freed_later(cudaStream_t s) {
    cudaGraph_t g = new_graph();
    void *kept;
    allocate(g, NULL, 64, &kept);
    cudaGraphExec_t e = instantiate(g);
    launch(e, s);
    used("not freed");
    trim();
    CUDA(cudaFree(kept));
    used("cudaFree");
    trim();
    launch(e, s);
    used("launched again");
    CUDA(cudaFreeAsync(kept, s));
    CUDA(cudaStreamSynchronize(s));
    used("cudaFreeAsync");
    CUDA(cudaGraphExecDestroy(e));
    used("destroyed");
    trim();
}

int main() {
    cudaStream_t s, t;
    CUDA(cudaStreamCreate(&s));
    CUDA(cudaStreamCreate(&t));
    freed_within(s, t);
    freed_later(s);
    check("no error", cudaDeviceSynchronize() == cudaSuccess);
    return program_failures != 0;
}
