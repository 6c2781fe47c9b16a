// Graphs made by hand: nodes of every kind, their parameters, edges, clones, executable graphs and their updates.
// Compared: every line was seen on an H200 with CUDA 13.0 (driver 580.159.04).
#include "api_test.h"

__global__ void store(int *p, int value) {
    *p = value;
}
__global__ void add(int *p, int value) {
    *p += value;
}
__global__ void add_twice(int *p, int value) {
    *p += 2 * value;
}
__global__ void wait_for(volatile int *flag, int *out) {
    while (!*flag) {
    }
    *out = 1;
}
__global__ void set_flag(volatile int *flag) {
    *flag = 1;
}
__device__ int variable, other_variable;
__constant__ int constant;

static cudaStream_t s, s2;
static int *d, *pinned;
static int host[64];

static void *store_arguments[2], *add_arguments[2];
static int store_value = 5, add_value = 3;

static cudaKernelNodeParams kernel_params(const void *function, void **arguments) {
    cudaKernelNodeParams p = {};
    p.func = (void *)function;
    p.gridDim = p.blockDim = dim3(1);
    p.kernelParams = arguments;
    return p;
}
static int value(int i = 0) {
    int v;
    MUST(cudaMemcpy(&v, d + i, sizeof v, cudaMemcpyDeviceToHost));
    return v;
}
static size_t count_nodes(cudaGraph_t g) {
    size_t n = 0;
    MUST(cudaGraphGetNodes(g, NULL, &n));
    return n;
}
static size_t count_edges(cudaGraph_t g) {
    size_t n = 0;
    MUST(cudaGraphGetEdges(g, NULL, NULL, NULL, &n));
    return n;
}
static size_t count_roots(cudaGraph_t g) {
    size_t n = 0;
    MUST(cudaGraphGetRootNodes(g, NULL, &n));
    return n;
}
static void clear() {
    MUST(cudaMemset(d, 0, 256));
    MUST(cudaDeviceSynchronize());
}
static void launch(cudaGraphExec_t exec) {
    EXPECT(cudaSuccess, cudaGraphLaunch(exec, s));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
}
static cudaGraphExec_t instantiate(cudaGraph_t g) {
    cudaGraphExec_t exec = NULL;
    EXPECT(cudaSuccess, cudaGraphInstantiate(&exec, g, 0));
    return exec;
}
static cudaGraph_t new_graph() {
    cudaGraph_t g;
    MUST(cudaGraphCreate(&g, 0));
    return g;
}
static cudaGraphNode_t add_kernel(cudaGraph_t g, cudaGraphNode_t after, const void *function, void **arguments) {
    cudaGraphNode_t node;
    cudaKernelNodeParams p = kernel_params(function, arguments);
    MUST(cudaGraphAddKernelNode(&node, g, &after, after ? 1 : 0, &p));
    return node;
}
static cudaGraphNodeType type_of(cudaGraphNode_t node) {
    cudaGraphNodeType type = cudaGraphNodeTypeCount;
    EXPECT(cudaSuccess, cudaGraphNodeGetType(node, &type));
    return type;
}

/* ---- Graphs and edges ---- */

static void creating() {
    cudaGraph_t g;
    EXPECT(cudaErrorInvalidValue, cudaGraphCreate(NULL, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphCreate(&g, 1));
    EXPECT(cudaSuccess, cudaGraphCreate(&g, 0));
    EXPECT_EQUAL("a new graph is empty", 0, count_nodes(g));
    EXPECT_EQUAL("no edges", 0, count_edges(g));
    EXPECT(cudaErrorInvalidValue, cudaGraphGetNodes(g, NULL, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphGetNodes(NULL, NULL, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphGetEdges(g, NULL, NULL, NULL, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphGetRootNodes(g, NULL, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphDestroy(NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeGetType(NULL, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphDestroyNode(NULL));
    cudaGraphExec_t exec = instantiate(g);
    launch(exec);
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecDestroy(NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphLaunch(NULL, s));
    EXPECT(cudaErrorInvalidValue, cudaGraphUpload(NULL, s));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

static void edges() {
    cudaGraph_t g = new_graph(), g2 = new_graph();
    cudaGraphNode_t a, b, c, foreign, nodes[8], from[8], to[8];
    size_t n;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddEmptyNode(NULL, g, NULL, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&a, NULL, NULL, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&a, g, NULL, 1));
    EXPECT(cudaSuccess, cudaGraphAddEmptyNode(&a, g, NULL, 0));
    EXPECT(cudaSuccess, cudaGraphAddEmptyNode(&foreign, g2, NULL, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&b, g, &foreign, 1));
    from[0] = from[1] = a;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddEmptyNode(&b, g, from, 2));
    EXPECT_EQUAL("after these", 1, count_nodes(g));
    EXPECT(cudaSuccess, cudaGraphAddEmptyNode(&b, g, &a, 1));
    EXPECT(cudaSuccess, cudaGraphAddEmptyNode(&c, g, &b, 1));
    EXPECT_EQUAL("type", cudaGraphNodeTypeEmpty, type_of(a));

    EXPECT(cudaErrorInvalidValue, cudaGraphAddDependencies(g, &a, &a, NULL, 1));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddDependencies(g, &a, &foreign, NULL, 1));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddDependencies(g, &a, &b, NULL, 1)); /* there already */
    EXPECT(cudaErrorInvalidValue, cudaGraphAddDependencies(g, NULL, &b, NULL, 1));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddDependencies(NULL, &a, &c, NULL, 1));
    EXPECT(cudaSuccess, cudaGraphAddDependencies(g, NULL, NULL, NULL, 0));
    EXPECT(cudaSuccess, cudaGraphAddDependencies(g, &a, &c, NULL, 1));
    EXPECT_EQUAL("edges", 3, count_edges(g));
    EXPECT_EQUAL("roots", 1, count_roots(g));

    n = 8;
    EXPECT(cudaSuccess, cudaGraphGetNodes(g, nodes, &n));
    EXPECT_EQUAL("nodes in the order of their making", 1, n == 3 && nodes[0] == a && nodes[1] == b && nodes[2] == c);
    n = 2;
    EXPECT(cudaSuccess, cudaGraphGetNodes(g, nodes, &n));
    EXPECT_EQUAL("as many as fit", 2, n);
    n = 8;
    nodes[5] = a;
    EXPECT(cudaSuccess, cudaGraphGetNodes(g, nodes, &n));
    EXPECT_EQUAL("the rest is set to NULL", 1, n == 3 && nodes[3] == NULL && nodes[5] == NULL);
    n = 8;
    EXPECT(cudaSuccess, cudaGraphGetEdges(g, from, to, NULL, &n));
    EXPECT_EQUAL("edges that were given", 3, n);
    EXPECT_EQUAL("first edge", 1, from[0] == a && to[0] == b);
    EXPECT_EQUAL("second edge", 1, from[1] == a && to[1] == c);
    EXPECT_EQUAL("third edge", 1, from[2] == b && to[2] == c);
    n = 8;
    EXPECT(cudaErrorInvalidValue, cudaGraphGetEdges(g, from, NULL, NULL, &n));
    n = 8;
    EXPECT(cudaSuccess, cudaGraphNodeGetDependencies(c, nodes, NULL, &n));
    EXPECT_EQUAL("dependencies of the last", 1, n == 2 && nodes[0] == b && nodes[1] == a);
    n = 0;
    EXPECT(cudaSuccess, cudaGraphNodeGetDependentNodes(a, NULL, NULL, &n));
    EXPECT_EQUAL("dependents of the first", 2, n);
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeGetDependencies(c, nodes, NULL, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeGetDependencies(NULL, nodes, NULL, &n));

    cudaGraphEdgeData data = {};
    data.type = cudaGraphDependencyTypeProgrammatic;
    data.from_port = cudaGraphKernelNodePortProgrammatic;
    EXPECT(cudaErrorInvalidValue, cudaGraphRemoveDependencies(g, &c, &a, NULL, 1));
    EXPECT(cudaSuccess, cudaGraphRemoveDependencies(g, &a, &c, &data, 1)); /* data of an edge does not matter */
    EXPECT(cudaErrorInvalidValue, cudaGraphRemoveDependencies(g, &a, &c, NULL, 1));
    EXPECT_EQUAL("edges after one is removed", 2, count_edges(g));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddDependencies(g, &a, &c, &data, 1)); /* not between kernels */
    data = {};
    data.type = 9;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddDependencies(g, &a, &c, &data, 1));
    data = {};
    data.from_port = 3;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddDependencies(g, &a, &c, &data, 1));
    data = {};
    data.to_port = 1;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddDependencies(g, &a, &c, &data, 1));
    data = {};
    data.reserved[2] = 1;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddDependencies(g, &a, &c, &data, 1));
    data = {};
    EXPECT(cudaSuccess, cudaGraphAddDependencies(g, &a, &c, &data, 1));

    EXPECT(cudaSuccess, cudaGraphAddDependencies(g, &c, &a, NULL, 1)); /* a circle: seen when it is instantiated */
    cudaGraphExec_t exec = NULL;
    EXPECT(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, g, 0));
    cudaGraphInstantiateParams how = {};
    EXPECT(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, g, &how));
    EXPECT_EQUAL("why not", cudaGraphInstantiateInvalidStructure, how.result_out);
    EXPECT(cudaSuccess, cudaGraphDestroyNode(c));
    EXPECT_EQUAL("edges go with a node", 1, count_edges(g));
    EXPECT(cudaSuccess, cudaGraphInstantiate(&exec, g, 0));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
    EXPECT(cudaSuccess, cudaGraphDestroy(g2));
}

