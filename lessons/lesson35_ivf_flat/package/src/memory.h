/* memory.h - device memory that is owned, and CUDA's errors as exceptions (lesson 28). */
#pragma once

#include <atomic>
#include <cstddef>
#include <cuda_runtime_api.h>
#include <stdexcept>
#include <string>
#include <utility>

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

inline std::atomic<size_t> bytes_held{0};

/* n elements on the device. It can be moved, and not copied. */
template <class Type> class Memory {
  public:
    Memory() = default;
    explicit Memory(size_t n) : n(n) {
        check(cudaMalloc((void **)&data, n ? n * sizeof(Type) : 1));
        bytes_held += n * sizeof(Type);
    }
    ~Memory() {
        if (data) {
            cudaFree(data);
            bytes_held -= n * sizeof(Type);
        }
    }
    Memory(Memory &&other) noexcept : data(std::exchange(other.data, nullptr)), n(std::exchange(other.n, 0)) {}
    Memory &operator=(Memory &&other) noexcept {
        std::swap(data, other.data);
        std::swap(n, other.n);
        return *this;
    }
    /* Room for so many; what was in it is lost when it grows. */
    Type *reserve(size_t wanted) {
        if (wanted > n || !data) {
            *this = Memory(); // first give back, then take
            *this = Memory(wanted);
        }
        return data;
    }
    void fill(int byte) { check(cudaMemsetAsync(data, byte, n * sizeof(Type))); }
    void from_host(const Type *from, size_t count) {
        check(cudaMemcpy(reserve(count), from, count * sizeof(Type), cudaMemcpyHostToDevice));
    }
    void to_host(Type *to, size_t count) const {
        check(cudaMemcpy(to, data, count * sizeof(Type), cudaMemcpyDeviceToHost));
    }
    Type *data = nullptr;
    size_t n = 0;
};
