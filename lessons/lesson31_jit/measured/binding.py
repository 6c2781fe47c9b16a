"""binding.py - lesson 31's row of the table of all bindings; bench/bindings/measure.py says what the names mean."""

CLASSES = "CompileError,Nvrtc,header_folder,Cache,key_of,check,Kernel,DeviceArray,width_for,Jit,call_jit,source_of"
CODE = [f"lesson31.py#{CLASSES}", "loader.cu"]
COMPILES = True
EMPTY = None  # of no elements there is no launch


def files(folder):
    return {"library": folder / "libloader.so"}


def opened():
    import atexit
    import tempfile

    import lesson31

    folder = tempfile.TemporaryDirectory()  # nothing that an earlier process has compiled
    atexit.register(folder.cleanup)
    jit = lesson31.Jit(folder.name)
    return lambda: jit.call_on_device("gelu", 0, "float32", ()), lambda x: jit.call("gelu", x)
