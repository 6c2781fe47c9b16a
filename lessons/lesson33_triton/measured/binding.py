"""binding.py - lesson 33's row of the table of all bindings; bench/bindings/measure.py says what the names mean."""

CODE = ["lesson33.py#forward", "arrays.py#copy,Array,to_device,poisoned"]
COMPILES = True
EMPTY = "a kernel of one block, for no elements"


def files(folder):
    return {}


def opened():
    import lesson33
    from arrays import poisoned, to_device

    x, y = to_device(lesson33.np.zeros(1, "float32")), poisoned(1)
    return lambda: lesson33.gelu_kernel1[(1,)](x, y, 0, BLOCK=1024), lambda x: lesson33.forward(to_device(x)).numpy()
