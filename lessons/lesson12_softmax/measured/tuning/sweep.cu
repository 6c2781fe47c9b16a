/* sweep.cu - many softmaxes on many shapes, each verified, all timed in turns with copies: how the lesson's versions were chosen.
 *
 *     ./sweep                             every shape in float and bfloat16; a table for each, the fastest first
 *     ./sweep f32 32768 8192              one shape (f32, bf16 or causal)
 *     ROUNDS=9 SHOWN=40 ./sweep
 *     ONLY='block 256x8' ./sweep ...      only candidates whose names have these words: for a profiler
 *
 * Compiled with -DSWEEP_F32 or -DSWEEP_BF16 it has one half of the candidates, and is compiled in half of the time; with
 * -DSWEEP_LONG those of the second round, for long rows and rows that are not aligned.
 *
 * The device verifies: a plain kernel in double precision makes the expected result, another one counts what is wrong. Each round runs
 * every candidate once in an order of its own, behind a flush of the L2 cache (common/bench.h); the median counts.
 */
#include <algorithm>
#include <string>
#include <vector>

#include "../../../../common/bench.h"
#include "../../../../common/verify.h"
#include "kernels.cuh"

struct job {
    void *x, *y;
    int rows, cols;
    unsigned long long *words; // WORDS of them, 0 between two launches
    unsigned *ticket;          // 0 between two launches
};
static const size_t WORDS = 32u << 20;

struct candidate {
    std::string name;
    void (*launch)(const struct job &, cudaStream_t);
    bool (*fits)(int rows, int cols);
    std::vector<float> times;
    float median;
    long long wrong;
};

enum { F32, BF16, CAUSAL, KINDS };
static std::vector<candidate> known[KINDS];

static int multiprocessors(void) {
    int count = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0));
    return count;
}

static int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

static const char *hints_of(int hints) {
    static const char *const names[] = {"", " ldcs", " stcs", " ldcs stcs"};
    return names[hints];
}

/* Blocks of a kernel that the device holds at once. */
template <class K> static int places(K kernel, int threads) {
    int blocks = 0;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
    return blocks * multiprocessors();
}

static void add(int kind, const char *name, void (*launch)(const struct job &, cudaStream_t), bool (*fits)(int, int)) {
    candidate c = {};
    c.name = name;
    c.launch = launch;
    c.fits = fits;
    known[kind].push_back(c);
}

template <class... A> static std::string text(const char *format, A... a) {
    char buffer[128];
    snprintf(buffer, sizeof buffer, format, a...);
    return buffer;
}

// ---------------------------------------------------------------- candidates

template <class T, int W, int THREADS, int PASSES, int UNROLL> static void add_again(int kind) {
    add(
        kind, text("%d passes, %dx%d unroll %d", PASSES, THREADS, W, UNROLL).c_str(),
        [](const job &j, cudaStream_t s) {
            again_kernel<T, W, THREADS, PASSES, UNROLL>
                <<<j.rows, THREADS, 0, s>>>((const T *)j.x, (T *)j.y, j.rows, j.cols);
        },
        [](int, int cols) { return cols % W == 0 && cols >= THREADS; });
}

/* A block of THREADS * N * W elements is for rows that fill more than half of it. */
template <class T, int W, int N, int THREADS, int BLOCKS, int HINTS, int MODE> static void add_block(int kind) {
    add(
        kind, text("block %dx%dx%d mode %d min %d%s", THREADS, N, W, MODE, BLOCKS, hints_of(HINTS)).c_str(),
        [](const job &j, cudaStream_t s) {
            block_kernel<T, W, N, THREADS, BLOCKS, HINTS, MODE>
                <<<j.rows, THREADS, 0, s>>>((const T *)j.x, (T *)j.y, j.rows, j.cols);
        },
        [](int, int cols) { return cols % W == 0 && cols <= THREADS * N * W && 2 * cols > THREADS * N * W; });
}

template <class T, int W, int N, int THREADS, int BLOCKS, int HINTS> static void add_stay(int kind) {
    add(
        kind, text("stay %dx%dx%d min %d%s", THREADS, N, W, BLOCKS, hints_of(HINTS)).c_str(),
        [](const job &j, cudaStream_t s) {
            auto kernel = stay_kernel<T, W, N, THREADS, BLOCKS, HINTS>;
            kernel<<<std::min(j.rows, places(kernel, THREADS)), THREADS, 0, s>>>((const T *)j.x, (T *)j.y, j.rows,
                                                                                 j.cols);
        },
        [](int, int cols) { return cols % W == 0 && cols <= THREADS * N * W && 2 * cols > THREADS * N * W; });
}

template <class T, int W, int N, int LANES, int ROWS, int THREADS, int HINTS> static void add_warp(int kind) {
    add(
        kind, text("warp %d lanes x%dx%d, %d rows, block %d%s", LANES, N, W, ROWS, THREADS, hints_of(HINTS)).c_str(),
        [](const job &j, cudaStream_t s) {
            warp_kernel<T, W, N, LANES, ROWS, THREADS, HINTS>
                <<<ceil_div(j.rows, THREADS / LANES * ROWS), THREADS, 0, s>>>((const T *)j.x, (T *)j.y, j.rows, j.cols);
        },
        [](int, int cols) { return cols % W == 0 && cols <= LANES * N * W && 2 * cols > LANES * N * W; });
}

