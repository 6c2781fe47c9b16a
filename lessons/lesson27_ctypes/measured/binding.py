"""binding.py - lesson 27's row of the table of all bindings; bench/bindings/measure.py says what the names mean."""

CODE = ["lesson27.py#CudaError,declare,check,DeviceArray,forward,backward"]
COMPILES = False
EMPTY = None


def files(folder):
    return {"library": folder / "libgelu.so"}


def opened():
    import lesson27

    return lambda: lesson27.gelu.gelu_same_address(None), lesson27.forward
