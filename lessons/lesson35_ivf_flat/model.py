"""model.py - the index in NumPy: what lesson35.py compares the kernels with, and what computes recall where they would take
too long without a GPU.

    nearest, distances = model.search_all(x, queries, 10)
    centroids = model.train(x[sample], nlist)
    lists = model.assign(x, centroids)
    model.reached(nearest, lists, probes).sum() / nearest.size         the recall of a search of those lists
"""

import numpy as np

PART = 4096  # vectors at a time: 4096 x 1024 distances are 16 MB


def squares(x, y):
    """||x||^2 - 2 x.y + ||y||^2, of all pairs."""
    return (x * x).sum(1)[:, None] - 2 * (x @ y.T) + (y * y).sum(1)


def exact(x, q):
    """Squares of the distances of q to each x, by their differences, in fp64."""
    difference = x.astype(np.float64) - q.astype(np.float64)
    return (difference * difference).sum(-1)


def smallest(distances, ids, k):
    """The k smallest of a row, of equal ones the smaller id first."""
    order = np.lexsort((ids, distances))[:k]
    return ids[order], distances[order]


def search_all(x, queries, k):
    """The k nearest of all vectors, for each query: ids and distances, -1 and infinity where there are fewer."""
    ids = np.full((len(queries), k), -1, np.int32)
    distances = np.full((len(queries), k), np.inf)
    few = 64
    for first in range(0, len(queries), few):
        some = queries[first : first + few]
        near = squares(some, x)
        for i, q in enumerate(some):
            # A rounding error of the product moves nobody out of so many; then the order is made exactly.
            wide = min(4 * k + 32, len(x))
            candidates = np.argpartition(near[i], wide - 1)[:wide].astype(np.int32) if wide < len(x) else np.arange(len(x), dtype=np.int32)
            found, far = smallest(exact(x[candidates], q), candidates, k)
            ids[first + i, : len(found)], distances[first + i, : len(found)] = found, far
    return ids, distances


def assign(x, centroids):
    lists = np.empty(len(x), np.int32)
    norms = (centroids * centroids).sum(1)
    for first in range(0, len(x), PART):
        lists[first : first + PART] = (norms - 2 * (x[first : first + PART] @ centroids.T)).argmin(1)
    return lists


def refill_empty(centroids, lists, x):
    """As Index::refill_empty does it."""
    lengths = np.bincount(lists, minlength=len(centroids))
    order, firsts = np.argsort(lists, kind="stable"), np.concatenate(([0], np.cumsum(lengths)[:-1]))
    sizes = lengths.copy()
    for c in np.flatnonzero(lengths == 0):
        largest = sizes.argmax()
        centroids[c] = x[order[firsts[largest] + sizes[largest] // 2]]
        sizes[largest] = max(sizes[largest] // 2, 1)
        sizes[c] = 0


def update(x, lists, centroids):
    """The mean of each cluster's members; a cluster without any stays."""
    order = np.argsort(lists, kind="stable")
    lengths = np.bincount(lists, minlength=len(centroids))
    filled = np.flatnonzero(lengths)
    firsts = np.concatenate(([0], np.cumsum(lengths)[:-1]))[filled]
    sums = np.add.reduceat(x[order].astype(np.float64), firsts, axis=0)
    new = centroids.copy()
    new[filled] = sums / lengths[filled, None]
    return new


def train(sample, nlist, rounds=10):
    centroids = sample[:nlist].copy()
    for _ in range(rounds):
        lists = assign(sample, centroids)
        centroids = update(sample, lists, centroids)
        refill_empty(centroids, lists, sample)
    return centroids


def reached(nearest, lists, probes):
    """What an index finds of the nearest vectors: those in a list that is read. All of a list is compared, so nothing else
    can keep one out."""
    return (lists[nearest][:, :, None] == probes[:, None, :]).any(2) & (nearest >= 0)


def recall(found, nearest):
    """The share of the nearest vectors that were found."""
    hits = [len(np.intersect1d(a[a >= 0], b[b >= 0])) for a, b in zip(found, nearest)]
    return sum(hits) / max((nearest >= 0).sum(), 1)
