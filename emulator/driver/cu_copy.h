/* The parameters of a copy, the driver's and the runtime's. */
#ifndef DRIVER_CU_COPY_H
#define DRIVER_CU_COPY_H

#include "driver/driver.h"

/* The runtime's form of CUDA_MEMCPY3D. Its kind specifies which side is the host's; it is cudaMemcpyDefault where a
 * side is unified. */
cudaError_t copy_parameters(const CUDA_MEMCPY3D *c, struct cudaMemcpy3DParms *p);

#endif
