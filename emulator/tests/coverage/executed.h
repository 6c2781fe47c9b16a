/* Executes a trial on the emulator. */
#ifndef EXECUTED_H
#define EXECUTED_H

#include <stdbool.h>

#include "trial.h"

/* False with a message when it cannot. The output stays valid until the next call. */
bool executed(struct trial *trial, const uint8_t **output, char *error, size_t error_size);

#endif
