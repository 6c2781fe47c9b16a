/* Lesson 12: softmax. Each row of a matrix becomes probabilities: y = exp(x) / (sum of all exp(x) of the row).
 *
 *     make lesson12 run                     all versions on several shapes, verified, then measured (or counted)
 *     make lesson12 run V=5 SIZE=1000       one version, 1000 columns
 *
 * You will learn how a whole row is known before any of it is written, and how it is read from memory only once all
 * the same: in shared memory, in the registers of a block, of a warp, of half a warp, of several blocks. And what
 * becomes of infinities and NaN on the way.
 *
 *     softmax_kernel1    a thread for each row, three passes over it
 *     softmax_kernel2    a block for each row, three passes
 *     softmax_kernel3    two passes: the largest and the sum at once, online
 *     softmax_kernel4    one pass: the row stays in shared memory
 *     softmax_kernel5    the row stays in registers, loads of 16 bytes, one barrier
 *     softmax_kernel6    a warp for each row, no barrier
 *     softmax_kernel7    short rows: a few lanes for each
 *     softmax_kernel8    rows that begin at any address
 *     softmax_kernel9    long rows: several blocks for each, which wait for each other
 *     softmax_kernel10   masked: row r has r + 1 columns, and what is masked is not read
 *     softmax_kernel11   bfloat16 instead of float
 */
// sizes: 0 1 31 33 1000 1025
#include "measure.h"

enum { WARP = 32 };
enum { BLOCK = 256 };       // threads in a block: versions 1 to 4
enum { SMALL_BLOCK = 128 }; // versions 6 and 7, where the threads of a block have nothing in common
#define ALL_LANES 0xffffffffu

// ---------------------------------------------------------------- the reference

/* Of x[cols] the first `length` take part; the others have exp 0. In double. If nothing but -INFINITY takes part, largest - largest
 * is NaN, so the row becomes NaN, as in PyTorch. */
static void softmax_cpu(const float *x, float *y, int cols, int length) {
    double largest = -INFINITY, sum = 0.0;
    for (int c = 0; c < length; c++) {
        largest = fmax(largest, x[c]);
    }
    for (int c = 0; c < length; c++) {
        sum += exp(x[c] - largest);
    }
    for (int c = 0; c < cols; c++) {
        y[c] = (float)((c < length ? exp(x[c] - largest) : 0.0) / sum);
    }
}

// ---------------------------------------------------------------- versions 1 to 4

/* x[rows][cols] -> y[rows][cols], float, row-major. Every version has these shapes; the last takes another type. */

/* Version 1: a thread for each row. exp(x) is infinite from 89 on, and exp(x) / sum does not change if all x of the row
 * become smaller by the same number. So let it be the largest one: then no exp is larger than 1. */
static __global__ void softmax_kernel1(const float *x, float *y, int rows, int cols) {
    int r = blockIdx.x * BLOCK + threadIdx.x;
    if (r >= rows) {
        return;
    }
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    float largest = -INFINITY, sum = 0.0f;
    for (int c = 0; c < cols; c++) {
        largest = fmaxf(largest, x[c]); // of a number and NaN, fmaxf takes the number
    }
    for (int c = 0; c < cols; c++) {
        sum += __expf(x[c] - largest); // but a NaN is not lost: the sum becomes NaN here, and so does the row
    }
    for (int c = 0; c < cols; c++) {
        y[c] = __expf(x[c] - largest) / sum;
    }
}

static __device__ float warp_max(float value) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        value = fmaxf(value, __shfl_xor_sync(ALL_LANES, value, step));
    }
    return value;
}

static __device__ float warp_sum(float value) {
    for (int step = WARP / 2; step > 0; step /= 2) {
        value += __shfl_xor_sync(ALL_LANES, value, step);
    }
    return value;
}

/* As in lesson 10, but every warp adds up the warps' values, so that all threads of the block have the result. */
template <int THREADS> static __device__ float block_max(float value) {
    __shared__ float values[THREADS / WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    value = warp_max(value);
    if (lane == 0) {
        values[warp] = value;
    }
    __syncthreads();
    return warp_max(lane < THREADS / WARP ? values[lane] : -INFINITY);
}

template <int THREADS> static __device__ float block_sum(float value) {
    __shared__ float values[THREADS / WARP];
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    value = warp_sum(value);
    if (lane == 0) {
        values[warp] = value;
    }
    __syncthreads();
    return warp_sum(lane < THREADS / WARP ? values[lane] : 0.0f);
}

/* Version 2: a block for each row. Its threads share the work of each pass; lanes read neighbours. */
static __global__ void softmax_kernel2(const float *x, float *y, int cols) {
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    float largest = -INFINITY, sum = 0.0f;
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        largest = fmaxf(largest, x[c]);
    }
    largest = block_max<BLOCK>(largest);
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        sum += __expf(x[c] - largest);
    }
    sum = block_sum<BLOCK>(sum);
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        y[c] = __expf(x[c] - largest) / sum;
    }
}

