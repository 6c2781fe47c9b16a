"""Lesson 35: an index for nearest neighbours, IVF-Flat, of our own kernels. The capstone: products, sums, scans, sorting
and warps together, in a package for Python.

    make lesson35 run                 every step, verified against the CPU
    make lesson35 run V=4             that step alone; SIZE= (vectors) and SEED= as everywhere
    make lesson35 run V=6 SIZE=20000          recall of more vectors; with a GPU take 1000000

The job: for each query the k nearest of n vectors. Five versions of the search, one idea each, and what else an index needs:

    brute1          every distance in memory, then all of them sorted
    tiles2          tiles in shared memory; a warp keeps its best in registers, and no distance is stored
    lists3          k-means and lists: few of the vectors are read
    groups4         32 vectors interleaved, 16 bytes each: every load of a warp is one piece of memory
    batches5        queries sorted by list: what is loaded once serves four of them
    recall6         what is found, against what is read; uniform data, too
    halves7         vectors as fp16, sums as fp32
    package8        errors, threads, and arrays on the device

Nothing here needs a GPU; with one, the same package runs on it. The package is in package/, what it is compared with in model.py.
"""

# wheel: package
# kernels: package/src/search.cu
# sizes: 0 1 31 33 1000

import importlib.util
import sys
import threading

import data
import ivf_flat
import model
import numpy as np
from common import bench, device, record, verify
from ivf_flat import CudaError, DeviceArray, Flat, Index

D, K, QUERIES, MANY = 128, 10, 65, 260
WITH_TORCH = importlib.util.find_spec("torch") and not device.is_emulator()
RTOL = 1e-5  # a sum of 128 squares in fp32 is wrong by less

# ---------------------------------------------------------------- the CPU reference


def is_right(name, x, queries, result, k):
    """Distances are those of the ids that are there, in order, of equal ones the smaller id first, none twice; and nothing
    that was left out is nearer."""
    distances, ids = result
    count = min(k, len(x))
    verify.fact(f"{name}: places that are filled", (ids >= 0).sum(1).tolist(), [count] * len(queries))
    verify.fact(f"{name}: no id twice", [len(set(row[:count])) for row in ids.tolist()], [count] * len(queries))
    verify.fact(f"{name}: the rest is infinite", bool(np.isinf(distances[:, count:]).all()), True)
    rises = (distances[:, 1:] > distances[:, :-1]) | ((distances[:, 1:] == distances[:, :-1]) & (ids[:, 1:] > ids[:, :-1]))
    verify.fact(f"{name}: in order", bool(rises[:, : max(count - 1, 0)].all()), True)
    own = np.array([model.exact(x[row[:count]], q) for row, q in zip(ids, queries)], np.float32).reshape(len(queries), count)
    verify.floats(f"{name}: distances of what was found", np.ascontiguousarray(distances[:, :count]), own, 1e-12, RTOL)
    _, nearest = model.search_all(x, queries, k)
    verify.floats(f"{name}: the k nearest", np.ascontiguousarray(distances), nearest.astype(np.float32), 1e-12, RTOL)


def is_same(name, found, expected):
    """To the bit: ids and distances."""
    verify.floats(f"{name}: distances", found[0], expected[0], 0, 0)
    verify.fact(f"{name}: ids", bool(np.array_equal(found[1], expected[1])), True)


# ---------------------------------------------------------------- what the steps search


def lists_for(n):
    """A power of two: about twice the root of n, and fewer where a list would have less than 50 vectors."""
    nlist = 1
    while nlist * nlist < 4 * n and 100 * nlist <= n:
        nlist *= 2
    return nlist


def build(x, nlist, **how):
    index = Index(x.shape[1], nlist, **how)
    if len(x) < nlist:
        index.centroids = np.zeros((nlist, x.shape[1]), np.float32)
    else:
        index.train(x)
    return index.add(x)


