/* Graphs that are built node by node: parameters, edges, changes to graphs and to what was instantiated from them. Argument: PTX. */
#define _GNU_SOURCE
#include "driver_test.h"

#define COUNT 8

static CUcontext context;
static CUfunction scale, count_up;
static CUdeviceptr counter;

static CUDA_KERNEL_NODE_PARAMS kernel(CUfunction function, unsigned threads, void **arguments) {
    return (CUDA_KERNEL_NODE_PARAMS){.func = function,
                                     .gridDimX = 1,
                                     .gridDimY = 1,
                                     .gridDimZ = 1,
                                     .blockDimX = threads,
                                     .blockDimY = 1,
                                     .blockDimZ = 1,
                                     .kernelParams = arguments};
}

static CUDA_MEMCPY3D from_host(CUdeviceptr to, const void *from, size_t bytes) {
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_HOST,
                           .srcHost = from,
                           .srcPitch = bytes,
                           .dstMemoryType = CU_MEMORYTYPE_DEVICE,
                           .dstDevice = to,
                           .dstPitch = bytes,
                           .WidthInBytes = bytes,
                           .Height = 1,
                           .Depth = 1};
}

static CUDA_MEMCPY3D to_host(void *to, CUdeviceptr from, size_t bytes) {
    return (CUDA_MEMCPY3D){.srcMemoryType = CU_MEMORYTYPE_DEVICE,
                           .srcDevice = from,
                           .srcPitch = bytes,
                           .dstMemoryType = CU_MEMORYTYPE_HOST,
                           .dstHost = to,
                           .dstPitch = bytes,
                           .WidthInBytes = bytes,
                           .Height = 1,
                           .Depth = 1};
}

static void launch(CUgraphExec exec) {
    MUST(cuGraphLaunch(exec, NULL));
    MUST(cuCtxSynchronize());
}

static int counted(void) {
    int value;
    MUST(cuMemcpyDtoH(&value, counter, sizeof value));
    return value;
}

static int called;
static void CUDA_CB call(void *data) {
    called += *(int *)data;
}

/* A copy in, a kernel, a copy out, a function of the host: one behind the other. */
struct chain {
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode in, kernel, out, host;
    CUdeviceptr x, y;
    float values[COUNT], results[COUNT], factor;
    int n, add;
};

static void build_chain(struct chain *c) {
    MUST(cuMemAlloc(&c->x, sizeof c->values));
    MUST(cuMemAlloc(&c->y, sizeof c->values));
    for (int i = 0; i < COUNT; i++)
        c->values[i] = (float)i;
    c->factor = 2;
    c->n = COUNT;
    c->add = 3;
    void *arguments[] = {&c->y, &c->x, &c->factor, &c->n};
    const CUDA_KERNEL_NODE_PARAMS k = kernel(scale, 32, arguments);
    const CUDA_MEMCPY3D in = from_host(c->x, c->values, sizeof c->values);
    const CUDA_MEMCPY3D out = to_host(c->results, c->y, sizeof c->results);
    const CUDA_HOST_NODE_PARAMS host = {call, &c->add};
    EXPECT(CUDA_SUCCESS, cuGraphCreate(&c->graph, 0));
    EXPECT(CUDA_SUCCESS, cuGraphAddMemcpyNode(&c->in, c->graph, NULL, 0, &in, context));
    EXPECT(CUDA_SUCCESS, cuGraphAddKernelNode(&c->kernel, c->graph, &c->in, 1, &k));
    EXPECT(CUDA_SUCCESS, cuGraphAddMemcpyNode(&c->out, c->graph, &c->kernel, 1, &out, context));
    EXPECT(CUDA_SUCCESS, cuGraphAddHostNode(&c->host, c->graph, &c->out, 1, &host));
    c->factor = 99; /* the arguments were copied */
    EXPECT(CUDA_SUCCESS, cuGraphInstantiate(&c->exec, c->graph, 0));
}

