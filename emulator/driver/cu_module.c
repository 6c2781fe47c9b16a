/* Modules and libraries: device code that a program loads. A module is a library that is read at once; the handle of
 * a kernel serves for a function, too. */
#include "driver/driver.h"

#include <stdio.h>
#include <string.h>

#include "api/device_code.h"
#include "driver/context.h"
#include "driver/jit_options.h"

static struct binary *library_of(const void *handle) {
    return (struct binary *)(uintptr_t)handle;
}

/* ---- loading ---- */

/* Reads it now, so that errors can be reported. */
static cudaError_t read_now(struct binary *b, const struct jit_options *options) {
    cudaError_t error = registration_library_check(b);
    jit_say(&options->error_log, error == cudaSuccess ? NULL : registration_library_error(b));
    jit_say(&options->info_log, NULL);
    return error;
}

/* The buffers are the caller's, which may not have initialized them. */
static void nothing_said(const struct jit_options *options) {
    jit_say(&options->error_log, NULL);
    jit_say(&options->info_log, NULL);
}

static cudaError_t unload(void *module) {
    registration_close(library_of(module));
    return cudaSuccess;
}

static cudaError_t loaded(CUmodule *out, struct binary *b, const struct jit_options *options) {
    cudaError_t error = read_now(b, options);
    if (error != cudaSuccess) {
        registration_close(b);
        return error;
    }
    *out = (CUmodule)(void *)b;
    context_keep(b, unload);
    return cudaSuccess;
}

static cudaError_t load_data(CUmodule *out, const void *image, unsigned count, CUjit_option *names, void **values) {
    struct jit_options options;
    struct binary *b;
    if (!out || !image || !jit_read(&options, names, values, count))
        return cudaErrorInvalidValue;
    cudaError_t error = device_code_open(NULL, image, &b);
    if (error != cudaSuccess)
        nothing_said(&options);
    return error == cudaSuccess ? loaded(out, b, &options) : error;
}

static cudaError_t load_file(CUmodule *out, const char *path) {
    static const struct jit_options none;
    struct binary *b;
    if (!out || !path)
        return cudaErrorInvalidValue;
    cudaError_t error = device_code_open_file(NULL, path, &b);
    return error == cudaSuccess ? loaded(out, b, &none) : error;
}

static cudaError_t close_module(const void *module) {
    if (state_enter() == cudaErrorNotPermitted) /* a stream's callback would wait for itself */
        return cudaErrorNotPermitted;
    if (!registration_is_open(library_of(module)))
        return cudaErrorInvalidResourceHandle;
    context_drop(library_of(module));
    registration_close(library_of(module));
    return cudaSuccess;
}

CUresult cuModuleLoad(CUmodule *out, const char *path) {
    CALL(load_file(out, path));
}
CUresult cuModuleLoadData(CUmodule *out, const void *image) {
    CALL(load_data(out, image, 0, NULL, NULL));
}
CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count, CUjit_option *options, void **values) {
    CALL(load_data(out, image, count, options, values));
}
CUresult cuModuleLoadFatBinary(CUmodule *out, const void *image) {
    CALL(load_data(out, image, 0, NULL, NULL));
}
CUresult cuModuleUnload(CUmodule module) {
    CALL(close_module(module));
}
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
    DRIVER_CALL(DRIVER_INITIALIZED, mode ? (*mode = CU_MODULE_LAZY_LOADING, cudaSuccess) : cudaErrorInvalidValue);
}

static bool known_library_options(const CUlibraryOption *options, unsigned count) {
    if (count && !options)
        return false;
    for (unsigned i = 0; i < count; i++)
        if ((unsigned)options[i] >= CU_LIBRARY_NUM_OPTIONS)
            return false;
    return true;
}

/* The program's own data is copied, regardless of the library's options. With a buffer for errors it is read at
 * once. */
static cudaError_t open_library(CUlibrary *out, struct binary *b, const struct jit_options *options) {
    nothing_said(options);
    cudaError_t error = options->error_log.buffer ? read_now(b, options) : cudaSuccess;
    if (error != cudaSuccess) {
        registration_close(b);
        return error;
    }
    *out = (CUlibrary)(void *)b;
    return cudaSuccess;
}

static cudaError_t library_data(CUlibrary *out, const void *code, CUjit_option *names, void **values, unsigned count,
                                const CUlibraryOption *options, unsigned option_count) {
    struct jit_options jit;
    struct binary *b;
    if (!out || !code || !jit_read(&jit, names, values, count) || !known_library_options(options, option_count))
        return cudaErrorInvalidValue;
    cudaError_t error = device_code_open(NULL, code, &b);
    return error == cudaSuccess ? open_library(out, b, &jit) : error;
}

static cudaError_t library_file(CUlibrary *out, const char *path, CUjit_option *names, void **values, unsigned count,
                                const CUlibraryOption *options, unsigned option_count) {
    struct jit_options jit;
    struct binary *b;
    if (!out || !path || !jit_read(&jit, names, values, count) || !known_library_options(options, option_count))
        return cudaErrorInvalidValue;
    cudaError_t error = device_code_open_file(NULL, path, &b);
    return error == cudaSuccess ? open_library(out, b, &jit) : error;
}