class Job:
    """Vectors, queries and what the indexes over them share, made when first asked for."""

    def __init__(self, n, seed):
        self.n, self.seed, self.nlist, self.kept = n, seed, lists_for(n), {}
        self.x, self.many = data.clustered(n, D, MANY, seed)
        self.queries = self.many[:QUERIES]

    def once(self, name, make):
        if name not in self.kept:
            self.kept[name] = make()
        return self.kept[name]

    def flat(self):
        return self.once("flat", lambda: Flat(D).add(self.x))

    def nearest(self):
        return self.once("nearest", lambda: self.flat().search(self.queries, K))

    def groups(self):
        return self.once("groups", lambda: build(self.x, self.nlist))

    def rows(self):
        """The same lists, rows in the place of groups."""
        def make():
            index = Index(D, self.nlist, layout="rows")
            index.centroids = self.groups().centroids
            return index.add(self.x)

        return self.once("rows", make)


# ---------------------------------------------------------------- the steps


def brute1(job):
    """A thread for each distance, a key of 8 bytes for each in memory, and a bitonic sort of them all."""
    is_right("brute1", job.x, job.queries, job.flat().search(job.queries, K, version=1), K)
    print(f"    {QUERIES} queries, {job.n} vectors of {D} numbers: {8 * QUERIES * job.n} bytes of distances and ids")


def tiles2(job):
    """Nothing is stored but k keys for each query and part. The distances are those of version 1, to the bit."""
    found = job.flat().search(job.queries, K, version=2)
    is_right("tiles2", job.x, job.queries, found, K)
    is_same("tiles2 and brute1", found, job.flat().search(job.queries, K, version=1))
    for k in (1, 32, 33, 128):
        is_same(f"tiles2, k = {k}", job.flat().search(job.queries, k, 2), job.flat().search(job.queries, k, 1))
    print("    the same as version 1, for k = 1, 10, 32, 33 and 128")


def check_training(job, index):
    """Each vector is in the list of a nearest centroid, and the lists have all ids, in their order."""
    lists = index.assignment(job.x)
    centroids = index.centroids
    own = model.exact(job.x, centroids[lists])
    least = model.squares(job.x.astype(np.float64), centroids.astype(np.float64)).min(1, initial=np.inf)
    verify.floats("distance to the own centroid", own.astype(np.float32), least.astype(np.float32), 1e-3, 1e-4)
    for c, ids in enumerate(index.lists() if job.n else []):
        verify.fact(f"list {c}", ids.tolist(), np.flatnonzero(lists == c).tolist())
    if job.n < job.nlist:
        return
    # One round from the same start: the means of the clusters that it begins with.
    sample = job.x[index.sample_of(job.n)]
    begin, after = Index(D, job.nlist).train(job.x, rounds=0), Index(D, job.nlist).train(job.x, rounds=1)
    verify.floats("where centroids begin", begin.centroids, sample[: job.nlist], 0, 0)
    lists = begin.assignment(sample)
    expected = model.update(sample, lists, begin.centroids)
    model.refill_empty(expected, lists, sample)
    verify.floats("centroids after one round", after.centroids, expected, 1e-4, 1e-4)
    before, later = (model.exact(job.x, i.centroids[i.assignment(job.x)]).mean() for i in (begin, index))
    verify.fact("ten rounds bring centroids nearer", bool(later <= before), True)
    print(f"    mean square of the distance to a centroid: {before:.1f} at first, {later:.1f} after 10 rounds")


def lists3(job):
    """Training, lists, and a search that reads some of them. With all lists it finds what brute force finds."""
    index = job.rows()
    check_training(job, index)
    is_same("all lists", index.search(job.queries, K, job.nlist), job.nearest())
    again = build(job.x, job.nlist, layout="rows")
    is_same("built again", again.search(job.queries, K, 1), index.search(job.queries, K, 1))
    verify.floats("centroids of a second training", again.centroids, index.centroids, 0, 0)
    lengths = index.list_lengths()
    print(f"    {job.nlist} lists of {lengths.min()} to {lengths.max()} vectors; all of them searched: what version 2 finds")


