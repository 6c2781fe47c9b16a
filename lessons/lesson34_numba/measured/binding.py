"""binding.py - lesson 34's row of the table of all bindings; bench/bindings/measure.py says what the names mean."""

CODE = ["lesson34.py#blocks_for", "measured/binding.py#forward"]
COMPILES = True
EMPTY = "a kernel of one block, for no elements"


def forward(x):
    from lesson34 import BLOCK, blocks_for, cuda, gelu_kernel2, np

    there, y = cuda.to_device(x), cuda.device_array(x.shape, np.float32)
    gelu_kernel2[blocks_for(x.size), BLOCK](there, y)
    return y.copy_to_host()


def files(folder):
    return {}


def opened():
    from lesson34 import BLOCK, cuda, gelu_kernel2, np

    nothing = cuda.device_array(0, np.float32)
    return lambda: gelu_kernel2[1, BLOCK](nothing, nothing), forward
