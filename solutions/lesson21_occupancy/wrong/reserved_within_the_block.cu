// expect: wrong_result
// says: reserved bytes are in addition
/* The reserved bytes are taken from what one block may ask for. */
#include "common/check.h"

#include "machine.h"

static int warps_of(int threads) {
    return (threads + WARP - 1) / WARP;
}

static int blocks_by_registers(const struct machine *m, int registers, int warps) {
    int of_warp = round_up(registers * WARP, REGISTER_UNIT);
    int of_scheduler = m->registers / SCHEDULERS / of_warp;
    return of_scheduler * SCHEDULERS / warps;
}

static int blocks_by_shared(const struct machine *m, int shared) {
    int of_block = round_up(shared + m->reserved, m->shared_unit);
    return of_block ? m->shared / of_block : m->blocks;
}

int resident_blocks(const struct machine *m, int registers, int threads, int shared) {
    if (threads < 1 || threads > BLOCK_THREADS || registers > THREAD_REGISTERS ||
        shared + m->reserved > m->shared_block) {
        return 0;
    }
    int warps = warps_of(threads);
    int blocks = smaller(m->blocks, m->warps / warps);
    blocks = smaller(blocks, blocks_by_registers(m, registers, warps));
    return smaller(blocks, blocks_by_shared(m, shared));
}

#include "questions.h"
#include "mean.h"
