// Conditional nodes: if, else, while and switch, decided by kernels while the graph runs.
// flags: --relocatable-device-code=true --library=cudadevrt
// Compared: every line was seen on an H200 with CUDA 13.0 (driver 580.159.04).
#include "api_test.h"

__global__ void decide(cudaGraphConditionalHandle handle, const int *p) {
    cudaGraphSetConditional(handle, *p);
}
__global__ void count_down(cudaGraphConditionalHandle handle, int *p, int *turns) {
    ++*turns;
    cudaGraphSetConditional(handle, --*p > 0);
}
__global__ void add(int *p, int value) {
    *p += value;
}

static cudaStream_t s;
static int *d; /* d[0]: what decides; d[1]: what is counted */

static void set(int first) {
    int values[2] = {first, 0};
    MUST(cudaMemcpy(d, values, sizeof values, cudaMemcpyHostToDevice));
    MUST(cudaDeviceSynchronize());
}
static int counted() {
    int v;
    MUST(cudaMemcpy(&v, d + 1, sizeof v, cudaMemcpyDeviceToHost));
    return v;
}
static void launch(cudaGraphExec_t exec) {
    EXPECT(cudaSuccess, cudaGraphLaunch(exec, s));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
}
template <typename... T> static cudaGraphNode_t add_kernel(cudaGraph_t g, cudaGraphNode_t after, void *f, T... values) {
    void *arguments[] = {&values...};
    cudaKernelNodeParams p = {};
    p.func = f;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = arguments;
    cudaGraphNode_t node;
    MUST(cudaGraphAddKernelNode(&node, g, &after, after ? 1 : 0, &p));
    return node;
}
static cudaGraphNodeParams condition(cudaGraphConditionalHandle handle, cudaGraphConditionalNodeType type,
                                     unsigned size) {
    cudaGraphNodeParams p = {};
    p.type = cudaGraphNodeTypeConditional;
    p.conditional.handle = handle;
    p.conditional.type = type;
    p.conditional.size = size;
    return p;
}

static void handles() {
    cudaGraph_t g;
    cudaGraphConditionalHandle handle;
    cudaGraphExec_t exec;
    MUST(cudaGraphCreate(&g, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(NULL, g, 0, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, NULL, 0, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphConditionalHandleCreate(&handle, g, 0, 8));
    EXPECT(cudaSuccess, cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault));
    cudaGraphInstantiateParams how = {};
    EXPECT(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, g, &how));
    EXPECT_EQUAL("a handle that no node uses", cudaGraphInstantiateConditionalHandleUnused, how.result_out);
    cudaGraphNode_t node;
    cudaGraphNodeParams p = condition(handle, cudaGraphCondTypeWhile, 2);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddNode(&node, g, NULL, NULL, 0, &p));
    p = condition(handle, cudaGraphCondTypeIf, 3);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddNode(&node, g, NULL, NULL, 0, &p));
    p = condition(handle, cudaGraphCondTypeIf, 0);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddNode(&node, g, NULL, NULL, 0, &p));
    p = condition(handle, (cudaGraphConditionalNodeType)7, 1);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddNode(&node, g, NULL, NULL, 0, &p));
    p = condition(handle, cudaGraphCondTypeIf, 1);
    EXPECT(cudaSuccess, cudaGraphAddNode(&node, g, NULL, NULL, 0, &p));
    cudaGraphNodeType type;
    EXPECT(cudaSuccess, cudaGraphNodeGetType(node, &type));
    EXPECT_EQUAL("type", cudaGraphNodeTypeConditional, type);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddNode(&node, g, NULL, NULL, 0, &p)); /* one node per handle */
    cudaGraph_t clone = NULL;
    EXPECT(cudaErrorNotSupported, cudaGraphClone(&clone, g));
    EXPECT(cudaErrorInvalidValue, cudaGraphDestroy(p.conditional.phGraph_out[0]));
    cudaHostNodeParams host = {[](void *) {}, NULL};
    EXPECT(cudaSuccess, cudaGraphAddHostNode(&node, p.conditional.phGraph_out[0], NULL, 0, &host));
    EXPECT(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, g, &how)); /* kernels, copies, fills only */
    EXPECT_EQUAL("what a body may not hold", cudaGraphInstantiateNodeOperationNotSupported, how.result_out);
    MUST(cudaGraphDestroy(g));
}

