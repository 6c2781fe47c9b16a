/* The functions of libnvJitLink.so.12 and .13. A program that was compiled with its header requests them by names with
 * the version of that header. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/device_code.h"
#include "base/out_of_memory.h"
#include "jitlink/jitlink.h"

#define EXPORT __attribute__((visibility("default")))

typedef struct nvJitLink *handle;

void jitlink_say(struct nvJitLink *link, const char *format, ...) {
    char line[2048];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line - 1, format, values);
    va_end(values);
    size_t length = link->log ? strlen(link->log) : 0;
    link->log = or_out_of_memory(realloc(link->log, length + strlen(line) + 2));
    sprintf(link->log + length, "%s\n", line);
}

/* Messages name the call, and the runtime's last error does not change. */
static const char *error_name(int error) {
    return cudaGetErrorName((cudaError_t)error);
}
static void begin(const char *function) {
    static _Thread_local struct driver_call call;
    call = (struct driver_call){function, error_name};
    state_set_driver_call(&call);
}
static int end(enum jitlink_result result) {
    state_set_driver_call(NULL);
    return result;
}

static int create(handle *out, uint32_t count, const char *const *options) {
    enum jitlink_result result = JITLINK_SUCCESS;
    if (!out || (count && !options))
        return JITLINK_NULL_INPUT;
    *out = zeroed(1, sizeof **out);
    for (uint32_t i = 0; i < count && result == JITLINK_SUCCESS; i++)
        result = options[i] ? jitlink_option(*out, options[i]) : JITLINK_NULL_INPUT;
    return result == JITLINK_SUCCESS ? jitlink_options_fit(*out) : result;
}

static int destroy(handle *link) {
    if (!link || !*link)
        return JITLINK_NULL_INPUT;
    linking_clear(&(*link)->linking);
    free((*link)->image);
    free((*link)->log);
    free(*link);
    *link = NULL;
    return JITLINK_SUCCESS;
}

static int add_data(handle link, unsigned type, const void *data, size_t size, const char *name) {
    if (!link)
        return JITLINK_NULL_INPUT;
    if (!data)
        return JITLINK_INVALID_INPUT;
    begin("nvJitLinkAddData");
    return end(jitlink_add(link, type, data, size, name ? name : ""));
}

static int add_file(handle link, unsigned type, const char *path) {
    void *data;
    size_t size;
    if (!link || !path)
        return JITLINK_NULL_INPUT;
    begin("nvJitLinkAddFile");
    if (device_code_read(NULL, path, &data, &size) != cudaSuccess) {
        jitlink_say(link, "no such file: %s", path);
        return end(JITLINK_INVALID_INPUT);
    }
    enum jitlink_result result = jitlink_add(link, type, data, size, path);
    free(data);
    return end(result);
}

static int complete(handle link) {
    if (!link)
        return JITLINK_NULL_INPUT;
    begin("nvJitLinkComplete");
    return end(jitlink_complete(link));
}

/* ---- the output; with NULL for one of size and bytes ---- */

static int give(const void *data, size_t length, size_t *size, void *bytes) {
    if (size)
        *size = length;
    if (bytes && length)
        memcpy(bytes, data, length);
    return JITLINK_SUCCESS;
}

static int give_image(handle link, bool there, size_t *size, void *bytes) {
    if (!link || (!size && !bytes))
        return JITLINK_NULL_INPUT;
    if (!there)
        return JITLINK_INVALID_INPUT;
    return link->image ? give(link->image, link->size, size, bytes) : JITLINK_INTERNAL;
}

static int give_cubin(handle link, size_t *size, void *bytes) {
    if (link && link->options.ptx)
        return JITLINK_INTERNAL;
    return give_image(link, true, size, bytes);
}

static int give_ltoir(handle link, size_t *size, void *bytes) {
    return give_image(link, link && link->options.lto, size, bytes);
}