/* What is known of a part of a row: its largest element, and the sum of exp(x - largest). */
struct pair {
    float largest, sum;
};

/* What a sum has to be multiplied by when its largest element gives way to a larger one. Of no elements the largest is
 * -INFINITY, and -INFINITY - -INFINITY is NaN; but their sum is 0, whatever one multiplies it by. */
static __device__ float scale(float largest, float larger) {
    return largest == -INFINITY ? 0.0f : __expf(largest - larger);
}

static __device__ struct pair join(struct pair a, struct pair b) {
    float larger = fmaxf(a.largest, b.largest);
    return {larger, a.sum * scale(a.largest, larger) + b.sum * scale(b.largest, larger)};
}

static __device__ struct pair warp_pair(struct pair p) {
    float largest = warp_max(p.largest);
    return {largest, warp_sum(p.sum * scale(p.largest, largest))};
}

/* The pair of the whole block, in all its threads. Between two calls there must be a barrier. */
template <int THREADS> static __device__ struct pair block_pair(struct pair p) {
    __shared__ struct pair pairs[THREADS / WARP];
    const struct pair nothing = {-INFINITY, 0.0f};
    int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    p = warp_pair(p);
    if (lane == 0) {
        pairs[warp] = p;
    }
    __syncthreads();
    return warp_pair(lane < THREADS / WARP ? pairs[lane] : nothing);
}

/* Version 3: the largest and the sum in one pass. The sum is kept for the largest element so far; when a larger one
 * appears, it is rescaled. An element x alone is the pair {x, 1}, since exp(x - x) is 1. */
template <class T> static __global__ void softmax_kernel3(const T *x, T *y, int cols) { // T: float, until version 11
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    struct pair p = {-INFINITY, 0.0f};
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        p = join(p, {(float)x[c], 1.0f});
    }
    p = block_pair<BLOCK>(p);
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        y[c] = (T)(__expf((float)x[c] - p.largest) / p.sum);
    }
}

/* Version 4: the row stays in shared memory, so it is read from global memory once. Each thread reads only the words
 * that it has stored itself, so the only barriers are those of block_max and block_sum. The launch passes the length of
 * the row. */
static __global__ void softmax_kernel4(const float *x, float *y, int cols) {
    extern __shared__ float row[];
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    float largest = -INFINITY, sum = 0.0f;
#pragma unroll 4
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        row[c] = x[c];
        largest = fmaxf(largest, row[c]);
    }
    largest = block_max<BLOCK>(largest);
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        row[c] = __expf(row[c] - largest);
        sum += row[c];
    }
    float factor = 1.0f / block_sum<BLOCK>(sum);
    for (int c = threadIdx.x; c < cols; c += BLOCK) {
        y[c] = row[c] * factor;
    }
}

// ---------------------------------------------------------------- a row in registers

/* 16 bytes of a row: four floats, or eight bfloat16. */
template <class T> union vector {
    enum { LENGTH = 16 / sizeof(T) };
    uint4 bytes; // what is loaded and stored, as one piece
    T element[LENGTH];
    __device__ vector() {}
};

/* A thread's part of a row: VECTORS of them, with as many other threads' vectors between two as there are threads. As
 * float, whatever the row's type is. */
template <class T, int VECTORS> struct part {
    enum { LENGTH = vector<T>::LENGTH };
    float x[VECTORS][LENGTH];
};

/* Thread `t` of `threads` loads its part of a row, `cols` elements in whole vectors. Where the row ends, the rest is -INFINITY:
 * its exp is 0. */
template <class T, int VECTORS>
static __device__ struct part<T, VECTORS> load_part(const T *row, int cols, int t, int threads) {
    const int LENGTH = vector<T>::LENGTH;
    struct part<T, VECTORS> p;
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        int c = (i * threads + t) * LENGTH;
        if (c < cols) {
            vector<T> v;
            v.bytes = *(const uint4 *)(row + c);
#pragma unroll
            for (int k = 0; k < LENGTH; k++) {
                p.x[i][k] = (float)v.element[k];
            }
        } else {
#pragma unroll
            for (int k = 0; k < LENGTH; k++) {
                p.x[i][k] = -INFINITY;
            }
        }
    }
    return p;
}

