"""Lesson 30: operators of PyTorch. GELU and its derivative, with a gradient, for torch.compile, in four types.

    make lesson30 run                 builds the package, runs every step, verified against the CPU
    make lesson30 run V=3             that step alone; SEED= as everywhere
    make lesson30 run SIZE=1000       what has to do with a size, step 6, of that one

Each step has one idea:

    function1       a function that calls a library: right, and PyTorch knows nothing about it
    operator2       torch.library.custom_op: a name, a schema, and a fake kernel that computes shapes only
    autograd3       register_autograd: a gradient, gradcheck in float64, and no second gradient
    compile4        torch.compile: graph breaks, and none; what the fake kernel is for
    opcheck5        torch.library.opcheck: which mistakes it finds, and which it does not
    package6        TORCH_LIBRARY in C++, built by setup.py: types, strides, empty tensors
    streams7        the stream that PyTorch works in: another one reads what is not there yet
    inline8         load_inline, and what is included of PyTorch's headers
    errors9         TORCH_CUDA_ARCH_LIST, versions that do not match, undefined symbols: provoked and read

Without a GPU, or with PyTorch for the CPU, the operators take tensors of the CPU: there to the device, and back. With
both they take tensors of CUDA where they lie.
"""

# sizes: 0 1025
# kernels: package/src/gelu.cu
# library: package/src/gelu.cu
# wheel: package

import contextlib
import ctypes
import io
import logging
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from ctypes import c_size_t, c_void_p
from pathlib import Path

import numpy as np
from common import bench, device, verify

device.runtime()  # before PyTorch, which would load NVIDIA's: the one that is there first is for all
import torch  # noqa: E402

import gelu_torch  # noqa: E402

BUILT = Path(os.environ["LESSON_LIBRARIES"])  # libgelu.so; wheel/ and installed/
CUDA = Path(os.environ["CUDA_PATH"])
SIZES = [0, 1, 31, 33, 1000, 1025]
LOOKED_AT = 1 << 20  # elements that are verified of a larger array
ATOL, RTOL = 1e-6, 1e-5
# A result is rounded once, to so many bits behind the point.
ROUNDED = {torch.float16: 2.0**-11, torch.bfloat16: 2.0**-8}
SEES_STRIDES = tuple(int(part) for part in torch.__version__.split(".")[:2]) >= (2, 13)  # opcheck, those of the CPU's tensors
WHERE = "cuda" if torch.cuda.is_available() and not device.is_emulator() else "cpu"

# ---------------------------------------------------------------- the CPU reference


def gelu_cpu(x):
    """In float64, as PyTorch's own for the CPU."""
    return torch.nn.functional.gelu(x.detach().cpu().double()).numpy()


def gelu_backward_cpu(x, dy):
    x = x.detach().cpu().double().requires_grad_()
    torch.nn.functional.gelu(x).backward(dy.detach().cpu().double())
    return x.grad.numpy()


def is_right(name, found, expected):
    atol, rtol = ATOL, ROUNDED.get(found.dtype, 0) + RTOL
    return verify.floats(name, found.detach().cpu().double().numpy(), expected, atol, rtol)


def random(shape, seed, dtype=torch.float32):
    return torch.from_numpy(verify.random(shape, -4, 4, seed)).to(dtype).to(WHERE)


