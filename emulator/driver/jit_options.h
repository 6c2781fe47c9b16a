/* The options that loading and linking take: those that concern compiling change nothing here, those that concern
 * messages do. */
#ifndef JIT_OPTIONS_H
#define JIT_OPTIONS_H

#include "driver/driver.h"

struct jit_log {
    char *buffer;
    size_t size;
    void **used; /* where the caller receives how much was written */
};
struct jit_options {
    struct jit_log info_log, error_log;
};

/* False: there is an unknown option. */
bool jit_read(struct jit_options *out, const CUjit_option *names, void **values, unsigned count);
/* Writes the message; NULL: none. */
void jit_say(const struct jit_log *log, const char *text);

#endif
