#include "driver/context.h"

#include <pthread.h>
#include <stdlib.h>

#include "api/device.h"
#include "base/out_of_memory.h"

struct belonging {
    void *thing;
    context_release release;
    struct belonging *next;
};

struct CUctx_st {
    int device;
    bool primary;
    unsigned flags;
    unsigned retained; /* of a primary one: how often it is retained */
    unsigned long long id;
    struct belonging *belongings;
    struct CUctx_st *next; /* in the list of the program's contexts */
};

#define KNOWN_FLAGS                                                                                                    \
    (CU_CTX_SCHED_MASK | CU_CTX_MAP_HOST | CU_CTX_LMEM_RESIZE_TO_MAX | 0xe0 /* newer: dumps, synchronous memory */)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards all below */
static struct CUctx_st primaries[MAX_DEVICES];
static struct CUctx_st *own;
static unsigned long long last_id;

static CUcontext primary_of(int device) {
    CUcontext c = &primaries[device];
    pthread_mutex_lock(&lock);
    c->device = device;
    c->primary = true;
    if (!c->id)
        c->id = ++last_id;
    pthread_mutex_unlock(&lock);
    return c;
}

static bool is_primary(CUcontext c) {
    return c >= primaries && c < primaries + MAX_DEVICES && c == &primaries[c - primaries] && c->id;
}

static CUcontext find_own(const void *c) {
    CUcontext found = own;
    while (found && found != c)
        found = found->next;
    return found;
}

bool context_exists(CUcontext c) {
    pthread_mutex_lock(&lock);
    bool exists = is_primary(c) || find_own(c);
    pthread_mutex_unlock(&lock);
    return exists;
}

int context_device(CUcontext c) {
    return context_exists(c) ? c->device : -1;
}

CUcontext context_of_device(int device) {
    return primary_of(device);
}

CUcontext context_current(void) {
    const struct current_context c = state_context();
    return !c.bound ? NULL : c.own ? (CUcontext)c.own : primary_of(c.device);
}

static void make_current(CUcontext c) {
    struct current_context now = {.device = c ? c->device : state_device(), .bound = c, .own = NULL};
    if (c && !c->primary)
        now.own = c;
    state_set_context(now);
}

struct current_context context_visit_device(int device) {
    const struct current_context before = state_context();
    state_set_context((struct current_context){.device = device, .bound = true});
    return before;
}

/* ---- belongings ---- */

void context_keep(void *thing, context_release release) {
    CUcontext c = context_current();
    if (!thing || !c || c->primary)
        return;
    struct belonging *b = zeroed(1, sizeof *b);
    pthread_mutex_lock(&lock);
    *b = (struct belonging){thing, release, c->belongings};
    c->belongings = b;
    pthread_mutex_unlock(&lock);
}

void context_drop(void *thing) {
    pthread_mutex_lock(&lock);
    for (CUcontext c = own; c; c = c->next)
        for (struct belonging **link = &c->belongings, *b; (b = *link); link = &b->next)
            if (b->thing == thing) {
                *link = b->next;
                free(b);
                pthread_mutex_unlock(&lock);
                return;
            }
    pthread_mutex_unlock(&lock);
}

/* ---- primary contexts ---- */

static cudaError_t retain(CUcontext *out, CUdevice device) {
    if (!out)
        return cudaErrorInvalidValue;
    if (!device_exists(device))
        return device_missing(NULL, device);
    *out = primary_of(device);
    pthread_mutex_lock(&lock);
    (*out)->retained++;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

static cudaError_t release(CUdevice device) {
    if (!device_exists(device))
        return device_missing(NULL, device);
    CUcontext c = primary_of(device);
    pthread_mutex_lock(&lock);
    bool held = c->retained;
    c->retained -= held;
    pthread_mutex_unlock(&lock);
    return held || state_primary_used(device) ? cudaSuccess : cudaErrorDeviceUninitialized;
}

static bool good_flags(unsigned flags) {
    unsigned way = flags & CU_CTX_SCHED_MASK;
    return !(flags & ~(unsigned)KNOWN_FLAGS) && !(way & (way - 1));
}

static cudaError_t set_primary_flags(CUdevice device, unsigned flags) {
    if (!device_exists(device))
        return device_missing(NULL, device);
    if (!good_flags(flags))
        return cudaErrorInvalidValue;
    CUcontext c = primary_of(device);
    pthread_mutex_lock(&lock);
    c->flags = flags;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

static cudaError_t primary_state(CUdevice device, unsigned *flags, int *active) {
    if (!flags || !active)
        return cudaErrorInvalidValue;
    if (!device_exists(device))
        return device_missing(NULL, device);
    CUcontext c = primary_of(device);
    pthread_mutex_lock(&lock);
    *flags = c->flags | CU_CTX_MAP_HOST;
    *active = c->retained || state_primary_used(device);
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

static cudaError_t reset_primary(CUdevice device) {
    if (!device_exists(device))
        return device_missing(NULL, device);
    const struct current_context before = context_visit_device(device);
    cudaError_t error = cudaDeviceReset();
    state_set_context(before);
    return error;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, retain(out, device));
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, release(device));
}
CUresult cuDevicePrimaryCtxSetFlags(CUdevice device, unsigned flags) {
    DRIVER_CALL(DRIVER_INITIALIZED, set_primary_flags(device, flags));
}
CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active) {
    DRIVER_CALL(DRIVER_INITIALIZED, primary_state(device, flags, active));
}
CUresult cuDevicePrimaryCtxReset(CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, reset_primary(device));
}