static void if_and_else() {
    cudaGraph_t g;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    MUST(cudaGraphCreate(&g, 0));
    EXPECT(cudaSuccess, cudaGraphConditionalHandleCreate(&handle, g, 0, 0));
    cudaGraphNode_t first = add_kernel(g, NULL, (void *)decide, handle, d);
    cudaGraphNodeParams p = condition(handle, cudaGraphCondTypeIf, 2);
    EXPECT(cudaSuccess, cudaGraphAddNode(&node, g, &first, NULL, 1, &p));
    add_kernel(p.conditional.phGraph_out[0], NULL, (void *)add, d + 1, 1);
    add_kernel(p.conditional.phGraph_out[1], NULL, (void *)add, d + 1, 10);
    add_kernel(g, node, (void *)add, d + 1, 100);
    EXPECT(cudaSuccess, cudaGraphInstantiate(&exec, g, 0));
    set(1);
    launch(exec);
    EXPECT_EQUAL("if", 101, counted());
    set(0);
    launch(exec);
    EXPECT_EQUAL("else", 110, counted());
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

static void while_loop() {
    cudaGraph_t g;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    MUST(cudaGraphCreate(&g, 0));
    EXPECT(cudaSuccess, cudaGraphConditionalHandleCreate(&handle, g, 1, cudaGraphCondAssignDefault));
    cudaGraphNodeParams p = condition(handle, cudaGraphCondTypeWhile, 1);
    EXPECT(cudaSuccess, cudaGraphAddNode(&node, g, NULL, NULL, 0, &p));
    cudaGraph_t body = p.conditional.phGraph_out[0], same;
    EXPECT(cudaSuccess, cudaStreamBeginCaptureToGraph(s, body, NULL, NULL, 0, cudaStreamCaptureModeGlobal));
    count_down<<<1, 1, 0, s>>>(handle, d, d + 1);
    EXPECT(cudaSuccess, cudaStreamEndCapture(s, &same));
    EXPECT(cudaSuccess, cudaGraphInstantiate(&exec, g, 0));
    set(7);
    launch(exec);
    EXPECT_EQUAL("while", 7, counted());
    set(3);
    launch(exec);
    EXPECT_EQUAL("while, again with its default", 3, counted());
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

static void choice() {
    cudaGraph_t g;
    cudaGraphConditionalHandle handle;
    cudaGraphNode_t node;
    cudaGraphExec_t exec;
    MUST(cudaGraphCreate(&g, 0));
    EXPECT(cudaSuccess, cudaGraphConditionalHandleCreate(&handle, g, 0, 0));
    cudaGraphNode_t first = add_kernel(g, NULL, (void *)decide, handle, d);
    cudaGraphNodeParams p = condition(handle, cudaGraphCondTypeSwitch, 3);
    EXPECT(cudaSuccess, cudaGraphAddNode(&node, g, &first, NULL, 1, &p));
    for (int i = 0; i < 3; i++)
        add_kernel(p.conditional.phGraph_out[i], NULL, (void *)add, d + 1, i + 5);
    EXPECT(cudaSuccess, cudaGraphInstantiate(&exec, g, 0));
    const int expected[] = {5, 6, 7, 0};
    for (int i = 0; i < 4; i++) {
        set(i);
        launch(exec);
        EXPECT_EQUAL("switch", expected[i], counted());
    }
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

int main() {
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaMalloc(&d, 64));
    handles();
    if_and_else();
    while_loop();
    choice();
    return failures != 0;
}
