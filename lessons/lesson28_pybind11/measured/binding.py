"""binding.py - lesson 28's row of the table of all bindings; bench/bindings/measure.py says what the names mean."""

PACKAGE = "pyproject.toml", "CMakeLists.txt", "gelu_pybind11/__init__.py", "src/binding.cpp", "src/dlpack.h", "src/owner.h"
CODE = [f"package/{file}" for file in PACKAGE]
COMPILES = False
EMPTY = None


def files(folder):
    (wheel,) = (folder / "wheel").glob("*.whl")
    (module,) = (folder / "installed/gelu_pybind11").glob("_gelu*.so")
    return {"wheel": wheel, "module": module}


def opened():
    from gelu_pybind11 import _gelu

    return _gelu.bytes_held, _gelu.forward
