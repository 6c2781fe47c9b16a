// Compaction and grouping: by ballots and a scan of warps, in order and not; atomics that a warp adds up first, per key by
// match_any; partition of a block in two; runs found by their edges; a queue of work that grows while it is done.
#include "program.h"
#include <algorithm>
#include <vector>

enum { BLOCK = 128, KEYS = 23 };

__device__ bool wanted(int x) {
    return x % 3 == 0 || (x & 0x100);
}

// In order: how many each block keeps, where each begins, then the copy.
__global__ void count_wanted(const int *x, int n, int *counts) {
    int i = blockIdx.x * BLOCK + threadIdx.x, count = __syncthreads_count(i < n && wanted(x[i]));
    if (threadIdx.x == 0)
        counts[blockIdx.x] = count;
}
__global__ void begin_of(int *counts, int blocks) {
    __shared__ int s[BLOCK];
    int t = threadIdx.x, mine = t < blocks ? counts[t] : 0;
    s[t] = mine;
    for (int d = 1; d < BLOCK; d *= 2) {
        __syncthreads();
        int other = t >= d ? s[t - d] : 0;
        __syncthreads();
        s[t] += other;
    }
    if (t <= blocks)
        counts[t] = s[t] - mine;
}
__global__ void keep(const int *x, int n, const int *begin, int *out) {
    __shared__ int warps[BLOCK / 32];
    int i = blockIdx.x * BLOCK + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    bool take = i < n && wanted(x[i]);
    unsigned votes = __ballot_sync(~0u, take);
    if (lane == 0)
        warps[warp] = __popc(votes);
    __syncthreads();
    int before = begin[blockIdx.x];
    for (int w = 0; w < warp; w++)
        before += warps[w];
    if (take)
        out[before + __popc(votes & ((1u << lane) - 1))] = x[i];
}

// In any order: one atomic per warp.
__global__ void keep_anyhow(const int *x, int n, int *count, int *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || !wanted(x[i]))
        return;
    unsigned mask = __activemask(), below;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    int leader = __ffs(mask) - 1, base = 0;
    if (__popc(mask & below) == 0)
        base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(mask, base, leader);
    out[base + __popc(mask & below)] = x[i];
}

// Sums per key: the lanes with the same key add up, the lowest of them goes to memory.
__global__ void sum_per_key(const int *keys, const int *values, int n, int *sums, int *counts) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned active = __ballot_sync(~0u, i < n);
    if (i >= n)
        return;
    unsigned same = __match_any_sync(active, keys[i]);
    int leader = __ffs(same) - 1, sum = 0;
    for (unsigned left = same; left; left &= left - 1)
        sum += __shfl_sync(same, values[i], __ffs(left) - 1);
    if ((int)threadIdx.x % 32 == leader) {
        atomicAdd(&sums[keys[i]], sum);
        atomicAdd(&counts[keys[i]], __popc(same));
    }
    int all;
    if (__match_all_sync(same, keys[i], &all) != same || !all)
        atomicAdd(&sums[0], 1 << 30);
}

__global__ void split(int *x, int n) { // even numbers first; a block, in order
    __shared__ int evens, buffer[512];
    int even = 0, odd = 0, t = threadIdx.x;
    for (int i = 0; i < n; i += blockDim.x) { // each thread looks at all before its own, a slow scan
        int mine = i + t;
        if (mine < n) {
            even = odd = 0;
            for (int k = 0; k < mine; k++)
                x[k] & 1 ? odd++ : even++;
            if (mine == n - 1)
                evens = even + !(x[mine] & 1);
        }
        __syncthreads();
        if (mine < n)
            buffer[x[mine] & 1 ? 256 + odd : even] = x[mine];
    }
    __syncthreads();
    for (int i = t; i < n; i += blockDim.x)
        x[i] = i < evens ? buffer[i] : buffer[256 + i - evens];
}

