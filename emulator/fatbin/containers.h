/* The inputs that linkers take besides PTX, and the PTX in them: bundles, fat binaries, machine code, object files of
 * nvcc's, libraries of them. */
#ifndef CONTAINERS_H
#define CONTAINERS_H

#include <stdbool.h>
#include <stddef.h>

#include "fatbin/fatbin.h"

enum container {
    CONTAINER_NONE,
    CONTAINER_PTX,
    CONTAINER_BUNDLE,
    CONTAINER_MACHINE_CODE,
    CONTAINER_FATBIN,
    CONTAINER_OBJECT,
    CONTAINER_LIBRARY,
};
enum container containers_kind(const void *data, size_t size);

/* Calls visit for each PTX text. Unless FATBIN_OK, `why` holds one line, without a full stop. A library may hold none:
 * a missing function shows when it is needed. */
typedef void (*containers_visit)(const struct fatbin_image *image, void *argument);
enum fatbin_result containers_each(const void *data, size_t size, containers_visit visit, void *argument, char *why,
                                   size_t why_size);

#endif
