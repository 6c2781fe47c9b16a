/* Lesson 11b: look-back, a scan in a single launch.
 *
 *     make lesson11b run                     versions 6 to 11 on several sizes, verified, then measured (or counted)
 *     make lesson11b run V=8 SIZE=1000003    one version, one size
 *
 * You will learn how tiles that run in any order pass sums to one another within one launch, how two blocks hand over a number without a
 * fence, and how loads stay in flight while a block waits. The versions count on from lesson 11, whose fifth took three launches.
 *
 *     scan_kernel6     one launch: each tile waits for the one before it
 *     scan_kernel7     look-back: a tile adds up what the tiles before it have published, back to the nearest prefix
 *     scan_kernel8     look-back by a warp: 32 tiles at once
 *     scan_kernel9     persistent blocks: a tile is stored when the next one has been scanned, and those after it are in flight
 *     scan_kernel10    no look-back: all blocks proceed in rounds, and each reads the sums of all
 *     scan_kernel11    version 9, exclusive: each element gets the sum of all before it, without its own
 */
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/verify.h"

// Machine code for three generations; of PTX only the newest. The first two have no bulk copies.
// arch: sm_75 sm_80 sm_90

typedef float element; // or int: everything here works for both

#include "../lesson11_scan/measure.h"

enum { FIRST = 6 };   // the number of this lesson's first version
enum { BLOCK = 512 }; // threads of a block
enum { ROWS = 8 };    // a warp has 8 rows of 128 elements, a block has a tile of 16384
enum { WORDS = 8 };   // version 10: words that a lane looks at
enum { STAGES = 2 };  // tiles of a block that are in shared memory, or in flight to it

#include "../lesson11_scan/tile.h" // sums of warps, and tiles in registers

// ---------------------------------------------------------------- the reference

/* In double, so that its own rounding does not count; for ints it is exact, as long as no sum reaches 2^53. */
static void scan_cpu(const element *x, double *sums, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i];
        sums[i] = sum;
    }
}

// ---------------------------------------------------------------- one launch

/* What a tile has to say to others: a status, and a number that goes with it, in one word of 8 bytes. Nobody can see one without the
 * other, so there is nothing to keep in order, and no fence. */
enum status { NOTHING, SUM, PREFIX }; // nothing yet; the sum of the tile; the sum of all up to the tile's end
typedef unsigned long long word;

static __device__ word word_of(enum status status, element value) {
    unsigned bits;
    memcpy(&bits, &value, sizeof bits);
    return (word)status << 32 | bits;
}

static __device__ enum status status_of(word w) {
    return (enum status)(w >> 32);
}

static __device__ element value_of(word w) {
    unsigned bits = (unsigned)w;
    element value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* relaxed: in one piece, and each time anew from L2, where all multiprocessors meet; it says nothing of any other word. */
static __device__ word load_word(const word *p) {
    word w;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(w) : "l"(p));
    return w;
}

static __device__ void store_word(word *p, word w) {
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(p), "l"(w));
}

/* Which tile does this block take? The number of those that have begun, not blockIdx: whoever has a lower number is running
 * already or done, so whoever waits for it waits for somebody. */
static __device__ int take_tile(unsigned *ticket) {
    __shared__ int tile;
    if (threadIdx.x == 0) {
        tile = (int)atomicAdd(ticket, 1u);
    }
    __syncthreads();
    return tile;
}

/* Versions 6 to 8: one tile, in one block. `find` is what they differ in: warp 0 calls it, all 32 lanes, with the sum of the tile. It
 * returns the sum of all tiles before, in lane 0 at least, and says the prefix of this one. */
template <element (*find)(word *words, int tile, element sum)>
static __device__ void scan_tile(const element *x, element *y, int n, word *words, unsigned *ticket) {
    __shared__ element before_tile;
    int tile = take_tile(ticket), first = first_element(tile);
    bool fours = in_fours(x, y, tile, n);
    struct four v[ROWS];
    element total;
    load_rows(v, x, first, n, fours);
    element before = before_warp(scan_rows<false>(v), &total);
    if (threadIdx.x < WARP) {
        element found = find(words, tile, total);
        if (threadIdx.x == 0) {
            before_tile = found;
        }
    }
    __syncthreads();
    store_rows(v, before_tile + before, y, first, n, fours);
}

