// expect: wrong_result
// says: return the largest of several best sizes
/* Of several sizes that are as good, the smallest. */
#include "common/check.h"

#include "machine.h"
#include "counts.h"

int best_block(const struct machine *m, int registers, int fixed, int per_thread) {
    int best = 0, most = 0;
    for (int threads = WARP; threads <= BLOCK_THREADS; threads += WARP) {
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
    int share = m->shared / blocks / m->shared_unit * m->shared_unit;
    return smaller(share - m->reserved, m->shared_block);
}

#include "mean.h"
