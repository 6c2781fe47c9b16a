/* kernels.cuh - the transposes that sweep.cu times: one kernel for each way to move a tile, with everything that can be chosen as a
 * template parameter. All of them: in[rows][cols] -> out[cols][rows], any shape.
 *
 *     tile_kernel        through shared memory word by word; loads and stores of 4 or 16 bytes
 *     aligned_kernel     the same, and what a block writes begins at a multiple of 4 * ALIGN bytes in each row
 *     quad_kernel        4 x 4 elements are transposed in registers; shared memory is written and read 16 bytes at a time
 *     register_kernel    4 x 4 elements in registers, and no shared memory at all
 *     async_kernel       as many blocks as fit; cp.async fills the next tiles while this one is stored
 *     pair_kernel        square, in place: a tile and its mirror image
 *     tall_kernel        few columns: a block takes whole rows
 *     row_kernel         few columns: a thread takes a whole row, and there is no shared memory
 *     wide_kernel        few rows: a block takes whole columns
 *
 * `group` is the order of the blocks: strips of `group` rows of tiles, each from left to right, and in it from top to bottom. 1 is the order
 * of the rows. A negative one means strips of so many columns of tiles, each from top to bottom, and in it from left to right: -1 is the order of the
 * columns.
 */
#ifndef LESSON08_TUNING_KERNELS_CUH
#define LESSON08_TUNING_KERNELS_CUH

#include <cuda_pipeline.h>

#include "../../../../common/check.h"

struct job {
    const float *in;
    float *out;
    int rows, cols, group;
    int fit; // so many blocks in a multiprocessor: the others find no shared memory; 0: as many as there is room for
};

enum {
    PLAIN,
    STREAMED,
    WIDE_SECTORS
}; // hints of loads (the third: L2 may fetch 256 bytes) and of stores (the first two)

template <int HINT> static __device__ __forceinline__ float load(const float *p) {
    if (HINT == STREAMED) {
        return __ldcs(p);
    }
    return *p;
}

