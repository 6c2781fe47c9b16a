// expect: compile_error
#include "../../../solutions/lesson08_transpose/solution.cu"
