/* Inputs and the link itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "fatbin/containers.h"
#include "jitlink/jitlink.h"
#include "ptx/ptx.h"

static const char *type_name(unsigned type) {
    static const char *const names[] = {"NONE", "CUBIN", "PTX", "LTOIR", "FATBIN", "OBJECT", "LIBRARY", "INDEX"};
    return type < sizeof names / sizeof *names ? names[type] : "ANY";
}

/* Machine code and intermediate code are bundles here: a compiler with these outputs selected returned its PTX
 * (toolkit/). */
static bool fits(unsigned type, enum container kind) {
    switch (type) {
    case JITLINK_CUBIN:
        return kind == CONTAINER_BUNDLE || kind == CONTAINER_MACHINE_CODE;
    case JITLINK_PTX:
        return kind == CONTAINER_PTX;
    case JITLINK_LTOIR:
        return kind == CONTAINER_BUNDLE;
    case JITLINK_FATBIN:
        return kind == CONTAINER_FATBIN;
    case JITLINK_OBJECT:
        return kind == CONTAINER_OBJECT;
    case JITLINK_LIBRARY:
        return kind == CONTAINER_LIBRARY;
    default:
        return kind != CONTAINER_NONE;
    }
}

/* PTX is compiled when it is added, so mistakes are found there. */
static bool parses(struct nvJitLink *link, const struct bundle_text *text, const char *name) {
    char why[1024];
    struct ptx_module *module = ptx_parse(text->text, text->length, why, sizeof why);
    if (!module) {
        jitlink_say(link, "ptxas application ptx input, %s", why);
        jitlink_say(link, "ERROR NVJITLINK_ERROR_PTX_COMPILE: JIT the PTX (%s)", name);
        return false;
    }
    ptx_free(module);
    return true;
}

static bool is_type(unsigned type) {
    return (type >= JITLINK_CUBIN && type <= JITLINK_INDEX) || type == JITLINK_ANY;
}

static enum jitlink_result refuse_type(struct nvJitLink *link, unsigned type, const void *data, size_t size,
                                       const char *name) {
    static const unsigned char of_nvidia[] = {0xed, 0x43, 0x4e, 0x7f}; /* intermediate code, as nvcc -dlto writes it */
    if (is_type(type))
        jitlink_say(link, "ERROR 1: bad input: does not match type NVJITLINK_INPUT_%s%s", type_name(type), name);
    else
        jitlink_say(link, "unsupported input type: %s", name);
    if (size >= sizeof of_nvidia && memcmp(data, of_nvidia, sizeof of_nvidia) == 0)
        jitlink_say(link, "The emulator links PTX, and this is LTO-IR, which only NVIDIA's compilers can read.");
    return JITLINK_INCORRECT_INPUT_TYPE;
}

enum jitlink_result jitlink_add(struct nvJitLink *link, unsigned type, const void *data, size_t size,
                                const char *name) {
    enum container kind = containers_kind(data, size);
    if (link->completed)
        return JITLINK_INTERNAL;
    if (!is_type(type) || !fits(type, kind))
        return refuse_type(link, type, data, size, name);
    if (type == JITLINK_LTOIR && !link->options.lto) {
        jitlink_say(link, "ERROR 1: LTO-IR input cannot be used without LTO enabled (-lto)");
        return JITLINK_LTO_NOT_ENABLED;
    }
    size_t before = link->linking.count;
    cudaError_t error = linking_add(&link->linking, data, size);
    if (error != cudaSuccess) {
        jitlink_say(link, "ERROR 4: bad input:%s", name);
        return error == cudaErrorMemoryAllocation ? JITLINK_INTERNAL : JITLINK_UNRECOGNIZED_INPUT;
    }
    for (size_t i = before; i < link->linking.count; i++) {
        if (!parses(link, &link->linking.texts[i], name)) {
            linking_truncate(&link->linking, before);
            return JITLINK_PTX_COMPILE;
        }
    }
    link->others |= type != JITLINK_LTOIR && (type != JITLINK_ANY || kind != CONTAINER_BUNDLE);
    return JITLINK_SUCCESS;
}

/* PTX may lack functions, as may the result of a link that is linked again. */
enum jitlink_result jitlink_complete(struct nvJitLink *link) {
    char *why;
    if (link->completed)
        return JITLINK_INTERNAL;
    if (link->options.ptx && link->others) {
        jitlink_say(link, "ERROR: -ptx requires that all inputs have LTOIR");
        return JITLINK_INCORRECT_INPUT_TYPE;
    }
    link->completed = true;
    bool again = link->options.relocatable || link->options.ptx;
    cudaError_t error = linking_complete(&link->linking, again, &link->image, &link->size, &why);
    if (why) {
        jitlink_say(link, "error   : %s", why);
        jitlink_say(link, "ERROR 9: complete");
    }
    free(why);
    if (error == cudaSuccess)
        return JITLINK_SUCCESS;
    return link->options.lto ? JITLINK_PTX_COMPILE : JITLINK_INTERNAL;
}
