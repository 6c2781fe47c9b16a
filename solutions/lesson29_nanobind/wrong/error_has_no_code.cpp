// expect: api_error
// says: , not the library's
/* The exception has the text alone. */
#include "average.h"
#include <memory>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <stdexcept>

namespace nb = nanobind;
using namespace nb::literals;

using Floats = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using DeviceFloats = nb::ndarray<const float, nb::ndim<1>, nb::c_contig, nb::device::cuda>;

/* What is returned. */
using View = nb::ndarray<nb::array_api, float, nb::ndim<1>, nb::device::cuda>;
using NumPyArray = nb::ndarray<nb::numpy, float, nb::ndim<1>>;

/* An error of the library, on its way through C++. In Python it is an AverageError: see the module below. */
class AverageFailure : public std::runtime_error {
  public:
    explicit AverageFailure(int code) : std::runtime_error(average_error(code)), code(code) {}
    int code;
};

static void check(int code) {
    if (code != 0) {
        throw AverageFailure(code);
    }
}

class Average {
  public:
    explicit Average(long long n) : n(n) { check(average_create(&handle, n)); }
    ~Average() { average_destroy(handle); }
    Average(const Average &) = delete;
    Average &operator=(const Average &) = delete;

    void update(const Floats &x, float share) {
        require_length(x.shape(0));
        const float *from = x.data();
        nb::gil_scoped_release others_may_run;
        check(average_update(handle, from, share));
        check(average_wait(handle));
    }

    void update_there(const DeviceFloats &x, float share) {
        require_length(x.shape(0));
        const float *from = x.data();
        nb::gil_scoped_release others_may_run;
        check(average_update_there(handle, from, share));
        check(average_wait(handle));
    }

    View values() {
        float *there = nullptr;
        check(average_values(handle, &there));
        return View(there, {(size_t)n});
    }

    NumPyArray numpy() {
        std::unique_ptr<float[]> copy(new float[n]);
        {
            nb::gil_scoped_release others_may_run;
            check(average_copy(handle, copy.get()));
            check(average_wait(handle));
        }
        nb::capsule owner(copy.get(), [](void *memory) noexcept { delete[](float *) memory; });
        return NumPyArray(copy.release(), {(size_t)n}, owner);
    }

  private:
    void require_length(size_t length) const {
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
                PyErr_SetObject((PyObject *)type, raised.ptr());
            }
        },
        type.ptr());

    nb::class_<Average>(m, "Average")
        .def(nb::init<long long>(), "n"_a)
        .def("update", &Average::update, "x"_a, nb::kw_only(), "share"_a)
        .def("update", &Average::update_there, "x"_a, nb::kw_only(), "share"_a)
        .def_prop_ro("values", &Average::values, nb::rv_policy::reference_internal)
        .def("numpy", &Average::numpy);
}
