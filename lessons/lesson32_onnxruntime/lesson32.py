"""Lesson 32: a kernel as an operator of ONNX Runtime. The GELU of lesson 27, called by a model in a file.

    make lesson32 run                 runs every step, verified against the CPU
    make lesson32 run V=3             that step alone; SIZE= and SEED= as everywhere

Each step has one idea:

    model1          a model is a graph in a file; an operator in it is three words: domain, name, version
    register2       a library with one function, RegisterCustomOps, gives these words a meaning
    life3           a kernel lives as long as its session; what may be shared, and by whom
    types4          one table for each type; attributes are read when the kernel is created
    shapes5         shapes that are known before anything runs, and errors that are told when it does
    errors6         what ONNX Runtime says, and which line is wrong
    threads7        several threads run one session, and so are in one kernel at once
    device8         providers, and arrays that stay where they are

Nothing here needs a GPU: ONNX Runtime's CPU provider calls the operator, which copies to the device and back. With a
GPU and onnxruntime-gpu, step device8 uses the CUDA provider too.
"""

# library: custom_gelu.cu mistakes.cu
# kernels: custom_gelu.cu

import ctypes
import gc
import json
import math
import os
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
from common import bench, device, verify
from onnx import TensorProto, helper

LIBRARIES = os.environ["LESSON_LIBRARIES"]
LIBRARY = f"{LIBRARIES}/libcustom_gelu.so"
MISTAKES = f"{LIBRARIES}/libmistakes.so"
DOMAIN = "cuda.workbook"
CPU, CUDA = "CPUExecutionProvider", "CUDAExecutionProvider"
SIZES = [0, 1, 31, 33, 1000, 1025]
LOOKED_AT = 1 << 16  # elements that are verified of a larger array
ATOL, RTOL = 1e-6, 1e-5
HALF_ATOL, HALF_RTOL = 1e-3, 2e-3

library = ctypes.CDLL(LIBRARY)  # for the lesson's counters; ONNX Runtime loads it by itself
library.custom_gelu_queue.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_size_t, ctypes.c_int, ctypes.c_void_p]

# ---------------------------------------------------------------- the CPU reference


def gelu_cpu(x):
    wide = x.astype(np.float64).reshape(-1).tolist()
    return np.array([0.5 * v * (1 + math.erf(v / math.sqrt(2))) for v in wide]).reshape(x.shape)


def gelu_tanh_cpu(x):
    v = x.astype(np.float64)
    return 0.5 * v * (1 + np.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3)))


def gelu_backward_cpu(x, dy):
    v = x.astype(np.float64)
    below = np.array([0.5 * (1 + math.erf(one / math.sqrt(2))) for one in v.reshape(-1).tolist()]).reshape(x.shape)
    return dy * (below + v * np.exp(-0.5 * v * v) / math.sqrt(2 * math.pi))


def some_of(n):
    """The elements that are verified of n."""
    return slice(None) if n <= LOOKED_AT else np.linspace(0, n - 1, LOOKED_AT).astype(np.int64)


# ---------------------------------------------------------------- models and sessions


def make_model(*nodes, inputs=("x",), shape=("n",), dtype=TensorProto.FLOAT, imports=((DOMAIN, 1),)):
    """A model with these nodes, whose last one writes y. Of y's shape it says nothing but how many dimensions it has."""
    given = [helper.make_tensor_value_info(name, dtype, shape) for name in inputs]
    result = helper.make_tensor_value_info("y", dtype, [None] * len(shape))
    graph = helper.make_graph(nodes, "lesson32", given, [result])
    versions = [helper.make_opsetid(domain, version) for domain, version in (("", 20), *imports)]
    return helper.make_model(graph, opset_imports=versions, ir_version=10)


def gelu_node(x="x", y="y", domain=DOMAIN, name="CustomGelu", **attributes):
    return helper.make_node(name, [x], [y], domain=domain, **attributes)


def gelu_model(dtype=TensorProto.FLOAT, shape=("n",), **attributes):
    return make_model(gelu_node(**attributes), dtype=dtype, shape=shape)


def grad_model():
    node = helper.make_node("CustomGeluGrad", ["x", "dy"], ["y"], domain=DOMAIN)
    return make_model(node, inputs=("x", "dy"))


