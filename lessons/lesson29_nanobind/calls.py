"""calls.py - what the grader of exercise 29 has done with the student's module, in the runner's process: a function for
each kind of job.

It takes the module, the arrays of the job by their names, and settings; what it returns goes back to the grader. What is
on the device is read as any library reads it: by DLPack, with declarations of our own.
"""

import ctypes
import os
import resource
import sys
import threading

import numpy as np

LIBRARIES = ""  # the runner says where
CUDA, FLOAT, HOST_TO_DEVICE, DEVICE_TO_HOST, NON_BLOCKING = 2, 2, 1, 2, 1
_cuda = None
kept = {}  # of `life`, from step to step


class Tensor(ctypes.Structure):
    """DLPack's struct DLManagedTensor."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("dimensions", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("offset", ctypes.c_uint64),
        ("owner", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(Tensor))
_pointer_in = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_in.argtypes, _pointer_in.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.POINTER(Tensor)
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", ctypes.pythonapi))
_pointer_of_dying = ctypes.PYFUNCTYPE(ctypes.POINTER(Tensor), ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes, _new_capsule.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p], ctypes.py_object


def cuda():
    global _cuda
    if _cuda is None:
        _cuda = ctypes.CDLL(os.environ["CUDA_RUNTIME"])
        _cuda.cudaMalloc.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        _cuda.cudaMemcpy.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        _cuda.cudaMemcpyAsync.argtypes = [*_cuda.cudaMemcpy.argtypes, ctypes.c_void_p]
        _cuda.cudaStreamCreateWithFlags.argtypes = [ctypes.c_void_p, ctypes.c_uint]
        _cuda.cudaStreamSynchronize.argtypes = [ctypes.c_void_p]
    return _cuda


def library():
    return ctypes.CDLL(os.path.join(LIBRARIES, "libaverage.so"))


def look(view):
    """What a view, or a capsule of it, says of itself: device, address, shape, type, whether it has gaps."""
    capsule = view.__dlpack__() if hasattr(view, "__dlpack__") else view
    tensor = _pointer_in(capsule, b"dltensor").contents
    shape = [tensor.shape[d] for d in range(tensor.dimensions)]
    return {
        "device": tensor.device[0],
        "address": (tensor.data or 0) + tensor.offset,
        "shape": shape,
        "dtype": (tensor.code, tensor.bits, tensor.lanes),
        "gaps": bool(tensor.strides) and shape != [1] and tensor.strides[0] != 1,
    }


def fetch(view):
    """What is in it, in CPU memory."""
    seen = look(view)
    if (seen["device"], seen["dtype"], len(seen["shape"]), seen["gaps"]) != (CUDA, (FLOAT, 32, 1), 1, False):
        return f"values is no array of one dimension of float32 on the device: {seen}"
    result = np.full(seen["shape"][0], np.nan, np.float32)
    cuda().cudaMemcpy(result.ctypes.data, seen["address"], result.nbytes, DEVICE_TO_HOST)
    return result


@ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
def delete_capsule(capsule):
    """What nobody has taken out of a capsule is given back with it. Its object is gone: it has an address alone."""
    if _is_valid(capsule, b"dltensor"):
        tensor = _pointer_of_dying(capsule, b"dltensor")
        DELETER(tensor.contents.deleter)(tensor)


class Foreign:
    """An array of another library on the device. It counts how often it was exported, and how often given back."""

    def __init__(self, array, gaps=False):
        self.strides = (ctypes.c_int64 * 1)(2) if gaps else None
        self.array, self.exported, self.given_back = np.ascontiguousarray(array), [], 0
        self.shape = (ctypes.c_int64 * max(1, array.ndim))(*array.shape)
        self.deleter = DELETER(self.give_back)

    def __dlpack_device__(self):
        return CUDA, 0

    def __dlpack__(self, **settings):
        address = ctypes.c_void_p()
        cuda().cudaMalloc(ctypes.byref(address), max(1, 2 * self.array.nbytes))
        cuda().cudaMemcpy(address, self.array.ctypes.data, self.array.nbytes, HOST_TO_DEVICE)
        kind = {"f": FLOAT, "i": 0}[self.array.dtype.kind]
        tensor = Tensor(address, (CUDA, 0), self.array.ndim, kind, 8 * self.array.itemsize, 1, self.shape, self.strides, 0)
        tensor.deleter = ctypes.cast(self.deleter, ctypes.c_void_p)
        self.exported.append(tensor)
        return _new_capsule(ctypes.addressof(tensor), b"dltensor", ctypes.cast(delete_capsule, ctypes.c_void_p))

    def give_back(self, tensor):
        """The memory is another one's at once, as with PyTorch, which waits for nobody else's stream. (cudaFree would.)"""
        other, stream = np.full(self.array.size, 777, self.array.dtype), ctypes.c_void_p()
        cuda().cudaStreamCreateWithFlags(ctypes.byref(stream), NON_BLOCKING)
        cuda().cudaMemcpyAsync(tensor.contents.data, other.ctypes.data, other.nbytes, HOST_TO_DEVICE, stream)
        cuda().cudaStreamSynchronize(stream)
        self.given_back += 1


def x_of(array, there):
    return Foreign(array) if there else array.copy() if array.flags.c_contiguous else array


def update(student, arrays, shares, there=False, delay=0, mark=0):
    """Some updates with arrays x0, x1, ...; then what view and copy have. Each is larger by `mark` than it would be."""
    os.environ["AVERAGE_DELAY_MS"] = str(delay)
    average = student.Average(arrays["x0"].shape[0])
    given = [x_of(arrays[f"x{k}"], there) for k in range(len(shares))]
    library().average_mark(ctypes.c_float(mark))
    try:
        for x, share in zip(given, shares):
            average.update(x, share=share)
            if not there and x.flags.owndata:
                x[...] = 111  # a copy of ours: callers may reuse their array
    finally:
        library().average_mark(ctypes.c_float(0))
    result = {"view": fetch(average.values)}
    os.environ["AVERAGE_DELAY_MS"] = str(delay)
    copy = average.numpy()
    result["numpy"] = np.array(copy) if isinstance(copy, np.ndarray) else f"numpy() returns something of type {type(copy).__name__}, and no array"
    if there:
        result["exported"], result["given back"] = sum(len(x.exported) for x in given), sum(x.given_back for x in given)
    return result


def refuse(student, arrays, n, share=0.5, there=False, by_name=True, kind="array"):
    """An update that the student's module has to refuse."""
    average = student.Average(n)
    if kind == "array":
        x = x_of(arrays["x"], there)
    else:
        x = {"list": [1.0] * n, "None": None, "text": "1" * n, "gaps": Foreign(arrays["x"], gaps=True)}[kind]
    if by_name:
        average.update(x, share=share)
    else:
        average.update(x, share)
    return {}


