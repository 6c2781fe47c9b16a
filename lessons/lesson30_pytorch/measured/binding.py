"""binding.py - lesson 30's row of the table of all bindings; bench/bindings/measure.py says what the names mean."""

PACKAGE = "pyproject.toml", "setup.py", "gelu_torch/__init__.py", "src/operators.cpp"
CODE = [f"package/{file}" for file in PACKAGE]
COMPILES = False
EMPTY = None


def files(folder):
    (wheel,) = (folder / "wheel").glob("*.whl")
    (module,) = (folder / "installed/gelu_torch").glob("_operators*.so")
    return {"wheel": wheel, "module": module}


def opened():
    import gelu_torch
    import torch

    nothing, x = torch.ops.gelu_torch.nothing.default, torch.empty(1)
    return lambda: nothing(x), lambda array: gelu_torch.gelu(torch.from_numpy(array)).numpy()
