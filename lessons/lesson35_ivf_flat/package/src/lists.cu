/* lists.cu - the lists: a counting sort by cluster, stable, so that the same vectors give the same lists each time. */
#include "kernels.h"
#include "select.cuh"
#include "vectors.cuh"

enum { BLOCK = 256, SCAN_BLOCK = 1024 };

static unsigned blocks_for(size_t n, int block) {
    return (unsigned)((n + block - 1) / block);
}

/* A block for each tile; counts[tile][list] is 0 before. Sums of whole numbers are the same in any order. */
__global__ void count_kernel(const int *lists, int n, int nlist, int *counts) {
    int *mine = counts + (size_t)blockIdx.x * nlist;
    for (int t = threadIdx.x; t < TILE; t += blockDim.x) {
        int i = blockIdx.x * TILE + t;
        if (i < n) {
            atomicAdd(&mine[lists[i]], 1);
        }
    }
}

/* A thread for each list. counts[tile][list] becomes the number of those before this tile. */
__global__ void column_kernel(int *counts, int tiles, int nlist, int *lengths) {
    int list = blockIdx.x * blockDim.x + threadIdx.x;
    if (list >= nlist) {
        return;
    }
    int before = lengths[list];
    for (int tile = 0; tile < tiles; tile++) {
        int *count = &counts[(size_t)tile * nlist + list];
        int here = *count;
        *count = before;
        before += here;
    }
    lengths[list] = before;
}

/* A warp for each tile. Lanes with the same list find each other; those of the lower lanes come first. */
__global__ void rank_kernel(const int *lists, int n, int nlist, int *counts, int *ranks) {
    int tile = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    int end = min((tile + 1) * TILE, n);
    for (int first = tile * TILE; first < end; first += WARP) {
        int i = first + lane, list = i < end ? lists[i] : -1;
        unsigned same = __match_any_sync(ALL_LANES, list);
        int *count = &counts[(size_t)tile * nlist + max(list, 0)];
        int before = list >= 0 ? *count : 0;
        if (list >= 0) {
            ranks[i] = before + __popc(same & ((1u << lane) - 1));
        }
        __syncwarp();
        if (list >= 0 && lane == __ffs(same) - 1) {
            *count = before + __popc(same);
        }
        __syncwarp();
    }
}

/* The sum of the lanes up to this one, its own included. */
__device__ int warp_scan(int value) {
    for (int step = 1; step < WARP; step *= 2) {
        int before = __shfl_up_sync(ALL_LANES, value, step);
        value += (int)(threadIdx.x % WARP) >= step ? before : 0;
    }
    return value;
}

/* One block of 1024 threads, which goes along the lists. */
__global__ void start_kernel(const int *lengths, int nlist, int unit, int scale, int *starts) {
    __shared__ int sums[WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, before = 0;
    for (int first = 0; first < nlist; first += SCAN_BLOCK) {
        int list = first + threadIdx.x;
        int mine = list < nlist ? (lengths[list] + unit - 1) / unit * scale : 0;
        int scanned = warp_scan(mine);
        if (lane == WARP - 1) {
            sums[warp] = scanned;
        }
        __syncthreads();
        int warps = warp_scan(sums[lane]);
        int others = __shfl_sync(ALL_LANES, warps, max(warp - 1, 0));
        if (list < nlist) {
            starts[list] = before + (warp > 0 ? others : 0) + scanned - mine;
        }
        before += __shfl_sync(ALL_LANES, warps, WARP - 1);
        __syncthreads(); // everybody has read the sums
    }
    if (threadIdx.x == 0) {
        starts[nlist] = before;
    }
}

__global__ void order_kernel(const int *lists, const int *ranks, const int *starts, int n, int *order) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        order[starts[lists[i]] + ranks[i]] = i;
    }
}

