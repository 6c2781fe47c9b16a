/* What a compiler of NVIDIA's has made, as its functions give it: a size, then the bytes. */
#ifndef RESULT_H
#define RESULT_H

#include <stddef.h>

typedef int (*result_size)(void *program, size_t *size);
typedef int (*result_bytes)(void *program, char *bytes);

/* The PTX that two functions give, as a bundle (fatbin/bundle.h), and its size. Either may be NULL. Returns
 * what NVIDIA's functions do, and `no_memory` without memory; there is no bundle, and the size is 0, when there
 * is no PTX. */
int result_bundle(void *program, result_size size_of, result_bytes bytes_of, size_t *size, char *bytes, int no_memory);

#endif
