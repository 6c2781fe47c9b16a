"""GELU and its derivative on the GPU.

    y = gelu_pybind11.forward(x)              x in CPU memory (NumPy, or what NumPy can read): y is an array of NumPy
    dx = gelu_pybind11.backward(x, dy)
    there = gelu_pybind11.DeviceArray(x)      a copy on the device, owned by this object
    y = gelu_pybind11.forward(there)          x on the device, whoever's it is (DLPack): y is a DeviceArray
"""

from gelu_pybind11 import _gelu
from gelu_pybind11._gelu import CudaError, DeviceArray

__all__ = ["CudaError", "DeviceArray", "backward", "forward"]

_CUDA = 2  # DLPack's number for memory of CUDA's devices


def _on_device(x):
    return hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] == _CUDA


def forward(x):
    return _gelu.forward_device(x) if _on_device(x) else _gelu.forward(x)


def backward(x, dy):
    if _on_device(x) != _on_device(dy):
        raise ValueError("x and dy must both be in CPU memory, or both on the device")
    return _gelu.backward_device(x, dy) if _on_device(x) else _gelu.backward(x, dy)
