/* sweep.cu - many transposes on many shapes, each verified, all timed in turns with copies: how the lesson's last versions were chosen.
 *
 *     ./sweep                  every shape; a table for each, the fastest first
 *     ./sweep 4096 4097        one shape
 *     LIST=1 ./sweep           the candidates that were tried first
 *     ROUNDS=5 SHOWN=40 ./sweep
 *     RECORD=FILE ./sweep      appends times and percentages to that file, as rows of data
 *     ONLY='64x64  t256 L4' ./sweep 16384 16384      only candidates whose names have these words, and only verified: for a profiler
 *
 * Every element is a mixture of its index, so a wrong one is seen by its bits; a kernel on the device counts them. Each round runs every
 * candidate once in an order of its own, behind a flush of the L2 cache (common/bench.h), and the median of the rounds is shown, with the
 * percentage of the plain copy kernel of common/bench.h, which is among the candidates three times.
 */
#include <math.h>
#include <algorithm>
#include <vector>

#include "../../../../common/bench.h"
#include "../../../../common/verify.h"
#include "kernels.cuh"

struct candidate {
    char name[64];
    void (*launch)(void *job, cudaStream_t stream);
    int load, store; // cols must be a multiple of the first, rows of the second
    int tile_rows;   // 0: has no order of blocks
    enum { COPY, TILE, ALIGNED, SQUARE, TALL, WIDE, ROWS } kind;
    int align; // of what each block writes, in elements; 0: however it comes
    int group, fit;
    std::vector<float> times;
    float median;
};

static std::vector<candidate> known;

static void add(const char *name, void (*launch)(void *, cudaStream_t), int load, int store, int tile_rows, int kind) {
    candidate c = {};
    snprintf(c.name, sizeof c.name, "%s", name);
    c.launch = launch;
    c.load = load;
    c.store = store;
    c.tile_rows = tile_rows;
    c.kind = (decltype(c.kind))kind;
    known.push_back(c);
}

static int multiprocessors(void) {
    int count = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return count;
}

/* Dynamic shared memory of a block, so that no more than `fit` blocks are in a multiprocessor; each takes 1 KiB more than it asks for. */
static int bytes_for(int needed, int fit) {
    int most = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    int share = fit ? most / fit - 1024 : 0;
    share = std::min(share, 227 * 1024) / 128 * 128;
    return std::max(needed, share);
}

template <class Kernel> static void allow(Kernel kernel, int bytes) {
    CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
}

// ---------------------------------------------------------------- one launcher for each kernel

template <int TR, int TC, int THREADS, int LV, int SV, bool XOR, int LH, int SH, int MIN> struct tile_candidate {
    static void launch(void *arg, cudaStream_t stream) {
        const job *j = (const job *)arg;
        auto kernel = tile_kernel<TR, TC, THREADS, LV, SV, XOR, LH, SH, MIN>;
        constexpr int bytes = TR * (TC + !XOR) * 4;
        static bool once = (allow(kernel, bytes), true);
        (void)once;
        kernel<<<tiles(j->rows, TR) * tiles(j->cols, TC), THREADS, bytes, stream>>>(j->in, j->out, j->rows, j->cols,
                                                                                    j->group);
        CUDA_CHECK_LAUNCH();
    }
    tile_candidate() {
        char name[64];
        snprintf(name, sizeof name, "tile %3dx%-3d t%-4d L%d S%d %s ld%d st%d m%d", TR, TC, THREADS, LV, SV,
                 XOR ? "xor" : "pad", LH, SH, MIN);
        add(name, launch, LV, SV, TR, candidate::TILE);
    }
};

