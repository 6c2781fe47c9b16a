// expect: compile_error
// says: Nothing else is there while it is compiled.
/* One line. */
#include "solutions/lesson01_threads/solution.cu"
