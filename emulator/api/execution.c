/* Launching kernels and host functions. */
#include "api/api.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "api/capture.h"
#include "api/device.h"
#include "api/execution.h"
#include "api/graph_work.h"
#include "base/limits.h"
#include "api/queue.h"
#include "api/registration.h"
#include "base/checks.h"
#include "check/probes.h"
#include "check/report.h"
#include "machine/grid.h"
#include "profile/host_calls.h"
#include "profile/occupancy_limits.h"

/* ---- <<<grid, block, shared, stream>>> ---- */

struct call_configuration {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    /* nvcc's functions, which make the launch, may be inlined: this call is in the program's own line */
    struct host_callers callers;
};

/* Between Push and Pop the kernel's arguments are evaluated, which may launch kernels, too. */
#define MAX_NESTED 64
static _Thread_local struct call_configuration configurations[MAX_NESTED];
static _Thread_local unsigned nested;

EXPORT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, struct CUstream_st *stream) {
    if (nested == MAX_NESTED)
        return 1;
    configurations[nested++] = (struct call_configuration){grid, block, shared, stream, queue_find_callers()};
    return 0;
}

EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
    if (!nested)
        return state_return(cudaErrorMissingConfiguration);
    struct call_configuration c = configurations[--nested];
    *grid = c.grid;
    *block = c.block;
    *shared = c.shared;
    *(cudaStream_t *)stream = c.stream;
    queue_launched_by(&c.callers);
    return cudaSuccess;
}

/* ---- A launch as an operation of its stream ---- */

struct launch_operation {
    struct operation op;
    const struct kernel *kernel;
    struct launch_config config;
    _Alignas(16) unsigned char params[];
};

static int run_launch(struct operation *op, int fault) {
    (void)fault;
    struct launch_operation *l = (struct launch_operation *)op;
    l->config.order = &op->order;
    return grid_run(l->kernel, &l->config);
}

static void release_launch(struct operation *op) {
    free(op);
}

static struct launch_operation *make_launch(const struct kernel *k, const struct launch_config *config, void **args) {
    struct launch_operation *l = calloc(1, sizeof *l + k->param_bytes + 16);
    if (!l)
        return NULL;
    l->op = (struct operation){.run = run_launch, .release = release_launch, .kernel = k->name};
    l->kernel = k;
    l->config = *config;
    l->config.params = l->params;
    for (uint32_t i = 0; i < k->param_count; i++)
        memcpy(l->params + k->params[i].offset, args[i], k->params[i].size);
    return l;
}

/* ---- Checks ---- */

struct request {
    const char *function; /* of the API, for messages */
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    bool cooperative;
    dim3 cluster, preferred; /* blocks of a cluster; zeros: not given */
    cudaEvent_t events[2];   /* to be recorded when it is done */
    bool beside;             /* it may begin before the launch before it ends */
};

/* Toolkit 13 changed the answer. */
#if CUDART_VERSION >= 13000
#define SHAPE_ERROR cudaErrorInvalidValue
#else
#define SHAPE_ERROR cudaErrorInvalidConfiguration
#endif

static cudaError_t check_shape(const struct request *r) {
    dim3 g = r->grid, b = r->block;
    unsigned long long threads = (unsigned long long)b.x * b.y * b.z;
    if (!g.x || !g.y || !g.z)
        return state_refuse(r->function, SHAPE_ERROR, "The grid is %u x %u x %u blocks, which is empty.", g.x, g.y,
                            g.z);
    if (!threads)
        return state_refuse(r->function, SHAPE_ERROR, "The block is %u x %u x %u threads, which is empty.", b.x, b.y,
                            b.z);
    if (b.x > LIMIT_BLOCK_X || b.y > LIMIT_BLOCK_Y || b.z > LIMIT_BLOCK_Z || threads > LIMIT_BLOCK_THREADS)
        return state_refuse(r->function, SHAPE_ERROR,
                            "The block is %u x %u x %u = %llu threads; at most 1024 x 1024 x 64 and 1024 in all.", b.x,
                            b.y, b.z, threads);
    if (g.x > LIMIT_GRID_X || g.y > LIMIT_GRID_Y || g.z > LIMIT_GRID_Z)
        return state_refuse(r->function, SHAPE_ERROR,
                            "The grid is %u x %u x %u blocks; at most 2147483647 x 65535 x 65535.", g.x, g.y, g.z);
    return cudaSuccess;
}

