/* Gives registers their places in a frame. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include "decode/decode.h"

/* Sets ptx_register.slot for all registers of a function. Registers that are never live together share a place: nvcc
 * names a new one for every value, and a frame of a thousand vectors would not stay in the cache. */
void registers_place(struct decoder *d, const struct ptx_function *f);

/* The registers that are live before each instruction: a bit by ptx_register.number, *words words per instruction. The
 * caller frees them. Only after registers_place. */
uint64_t *registers_liveness(const struct ptx_function *f, size_t *words);

/* Calls visit for each register an instruction reads, then for each it writes. */
typedef void (*visit_fn)(struct ptx_register *r, bool written, void *context);
void visit_registers(const struct ptx_insn *p, visit_fn visit, void *context);

unsigned register_bits(const struct ptx_register *r); /* as stored in the frame: 1, 16, 32, 64 or 128 */

#endif
