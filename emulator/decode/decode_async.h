/* What other parts of decode need of decode_async.c. */
#ifndef DECODE_ASYNC_H
#define DECODE_ASYNC_H

#include "decode/decode.h"

/* So many bytes arrive at the mbarrier at this address, as part of the instruction that was emitted last. */
void decode_arriving_bytes(struct decoder *d, const struct ptx_operand *where, uint32_t bytes);

/* The same for as many bytes as a slot holds for each lane (uint32_t[32]); shared: the address is one of shared memory. */
void decode_bytes_arrive(struct decoder *d, const struct ptx_operand *where, uint32_t bytes, bool shared);

#endif