template <class T, int VECTORS>
static __device__ void store_part(const struct part<T, VECTORS> &p, float factor, T *row, int cols, int t,
                                  int threads) {
    const int LENGTH = vector<T>::LENGTH;
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
        int c = (i * threads + t) * LENGTH;
        vector<T> v;
#pragma unroll
        for (int k = 0; k < LENGTH; k++) {
            v.element[k] = (T)(p.x[i][k] * factor);
        }
        if (c < cols) {
            *(uint4 *)(row + c) = v.bytes;
        }
    }
}

template <class T, int VECTORS> static __device__ float largest_of(const struct part<T, VECTORS> &p) {
    float largest = -INFINITY;
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
#pragma unroll
        for (int k = 0; k < p.LENGTH; k++) {
            largest = fmaxf(largest, p.x[i][k]);
        }
    }
    return largest;
}

/* exp(x - largest), where `largest` may be -INFINITY: then x is, too, and the exp is to be 0. */
static __device__ float exp_below(float x, float largest) {
    return __expf(x - (largest == -INFINITY ? 0.0f : largest));
}

/* Each x becomes exp(x - largest); their sum is returned. */
template <class T, int VECTORS> static __device__ float exp_part(struct part<T, VECTORS> &p, float largest) {
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
#pragma unroll
        for (int k = 0; k < p.LENGTH; k++) {
            p.x[i][k] = exp_below(p.x[i][k], largest);
            sum += p.x[i][k];
        }
    }
    return sum;
}

/* How many blocks of a kernel are to be resident on an SM: as many as 65536 registers allow, if a thread needs 24
 * besides its elements. The compiler keeps to it (__launch_bounds__). No SM has fewer than 1024 threads. */
#if defined(__CUDA_ARCH__) && (__CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000)
enum { THREADS_AT_ONCE = 2048 };
#else
enum { THREADS_AT_ONCE = 1024 };
#endif
template <class T> static constexpr int blocks_at_once(int threads, int vectors) {
    int registers = threads * (vectors * vector<T>::LENGTH + 24), blocks = 65536 / registers;
    int most = THREADS_AT_ONCE / threads;
    return blocks < 1 ? 1 : blocks < most ? blocks : most;
}

/* Version 5: the row stays in the registers of a block: THREADS * VECTORS vectors, so a kernel for each length. Each
 * thread takes the exp with its own largest element, and what it has to be multiplied by in the end is known after one
 * barrier. Rows are aligned to 16 bytes; version 4 handles the others. */
template <class T, int THREADS, int VECTORS>
static __global__ __launch_bounds__(THREADS, blocks_at_once<T>(THREADS, VECTORS)) //
    void softmax_kernel5(const T *x, T *y, int cols) {
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    struct part<T, VECTORS> p = load_part<T, VECTORS>(x, cols, threadIdx.x, THREADS);
    float largest = largest_of(p);
    float sum = exp_part(p, largest);
    struct pair row = block_pair<THREADS>({largest, sum});
    store_part(p, scale(largest, row.largest) / row.sum, y, cols, threadIdx.x, THREADS);
}

/* Version 6: a warp for each row. Only the lanes of a warp wait for each other, and they do so in the shuffles. */
template <class T, int VECTORS> static __global__ void softmax_kernel6(const T *x, T *y, int rows, int cols) {
    int r = blockIdx.x * (SMALL_BLOCK / WARP) + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    if (r >= rows) {
        return; // the whole warp
    }
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    struct part<T, VECTORS> p = load_part<T, VECTORS>(x, cols, lane, WARP);
    float largest = warp_max(largest_of(p));
    float sum = warp_sum(exp_part(p, largest));
    store_part(p, 1.0f / sum, y, cols, lane, WARP);
}

/* Version 7: LANES lanes for each row, so a warp has several. The steps of the shuffles stay within the group: LANES / 2
 * and less. All lanes participate in the shuffles, including those without a row, so none may exit before. */
