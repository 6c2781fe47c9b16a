/* cudaStreamSetAttribute and its relatives. These are hints to the cache, to the waiting host and to the scheduler;
 * they are checked and stored. */
#include "base/limits.h"
#include "api/stream.h"

static bool good_window(const struct cudaAccessPolicyWindow *w) {
    return w->num_bytes <= LIMIT_ACCESS_WINDOW && w->hitRatio >= 0 && w->hitRatio <= 1 &&
           (unsigned)w->hitProp <= cudaAccessPropertyPersisting && (unsigned)w->missProp <= cudaAccessPropertyStreaming;
}

static bool good_policy(enum cudaSynchronizationPolicy p) {
    return p == cudaSyncPolicyAuto || p == cudaSyncPolicySpin || p == cudaSyncPolicyYield ||
           p == cudaSyncPolicyBlockingSync;
}

/* False for an attribute that streams do not have, or a value that it cannot have. */
static bool set(struct stream *s, cudaLaunchAttributeID id, const cudaLaunchAttributeValue *v) {
    struct stream_attributes *a = queue_attributes(s);
    switch ((int)id) {
    case cudaLaunchAttributeAccessPolicyWindow:
        if (!good_window(&v->accessPolicyWindow))
            return false;
        a->window = v->accessPolicyWindow;
        return true;
    case cudaLaunchAttributeSynchronizationPolicy:
        if (!good_policy(v->syncPolicy))
            return false;
        a->policy = v->syncPolicy;
        return true;
    case cudaLaunchAttributePriority:
        queue_set_priority(s, stream_priority(v->priority));
        return true;
    case cudaLaunchAttributeMemSyncDomain:
        if ((unsigned)v->memSyncDomain > cudaLaunchMemSyncDomainRemote)
            return false;
        a->domain = v->memSyncDomain;
        return true;
    case cudaLaunchAttributeMemSyncDomainMap:
        if (v->memSyncDomainMap.default_ >= LIMIT_SYNC_DOMAINS || v->memSyncDomainMap.remote >= LIMIT_SYNC_DOMAINS)
            return false;
        a->domains = v->memSyncDomainMap;
        return true;
    default:
        return false;
    }
}

static bool get(struct stream *s, cudaLaunchAttributeID id, cudaLaunchAttributeValue *v) {
    const struct stream_attributes *a = queue_attributes(s);
    switch ((int)id) {
    case cudaLaunchAttributeAccessPolicyWindow:
        v->accessPolicyWindow = a->window;
        return true;
    case cudaLaunchAttributeSynchronizationPolicy:
        v->syncPolicy = a->policy;
        return true;
    case cudaLaunchAttributePriority:
        v->priority = queue_priority(s);
        return true;
    case cudaLaunchAttributeMemSyncDomain:
        v->memSyncDomain = a->domain;
        return true;
    case cudaLaunchAttributeMemSyncDomainMap:
        v->memSyncDomainMap = a->domains;
        return true;
    default:
        return false;
    }
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaLaunchAttributeID id,
                                   const cudaLaunchAttributeValue *value) {
    struct stream *s;
    cudaError_t error = stream_find(__func__, handle, &s);
    if (error != cudaSuccess)
        return error;
    return value && set(s, id, value) ? cudaSuccess : state_return(cudaErrorInvalidValue);
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaLaunchAttributeID id, cudaLaunchAttributeValue *value) {
    struct stream *s;
    cudaError_t error = stream_find(__func__, handle, &s);
    if (error != cudaSuccess)
        return error;
    return value && get(s, id, value) ? cudaSuccess : state_return(cudaErrorInvalidValue);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
    struct stream *t, *f;
    cudaError_t error = stream_find(__func__, to, &t);
    if (error == cudaSuccess)
        error = stream_find(__func__, from, &f);
    if (error != cudaSuccess)
        return error;
    *queue_attributes(t) = *queue_attributes(f);
    queue_set_priority(t, queue_priority(f));
    return cudaSuccess;
}