template <class T, int W, int N, int THREADS, int BLOCKS, int HINTS, int EXCHANGE> static void add_share(int kind) {
    static const char *const names[] = {"index", "ticket", "memset"};
    add(
        kind, text("share %dx%dx%d %s min %d%s", THREADS, N, W, names[EXCHANGE], BLOCKS, hints_of(HINTS)).c_str(),
        [](const job &j, cudaStream_t s) {
            int K = ceil_div(j.cols, THREADS * N * W);
            if (EXCHANGE == MEMSET) {
                CUDA_CHECK(cudaMemsetAsync(j.words, 0, (size_t)j.rows * K * 8, s));
            }
            share_kernel<T, W, N, THREADS, BLOCKS, HINTS, EXCHANGE>
                <<<j.rows * K, THREADS, 0, s>>>((const T *)j.x, (T *)j.y, j.rows, j.cols, K, j.words, j.ticket);
            if (EXCHANGE == MEMSET) { // for the others
                CUDA_CHECK(cudaMemsetAsync(j.words, 0, (size_t)j.rows * K * 8, s));
            }
        },
        [](int rows, int cols) {
            int K = ceil_div(cols, THREADS * N * W);
            return cols % W == 0 && K > 1 && K <= 32 && (size_t)rows * K * K <= WORDS;
        });
}

template <class T, int W, int N, int THREADS, int BLOCKS, int HINTS> static void add_cluster(int kind) {
    add(
        kind, text("cluster %dx%dx%d min %d%s", THREADS, N, W, BLOCKS, hints_of(HINTS)).c_str(),
        [](const job &j, cudaStream_t s) {
            auto kernel = cluster_kernel<T, W, N, THREADS, BLOCKS, HINTS>;
            int K = ceil_div(j.cols, THREADS * N * W);
            cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
            cudaLaunchConfig_t config = {};
            cudaLaunchAttribute size[1];
            size[0].id = cudaLaunchAttributeClusterDimension;
            size[0].val.clusterDim.x = K;
            size[0].val.clusterDim.y = size[0].val.clusterDim.z = 1;
            config.gridDim = j.rows * K;
            config.blockDim = THREADS;
            config.stream = s;
            config.attrs = size;
            config.numAttrs = 1;
            cudaLaunchKernelEx(&config, kernel, (const T *)j.x, (T *)j.y, j.rows, j.cols,
                               K); // not every size of cluster is possible
        },
        [](int, int cols) {
            int K = ceil_div(cols, THREADS * N * W);
            return cols % W == 0 && K > 1 && K <= 16;
        });
}

template <class T, int W, int THREADS, int BLOCKS, int UNROLL, bool BACK, int K> static void add_reread(int kind) {
    add(
        kind,
        text("reread %dx%d unroll %d min %d, %d blocks%s", THREADS, W, UNROLL, BLOCKS, K, BACK ? ", back" : "").c_str(),
        [](const job &j, cudaStream_t s) {
            reread_kernel<T, W, THREADS, BLOCKS, UNROLL, BACK>
                <<<j.rows * K, THREADS, 0, s>>>((const T *)j.x, (T *)j.y, j.rows, j.cols, K, j.words);
        },
        [](int rows, int cols) {
            return cols % (W * K) == 0 && cols / K >= THREADS * W && cols >= 65536 && (size_t)rows * K * K <= WORDS;
        });
}

template <class T, int W, int N, int THREADS, int BLOCKS, int HINTS> static void add_shifted(int kind) {
    add(
        kind, text("shifted %dx%dx%d min %d%s", THREADS, N, W, BLOCKS, hints_of(HINTS)).c_str(),
        [](const job &j, cudaStream_t s) {
            int K = ceil_div(j.cols + W - 1, THREADS * N * W);
            shifted_kernel<T, W, N, THREADS, BLOCKS, HINTS>
                <<<j.rows * K, THREADS, 0, s>>>((const T *)j.x, (T *)j.y, j.rows, j.cols, K, j.words);
        },
        [](int rows, int cols) {
            int K = ceil_div(cols + W - 1, THREADS * N * W);
            return cols % 8 != 0 && K <= 32 && 2 * cols > THREADS * N * W && (size_t)rows * K * K <= WORDS;
        });
}