static void ask_chain(const struct chain *c) {
    CUDA_KERNEL_NODE_PARAMS k;
    CUDA_MEMCPY3D copy;
    CUDA_HOST_NODE_PARAMS host;
    CUgraphNodeType type = CU_GRAPH_NODE_TYPE_EMPTY;
    EXPECT(CUDA_SUCCESS, cuGraphKernelNodeGetParams(c->kernel, &k));
    check("the kernel's parameters", k.func == scale && k.gridDimX == 1 && k.blockDimX == 32 && k.blockDimZ == 1,
          "others");
    check("its arguments", k.kernelParams && *(float *)k.kernelParams[2] == 2 && *(int *)k.kernelParams[3] == COUNT,
          "others");
    EXPECT(CUDA_SUCCESS, cuGraphMemcpyNodeGetParams(c->in, &copy));
    check("the copy's parameters",
          copy.srcMemoryType == CU_MEMORYTYPE_HOST && copy.srcHost == c->values &&
              copy.dstMemoryType == CU_MEMORYTYPE_DEVICE && copy.dstDevice == c->x &&
              copy.WidthInBytes == sizeof c->values && copy.Height == 1 && copy.Depth == 1,
          "others");
    EXPECT(CUDA_SUCCESS, cuGraphHostNodeGetParams(c->host, &host));
    check("the host function's parameters", host.fn == call && host.userData == &c->add, "others");
    EXPECT(CUDA_SUCCESS, cuGraphNodeGetType(c->out, &type));
    EXPECT_EQUAL("type of a copy", CU_GRAPH_NODE_TYPE_MEMCPY, type);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphKernelNodeGetParams(c->in, &k));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphMemcpyNodeGetParams(c->kernel, &copy));
}

static void change_chain(struct chain *c) {
    float factor = 5;
    int add = 10;
    void *arguments[] = {&c->y, &c->x, &factor, &c->n};
    CUDA_KERNEL_NODE_PARAMS k = kernel(scale, 64, arguments);
    const CUDA_HOST_NODE_PARAMS host = {call, &add};
    CUgraphExec other;
    EXPECT(CUDA_SUCCESS, cuGraphKernelNodeSetParams(c->kernel, &k));
    launch(c->exec);
    EXPECT_EQUAL("an executable graph keeps what it was made from", 14, c->results[7]);
    EXPECT(CUDA_SUCCESS, cuGraphInstantiate(&other, c->graph, 0));
    launch(other);
    EXPECT_EQUAL("a new one has the change", 35, c->results[7]);
    EXPECT(CUDA_SUCCESS, cuGraphExecDestroy(other));
    factor = 7;
    EXPECT(CUDA_SUCCESS, cuGraphExecKernelNodeSetParams(c->exec, c->kernel, &k));
    EXPECT(CUDA_SUCCESS, cuGraphExecHostNodeSetParams(c->exec, c->host, &host));
    called = 0;
    launch(c->exec);
    check("a changed executable graph", c->results[7] == 49 && called == 10, "it does something else");
    float values[COUNT] = {[7] = 100};
    const CUDA_MEMCPY3D in = from_host(c->x, values, sizeof values);
    EXPECT(CUDA_SUCCESS, cuGraphExecMemcpyNodeSetParams(c->exec, c->in, &in, context));
    launch(c->exec);
    EXPECT_EQUAL("it copies from somewhere else", 700, c->results[7]);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphExecKernelNodeSetParams(c->exec, c->in, &k));
}

static void chain(void) {
    static struct chain c;
    build_chain(&c);
    called = 0;
    launch(c.exec);
    check("copy, kernel, copy", c.results[0] == 0 && c.results[1] == 2 && c.results[7] == 14, "other values came");
    EXPECT_EQUAL("and the host's function", 3, called);
    ask_chain(&c);
    change_chain(&c);
    EXPECT(CUDA_SUCCESS, cuGraphExecDestroy(c.exec));
    EXPECT(CUDA_SUCCESS, cuGraphDestroy(c.graph));
    MUST(cuMemFree(c.x));
    MUST(cuMemFree(c.y));
}

/* ---- fills, switching on and off ---- */