/* Version 6: tile after tile. Lane 0 waits until the tile before knows its prefix, and says its own. */
static __device__ element wait_for_one(word *words, int tile, element sum) {
    element before = 0;
    if (threadIdx.x == 0) {
        if (tile > 0) {
            word w = load_word(&words[tile - 1]);
            while (status_of(w) != PREFIX) {
                w = load_word(&words[tile - 1]);
            }
            before = value_of(w);
        }
        store_word(&words[tile], word_of(PREFIX, before + sum));
    }
    return before;
}

static __global__ void scan_kernel6(const element *x, element *y, int n, word *words, unsigned *ticket) {
    scan_tile<wait_for_one>(x, y, n, words, ticket);
}

/* Version 7, decoupled look-back: the sum of a tile is known long before its prefix, so say it at once. Who comes later
 * adds up the sums of the tiles before it, going back, until one has a prefix. */
static __device__ element look_back_one(word *words, int tile, element sum) {
    element before = 0;
    if (threadIdx.x == 0) {
        store_word(&words[tile], word_of(SUM, sum));
        for (int other = tile - 1; other >= 0; other--) {
            word w = load_word(&words[other]);
            while (status_of(w) == NOTHING) {
                w = load_word(&words[other]);
            }
            before += value_of(w);
            if (status_of(w) == PREFIX) {
                break;
            }
        }
        store_word(&words[tile], word_of(PREFIX, before + sum));
    }
    return before;
}

static __global__ void scan_kernel7(const element *x, element *y, int n, word *words, unsigned *ticket) {
    scan_tile<look_back_one>(x, y, n, words, ticket);
}

/* Version 8: each lane looks at another tile, lane 0 at the nearest one. What is before the first tile counts as a prefix of 0. Returns
 * the sum of all tiles before, in all lanes. */
static __device__ element look_back(const word *words, int tile) {
    int lane = threadIdx.x;
    element before = 0;
    bool found = false;
    for (int other = tile - 1 - lane; !found; other -= WARP) {
        word w;
        do {
            w = other >= 0 ? load_word(&words[other]) : word_of(PREFIX, 0);
        } while (__any_sync(ALL_LANES, status_of(w) == NOTHING));
        unsigned prefixes = __ballot_sync(ALL_LANES, status_of(w) == PREFIX);
        found = prefixes != 0;
        int last = found ? __ffs(prefixes) - 1 : WARP - 1; // the nearest tile with a prefix
        before += lane <= last ? value_of(w) : 0;
    }
    return warp_sum(before);
}

static __device__ element look_back_warp(word *words, int tile, element sum) {
    if (threadIdx.x == 0) {
        store_word(&words[tile], word_of(SUM, sum));
    }
    element before = look_back(words, tile);
    if (threadIdx.x == 0) {
        store_word(&words[tile], word_of(PREFIX, before + sum));
    }
    return before;
}

static __global__ void scan_kernel8(const element *x, element *y, int n, word *words, unsigned *ticket) {
    scan_tile<look_back_warp>(x, y, n, words, ticket);
}

// ---------------------------------------------------------------- blocks that stay

#include "pipeline.h" // request(), take(): tiles on their way to shared memory

/* A tile that has been scanned and not been stored: what is before it is not known yet. */
struct held {
    int tile;
    element before, sum; // of the warps before this one in the tile; of the tile
    struct four v[ROWS];
};

/* Version 9's: what is before a tile, by look-back. */
struct by_look_back {
    static __device__ element find(word *words, int tile, int, element sum, element *) {
        element before = look_back(words, tile);
        if (threadIdx.x == 0) {
            store_word(&words[tile], word_of(PREFIX, before + sum));
        }
        return before;
    }
};

/* Looks at the words `at`, `at` - 32, ... (another `at` in each lane), as far as they lie from low to high, until all of them say something.
 * They are on their way together. */