static void programmatic_edges() {
    cudaGraph_t g = new_graph();
    clear();
    cudaGraphNode_t a = add_kernel(g, NULL, (void *)store, store_arguments);
    cudaGraphNode_t b = add_kernel(g, NULL, (void *)add, add_arguments), from, to;
    cudaGraphEdgeData data = {}, found = {};
    data.type = cudaGraphDependencyTypeProgrammatic;
    data.from_port = cudaGraphKernelNodePortProgrammatic;
    EXPECT(cudaSuccess, cudaGraphAddDependencies(g, &a, &b, &data, 1));
    size_t n = 1;
    EXPECT(cudaErrorLossyQuery, cudaGraphGetEdges(g, &from, &to, NULL, &n));
    n = 1;
    EXPECT(cudaErrorLossyQuery, cudaGraphNodeGetDependencies(b, &from, NULL, &n));
    n = 1;
    EXPECT(cudaSuccess, cudaGraphGetEdges(g, &from, &to, &found, &n));
    EXPECT_EQUAL("edge data", 0, memcmp(&data, &found, sizeof data));
    cudaGraphExec_t exec = instantiate(g);
    launch(exec);
    EXPECT_EQUAL("kernels that do not ask for overlap follow each other", 8, value());
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

static void clones() {
    cudaGraph_t g = new_graph(), clone = NULL;
    clear();
    cudaGraphNode_t a = add_kernel(g, NULL, (void *)store, store_arguments);
    cudaGraphNode_t b = add_kernel(g, a, (void *)add, add_arguments), found = NULL, late;
    EXPECT(cudaErrorInvalidValue, cudaGraphClone(NULL, g));
    EXPECT(cudaErrorInvalidValue, cudaGraphClone(&clone, NULL));
    EXPECT(cudaSuccess, cudaGraphClone(&clone, g));
    EXPECT_EQUAL("nodes of the clone", 2, count_nodes(clone));
    EXPECT_EQUAL("edges of the clone", 1, count_edges(clone));
    EXPECT(cudaSuccess, cudaGraphNodeFindInClone(&found, b, clone));
    EXPECT_EQUAL("a node of its own", 1, found != b && found != NULL);
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&found, b, g));
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeFindInClone(NULL, b, clone));
    MUST(cudaGraphAddEmptyNode(&late, g, NULL, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&found, late, clone));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
    cudaGraphExec_t exec = instantiate(clone);
    launch(exec);
    EXPECT_EQUAL("the clone lives on", 8, value());
    EXPECT(cudaSuccess, cudaGraphDestroy(clone));
    launch(exec);
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
}

/* ---- Kernel nodes ---- */

