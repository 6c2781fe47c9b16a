/* caster.h - libtiny_python.so: how pybind11 makes a tiny::Tensor of a Python object. It stands for libtorch_python. Declared here, for
 * everybody who binds functions with tensors; defined in the library. */
#pragma once

#include "tensor.h"
#include <pybind11/pybind11.h>

template <> struct EXPORTED pybind11::detail::type_caster<tiny::Tensor> {
    PYBIND11_TYPE_CASTER(tiny::Tensor, const_name("tiny.Tensor"));
    bool load(handle source, bool convert);
};
