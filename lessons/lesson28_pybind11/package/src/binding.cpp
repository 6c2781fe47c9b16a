/* binding.cpp - what Python sees of gelu.h: the module _gelu. The C++ compiler builds this file; there is no kernel in it. */
#include "dlpack.h"
#include "gate.h"
#include "gelu.h"
#include "owner.h"
#include <memory>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace py = pybind11;
using namespace py::literals;

/* Any array is taken: what is not float32, one element behind the other, is converted to a copy that is. */
using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;

// ---------------------------------------------------------------- who owns device memory

class DeviceArray {
  public:
    explicit DeviceArray(size_t n) : shared(std::make_shared<Memory>(n)) {}
    explicit DeviceArray(const Floats &x) : DeviceArray(x.size()) {
        py::gil_scoped_release others_may_run;
        check(cudaMemcpy(shared->data, x.data(), x.nbytes(), cudaMemcpyHostToDevice));
    }
    Memory &memory() const {
        if (!shared) {
            throw py::value_error("this DeviceArray is closed");
        }
        return *shared;
    }
    py::array_t<float> numpy() const {
        std::shared_ptr<Memory> kept = shared; // another thread may close this array meanwhile
        py::array_t<float> y(memory().n);
        float *result = y.mutable_data();
        py::gil_scoped_release others_may_run;
        check(cudaMemcpy(result, kept->data, kept->n * sizeof(float), cudaMemcpyDeviceToHost));
        return y;
    }
    std::shared_ptr<Memory> shared; // none: closed
};

// ---------------------------------------------------------------- arrays from one library to another

/* The device that this memory belongs to. */
static int device_of(const void *data) {
    cudaPointerAttributes about = {};
    check(cudaPointerGetAttributes(&about, data));
    return about.device;
}

/* Of what a consumer may ask for: another device or a copy, which we do not make. Of the struct's versions (max_version) it gets the oldest one,
 * which every consumer reads. */
static void require_exportable(const void *data, const py::object &dl_device, const py::object &copy) {
    if (!dl_device.is_none() && !dl_device.equal(py::make_tuple((int)DL_CUDA, device_of(data)))) {
        throw py::buffer_error("this array is exported on its own device only");
    }
    if (!copy.is_none() && copy.cast<bool>()) {
        throw py::buffer_error("this array is exported without a copy only");
    }
}

struct Exported : DLManagedTensor {
    explicit Exported(const std::shared_ptr<Memory> &memory) : DLManagedTensor{}, memory(memory), n(memory->n) {
        tensor.data = memory->data;
        tensor.device = {DL_CUDA, device_of(memory->data)};
        tensor.dimensions = 1;
        tensor.dtype = {DL_FLOAT, 32, 1};
        tensor.shape = &n;
        deleter = [](DLManagedTensor *self) { delete static_cast<Exported *>(self); };
    }
    std::shared_ptr<Memory> memory; // keeps the memory alive until the deleter runs
    int64_t n;
};

/* A capsule holds an address for C code, and a name. Who takes what is in it renames it; what nobody has taken, goes with the capsule. */
static py::capsule to_dlpack(const DeviceArray &array,
                             const py::object & /* stream: our work is done when a function returns */,
                             const py::object & /* max_version */, const py::object &dl_device,
                             const py::object &copy) {
    require_exportable(array.memory().data, dl_device, copy);
    DLManagedTensor *exported = new Exported(array.shared);
    return py::capsule(exported, "dltensor", [](PyObject *capsule) {
        if (PyCapsule_IsValid(capsule, "dltensor")) {
            auto *left = static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule, "dltensor"));
            left->deleter(left);
        }
    });
}

/* The older way: a dictionary. It keeps nothing alive; who reads it keeps the object. */
static py::dict cuda_array_interface(const DeviceArray &array) {
    Memory &memory = array.memory();
    return py::dict("version"_a = 3, "shape"_a = py::make_tuple(memory.n), "typestr"_a = "<f4",
                    "strides"_a = py::none(), "data"_a = py::make_tuple((uintptr_t)memory.data, false), "stream"_a = 1);
}

