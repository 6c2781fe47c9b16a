#include "api/device_code.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fatbin/bundle.h"
#include "fatbin/fatbin.h"
#include "fatbin/machine_code.h"
#include "fatbin/place.h"

/* A text may end before it: 0 in that case. */
static uint32_t magic_of(const void *code) {
    uint32_t magic = 0;
    if (strnlen(code, sizeof magic) == sizeof magic)
        memcpy(&magic, code, sizeof magic);
    return magic;
}

/* The argument of __cudaRegisterFatBinary, which the loading functions also take. */
static const void *unwrapped(const void *code) {
    const struct fatbin_wrapper *w = code;
    return magic_of(code) == FATBIN_WRAPPER_MAGIC && w->data ? w->data : code;
}

/* A fat binary states its size, PTX ends with a zero. Anything else is treated as text. A text may be shorter than the
 * magic number: the bytes are compared one by one. */
size_t device_code_size(const void *code) {
    struct {
        uint32_t magic;
        uint16_t version, header_bytes;
        uint64_t bytes;
    } header;
    if (machine_code_is(code))
        return machine_code_size(code);
    if (strnlen(code, 8) >= 7 && bundle_is(code))
        return bundle_size(code);
    if (magic_of(code) != FATBIN_MAGIC)
        return strlen(code) + 1;
    memcpy(&header, code, sizeof header);
    return header.header_bytes + header.bytes;
}

static cudaError_t no_ptx(const char *function, const void *code) {
    const char *place = place_of_code(code), *advice = place_advice(place);
    if (advice)
        return state_refuse(function, cudaErrorNoKernelImageForDevice,
                            "%s contains machine code but no PTX, and the emulator executes PTX. %s.", place, advice);
    return state_refuse(
        function, cudaErrorNoKernelImageForDevice,
        "This is machine code only, and the emulator executes PTX. Pass PTX, or a fat binary with PTX in it, or "
        "compile with -lineinfo, which includes the PTX with the machine code. NVRTC's machine code includes its PTX "
        "if a program calls cuInit() before NVRTC, or is started by cuda-emulator.");
}

cudaError_t device_code_copy(const char *function, const void *code, size_t size, void **copy, size_t *copied) {
    struct machine_code m;
    if (machine_code_open(code, size, &m)) {
        *copy = machine_code_ptx(&m);
        *copied = *copy ? strlen(*copy) + 1 : 0;
        return *copy ? cudaSuccess : no_ptx(function, code);
    }
    *copy = size < SIZE_MAX ? malloc(size + 1) : NULL; /* a damaged header does not state a valid size */
    if (!*copy)
        return state_return(cudaErrorMemoryAllocation);
    memcpy(*copy, code, size);
    ((char *)*copy)[size] = '\0';
    *copied = size;
    return cudaSuccess;
}

cudaError_t device_code_open(const char *function, const void *code, struct binary **out) {
    void *copy;
    size_t size;
    code = unwrapped(code);
    cudaError_t error = device_code_copy(function, code, device_code_size(code), &copy, &size);
    if (error == cudaSuccess)
        *out = registration_open(copy, size, place_of_code(code));
    return error;
}

static cudaError_t read_file(FILE *file, void **data, size_t *size) {
    struct stat status;
    if (fstat(fileno(file), &status) != 0 || !S_ISREG(status.st_mode))
        return cudaErrorFileNotFound;
    char *bytes = malloc((size_t)status.st_size + 8);
    if (!bytes)
        return cudaErrorMemoryAllocation;
    *size = fread(bytes, 1, (size_t)status.st_size, file);
    memset(bytes + *size, 0, 8);
    *data = bytes;
    return cudaSuccess;
}

cudaError_t device_code_read(const char *function, const char *path, void **data, size_t *size) {
    FILE *file = fopen(path, "rbe");
    cudaError_t error = file ? read_file(file, data, size) : cudaErrorFileNotFound;
    if (file)
        fclose(file);
    return error == cudaErrorFileNotFound ? state_refuse(function, error, "'%s' cannot be read.", path)
                                          : state_return(error);
}

cudaError_t device_code_open_file(const char *function, const char *path, struct binary **out) {
    void *data, *copy;
    size_t size, copied;
    cudaError_t error = device_code_read(function, path, &data, &size);
    if (error != cudaSuccess)
        return error;
    error = device_code_copy(function, data, size, &copy, &copied);
    free(data);
    if (error == cudaSuccess)
        *out = registration_open(copy, copied, path);
    return error;
}