template <int TR, int TC, int THREADS, int LV, int SV, int ALIGN, int LH> struct aligned_candidate {
    static void launch(void *arg, cudaStream_t stream) {
        const job *j = (const job *)arg;
        auto kernel = aligned_kernel<TR, TC, THREADS, LV, SV, ALIGN, LH>;
        int bytes = bytes_for((TR + ALIGN) * (TC + 1) * 4, j->fit);
        static bool once = (allow(kernel, 227 * 1024), true);
        (void)once;
        kernel<<<tiles(j->rows + (ALIGN ? ALIGN - 1 : 0), TR) * tiles(j->cols, TC), THREADS, bytes, stream>>>(
            j->in, j->out, j->rows, j->cols, j->group);
        CUDA_CHECK_LAUNCH();
    }
    aligned_candidate() {
        char name[64];
        snprintf(name, sizeof name, "word %3dx%-3d t%-4d L%d S%d align%-2d ld%d", TR, TC, THREADS, LV, SV, ALIGN, LH);
        add(name, launch, LV, ALIGN ? 1 : SV, TR, candidate::ALIGNED);
        known.back().align = ALIGN;
    }
};

template <int TR, int TC, int THREADS, int LH, int SH, int MIN> struct quad_candidate {
    static void launch(void *arg, cudaStream_t stream) {
        const job *j = (const job *)arg;
        auto kernel = quad_kernel<TR, TC, THREADS, LH, SH, MIN>;
        constexpr int bytes = TR * TC * 4;
        static bool once = (allow(kernel, bytes), true);
        (void)once;
        kernel<<<tiles(j->rows, TR) * tiles(j->cols, TC), THREADS, bytes, stream>>>(j->in, j->out, j->rows, j->cols,
                                                                                    j->group);
        CUDA_CHECK_LAUNCH();
    }
    quad_candidate() {
        char name[64];
        snprintf(name, sizeof name, "quad %3dx%-3d t%-4d ld%d st%d m%d", TR, TC, THREADS, LH, SH, MIN);
        add(name, launch, 4, 4, TR, candidate::TILE);
    }
};

template <int TR, int TC, int THREADS, int Q, int LH, int SH, int MIN> struct register_candidate {
    static void launch(void *arg, cudaStream_t stream) {
        const job *j = (const job *)arg;
        register_kernel<TR, TC, THREADS, Q, LH, SH, MIN>
            <<<tiles(j->rows, TR) * tiles(j->cols, TC), THREADS, 0, stream>>>(j->in, j->out, j->rows, j->cols,
                                                                              j->group);
        CUDA_CHECK_LAUNCH();
    }
    register_candidate() {
        char name[64];
        snprintf(name, sizeof name, "regs %3dx%-3d t%-4d q%d ld%d st%d m%d", TR, TC, THREADS, Q, LH, SH, MIN);
        add(name, launch, 4, 4, TR, candidate::TILE);
    }
};

template <int TR, int TC, int THREADS, int STAGES, int SH, int MIN> struct async_candidate {
    static void launch(void *arg, cudaStream_t stream) {
        const job *j = (const job *)arg;
        auto kernel = async_kernel<TR, TC, THREADS, STAGES, SH, MIN>;
        constexpr int bytes = STAGES * TR * TC * 4;
        static bool once = (allow(kernel, bytes), true);
        (void)once;
        static int fit = 0;
        if (!fit) {
            CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, THREADS, bytes));
        }
        int blocks = std::min(fit * multiprocessors(), tiles(j->rows, TR) * tiles(j->cols, TC));
        kernel<<<blocks, THREADS, bytes, stream>>>(j->in, j->out, j->rows, j->cols, j->group);
        CUDA_CHECK_LAUNCH();
    }
    async_candidate() {
        char name[64];
        snprintf(name, sizeof name, "asyn %3dx%-3d t%-4d stages%d st%d m%d", TR, TC, THREADS, STAGES, SH, MIN);
        add(name, launch, 4, 4, TR, candidate::TILE);
    }
};

template <int T, int THREADS, int LH, int SH, int MIN> struct pair_candidate {
    static void launch(void *arg, cudaStream_t stream) {
        const job *j = (const job *)arg;
        auto kernel = pair_kernel<T, THREADS, LH, SH, MIN>;
        int bytes = bytes_for(2 * T * (T + 1) * 4, j->fit);
        static bool once = (allow(kernel, 227 * 1024), true);
        (void)once;
        int count = tiles(j->rows, T);
        kernel<<<(count + 1) / 2 * (count + 1), THREADS, bytes, stream>>>(j->out, j->rows, j->group);
        CUDA_CHECK_LAUNCH();
    }
    pair_candidate() {
        char name[64];
        snprintf(name, sizeof name, "pair %3dx%-3d t%-4d ld%d st%d m%d", T, T, THREADS, LH, SH, MIN);
        add(name, launch, 4, 4, 2 * T, candidate::SQUARE);
    }
};

