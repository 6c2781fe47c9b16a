// expect: wrong_result
/* An equal share for each block, down to the byte: then the pieces of the last block do not fit. */
#include "common/check.h"

#include "machine.h"
#include "counts.h"

int best_block(const struct machine *m, int registers, int fixed, int per_thread) {
    int best = 0, most = 0;
    for (int threads = BLOCK_THREADS; threads >= WARP; threads -= WARP) {
        int warps = resident_blocks(m, registers, threads, fixed + threads * per_thread) * warps_of(threads);
        if (warps > most) {
            most = warps;
            best = threads;
        }
    }
    return best;
}

int largest_tile(const struct machine *m, int registers, int threads, int blocks) {
    if (resident_blocks(m, registers, threads, 0) < blocks) {
        return -1;
    }
    int share = m->shared / blocks;
    return smaller(share - m->reserved, m->shared_block);
}

#include "mean.h"