template <int HINT> static __device__ __forceinline__ float4 load4(const float *p) {
    if (HINT == STREAMED) {
        return __ldcs((const float4 *)p);
    }
    if (HINT == WIDE_SECTORS) {
        float4 v;
        asm volatile("ld.global.L2::256B.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "l"(p));
        return v;
    }
    return *(const float4 *)p;
}

template <int HINT> static __device__ __forceinline__ void store(float *p, float v) {
    if (HINT == STREAMED) {
        __stcs(p, v);
    } else {
        *p = v;
    }
}

template <int HINT> static __device__ __forceinline__ void store4(float *p, float4 v) {
    if (HINT == STREAMED) {
        __stcs((float4 *)p, v);
    } else {
        *(float4 *)p = v;
    }
}

// ---------------------------------------------------------------- where a block's tile is

static __host__ __device__ __forceinline__ int tiles(int n, int tile) {
    return (n + tile - 1) / tile;
}

static __device__ __forceinline__ void place(int b, int tiles_y, int tiles_x, int group, int *ty, int *tx) {
    if (group < 0) {
        int strip = b / (-group * tiles_y), in_strip = b - strip * -group * tiles_y;
        int width = min(-group, tiles_x + strip * group);
        *ty = in_strip / width;
        *tx = strip * -group + in_strip - *ty * width;
        return;
    }
    int strip = b / (group * tiles_x), in_strip = b - strip * group * tiles_x;
    int height = min(group, tiles_y - strip * group);
    *tx = in_strip / height;
    *ty = strip * group + in_strip - *tx * height;
}

// ---------------------------------------------------------------- word by word

/* In which word element (r, c) of the tile lies. In both ways 32 elements of a row lie in 32 banks, 32 of a column do, and so do 4 x 8. */
template <int TC, bool XOR> static __device__ __forceinline__ int word_of(int r, int c) {
    return XOR ? r * TC + (c ^ (r & 31)) : r * (TC + 1) + c;
}

template <int TR, int TC, int THREADS, int LV, int SV, bool XOR, int LH, int SH, int MIN>
static __global__ void __launch_bounds__(THREADS, MIN)
    tile_kernel(const float *in, float *out, int rows, int cols, int group) {
    extern __shared__ float tile[];
    int ty, tx;
    place(blockIdx.x, tiles(rows, TR), tiles(cols, TC), group, &ty, &tx);
    const int r0 = ty * TR, c0 = tx * TC, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    constexpr int WARPS = THREADS / 32, LOADS = TR / LV * (TC / 32), STORES = TC / SV * (TR / 32);
    static_assert(LOADS % WARPS == 0 && STORES % WARPS == 0, "every warp moves as much");
    if (r0 + TR <= rows && c0 + TC <= cols) {
        float v[LOADS / WARPS * LV];
#pragma unroll
        for (int k = 0; k < LOADS / WARPS; k++) {
            int unit = k * WARPS + warp;
            int r = unit / (TC / 32) * LV + (LV == 4 ? lane / 8 : 0);
            int c = unit % (TC / 32) * 32 + (LV == 4 ? lane % 8 * 4 : lane);
            const float *p = in + (size_t)(r0 + r) * cols + c0 + c;
            if (LV == 4) {
                float4 q = load4<LH>(p);
                v[4 * k] = q.x, v[4 * k + 1] = q.y, v[4 * k + 2] = q.z, v[4 * k + 3] = q.w;
            } else {
                v[k] = load<LH>(p);
            }
        }
#pragma unroll
        for (int k = 0; k < LOADS / WARPS; k++) {
            int unit = k * WARPS + warp;
            int r = unit / (TC / 32) * LV + (LV == 4 ? lane / 8 : 0);
            int c = unit % (TC / 32) * 32 + (LV == 4 ? lane % 8 * 4 : lane);
#pragma unroll
            for (int j = 0; j < LV; j++) {
                tile[word_of<TC, XOR>(r, c + j)] = v[LV * k + j];
            }
        }
    } else {
        for (int t = threadIdx.x; t < TR * TC; t += THREADS) {
            int r = t / TC, c = t % TC;
            if (r0 + r < rows && c0 + c < cols) {
                tile[word_of<TC, XOR>(r, c)] = in[(size_t)(r0 + r) * cols + c0 + c];
            }
        }
    }
    __syncthreads();
    if (r0 + TR <= rows && c0 + TC <= cols) {
#pragma unroll
        for (int k = 0; k < STORES / WARPS; k++) {
            int unit = k * WARPS + warp;
            int c = unit / (TR / 32) * SV + (SV == 4 ? lane / 8 : 0);
            int r = unit % (TR / 32) * 32 + (SV == 4 ? lane % 8 * 4 : lane);
            float *p = out + (size_t)(c0 + c) * rows + r0 + r;
            if (SV == 4) {
                store4<SH>(p, make_float4(tile[word_of<TC, XOR>(r, c)], tile[word_of<TC, XOR>(r + 1, c)],
                                          tile[word_of<TC, XOR>(r + 2, c)], tile[word_of<TC, XOR>(r + 3, c)]));
            } else {
                store<SH>(p, tile[word_of<TC, XOR>(r, c)]);
            }
        }
    } else {
        for (int t = threadIdx.x; t < TR * TC; t += THREADS) {
            int c = t / TR, r = t % TR;
            if (r0 + r < rows && c0 + c < cols) {
                out[(size_t)(c0 + c) * rows + r0 + r] = tile[word_of<TC, XOR>(r, c)];
            }
        }
    }
}

// ---------------------------------------------------------------- and in whole sectors

/* A row of `out` begins anywhere, so a tile's border would cut sectors in two, and two blocks would write each of them in part. Here the border of
 * row c is moved up by as many elements as its address is behind a multiple of ALIGN, at most ALIGN - 1. So a block needs so many rows of `in` above its
 * own. ALIGN 0: no moving. `out` itself lies on a multiple of 4 * ALIGN bytes. */
template <int TR, int TC, int THREADS, int LV, int SV, int ALIGN, int LH>
static __global__ void __launch_bounds__(THREADS)
    aligned_kernel(const float *in, float *out, int rows, int cols, int group) {
    extern __shared__ float tile[]; // row 0 is row r0 - ALIGN of `in`
    int ty, tx;
    place(blockIdx.x, tiles(rows + (ALIGN ? ALIGN - 1 : 0), TR), tiles(cols, TC), group, &ty, &tx);
    const int r0 = ty * TR, c0 = tx * TC, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    constexpr int WARPS = THREADS / 32, LOADS = (TR + ALIGN) / LV * (TC / 32), STORES = TC / SV * (TR / 32);
    constexpr int EACH = (LOADS + WARPS - 1) / WARPS;
    float v[EACH * LV];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int unit = k * WARPS + warp;
        int r = r0 - ALIGN + unit / (TC / 32) * LV + (LV == 4 ? lane / 8 : 0);
        int c = c0 + unit % (TC / 32) * 32 + (LV == 4 ? lane % 8 * 4 : lane);
        const float *p =
            in + (size_t)min(max(r, 0), rows - 1) * cols + min(c, cols - LV); // there is something in any case
        if (LV == 4) {
            float4 q = load4<LH>(p);
            v[4 * k] = q.x, v[4 * k + 1] = q.y, v[4 * k + 2] = q.z, v[4 * k + 3] = q.w;
        } else {
            v[k] = load<LH>(p);
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int unit = k * WARPS + warp;
        int r = unit / (TC / 32) * LV + (LV == 4 ? lane / 8 : 0);
        int c = unit % (TC / 32) * 32 + (LV == 4 ? lane % 8 * 4 : lane);
        if (LOADS % WARPS == 0 || unit < LOADS) {
#pragma unroll
            for (int j = 0; j < LV; j++) {
                tile[r * (TC + 1) + c + j] = v[LV * k + j];
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < STORES / WARPS; k++) {
        int unit = k * WARPS + warp;
        int c = unit / (TR / 32) * SV + (SV == 4 ? lane / 8 : 0);
        int up = ALIGN ? (int)((unsigned)(c0 + c) * (unsigned)rows % (ALIGN ? ALIGN : 1)) : 0;
        int r = unit % (TR / 32) * 32 + (SV == 4 ? lane % 8 * 4 : lane) - up;
        const float *word = tile + (r + ALIGN) * (TC + 1) + c;
        float *p = out + (size_t)(c0 + c) * rows + r0 + r;
        if (c0 + c >= cols) {
            continue;
        }
        if (SV == 4 && 0 <= r0 + r && r0 + r + 4 <= rows) {
            store4<PLAIN>(p, make_float4(word[0], word[TC + 1], word[2 * (TC + 1)], word[3 * (TC + 1)]));
        } else {
#pragma unroll
            for (int j = 0; j < SV; j++) {
                if (0 <= r0 + r + j && r0 + r + j < rows) {
                    p[j] = word[j * (TC + 1)];
                }
            }
        }
    }
}

// ---------------------------------------------------------------- 4 x 4 in registers

/* What the kernels that move whole quads do where the tile sticks out. */
template <int TR, int TC, int THREADS>
static __device__ void move_edge(const float *in, float *out, int rows, int cols, int r0, int c0) {
    for (int t = threadIdx.x; t < TR * TC; t += THREADS) {
        int c = t / TR, r = t % TR;
        if (r0 + r < rows && c0 + c < cols) {
            out[(size_t)(c0 + c) * rows + r0 + r] = in[(size_t)(r0 + r) * cols + c0 + c];
        }
    }
}

/* The tile is kept transposed: row c of it are TR / 4 quads. Quad p of row c lies at p ^ (c / 4 % 8), so that 8 lanes that write with 8
 * different c / 4 and one p meet in no bank, nor do 8 lanes that read with 8 different p and one c. */
template <int TR, int TC, int THREADS, int LH, int SH, int MIN>
static __global__ void __launch_bounds__(THREADS, MIN)
    quad_kernel(const float *in, float *out, int rows, int cols, int group) {
    extern __shared__ float4 quads[];
    int ty, tx;
    place(blockIdx.x, tiles(rows, TR), tiles(cols, TC), group, &ty, &tx);
    const int r0 = ty * TR, c0 = tx * TC, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (r0 + TR > rows || c0 + TC > cols) {
        move_edge<TR, TC, THREADS>(in, out, rows, cols, r0, c0);
        return;
    }
    constexpr int WARPS = THREADS / 32, UNITS = TR / 16 * (TC / 32), STORES = TC / 4 * (TR / 32);
    static_assert(UNITS % WARPS == 0 && STORES % WARPS == 0, "every warp moves as much");
    float4 v[UNITS / WARPS][4];
#pragma unroll
    for (int k = 0; k < UNITS / WARPS; k++) {
        int unit = k * WARPS + warp, r = unit / (TC / 32) * 16 + lane / 8 * 4, c = unit % (TC / 32) * 32 + lane % 8 * 4;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            v[k][i] = load4<LH>(in + (size_t)(r0 + r + i) * cols + c0 + c);
        }
    }
#pragma unroll
    for (int k = 0; k < UNITS / WARPS; k++) {
        int unit = k * WARPS + warp, p = unit / (TC / 32) * 4 + lane / 8, c = unit % (TC / 32) * 32 + lane % 8 * 4;
        float4 *row = quads + c * (TR / 4) + (p ^ (c / 4 % 8));
        row[0] = make_float4(v[k][0].x, v[k][1].x, v[k][2].x, v[k][3].x);
        row[TR / 4] = make_float4(v[k][0].y, v[k][1].y, v[k][2].y, v[k][3].y);
        row[2 * (TR / 4)] = make_float4(v[k][0].z, v[k][1].z, v[k][2].z, v[k][3].z);
        row[3 * (TR / 4)] = make_float4(v[k][0].w, v[k][1].w, v[k][2].w, v[k][3].w);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < STORES / WARPS; k++) {
        int unit = k * WARPS + warp, c = unit / (TR / 32) * 4 + lane / 8, p = unit % (TR / 32) * 8 + lane % 8;
        store4<SH>(out + (size_t)(c0 + c) * rows + r0 + 4 * p, quads[c * (TR / 4) + (p ^ (c / 4 % 8))]);
    }
}

/* A warp moves 128 / Q rows of 4 Q columns: it reads 16 Q bytes of a row, and writes 512 / Q bytes of a column. */
template <int TR, int TC, int THREADS, int Q, int LH, int SH, int MIN>
static __global__ void __launch_bounds__(THREADS, MIN)
    register_kernel(const float *in, float *out, int rows, int cols, int group) {
    int ty, tx;
    place(blockIdx.x, tiles(rows, TR), tiles(cols, TC), group, &ty, &tx);
    const int r0 = ty * TR, c0 = tx * TC, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (r0 + TR > rows || c0 + TC > cols) {
        move_edge<TR, TC, THREADS>(in, out, rows, cols, r0, c0);
        return;
    }
    constexpr int WARPS = THREADS / 32, HEIGHT = 128 / Q, WIDTH = 4 * Q, UNITS = TR / HEIGHT * (TC / WIDTH);
    static_assert(UNITS % WARPS == 0, "every warp moves as much");
    float4 v[UNITS / WARPS][4];
#pragma unroll
    for (int k = 0; k < UNITS / WARPS; k++) {
        int unit = k * WARPS + warp;
        int r = unit / (TC / WIDTH) * HEIGHT + lane / Q * 4, c = unit % (TC / WIDTH) * WIDTH + lane % Q * 4;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            v[k][i] = load4<LH>(in + (size_t)(r0 + r + i) * cols + c0 + c);
        }
    }
#pragma unroll
    for (int k = 0; k < UNITS / WARPS; k++) {
        int unit = k * WARPS + warp;
        int r = unit / (TC / WIDTH) * HEIGHT + lane / Q * 4, c = unit % (TC / WIDTH) * WIDTH + lane % Q * 4;
        float *p = out + (size_t)(c0 + c) * rows + r0 + r;
        store4<SH>(p, make_float4(v[k][0].x, v[k][1].x, v[k][2].x, v[k][3].x));
        store4<SH>(p + rows, make_float4(v[k][0].y, v[k][1].y, v[k][2].y, v[k][3].y));
        store4<SH>(p + 2 * (size_t)rows, make_float4(v[k][0].z, v[k][1].z, v[k][2].z, v[k][3].z));
        store4<SH>(p + 3 * (size_t)rows, make_float4(v[k][0].w, v[k][1].w, v[k][2].w, v[k][3].w));
    }
}

// ---------------------------------------------------------------- loads that nobody waits for

/* Quad q of row r of the tile lies at q ^ (r / 4 % 8): a lane gathers 4 rows of a column, 8 lanes 8 such quads of rows, and the 4 columns that
 * a warp takes at once are words of one quad. */
template <int TR, int TC, int THREADS>
static __device__ __forceinline__ void fetch(float *tile, const float *in, int rows, int cols, int r0, int c0) {
    bool inside = r0 + TR <= rows && c0 + TC <= cols;
#pragma unroll
    for (int k = 0; k < TR * TC / 4 / THREADS; k++) {
        int t = k * THREADS + threadIdx.x, r = t / (TC / 4), q = t % (TC / 4);
        float *to = tile + r * TC + 4 * (q ^ (r / 4 % 8));
        if (inside || (r0 + r < rows && c0 + 4 * q < cols)) { // cols is a multiple of 4
            __pipeline_memcpy_async(to, in + (size_t)(r0 + r) * cols + c0 + 4 * q, 16);
        }
    }
}

template <int TR, int TC, int THREADS, int STAGES, int SH, int MIN>
static __global__ void __launch_bounds__(THREADS, MIN)
    async_kernel(const float *in, float *out, int rows, int cols, int group) {
    extern __shared__ float tile[];
    const int tiles_y = tiles(rows, TR), tiles_x = tiles(cols, TC), count = tiles_y * tiles_x;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    constexpr int WARPS = THREADS / 32, STORES = TC / 4 * (TR / 32);
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        int b = blockIdx.x + s * gridDim.x, ty, tx;
        if (b < count) {
            place(b, tiles_y, tiles_x, group, &ty, &tx);
            fetch<TR, TC, THREADS>(tile + s * TR * TC, in, rows, cols, ty * TR, tx * TC);
        }
        __pipeline_commit();
    }
    int stage = 0;
    for (int b = blockIdx.x; b < count; b += gridDim.x) {
        int next = b + (STAGES - 1) * gridDim.x, ty, tx;
        if (next < count) {
            place(next, tiles_y, tiles_x, group, &ty, &tx);
            fetch<TR, TC, THREADS>(tile + (stage + STAGES - 1) % STAGES * TR * TC, in, rows, cols, ty * TR, tx * TC);
        }
        __pipeline_commit();
        __pipeline_wait_prior(STAGES - 1);
        __syncthreads();
        place(b, tiles_y, tiles_x, group, &ty, &tx);
        const float *mine = tile + stage * TR * TC;
        const int r0 = ty * TR, c0 = tx * TC;
        bool inside = r0 + TR <= rows && c0 + TC <= cols;
#pragma unroll
        for (int k = 0; k < STORES / WARPS; k++) {
            int unit = k * WARPS + warp;
            int c = unit / (TR / 32) * 4 + lane / 8, r = unit % (TR / 32) * 32 + lane % 8 * 4;
            const float *word = mine + r * TC + 4 * (c / 4 ^ (r / 4 % 8)) + c % 4;
            if (inside || (r0 + r < rows && c0 + c < cols)) { // rows is a multiple of 4
                store4<SH>(out + (size_t)(c0 + c) * rows + r0 + r,
                           make_float4(word[0], word[TC], word[2 * TC], word[3 * TC]));
            }
        }
        __syncthreads();
        stage = (stage + 1) % STAGES;
    }
}