static cudaError_t check_kernel(const struct request *r, const struct kernel *k) {
    unsigned threads = r->block.x * r->block.y * r->block.z;
    if (threads > k->max_threads)
        return state_refuse(r->function, cudaErrorInvalidValue,
                            "The block has %u threads, and the kernel's __launch_bounds__ allow %u.", threads,
                            k->max_threads);
    if (r->shared > k->max_dynamic_shared)
        return state_refuse(r->function, cudaErrorInvalidValue,
                            "%zu bytes of dynamic shared memory, and this kernel's limit is %u: raise it with "
                            "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes).",
                            r->shared, k->max_dynamic_shared);
    return cudaSuccess;
}

/* ptxas is run only when memcheck is on and the maximum that a thread may have would be too many. */
#define MOST_REGISTERS 256

static cudaError_t check_registers(const struct request *r, const struct kernel *k) {
    unsigned threads = r->block.x * r->block.y * r->block.z, registers;
    if (!check_is_on(CHECK_MEMORY) || threads * MOST_REGISTERS <= LIMIT_REGISTERS ||
        occupancy_has_registers(k->name, threads, &registers))
        return cudaSuccess;
    return state_refuse(r->function, cudaErrorLaunchOutOfResources,
                        "ptxas gives each of the block's %u threads %u registers, and an SM has %d: on a GPU this "
                        "launch fails. Use fewer threads per block, or declare the kernel with __launch_bounds__(%u).",
                        threads, registers, LIMIT_REGISTERS, threads);
}

static cudaError_t check_cooperative(const struct request *r, const void *function) {
    int per_sm = 0;
    unsigned long long blocks = (unsigned long long)r->grid.x * r->grid.y * r->grid.z;
    cudaError_t error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &per_sm, function, (int)(r->block.x * r->block.y * r->block.z), r->shared);
    if (error == cudaSuccess && blocks > (unsigned long long)per_sm * LIMIT_SMS)
        return state_refuse(
            r->function, cudaErrorCooperativeLaunchTooLarge,
            "All %llu blocks have to be resident at the same time, and the limit is %d on each of %d SMs.", blocks,
            per_sm, LIMIT_SMS);
    return error;
}

/* ---- Clusters ---- */

dim3 execution_kernel_cluster(const struct kernel *k) {
    const uint32_t *n = k->ptx->cluster[0] ? k->ptx->cluster : k->preferences.cluster;
    return (dim3){n[0], n[1], n[2]};
}

static uint64_t volume(dim3 n) {
    return (uint64_t)n.x * n.y * n.z;
}

static bool divides(dim3 small, dim3 large) {
    return volume(small) && large.x % small.x == 0 && large.y % small.y == 0 && large.z % small.z == 0;
}

static cudaError_t check_cluster_size(const char *call, const struct kernel *k, dim3 n) {
    unsigned most = k->preferences.large_clusters ? LIMIT_CLUSTER_LARGE : LIMIT_CLUSTER;
    if (volume(n) > most)
        return state_refuse(call, cudaErrorInvalidClusterSize,
                            "A cluster of %u x %u x %u blocks is too large: the limit for this kernel is %u. Up to %u "
                            "are possible on this device with cudaFuncAttributeNonPortableClusterSizeAllowed.",
                            n.x, n.y, n.z, most, LIMIT_CLUSTER_LARGE);
    if (k->ptx->max_cluster && volume(n) > k->ptx->max_cluster)
        return state_refuse(call, cudaErrorInvalidClusterSize,
                            "The cluster has %u x %u x %u blocks, and the kernel's __launch_bounds__ allow %u.", n.x,
                            n.y, n.z, k->ptx->max_cluster);
    return cudaSuccess;
}

