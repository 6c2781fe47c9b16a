/* Functions of the driver that a program can ask the runtime for. There is no driver here; these few need none. */
#include <stdint.h>
#include <string.h>

#include "api/device.h"

/* The driver's error codes and types of devices are integers, and errors mostly have the runtime's numbers. */
static int init(unsigned flags) {
    return flags ? (int)cudaErrorInvalidValue : 0;
}
static int driver_version(int *out) {
    return (int)cudaDriverGetVersion(out);
}
static int device_count(int *out) {
    return (int)cudaGetDeviceCount(out);
}
static int device_get(int *out, int number) {
    if (!out || !device_exists(number))
        return out ? (int)cudaErrorInvalidDevice : (int)cudaErrorInvalidValue;
    *out = number;
    return 0;
}
static int device_attribute(int *out, int attribute, int device) {
    return (int)cudaDeviceGetAttribute(out, (enum cudaDeviceAttr)attribute, device);
}
static int device_name(char *out, int size, int device) {
    struct cudaDeviceProp p;
    cudaError_t error = out && size > 0 ? cudaGetDeviceProperties(&p, device) : cudaErrorInvalidValue;
    if (error != cudaSuccess)
        return (int)error;
    size_t n = strnlen(p.name, (size_t)size - 1);
    memcpy(out, p.name, n);
    out[n] = '\0';
    return 0;
}
static int device_memory(size_t *out, int device) {
    struct cudaDeviceProp p;
    cudaError_t error = out ? cudaGetDeviceProperties(&p, device) : cudaErrorInvalidValue;
    if (error == cudaSuccess)
        *out = p.totalGlobalMem;
    return (int)error;
}
static int error_string(int error, const char **out) {
    const char *text = cudaGetErrorString((cudaError_t)error);
    *out = strcmp(text, "unrecognized error code") ? text : NULL;
    return *out ? 0 : (int)cudaErrorInvalidValue;
}
static int memory_info(size_t *left, size_t *total) {
    return (int)cudaMemGetInfo(left, total);
}
static int synchronize(void) {
    return (int)cudaDeviceSynchronize();
}

#define FUNCTION(name, function, since)                                                                                \
    { name, (void *)(uintptr_t)function, since }
static const struct {
    const char *name;
    void *function;
    unsigned since; /* the version of CUDA that brought this form of it */
} functions[] = {
    FUNCTION("cuInit", init, 2000),
    FUNCTION("cuDriverGetVersion", driver_version, 2020),
    FUNCTION("cuDeviceGetCount", device_count, 2000),
    FUNCTION("cuDeviceGet", device_get, 2000),
    FUNCTION("cuDeviceGetAttribute", device_attribute, 2000),
    FUNCTION("cuDeviceGetName", device_name, 2000),
    FUNCTION("cuDeviceTotalMem", device_memory, 3020),
    FUNCTION("cuGetErrorString", error_string, 6000),
    FUNCTION("cuMemGetInfo", memory_info, 3020),
    FUNCTION("cuCtxSynchronize", synchronize, 2000),
};

/* cudaSuccess even when there is no such function: the result tells. */
static cudaError_t find(const char *name, void **out, unsigned version, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult *result) {
    ENTER();
    if (!name || !out || flags > cudaEnablePerThreadDefaultStream)
        return state_return(cudaErrorInvalidValue);
    enum cudaDriverEntryPointQueryResult r = cudaDriverEntryPointSymbolNotFound;
    *out = NULL;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(functions[i].name, name) != 0)
            continue;
        bool old = version < functions[i].since;
        r = old ? cudaDriverEntryPointVersionNotSufficent : cudaDriverEntryPointSuccess;
        *out = old ? NULL : functions[i].function;
    }
    if (result)
        *result = r;
    return cudaSuccess;
}

#define LATEST 0x7fffffff

cudaError_t cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *result) {
    return find(name, out, LATEST, flags, result);
}

EXPORT cudaError_t cudaGetDriverEntryPoint_ptsz(const char *name, void **out, unsigned long long flags,
                                                enum cudaDriverEntryPointQueryResult *result) {
    return find(name, out, LATEST, flags, result);
}

#if CUDART_VERSION >= 12050
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result) {
    return find(name, out, version, flags, result);
}

EXPORT cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **out, unsigned version,
                                                         unsigned long long flags,
                                                         enum cudaDriverEntryPointQueryResult *result) {
    return find(name, out, version, flags, result);
}
#endif
