/* gelu_torch.cpp - the module gelu_torch: GELU of PyTorch's tensors, which come as at::Tensor. */
#include "gelu.h"
#include <ATen/ops/empty_like.h>
#include <torch/csrc/utils/pybind.h> // declares the caster of at::Tensor; libtorch_python.so has it

static void check(cudaError_t code) {
    TORCH_CHECK(code == cudaSuccess, cudaGetErrorName(code), ": ", cudaGetErrorString(code));
}

/* Floats on the device, freed with this object. */
struct Memory {
    explicit Memory(size_t n) { check(cudaMalloc((void **)&data, n ? n * sizeof(float) : 1)); }
    ~Memory() { cudaFree(data); }
    Memory(const Memory &) = delete;
    float *data = nullptr;
};

/* A tensor on a CUDA device is taken where it lies, and the work is queued in PyTorch's stream. One in CPU memory goes through the device. */
static at::Tensor forward(const at::Tensor &x, uintptr_t stream) {
    TORCH_CHECK_VALUE(x.scalar_type() == at::kFloat && x.is_contiguous(), "a contiguous tensor of float32 is needed");
    at::Tensor y = at::empty_like(x);
    size_t n = x.numel();
    if (x.is_cuda()) {
        check(gelu_forward(x.const_data_ptr<float>(), y.mutable_data_ptr<float>(), n, (cudaStream_t)stream));
        return y;
    }
    Memory x_there(n), y_there(n);
    check(cudaMemcpy(x_there.data, x.const_data_ptr<float>(), n * sizeof(float), cudaMemcpyHostToDevice));
    check(gelu_forward(x_there.data, y_there.data, n, nullptr));
    check(cudaMemcpy(y.mutable_data_ptr<float>(), y_there.data, n * sizeof(float), cudaMemcpyDeviceToHost));
    return y;
}

PYBIND11_MODULE(gelu_torch, m) {
    m.def("forward", &forward, py::arg("x"), py::arg("stream") = 0, py::call_guard<py::gil_scoped_release>());
}
