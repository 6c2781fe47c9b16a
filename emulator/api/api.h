/* The CUDA runtime's own declarations, which our definitions must match, exported from this library. */
#ifndef API_H
#define API_H

#pragma GCC visibility push(default)
#include <cuda_runtime_api.h>
#pragma GCC visibility pop
#include "api/newer.h"

#define EXPORT __attribute__((visibility("default")))

#include "api/state.h"

#endif
