/* Whether the emulator can decode a statement. */
#ifndef DECODED_H
#define DECODED_H

#include <stdbool.h>
#include <stddef.h>

/* Loads a kernel that consists of this statement. False with the emulator's message in error. */
bool decoded(const char *candidate, char *error, size_t error_size);

#endif
