/* The resource that a texture or a surface reads, the driver's form and the runtime's, for a call named in messages. */
#ifndef DRIVER_CU_RESOURCE_H
#define DRIVER_CU_RESOURCE_H

#include "driver/driver.h"

cudaError_t resource_parameters(const char *function, const CUDA_RESOURCE_DESC *r, struct cudaResourceDesc *out);
CUDA_RESOURCE_DESC resource_answer(const struct cudaResourceDesc *r);

#endif
