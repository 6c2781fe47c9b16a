#include "api/graph_work.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "api/device.h"
#include "api/event.h"
#include "api/registration.h"
#include "check/report.h"
#include "memory/memory.h"

/* cuda.h's names for the entries of cudaKernelNodeParams.extra. */
#define LAUNCH_PARAM_END            ((void *)0)
#define LAUNCH_PARAM_BUFFER_POINTER ((void *)1)
#define LAUNCH_PARAM_BUFFER_SIZE    ((void *)2)

static struct work *work_new(enum cudaGraphNodeType type, cudaError_t *error) {
    struct work *w = calloc(1, sizeof *w);
    *error = w ? cudaSuccess : state_return(cudaErrorMemoryAllocation);
    if (w) {
        w->references = 1;
        w->type = type;
        w->device = state_device();
    }
    return w;
}

struct work *work_plain(enum cudaGraphNodeType type, cudaError_t *error) {
    return work_new(type, error);
}

struct work *work_keep(struct work *w) {
    atomic_fetch_add(&w->references, 1);
    return w;
}

void work_release(struct work *w) {
    assert(!w || atomic_load(&w->references) > 0);
    if (!w || atomic_fetch_sub(&w->references, 1) != 1)
        return;
    if (w->type == cudaGraphNodeTypeKernel)
        free(w->kernel);
    free(w);
}

/* ---- Kernels ---- */

/* A kernel_work is followed by pointers to the arguments and by the arguments, packed as the kernel expects them. */
static size_t arguments_at(const struct kernel *k) {
    return (sizeof(struct kernel_work) + (k->param_count + 1) * sizeof(void *) + 15) / 16 * 16;
}

static unsigned char *arguments_of(const struct kernel_work *w) {
    return (unsigned char *)(uintptr_t)w + arguments_at(w->kernel);
}

static struct kernel_work *kernel_new(const struct kernel *k) {
    struct kernel_work *w = calloc(1, arguments_at(k) + k->param_bytes + 16);
    if (w)
        w->kernel = k;
    return w;
}

/* Points to the arguments that are stored in w. */
static void point_to_arguments(struct kernel_work *w) {
    unsigned char *arguments = arguments_of(w);
    void **pointers = (void **)(w + 1);
    for (uint32_t i = 0; i < w->kernel->param_count; i++)
        pointers[i] = arguments + w->kernel->params[i].offset;
    w->config.params = arguments;
    w->given.kernelParams = w->packed ? NULL : pointers;
    w->given.extra = w->packed ? w->extra : NULL;
    w->extra[0] = LAUNCH_PARAM_BUFFER_POINTER;
    w->extra[1] = arguments;
    w->extra[2] = LAUNCH_PARAM_BUFFER_SIZE;
    w->extra[3] = &w->packed_bytes;
}

/* Reads the list of cudaKernelNodeParams.extra. */
static bool find_packed(void **extra, const void **arguments, size_t *bytes) {
    *arguments = NULL;
    *bytes = 0;
    for (; *extra != LAUNCH_PARAM_END; extra += 2) {
        if (extra[0] == LAUNCH_PARAM_BUFFER_POINTER)
            *arguments = extra[1];
        else if (extra[0] == LAUNCH_PARAM_BUFFER_SIZE)
            *bytes = *(size_t *)extra[1];
        else
            return false;
    }
    return *arguments != NULL;
}

static cudaError_t copy_arguments(struct kernel_work *w, const struct cudaKernelNodeParams *p) {
    const struct kernel *k = w->kernel;
    const void *packed;
    if (p->extra) {
        if (!find_packed(p->extra, &packed, &w->packed_bytes) || w->packed_bytes != k->param_bytes)
            return cudaErrorInvalidValue;
        w->packed = true;
        memcpy(arguments_of(w), packed, w->packed_bytes);
        return cudaSuccess;
    }
    for (uint32_t i = 0; i < k->param_count; i++) {
        if (!p->kernelParams[i])
            return cudaErrorInvalidValue;
        memcpy(arguments_of(w) + k->params[i].offset, p->kernelParams[i], k->params[i].size);
    }
    return cudaSuccess;
}

static struct work *wrap_kernel(struct kernel_work *kernel, cudaError_t *error) {
    struct work *w = kernel ? work_new(cudaGraphNodeTypeKernel, error) : NULL;
    if (!kernel)
        *error = state_return(cudaErrorMemoryAllocation);
    if (!w)
        free(kernel);
    else
        w->kernel = kernel;
    return w;
}