def raised_by(call):
    """The exception that a call ends with, or None. PyTorch's own words on the screen about it are dropped."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            call()
    except Exception as error:  # whatever it is: the steps compare it
        return error
    return None


def first_line(error):
    return str(error).strip().split("\n")[0]


# ---------------------------------------------------------------- the library, through ctypes

library = ctypes.CDLL(str(BUILT / "libgelu.so"))
NAMES = {torch.float32: "float", torch.float64: "double", torch.float16: "half", torch.bfloat16: "bfloat16"}
for name in NAMES.values():  # getattr: library["gelu_forward_float"] is another object each time, and forgets its argtypes
    getattr(library, f"gelu_forward_{name}").argtypes = [c_void_p, c_void_p, c_size_t, c_void_p]
    getattr(library, f"gelu_backward_{name}").argtypes = [c_void_p, c_void_p, c_void_p, c_size_t, c_void_p]


def launch(way, tensors, addresses, stream):
    """The addresses are whole numbers, as data_ptr() gives them."""
    code = getattr(library, f"gelu_{way}_{NAMES[tensors[0].dtype]}")(*addresses, tensors[0].numel(), stream)
    device.check(code, f"gelu_{way}")


def allocate(size):
    return bench.allocate(max(1, size)).value


@torch.compiler.disable  # PyTorch 2.11 traces current_stream(), and gives it back as a stream that has no cuda_stream
def compute(way, *tensors):
    """Inputs and output, contiguous. Those of CUDA are taken where they lie, in PyTorch's stream; those of the CPU are
    copied to the device and back."""
    output = tensors[-1]
    if output.is_cuda:
        with torch.cuda.device(output.device):
            launch(way, tensors, [t.data_ptr() for t in tensors], torch.cuda.current_stream().cuda_stream)
        return
    cuda, size = device.runtime(), c_size_t(output.nbytes)
    there = [allocate(output.nbytes) for _ in tensors]
    for tensor, address in zip(tensors[:-1], there):
        device.check(cuda.cudaMemcpy(c_void_p(address), c_void_p(tensor.data_ptr()), size, 1), "the copy there")
    launch(way, tensors, there, None)
    device.check(cuda.cudaMemcpy(c_void_p(output.data_ptr()), c_void_p(there[-1]), size, 2), "the copy back")
    for address in there:
        cuda.cudaFree(c_void_p(address))


def gelu_function(x):
    """What one writes first. It is right, also for x.T; and that is all."""
    x = x.contiguous()
    y = torch.empty_like(x)
    compute("forward", x, y)
    return y


# ---------------------------------------------------------------- the same as operators


@torch.library.custom_op("lesson30::gelu", mutates_args=())
def gelu(x: torch.Tensor) -> torch.Tensor:
    return gelu_function(x)


@gelu.register_fake
def _(x):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@torch.library.custom_op("lesson30::gelu_backward", mutates_args=())
def gelu_backward(x: torch.Tensor, dy: torch.Tensor) -> torch.Tensor:
    x, dy = x.contiguous(), dy.contiguous()
    dx = torch.empty_like(x)
    compute("backward", x, dy, dx)
    return dx


@gelu_backward.register_fake
def _(x, dy):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def keep(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def gradient(ctx, dy):
    (x,) = ctx.saved_tensors
    return gelu_backward(x, dy)


gelu.register_autograd(gradient, setup_context=keep)


# ---------------------------------------------------------------- the steps


def function1(seed):
    """Right, for every layout. But its result has no gradient, and nobody says so."""
    x = random((30, 7), seed)
    for what, given in (("x", x), ("x.T", x.T), ("x[::2]", x[::2]), ("one row, expanded", x[:1].expand(5, 7))):
        is_right(f"function1, {what}", gelu_function(given), gelu_cpu(given))
    x.requires_grad_()
    y = gelu_function(x)
    verify.fact("the function's result requires a gradient", y.requires_grad, False)
    error = raised_by(lambda: y.sum().backward())
    verify.fact("backward of it", type(error).__name__, "RuntimeError")
    print(f"    y.sum().backward(): {first_line(error)}")
    (x + gelu_function(x)).sum().backward()
    verify.fact("the gradient of x + gelu(x), by the function", bool((x.grad == 1).all()), True)
    print("    (x + gelu(x)).sum().backward(): nothing is said, and x.grad is 1 everywhere: GELU's part is missing")


def operator2(seed):
    """A schema says what goes in and comes out. The fake kernel answers without data: a shape, a type, strides."""
    schema = str(gelu._opoverload._schema)
    verify.fact("the schema", schema, "lesson30::gelu(Tensor x) -> Tensor")
    print(f"    {schema}")
    x = random((30, 7), seed)
    is_right("operator2", torch.ops.lesson30.gelu(x), gelu_cpu(x))
    is_right("operator2, transposed", gelu(x.T), gelu_cpu(x.T))
    huge = torch.empty(1000000, 1000000, device="meta")
    y = gelu(huge)
    verify.fact("of a tensor without data", (y.shape, y.device.type), (huge.shape, "meta"))
    print(f"    of 10^12 elements on the device 'meta': shape {tuple(y.shape)}, computed by the fake kernel")

    @torch.library.custom_op("lesson30::without_fake", mutates_args=())
    def without_fake(x: torch.Tensor) -> torch.Tensor:
        return gelu_function(x)

    error = raised_by(lambda: without_fake(huge))
    verify.fact("without a fake kernel", "register_fake" in str(error) or "fake impl" in str(error), True)
    print(f"    without a fake kernel: {type(error).__name__}: {first_line(error)[:100]}")


class GeluFunction(torch.autograd.Function):
    """The older way. It makes a gradient of any two functions, and no operator: torch.compile looks into them."""

    @staticmethod
    def forward(x):
        return gelu_function(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, dy):
        (x,) = ctx.saved_tensors
        dx = torch.empty_like(x, memory_format=torch.contiguous_format)
        compute("backward", x.contiguous(), dy.contiguous(), dx)
        return dx


def autograd3(seed):
    """gradcheck moves each element a little and looks what the result does. That needs float64."""
    x, dy = random((30, 7), seed).requires_grad_(), random((30, 7), seed + 1)
    for name, function in (("gelu", gelu), ("GeluFunction", GeluFunction.apply)):
        x.grad = None
        function(x).backward(dy)
        is_right(f"autograd3, {name}", x.grad, gelu_backward_cpu(x, dy))
    x.grad = None
    gelu(x).sum().backward()  # its dy is one number, expanded: strides of 0
    is_right("autograd3, of a sum", x.grad, gelu_backward_cpu(x, torch.ones_like(x)))

    small = random((4, 3), seed, torch.float64).requires_grad_()
    verify.fact("gradcheck in float64", torch.autograd.gradcheck(gelu, (small,)), True)
    error = raised_by(lambda: torch.autograd.gradcheck(gelu, (small.detach().float().requires_grad_(),)))
    verify.fact("gradcheck in float32", "Jacobian mismatch" in str(error), True)
    print(f"    gradcheck in float64: passed; in float32: {first_line(error)}")

    @torch.library.custom_op("lesson30::half_a_gradient", mutates_args=())
    def half_a_gradient(x: torch.Tensor) -> torch.Tensor:
        return gelu_function(x)

    half_a_gradient.register_autograd(lambda ctx, dy: gradient(ctx, dy) / 2, setup_context=keep)
    error = raised_by(lambda: torch.autograd.gradcheck(half_a_gradient, (small,)))
    verify.fact("gradcheck of a wrong gradient", "Jacobian mismatch" in str(error), True)
    print(f"    of half the gradient, in float64: {first_line(error)}")

    for name, function in (("gelu", gelu), ("GeluFunction", GeluFunction.apply)):
        (first,) = torch.autograd.grad((function(small) ** 2).sum(), small, create_graph=True)
        error = raised_by(lambda: first.sum().backward())
        verify.fact(f"a second gradient of {name}", type(error).__name__, "RuntimeError")
        print(f"    the gradient's gradient, {name}: {first_line(error)[:110]}")


def compile4(seed):
    """What torch.compile can look into becomes one graph. A call through ctypes ends it; an operator is a node of it."""

    def model(x, activation):
        return activation(2 * x) + 1

    backend = "inductor" if WHERE == "cuda" else "aot_eager"  # inductor writes kernels: Triton's, or C++ with a compiler
    x, dy = random((30, 7), seed).requires_grad_(), random((30, 7), seed + 1)
    expected, slope = gelu_cpu(2 * x) + 1, 2 * gelu_backward_cpu(2 * x, dy)
    for activation, wanted in ((gelu_function, 2), (gelu, 1), (gelu_torch.gelu, 1)):
        name = "gelu" if activation is gelu else f"{activation.__module__}.{activation.__name__}".replace("__main__.", "")
        torch._dynamo.reset()
        with contextlib.redirect_stderr(io.StringIO()):
            told = torch._dynamo.explain(model)(x.detach(), activation)
        verify.fact(f"{name}: more than one graph", told.graph_count > 1, wanted > 1)
        print(f"    {name}: {told.graph_count} graphs, {told.graph_break_count} breaks")
        if wanted > 1:
            error = raised_by(lambda: torch.compile(model, backend=backend, fullgraph=True)(x.detach(), activation))
            verify.fact("fullgraph=True of it", type(error).__name__, "Unsupported")
            print(f"    fullgraph=True: {type(error).__name__}: {first_line(error)}")
            continue
        compiled = torch.compile(model, backend=backend, fullgraph=True)
        y = compiled(x, activation)
        is_right(f"compile4, {name}", y, expected)
        x.grad = None
        y.backward(dy)
        is_right(f"compile4, {name}, backward", x.grad, slope)

    @torch.library.custom_op("lesson30::no_fake", mutates_args=())
    def no_fake(x: torch.Tensor) -> torch.Tensor:
        return gelu_function(x)

    torch._dynamo.reset()
    error = raised_by(lambda: torch.compile(model, backend=backend, fullgraph=True)(x.detach(), no_fake))
    said = re.search(r".*(?:fake impl|register_fake).*", str(error))
    verify.fact("an operator without a fake kernel is refused", bool(said), True)
    print(f"    without a fake kernel: {type(error).__name__}: {said.group().strip()[:120] if said else error}")
    torch._dynamo.reset()


def found_by_opcheck(op, *given):
    """Which of opcheck's tests fail."""
    with contextlib.redirect_stderr(io.StringIO()):
        result = torch.library.opcheck(op, given, raise_exception=False)
    return [name for name, outcome in result.items() if outcome != "SUCCESS"]


