/* kernels.cuh - every way to count bytes that the sweep of lesson 09 tries, as a template with its parameters.
 *
 * A kernel has two halves. The reader (read_and_count) says which thread loads which vectors of 16 bytes, and how many at
 * once. A way of counting (a struct below) says what becomes of a vector: its counters in shared memory are cleared, get
 * vectors, and at the end are added up into total[256].
 *
 *     Nothing      only reads: what no way of counting can beat
 *     Global       no shared memory: an atomicAdd on total for each byte
 *     Match        one histogram; of the lanes that have the same byte one adds for all (__match_any_sync)
 *     Warps        COPIES histograms, the warps of a block in turns
 *     Interleaved  COPIES histograms, the lanes in turns; the copies of a bin are neighbours: 32 copies, a bank for each lane
 *     Lanes        64 copies: the row of a bin is 256 bytes, so one __byte_perm makes a byte of the input an offset
 *     Bytes        a counter of 8 bits for each thread and bin, without atomics; past 255 a thread carries 256 into total[]
 *
 * OP: 0 atomicAdd of a constant 1; 1 of a number in a register. RUN: 0 byte by byte; 1 four equal bytes of a word at once;
 * 2 sixteen equal bytes at once; 3 both; 4 runs of equal bytes within a vector, each at once.
 */
#ifndef KERNELS_CUH
#define KERNELS_CUH

#include <stdint.h>

enum { BINS = 256 };

static __device__ __forceinline__ uint4 load(const uint4 *p, int how) {
    uint4 v;
    if (how == 0) {
        return *p;
    }
    if (how == 1) {
        return __ldcs(p);
    }
    if (how == 3) {
        asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
        return v;
    }
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p));
    return v;
}

static __device__ __forceinline__ unsigned byte_of(unsigned word, int k) {
    return (word >> (8 * k)) & 255u;
}

static __device__ __forceinline__ bool all_bytes_equal(unsigned word) {
    return word == __byte_perm(word, 0, 0x0000);
}

static __device__ __forceinline__ bool all_words_equal(uint4 v) {
    return ((v.x ^ v.y) | (v.x ^ v.z) | (v.x ^ v.w)) == 0;
}

/* The ways differ in bump(word, k): one more of byte k, and in add(value, n): n more of a value. */
template <class WAY, int RUN> static __device__ __forceinline__ void count_word(WAY &way, unsigned word) {
    if ((RUN == 1 || RUN == 3) && all_bytes_equal(word)) {
        way.add(word & 255u, 4);
        return;
    }
    way.word(word);
}

template <class WAY, int RUN> static __device__ __forceinline__ void count_vector(WAY &way, uint4 v) {
    if (RUN == 4) {
        unsigned words[4] = {v.x, v.y, v.z, v.w}, value = v.x & 255u, n = 0;
#pragma unroll
        for (int k = 0; k < 16; k++) {
            unsigned next = byte_of(words[k / 4], k % 4);
            if (next != value) {
                way.add(value, n);
                value = next;
                n = 0;
            }
            n++;
        }
        way.add(value, n);
        return;
    }
    if ((RUN == 2 || RUN == 3) && all_words_equal(v) && all_bytes_equal(v.x)) {
        way.add(v.x & 255u, 16);
        return;
    }
    count_word<WAY, RUN>(way, v.x);
    count_word<WAY, RUN>(way, v.y);
    count_word<WAY, RUN>(way, v.z);
    count_word<WAY, RUN>(way, v.w);
}

// ---------------------------------------------------------------- the ways

template <int THREADS> static __device__ __forceinline__ void clear(unsigned *x, int words) {
    uint4 *v = (uint4 *)x;
    for (int i = threadIdx.x; i < words / 4; i += THREADS) {
        v[i] = make_uint4(0, 0, 0, 0);
    }
}