static void kernels() {
    cudaGraph_t g = new_graph();
    cudaGraphNode_t a, b;
    clear();
    cudaKernelNodeParams p = kernel_params((void *)store, store_arguments), found = {};
    EXPECT(cudaErrorInvalidValue, cudaGraphAddKernelNode(&a, g, NULL, 0, NULL));
    p.func = NULL;
    EXPECT(cudaErrorInvalidDeviceFunction, cudaGraphAddKernelNode(&a, g, NULL, 0, &p));
    p.func = (void *)store;
    p.kernelParams = NULL;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddKernelNode(&a, g, NULL, 0, &p));
    p.kernelParams = store_arguments;
    p.blockDim = dim3(2000);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddKernelNode(&a, g, NULL, 0, &p));
    p.blockDim = dim3(1);
    p.gridDim = dim3(0);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddKernelNode(&a, g, NULL, 0, &p));
    p.gridDim = dim3(1);
    p.sharedMemBytes = 100000;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddKernelNode(&a, g, NULL, 0, &p));
    p.sharedMemBytes = 64;
    EXPECT_EQUAL("nothing was added", 0, count_nodes(g));
    EXPECT(cudaSuccess, cudaGraphAddKernelNode(&a, g, NULL, 0, &p));
    EXPECT_EQUAL("type", cudaGraphNodeTypeKernel, type_of(a));
    EXPECT(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(a, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(NULL, &found));
    EXPECT(cudaSuccess, cudaGraphKernelNodeGetParams(a, &found));
    EXPECT_EQUAL("shape", 1, found.gridDim.x == 1 && found.blockDim.x == 1 && found.sharedMemBytes == 64);
    EXPECT_EQUAL("function", 1, found.func == (void *)store);
    EXPECT_EQUAL("arguments are copies", 1, found.kernelParams && found.kernelParams[1] != &store_value);
    EXPECT_EQUAL("of the values", 5, found.kernelParams ? *(int *)found.kernelParams[1] : -1);
    EXPECT_EQUAL("no extra", 1, found.extra == NULL);
    struct {
        int *p;
        int value;
    } packed = {d, 31};
    size_t packed_size = 12;
    void *extra[] = {(void *)1, &packed, (void *)2, &packed_size, NULL}; /* CU_LAUNCH_PARAM_BUFFER_POINTER, ..._SIZE */
    p.extra = extra;
    EXPECT(cudaErrorInvalidValue, cudaGraphKernelNodeSetParams(a, &p));
    p.kernelParams = NULL;
    EXPECT(cudaSuccess, cudaGraphKernelNodeSetParams(a, &p));
    packed.value = 0;
    cudaGraphExec_t exec = instantiate(g);
    launch(exec);
    EXPECT_EQUAL("arguments in one piece", 31, value());
    p.extra = NULL;
    p.kernelParams = add_arguments;
    p.func = (void *)add;
    EXPECT(cudaSuccess, cudaGraphKernelNodeSetParams(a, &p));
    launch(exec);
    EXPECT_EQUAL("what is instantiated stays as it is", 31, value());
    p.func = (void *)store;
    p.kernelParams = store_arguments;
    EXPECT(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(NULL, a, &p));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, NULL, &p));
    EXPECT(cudaSuccess, cudaGraphExecKernelNodeSetParams(exec, a, &p));
    launch(exec);
    EXPECT_EQUAL("until it is changed itself", 5, value());
    p.func = (void *)add;
    p.kernelParams = add_arguments;
    EXPECT(cudaSuccess, cudaGraphExecKernelNodeSetParams(exec, a, &p));
    launch(exec);
    EXPECT_EQUAL("to another kernel", 8, value());
    p.blockDim = dim3(4000);
    EXPECT(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, a, &p));
    MUST(cudaGraphAddEmptyNode(&b, g, NULL, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecKernelNodeSetParams(exec, b, &p));
    EXPECT(cudaErrorInvalidValue, cudaGraphKernelNodeGetParams(b, &found));
    EXPECT(cudaErrorInvalidValue, cudaGraphKernelNodeSetParams(b, &p));
    cudaMemsetParams fill;
    EXPECT(cudaErrorInvalidValue, cudaGraphMemsetNodeGetParams(a, &fill));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

static void attributes() {
    cudaGraph_t g = new_graph();
    cudaGraphNode_t a = add_kernel(g, NULL, (void *)store, store_arguments);
    cudaGraphNode_t b = add_kernel(g, a, (void *)add, add_arguments), empty;
    cudaLaunchAttributeValue v = {};
    EXPECT(cudaSuccess, cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributeCooperative, &v));
    EXPECT_EQUAL("not cooperative", 0, v.cooperative);
    v.cooperative = 1;
    EXPECT(cudaSuccess, cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributeCooperative, &v));
    v = {};
    EXPECT(cudaSuccess, cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributeCooperative, &v));
    EXPECT_EQUAL("cooperative", 1, v.cooperative);
    v.priority = -2;
    EXPECT(cudaSuccess, cudaGraphKernelNodeSetAttribute(a, cudaLaunchAttributePriority, &v));
    EXPECT(cudaSuccess, cudaGraphKernelNodeCopyAttributes(b, a));
    v = {};
    EXPECT(cudaSuccess, cudaGraphKernelNodeGetAttribute(b, cudaLaunchAttributePriority, &v));
    EXPECT_EQUAL("copied priority", -2, v.priority);
    EXPECT(cudaErrorInvalidValue, cudaGraphKernelNodeGetAttribute(a, cudaLaunchAttributeSynchronizationPolicy, &v));
    EXPECT(cudaErrorInvalidValue, cudaGraphKernelNodeSetAttribute(a, (cudaLaunchAttributeID)99, &v));
    MUST(cudaGraphAddEmptyNode(&empty, g, NULL, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphKernelNodeGetAttribute(empty, cudaLaunchAttributePriority, &v));
    EXPECT(cudaErrorInvalidValue, cudaGraphKernelNodeCopyAttributes(empty, a));
    EXPECT(cudaErrorInvalidValue, cudaGraphKernelNodeCopyAttributes(NULL, a));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

/* ---- Copies and fills ---- */

static cudaMemcpy3DParms copy_params(void *to, void *from, size_t bytes) {
    cudaMemcpy3DParms p = {};
    p.dstPtr = make_cudaPitchedPtr(to, bytes, bytes, 1);
    p.srcPtr = make_cudaPitchedPtr(from, bytes, bytes, 1);
    p.extent = make_cudaExtent(bytes, 1, 1);
    p.kind = cudaMemcpyDefault;
    return p;
}

static void copies() {
    cudaGraph_t g = new_graph();
    cudaGraphNode_t a, b, c, e, f;
    clear();
    for (int i = 0; i < 64; i++)
        host[i] = 100 + i;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemcpyNode(&a, g, NULL, 0, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemcpyNode1D(&a, g, NULL, 0, NULL, host, 4, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemcpyNode1D(&a, g, NULL, 0, d, NULL, 4, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidMemcpyDirection, cudaGraphAddMemcpyNode1D(&a, g, NULL, 0, d, host, 4, (cudaMemcpyKind)9));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemcpyNode1D(&a, g, NULL, 0, d, host, 4, cudaMemcpyDeviceToDevice));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemcpyNode1D(&a, g, NULL, 0, d, host, 1 << 30, cudaMemcpyDefault));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemcpyNode1D(&a, g, NULL, 0, d, host, 0, cudaMemcpyDefault));
    EXPECT_EQUAL("nothing was added", 0, count_nodes(g));
    EXPECT(cudaSuccess, cudaGraphAddMemcpyNode1D(&a, g, NULL, 0, d, host, 16, cudaMemcpyHostToDevice));
    EXPECT_EQUAL("type", cudaGraphNodeTypeMemcpy, type_of(a));
    EXPECT(cudaSuccess, cudaGraphAddMemcpyNodeToSymbol(&b, g, NULL, 0, variable, host + 9, 4, 0, cudaMemcpyDefault));
    EXPECT(cudaErrorInvalidValue,
           cudaGraphAddMemcpyNodeToSymbol(&c, g, NULL, 0, variable, host, 8, 0, cudaMemcpyDefault));
    EXPECT(cudaErrorInvalidSymbol, cudaGraphAddMemcpyNodeToSymbol(&c, g, NULL, 0, d, host, 4, 0, cudaMemcpyDefault));
    EXPECT(cudaErrorInvalidMemcpyDirection,
           cudaGraphAddMemcpyNodeToSymbol(&c, g, NULL, 0, variable, host, 4, 0, cudaMemcpyDeviceToHost));
    EXPECT(cudaSuccess,
           cudaGraphAddMemcpyNodeFromSymbol(&c, g, &b, 1, d + 8, variable, 4, 0, cudaMemcpyDeviceToDevice));
    cudaMemcpy3DParms p = {}, found = {};
    p.srcPtr = make_cudaPitchedPtr(host, 16, 4, 4); /* a 2 x 2 x 2 corner of 4 x 4 x 4 */
    p.dstPtr = make_cudaPitchedPtr(d + 16, 8, 2, 2);
    p.extent = make_cudaExtent(8, 2, 2);
    p.kind = cudaMemcpyHostToDevice;
    p.srcPos = make_cudaPos(4, 1, 1);
    EXPECT(cudaSuccess, cudaGraphAddMemcpyNode(&e, g, NULL, 0, &p));
    EXPECT(cudaSuccess, cudaGraphMemcpyNodeGetParams(e, &found));
    EXPECT_EQUAL("extent", 1, found.extent.width == 8 && found.extent.height == 2 && found.extent.depth == 2);
    EXPECT_EQUAL("position", 1, found.srcPos.x == 4 && found.srcPos.y == 1 && found.srcPos.z == 1);
    EXPECT_EQUAL("pointers", 1, found.srcPtr.ptr == host && found.dstPtr.ptr == d + 16);
    EXPECT_EQUAL("direction", cudaMemcpyHostToDevice, found.kind);
    EXPECT(cudaSuccess, cudaGraphMemcpyNodeGetParams(a, &found));
    EXPECT_EQUAL("a copy in one dimension", 1,
                 found.extent.width == 16 && found.extent.height == 1 && found.extent.depth == 1 &&
                     found.dstPtr.ptr == d && found.srcPtr.ptr == host);
    EXPECT_EQUAL("its direction", cudaMemcpyHostToDevice, found.kind);
    EXPECT(cudaErrorInvalidValue, cudaGraphMemcpyNodeGetParams(a, NULL));
    p = copy_params(d + 40, d + 1, 4);
    cudaGraphNode_t after[] = {a, c};
    EXPECT(cudaSuccess, cudaGraphAddMemcpyNode(&f, g, after, 2, &p));
    cudaGraphExec_t exec = instantiate(g);
    launch(exec);
    EXPECT_EQUAL("from the host", 103, value(3));
    EXPECT_EQUAL("through a variable", 109, value(8));
    EXPECT_EQUAL("first of the box", 121, value(16));
    EXPECT_EQUAL("last of the box", 142, value(23));
    EXPECT_EQUAL("on the device", 101, value(40));

    EXPECT(cudaSuccess, cudaGraphExecMemcpyNodeSetParams1D(exec, a, d, host + 4, 16, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess,
           cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, b, variable, host + 10, 4, 0, cudaMemcpyDefault));
    EXPECT(cudaSuccess,
           cudaGraphExecMemcpyNodeSetParamsFromSymbol(exec, c, d + 9, variable, 4, 0, cudaMemcpyDeviceToDevice));
    p = copy_params(d + 41, d + 2, 4);
    EXPECT(cudaSuccess, cudaGraphExecMemcpyNodeSetParams(exec, f, &p));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams(exec, f, NULL));
    launch(exec);
    EXPECT_EQUAL("from another place", 107, value(3));
    EXPECT_EQUAL("from another place through a variable", 110, value(9));
    EXPECT_EQUAL("to another place", 106, value(41));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams1D(exec, a, pinned, d, 16, cudaMemcpyDeviceToHost));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams(exec, e, &p)); /* three dimensions */
    EXPECT(cudaSuccess, cudaGraphExecMemcpyNodeSetParams1D(exec, a, d, pinned, 16, cudaMemcpyHostToDevice));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecMemcpyNodeSetParams1D(exec, a, d, host, 0, cudaMemcpyHostToDevice));

    EXPECT(cudaSuccess, cudaGraphMemcpyNodeSetParams1D(a, pinned, d, 16, cudaMemcpyDeviceToHost));
    EXPECT(cudaSuccess, cudaGraphMemcpyNodeSetParamsToSymbol(b, constant, host, 4, 0, cudaMemcpyHostToDevice));
    EXPECT(cudaSuccess, cudaGraphMemcpyNodeSetParamsFromSymbol(c, pinned + 4, constant, 4, 0, cudaMemcpyDeviceToHost));
    EXPECT(cudaSuccess, cudaGraphMemcpyNodeSetParams(f, &p));
    EXPECT(cudaErrorInvalidValue, cudaGraphMemcpyNodeSetParams(f, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphMemcpyNodeSetParams(NULL, &p));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    exec = instantiate(g);
    launch(exec);
    EXPECT_EQUAL("to the host", 107, pinned[3]);
    EXPECT_EQUAL("through constant memory", 100, pinned[4]);
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

static void arrays() {
    cudaGraph_t g = new_graph();
    cudaArray_t array;
    cudaGraphNode_t in, out;
    cudaChannelFormatDesc texel = cudaCreateChannelDesc<int>();
    clear();
    MUST(cudaMallocArray(&array, &texel, 4, 4));
    cudaMemcpy3DParms p = {}, found = {};
    p.srcPtr = make_cudaPitchedPtr(host, 16, 4, 4);
    p.dstArray = array;
    p.extent = make_cudaExtent(4, 4, 1);
    p.kind = cudaMemcpyHostToDevice;
    EXPECT(cudaSuccess, cudaGraphAddMemcpyNode(&in, g, NULL, 0, &p));
    EXPECT(cudaSuccess, cudaGraphMemcpyNodeGetParams(in, &found));
    EXPECT_EQUAL("the array is returned", 1, found.dstArray == array && found.dstPtr.ptr == NULL);
    EXPECT_EQUAL("the extent is in texels", 4, found.extent.width);
    p = {};
    p.srcArray = array;
    p.dstPtr = make_cudaPitchedPtr(d, 16, 4, 4);
    p.extent = make_cudaExtent(4, 4, 1);
    p.kind = cudaMemcpyDeviceToDevice;
    EXPECT(cudaSuccess, cudaGraphAddMemcpyNode(&out, g, &in, 1, &p));
    p.extent = make_cudaExtent(5, 4, 1);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemcpyNode(&out, g, &in, 1, &p));
    cudaGraphExec_t exec = instantiate(g);
    launch(exec);
    EXPECT_EQUAL("through an array", host[15], value(15));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
    MUST(cudaFreeArray(array));
}

