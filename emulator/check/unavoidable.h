/* Barriers of the block that every thread passes, or goes around: a thread that has left the kernel without having
 * arrived there has executed something that is reached only after them. A thread that returns early has not, and that
 * is no mistake. */
#ifndef UNAVOIDABLE_H
#define UNAVOIDABLE_H

#include "decode/module.h"

/* Numbers such barriers of the kernel itself, not of functions that it calls: numbers[insn.index] = 1, 2, ...; all
 * others stay as they are. Returns how many there are. */
uint32_t find_unavoidable(const struct code *code, bool (*is_barrier)(const struct insn *), uint8_t *numbers);

#endif