def options_with(path=LIBRARY):
    """What a session is to be made with. The operators of a library are a part of that."""
    options = ort.SessionOptions()
    options.log_severity_level = 4  # it raises exceptions; it need not print them, too
    if path:
        options.register_custom_ops_library(path)
    return options


def session_of(model, path=LIBRARY, options=None, providers=(CPU,)):
    return ort.InferenceSession(model.SerializeToString(), options or options_with(path), providers=list(providers))


def run(session, **arrays):
    return session.run(None, arrays)[0]


def forward_is_right(name, x, y):
    verify.floats(name, y, gelu_cpu(x), ATOL, RTOL)


# ---------------------------------------------------------------- the steps


def raised_by(call):
    """What a call ends with: "Fail: its text" or "" if nothing was raised."""
    try:
        call()
    except Exception as error:  # whatever it is: the steps compare it
        return f"{type(error).__name__}: {error}".replace("[ONNXRuntimeError] : ", "")
    return ""


def show_raised(what, call, wanted):
    """It must raise something that has these words."""
    said = raised_by(call)
    if not verify.fact(what, wanted in said, True):
        print(f"    it said: {said}")
    print(f"    {what}:\n        {' '.join(said.split())}")


def model1(seed):
    """Nobody asks what CustomGelu is before the model is to run: to ONNX a domain that it does not know is yours."""
    model = gelu_model()
    onnx.checker.check_model(model)
    (node,) = model.graph.node
    print(f"    a node: {node.domain}:{node.op_type}, from {list(node.input)} to {list(node.output)}")
    print("    the model imports: " + ", ".join(f"{one.domain or 'ai.onnx'} {one.version}" for one in model.opset_import))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "gelu.onnx"
        onnx.save(model, path)
        size = path.stat().st_size
        again = onnx.load(path)
        x = verify.random(1000, -3, 3, seed)
        session = ort.InferenceSession(str(path), options_with(), providers=[CPU])
        forward_is_right("model1", x, run(session, x=x))
    verify.fact("the model read from its file", again == model, True)
    print(f"    in a file it has {size} bytes: no code")
    inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph.output[0].type.tensor_type.shape
    verify.fact("onnx infers no shape of y", [dim.dim_param or dim.dim_value for dim in inferred.dim], [0])
    forgotten = make_model(gelu_node(), imports=())
    show_raised("onnx.checker, the domain is not imported", lambda: onnx.checker.check_model(forgotten), "No opset import for domain")
    show_raised("ONNX Runtime, no library", lambda: session_of(model, path=None), f"{DOMAIN}:CustomGelu(-1) is not a registered function/op")


def register2(seed, sizes):
    """One call, and every session that is made with these options knows the operator."""
    ours, onnx_gelu = session_of(gelu_model()), session_of(make_model(gelu_node(domain="", name="Gelu"), imports=()), path=None)
    microsoft = session_of(make_model(gelu_node(domain="com.microsoft", name="Gelu"), imports=(("com.microsoft", 1),)), path=None)
    farthest = 0.0
    for n in sizes:
        x = verify.random(n, -4, 4, seed)
        looked_at = some_of(n)
        y = run(ours, x=x)
        forward_is_right("CustomGelu", x[looked_at], y[looked_at])
        for name, other in (("ONNX's Gelu", onnx_gelu), ("com.microsoft's Gelu", microsoft)):
            expected = run(other, x=x)
            verify.floats(f"CustomGelu and {name}", y[looked_at], expected[looked_at].astype(np.float64), ATOL, RTOL)
            farthest = max(farthest, float(np.abs(y - expected).max(initial=0)))
    print(f"    {len(sizes)} sizes agree with the CPU reference, and with ONNX Runtime's own Gelu of two domains")
    verify.fact("the largest difference to ONNX Runtime's own is below 1e-6", farthest < 1e-6, True)


def counts():
    return library.custom_gelu_created(), library.custom_gelu_destroyed(), library.custom_gelu_computed()