/* ---- the thread's stack of contexts: the current one lies on top ---- */

#define DEEPEST 64
static _Thread_local struct current_context below[DEEPEST];
static _Thread_local unsigned depth;

static cudaError_t push(CUcontext c) {
    if (!context_exists(c))
        return cudaErrorDeviceUninitialized;
    if (depth == DEEPEST)
        return cudaErrorMemoryAllocation;
    below[depth++] = state_context();
    make_current(c);
    return cudaSuccess;
}

static cudaError_t pop(CUcontext *out) {
    CUcontext top = context_current();
    if (!top)
        return cudaErrorDeviceUninitialized;
    if (out)
        *out = top;
    if (depth)
        state_set_context(below[--depth]);
    else
        make_current(NULL);
    return cudaSuccess;
}

static cudaError_t set_current(CUcontext c) {
    if (c && !context_exists(c))
        return cudaErrorDeviceUninitialized;
    if (c) {
        make_current(c);
        return cudaSuccess;
    }
    return context_current() ? pop(NULL) : cudaSuccess;
}

CUresult cuCtxPushCurrent(CUcontext c) {
    DRIVER_CALL(DRIVER_INITIALIZED, push(c));
}
CUresult cuCtxPopCurrent(CUcontext *out) {
    DRIVER_CALL(DRIVER_INITIALIZED, pop(out));
}
CUresult cuCtxSetCurrent(CUcontext c) {
    DRIVER_CALL(DRIVER_INITIALIZED, set_current(c));
}
CUresult cuCtxGetCurrent(CUcontext *out) {
    DRIVER_CALL(DRIVER_INITIALIZED, out ? (*out = context_current(), cudaSuccess) : cudaErrorInvalidValue);
}

/* ---- own contexts ---- */

static cudaError_t create(CUcontext *out, unsigned flags, CUdevice device) {
    if (!out || !good_flags(flags))
        return cudaErrorInvalidValue;
    if (!device_exists(device))
        return device_missing(NULL, device);
    if (depth == DEEPEST)
        return cudaErrorMemoryAllocation;
    CUcontext c = zeroed(1, sizeof *c);
    pthread_mutex_lock(&lock);
    *c = (struct CUctx_st){.device = device, .flags = flags, .id = ++last_id, .next = own};
    own = c;
    pthread_mutex_unlock(&lock);
    *out = c;
    return push(c);
}

static cudaError_t destroy(CUcontext c) {
    if (state_enter() == cudaErrorNotPermitted) /* a stream's callback would wait for itself */
        return cudaErrorNotPermitted;
    pthread_mutex_lock(&lock);
    CUcontext *link = &own;
    while (*link && *link != c)
        link = &(*link)->next;
    bool found = *link;
    if (found)
        *link = c->next;
    pthread_mutex_unlock(&lock);
    if (!found)
        return is_primary(c) ? cudaErrorInvalidValue : cudaErrorDeviceUninitialized;
    const struct current_context before = context_visit_device(c->device);
    cudaDeviceSynchronize();
    for (struct belonging *b = c->belongings, *next; b; b = next) {
        next = b->next;
        b->release(b->thing);
        free(b);
    }
    state_set_context(before);
    if (before.own == c)
        pop(NULL);
    free(c);
    return cudaSuccess;
}

