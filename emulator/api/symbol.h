/* Variables of the device, for copies to and from them. */
#ifndef SYMBOL_H
#define SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "api/api.h"

/* The address of [offset, offset + count) of a variable that a copy goes to (or from), for a call named in messages. */
cudaError_t symbol_range(const char *function, const void *symbol, size_t offset, size_t count,
                         enum cudaMemcpyKind kind, bool to, uint64_t *address);

#endif
