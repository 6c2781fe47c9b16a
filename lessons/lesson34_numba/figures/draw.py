"""The page's figures: boxes and arrows, placed by hand."""
from workbook.drawing import Drawing, Style, figure

STYLE = Style("small mono bold mid end light on on2 cell link")


@figure
def path() -> Drawing:
    d = Drawing(
        860, 250, "From a function to a kernel",
        "Above, the way of a function through the compiler: the function and the types of its arguments become "
        "typed intermediate code, that becomes PTX, and PTX runs on the emulator or becomes machine code for a GPU. "
        "Below, the simulator: the function itself runs, once for each thread, as Python, without a compiler.",
        STYLE,
    )
    d.box(20, 30, 150, 60, "on2", "a function", "and its arguments")
    d.box(210, 30, 170, 60, "cell", "types", "float32[::1], int64 ...")
    d.box(420, 30, 150, 60, "cell", "PTX", "by NVVM")
    d.box(640, 10, 200, 60, "on", "GPU", "machine code, by ptxas")
    d.box(640, 82, 200, 60, "on", "emulator", "PTX, each access watched")
    d.arrow(170, 60, 208, 60)
    d.arrow(380, 60, 418, 60)
    d.arrow(570, 52, 638, 40)
    d.arrow(570, 68, 638, 106)
    d.text(189, 22, "mid small", "first call")
    d.box(210, 170, 360, 60, "cell", "simulator", "a thread of Python for each thread of a block")
    d.arrow(95, 90, 208, 190)
    d.text(600, 205, "small", "no types, no PTX, one thread at a time")
    return d


def there(d: Drawing, y: float, words: str) -> None:
    """A copy to the device."""
    d.arrow(115, y, 305, y)
    d.text(210, y - 6, "mid small", words)


def back(d: Drawing, y: float, words: str) -> None:
    """A copy from the device."""
    d.arrow(305, y, 115, y)
    d.text(210, y - 6, "mid small", words)


@figure
def copies() -> Drawing:
    d = Drawing(
        860, 250, "What a launch copies",
        "On the left arrays of NumPy: before the kernel both are copied to the device, after it both are copied "
        "back, the input "
        "too. On the right arrays of the device: nothing is copied.",
        STYLE,
    )
    d.text(210, 24, "mid bold", "kernel(x, y), both of NumPy")
    d.box(20, 60, 90, 60, "on2", "x", "CPU")
    d.box(20, 160, 90, 60, "on2", "y", "CPU")
    d.box(310, 60, 90, 60, "cell", "a copy of x", "device")
    d.box(310, 160, 90, 60, "cell", "a copy of y", "device")
    there(d, 80, "before the kernel")
    back(d, 108, "after it, unchanged")
    there(d, 180, "before, and for nothing")
    back(d, 208, "the result")
    d.text(650, 24, "mid bold", "both on the device")
    d.box(560, 60, 180, 60, "cell", "x", "device")
    d.box(560, 160, 180, 60, "cell", "y", "device")
    d.text(650, 145, "mid small", "no copy, and no wait")
    return d