template <class T, int LANES> static __global__ void softmax_kernel7(const T *x, T *y, int rows, int cols) {
    int r = blockIdx.x * (SMALL_BLOCK / LANES) + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    int here = r < rows ? cols : 0;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    struct part<T, 1> p = load_part<T, 1>(x, here, lane, LANES);
    float largest = largest_of(p);
    for (int step = LANES / 2; step > 0; step /= 2) {
        largest = fmaxf(largest, __shfl_xor_sync(ALL_LANES, largest, step));
    }
    float sum = exp_part(p, largest);
    for (int step = LANES / 2; step > 0; step /= 2) {
        sum += __shfl_xor_sync(ALL_LANES, sum, step);
    }
    store_part(p, 1.0f / sum, y, here, lane, LANES);
}

/* Version 8: rows that begin anywhere. The part between the first multiple of 16 bytes and the last one is loaded as in
 * version 5. The elements before and after it, fewer than LENGTH each, are the edges: the first threads take one each. */
struct edges {
    int before, inside, behind; // elements
};

template <class T> static __device__ struct edges edges_of(const T *row, int cols) {
    const int LENGTH = vector<T>::LENGTH;
    int up = (int)((uintptr_t)row % 16 / sizeof(T)), before = min((LENGTH - up) % LENGTH, cols);
    int inside = (cols - before) / LENGTH * LENGTH;
    return {before, inside, cols - before - inside};
}

/* The column of thread t's edge element, -1: it has none. */
static __device__ int edge_column(struct edges e, int t) {
    return t < e.before ? t : t < e.before + e.behind ? e.inside + t : -1;
}

template <class T, int THREADS, int VECTORS>
static __global__ __launch_bounds__(THREADS, blocks_at_once<T>(THREADS, VECTORS)) //
    void softmax_kernel8(const T *x, T *y, int cols) {
    x += (size_t)blockIdx.x * cols;
    y += (size_t)blockIdx.x * cols;
    struct edges e = edges_of(x, cols);
    int c = edge_column(e, threadIdx.x);
    float edge = c >= 0 ? (float)x[c] : -INFINITY;
    struct part<T, VECTORS> p = load_part<T, VECTORS>(x + e.before, e.inside, threadIdx.x, THREADS);
    float largest = fmaxf(edge, largest_of(p));
    edge = exp_below(edge, largest);
    struct pair row = block_pair<THREADS>({largest, edge + exp_part(p, largest)});
    float factor = scale(largest, row.largest) / row.sum;
    store_part(p, factor, y + e.before, e.inside, threadIdx.x, THREADS);
    if (c >= 0) {
        y[c] = (T)(edge * factor);
    }
}

/* Version 9: long rows. A large block keeps 16 elements of each thread in registers and up to SHARED vectors in shared memory,
 * as they are; where that is not enough, or there are few rows, `blocks` blocks share a row. */
template <class T> struct room {
    enum { LENGTH = vector<T>::LENGTH, REGISTERS = 16 / LENGTH, SHARED = LENGTH == 4 ? 12 : 14 };
};

/* The pair of what a thread has in shared memory, a few vectors at a time: while it works on these, the next ones are still
 * in flight. `first` is the column of its first vector. */
template <class T, int THREADS>
static __device__ struct pair shared_pair(const vector<T> *kept, struct pair p, int first, int cols) {
    const int LENGTH = vector<T>::LENGTH, SHARED = room<T>::SHARED, TURN = room<T>::REGISTERS;
#pragma unroll
    for (int i = 0; i < SHARED; i += TURN) {
        struct part<T, TURN> q;
        __pipeline_wait_prior((SHARED - i) / TURN - 1);
#pragma unroll
        for (int j = 0; j < TURN; j++) {
            bool here = first + (i + j) * THREADS * LENGTH < cols;
            vector<T> v;
            if (here) {
                v.bytes = kept[(i + j) * THREADS].bytes;
            }
#pragma unroll
            for (int k = 0; k < LENGTH; k++) {
                q.x[j][k] = here ? (float)v.element[k] : -INFINITY;
            }
        }
        float largest = largest_of(q);
        p = join(p, {largest, exp_part(q, largest)});
    }
    return p;
}

/* The blocks of a row publish their pairs. A pair is one word of 8 bytes, which is read and written whole; 0, the sentinel,
 * means that it is not stored yet, and no pair is 0: its sum is at least 1, or its largest element is -INFINITY. A block leaves a
 * word for each reader, words[from][to], and the reader clears it for the next launch. Called by a whole warp. */
static __device__ unsigned long long word_of(struct pair p) {
    return (unsigned long long)__float_as_uint(p.largest) << 32 | __float_as_uint(p.sum);
}