cudaError_t execution_cluster(const char *call, const struct kernel *k, dim3 cluster, struct launch_config *config) {
    dim3 own = execution_kernel_cluster(k), n = cluster.x ? cluster : own;
    const dim3 grid = {config->grid[0], config->grid[1], config->grid[2]};
    bool differs = cluster.x && own.x && (cluster.x != own.x || cluster.y != own.y || cluster.z != own.z);
    cudaError_t error = n.x ? check_cluster_size(call, k, n) : cudaSuccess;
    if (error != cudaSuccess)
        return error;
    if (differs)
        return state_refuse(
            call, cudaErrorInvalidClusterSize,
            "The launch specifies clusters of %u x %u x %u blocks, and the kernel was compiled for %u x %u x %u.",
            cluster.x, cluster.y, cluster.z, own.x, own.y, own.z);
    if (n.x && !divides(n, grid))
        return state_refuse(call, cudaErrorInvalidClusterSize,
                            "A grid of %u x %u x %u blocks cannot be divided into clusters of %u x %u x %u.", grid.x,
                            grid.y, grid.z, n.x, n.y, n.z);
    config->clusters = n.x != 0;
    for (int i = 0; i < 3; i++)
        config->cluster[i] = i == 0 ? n.x : i == 1 ? n.y : n.z;
    return cudaSuccess;
}

cudaError_t execution_check(const char *call, const void *function, const struct launch_shape *shape,
                            const struct kernel **kernel, struct launch_config *config) {
    const struct request r = {.function = call,
                              .grid = shape->grid,
                              .block = shape->block,
                              .shared = shape->shared,
                              .cooperative = shape->cooperative};
    struct entry *entry = registration_entry(function);
    if (!entry) /* CUDA takes an unknown address for a kernel's handle */
        return state_refuse(call, function ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction,
                            "That is not a __global__ function.");
    cudaError_t error = check_shape(&r);
    if (error != cudaSuccess)
        return error;
    struct kernel *k = registration_kernel(entry, state_device(), &error);
    if (!k)
        return state_return(error);
    if (!kernel_prepare(k)) { /* precedes the checks that need a kernel that can run */
        report_launch(k->name, FINDING_UNSUPPORTED, "The emulator cannot run this kernel", k->error);
        return state_return(cudaErrorNotSupported);
    }
    if ((error = check_kernel(&r, k)) != cudaSuccess || (error = check_registers(&r, k)) != cudaSuccess)
        return error;
    if (r.cooperative && (error = check_cooperative(&r, function)) != cudaSuccess)
        return error;
    *kernel = k;
    *config = (struct launch_config){.grid = {r.grid.x, r.grid.y, r.grid.z},
                                     .block = {r.block.x, r.block.y, r.block.z},
                                     .dynamic_shared = (uint32_t)r.shared,
                                     .cooperative = r.cooperative,
                                     .stack = (uint32_t)device_stack_limit(),
                                     .device = state_device(),
                                     .peers = device_peers(state_device())};
    return execution_cluster(call, k, shape->cluster, config);
}

/* A launch into a stream that is captured becomes a node. A wrong one invalidates the capture. */
static cudaError_t capture_launch(struct stream *s, const void *function, const struct request *r, void **args) {
    const cudaLaunchAttributeValue size = {.clusterDim = {r->cluster.x, r->cluster.y, r->cluster.z}};
    cudaError_t error;
    const struct cudaKernelNodeParams p = {.func = (void *)(uintptr_t)registration_stub(function),
                                           .gridDim = r->grid,
                                           .blockDim = r->block,
                                           .sharedMemBytes = (unsigned)r->shared,
                                           .kernelParams = args};
    struct work *w = work_kernel(r->function, &p, r->cooperative, &error), *plain = w;
    if (w && r->cluster.x) {
        w = work_with_attribute(plain, cudaLaunchAttributeClusterDimension, &size, &error);
        work_release(plain);
    }
    if (w)
        return capture_work(s, w);
    capture_invalidate(s);
    return error;
}

