/* The options that loading and linking take: what is about compiling changes nothing here, what is about messages
 * does. */
#ifndef JIT_OPTIONS_H
#define JIT_OPTIONS_H

#include "driver/driver.h"

struct jit_log {
    char *buffer;
    size_t size;
    void **used; /* where the caller wants to know how much was written */
};
struct jit_options {
    struct jit_log info_log, error_log;
};

/* False: there is an option that nobody knows. */
bool jit_read(struct jit_options *out, const CUjit_option *names, void **values, unsigned count);
/* Writes what there is to say; NULL: nothing. */
void jit_say(const struct jit_log *log, const char *text);

#endif
