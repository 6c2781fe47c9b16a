// Graphs: breadth-first search with a queue per level that warps append to together, the same by edges, Floyd-Warshall in
// tiles, Bellman-Ford with atomicMin, connected components by pointer jumping, PageRank in fixed point, and triangles.
// findings: warning race
#include "program.h"
#include <algorithm>
#include <vector>

enum { NODES = 601, TOWNS = 77, T = 16, FAR = 1 << 28 };

// One append per warp: the lanes that have something agree on a leader.
__device__ int place_in(int *length) {
    unsigned mask = __activemask();
    int leader = __ffs(mask) - 1, rank = __popc(mask & ((1u << threadIdx.x % 32) - 1)), base = 0;
    if ((int)threadIdx.x % 32 == leader)
        base = atomicAdd(length, __popc(mask));
    return __shfl_sync(mask, base, leader) + rank;
}
__global__ void one_level(const int *begin, const int *to, int *distance, const int *queue, int count, int *next,
                          int *next_count, int level) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    int node = queue[i];
    for (int e = begin[node]; e < begin[node + 1]; e++)
        if (atomicCAS(&distance[to[e]], -1, level) == -1)
            next[place_in(next_count)] = to[e];
}
__global__ void by_edges(const int *from, const int *to, int edges, int *distance, int level, int *again) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e < edges && distance[from[e]] == level - 1 && atomicCAS(&distance[to[e]], -1, level) == -1)
        *again = 1;
}

// Floyd-Warshall by tiles: the one on the diagonal, then its row and column, then the rest.
__device__ void relax(int (*c)[T], int (*a)[T], int (*b)[T], bool wait) {
    for (int k = 0; k < T; k++) {
        int way = a[threadIdx.y][k] + b[k][threadIdx.x];
        if (way < c[threadIdx.y][threadIdx.x]) // what others read in this step gets no shorter, and is not written
            c[threadIdx.y][threadIdx.x] = way;
        if (wait)
            __syncthreads();
    }
}
__global__ void floyd(int *d, int n, int round, int phase) {
    __shared__ int c[T][T], a[T][T], b[T][T];
    int bx = blockIdx.x, by = blockIdx.y, x = threadIdx.x, y = threadIdx.y;
    if (phase == 0)
        bx = by = round;
    else if (phase == 1 && by == 0)
        by = round;
    else if (phase == 1) {
        by = bx;
        bx = round;
    }
    if (phase > 0 && (phase == 1 ? bx == round && by == round : bx == round || by == round))
        return;
    c[y][x] = d[(by * T + y) * n + bx * T + x];
    a[y][x] = d[(by * T + y) * n + round * T + x];
    b[y][x] = d[(round * T + y) * n + bx * T + x];
    __syncthreads();
    if (phase == 0)
        relax(c, c, c, true);
    else if (phase == 1 && by == round)
        relax(c, a, c, true);
    else if (phase == 1)
        relax(c, c, b, true);
    else
        relax(c, a, b, false);
    d[(by * T + y) * n + bx * T + x] = c[y][x];
}

__global__ void bellman_ford(const int *from, const int *to, const int *length, int edges, int *distance, int *again) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    int way = ((volatile int *)distance)[from[e]] + length[e];
    if (way < atomicMin(&distance[to[e]], way))
        *again = 1;
}

__device__ int find(volatile int *parent, int i) {
    while (parent[i] != i)
        i = parent[i];
    return i;
}
__global__ void hook(const int *from, const int *to, int edges, int *parent) {
    int e = blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= edges)
        return;
    for (;;) {
        int a = find(parent, from[e]), b = find(parent, to[e]);
        if (a == b || atomicCAS(&parent[max(a, b)], max(a, b), min(a, b)) == max(a, b))
            return;
    }
}
__global__ void flatten(int *parent, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        ((volatile int *)parent)[i] = find(parent, i);
}

// Ranks are whole numbers in units of 2^-32, given on in equal parts.
__global__ void page_rank(const int *begin, const int *to, const unsigned long long *rank, unsigned long long *next,
                          int n) {
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (warp >= n)
        return;
    int degree = begin[warp + 1] - begin[warp];
    for (int e = begin[warp] + lane; e < begin[warp + 1]; e += 32)
        atomicAdd(&next[to[e]], rank[warp] * 27 / 32 / degree);
    if (lane == 0)
        atomicAdd(&next[warp], (1ull << 32) * 5 / 32);
}