def opcheck5(seed):
    """Four tests: the schema holds, autograd is registered where it belongs, the fake kernel agrees, and all of it under
    torch.compile's dispatcher."""
    x = random((6, 5), seed).requires_grad_()
    is_right("opcheck5", gelu(x.detach()), gelu_cpu(x.detach()))
    for given in (x,), (x.detach().T,), (x[::2],), (x[:0],), (x.double(),):
        verify.fact("opcheck of gelu", found_by_opcheck(gelu, *given), [])
        verify.fact("opcheck of gelu_torch.forward", found_by_opcheck(gelu_torch.forward.default, *given), [])
    print("    gelu, and gelu_torch's: nothing is found")

    def wrong(name, function, fake, mutates=()):
        op = torch.library.custom_op(f"lesson30::{name}", function, mutates_args=mutates)
        op.register_fake(fake)
        op.register_autograd(gradient, setup_context=keep)
        return op

    def into_x(x: torch.Tensor) -> torch.Tensor:
        y = gelu_function(x)
        x.detach().zero_()
        return y

    def x_itself(x: torch.Tensor) -> torch.Tensor:
        return x

    def plain(x: torch.Tensor) -> torch.Tensor:
        return gelu_function(x)

    cases = (
        ("writes_its_input", wrong("writes_its_input", into_x, torch.empty_like), (x.detach().clone(),), True),
        ("returns_its_input", wrong("returns_its_input", x_itself, torch.empty_like), (x.detach(),), True),
        ("fake_of_another_shape", wrong("fake_of_another_shape", plain, lambda x: x.new_empty(len(x))), (x.detach(),), True),
        ("fake_of_float32", wrong("fake_of_float32", plain, lambda x: torch.empty(x.shape, device=x.device)), (x.detach(),), False),
        ("fake_of_float32, of float64", torch.ops.lesson30.fake_of_float32.default, (x.detach().double(),), True),
        ("fake_keeps_strides", wrong("fake_keeps_strides", plain, torch.empty_like), (x.detach(),), False),
        ("fake_keeps_strides, of x.T", torch.ops.lesson30.fake_keeps_strides.default, (x.detach().T,), SEES_STRIDES or WHERE == "cuda"),
        ("half_a_gradient", wrong("a_wrong_gradient", plain, torch.empty_like), (x,), False),
    )
    for name, op, given, seen in cases:
        found = found_by_opcheck(op, *given)
        verify.fact(f"opcheck finds something in {name}", bool(found), seen)
        print(f"    {name}: {', '.join(found) or 'nothing is found'}")


