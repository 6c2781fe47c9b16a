#include "fatbin/decompress.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

/* The libraries' own prototypes; both have been stable for a decade. */
static size_t (*zstd_decompress)(void *out, size_t out_size, const void *in, size_t in_size);
static unsigned (*zstd_is_error)(size_t code);
static const char *(*zstd_error_name)(size_t code);
static unsigned long long (*zstd_content_size)(const void *in, size_t in_size);
static int (*lz4_decompress)(const char *in, char *out, int in_size, int out_size);

/* ISO C has no conversion from an object pointer to a function pointer; POSIX requires this one. */
static void find(void *library, const char *name, void *function) {
    *(void **)function = library ? dlsym(library, name) : NULL;
}

static void load_libraries(void) {
    void *zstd = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
    find(zstd, "ZSTD_decompress", &zstd_decompress);
    find(zstd, "ZSTD_isError", &zstd_is_error);
    find(zstd, "ZSTD_getErrorName", &zstd_error_name);
    find(zstd, "ZSTD_getFrameContentSize", &zstd_content_size);
    void *lz4 = dlopen("liblz4.so.1", RTLD_NOW | RTLD_LOCAL);
    find(lz4, "LZ4_decompress_safe", &lz4_decompress);
}

static void load_once(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_libraries);
}

bool decompress_zstd_plausible(const void *in, size_t in_size, size_t out_size) {
    const unsigned long long unknown = -1ull;
    load_once();
    if (!zstd_content_size)
        return true; /* decompress_zstd will report what is missing */
    unsigned long long bytes = zstd_content_size(in, in_size);
    return bytes == out_size || bytes == unknown;
}

bool decompress_lz4_plausible(size_t in_size, size_t out_size) {
    return out_size / 255 <= in_size; /* a byte of LZ4 stands for at most 255 */
}

bool decompress_zstd(const void *in, size_t in_size, void *out, size_t out_size, char *error, size_t error_size) {
    load_once();
    if (!zstd_decompress || !zstd_is_error || !zstd_error_name) {
        snprintf(error, error_size,
                 "the PTX is compressed with zstd and libzstd.so.1 is not installed: install the package libzstd1 "
                 "(Debian, Ubuntu) or zstd, or compile with -compress-mode=none");
        return false;
    }
    size_t got = zstd_decompress(out, out_size, in, in_size);
    if (zstd_is_error(got) || got != out_size) {
        snprintf(error, error_size, "the zstd-compressed PTX is damaged (%s)",
                 zstd_is_error(got) ? zstd_error_name(got) : "it is shorter than its header states");
        return false;
    }
    return true;
}

bool decompress_lz4(const void *in, size_t in_size, void *out, size_t out_size, char *error, size_t error_size) {
    load_once();
    if (!lz4_decompress) {
        snprintf(error, error_size,
                 "the PTX is compressed with LZ4 and liblz4.so.1 is not installed: install the package liblz4-1 "
                 "(Debian, Ubuntu) or lz4, or compile with -compress-mode=none");
        return false;
    }
    if (in_size > INT_MAX || out_size > INT_MAX ||
        lz4_decompress(in, out, (int)in_size, (int)out_size) != (int)out_size) {
        snprintf(error, error_size, "the LZ4-compressed PTX is damaged");
        return false;
    }
    return true;
}
