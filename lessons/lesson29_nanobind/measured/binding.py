"""binding.py - lesson 29's row of the table of all bindings; bench/bindings/measure.py says what the names mean."""

PACKAGE = "pyproject.toml", "CMakeLists.txt", "gelu_nanobind/__init__.py", "src/binding.cpp"
CODE = [*(f"package/{file}" for file in PACKAGE), "../lesson28_pybind11/package/src/owner.h"]
COMPILES = False
EMPTY = None


def files(folder):
    (wheel,) = (folder / "wheel").glob("*.whl")
    (module,) = (folder / "installed/gelu_nanobind").glob("_gelu*.so")
    return {"wheel": wheel, "module": module}


def opened():
    from gelu_nanobind import _gelu

    return _gelu.bytes_held, _gelu.forward