def life3(seed):
    """CreateKernel once for each node of a session, KernelCompute once for each of its runs, KernelDestroy at the end."""
    x = verify.random(1000, -2, 2, seed)
    two_nodes = make_model(gelu_node(y="between"), gelu_node(x="between"))
    before = counts()

    def since():
        return tuple(now - then for now, then in zip(counts(), before))

    first, second = session_of(two_nodes), session_of(two_nodes)
    told = [since()]
    for _ in range(3):
        y = run(first, x=x)
    told.append(since())
    del first
    gc.collect()
    told.append(since())
    between = gelu_cpu(x).astype(np.float32)
    verify.floats("one session lives on", run(second, x=x), gelu_cpu(between), 3 * ATOL, RTOL)
    verify.floats("two nodes", y, gelu_cpu(between), 3 * ATOL, RTOL)
    verify.fact("kernels created, destroyed, computed", told, [(4, 0, 0), (4, 0, 6), (4, 2, 6)])
    for what, (created, destroyed, computed) in zip(("two sessions of two nodes", "the first has run three times", "the first has gone"), told):
        print(f"    {what}: {created} kernels created, {destroyed} destroyed, {computed} computations")
    options = options_with()
    one, other = session_of(gelu_model(), options=options), session_of(two_nodes, options=options)
    forward_is_right("one SessionOptions for two sessions", x, run(one, x=x))
    del options, one
    gc.collect()
    verify.floats("the options have gone, the session lives on", run(other, x=x), gelu_cpu(between), 3 * ATOL, RTOL)
    options = options_with()
    options.register_custom_ops_library(LIBRARY)
    show_raised("registered twice with the same options", lambda: session_of(two_nodes, options=options), "Domain already set in registry")


def types4(seed):
    """float and float16 are two tables with one name. Attributes come from the node, when the kernel is created."""
    x = verify.random(1000, -3, 3, seed)
    half = x.astype(np.float16)
    y = run(session_of(gelu_model(TensorProto.FLOAT16)), x=half)
    verify.fact("float16 in, float16 out", y.dtype.name, "float16")
    verify.floats("float16", y, gelu_cpu(half), HALF_ATOL, HALF_RTOL)
    print(f"    float16: {half[0]} becomes {y[0]}")
    grads = run(session_of(grad_model()), x=x, dy=half.astype(np.float32))
    verify.floats("CustomGeluGrad", grads, gelu_backward_cpu(x, half.astype(np.float64)), ATOL, RTOL)
    tanh = session_of(gelu_model(approximate="tanh"))
    onnx_tanh = session_of(make_model(gelu_node(domain="", name="Gelu", approximate="tanh"), imports=()), path=None)
    verify.floats("approximate=tanh", run(tanh, x=x), gelu_tanh_cpu(x), ATOL, RTOL)
    verify.floats("ONNX's, approximate=tanh", run(tanh, x=x), run(onnx_tanh, x=x).astype(np.float64), ATOL, RTOL)
    apart = np.abs(run(tanh, x=x).astype(np.float64) - run(session_of(gelu_model()), x=x)).max()
    verify.fact("the attribute is read", bool(1e-5 < apart < 1e-3), True)
    print(f"    approximate=tanh and none differ by up to {apart:.1e}")
    show_raised("a model of double", lambda: session_of(gelu_model(TensorProto.DOUBLE)), "Type 'tensor(double)' of input parameter (x) of operator (CustomGelu)")
    show_raised("approximate=sigmoid", lambda: session_of(gelu_model(approximate="sigmoid")), 'approximate must be "none" or "tanh"')


def shapes5(seed):
    """InferOutputShapeFn says what y's shape is before there is any y; KernelContext_GetOutput makes one of that shape."""
    wide = session_of(gelu_model(shape=("batch", "words", 768)))
    (result,) = wide.get_outputs()
    verify.fact("y's shape, from the table", result.shape, ["batch", "words", 768])
    print(f"    x is {wide.get_inputs()[0].shape}; of y ONNX Runtime knows now: {result.shape}, {result.type}")
    for shape in ((2, 3, 768), (0, 5, 768), (1, 1, 768)):
        x = verify.random(shape, -3, 3, seed)
        forward_is_right("three dimensions", x, run(wide, x=x))
    x = verify.random((), -3, 3, seed)
    forward_is_right("no dimension", x, run(session_of(gelu_model(shape=())), x=x))
    x = verify.random(1000, -3, 3, seed)
    session = session_of(grad_model())
    show_raised("x has 1000 elements, dy 5", lambda: run(session, x=x, dy=x[:5]), "InvalidArgument: 2 : INVALID_ARGUMENT : Non-zero status code returned while running CustomGeluGrad node")
    verify.floats("the same session, afterwards", run(session, x=x, dy=x), gelu_backward_cpu(x, x), ATOL, RTOL)
    show_raised("CustomGelu with two inputs", lambda: session_of(make_model(helper.make_node("CustomGelu", ["x", "x"], ["y"], domain=DOMAIN))), "has input size 2 not in range [min=1, max=1]")


