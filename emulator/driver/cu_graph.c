/* Graphs: they are the runtime's; this file has the functions without parameters of nodes. */
#include "driver/driver.h"

CUresult cuGraphCreate(CUgraph *out, unsigned flags) {
    CALL(cudaGraphCreate(out, flags));
}
CUresult cuGraphDestroy(CUgraph graph) {
    CALL(cudaGraphDestroy(graph));
}
CUresult cuGraphClone(CUgraph *out, CUgraph graph) {
    CALL(cudaGraphClone(out, graph));
}
CUresult cuGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
    CALL(cudaGraphGetNodes(graph, nodes, count));
}
CUresult cuGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
    CALL(cudaGraphGetRootNodes(graph, nodes, count));
}
CUresult cuGraphNodeGetType(CUgraphNode node, CUgraphNodeType *type) {
    CALL(cudaGraphNodeGetType(node, (enum cudaGraphNodeType *)type));
}
CUresult cuGraphDestroyNode(CUgraphNode node) {
    CALL(cudaGraphDestroyNode(node));
}
CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count) {
    CALL(cudaGraphAddEmptyNode(out, graph, before, count));
}
CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *before, size_t count,
                                  CUgraph child) {
    CALL(cudaGraphAddChildGraphNode(out, graph, before, count, child));
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long flags) {
    CALL(cudaGraphInstantiateWithFlags(out, graph, flags));
}
CUresult cuGraphInstantiateWithParams(CUgraphExec *out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *p) {
    CALL(cudaGraphInstantiateWithParams(out, graph, (cudaGraphInstantiateParams *)(void *)p));
}
CUresult cuGraphExecGetFlags(CUgraphExec exec, cuuint64_t *flags) {
    CALL(cudaGraphExecGetFlags(exec, (unsigned long long *)flags));
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
    CALL(cudaGraphExecDestroy(exec));
}
CUresult cuGraphExecUpdate(CUgraphExec exec, CUgraph graph, CUgraphExecUpdateResultInfo *info) {
    CALL(cudaGraphExecUpdate(exec, graph, (cudaGraphExecUpdateResultInfo *)(void *)info));
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
    CALL(cudaGraphLaunch(exec, stream));
}
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
    CALL(cudaGraphUpload(exec, stream));
}
CUresult cuGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags) {
    CALL(cudaGraphDebugDotPrint(graph, path, flags));
}
CUresult cuDeviceGraphMemTrim(CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, cudaDeviceGraphMemTrim(device));
}

/* ---- objects that belong to graphs ---- */

CUresult cuUserObjectCreate(CUuserObject *out, void *data, CUhostFn destroy, unsigned references, unsigned flags) {
    CALL(cudaUserObjectCreate(out, data, destroy, references, flags));
}
CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
    CALL(cudaUserObjectRetain(object, count));
}
CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
    CALL(cudaUserObjectRelease(object, count));
}
CUresult cuGraphRetainUserObject(CUgraph graph, CUuserObject object, unsigned count, unsigned flags) {
    CALL(cudaGraphRetainUserObject(graph, object, count, flags));
}
CUresult cuGraphReleaseUserObject(CUgraph graph, CUuserObject object, unsigned count) {
    CALL(cudaGraphReleaseUserObject(graph, object, count));
}