static cudaError_t launch(const void *function, const struct request *r, void **args) {
    ENTER();
    if (!registration_entry(function))
        return state_refuse(r->function, function ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction,
                            "That is not a __global__ function.");
    struct stream *stream = queue_find(r->stream);
    if (!stream)
        return state_refuse(r->function, cudaErrorInvalidResourceHandle, "There is no such stream (destroyed?).");
    bool captured;
    cudaError_t error = capture_check(r->function, stream, &captured);
    if (error != cudaSuccess || captured)
        return error != cudaSuccess ? error : capture_launch(stream, function, r, args);
    const struct launch_shape shape = {r->grid, r->block, r->shared, r->cooperative, r->cluster};
    const struct kernel *k;
    struct launch_config config;
    const struct current_context current = state_context();
    state_set_context((struct current_context){.device = queue_device(stream), .bound = true}); /* the stream's */
    error = execution_check(r->function, function, &shape, &k, &config);
    state_set_context(current);
    if (error != cudaSuccess)
        return error;
    config.stream = r->stream;
    struct launch_operation *l = make_launch(k, &config, args);
    if (!l)
        return state_return(cudaErrorMemoryAllocation);
    l->op.beside = r->beside;
    l->op.lets_begin = check_is_on(CHECK_RACE) && probes_of(l->kernel)->lets_begin;
    host_calls_note(HOST_LAUNCH, k->name);
    queue_submit(stream, &l->op);
    return cudaSuccess;
}

/* ---- The public calls ---- */

cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                             cudaStream_t stream) {
    const struct request r = {
        .function = "cudaLaunchKernel", .grid = grid, .block = block, .shared = shared, .stream = stream};
    return launch(function, &r, args);
}

/* The form that nvcc 13 writes for <<< >>>: by the handle of __cudaGetKernel. */
EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                      cudaStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *function) {
    *kernel = (cudaKernel_t)(void *)registration_entry(function);
    return *kernel ? cudaSuccess : state_return(cudaErrorInvalidDeviceFunction);
}

cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *function) {
    return kernel ? __cudaGetKernel(kernel, function) : state_return(cudaErrorInvalidValue);
}

cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream) {
    const struct request r = {.function = "cudaLaunchCooperativeKernel",
                              .grid = grid,
                              .block = block,
                              .shared = shared,
                              .stream = stream,
                              .cooperative = true};
    return launch(function, &r, args);
}

/* Both sizes divide the grid, and the regular size divides the preferred one, as CUDA's manual requires. Here the
 * regular clusters are made, as a GPU may do, which uses the preferred ones where there is room. */
static cudaError_t check_preferred(const struct request *r) {
    if (!r->preferred.x || !r->cluster.x || (divides(r->cluster, r->preferred) && divides(r->preferred, r->grid)))
        return cudaSuccess;
    return state_refuse(
        r->function, cudaErrorInvalidClusterSize,
        "Preferred clusters of %u x %u x %u blocks have to be multiples of the regular ones and divide the grid.",
        r->preferred.x, r->preferred.y, r->preferred.z);
}