static __device__ struct pair pair_of(unsigned long long word) {
    return {__uint_as_float((unsigned)(word >> 32)), __uint_as_float((unsigned)word)};
}

static __device__ struct pair exchange(struct pair mine, int me, int blocks, volatile unsigned long long *words) {
    int lane = threadIdx.x % WARP;
    struct pair theirs = {-INFINITY, 0.0f};
    if (lane < blocks) {
        words[me * blocks + lane] = word_of(mine);
        volatile unsigned long long *from = &words[lane * blocks + me];
        unsigned long long word = *from;
        while (word == 0) {
            word = *from; // volatile: loaded from L2 again each time
        }
        *from = 0;
        theirs = pair_of(word);
    }
    return warp_pair(theirs);
}

/* A block waits for the others of its row, so these must run. Therefore it is not known by blockIdx, but draws a number when
 * it begins: then all blocks with lower numbers run already, or have run. */
static __device__ unsigned draw_number(unsigned *number) {
    __shared__ unsigned drawn;
    if (threadIdx.x == 0) {
        drawn = atomicInc(number, gridDim.x - 1);
    }
    __syncthreads();
    return drawn;
}

template <class T, int THREADS>
static __global__ __launch_bounds__(THREADS, 1024 / THREADS) //
    void softmax_kernel9(const T *x, T *y, int cols, int blocks, volatile unsigned long long *words, unsigned *number) {
    const int LENGTH = vector<T>::LENGTH, REGISTERS = room<T>::REGISTERS, SHARED = room<T>::SHARED;
    const int STRIDE = THREADS * LENGTH;
    extern __shared__ uint4 bytes[];
    __shared__ struct pair whole;
    vector<T> *kept = (vector<T> *)bytes + threadIdx.x;
    unsigned drawn = blocks > 1 ? draw_number(number) : blockIdx.x;
    int r = drawn / blocks, me = drawn % blocks;
    x += (size_t)r * cols;
    y += (size_t)r * cols;
    struct edges e = edges_of(x, cols);
    int share = ceil_div(e.inside / LENGTH, blocks) * LENGTH; // columns of a block
    int begin = min(me * share, e.inside), mine = min(share, e.inside - begin);
    const T *from = x + e.before + begin;
    T *to = y + e.before + begin;
    int first = REGISTERS * STRIDE + (int)threadIdx.x * LENGTH; // of those in shared memory
#pragma unroll
    for (int i = 0; i < SHARED; i++) {
        if (first + i * STRIDE < mine) {
            __pipeline_memcpy_async(&kept[i * THREADS], from + first + i * STRIDE, 16);
        }
        if (i % REGISTERS == REGISTERS - 1) {
            __pipeline_commit();
        }
    }
    int c = me == 0 ? edge_column(e, threadIdx.x) : -1;
    float edge = c >= 0 ? (float)x[c] : -INFINITY;
    struct part<T, REGISTERS> p = load_part<T, REGISTERS>(from, mine, threadIdx.x, THREADS);
    float largest = fmaxf(edge, largest_of(p));
    edge = exp_below(edge, largest);
    struct pair row = {largest, edge + exp_part(p, largest)};
    row = block_pair<THREADS>(shared_pair<T, THREADS>(kept, row, first, mine));
    if (blocks > 1) {
        if (threadIdx.x < WARP) {
            row = exchange(row, me, blocks, words + (size_t)r * blocks * blocks);
        }
        if (threadIdx.x == 0) {
            whole = row;
        }
        __syncthreads();
        row = whole;
    }
    float factor = scale(largest, row.largest) / row.sum;
    store_part(p, factor, to, mine, threadIdx.x, THREADS);
    if (c >= 0) {
        y[c] = (T)(edge * factor);
    }
    factor = 1.0f / row.sum; // and now with the row's largest element
    for (int i = 0; first + i * STRIDE < mine; i++) {
        vector<T> v;
        v.bytes = kept[i * THREADS].bytes;
#pragma unroll
        for (int k = 0; k < LENGTH; k++) {
            v.element[k] = (T)(exp_below((float)v.element[k], row.largest) * factor);
        }
        *(uint4 *)(to + first + i * STRIDE) = v.bytes;
    }
}

/* Version 10: masked. x is a stack of square matrices, and of row r of a matrix only the columns up to r take part, as in
 * a language model, where no word may see a later one. What is masked need not be read: it becomes 0. */
