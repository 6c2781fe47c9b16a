// expect: compile_error
#include "../../../solutions/lesson07_shared_memory/solution.cu"