static cudaMemsetParams fill_params(void *to, unsigned value, unsigned size, size_t width, size_t height = 1,
                                    size_t pitch = 0) {
    cudaMemsetParams p = {};
    p.dst = to;
    p.value = value;
    p.elementSize = size;
    p.width = width;
    p.height = height;
    p.pitch = pitch;
    return p;
}

static void fills() {
    cudaGraph_t g = new_graph();
    cudaGraphNode_t a, b, c;
    clear();
    cudaMemsetParams p = fill_params(d, 7, 4, 3), found = {};
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&a, g, NULL, 0, NULL));
    p.elementSize = 3;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&a, g, NULL, 0, &p));
    p = fill_params(NULL, 7, 4, 3);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&a, g, NULL, 0, &p));
    p = fill_params((char *)d + 1, 7, 4, 3);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&a, g, NULL, 0, &p));
    p = fill_params(d, 7, 4, 0);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&a, g, NULL, 0, &p));
    p = fill_params(d, 7, 4, 3, 0);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&a, g, NULL, 0, &p));
    p = fill_params(d, 7, 4, 3, 2, 8);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&a, g, NULL, 0, &p));
    p = fill_params(d, 7, 4, 1 << 28);
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemsetNode(&a, g, NULL, 0, &p));
    EXPECT_EQUAL("nothing was added", 0, count_nodes(g));
    p = fill_params(d, 0x12345678, 4, 3);
    EXPECT(cudaSuccess, cudaGraphAddMemsetNode(&a, g, NULL, 0, &p));
    p = fill_params(d + 4, 0xabcd, 2, 2, 2, 8);
    EXPECT(cudaSuccess, cudaGraphAddMemsetNode(&b, g, NULL, 0, &p));
    p = fill_params(d + 8, 0xee, 1, 3);
    EXPECT(cudaSuccess, cudaGraphAddMemsetNode(&c, g, NULL, 0, &p));
    EXPECT_EQUAL("type", cudaGraphNodeTypeMemset, type_of(a));
    EXPECT(cudaSuccess, cudaGraphMemsetNodeGetParams(b, &found));
    EXPECT_EQUAL("parameters", 1,
                 found.dst == d + 4 && found.value == 0xabcd && found.elementSize == 2 && found.width == 2 &&
                     found.height == 2 && found.pitch == 8);
    EXPECT(cudaErrorInvalidValue, cudaGraphMemsetNodeGetParams(b, NULL));
    cudaGraphExec_t exec = instantiate(g);
    launch(exec);
    EXPECT_EQUAL("four bytes at a time", 0x12345678, value(2));
    EXPECT_EQUAL("no further", 0, value(3));
    EXPECT_EQUAL("two bytes at a time", (int)0xabcdabcd, value(4));
    EXPECT_EQUAL("between rows", 0, value(5));
    EXPECT_EQUAL("second row", (int)0xabcdabcd, value(6));
    EXPECT_EQUAL("single bytes", 0xeeeeee, value(8));
    p = fill_params(d, 9, 4, 2);
    EXPECT(cudaSuccess, cudaGraphExecMemsetNodeSetParams(exec, a, &p));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecMemsetNodeSetParams(exec, a, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecMemsetNodeSetParams(exec, b, &p)); /* from two dimensions to one */
    EXPECT(cudaSuccess, cudaGraphMemsetNodeSetParams(b, &p));
    EXPECT(cudaErrorInvalidValue, cudaGraphMemsetNodeSetParams(b, NULL));
    launch(exec);
    EXPECT_EQUAL("filled with something else", 9, value(1));
    EXPECT_EQUAL("not as far", 0x12345678, value(2));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

/* ---- Host functions, events, graphs in graphs ---- */

static void CUDART_CB count_up(void *counter) {
    ++*(int *)counter;
}
static cudaError_t inside;
static void CUDART_CB call_cuda(void *) {
    void *p;
    inside = cudaMalloc(&p, 16);
}

