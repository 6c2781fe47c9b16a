"""calls.py - what the grader of exercise 30 has done with the student's module, in the runner's process: a function for
each kind of job.

It takes the module, the arrays of the job by their names, and settings; what it returns goes back to the grader.
"""

import ctypes
import gc
import os
import warnings

import numpy as np

# PyTorch wants a folder for kernels that it compiles as soon as it is imported. There is none to write to, and none is needed.
os.environ["TORCHINDUCTOR_CACHE_DIR"] = os.path.dirname(os.path.abspath(__file__))
cuda = ctypes.CDLL(os.environ["CUDA_RUNTIME"])  # before PyTorch, which would load NVIDIA's: the one that is there first is for all
import torch  # noqa: E402
from torch.autograd.gradcheck import GradcheckError  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

LIBRARIES = ""  # the runner says where
POISON = 0xFFFDFFFD  # as verify.py's
UNFILLED = {torch.float32: 0x7FC00000, torch.float64: 0x7FF8000000000000}
emulated = hasattr(cuda, "emulatorName")
WHERE = "cuda" if not emulated and torch.cuda.is_available() else "cpu"
ours = None

warnings.simplefilter("ignore")
ctypes.CDLL(None).mallopt(-3, 1 << 16)  # M_MMAP_THRESHOLD: what is freed of this size or more is gone from then on
gc.freeze()  # the runner collects after each job: PyTorch's own objects, many of them, need no look
torch.use_deterministic_algorithms(True)  # then torch.empty is filled with a NaN


def ready(student):
    """The library is loaded once, as a user would. Ours is the same one, with declarations of our own."""
    global ours
    if ours is None:
        path = os.path.join(LIBRARIES, "libgeglu.so")
        student.load(path)
        ours = ctypes.CDLL(path)
        ours.geglu_last_stream.restype = ctypes.c_void_p
        ours.geglu_error.restype = ctypes.c_char_p
        ours.geglu_mark.argtypes = [ctypes.c_double]
        ours.geglu_set_cpu_stream.argtypes = [ctypes.c_void_p]
        ours.geglu_forward.argtypes = [ctypes.c_int, *[ctypes.c_void_p] * 2, *[ctypes.c_longlong] * 2, ctypes.c_void_p]
        if not emulated:  # a GPU loads kernels at their first launch, which must not be one with the gate closed
            x, y = np.ones(2, np.float32), np.ones(1, np.float32)
            ours.geglu_forward(0, x.ctypes.data, y.ctypes.data, 1, 1, None)
            ours.geglu_wait(None)
    return torch.ops.workbook.geglu, torch.ops.workbook.geglu_backward


def tensor(array):
    return torch.from_numpy(array).to(WHERE)


def plain(y):
    """A tensor's elements. What was never written has the bits that torch.empty was filled with."""
    if not isinstance(y, torch.Tensor):
        return f"{type(y).__name__}"
    array = y.detach().cpu().contiguous().numpy().copy()
    if y.dtype == torch.float32:
        raw = array.reshape(-1).view(np.uint32)
        raw[raw == UNFILLED[torch.float32]] = POISON
    return array


def described(y):
    return {"shape": tuple(y.shape), "dtype": str(y.dtype), "strides": tuple(y.stride()), "device": y.device.type}


def compute(student, arrays, way, mark=0, again=False):
    """One of the operators. The arrays are its tensors, x and dy, of these layouts. The library's copies begin when
    somebody waits for them, and its results are larger by `mark`. Again: with the result of another call still there."""
    forward, backward = ready(student)
    given = [tensor(arrays[name]) for name in ("x", "dy") if name in arrays]
    other = (forward if way == "geglu" else backward)(*(-t for t in given)) if again else None
    ours.geglu_close_gate()
    ours.geglu_mark(mark)
    try:
        y = (forward if way == "geglu" else backward)(*given)
        told = {"result": plain(y)}  # as it is now: nobody has waited since
    finally:
        ours.geglu_mark(0)
        ours.geglu_open_gate()
        cuda.cudaDeviceSynchronize()  # before y goes: who has not waited would write to what is somebody else's then
    if isinstance(y, torch.Tensor):
        told["described"] = described(y)
        told["aliases"] = any(y.untyped_storage().data_ptr() == t.untyped_storage().data_ptr() for t in given if t.numel())
        if again and other.untyped_storage().data_ptr() == y.untyped_storage().data_ptr():
            told["aliases"] = True
    return told


def refuse(student, arrays, way, dtypes=None, shapes=None):
    """Tensors of types and shapes that NumPy or the grader has not got."""
    forward, backward = ready(student)
    given = [torch.zeros(shape, dtype=getattr(torch, dtype), device=WHERE) for dtype, shape in zip(dtypes, shapes)]
    (forward if way == "geglu" else backward)(*given)
    return {}


