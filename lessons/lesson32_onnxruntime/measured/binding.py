"""binding.py - lesson 32's row of the table of all bindings; bench/bindings/measure.py says what the names mean."""

CODE = ["custom_gelu.cu", "lesson32.py#make_model,gelu_node,gelu_model,options_with,session_of,run"]
COMPILES = False
EMPTY = None  # of no elements there is no launch


def files(folder):
    return {"library": folder / "libcustom_gelu.so"}


def opened():
    import lesson32

    session = lesson32.session_of(lesson32.gelu_model())
    nothing = lesson32.np.zeros(0, "float32")
    return lambda: lesson32.run(session, x=nothing), lambda x: lesson32.run(session, x=x)
