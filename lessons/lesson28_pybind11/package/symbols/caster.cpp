#include "caster.h"

bool pybind11::detail::type_caster<tiny::Tensor>::load(handle source, bool) {
    if (!isinstance<list>(source)) {
        return false;
    }
    for (handle element : source) {
        value.values.push_back(element.cast<float>());
    }
    return true;
}
