/* A thread block cluster. Its blocks are stored one after the other in one piece of memory and take turns on one host
 * thread, so their accesses to each other's shared memory need not be atomic. A launch without clusters has clusters of
 * one block.
 *
 * As on an H200, the shared memory of the block of rank r begins at the address r << 24, for itself and for all blocks
 * of the cluster: the address of a variable has this form, as do the result of mapa and the addresses of st.async,
 * multicast and remote mbarriers. So an address has more bits than wgmma's descriptors have room for. */
#ifndef BLOCK_CLUSTER_H
#define BLOCK_CLUSTER_H

#include "machine/grid.h"

#define CLUSTER_OFFSET_MASK (((uint32_t)1 << SHARED_RANK_SHIFT) - 1)

/* The block of that rank in b's cluster; rank < launch->cluster_blocks. */
static inline struct block *cluster_block(const struct block *b, uint32_t rank) {
    int64_t away = ((int64_t)rank - (int64_t)b->rank) * (int64_t)b->launch->block_stride;
    return (struct block *)(void *)((uint8_t *)(uintptr_t)b + away);
}

/* The address at the same place in the shared memory of the block of that rank. */
static inline uint32_t cluster_address(uint32_t rank, uint32_t address) {
    return rank << SHARED_RANK_SHIFT | (address & CLUSTER_OFFSET_MASK);
}

/* The rank of the block that an address of shared memory refers to; it may be none of the cluster's. */
static inline uint32_t cluster_rank(uint32_t address) {
    return address >> SHARED_RANK_SHIFT;
}

/* The block whose shared memory has these bytes, and their offset in it. NULL: none of the cluster's, or its shared
 * memory ends before. */
static inline struct block *cluster_find(const struct block *b, uint32_t address, uint64_t bytes, uint32_t *offset) {
    uint32_t rank = cluster_rank(address);
    *offset = b->launch->cluster_blocks == 1 ? address : address & CLUSTER_OFFSET_MASK;
    bool inside = rank < b->launch->cluster_blocks && *offset + bytes <= b->launch->shared_bytes;
    return inside ? cluster_block(b, rank) : (struct block *)0;
}

/* Has the block ended, and its shared memory with it? */
static inline bool cluster_block_ended(const struct block *b) {
    return !b->live_lanes;
}

/* The memory of a cluster holds blocks up to this one's last. */
void cluster_start(struct block *first, uint64_t index);
/* Runs all blocks of a cluster, as block_run does one. Blocks that wait forever have been reported. */
enum block_end cluster_run(struct block *first);

/* barrier.cluster: lanes arrive; the barrier opens when all lanes of the cluster that have not exited have. */
void cluster_arrive(struct warp *w);
/* True when the barrier has opened since all of these lanes arrived. */
bool cluster_passed(const struct warp *w);
/* Lanes have exited, which counts as if they had arrived: opens the barrier if all others have. */
void cluster_check_barrier(struct block *b);

#endif
