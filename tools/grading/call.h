/* call.h - calls a function of an exercise by its address, with the arguments of a job. */
#ifndef TOOLS_GRADING_CALL_H
#define TOOLS_GRADING_CALL_H

#include <cuda_runtime_api.h>

#include "tools/grading/protocol.h"

/* Integers and pointers on one side, floats on the other: the calling conventions of Linux on x86-64 and on 64-bit ARM pass each kind in
 * separate registers, so a call with surplus arguments of both kinds is correct for every function that takes only some of them. */
typedef int (*any_function)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                            uint64_t, uint64_t, uint64_t, float, float, float, float, float, float);

/* `at`: the start of each array. */
static inline int call_function(void *function, const struct job *job, unsigned char *const *at, cudaStream_t stream) {
    uint64_t i[INTEGERS_MAX] = {};
    float f[FLOATS_MAX] = {};
    unsigned integers = 0, floats = 0;
    for (unsigned a = 0; a < job->arguments; a++) {
        const struct argument *argument = &job->argument[a];
        if (argument->kind == ARGUMENT_FLOAT) {
            f[floats++ % FLOATS_MAX] = argument->real;
            continue;
        }
        i[integers++ % INTEGERS_MAX] = argument->kind == ARGUMENT_ARRAY
                                           ? (uint64_t)at[argument->array] + argument->integer
                                       : argument->kind == ARGUMENT_STREAM ? (uint64_t)stream
                                                                           : argument->integer;
    }
    return ((any_function)function)(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9], i[10], i[11], f[0],
                                    f[1], f[2], f[3], f[4], f[5]);
}

#endif