static void host_nodes() {
    cudaGraph_t g = new_graph();
    cudaGraphNode_t a, b;
    int first = 0, second = 0;
    cudaHostNodeParams p = {count_up, &first}, found = {};
    EXPECT(cudaErrorInvalidValue, cudaGraphAddHostNode(&a, g, NULL, 0, NULL));
    p.fn = NULL;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddHostNode(&a, g, NULL, 0, &p));
    p.fn = count_up;
    EXPECT(cudaSuccess, cudaGraphAddHostNode(&a, g, NULL, 0, &p));
    EXPECT_EQUAL("type", cudaGraphNodeTypeHost, type_of(a));
    EXPECT(cudaSuccess, cudaGraphHostNodeGetParams(a, &found));
    EXPECT_EQUAL("parameters", 1, found.fn == count_up && found.userData == &first);
    EXPECT(cudaErrorInvalidValue, cudaGraphHostNodeGetParams(a, NULL));
    p.fn = call_cuda;
    EXPECT(cudaSuccess, cudaGraphAddHostNode(&b, g, &a, 1, &p));
    cudaGraphExec_t exec = instantiate(g);
    launch(exec);
    EXPECT_EQUAL("called", 1, first);
    EXPECT_EQUAL("CUDA may not be called from there", cudaErrorNotPermitted, inside);
    p.fn = count_up;
    p.userData = &second;
    EXPECT(cudaSuccess, cudaGraphExecHostNodeSetParams(exec, a, &p));
    EXPECT(cudaSuccess, cudaGraphHostNodeSetParams(b, &p));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecHostNodeSetParams(exec, a, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphHostNodeSetParams(a, NULL));
    launch(exec);
    EXPECT_EQUAL("called with other data", 1, second);
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

static void events() {
    cudaGraph_t g = new_graph();
    cudaGraphNode_t record, wait;
    cudaEvent_t e, e2, found = NULL;
    MUST(cudaEventCreate(&e));
    MUST(cudaEventCreate(&e2));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddEventRecordNode(&record, g, NULL, 0, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddEventWaitNode(&wait, g, NULL, 0, NULL));
    EXPECT(cudaSuccess, cudaGraphAddEventWaitNode(&wait, g, NULL, 0, e));
    EXPECT(cudaSuccess, cudaGraphAddEventRecordNode(&record, g, &wait, 1, e2));
    EXPECT_EQUAL("type", cudaGraphNodeTypeEventRecord, type_of(record));
    EXPECT_EQUAL("type", cudaGraphNodeTypeWaitEvent, type_of(wait));
    EXPECT(cudaSuccess, cudaGraphEventRecordNodeGetEvent(record, &found));
    EXPECT_EQUAL("recorded event", 1, found == e2);
    EXPECT(cudaSuccess, cudaGraphEventWaitNodeGetEvent(wait, &found));
    EXPECT_EQUAL("awaited event", 1, found == e);
    EXPECT(cudaErrorInvalidValue, cudaGraphEventWaitNodeGetEvent(record, &found));
    EXPECT(cudaErrorInvalidValue, cudaGraphEventWaitNodeGetEvent(wait, NULL));
    cudaGraphExec_t exec = instantiate(g);
    gate_close(s2);
    MUST(cudaEventRecord(e, s2));
    EXPECT(cudaSuccess, cudaGraphLaunch(exec, s));
    usleep(20000);
    EXPECT_EQUAL("a graph waits for an event", cudaErrorNotReady, cudaStreamQuery(s));
    EXPECT_EQUAL("so what it records is not ready", cudaErrorNotReady, cudaEventQuery(e2));
    gate_open();
    EXPECT(cudaSuccess, cudaEventSynchronize(e2));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
    EXPECT(cudaSuccess, cudaGraphExecEventRecordNodeSetEvent(exec, record, e));
    EXPECT(cudaSuccess, cudaGraphExecEventWaitNodeSetEvent(exec, wait, e2));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecEventWaitNodeSetEvent(exec, wait, NULL));
    EXPECT(cudaSuccess, cudaGraphEventRecordNodeSetEvent(record, e));
    EXPECT(cudaSuccess, cudaGraphEventWaitNodeSetEvent(wait, e2));
    launch(exec);
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

static void children() {
    cudaGraph_t g = new_graph(), inner = new_graph(), held = NULL, other = new_graph();
    cudaGraphNode_t first, child;
    clear();
    cudaGraphNode_t in = add_kernel(inner, NULL, (void *)add, add_arguments), in_held;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddChildGraphNode(&child, g, NULL, 0, NULL));
    first = add_kernel(g, NULL, (void *)store, store_arguments);
    EXPECT(cudaSuccess, cudaGraphAddChildGraphNode(&child, g, &first, 1, inner));
    EXPECT_EQUAL("type", cudaGraphNodeTypeGraph, type_of(child));
    add_kernel(g, child, (void *)add_twice, add_arguments);
    EXPECT(cudaSuccess, cudaGraphChildGraphNodeGetGraph(child, &held));
    EXPECT_EQUAL("a copy", 1, held != inner);
    EXPECT(cudaErrorInvalidValue, cudaGraphChildGraphNodeGetGraph(child, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphChildGraphNodeGetGraph(first, &held));
    MUST(cudaGraphChildGraphNodeGetGraph(child, &held));
    EXPECT(cudaErrorInvalidValue, cudaGraphDestroy(held));
    EXPECT(cudaSuccess, cudaGraphNodeFindInClone(&in_held, in, held));
    cudaGraphExec_t exec = instantiate(g);
    launch(exec);
    EXPECT_EQUAL("a graph in a graph", 14, value());
    int ten = 10, hundred = 100;
    void *ten_arguments[] = {&d, &ten}, *hundred_arguments[] = {&d, &hundred};
    cudaKernelNodeParams p = kernel_params((void *)add, ten_arguments);
    EXPECT(cudaSuccess, cudaGraphExecKernelNodeSetParams(exec, in_held, &p));
    launch(exec);
    EXPECT_EQUAL("a node of the inner graph, changed", 21, value());
    add_kernel(other, NULL, (void *)add, hundred_arguments);
    EXPECT(cudaSuccess, cudaGraphExecChildGraphNodeSetParams(exec, child, other));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecChildGraphNodeSetParams(exec, child, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecChildGraphNodeSetParams(exec, first, other));
    launch(exec);
    EXPECT_EQUAL("the inner graph, changed", 111, value());
    cudaGraphNode_t extra;
    MUST(cudaGraphAddEmptyNode(&extra, other, NULL, 0));
    EXPECT(cudaErrorGraphExecUpdateFailure, cudaGraphExecChildGraphNodeSetParams(exec, child, other));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
    EXPECT(cudaSuccess, cudaGraphDestroy(inner));
    EXPECT(cudaSuccess, cudaGraphDestroy(other));
}

/* ---- Memory nodes ---- */

static cudaMemAllocNodeParams alloc_params(size_t bytes) {
    cudaMemAllocNodeParams p = {};
    p.poolProps.allocType = cudaMemAllocationTypePinned;
    p.poolProps.location.type = cudaMemLocationTypeDevice;
    p.bytesize = bytes;
    return p;
}
static unsigned long long graph_memory(cudaGraphMemAttributeType which) {
    unsigned long long v = ~0ull;
    EXPECT(cudaSuccess, cudaDeviceGetGraphMemAttribute(0, which, &v));
    return v;
}

