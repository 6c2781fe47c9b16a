/* binding.cpp - what Python sees of gelu.h: the module _gelu. The C++ compiler builds this file; there is no kernel in it. */
#include "gate.h"
#include "gelu.h"
#include "owner.h"
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

/* The type lists the requirements for an array: float32, contiguous in C order, and its device. A const array is only read. */
using Floats = nb::ndarray<const float, nb::c_contig, nb::device::cpu>;
using WritableFloats = nb::ndarray<float, nb::c_contig, nb::device::cpu>;
using Points = nb::ndarray<const float, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using DeviceFloats = nb::ndarray<const float, nb::c_contig, nb::device::cuda>;
using WritableDeviceFloats = nb::ndarray<float, nb::c_contig, nb::device::cuda>;

/* What comes back, and as what: NumPy's array, or an object of nanobind's with __dlpack__. */
using NumPyArray = nb::ndarray<nb::numpy, float>;
using DeviceArray = nb::ndarray<nb::array_api, float, nb::device::cuda>;

// ---------------------------------------------------------------- who owns what comes back

/* A capsule is a Python object. When no reference to it is left, it deletes what it holds. */
template <typename T> static nb::capsule into_capsule(std::unique_ptr<T> owned) {
    nb::capsule owner(owned.get(), [](void *held) noexcept { delete static_cast<T *>(held); });
    owned.release(); // not earlier: creating the capsule may throw
    return owner;
}

template <typename Array> static std::vector<size_t> shape_of(const Array &x) {
    return std::vector<size_t>(x.shape_ptr(), x.shape_ptr() + x.ndim());
}

static NumPyArray as_numpy(std::unique_ptr<std::vector<float>> y, const std::vector<size_t> &shape) {
    float *data = y->data();
    return NumPyArray(data, shape.size(), shape.data(), into_capsule(std::move(y)));
}

static DeviceArray on_device(std::unique_ptr<Memory> y, const std::vector<size_t> &shape) {
    float *data = y->data;
    return DeviceArray(data, shape.size(), shape.data(), into_capsule(std::move(y)));
}

// ---------------------------------------------------------------- the operator

template <typename X, typename Y> static void require_as_many(const X &x, const Y &y) {
    if (x.size() != y.size()) {
        throw nb::value_error("the arrays must have equally many elements");
    }
}

/* Addresses of CPU memory. Nothing of Python's is touched: other threads may run. */
static void forward_on_cpu_memory(const float *x, float *y, size_t n) {
    nb::gil_scoped_release others_may_run;
    Memory x_there(n), y_there(n);
    check(cudaMemcpy(x_there.data, x, n * sizeof(float), cudaMemcpyHostToDevice));
    check(gelu_forward(x_there.data, y_there.data, n, nullptr));
    check(cudaMemcpy(y, y_there.data, n * sizeof(float), cudaMemcpyDeviceToHost));
}

template <typename Array> static NumPyArray forward(const Array &x) {
    auto y = std::make_unique<std::vector<float>>(x.size());
    forward_on_cpu_memory(x.data(), y->data(), x.size());
    return as_numpy(std::move(y), shape_of(x));
}

static void forward_into(const Floats &x, const WritableFloats &out) {
    require_as_many(x, out);
    forward_on_cpu_memory(x.data(), out.data(), x.size());
}

