/* device.h - who runs this lesson's kernels, and what the command line asks for.
 *
 * The same executable runs on an NVIDIA GPU and on the emulator; the library search path decides which. The
 * emulator's runtime library has a function that NVIDIA's does not, emulatorName, and that is how a program knows.
 *
 *     int main(int argc, char **argv) {
 *         struct options options = options_read(argc, argv, VERSIONS);
 *         device_print_backend();                          // the first line that every lesson prints
 *         int n = options.size >= 0 ? (int)options.size : device_is_emulator() ? 1 << 20 : 1 << 26;
 *
 * Options are words on the command line (--size 1000 --seed 7 --version 2) or variables of the environment
 * (SIZE, SEED, V), which is how make hands them on; the command line wins. Anything else is an error.
 */
#ifndef COMMON_DEVICE_H
#define COMMON_DEVICE_H

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "../emulator/emulator.h"

/* The emulator's function of that name, or NULL on a GPU. Cast it to its type in emulator/emulator.h. */
static inline void *device_emulator_function(const char *name) {
    return dlsym(RTLD_DEFAULT, name);
}

static inline int device_is_emulator(void) {
    return check_on_emulator();
}

/* One line: the emulator, or the GPU with its compute capability and the CUDA version its driver can run. */
static inline void device_print_backend(void) {
    if (device_is_emulator()) {
        const char *(*name)(void) = (const char *(*)(void))device_emulator_function("emulatorName");
        printf("backend: %s (no GPU: this run counts and checks, it does not time)\n", name());
        fflush(stdout); /* before any report, which goes to stderr */
        return;
    }
    int device = 0, driver = 0;
    struct cudaDeviceProp properties;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
    CUDA_CHECK(cudaDriverGetVersion(&driver));
    printf("backend: GPU %d, %s, compute capability %d.%d, driver for CUDA %d.%d\n", device, properties.name,
           properties.major, properties.minor, driver / 1000, driver % 1000 / 10);
}

/* Elements at most, so that an int holds the index of every thread of the grid, those past the end included. */
enum { OPTIONS_SIZE_MAX = 1 << 30 };

/* What the reader asked for. */
struct options {
    long long size; /* number of elements; -1: not given, the lesson uses its own sizes */
    uint64_t seed;  /* of the random input; 1 when not given */
    int version;    /* run only this version, a number from `first` on; 0: not given, run all */
};

static inline void options_usage_error(const char *program, const char *what, const char *text) {
    fprintf(stderr, "%s: %s%s%s\n", program, what, text ? ": " : "", text ? text : "");
    fprintf(stderr, "usage: %s [--size N] [--seed N] [--version V]     (or SIZE=N SEED=N V=V)\n", program);
    exit(CHECK_EXIT_USAGE);
}

/* A whole number between low and high, or an error that shows the text. */
static inline long long options_number(const char *program, const char *name, const char *text, long long low,
                                       long long high) {
    char *end = NULL, message[160];
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || end == text || *end || value < low || value > high) {
        snprintf(message, sizeof message, "%s must be a whole number from %lld to %lld, not", name, low, high);
        options_usage_error(program, message, *text ? text : "nothing");
    }
    return value;
}

/* Reads the environment, then the command line. `versions` is how many versions the lesson has, `first` the number of the first. */
static inline struct options options_read(int argc, char **argv, int versions, int first = 1) {
    struct options options = {-1, 1, 0};
    struct {
        const char *variable, *word;
        long long low, high, value;
    } known[] = {
        {"SIZE", "--size", 0, OPTIONS_SIZE_MAX, -1},
        {"SEED", "--seed", 0, LLONG_MAX, 1},
        {"V", "--version", first, first + versions - 1, 0},
    };
    for (int k = 0; k < 3; k++) {
        const char *text = getenv(known[k].variable);
        if (text && *text) {
            known[k].value = options_number(argv[0], known[k].variable, text, known[k].low, known[k].high);
        }
    }
    for (int i = 1; i < argc; i += 2) {
        int k = 0;
        while (k < 3 && strcmp(argv[i], known[k].word) != 0) {
            k++;
        }
        if (k == 3) {
            options_usage_error(argv[0], "unknown argument", argv[i]);
        }
        if (i + 1 == argc) {
            options_usage_error(argv[0], "a number must follow", argv[i]);
        }
        known[k].value = options_number(argv[0], known[k].word, argv[i + 1], known[k].low, known[k].high);
    }
    options.size = known[0].value;
    options.seed = (uint64_t)known[1].value;
    options.version = (int)known[2].value;
    return options;
}

#endif