EXPORT CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, create(out, flags, device));
}
/* SM affinities are for servers that share a GPU: they are not available here. */
EXPORT CUresult cuCtxCreate_v3(CUcontext *out, CUexecAffinityParam *affinities, int count, unsigned flags,
                               CUdevice device) {
    (void)affinities;
    DRIVER_CALL(DRIVER_INITIALIZED, count ? cudaErrorNotSupported : create(out, flags, device));
}
struct CUctxCreateParams_st; /* affinities, and more; headers before 12.5 do not have it */
EXPORT CUresult cuCtxCreate_v4(CUcontext *out, struct CUctxCreateParams_st *parameters, unsigned flags,
                               CUdevice device) {
    DRIVER_CALL(DRIVER_INITIALIZED, parameters ? cudaErrorNotSupported : create(out, flags, device));
}
CUresult cuCtxDestroy(CUcontext c) {
    DRIVER_CALL(DRIVER_INITIALIZED, destroy(c));
}

/* ---- queries and settings ---- */

static cudaError_t get_device(CUdevice *out, CUcontext c) {
    if (!out)
        return cudaErrorInvalidValue;
    int device = context_device(c);
    if (device < 0)
        return cudaErrorDeviceUninitialized;
    *out = device;
    return cudaSuccess;
}

static cudaError_t get_id(CUcontext c, unsigned long long *out) {
    CUcontext which = c ? c : context_current();
    if (!out)
        return cudaErrorInvalidValue;
    if (!which || !context_exists(which))
        return cudaErrorDeviceUninitialized;
    *out = which->id;
    return cudaSuccess;
}

static cudaError_t get_flags(unsigned *out) {
    if (!out)
        return cudaErrorInvalidValue;
    *out = context_current()->flags | CU_CTX_MAP_HOST;
    return cudaSuccess;
}

static cudaError_t set_flags(unsigned flags) {
    if (!good_flags(flags))
        return cudaErrorInvalidValue;
    context_current()->flags = flags;
    return cudaSuccess;
}

static cudaError_t api_version(CUcontext c, unsigned *out) {
    if (!out)
        return cudaErrorInvalidValue;
    if (c ? !context_exists(c) : !context_current())
        return cudaErrorDeviceUninitialized;
    *out = 3020; /* of the interface to contexts, which has not changed since */
    return cudaSuccess;
}

static cudaError_t synchronize(CUcontext c) {
    int device = context_device(c);
    if (device < 0)
        return cudaErrorDeviceUninitialized;
    const struct current_context before = context_visit_device(device);
    cudaError_t error = cudaDeviceSynchronize();
    state_set_context(before);
    return error;
}

CUresult cuCtxGetDevice(CUdevice *out) {
    CALL(get_device(out, context_current()));
}
EXPORT CUresult cuCtxGetDevice_v2(CUdevice *out, CUcontext c) {
    DRIVER_CALL(DRIVER_INITIALIZED, get_device(out, c ? c : context_current()));
}
CUresult cuCtxGetId(CUcontext c, unsigned long long *out) {
    DRIVER_CALL(DRIVER_INITIALIZED, get_id(c, out));
}
CUresult cuCtxGetFlags(unsigned *out) {
    CALL(get_flags(out));
}
EXPORT CUresult cuCtxSetFlags(unsigned flags) {
    CALL(set_flags(flags));
}
CUresult cuCtxGetApiVersion(CUcontext c, unsigned *out) {
    DRIVER_CALL(DRIVER_INITIALIZED, api_version(c, out));
}
CUresult cuCtxSynchronize(void) {
    CALL(cudaDeviceSynchronize());
}
EXPORT CUresult cuCtxSynchronize_v2(CUcontext c) {
    DRIVER_CALL(DRIVER_INITIALIZED, synchronize(c ? c : context_current()));
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    CALL(cudaDeviceSetLimit((enum cudaLimit)limit, value));
}
CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
    CALL(cudaDeviceGetLimit(value, (enum cudaLimit)limit));
}
CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
    CALL(cudaDeviceSetCacheConfig((enum cudaFuncCache)config));
}
CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
    CALL(cudaDeviceGetCacheConfig((enum cudaFuncCache *)config));
}
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    CALL(cudaDeviceGetStreamPriorityRange(least, greatest));
}
CUresult cuCtxResetPersistingL2Cache(void) {
    CALL(cudaCtxResetPersistingL2Cache());
}

/* ---- peers ---- */

static cudaError_t peer(CUcontext c, unsigned flags, bool enable) {
    int device = context_device(c);
    if (device < 0)
        return cudaErrorDeviceUninitialized;
    if (enable && c == context_current())
        return cudaErrorPeerAccessUnsupported; /* as on an H200 */
    return enable ? cudaDeviceEnablePeerAccess(device, flags) : cudaDeviceDisablePeerAccess(device);
}

CUresult cuCtxEnablePeerAccess(CUcontext c, unsigned flags) {
    CALL(peer(c, flags, true));
}
CUresult cuCtxDisablePeerAccess(CUcontext c) {
    CALL(peer(c, 0, false));
}
