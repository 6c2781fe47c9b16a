/* The kernel with the sizes of -DP_BM=128 and so on: tune.sh. */
#include "kernel.cuh"
template __global__ void gemm<P_BM, P_BN, P_BK, P_WM, P_WN, P_TM, P_TN, P_ST, P_MINB>(int, int, int, float,
                                                                                      const float *, const float *,
                                                                                      float, float *);
