/* libnvvm.so.4, between a program and NVIDIA's library of that name, which compiles LLVM's code. Asked for
 * intermediate code for the link-time optimizer, which has no PTX, it is asked for PTX instead, and the program gets
 * that in a bundle. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "toolkit/compiler_options.h"
#include "toolkit/forward.h"
#include "toolkit/marks.h"
#include "toolkit/result.h"

/* NVVM's errors that are ours, too. */
enum { NVVM_ERROR_OUT_OF_MEMORY = 1, NVVM_ERROR_PROGRAM_CREATION_FAILURE = 2 };

typedef void *nvvmProgram;

#define MISSING                              NVVM_ERROR_PROGRAM_CREATION_FAILURE
#define PASS_ON(name, parameters, arguments) FORWARD(MISSING, name, parameters, arguments)

PASS_ON(nvvmVersion, (int *major, int *minor), (major, minor))
PASS_ON(nvvmIRVersion, (int *major, int *minor, int *debug_major, int *debug_minor),
        (major, minor, debug_major, debug_minor))
PASS_ON(nvvmLLVMVersion, (const char *arch, int *major), (arch, major))
PASS_ON(nvvmCreateProgram, (nvvmProgram * program), (program))
PASS_ON(nvvmAddModuleToProgram, (nvvmProgram program, const char *bytes, size_t size, const char *name),
        (program, bytes, size, name))
PASS_ON(nvvmLazyAddModuleToProgram, (nvvmProgram program, const char *bytes, size_t size, const char *name),
        (program, bytes, size, name))
PASS_ON(nvvmVerifyProgram, (nvvmProgram program, int count, const char **options), (program, count, options))
PASS_ON(nvvmGetProgramLogSize, (nvvmProgram program, size_t *size), (program, size))
PASS_ON(nvvmGetProgramLog, (nvvmProgram program, char *log), (program, log))

EXPORT const char *nvvmGetErrorString(int error);
const char *nvvmGetErrorString(int error) {
    __typeof__(&nvvmGetErrorString) real = REAL(nvvmGetErrorString);
    return real ? real(error) : "libNVVM is not installed";
}

EXPORT int nvvmDestroyProgram(nvvmProgram *program);
int nvvmDestroyProgram(nvvmProgram *program) {
    __typeof__(&nvvmDestroyProgram) real = REAL(nvvmDestroyProgram);
    if (program)
        marks_set(*program, false);
    return real ? real(program) : MISSING;
}

EXPORT int nvvmCompileProgram(nvvmProgram program, int count, const char **items);
int nvvmCompileProgram(nvvmProgram program, int count, const char **items) {
    static const char *const link_time[] = {"-gen-lto", NULL};
    __typeof__(&nvvmCompileProgram) real = REAL(nvvmCompileProgram);
    struct options options;
    bool lto;
    if (!real)
        return MISSING;
    if (count <= 0 || !items)
        return real(program, count, items);
    if (!options_without(&options, count, items, link_time, &lto))
        return NVVM_ERROR_OUT_OF_MEMORY;
    marks_set(program, lto);
    int error = real(program, options.count, options.items);
    free(options.items);
    return error;
}

EXPORT int nvvmGetCompiledResultSize(nvvmProgram program, size_t *size);
EXPORT int nvvmGetCompiledResult(nvvmProgram program, char *bytes);

static int bundle(nvvmProgram program, size_t *size, char *bytes) {
    result_size size_of = REAL(nvvmGetCompiledResultSize);
    result_bytes bytes_of = REAL(nvvmGetCompiledResult);
    if (!size_of || !bytes_of)
        return MISSING;
    return result_bundle(program, size_of, bytes_of, size, bytes, NVVM_ERROR_OUT_OF_MEMORY);
}

int nvvmGetCompiledResultSize(nvvmProgram program, size_t *size) {
    result_size real = REAL(nvvmGetCompiledResultSize);
    if (size && marks_has(program))
        return bundle(program, size, NULL);
    return real ? real(program, size) : MISSING;
}

int nvvmGetCompiledResult(nvvmProgram program, char *bytes) {
    result_bytes real = REAL(nvvmGetCompiledResult);
    if (bytes && marks_has(program))
        return bundle(program, NULL, bytes);
    return real ? real(program, bytes) : MISSING;
}
