"""The page's figures. Which device runs which image is computed here, by the rules."""
from workbook.drawing import Drawing, Style, figure

STYLE = Style(
    "small mono bold mid end light program code ptx file none zone link",
    program="fill: #1f5fa8; stroke: #1a1a1a;",
    code="fill: #1f5fa8; stroke: #1a1a1a;",
    ptx="fill: #a9c6e8; stroke: #1a1a1a;",
    file="fill: #ffffff; stroke: #1a1a1a;",
    none="fill: #ffffff; stroke: #c4c4c4;",
    zone="fill: #f3f3f3; stroke: #c4c4c4;",
)


def rect(d: Drawing, x: float, y: float, width: float, height: float, look: str) -> None:
    d.rect(x, y, width, height, look, corner=4)


def file(d: Drawing, x: float, y: float, width: float, name: str) -> None:
    rect(d, x, y, width, 28, "file")
    d.text(x + width / 2, y + 19, "mono mid", name)


def program(d: Drawing, x: float, y: float, width: float, name: str) -> None:
    rect(d, x, y, width, 28, "program")
    d.text(x + width / 2, y + 19, "mid light", name)


def chain(d: Drawing, x: float, y: float, names: str) -> None:
    """Files, and between them the programs that make one of the other."""
    parts = names.split("|")
    for k, name in enumerate(parts):
        width = 104 if k % 2 else 108
        (program if k % 2 else file)(d, x, y, width, name)
        if k + 1 < len(parts):
            d.arrow(x + width, y + 14, x + width + 20, y + 14)
        x += width + 20


@figure
def steps() -> Drawing:
    d = Drawing(
        944, 344, "From walk.cu to a program",
        "The host way: walk.cu goes through the preprocessor, cudafe++, which takes device code out and puts "
        "launches in, and the C++ compiler to walk.o. The device way, once for each virtual architecture: the "
        "preprocessor with __CUDA_ARCH__, cicc, which makes PTX, ptxas, which makes a cubin. fatbinary packs PTX "
        "and cubins, and the C++ compiler embeds them in walk.o. At run time the driver takes a cubin that fits, or "
        "compiles PTX.",
        STYLE,
    )
    rect(d, 14, 14, 892, 76, "zone")
    d.text(26, 34, "bold", "host")
    chain(d, 26, 46, "walk.cu|preprocessor|.cpp4.ii|cudafe++|.cudafe1.cpp|C++ compiler|walk.o")
    rect(d, 14, 110, 892, 88, "zone")
    d.text(26, 130, "bold", "device, once for each compute_N")
    chain(d, 26, 142, "walk.cu|preprocessor|.cpp1.ii|cicc|.ptx|ptxas|.cubin")
    d.text(154, 188, "small", "__CUDA_ARCH__ = 800")
    d.text(406, 188, "small", "compute_80")
    d.text(658, 188, "small", "sm_80")
    program(d, 632, 222, 104, "fatbinary")
    file(d, 756, 222, 108, ".fatbin.c")
    d.arrow(584, 170, 660, 220)
    d.arrow(836, 170, 712, 220)
    d.arrow(736, 236, 754, 236)
    d.path("M864 236 L926 236 L926 100 L710 100 L710 76", "link")
    d.text(26, 232, "", "Both kinds of images, PTX and machine code (cubin), go into the fat")
    d.text(26, 250, "", "binary, which becomes a piece of constant data in walk.o.")
    rect(d, 14, 272, 892, 58, "zone")
    d.text(26, 292, "bold", "at run time")
    file(d, 130, 286, 108, "program")
    d.arrow(238, 300, 256, 300)
    program(d, 258, 286, 104, "driver")
    d.arrow(362, 300, 380, 300)
    d.text(386, 296, "", "takes machine code that fits, or compiles the newest PTX that fits")
    d.text(386, 316, "", "(JIT) and keeps what came out in a cache: ~/.nv/ComputeCache")
    return d


IMAGES = "sm_75 sm_80 sm_86 sm_90 sm_90a sm_100 compute_75 compute_80 compute_90 compute_90a compute_100".split()
DEVICES = [75, 80, 86, 89, 90, 100, 120]


def how_it_runs(image: str, device: int) -> str:
    """code: as machine code. ptx: compiled at run time. none: not at all. The letter a: there alone."""
    kind, _, capability = image.partition("_")
    built_for = int(capability.rstrip("a"))
    if built_for > device or (capability.endswith("a") and built_for != device):
        return "none"
    if kind == "compute":
        return "ptx"
    return "code" if built_for // 10 == device // 10 else "none"