def package6(seed, sizes):
    """The same in C++. TORCH_LIBRARY has the schema, TORCH_LIBRARY_IMPL a function for the CPU and one for CUDA;
    AT_DISPATCH chooses by type."""
    (wheel,) = (BUILT / "wheel").glob("*.whl")
    print(f"    {wheel.name}: {', '.join(sorted(n for n in zipfile.ZipFile(wheel).namelist() if 'dist-info' not in n))}")
    print(f"    {gelu_torch.forward.default._schema}")
    for dtype in NAMES:
        for shape in (30, 7), (0, 7), ():
            x, dy = random(shape or 1, seed, dtype).reshape(shape), random(shape or 1, seed + 1, dtype).reshape(shape)
            is_right(f"forward, {dtype}, {shape}", gelu_torch.gelu(x), gelu_cpu(x))
            is_right(f"backward, {dtype}, {shape}", gelu_torch.backward(x, dy), gelu_backward_cpu(x, dy))
    image = random((2, 3, 4, 5), seed).to(memory_format=torch.channels_last)
    for what, given in (("x.T", random((30, 7), seed).T), ("x[::2]", random((30, 7), seed)[::2]), ("channels_last", image)):
        y = gelu_torch.gelu(given)
        is_right(f"package6, {what}", y, gelu_cpu(given))
        print(f"    {what}: strides {given.stride()}, the result's {y.stride()}")
    for n in sizes:
        x, dy = random(n, seed), random(n, seed + 1)
        looked_at = slice(None) if n <= LOOKED_AT else torch.arange(LOOKED_AT) * (n - 1) // (LOOKED_AT - 1)
        y, dx = gelu_torch.gelu(x)[looked_at], gelu_torch.backward(x, dy)[looked_at]
        is_right("forward", y, gelu_cpu(x[looked_at]))
        is_right("backward", dx, gelu_backward_cpu(x[looked_at], dy[looked_at]))
    x = random(5, seed)
    sparse = torch.sparse_coo_tensor([[0, 3]], x[:2], (5,), device=WHERE, check_invariants=True)
    for what, call in (
        ("int32", lambda: gelu_torch.gelu(x.int())),
        ("dy of float64", lambda: gelu_torch.backward(x, x.double())),
        ("dy of another shape", lambda: gelu_torch.backward(x, x[:3])),
        ("a sparse x", lambda: gelu_torch.gelu(sparse)),
    ):
        print(f"    {what}: ", end="", flush=True)  # before the call: should it end the program, this says which one did
        error = raised_by(call)
        print(f"{type(error).__name__}: {first_line(error)[:100]}")
        verify.fact(f"{what} is refused", error is not None, True)
    small = random((4, 3), seed, torch.float64).requires_grad_()
    verify.fact("gradcheck of the package", torch.autograd.gradcheck(gelu_torch.gelu, (small,)), True)
    (first,) = torch.autograd.grad((gelu_torch.gelu(small) ** 2).sum(), small, create_graph=True)
    error = raised_by(lambda: first.sum().backward())
    verify.fact("a second gradient of the package", type(error).__name__, "NotImplementedError")
    print(f"    the gradient's gradient: {type(error).__name__}: {first_line(error)}")


