/* Names as they appear in the source. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

#include <stddef.h>

/* Writes the C++ name of a mangled one, with its parameters, in NVIDIA's spacing ("k(int, float *)"); the mangled name
 * itself where no C++ library is loaded. Returns out. */
const char *demangle(const char *mangled, char *out, size_t size);

/* The function's own name without parameters, also of a variable that is declared in it: "kernel" of
 * "space::kernel<4>(int *)::tile". */
const char *demangle_function(const char *mangled, char *out, size_t size);

#endif
