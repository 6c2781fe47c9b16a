/* The action of a graph's node. A work never changes once it is made, so a graph, its instances and its launches share
 * it by counting references: setting other parameters on a node gives it another work. */
#ifndef GRAPH_WORK_H
#define GRAPH_WORK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "api/execution.h"
#include "api/transfer.h"

#define WORK_ATTRIBUTES 17 /* launch attributes have numbers below this */

struct kernel_work {
    struct cudaKernelNodeParams given; /* the arguments are copies that the work owns */
    const struct kernel *kernel;
    struct launch_config config;
    bool packed; /* the arguments were given in one piece */
    void *extra[5];
    size_t packed_bytes;
    cudaLaunchAttributeValue attributes[WORK_ATTRIBUTES];
};

struct copy_work {
    struct cudaMemcpy3DParms given;
    struct copy_request request;
};

struct condition_work {
    cudaGraphConditionalHandle handle;
    enum cudaGraphConditionalNodeType type;
    unsigned size;
};

struct work {
    _Atomic int references;
    enum cudaGraphNodeType type;
    int device;
    union {
        struct kernel_work *kernel;
        struct copy_work copy;
        struct cudaMemsetParams fill;
        struct cudaHostNodeParams host;
        cudaEvent_t event;
        struct cudaMemAllocNodeParams allocation;
        void *freed;
        struct condition_work condition;
    };
};

/* Each checks its arguments, for a call named in messages, and makes a work with one reference. On failure *error is
 * the code to return, which state_return has seen. */
struct work *work_kernel(const char *function, const struct cudaKernelNodeParams *p, bool cooperative,
                         cudaError_t *error);
struct work *work_copy(const char *function, const struct cudaMemcpy3DParms *p, cudaError_t *error);
struct work *work_copy_request(const struct copy_request *r, cudaError_t *error);
struct work *work_fill(const char *function, const struct cudaMemsetParams *p, cudaError_t *error);
struct work *work_host(const struct cudaHostNodeParams *p, cudaError_t *error);
struct work *work_event(const char *function, enum cudaGraphNodeType type, cudaEvent_t event, cudaError_t *error);
struct work *work_plain(enum cudaGraphNodeType type, cudaError_t *error); /* an empty work of that type */
bool work_has_attribute(unsigned id);                                     /* can a kernel node have it? */
/* A copy of a kernel's work with one more attribute, or with the attributes of another work. */
struct work *work_with_attribute(const struct work *w, unsigned id, const cudaLaunchAttributeValue *value,
                                 cudaError_t *error);
struct work *work_with_attributes_of(const struct work *w, const struct work *source, cudaError_t *error);

struct work *work_keep(struct work *w);
void work_release(struct work *w);

/* Does it on the calling thread, at a place in the order of operations: kernels, copies, fills and host functions. A
 * cudaError_t other than 0 is a fault of the device. */
struct operation_order;
int work_run(const struct work *w, const struct operation_order *order, cudaStream_t stream);

/* May an executable graph's node that does `old` do `fresh` instead? */
bool work_may_replace(const struct work *old, const struct work *fresh);

#endif
