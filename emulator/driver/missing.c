/* The driver's functions that are not emulated. They exist so that every program starts; calling one prints its name,
 * once, and returns CUDA_ERROR_NOT_SUPPORTED.
 *
 * A function that gets an implementation is taken off this list: the linker complains about it until then. The
 * toolkit's headers are left out on purpose, since these definitions have no parameters. */
#include "driver/missing.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NOT_SUPPORTED = 801 };

static int missing(const char *name, _Atomic bool *told) {
    if (!atomic_exchange(told, true))
        fprintf(stderr, "========= %s returns CUDA_ERROR_NOT_SUPPORTED: the emulator does not implement it yet.\n",
                name);
    return NOT_SUPPORTED;
}

#define X(name)                                                                                                        \
    __attribute__((visibility("default"))) int name(void);                                                             \
    int name(void) {                                                                                                   \
        static _Atomic bool told;                                                                                      \
        return missing(#name, &told);                                                                                  \
    }
#include "driver/missing_names.h"

#define X(name) {#name, (void (*)(void))name},
static const struct {
    const char *name;
    void (*function)(void);
} functions[] = {
#include "driver/missing_names.h"
};

/* "cuTexRefSetAddress" means cuTexRefSetAddress_v2, too: the form that today's headers mean by the name. */
void (*missing_function(const char *name))(void) {
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const char *ending = functions[i].name + length;
        if (strncmp(functions[i].name, name, length) == 0 && (!*ending || strncmp(ending, "_v", 2) == 0))
            return functions[i].function;
    }
    return NULL;
}