template <class T, int W, int N, int THREADS, int BLOCKS, int HINTS> static void add_causal(void) {
    add(
        CAUSAL, text("causal %dx%dx%d min %d%s", THREADS, N, W, BLOCKS, hints_of(HINTS)).c_str(),
        [](const job &j, cudaStream_t s) {
            causal_kernel<T, W, N, THREADS, BLOCKS, HINTS>
                <<<j.rows, THREADS, 0, s>>>((const T *)j.x, (T *)j.y, j.rows, j.cols, 0);
        },
        [](int, int cols) { return cols % W == 0 && cols <= THREADS * N * W; });
    add(
        CAUSAL, text("causal %dx%dx%d min %d%s, longest first", THREADS, N, W, BLOCKS, hints_of(HINTS)).c_str(),
        [](const job &j, cudaStream_t s) {
            causal_kernel<T, W, N, THREADS, BLOCKS, HINTS>
                <<<j.rows, THREADS, 0, s>>>((const T *)j.x, (T *)j.y, j.rows, j.cols, 1);
        },
        [](int, int cols) { return cols % W == 0 && cols <= THREADS * N * W; });
}

template <class T, int W, int N, int THREADS> static void add_block_modes(int kind) {
    add_block<T, W, N, THREADS, 1, 0, 1>(kind);
    add_block<T, W, N, THREADS, 1, 0, 2>(kind);
    add_block<T, W, N, THREADS, 1, LOAD_CS, 1>(kind);
    add_block<T, W, N, THREADS, 1, STORE_CS, 1>(kind);
    add_block<T, W, N, THREADS, 1, LOAD_CS | STORE_CS, 1>(kind);
    add_block<T, W, N, THREADS, 1, LOAD_CS | STORE_CS, 2>(kind);
    if (N * W >= 8 && N * W <= 32) {
        const int most = 2048 / THREADS; // at most 32 registers: all threads that a multiprocessor holds
        add_block<T, W, N, THREADS, most * 3 / 4, 0, 1>(kind);
        add_block<T, W, N, THREADS, most / 2, 0, 1>(kind);
    }
}

template <class T, int W, int N, int LANES> static void add_warp_modes(int kind) {
    add_warp<T, W, N, LANES, 1, 128, 0>(kind);
    add_warp<T, W, N, LANES, 1, 256, 0>(kind);
    add_warp<T, W, N, LANES, 1, 64, 0>(kind);
    add_warp<T, W, N, LANES, 1, 256, LOAD_CS | STORE_CS>(kind);
    add_warp<T, W, N, LANES, 1, 128, LOAD_CS | STORE_CS>(kind);
    if (N * W <= 32) {
        add_warp<T, W, N, LANES, 2, 256, 0>(kind);
        add_warp<T, W, N, LANES, 2, 128, 0>(kind);
        add_warp<T, W, N, LANES, 2, 256, LOAD_CS | STORE_CS>(kind);
    }
    if (N * W <= 8) {
        add_warp<T, W, N, LANES, 4, 256, 0>(kind);
        add_warp<T, W, N, LANES, 4, 128, 0>(kind);
        add_warp<T, W, N, LANES, 1, 512, 0>(kind);
    }
}

template <class T, int W, int N, int THREADS> static void add_share_modes(int kind) {
    add_share<T, W, N, THREADS, 1, 0, INDEX>(kind);
    add_share<T, W, N, THREADS, 1, 0, TICKET>(kind);
    add_share<T, W, N, THREADS, 1, 0, MEMSET>(kind);
    add_share<T, W, N, THREADS, 1, LOAD_CS | STORE_CS, INDEX>(kind);
    add_share<T, W, N, THREADS, 1, LOAD_CS | STORE_CS, TICKET>(kind);
    add_cluster<T, W, N, THREADS, 1, 0>(kind);
    add_cluster<T, W, N, THREADS, 1, LOAD_CS | STORE_CS>(kind);
}

