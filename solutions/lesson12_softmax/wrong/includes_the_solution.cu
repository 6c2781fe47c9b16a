// expect: compile_error
#include "../../../solutions/lesson12_softmax/solution.cu"
