/* The values that control the conditional nodes of graphs. Kernels set them with cudaGraphSetConditional. */
#ifndef CONDITION_H
#define CONDITION_H

#include <stdint.h>

uint64_t condition_new(void); /* a handle; 0 when all are used */
/* Invalid handles are ignored. */
void condition_set(uint64_t handle, uint32_t value);
uint32_t condition_value(uint64_t handle);

#endif