static void fills(void) {
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode node;
    CUdeviceptr p;
    unsigned values[COUNT], enabled = 9;
    CUDA_MEMSET_NODE_PARAMS f = {.value = 0x1234, .elementSize = 2, .width = 4, .height = 2, .pitch = 16}, found;
    MUST(cuMemAlloc(&p, sizeof values));
    MUST(cuMemsetD8(p, 0, sizeof values));
    MUST(cuGraphCreate(&graph, 0));
    f.dst = p;
    EXPECT(CUDA_SUCCESS, cuGraphAddMemsetNode(&node, graph, NULL, 0, &f, context));
    EXPECT(CUDA_SUCCESS, cuGraphMemsetNodeGetParams(node, &found));
    check("the fill's parameters",
          found.dst == p && found.value == 0x1234 && found.elementSize == 2 && found.width == 4 && found.height == 2 &&
              found.pitch == 16,
          "others");
    MUST(cuGraphInstantiate(&exec, graph, 0));
    EXPECT(CUDA_SUCCESS, cuGraphNodeGetEnabled(exec, node, &enabled));
    EXPECT_EQUAL("a node is enabled", 1, enabled);
    EXPECT(CUDA_SUCCESS, cuGraphNodeSetEnabled(exec, node, 0));
    launch(exec);
    MUST(cuMemcpyDtoH(values, p, sizeof values));
    check("one that is not does nothing", !values[0] && !values[4], "it does");
    EXPECT(CUDA_SUCCESS, cuGraphNodeSetEnabled(exec, node, 1));
    launch(exec);
    MUST(cuMemcpyDtoH(values, p, sizeof values));
    check("rows of halves are filled",
          values[0] == 0x12341234 && values[1] == 0x12341234 && !values[2] && values[5] == 0x12341234 && !values[6],
          "others");
    f.elementSize = 3;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphMemsetNodeSetParams(node, &f));
    f.elementSize = 2;
    f.value = 7;
    EXPECT(CUDA_SUCCESS, cuGraphMemsetNodeSetParams(node, &f));
    EXPECT(CUDA_SUCCESS, cuGraphExecMemsetNodeSetParams(exec, node, &f, context));
    launch(exec);
    MUST(cuMemcpyDtoH(values, p, sizeof values));
    EXPECT_EQUAL("with another value", 0x70007, values[1]);
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(graph));
    MUST(cuMemFree(p));
}

/* ---- edges ---- */

#if CUDA_VERSION >= 13000
#define PLAIN , NULL
#else
#define PLAIN
#endif

static void edges(void) {
    CUgraph graph, clone;
    CUgraphNode nodes[3], from[4] = {0}, to[4] = {0}, found;
    size_t count = 4;
    MUST(cuGraphCreate(&graph, 0));
    for (int i = 0; i < 3; i++)
        EXPECT(CUDA_SUCCESS, cuGraphAddEmptyNode(&nodes[i], graph, NULL, 0));
    EXPECT(CUDA_SUCCESS, cuGraphAddDependencies(graph, nodes, nodes + 1 PLAIN, 2));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphAddDependencies(graph, nodes, nodes + 1 PLAIN, 1));
    EXPECT(CUDA_SUCCESS, cuGraphGetEdges(graph, NULL, NULL PLAIN, &count));
    EXPECT_EQUAL("edges", 2, count);
    count = 4;
    EXPECT(CUDA_SUCCESS, cuGraphGetEdges(graph, from, to PLAIN, &count));
    check("an edge is a pair of nodes", count == 2 && (from[0] == nodes[0] ? to[0] == nodes[1] : to[0] == nodes[2]),
          "another");
    count = 4;
    EXPECT(CUDA_SUCCESS, cuGraphNodeGetDependencies(nodes[2], from PLAIN, &count));
    check("what a node depends on", count == 1 && from[0] == nodes[1], "others");
    count = 4;
    EXPECT(CUDA_SUCCESS, cuGraphNodeGetDependentNodes(nodes[0], to PLAIN, &count));
    check("what depends on a node", count == 1 && to[0] == nodes[1], "others");
    EXPECT(CUDA_SUCCESS, cuGraphClone(&clone, graph));
    EXPECT(CUDA_SUCCESS, cuGraphNodeFindInClone(&found, nodes[1], clone));
    check("a clone has its own node", found && found != nodes[1], "the same");
    MUST(cuGraphDestroy(clone));
    EXPECT(CUDA_SUCCESS, cuGraphRemoveDependencies(graph, nodes + 1, nodes + 2 PLAIN, 1));
    count = 0;
    EXPECT(CUDA_SUCCESS, cuGraphGetRootNodes(graph, NULL, &count));
    EXPECT_EQUAL("roots", 2, count);
    EXPECT(CUDA_SUCCESS, cuGraphDestroyNode(nodes[2]));
    EXPECT(CUDA_SUCCESS, cuGraphGetNodes(graph, NULL, &count));
    EXPECT_EQUAL("nodes left", 2, count);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&found, graph, nodes + 2, 1));
    MUST(cuGraphDestroy(graph));
}

