#include "driver/entry_points.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "driver/function_symbols.h"
#include "driver/missing.h"

#define X(name, symbol, since, twin) {#name, symbol, twin, since},
static const struct row {
    const char *name;
    void (*function)(void), (*twin)(void);
    int since; /* 12050 for CUDA 12.5 */
} rows[] = {
#include "driver/functions.h"
};

enum entry_point_found entry_point_find(const char *name, int version, unsigned long long flags, void **out) {
    const struct row *best = NULL;
    bool known = false;
    for (const struct row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
        if (!r->function || strcmp(r->name, name) != 0)
            continue;
        known = true;
        if (r->since <= version && (!best || r->since > best->since))
            best = r;
    }
    void (*function)(void) = !best ? NULL : (flags & ENTRY_POINT_PER_THREAD) ? best->twin : best->function;
    if (!known)
        function = missing_function(name);
    *out = (void *)(uintptr_t)function;
    return function ? ENTRY_POINT_FOUND : known ? ENTRY_POINT_TOO_OLD : ENTRY_POINT_NOT_FOUND;
}
