"""pytorch.py: PyTorch's matrix-vector product, torch.mv, in fp32 and fp16, and its own int4 kernel, in turns with the lesson's versions. `make record
LESSON=14` builds the library (library.cu) in $FOLDER and runs this.

As in common/turns.h: 3 rounds that warm up, then 21, each in an order of its own; before each run the L2 cache is filled with other data;
the median counts. What was timed is compared with a product in double, or for int4 with one of the weights that the bits stand for.
"""

import ctypes
import os
import random

import torch

from common import record

SHAPES = [(8192, 8192), (28672, 4096), (28672, 8192), (4096, 4096)]
WARMUP, RUNS, GROUP = 3, 21, 128

library = ctypes.CDLL(os.path.join(os.environ["FOLDER"], "library"))
library.lesson14.argtypes = [ctypes.c_int] * 3 + [ctypes.c_void_p] * 5
flush = torch.zeros(2 * torch.cuda.get_device_properties(0).L2_cache_size // 4 + (1 << 18), device="cuda")
nothing = torch.zeros(1, device="cuda")


def ours(version, rows, cols, weights, scales, x):
    """A function that launches a version of the lesson's, and the tensor that has its result. The function holds the tensors: PyTorch gives the memory
    of those that nobody holds to others."""
    stream = torch.cuda.current_stream().cuda_stream
    y = torch.full((rows,), float("nan"), device="cuda")

    def launch():
        pointers = [tensor.data_ptr() for tensor in (weights, scales, x, y)]
        library.lesson14(version, rows, cols, *pointers, stream)

    return launch, y


def dense(dtype, version, rows, cols):
    """Name, function, the tensor that has the result, and what it should be."""
    weights = (2 * torch.rand(rows, cols, device="cuda") - 1).to(dtype)
    x = (2 * torch.rand(cols, device="cuda") - 1).to(dtype)
    exact = torch.cat([part.double() @ x.double() for part in weights.split(2048)])
    theirs = torch.empty(rows, device="cuda", dtype=dtype)
    launch, y = ours(version, rows, cols, weights, nothing, x)
    name = "fp32" if dtype == torch.float32 else "fp16"
    return [
        (f"torch.mv {name}", lambda: torch.mv(weights, x, out=theirs), theirs, exact),
        (f"gemv_kernel{version}", launch, y, exact),
    ]


def int4_of_pytorch(rows, cols):
    """PyTorch's weights of four bits, for bf16; None where this PyTorch has no such kernel, or another one."""
    try:
        q = torch.randint(0, 16, (rows, cols), device="cuda", dtype=torch.int32)
        scales = (0.01 + 0.01 * torch.rand(cols // GROUP, rows, device="cuda")).to(torch.bfloat16)
        both = torch.stack([scales, torch.zeros_like(scales)], dim=2).contiguous()
        packed = torch.ops.aten._convert_weight_to_int4pack((q[:, ::2] << 4 | q[:, 1::2]).to(torch.uint8), 8)
        x = (2 * torch.rand(1, cols, device="cuda") - 1).to(torch.bfloat16)
        wide = scales.t().repeat_interleave(GROUP, dim=1)
        exact = torch.cat([((a - 8).double() * b.double()) @ x[0].double() for a, b in zip(q.split(2048), wide.split(2048))])
        launch = lambda: torch.ops.aten._weight_int4pack_mm(x, packed, GROUP, both)
        return "torch int4 (bf16)", launch, launch()[0], exact
    except (RuntimeError, AttributeError) as error:
        print("no int4 kernel of PyTorch:", str(error).splitlines()[0])
        return None


def int4_of_lesson(rows, cols):
    bits = torch.randint(-(2**31), 2**31 - 1, (rows, cols // 8), device="cuda", dtype=torch.int32)
    scales = (0.01 + 0.01 * torch.rand(rows, cols // GROUP, device="cuda")).half()
    x = (2 * torch.rand(cols, device="cuda") - 1).half()
    shifts = torch.tensor([0, 16, 4, 20, 8, 24, 12, 28], device="cuda")
    wide = scales.repeat_interleave(GROUP, dim=1)
    exact = torch.cat(
        [
            (((a[:, :, None] >> shifts & 15) - 8).reshape(a.shape[0], cols).double() * b.double()) @ x.double()
            for a, b in zip(bits.split(2048), wide.split(2048))
        ]
    )
    launch, y = ours(10, rows, cols, bits, scales, x)
    return "gemv_kernel10", launch, y, exact


def once(launch):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.sum()
    start.record()
    launch()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop)


def race(rows, cols):
    table = dense(torch.float32, 5, rows, cols) + dense(torch.float16, 8, rows, cols)
    table += [row for row in (int4_of_pytorch(rows, cols), int4_of_lesson(rows, cols)) if row]
    times = [[] for _ in table]
    for run in range(-WARMUP, RUNS):
        for k in random.sample(range(len(table)), len(table)):
            milliseconds = once(table[k][1])
            if run >= 0:
                times[k].append(milliseconds)
    print(f"{rows} x {cols}")
    record.part(f"{rows} x {cols}")
    for (name, _, y, exact), each in zip(table, times):
        off = ((y.double() - exact).norm() / exact.norm()).item()
        median = sorted(each)[RUNS // 2]
        print(f"{name:20}{median:10.4f} ms{min(each):10.4f} ..{max(each):10.4f}")
        if not off < 0.02:
            raise SystemExit(f"{name}, {rows} x {cols}: the result is wrong by {100 * off:.1f} %")
        for column, value in (("ms", median), ("shortest", min(each)), ("longest", max(each))):
            record.row(name, column, value, "ms")
    print(flush=True)


random.seed(1)
torch.manual_seed(1)
print("PyTorch", torch.__version__, "CUDA", torch.version.cuda)
for shape in SHAPES:
    race(*shape)
