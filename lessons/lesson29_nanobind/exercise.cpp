/* Exercise 29: a binding with nanobind, of a library whose object owns memory on the device. average.h has its functions.
 *
 * The grader (make exercise29) compiles this file to a module `exercise`, and calls, in a separate process:
 *
 *     average = Average(n)                 n values on the device, initially 0
 *     average.update(x, share=0.1)         values + share * (x - values). x: in host memory, or a device array of any library; share: passed by name
 *     there = average.values               a view of the values on the device, an object with __dlpack__: no copy
 *     here = average.numpy()               a new NumPy array with a copy of the values
 *
 *   - x in host memory is a NumPy array of any real type in the machine's byte order, with or without gaps; it may be read-only. x on the
 *     device is float32 and contiguous. Another number of dimensions, or any other object, is a TypeError; another length than n is a ValueError;
 *   - a view stays valid as long as it, or a capsule of it, is referenced, even after the last reference to `average`. It sees later updates;
 *   - an array that numpy() has returned sees none of them. It does not keep the average alive, and it owns its memory;
 *   - an average is destroyed exactly once, when neither a reference to it nor to one of its views is left;
 *   - an error of the library is raised as an AverageError, with the code as `code` and the library's text in its text;
 *   - results are complete when a function returns, and they come from the library;
 *   - while update or numpy waits for the library, other Python threads can run.
 *
 * When all checks pass, Python sees values on the device without a copy, and nothing is freed too early or too late.
 * First step: TODO 2, about ten minutes: the check "an average that cannot be created is an AverageError" passes.
 */
// fails as given: not_implemented
#include "average.h"
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <stdexcept>

namespace nb = nanobind;
using namespace nb::literals;

/* What is left to do, as Python's NotImplementedError. */
[[maybe_unused, noreturn]] static void not_implemented(const char *what) {
    PyErr_SetString(PyExc_NotImplementedError, what);
    throw nb::python_error();
}

// TODO 1: the requirements for x: float32, one dimension, contiguous, in host memory or on the device, and only read.
using Floats = nb::ndarray<>;
using DeviceFloats = nb::ndarray<nb::device::cuda>;

/* What is returned. */
using View = nb::ndarray<nb::array_api, float, nb::ndim<1>, nb::device::cuda>;
using NumPyArray = nb::ndarray<nb::numpy, float, nb::ndim<1>>;

/* An error of the library, on its way through C++. In Python it is an AverageError: see the module below. */
class AverageFailure : public std::runtime_error {
  public:
    explicit AverageFailure(int code) : std::runtime_error(average_error(code)), code(code) {}
    int code;
};

[[maybe_unused]] static void check(int code) {
    if (code != 0) {
        throw AverageFailure(code);
    }
}

class Average {
  public:
    explicit Average(long long n) : n(n) {
        // TODO 2: create an average. Its handle is a member of this object.
        not_implemented("TODO 2: create an average");
    }
    ~Average() {
        // TODO 3: destroy it.
    }
    Average(const Average &) = delete;
    Average &operator=(const Average &) = delete;

    void update(const Floats &x, float share) {
        // TODO 4: does x have as many elements as the average? Then call, wait, check. Which lines need the GIL, and which do not?
        (void)x;
        (void)share;
        not_implemented("TODO 4: update");
    }

    void update_there(const DeviceFloats &x, float share) {
        // TODO 5: the same, of an array on the device.
        (void)x;
        (void)share;
        not_implemented("TODO 5: update_there");
    }

    View values() {
        // TODO 6: a view of the values, without a copy. What owns them, and what must stay alive as long as the view? See also TODO 8.
        not_implemented("TODO 6: values");
    }

    NumPyArray numpy() {
        // TODO 7: separate memory for a copy, and an owner that frees it. The library writes it; meanwhile other threads can run.
        not_implemented("TODO 7: numpy");
    }

  private:
    [[maybe_unused]] void require_length(size_t length) const {
        if ((long long)length != n) {
            throw nb::value_error("x must be as long as the values");
        }
    }

    struct average *handle = nullptr;
    long long n;
};

NB_MODULE(exercise, m) {
    nb::exception<AverageFailure> type(m, "AverageError");
    nb::register_exception_translator(
        [](const std::exception_ptr &thrown, void *type) {
            try {
                std::rethrow_exception(thrown);
            } catch (const AverageFailure &failure) {
                nb::object raised = nb::handle((PyObject *)type)(failure.what());
                raised.attr("code") = failure.code;
                PyErr_SetObject((PyObject *)type, raised.ptr());
            }
        },
        type.ptr());

    nb::class_<Average>(m, "Average")
        // TODO 8: update twice, under one name; share must be passed by name. values, with the policy that keeps the right object alive. numpy.
        .def(nb::init<long long>(), "n"_a);
}