def life(student, arrays, step):
    """A step in the lives of averages and views; what is seen then. The grader counts the library's averages after each."""
    x, n = arrays["x"], arrays["x"].shape[0]
    if step == "an average":
        kept["average"] = student.Average(n)
    elif step == "forgotten, after 50 views":
        for _ in range(50):
            kept["average"].values.__dlpack__()
        kept.clear()
    elif step == "a view alone":
        return view_alone(student, x, n)
    elif step == "others beside it":
        others = [student.Average(n) for _ in range(3)]  # would get the memory if it were free
        for other in others:
            other.update(2 * x, share=1.0)
        return {"later": fetch(kept["view"])}
    elif step == "a capsule alone":
        kept["capsule"] = kept.pop("view").__dlpack__()
    elif step == "a capsule is read":
        return {"capsule": fetch(kept["capsule"])}
    elif step == "a copy alone":
        kept["copy"] = student.Average(n).numpy()
        return {"copy": np.array(kept["copy"])}
    else:
        kept.clear()  # "before", "nothing": the runner collects after each job
    return {}


def view_alone(student, x, n):
    average = student.Average(n)
    view = kept["view"] = average.values
    before = fetch(view)
    average.update(x, share=1.0)
    return {"before": before, "after": fetch(view), "one place": look(view)["address"] == look(average.values)["address"]}


def copies(student, arrays):
    """numpy() gives a new array each time, which no update changes; and each is freed."""
    x, n = arrays["x"], arrays["x"].shape[0]
    average = student.Average(n)
    first = average.numpy()
    average.update(x, share=1.0)
    second = average.numpy()
    result = {"first": np.array(first), "second": np.array(second), "shared": bool(np.shares_memory(first, second))}
    second += 1
    result["third"] = np.array(average.numpy())
    large = student.Average(1 << 20)
    large.numpy()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(30):
        large.numpy()
    result["grown"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return result


def create(student, arrays, n):
    student.Average(n)
    return {}


def beside_a_thread(student, arrays, way, there=False):
    """Whether a thread of Python has run while this one was in the library, whose work is late. Python itself would take
    the GIL from a thread after 5 ms: not here."""
    x = x_of(arrays["x"], there)
    average = student.Average(arrays["x"].shape[0])
    os.environ["AVERAGE_DELAY_MS"] = "300"
    usual, may_go, ran = sys.getswitchinterval(), threading.Lock(), []
    may_go.acquire()
    other = threading.Thread(target=lambda: (may_go.acquire(), ran.append(True)))
    other.start()
    sys.setswitchinterval(60)
    may_go.release()
    if way == "update":
        average.update(x, share=0.5)
    else:
        average.numpy()
    told = bool(ran)
    sys.setswitchinterval(usual)
    other.join()
    os.environ["AVERAGE_DELAY_MS"] = "0"
    return {"ran": told}
