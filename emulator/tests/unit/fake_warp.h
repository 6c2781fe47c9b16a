/* A warp with registers and nothing around it, to try single operations. */
#ifndef FAKE_WARP_H
#define FAKE_WARP_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine/insn.h"
#include "machine/warp.h"

#define FAKE_SLOTS 8

/* Operand k of the instruction lies in slot k of the frame. */
struct fake_warp {
    struct warp warp;
    struct insn insn;
    _Alignas(64) uint8_t frame[FAKE_SLOTS][WARP_SIZE * 16];
};

/* Ready to run this form on all lanes. Destinations begin with a pattern. */
static inline void fake_warp_init(struct fake_warp *f, const struct form *form) {
    memset(f, 0, sizeof *f);
    memset(f->frame, 0xa5, sizeof f->frame);
    f->warp.regs = f->frame[0];
    f->warp.mask = f->warp.live = f->warp.threads = FULL_MASK;
    for (unsigned k = 0; k < INSN_OPERANDS; k++)
        f->insn.op[k] = k * (uint32_t)sizeof f->frame[0];
    f->insn.handler = form->handler;
    f->insn.kind = form->kind;
}

/* Runs it; false if the operation did not go on to the next instruction. */
static inline bool fake_warp_run(struct fake_warp *f) {
    return f->insn.handler(&f->warp, &f->insn) == &f->insn + 1;
}

/* Width in bytes of an operand's letter (predicates have functions of their own). */
static inline unsigned letter_bytes(char letter) {
    return letter == 'h' ? 2 : letter == 'w' || letter == 'W' ? 4 : 8;
}

/* A lane of slot k, zero-extended, and how to set it. */
static inline uint64_t fake_lane(const struct fake_warp *f, unsigned k, char letter, int lane) {
    uint64_t value = 0;
    memcpy(&value, f->frame[k] + (size_t)lane * letter_bytes(letter), letter_bytes(letter));
    return value;
}
static inline void fake_set_lane(struct fake_warp *f, unsigned k, char letter, int lane, uint64_t value) {
    memcpy(f->frame[k] + (size_t)lane * letter_bytes(letter), &value, letter_bytes(letter));
}
static inline uint32_t fake_predicate(const struct fake_warp *f, unsigned k) {
    uint32_t bits;
    memcpy(&bits, f->frame[k], sizeof bits);
    return bits;
}
static inline void fake_set_predicate(struct fake_warp *f, unsigned k, uint32_t bits) {
    memcpy(f->frame[k], &bits, sizeof bits);
}

/* The same numbers in every run. */
static inline uint64_t fake_random(void) {
    static uint64_t state = 0x9e3779b97f4a7c15u;
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return state * 0x2545f4914f6cdd1du;
}

/* Values at which integer operations go wrong, and random ones of random length. */
static inline uint64_t fake_value(unsigned bits) {
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     3,
                                     7,
                                     8,
                                     15,
                                     16,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     65,
                                     127,
                                     128,
                                     255,
                                     256,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x10000,
                                     0x7fffff,
                                     0x800000,
                                     0xffffff,
                                     0x7fffffff,
                                     0x80000000u,
                                     0xfffffffeu,
                                     0xffffffffu,
                                     0x100000000u,
                                     0x7fffffffffffffffu,
                                     0x8000000000000000u,
                                     0xfffffffffffffffeu,
                                     0xffffffffffffffffu};
    uint64_t r = fake_random();
    uint64_t value = r & 1 ? edges[(r >> 8) % (sizeof edges / sizeof *edges)] : fake_random() >> (r >> 8 & 63);
    value = r & 2 ? value : 0 - value;
    return bits == 64 ? value : value & (((uint64_t)1 << bits) - 1);
}

#endif