template <int OP> static __device__ __forceinline__ void atomic_one(unsigned *p) {
    if (OP == 0) {
        atomicAdd(p, 1u);
    } else {
        unsigned one;
        asm volatile("mov.u32 %0, %1;" : "=r"(one) : "r"(blockDim.z));
        atomicAdd(p, one);
    }
}

template <int THREADS> struct Nothing {
    static constexpr int bytes = 16;
    static constexpr bool counts = false;
    unsigned *total;
    unsigned sum;
    __device__ Nothing(unsigned *, unsigned *total) : total(total), sum(0) {}
    __device__ void begin() {}
    __device__ __forceinline__ void word(unsigned w) { sum ^= w; }
    __device__ __forceinline__ void add(unsigned, unsigned) { sum++; }
    __device__ void finish() {
        if (sum == 0x12345678u) {
            total[0] = sum;
        }
    }
};

template <int THREADS> struct Global {
    static constexpr int bytes = 16;
    static constexpr bool counts = true;
    unsigned *total;
    __device__ Global(unsigned *, unsigned *total) : total(total) {}
    __device__ void begin() {}
    __device__ __forceinline__ void word(unsigned w) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            atomicAdd(&total[byte_of(w, k)], 1u);
        }
    }
    __device__ __forceinline__ void add(unsigned value, unsigned n) {
        atomicAdd(&total[value], n);
    }
    __device__ void finish() {}
};

template <int THREADS> struct Match {
    static constexpr int bytes = BINS * 4;
    static constexpr bool counts = true;
    unsigned *total, *all;
    __device__ Match(unsigned *memory, unsigned *total) : total(total), all(memory) {}
    __device__ void begin() { clear<THREADS>(all, BINS); }
    __device__ __forceinline__ void word(unsigned w) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            unsigned value = byte_of(w, k), same = __match_any_sync(__activemask(), value);
            if (__ffs(same) - 1 == threadIdx.x % 32) {
                atomicAdd(&all[value], __popc(same));
            }
        }
    }
    __device__ __forceinline__ void add(unsigned value, unsigned n) {
        atomicAdd(&all[value], n);
    }
    __device__ void finish() {
        for (int i = threadIdx.x; i < BINS; i += THREADS) {
            atomicAdd(&total[i], all[i]);
        }
    }
};

template <int THREADS, int COPIES, int OP> struct Warps {
    static constexpr int bytes = COPIES * BINS * 4;
    static constexpr bool counts = true;
    unsigned *total, *all, *mine;
    __device__ Warps(unsigned *memory, unsigned *total)
        : total(total), all(memory), mine(memory + threadIdx.x / 32 % COPIES * BINS) {}
    __device__ void begin() { clear<THREADS>(all, COPIES * BINS); }
    __device__ __forceinline__ void word(unsigned w) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            atomic_one<OP>(&mine[byte_of(w, k)]);
        }
    }
    __device__ __forceinline__ void add(unsigned value, unsigned n) {
        atomicAdd(&mine[value], n);
    }
    __device__ void finish() {
        for (int i = threadIdx.x; i < COPIES * BINS; i += THREADS) {
            atomicAdd(&total[i % BINS], all[i]);
        }
    }
};

/* COPIES words in a row. A row is summed up by 4 neighbouring threads, or by as many as there are copies. TOGETHER: these add up what they
 * have, so that the block makes one atomic for each bin. Bits of HOW: 1, each block begins with another bin; 2, zeros are not added. */
template <int THREADS, int COPIES, bool TOGETHER, int HOW>
static __device__ __forceinline__ void finish_rows(unsigned *all, unsigned *total) {
    constexpr int EACH = COPIES < 4 ? COPIES : 4;
    for (int i = threadIdx.x; i < BINS * EACH; i += THREADS) {
        int bin = i / EACH, q = i % EACH;
        if (HOW & 1) {
            bin = (bin + blockIdx.x * 8) % BINS;
        }
        unsigned sum = 0;
        for (int k = 0; k < COPIES / EACH; k++) {
            sum += all[bin * COPIES + q + EACH * ((k + bin) % (COPIES / EACH))];
        }
        if (TOGETHER) {
            for (int step = 1; step < EACH; step *= 2) {
                sum += __shfl_xor_sync(0xffffffffu, sum, step);
            }
        }
        if ((!TOGETHER || q == 0) && (!(HOW & 2) || sum)) {
            atomicAdd(&total[bin], sum);
        }
    }
}

