/* Linking: PTX texts go in, one piece of data comes out that loads as a module. They are put together when they are loaded. */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

#include "api/device_code.h"
#include "driver/context.h"
#include "driver/jit_options.h"
#include "fatbin/bundle.h"

#define MOST_TEXTS 1024

struct CUlinkState_st {
    struct jit_options options;
    struct bundle_text texts[MOST_TEXTS];
    size_t count;
    void *image; /* of the last cuLinkComplete */
};

static cudaError_t create(unsigned count, CUjit_option *names, void **values, CUlinkState *out) {
    struct jit_options options;
    if (!out || !jit_read(&options, names, values, count))
        return cudaErrorInvalidValue;
    CUlinkState s = calloc(1, sizeof *s);
    if (!s)
        return cudaErrorMemoryAllocation;
    s->options = options;
    *out = s;
    return cudaSuccess;
}

/* PTX, or what has PTX in it. */
static cudaError_t add(CUlinkState s, const void *data, size_t size) {
    void *copy;
    size_t copied;
    if (s->count == MOST_TEXTS)
        return cudaErrorMemoryAllocation;
    cudaError_t error = device_code_copy(NULL, data, size, &copy, &copied);
    if (error != cudaSuccess)
        return error;
    size_t length = strnlen(copy, copied);
    if (!memmem(copy, length, ".version", 8)) {
        free(copy);
        return state_refuse(NULL, cudaErrorInvalidPtx, "The emulator links PTX, and this is none.");
    }
    s->texts[s->count++] = (struct bundle_text){copy, length};
    return cudaSuccess;
}

static cudaError_t add_data(CUlinkState s, CUjitInputType type, const void *data, size_t size) {
    if (!s || !data || !size || (unsigned)type >= CU_JIT_NUM_INPUT_TYPES)
        return cudaErrorInvalidValue;
    return add(s, data, size);
}

static cudaError_t add_file(CUlinkState s, const char *path) {
    void *data;
    size_t size;
    if (!s || !path)
        return cudaErrorInvalidValue;
    cudaError_t error = device_code_read(NULL, path, &data, &size);
    if (error != cudaSuccess)
        return error;
    error = add(s, data, size);
    free(data);
    return error;
}

/* What is wrong with the texts together shows when they are loaded: they are, once, to tell. */
static cudaError_t complete(CUlinkState s, void **image, size_t *size) {
    size_t bytes;
    if (!s || !image)
        return cudaErrorInvalidValue;
    void *data = bundle_make(s->texts, s->count, &bytes), *copy = data ? malloc(bytes + 1) : NULL;
    if (!copy) {
        free(data);
        return cudaErrorMemoryAllocation;
    }
    free(s->image);
    s->image = data;
    memcpy(copy, data, bytes);
    struct binary *b = registration_open(copy, bytes);
    cudaError_t error = registration_library_check(b);
    jit_say(&s->options.error_log, error == cudaSuccess ? NULL : registration_library_error(b));
    jit_say(&s->options.info_log, NULL);
    registration_close(b);
    if (error != cudaSuccess)
        return error;
    *image = data;
    if (size)
        *size = bytes;
    return cudaSuccess;
}

static cudaError_t destroy(CUlinkState s) {
    if (!s)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < s->count; i++)
        free((char *)s->texts[i].text);
    free(s->image);
    free(s);
    return cudaSuccess;
}

CUresult cuLinkCreate(unsigned count, CUjit_option *names, void **values, CUlinkState *out) {
    CALL(create(count, names, values, out));
}
CUresult cuLinkAddData(CUlinkState s, CUjitInputType type, void *data, size_t size, const char *name, unsigned count,
                       CUjit_option *names, void **values) {
    (void)name, (void)count, (void)names, (void)values;
    CALL(add_data(s, type, data, size));
}
CUresult cuLinkAddFile(CUlinkState s, CUjitInputType type, const char *path, unsigned count, CUjit_option *names,
                       void **values) {
    (void)type, (void)count, (void)names, (void)values;
    CALL(add_file(s, path));
}
CUresult cuLinkComplete(CUlinkState s, void **image, size_t *size) {
    CALL(complete(s, image, size));
}
CUresult cuLinkDestroy(CUlinkState s) {
    DRIVER_CALL(DRIVER_INITIALIZED, destroy(s));
}