template <class T> static void add_all(int kind) {
    const int W = 16 / sizeof(T);
    add_again<T, 1, 256, 3, 1>(kind);
    add_again<T, 1, 256, 3, 4>(kind);
    add_again<T, 1, 256, 2, 4>(kind);
    add_again<T, 1, 1024, 2, 4>(kind);
    add_again<T, W, 256, 3, 4>(kind);
    add_again<T, W, 256, 2, 4>(kind);
    add_again<T, W, 512, 2, 4>(kind);
    add_again<T, W, 1024, 3, 4>(kind);
    add_again<T, W, 1024, 2, 4>(kind);
    add_again<T, W, 1024, 2, 8>(kind);

    add_block<T, 1, 32, 256, 1, 0, 1>(kind); // single elements
    add_block<T, 1, 16, 512, 1, 0, 1>(kind);
    add_block<T, 1, 8, 1024, 1, 0, 1>(kind);
    add_block<T, 1, 50, 1024, 1, 0, 1>(kind);
    add_block<T, W, 8, 256, 1, 0, 3>(kind);
    add_block_modes<T, W, 1, 128>(kind); // 512 floats
    add_block_modes<T, W, 2, 64>(kind);
    add_block_modes<T, W, 4, 64>(kind); // 1024
    add_block_modes<T, W, 2, 128>(kind);
    add_block_modes<T, W, 1, 256>(kind);
    add_block_modes<T, W, 4, 128>(kind); // 2048
    add_block_modes<T, W, 2, 256>(kind);
    add_block_modes<T, W, 8, 128>(kind); // 4096
    add_block_modes<T, W, 4, 256>(kind);
    add_block_modes<T, W, 2, 512>(kind);
    add_block_modes<T, W, 1, 1024>(kind);
    add_block_modes<T, W, 8, 256>(kind); // 8192
    add_block_modes<T, W, 4, 512>(kind);
    add_block_modes<T, W, 2, 1024>(kind);
    add_block_modes<T, W, 8, 512>(kind); // 16384
    add_block_modes<T, W, 4, 1024>(kind);
    if constexpr (sizeof(T) == 4) {
        add_block_modes<T, 4, 16, 128>(kind);
    }
    add_stay<T, W, 2, 512, 1, 0>(kind);
    add_stay<T, W, 1, 1024, 1, 0>(kind);
    add_stay<T, W, 4, 256, 1, 0>(kind);
    add_stay<T, W, 4, 512, 1, 0>(kind);
    add_stay<T, W, 4, 512, 2, 0>(kind);
    add_stay<T, W, 2, 1024, 1, 0>(kind);
    add_stay<T, W, 2, 1024, 1, LOAD_CS | STORE_CS>(kind);

    add_warp<T, 1, 2, 32, 1, 256, 0>(kind); // 64 columns, single elements
    add_warp<T, 1, 32, 32, 1, 256, 0>(kind);
    add_warp_modes<T, W, 64 / W / 4, 4>(kind); // 64 columns
    add_warp_modes<T, W, 64 / W / 8, 8>(kind);
    if constexpr (sizeof(T) == 4) {
        add_warp_modes<T, 4, 1, 16>(kind);
    }
    add_warp_modes<T, W, 1024 / W / 32, 32>(kind); // 1024
    add_warp_modes<T, W, 2048 / W / 32, 32>(kind); // 2048

    add_share_modes<T, W, 4, 256>(kind);
    add_share_modes<T, W, 4, 512>(kind);
    add_share_modes<T, W, 2, 1024>(kind);
    add_share_modes<T, W, 4, 1024>(kind);
    if constexpr (sizeof(T) == 4) {
        add_share_modes<T, 4, 8, 256>(kind);
        add_share_modes<T, 4, 8, 512>(kind);
        add_share_modes<T, 4, 8, 1024>(kind);
        add_share_modes<T, 4, 16, 256>(kind);
        add_share_modes<T, 4, 16, 512>(kind);
    } else {
        add_share_modes<T, 8, 2, 512>(kind);
        add_share_modes<T, 8, 2, 256>(kind);
        add_share_modes<T, 8, 8, 256>(kind);
    }
    add_reread<T, W, 1024, 1, 4, false, 1>(kind);
    add_reread<T, W, 1024, 2, 4, false, 1>(kind);
    add_reread<T, W, 1024, 1, 4, true, 1>(kind);
    add_reread<T, W, 1024, 2, 4, true, 1>(kind);
    add_reread<T, W, 1024, 1, 4, false, 2>(kind);
    add_reread<T, W, 1024, 2, 4, false, 2>(kind);
    add_reread<T, W, 1024, 2, 4, true, 2>(kind);
    add_reread<T, W, 1024, 2, 4, false, 4>(kind);
    add_reread<T, W, 1024, 2, 4, true, 4>(kind);
    add_reread<T, W, 1024, 2, 2, false, 4>(kind);
    add_reread<T, W, 1024, 2, 4, false, 8>(kind);
    add_reread<T, W, 512, 4, 4, false, 8>(kind);
    add_reread<T, W, 512, 4, 4, false, 16>(kind);

    add_shifted<T, W, 2, 128, 1, 0>(kind); // 1001 columns
    add_shifted<T, W, 1, 256, 1, 0>(kind);
    add_shifted<T, W, 3, 128, 1, 0>(kind);
    add_shifted<T, W, 2, 512, 1, 0>(kind);
    add_shifted<T, W, 4, 256, 1, 0>(kind);
    add_shifted<T, W, 4, 512, 1, 0>(kind); // 50257 columns: 50264 / 2048 and so on
    add_shifted<T, W, 4, 1024, 1, 0>(kind);
    add_shifted<T, W, 2, 1024, 1, 0>(kind);
    add_shifted<T, W, 7, 1024, 1, 0>(kind);
    add_shifted<T, W, 7, 512, 1, 0>(kind);
    add_shifted<T, W, 7, 256, 1, 0>(kind);
    add_shifted<T, W, 5, 256, 1, 0>(kind);
    add_shifted<T, W, 5, 512, 1, 0>(kind);
    add_shifted<T, W, 7, 512, 1, LOAD_CS | STORE_CS>(kind);
    add_shifted<T, 1, 8, 128, 1, 0>(kind);
    add_shifted<T, 1, 25, 512, 1, 0>(kind);
    add_shifted<T, 1, 25, 1024, 1, 0>(kind);
    add_shifted<T, 1, 13, 1024, 1, 0>(kind);
    add_shifted<T, 1, 13, 512, 1, 0>(kind);
    add_shifted<T, 1, 25, 256, 1, 0>(kind);
}