__global__ void triangles(const unsigned *rows, int n, int words, unsigned *total) {
    unsigned count = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n * n; i += gridDim.x * blockDim.x) {
        int a = i / n, b = i % n;
        if (a < b && rows[a * words + b / 32] >> b % 32 & 1)
            for (int w = 0; w < words; w++)
                count += __popc(rows[a * words + w] & rows[b * words + w]);
    }
    for (int d = 16; d; d /= 2)
        count += __shfl_xor_sync(~0u, count, d);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, count);
}

static std::vector<int> from, to, length, begin_of;
static uint32_t seed = 55;

// Nodes in groups without an edge between them; every edge in both directions, sorted by its origin.
static void make_graph() {
    std::vector<std::pair<int, int>> pairs;
    for (int i = 0; i < 900; i++) {
        int a = next_random(&seed) % NODES, b = (a + 1 + next_random(&seed) % 40) % NODES;
        b = b - (b % 3) + a % 3;
        if (b < NODES && a != b) {
            pairs.push_back({a, b});
            pairs.push_back({b, a});
        }
    }
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    begin_of.assign(NODES + 1, 0);
    for (auto p : pairs) {
        from.push_back(p.first);
        to.push_back(p.second);
        length.push_back(1 + (p.first * 7 + p.second * 7) % 23);
        begin_of[p.first + 1]++;
    }
    for (int i = 0; i < NODES; i++)
        begin_of[i + 1] += begin_of[i];
}

