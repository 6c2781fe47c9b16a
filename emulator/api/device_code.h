/* Device code that a program passes in at run time: PTX, a fat binary, the output of our linker, or machine code that
 * has its PTX beside it. */
#ifndef DEVICE_CODE_H
#define DEVICE_CODE_H

#include "api/registration.h"

/* Makes a library of a copy of it, for a call named in messages. Nothing is read before it is used. */
cudaError_t device_code_open(const char *function, const void *code, struct binary **out);
cudaError_t device_code_open_file(const char *function, const char *path, struct binary **out);

/* A file's bytes (malloc'd, followed by zeros). */
cudaError_t device_code_read(const char *function, const char *path, void **data, size_t *size);

/* Bytes of such data, and the PTX that is in it, as separate data (malloc'd, zero-terminated); both for a call named in
 * messages. */
size_t device_code_size(const void *code);
cudaError_t device_code_copy(const char *function, const void *code, size_t size, void **copy, size_t *copied);

#endif