static NumPyArray backward(const Floats &x, const Floats &dy) {
    require_as_many(x, dy);
    size_t n = x.size();
    auto dx = std::make_unique<std::vector<float>>(n);
    {
        nb::gil_scoped_release others_may_run;
        Memory x_there(n), dy_there(n), dx_there(n);
        check(cudaMemcpy(x_there.data, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        check(cudaMemcpy(dy_there.data, dy.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        check(gelu_backward(x_there.data, dy_there.data, dx_there.data, n, nullptr));
        check(cudaMemcpy(dx->data(), dx_there.data, n * sizeof(float), cudaMemcpyDeviceToHost));
    }
    return as_numpy(std::move(dx), shape_of(x));
}

static DeviceArray forward_there(const DeviceFloats &x) {
    auto y = std::make_unique<Memory>(x.size());
    {
        nb::gil_scoped_release others_may_run; // only in this block: releasing x may need the GIL
        check(gelu_forward(x.data(), y->data, x.size(), nullptr));
        check(cudaStreamSynchronize(nullptr)); // x is released when we return: no kernel may still be reading it
    }
    return on_device(std::move(y), shape_of(x));
}

static DeviceArray backward_there(const DeviceFloats &x, const DeviceFloats &dy) {
    require_as_many(x, dy);
    auto dx = std::make_unique<Memory>(x.size());
    {
        nb::gil_scoped_release others_may_run;
        check(gelu_backward(x.data(), dy.data(), dx->data, x.size(), nullptr));
        check(cudaStreamSynchronize(nullptr));
    }
    return on_device(std::move(dx), shape_of(x));
}

static DeviceArray to_device(const Floats &x) {
    auto there = std::make_unique<Memory>(x.size());
    check(cudaMemcpy(there->data, x.data(), x.nbytes(), cudaMemcpyHostToDevice));
    return on_device(std::move(there), shape_of(x));
}

static NumPyArray to_numpy(const DeviceFloats &there) {
    auto here = std::make_unique<std::vector<float>>(there.size());
    check(cudaMemcpy(here->data(), there.data(), there.nbytes(), cudaMemcpyDeviceToHost));
    return as_numpy(std::move(here), shape_of(there));
}

/* These only queue work, in arrays that are there already. */
static void queue_forward(const DeviceFloats &x, const WritableDeviceFloats &y) {
    require_as_many(x, y);
    check(gelu_forward(x.data(), y.data(), x.size(), nullptr));
}

static void queue_backward(const DeviceFloats &x, const DeviceFloats &dy, const WritableDeviceFloats &dx) {
    require_as_many(x, dy);
    require_as_many(x, dx);
    check(gelu_backward(x.data(), dy.data(), dx.data(), x.size(), nullptr));
}

// ---------------------------------------------------------------- for the lesson: objects that hold objects

/* Room on the device that is used again and again. `array` is a view of it, and has no memory of its own. */
class Room {
  public:
    explicit Room(size_t n) : memory(n) {}
    DeviceArray array() { return DeviceArray(memory.data, {memory.n}); }

  private:
    Memory memory;
};

/* Whom to call when work is done: any object of Python. Python's garbage collector knows nothing of this member ... */
struct HiddenHook {
    nb::object call;
};

/* ... but of this one, since the functions below tell it. */
struct Hook : HiddenHook {};

static int traverse_hook(PyObject *self, visitproc visit, void *arg) {
    Py_VISIT(Py_TYPE(self));
    if (nb::inst_ready(self)) {
        Py_VISIT(nb::inst_ptr<Hook>(self)->call.ptr());
    }
    return 0;
}

static int clear_hook(PyObject *self) {
    nb::inst_ptr<Hook>(self)->call.reset();
    return 0;
}

static PyType_Slot hook_slots[] = {
    {Py_tp_traverse, (void *)traverse_hook}, {Py_tp_clear, (void *)clear_hook}, {0, nullptr}};

static void bind_what_the_lesson_looks_at(nb::module_ &m) {
    nb::class_<Room>(m, "Room")
        .def(nb::init<size_t>(), "n"_a)
        .def_prop_ro("array", &Room::array, nb::rv_policy::reference_internal)
        .def_prop_ro("array_without_owner", &Room::array, nb::rv_policy::reference);
    nb::class_<HiddenHook>(m, "HiddenHook").def(nb::init<>()).def_rw("call", &HiddenHook::call);
    nb::class_<Hook>(m, "Hook", nb::type_slots(hook_slots)).def(nb::init<>()).def_rw("call", &Hook::call);
    m.def(
        "address", [](const nb::ndarray<nb::ro> &x) { return (uintptr_t)x.data(); }, "x"_a);
    m.def("nothing", [] {});
    m.def("bytes_held", [] { return bytes_held.load(); });
    m.def(
        "fail", [](int code) { check((cudaError_t)code); }, "code"_a);
    m.def("hold", &hold, "milliseconds"_a);
    m.def("release", &release);
    m.def("gave_up", &gave_up);
    m.def("synchronize", &synchronize, nb::call_guard<nb::gil_scoped_release>());
    m.def("synchronize_with_gil", &synchronize);
}

// ---------------------------------------------------------------- the module

/* In Python, CudaError also has CUDA's error code, as its attribute `code`. */
static void translate_errors(nb::module_ &m) {
    nb::exception<CudaError> type(m, "CudaError");
    nb::register_exception_translator(
        [](const std::exception_ptr &thrown, void *type) {
            try {
                std::rethrow_exception(thrown);
            } catch (const CudaError &error) {
                nb::object raised = nb::handle((PyObject *)type)(error.what());
                raised.attr("code") = (int)error.code;
                PyErr_SetObject((PyObject *)type, raised.ptr());
            }
        },
        type.ptr());
}

NB_MODULE(_gelu, m) {
    m.doc() = "GELU on the GPU: the compiled part of gelu_nanobind.";
    translate_errors(m);
    m.def("forward", &forward<Floats>, "x"_a, "GELU of each element.");
    m.def("forward", &forward_there, "x"_a, "The same of an array on the device.");
    m.def("forward_of_floats", &forward<Floats>, "x"_a.noconvert(), "What would have to be converted is refused.");
    m.def("forward_of_points", &forward<Points>, "x"_a, "Of an array with three columns.");
    m.def("forward_into", &forward_into, "x"_a, nb::kw_only(), "out"_a.noconvert(), "GELU, written to out.");
    m.def("backward", &backward, "x"_a, "dy"_a, "dy times GELU's derivative at x.");
    m.def("backward", &backward_there, "x"_a, "dy"_a, "The same of arrays on the device.");
    m.def("to_device", &to_device, "x"_a, "A copy on the device.");
    m.def("to_numpy", &to_numpy, "there"_a, "A copy in CPU memory.");
    m.def("queue_forward", &queue_forward, "x"_a, "y"_a.noconvert(), "Queues the work, and waits for nothing.");
    m.def("queue_backward", &queue_backward, "x"_a, "dy"_a, "dx"_a.noconvert(), "The same for the way back.");
    bind_what_the_lesson_looks_at(m);
}