template <int ROWS, int THREADS, int SV, int LH, int SH> struct tall_candidate {
    static void launch(void *arg, cudaStream_t stream) {
        const job *j = (const job *)arg;
        int bytes = ROWS * (j->cols | 1) * 4;
        auto kernel = tall_kernel<ROWS, THREADS, SV, LH, SH>;
        allow(kernel, bytes);
        kernel<<<tiles(j->rows, ROWS), THREADS, bytes, stream>>>(j->in, j->out, j->rows, j->cols, 0);
        CUDA_CHECK_LAUNCH();
    }
    tall_candidate() {
        char name[64];
        snprintf(name, sizeof name, "tall %4d rows t%-4d S%d ld%d st%d", ROWS, THREADS, SV, LH, SH);
        add(name, launch, 1, 1, 0, candidate::TALL);
    }
};

template <int COLS, int EACH, int THREADS> struct row_candidate {
    static void launch(void *arg, cudaStream_t stream) {
        const job *j = (const job *)arg;
        row_kernel<COLS, EACH, THREADS><<<tiles(j->rows, THREADS * EACH), THREADS, 0, stream>>>(j->in, j->out, j->rows);
        CUDA_CHECK_LAUNCH();
    }
    row_candidate() {
        char name[64];
        snprintf(name, sizeof name, "rows of %d, %d for a thread, t%-4d", COLS, EACH, THREADS);
        add(name, launch, COLS, 1, 0, candidate::ROWS);
    }
};

template <int COLS, int THREADS, int LH, int SH> struct wide_candidate {
    static void launch(void *arg, cudaStream_t stream) {
        const job *j = (const job *)arg;
        int bytes = COLS * (j->rows | 1) * 4;
        auto kernel = wide_kernel<COLS, THREADS, LH, SH>;
        allow(kernel, bytes);
        kernel<<<tiles(j->cols, COLS), THREADS, bytes, stream>>>(j->in, j->out, j->rows, j->cols, 0);
        CUDA_CHECK_LAUNCH();
    }
    wide_candidate() {
        char name[64];
        snprintf(name, sizeof name, "wide %4d cols t%-4d ld%d st%d", COLS, THREADS, LH, SH);
        add(name, launch, 1, 1, 0, candidate::WIDE);
    }
};

// ---------------------------------------------------------------- copies, the limit

