/* libnvrtc.so.N, between a program and NVIDIA's library of that name, which compiles. It does what it is asked to do;
 * but where a program asks for machine code, it gets the PTX that belongs to it, in a bundle that the emulator loads.
 * Intermediate code for the link-time optimizer comes without PTX: such a program is compiled to relocatable PTX
 * instead. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "toolkit/compiler_options.h"
#include "toolkit/forward.h"
#include "toolkit/marks.h"
#include "toolkit/result.h"

/* NVRTC's errors that are ours, too. */
enum {
    NVRTC_SUCCESS = 0,
    NVRTC_ERROR_OUT_OF_MEMORY = 1,
    NVRTC_ERROR_INVALID_INPUT = 3,
    NVRTC_ERROR_INTERNAL_ERROR = 11
};

typedef void *nvrtcProgram;
struct headers_info;

#define PASS_ON(name, parameters, arguments) FORWARD(NVRTC_ERROR_INTERNAL_ERROR, name, parameters, arguments)

PASS_ON(nvrtcVersion, (int *major, int *minor), (major, minor))
PASS_ON(nvrtcGetNumSupportedArchs, (int *count), (count))
PASS_ON(nvrtcGetSupportedArchs, (int *archs), (archs))
PASS_ON(nvrtcCreateProgram,
        (nvrtcProgram * program, const char *source, const char *name, int count, const char *const *headers,
         const char *const *names),
        (program, source, name, count, headers, names))
PASS_ON(nvrtcGetOptiXIRSize, (nvrtcProgram program, size_t *size), (program, size))
PASS_ON(nvrtcGetOptiXIR, (nvrtcProgram program, char *bytes), (program, bytes))
PASS_ON(nvrtcGetTileIRSize, (nvrtcProgram program, size_t *size), (program, size))
PASS_ON(nvrtcGetTileIR, (nvrtcProgram program, char *bytes), (program, bytes))
PASS_ON(nvrtcGetNVVMSize, (nvrtcProgram program, size_t *size), (program, size))
PASS_ON(nvrtcGetNVVM, (nvrtcProgram program, char *bytes), (program, bytes))
PASS_ON(nvrtcGetProgramLogSize, (nvrtcProgram program, size_t *size), (program, size))
PASS_ON(nvrtcGetProgramLog, (nvrtcProgram program, char *log), (program, log))
PASS_ON(nvrtcAddNameExpression, (nvrtcProgram program, const char *expression), (program, expression))
PASS_ON(nvrtcGetLoweredName, (nvrtcProgram program, const char *expression, const char **name),
        (program, expression, name))
PASS_ON(nvrtcGetPCHHeapSize, (size_t * size), (size))
PASS_ON(nvrtcSetPCHHeapSize, (size_t size), (size))
PASS_ON(nvrtcGetPCHCreateStatus, (nvrtcProgram program), (program))
PASS_ON(nvrtcGetPCHHeapSizeRequired, (nvrtcProgram program, size_t *size), (program, size))
PASS_ON(nvrtcSetFlowCallback, (nvrtcProgram program, int (*callback)(void *, void *), void *payload),
        (program, callback, payload))
PASS_ON(nvrtcInstallBundledHeaders, (const char *path, unsigned flags, const char **log), (path, flags, log))
PASS_ON(nvrtcGetBundledHeadersInfo, (struct headers_info * info, const char **log), (info, log))
PASS_ON(nvrtcRemoveBundledHeaders, (const char *path, const char **log), (path, log))

EXPORT const char *nvrtcGetErrorString(int error);
const char *nvrtcGetErrorString(int error) {
    __typeof__(&nvrtcGetErrorString) real = REAL(nvrtcGetErrorString);
    return real ? real(error) : "NVRTC is not installed";
}

EXPORT int nvrtcDestroyProgram(nvrtcProgram *program);
int nvrtcDestroyProgram(nvrtcProgram *program) {
    __typeof__(&nvrtcDestroyProgram) real = REAL(nvrtcDestroyProgram);
    if (program)
        marks_set(*program, false);
    return real ? real(program) : NVRTC_ERROR_INTERNAL_ERROR;
}