template <int THREADS, int COPIES, int OP> struct Interleaved {
    static constexpr int bytes = COPIES * BINS * 4;
    static constexpr bool counts = true;
    unsigned *total, *all, *mine;
    __device__ Interleaved(unsigned *memory, unsigned *total)
        : total(total), all(memory), mine(memory + threadIdx.x % COPIES) {}
    __device__ void begin() { clear<THREADS>(all, COPIES * BINS); }
    __device__ __forceinline__ void word(unsigned w) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            atomic_one<OP>(&mine[byte_of(w, k) * COPIES]);
        }
    }
    __device__ __forceinline__ void add(unsigned value, unsigned n) {
        atomicAdd(&mine[value * COPIES], n);
    }
    __device__ void finish() {
        finish_rows<THREADS, COPIES, true, 0>(all, total);
    }
};

template <int THREADS, int OP, bool TOGETHER = false, int FINISH = 0> struct Lanes {
    static constexpr int bytes = 64 * BINS * 4;
    static constexpr bool counts = true;
    unsigned *total, *all, column;
    __device__ Lanes(unsigned *memory, unsigned *total) : total(total), all(memory), column(threadIdx.x % 64 * 4) {}
    __device__ void begin() { clear<THREADS>(all, 64 * BINS); }
    __device__ __forceinline__ void word(unsigned w) {
#pragma unroll
        for (int k = 0; k < 4; k++) { // the bytes of the offset, the last first: column, byte k, 0, 0
            unsigned offset = __byte_perm(w, column, 0x5504 | k << 4);
            atomic_one<OP>((unsigned *)((char *)all + offset));
        }
    }
    __device__ __forceinline__ void add(unsigned value, unsigned n) {
        atomicAdd((unsigned *)((char *)all + (value << 8 | column)), n);
    }
    __device__ void finish() {
        finish_rows<THREADS, 64, TOGETHER, FINISH>(all, total);
    }
};

/* 64 threads share 64 rows of 256 bytes: in row r the word of thread t has its counters of the values 4r .. 4r + 3. A lane
 * is alone in its bank. ILP: how many counters a thread reads before it writes one. GROUPS such tables in a block. A counter
 * that goes past 255 carries into total. */