template <int EACH, int LH, int SH> static __global__ void copy_kernel(const float *from, float *to, int n) {
    int i = 4 * (blockIdx.x * 256 * EACH + threadIdx.x);
    float4 v[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (i + 1024 * k + 4 <= n) {
            v[k] = load4<LH>(from + i + 1024 * k);
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        if (i + 1024 * k + 4 <= n) {
            store4<SH>(to + i + 1024 * k, v[k]);
        }
    }
}

template <int EACH, int LH, int SH> struct copy_candidate {
    static void launch(void *arg, cudaStream_t stream) {
        const job *j = (const job *)arg;
        int n = j->rows * j->cols / 4 * 4;
        copy_kernel<EACH, LH, SH><<<tiles(n, 1024 * EACH), 256, 0, stream>>>(j->in, j->out, n);
        CUDA_CHECK_LAUNCH();
    }
    copy_candidate() {
        char name[64];
        snprintf(name, sizeof name, "copy, %d float4 for a thread, ld%d st%d", EACH, LH, SH);
        add(name, launch, 1, 1, 0, candidate::COPY);
    }
};

static void launch_plain_copy(void *arg, cudaStream_t stream) {
    const job *j = (const job *)arg;
    struct bench_copy copy = {(float4 *)j->in, (float4 *)j->out, (size_t)j->rows * j->cols / 4};
    bench_launch_copy(&copy, stream);
}

static void launch_memcpy(void *arg, cudaStream_t stream) {
    const job *j = (const job *)arg;
    CUDA_CHECK(cudaMemcpyAsync(j->out, j->in, (size_t)j->rows * j->cols * 4, cudaMemcpyDeviceToDevice, stream));
}

// ---------------------------------------------------------------- what is tried

/* One geometry with 16-byte accesses on both sides, plain and streamed. */
template <int TR, int TC, int THREADS, int MIN> static void add_tile44(void) {
    tile_candidate<TR, TC, THREADS, 4, 4, false, PLAIN, PLAIN, MIN>();
    tile_candidate<TR, TC, THREADS, 4, 4, false, STREAMED, STREAMED, MIN>();
}

/* One geometry for shapes where one side, or both, cannot have them. */
template <int TR, int TC, int THREADS, int MIN> static void add_tile_narrow(void) {
    tile_candidate<TR, TC, THREADS, 1, 4, false, PLAIN, PLAIN, MIN>();
    tile_candidate<TR, TC, THREADS, 4, 1, false, PLAIN, PLAIN, MIN>();
    tile_candidate<TR, TC, THREADS, 1, 1, false, PLAIN, PLAIN, MIN>();
    tile_candidate<TR, TC, THREADS, 1, 4, false, PLAIN, STREAMED, MIN>();
    tile_candidate<TR, TC, THREADS, 4, 1, false, PLAIN, STREAMED, MIN>();
}

static void add_copies(void) {
    for (int k = 0; k < 3; k++) {
        add("copy kernel", launch_plain_copy, 1, 1, 0, candidate::COPY);
    }
    add("cudaMemcpy", launch_memcpy, 1, 1, 0, candidate::COPY);
    copy_candidate<1, STREAMED, STREAMED>();
    copy_candidate<4, PLAIN, PLAIN>();
    copy_candidate<4, STREAMED, STREAMED>();
}

/* The first list: which way, which tile? */
static void add_first(void) {
    add_tile44<32, 32, 64, 1>();
    add_tile44<32, 32, 128, 1>();
    add_tile44<32, 32, 256, 8>();
    add_tile44<64, 32, 128, 1>();
    add_tile44<64, 32, 256, 8>();
    add_tile44<32, 64, 128, 1>();
    add_tile44<32, 64, 256, 8>();
    add_tile44<64, 64, 128, 1>();
    add_tile44<64, 64, 256, 8>();
    add_tile44<64, 64, 512, 4>();
    add_tile44<128, 32, 256, 1>();
    add_tile44<32, 128, 256, 1>();
    add_tile44<128, 64, 256, 1>();
    add_tile44<128, 64, 512, 1>();
    add_tile44<64, 128, 512, 1>();
    add_tile44<128, 128, 512, 1>();
    add_tile44<128, 128, 1024, 1>();
    tile_candidate<64, 64, 256, 4, 4, true, PLAIN, PLAIN, 8>();
    tile_candidate<64, 64, 256, 4, 4, true, STREAMED, STREAMED, 8>();
    tile_candidate<64, 64, 256, 4, 4, false, PLAIN, STREAMED, 8>();
    tile_candidate<64, 64, 256, 4, 4, false, STREAMED, PLAIN, 8>();
    tile_candidate<64, 64, 256, 4, 4, false, WIDE_SECTORS, PLAIN, 8>();
    tile_candidate<64, 64, 256, 4, 4, false, WIDE_SECTORS, STREAMED, 8>();
    tile_candidate<32, 32, 256, 4, 4, true, PLAIN, PLAIN, 8>();
    tile_candidate<128, 128, 512, 4, 4, true, PLAIN, PLAIN, 1>();

    add_tile_narrow<32, 32, 256, 8>();
    add_tile_narrow<64, 64, 256, 4>();
    add_tile_narrow<64, 64, 512, 4>();
    add_tile_narrow<64, 64, 1024, 2>();
    add_tile_narrow<32, 64, 256, 8>();
    add_tile_narrow<64, 32, 256, 8>();
    add_tile_narrow<128, 64, 512, 1>();
    add_tile_narrow<64, 128, 512, 1>();

    quad_candidate<32, 32, 64, PLAIN, PLAIN, 1>();
    quad_candidate<64, 64, 128, PLAIN, PLAIN, 1>();
    quad_candidate<64, 64, 256, PLAIN, PLAIN, 1>();
    quad_candidate<64, 64, 256, STREAMED, STREAMED, 1>();
    quad_candidate<128, 64, 256, PLAIN, PLAIN, 1>();
    quad_candidate<64, 128, 256, PLAIN, PLAIN, 1>();
    quad_candidate<128, 128, 512, PLAIN, PLAIN, 1>();
    quad_candidate<128, 128, 1024, PLAIN, PLAIN, 1>();

    register_candidate<64, 64, 256, 2, PLAIN, PLAIN, 1>();
    register_candidate<64, 64, 256, 4, PLAIN, PLAIN, 1>();
    register_candidate<64, 64, 256, 8, PLAIN, PLAIN, 1>();
    register_candidate<64, 64, 256, 4, PLAIN, STREAMED, 1>();
    register_candidate<32, 32, 64, 4, PLAIN, PLAIN, 1>();
    register_candidate<64, 64, 128, 4, PLAIN, PLAIN, 1>();
    register_candidate<128, 64, 256, 4, PLAIN, PLAIN, 1>();
    register_candidate<128, 128, 1024, 4, PLAIN, PLAIN, 1>();

    async_candidate<32, 32, 64, 4, PLAIN, 1>();
    async_candidate<32, 32, 128, 3, PLAIN, 1>();
    async_candidate<64, 64, 256, 2, PLAIN, 1>();
    async_candidate<64, 64, 256, 3, PLAIN, 1>();
    async_candidate<64, 64, 256, 3, STREAMED, 1>();
    async_candidate<64, 64, 128, 3, PLAIN, 1>();
    async_candidate<128, 64, 256, 2, PLAIN, 1>();
    async_candidate<128, 128, 512, 2, PLAIN, 1>();

    pair_candidate<32, 128, PLAIN, PLAIN, 1>();
    pair_candidate<32, 256, PLAIN, PLAIN, 1>();
    pair_candidate<32, 256, STREAMED, STREAMED, 1>();
    pair_candidate<64, 256, PLAIN, PLAIN, 1>();
    pair_candidate<64, 512, PLAIN, PLAIN, 1>();
    pair_candidate<64, 512, STREAMED, STREAMED, 1>();

    tall_candidate<128, 128, 1, PLAIN, PLAIN>();
    tall_candidate<256, 128, 1, PLAIN, PLAIN>();
    tall_candidate<256, 256, 1, PLAIN, PLAIN>();
    tall_candidate<512, 128, 1, PLAIN, PLAIN>();
    tall_candidate<512, 256, 1, PLAIN, PLAIN>();
    tall_candidate<1024, 256, 1, PLAIN, PLAIN>();
    tall_candidate<1024, 512, 1, PLAIN, PLAIN>();
    tall_candidate<512, 256, 1, STREAMED, STREAMED>();
    tall_candidate<256, 128, 4, PLAIN, PLAIN>();
    tall_candidate<256, 256, 4, PLAIN, PLAIN>();
    tall_candidate<512, 256, 4, PLAIN, PLAIN>();
    tall_candidate<1024, 256, 4, PLAIN, PLAIN>();
    tall_candidate<512, 256, 4, STREAMED, STREAMED>();

    wide_candidate<256, 128, PLAIN, PLAIN>();
    wide_candidate<256, 256, PLAIN, PLAIN>();
    wide_candidate<512, 256, PLAIN, PLAIN>();
    wide_candidate<1024, 256, PLAIN, PLAIN>();
    wide_candidate<512, 256, STREAMED, STREAMED>();
}

/* The second list: the first has shown that the order of the writes counts, and that fewer tiles in a multiprocessor may be better. */
template <int TR, int TC, int THREADS> static void add_words(void) {
    aligned_candidate<TR, TC, THREADS, 4, 4, 0, PLAIN>();
    aligned_candidate<TR, TC, THREADS, 4, 4, 0, WIDE_SECTORS>();
    aligned_candidate<TR, TC, THREADS, 1, 4, 0, PLAIN>();
    aligned_candidate<TR, TC, THREADS, 1, 1, 0, PLAIN>();
}

template <int TR, int TC, int THREADS> static void add_aligned(void) {
    aligned_candidate<TR, TC, THREADS, 1, 1, 8, PLAIN>();
    aligned_candidate<TR, TC, THREADS, 1, 4, 8, PLAIN>();
    aligned_candidate<TR, TC, THREADS, 1, 1, 16, PLAIN>();
    aligned_candidate<TR, TC, THREADS, 1, 1, 32, PLAIN>();
    aligned_candidate<TR, TC, THREADS, 1, 4, 32, PLAIN>();
    aligned_candidate<TR, TC, THREADS, 4, 4, 32, PLAIN>();
}

template <int ROWS> static void add_tall(void) {
    tall_candidate<ROWS, 128, 1, PLAIN, PLAIN>();
    tall_candidate<ROWS, 256, 1, PLAIN, PLAIN>();
    tall_candidate<ROWS, 512, 1, PLAIN, PLAIN>();
    tall_candidate<ROWS, 256, 4, PLAIN, PLAIN>();
    tall_candidate<ROWS, 256, 1, STREAMED, PLAIN>();
}

static void add_second(void) {
    add_words<32, 32, 256>();
    add_words<32, 64, 256>();
    add_words<32, 64, 512>();
    add_words<64, 32, 256>();
    add_words<64, 64, 256>();
    add_words<64, 64, 512>();
    add_words<64, 64, 1024>();
    add_words<64, 128, 512>();
    add_words<64, 128, 1024>();
    add_words<128, 64, 512>();
    add_words<128, 128, 1024>();
    add_words<32, 128, 512>();
    add_words<32, 256, 512>();

    add_aligned<32, 64, 256>();
    add_aligned<64, 32, 256>();
    add_aligned<64, 64, 256>();
    add_aligned<64, 64, 512>();
    add_aligned<128, 64, 512>();
    add_aligned<128, 32, 512>();
    add_aligned<96, 64, 512>();

    pair_candidate<32, 256, PLAIN, PLAIN, 1>();
    pair_candidate<64, 256, PLAIN, PLAIN, 1>();
    pair_candidate<64, 512, PLAIN, PLAIN, 1>();
    pair_candidate<64, 1024, PLAIN, PLAIN, 1>();
    pair_candidate<64, 512, WIDE_SECTORS, PLAIN, 1>();
    pair_candidate<64, 1024, WIDE_SECTORS, PLAIN, 1>();

    add_tall<128>();
    add_tall<256>();
    add_tall<384>();
    add_tall<512>();
    add_tall<768>();
    add_tall<960>();
    row_candidate<7, 1, 128>();
    row_candidate<7, 1, 256>();
    row_candidate<7, 2, 128>();
    row_candidate<7, 4, 128>();
    row_candidate<7, 1, 512>();
    row_candidate<8, 1, 256>();
    row_candidate<8, 2, 128>();

    wide_candidate<512, 128, PLAIN, PLAIN>();
    wide_candidate<1024, 256, PLAIN, PLAIN>();
    wide_candidate<1024, 512, PLAIN, PLAIN>();
    wide_candidate<2048, 256, PLAIN, PLAIN>();
}

// ---------------------------------------------------------------- verify

static __host__ __device__ unsigned mixed(unsigned i) {
    i *= 2654435761u;
    return (i ^ i >> 15) & 0x7F7FFFFFu; // no NaN
}

static __global__ void fill(unsigned *x, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        x[i] = mixed(i);
    }
}

