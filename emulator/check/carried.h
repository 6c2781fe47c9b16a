/* What launches carry from the host to kernels: words of parameters, and of the sizes of grid and block, which a kernel can read as well. */
#ifndef CARRIED_H
#define CARRIED_H

#include <stdint.h>

struct launch;

/* Bytes of the words that differ from those of the last launch of this kernel; of its first launch, the words that are not 0. One thread at a
 * time. */
uint64_t carried_by(const struct launch *l);

/* Of every kernel the next launch is the first again. */
void carried_forget(void);

#endif
