"""The page's figures: boxes and arrows, placed by hand."""
from workbook.drawing import Drawing, Style, figure

STYLE = Style("small bold mid light on on2 cell bare link", bare="stroke: #1a1a1a; stroke-width: 1.2;")


@figure
def operator() -> Drawing:
    d = Drawing(
        860, 330, "An operator is a name with several functions",
        "A call of torch.ops.gelu_torch.forward goes to the dispatcher, which looks at the tensor. If it requires a "
        "gradient, autograd notes the gradient, and calls again. A tensor of the CPU goes to forward_cpu, one of "
        "CUDA to forward_cuda, and one without data to the fake kernel, which says only shape, type and strides. "
        "torch.compile and opcheck call with tensors without data.",
        STYLE,
    )
    d.box(20, 130, 220, 54, "on2", "gelu_torch::forward", "(Tensor x) -> Tensor")
    d.box(330, 130, 180, 54, "on", "the dispatcher", "looks at x")
    d.arrow(240, 157, 328, 157)
    d.box(600, 20, 240, 54, "cell", "autograd", "notes the gradient, calls again")
    d.box(600, 96, 240, 54, "cell", "forward_cpu", "x is of the CPU")
    d.box(600, 172, 240, 54, "cell", "forward_cuda", "x is of CUDA")
    d.box(600, 248, 240, 54, "cell", "the fake kernel", "x has no data")
    d.arrow(510, 146, 598, 52)
    d.arrow(510, 153, 598, 126)
    d.arrow(510, 161, 598, 196)
    d.arrow(510, 168, 598, 268)
    d.text(130, 210, "mid small", "the schema: arguments")
    d.text(130, 226, "mid small", "and out, what is written")
    d.text(420, 270, "mid small", "torch.compile and opcheck")
    d.text(420, 286, "mid small", "call with tensors without data")
    return d


def side_stream(d: Drawing, y: float) -> None:
    """A stream that waits, and then writes x."""
    d.text(20, y + 22, "bold", "side stream")
    d.named(140, y, 240, 36, "cell", "waits", drop=5)
    d.named(390, y, 150, 36, "on2", "x is written", drop=5)


@figure
def streams() -> Drawing:
    d = Drawing(
        860, 230, "The stream that produced x",
        "Above: the copy that writes x and the kernel that reads it are both in the side stream, so the kernel runs "
        "behind the copy. Below: the kernel is in stream 0, which does not wait for the side stream. It runs before "
        "the copy and reads what was in x before.",
        STYLE,
    )
    side_stream(d, 40)
    d.named(550, 40, 150, 36, "on", "gelu: right", drop=5)
    d.line(20, 110, 840, 110, "bare")
    side_stream(d, 130)
    d.text(20, 202, "bold", "stream 0")
    d.named(150, 180, 150, 36, "on", "gelu: the old x", drop=5)
    d.text(320, 203, "small", "a non-blocking side stream is not waited for")
    d.text(790, 63, "mid small", "time")
    d.arrow(740, 76, 840, 76)
    return d