template <int THREADS, int ILP> struct Bytes {
    static constexpr int GROUPS = THREADS / 64;
    static constexpr int bytes = GROUPS * 64 * BINS;
    static constexpr bool counts = true;
    unsigned *total;
    unsigned char *all;
    unsigned column, group;
    __device__ Bytes(unsigned *memory, unsigned *total) : total(total) {
        all = (unsigned char *)memory;
        column = (threadIdx.x % 64) * 0x04040404u;
        group = threadIdx.x / 64;
    }
    __device__ void begin() { clear<THREADS>((unsigned *)all, bytes / 4); }
    /* Byte k of `columns`, byte k of `rows`, and its sign, 0, twice. */
    __device__ __forceinline__ unsigned char *place(unsigned rows, unsigned columns, int k) {
        unsigned offset;
        asm("prmt.b32 %0, %1, %2, %3;"
            : "=r"(offset)
            : "r"(rows), "r"(columns), "r"((8 | k) << 12 | (8 | k) << 8 | k << 4 | (4 + k)));
        return GROUPS > 2 ? all + group * (64 * BINS) + offset : all + offset;
    }
    __device__ __forceinline__ void word(unsigned w) {
        unsigned rows = (w >> 2) & 0x3f3f3f3fu, columns = (w & 0x03030303u) | column, c[4];
        if (GROUPS == 2) {
            rows |= group * 0x40404040u;
        }
        unsigned char *p[4] = {place(rows, columns, 0), place(rows, columns, 1), place(rows, columns, 2),
                               place(rows, columns, 3)};
#pragma unroll
        for (int k = 0; k < 4; k += ILP) {
#pragma unroll
            for (int i = k; i < k + ILP; i++) {
                c[i] = *p[i] + 1u;
            }
#pragma unroll
            for (int i = k; i < k + ILP; i++) {
#pragma unroll
                for (int j = k; j < i; j++) {
                    c[i] += p[i] == p[j];
                }
                *p[i] = (unsigned char)c[i];
            }
        }
        if ((c[0] | c[1] | c[2] | c[3]) & 256u) {
            carry<ILP>(w, p, c);
        }
    }
    template <int TOGETHER>
    __device__ __forceinline__ void carry(unsigned w, unsigned char *const *p, const unsigned *c) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            bool last = true; // of those that were read together, the last one of a value has the carry
#pragma unroll
            for (int j = i + 1; j < (i / TOGETHER + 1) * TOGETHER; j++) {
                last = last && p[i] != p[j];
            }
            if (last && c[i] & 256u) {
                atomicAdd(&total[byte_of(w, i)], 256u);
            }
        }
    }
    __device__ __forceinline__ void add(unsigned value, unsigned n) {
        unsigned char *p = all + group * (64 * BINS) + ((value >> 2) << 8 | (column & 255u) | (value & 3u));
        unsigned c = *p + n;
        *p = (unsigned char)c;
        if (c & 256u) {
            atomicAdd(&total[value], 256u);
        }
    }
    __device__ void finish() {
        int row = threadIdx.x % 64;
        unsigned *table = (unsigned *)all;
        const unsigned *words = table + group * (64 * 64) + row * 64;
        unsigned even = 0, odd = 0;
        for (int k = 0; k < 64; k++) {
            unsigned w = words[(k + row) % 64];
            even += w & 0x00ff00ffu;
            odd += (w >> 8) & 0x00ff00ffu;
        }
        __syncthreads(); // all have read: the table becomes one histogram for each group
        uint4 sums = make_uint4(even & 0xffffu, odd & 0xffffu, even >> 16, odd >> 16);
        ((uint4 *)table)[group * 64 + row] = sums;
        __syncthreads();
        for (int i = threadIdx.x; i < BINS; i += THREADS) {
            unsigned sum = 0;
            for (int g = 0; g < GROUPS; g++) {
                sum += table[g * BINS + i];
            }
            atomicAdd(&total[i], sum);
        }
    }
};

// ---------------------------------------------------------------- the reader

/* x[n] -> counts[256]. PART: 0 tiles of THREADS * LOADS vectors, block by block; 1 a block has one contiguous part; 2 a
 * thread's vectors are a whole grid apart. AHEAD: 1, the loads of the next round are asked for before this one is counted; 2, only
 * those of the first round, before the counters are cleared.
 * MERGE: 0 into counts, which are 0 before; 1 into scratch[0..255], which the last block to be done copies and clears; 2 into counts, which
 * the block that draws the first number clears (scratch[256] and [257]). */
