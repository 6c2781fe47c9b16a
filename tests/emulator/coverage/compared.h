/* Whether a form's results were compared with an H200's. */
#ifndef COMPARED_H
#define COMPARED_H

#include <stdbool.h>

/* Reads the vectors of tests/emulator/conformance, unpacked; ends the program when it cannot. */
void compared_read(const char *vectors);

bool compared(const char *candidate);

#endif
