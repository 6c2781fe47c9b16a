"""race.py - the five versions, faiss-cpu, and cuVS or PyTorch, on the same vectors in one process. For a GPU; on the emulator
it verifies what is found, and times nothing.

    SIZE=1000000 python3 lessons/lesson35_ivf_flat/measured/race.py

A row: who, fp32 or fp16, nprobe, % of the vectors that are read, recall@10, and the microseconds of a query: the median of
7 searches of all the queries together, which are on the device already (faiss-cpu: of 3, in CPU memory).
"""

import os
import statistics
import sys
import time

import data
import model
import numpy as np
from common import bench, device, record, verify
from ivf_flat import DeviceArray, Flat, Index

EMULATED = device.is_emulator()
N = int(os.environ.get("SIZE") or (3000 if EMULATED else 1000000))
SEED = int(os.environ.get("SEED") or 1)
D, K, QUERIES = 128, 10, 64 if EMULATED else 10000
NLIST = 16 if EMULATED else 2048
TURNS = 7
PROBES = (1, 4) if EMULATED else (8, 32, 64, 96, 128)
CLOCK = None if EMULATED else bench.Clock()


def row(who, kind, nprobe, read, recall, microseconds):
    taken = f"{microseconds:12.3f} us" if microseconds else f"{'':12}"
    print(f"{who:16}  {kind}  {nprobe:6}  {100 * read:7.2f} %  {recall:7.4f}  {taken}", flush=True)
    name = f"{who} {kind} {nprobe or 'all'}"
    record.row(name, "% read", 100 * read, "%")
    record.row(name, "recall@10", recall)
    if microseconds:
        record.row(name, "us", microseconds, "us")


def fact(part, name, column, value, unit=""):
    """Of the race, and no row of its table."""
    record.part(part)
    record.row(name, column, value, unit)
    record.part("")


def on_clock(launch):
    """Searches of 10,000 queries: fewer than bench.Clock's 21 will do."""
    return 1000 * CLOCK.median(launch, 1, TURNS) / QUERIES if CLOCK else None


def by_hand(call, turns=3):
    """For what does not run in our stream."""
    taken = []
    for _ in range(turns):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return 1e6 * statistics.median(taken) / QUERIES


def ours(x, queries, nearest):
    there = DeviceArray(queries)
    for kind in ("float32", "float16"):
        flat = Flat(D, kind).add(x)
        # Version 1 sorts gigabytes for few queries: it gets 100.
        few = DeviceArray(queries[:100])
        row("brute1", kind, 0, 1, model.recall(flat.search(queries[:100], K, 1)[1], nearest[:100]),
            CLOCK and 1000 * CLOCK.median(lambda: flat.search(few, K, 1)) / 100)  # fmt: skip
        row("tiles2", kind, 0, 1, model.recall(flat.search(queries, K, 2)[1], nearest), on_clock(lambda: flat.search(there, K, 2)))
        del flat
        start = time.perf_counter()
        groups = Index(D, NLIST, kind).train(x)
        trained = time.perf_counter()
        groups.add(x)
        filled = time.perf_counter()
        if CLOCK:
            print(f"{kind}: trained in {trained - start:.2f} s, filled in {filled - trained:.2f} s, copies included")
        fact("built", kind, "training", trained - start, "s")
        fact("built", kind, "filling", filled - trained, "s")
        rows = Index(D, NLIST, kind, "rows")
        rows.centroids = groups.centroids
        rows.add(x)
        for nprobe in PROBES:
            read = groups.fraction_read(queries, nprobe)
            for name, index, version in (("lists3", rows, 3), ("groups4", groups, 4), ("batches5", groups, 5)):
                found = index.search(queries, K, nprobe, version)[1]
                launch = lambda: index.search(there, K, nprobe, version)  # noqa: B023, E731
                row(name, kind, nprobe, read, model.recall(found, nearest), on_clock(launch))


def faiss_cpu(x, queries, nearest):
    import faiss

    coarse = faiss.IndexFlatL2(D)
    index = faiss.IndexIVFFlat(coarse, D, NLIST)
    index.cp.niter, index.cp.max_points_per_centroid, index.cp.seed = 10, 64, SEED
    index.train(x)
    index.add(x)
    lengths = np.array([index.invlists.list_size(c) for c in range(NLIST)])
    print(f"faiss-cpu {faiss.__version__}, {faiss.omp_get_max_threads()} threads")
    fact("peers", "faiss-cpu", "version", faiss.__version__)
    fact("peers", "faiss-cpu", "threads", faiss.omp_get_max_threads())
    for nprobe in PROBES:
        index.nprobe = nprobe
        ids = index.search(queries, K)[1]
        read = lengths[coarse.search(queries, nprobe)[1]].sum() / (QUERIES * N)
        row("faiss-cpu", "float32", nprobe, read, model.recall(ids, nearest), CLOCK and by_hand(lambda: index.search(queries, K)))


def cuvs(x, queries, nearest):
    import torch
    from cuvs.neighbors import ivf_flat

    there, asked = torch.from_numpy(x).cuda(), torch.from_numpy(queries).cuda()
    index = ivf_flat.build(ivf_flat.IndexParams(n_lists=NLIST, metric="sqeuclidean", kmeans_n_iters=10), there)
    for nprobe in PROBES:
        settings = ivf_flat.SearchParams(n_probes=nprobe)

        def search():
            found = ivf_flat.search(settings, index, asked, K)  # noqa: B023
            torch.cuda.synchronize()
            return found

        ids = torch.as_tensor(search()[1], device="cuda").cpu().numpy()
        # It says nothing of what it reads: of lists of like lengths it is this share.
        row("cuVS", "float32", nprobe, nprobe / NLIST, model.recall(ids, nearest), by_hand(search, 21))


def pytorch(x, queries, nearest):
    """All vectors: a product of matrices, and topk, a thousand queries at a time."""
    import torch

    fact("peers", "PyTorch", "version", torch.__version__)
    there, asked = torch.from_numpy(x).cuda(), torch.from_numpy(queries).cuda()
    norms = (there * there).sum(1)

    def search():
        parts = [torch.topk(norms - 2 * (part @ there.T), K, largest=False)[1] for part in asked.split(1000)]
        torch.cuda.synchronize()
        return torch.cat(parts)

    row("PyTorch", "float32", 0, 1, model.recall(search().cpu().numpy(), nearest), by_hand(search, 5))


def attempt(name, race, *given):
    """A peer that is not there is no mistake; but it is said why."""
    try:
        race(*given)
        return True
    except (ImportError, RuntimeError, AttributeError, TypeError) as error:
        print(f"{name}: not raced: {type(error).__name__}: {str(error).splitlines()[0]}")
        return False


def main():
    device.print_backend()
    x, queries = data.clustered(N, D, QUERIES, SEED)
    distances, nearest = Flat(D).add(x).search(queries, K)
    looked_at = slice(0, 50)
    verify.floats("the k nearest", distances[looked_at], model.search_all(x, queries[looked_at], K)[1].astype(np.float32), 1e-12, 1e-5)
    print(f"n = {N}, d = {D}, {NLIST} lists, {QUERIES} queries, k = {K}")
    ours(x, queries, nearest)
    attempt("faiss-cpu", faiss_cpu, x, queries, nearest)
    if EMULATED:
        print("cuVS, PyTorch: they need a GPU")
    elif not attempt("cuVS", cuvs, x, queries, nearest):
        attempt("PyTorch", pytorch, x, queries, nearest)
    return verify.finish("race")


sys.exit(main())
