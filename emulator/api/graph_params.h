/* Converts the node parameters of programs to works, and back. */
#ifndef GRAPH_PARAMS_H
#define GRAPH_PARAMS_H

#include "api/graph_work.h"

/* A copy in one dimension, and copies to and from variables. On failure *error is the code to return. */
struct work *params_copy_1d(const char *function, void *to, const void *from, size_t count, enum cudaMemcpyKind kind,
                            cudaError_t *error);
struct work *params_copy_to_symbol(const char *function, const void *symbol, const void *from, size_t count,
                                   size_t offset, enum cudaMemcpyKind kind, cudaError_t *error);
struct work *params_copy_from_symbol(const char *function, void *to, const void *symbol, size_t count, size_t offset,
                                     enum cudaMemcpyKind kind, cudaError_t *error);
/* Any node whose parameters can be set: kernels, copies, fills, host functions and events. */
struct work *params_any(const char *function, const struct cudaGraphNodeParams *p, cudaError_t *error);

#endif