/* ---- events, graphs in graphs ---- */

static void events(void) {
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode kernel_node, record, wait;
    CUevent event, other, found = NULL;
    const CUDA_KERNEL_NODE_PARAMS k = kernel(count_up, 32, NULL);
    MUST(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
    MUST(cuEventCreate(&other, CU_EVENT_DISABLE_TIMING));
    MUST(cuGraphCreate(&graph, 0));
    MUST(cuGraphAddKernelNode(&kernel_node, graph, NULL, 0, &k));
    EXPECT(CUDA_SUCCESS, cuGraphAddEventRecordNode(&record, graph, &kernel_node, 1, other));
    EXPECT(CUDA_SUCCESS, cuGraphEventRecordNodeSetEvent(record, event));
    EXPECT(CUDA_SUCCESS, cuGraphEventRecordNodeGetEvent(record, &found));
    check("the event of a node", found == event, "another");
    EXPECT(CUDA_SUCCESS, cuGraphAddEventWaitNode(&wait, graph, NULL, 0, other));
    EXPECT(CUDA_SUCCESS, cuGraphEventWaitNodeGetEvent(wait, &found));
    check("the event that a node waits for", found == other, "another");
    MUST(cuGraphInstantiate(&exec, graph, 0));
    MUST(cuMemsetD32(counter, 0, 1));
    MUST(cuGraphLaunch(exec, NULL));
    EXPECT(CUDA_SUCCESS, cuEventSynchronize(event));
    EXPECT_EQUAL("the event comes behind the kernel", 32, counted());
    EXPECT(CUDA_SUCCESS, cuGraphExecEventRecordNodeSetEvent(exec, record, other));
    EXPECT(CUDA_SUCCESS, cuGraphExecEventWaitNodeSetEvent(exec, wait, event));
    launch(exec);
    EXPECT(CUDA_SUCCESS, cuEventQuery(other));
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(graph));
    MUST(cuEventDestroy(event));
    MUST(cuEventDestroy(other));
}

static void children(void) {
    CUgraph graph, child, inside = NULL;
    CUgraphExec exec;
    CUgraphNode node, inner;
    CUDA_KERNEL_NODE_PARAMS k = kernel(count_up, 5, NULL);
    MUST(cuGraphCreate(&graph, 0));
    MUST(cuGraphCreate(&child, 0));
    MUST(cuGraphAddKernelNode(&inner, child, NULL, 0, &k));
    EXPECT(CUDA_SUCCESS, cuGraphAddChildGraphNode(&node, graph, NULL, 0, child));
    EXPECT(CUDA_SUCCESS, cuGraphChildGraphNodeGetGraph(node, &inside));
    check("the graph inside is a copy", inside && inside != child, "the same");
    MUST(cuGraphInstantiate(&exec, graph, 0));
    MUST(cuMemsetD32(counter, 0, 1));
    launch(exec);
    EXPECT_EQUAL("a graph in a graph", 5, counted());
    k.blockDimX = 7;
    MUST(cuGraphKernelNodeSetParams(inner, &k));
    EXPECT(CUDA_SUCCESS, cuGraphExecChildGraphNodeSetParams(exec, node, child));
    launch(exec);
    EXPECT_EQUAL("it takes over another's parameters", 12, counted());
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(child));
    MUST(cuGraphDestroy(graph));
}

/* ---- memory ---- */

