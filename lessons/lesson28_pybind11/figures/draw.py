"""The page's figures: boxes and arrows, placed by hand."""
from workbook.drawing import Drawing, Style, figure

STYLE = Style("small bold mid light on on2 cell bare link", bare="stroke: #1a1a1a; stroke-width: 1.2;")


@figure
def build() -> Drawing:
    d = Drawing(
        860, 300, "From sources to an import",
        "pip reads pyproject.toml and calls scikit-build-core, which calls CMake. CMake has nvcc compile gelu.cu "
        "and the C++ compiler binding.cpp, and links both, with libcudart, to the module _gelu. The module and "
        "__init__.py are packed to a wheel. Installing unpacks the wheel; import loads the module, and the dynamic "
        "linker finds libcudart.",
        STYLE,
    )
    d.text(130, 28, "mid bold", "component")
    d.text(430, 28, "mid bold", "what is compiled")
    d.text(730, 28, "mid bold", "what is carried away")
    d.box(30, 44, 200, 54, "on2", "pip", "pyproject.toml: build backend")
    d.box(30, 128, 200, 54, "cell", "scikit-build-core", "for which Python, where to")
    d.box(30, 212, 200, 54, "cell", "CMake", "CMakeLists.txt")
    d.arrow(130, 98, 130, 126)
    d.arrow(130, 182, 130, 210)
    d.box(330, 44, 200, 54, "cell", "gelu.cu", "nvcc")
    d.box(330, 128, 200, 54, "cell", "binding.cpp", "c++, pybind11, CUDA::cudart")
    d.box(330, 212, 200, 54, "on", "_gelu.cpython-311-….so", "PyInit__gelu")
    d.arrow(230, 224, 328, 84)
    d.arrow(230, 234, 328, 160)
    d.arrow(430, 182, 430, 210)
    d.line(530, 71, 556, 71, "bare")
    d.line(556, 71, 556, 232, "bare")
    d.arrow(556, 232, 532, 232)
    d.box(630, 212, 200, 54, "on2", "a wheel", "for one Python, one system")
    d.box(630, 128, 200, 54, "cell", "site-packages", "unpacked: nothing is run")
    d.box(630, 44, 200, 54, "cell", "import", "ld.so looks for libcudart")
    d.arrow(532, 250, 628, 250)
    d.arrow(730, 210, 730, 184)
    d.arrow(730, 126, 730, 100)
    return d


@figure
def exchange() -> Drawing:
    d = Drawing(
        860, 230, "DLPack: one array, two libraries",
        "The consumer calls __dlpack_device__ and __dlpack__ of the producer, and gets a capsule named dltensor "
        "with the address, shape and type, and a deleter. It renames the capsule to used_dltensor and uses the "
        "memory where it is. When it is done it calls the deleter, and the producer may free the memory.",
        STYLE,
    )
    d.box(30, 40, 220, 54, "on2", "the producer", "DeviceArray, torch.Tensor, ...")
    d.box(610, 40, 220, 54, "on", "the consumer", "forward(x)")
    d.arrow(608, 56, 252, 56)
    d.text(430, 50, "mid small", "__dlpack__(stream=1): I will use this stream")
    d.arrow(252, 84, 608, 84)
    d.text(430, 78, "mid small", "a capsule, dltensor: address, shape, type, deleter")
    d.box(320, 126, 220, 54, "cell", "device memory", "it stays where it is")
    d.arrow(140, 94, 318, 152)
    d.arrow(720, 94, 542, 152)
    d.text(160, 146, "small", "owns it")
    d.text(650, 146, "small", "reads it, meanwhile")
    d.text(
        430, 210, "mid small",
        "the consumer renames the capsule to used_dltensor, and calls the deleter when it is done: once",
    )
    return d
