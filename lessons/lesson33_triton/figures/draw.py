"""The page's figure: boxes, placed by hand."""
from workbook.drawing import Drawing, Style, figure

STYLE = Style("small mono bold mid end light on on2 cell link")


@figure
def program() -> Drawing:
    d = Drawing(
        860, 230, "Threads, and a program with a block of values",
        "Above, CUDA C: sixteen elements, and a thread writes what it does with one of them. Below, Triton: a "
        "program works on sixteen elements at once, and the compiler gives four neighbours to each of four threads.",
        STYLE,
    )
    d.text(20, 30, "bold", "CUDA C: you write what a thread does with its element")
    for i in range(16):
        element(d, i, 44, "cell" if i % 2 else "on2", f"t{i}")
    d.text(
        20, 128, "bold",
        "Triton: you write what a program does with its block, and the compiler gives it to threads",
    )
    d.rect(16, 138, 822, 52, "link")
    for i in range(16):
        element(d, i, 144, "cell" if i // 4 % 2 else "on2", str(i))
    for thread in range(4):
        d.text(122 + 204 * thread, 212, "mid small", f"thread {thread}: one load of four")
    return d


def element(d: Drawing, i: int, y: float, look: str, words: str) -> None:
    d.rect(20 + 51 * i, y, 47, 40, look)
    d.text(43 + 51 * i, y + 25, "mid small", words)
