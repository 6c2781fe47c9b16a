/* owner.h - CUDA's errors as exceptions of C++, and memory on the device that is freed with its object. It knows nothing of Python: the
 * bindings of lessons 28 and 29 share it. */
#pragma once

#include <atomic>
#include <cuda_runtime_api.h>
#include <stdexcept>
#include <string>

class CudaError : public std::runtime_error {
  public:
    explicit CudaError(cudaError_t code)
        : std::runtime_error(std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code)), code(code) {}
    cudaError_t code;
};

inline void check(cudaError_t code) {
    if (code != cudaSuccess) {
        throw CudaError(code);
    }
}

inline std::atomic<size_t> bytes_held;

/* n floats on the device, which are freed with the last object that shares them. */
class Memory {
  public:
    explicit Memory(size_t n) : n(n) {
        check(cudaMalloc((void **)&data, n ? n * sizeof(float) : 1));
        bytes_held += n * sizeof(float);
    }
    ~Memory() {
        cudaFree(data);
        bytes_held -= n * sizeof(float);
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    float *data = nullptr;
    const size_t n;
};
