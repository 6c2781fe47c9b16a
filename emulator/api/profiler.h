/* The header of the toolkit's that declares these is not in every installation. */
#ifndef API_PROFILER_H
#define API_PROFILER_H

#include "api/api.h"

EXPORT cudaError_t cudaProfilerStart(void);
EXPORT cudaError_t cudaProfilerStop(void);

#endif
