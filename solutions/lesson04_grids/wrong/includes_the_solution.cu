// expect: compile_error
/* Somebody else has done the work. */
#include "../solution.cu"
