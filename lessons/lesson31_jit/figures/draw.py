"""The page's figures: boxes and arrows, placed by hand."""
from workbook.drawing import Drawing, Style, figure

STYLE = Style("small mono bold mid light on on2 cell off wire link", wire="stroke: #1a1a1a; stroke-width: 1.2;")


@figure
def call() -> Drawing:
    d = Drawing(
        860, 270, "What a call does",
        "A call looks for its kernel in memory, by operator, type, width and flags. If it is not there, it looks on "
        "disk, by a hash of source, flags, architecture and compiler version. If it is not there either, the "
        "compiler is asked, and its image is put on disk. The image is loaded, and the kernel kept in memory. Then "
        "it is launched.",
        STYLE,
    )
    d.box(20, 100, 170, 54, "on2", 'call_jit("gelu", x)', "type, width, flags")
    d.box(250, 20, 170, 54, "cell", "memory", "of this process")
    d.box(250, 100, 170, 54, "cell", "disk", "of all processes")
    d.box(250, 190, 170, 54, "on", "compiler", "NVRTC, or nvcc")
    d.box(490, 145, 150, 54, "cell", "load", "image to kernel")
    d.box(690, 20, 150, 54, "on2", "launch", "every time")
    d.arrow(105, 100, 248, 52)
    d.text(104, 70, "small", "1. there?")
    d.arrow(335, 74, 335, 98)
    d.text(343, 91, "small", "no: 2. the key")
    d.arrow(335, 154, 335, 188)
    d.text(343, 176, "small", "no: 3. the source")
    d.arrow(420, 47, 688, 47)
    d.text(520, 40, "small", "yes")
    d.arrow(420, 127, 488, 160)
    d.text(450, 132, "small", "an image")
    d.arrow(420, 217, 488, 186)
    d.text(446, 220, "small", "an image")
    d.line(250, 217, 222, 217, "wire")
    d.line(222, 217, 222, 127, "wire")
    d.arrow(222, 127, 248, 127)
    d.text(130, 200, "small", "kept on disk")
    d.arrow(640, 160, 740, 76)
    d.text(700, 130, "small", "a kernel, for memory")
    return d


def process(d: Drawing, y: float, name: str, compiling: float, file: str) -> None:
    """A process over time: how long it compiles, and where it writes."""
    d.text(20, y + 16, "small", name)
    d.cell(110, y, compiling, "on", "compile")
    d.cell(110 + compiling, y, 130, "on2", f"write {file}")
    d.cell(240 + compiling, y, 70, "cell", "rename")


@figure
def rename() -> Drawing:
    d = Drawing(
        860, 210, "Two processes make the same entry",
        "Processes A and B find no entry, and both compile. Each writes under a name of its own and renames that to "
        "the name of the entry. Up to the first rename a reader finds nothing, then the entry of A, then that of B, "
        "and never a part.",
        STYLE,
    )
    process(d, 20, "process A", 180, "new-a")
    process(d, 128, "process B", 330, "new-b")
    d.text(20, 78, "small", "reader")
    d.text(20, 94, "small mono", "3f9c...")
    d.cell(110, 74, 310, "off", "finds nothing")
    d.cell(420, 74, 150, "cell", "finds all of A's")
    d.cell(570, 74, 260, "cell", "finds all of B's")
    d.arrow(420, 44, 420, 73)
    d.arrow(570, 128, 570, 99)
    d.text(
        430, 180, "mid small",
        "time: a name leads to a whole file or to none; a reader that has opened the file of A reads it to its end",
    )
    return d