static void memory_nodes() {
    cudaGraph_t g = new_graph(), clone;
    cudaGraphNode_t alloc, use, copy, release;
    cudaMemAllocNodeParams p = alloc_params(1024), found = {};
    clear();
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, NULL));
    p.bytesize = 0;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
    p = alloc_params(1024);
    p.poolProps.location.id = 99;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
    p = alloc_params(1024);
    p.poolProps.allocType = cudaMemAllocationTypeInvalid;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
    p = alloc_params(1024);
    EXPECT(cudaSuccess, cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
    EXPECT_EQUAL("an address", 1, p.dptr != NULL);
    EXPECT_EQUAL("type", cudaGraphNodeTypeMemAlloc, type_of(alloc));
    EXPECT(cudaSuccess, cudaGraphMemAllocNodeGetParams(alloc, &found));
    EXPECT_EQUAL("parameters", 1, found.dptr == p.dptr && found.bytesize == 1024);
    EXPECT(cudaErrorInvalidValue, cudaGraphMemAllocNodeGetParams(alloc, NULL));
    int *memory = (int *)p.dptr;
    void *arguments[] = {&memory, &store_value};
    use = add_kernel(g, alloc, (void *)store, arguments);
    EXPECT(cudaSuccess, cudaGraphAddMemcpyNode1D(&copy, g, &use, 1, d, memory, 4, cudaMemcpyDeviceToDevice));
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&release, g, &copy, 1, NULL));
    EXPECT(cudaSuccess, cudaGraphAddMemFreeNode(&release, g, &copy, 1, memory));
    EXPECT_EQUAL("type", cudaGraphNodeTypeMemFree, type_of(release));
    void *freed = NULL;
    EXPECT(cudaSuccess, cudaGraphMemFreeNodeGetParams(release, &freed));
    EXPECT_EQUAL("freed address", 1, freed == memory);
    EXPECT(cudaErrorInvalidValue, cudaGraphMemFreeNodeGetParams(release, NULL));
    cudaGraphNode_t again;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&again, g, &copy, 1, memory));
    EXPECT(cudaErrorNotSupported, cudaGraphClone(&clone, g));
    cudaGraph_t outer = new_graph();
    cudaGraphNode_t child;
    EXPECT(cudaErrorNotSupported, cudaGraphAddChildGraphNode(&child, outer, NULL, 0, g));
    EXPECT(cudaErrorNotSupported, cudaGraphDestroyNode(alloc));
    EXPECT(cudaErrorNotSupported, cudaGraphRemoveDependencies(g, &alloc, &use, NULL, 1));
    cudaGraphExec_t exec = instantiate(g), second = NULL;
    EXPECT(cudaErrorNotSupported, cudaGraphInstantiate(&second, g, 0)); /* one at a time owns the memory */
    launch(exec);
    EXPECT_EQUAL("memory that lives in the graph", 5, value());
    launch(exec);
    EXPECT_EQUAL("kept for the executable graph", 32 << 20, graph_memory(cudaGraphMemAttrUsedMemCurrent));
    EXPECT_EQUAL("in use at most", 1, graph_memory(cudaGraphMemAttrUsedMemHigh) >= 1024);
    EXPECT_EQUAL("reserved at most", 1, graph_memory(cudaGraphMemAttrReservedMemHigh) >= 1024);
    unsigned long long zero = 0;
    EXPECT(cudaSuccess, cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    EXPECT_EQUAL("in use at most since", 32 << 20, graph_memory(cudaGraphMemAttrUsedMemHigh));
    EXPECT(cudaErrorInvalidValue, cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &zero));
    zero = 1;
    EXPECT(cudaErrorInvalidValue, cudaDeviceSetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &zero));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceGetGraphMemAttribute(99, cudaGraphMemAttrUsedMemHigh, &zero));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, NULL));
    EXPECT(cudaErrorInvalidValue, cudaDeviceGetGraphMemAttribute(0, (cudaGraphMemAttributeType)9, &zero));
    EXPECT(cudaSuccess, cudaDeviceGraphMemTrim(0));
    EXPECT(cudaErrorInvalidDevice, cudaDeviceGraphMemTrim(99));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT_EQUAL("given back with it", 0, graph_memory(cudaGraphMemAttrUsedMemCurrent));
    EXPECT_EQUAL("nothing in reserve", 0, graph_memory(cudaGraphMemAttrReservedMemCurrent));
    EXPECT(cudaSuccess, cudaGraphInstantiate(&second, g, 0));
    EXPECT_EQUAL("nothing before the first launch", 0, graph_memory(cudaGraphMemAttrUsedMemCurrent));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(second));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
    EXPECT(cudaSuccess, cudaGraphDestroy(outer));
}

static void memory_that_stays() {
    cudaGraph_t g = new_graph(), g2 = new_graph();
    cudaGraphNode_t alloc, release;
    cudaMemAllocNodeParams p = alloc_params(64);
    MUST(cudaGraphAddMemAllocNode(&alloc, g, NULL, 0, &p));
    int *memory = (int *)p.dptr;
    void *arguments[] = {&memory, &store_value};
    add_kernel(g, alloc, (void *)store, arguments);
    cudaGraphExec_t exec = instantiate(g);
    launch(exec);
    EXPECT(cudaErrorInvalidValue, cudaGraphLaunch(exec, s)); /* it is still allocated */
    EXPECT(cudaSuccess, cudaMemcpy(d, memory, 4, cudaMemcpyDeviceToDevice));
    EXPECT_EQUAL("memory that outlives the graph", 5, value());
    EXPECT(cudaSuccess, cudaFreeAsync(memory, s));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
    launch(exec);
    EXPECT(cudaSuccess, cudaFree(memory));
    launch(exec);
    EXPECT(cudaSuccess, cudaGraphAddMemFreeNode(&release, g2, NULL, 0, memory));
    cudaGraphExec_t exec2 = instantiate(g2);
    launch(exec2);
    launch(exec);
    launch(exec2);
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec2));
    EXPECT(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, g, cudaGraphInstantiateFlagAutoFreeOnLaunch | 64));
    EXPECT(cudaSuccess, cudaGraphInstantiate(&exec, g, cudaGraphInstantiateFlagAutoFreeOnLaunch));
    launch(exec);
    launch(exec);
    unsigned long long flags = 0;
    EXPECT(cudaSuccess, cudaGraphExecGetFlags(exec, &flags));
    EXPECT_EQUAL("flags", cudaGraphInstantiateFlagAutoFreeOnLaunch, flags);
    EXPECT(cudaErrorInvalidValue, cudaGraphExecGetFlags(exec, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecGetFlags(NULL, &flags));
    EXPECT(cudaSuccess, cudaFree(memory));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
    EXPECT(cudaSuccess, cudaGraphDestroy(g2));
}

/* ---- Any node ---- */

static void any_node() {
    cudaGraph_t g = new_graph();
    cudaGraphNode_t a, b, c, e;
    clear();
    cudaGraphNodeParams p = {};
    EXPECT(cudaErrorInvalidValue, cudaGraphAddNode(&a, g, NULL, NULL, 0, NULL));
    p.type = cudaGraphNodeTypeCount;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddNode(&a, g, NULL, NULL, 0, &p));
    p.type = cudaGraphNodeTypeKernel;
    p.kernel.func = (void *)store;
    p.kernel.gridDim = p.kernel.blockDim = dim3(1);
    p.kernel.kernelParams = store_arguments;
    p.reserved2 = 1;
    EXPECT(cudaErrorInvalidValue, cudaGraphAddNode(&a, g, NULL, NULL, 0, &p));
    p.reserved2 = 0;
    EXPECT(cudaSuccess, cudaGraphAddNode(&a, g, NULL, NULL, 0, &p));
    memset(&p, 0, sizeof p);
    p.type = cudaGraphNodeTypeMemset;
    p.memset.dst = d + 1;
    p.memset.value = 3;
    p.memset.elementSize = 4;
    p.memset.width = 2;
    p.memset.height = 1;
    EXPECT(cudaSuccess, cudaGraphAddNode(&b, g, &a, NULL, 1, &p));
    memset(&p, 0, sizeof p);
    p.type = cudaGraphNodeTypeMemcpy;
    p.memcpy.copyParams = copy_params(d + 3, d, 4);
    EXPECT(cudaSuccess, cudaGraphAddNode(&c, g, &b, NULL, 1, &p));
    p.memcpy.copyParams = copy_params(d + 4, d, 4);
    EXPECT(cudaSuccess, cudaGraphNodeSetParams(c, &p));
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeSetParams(b, &p));
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeSetParams(c, NULL));
    memset(&p, 0, sizeof p);
    p.type = cudaGraphNodeTypeEmpty;
    EXPECT(cudaSuccess, cudaGraphAddNode(&e, g, &c, NULL, 1, &p));
    cudaGraphExec_t exec = instantiate(g);
    launch(exec);
    EXPECT_EQUAL("kernel", 5, value(0));
    EXPECT_EQUAL("fill", 3, value(2));
    EXPECT_EQUAL("copy", 5, value(4));
    p.type = cudaGraphNodeTypeMemcpy;
    p.memcpy.copyParams = copy_params(d + 5, d + 1, 4);
    EXPECT(cudaSuccess, cudaGraphExecNodeSetParams(exec, c, &p));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecNodeSetParams(exec, a, &p));
    launch(exec);
    EXPECT_EQUAL("changed copy", 3, value(5));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

