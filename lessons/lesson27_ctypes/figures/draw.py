"""The page's figures: boxes and arrows, placed by hand."""
from workbook.drawing import Drawing, Style, figure

STYLE = Style("small mono bold mid end light on on2 cell link")


@figure
def border() -> Drawing:
    d = Drawing(
        860, 250, "From Python to the GPU",
        "Three regions side by side. Python: an array, and ctypes, which turns objects into numbers and addresses. "
        "The library: C functions, which know nothing of Python. The device: memory and kernels. Over the first "
        "border go addresses, lengths and a return code; over the second, copies and launches.",
        STYLE,
    )
    d.box(20, 50, 230, 60, "on2", "x, an array of NumPy", "type, shape, strides, owner")
    d.box(20, 140, 230, 60, "cell", "ctypes", "argtypes, restype")
    d.arrow(135, 110, 135, 138)
    d.box(340, 95, 200, 60, "on", "libgelu.so", "gelu_forward(x, y, n, stream)")
    d.arrow(250, 160, 338, 130)
    d.arrow(338, 146, 252, 184)
    d.text(262, 128, "small", "address, n")
    d.text(276, 192, "small", "a code")
    d.box(630, 50, 210, 60, "cell", "device memory", "the allocator frees")
    d.box(630, 140, 210, 60, "cell", "gelu_kernel", "runs when the stream is there")
    d.arrow(540, 112, 628, 82)
    d.arrow(540, 138, 628, 168)
    d.text(556, 82, "small", "copies")
    d.text(552, 176, "small", "a launch")
    d.text(135, 30, "mid bold", "Python")
    d.text(440, 30, "mid bold", "C")
    d.text(735, 30, "mid bold", "GPU, or emulator")
    d.text(
        430, 232, "mid small", "type, shape and owner stay on the left: an address takes none of them along"
    )
    return d


def threads(d: Drawing, y: float, head: str, back: float, second: float, words: str) -> None:
    """Two threads over time: when the first comes back from the library, and when the second runs."""
    d.text(20, y - 12, "bold", head)
    d.text(110, y + 16, "small end", "thread 1")
    d.cell(120, y, 110, "cell", "hold, launch")
    d.cell(230, y, back - 230, "on", "synchronize")
    d.cell(back, y, 100, "cell", "continues")
    d.text(110, y + 56, "small end", "thread 2")
    d.cell(second, y + 40, 100, "on2", "release")
    d.text(660, y + 36, "small", words)


@figure
def gil() -> Drawing:
    d = Drawing(
        860, 250, "Two threads and the GIL",
        "Thread 1 waits in the library for work that is queued after a gate, and thread 2 opens the gate. With CDLL "
        "thread 2 runs while thread 1 waits. With PyDLL it runs only when thread 1 has returned, because the gate "
        "has given up.",
        STYLE,
    )
    threads(d, 40, "CDLL gives the GIL back", 400, 290, "thread 2 opens the gate")
    threads(d, 160, "PyDLL keeps it", 540, 540, "the gate has given up")
    d.arrow(390, 80, 399, 66)
    return d