/* Several texts follow one another; the loader finds where the next begins. */
static int give_ptx(handle link, size_t *size, char *bytes) {
    int result = give_image(link, link && link->options.ptx, &(size_t){0}, NULL);
    if (result != JITLINK_SUCCESS)
        return result;
    size_t length = 0;
    for (size_t i = 0; i < link->linking.count; i++) {
        const struct bundle_text *t = &link->linking.texts[i];
        if (bytes)
            sprintf(bytes + length, "%s%s", i ? "\n" : "", t->text);
        length += (i > 0) + t->length;
    }
    if (bytes)
        bytes[length] = '\0';
    return give(NULL, length + 1, size, NULL);
}

static int give_log(handle link, const char *log, size_t *size, char *bytes) {
    if (!link || (!size && !bytes))
        return JITLINK_NULL_INPUT;
    return give(log, log ? strlen(log) + 1 : 0, size, bytes);
}

/* ---- by their names ---- */

#define ALIAS(name, version)                                                                                           \
    EXPORT extern __typeof__(nvJitLink##name) __nvJitLink##name##_##version __attribute__((alias("nvJitLink" #name)));
#define ALIASES(name, major)                                                                                           \
    ALIAS(name, major##_0)                                                                                             \
    ALIAS(name, major##_1)                                                                                             \
    ALIAS(name, major##_2)                                                                                             \
    ALIAS(name, major##_3)                                                                                             \
    ALIAS(name, major##_4)                                                                                             \
    ALIAS(name, major##_5)                                                                                             \
    ALIAS(name, major##_6)                                                                                             \
    ALIAS(name, major##_7)                                                                                             \
    ALIAS(name, major##_8)                                                                                             \
    ALIAS(name, major##_9)
#define FUNCTION(name, parameters, expression)                                                                         \
    EXPORT int nvJitLink##name parameters;                                                                             \
    int nvJitLink##name parameters {                                                                                   \
        return expression;                                                                                             \
    }                                                                                                                  \
    ALIASES(name, 12)                                                                                                  \
    ALIASES(name, 13)

FUNCTION(Create, (handle * link, uint32_t count, const char *const *options), create(link, count, options))
FUNCTION(Destroy, (handle * link), destroy(link))
FUNCTION(AddData, (handle link, unsigned type, const void *data, size_t size, const char *name),
         add_data(link, type, data, size, name))
FUNCTION(AddFile, (handle link, unsigned type, const char *path), add_file(link, type, path))
FUNCTION(Complete, (handle link), complete(link))
FUNCTION(GetLinkedCubinSize, (handle link, size_t *size), give_cubin(link, size, NULL))
FUNCTION(GetLinkedCubin, (handle link, void *bytes), give_cubin(link, NULL, bytes))
FUNCTION(GetLinkedPtxSize, (handle link, size_t *size), size ? give_ptx(link, size, NULL) : JITLINK_NULL_INPUT)
FUNCTION(GetLinkedPtx, (handle link, char *bytes), bytes ? give_ptx(link, NULL, bytes) : JITLINK_NULL_INPUT)
FUNCTION(GetLinkedLTOIRSize, (handle link, size_t *size), give_ltoir(link, size, NULL))
FUNCTION(GetLinkedLTOIR, (handle link, void *bytes), give_ltoir(link, NULL, bytes))
FUNCTION(GetErrorLogSize, (handle link, size_t *size), give_log(link, link ? link->log : NULL, size, NULL))
FUNCTION(GetErrorLog, (handle link, char *bytes), give_log(link, link ? link->log : NULL, NULL, bytes))
FUNCTION(GetInfoLogSize, (handle link, size_t *size), give_log(link, NULL, size, NULL))
FUNCTION(GetInfoLog, (handle link, char *bytes), give_log(link, NULL, NULL, bytes))

/* The newest version whose functions are defined here. */
EXPORT int nvJitLinkVersion(unsigned *major, unsigned *minor);
int nvJitLinkVersion(unsigned *major, unsigned *minor) {
    if (!major || !minor)
        return JITLINK_NULL_INPUT;
    *major = CUDA_MAJOR;
    *minor = CUDA_MAJOR == 12 ? 9 : 5;
    return JITLINK_SUCCESS;
}