template <class T, int THREADS, int VECTORS>
static __global__ __launch_bounds__(THREADS, blocks_at_once<T>(THREADS, VECTORS)) //
    void softmax_kernel10(const T *x, T *y, int cols) {
    size_t r = gridDim.x - 1 - blockIdx.x; // a matrix's long rows first, so that no long one finishes last
    int length = r % cols + 1;
    x += r * cols;
    y += r * cols;
    struct part<T, VECTORS> p = load_part<T, VECTORS>(x, length, threadIdx.x, THREADS);
#pragma unroll
    for (int i = 0; i < VECTORS; i++) {
#pragma unroll
        for (int k = 0; k < p.LENGTH; k++) { // the last vector may have been loaded for its first elements only
            int c = (i * THREADS + threadIdx.x) * p.LENGTH + k;
            p.x[i][k] = c < length ? p.x[i][k] : -INFINITY;
        }
    }
    float largest = largest_of(p);
    float sum = exp_part(p, largest);
    struct pair row = block_pair<THREADS>({largest, sum});
    store_part(p, scale(largest, row.largest) / row.sum, y, cols, threadIdx.x, THREADS);
}

// ---------------------------------------------------------------- the launchers

/* As in lesson 03: queued in `stream`, no waiting, and a matrix may be empty. A version leaves what it is not made for to
 * another one. The try_... return false for that. */

/* How many elements the address is past a multiple of 16 bytes. */
template <class T> static int elements_up(const T *address) {
    return (int)((uintptr_t)address % 16 / sizeof(T));
}

/* Where a vector may be loaded: the first row begins at a multiple of 16 bytes, and all the others do. */
template <class T> static bool has_vectors(const T *x, const T *y, int cols) {
    return elements_up(x) == 0 && elements_up(y) == 0 && cols % vector<T>::LENGTH == 0;
}

static void softmax1(const float *x, float *y, int rows, int cols, struct scratch *, cudaStream_t stream) {
    if (rows == 0 || cols == 0) {
        return;
    }
    softmax_kernel1<<<ceil_div(rows, BLOCK), BLOCK, 0, stream>>>(x, y, rows, cols);
    CUDA_CHECK_LAUNCH();
}

static void softmax2(const float *x, float *y, int rows, int cols, struct scratch *, cudaStream_t stream) {
    if (rows == 0 || cols == 0) {
        return;
    }
    softmax_kernel2<<<rows, BLOCK, 0, stream>>>(x, y, cols);
    CUDA_CHECK_LAUNCH();
}

template <class T> static void softmax3(const T *x, T *y, int rows, int cols, struct scratch *, cudaStream_t stream) {
    if (rows == 0 || cols == 0) {
        return;
    }
    softmax_kernel3<T><<<rows, BLOCK, 0, stream>>>(x, y, cols);
    CUDA_CHECK_LAUNCH();
}

/* A block may have 48 KiB of shared memory; more, up to what the device allows, only if the program requests it. */
static int shared_per_block(void) {
    int device = 0, most = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return most - 1024; // some of it is for pairs and the like
}

