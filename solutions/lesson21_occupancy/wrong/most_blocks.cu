// expect: wrong_result
// says: warps are resident
/* The most blocks are not the most warps. */
#include "common/check.h"

#include "machine.h"
#include "counts.h"

int best_block(const struct machine *m, int registers, int fixed, int per_thread) {
    int best = 0, most = 0;
    for (int threads = BLOCK_THREADS; threads >= WARP; threads -= WARP) {
        int blocks = resident_blocks(m, registers, threads, fixed + threads * per_thread);
        if (blocks > most) {
            most = blocks;
            best = threads;
        }
    }
    return best;
}

int largest_tile(const struct machine *m, int registers, int threads, int blocks) {
    if (resident_blocks(m, registers, threads, 0) < blocks) {
        return -1;
    }
    int share = m->shared / blocks / m->shared_unit * m->shared_unit;
    return smaller(share - m->reserved, m->shared_block);
}

#include "mean.h"
