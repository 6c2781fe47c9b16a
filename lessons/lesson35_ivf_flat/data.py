"""data.py - vectors to search, made from a seed.

    x, queries = data.clustered(n, 128, queries=1000, seed=1)
    x, queries = data.flatter(n, 128, queries=1000, seed=1)
    x, queries = data.uniform(n, 128, queries=1000, seed=1)

`clustered` stands for embeddings: vectors that a network has made of texts or pictures. It is a mixture of Gaussians, one
component for about 100 vectors, and says what it is:

- components have uneven shares, as subjects have: the weight of number c is (c + 10) ** -0.5;
- directions are uneven: number j of a vector has a standard deviation of 1 / (1 + j / 4), so most of the variance is in a
  few dozen directions, as is seen of embeddings;
- components overlap: the noise of each is 0.7 times as wide as the spread of their middles. Nothing is a neat ball.

Queries are drawn as the vectors are, and none of them is one of the vectors. In `flatter` the directions are less uneven: number j
has 1 / (1 + j / 16). The numbers above were chosen among others; this shows what hangs on them. `uniform` has no structure at all: each number
is between 0 and 1, independent of the others.
"""

import numpy as np

PART = 100_000  # vectors that are made at a time
NOISE = 0.7


def _mixture(rng, count, middles, weights, width):
    x = np.empty((count, middles.shape[1]), np.float32)
    for first in range(0, count, PART):
        some = x[first : first + PART]
        component = rng.choice(len(weights), len(some), p=weights)
        some[:] = middles[component] + width * rng.standard_normal(some.shape, np.float32)
    return x


def clustered(n, d, queries, seed, steep=4):
    rng = np.random.default_rng(seed)
    components = max(n // 100, 8)
    spread = 1 / (1 + np.arange(d, dtype=np.float32) / steep)
    middles = spread * rng.standard_normal((components, d), np.float32)
    weights = (np.arange(components) + 10.0) ** -0.5
    weights /= weights.sum()
    return tuple(_mixture(rng, count, middles, weights, NOISE * spread) for count in (n, queries))


def flatter(n, d, queries, seed):
    return clustered(n, d, queries, seed, steep=16)


def uniform(n, d, queries, seed):
    rng = np.random.default_rng(seed)
    return rng.random((n, d), np.float32), rng.random((queries, d), np.float32)