/* ---- Executable graphs ---- */

static void instantiating() {
    cudaGraph_t g = new_graph();
    cudaGraphExec_t exec = NULL;
    cudaGraphInstantiateParams p = {};
    add_kernel(g, NULL, (void *)store, store_arguments);
    clear();
    EXPECT(cudaErrorInvalidValue, cudaGraphInstantiate(NULL, g, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, NULL, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphInstantiateWithFlags(&exec, g, 1 << 10));
    EXPECT(cudaErrorInvalidValue, cudaGraphInstantiate(&exec, g, cudaGraphInstantiateFlagUpload));
    EXPECT(cudaErrorInvalidValue, cudaGraphInstantiateWithParams(&exec, g, NULL));
    p.flags = cudaGraphInstantiateFlagUpload;
    p.uploadStream = s;
    EXPECT(cudaSuccess, cudaGraphInstantiateWithParams(&exec, g, &p));
    EXPECT_EQUAL("result", cudaGraphInstantiateSuccess, p.result_out);
    EXPECT(cudaSuccess, cudaGraphUpload(exec, s));
    launch(exec);
    EXPECT_EQUAL("ran", 5, value());
    EXPECT(cudaSuccess, cudaGraphLaunch(exec, 0));
    EXPECT(cudaSuccess, cudaGraphLaunch(exec, cudaStreamPerThread));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphInstantiateWithFlags(&exec, g, cudaGraphInstantiateFlagUseNodePriority));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

static void order() {
    cudaGraph_t g = new_graph();
    clear();
    cudaGraphNode_t a = add_kernel(g, NULL, (void *)add, add_arguments);
    cudaGraphExec_t exec = instantiate(g);
    for (int i = 0; i < 50; i++) /* launches of one executable graph follow each other, in whatever streams */
        MUST(cudaGraphLaunch(exec, i & 1 ? s : s2));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_EQUAL("no launch overlaps another", 150, value());
    clear();
    gate_close(s);
    EXPECT(cudaSuccess, cudaGraphLaunch(exec, s));
    int ten = 10;
    void *ten_arguments[] = {&d, &ten};
    cudaKernelNodeParams p = kernel_params((void *)add, ten_arguments);
    EXPECT(cudaSuccess, cudaGraphExecKernelNodeSetParams(exec, a, &p)); /* for later launches */
    EXPECT(cudaSuccess, cudaGraphLaunch(exec, s));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec)); /* when it is done */
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
    EXPECT_EQUAL("graphs wait for their stream", cudaErrorNotReady, cudaStreamQuery(s));
    gate_open();
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
    EXPECT_EQUAL("each launch as it was", 13, value());
}

/* One branch waits for what the other does: nothing promises that they overlap, but here and on a GPU they do. */
static void overlap() {
    cudaGraph_t g = new_graph();
    clear();
    int *out = d + 1;
    void *wait_arguments[] = {&d, &out}, *set_arguments[] = {&d};
    cudaGraphNode_t root;
    MUST(cudaGraphAddEmptyNode(&root, g, NULL, 0));
    add_kernel(g, root, (void *)wait_for, wait_arguments);
    add_kernel(g, root, (void *)set_flag, set_arguments);
    cudaGraphExec_t exec = instantiate(g);
    launch(exec);
    EXPECT_EQUAL("branches overlap", 1, value(1));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

static void enabling() {
    cudaGraph_t g = new_graph();
    clear();
    cudaGraphNode_t a = add_kernel(g, NULL, (void *)store, store_arguments);
    cudaGraphNode_t b = add_kernel(g, a, (void *)add, add_arguments), c, empty;
    cudaHostNodeParams host_params = {count_up, host};
    MUST(cudaGraphAddHostNode(&c, g, &b, 1, &host_params));
    MUST(cudaGraphAddEmptyNode(&empty, g, &c, 1));
    cudaGraphExec_t exec = instantiate(g);
    unsigned on = 9;
    EXPECT(cudaSuccess, cudaGraphNodeGetEnabled(exec, b, &on));
    EXPECT_EQUAL("enabled at first", 1, on);
    EXPECT(cudaSuccess, cudaGraphNodeSetEnabled(exec, b, 0));
    EXPECT(cudaSuccess, cudaGraphNodeGetEnabled(exec, b, &on));
    EXPECT_EQUAL("disabled", 0, on);
    launch(exec);
    EXPECT_EQUAL("a disabled node does nothing", 5, value());
    EXPECT(cudaSuccess, cudaGraphNodeSetEnabled(exec, b, 1));
    launch(exec);
    EXPECT_EQUAL("enabled again", 8, value());
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, c, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeGetEnabled(exec, c, &on));
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, empty, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeGetEnabled(exec, a, NULL));
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(NULL, a, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphNodeSetEnabled(exec, NULL, 0));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