// ---------------------------------------------------------------- in place

/* Square, n a multiple of 4. The triangle of pairs is folded to a rectangle of T + 1 by T / 2 (T is even) or (T + 1) / 2 places. */
template <int T, int THREADS, int LH, int SH, int MIN>
static __global__ void __launch_bounds__(THREADS, MIN) pair_kernel(float *x, int n, int group) {
    extern __shared__ float tile[];
    const int count = tiles(n, T);
    int y, z;
    place(blockIdx.x, (count + 1) / 2, count + 1, group, &y, &z);
    if (count % 2 && y == count / 2 && z <= y) {
        return; // that half of the middle row is there twice
    }
    const int ty = z > y ? y : count - 1 - y, tx = z > y ? z - 1 : count - 1 - z; // ty <= tx
    const int r0 = ty * T, c0 = tx * T, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    constexpr int WARPS = THREADS / 32, UNITS = T / 4 * (T / 32), EACH = UNITS / WARPS;
    static_assert(UNITS % WARPS == 0, "every warp moves as much");
    float *other = tile + T * (T + 1);
    float4 a[EACH], b[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int unit = k * WARPS + warp, r = unit / (T / 32) * 4 + lane / 8, c = unit % (T / 32) * 32 + lane % 8 * 4;
        if (r0 + r < n && c0 + c < n) {
            a[k] = load4<LH>(x + (size_t)(r0 + r) * n + c0 + c);
        }
        if (ty != tx && c0 + r < n && r0 + c < n) {
            b[k] = load4<LH>(x + (size_t)(c0 + r) * n + r0 + c);
        }
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int unit = k * WARPS + warp, r = unit / (T / 32) * 4 + lane / 8, c = unit % (T / 32) * 32 + lane % 8 * 4;
        float *to = tile + r * (T + 1) + c;
        to[0] = a[k].x, to[1] = a[k].y, to[2] = a[k].z, to[3] = a[k].w;
        to = other + r * (T + 1) + c;
        to[0] = b[k].x, to[1] = b[k].y, to[2] = b[k].z, to[3] = b[k].w;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int unit = k * WARPS + warp, r = unit / (T / 32) * 4 + lane / 8, c = unit % (T / 32) * 32 + lane % 8 * 4;
        if (c0 + r < n && r0 + c < n) {
            const float *from = tile + c * (T + 1) + r;
            store4<SH>(x + (size_t)(c0 + r) * n + r0 + c,
                       make_float4(from[0], from[T + 1], from[2 * (T + 1)], from[3 * (T + 1)]));
        }
        if (ty != tx && r0 + r < n && c0 + c < n) {
            const float *from = other + c * (T + 1) + r;
            store4<SH>(x + (size_t)(r0 + r) * n + c0 + c,
                       make_float4(from[0], from[T + 1], from[2 * (T + 1)], from[3 * (T + 1)]));
        }
    }
}

