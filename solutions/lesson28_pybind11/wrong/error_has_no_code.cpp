// expect: api_error
// says: , not the library's
/* The exception has the text alone: whoever wants the number must read it there. */
#include "layer.h"
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <stdexcept>

namespace py = pybind11;

using Floats = py::array_t<float, py::array::c_style | py::array::forcecast>;

/* An error of the library, on its way through C++. In Python it is a LayerError: see the module below. */
class LayerFailure : public std::runtime_error {
  public:
    explicit LayerFailure(int code) : std::runtime_error(layer_error(code)), code(code) {}
    int code;
};

static void check(int code) {
    if (code != 0) {
        throw LayerFailure(code);
    }
}

/* The array that is written: `out`, if there is one and it fits, or else a new one of x's shape. */
static py::array_t<float> result_for(const Floats &x, const py::object &out) {
    if (!out.is_none()) {
        if (!py::isinstance<py::array_t<float, py::array::c_style>>(out)) {
            throw py::value_error("out must be a C-contiguous array of float32");
        }
        auto given = py::reinterpret_borrow<py::array_t<float>>(out);
        if (given.ndim() != 2 || given.shape(0) != x.shape(0) || given.shape(1) != x.shape(1)) {
            throw py::value_error("out must have x's shape");
        }
        return given;
    }
    return py::array_t<float>({x.shape(0), x.shape(1)});
}

class Layer {
  public:
    explicit Layer(const Floats &bias) : cols(bias.size()) { check(layer_create(&handle, bias.data(), (int)cols)); }

    ~Layer() { close(); }
    Layer(const Layer &) = delete;
    Layer &operator=(const Layer &) = delete;

    void close() {
        layer_destroy(handle);
        handle = nullptr;
    }

    py::array_t<float> forward(const Floats &x, float scale, const py::object &out) {
        require_open();
        require_shape(x);
        py::array_t<float> y = result_for(x, out);
        const float *from = x.data();
        float *to = y.mutable_data();
        long long rows = x.shape(0);
        py::gil_scoped_release others_may_run;
        check(layer_forward(handle, from, to, rows, scale));
        check(layer_wait(handle));
        return y;
    }

    py::array_t<float> backward(const Floats &x, const Floats &dy, float scale, const py::object &out) {
        require_open();
        require_shape(x);
        require_shape(dy);
        if (dy.shape(0) != x.shape(0)) {
            throw py::value_error("dy must have x's shape");
        }
        py::array_t<float> dx = result_for(x, out);
        const float *from = x.data(), *gradient = dy.data();
        float *to = dx.mutable_data();
        long long rows = x.shape(0);
        py::gil_scoped_release others_may_run;
        check(layer_backward(handle, from, gradient, to, rows, scale));
        check(layer_wait(handle));
        return dx;
    }

  private:
    void require_open() const {
        if (!handle) {
            throw py::value_error("this layer is closed");
        }
    }

    void require_shape(const Floats &x) const {
        if (x.ndim() != 2 || x.shape(1) != cols) {
            throw py::value_error("an array of two dimensions is needed, with a column for each element of bias");
        }
    }

    struct layer *handle = nullptr;
    py::ssize_t cols;
};

PYBIND11_MODULE(exercise, m) {
    static PyObject *layer_error_type = py::exception<LayerFailure>(m, "LayerError").release().ptr();
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const LayerFailure &failure) {
            py::object raised = py::reinterpret_borrow<py::object>(layer_error_type)(failure.what());
            PyErr_SetObject(layer_error_type, raised.ptr());
        }
    });

    py::class_<Layer>(m, "Layer")
        .def(py::init<const Floats &>(), py::arg("bias"))
        .def("close", &Layer::close)
        .def("forward", &Layer::forward, py::arg("x"), py::arg("scale"), py::arg("out") = py::none())
        .def("backward", &Layer::backward, py::arg("x"), py::arg("dy"), py::arg("scale"), py::arg("out") = py::none())
        .def("__enter__", [](py::object self) { return self; })
        .def("__exit__", [](Layer &self, const py::args &) { self.close(); });
}
