/* Linking: the inputs are PTX, or files that contain PTX; the output is one piece of data that loads as a module. */
#include "driver/driver.h"

#include <stdlib.h>
#include <string.h>

#include "api/device_code.h"
#include "api/linking.h"
#include "decode/module.h"
#include "driver/context.h"
#include "driver/jit_options.h"
#include "fatbin/containers.h"

struct CUlinkState_st {
    struct jit_options options;
    struct linking linking;
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

/* A self-contained text, which needs nothing from other files, can be checked now; with `.extern` only the whole link
 * can be. */
static bool is_complete(const struct bundle_text *t) {
    return !memmem(t->text, t->length, ".extern", 7);
}

/* The last input is checked alone, so that its mistakes are reported by the call that adds it. */
static cudaError_t check_last(CUlinkState s) {
    char *why;
    void *image;
    size_t bytes;
    const struct linking last = {.texts = &s->linking.texts[s->linking.count - 1], .count = 1};
    if (!is_complete(last.texts))
        return cudaSuccess;
    cudaError_t error = linking_complete(&last, false, &image, &bytes, &why);
    if (error != cudaSuccess)
        jit_say(&s->options.error_log, why);
    free(why);
    free(image);
    return error;
}

static cudaError_t add(CUlinkState s, const void *data, size_t size) {
    size_t before = s->linking.count;
    cudaError_t error = linking_add(&s->linking, data, size);
    if (error == cudaSuccess && s->linking.count == before + 1 && containers_kind(data, size) == CONTAINER_PTX)
        error = check_last(s);
    if (error != cudaSuccess)
        linking_truncate(&s->linking, before);
    return error;
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

static cudaError_t complete(CUlinkState s, void **image, size_t *size) {
    char *why;
    void *data;
    size_t bytes;
    if (!s || !image)
        return cudaErrorInvalidValue;
    cudaError_t error = linking_complete(&s->linking, false, &data, &bytes, &why);
    jit_say(&s->options.error_log, why);
    jit_say(&s->options.info_log, NULL);
    if (why && strstr(why, UNDEFINED_WORDS)) /* as an H100's driver has it */
        error = cudaErrorInvalidSource;
    free(why);
    if (error != cudaSuccess)
        return error;
    free(s->image);
    *image = s->image = data;
    if (size)
        *size = bytes;
    return cudaSuccess;
}

static cudaError_t destroy(CUlinkState s) {
    if (!s)
        return cudaErrorInvalidValue;
    linking_clear(&s->linking);
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
