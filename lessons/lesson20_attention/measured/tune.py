"""tune.py NAME=VERSIONS... - variants of lesson 20, each a library of parts.cu, $FOLDER/NAME, in turns in one process with the kernels behind PyTorch's
scaled_dot_product_attention. VERSIONS: the numbers of those to be timed, 3,4,5 for example. Needs PyTorch and a GPU; record.list has them all.

A row is a median of turns, timed as in race.py. What was timed is compared with what FlashAttention-2 writes.
"""

import random
import sys

import race
import torch
from common import bench, device, verify

TURNS = 11


def read_variants(arguments):
    """{name: (library, versions)}"""
    named = (argument.split("=") for argument in arguments)
    return {name: (race.load(name), versions.split(",")) for name, versions in named}


def race_variants(clock, variants, n, causal):
    p = race.Problem(max(1, race.TOKENS // n), n, causal)
    ours = {f"{name:18} version {v}": p.version(library, int(v)) for name, (library, versions) in variants.items() for v in versions}
    race.compare_speeds(clock, p, ours, TURNS)


def main():
    device.print_backend()
    random.seed(1)
    torch.manual_seed(1)
    variants = read_variants(sys.argv[1:])
    clock = bench.Clock(race.FLUSH_SIZE)
    for causal in False, True:
        for n in race.sizes(1024, 4096, 16384):
            race_variants(clock, variants, n, causal)
    return verify.finish("tune")


if __name__ == "__main__":
    sys.exit(main())
