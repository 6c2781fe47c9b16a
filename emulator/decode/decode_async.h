/* The parts of decode_async.c that other files of decode need. */
#ifndef DECODE_ASYNC_H
#define DECODE_ASYNC_H

#include "decode/decode.h"

/* This many bytes arrive at the mbarrier at this address, as part of the instruction that was emitted last. */
void decode_arriving_bytes(struct decoder *d, const struct ptx_operand *where, uint32_t bytes);
/* The same for a copy, at an mbarrier of the cluster. bytes: slot of the number; ranks: slot of .multicast::cluster's
 * mask (uint16_t[32]), at the same place in each of whose blocks they arrive; ~0u without. */
void decode_copied_bytes(struct decoder *d, const struct ptx_operand *where, uint32_t bytes, uint32_t ranks);

#endif
