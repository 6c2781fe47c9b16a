/* Names as the programmer wrote them. */
#ifndef DEMANGLE_H
#define DEMANGLE_H

#include <stddef.h>

/* Writes the C++ name behind a mangled one, with its parameters, in NVIDIA's spacing ("k(int, float *)"); the
 * mangled name itself where there is no C++ library to ask. Returns out. */
const char *demangle(const char *mangled, char *out, size_t size);

/* The function's own name without parameters, also of a variable that is declared in it: "kernel" of
 * "space::kernel<4>(int *)::tile". */
const char *demangle_function(const char *mangled, char *out, size_t size);

#endif