template <class T, int R, int S, int THREADS, int BLOCKS, int HOW, bool ONCE> static void add_keep(int kind) {
    static const char *const names[] = {"cleared", "teams", "ahead"};
    add(
        kind, text("keep %dx(%d+%d) %s min %d%s", THREADS, R, S, names[HOW], BLOCKS, ONCE ? " once" : "").c_str(),
        [](const job &j, cudaStream_t s) {
            auto kernel = keep_kernel<T, R, S, THREADS, BLOCKS, HOW, ONCE>;
            const int W = 16 / sizeof(T), bytes = S * THREADS * 16;
            int rows = j.rows, cols = j.cols, K = ceil_div(cols + (cols % W ? W - 1 : 0), (R + S) * THREADS * W),
                fit = 0;
            const T *x = (const T *)j.x;
            T *y = (T *)j.y;
            unsigned long long *words = j.words;
            CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
            if (HOW == CLEARED) {
                if (K > 1) {
                    CUDA_CHECK(cudaMemsetAsync(words, 0, (size_t)rows * K * 8, s));
                }
                kernel<<<rows * K, THREADS, bytes, s>>>(x, y, rows, cols, K, words);
                if (K > 1) { // for the others
                    CUDA_CHECK(cudaMemsetAsync(words, 0, (size_t)rows * K * 8, s));
                }
                return;
            }
            CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, THREADS, bytes));
            int teams = std::min(rows, fit * multiprocessors() / K);
            void *arguments[] = {&x, &y, &rows, &cols, &K, &words};
            CUDA_CHECK(
                cudaLaunchCooperativeKernel((void *)kernel, dim3(teams * K), dim3(THREADS), arguments, bytes, s));
        },
        [](int rows, int cols) {
            const int W = 16 / sizeof(T);
            int K = ceil_div(cols + (cols % W ? W - 1 : 0), (R + S) * THREADS * W);
            return cols >= 32768 && K <= 32 && (K > 1 || 2 * cols > (R + S) * THREADS * W);
        });
}

template <class T, int R, int S, int THREADS, int BLOCKS> static void add_keep_modes(int kind) {
    const bool once = sizeof(T) == 4;
    add_keep<T, R, S, THREADS, BLOCKS, CLEARED, once>(kind);
    add_keep<T, R, S, THREADS, BLOCKS, TEAMS, once>(kind);
    add_keep<T, R, S, THREADS, BLOCKS, AHEAD, once>(kind);
    if (once && S > 0) {
        add_keep<T, R, S, THREADS, BLOCKS, CLEARED, false>(kind);
        add_keep<T, R, S, THREADS, BLOCKS, AHEAD, false>(kind);
    }
}

template <class T, int R, int S, int THREADS, int UNROLL> static void add_hybrid(int kind) {
    add(
        kind, text("hybrid %dx(%d+%d) unroll %d", THREADS, R, S, UNROLL).c_str(),
        [](const job &j, cudaStream_t s) {
            auto kernel = hybrid_kernel<T, R, S, THREADS, UNROLL>;
            const int bytes = S * THREADS * 16;
            CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
            kernel<<<j.rows, THREADS, bytes, s>>>((const T *)j.x, (T *)j.y, j.rows, j.cols);
        },
        [](int, int cols) { return cols >= 32768 && cols >= (R + S) * THREADS * (int)(16 / sizeof(T)); });
}