static void updating() {
    cudaGraph_t g = new_graph(), g2 = new_graph();
    clear();
    int ten = 10, hundred = 100;
    void *ten_arguments[] = {&d, &ten}, *hundred_arguments[] = {&d, &hundred};
    cudaGraphNode_t a = add_kernel(g, NULL, (void *)store, store_arguments), extra;
    cudaGraphNode_t b = add_kernel(g, a, (void *)add, add_arguments);
    cudaGraphExec_t exec = instantiate(g);
    cudaGraphNode_t a2 = add_kernel(g2, NULL, (void *)store, hundred_arguments);
    cudaGraphNode_t b2 = add_kernel(g2, a2, (void *)add_twice, ten_arguments);
    cudaGraphExecUpdateResultInfo info = {};
    EXPECT(cudaErrorInvalidValue, cudaGraphExecUpdate(NULL, g2, &info));
    EXPECT(cudaErrorInvalidValue, cudaGraphExecUpdate(exec, NULL, &info));
    EXPECT(cudaSuccess, cudaGraphExecUpdate(exec, g2, &info));
    EXPECT_EQUAL("updated", cudaGraphExecUpdateSuccess, info.result);
    EXPECT_EQUAL("no node is to blame", 1, info.errorNode == NULL && info.errorFromNode == NULL);
    launch(exec);
    EXPECT_EQUAL("with other kernels and arguments", 120, value());

    MUST(cudaGraphAddEmptyNode(&extra, g2, NULL, 0));
    EXPECT(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, g2, &info));
    EXPECT_EQUAL("another number of nodes", cudaGraphExecUpdateErrorTopologyChanged, info.result);
    EXPECT_EQUAL("no node is named", 1, info.errorNode == NULL && info.errorFromNode == NULL);
    MUST(cudaGraphDestroyNode(extra));
    MUST(cudaGraphRemoveDependencies(g2, &a2, &b2, NULL, 1));
    EXPECT(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, g2, &info));
    EXPECT_EQUAL("an edge less", cudaGraphExecUpdateErrorTopologyChanged, info.result);
    EXPECT_EQUAL("the node without it", 1, info.errorNode == b2 && info.errorFromNode == NULL);
    MUST(cudaGraphAddDependencies(g2, &b2, &a2, NULL, 1));
    EXPECT(cudaSuccess, cudaGraphExecUpdate(exec, g2, &info)); /* nodes are paired from the exits up */
    launch(exec);
    EXPECT_EQUAL("with kernels in the other order", 100, value());
    EXPECT(cudaSuccess, cudaGraphDestroy(g2));
    g2 = new_graph();
    a2 = add_kernel(g2, NULL, (void *)store, hundred_arguments);
    cudaMemsetParams fill = fill_params(d, 1, 4, 1);
    MUST(cudaGraphAddMemsetNode(&b2, g2, &a2, 1, &fill));
    EXPECT(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, g2, &info));
    EXPECT_EQUAL("a node of another kind", cudaGraphExecUpdateErrorNodeTypeChanged, info.result);
    EXPECT_EQUAL("which one", 1, info.errorNode == b2);
    launch(exec);
    EXPECT_EQUAL("an update that fails changes nothing", 100, value());
    EXPECT(cudaSuccess, cudaGraphDestroy(g2));

    cudaGraphExec_t exec2;
    g2 = new_graph();
    cudaGraph_t g3 = new_graph();
    cudaGraphNode_t c2, c3;
    MUST(cudaGraphAddMemcpyNode1D(&c2, g2, NULL, 0, d, host, 4, cudaMemcpyHostToDevice));
    MUST(cudaGraphInstantiate(&exec2, g2, 0));
    MUST(cudaGraphAddMemcpyNode1D(&c3, g3, NULL, 0, pinned, d, 4, cudaMemcpyDeviceToHost));
    EXPECT(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec2, g3, &info));
    EXPECT_EQUAL("a copy the other way", cudaGraphExecUpdateErrorParametersChanged, info.result);
    EXPECT_EQUAL("which one", 1, info.errorNode == c3);
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec2));
    EXPECT(cudaSuccess, cudaGraphDestroy(g3));
    EXPECT(cudaSuccess, cudaGraphDestroy(g2));
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
    (void)b;
}

/* ---- User objects ---- */

static int destroyed;
static void CUDART_CB destroy_object(void *counter) {
    ++*(int *)counter;
}
static bool soon_destroyed(int times) {
    for (int i = 0; i < 1000 && destroyed < times; i++)
        usleep(1000);
    return destroyed == times;
}

static void user_objects() {
    cudaUserObject_t object;
    const unsigned no_sync = cudaUserObjectNoDestructorSync;
    EXPECT(cudaErrorInvalidValue, cudaUserObjectCreate(NULL, &destroyed, destroy_object, 1, no_sync));
    EXPECT(cudaErrorInvalidValue, cudaUserObjectCreate(&object, &destroyed, NULL, 1, no_sync));
    EXPECT(cudaErrorInvalidValue, cudaUserObjectCreate(&object, &destroyed, destroy_object, 0, no_sync));
    EXPECT(cudaErrorInvalidValue, cudaUserObjectCreate(&object, &destroyed, destroy_object, 1, 0));
    EXPECT(cudaSuccess, cudaUserObjectCreate(&object, &destroyed, destroy_object, 1, no_sync));
    EXPECT(cudaSuccess, cudaUserObjectRetain(object, 2));
    EXPECT(cudaErrorInvalidValue, cudaUserObjectRetain(object, 0));
    EXPECT(cudaErrorInvalidValue, cudaUserObjectRetain(NULL, 1));
    EXPECT(cudaErrorInvalidValue, cudaUserObjectRelease(object, 0));
    EXPECT(cudaErrorInvalidValue, cudaUserObjectRelease(NULL, 1));
    EXPECT(cudaSuccess, cudaUserObjectRelease(object, 2));
    usleep(10000);
    EXPECT_EQUAL("still held", 0, destroyed);
    EXPECT(cudaSuccess, cudaUserObjectRelease(object, 1));
    EXPECT_EQUAL("destroyed with the last reference", 1, soon_destroyed(1));

    cudaGraph_t g = new_graph(), clone;
    cudaGraphExec_t exec;
    EXPECT(cudaSuccess, cudaUserObjectCreate(&object, &destroyed, destroy_object, 2, no_sync));
    EXPECT(cudaErrorInvalidValue, cudaGraphRetainUserObject(g, NULL, 1, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphRetainUserObject(NULL, object, 1, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphRetainUserObject(g, object, 0, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphRetainUserObject(g, object, 1, 2));
    EXPECT(cudaSuccess, cudaGraphRetainUserObject(g, object, 1, 0));
    EXPECT(cudaSuccess, cudaGraphRetainUserObject(g, object, 1, cudaGraphUserObjectMove));
    EXPECT(cudaSuccess, cudaGraphReleaseUserObject(g, object, 1));
    EXPECT(cudaErrorInvalidValue, cudaGraphReleaseUserObject(g, NULL, 1));
    EXPECT(cudaSuccess, cudaGraphClone(&clone, g));
    EXPECT(cudaSuccess, cudaGraphInstantiate(&exec, g, 0));
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
    EXPECT(cudaSuccess, cudaUserObjectRelease(object, 1));
    EXPECT(cudaSuccess, cudaGraphDestroy(clone));
    usleep(10000);
    EXPECT_EQUAL("the executable graph holds it", 1, destroyed);
    launch(exec);
    EXPECT(cudaSuccess, cudaGraphExecDestroy(exec));
    EXPECT_EQUAL("destroyed with the executable graph", 1, soon_destroyed(2));
}

static void drawing() {
    cudaGraph_t g = new_graph();
    cudaGraphNode_t a = add_kernel(g, NULL, (void *)store, store_arguments), b;
    MUST(cudaGraphAddEmptyNode(&b, g, &a, 1));
    char path[] = "/tmp/graphXXXXXX";
    close(mkstemp(path));
    EXPECT(cudaErrorInvalidValue, cudaGraphDebugDotPrint(g, NULL, 0));
    EXPECT(cudaErrorInvalidValue, cudaGraphDebugDotPrint(NULL, path, 0));
    EXPECT(cudaErrorOperatingSystem, cudaGraphDebugDotPrint(g, "/nowhere/graph.dot", 0));
    EXPECT(cudaSuccess, cudaGraphDebugDotPrint(g, path, cudaGraphDebugDotFlagsVerbose));
    EXPECT(cudaSuccess, cudaGraphDebugDotPrint(g, path, 0));
    static char text[20000];
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, sizeof text - 1, file) : 0;
    text[n] = 0;
    if (file)
        fclose(file);
    unlink(path);
    EXPECT_EQUAL("a drawing", 1, strncmp(text, "digraph", 7) == 0);
    EXPECT_EQUAL("of an edge", 1, strstr(text, "->") != NULL);
    EXPECT_EQUAL("from a kernel", 1, strstr(text, "store") != NULL);
    EXPECT(cudaSuccess, cudaGraphDestroy(g));
}

int main() {
    MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaStreamCreateWithFlags(&s2, cudaStreamNonBlocking));
    MUST(cudaMalloc(&d, 256));
    MUST(cudaMallocHost(&pinned, 256));
    gate_create();
    store_arguments[0] = add_arguments[0] = &d;
    store_arguments[1] = &store_value;
    add_arguments[1] = &add_value;
    creating();
    edges();
    programmatic_edges();
    clones();
    kernels();
    attributes();
    copies();
    arrays();
    fills();
    host_nodes();
    events();
    children();
    memory_nodes();
    memory_that_stays();
    any_node();
    instantiating();
    order();
    overlap();
    enabling();
    updating();
    user_objects();
    drawing();
    return failures != 0;
}