def with_stderr(call):
    """What a call printed there by way of C: ONNX Runtime's own messages."""
    with tempfile.TemporaryFile() as file:
        sys.stderr.flush()
        kept = os.dup(2)
        os.dup2(file.fileno(), 2)
        try:
            call()
        finally:
            os.dup2(kept, 2)
            os.close(kept)
        file.seek(0)
        return file.read().decode()


def mistaken(number):
    """A session with a library that does one thing wrong."""
    ctypes.CDLL(MISTAKES).mistakes_choose(number)
    return session_of(gelu_model(), path=MISTAKES)


def errors6(seed):
    """Each of these names a place: the path, the symbol, the version of the interface, the three words, the provider."""
    newer, cuda_only, later, exception = range(4)
    x = verify.random(1000, -3, 3, seed)
    show_raised("no such file", lambda: options_with("/nowhere/libgelu.so"), "cannot open shared object file")
    show_raised("a library without RegisterCustomOps", lambda: options_with("libm.so.6"), "undefined symbol: RegisterCustomOps")
    printed = with_stderr(lambda: show_raised("it asks for a newer interface", lambda: mistaken(newer), "this library needs a newer ONNX Runtime"))
    verify.fact("ONNX Runtime prints which versions it has", "The requested API version [10000] is not available" in printed, True)
    print(f"        and on stderr: {printed.strip()}")
    show_raised("another domain", lambda: session_of(make_model(gelu_node(domain="workbook"), imports=(("workbook", 1),))), "workbook:CustomGelu(-1) is not a registered function/op")
    show_raised("no domain", lambda: session_of(make_model(gelu_node(domain=""))), "No Op registered for CustomGelu with domain_version of 20")
    show_raised("registered from version 2 on, the model imports 1", lambda: mistaken(later), f"{DOMAIN}:CustomGelu(-1) is not a registered function/op")
    show_raised("registered for the CUDA provider, run by the CPU's", lambda: mistaken(cuda_only), "Could not find an implementation for CustomGelu(1)")
    show_raised("an exception of C++ out of KernelCompute", lambda: run(mistaken(exception), x=x), "thrown across the border")
    forward_is_right("errors6", x, run(session_of(gelu_model()), x=x))


def threads7(seed):
    """Session.run may be called by several threads. There is one kernel for all of them."""
    session, before = session_of(gelu_model()), counts()[0]
    arrays = [verify.random(2000 + 500 * k, -3, 3, seed + k) for k in range(4)]
    results = [[] for _ in arrays]
    together = threading.Barrier(len(arrays))

    def work(k):
        together.wait()
        for _ in range(3):
            results[k].append(run(session, x=arrays[k]))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(len(arrays))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    verify.fact("results", [len(those) for those in results], [3] * len(arrays))
    for x, those in zip(arrays, results):
        for y in those:
            forward_is_right("threads7", x, y)
    verify.fact("kernels created meanwhile", counts()[0] - before, 0)
    print(f"    {len(arrays)} threads, 3 runs each, arrays of {len(arrays)} sizes: all right, with one kernel")


def provider_of(session, name, x):
    """Who has run the node, from ONNX Runtime's profile."""
    run(session, x=x)
    path = session.end_profiling()
    events = json.loads(Path(path).read_text(encoding="utf-8"))
    os.remove(path)
    return [e["args"]["provider"] for e in events if e.get("args", {}).get("op_name") == name]


def profiled_options(folder):
    options = options_with()
    options.enable_profiling, options.profile_file_prefix = True, f"{folder}/profile"
    return options


def device8(seed):
    """run() makes y, and copies what lies elsewhere. A binding names the memory of x and y, and nothing is copied."""
    x = verify.random(1000, -3, 3, seed)
    print(f"    providers: {', '.join(ort.get_available_providers())}")
    with tempfile.TemporaryDirectory() as folder:
        profiled = session_of(gelu_model(), options=profiled_options(folder))
        verify.fact("who has run CustomGelu", provider_of(profiled, "CustomGelu", x), [CPU])
    session = session_of(gelu_model())
    y = verify.poisoned(1000)
    binding, value = session.io_binding(), ort.OrtValue.ortvalue_from_numpy(y)
    verify.fact("an OrtValue has NumPy's memory", value.data_ptr(), y.ctypes.data)
    binding.bind_cpu_input("x", x)
    binding.bind_ortvalue_output("y", value)
    session.run_with_iobinding(binding)
    forward_is_right("the result is in y", x, y)
    print("    with a binding the result was written where y is, without a copy")
    on_the_gpu(x)


