/* Exercise 28: a binding with pybind11. The library and the interface for Python are those of exercise 27; layer.h declares the functions.
 *
 * The grader (make exercise28) compiles this file to a module `exercise`, and calls, in a separate process:
 *
 *     with Layer(bias) as layer:                  or without `with`: then it calls layer.close() once, several times, or never
 *         y = layer.forward(x, scale)             a new array of float32, of x's shape
 *         layer.forward(x, scale, out=y)          the same into y, which is returned itself
 *         dx = layer.backward(x, dy, scale)       also with out=
 *
 *   - x, dy and bias are NumPy arrays of any real type and layout: also float64, float16 or integers, every second column, transposed,
 *     read-only. x and dy have two dimensions, and as many columns as bias has elements; 0 or more rows;
 *   - `out` is written only if it is an array of float32, C-contiguous, writable, and of x's shape. Anything else is a ValueError; so is an x or dy
 *     of a wrong shape, even one that NumPy could broadcast;
 *   - an error of the library is raised as a LayerError, with the code as `code` and the library's text in its text;
 *   - a layer is destroyed exactly once: when it is closed, or when no reference to it is left. Using a closed layer is a ValueError;
 *   - results are complete when a function returns, and they come from the library;
 *   - while forward or backward waits for the library, other Python threads can run.
 *
 * When all checks pass, Python calls the library through a module in C++ that leaks nothing, and other threads run
 * meanwhile.
 * First step: TODO 2, 4 and 11, about ten minutes: the check "a layer that cannot be created is a LayerError" passes.
 */
// fails as given: not_implemented
#include "layer.h"
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <stdexcept>

namespace py = pybind11;

/* What is left to do, as Python's NotImplementedError. */
[[maybe_unused, noreturn]] static void not_implemented(const char *what) {
    PyErr_SetString(PyExc_NotImplementedError, what);
    throw py::error_already_set();
}

// TODO 1: the type of an array that the library can read: float32, row-major without gaps. pybind11 converts every other array.
using Floats = py::array_t<float>;

/* An error of the library, on its way through C++. In Python it is a LayerError: see the module below. */
class LayerFailure : public std::runtime_error {
  public:
    explicit LayerFailure(int code) : std::runtime_error(layer_error(code)), code(code) {}
    int code;
};

[[maybe_unused]] static void check(int code) {
    // TODO 2: throw a LayerFailure if this is an error code.
    (void)code;
}

/* The array for the result: `out`, if it is given and fits, otherwise a new one of x's shape. */
static py::array_t<float> result_for(const Floats &x, const py::object &out) {
    // TODO 3: check out. py::isinstance<T>(out) tests whether it is a T without a conversion; given.writeable() tests whether it may be
    // written.
    return py::array_t<float>({x.shape(0), x.shape(1)});
}

class Layer {
  public:
    explicit Layer(const Floats &bias) : cols(bias.size()) {
        // TODO 4: create a layer. Its handle is a member of this object.
        not_implemented("TODO 4: create a layer");
    }

    ~Layer() {
        // TODO 5: destroy the layer, unless it is destroyed already.
    }
    Layer(const Layer &) = delete;
    Layer &operator=(const Layer &) = delete;

    void close() {
        // TODO 6: the same.
    }

    py::array_t<float> forward(const Floats &x, float scale, const py::object &out) {
        require_open();
        require_shape(x);
        py::array_t<float> y = result_for(x, out);
        // TODO 7: call, wait, check. While the library works, this thread does not need the GIL: which lines need it, and which do not?
        (void)scale;
        not_implemented("TODO 7: forward");
        return y;
    }

    py::array_t<float> backward(const Floats &x, const Floats &dy, float scale, const py::object &out) {
        require_open();
        require_shape(x);
        require_shape(dy);
        // TODO 8: the same, with dy. It must have as many rows as x.
        (void)scale;
        (void)out;
        not_implemented("TODO 8: backward");
    }

  private:
    void require_open() const {
        // TODO 9: a py::value_error, if the layer is closed.
    }

    void require_shape(const Floats &x) const {
        // TODO 10: a py::value_error, unless x has two dimensions and as many columns as bias has elements.
        (void)x;
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
            // TODO 11: the error code, as raised's attribute `code`.
            PyErr_SetObject(layer_error_type, raised.ptr());
        }
    });

    py::class_<Layer>(m, "Layer")
        .def(py::init<const Floats &>(), py::arg("bias"))
        .def("close", &Layer::close)
        // TODO 12: forward and backward, with the names of their parameters; out is None if it is not given.
        .def("__enter__", [](py::object self) { return self; })
        .def("__exit__", [](Layer &self, const py::args &) { self.close(); });
}