CUresult cuLibraryLoadData(CUlibrary *out, const void *code, CUjit_option *names, void **values, unsigned count,
                           CUlibraryOption *options, void **option_values, unsigned option_count) {
    (void)option_values;
    DRIVER_CALL(DRIVER_INITIALIZED, library_data(out, code, names, values, count, options, option_count));
}
CUresult cuLibraryLoadFromFile(CUlibrary *out, const char *path, CUjit_option *names, void **values, unsigned count,
                               CUlibraryOption *options, void **option_values, unsigned option_count) {
    (void)option_values;
    DRIVER_CALL(DRIVER_INITIALIZED, library_file(out, path, names, values, count, options, option_count));
}
CUresult cuLibraryUnload(CUlibrary library) {
    DRIVER_CALL(DRIVER_INITIALIZED, close_module(library));
}

/* ---- contents ---- */

static cudaError_t kernel(void **out, const void *library, const char *name) {
    struct entry *e;
    if (!out || !name)
        return cudaErrorInvalidValue;
    cudaError_t error = registration_library_kernel(library_of(library), name, &e);
    *out = error == cudaSuccess ? e : NULL;
    return error == cudaErrorSymbolNotFound ? state_refuse(NULL, error, "The module has no kernel '%s'.", name) : error;
}

static cudaError_t variable(CUdeviceptr *out, size_t *bytes, const void *library, const char *name, bool managed) {
    uint64_t address;
    size_t size;
    if (!name || (!out && !bytes))
        return cudaErrorInvalidValue;
    cudaError_t error = registration_library_variable(library_of(library), name, managed, &address, &size);
    if (error == cudaErrorSymbolNotFound)
        return state_refuse(NULL, error, "The module has no %svariable '%s'.", managed ? "managed " : "", name);
    if (error == cudaSuccess && out)
        *out = address;
    if (error == cudaSuccess && bytes)
        *bytes = size;
    return error;
}

static cudaError_t count_kernels(unsigned *out, const void *library) {
    size_t count;
    if (!out)
        return cudaErrorInvalidValue;
    cudaError_t error = registration_library_kernels(library_of(library), NULL, 0, &count);
    *out = (unsigned)count;
    return error;
}

static cudaError_t list_kernels(void *out, unsigned room, const void *library) {
    size_t count;
    return out ? registration_library_kernels(library_of(library), out, room, &count) : cudaErrorInvalidValue;
}

static cudaError_t same(void **out, const void *handle, bool good) {
    if (!out)
        return cudaErrorInvalidValue;
    if (!good)
        return cudaErrorInvalidResourceHandle;
    *out = (void *)(uintptr_t)handle;
    return cudaSuccess;
}

static cudaError_t binary_of_kernel(void **out, const void *kernel) {
    const struct entry *e = registration_entry(kernel);
    return same(out, e ? registration_entry_binary(e) : NULL, e);
}

CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name) {
    CALL(kernel((void **)out, module, name));
}
CUresult cuModuleGetGlobal(CUdeviceptr *out, size_t *bytes, CUmodule module, const char *name) {
    CALL(variable(out, bytes, module, name, false));
}
EXPORT CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
    CALL(count_kernels(count, module));
}
EXPORT CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned room, CUmodule module) {
    CALL(list_kernels(functions, room, module));
}
CUresult cuLibraryGetKernel(CUkernel *out, CUlibrary library, const char *name) {
    DRIVER_CALL(DRIVER_INITIALIZED, kernel((void **)out, library, name));
}
EXPORT CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
    DRIVER_CALL(DRIVER_INITIALIZED, count_kernels(count, library));
}
EXPORT CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned room, CUlibrary library) {
    DRIVER_CALL(DRIVER_INITIALIZED, list_kernels(kernels, room, library));
}
CUresult cuLibraryGetModule(CUmodule *out, CUlibrary library) {
    CALL(same((void **)out, library, registration_is_open(library_of(library))));
}
CUresult cuLibraryGetGlobal(CUdeviceptr *out, size_t *bytes, CUlibrary library, const char *name) {
    CALL(variable(out, bytes, library, name, false));
}
CUresult cuLibraryGetManaged(CUdeviceptr *out, size_t *bytes, CUlibrary library, const char *name) {
    DRIVER_CALL(DRIVER_INITIALIZED, variable(out, bytes, library, name, true));
}
CUresult cuKernelGetFunction(CUfunction *out, CUkernel kernel) {
    CALL(same((void **)out, kernel, registration_entry(kernel)));
}
EXPORT CUresult cuKernelGetLibrary(CUlibrary *out, CUkernel kernel) {
    DRIVER_CALL(DRIVER_INITIALIZED, binary_of_kernel((void **)out, kernel));
}
CUresult cuFuncGetModule(CUmodule *out, CUfunction function) {
    CALL(binary_of_kernel((void **)out, function));
}
