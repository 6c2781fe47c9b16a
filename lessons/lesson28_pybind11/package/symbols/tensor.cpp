#include "tensor.h"
#include <stdexcept>

void tiny::require_values(const Tensor &tensor, const std::string &what) {
    if (tensor.values.empty()) {
        throw std::invalid_argument(what + ": no values");
    }
}
