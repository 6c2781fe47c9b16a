"""tune_decode.py LIBRARY - lesson 20's decode with chunks of other sizes, in turns in one process with a copy of as many bytes. Needs PyTorch and a GPU.
LIBRARY: parts.cu, built as a library.

The problems are those of the program, 32 heads, 8 of K and V: half of a sequence's keys lie in pages that it has in common with the first one. The
last problem has no such pages. A row is a median of turns, timed as in race.py. What was timed must agree with version 1, which has no chunks.
"""

import ctypes
import random
import statistics
import sys

import race
import torch
from common import bench, device, record, verify

TURNS, HEADS, HEADS_KV, D, PAGE = 11, 32, 8, 128, 16
PROBLEMS = (1, 131072, True), (4, 32768, True), (16, 16384, True), (64, 4096, True), (64, 4096, False)
CHUNKS = 256, 512, 1024, 2048, 4096


def make_table(lengths, in_common):
    """The numbers of the pages of each sequence, in an order made by chance, and how many pages there are."""
    pages = [-(-length // PAGE) for length in lengths]
    common = [min(length, lengths[0]) // PAGE // 2 if in_common and s > 0 else 0 for s, length in enumerate(lengths)]
    order = list(range(sum(pages) - sum(common)))
    random.shuffle(order)
    rows, given = [], 0
    for own, shared in zip(pages, common):
        first = rows[0][:shared] if rows else []
        rows.append(first + order[given : given + own - shared])
        given += own - shared
    return [row + [0] * (max(pages) - len(row)) for row in rows], given


class Problem:
    def __init__(self, library, sequences, longest, in_common):
        self.library = library
        self.lengths = [longest - longest // 2 * s // sequences for s in range(sequences)]
        table, pages = make_table(self.lengths, in_common)
        make = lambda *shape: torch.randn(*shape, device="cuda", dtype=torch.bfloat16)  # noqa: E731
        self.q, self.k, self.v = make(sequences, HEADS, D), make(pages, HEADS_KV, PAGE, D), make(pages, HEADS_KV, PAGE, D)
        self.table, self.on_device = (torch.tensor(x, device="cuda", dtype=torch.int32) for x in (table, self.lengths))
        self.bytes = 2 * D * (2 * sum(self.lengths) * HEADS_KV + 2 * sequences * HEADS)
        self.outputs = {}

    def chunk(self):
        n = len(self.lengths)
        return self.library.lesson20_decode_chunk(n, HEADS, HEADS_KV, (ctypes.c_int * n)(*self.lengths))

    def version(self, name, number, chunk):
        chunks, n = -(-max(self.lengths) // chunk), len(self.lengths)
        out, partial, sums = (torch.full(shape, torch.nan, device="cuda", dtype=kind)
                              for shape, kind in (((n, HEADS, D), torch.bfloat16), ((n, HEADS, chunks, D), torch.float32),
                                                  ((n, HEADS, chunks), torch.float32)))  # fmt: skip
        tensors = self.q, self.k, self.v, self.table, self.on_device, out, partial, sums
        addresses = (ctypes.c_void_p * len(tensors))(*(t.data_ptr() for t in tensors))
        sizes = (ctypes.c_int * 7)(n, HEADS, HEADS_KV, PAGE, len(self.table[0]), chunk, chunks)
        self.outputs[name] = out, tensors

        def call():
            stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
            self.library.lesson20_decode(number, sizes, addresses, stream)

        return call

    def copy(self):
        source, target = (torch.zeros(self.bytes // 2, device="cuda", dtype=torch.uint8) for _ in range(2))
        return lambda: target.copy_(source)

    def ways(self):
        found = {"copy": self.copy(), "version 1": self.version("version 1", 1, 4096), "version 2": self.version("version 2", 2, 4096)}
        found["as it is"] = self.version("as it is", 3, self.chunk())
        return found | {f"chunks of {chunk}": self.version(f"chunks of {chunk}", 3, chunk) for chunk in CHUNKS}


def compare(p):
    expected = p.outputs["version 1"][0].float()
    for name, (out, _) in p.outputs.items():
        error = 100 * float((out.float() - expected).pow(2).mean().sqrt() / expected.pow(2).mean().sqrt())
        verify.tally["comparisons"] += 1
        verify.fact(f"{name}: within 2 % of version 1", error < 2, True)


def main():
    device.print_backend()
    random.seed(1)
    torch.manual_seed(1)
    library = race.load(sys.argv[1])
    clock = bench.Clock(race.FLUSH_SIZE)
    for sequences, longest, in_common in PROBLEMS:
        p = Problem(library, sequences, longest, in_common)
        taken = race.time_in_turns(clock, p.ways(), TURNS)
        copy = statistics.median(taken["copy"])
        kind = f"{sequences} x {longest}" + ("" if in_common else ", no common pages")
        print(f"decode: {kind}; as it is: chunks of {p.chunk()}")
        record.part(kind)
        record.row("as it is", "keys of a chunk", p.chunk())
        for name, times in taken.items():
            median = statistics.median(times)
            print(f"{name:16}  {median:9.4f} ms  {min(times):9.4f} .. {max(times):9.4f}  {p.bytes / median / 1e6:8.1f} GB/s  "
                  f"{100 * copy / median:6.1f} % of copy", flush=True)  # fmt: skip
            race.record_times(name, times, p.bytes / median / 1e6, "GB/s")
            record.row(name, "% of copy", 100 * copy / median, "%")
        compare(p)
    return verify.finish("tune_decode")


if __name__ == "__main__":
    sys.exit(main())