class Gate:
    """In a stream: what comes behind it waits until somebody opens it, 10 seconds at most."""

    def __init__(self, stream):
        self.opened = threading.Event()
        self.call = ctypes.CFUNCTYPE(None, c_void_p)(lambda _: self.opened.wait(10) and None)  # kept alive by this object
        device.check(device.runtime().cudaLaunchHostFunc(stream, self.call, None), "cudaLaunchHostFunc")


def streams7(seed):
    """x is written in a side stream, late. A kernel in the same stream waits for it; one in stream 0 does not."""
    cuda, n = device.runtime(), 1000
    x = verify.random(n, -3, 3, seed)
    size, side = c_size_t(4 * n), c_void_p()
    device.check(cuda.cudaStreamCreateWithFlags(ctypes.byref(side), 1), "cudaStreamCreateWithFlags")  # as PyTorch's: non-blocking
    new, late, *results = [bench.allocate(4 * n) for _ in range(4)]
    device.check(cuda.cudaMemcpy(new, c_void_p(x.ctypes.data), size, 1), "the copy there")
    device.check(cuda.cudaMemset(late, 0, size), "cudaMemset")
    y = torch.empty(n)
    launch("forward", (y,), (new, results[0]), None)  # the first one loads the kernel, which may wait for all streams
    device.check(cuda.cudaDeviceSynchronize(), "cudaDeviceSynchronize")
    gate = Gate(side)
    cuda.cudaMemcpyAsync(late, new, size, 3, side)
    for stream, result in ((side, results[0]), (None, results[1])):
        launch("forward", (y,), (late, result), stream)
    device.check(cuda.cudaStreamSynchronize(None), "stream 0")  # the gate is still closed
    gate.opened.set()
    device.check(cuda.cudaStreamSynchronize(side), "the side stream")
    for name, result, expected in (("the same stream", results[0], gelu_cpu(torch.from_numpy(x))), ("stream 0", results[1], np.zeros(n))):
        found = verify.poisoned(n)
        device.check(cuda.cudaMemcpy(c_void_p(found.ctypes.data), result, size, 2), "the copy back")
        verify.floats(f"streams7, {name}", found, expected, ATOL, RTOL)
    print("    x is written late in a side stream: a kernel in that stream has gelu(x), one in stream 0 has gelu(0)")
    for address in (new, late, *results):
        cuda.cudaFree(address)
    cuda.cudaStreamDestroy(side)
    streams_of_torch(x)


def streams_of_torch(values):
    """The same with PyTorch's streams, and the operators."""
    if WHERE == "cpu":
        print("    PyTorch has no CUDA device here: its own streams are not tried")
        return
    new, x = torch.from_numpy(values).cuda(), torch.zeros(len(values), device="cuda")
    early, side = torch.full_like(x, torch.nan), torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        for operator in gelu_torch.gelu, gelu:  # kernels are loaded, memory for this stream is there: nothing will wait for all streams
            operator(x)
        torch.cuda._sleep(1 << 29)  # clock cycles
        x.copy_(new)
        y, z = gelu_torch.gelu(x), gelu(x)
        launch("forward", (x,), (x.data_ptr(), early.data_ptr()), None)
        torch.cuda.default_stream().synchronize()
    torch.cuda.synchronize()
    is_right("streams7, the package in PyTorch's side stream", y, gelu_cpu(new))
    is_right("streams7, the operator through ctypes", z, gelu_cpu(new))
    verify.floats("a kernel in stream 0 has the old x", early.cpu().numpy(), np.zeros(len(values), np.float32), 0, 0)
    print("    PyTorch's side stream: the operators have gelu(x), a launch in stream 0 has not")