/* Somebody else's array of floats on the device, while this object lives. */
class Borrowed {
  public:
    explicit Borrowed(const py::object &array) {
        py::tuple device = array.attr("__dlpack_device__")();
        if (device[0].cast<int>() != DL_CUDA) {
            throw py::value_error("the array must be on a CUDA device");
        }
        int current = 0;
        check(cudaGetDevice(&current));
        if (device[1].cast<int>() != current) { // a kernel on the current device could not read it
            throw py::value_error("the array must be on the current CUDA device");
        }
        // 1: we continue in CUDA's default stream. The producer makes sure that its work is ordered before ours.
        py::capsule capsule = array.attr("__dlpack__")("stream"_a = 1);
        taken.reset(static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor")));
        if (!taken) {
            throw py::error_already_set();
        }
        PyCapsule_SetName(capsule.ptr(), "used_dltensor"); // we own it now: the capsule will not delete it
        require_floats(taken->tensor);
    }
    const float *data() const { return (const float *)((const char *)taken->tensor.data + taken->tensor.byte_offset); }
    size_t size() const {
        size_t product = 1;
        for (int d = 0; d < taken->tensor.dimensions; d++) {
            product *= taken->tensor.shape[d];
        }
        return product;
    }

  private:
    static void require_floats(const DLTensor &tensor) {
        if (tensor.dtype.code != DL_FLOAT || tensor.dtype.bits != 32 || tensor.dtype.lanes != 1) {
            throw py::type_error("the array must be of float32");
        }
        int64_t next = 1;
        for (int d = tensor.dimensions - 1; tensor.strides && d >= 0; d--) {
            if (tensor.shape[d] != 1 && tensor.strides[d] != next) {
                throw py::value_error("the array must be contiguous");
            }
            next *= tensor.shape[d];
        }
    }
    struct GiveBack {
        void operator()(DLManagedTensor *self) const {
            if (self->deleter) {
                self->deleter(self);
            }
        }
    };
    std::unique_ptr<DLManagedTensor, GiveBack> taken;
};

// ---------------------------------------------------------------- the operator

static DeviceArray forward_device(const py::object &x) {
    Borrowed there(x);
    DeviceArray y(there.size());
    float *result = y.memory().data;
    {
        py::gil_scoped_release others_may_run; // not until the end: to give x back may need the GIL
        check(gelu_forward(there.data(), result, there.size(), nullptr));
        check(cudaStreamSynchronize(nullptr)); // x is given back when we return: no kernel may be reading it then
    }
    return y;
}

static DeviceArray backward_device(const py::object &x, const py::object &dy) {
    Borrowed x_there(x), dy_there(dy);
    if (x_there.size() != dy_there.size()) {
        throw py::value_error("dy must have as many elements as x");
    }
    DeviceArray dx(x_there.size());
    float *result = dx.memory().data;
    {
        py::gil_scoped_release others_may_run;
        check(gelu_backward(x_there.data(), dy_there.data(), result, x_there.size(), nullptr));
        check(cudaStreamSynchronize(nullptr));
    }
    return dx;
}

/* These only queue work, in arrays that are there already. */
static void queue_forward(const DeviceArray &x, const DeviceArray &y) {
    if (x.memory().n != y.memory().n) {
        throw py::value_error("y must have as many elements as x");
    }
    check(gelu_forward(x.memory().data, y.memory().data, x.memory().n, nullptr));
}

static void queue_backward(const DeviceArray &x, const DeviceArray &dy, const DeviceArray &dx) {
    if (x.memory().n != dy.memory().n || x.memory().n != dx.memory().n) {
        throw py::value_error("dy and dx must have as many elements as x");
    }
    check(gelu_backward(x.memory().data, dy.memory().data, dx.memory().data, x.memory().n, nullptr));
}

static py::array_t<float> like(const Floats &x) {
    return py::array_t<float>(std::vector<py::ssize_t>(x.shape(), x.shape() + x.ndim()));
}

static py::array_t<float> forward(const Floats &x) {
    py::array_t<float> y = like(x);
    float *result = y.mutable_data();
    py::gil_scoped_release others_may_run; // from here on no Python object is touched
    Memory x_there(x.size()), y_there(x.size());
    check(cudaMemcpy(x_there.data, x.data(), x.nbytes(), cudaMemcpyHostToDevice));
    check(gelu_forward(x_there.data, y_there.data, x_there.n, nullptr));
    check(cudaMemcpy(result, y_there.data, x.nbytes(), cudaMemcpyDeviceToHost));
    return y;
}

static py::array_t<float> backward(const Floats &x, const Floats &dy) {
    if (x.size() != dy.size()) {
        throw py::value_error("dy must have as many elements as x");
    }
    py::array_t<float> dx = like(x);
    float *result = dx.mutable_data();
    py::gil_scoped_release others_may_run;
    Memory x_there(x.size()), dy_there(x.size()), dx_there(x.size());
    check(cudaMemcpy(x_there.data, x.data(), x.nbytes(), cudaMemcpyHostToDevice));
    check(cudaMemcpy(dy_there.data, dy.data(), x.nbytes(), cudaMemcpyHostToDevice));
    check(gelu_backward(x_there.data, dy_there.data, dx_there.data, x_there.n, nullptr));
    check(cudaMemcpy(result, dx_there.data, x.nbytes(), cudaMemcpyDeviceToHost));
    return dx;
}

// ---------------------------------------------------------------- for the lesson: what its steps look at

static void bind_what_the_lesson_looks_at(py::module_ &m) {
    m.def("bytes_held", [] { return bytes_held.load(); });
    m.def(
        "fail", [](int code) { check((cudaError_t)code); }, "code"_a);
    m.def("hold", &hold, "milliseconds"_a);
    m.def("release", &release);
    m.def("gave_up", &gave_up);
    m.def("synchronize", &synchronize, py::call_guard<py::gil_scoped_release>());
    m.def("synchronize_with_gil", &synchronize);
}

// ---------------------------------------------------------------- the module

/* In Python, CudaError also has CUDA's error code, as its attribute `code`. */
static void translate_errors(py::module_ &m) {
    static PyObject *type = py::exception<CudaError>(m, "CudaError").release().ptr();
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const CudaError &error) {
            py::object raised = py::reinterpret_borrow<py::object>(type)(error.what());
            raised.attr("code") = (int)error.code;
            PyErr_SetObject(type, raised.ptr());
        }
    });
}

