/* nvJitLink's interface, as its manual describes it: the structure of a link, and the declarations that its files
 * share. */
#ifndef JITLINK_H
#define JITLINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/linking.h"

enum jitlink_result {
    JITLINK_SUCCESS,
    JITLINK_UNRECOGNIZED_OPTION,
    JITLINK_MISSING_ARCH,
    JITLINK_INVALID_INPUT,
    JITLINK_PTX_COMPILE,
    JITLINK_INTERNAL = 6,
    JITLINK_UNRECOGNIZED_INPUT = 8,
    JITLINK_NULL_INPUT = 10,
    JITLINK_INCOMPATIBLE_OPTIONS,
    JITLINK_INCORRECT_INPUT_TYPE,
    JITLINK_UNSUPPORTED_ARCH = 17,
    JITLINK_LTO_NOT_ENABLED,
};

enum jitlink_input {
    JITLINK_CUBIN = 1,
    JITLINK_PTX,
    JITLINK_LTOIR,
    JITLINK_FATBIN,
    JITLINK_OBJECT,
    JITLINK_LIBRARY,
    JITLINK_INDEX,
    JITLINK_ANY = 10,
};

struct jitlink_options {
    bool lto, ptx, relocatable;
    bool arch, virtual_arch; /* -arch is given, with compute_N */
};

struct nvJitLink {
    struct jitlink_options options;
    struct linking linking;
    bool others; /* an input is no intermediate code for the link-time optimizer */
    bool completed;
    void *image;
    size_t size;
    char *log; /* of errors */
};

/* Adds a line to the log of errors. */
void jitlink_say(struct nvJitLink *link, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reads one option; the second function checks that they fit together. Both report errors. */
enum jitlink_result jitlink_option(struct nvJitLink *link, const char *option);
enum jitlink_result jitlink_options_fit(struct nvJitLink *link);
enum jitlink_result jitlink_add(struct nvJitLink *link, unsigned type, const void *data, size_t size, const char *name);
enum jitlink_result jitlink_complete(struct nvJitLink *link);

#endif
