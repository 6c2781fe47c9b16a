/* silu.h - what the files of this small project know of one another. */
#ifndef SILU_H
#define SILU_H

/* device.cu has it; kernels.cu calls it, across files. */
#ifdef __CUDACC__
__device__ float silu(float x);
#endif

/* kernels.cu has it; main.cpp calls it, and is compiled by the C++ compiler alone. y[i] = silu(x[i]), on the device and back. */
bool silu_all(const float *x, float *y, int n);

#endif