int main() {
    make_graph();
    int edges = (int)from.size(), *d_begin = to_device(begin_of.data(), NODES + 1), *d_from, *d_to, *d_length;
    d_from = to_device(from.data(), edges), d_to = to_device(to.data(), edges);
    d_length = to_device(length.data(), edges);
    show("edges", edges);

    std::vector<int> distance(NODES, -1), found(NODES), queue(1, 0);
    distance[0] = 0;
    for (size_t head = 0; head < queue.size(); head++)
        for (int e = begin_of[queue[head]]; e < begin_of[queue[head] + 1]; e++)
            if (distance[to[e]] < 0) {
                distance[to[e]] = distance[queue[head]] + 1;
                queue.push_back(to[e]);
            }
    int *d_distance = device_zeros<int>(NODES), *now = device_zeros<int>(NODES), *next = device_zeros<int>(NODES);
    int *count = device_zeros<int>(1), size = 1, level = 0;
    CUDA(cudaMemset(d_distance, 0xff, NODES * sizeof(int)));
    CUDA(cudaMemset(d_distance, 0, sizeof(int)));
    while (size > 0) {
        CUDA(cudaMemset(count, 0, sizeof(int)));
        one_level<<<(size + 63) / 64, 64>>>(d_begin, d_to, d_distance, now, size, next, count, ++level);
        FINISH();
        from_device(&size, count, 1);
        std::swap(now, next);
    }
    from_device(found.data(), d_distance, NODES);
    check_equal("breadth first, a queue", distance.data(), found.data(), NODES);
    show("levels", level - 1);
    show("reached", (long long)queue.size());
    CUDA(cudaMemset(d_distance, 0xff, NODES * sizeof(int)));
    CUDA(cudaMemset(d_distance, 0, sizeof(int)));
    for (int again = 1, l = 1; again; l++) {
        CUDA(cudaMemset(count, 0, sizeof(int)));
        by_edges<<<(edges + 95) / 96, 96>>>(d_from, d_to, edges, d_distance, l, count);
        FINISH();
        from_device(&again, count, 1);
    }
    from_device(found.data(), d_distance, NODES);
    check_equal("breadth first, all edges", distance.data(), found.data(), NODES);

    std::vector<int> ways(NODES, FAR);
    ways[0] = 0;
    int *d_ways = to_device(ways.data(), NODES);
    for (int again = 1; again;) {
        again = 0;
        for (int e = 0; e < edges; e++)
            if (ways[from[e]] + length[e] < ways[to[e]]) {
                ways[to[e]] = ways[from[e]] + length[e];
                again = 1;
            }
    }
    for (int again = 1; again;) {
        CUDA(cudaMemset(count, 0, sizeof(int)));
        bellman_ford<<<(edges + 127) / 128, 128>>>(d_from, d_to, d_length, edges, d_ways, count);
        FINISH();
        from_device(&again, count, 1);
    }
    from_device(found.data(), d_ways, NODES);
    check_equal("Bellman-Ford", ways.data(), found.data(), NODES);
    show_bits("ways", found.data(), NODES);

    std::vector<int> parent(NODES);
    for (int i = 0; i < NODES; i++)
        parent[i] = i;
    int *d_parent = to_device(parent.data(), NODES);
    hook<<<(edges + 63) / 64, 64>>>(d_from, d_to, edges, d_parent);
    flatten<<<(NODES + 63) / 64, 64>>>(d_parent, NODES);
    FINISH();
    for (int again = 1; again;) {
        again = 0;
        for (int e = 0; e < edges; e++)
            if (parent[from[e]] < parent[to[e]]) {
                parent[to[e]] = parent[from[e]];
                again = 1;
            }
    }
    from_device(found.data(), d_parent, NODES);
    check_equal("connected components", parent.data(), found.data(), NODES);
    int components = 0;
    for (int i = 0; i < NODES; i++)
        components += found[i] == i;
    show("components", components);

    std::vector<unsigned long long> rank(NODES, 1ull << 32), next_rank, got(NODES);
    unsigned long long *d_rank = to_device(rank.data(), NODES), *d_next = device_zeros<unsigned long long>(NODES);
    for (int r = 0; r < 5; r++) {
        next_rank.assign(NODES, (1ull << 32) * 5 / 32);
        for (int e = 0; e < edges; e++)
            next_rank[to[e]] += rank[from[e]] * 27 / 32 / (begin_of[from[e] + 1] - begin_of[from[e]]);
        rank.swap(next_rank);
        CUDA(cudaMemset(d_next, 0, NODES * sizeof *d_next));
        page_rank<<<(NODES * 32 + 127) / 128, 128>>>(d_begin, d_to, d_rank, d_next, NODES);
        std::swap(d_rank, d_next);
    }
    FINISH();
    from_device(got.data(), d_rank, NODES);
    check_equal("PageRank", rank.data(), got.data(), NODES);
    show_bits("ranks", got.data(), NODES);

    const int n = (TOWNS + T - 1) / T * T, words = (TOWNS + 31) / 32, tiles = n / T;
    std::vector<int> d(n * n, FAR), found_d(n * n);
    std::vector<unsigned> rows(TOWNS * words);
    for (int a = 0; a < TOWNS; a++)
        for (int b = 0; b <= a; b++)
            if (a == b)
                d[a * n + b] = 0;
            else if (next_random(&seed) % 8 == 0) {
                d[a * n + b] = 1 + next_random(&seed) % 50;
                d[b * n + a] = 1 + next_random(&seed) % 50;
                rows[a * words + b / 32] |= 1u << b % 32;
                rows[b * words + a / 32] |= 1u << a % 32;
            }
    int *d_d = to_device(d.data(), n * n);
    for (int r = 0; r < tiles; r++) {
        floyd<<<1, dim3(T, T)>>>(d_d, n, r, 0);
        floyd<<<dim3(tiles, 2), dim3(T, T)>>>(d_d, n, r, 1);
        floyd<<<dim3(tiles, tiles), dim3(T, T)>>>(d_d, n, r, 2);
    }
    FINISH();
    std::vector<int> road = d;
    for (int k = 0; k < n; k++)
        for (int a = 0; a < n; a++)
            for (int b = 0; b < n; b++)
                d[a * n + b] = std::min(d[a * n + b], d[a * n + k] + d[k * n + b]);
    from_device(found_d.data(), d_d, n * n);
    check_equal("Floyd-Warshall", d.data(), found_d.data(), n * n);
    show_bits("all ways", found_d.data(), n * n);

    unsigned expected = 0, counted, *total = device_zeros<unsigned>(1);
    for (int a = 0; a < TOWNS; a++)
        for (int b = a + 1; b < TOWNS; b++)
            for (int c = 0; c < TOWNS; c++)
                expected += road[a * n + b] < FAR && c != a && c != b && road[a * n + c] < FAR && road[b * n + c] < FAR;
    triangles<<<3, 96>>>(to_device(rows.data(), rows.size()), TOWNS, words, total);
    FINISH();
    from_device(&counted, total, 1);
    check_equal("triangles", &expected, &counted, 1);
    show("triangles", counted / 3);
    return program_failures;
}
