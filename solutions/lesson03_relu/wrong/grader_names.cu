// expect: compile_error
/* Ends the grading by the grader's own function, in place of a kernel. */
#include "common/check.h"

void gelu_erf(const float *, float *, int, cudaStream_t) {
    grader_\
end("pass");
}

void gelu_tanh(const float *, float *, int, cudaStream_t) {}