template <class T> static void add_long(int kind) {
    add_keep_modes<T, 8, 8, 256, 1>(kind); // 64 KiB
    add_keep_modes<T, 6, 10, 256, 1>(kind);
    add_keep_modes<T, 4, 12, 256, 1>(kind);
    add_keep_modes<T, 8, 8, 512, 1>(kind);  // 128 KiB
    add_keep_modes<T, 8, 8, 1024, 1>(kind); // 256 KiB
    add_keep_modes<T, 4, 12, 1024, 1>(kind);
    add_keep_modes<T, 8, 8, 128, 1>(kind); // 32 KiB
    add_keep_modes<T, 4, 4, 256, 1>(kind);
    add_keep_modes<T, 4, 4, 256, 7>(kind);
    add_keep_modes<T, 4, 4, 512, 1>(kind); // 64 KiB
    add_keep_modes<T, 2, 6, 512, 1>(kind);
    add_keep_modes<T, 8, 0, 256, 1>(kind); // 32 KiB
    add_keep_modes<T, 5, 8, 512, 1>(kind); // 50257 columns
    add_keep_modes<T, 5, 8, 512, 3>(kind);
    add_keep_modes<T, 5, 8, 256, 1>(kind);
    add_keep_modes<T, 5, 8, 256, 6>(kind);
    add_keep_modes<T, 5, 8, 128, 1>(kind);
    add_keep_modes<T, 5, 8, 1024, 1>(kind);
    add_keep_modes<T, 3, 4, 512, 1>(kind);
    add_keep_modes<T, 3, 4, 1024, 1>(kind);
    add_keep_modes<T, 3, 4, 256, 1>(kind);
    add_hybrid<T, 8, 13, 1024, 2>(kind);
    add_hybrid<T, 4, 13, 1024, 4>(kind);
    add_hybrid<T, 8, 8, 1024, 4>(kind);
    add_hybrid<T, 4, 6, 512, 4>(kind);
    add_hybrid<T, 8, 6, 512, 4>(kind);
    add_hybrid<T, 4, 4, 512, 4>(kind);
    add_hybrid<T, 4, 3, 512, 4>(kind);

    const int W = 16 / sizeof(T);
    add_block<T, 1, 50, 1024, 1, 0, 1>(kind);
    add_again<T, 1, 1024, 2, 4>(kind);
    add_again<T, W, 1024, 2, 8>(kind);
    add_share<T, W, 8, 256, 1, 0, MEMSET>(kind);
    add_share<T, W, 8, 256, 1, 0, TICKET>(kind);
    add_cluster<T, W, 8, 1024, 1, 0>(kind);
    add_shifted<T, W, 7, 512, 1, 0>(kind);
    add_shifted<T, W, 4, 512, 1, 0>(kind);
    add_shifted<T, W, 4, 1024, 1, 0>(kind);
    add_shifted<T, W, 7, 1024, 1, 0>(kind);
    add_shifted<T, W, 7, 256, 1, 0>(kind);
    add_shifted<T, W, 2, 128, 1, 0>(kind); // 1001 columns
    add_shifted<T, W, 3, 128, 1, 0>(kind);
    add_shifted<T, W, 1, 256, 1, 0>(kind);
    add_shifted<T, W, 1, 128, 1, 0>(kind);
    add_shifted<T, 1, 8, 128, 1, 0>(kind);
    add_shifted<T, 1, 4, 256, 1, 0>(kind);
    add_shifted<T, W, 2, 1024, 1, 0>(kind); // 8191 columns
    add_shifted<T, W, 3, 1024, 1, 0>(kind);
    add_shifted<T, W, 4, 256, 1, 0>(kind);
    add_shifted<T, W, 5, 256, 1, 0>(kind);
    add_shifted<T, W, 5, 512, 1, 0>(kind);
}

struct plain_copy {
    template <int KIND> static void launch(const job &j, cudaStream_t s) {
        size_t bytes = (size_t)j.rows * j.cols * (KIND == BF16 ? 2 : 4);
        struct bench_copy copy = {(float4 *)j.x, (float4 *)j.y, bytes / 16};
        bench_launch_copy(&copy, s);
    }
};

static void add_everything(void) {
    auto always = [](int, int) { return true; };
    for (int k = 1; k <= 3; k++) {
        add(F32, text("copy kernel %d", k).c_str(), plain_copy::launch<F32>, always);
        add(BF16, text("copy kernel %d", k).c_str(), plain_copy::launch<BF16>, always);
        add(CAUSAL, text("copy kernel %d", k).c_str(), plain_copy::launch<CAUSAL>, always);
    }
    add(
        F32, "cudaMemcpy",
        [](const job &j, cudaStream_t s) {
            CUDA_CHECK(cudaMemcpyAsync(j.y, j.x, (size_t)j.rows * j.cols * 4, cudaMemcpyDeviceToDevice, s));
        },
        always);
#ifdef SWEEP_LONG
#ifndef SWEEP_BF16
    add_long<float>(F32);
#else
    add_long<__nv_bfloat16>(BF16);
#endif
    return;
#endif
#ifndef SWEEP_BF16
    add_all<float>(F32);
#endif
#ifndef SWEEP_F32
    add_all<__nv_bfloat16>(BF16);
#endif
    add_causal<float, 4, 8, 256, 1, 0>();
    add_causal<float, 4, 4, 512, 1, 0>();
    add_causal<float, 4, 2, 1024, 1, 0>();
    add_causal<float, 4, 8, 256, 1, 3>();
    add_causal<float, 4, 4, 512, 1, 2>();
    add_causal<float, 4, 4, 256, 1, 0>();
    add_causal<float, 4, 8, 128, 1, 0>();
    add_causal<float, 4, 2, 512, 1, 0>();
}

// ---------------------------------------------------------------- the device verifies

static __device__ float element(unsigned i, unsigned r) {
    unsigned h = (i ^ r * 0x85EBCA6Bu) * 0x9E3779B1u;
    h = (h ^ h >> 15) * 0x2C1B3C6Du;
    h ^= h >> 13;
    return (float)(h >> 8) * (16.0f / 16777216.0f) - 8.0f + (r % 3 == 1 ? 1000.0f : 0.0f);
}

template <class T> static __global__ void fill_kernel(T *x, int cols) {
    int r = blockIdx.x;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
        float value = element(c, r);
        value = r % 17 == 3 && c % 5 != 2 ? -INFINITY : value; // rows with few elements
        value = r % 101 == 7 ? -INFINITY : value;              // and with none
        value = r % 103 == 9 && c == cols / 2 ? NAN : value;
        x[(size_t)r * cols + c] = from_float<T>(value);
    }
}

