/* Labels belong to the { } that contains them. */
#ifndef LABELS_H
#define LABELS_H

#include "base/arena.h"
#include "ptx/ptx.h"

/* Inline assembly repeats the same label many times, each in separate braces. Gives labels of one function that have
 * the same name but are in different scopes distinct names, and makes references to them mean the nearest one outwards.
 * parents[s] is the scope around scope s; 0 is the module. */
void labels_resolve(struct arena *arena, struct ptx_function *f, struct ptx_prototype *prototypes,
                    const uint32_t *parents);

#endif