// Runs: an element that differs from the one before it begins one.
__global__ void runs(const int *x, int n, int *starts, int *count) {
    __shared__ int warps[BLOCK / 32];
    int carry = 0; // one block goes over everything
    for (int start = 0; start < n; start += blockDim.x) {
        int i = start + threadIdx.x, lane = threadIdx.x % 32;
        bool edge = i < n && (i == 0 || x[i] != x[i - 1]);
        unsigned votes = __ballot_sync(~0u, edge);
        if (lane == 0)
            warps[threadIdx.x / 32] = __popc(votes);
        __syncthreads();
        int before = carry;
        for (int w = 0; w < BLOCK / 32; w++) {
            if (w < threadIdx.x / 32)
                before += warps[w];
            carry += warps[w];
        }
        if (edge)
            starts[before + __popc(votes & ((1u << lane) - 1))] = i;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *count = carry;
}

// Collatz numbers: a number that is not done goes back to the end of the queue.
__global__ void work_queue(int *queue, int *steps, int capacity, unsigned *head, unsigned *tail, int *pending) {
    while (*(volatile int *)pending > 0) {
        unsigned at = *(volatile unsigned *)head;
        if (at == *(volatile unsigned *)tail || atomicCAS(head, at, at + 1) != at)
            continue;
        volatile int *slot = &queue[at % capacity];
        int word;
        while ((word = *slot) == 0)
            ;
        *slot = 0;
        __threadfence();
        int id = word >> 20, value = word & 0xfffff;
        for (int s = 0; s < 5 && value != 1; s++) {
            value = value & 1 ? 3 * value + 1 : value / 2;
            atomicAdd(&steps[id], 1);
        }
        if (value == 1)
            atomicSub(pending, 1);
        else {
            unsigned place = atomicAdd(tail, 1);
            while (atomicCAS(&queue[place % capacity], 0, id << 20 | value) != 0)
                ;
        }
    }
}

int main() {
    const int n = 10007, blocks = (n + BLOCK - 1) / BLOCK;
    static int x[n], keys[n], out[n];
    std::vector<int> kept;
    uint32_t seed = 21;
    int sums[KEYS] = {0}, counts[KEYS] = {0}, found[KEYS], number;
    for (int i = 0; i < n; i++) {
        x[i] = next_random(&seed) % 5000;
        keys[i] = std::min(next_random(&seed) % KEYS, next_random(&seed) % KEYS);
        sums[keys[i]] += x[i];
        counts[keys[i]]++;
        if (x[i] % 3 == 0 || (x[i] & 0x100))
            kept.push_back(x[i]);
    }
    int *d_x = to_device(x, n), *d_keys = to_device(keys, n), *d_out = device_zeros<int>(n);
    int *begin = device_zeros<int>(BLOCK), *d_count = device_zeros<int>(1);
    count_wanted<<<blocks, BLOCK>>>(d_x, n, begin);
    begin_of<<<1, BLOCK>>>(begin, blocks);
    keep<<<blocks, BLOCK>>>(d_x, n, begin, d_out);
    FINISH();
    from_device(&number, begin + blocks, 1);
    from_device(out, d_out, number);
    check("number kept", number == (int)kept.size());
    check_equal("kept in order", kept.data(), out, kept.size());
    show("kept", number);

    keep_anyhow<<<(n + 95) / 96, 96>>>(d_x, n, d_count, d_out);
    FINISH();
    from_device(&number, d_count, 1);
    from_device(out, d_out, n);
    std::sort(kept.begin(), kept.end());
    std::sort(out, out + number);
    check("number kept by warps", number == (int)kept.size());
    check_equal("kept in any order", kept.data(), out, kept.size());

    int *d_sums = device_zeros<int>(KEYS), *d_counts = device_zeros<int>(KEYS);
    sum_per_key<<<blocks, BLOCK>>>(d_keys, d_x, n, d_sums, d_counts);
    FINISH();
    from_device(found, d_sums, KEYS);
    check_equal("sums per key", sums, found, KEYS);
    from_device(found, d_counts, KEYS);
    check_equal("counts per key", counts, found, KEYS);

    const int m = 211;
    int expected[m];
    memcpy(expected, x, sizeof expected);
    std::stable_partition(expected, expected + m, [](int v) { return v % 2 == 0; });
    int *d_part = to_device(x, m);
    split<<<1, 64>>>(d_part, m);
    FINISH();
    from_device(out, d_part, m);
    check_equal("even numbers first", expected, out, m);

    std::vector<int> starts;
    for (int i = 0; i < n; i++)
        keys[i] /= 6; // longer runs
    for (int i = 0; i < n; i++)
        if (i == 0 || keys[i] != keys[i - 1])
            starts.push_back(i);
    CUDA(cudaMemcpy(d_keys, keys, sizeof keys, cudaMemcpyHostToDevice));
    runs<<<1, BLOCK>>>(d_keys, n, d_out, d_count);
    FINISH();
    from_device(&number, d_count, 1);
    from_device(out, d_out, number);
    check("number of runs", number == (int)starts.size());
    check_equal("runs", starts.data(), out, starts.size());
    show_bits("starts", out, number);

    const int items = 100, capacity = 128;
    int queue[capacity] = {0}, steps[items] = {0}, steps_found[items], pending = items;
    unsigned ends[2] = {0, items};
    for (int i = 0; i < items; i++) {
        queue[i] = i << 20 | (i + 1);
        for (int v = i + 1; v != 1; v = v & 1 ? 3 * v + 1 : v / 2)
            steps[i]++;
    }
    unsigned *d_ends = to_device(ends, 2);
    int *d_steps = device_zeros<int>(items), *d_queue = to_device(queue, capacity), *d_pending = to_device(&pending, 1);
    work_queue<<<2, 32>>>(d_queue, d_steps, capacity, d_ends, d_ends + 1, d_pending);
    FINISH();
    from_device(steps_found, d_steps, items);
    check_equal("a queue of work", steps, steps_found, items);
    show_bits("steps", steps_found, items);
    return program_failures;
}
