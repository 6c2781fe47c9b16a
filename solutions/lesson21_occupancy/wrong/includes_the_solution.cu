// expect: compile_error
#include "../../../solutions/lesson21_occupancy/solution.cu"