static __device__ void wait_for_words(word (&w)[WORDS], const word *words, int at, int low, int high) {
    bool missing = true;
    while (__any_sync(ALL_LANES, missing)) {
        for (int k = 0; k < WORDS; k++) {
            int other = at - k * WARP;
            w[k] = low <= other && other <= high ? load_word(&words[other]) : word_of(SUM, 0);
        }
        missing = false;
        for (int k = 0; k < WORDS; k++) {
            missing = missing || status_of(w[k]) == NOTHING;
        }
    }
}

/* Version 10's: in round r, block b has tile r * gridDim.x + b. All blocks read the sums of all tiles of the round: those of the blocks
 * before, and all of them for the next round. */
struct by_rounds {
    static __device__ element find(word *words, int tile, int tiles, element, element *all_rounds) {
        int low = tile - blockIdx.x, high = min(low + (int)gridDim.x, tiles) - 1;
        element before = 0, all = 0;
        for (int at = low + threadIdx.x + (WORDS - 1) * WARP; at - threadIdx.x - (WORDS - 1) * WARP <= high;
             at += WORDS * WARP) {
            word w[WORDS];
            wait_for_words(w, words, at, low, high);
            for (int k = 0; k < WORDS; k++) {
                before += at - k * WARP < tile ? value_of(w[k]) : 0;
                all += value_of(w[k]);
            }
        }
        before = *all_rounds + warp_sum(before);
        *all_rounds += warp_sum(all);
        return before;
    }
};

/* Warp 0 finds what is before the tile; then all store it. */
template <class Finder>
static __device__ void finish_tile(const struct held *held, element *y, int n, int tiles, word *words, bool fours,
                                   element *all_rounds) {
    __shared__ element before_tile;
    if (threadIdx.x < WARP) {
        element found = Finder::find(words, held->tile, tiles, held->sum, all_rounds);
        if (threadIdx.x == 0) {
            before_tile = found;
        }
    }
    __syncthreads();
    store_rows(held->v, before_tile + held->before, y, first_element(held->tile), n, fours);
}

/* Versions 9 to 11: as many blocks as there is room for, and each takes tile after tile. In versions 6 to 8 a block has nothing on its way
 * while it waits for others. Here the next tiles are on their way all the time, and nobody asks for what is before a tile until the next
 * tile has been scanned: by then the others have said their sums. Thread 0 draws the tickets; without `ticket` it is in turns. */
template <class Finder, bool EXCLUSIVE>
static __device__ void scan_tiles(const element *x, element *y, int n, word *words, unsigned *ticket) {
    __shared__ struct pipeline p;
    int tiles = (n - 1) / TILE + 1, stage = 0, round = 0;
    struct held held;
    held.tile = -1;
    element all_rounds = 0;
    start_pipeline(&p, ticket, x, n);
    while (p.tile[stage] < tiles) {
        int tile = p.tile[stage], next = tile + STAGES * gridDim.x;
        if (ticket && threadIdx.x == 0) {
            next = (int)atomicAdd(ticket, 1u); // asked for now, needed later
        }
        struct four v[ROWS];
        element sum;
        take(v, &p, stage, round, x, n);
        element before = before_warp(scan_rows<EXCLUSIVE>(v), &sum);
        if (threadIdx.x == 0) {
            store_word(&words[tile], word_of(SUM, sum));
            request(&p, stage, next, x, n); // every warp has read its rows of this stage
        }
        if (held.tile >= 0) {
            finish_tile<Finder>(&held, y, n, tiles, words, in_fours(y, y, held.tile, n), &all_rounds);
        } else {
            __syncthreads();
        }
        held.tile = tile;
        held.before = before;
        held.sum = sum;
        for (int r = 0; r < ROWS; r++) {
            held.v[r] = v[r];
        }
        stage = stage + 1 < STAGES ? stage + 1 : 0;
        round += stage == 0;
    }
    if (held.tile >= 0) {
        __syncthreads(); // all have stored the tile before
        finish_tile<Finder>(&held, y, n, tiles, words, in_fours(y, y, held.tile, n), &all_rounds);
    }
}

static __global__ void __launch_bounds__(BLOCK, 1)
    scan_kernel9(const element *x, element *y, int n, word *words, unsigned *ticket) {
    scan_tiles<by_look_back, false>(x, y, n, words, ticket);
}