def fail(student, arrays, way, code, at_the_end=False):
    """A call that the library refuses, or work that fails later, which whoever waits is told."""
    forward, backward = ready(student)
    given = [tensor(arrays[name]) for name in ("x", "dy") if name in arrays]
    if at_the_end and WHERE == "cuda":
        raise RuntimeError(ours.geglu_error(code).decode())  # nobody waits there
    (ours.geglu_fail_next_wait if at_the_end else ours.geglu_fail_next)(code)
    (forward if way == "geglu" else backward)(*given)
    return {}


class Side:
    """A stream that is current meanwhile: PyTorch's for CUDA, the library's for the CPU."""

    def __enter__(self):
        if WHERE == "cuda":
            self.context = torch.cuda.stream(torch.cuda.Stream())
            self.context.__enter__()
            return torch.cuda.current_stream().cuda_stream
        self.made = ctypes.c_void_p()
        cuda.cudaStreamCreate(ctypes.byref(self.made))
        ours.geglu_set_cpu_stream(self.made)
        return self.made.value

    def __exit__(self, *error):
        if WHERE == "cuda":
            self.context.__exit__(*error)
        else:
            ours.geglu_set_cpu_stream(None)
            cuda.cudaStreamDestroy(self.made)


def streams(student, arrays, way):
    """Which stream the library was called with, and how often somebody has waited."""
    forward, backward = ready(student)
    given = [tensor(arrays[name]) for name in ("x", "dy") if name in arrays]
    with Side() as stream:
        before = ours.geglu_waits()
        y = (forward if way == "geglu" else backward)(*given)
        told = {"same": ours.geglu_last_stream() == stream, "waits": ours.geglu_waits() - before, "where": WHERE}
        told["result"] = plain(y)
    return told


def without_data(tensor):
    return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta")


def fake(student, arrays, way):
    """What the operator returns, and what the fake kernel says of it: that is asked for tensors without data."""
    op = ready(student)[0 if way == "geglu" else 1]
    given = [tensor(arrays[name]) for name in ("x", "dy") if name in arrays]
    return {"real": described(op(*given)), "fake": described(op(*map(without_data, given)))}


def autograd(student, arrays, kind):
    """x.grad of a sum of y * dy, of y, or of x's sum and y's; and what requires a gradient. Another call may come between."""
    forward, _ = ready(student)
    x = tensor(arrays["x"]).requires_grad_()
    y = forward(x)
    told = {"required": y.requires_grad, "not required": forward(x.detach()).requires_grad}
    with torch.no_grad():
        told["without"] = forward(x).requires_grad
    other = forward((2 * x).detach().requires_grad_()) if kind == "two" else None  # noqa: F841 (it is alive, as y is)
    if kind == "dy":
        y.backward(tensor(arrays["dy"]))
    elif kind in ("sum", "two"):
        y.sum().backward()  # its dy has strides of 0
    else:
        (3 * x).sum().backward()
        y.sum().backward()
    told["result"] = plain(x.grad)
    return told


def check_gradient(student, arrays):
    """torch.autograd.gradcheck, in float64."""
    forward, _ = ready(student)
    x = tensor(arrays["x"]).requires_grad_()
    try:
        torch.autograd.gradcheck(forward, (x,))
    except GradcheckError as error:
        return {"said": str(error).strip()[:300]}
    return {"said": ""}


def second_gradient(student, arrays):
    """The gradient of the gradient: who has none must say so."""
    forward, _ = ready(student)
    x = tensor(arrays["x"]).requires_grad_()
    try:
        (first,) = torch.autograd.grad((forward(x) ** 2).sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(((1 + x) * first).sum(), x)
    except (RuntimeError, NotImplementedError):
        return {"refused": True}
    return {"refused": False, "result": plain(second)}


def written_between(student, arrays):
    """x.grad of y's sum, where x is written to when y is there. Who does not keep it as it was must say so."""
    forward, _ = ready(student)
    x = tensor(arrays["x"]).clone().requires_grad_()
    y = forward(x)
    with torch.no_grad():
        x.mul_(2)
    try:
        y.sum().backward()
    except RuntimeError:
        return {"refused": True}
    return {"refused": False, "result": plain(x.grad)}


class Seen(TorchDispatchMode):
    """The operators that are called, each by its name."""

    def __init__(self):
        super().__init__()
        self.names = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names.append(str(func))
        return func(*args, **(kwargs or {}))


def trace(student, arrays):
    """What torch.compile would see: forward and gradient, without data."""
    forward, _ = ready(student)
    x = without_data(tensor(arrays["x"])).requires_grad_()
    with Seen() as seen:
        (dx,) = torch.autograd.grad(forward(x), x, without_data(tensor(arrays["dy"])))
    return {"seen": seen.names, "described": described(dx)}