# PyTorch's stable interface: a few small headers, no at::Tensor. What is built of it runs with later versions, too.
INLINE = r"""
#include <cuda_runtime_api.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

extern "C" int gelu_forward_float(const float *x, float *y, size_t n, cudaStream_t stream);

static void check(int code) {
    STD_TORCH_CHECK(code == 0, "CUDA: ", cudaGetErrorString((cudaError_t)code));
}

static torch::stable::Tensor forward(torch::stable::Tensor x) {
    STD_TORCH_CHECK(x.scalar_type() == torch::headeronly::ScalarType::Float && x.is_contiguous(), "contiguous float32 is needed");
    torch::stable::Tensor y = torch::stable::empty_like(x);
    size_t n = x.numel(), bytes = n * sizeof(float);
    float *there = nullptr;
    check(cudaMalloc((void **)&there, 2 * bytes + 1));
    int code = cudaMemcpy(there, x.data_ptr(), bytes, cudaMemcpyHostToDevice);
    code = code ? code : gelu_forward_float(there, there + n, n, nullptr);
    code = code ? code : cudaMemcpy(y.data_ptr(), there + n, bytes, cudaMemcpyDeviceToHost);
    cudaFree(there);
    check(code);
    return y;
}

STABLE_TORCH_LIBRARY(lesson30_inline, m) {
    m.def("forward(Tensor x) -> Tensor");
}
STABLE_TORCH_LIBRARY_IMPL(lesson30_inline, CPU, m) {
    m.impl("forward", TORCH_BOX(&forward));
}
"""


def inline8(seed):
    """A string of C++ becomes an operator while the program runs: written to a file, compiled by ninja, loaded. The
    second time the file is as it was, and nothing is compiled."""
    from torch.utils import cpp_extension

    if " " in cpp_extension.TORCH_LIB_PATH:
        print("    not tried: PyTorch lies in a folder with a space in its name, which load_inline hands to the linker as two words")
        x = random((10, 100), seed)
        is_right("inline8, step 2's operator in its place", gelu(x), gelu_cpu(x))
        return
    folder = BUILT / "inline"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["PATH"] = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # for ninja
    links = [f"-L{path}" for path in (CUDA / "lib64", CUDA / "lib") if path.is_dir()]
    cpp_extension.load_inline(
        "gelu_inline",
        INLINE,
        no_implicit_headers=True,  # otherwise it includes torch/extension.h: all of PyTorch, pybind11 and Python
        is_python_module=False,  # no PyInit: it registers an operator
        extra_cflags=["-O1", "-DTORCH_TARGET_VERSION=0x020a000000000000"],  # for PyTorch 2.10 and later
        extra_include_paths=[str(CUDA / "include")],
        extra_ldflags=[*map(shlex.quote, (str(BUILT / "libgelu.so"), f"-Wl,-rpath,{BUILT}", *links)), "-lcudart"],
        build_directory=str(folder),
    )
    forward = torch.ops.lesson30_inline.forward
    print(f"    {forward.default._schema}: {', '.join(sorted(path.name for path in folder.glob('gelu_inline*.so')))}")
    for n in 0, 1, 1000:
        x = torch.from_numpy(verify.random(n, -4, 4, seed))
        is_right("inline8", forward(x), gelu_cpu(x))
    error = raised_by(lambda: forward(x.double()))
    verify.fact("float64 is refused", "contiguous float32" in str(error), True)
    print(f"    of float64: {type(error).__name__}: {first_line(error)}")


def with_environment(call, **variables):
    """A call with these variables; None: without it."""
    before = {name: os.environ.pop(name, None) for name in variables}
    os.environ.update({name: value for name, value in variables.items() if value is not None})
    try:
        return call()
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value


def flags_for(arch_list):
    from torch.utils import cpp_extension

    return with_environment(cpp_extension._get_cuda_arch_flags, TORCH_CUDA_ARCH_LIST=arch_list)


def architectures():
    for arch_list in "8.0", "8.0+PTX", "8.0;9.0+PTX":
        print(f"    TORCH_CUDA_ARCH_LIST={arch_list}: {' '.join(flags_for(arch_list))}")
    for arch_list in "90", "sm_90", "9.9":
        error = raised_by(lambda: flags_for(arch_list))
        verify.fact(f"the architecture {arch_list}", str(error), f"Unknown CUDA arch ({arch_list}) or GPU not supported")
        print(f"    TORCH_CUDA_ARCH_LIST={arch_list}: {type(error).__name__}: {error}")
    if not torch.cuda.is_available():
        error = raised_by(lambda: flags_for(None))
        verify.fact("no list, and no GPU to ask", type(error).__name__, "IndexError")
        print(f"    without the variable and without a GPU: {type(error).__name__}: {error}")