template <class T> static __global__ void expect_kernel(const T *x, float *y, int cols, int causal) {
    __shared__ double words[256];
    int r = blockIdx.x, length = causal ? r % cols + 1 : cols;
    const T *row = x + (size_t)r * cols;
    double m = -INFINITY, s = 0;
    for (int c = threadIdx.x; c < length; c += 256) {
        m = fmax(m, (double)to_float(row[c]));
    }
    words[threadIdx.x] = m;
    __syncthreads();
    for (int t = 0; t < 256; t++) {
        m = fmax(m, words[t]);
    }
    __syncthreads();
    for (int c = threadIdx.x; c < length; c += 256) {
        s += exp((double)to_float(row[c]) - m);
    }
    words[threadIdx.x] = s;
    __syncthreads();
    s = 0;
    for (int t = 0; t < 256; t++) {
        s += words[t];
    }
    for (int c = threadIdx.x; c < cols; c += 256) {
        y[(size_t)r * cols + c] = (float)((c < length ? exp((double)to_float(row[c]) - m) : 0.0) / s);
    }
}

template <class T>
static __global__ void compare_kernel(const T *y, const float *expected, size_t n, float rtol,
                                      unsigned long long *wrong) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float found = to_float(y[i]), e = expected[i];
        bool good = isnan(e) ? isnan(found) : fabsf(found - e) <= rtol * e + 1e-12f;
        if (!good) {
            atomicAdd(wrong, 1ull);
        }
    }
}

template <class T> static long long count_wrong(const job &j, const float *expected) {
    static unsigned long long *wrong = NULL;
    unsigned long long host = 0;
    if (!wrong) {
        CUDA_CHECK(cudaMalloc((void **)&wrong, sizeof *wrong));
    }
    CUDA_CHECK(cudaMemset(wrong, 0, sizeof *wrong));
    compare_kernel<<<2048, 256>>>((const T *)j.y, expected, (size_t)j.rows * j.cols, sizeof(T) == 4 ? 2e-5f : 8e-3f,
                                  wrong);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&host, wrong, sizeof host, cudaMemcpyDeviceToHost));
    return (long long)host;
}

// ---------------------------------------------------------------- the race

static int number_of(const char *name, int otherwise) {
    return getenv(name) ? atoi(getenv(name)) : otherwise;
}

static bool wanted(const std::string &name) {
    const char *words = getenv("ONLY");
    return !words || name.find(words) != std::string::npos || name.find("copy kernel") == 0;
}

static void check_all(std::vector<candidate *> &all, int kind, const job &j, const float *expected) {
    size_t bytes = (size_t)j.rows * j.cols * (kind == BF16 ? 2 : 4);
    for (candidate *c : all) {
        CUDA_CHECK(cudaMemset(j.y, 0xff, bytes));
        c->launch(j, 0);
        cudaError_t error = cudaGetLastError();
        if (error == cudaSuccess) {
            error = cudaDeviceSynchronize();
        }
        if (error != cudaSuccess) {
            printf("%s: %s\n", c->name.c_str(), cudaGetErrorName(error));
            c->wrong = -1;
        } else {
            c->wrong += kind == BF16 ? count_wrong<__nv_bfloat16>(j, expected) : count_wrong<float>(j, expected);
        }
    }
}

static void race(std::vector<candidate *> &all, const job &j, const struct bench *flush) {
    cudaStream_t stream;
    cudaEvent_t start, stop;
    uint64_t state = 12345;
    const int rounds = number_of("ROUNDS", 9);
    CUDA_CHECK(cudaStreamCreate(&stream));
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    std::vector<candidate *> order = all;
    for (int round = -1; round < rounds; round++) {
        for (size_t k = order.size() - 1; k > 0; k--) {
            std::swap(order[k], order[verify_next(&state) % (k + 1)]);
        }
        for (candidate *c : order) {
            float milliseconds = 0;
            if (c->wrong < 0) {
                c->times.push_back(1e9f);
                continue;
            }
            bench_flush(flush, stream);
            CUDA_CHECK(cudaEventRecord(start, stream));
            c->launch(j, stream);
            CUDA_CHECK(cudaEventRecord(stop, stream));
            CUDA_CHECK(cudaEventSynchronize(stop));
            CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
            if (round >= 0) {
                c->times.push_back(milliseconds);
            }
        }
    }
    CUDA_CHECK(cudaGetLastError());
    for (candidate *c : all) {
        std::sort(c->times.begin(), c->times.end());
        c->median = c->times[c->times.size() / 2];
    }
}

