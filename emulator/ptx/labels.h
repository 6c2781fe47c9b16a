/* Labels belong to the { } they stand in. */
#ifndef LABELS_H
#define LABELS_H

#include "base/arena.h"
#include "ptx/ptx.h"

/* Inline assembly brings the same label in many times, each in braces of its own. Gives labels of one function that
 * have the same name but stand in different scopes names of their own, and makes what refers to them mean the nearest
 * one outwards. parents[s] is the scope around scope s; 0 is the module. */
void labels_resolve(struct arena *arena, struct ptx_function *f, struct ptx_prototype *prototypes,
                    const uint32_t *parents);

#endif
