// expect: compile_error
// says: fatal error: solutions/lesson01_threads/solution.cu: No such file
/* One line. */
#include "solutions/lesson01_threads/solution.cu"
