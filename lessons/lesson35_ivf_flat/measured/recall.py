"""recall.py - recall against what is read, of a million vectors: no speeds, so any machine will do. In the root of the
workbook, with a Python that has NumPy:

    RECORD=recall.csv RECORD_CARD= PYTHONPATH=.:lessons/lesson35_ivf_flat python3 lessons/lesson35_ivf_flat/measured/recall.py

What it records is kept as measured/recall.csv.

The index is model.py's, which does in NumPy what the kernels do, from the same start; lesson35.py compares the two. Where
faiss-cpu can be imported its own IVF-Flat is tried on the same data, with as many lists, rounds and vectors to train with.
SIZE, LISTS and QUERIES ask for other sizes than 1000000, 2048 and 500.
"""

import os
import sys

import data
import model
import numpy as np
from common import record

D, K = 128, 10
JOBS = (data.clustered, 1), (data.flatter, 1), (data.uniform, 1), (data.clustered, 2)  # kind and seed
N, LISTS, QUERIES = (int(os.environ.get(name) or usual) for name, usual in (("SIZE", 1000000), ("LISTS", 2048), ("QUERIES", 500)))
PROBES = [p for p in (1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256, 512) if p <= LISTS]
SAMPLE, ROUNDS = 64, 10  # as in package/ivf_flat/__init__.py


def local_dimension(distances):
    """How fast neighbours become more with the distance, at a query: the estimate of Levina and Bickel, mean of all queries."""
    far = np.sqrt(distances)
    return float(np.mean(-1 / np.log(far[:, :-1] / far[:, -1:]).mean(1)))


def ours(x, queries, nearest, seed):
    sample = np.random.default_rng(seed).permutation(len(x))[: SAMPLE * LISTS]
    centroids = model.train(x[sample], LISTS, ROUNDS)
    lists = model.assign(x, centroids)
    lengths = np.bincount(lists, minlength=LISTS)
    print(f"lists: {lengths.min()} to {lengths.max()} vectors, half of them up to {int(np.median(lengths))}")
    for column, length in (("shortest", lengths.min()), ("longest", lengths.max()), ("median", np.median(lengths))):
        record.row("lists", column, length)
    order = np.argsort(model.squares(queries, centroids), axis=1, kind="stable")
    for nprobe in PROBES:
        probes = order[:, :nprobe]
        found = model.reached(nearest, lists, probes).sum() / nearest.size
        yield nprobe, 100 * lengths[probes].sum() / (len(queries) * len(x)), found


def of_faiss(x, queries, nearest, seed):
    import faiss

    coarse = faiss.IndexFlatL2(D)
    index = faiss.IndexIVFFlat(coarse, D, LISTS)
    index.cp.niter, index.cp.max_points_per_centroid, index.cp.seed = ROUNDS, SAMPLE, seed
    index.train(x)
    index.add(x)
    lengths = np.array([index.invlists.list_size(c) for c in range(LISTS)])
    for nprobe in PROBES:
        index.nprobe = nprobe
        _, ids = index.search(queries, K)
        _, probes = coarse.search(queries, nprobe)
        yield nprobe, 100 * lengths[probes].sum() / (len(queries) * len(x)), model.recall(ids, nearest)


def show(name, rows, section):
    for nprobe, read, recall in rows:
        print(f"{name:8}  {nprobe:6}  {read:8.2f}  {recall:8.4f}", flush=True)
        record.part(f"{section} {name}")
        record.row(str(nprobe), "% read", read, "%")
        record.row(str(nprobe), "recall@10", recall)
        record.part(section)


def main():
    try:
        import faiss

        peer = f"faiss-cpu {faiss.__version__}"
    except ImportError as error:
        peer = f"not compared with faiss-cpu: {error}"
    print(f"n = {N}, d = {D}, {LISTS} lists, {QUERIES} queries, k = {K}; {peer}")
    record.part("recall")
    for name, number in (("vectors", N), ("lists", LISTS), ("queries", QUERIES)):
        record.row(name, "number", number)
    record.row("peer", "version", peer)
    for kind, seed in JOBS:
        x, queries = kind(N, D, QUERIES, seed)
        section = f"recall {kind.__name__} SEED={seed}"
        record.part(section)
        print(f"\n--- {kind.__name__}, seed {seed}", flush=True)
        nearest, distances = model.search_all(x, queries, 100)
        nearest = nearest[:, :K]
        dimension = local_dimension(distances)
        print(f"local dimension, of 100 neighbours: {dimension:.1f}")
        record.row("neighbours", "local dimension", dimension)
        print(f"{'':8}  {'nprobe':>6}  {'% read':>8}  {'recall':>8}")
        show("ours", ours(x, queries, nearest, seed), section)
        if peer.startswith("faiss"):
            show("faiss", of_faiss(x, queries, nearest, seed), section)


sys.exit(main())