// ---------------------------------------------------------------- few columns, few rows

/* A block's rows lie together in `in`. They come into shared memory as they are; with an even number of columns each row has a word more, so that
 * neighbouring rows begin in different banks. SV 4: the words of a column are stored four at a time, from the first address that is a
 * multiple of 16 on. */
template <int ROWS, int THREADS, int SV, int LH, int SH>
static __global__ void __launch_bounds__(THREADS) tall_kernel(const float *in, float *out, int rows, int cols, int) {
    extern __shared__ float tile[];
    const int r0 = blockIdx.x * ROWS, height = min(ROWS, rows - r0), pitch = cols | 1, length = height * cols;
    const float *from = in + (size_t)r0 * cols; // ROWS is a multiple of 4
    for (int begin = 0; begin < (length & ~3);
         begin += 16 * THREADS) { // four loads of a thread are under way at a time
        float4 v[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int k = begin + 4 * (i * THREADS + threadIdx.x);
            v[i] = load4<LH>(from + max(min(k, (length & ~3) - 4), 0));
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int k = begin + 4 * (i * THREADS + threadIdx.x);
            float w[4] = {v[i].x, v[i].y, v[i].z, v[i].w};
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (k < (length & ~3)) {
                    tile[pitch == cols ? k + j : k + j + (k + j) / cols] = w[j];
                }
            }
        }
    }
    for (int k = (length & ~3) + threadIdx.x; k < length; k += THREADS) {
        tile[pitch == cols ? k : k + k / cols] = from[k];
    }
    __syncthreads();
    if (SV == 1) {
        for (int c = 0; c < cols; c++) {
#pragma unroll
            for (int r = threadIdx.x; r < ROWS; r += THREADS) {
                if (r < height) {
                    store<SH>(out + (size_t)c * rows + r0 + r, tile[r * pitch + c]);
                }
            }
        }
    }
    for (int t = threadIdx.x; SV == 4 && t < (ROWS / 4 + 1) * cols; t += THREADS) {
        int c = t / (ROWS / 4 + 1), q = t % (ROWS / 4 + 1);
        float *to = out + (size_t)c * rows + r0;
        int r = 4 * q - (int)((size_t)to / 4 % 4); // to + r is a multiple of 16 bytes
        const float *word = tile + r * pitch + c;
        if (0 <= r && r + 4 <= height) {
            store4<SH>(to + r, make_float4(word[0], word[pitch], word[2 * pitch], word[3 * pitch]));
        } else {
            for (int j = 0; j < 4; j++) {
                if (0 <= r + j && r + j < height) {
                    to[r + j] = word[j * pitch];
                }
            }
        }
    }
}

