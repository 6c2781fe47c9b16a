"""torch_compile.py - the kernels that torch.compile writes for a bias and GELU, forward and backward, and for a softmax.
For a machine with PyTorch and a GPU; what it has printed there is torch_compile.txt: code, and no measurement, so `make record` leaves it alone."""

import re

import torch
import triton
from torch._inductor.utils import run_and_get_code


def bias_gelu(x, bias):
    return torch.nn.functional.gelu(x + bias)


def softmax(x):
    return torch.softmax(x, -1)


def with_backward(x, bias, dy):
    y = torch.compile(bias_gelu)(x, bias)
    y.backward(dy)
    return y


def show(name, code):
    """Of the generated module, the kernels."""
    print(f"\n--- {name}")
    for kernel in re.findall(r"^@triton\.jit\n.*?(?=^''')", "\n".join(code), re.M | re.S):
        print(kernel)


print("torch", torch.__version__, "triton", triton.__version__, torch.cuda.get_device_name())
x = torch.randn(4096, 1000, device="cuda", requires_grad=True)
bias = torch.randn(1000, device="cuda", requires_grad=True)
dy = torch.randn(4096, 1000, device="cuda")
with torch.no_grad():
    result, code = run_and_get_code(torch.compile(bias_gelu), x, bias)
    torch.testing.assert_close(result, bias_gelu(x, bias))
    show("bias_gelu", code)
    result, code = run_and_get_code(torch.compile(softmax), x)
    torch.testing.assert_close(result, softmax(x))
    show("softmax", code)
result, code = run_and_get_code(with_backward, x, bias, dy)
show("bias_gelu with its backward", code)