/* How many elements of the result are not those of the transpose (of the copy: `straight`). */
static __global__ void count_wrong(const unsigned *out, int rows, int cols, bool straight, unsigned *wrong) {
    int n = rows * cols;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        int c = i / rows, r = i - c * rows;
        if (out[i] != mixed(straight ? i : r * cols + c)) {
            atomicAdd(wrong, 1);
        }
    }
}

static unsigned verify(candidate *c, job j) {
    static unsigned *wrong = NULL;
    unsigned found = 0;
    int n = j.rows * j.cols, checked = c->kind == candidate::COPY ? n / 4 * 4 : n;
    if (!wrong) {
        CUDA_CHECK(cudaMalloc((void **)&wrong, sizeof *wrong));
    }
    CUDA_CHECK(cudaMemset(wrong, 0, sizeof *wrong));
    CUDA_CHECK(cudaMemset(j.out, 0xFF, (size_t)n * 4));
    if (c->kind == candidate::SQUARE) {
        fill<<<1024, 256>>>((unsigned *)j.out, n);
    }
    j.group = c->group;
    j.fit = c->fit;
    c->launch(&j, 0);
    if (c->kind == candidate::COPY) {
        count_wrong<<<1024, 256>>>((const unsigned *)j.out, checked, 1, true, wrong);
    } else {
        count_wrong<<<1024, 256>>>((const unsigned *)j.out, j.rows, j.cols, false, wrong);
    }
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost));
    return found;
}

