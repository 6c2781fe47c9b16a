"""The page's figures: boxes and arrows, placed by hand."""
from workbook.drawing import Drawing, Style, figure

STYLE = Style("small mono bold mid light on on2 cell link")


def entries(d: Drawing, x: float, look: str, names: str) -> None:
    """A table of functions."""
    for k, name in enumerate(names.split("|")):
        d.rect(x, 44 + 22 * k, 240, 22, look)
        d.text(x + 10, 59 + 22 * k, "mono", name)


@figure
def tables() -> Drawing:
    d = Drawing(
        860, 330, "Two tables of functions",
        "ONNX Runtime loads the library and calls its one function, RegisterCustomOps, with a base. From that the "
        "library gets a table of functions, OrtApi, by which it makes a domain. To the domain it adds a table of "
        "its own functions, OrtCustomOp. When a session is made ONNX Runtime asks that table for names, types and "
        "shapes and creates a kernel for each node; at each run it calls KernelComputeV2, and at the end "
        "KernelDestroy.",
        STYLE,
    )
    d.text(150, 30, "mid bold", "ONNX Runtime has OrtApi")
    entries(
        d, 30, "on2",
        "CreateStatus|CreateCustomOpDomain|CustomOpDomain_Add|GetTensorTypeAndShape|KernelContext_GetInput"
        "|KernelContext_GetOutput|... 276 functions",
    )
    d.text(710, 30, "mid bold", "the library has OrtCustomOp")
    entries(
        d, 590, "cell",
        "GetName|GetExecutionProviderType|GetInputType, GetOutputType|InferOutputShapeFn|CreateKernelV2"
        "|KernelComputeV2|KernelDestroy",
    )
    d.arrow(272, 60, 588, 60)
    d.text(430, 54, "mid small", "RegisterCustomOps(options, base)")
    d.arrow(588, 100, 272, 100)
    d.text(430, 94, "mid small", "base->GetApi(17)")
    d.arrow(588, 130, 272, 130)
    d.text(430, 124, "mid small", "CustomOpDomain_Add(domain, table)")
    d.box(30, 240, 250, 54, "on2", "a session is made", "CreateKernelV2 for each node")
    d.box(305, 240, 250, 54, "on", "it runs, again and again", "KernelComputeV2, by any thread")
    d.box(580, 240, 250, 54, "on2", "destroyed", "KernelDestroy for each node")
    d.arrow(280, 267, 303, 267)
    d.arrow(555, 267, 578, 267)
    d.text(430, 316, "mid small", "the tables, the domain and the library stay as long as any session that knows them")
    return d


@figure
def providers() -> Drawing:
    d = Drawing(
        860, 250, "Where the tensors lie",
        "Above, the CPU provider: x and y are in CPU memory; CustomGelu copies x to the device, runs its kernel, "
        "copies y back and waits. Below, the CUDA provider: x and y are on the device already; CustomGelu queues "
        "its kernel in the stream of the provider and returns.",
        STYLE,
    )
    d.text(20, 30, "bold", "the CPU provider: x and y are in CPU memory")
    d.box(20, 42, 130, 54, "cell", "x", "CPU memory")
    d.box(240, 42, 150, 54, "on2", "copy in", "to the device")
    d.box(420, 42, 130, 54, "on", "the kernel", "on the device")
    d.box(580, 42, 130, 54, "on2", "copy out", "and wait")
    d.box(740, 42, 100, 54, "cell", "y", "CPU memory")
    for start, end in ((150, 238), (390, 418), (550, 578), (710, 738)):
        d.arrow(start, 69, end, 69)
    d.text(20, 140, "bold", "the CUDA provider: x and y are on the device")
    d.box(20, 152, 130, 54, "on2", "x", "of another node")
    d.box(420, 152, 130, 54, "on", "the kernel", "in its stream")
    d.box(740, 152, 100, 54, "on2", "y", "for the next")
    d.arrow(150, 179, 418, 179)
    d.arrow(550, 179, 738, 179)
    d.text(
        430, 236, "mid small",
        "queued after the previous node, without waiting: the next node is queued after ours",
    )
    return d
