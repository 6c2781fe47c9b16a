/* What launches carry from the host to kernels: words of parameters, and of the sizes of grid and block, which a
 * kernel can read as well. */
#ifndef CARRIED_H
#define CARRIED_H

#include <stdint.h>

struct launch;

/* Bytes of the words that differ from those of an earlier launch of this kernel, or from 0: from that, of the last
 * 16, which is most like it. One thread at a time. */
uint64_t carried_by(const struct launch *l);

/* There are no earlier launches any more. */
void carried_forget(void);

#endif