template <class WAY, int THREADS, int BLOCKS, int LOADS, int AHEAD, int PART, int HOW, int RUN, int MERGE>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    read_and_count(const unsigned char *__restrict__ x, size_t n, unsigned *counts, unsigned *scratch) {
    extern __shared__ uint4 memory[];
    WAY way((unsigned *)memory, MERGE == 1 ? scratch : counts);
    unsigned head = (unsigned)(-(uintptr_t)x & 15u);
    head = head < n ? head : (unsigned)n;
    const uint4 *v = (const uint4 *)(x + head);
    unsigned vectors = (unsigned)((n - head) / 16), t = threadIdx.x, b = blockIdx.x, g = gridDim.x;
    unsigned i, end = vectors, apart = THREADS, step;
    if (PART == 0) {
        i = b * (THREADS * LOADS) + t;
        step = g * (THREADS * LOADS);
    } else if (PART == 1) {
        i = (unsigned)((unsigned long long)vectors * b / g) + t;
        end = (unsigned)((unsigned long long)vectors * (b + 1) / g);
        step = THREADS * LOADS;
    } else {
        i = b * THREADS + t;
        apart = g * THREADS;
        step = g * (THREADS * LOADS);
    }
    uint4 a[LOADS], next[LOADS];
    bool full = i + (LOADS - 1) * apart < end;
    if (AHEAD && full) {
#pragma unroll
        for (int k = 0; k < LOADS; k++) {
            a[k] = load(&v[i + k * apart], HOW);
        }
    }
    if (MERGE == 2 && t < 32) { // warp 0 draws a number; who has the first one clears
        unsigned number = 1;
        if (t == 0) {
            number = atomicInc(&scratch[BINS], g - 1);
        }
        if (__shfl_sync(0xffffffffu, number, 0) == 0) {
            for (int bin = t; bin < BINS; bin += 32) {
                counts[bin] = 0;
            }
            __threadfence();
            __syncwarp();
            if (t == 0) {
                atomicExch(&scratch[BINS + 1], 1u);
            }
        }
    }
    way.begin();
    __syncthreads();
    if (AHEAD == 1) {
        while (full) {
            i += step;
            full = i + (LOADS - 1) * apart < end;
            if (full) {
#pragma unroll
                for (int k = 0; k < LOADS; k++) {
                    next[k] = load(&v[i + k * apart], HOW);
                }
            }
#pragma unroll
            for (int k = 0; k < LOADS; k++) {
                count_vector<WAY, RUN>(way, a[k]);
                a[k] = next[k];
            }
        }
    } else {
        while (full) {
            if (AHEAD == 0) {
#pragma unroll
                for (int k = 0; k < LOADS; k++) {
                    a[k] = load(&v[i + k * apart], HOW);
                }
            }
#pragma unroll
            for (int k = 0; k < LOADS; k++) {
                count_vector<WAY, RUN>(way, a[k]);
            }
            i += step;
            full = i + (LOADS - 1) * apart < end;
            if (AHEAD == 2 && full) {
#pragma unroll
                for (int k = 0; k < LOADS; k++) {
                    a[k] = load(&v[i + k * apart], HOW);
                }
            }
        }
    }
#pragma unroll
    for (int k = 0; k < LOADS; k++) { // of the last round only a part may be there
        if (i + k * apart < end) {
            a[k] = load(&v[i + k * apart], HOW);
        }
    }
#pragma unroll
    for (int k = 0; k < LOADS; k++) {
        if (i + k * apart < end) {
            count_vector<WAY, RUN>(way, a[k]);
        }
    }
    if (b == 0 && t < head) {
        way.add(x[t], 1);
    }
    if (b == 0 && t < (n - head) % 16) {
        way.add(x[head + 16 * (size_t)vectors + t], 1);
    }
    if (MERGE == 2 && t == 0) {
        while (*(volatile unsigned *)&scratch[BINS + 1] == 0) {
        }
        __threadfence();
    }
    __syncthreads();
    way.finish();
    if (MERGE == 2) {
        if (t == 0) {
            atomicInc(&scratch[BINS + 1], g); // 1 when cleared, and one more for each block: the last one makes it 0
        }
    }
    if (MERGE == 1) {
        __shared__ bool last;
        __threadfence();
        __syncthreads();
        if (t == 0) {
            last = atomicInc(&scratch[BINS], g - 1) == g - 1;
        }
        __syncthreads();
        if (last) {
            __threadfence();
            for (int bin = t; bin < BINS; bin += THREADS) {
                counts[bin] = __ldcg(&scratch[bin]);
                scratch[bin] = 0;
            }
        }
    }
}

#endif