/* A thread takes a row of COLS elements: the loads of a warp are COLS words apart, but what they share the L1 cache keeps. EACH rows of a thread are
 * THREADS apart. */
template <int COLS, int EACH, int THREADS>
static __global__ void __launch_bounds__(THREADS) row_kernel(const float *in, float *out, int rows) {
    float v[EACH][COLS];
    const int r0 = blockIdx.x * THREADS * EACH + threadIdx.x;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const float *p = in + (size_t)min(r0 + e * THREADS, rows - 1) * COLS;
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            v[e][c] = p[c];
        }
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        int r = r0 + e * THREADS;
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            if (r < rows) {
                out[(size_t)c * rows + r] = v[e][c];
            }
        }
    }
}

/* The other way round: pieces of the few rows come in, and one piece of `out` goes out. */
template <int COLS, int THREADS, int LH, int SH>
static __global__ void __launch_bounds__(THREADS) wide_kernel(const float *in, float *out, int rows, int cols, int) {
    extern __shared__ float tile[];
    const int c0 = blockIdx.x * COLS, width = min(COLS, cols - c0), pitch = rows | 1, length = width * rows;
    float *to = out + (size_t)c0 * rows;
    for (int r = 0; r < rows; r++) {
#pragma unroll
        for (int c = threadIdx.x; c < COLS; c += THREADS) {
            if (c < width) {
                tile[c * pitch + r] = load<LH>(in + (size_t)r * cols + c0 + c);
            }
        }
    }
    __syncthreads();
    for (int k = 4 * threadIdx.x; k < (length & ~3); k += 4 * THREADS) {
        float w[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            w[j] = tile[pitch == rows ? k + j : k + j + (k + j) / rows];
        }
        store4<SH>(to + k, make_float4(w[0], w[1], w[2], w[3]));
    }
    for (int k = (length & ~3) + threadIdx.x; k < length; k += THREADS) {
        to[k] = tile[pitch == rows ? k : k + k / rows];
    }
}

#endif