static void bind_device_array(py::module_ &m) {
    py::class_<DeviceArray>(m, "DeviceArray",
                            "Floats on the device, owned by this object. close() or `with` frees them at once.")
        .def(py::init<const Floats &>(), "x"_a, "A copy of x.")
        .def("numpy", &DeviceArray::numpy, "A copy in CPU memory.")
        .def("close", [](DeviceArray &self) { self.shared.reset(); })
        .def("__enter__", [](py::object self) { return self; })
        .def("__exit__", [](DeviceArray &self, const py::args &) { self.shared.reset(); })
        .def("__len__", [](const DeviceArray &self) { return self.memory().n; })
        .def("__dlpack__", &to_dlpack, py::kw_only(), "stream"_a = py::none(), "max_version"_a = py::none(),
             "dl_device"_a = py::none(), "copy"_a = py::none())
        .def("__dlpack_device__",
             [](const DeviceArray &self) { return py::make_tuple((int)DL_CUDA, device_of(self.memory().data)); })
        .def_property_readonly("__cuda_array_interface__", &cuda_array_interface);
}

PYBIND11_MODULE(_gelu, m) {
    m.doc() = "GELU on the GPU: the compiled part of gelu_pybind11.";
    translate_errors(m);
    bind_device_array(m);
    m.def("forward", &forward, "x"_a, "GELU of each element.");
    m.def("forward_of_floats", &forward, "x"_a.noconvert(), "The same; what would have to be converted is refused.");
    m.def("backward", &backward, "x"_a, "dy"_a, "dy times GELU's derivative at x.");
    m.def("forward_device", &forward_device, "x"_a, "GELU of an array on the device.");
    m.def("backward_device", &backward_device, "x"_a, "dy"_a, "The way back, of arrays on the device.");
    m.def("queue_forward", &queue_forward, "x"_a, "y"_a, "Queues the work, and waits for nothing.");
    m.def("queue_backward", &queue_backward, "x"_a, "dy"_a, "dx"_a, "Queues the work, and waits for nothing.");
    bind_what_the_lesson_looks_at(m);
}
