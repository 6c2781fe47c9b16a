/* Checking a launch and running it, for callers that do not launch it at once. */
#ifndef EXECUTION_H
#define EXECUTION_H

#include "api/api.h"
#include "machine/grid.h"

struct launch_shape {
    dim3 grid, block;
    size_t shared;
    bool cooperative;
    dim3 cluster; /* blocks of a cluster; zeros: the launch names none */
};

/* Checks a launch on the calling thread's device, for a call named in messages; finds the kernel, ready to run, and
 * fills config except for its parameters. */
cudaError_t execution_check(const char *call, const void *function, const struct launch_shape *shape,
                            const struct kernel **kernel, struct launch_config *config);

/* Sets the cluster size of a launch that has been checked: the one that it names, or else the one that the kernel
 * requests (zeros: neither). */
cudaError_t execution_cluster(const char *call, const struct kernel *k, dim3 cluster, struct launch_config *config);
/* The size that the kernel was compiled for, or that has been set for it; zeros: none. */
dim3 execution_kernel_cluster(const struct kernel *k);

/* Calls a function of the program as a stream does: that function may not call CUDA. */
void execution_call_host(cudaHostFn_t function, void *data);

#endif