// ---------------------------------------------------------------- one shape

static bool fits(const candidate *c, int rows, int cols) {
    switch (c->kind) {
    case candidate::TILE:
        return cols % c->load == 0 && rows % c->store == 0 && cols >= 16 && rows >= 16;
    case candidate::ALIGNED:
        return cols % c->load == 0 && rows % c->store == 0 && cols >= 16 && rows >= 16 &&
               (!c->align || rows % c->align);
    case candidate::ROWS:
        return cols == c->load;
    case candidate::SQUARE:
        return rows == cols && rows % 4 == 0;
    case candidate::TALL:
        return cols <= 16;
    case candidate::WIDE:
        return rows <= 16;
    default:
        return true;
    }
}

static std::vector<candidate> candidates_for(int rows, int cols) {
    std::vector<candidate> all;
    for (candidate c : known) {
        if (!fits(&c, rows, cols) || (getenv("ONLY") && !strstr(c.name, getenv("ONLY")))) {
            continue;
        }
        if (cols % 4 == 0 && rows % 4 == 0 && c.load * c.store < 16 && c.kind == candidate::TILE &&
            strstr(c.name, "t256") == NULL) {
            continue; // of the narrow ones only some are looked at where wide ones can be had
        }
        const int first_list[] = {1, 4, 8, 16, 32, 64, -1}, second_list[] = {1, -1, -2, -4, -8, -16},
                  pairs[] = {1, 2, 4};
        std::vector<int> groups(first_list, first_list + 7), fit = {0};
        if (c.kind == candidate::ALIGNED) {
            groups.assign(second_list, second_list + 6);
            fit = {0, 2, 3, 4, 6};
        } else if (c.kind == candidate::SQUARE) {
            groups.assign(pairs, pairs + 3);
            fit = {0, 1, 2, 3, 4};
        } else if (!c.tile_rows) {
            groups.assign(1, 1);
        }
        for (int group : groups) {
            for (int each : fit) {
                c.group = group;
                c.fit = each;
                all.push_back(c);
            }
        }
    }
    return all;
}