static void memory(void) {
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode allocate, fill, copy, release;
    CUdeviceptr freed = 0;
    unsigned values[COUNT] = {0};
    CUDA_MEM_ALLOC_NODE_PARAMS found, p = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                                                         .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}},
                                           .bytesize = sizeof values};
    MUST(cuGraphCreate(&graph, 0));
    EXPECT(CUDA_SUCCESS, cuGraphAddMemAllocNode(&allocate, graph, NULL, 0, &p));
    check("the address is known at once", p.dptr, "it is not");
    EXPECT(CUDA_SUCCESS, cuGraphMemAllocNodeGetParams(allocate, &found));
    check("the allocation's parameters", found.dptr == p.dptr && found.bytesize == sizeof values, "others");
    const CUDA_MEMSET_NODE_PARAMS f = {.dst = p.dptr, .value = 77, .elementSize = 4, .width = COUNT, .height = 1};
    MUST(cuGraphAddMemsetNode(&fill, graph, &allocate, 1, &f, context));
    const CUDA_MEMCPY3D c = to_host(values, p.dptr, sizeof values);
    MUST(cuGraphAddMemcpyNode(&copy, graph, &fill, 1, &c, context));
    EXPECT(CUDA_SUCCESS, cuGraphAddMemFreeNode(&release, graph, &copy, 1, p.dptr));
    EXPECT(CUDA_SUCCESS, cuGraphMemFreeNodeGetParams(release, &freed));
    check("what a node frees", freed == p.dptr, "something else");
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemFreeNode(&release, graph, &copy, 1, counter));
    EXPECT(CUDA_SUCCESS, cuGraphInstantiate(&exec, graph, 0));
    launch(exec);
    launch(exec);
    check("memory that lives in a graph", values[0] == 77 && values[COUNT - 1] == 77, "other values came");
    cuuint64_t high = 0;
    EXPECT(CUDA_SUCCESS, cuDeviceGetGraphMemAttribute(0, CU_GRAPH_MEM_ATTR_USED_MEM_HIGH, &high));
    check("graphs have used memory", high >= sizeof values, "none");
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(graph));
}

/* ---- attributes, any node ---- */

static void attributes(void) {
    CUgraph graph;
    CUgraphNode a, b;
    CUkernelNodeAttrValue value = {.cooperative = 1}, found = {.cooperative = 9};
    const CUDA_KERNEL_NODE_PARAMS k = kernel(count_up, 32, NULL);
    MUST(cuGraphCreate(&graph, 0));
    MUST(cuGraphAddKernelNode(&a, graph, NULL, 0, &k));
    MUST(cuGraphAddKernelNode(&b, graph, NULL, 0, &k));
    EXPECT(CUDA_SUCCESS, cuGraphKernelNodeSetAttribute(a, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &value));
    EXPECT(CUDA_SUCCESS, cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &found));
    EXPECT_EQUAL("a kernel node is not cooperative", 0, found.cooperative);
    EXPECT(CUDA_SUCCESS, cuGraphKernelNodeCopyAttributes(b, a));
    EXPECT(CUDA_SUCCESS, cuGraphKernelNodeGetAttribute(b, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &found));
    EXPECT_EQUAL("but after its attributes were copied", 1, found.cooperative);
    MUST(cuGraphDestroy(graph));
}

#if CUDA_VERSION >= 12030
#if CUDA_VERSION >= 13000
#define ADD_NODE(out, graph, before, count, p) cuGraphAddNode(out, graph, before, NULL, count, p)
#else
#define ADD_NODE(out, graph, before, count, p) cuGraphAddNode(out, graph, before, count, p)
#endif

