/* Whether a form is among the vectors of tests/conformance, which an H200 recorded. */
#ifndef COMPARED_H
#define COMPARED_H

#include <stdbool.h>

/* Reads the vectors of tests/conformance, unpacked, and a list of the opcodes that tests/tensor compares; ends
 * the program when it cannot. */
void vectors_open(const char *vectors, const char *tensor);

bool in_vectors(const char *candidate);

#endif
