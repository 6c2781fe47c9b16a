/* search.cu - five versions of the search. Each computes a distance in the same order of additions, so all of them find the same bits. */
#include "kernels.h"
#include "select.cuh"
#include "vectors.cuh"

enum { BLOCK = 256, WARPS = 4 }; // warps of a block that scans a list

static unsigned blocks_for(size_t n, int block) {
    return (unsigned)((n + block - 1) / block);
}

__device__ float add_square(float v, float q, float sum) {
    return fmaf(v - q, v - q, sum);
}

// ---------------------------------------------------------------- version 1: all distances in memory, then sorted

/* A thread for each vector, blockIdx.y is the query. room: the power of two that has n in it. */
template <class Number>
__global__ void all_kernel1(const Number *rows, int n, int padded, const float *queries, size_t room, key *keys) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    const float *query = queries + (size_t)blockIdx.y * padded;
    if (i >= room) {
        return;
    }
    float sum = 0.0f;
    for (int j = 0; i < n && j < padded; j++) {
        sum = add_square(to_float(rows[i * padded + j]), query[j], sum);
    }
    keys[blockIdx.y * room + i] = i < n ? key_of(sum, (int)i) : NOTHING;
}

/* A step of a bitonic network, in memory. A thread for each pair. */
__global__ void sort_kernel1(key *keys, size_t room, size_t size, size_t step) {
    size_t t = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= room / 2) {
        return;
    }
    size_t low = t / step * 2 * step + t % step;
    key *row = keys + blockIdx.y * room, a = row[low], b = row[low + step];
    bool up = (low & size) == 0;
    row[low] = up ? smaller(a, b) : larger(a, b);
    row[low + step] = up ? larger(a, b) : smaller(a, b);
}

__device__ void write_result(key found, float *distance, int *id) {
    *distance = found == NOTHING ? INFINITY : __uint_as_float((unsigned)(found >> 32));
    *id = found == NOTHING ? -1 : (int)found;
}

__global__ void take_kernel1(const key *keys, size_t room, int k, float *distances, int *ids) {
    for (int r = threadIdx.x; r < k; r += blockDim.x) {
        size_t at = (size_t)blockIdx.x * k + r;
        write_result(r < room ? keys[blockIdx.x * room + r] : NOTHING, &distances[at], &ids[at]);
    }
}

static size_t room_for(int n) {
    size_t room = 1;
    while (room < (size_t)n) {
        room *= 2;
    }
    return room;
}

size_t keys_of_1(int n, int queries) {
    return room_for(n) * queries;
}

cudaError_t search_all_1(struct vectors vectors, int n, struct queries queries, int k, key_word *keys, float *distances,
                         int *ids) {
    size_t room = room_for(n);
    dim3 grid(blocks_for(room, BLOCK), queries.count), pairs(blocks_for((room + 1) / 2, BLOCK), queries.count);
    if (vectors.precision == SINGLE) {
        all_kernel1<<<grid, BLOCK>>>((const float *)vectors.data, n, vectors.padded, queries.data, room, keys);
    } else {
        all_kernel1<<<grid, BLOCK>>>((const __half *)vectors.data, n, vectors.padded, queries.data, room, keys);
    }
    for (size_t size = 2; size <= room; size *= 2) {
        for (size_t step = size / 2; step > 0; step /= 2) {
            sort_kernel1<<<pairs, BLOCK>>>(keys, room, size, step);
        }
    }
    take_kernel1<<<queries.count, WARP>>>(keys, room, k, distances, ids);
    return cudaGetLastError();
}

// ---------------------------------------------------------------- version 2: tiles, and the best in registers

enum {
    QUERIES = 32,
    EACH = 4,
    STEP = 32
}; // a block has 32 queries, a warp 4 of them, and 32 numbers of each at a time

/* Partial results, `parts` of k keys for each query, become one. A warp for each query. */
template <int SLOTS>
__global__ void merge_kernel(const key *keys, int queries, int parts, int k, float *distances, int *ids) {
    int q = blockIdx.x * (blockDim.x / WARP) + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (q >= queries) {
        return;
    }
    struct best<SLOTS> best;
    best.clear();
    best.offer_all(keys + (size_t)q * parts * k, parts * k, k);
    best.flush(k);
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        int rank = s * WARP + lane;
        if (rank < k) {
            write_result(best.kept[s], &distances[(size_t)q * k + rank], &ids[(size_t)q * k + rank]);
        }
    }
}

