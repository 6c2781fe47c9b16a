// expect: api_error
// says: it uses more memory with each call
/* A row of memory for each call, which nobody frees. */
#define BEFORE                                                                                                         \
    void *row;                                                                                                         \
    CUDA_CHECK(cudaMallocAsync(&row, out_pitch, stream));
#include "resize.h"
