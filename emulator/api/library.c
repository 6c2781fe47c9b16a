/* Libraries: device code that a program loads while it runs. Like NVIDIA's, they are read when they are first used. */
#include <stdio.h>

#include "api/device_code.h"

#if CUDART_VERSION >= 12080
static struct binary *binary_of(cudaLibrary_t library) {
    return (struct binary *)(void *)library;
}

/* ---- Options: those that concern compiling change nothing ---- */

struct log {
    char *buffer;
    size_t size;
};

static bool read_options(const enum cudaJitOption *options, void **values, unsigned count, struct log *errors) {
    *errors = (struct log){NULL, 0};
    for (unsigned i = 0; i < count; i++) {
        if ((unsigned)options[i] > cudaJitOverrideDirectiveValues)
            return false;
        if (options[i] == cudaJitErrorLogBuffer)
            errors->buffer = values[i];
        else if (options[i] == cudaJitErrorLogBufferSizeBytes)
            errors->size = (size_t)values[i];
        else if (options[i] == cudaJitInfoLogBuffer && values[i])
            *(char *)values[i] = '\0';
    }
    return true;
}

static bool known_options(const enum cudaLibraryOption *options, unsigned count) {
    for (unsigned i = 0; i < count; i++)
        if ((unsigned)options[i] > cudaLibraryBinaryIsPreserved)
            return false;
    return true;
}

/* ---- Loading ---- */

/* With a buffer for errors the library is read at once, so that they can be reported. */
static cudaError_t opened(cudaLibrary_t *out, struct binary *b, const struct log *errors) {
    *out = (cudaLibrary_t)(void *)b;
    size_t count;
    if (errors->buffer && errors->size && registration_library_kernels(b, NULL, 0, &count) != cudaSuccess) {
        const char *why = registration_library_error(b);
        snprintf(errors->buffer, errors->size, "%s", why ? why : "");
    }
    return cudaSuccess;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *options, void **values,
                                unsigned count, enum cudaLibraryOption *library_options, void **library_values,
                                unsigned library_count) {
    ENTER();
    struct log errors;
    (void)library_values; /* the data is always copied, whatever they specify */
    if (!library || !code || !read_options(options, values, count, &errors) ||
        !known_options(library_options, library_count))
        return state_return(cudaErrorInvalidValue);
    struct binary *b;
    cudaError_t error = device_code_open(__func__, code, &b);
    return error == cudaSuccess ? opened(library, b, &errors) : error;
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path, enum cudaJitOption *options,
                                    void **values, unsigned count, enum cudaLibraryOption *library_options,
                                    void **library_values, unsigned library_count) {
    ENTER();
    struct log errors;
    (void)library_values;
    if (!library || !path || !read_options(options, values, count, &errors) ||
        !known_options(library_options, library_count))
        return state_return(cudaErrorInvalidValue);
    struct binary *b;
    cudaError_t error = device_code_open_file(__func__, path, &b);
    return error == cudaSuccess ? opened(library, b, &errors) : error;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    ENTER();
    if (!registration_is_open(binary_of(library)))
        return state_refuse(__func__, cudaErrorInvalidResourceHandle, "There is no such library (unloaded?).");
    registration_close(binary_of(library));
    return cudaSuccess;
}

/* ---- What is in it ---- */

cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library, const char *name) {
    ENTER();
    struct entry *e;
    if (!kernel || !name)
        return state_return(cudaErrorInvalidValue);
    cudaError_t error = registration_library_kernel(binary_of(library), name, &e);
    if (error == cudaSuccess)
        *kernel = (cudaKernel_t)(void *)e;
    return error == cudaErrorSymbolNotFound ? state_refuse(__func__, error, "The library has no kernel '%s'.", name)
                                            : state_return(error);
}

/* A library that cannot be loaded has none. */
cudaError_t cudaLibraryGetKernelCount(unsigned *out, cudaLibrary_t library) {
    ENTER();
    size_t count;
    if (!out)
        return state_return(cudaErrorInvalidValue);
    if (!registration_is_open(binary_of(library)))
        return state_return(cudaErrorInvalidResourceHandle);
    registration_library_kernels(binary_of(library), NULL, 0, &count);
    *out = (unsigned)count;
    return cudaSuccess;
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned room, cudaLibrary_t library) {
    ENTER();
    size_t count;
    if (!kernels)
        return state_return(cudaErrorInvalidValue);
    return state_return(
        registration_library_kernels(binary_of(library), (struct entry **)(void *)kernels, room, &count));
}

static cudaError_t variable(const char *function, void **pointer, size_t *bytes, cudaLibrary_t library,
                            const char *name, bool managed) {
    ENTER();
    uint64_t address;
    size_t size;
    if (!name || (!pointer && !bytes))
        return state_return(cudaErrorInvalidValue);
    cudaError_t error = registration_library_variable(binary_of(library), name, managed, &address, &size);
    if (error == cudaErrorSymbolNotFound)
        return state_refuse(function, error, "The library has no %svariable '%s'.", managed ? "managed " : "", name);
    if (error != cudaSuccess)
        return state_return(error);
    if (pointer)
        *pointer = (void *)(uintptr_t)address;
    if (bytes)
        *bytes = size;
    return cudaSuccess;
}

cudaError_t cudaLibraryGetGlobal(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name) {
    return variable(__func__, pointer, bytes, library, name, false);
}

cudaError_t cudaLibraryGetManaged(void **pointer, size_t *bytes, cudaLibrary_t library, const char *name) {
    return variable(__func__, pointer, bytes, library, name, true);
}

/* Functions that host and device can both call exist on other systems only. */
cudaError_t cudaLibraryGetUnifiedFunction(void **pointer, cudaLibrary_t library, const char *name) {
    ENTER();
    (void)pointer, (void)name;
    return state_return(registration_is_open(binary_of(library)) ? cudaErrorInvalidValue
                                                                 : cudaErrorInvalidResourceHandle);
}
#endif
