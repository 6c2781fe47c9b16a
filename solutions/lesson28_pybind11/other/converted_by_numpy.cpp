/* Arrays come as py::object, and NumPy itself converts them; the error is raised through the C interface. */
#include "layer.h"
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

namespace py = pybind11;

using Floats = py::array_t<float>;

static Floats floats(const py::object &x) {
    return py::module_::import("numpy").attr("ascontiguousarray")(x, py::arg("dtype") = "float32");
}

static PyObject *layer_error_type;

static void check(int code) {
    if (code != 0) {
        py::gil_scoped_acquire for_the_error;
        py::object raised = py::reinterpret_borrow<py::object>(layer_error_type)(layer_error(code));
        raised.attr("code") = code;
        PyErr_SetObject(layer_error_type, raised.ptr());
        throw py::error_already_set();
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
    explicit Layer(const py::object &given) {
        Floats bias = floats(given);
        cols = bias.size();
        check(layer_create(&handle, bias.data(), (int)cols));
    }

    ~Layer() { close(); }
    Layer(const Layer &) = delete;
    Layer &operator=(const Layer &) = delete;

    void close() {
        layer_destroy(handle);
        handle = nullptr;
    }

    py::array_t<float> forward(const py::object &x_given, float scale, const py::object &out) {
        require_open();
        Floats x = matrix(x_given);
        py::array_t<float> y = result_for(x, out);
        const float *from = x.data();
        float *to = y.mutable_data();
        long long rows = x.shape(0);
        py::gil_scoped_release others_may_run;
        check(layer_forward(handle, from, to, rows, scale));
        check(layer_wait(handle));
        return y;
    }

    py::array_t<float> backward(const py::object &x_given, const py::object &dy_given, float scale,
                                const py::object &out) {
        require_open();
        Floats x = matrix(x_given), dy = matrix(dy_given);
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

    Floats matrix(const py::object &given) const {
        py::array x = given;
        if (x.ndim() != 2 || x.shape(1) != cols) {
            throw py::value_error("an array of two dimensions is needed, with a column for each element of bias");
        }
        return floats(given);
    }

    struct layer *handle = nullptr;
    py::ssize_t cols;
};

PYBIND11_MODULE(exercise, m) {
    layer_error_type = PyErr_NewException("exercise.LayerError", PyExc_RuntimeError, nullptr);
    m.attr("LayerError") = py::reinterpret_borrow<py::object>(layer_error_type);

    py::class_<Layer>(m, "Layer")
        .def(py::init<const py::object &>(), py::arg("bias"))
        .def("close", &Layer::close)
        .def("forward", &Layer::forward, py::arg("x"), py::arg("scale"), py::arg("out") = py::none())
        .def("backward", &Layer::backward, py::arg("x"), py::arg("dy"), py::arg("scale"), py::arg("out") = py::none())
        .def("__enter__", [](py::object self) { return self; })
        .def("__exit__", [](Layer &self, const py::args &) { self.close(); });
}