struct tiles {
    float vectors[STEP][WARP + 1];
    float queries[QUERIES][STEP];
};

/* 32 vectors and 32 queries, numbers from + 0 to from + 31. What is outside counts as 0. */
template <class Number>
__device__ void load_tiles(struct tiles &tiles, const Number *rows, int first, int end, const float *queries,
                           int first_query, int query_count, int from, int padded) {
    for (int t = threadIdx.x; t < WARP * STEP; t += BLOCK) {
        int row = t / STEP, j = t % STEP, q = first_query + row;
        bool inside = from + j < padded;
        tiles.vectors[j][row] =
            inside && first + row < end ? to_float(rows[(size_t)(first + row) * padded + from + j]) : 0.0f;
        tiles.queries[row][j] = inside && q < query_count ? queries[(size_t)q * padded + from + j] : 0.0f;
    }
}

/* blockIdx.x: 32 queries; blockIdx.y: a part of the vectors, `part` of them. A lane has a vector, a warp 4 queries. */
template <class Number, int SLOTS>
__global__ void all_kernel2(const Number *rows, int n, int padded, struct queries queries, int part, int k, key *keys) {
    __shared__ struct tiles tiles;
    int lane = threadIdx.x % WARP, own = threadIdx.x / WARP * EACH, first_query = blockIdx.x * QUERIES;
    int begin = blockIdx.y * part, end = min(begin + part, n);
    struct best<SLOTS> best[EACH];
    for (int e = 0; e < EACH; e++) {
        best[e].clear();
    }
    for (int first = begin; first < end; first += WARP) {
        float sums[EACH] = {};
        for (int from = 0; from < padded; from += STEP) {
            load_tiles(tiles, rows, first, end, queries.data, first_query, queries.count, from, padded);
            __syncthreads();
            for (int j = 0; j < STEP; j++) {
                float v = tiles.vectors[j][lane];
#pragma unroll
                for (int e = 0; e < EACH; e++) {
                    sums[e] = add_square(v, tiles.queries[own + e][j], sums[e]);
                }
            }
            __syncthreads();
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            best[e].offer(first + lane < end ? key_of(sums[e], first + lane) : NOTHING, k);
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int q = first_query + own + e;
        if (q < queries.count) {
            best[e].flush(k);
            best[e].store(keys + ((size_t)q * gridDim.y + blockIdx.y) * k, k);
        }
    }
}

/* So many parts that about a thousand blocks run, and none shorter than 1024 vectors. */
static int parts_of(int n, int queries) {
    int wanted = 1024 / (int)blocks_for(queries, QUERIES), most = (n + 1023) / 1024;
    int parts = wanted < most ? wanted : most;
    return parts > 0 ? parts : 1;
}

size_t keys_of_2(int n, int queries, int k) {
    return (size_t)parts_of(n, queries) * queries * k;
}

template <class Number, int SLOTS>
static void scan_all(struct vectors vectors, int n, struct queries queries, int k, int parts, key *keys) {
    int part = (n + parts - 1) / parts;
    part = (part + WARP - 1) / WARP * WARP;
    dim3 grid(blocks_for(queries.count, QUERIES), parts);
    all_kernel2<Number, SLOTS>
        <<<grid, BLOCK>>>((const Number *)vectors.data, n, vectors.padded, queries, part > 0 ? part : WARP, k, keys);
}

static void merge_parts(const key *keys, int queries, int parts, int k, float *distances, int *ids) {
    auto kernel = k <= WARP ? merge_kernel<1> : merge_kernel<MOST / WARP>;
    kernel<<<blocks_for(queries, WARPS), WARPS * WARP>>>(keys, queries, parts, k, distances, ids);
}

cudaError_t search_all_2(struct vectors vectors, int n, struct queries queries, int k, key_word *keys, float *distances,
                         int *ids) {
    int parts = parts_of(n, queries.count);
    if (vectors.precision == SINGLE) {
        (k <= WARP ? scan_all<float, 1> : scan_all<float, MOST / WARP>)(vectors, n, queries, k, parts, keys);
    } else {
        (k <= WARP ? scan_all<__half, 1> : scan_all<__half, MOST / WARP>)(vectors, n, queries, k, parts, keys);
    }
    merge_parts(keys, queries.count, parts, k, distances, ids);
    return cudaGetLastError();
}

// ---------------------------------------------------------------- versions 3 and 4: a block for each query and list

/* The query of the block, in shared memory. */
__device__ void load_query(float *shared, const float *query, int padded) {
    for (int j = threadIdx.x; j < padded; j += blockDim.x) {
        shared[j] = query[j];
    }
}

/* What the block's warps have found becomes one result. All threads call it; room: 32 * SLOTS keys for each warp. */
template <int SLOTS> __device__ void merge_warps(struct best<SLOTS> &best, key *room, int k, key *to) {
    int warp = threadIdx.x / WARP;
    best.flush(k);
    best.store(room + warp * k, k);
    __syncthreads();
    if (warp == 0) {
        best.offer_all(room + k, (WARPS - 1) * k, k);
        best.flush(k);
        best.store(to, k);
    }
}

/* Version 3: rows, number by number. */
template <class Number> __device__ float distance3(const Number *rows, size_t slot, int padded, const float *query) {
    float sum = 0.0f;
    for (int j = 0; j < padded; j++) {
        sum = add_square(to_float(rows[slot * padded + j]), query[j], sum);
    }
    return sum;
}

/* Version 4: groups, 16 bytes of each vector at a time. */
template <class Number> __device__ float distance4(const uint4 *groups, size_t slot, int padded, const float *query) {
    enum { LENGTH = unit_of<Number>::LENGTH };
    float sum = 0.0f, v[LENGTH];
    for (int unit = 0, units = padded / LENGTH; unit < units; unit++) {
        unpack(groups[place_in_group(slot, unit, units)], v);
#pragma unroll
        for (int j = 0; j < LENGTH; j++) {
            sum = add_square(v[j], query[unit * LENGTH + j], sum);
        }
    }
    return sum;
}

/* blockIdx.y: the query, blockIdx.x: which of its probes. Behind a list's end are slots too, up to a multiple of 32: no lane reads outside. */
template <int VERSION, class Number, int SLOTS>
__global__ void scan_kernel(struct lists lists, struct queries queries, const int *probes, int k, key *keys) {
    extern __shared__ float query[];
    __shared__ key room[WARPS * SLOTS * WARP];
    size_t pair = (size_t)blockIdx.y * gridDim.x + blockIdx.x;
    int list = probes[pair], start = lists.starts[list], length = lists.lengths[list], lane = threadIdx.x % WARP;
    load_query(query, queries.data + (size_t)blockIdx.y * queries.padded, queries.padded);
    __syncthreads();
    struct best<SLOTS> best;
    best.clear();
    for (int first = threadIdx.x - lane; first < length; first += WARPS * WARP) {
        int slot = start + first + lane;
        float distance;
        if (VERSION == 3) {
            distance = distance3((const Number *)lists.vectors.data, slot, queries.padded, query);
        } else {
            distance = distance4<Number>((const uint4 *)lists.vectors.data, slot, queries.padded, query);
        }
        best.offer(first + lane < length ? key_of(distance, lists.ids[slot]) : NOTHING, k);
    }
    merge_warps(best, room, k, keys + pair * k);
}

template <int VERSION, class Number, int SLOTS>
static void scan(struct lists lists, struct queries queries, const int *probes, int nprobe, int k, key *keys) {
    dim3 grid(nprobe, queries.count);
    scan_kernel<VERSION, Number, SLOTS>
        <<<grid, WARPS * WARP, queries.padded * sizeof(float)>>>(lists, queries, probes, k, keys);
}

template <int VERSION, class Number>
static void scan_for(struct lists lists, struct queries queries, const int *probes, int nprobe, int k, key *keys) {
    (k <= WARP ? scan<VERSION, Number, 1> : scan<VERSION, Number, MOST / WARP>)(lists, queries, probes, nprobe, k,
                                                                                keys);
}

cudaError_t search_lists(int version, struct lists lists, struct queries queries, const int *probes, int nprobe, int k,
                         key_word *keys, float *distances, int *ids) {
    if (lists.vectors.precision == SINGLE) {
        (version == 3 ? scan_for<3, float> : scan_for<4, float>)(lists, queries, probes, nprobe, k, keys);
    } else {
        (version == 3 ? scan_for<3, __half> : scan_for<4, __half>)(lists, queries, probes, nprobe, k, keys);
    }
    merge_parts(keys, queries.count, nprobe, k, distances, ids);
    return cudaGetLastError();
}

// ---------------------------------------------------------------- version 5: a block for each list and four of its queries

/* The list that batch b belongs to: the last one with batch_starts[list] <= b. */
__device__ int list_of_batch(const int *batch_starts, int count, int b) {
    int low = 0, high = count;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (batch_starts[middle] <= b) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Four sums at once: what is read of a vector is used four times. */
template <class Number>
__device__ void distances5(const uint4 *groups, size_t slot, int padded, const float *query, float (&sums)[BATCH]) {
    enum { LENGTH = unit_of<Number>::LENGTH };
    float v[LENGTH];
    for (int unit = 0, units = padded / LENGTH; unit < units; unit++) {
        unpack(groups[place_in_group(slot, unit, units)], v);
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
#pragma unroll
            for (int j = 0; j < LENGTH; j++) {
                sums[b] = add_square(v[j], query[b * padded + unit * LENGTH + j], sums[b]);
            }
        }
    }
}

/* The warps' results for the batch's queries: warp w merges those of query w. */
template <int SLOTS>
__device__ void merge_batch(struct best<SLOTS> (&best)[BATCH], key *room, const int *pairs, int count, int k,
                            key *keys) {
    int warp = threadIdx.x / WARP;
#pragma unroll
    for (int b = 0; b < BATCH; b++) {
        best[b].flush(k);
        best[b].store(room + (b * WARPS + warp) * k, k);
    }
    __syncthreads();
    if (warp < count) {
        best[0].clear();
        best[0].offer_all(room + warp * WARPS * k, WARPS * k, k);
        best[0].flush(k);
        best[0].store(keys + (size_t)pairs[warp] * k, k);
    }
}

/* A block for each batch; the grid has more blocks than there are batches. */
template <class Number, int SLOTS>
__global__ void scan_kernel5(struct lists lists, struct queries queries, const int *order, const int *pair_starts,
                             const int *batch_starts, int nprobe, int k, key *keys) {
    extern __shared__ float query[];
    __shared__ key room[BATCH * WARPS * SLOTS * WARP];
    if ((int)blockIdx.x >= batch_starts[lists.count]) {
        return;
    }
    int list = list_of_batch(batch_starts, lists.count, blockIdx.x), lane = threadIdx.x % WARP;
    int first_pair = pair_starts[list] + (blockIdx.x - batch_starts[list]) * BATCH;
    const int *pairs = order + first_pair;
    int count = min(BATCH, pair_starts[list + 1] - first_pair);
    for (int b = 0; b < BATCH; b++) { // in place of a missing query the batch's first one is computed again
        int q = pairs[b < count ? b : 0] / nprobe;
        load_query(query + b * queries.padded, queries.data + (size_t)q * queries.padded, queries.padded);
    }
    __syncthreads();
    struct best<SLOTS> best[BATCH];
#pragma unroll
    for (int b = 0; b < BATCH; b++) {
        best[b].clear();
    }
    for (int first = threadIdx.x - lane, length = lists.lengths[list]; first < length; first += WARPS * WARP) {
        int slot = lists.starts[list] + first + lane, id = first + lane < length ? lists.ids[slot] : -1;
        float sums[BATCH] = {};
        distances5<Number>((const uint4 *)lists.vectors.data, slot, queries.padded, query, sums);
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            best[b].offer(id >= 0 ? key_of(sums[b], id) : NOTHING, k);
        }
    }
    merge_batch(best, room, pairs, count, k, keys);
}

template <class Number, int SLOTS>
static void scan5(struct lists lists, struct queries queries, const int *order, const int *pair_starts,
                  const int *batch_starts, int nprobe, int k, key *keys) {
    size_t pairs = (size_t)queries.count * nprobe, blocks = pairs / BATCH + lists.count;
    unsigned grid = (unsigned)(blocks < pairs ? blocks : pairs);
    size_t shared = BATCH * queries.padded * sizeof(float);
    scan_kernel5<Number, SLOTS>
        <<<grid, WARPS * WARP, shared>>>(lists, queries, order, pair_starts, batch_starts, nprobe, k, keys);
}

cudaError_t search_batches(struct lists lists, struct queries queries, const int *order, const int *pair_starts,
                           const int *batch_starts, int nprobe, int k, key_word *keys, float *distances, int *ids) {
    auto scan = lists.vectors.precision == SINGLE ? (k <= WARP ? scan5<float, 1> : scan5<float, MOST / WARP>)
                                                  : (k <= WARP ? scan5<__half, 1> : scan5<__half, MOST / WARP>);
    scan(lists, queries, order, pair_starts, batch_starts, nprobe, k, keys);
    merge_parts(keys, queries.count, nprobe, k, distances, ids);
    return cudaGetLastError();
}
