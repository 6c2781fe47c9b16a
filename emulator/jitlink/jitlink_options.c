/* Options. Those that concern optimizing are accepted and change nothing: the linked code is executed as it is. */
#include <stdlib.h>
#include <string.h>

#include "jitlink/jitlink.h"

static const char *const WORDS[] = {"-time",
                                    "-verbose",
                                    "-g",
                                    "-lineinfo",
                                    "-optimize-unused-variables",
                                    "-nvvm-latest",
                                    "-no-cache",
                                    "-device-stack-protector",
                                    NULL};
static const char *const WITH_VALUE[] = {"-maxrregcount=",
                                         "-Ofc=",
                                         "-ftz=",
                                         "-prec-div=",
                                         "-prec-sqrt=",
                                         "-fma=",
                                         "-kernels-used=",
                                         "-variables-used=",
                                         "-optimize-unused-variables=",
                                         "-Xptxas=",
                                         "-Xnvvm=",
                                         "-split-compile=",
                                         "-split-compile-extended=",
                                         "-jump-table-density=",
                                         NULL};

static const char *behind(const char *option, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(option, prefix, length) == 0 ? option + length : NULL;
}

/* "sm_90", "sm_90a", "compute_90". */
static enum jitlink_result read_arch(struct nvJitLink *link, const char *value) {
    const char *real = behind(value, "sm_"), *virtual = behind(value, "compute_");
    const char *number = real ? real : virtual;
    char *end = NULL;
    unsigned long arch = number ? strtoul(number, &end, 10) : 0;
    if (!number || end == number || (*end && strcmp(end, "a") != 0 && strcmp(end, "f") != 0)) {
        jitlink_say(link, "ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value (-arch=%s)", value);
        return JITLINK_UNRECOGNIZED_OPTION;
    }
    if (arch < 50) {
        jitlink_say(link, "ERROR NVJITLINK_ERROR_UNSUPPORTED_ARCH: unsupported architecture (compute_%lu)", arch);
        return JITLINK_UNSUPPORTED_ARCH;
    }
    link->options.arch = true;
    link->options.virtual_arch = virtual;
    return JITLINK_SUCCESS;
}

static bool is_known(const char *option) {
    for (const char *const *w = WORDS; *w; w++)
        if (strcmp(option, *w) == 0)
            return true;
    for (const char *const *w = WITH_VALUE; *w; w++)
        if (behind(option, *w))
            return true;
    return false;
}

enum jitlink_result jitlink_option(struct nvJitLink *link, const char *option) {
    const char *arch = behind(option, "-arch="), *level = behind(option, "-O");
    if (arch)
        return read_arch(link, arch);
    if (strcmp(option, "-lto") == 0)
        return link->options.lto = true, JITLINK_SUCCESS;
    if (strcmp(option, "-ptx") == 0)
        return link->options.ptx = true, JITLINK_SUCCESS;
    if (strcmp(option, "-r") == 0)
        return link->options.relocatable = true, JITLINK_SUCCESS;
    if (is_known(option) || (level && (strcmp(level, "0") == 0 || strcmp(level, "3") == 0)))
        return JITLINK_SUCCESS;
    if (level)
        jitlink_say(link, "unsupported value of -O: %s. Only 0 and 3 are supported.", level);
    else
        jitlink_say(link, "unrecognized option: %s", option);
    return JITLINK_UNRECOGNIZED_OPTION;
}

enum jitlink_result jitlink_options_fit(struct nvJitLink *link) {
    const struct jitlink_options *o = &link->options;
    if (!o->arch)
        return JITLINK_MISSING_ARCH;
    if (o->ptx && !o->lto)
        return jitlink_say(link, "ERROR: -ptx requires -lto"), JITLINK_INCOMPATIBLE_OPTIONS;
    if (o->virtual_arch && !o->ptx)
        return jitlink_say(link, "ERROR: virtual arch requires -ptx"), JITLINK_INCOMPATIBLE_OPTIONS;
    return JITLINK_SUCCESS;
}