struct work *work_kernel(const char *function, const struct cudaKernelNodeParams *p, bool cooperative,
                         cudaError_t *error) {
    const struct kernel *k;
    struct launch_config config;
    if (!p || (p->kernelParams && p->extra)) {
        *error = state_return(cudaErrorInvalidValue);
        return NULL;
    }
    const struct launch_shape shape = {p->gridDim, p->blockDim, p->sharedMemBytes, cooperative, {0, 0, 0}};
    if ((*error = execution_check(function, p->func, &shape, &k, &config)) != cudaSuccess)
        return NULL;
    if (k->param_count && !p->kernelParams && !p->extra) {
        *error = state_refuse(function, cudaErrorInvalidValue, "The kernel has %u parameters, and none were passed.",
                              k->param_count);
        return NULL;
    }
    struct kernel_work *w = kernel_new(k);
    if (w) {
        w->given = *p;
        w->config = config;
        w->attributes[cudaLaunchAttributeCooperative].cooperative = cooperative;
        if ((*error = copy_arguments(w, p)) != cudaSuccess) {
            free(w);
            *error = state_refuse(function, *error, "The arguments do not match the kernel's %u parameters (%u bytes).",
                                  k->param_count, k->param_bytes);
            return NULL;
        }
        point_to_arguments(w);
    }
    return wrap_kernel(w, error);
}

/* A copy of a kernel's work, to be changed. */
static struct kernel_work *kernel_copy(const struct kernel_work *w) {
    struct kernel_work *copy = kernel_new(w->kernel);
    if (!copy)
        return NULL;
    memcpy(copy, w, arguments_at(w->kernel) + w->kernel->param_bytes);
    point_to_arguments(copy);
    return copy;
}

bool work_has_attribute(unsigned id) {
    switch (id) {
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeCooperative:
    case cudaLaunchAttributeClusterDimension:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
        return true;
    default:
        return id > cudaLaunchAttributeMemSyncDomain && id < WORK_ATTRIBUTES;
    }
}

/* Applies the attributes to the launch. */
static struct work *wrap_with_attributes(struct kernel_work *k, cudaError_t *error) {
    if (!k)
        return wrap_kernel(k, error);
    const cudaLaunchAttributeValue *cluster = &k->attributes[cudaLaunchAttributeClusterDimension];
    const dim3 size = {cluster->clusterDim.x, cluster->clusterDim.y, cluster->clusterDim.z};
    k->config.cooperative = k->attributes[cudaLaunchAttributeCooperative].cooperative != 0;
    *error = execution_cluster("cudaGraphKernelNodeSetAttribute", k->kernel, size, &k->config);
    if (*error == cudaSuccess)
        return wrap_kernel(k, error);
    free(k);
    return NULL;
}

struct work *work_with_attribute(const struct work *w, unsigned id, const cudaLaunchAttributeValue *value,
                                 cudaError_t *error) {
    if (!value || !work_has_attribute(id)) {
        *error = state_return(cudaErrorInvalidValue);
        return NULL;
    }
    struct kernel_work *k = kernel_copy(w->kernel);
    if (k)
        k->attributes[id] = *value;
    return wrap_with_attributes(k, error);
}

struct work *work_with_attributes_of(const struct work *w, const struct work *source, cudaError_t *error) {
    struct kernel_work *k = kernel_copy(w->kernel);
    if (k)
        memcpy(k->attributes, source->kernel->attributes, sizeof k->attributes);
    return wrap_with_attributes(k, error);
}

/* ---- Copies and fills ---- */

struct work *work_copy(const char *function, const struct cudaMemcpy3DParms *p, cudaError_t *error) {
    struct copy_request r;
    if ((*error = transfer_request_3d(function, p, &r)) != cudaSuccess)
        return NULL;
    if (!r.box.width || !r.box.height || !r.box.depth) {
        *error = state_refuse(function, cudaErrorInvalidValue, "The extent of a copy node must not be empty.");
        return NULL;
    }
    if ((*error = transfer_check(&r)) != cudaSuccess)
        return NULL;
    struct work *w = work_new(cudaGraphNodeTypeMemcpy, error);
    if (w)
        w->copy = (struct copy_work){*p, r};
    return w;
}

static struct cudaPitchedPtr pitched_side(struct side s, struct box b) {
    return (struct cudaPitchedPtr){.ptr = (void *)(uintptr_t)s.address,
                                   .pitch = s.pitch ? s.pitch : b.width,
                                   .xsize = b.width,
                                   .ysize = s.slice && s.pitch ? s.slice / s.pitch : b.height};
}

struct work *work_copy_request(const struct copy_request *r, cudaError_t *error) {
    struct work *w = work_new(cudaGraphNodeTypeMemcpy, error);
    if (!w)
        return NULL;
    w->copy.request = *r;
    w->copy.given = (struct cudaMemcpy3DParms){.srcPtr = pitched_side(r->from, r->box),
                                               .dstPtr = pitched_side(r->to, r->box),
                                               .extent = {r->box.width, r->box.height, r->box.depth},
                                               .kind = r->kind};
    return w;
}

static struct box fill_box(const struct cudaMemsetParams *p) {
    return (struct box){p->width * p->elementSize, p->height, 1};
}
static struct side fill_side(const struct cudaMemsetParams *p) {
    return (struct side){(uint64_t)(uintptr_t)p->dst, p->pitch, 0};
}

