/* A decoded memory instruction: the same for ld, st, atom and red in every space. */
#ifndef ACCESS_H
#define ACCESS_H

#include <stdint.h>

#include "machine/insn.h"
#include "machine/warp.h"
#include "ptx/ptx.h"

enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC };

struct access {
    uint8_t kind;         /* enum access_kind */
    uint8_t space;        /* enum ptx_space */
    uint8_t bytes;        /* per element in memory: 1, 2, 4, 8, 16 */
    uint8_t count;        /* elements per lane: 1, 2, 4, 8 */
    uint8_t type;         /* enum ptx_type of an element in memory */
    uint8_t reg_bits;     /* width of the register(s): 16, 32, 64 or 128 */
    uint8_t address_bits; /* width of the address register: 32 or 64; 0: no register, insn.imm alone */
    uint8_t ordered;      /* volatile, relaxed, acquire, release: 1 */
    uint16_t operation;   /* of atomics: see ops/atomic.c */
    uint32_t slot;        /* number of this access in its kernel: worker->cache[slot] */
    uint32_t address_reg; /* frame offset of the address register */
    uint32_t regs[8];     /* frame offsets of the data registers; ~0u for '_' */
    uint32_t regs2[2];    /* atomics: operands b and c */
    uint32_t data[8];     /* atomics on vectors: the registers of b; data[0] is b otherwise */
    uint32_t stride;      /* parameters of functions: bytes from one lane's copy to the next */
};

/* A lane's address: register + insn.imm. The generic form is left as it is. */
static inline uint64_t access_address(const struct warp *w, const struct insn *in, int l) {
    const struct access *a = in->extra;
    const void *at = w->regs + a->address_reg;
    uint64_t base = a->address_bits == 64 ? ((const uint64_t *)at)[l] : a->address_bits ? ((const uint32_t *)at)[l] : 0;
    return base + (uint64_t)in->imm;
}

/* Writes the 32 lane addresses (generic form is left as it is; register + insn.imm) to out. Inactive lanes too. */
void access_addresses(const struct warp *w, const struct insn *in, uint64_t out[WARP_SIZE]);

#endif