static cudaError_t take_cluster(const struct request *r, const cudaLaunchAttributeValue *value, dim3 *to) {
    *to = (dim3){value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
    if (volume(*to))
        return cudaSuccess;
    return state_refuse(r->function, cudaErrorInvalidClusterSize, "Clusters of %u x %u x %u blocks are empty.", to->x,
                        to->y, to->z);
}

/* Attributes whose effect a kernel can notice must be honoured or refused; hints may be ignored. An event that a GPU
 * may record while the kernel still runs is recorded when it is done, which is always correct, only later. */
static cudaError_t apply_attribute(const cudaLaunchAttribute *a, struct request *r) {
    switch ((int)a->id) {
    case cudaLaunchAttributeCooperative:
        r->cooperative = a->val.cooperative != 0;
        return cudaSuccess;
    case cudaLaunchAttributeClusterDimension:
        return take_cluster(r, &a->val, &r->cluster);
    case 11: /* cudaLaunchAttributePreferredClusterDimension; headers before 12.8 do not name it */
        return take_cluster(r, &a->val, &r->preferred);
    case cudaLaunchAttributeProgrammaticEvent:
        r->events[0] = a->val.programmaticEvent.event;
        return cudaSuccess;
    case 12:                                           /* cudaLaunchAttributeLaunchCompletionEvent */
        r->events[1] = a->val.programmaticEvent.event; /* the same layout; headers before 12.3 do not name it */
        return cudaSuccess;
    case cudaLaunchAttributeProgrammaticStreamSerialization: /* it begins later all the same; racecheck takes note */
        r->beside = a->val.programmaticStreamSerializationAllowed != 0;
        return cudaSuccess;
    case cudaLaunchAttributeIgnore:
    case cudaLaunchAttributeAccessPolicyWindow:
    case cudaLaunchAttributeSynchronizationPolicy:
    case cudaLaunchAttributeClusterSchedulingPolicyPreference:
    case cudaLaunchAttributePriority:
    case cudaLaunchAttributeMemSyncDomainMap:
    case cudaLaunchAttributeMemSyncDomain:
    case 14: /* cudaLaunchAttributePreferredSharedMemoryCarveout */
    case 16: /* cudaLaunchAttributeNvlinkUtilCentricScheduling */
        return cudaSuccess;
    case 13: /* cudaLaunchAttributeDeviceUpdatableKernelNode */
        return state_refuse(r->function, cudaErrorNotSupported, "Device-updatable kernel nodes are not emulated.");
    default:
        return state_refuse(r->function, cudaErrorInvalidValue, "There is no launch attribute %d.", (int)a->id);
    }
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *function, void **args) {
    if (!config || (config->numAttrs && !config->attrs))
        return state_return(cudaErrorInvalidValue);
    struct request r = {.function = "cudaLaunchKernelExC",
                        .grid = config->gridDim,
                        .block = config->blockDim,
                        .shared = config->dynamicSmemBytes,
                        .stream = config->stream};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        cudaError_t error = apply_attribute(&config->attrs[i], &r);
        if (error != cudaSuccess)
            return error;
    }
    cudaError_t error = check_preferred(&r);
    error = error == cudaSuccess ? launch(function, &r, args) : error;
    for (unsigned i = 0; i < 2 && error == cudaSuccess; i++)
        if (r.events[i])
            error = cudaEventRecord(r.events[i], config->stream);
    return error;
}

/* ---- Host functions ---- */

struct host_operation {
    struct operation op;
    cudaHostFn_t function;
    cudaStreamCallback_t callback; /* the older form, which receives errors */
    cudaStream_t stream;
    void *data;
};

void execution_call_host(cudaHostFn_t function, void *data) {
    state_set_in_callback(true);
    function(data);
    state_set_in_callback(false);
}

static int run_host(struct operation *op, int fault) {
    struct host_operation *h = (struct host_operation *)op;
    if (h->callback) {
        state_set_in_callback(true);
        h->callback(h->stream, (cudaError_t)fault, h->data);
        state_set_in_callback(false);
    } else if (!fault) {
        execution_call_host(h->function, h->data);
    }
    return fault;
}

static void release_host(struct operation *op) {
    free(op);
}

static cudaError_t capture_host(struct stream *s, cudaHostFn_t function, void *data) {
    const struct cudaHostNodeParams p = {.fn = function, .userData = data};
    cudaError_t error;
    struct work *w = work_host(&p, &error);
    return w ? capture_work(s, w) : error;
}

static cudaError_t submit_host(const char *call, cudaStream_t handle, cudaHostFn_t function,
                               cudaStreamCallback_t callback, void *data) {
    ENTER();
    struct stream *s = queue_find(handle);
    if (!s)
        return state_return(cudaErrorInvalidResourceHandle);
    if (!function && !callback)
        return state_return(cudaErrorInvalidValue);
    bool captured = false;
    cudaError_t error = callback ? capture_refuse(call, s) : capture_check(call, s, &captured);
    if (error != cudaSuccess || captured)
        return error != cudaSuccess ? error : capture_host(s, function, data);
    struct host_operation *h = calloc(1, sizeof *h);
    if (!h)
        return state_return(cudaErrorMemoryAllocation);
    *h = (struct host_operation){.op = {.run = run_host, .release = release_host, .always = true},
                                 .function = function,
                                 .callback = callback,
                                 .stream = handle,
                                 .data = data};
    queue_submit(s, &h->op);
    return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
    return submit_host(__func__, stream, function, NULL, data);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void *data, unsigned flags) {
    return flags ? state_return(cudaErrorInvalidValue) : submit_host(__func__, stream, NULL, callback, data);
}