def on_the_gpu(x):
    """The CUDA provider: x and y are on the device, and stay there."""
    if device.is_emulator():
        print("    the CUDA provider needs a GPU: not tried")
        return
    if CUDA not in ort.get_available_providers():
        print("    this ONNX Runtime has no CUDA provider (onnxruntime-gpu has one): not tried")
        return
    two_nodes = make_model(gelu_node(y="between"), gelu_node(x="between"))
    if hasattr(ort, "preload_dlls"):
        ort.preload_dlls()  # of CUDA and cuDNN, from NVIDIA's wheels, where they are installed
    session = session_of(two_nodes, providers=(CUDA, CPU))
    verify.fact("the session has the CUDA provider", session.get_providers()[0], CUDA)
    there = ort.OrtValue.ortvalue_from_numpy(x, "cuda", 0)
    binding = session.io_binding()
    binding.bind_ortvalue_input("x", there)
    binding.bind_output("y", "cuda")
    session.run_with_iobinding(binding)
    (result,) = binding.get_outputs()
    verify.fact("y is on the device", result.device_name(), "cuda")
    verify.floats("on the device", result.numpy(), gelu_cpu(gelu_cpu(x).astype(np.float32)), 3 * ATOL, RTOL)
    half = x.astype(np.float16)
    y = run(session_of(gelu_model(TensorProto.FLOAT16), providers=(CUDA, CPU)), x=half)
    verify.floats("float16 on the device", y, gelu_cpu(half), HALF_ATOL, HALF_RTOL)
    dx = run(session_of(grad_model(), providers=(CUDA, CPU)), x=x, dy=x)
    verify.floats("CustomGeluGrad on the device", dx, gelu_backward_cpu(x, x), ATOL, RTOL)
    with tempfile.TemporaryDirectory() as folder:
        profiled = session_of(gelu_model(), options=profiled_options(folder), providers=(CUDA, CPU))
        verify.fact("who has run CustomGelu", provider_of(profiled, "CustomGelu", x), [CUDA])
    print("    the CUDA provider has run it, with x and y on the device")


# ---------------------------------------------------------------- main


def measure(n, seed):
    """The kernels on arrays that are on the device already, as the CUDA provider calls them."""
    cuda, table = device.runtime(), bench.Table(8 * n)
    x, result = bench.allocate(max(4 * n, 1)), bench.allocate(max(4 * n, 1))
    for half, name in ((0, "float"), (1, "float16")):
        given = np.tile(verify.random(min(n, 1 << 20), -4, 4, seed), -(-n // (1 << 20)))[:n]
        given = given.astype(np.float16 if half else np.float32)
        device.check(cuda.cudaMemcpy(x, given.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(given.nbytes), 1), "cudaMemcpy")
        for way, dy in (("gelu", None), ("backward", x)):
            arrays = 2 if dy is None else 3  # x is dy as well: what is read twice is asked for twice
            table.run(f"{way} {name}", lambda: device.check(library.custom_gelu_queue(x, dy, result, n, half, None), way), n, arrays * given.nbytes)
    device.check(cuda.cudaDeviceSynchronize(), "cudaDeviceSynchronize")
    table.finish()
    cuda.cudaFree(x)
    cuda.cudaFree(result)


def main():
    options = device.read_options(versions=8)
    device.print_backend()
    n = options.size if options.size is not None else 100003 if device.is_emulator() else 1 << 26
    sizes = [options.size] if options.size is not None else SIZES + [n]
    steps = [model1, register2, life3, types4, shapes5, errors6, threads7, device8]
    for version, step in enumerate(steps, 1):
        if options.version in (0, version):
            print(f"\n{step.__name__}:", flush=True)
            step(options.seed, *([sizes] if step is register2 else []))
    if options.version in (0, 2):
        measure(n, options.seed)
    return verify.finish("gelu")


if __name__ == "__main__":
    sys.exit(main())