def no_image(folder):
    """A kernel for one architecture, and no PTX."""
    (folder / "empty.cu").write_text("__global__ void empty() {}\nextern \"C\" int run() { empty<<<1, 1>>>(); return cudaGetLastError(); }\n")
    arch_list = "8.0" if device.is_emulator() or device.attribute(75) != 8 else "9.0"
    command = [os.environ["NVCC"], *flags_for(arch_list), "-cudart", "shared", "--shared", "-Xcompiler", "-fPIC", "-o", folder / "libempty.so"]
    if os.environ.get("NVCC_CCBIN"):
        command += ["-ccbin", os.environ["NVCC_CCBIN"]]
    subprocess.run([*command, folder / "empty.cu"], check=True)
    words = f"import ctypes; cuda = ctypes.CDLL({device.runtime()._name!r}); cuda.cudaGetErrorName.restype = ctypes.c_char_p; "
    words += f"print(cuda.cudaGetErrorName(ctypes.CDLL({str(folder / 'libempty.so')!r}).run()).decode())"
    said = told_by_python(words)
    verify.fact("a kernel without an image for this device", said, "cudaErrorNoKernelImageForDevice")
    print(f"    machine code for {arch_list} alone: {said}")


def told_by_python(words):
    """The last line of another Python, whose mistakes nobody is to look for."""
    watched = ("EMULATOR_CHECK", "EMULATOR_PROFILE", "EMULATOR_VIEW")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(watched)}
    told = subprocess.run([sys.executable, "-c", words], env={**plain, "EMULATOR_QUIET": "1"}, capture_output=True, text=True)
    return (told.stdout.strip() or told.stderr.strip()).split("\n")[-1]


def other_versions(folder):
    """PyTorch compares its own CUDA with nvcc's before it compiles. We tell it that it is of another one."""
    from torch.utils import cpp_extension

    (folder / "bin").mkdir()
    (folder / "bin/nvcc").write_text(f'#!/bin/sh\nexec "{os.environ["NVCC"]}" "$@"\n')
    (folder / "bin/nvcc").chmod(0o755)
    kept = torch.version.cuda, cpp_extension.CUDA_HOME
    release = re.search(r"release (\d+)\.(\d+)", subprocess.check_output([folder / "bin/nvcc", "--version"], text=True))
    cpp_extension.CUDA_HOME = str(folder)
    logging.getLogger("torch.utils.cpp_extension").setLevel(logging.ERROR)
    try:
        for cuda in f"{int(release[1]) - 1}.8", f"{release[1]}.{int(release[2]) + 9}":
            torch.version.cuda = cuda
            error = raised_by(lambda: cpp_extension._check_cuda_version("g++", cpp_extension.TorchVersion("11.2")))
            another = cuda.split(".")[0] != release[1]
            verify.fact(f"PyTorch for CUDA {cuda}, nvcc {release[1]}", "mismatches" in str(error), another)
            said = (error.args[0] % error.args[1:]).split(". ")[0] if error else "a warning"
            print(f"    nvcc {release[1]}.{release[2]}, PyTorch for CUDA {cuda}: {type(error).__name__ + ': ' if error else ''}{said}")
    finally:
        torch.version.cuda, cpp_extension.CUDA_HOME = kept
    if torch.version.cuda is None:
        verify.fact("CUDA_HOME, as PyTorch for the CPU sees it", cpp_extension.CUDA_HOME, None)
        error = raised_by(lambda: with_environment(lambda: cpp_extension.CUDAExtension("name", ["a.cu"]), CUDA_HOME=str(CUDA)))
        verify.fact("CUDAExtension with PyTorch for the CPU", type(error).__name__, "OSError")
        print(f"    CUDAExtension, CUDA_HOME={CUDA}, PyTorch for the CPU: {first_line(error)}")


def compiler():
    """The C++ compiler, for a file that includes PyTorch's headers."""
    return [os.environ.get("CXX", "c++"), "-std=c++20", "-O0", "-fPIC", f"-I{Path(torch.__file__).parent / 'include'}"]


