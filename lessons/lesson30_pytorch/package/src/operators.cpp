/* operators.cpp - GELU as operators of PyTorch: what they are called, what they take, and which function computes them for tensors of the CPU
 * and of CUDA. No Python in it: the file that is built is loaded by any of them. */
#include "gelu.h"
#include <ATen/Dispatch.h>
#include <ATen/ops/empty.h>
#include <torch/library.h>
#ifdef WITH_TORCH_CUDA // setup.py says so where PyTorch has been built with CUDA
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#endif

static void check(cudaError_t code) {
    TORCH_CHECK(code == cudaSuccess, cudaGetErrorName(code), ": ", cudaGetErrorString(code));
}

/* PyTorch's name of a type, and CUDA's: the bits are the same. */
template <typename T> struct InCuda { using type = T; };
template <> struct InCuda<at::Half> { using type = __half; };
template <> struct InCuda<at::BFloat16> { using type = __nv_bfloat16; };

/* Bytes on the device, freed with this object. */
struct Memory {
    explicit Memory(size_t bytes) : bytes(bytes) { check(cudaMalloc(&address, bytes ? bytes : 1)); }
    ~Memory() { cudaFree(address); }
    Memory(const Memory &) = delete;
    void fill(const void *from) const { check(cudaMemcpy(address, from, bytes, cudaMemcpyHostToDevice)); }
    void read(void *to) const { check(cudaMemcpy(to, address, bytes, cudaMemcpyDeviceToHost)); }
    size_t bytes;
    void *address = nullptr;
};

static void require_same(const at::Tensor &x, const at::Tensor &dy) {
    TORCH_CHECK_VALUE(dy.sizes() == x.sizes(), "dy has the shape ", dy.sizes(), ", and x ", x.sizes());
    TORCH_CHECK_TYPE(dy.scalar_type() == x.scalar_type(), "dy is ", dy.scalar_type(), ", and x ", x.scalar_type());
    TORCH_CHECK_VALUE(dy.device() == x.device(), "dy is on ", dy.device(), ", and x on ", x.device());
}

/* Elements one behind the other, whatever the layout of x. The fake kernels in Python promise the same. */
static at::Tensor result_like(const at::Tensor &x) {
    return at::empty(x.sizes(), x.options());
}

// ---------------------------------------------------------------- tensors of the CPU: there and back

static at::Tensor forward_cpu(const at::Tensor &given) {
    at::Tensor x = given.contiguous(), y = result_like(x);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "gelu", [&] {
        using T = typename InCuda<scalar_t>::type;
        Memory x_there(x.nbytes()), y_there(x.nbytes());
        x_there.fill(x.const_data_ptr());
        check(gelu_forward((const T *)x_there.address, (T *)y_there.address, x.numel(), nullptr));
        y_there.read(y.mutable_data_ptr());
    });
    return y;
}

static at::Tensor backward_cpu(const at::Tensor &given, const at::Tensor &given_dy) {
    require_same(given, given_dy);
    at::Tensor x = given.contiguous(), dy = given_dy.contiguous(), dx = result_like(x);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "gelu_backward", [&] {
        using T = typename InCuda<scalar_t>::type;
        Memory x_there(x.nbytes()), dy_there(x.nbytes()), dx_there(x.nbytes());
        x_there.fill(x.const_data_ptr());
        dy_there.fill(dy.const_data_ptr());
        check(gelu_backward((const T *)x_there.address, (const T *)dy_there.address, (T *)dx_there.address, x.numel(),
                            nullptr));
        dx_there.read(dx.mutable_data_ptr());
    });
    return dx;
}

// ---------------------------------------------------------------- tensors of CUDA: where they lie, in PyTorch's stream

#ifdef WITH_TORCH_CUDA
static at::Tensor forward_cuda(const at::Tensor &given) {
    c10::cuda::CUDAGuard guard(given.device()); // makes x's GPU the current one, until the function ends
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    at::Tensor x = given.contiguous(), y = result_like(x);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "gelu", [&] {
        using T = typename InCuda<scalar_t>::type;
        check(gelu_forward((const T *)x.const_data_ptr(), (T *)y.mutable_data_ptr(), x.numel(), stream));
    });
    return y;
}

static at::Tensor backward_cuda(const at::Tensor &given, const at::Tensor &given_dy) {
    require_same(given, given_dy);
    c10::cuda::CUDAGuard guard(given.device());
    cudaStream_t stream = c10::cuda::getCurrentCUDAStream();
    at::Tensor x = given.contiguous(), dy = given_dy.contiguous(), dx = result_like(x);
    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "gelu_backward", [&] {
        using T = typename InCuda<scalar_t>::type;
        check(gelu_backward((const T *)x.const_data_ptr(), (const T *)dy.const_data_ptr(), (T *)dx.mutable_data_ptr(),
                            x.numel(), stream));
    });
    return dx;
}

TORCH_LIBRARY_IMPL(gelu_torch, CUDA, m) {
    m.impl("forward", forward_cuda);
    m.impl("backward", backward_cuda);
}
#endif

// ---------------------------------------------------------------- names and schemas

TORCH_LIBRARY(gelu_torch, m) {
    m.def("forward(Tensor x) -> Tensor");
    m.def("backward(Tensor x, Tensor dy) -> Tensor");
    m.def("nothing(Tensor x) -> ()"); // for the time of a call
}

TORCH_LIBRARY_IMPL(gelu_torch, CPU, m) {
    m.impl("forward", forward_cpu);
    m.impl("backward", backward_cpu);
}

TORCH_LIBRARY_IMPL(gelu_torch, CompositeExplicitAutograd, m) {
    m.impl("nothing", [](const at::Tensor &) {});
}
