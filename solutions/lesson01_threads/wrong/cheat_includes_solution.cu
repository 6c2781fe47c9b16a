// expect: compile_error
// says: it includes solutions/lesson01_threads/solution.cu
/* One line. */
#include "solutions/lesson01_threads/solution.cu"