@figure
def images() -> Drawing:
    d = Drawing(
        760, 432, "Which image runs on which device",
        "Rows are images, columns compute capabilities from 7.5 to 12.0. Machine code runs on devices with its own "
        "major version and no lower minor version: sm_80 on 8.0, 8.6 and 8.9, sm_86 on 8.6 and 8.9. PTX runs on its "
        "own compute capability and all later ones, compiled at run time. With the letter a, sm_90a and "
        "compute_90a, either runs on 9.0 alone.",
        STYLE,
    )
    d.text(20, 30, "bold", "image")
    d.text(200, 30, "bold", "device of compute capability")
    for column, device in enumerate(DEVICES):
        d.text(240 + 74 * column, 52, "mono mid", f"{device // 10}.{device % 10}")
    for row, image in enumerate(IMAGES):
        y = 62 + 28 * row + (10 if image.startswith("compute") else 0)
        d.text(20, y + 17, "mono", image)
        for column, device in enumerate(DEVICES):
            look = how_it_runs(image, device)
            rect(d, 206 + 74 * column, y, 68, 24, look)
            if look != "none":
                words = "runs" if look == "code" else "JIT"
                d.text(240 + 74 * column, y + 16, d.on(look, "small mid"), words)
    legend = {"code": "machine code, taken first", "ptx": "PTX, compiled by the driver", "none": "does not run"}
    for x, (look, words) in zip((20, 270, 530), legend.items()):
        rect(d, x, 396, 24, 18, look)
        d.text(x + 32, 410, "", words)
    return d


def object_file(d: Drawing, y: float, name: str, host: str, device: str) -> None:
    """An object with code for the host and code for the device."""
    rect(d, 220, y, 170, 84, "file")
    d.text(305, y + 18, "mono mid", name)
    rect(d, 228, y + 26, 154, 22, "none")
    d.text(305, y + 41, "small mid", host)
    rect(d, 228, y + 54, 154, 22, "ptx")
    d.text(305, y + 69, "small mid", device)


@figure
def parts() -> Drawing:
    d = Drawing(
        960, 330, "Two linkers",
        "kernels.cu and device.cu are compiled with nvcc -dc to objects that hold host code and relocatable device "
        "code; main.cpp is compiled by g++ and has host code alone. nvlink takes the device code of all objects and "
        "makes one piece of machine code in which the call to silu is resolved; it becomes link.o. The linker of "
        "the host takes main.o, kernels.o, device.o, link.o and the runtime library and makes the program.",
        STYLE,
    )
    for y, source, x, compiler in (
        (40, "main.cpp", 166, "g++ -c"), (120, "kernels.cu", 156, "nvcc -dc"), (230, "device.cu", 156, "nvcc -dc"),
    ):  # fmt: skip
        file(d, 20, y, 120, source)
        d.text(x, y + 6, "small", compiler)
        d.arrow(140, y + 14, 218, y + 14)
    rect(d, 220, 34, 170, 40, "file")
    d.text(305, 59, "mono mid", "main.o")
    object_file(d, 100, "kernels.o", "silu_all, launches", "silu_kernel: call silu")
    object_file(d, 210, "device.o", "(nothing)", "silu")
    program(d, 470, 196, 110, "nvlink")
    d.text(470, 240, "small", "nvcc -dlink")
    d.arrow(390, 166, 468, 206)
    d.arrow(390, 276, 468, 216)
    rect(d, 630, 184, 130, 52, "file")
    d.text(695, 202, "mono mid", "link.o")
    rect(d, 638, 208, 114, 22, "code")
    d.text(695, 223, "small mid light", "silu_kernel, silu")
    d.arrow(580, 210, 628, 210)
    program(d, 640, 80, 110, "g++ (ld)")
    file(d, 810, 80, 120, "program")
    for start_x, start_y, end_x, end_y in ((390, 54, 638, 88), (390, 126, 638, 98), (695, 184, 695, 110)):
        d.arrow(start_x, start_y, end_x, end_y)
    d.arrow(750, 94, 808, 94)
    d.path("M390 288 L600 288 L600 112 L638 104", "link")
    d.text(770, 140, "mono", "libcudart")
    d.text(770, 158, "mono", "libcudadevrt")
    d.arrow(768, 134, 742, 110)
    d.text(470, 316, "small", "the device linker resolves silu; the linker of the host resolves silu_all")
    return d