def nprobes(job):
    return sorted({1, min(2, job.nlist), min(5, job.nlist), job.nlist})


def groups4(job):
    """The same lists, laid out in groups of 32: the same result, from other loads."""
    for nprobe in nprobes(job):
        is_same(f"groups4, nprobe = {nprobe}", job.groups().search(job.queries, K, nprobe, 4), job.rows().search(job.queries, K, nprobe, 3))
    in_parts = Index(D, job.nlist)
    in_parts.centroids = job.groups().centroids
    for part in np.split(job.x, [job.n // 3, job.n // 3, job.n // 2]):
        in_parts.add(part)
    verify.fact("vectors that were added in four calls", in_parts.ntotal, job.n)
    is_same("added in four calls", in_parts.search(job.queries, K, job.nlist, 4), job.nearest())
    print("    the same as version 3; added in four calls: the same again")


def batches5(job):
    """Pairs of query and list, sorted by list as the vectors were."""
    for nprobe in nprobes(job):
        for k in (1, 100):
            is_same(f"batches5, nprobe = {nprobe}, k = {k}", job.groups().search(job.queries, k, nprobe, 5), job.groups().search(job.queries, k, nprobe, 4))
    for count in (0, 1, 2, 3, 5):
        is_same(f"batches5, {count} queries", job.groups().search(job.queries[:count], K, 1, 5), job.groups().search(job.queries[:count], K, 1, 4))
    print("    the same as version 4, for 0 to 65 queries")


def ladder(nlist):
    """Numbers of probes: 1, 2, 4, 8 ... and those between from 8 on, up to a fifth of the lists."""
    steps = {2**e for e in range(12)} | {3 * 2**e for e in range(2, 10)}
    return sorted(p for p in steps if p == 1 or p <= nlist // 5)


def show_recall(name, index, queries, nearest, flat):
    print(f"\n    {name}, n = {index.ntotal}, {index.nlist} lists\n    {'nprobe':>8}  {'% read':>8}  {'recall@10':>10}")
    rows, lists = [], np.empty(index.ntotal, np.int32)
    for c, ids in enumerate(index.lists()):
        lists[ids] = c
    for nprobe in ladder(index.nlist):
        found = index.search(queries, K, nprobe)
        probes = index.probes(queries, nprobe)
        # The versions agree to the bit, so it is known what must be found.
        reached = model.reached(nearest[1], lists, probes)
        recall, expected = model.recall(found[1], nearest[1]), reached.sum() / nearest[1].size
        verify.fact(f"{name}, nprobe = {nprobe}: recall", recall, expected)
        rows.append((nprobe, 100 * index.fraction_read(queries, nprobe), recall))
        print(f"    {nprobe:8}  {rows[-1][1]:8.2f}  {recall:10.4f}", flush=True)
    verify.floats(name, flat.search(queries[:5], K, 2)[0], nearest[0][:5], 0, 0)
    return rows


def recall6(job):
    """Of the ten nearest, how many are found, and how much is read for that."""
    if job.n < 1000:
        print("    that says something from 1000 vectors on")
        is_same("recall6", job.groups().search(job.queries, K, job.nlist), job.nearest())
        return
    rows = show_recall("clustered", job.groups(), job.queries, job.nearest(), job.flat())
    if job.n >= 1000000:
        verify.fact("recall of 0.95 with less than 5 % read", any(read < 5 and recall >= 0.95 for _, read, recall in rows), True)
    if not device.is_emulator() or job.n < 100000:  # the second training and filling take as long as the first
        x, queries = data.uniform(job.n, D, QUERIES, job.seed)
        flat = Flat(D).add(x)
        show_recall("uniform", build(x, job.nlist), queries, flat.search(queries, K), flat)
    print()


def halves7(job):
    """Half the bytes. What is kept is x rounded to fp16; of that the distances are exact as before."""
    rounded = job.x.astype(np.float16).astype(np.float32)
    flat = Flat(D, "float16").add(job.x)
    nearest = flat.search(job.queries, K)
    is_right("halves7", rounded, job.queries, nearest, K)
    is_same("halves7, version 1", flat.search(job.queries, K, 1), nearest)
    for layout, version in (("rows", 3), ("groups", 4), ("groups", 5)):
        index = Index(D, job.nlist, "float16", layout)
        index.centroids = job.groups().centroids
        index.add(job.x)
        is_same(f"halves7, version {version}", index.search(job.queries, K, job.nlist, version), nearest)
    print(f"    of what fp32 finds, fp16 finds {100 * model.recall(nearest[1], job.nearest()[1]):.1f} %")


def raised_by(call):
    """The exception that a call ends with, or None."""
    try:
        call()
    except Exception as error:  # whatever it is: the steps compare it
        return error
    return None


def check_edges(seed):
    """Equal vectors, lengths that are no multiple of 4, k above what is there, empty lists, NaN."""
    x = verify.random((100, 5), -1, 1, seed)
    twice = np.concatenate([x, x, x[:50]])
    for dtype in ("float32", "float16"):
        flat, index = Flat(5, dtype).add(twice), build(twice, 4, dtype=dtype)
        nearest = flat.search(x, 128)
        is_same("duplicates", index.search(x, 128, 4), nearest)
        verify.fact("of equal vectors the first one comes first", nearest[1][:50, :3].tolist(), [[i, 100 + i, 200 + i] for i in range(50)])
    same = Index(3, 8).train(np.ones((64, 3)))
    verify.fact("of one vector, again and again, one list is made", sorted(same.add(np.ones((64, 3))).list_lengths().tolist()), [0] * 7 + [64])
    verify.fact("seven clusters were empty in each of ten rounds", same.refilled, 70)
    verify.fact("k above what is there", same.search(np.ones((1, 3)), 100, 8)[1].tolist(), [[*range(64)] + [-1] * 36])
    for d in (1, 3, 8, 20, 33):
        wide = verify.random((300, d), -1, 1, seed + d)
        flat = Flat(d).add(wide)
        is_right(f"d = {d}", wide, wide[:7], flat.search(wide[:7], K), K)
        is_same(f"d = {d}", build(wide, 4).search(wide[:7], K, 4), flat.search(wide[:7], K, 1))
    wide = verify.random((60, 2048), -1, 1, seed)
    is_same("the largest d, the largest k", build(wide, 2).search(wide[:5], 128, 2), Flat(2048).add(wide).search(wide[:5], 128, 1))
    many = verify.random((400, 2), -1, 1, seed)
    index = build(many, 200)
    is_same("nprobe above 128", index.search(many[:20], K, 200), Flat(2).add(many).search(many[:20], K))
    for version in (4, 5):
        empty = Index(2, 3).train(many[:3], 0)
        verify.fact("an empty index", empty.search(many[:2], 2, 3, version)[1].tolist(), [[-1, -1], [-1, -1]])
    x[7, 3] = np.nan
    large = np.full((10, 2), 70000.0)
    verify.fact("70000 as fp32", Flat(2).add(large).ntotal, 10)
    for what, call in (
        ("NaN among the vectors", lambda: build(x, 4)),
        ("70000 as fp16", lambda: Flat(2, "float16").add(large)),
        ("NaN in a query", lambda: flat.search(np.full((1, 33), np.nan), 1)),
        ("k = 0", lambda: index.search(many, 0, 1)),
        ("k = 129", lambda: index.search(many, 129, 1)),
        ("nprobe above nlist", lambda: index.search(many, 1, 201)),
        ("d = 2049", lambda: Flat(2049)),
        ("another d", lambda: index.search(many[:, :1], 1, 1)),
        ("too few vectors to train", lambda: Index(2, 5).train(many[:4])),
    ):
        verify.fact(what, type(raised_by(call)).__name__, "ValueError")
    print(f"    ValueError: {raised_by(lambda: build(x, 4))}")


def from_device(array):
    """A DeviceArray as NumPy has it, by way of PyTorch where that is."""
    if WITH_TORCH:
        import torch

        return torch.from_dlpack(array).cpu().numpy()
    return array.numpy()


def check_devices(job):
    """Arrays of others, by DLPack; the results come back on the device, too. When all of them have gone, so has their memory."""
    nearest, centroids = job.nearest(), job.groups().centroids
    before = ivf_flat._ivf.bytes_held()

    def search():
        index = Index(D, job.nlist)
        index.centroids = centroids
        index.add(DeviceArray(job.x))
        queries = DeviceArray(job.queries)
        distances, ids = index.search(queries, K, job.nlist)
        is_same("arrays on the device", (distances.numpy(), ids.numpy()), nearest)
        if WITH_TORCH:
            import torch

            queries = torch.from_numpy(job.queries).cuda()
        distances, ids = index.search(queries, K, job.nlist)
        is_same("arrays of another library", (from_device(distances), from_device(ids)), nearest)

    search()
    verify.fact("bytes that are held", ivf_flat._ivf.bytes_held(), before)


def package8(job):
    """What is refused, what several threads get, and who frees what."""
    check_edges(job.seed)
    check_devices(job)
    expected, found = job.groups().search(job.queries, K, 1), [None] * 4

    def search(i):
        found[i] = job.groups().search(job.queries, K, 1)

    threads = [threading.Thread(target=search, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, result in enumerate(found):
        is_same(f"thread {i}", result, expected)
    verify.fact("CudaError", issubclass(CudaError, Exception), True)
    print("    four threads search one index, each gets what one alone gets; arrays on the device: no copy")


# ---------------------------------------------------------------- main


def searches(job, nprobe):
    """Version by version, on queries that are on the device already."""
    there = DeviceArray(job.many)
    flat, rows, groups = job.flat(), job.rows(), job.groups()
    return [
        ("brute1", lambda: flat.search(there, K, 1), 1.0),
        ("tiles2", lambda: flat.search(there, K, 2), 1.0),
        ("lists3", lambda: rows.search(there, K, nprobe, 3), groups.fraction_read(job.many, nprobe)),
        ("groups4", lambda: groups.search(there, K, nprobe, 4), groups.fraction_read(job.many, nprobe)),
        ("batches5", lambda: groups.search(there, K, nprobe, 5), groups.fraction_read(job.many, nprobe)),
    ]


def measure(job):
    """For each pair of a query and a vector: what is executed and loaded; on a GPU the time of a query."""
    nprobe, clock = min(8, job.nlist), None if device.is_emulator() else bench.Clock()
    heads = ("% read", "us / query") if clock else ("% read", "instructions", "sectors", "sectors")
    print(f"\n{'':10}" + "".join(f"  {head:>12}" for head in heads))
    if not clock:
        print(f"{'version':10}  {'':>12}  {'/ pair':>12}  {'/ pair':>12}  {'/ load':>12}")
    for name, launch, read in searches(job, nprobe):
        if clock:
            cells = (100 * read, 1000 * clock.median(launch) / MANY)
            record.row(name, "% read", cells[0], "%")
            record.row(name, "us", cells[1], "us")
        else:
            c = bench.counted(launch)
            pairs = max(MANY * job.n, 1)
            cells = (100 * read, c["threads"] / pairs, c["load_sectors"] / pairs, c["load_sectors"] / max(c["loads"], 1))
        print(f"{name:10}" + "".join(f"  {cell:12.2f}" for cell in cells))
    print()


def main():
    options = device.read_options(versions=8)
    device.print_backend()
    n = options.size if options.size is not None else 3200 if device.is_emulator() else 1000000
    job = Job(n, options.seed)
    steps = [brute1, tiles2, lists3, groups4, batches5, recall6, halves7, package8]
    for version, step in enumerate(steps, 1):
        if options.version in (0, version):
            print(f"\n{step.__name__}:", flush=True)
            step(job)
    if options.version == 0:
        measure(job)
    return verify.finish("the nearest neighbours")


if __name__ == "__main__":
    sys.exit(main())
