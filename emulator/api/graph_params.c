#include "api/graph_params.h"

#include "api/symbol.h"

#define ADDRESS(pointer) ((uint64_t)(uintptr_t)(pointer))

struct work *params_copy_1d(const char *function, void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
                            cudaError_t *error) {
    struct cudaMemcpy3DParms p = {.srcPtr = {(void *)(uintptr_t)from, count, count, 1},
                                  .dstPtr = {to, count, count, 1},
                                  .extent = {count, 1, 1},
                                  .kind = kind};
    return work_copy(function, &p, error);
}

struct work *params_copy_to_symbol(const char *function, const void *symbol, const void *from, size_t count,
                                   size_t offset, enum cudaMemcpyKind kind, cudaError_t *error) {
    uint64_t address;
    *error = symbol_range(function, symbol, offset, count, kind, true, &address);
    return *error == cudaSuccess ? params_copy_1d(function, (void *)(uintptr_t)address, from, count, kind, error)
                                 : NULL;
}

struct work *params_copy_from_symbol(const char *function, void *to, const void *symbol, size_t count, size_t offset,
                                     enum cudaMemcpyKind kind, cudaError_t *error) {
    uint64_t address;
    *error = symbol_range(function, symbol, offset, count, kind, false, &address);
    return *error == cudaSuccess ? params_copy_1d(function, to, (void *)(uintptr_t)address, count, kind, error) : NULL;
}

static struct work *any_kernel(const char *function, const struct cudaKernelNodeParamsV2 *k, cudaError_t *error) {
    const struct cudaKernelNodeParams p = {.func = k->func,
                                           .gridDim = k->gridDim,
                                           .blockDim = k->blockDim,
                                           .sharedMemBytes = k->sharedMemBytes,
                                           .kernelParams = k->kernelParams,
                                           .extra = k->extra};
    return work_kernel(function, &p, false, error);
}

static struct work *any_fill(const char *function, const struct cudaMemsetParamsV2 *f, cudaError_t *error) {
    const struct cudaMemsetParams p = {.dst = f->dst,
                                       .pitch = f->pitch,
                                       .value = f->value,
                                       .elementSize = f->elementSize,
                                       .width = f->width,
                                       .height = f->height};
    return work_fill(function, &p, error);
}

struct work *params_any(const char *function, const struct cudaGraphNodeParams *p, cudaError_t *error) {
    *error = cudaErrorInvalidValue;
    if (p && !p->reserved0[0] && !p->reserved0[1] && !p->reserved0[2] && !p->reserved2) {
        switch (p->type) {
        case cudaGraphNodeTypeKernel:
            return any_kernel(function, &p->kernel, error);
        case cudaGraphNodeTypeMemcpy:
            if (!p->memcpy.flags)
                return work_copy(function, &p->memcpy.copyParams, error);
            break;
        case cudaGraphNodeTypeMemset:
            return any_fill(function, &p->memset, error);
        case cudaGraphNodeTypeHost:
            return work_host(&(struct cudaHostNodeParams){p->host.fn, p->host.userData}, error);
        case cudaGraphNodeTypeEventRecord:
            return work_event(function, p->type, p->eventRecord.event, error);
        case cudaGraphNodeTypeWaitEvent:
            return work_event(function, p->type, p->eventWait.event, error);
        default:
            break;
        }
    }
    state_return(*error);
    return NULL;
}
