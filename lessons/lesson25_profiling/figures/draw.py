"""The page's figures. The timeline shows an order, and no times."""
from workbook.drawing import Drawing, Style, figure

STYLE = Style(
    "small bold mid light on cell idle link", idle="fill: #e4e4e4; stroke: #8a8a8a; stroke-dasharray: 4 3;"
)


@figure
def method() -> Drawing:
    d = Drawing(
        720, 190, "One turn of the method",
        "Five boxes from left to right: question, limit, counter, change, again. An arrow leads from the last one "
        "back to the first.",
        STYLE,
    )
    for k, (name, first, second) in enumerate([
        ("question", "what takes", "the time?"),
        ("limit", "how fast could", "it be at best?"),
        ("counter", "which number", "reason if missing"),
        ("change", "one thing", "alone"),
        ("again", "is that", "better? where?"),
    ]):  # fmt: skip
        x = 20 + 138 * k
        d.named(x, 40, 118, 34, "on", name)
        d.text(x + 59, 96, "small mid", first)
        d.text(x + 59, 112, "small mid", second)
        if k < 4:
            d.arrow(x + 118, 57, x + 136, 57)
    d.path("M 631 122 V 152 H 79 V 122", "link")
    d.text(355, 170, "small mid", "until the limit is near, or what is left is not worth it")
    return d


@figure
def timeline() -> Drawing:
    """Host and device of one frame and a bit. A launch is short; the device begins when it has been told."""
    d = Drawing(
        720, 300, "Who waits for whom",
        "Two pairs of rows. Above, the host launches a kernel, waits, launches the next: the device has a gap "
        "after each kernel. Below, the host launches all and the device works without a gap.",
        STYLE,
    )
    kernels = ["scale", "turn", "shape", "energy", "scale"]
    d.text(20, 34, "bold", "pipeline5: the host waits after each kernel")
    d.text(20, 70, "small", "host")
    d.text(20, 114, "small", "device")
    for k, kernel in enumerate(kernels):
        x = 80 + 124 * k
        d.named(x, 54, 26, 24, "cell", "L")
        d.named(x + 26, 54, 98, 24, "idle", "waits")
        d.named(x + 26, 98, 62, 24, "on", kernel)
        d.named(x + 88, 98, 36, 24, "idle", "idle")
        d.arrow(x + 13, 78, x + 28, 97)
    d.text(20, 174, "bold", "pipeline6: the host queues everything")
    d.text(20, 210, "small", "host")
    d.text(20, 254, "small", "device")
    for k, kernel in enumerate(kernels):
        d.named(80 + 26 * k, 194, 26, 24, "cell", "L")
        d.named(106 + 62 * k, 238, 62, 24, "on", kernel)
    d.arrow(93, 218, 108, 237)
    d.text(440, 254, "small", "... and so on, without a gap")
    d.text(230, 210, "small", "L: a launch. The host is free for other work.")
    d.text(20, 286, "small", "An order, not a measurement: nsys reports how long each box is.")
    return d
