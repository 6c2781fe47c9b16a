"""bench.py - how good is each version? One aligned table, as in bench.h: measured on a GPU, counted on the emulator.

    table = bench.Table(bytes)                           that a version moves, for the copy that it is compared with
    table.run("gelu_forward", launch, n, bytes)          launch() queues work in the default stream, and does not wait
    table.finish()

On a GPU a row is the median of 21 runs between two events, after 3 that warm up; before each, a buffer of 1 GB is
filled. So no run finds its input in the L2 cache, and the GPU is busy while Python queues the run: otherwise it would
wait for Python between the two events. The first row is cudaMemcpyAsync, of as many bytes. The emulator has no clock that
is meaningful for a GPU: there a version runs once, and the table shows its memory requests.
"""

import ctypes
import statistics

from common import device, record

WARM_UP, RUNS = 3, 21
DEVICE_TO_DEVICE = 3  # cudaMemcpyDeviceToDevice
FLUSH_SIZE = 1 << 30  # larger than any L2 cache; an H200 fills it in 0.2 ms or more
# struct emulatorCounters of emulator/emulator.h begins with these, 64 bits each.
COUNTERS = ("launches", "warps", "threads", "loads", "load_sectors", "stores", "store_sectors")


def counted(launch):
    """The requests of the launch, by the names of COUNTERS."""
    values = (ctypes.c_uint64 * len(COUNTERS))()
    device.runtime().emulatorCountersStart()
    launch()
    device.runtime().emulatorCountersStop(values, ctypes.c_size_t(ctypes.sizeof(values)))
    return dict(zip(COUNTERS, values))


def allocate(size):
    memory = ctypes.c_void_p()
    device.check(device.runtime().cudaMalloc(ctypes.byref(memory), ctypes.c_size_t(size)), "cudaMalloc")
    return memory


class Clock:
    """Times work in the default stream, on a GPU. `flush_size`: bytes to be filled before each run; more of them where Python needs longer."""

    def __init__(self, flush_size=FLUSH_SIZE):
        self.cuda, self.flush_size = device.runtime(), flush_size
        self.flush = allocate(flush_size)
        self.start, self.stop = ctypes.c_void_p(), ctypes.c_void_p()
        device.check(self.cuda.cudaEventCreate(ctypes.byref(self.start)), "cudaEventCreate")
        device.check(self.cuda.cudaEventCreate(ctypes.byref(self.stop)), "cudaEventCreate")

    def once(self, launch):
        milliseconds = ctypes.c_float()
        self.cuda.cudaMemsetAsync(self.flush, 0, ctypes.c_size_t(self.flush_size), None)
        self.cuda.cudaEventRecord(self.start, None)
        launch()
        self.cuda.cudaEventRecord(self.stop, None)
        device.check(self.cuda.cudaEventSynchronize(self.stop), "what was timed")
        device.check(self.cuda.cudaEventElapsedTime(ctypes.byref(milliseconds), self.start, self.stop), "the events")
        return milliseconds.value

    def median(self, launch, warm_up=WARM_UP, runs=RUNS):
        return statistics.median([self.once(launch) for _ in range(warm_up + runs)][warm_up:])


class Table:
    def __init__(self, size):
        self.rows = []
        self.clock = None if device.is_emulator() else Clock()
        if self.clock:
            self.add_copy(max(size // 2, 16))  # also for a version that moves no bytes

    def add_copy(self, size):
        source, target = allocate(size), allocate(size)
        device.runtime().cudaMemset(source, 0, ctypes.c_size_t(size))  # initcheck follows copies
        copy = device.runtime().cudaMemcpyAsync
        self.run("cudaMemcpy", lambda: copy(target, source, ctypes.c_size_t(size), DEVICE_TO_DEVICE, None), 0, 2 * size)
        device.runtime().cudaFree(source)
        device.runtime().cudaFree(target)

    def run(self, name, launch, elements, size):
        self.rows.append((name, elements, size, self.clock.median(launch) if self.clock else counted(launch)))

    def finish(self):
        print()
        (self.print_times if self.clock else self.print_counts)()
        print()

    def print_times(self):
        print(f"{'version':16}  {'ms':>12}  {'GB/s':>12}  {'% of copy':>12}")
        _, _, copy_size, copy = self.rows[0]
        for name, elements, size, milliseconds in self.rows:
            speed = size / 1e6 / milliseconds if size else 0
            cells = (speed, 100 * speed * copy / (copy_size / 1e6))
            self.record(name, milliseconds, elements, cells if size else ())
            print(f"{name:16}  {milliseconds:12.4f}" + "".join(f"  {x:12.1f}" if size else f"  {'-':>12}" for x in cells))

    @staticmethod
    def record(name, milliseconds, elements, cells):
        record.row(name, "ms", milliseconds, "ms")
        if elements:
            record.row(name, "elements", elements)
        for (column, unit), value in zip((("GB/s", "GB/s"), ("% of copy", "%")), cells):
            record.row(name, column, value, unit)

    def print_counts(self):
        print(f"{'':16}  {'instructions':>12}  {'sectors':>12}  {'sectors':>12}")
        print(f"{'version':16}  {'per element':>12}  {'per load':>12}  {'per store':>12}")
        for name, elements, _, c in self.rows:
            cells = ((c["threads"], elements), (c["load_sectors"], c["loads"]), (c["store_sectors"], c["stores"]))
            print(f"{name:16}" + "".join(f"  {a / b:12.2f}" if b else f"  {'-':>12}" for a, b in cells))
