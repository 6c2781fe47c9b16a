"""Kernels whose arguments lie in CPU memory, as PyTorch's tensors do where it has no CUDA.

HostTensor has what the launcher asks of those; with the argument `torch` they are PyTorch's own.
"""

import sys

import numpy as np
import triton
import triton.language as tl


class HostTensor:
    """A part of a NumPy array of one axis, which is its storage."""

    is_cpu = True

    def __init__(self, array, begin=0):
        self._storage, self._begin = array, begin
        self.dtype, self.data, self.device, self.shape = array.dtype, None, "cpu", array.shape

    def data_ptr(self):
        return self._storage.ctypes.data + self._begin * self._storage.itemsize

    def untyped_storage(self):
        return Storage(self._storage)


class Storage:
    def __init__(self, array):
        self._array = array

    def data_ptr(self):
        return self._array.ctypes.data

    def nbytes(self):
        return self._array.nbytes


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside) + tl.load(y + i, mask=inside), mask=inside)


@triton.jit
def first_two_kernel(pair, out):
    tl.store(out, tl.load(pair[0]) + tl.load(pair[1]))


def tensor(array, begin=0):
    if sys.argv[1:] == ["torch"]:
        import torch

        assert triton.runtime.driver.active.get_active_torch_device() == torch.zeros(1).device
        return torch.from_numpy(array)[begin:]
    return HostTensor(array, begin)


def main():
    random = np.random.default_rng(3)
    x, y = (random.standard_normal(1001, np.float32) for _ in range(2))
    out = np.full(1001, np.nan, np.float32)
    add_kernel[(2,)](tensor(x), tensor(y), tensor(out), 1001, BLOCK=1024)
    assert np.array_equal(out, x + y)

    # Three parts of one storage, of which two are not aligned: the sums of neighbours, written behind them.
    values = np.concatenate([x, np.zeros(1000, np.float32)])
    add_kernel[(1,)](tensor(values), tensor(values, 1), tensor(values, 1001), 1000, BLOCK=1024)
    assert np.array_equal(values, np.concatenate([x, x[:-1] + x[1:]]))

    out = np.zeros(1, np.float32)
    first_two_kernel[(1,)]((tensor(x), tensor(x, 7)), tensor(out))
    assert out[0] == x[0] + x[7]

    # As another type, which PyTorch's tensors did not have: the sums of bits, not of numbers.
    bits = np.empty(1001, np.int32)
    add_kernel[(2,)](*(triton.reinterpret(tensor(a), tl.uint32) for a in (x, y, bits)), 1001, BLOCK=1024)
    assert np.array_equal(bits.view(np.uint32), x.view(np.uint32) + y.view(np.uint32))

    # Behind a storage's end there is nothing.
    try:
        add_kernel[(2,)](tensor(x), tensor(y), tensor(np.zeros(1000, np.float32)), 1001, BLOCK=1024)
    except RuntimeError as error:
        print("agrees with NumPy:", error)


main()