struct work *work_fill(const char *function, const struct cudaMemsetParams *p, cudaError_t *error) {
    *error = cudaErrorInvalidValue;
    if (!p || (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4) || !p->width || !p->height ||
        p->width > SIZE_MAX / 4 || (uintptr_t)p->dst % p->elementSize || (p->height > 1 && p->pitch % p->elementSize)) {
        state_return(*error);
        return NULL;
    }
    if (p->height > 1 && p->pitch < p->width * p->elementSize) {
        state_refuse(function, *error, "Rows of %zu bytes do not fit into a pitch of %zu bytes.",
                     p->width * p->elementSize, p->pitch);
        return NULL;
    }
    if ((*error = transfer_check_fill(function, fill_side(p), fill_box(p))) != cudaSuccess)
        return NULL;
    struct work *w = work_new(cudaGraphNodeTypeMemset, error);
    if (w)
        w->fill = *p;
    return w;
}

static int run_fill(const struct cudaMemsetParams *p, const struct operation_order *order) {
    const struct fill_request r = {.function = "a graph's memset node",
                                   .to = fill_side(p),
                                   .box = fill_box(p),
                                   .value = p->value,
                                   .element = p->elementSize};
    return transfer_fill_now(order, &r);
}

/* ---- The rest ---- */

struct work *work_host(const struct cudaHostNodeParams *p, cudaError_t *error) {
    struct work *w = NULL;
    if (!p || !p->fn)
        *error = state_return(cudaErrorInvalidValue);
    else if ((w = work_new(cudaGraphNodeTypeHost, error)) != NULL)
        w->host = *p;
    return w;
}

struct work *work_event(const char *function, enum cudaGraphNodeType type, cudaEvent_t event, cudaError_t *error) {
    struct work *w = NULL;
    if (!event)
        *error = state_return(cudaErrorInvalidValue);
    else if ((*error = event_check(function, event)) == cudaSuccess && (w = work_new(type, error)) != NULL)
        w->event = event;
    return w;
}

static int run_kernel(const struct kernel_work *w, const struct operation_order *order, cudaStream_t stream) {
    struct launch_config config = w->config;
    config.peers = device_peers(config.device);
    config.order = order;
    config.stream = stream;
    return grid_run(w->kernel, &config);
}

int work_run(const struct work *w, const struct operation_order *order, cudaStream_t stream) {
    struct copy_request r;
    switch (w->type) {
    case cudaGraphNodeTypeKernel:
        return run_kernel(w->kernel, order, stream);
    case cudaGraphNodeTypeMemcpy:
        r = w->copy.request;
        r.function = "a graph's memcpy node";
        return transfer_now(order, &r);
    case cudaGraphNodeTypeMemset:
        return run_fill(&w->fill, order);
    case cudaGraphNodeTypeHost:
        execution_call_host(w->host.fn, w->host.userData);
        return cudaSuccess;
    default:
        return cudaSuccess;
    }
}

/* ---- Replacing ---- */

static bool on_device(uint64_t address) {
    return transfer_home(address) == HOME_DEVICE;
}

/* Copies of one kind between the same kinds of memory; those of boxes keep their extent. */
static bool copies_alike(const struct copy_work *a, const struct copy_work *b) {
    const struct box *m = &a->request.box, *n = &b->request.box;
    bool boxes = m->height > 1 || m->depth > 1 || n->height > 1 || n->depth > 1;
    return a->given.kind == b->given.kind && !a->given.srcArray == !b->given.srcArray &&
           !a->given.dstArray == !b->given.dstArray &&
           on_device(a->request.from.address) == on_device(b->request.from.address) &&
           on_device(a->request.to.address) == on_device(b->request.to.address) &&
           (!boxes || (m->width == n->width && m->height == n->height && m->depth == n->depth));
}

static bool fills_alike(const struct cudaMemsetParams *a, const struct cudaMemsetParams *b) {
    if (a->height == 1 && b->height == 1)
        return true;
    return a->height == b->height && a->width == b->width && a->pitch == b->pitch && a->elementSize == b->elementSize;
}

bool work_may_replace(const struct work *old, const struct work *fresh) {
    if (old->type != fresh->type || old->device != fresh->device)
        return false;
    switch (old->type) {
    case cudaGraphNodeTypeKernel:
        return old->kernel->config.cooperative == fresh->kernel->config.cooperative;
    case cudaGraphNodeTypeMemcpy:
        return copies_alike(&old->copy, &fresh->copy);
    case cudaGraphNodeTypeMemset:
        return fills_alike(&old->fill, &fresh->fill);
    case cudaGraphNodeTypeMemAlloc:
        return old->allocation.dptr == fresh->allocation.dptr && old->allocation.bytesize == fresh->allocation.bytesize;
    case cudaGraphNodeTypeMemFree:
        return old->freed == fresh->freed;
    default:
        return true;
    }
}
