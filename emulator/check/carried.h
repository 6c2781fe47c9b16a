/* What launches carry from the host to kernels: words of parameters, and of the sizes of grid and block, which a
 * kernel can read as well. */
#ifndef CARRIED_H
#define CARRIED_H

#include <stdint.h>

struct launch;

/* Bytes of the words in which the launch differs from the most similar of this kernel's last 16 launches, or from zeros
 * if these are more similar. One thread at a time. */
uint64_t carried_by(const struct launch *l);

/* There are no earlier launches any more. */
void carried_forget(void);

#endif