EXPORT int nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *items);
int nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *items) {
    static const char *const link_time[] = {"-dlto", "--dlink-time-opt", "-dlto=true", "--dlink-time-opt=true", NULL};
    static const char *const relocatable[] = {"-rdc=true", "--relocatable-device-code=true", "-dc", "--device-c", NULL};
    __typeof__(&nvrtcCompileProgram) real = REAL(nvrtcCompileProgram);
    struct options options;
    bool lto;
    if (!real)
        return NVRTC_ERROR_INTERNAL_ERROR;
    if (count <= 0 || !items)
        return real(program, count, items);
    if (!options_without(&options, count, items, link_time, &lto))
        return NVRTC_ERROR_OUT_OF_MEMORY;
    if (lto && !options_have(&options, relocatable))
        options.items[options.count++] = relocatable[0];
    marks_set(program, lto);
    int error = real(program, options.count, options.items);
    free(options.items);
    return error;
}

/* ---- what it has made ---- */

EXPORT int nvrtcGetPTXSize(nvrtcProgram program, size_t *size);
EXPORT int nvrtcGetPTX(nvrtcProgram program, char *bytes);
EXPORT int nvrtcGetCUBINSize(nvrtcProgram program, size_t *size);
EXPORT int nvrtcGetCUBIN(nvrtcProgram program, char *bytes);
EXPORT int nvrtcGetLTOIRSize(nvrtcProgram program, size_t *size);
EXPORT int nvrtcGetLTOIR(nvrtcProgram program, char *bytes);

/* The PTX, bundled. */
static int bundle(nvrtcProgram program, size_t *size, char *bytes) {
    result_size size_of = REAL(nvrtcGetPTXSize);
    result_bytes bytes_of = REAL(nvrtcGetPTX);
    if (!size_of || !bytes_of)
        return NVRTC_ERROR_INTERNAL_ERROR;
    return result_bundle(program, size_of, bytes_of, size, bytes, NVRTC_ERROR_OUT_OF_MEMORY);
}

/* Has NVRTC made something of this kind? If so, *error is NVRTC_SUCCESS. */
static bool has(nvrtcProgram program, result_size size_of, int *error) {
    size_t size = 0;
    *error = size_of ? size_of(program, &size) : NVRTC_ERROR_INTERNAL_ERROR;
    return !*error && size > 0;
}

/* A program for the link-time optimizer has no PTX, which is an empty text. */
int nvrtcGetPTXSize(nvrtcProgram program, size_t *size) {
    result_size real = REAL(nvrtcGetPTXSize);
    int error = real ? real(program, size) : NVRTC_ERROR_INTERNAL_ERROR;
    if (!error && marks_has(program))
        *size = 1;
    return error;
}

int nvrtcGetPTX(nvrtcProgram program, char *bytes) {
    result_bytes real = REAL(nvrtcGetPTX);
    if (bytes && marks_has(program))
        return *bytes = '\0', NVRTC_SUCCESS;
    return real ? real(program, bytes) : NVRTC_ERROR_INTERNAL_ERROR;
}

int nvrtcGetCUBINSize(nvrtcProgram program, size_t *size) {
    int error;
    if (!size)
        return NVRTC_ERROR_INVALID_INPUT;
    bool made = has(program, REAL(nvrtcGetCUBINSize), &error);
    if (error)
        return error;
    *size = 0;
    return made && !marks_has(program) ? bundle(program, size, NULL) : NVRTC_SUCCESS;
}

int nvrtcGetCUBIN(nvrtcProgram program, char *bytes) {
    int error;
    if (!bytes)
        return NVRTC_ERROR_INVALID_INPUT;
    bool made = has(program, REAL(nvrtcGetCUBINSize), &error);
    return made && !marks_has(program) ? bundle(program, NULL, bytes) : error;
}

int nvrtcGetLTOIRSize(nvrtcProgram program, size_t *size) {
    result_size real = REAL(nvrtcGetLTOIRSize);
    if (size && marks_has(program))
        return bundle(program, size, NULL);
    return real ? real(program, size) : NVRTC_ERROR_INTERNAL_ERROR;
}

int nvrtcGetLTOIR(nvrtcProgram program, char *bytes) {
    result_bytes real = REAL(nvrtcGetLTOIR);
    if (bytes && marks_has(program))
        return bundle(program, NULL, bytes);
    return real ? real(program, bytes) : NVRTC_ERROR_INTERNAL_ERROR;
}
