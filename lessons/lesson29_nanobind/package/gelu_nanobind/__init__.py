"""GELU and its derivative on the GPU.

    y = gelu_nanobind.forward(x)              x in CPU memory: y is an array of NumPy
    dx = gelu_nanobind.backward(x, dy)
    there = gelu_nanobind.to_device(x)        a copy on the device: an object with __dlpack__, and its owner
    y = gelu_nanobind.forward(there)          x on the device, whoever's it is (DLPack): y is there, too
    y = gelu_nanobind.to_numpy(there)         a copy in CPU memory

Which of two functions of one name is called, the types of the arguments decide: in C++, not here.
"""

from gelu_nanobind._gelu import CudaError, backward, forward, forward_into, to_device, to_numpy

__all__ = ["CudaError", "backward", "forward", "forward_into", "to_device", "to_numpy"]
