/* For programs that check what the driver API answers. Each prints one line per check. They link libcuda.so.1 alone, or with the
 * runtime, and are meant to run on a GPU as they are. */
#ifndef DRIVER_TEST_H
#define DRIVER_TEST_H

#include <cuda.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static void check(const char *name, bool right, const char *why) {
    if (right)
        printf("ok %s\n", name);
    else
        printf("not ok %s: %s\n", name, why);
    failures += !right;
}

static const char *error_name(CUresult error) {
    const char *name = NULL;
    return cuGetErrorName(error, &name) == CUDA_SUCCESS ? name : "no error of the driver";
}

/* The call returns this error. */
#define EXPECT(error, call) expect_error(#call, error, (call))
static void expect_error(const char *text, CUresult expected, CUresult found) {
    char why[200];
    snprintf(why, sizeof why, "expected %s, found %s", error_name(expected), error_name(found));
    check(text, found == expected, why);
}

#define EXPECT_EQUAL(name, expected, found)                                                                            \
    do {                                                                                                               \
        char why_[100];                                                                                                \
        long long expected_ = (long long)(expected), found_ = (long long)(found);                                      \
        snprintf(why_, sizeof why_, "expected %lld, found %lld", expected_, found_);                                   \
        check(name, expected_ == found_, why_);                                                                        \
    } while (0)

#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        CUresult must_ = (call);                                                                                       \
        if (must_ != CUDA_SUCCESS) {                                                                                   \
            printf("not ok %s: %s\n", #call, error_name(must_));                                                       \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A new context, which is current then. */
#if CUDA_VERSION >= 13000
#define CREATE(out, flags, device) cuCtxCreate(out, NULL, flags, device)
#else
#define CREATE(out, flags, device) cuCtxCreate(out, flags, device)
#endif

/* False where the program runs with NVIDIA's driver, which is said by DRIVER_OF_NVIDIA: some nonsense that ours refuses ends the process there. */
static inline bool refuses_nonsense(void) {
    return !getenv("DRIVER_OF_NVIDIA");
}

/* A file's bytes with a zero behind them. */
static inline char *file_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *bytes = file ? malloc(1 << 24) : NULL;
    if (!bytes) {
        printf("not ok %s can be read: it cannot\n", path);
        exit(1);
    }
    *size = fread(bytes, 1, (1 << 24) - 1, file);
    bytes[*size] = '\0';
    fclose(file);
    return bytes;
}

/* Initialises the driver, and makes the first device's primary context current. */
static inline CUcontext begin(void) {
    CUcontext context;
    CUdevice device;
    setvbuf(stdout, NULL, _IOLBF, 0); /* if it crashes, what was checked has been printed */
    MUST(cuInit(0));
    MUST(cuDeviceGet(&device, 0));
    MUST(cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuCtxSetCurrent(context));
    return context;
}

#endif