static void shape(int kind, int rows, int cols) {
    static const char *const kinds[] = {"f32", "bf16", "causal"};
    const size_t size = kind == BF16 ? 2 : 4, n = (size_t)rows * cols;
    struct bench flush = {};
    job j = {NULL, NULL, rows, cols, NULL, NULL};
    float *expected;
    int l2 = 0;
    CUDA_CHECK(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0));
    flush.flush_bytes = 2 * (size_t)l2 + (1 << 20);
    CUDA_CHECK(cudaMalloc((void **)&flush.flush, flush.flush_bytes));
    CUDA_CHECK(cudaMemset(flush.flush, 0, flush.flush_bytes));
    CUDA_CHECK(cudaMalloc(&j.x, n * size + 64));
    CUDA_CHECK(cudaMalloc(&j.y, n * size + 64));
    CUDA_CHECK(cudaMalloc((void **)&expected, n * 4));
    CUDA_CHECK(cudaMalloc((void **)&j.words, WORDS * 8));
    CUDA_CHECK(cudaMemset(j.words, 0, WORDS * 8));
    CUDA_CHECK(cudaMalloc((void **)&j.ticket, 4));
    CUDA_CHECK(cudaMemset(j.ticket, 0, 4));
    if (kind == BF16) {
        fill_kernel<<<rows, 256>>>((__nv_bfloat16 *)j.x, cols);
        expect_kernel<<<rows, 256>>>((const __nv_bfloat16 *)j.x, expected, cols, 0);
    } else {
        fill_kernel<<<rows, 256>>>((float *)j.x, cols);
        expect_kernel<<<rows, 256>>>((const float *)j.x, expected, cols, kind == CAUSAL);
    }
    CUDA_CHECK_LAUNCH();
    std::vector<candidate *> all;
    for (candidate &c : known[kind]) {
        if (c.fits(rows, cols) && wanted(c.name)) {
            c.wrong = 0;
            c.times.clear();
            all.push_back(&c);
        }
    }
    check_all(all, kind, j, expected);
    race(all, j, &flush);
    check_all(all, kind, j, expected); // after the race once more
    std::vector<float> copies;
    for (candidate *c : all) {
        if (c->name.find("copy kernel") == 0) {
            copies.push_back(c->median);
        }
    }
    std::sort(copies.begin(), copies.end());
    float copy = copies[copies.size() / 2];
    std::stable_sort(all.begin(), all.end(), [](candidate *a, candidate *b) { return a->median < b->median; });
    printf("\n--- %s %d x %d, copy %.4f ms, %.1f GB/s\n", kinds[kind], rows, cols, copy, 2e-6 * n * size / copy);
    int shown = 0;
    for (candidate *c : all) {
        bool always = c->name.find("passes") != std::string::npos || c->name.find("copy") != std::string::npos ||
                      c->name.find("cudaMemcpy") == 0;
        bool is_copy = c->name.find("copy") == 0 || c->name.find("cudaMemcpy") == 0;
        if (shown++ < number_of("SHOWN", 1000) || always) {
            printf("%-48s %9.4f ms  %9.4f .. %9.4f  %8.2f %%%s\n", c->name.c_str(), c->median, c->times.front(),
                   c->times.back(), 100 * copy / c->median,
                   c->wrong && !is_copy ? text("  WRONG: %lld", c->wrong).c_str() : "");
            record_row(c->name.c_str(), "ms", c->median, "ms");
            record_row(c->name.c_str(), "% of copy", 100 * copy / c->median, "%");
        }
    }
    fflush(stdout);
    for (void *p : {j.x, j.y, (void *)expected, (void *)j.words, (void *)j.ticket, (void *)flush.flush}) {
        CUDA_CHECK(cudaFree(p));
    }
}

int main(int argc, char **argv) {
    add_everything();
    if (argc == 4) {
        shape(argv[1][0] == 'f' ? F32 : argv[1][0] == 'b' ? BF16 : CAUSAL, atoi(argv[2]), atoi(argv[3]));
        return 0;
    }
#ifdef SWEEP_LONG
    static const int rows_of_long[][2] = {{4096, 131072}, {10000, 50257}, {32, 131072}, {200000, 1001}, {32768, 8191}};
    for (auto &s : rows_of_long) {
#ifndef SWEEP_BF16
        shape(F32, s[0], s[1]);
#else
        shape(BF16, s[0], s[1]);
#endif
    }
    return 0;
#endif
    static const int f32[][2] = {{32768, 8192},  {1000000, 64},  {4096, 131072}, {262144, 1024},
                                 {10000, 50257}, {32, 131072},   {65536, 4096},  {131072, 2048},
                                 {200000, 1001}, {16384, 16384}, {300000, 1000}};
    static const int bf16[][2] = {{32768, 8192},  {1000000, 64},  {4096, 131072},
                                  {262144, 1024}, {10000, 50257}, {32, 131072}};
    static const int causal[][2] = {{32768, 8192}, {65536, 4096}};
#ifndef SWEEP_BF16
    for (auto &s : f32) {
        shape(F32, s[0], s[1]);
    }
    for (auto &s : causal) {
        shape(CAUSAL, s[0], s[1]);
    }
#endif
#ifndef SWEEP_F32
    for (auto &s : bf16) {
        shape(BF16, s[0], s[1]);
    }
#endif
    return 0;
}