/* count_up is called twice as often as a handle says that a body is to run. */
static void any_node(void) {
    CUgraph graph;
    CUgraphExec exec;
    CUgraphNode nodes[4];
    unsigned value = 0;
    CUgraphConditionalHandle handle;
    CUgraphNodeParams k = {.type = CU_GRAPH_NODE_TYPE_KERNEL,
                           .kernel = {.func = count_up,
                                      .gridDimX = 2,
                                      .gridDimY = 1,
                                      .gridDimZ = 1,
                                      .blockDimX = 16,
                                      .blockDimY = 1,
                                      .blockDimZ = 1}};
    CUgraphNodeParams c = {.type = CU_GRAPH_NODE_TYPE_MEMCPY,
                           .memcpy = {.copyCtx = context, .copyParams = to_host(&value, counter, 4)}};
    CUgraphNodeParams f = {.type = CU_GRAPH_NODE_TYPE_MEMSET,
                           .memset = {.dst = counter, .elementSize = 4, .width = 1, .height = 1, .ctx = context}};
    MUST(cuGraphCreate(&graph, 0));
    EXPECT(CUDA_SUCCESS, ADD_NODE(&nodes[0], graph, NULL, 0, &f));
    EXPECT(CUDA_SUCCESS, ADD_NODE(&nodes[1], graph, &nodes[0], 1, &k));
    EXPECT(CUDA_SUCCESS, cuGraphConditionalHandleCreate(&handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
    CUgraphNodeParams i = {.type = CU_GRAPH_NODE_TYPE_CONDITIONAL,
                           .conditional = {.handle = handle, .type = CU_GRAPH_COND_TYPE_IF, .size = 1, .ctx = context}};
    EXPECT(CUDA_SUCCESS, ADD_NODE(&nodes[2], graph, &nodes[1], 1, &i));
    check("a conditional node gives a graph", i.conditional.phGraph_out && i.conditional.phGraph_out[0], "none");
    EXPECT(CUDA_SUCCESS, ADD_NODE(&nodes[3], i.conditional.phGraph_out[0], NULL, 0, &k));
    EXPECT(CUDA_SUCCESS, ADD_NODE(&nodes[3], graph, &nodes[2], 1, &c));
    EXPECT(CUDA_SUCCESS, cuGraphInstantiate(&exec, graph, 0));
    launch(exec);
    EXPECT_EQUAL("nodes of all kinds", 64, value);
    k.kernel.blockDimX = 1;
    EXPECT(CUDA_SUCCESS, cuGraphExecNodeSetParams(exec, nodes[1], &k));
    launch(exec);
    EXPECT_EQUAL("and another launch of one", 34, value);
    EXPECT(CUDA_SUCCESS, cuGraphNodeSetParams(nodes[1], &k));
    CUDA_KERNEL_NODE_PARAMS found;
    EXPECT(CUDA_SUCCESS, cuGraphKernelNodeGetParams(nodes[1], &found));
    EXPECT_EQUAL("threads of the node", 1, found.blockDimX);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphNodeSetParams(nodes[0], &k));
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(graph));
}
#else
static void any_node(void) {}
#endif

static void refused(void) {
    CUgraph graph;
    CUgraphNode node;
    int n = COUNT;
    void *arguments[] = {&counter, NULL, &n, &n};
    CUDA_KERNEL_NODE_PARAMS k = kernel(scale, 32, NULL);
    CUDA_MEMCPY3D c = from_host(counter, &n, sizeof n);
    MUST(cuGraphCreate(&graph, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode(&node, graph, NULL, 0, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemcpyNode(&node, graph, NULL, 0, NULL, context));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphAddHostNode(&node, graph, NULL, 0, NULL));
    if (refuses_nonsense()) { /* NVIDIA's driver follows these pointers */
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode(&node, graph, NULL, 0, &k));
        k.kernelParams = arguments;
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphAddKernelNode(&node, graph, NULL, 0, &k));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphAddEmptyNode(&node, (CUgraph)(void *)&n, NULL, 0));
    }
    c.srcMemoryType = (CUmemorytype)17;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuGraphAddMemcpyNode(&node, graph, NULL, 0, &c, context));
    MUST(cuGraphDestroy(graph));
}

int main(int count, char **arguments) {
    CUmodule module;
    size_t size;
    if (count != 2)
        return 2;
    context = begin();
    char *ptx = file_bytes(arguments[1], &size);
    MUST(cuModuleLoadData(&module, ptx));
    MUST(cuModuleGetFunction(&scale, module, "scale"));
    MUST(cuModuleGetFunction(&count_up, module, "count_up"));
    MUST(cuModuleGetGlobal(&counter, &size, module, "counter"));
    chain();
    fills();
    edges();
    events();
    children();
    memory();
    attributes();
    any_node();
    refused();
    MUST(cuModuleUnload(module));
    free(ptx);
    return failures != 0;
}
