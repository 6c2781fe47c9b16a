/* pipeline.h - how a block of lesson 11b has tiles brought to shared memory while it works on others.
 *
 *     start_pipeline(&p, ticket, x, n);          all threads: asks for the block's first STAGES tiles
 *     take(v, &p, stage, round, x, n);           all threads: waits for the tile in that stage, and each gets its rows
 *     request(&p, stage, tile, x, n);            one thread, when all have theirs: asks for another tile
 *
 * One thread asks for a whole tile with one instruction (cp.async.bulk, compute capability 9.0). The copy engine brings it, needs no
 * registers for it, and counts the bytes at a barrier in shared memory (mbarrier), where the others wait. Before 9.0 nothing is asked for
 * and take() loads from x: the same results, with nothing on its way.
 */
#ifndef LESSONS_LESSON11B_LOOKBACK_PIPELINE_H
#define LESSONS_LESSON11B_LOOKBACK_PIPELINE_H

/* The tiles that a block has asked for lie in shared memory, or are on their way there: in stage s, with `arrived` to wait at. */
struct pipeline {
    int tile[STAGES];
    unsigned long long arrived[STAGES];
};

extern __shared__ __align__(128) unsigned char stages[]; // STAGES tiles; none before compute capability 9.0

static __device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

/* One thread asks for a whole tile; the copy engine brings it, and needs no registers. A tile that is not whole, or not aligned, is left
 * to `take`. */
static __device__ void request(struct pipeline *p, int stage, int tile, const element *x, int n) {
    p->tile[stage] = tile;
#if __CUDA_ARCH__ >= 900
    if (in_fours(x, x, tile, n)) {
        unsigned bytes = TILE * sizeof(element), arrived = shared_address(&p->arrived[stage]);
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" : : "r"(arrived), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                     :
                     : "r"(shared_address(stages + stage * bytes)), "l"(x + tile * TILE), "r"(bytes), "r"(arrived)
                     : "memory");
    }
#endif
}

/* Waits until what was asked for is there. `round`: how often the stage was used before; the barrier's phases alternate. */
static __device__ void wait_for_stage(const struct pipeline *p, int stage, int round) {
#if __CUDA_ARCH__ >= 900
    int done = 0;
    while (!done) {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.s32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(&p->arrived[stage])), "r"(round & 1)
                     : "memory");
    }
#endif
}

/* The rows of the warp, from the stage, or from x. */
static __device__ void take(struct four (&v)[ROWS], const struct pipeline *p, int stage, int round, const element *x,
                            int n) {
    int tile = p->tile[stage], first = first_element(tile);
    bool fours = in_fours(x, x, tile, n);
#if __CUDA_ARCH__ >= 900
    if (fours) {
        wait_for_stage(p, stage, round);
        const element *mine = (const element *)stages + stage * TILE + first - tile * TILE;
        for (int r = 0; r < ROWS; r++) {
            v[r] = *(const struct four *)&mine[r * ROW];
        }
        return;
    }
#endif
    load_rows(v, x, first, n, fours);
}

/* A block's first tiles, in the order in which it scans them. */
static __device__ void start_pipeline(struct pipeline *p, unsigned *ticket, const element *x, int n) {
    if (threadIdx.x == 0) {
#if __CUDA_ARCH__ >= 900
        for (int s = 0; s < STAGES; s++) {
            asm volatile("mbarrier.init.shared.b64 [%0], 1;" : : "r"(shared_address(&p->arrived[s])) : "memory");
        }
        asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
#endif
        for (int s = 0; s < STAGES; s++) {
            int tile = ticket ? (int)atomicAdd(ticket, 1u) : (int)(blockIdx.x + s * gridDim.x);
            request(p, s, tile, x, n);
        }
    }
    __syncthreads();
}

#endif
