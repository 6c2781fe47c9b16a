"""GELU as an operator of PyTorch.

    y = gelu_torch.gelu(x)            x: float32, float64, float16 or bfloat16, of the CPU or of CUDA; it has a gradient
    torch.ops.gelu_torch.forward      the operator itself
"""

import glob
import os

import torch

# No module of Python, though it looks like one: a library that registers operators when it is loaded.
torch.ops.load_library(glob.glob(os.path.join(os.path.dirname(__file__), "_operators*.so"))[0])

forward = torch.ops.gelu_torch.forward
backward = torch.ops.gelu_torch.backward


@torch.library.register_fake("gelu_torch::forward")
def _(x):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@torch.library.register_fake("gelu_torch::backward")
def _(x, dy):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _keep(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _gradient(ctx, dy):
    (x,) = ctx.saved_tensors
    return backward(x, dy)


def _no_second_gradient(ctx, *gradients):
    raise NotImplementedError("gelu_torch: there is no gradient of the gradient")


torch.library.register_autograd("gelu_torch::forward", _gradient, setup_context=_keep)
# custom_op would refuse by itself. Of an operator of TORCH_LIBRARY PyTorch only warns, and goes on as if it were a constant.
torch.library.register_autograd("gelu_torch::backward", _no_second_gradient)


def gelu(x):
    return forward(x)