/* A thread for each unit of each vector. */
template <class Number, enum layout LAYOUT>
__global__ void place_kernel(const float *x, int n, int d, int units, const int *lists, const int *ranks,
                             const int *starts, int first, uint4 *to, int *ids) {
    enum { LENGTH = unit_of<Number>::LENGTH };
    size_t at = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    int i = (int)(at / units), unit = (int)(at % units);
    if (i >= n) {
        return;
    }
    float v[LENGTH];
#pragma unroll
    for (int k = 0; k < LENGTH; k++) {
        int j = unit * LENGTH + k;
        v[k] = j < d ? x[(size_t)i * d + j] : 0.0f;
    }
    size_t slot = lists ? starts[lists[i]] + ranks[i] : first + i;
    to[LAYOUT == ROWS ? place_in_rows(slot, unit, units) : place_in_group(slot, unit, units)] = pack(v);
    if (ids && unit == 0) {
        ids[slot] = first + i;
    }
}

/* A block for each list. A list is one piece of memory in both layouts. */
__global__ void move_kernel(const uint4 *from, const int *from_ids, const int *from_starts, const int *lengths,
                            const int *to_starts, int units, uint4 *to, int *to_ids) {
    int list = blockIdx.x, slots = (lengths[list] + GROUP - 1) / GROUP * GROUP;
    size_t old_start = from_starts[list], new_start = to_starts[list];
    for (size_t i = threadIdx.x; i < (size_t)slots * units; i += blockDim.x) {
        to[new_start * units + i] = from[old_start * units + i];
    }
    for (int i = threadIdx.x; i < slots; i += blockDim.x) {
        to_ids[new_start + i] = from_ids[old_start + i];
    }
}

cudaError_t rank_in_lists(const int *lists, int n, int nlist, int *counts, int *lengths, int *ranks) {
    int tiles = (n + TILE - 1) / TILE;
    if (tiles > 0) {
        cudaMemsetAsync(counts, 0, (size_t)tiles * nlist * sizeof *counts);
        count_kernel<<<tiles, BLOCK>>>(lists, n, nlist, counts);
        column_kernel<<<blocks_for(nlist, BLOCK), BLOCK>>>(counts, tiles, nlist, lengths);
        rank_kernel<<<tiles, WARP>>>(lists, n, nlist, counts, ranks);
    }
    return cudaGetLastError();
}

cudaError_t starts_of(const int *lengths, int nlist, int unit, int scale, int *starts) {
    start_kernel<<<1, SCAN_BLOCK>>>(lengths, nlist, unit, scale, starts);
    return cudaGetLastError();
}

cudaError_t order_by_list(const int *lists, const int *ranks, const int *starts, int n, int *order) {
    if (n > 0) {
        order_kernel<<<blocks_for(n, BLOCK), BLOCK>>>(lists, ranks, starts, n, order);
    }
    return cudaGetLastError();
}

template <class Number, enum layout LAYOUT>
static void place(const float *x, int n, int d, const int *lists, const int *ranks, const int *starts, int first,
                  struct vectors to, int *ids) {
    int units = to.padded / unit_of<Number>::LENGTH;
    place_kernel<Number, LAYOUT><<<blocks_for((size_t)n * units, BLOCK), BLOCK>>>(x, n, d, units, lists, ranks, starts,
                                                                                  first, (uint4 *)to.data, ids);
}

cudaError_t place_vectors(const float *x, int n, int d, const int *lists, const int *ranks, const int *starts,
                          int first, struct vectors to, int *ids) {
    if (n == 0) {
        return cudaSuccess;
    }
    if (to.precision == SINGLE) {
        (to.layout == ROWS ? place<float, ROWS> : place<float, GROUPS>)(x, n, d, lists, ranks, starts, first, to, ids);
    } else {
        (to.layout == ROWS ? place<__half, ROWS> : place<__half, GROUPS>)(x, n, d, lists, ranks, starts, first, to,
                                                                          ids);
    }
    return cudaGetLastError();
}

cudaError_t move_lists(struct vectors from, const int *from_ids, const int *from_starts, const int *lengths, int nlist,
                       const int *to_starts, struct vectors to, int *to_ids) {
    int units = to.padded / (to.precision == SINGLE ? 4 : 8);
    move_kernel<<<nlist, BLOCK>>>((const uint4 *)from.data, from_ids, from_starts, lengths, to_starts, units,
                                  (uint4 *)to.data, to_ids);
    return cudaGetLastError();
}
