#include "driver/jit_options.h"

#include <stdio.h>
#include <string.h>

#define NEWEST_OPTION 40 /* headers disagree about the last; those that are not known here concern compiling */

bool jit_read(struct jit_options *out, const CUjit_option *names, void **values, unsigned count) {
    *out = (struct jit_options){{0}, {0}};
    if (count && (!names || !values))
        return false;
    for (unsigned i = 0; i < count; i++) {
        struct jit_log *log = names[i] <= CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ? &out->info_log : &out->error_log;
        if ((unsigned)names[i] > NEWEST_OPTION)
            return false;
        if (names[i] == CU_JIT_INFO_LOG_BUFFER || names[i] == CU_JIT_ERROR_LOG_BUFFER)
            log->buffer = values[i];
        if (names[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES || names[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            log->size = (size_t)(uintptr_t)values[i];
            log->used = &values[i];
        }
    }
    return true;
}

/* The sizes are given in the values themselves, and the written lengths are returned there. */
void jit_say(const struct jit_log *log, const char *text) {
    size_t written = 0;
    if (log->buffer && log->size) {
        snprintf(log->buffer, log->size, "%s%s", text ? "error   : " : "", text ? text : "");
        written = strlen(log->buffer);
    }
    if (log->used)
        *log->used = (void *)(uintptr_t)written;
}
