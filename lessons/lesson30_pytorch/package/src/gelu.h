/* gelu.h - the interface of the kernels: arrays on the device, a stream, and what CUDA says (lesson 27). T is float, double, __half or
 * __nv_bfloat16. nvcc compiles gelu.cu with it, the C++ compiler operators.cpp; there is nothing of PyTorch in it. */
#pragma once

#include <cstddef>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

template <typename T> cudaError_t gelu_forward(const T *x, T *y, size_t n, cudaStream_t stream);
template <typename T> cudaError_t gelu_backward(const T *x, const T *dy, T *dx, size_t n, cudaStream_t stream);