static void softmax4(const float *x, float *y, int rows, int cols, struct scratch *scratch, cudaStream_t stream) {
    int most = shared_per_block(), bytes = cols * (int)sizeof(float);
    if (cols > most / (int)sizeof(float)) {
        softmax3(x, y, rows, cols, scratch, stream);
        return;
    }
    if (rows == 0 || cols == 0) {
        return;
    }
    CUDA_CHECK(cudaFuncSetAttribute(softmax_kernel4, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    softmax_kernel4<<<rows, BLOCK, bytes, stream>>>(x, y, cols);
    CUDA_CHECK_LAUNCH();
}

/* A kernel for each size of a block: `launch` is called with the smallest one that has `vectors` vectors in registers, VECTORS
 * of them in each thread. */
template <int threads, int vectors> struct size {
    enum { THREADS = threads, VECTORS = vectors };
};

template <int VECTORS, class Launch> static bool for_size(int vectors, Launch launch) {
    if (vectors <= 64 * VECTORS) {
        launch(size<64, VECTORS>());
    } else if (vectors <= 128 * VECTORS) {
        launch(size<128, VECTORS>());
    } else if (vectors <= 256 * VECTORS) {
        launch(size<256, VECTORS>());
    } else if (vectors <= 512 * VECTORS) {
        launch(size<512, VECTORS>());
    } else if (vectors <= 1024 * VECTORS) {
        launch(size<1024, VECTORS>());
    } else if (vectors <= 4096) {
        launch(size<1024, 4>());
    } else {
        return false;
    }
    CUDA_CHECK_LAUNCH();
    return true;
}

/* What was fastest on an H200: two float4, or four vectors of bfloat16. */
template <class T> static constexpr int vectors_each() {
    return sizeof(T) == sizeof(float) ? 2 : 4;
}

template <class T> static bool try5(const T *x, T *y, int rows, int cols, cudaStream_t stream) {
    return has_vectors(x, y, cols) && for_size<vectors_each<T>()>(cols / vector<T>::LENGTH, [&](auto s) {
               softmax_kernel5<T, s.THREADS, s.VECTORS><<<rows, s.THREADS, 0, stream>>>(x, y, cols);
           });
}

static void softmax5(const float *x, float *y, int rows, int cols, struct scratch *scratch, cudaStream_t stream) {
    if (rows == 0 || cols == 0 || !try5(x, y, rows, cols, stream)) {
        softmax4(x, y, rows, cols, scratch, stream);
    }
}

template <class T> static bool try6(const T *x, T *y, int rows, int cols, cudaStream_t stream) {
    int blocks = ceil_div(rows, SMALL_BLOCK / WARP), vectors = cols / vector<T>::LENGTH;
    if (!has_vectors(x, y, cols) || vectors > 4 * WARP) {
        return false;
    }
    if (vectors <= WARP) {
        softmax_kernel6<T, 1><<<blocks, SMALL_BLOCK, 0, stream>>>(x, y, rows, cols);
    } else if (vectors <= 2 * WARP) {
        softmax_kernel6<T, 2><<<blocks, SMALL_BLOCK, 0, stream>>>(x, y, rows, cols);
    } else {
        softmax_kernel6<T, 4><<<blocks, SMALL_BLOCK, 0, stream>>>(x, y, rows, cols);
    }
    CUDA_CHECK_LAUNCH();
    return true;
}

static void softmax6(const float *x, float *y, int rows, int cols, struct scratch *scratch, cudaStream_t stream) {
    if (rows == 0 || cols == 0 || !try6(x, y, rows, cols, stream)) {
        softmax5(x, y, rows, cols, scratch, stream);
    }
}

template <class T> static bool try7(const T *x, T *y, int rows, int cols, cudaStream_t stream) {
    int vectors = cols / vector<T>::LENGTH;
    if (!has_vectors(x, y, cols) || vectors > 16) {
        return false;
    }
    if (vectors <= 4) {
        softmax_kernel7<T, 4><<<ceil_div(rows, SMALL_BLOCK / 4), SMALL_BLOCK, 0, stream>>>(x, y, rows, cols);
    } else if (vectors <= 8) {
        softmax_kernel7<T, 8><<<ceil_div(rows, SMALL_BLOCK / 8), SMALL_BLOCK, 0, stream>>>(x, y, rows, cols);
    } else {
        softmax_kernel7<T, 16><<<ceil_div(rows, SMALL_BLOCK / 16), SMALL_BLOCK, 0, stream>>>(x, y, rows, cols);
    }
    CUDA_CHECK_LAUNCH();
    return true;
}

static void softmax7(const float *x, float *y, int rows, int cols, struct scratch *scratch, cudaStream_t stream) {
    if (rows == 0 || cols == 0 || !try7(x, y, rows, cols, stream)) {
        softmax6(x, y, rows, cols, scratch, stream);
    }
}

template <class T> static bool try8(const T *x, T *y, int rows, int cols, cudaStream_t stream) {
    return elements_up(x) == elements_up(y) &&
           for_size<vectors_each<T>()>(ceil_div(cols, vector<T>::LENGTH), [&](auto s) {
               softmax_kernel8<T, s.THREADS, s.VECTORS><<<rows, s.THREADS, 0, stream>>>(x, y, cols);
           });
}

static void softmax8(const float *x, float *y, int rows, int cols, struct scratch *scratch, cudaStream_t stream) {
    if (rows == 0 || cols == 0 || has_vectors(x, y, cols) || !try8(x, y, rows, cols, stream)) {
        softmax7(x, y, rows, cols, scratch, stream);
    }
}

/* Version 9: how many blocks share a row, 0: it is not for such rows. As many as have room for it; and with few
 * rows, as many smaller ones as give each SM two. There are never more than SMs, so all blocks of a
 * row can be resident at once. */
enum { LONG_FROM = 16384 };

template <class T, int THREADS> static int blocks_of_row(int rows, int cols) {
    int slots = min((int)room<T>::SHARED, shared_per_block() / (THREADS * 16));
    int needed = ceil_div(ceil_div(cols, room<T>::LENGTH), THREADS * (room<T>::REGISTERS + slots));
    int blocks = max(needed, min(8, 1024 / THREADS * multiprocessors() / max(rows, 1)));
    return cols <= LONG_FROM || blocks > min((int)WARP, multiprocessors()) ? 0 : blocks;
}

template <class T, int THREADS>
static bool try9_with(const T *x, T *y, int rows, int cols, struct scratch *scratch, cudaStream_t stream) {
    int blocks = blocks_of_row<T, THREADS>(rows, cols), most = shared_per_block();
    if (blocks == 0 || elements_up(x) != elements_up(y)) {
        return false;
    }
    int vectors = ceil_div(ceil_div(cols, room<T>::LENGTH), blocks);
    int bytes = max(0, ceil_div(vectors, THREADS) - room<T>::REGISTERS) * THREADS * 16;
    auto kernel = softmax_kernel9<T, THREADS>;
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
    kernel<<<rows * blocks, THREADS, bytes, stream>>>(x, y, cols, blocks, scratch->words, scratch->number);
    CUDA_CHECK_LAUNCH();
    return true;
}

static bool few(int rows) {
    return rows <= multiprocessors() / 2;
}

template <class T>
static bool try9(const T *x, T *y, int rows, int cols, struct scratch *scratch, cudaStream_t stream) {
    return few(rows) ? try9_with<T, 512>(x, y, rows, cols, scratch, stream)
                     : try9_with<T, 1024>(x, y, rows, cols, scratch, stream);
}

static void softmax9(const float *x, float *y, int rows, int cols, struct scratch *scratch, cudaStream_t stream) {
    if (rows == 0 || cols == 0 || !try9(x, y, rows, cols, scratch, stream)) {
        softmax8(x, y, rows, cols, scratch, stream);
    }
}

static size_t words_for(int rows, int cols) {
    int blocks = few(rows)
                     ? max(blocks_of_row<float, 512>(rows, cols), blocks_of_row<__nv_bfloat16, 512>(rows, cols))
                     : max(blocks_of_row<float, 1024>(rows, cols), blocks_of_row<__nv_bfloat16, 1024>(rows, cols));
    return (size_t)rows * blocks * blocks;
}

/* Version 10 is for rows that version 5 could take, too. */
static void softmax10(const float *x, float *y, int rows, int cols, struct scratch *, cudaStream_t stream) {
    if (rows == 0 || cols == 0) {
        return;
    }
    if (!has_vectors(x, y, cols) || !for_size<4>(cols / vector<float>::LENGTH, [&](auto s) {
            softmax_kernel10<float, s.THREADS, s.VECTORS><<<rows, s.THREADS, 0, stream>>>(x, y, cols);
        })) {
        fprintf(stderr, "version 10: not made for such rows\n");
    }
}

/* Version 11: the kernels of versions 3 and 5 to 9, as they are. */
static void softmax11(const __nv_bfloat16 *x, __nv_bfloat16 *y, int rows, int cols, struct scratch *scratch,
                      cudaStream_t stream) {
    if (rows == 0 || cols == 0 || try9(x, y, rows, cols, scratch, stream) || try7(x, y, rows, cols, stream) ||
        try6(x, y, rows, cols, stream) || try5(x, y, rows, cols, stream) || try8(x, y, rows, cols, stream)) {
        return;
    }
    softmax3(x, y, rows, cols, scratch, stream);
}

static const struct version versions[] = {
    {"softmax_kernel1", softmax1},         {"softmax_kernel2", softmax2},
    {"softmax_kernel3", softmax3<float>},  {"softmax_kernel4", softmax4},
    {"softmax_kernel5", softmax5},         {"softmax_kernel6", softmax6},
    {"softmax_kernel7", softmax7},         {"softmax_kernel8", softmax8},
    {"softmax_kernel9", softmax9},         {"softmax_kernel10", softmax10, NULL, true},
    {"softmax_kernel11", NULL, softmax11},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, VERSIONS);
    struct shapes shapes = shapes_of(&options, options.version && versions[options.version - 1].masked);
    frame lesson = frame_of("softmax", versions, VERSIONS);
    lesson.verified = shapes.verified, lesson.verified_count = shapes.small;
    lesson.measured = shapes.measured, lesson.measured_count = shapes.large;
    device_print_backend();
    return lesson_run(&lesson, &options);
}