static float time_once(const struct bench *flush, candidate *c, job j, cudaStream_t stream, cudaEvent_t start,
                       cudaEvent_t stop) {
    float milliseconds = 0;
    j.group = c->group;
    j.fit = c->fit;
    bench_flush(flush, stream);
    CUDA_CHECK(cudaEventRecord(start, stream));
    c->launch(&j, stream);
    CUDA_CHECK(cudaEventRecord(stop, stream));
    CUDA_CHECK(cudaEventSynchronize(stop));
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
    return milliseconds;
}

static void race(std::vector<candidate> &all, const job &j, int rounds) {
    struct bench flush = {};
    int l2 = 0;
    uint64_t state = 1;
    cudaStream_t stream;
    cudaEvent_t start, stop;
    CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    flush.flush_bytes = 2 * (size_t)l2 + (1 << 20);
    CUDA_CHECK(cudaMalloc((void **)&flush.flush, flush.flush_bytes));
    CUDA_CHECK(cudaMemset(flush.flush, 0, flush.flush_bytes));
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaDeviceSynchronize());
    std::vector<int> order(all.size());
    for (size_t k = 0; k < all.size(); k++) {
        order[k] = (int)k;
    }
    for (int round = -1; round < rounds; round++) { // the first warms up
        for (size_t k = all.size() - 1; k > 0; k--) {
            std::swap(order[k], order[(verify_next(&state) >> 33) % (k + 1)]);
        }
        for (int k : order) {
            float milliseconds = time_once(&flush, &all[k], j, stream, start, stop);
            if (round >= 0) {
                all[k].times.push_back(milliseconds);
            }
        }
    }
    for (candidate &c : all) {
        std::sort(c.times.begin(), c.times.end());
        c.median = c.times[c.times.size() / 2];
    }
    CUDA_CHECK(cudaStreamDestroy(stream));
    CUDA_CHECK(cudaFree(flush.flush));
}

