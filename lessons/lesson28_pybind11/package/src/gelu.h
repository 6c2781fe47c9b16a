/* gelu.h - the interface of the kernels: plain types, a return code, nothing that is owned (lesson 27). */
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

/* Arrays on the device, n floats each. They queue work in the stream, and return what CUDA says of that. */
cudaError_t gelu_forward(const float *x, float *y, size_t n, cudaStream_t stream);
cudaError_t gelu_backward(const float *x, const float *dy, float *dx, size_t n, cudaStream_t stream);