static __global__ void __launch_bounds__(BLOCK, 1)
    scan_kernel10(const element *x, element *y, int n, word *words, unsigned *) {
    scan_tiles<by_rounds, false>(x, y, n, words, NULL);
}

static __global__ void __launch_bounds__(BLOCK, 1)
    scan_kernel11(const element *x, element *y, int n, word *words, unsigned *ticket) {
    scan_tiles<by_look_back, true>(x, y, n, words, ticket);
}

// ---------------------------------------------------------------- the launchers

typedef void (*single_pass)(const element *, element *, int, word *, unsigned *);

/* Versions 6 to 11: the ticket and the words of all tiles are cleared, and then there is one launch. words[-1] is the ticket. */
static word *clear_words(const struct arrays *a, int tiles, cudaStream_t stream) {
    CUDA_CHECK(cudaMemsetAsync(a->words, 0, (1 + tiles) * sizeof(word), stream));
    return a->words + 1;
}

static void scan_in_one(single_pass kernel, const struct arrays *a, cudaStream_t stream) {
    int tiles = ceil_div(a->n, TILE);
    if (tiles == 0) {
        return;
    }
    word *words = clear_words(a, tiles, stream);
    kernel<<<tiles, BLOCK, 0, stream>>>(a->x, a->y, a->n, words, (unsigned *)a->words);
    CUDA_CHECK_LAUNCH();
}

static void scan6(const struct arrays *a, cudaStream_t stream) {
    scan_in_one(scan_kernel6, a, stream);
}

static void scan7(const struct arrays *a, cudaStream_t stream) {
    scan_in_one(scan_kernel7, a, stream);
}

static void scan8(const struct arrays *a, cudaStream_t stream) {
    scan_in_one(scan_kernel8, a, stream);
}

static int attribute(enum cudaDeviceAttr which) {
    int device = 0, value = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

/* Versions 9 to 11: one block for each multiprocessor. A cooperative launch promises that all of them run at the same time, or fails:
 * version 10 needs that. */
static void scan_with_all(single_pass kernel, const struct arrays *a, cudaStream_t stream) {
    int tiles = ceil_div(a->n, TILE), n = a->n;
    if (tiles == 0) {
        return;
    }
    int blocks = min(tiles, attribute(cudaDevAttrMultiProcessorCount));
    size_t shared = attribute(cudaDevAttrComputeCapabilityMajor) >= 9 ? STAGES * TILE * sizeof(element) : 0;
    word *words = clear_words(a, tiles, stream);
    unsigned *ticket = (unsigned *)a->words;
    void *arguments[] = {(void *)&a->x, (void *)&a->y, &n, &words, &ticket};
    CUDA_CHECK(cudaFuncSetAttribute((const void *)kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared));
    CUDA_CHECK(cudaLaunchCooperativeKernel((const void *)kernel, blocks, BLOCK, arguments, shared, stream));
}

static void scan9(const struct arrays *a, cudaStream_t stream) {
    scan_with_all(scan_kernel9, a, stream);
}

static void scan10(const struct arrays *a, cudaStream_t stream) {
    scan_with_all(scan_kernel10, a, stream);
}

static void scan11(const struct arrays *a, cudaStream_t stream) {
    scan_with_all(scan_kernel11, a, stream);
}

static const struct version versions[] = {
    {"scan_kernel6", scan6, false, false},  {"scan_kernel7", scan7, false, true},
    {"scan_kernel8", scan8, false, true},   {"scan_kernel9", scan9, false, true},
    {"scan_kernel10", scan10, false, true}, {"scan_kernel11", scan11, true, false},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

int main(int argc, char **argv) {
    const int sizes[] = {0, 1, 31, 33, 1000, 1025, 100003},
              tables[] = {device_is_emulator() ? 1 << 19 : (1 << 24) + 12345, device_is_emulator() ? 0 : 1 << 28};
    frame lesson = frame_of("scan", versions, VERSIONS);
    lesson.first_version = FIRST;
    return lesson_main(&lesson, sizes, tables, argc, argv);
}