static int environment(const char *name, int otherwise) {
    return getenv(name) ? atoi(getenv(name)) : otherwise;
}

/* Returns how many candidates were wrong. */
static int try_shape(int rows, int cols) {
    size_t n = (size_t)rows * cols;
    job j = {NULL, NULL, rows, cols, 1, 0};
    float *in;
    CUDA_CHECK(cudaMalloc((void **)&in, n * 4));
    CUDA_CHECK(cudaMalloc((void **)&j.out, n * 4));
    fill<<<1024, 256>>>((unsigned *)in, (int)n);
    j.in = in;
    std::vector<candidate> all = candidates_for(rows, cols), right;
    int wrong = 0;
    for (candidate &c : all) {
        unsigned bad = verify(&c, j);
        if (bad) {
            printf("WRONG: %s group %d fit %d: %u of %zu\n", c.name, c.group, c.fit, bad, n);
            wrong++;
        } else {
            right.push_back(c);
        }
    }
    printf("\n--- %d x %d: %zu candidates are right\n", rows, cols, right.size());
    if (!device_is_emulator() && !getenv("ONLY")) {
        race(right, j, environment("ROUNDS", 9));
        float copy = right[1].median < right[0].median ? right[1].median : right[0].median;
        copy = right[2].median < copy ? right[2].median : copy; // the best of the three
        std::sort(right.begin(), right.end(),
                  [](const candidate &a, const candidate &b) { return a.median < b.median; });
        printf("%-46s %6s %6s %10s %10s %10s %10s %10s\n", "candidate", "group", "fit", "ms", "shortest", "longest",
               "GB/s", "% of copy");
        int shown = 0;
        char row[128];
        record_part("tuning LIST=%d %d x %d", environment("LIST", 2), rows, cols);
        for (const candidate &c : right) {
            if (shown++ < environment("SHOWN", 100000) || c.kind == candidate::COPY) {
                printf("%-46s %6d %6d %10.4f %10.4f %10.4f %10.1f %10.2f\n", c.name, c.group, c.fit, c.median,
                       c.times.front(), c.times.back(), 8e-6 * n / c.median, 100 * copy / c.median);
                snprintf(row, sizeof row, "%s group %d fit %d", c.name, c.group, c.fit);
                record_row(row, "ms", c.median, "ms");
                record_row(row, "% of copy", 100 * copy / c.median, "%");
            }
        }
    }
    fflush(stdout);
    CUDA_CHECK(cudaFree(in));
    CUDA_CHECK(cudaFree(j.out));
    return wrong;
}

int main(int argc, char **argv) {
    device_print_backend();
    add_copies();
    if (environment("LIST", 2) == 1) {
        add_first();
    } else {
        add_second();
    }
    int wrong = 0;
    if (argc == 3) {
        wrong = try_shape(atoi(argv[1]), atoi(argv[2]));
    } else {
        static const int shapes[][2] = {{16384, 16384}, {4096, 4097},   {10000, 3000},  {1000003, 7}, {4097, 4096},
                                        {7, 1000003},   {16400, 16400}, {15007, 15013}, {1000000, 8}};
        for (const int *shape : shapes) {
            wrong += try_shape(shape[0], shape[1]);
        }
    }
    printf("%s: sweep\n", wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