def undefined_symbols(folder):
    """A function of PyTorch that takes a std::string. It is in libc10.so, and takes the std::string of C++11."""
    (folder / "abi.cpp").write_text("#include <c10/util/Exception.h>\nvoid require(bool ok) { TORCH_CHECK(ok, 1, \"no\"); }\n")
    for abi in 0, 1:
        command = [*compiler(), "-c", f"-D_GLIBCXX_USE_CXX11_ABI={abi}", folder / "abi.cpp", "-o", folder / f"abi{abi}.o"]
        subprocess.run(command, check=True)
    cases = (
        ("the std::string of before C++11, linked with -lc10", 0, ["-lc10"], "import torch; ", r"undefined symbol: \S*torchCheckFail\S*RKSs"),
        ("that of C++11, linked without -lc10", 1, [], "import torch; ", r"undefined symbol: \S*torchCheckFail\S*cxx11"),
        ("that of C++11, linked with -lc10", 1, ["-lc10"], "import torch; ", "loaded"),
        ("the same, loaded without import torch", 1, ["-lc10"], "", r"libc10\.so: cannot open shared object file"),
    )
    for what, abi, libraries, before, wanted in cases:
        file = folder / "librequire.so"
        links = ["-shared", "-Wl,--no-as-needed", f"-L{Path(torch.__file__).parent / 'lib'}", *libraries]
        subprocess.run([*compiler(), folder / f"abi{abi}.o", "-o", file, *links], check=True)
        said = told_by_python(f"{before}import ctypes, os; ctypes.CDLL({str(file)!r}, os.RTLD_NOW); print('loaded')").replace(f"{folder}/", "")
        verify.fact(what, bool(re.search(wanted, said)), True) or print(f"        {said}")
        print(f"    {what}:\n        {said}")
        if "undefined symbol" in said and shutil.which("c++filt"):
            plain = subprocess.run(["c++filt"], input=said.split()[-1], capture_output=True, text=True).stdout.strip()
            print(f"        that is {plain}")


SAYS_A_NUMBER = """
#include <c10/util/StringUtil.h>
#include <cstring>
extern "C" void say(char *to) { strcpy(to, c10::str("dy has ", 12, " rows").c_str()); }
"""


def two_libraries(folder):
    """c10::str, as TORCH_CHECK, writes numbers through C++'s streams. With a copy of C++'s library in the extension a process has
    two: a stream of the one asks the other how numbers are written."""
    (folder / "says.cpp").write_text(SAYS_A_NUMBER)
    file = folder / "libsays.so"
    call = f"text = ctypes.create_string_buffer(99); ctypes.CDLL({str(file)!r}).say(text); print(repr(text.value.decode()))"
    for what, flags in ("one C++ library, libstdc++.so.6", []), ("a copy of it in the extension, too", ["-static-libstdc++"]):
        linked = subprocess.run([*compiler(), "-shared", folder / "says.cpp", "-o", file, *flags], capture_output=True, text=True)
        said = told_by_python(f"import torch, ctypes; {call}") if linked.returncode == 0 else "not tried: " + first_line(linked.stderr)
        print(f"    {what}:\n        {said or 'nothing: the process was ended by a signal'}")
        flags or verify.fact("a message with a number", said, "'dy has 12 rows'")  # what the other one says is a matter of chance


def errors9(seed):
    """Messages of the build, and of the first call. None of these is a mistake in a kernel."""
    architectures()
    with tempfile.TemporaryDirectory() as folder:
        no_image(Path(folder))
        other_versions(Path(folder))
        undefined_symbols(Path(folder))
        two_libraries(Path(folder))
    x = random(1000, seed)
    is_right("errors9", gelu_torch.gelu(x), gelu_cpu(x))


# ---------------------------------------------------------------- main


def measure(n, seed):
    """The kernels on arrays that are on the device already."""
    table = bench.Table(8 * n)
    x = verify.random(n, -4, 4, seed)
    for dtype, size in ((torch.float32, 4), (torch.float16, 2), (torch.bfloat16, 2)):
        values = torch.from_numpy(x).to(dtype)
        there, result = bench.allocate(size * n), bench.allocate(size * n)
        device.check(device.runtime().cudaMemcpy(there, c_void_p(values.data_ptr()), c_size_t(size * n), 1), "the copy there")
        name = NAMES[dtype]
        table.run(f"gelu {name}", lambda: launch("forward", (values,), (there, result), None), n, 2 * size * n)
        table.run(f"backward {name}", lambda: launch("backward", (values,), (there, there, result), None), n, 3 * size * n)
        device.check(device.runtime().cudaDeviceSynchronize(), "cudaDeviceSynchronize")
    table.finish()


def main():
    options = device.read_options(versions=9)
    if options.size is not None and not options.version:
        options.version = 6
    device.print_backend()
    print(f"PyTorch {torch.__version__}, tensors of '{WHERE}'", flush=True)
    n = options.size if options.size is not None else 100003 if device.is_emulator() else 1 << 26
    sizes = [options.size] if options.size is not None else SIZES + [n]
    steps = [function1, operator2, autograd3, compile4, opcheck5, package6, streams7, inline8, errors9]
    for version, step in enumerate(steps, 1):
        if options.version in (0, version):
            print(f"\n{step.__name__}:", flush=True)
            step(options.seed, *([sizes] if step is package6 else []))
    if options.version in (0, 6) and n:
        measure(n, options.seed)
    return verify.finish("gelu")


if __name__ == "__main__":
    sys.exit(main())
