/* Links PTX modules: one space of symbols for the files of a program, as -rdc=true requires. */
#ifndef LINK_H
#define LINK_H

#include <stdbool.h>
#include <stddef.h>

#include "ptx/ptx.h"

/* Joins the modules of the list that begins here (by `next`). Every symbol that an instruction or an initialiser names
 * is resolved: to a definition of its own file, or to the one that all files share. A strong definition, or else the
 * first weak one, overrides a weak one. An undefined symbol stays undefined; that is an error for the kernels that use
 * it. Functions get numbers, and numbers of source files become valid in all modules. Returns false with one line in
 * error when two files contradict each other. */
bool link_modules(struct ptx_module *first, char *error, size_t size);

#endif
