/* tensor.h - libtiny.so: tensors, as small as can be. It stands for libtorch, and knows nothing of Python. */
#pragma once

#include <string>
#include <vector>

#define EXPORTED __attribute__((visibility("default")))

namespace tiny {

struct Tensor {
    std::vector<float> values;
};

/* Throws if there is nothing in it; `what` is for the message. Its type, std::string, has two layouts (_GLIBCXX_USE_CXX11_ABI). */
EXPORTED void require_values(const Tensor &tensor, const std::string &what);

} // namespace tiny
