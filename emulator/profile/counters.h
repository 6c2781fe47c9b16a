/* Counting what warps do: instructions, sectors, banks, divergence. Off unless asked for. */
#ifndef COUNTERS_H
#define COUNTERS_H

#include "core/grid.h"
#include "emulator.h"

struct pattern_memory;

/* One worker's counts; summed at the end of a launch. Zeros at first. */
struct counters {
    struct emulatorCounters totals;
    struct pattern_memory *patterns; /* made at the first memory instruction, freed by counters_flush */
};

bool counters_on(void);
/* Called by the watching dispatch loop before each instruction is executed (w->mask is what will execute). */
void counters_instruction(struct counters *c, const struct warp *w, const struct insn *in);
/* A conditional branch of the active lanes has been decided; diverged: they went both ways. */
void counters_branch(struct counters *c, bool diverged);
/* Adds a worker's counts to the process's and clears them, at the end of its part of a launch. Thread-safe. */
void counters_flush(struct counters *c);
/* After a launch. */
void counters_launch_done(void);

/* Distinct 32-byte sectors touched by the active lanes; `bytes` per lane. */
unsigned count_sectors(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes);
/* Passes over the 32 four-byte banks that a shared store needs: 1 without conflicts for up to 4 bytes per lane, 2 for 8,
 * 4 for 16. */
unsigned count_store_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes);
/* The same for a load, which may need fewer: see banks.c. */
unsigned count_load_wavefronts(const uint64_t addresses[WARP_SIZE], uint32_t mask, unsigned bytes);

#endif
