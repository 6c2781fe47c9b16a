/* Functions of NVIDIA's device runtime (libcudadevrt), which kernels call and no PTX defines: those with which the
 * blocks of a cooperative grid wait for one another, as cuda_device_runtime_api.h declares them. C++ brings its own;
 * Numba calls these. */
#ifndef DEVICE_RUNTIME_H
#define DEVICE_RUNTIME_H

#include "ptx/ptx.h"

/* A module that defines them, where one of those that are linked needs them; NULL otherwise. */
struct ptx_module *device_runtime(const struct ptx_module *first);

#endif
