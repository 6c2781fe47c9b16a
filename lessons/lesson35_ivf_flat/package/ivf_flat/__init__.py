"""Nearest neighbours on the GPU: an inverted-file index (IVF-Flat), and a search of everything to compare it with.

    index = ivf_flat.Index(128, 1024, "float16")        d, nlist, and what vectors are kept as
    index.train(x).add(x)
    distances, ids = index.search(queries, 10, 16)      k, nprobe

Distances are squares of L2 distances, float32; ids are int32, in the order in which vectors were added. Where there are
fewer than k, the distance is infinite and the id -1. Of equal distances the smaller id comes first. Arrays are NumPy's,
or anything with DLPack on a CUDA device: then the results are DeviceArrays.
"""

import numpy as np

from ivf_flat import _ivf
from ivf_flat._ivf import CudaError, DeviceArray

__all__ = ["CudaError", "DeviceArray", "Flat", "Index"]

SAMPLE = 64  # vectors for each list that training looks at


def _is_half(dtype):
    if np.dtype(dtype) not in (np.float32, np.float16):
        raise ValueError(f"dtype must be float32 or float16, not {dtype}")
    return np.dtype(dtype) == np.float16


class Flat:
    """All vectors, and two ways to search all of them: versions 1 and 2."""

    def __init__(self, d, dtype="float32"):
        self._flat = _ivf.Flat(d, _is_half(dtype))

    def add(self, x):
        self._flat.add(x)
        return self

    def search(self, queries, k, version=2):
        return self._flat.search(queries, k, version)

    @property
    def ntotal(self):
        return self._flat.ntotal


class Index:
    """Vectors in nlist lists. layout "rows" is what version 3 of the search reads, "groups" versions 4 and 5."""

    def __init__(self, d, nlist, dtype="float32", layout="groups", seed=1):
        if layout not in ("rows", "groups"):
            raise ValueError(f"layout must be rows or groups, not {layout}")
        self.d, self.nlist, self.layout, self.seed = d, nlist, layout, seed
        self.refilled = 0  # how often training found a cluster empty
        self._index = _ivf.Index(d, nlist, _is_half(dtype), layout == "rows")

    def sample_of(self, n):
        """Which of n vectors training looks at, in a random order. The first nlist are where the centroids begin."""
        return np.random.default_rng(self.seed).permutation(n)[: SAMPLE * self.nlist].astype(np.int32)

    def train(self, x, rounds=10):
        n = x.shape[0] if hasattr(x, "shape") else len(x)
        self.refilled = self._index.train(x, self.sample_of(n), rounds)
        return self

    def add(self, x):
        self._index.add(x)
        return self

    def search(self, queries, k, nprobe, version=None):
        return self._index.search(queries, k, nprobe, version or (3 if self.layout == "rows" else 5))

    def probes(self, queries, nprobe):
        """The lists that a search reads: an array of int32, the nearest first."""
        return self._index.probes(queries, nprobe)

    def fraction_read(self, queries, nprobe):
        """The share of the vectors that a search of these queries reads, on average."""
        read = self.list_lengths()[self.probes(queries, nprobe)]
        return float(read.sum() / (max(read.shape[0], 1) * max(self.ntotal, 1)))

    def assignment(self, x):
        """The list that each of these vectors belongs to."""
        return self._index.assignment(x)

    def list_lengths(self):
        return self._index.list_lengths()

    def lists(self):
        """The ids in each list, in their order."""
        return np.split(self._index.list_ids(), np.cumsum(self.list_lengths())[:-1])

    @property
    def centroids(self):
        return self._index.centroids()

    @centroids.setter
    def centroids(self, rows):
        self._index.set_centroids(rows)

    @property
    def ntotal(self):
        return self._index.ntotal
