/* Lesson 08: transpose. Rows become columns.
 *
 *     make lesson08 run                     all versions on several shapes, verified, then measured (or counted)
 *     make lesson08 run V=4 SIZE=1000       one version, a matrix of 1000 x 1000
 *
 * You will learn what to do when reading in order means writing out of order: through shared memory, without bank
 * conflicts, and in a block order that suits the caches and the memory (rasterization).
 *
 *     transpose_kernel1    a thread for each element; a warp reads a row and writes a column
 *     transpose_kernel2    the reverse: it reads a column and writes a row
 *     transpose_kernel3    a tile in shared memory: rows on both sides, and columns in the tile
 *     transpose_kernel4    padding: the tile's rows are one word longer
 *     transpose_kernel5    swizzle: no padding, but each row of the tile is stored in a different order
 *     transpose_kernel6    a thread moves four elements
 *     transpose_kernel7    float4 on both sides, and larger tiles
 *     transpose_kernel8    the blocks in another order
 *     transpose_kernel9    any shape, in whole sectors
 *     transpose_kernel10   few columns: a thread takes a whole row, and L1 is the tile
 *     transpose_kernel11   square, in place: two tiles are exchanged
 */
// sizes: 0 1 31 33 100 1000
#include "measure.h"

enum { TILE = 32, ROWS = 8 }; // versions 1 to 6: blocks of 32 x 32 threads, in version 6 of 32 x 8

// ---------------------------------------------------------------- the reference

static void transpose_cpu(const float *in, float *out, int rows, int cols) {
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            out[(size_t)c * rows + r] = in[(size_t)r * cols + c];
        }
    }
}

// ---------------------------------------------------------------- the versions

/* in[rows][cols] -> out[cols][rows], float, both row-major and without gaps. Every version but the last has these shapes. */

/* Version 1: a thread for each element of `in`. The lanes of a warp have neighbouring columns, so they read 128 bytes of a
 * row. And where do they write? */
static __global__ void transpose_kernel1(const float *in, float *out, int rows, int cols) {
    int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
    if (r < rows && c < cols) {
        out[(size_t)c * rows + r] = in[(size_t)r * cols + c];
    }
}

/* Version 2: a thread for each element of `out`. Now the lanes write 128 bytes of a row, and read a column. */
static __global__ void transpose_kernel2(const float *in, float *out, int rows, int cols) {
    int r = blockIdx.x * TILE + threadIdx.x, c = blockIdx.y * TILE + threadIdx.y;
    if (r < rows && c < cols) {
        out[(size_t)c * rows + r] = in[(size_t)r * cols + c];
    }
}

/* Version 3: a block of 32 x 32 threads reads a tile row by row, waits, and writes it column by column: in the tile a warp
 * accesses a column, and in both matrices a row. The tile at (block row, block column) of `in` is written to
 * (block column, block row) of `out`. */
static __global__ void transpose_kernel3(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE]; // tile[r][c]
    int r0 = blockIdx.y * TILE, c0 = blockIdx.x * TILE;
    int r = r0 + threadIdx.y, c = c0 + threadIdx.x;
    if (r < rows && c < cols) {
        tile[threadIdx.y][threadIdx.x] = in[(size_t)r * cols + c];
    }
    __syncthreads();
    r = r0 + threadIdx.x, c = c0 + threadIdx.y; // another element: threadIdx.x selects the row now
    if (r < rows && c < cols) {
        out[(size_t)c * rows + r] = tile[threadIdx.x][threadIdx.y];
    }
}

/* Version 4: a row of the tile is 33 words long, and the last one is unused. */
static __global__ void transpose_kernel4(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    int r0 = blockIdx.y * TILE, c0 = blockIdx.x * TILE;
    int r = r0 + threadIdx.y, c = c0 + threadIdx.x;
    if (r < rows && c < cols) {
        tile[threadIdx.y][threadIdx.x] = in[(size_t)r * cols + c];
    }
    __syncthreads();
    r = r0 + threadIdx.x, c = c0 + threadIdx.y;
    if (r < rows && c < cols) {
        out[(size_t)c * rows + r] = tile[threadIdx.x][threadIdx.y];
    }
}

/* Version 5: no word is wasted. Element (r, c) of the tile is in word c ^ r of row r: for each r that is another order of
 * the same 32 words, and for each c the 32 rows have 32 different words. */
static __global__ void transpose_kernel5(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE];
    int r0 = blockIdx.y * TILE, c0 = blockIdx.x * TILE;
    int r = r0 + threadIdx.y, c = c0 + threadIdx.x;
    if (r < rows && c < cols) {
        tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[(size_t)r * cols + c];
    }
    __syncthreads();
    r = r0 + threadIdx.x, c = c0 + threadIdx.y;
    if (r < rows && c < cols) {
        out[(size_t)c * rows + r] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
    }
}

/* Version 6: a block of 32 x 8 threads for the same tile. Each thread has four loads in flight before it waits. What it
 * loads where there is no element is never used, so it loads one that exists: without an `if` no load waits for another. */
static __global__ void transpose_kernel6(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + 1];
    int r0 = blockIdx.y * TILE, c0 = blockIdx.x * TILE;
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS) {
        int r = min(r0 + i + (int)threadIdx.y, rows - 1), c = min(c0 + (int)threadIdx.x, cols - 1);
        tile[i + threadIdx.y][threadIdx.x] = in[(size_t)r * cols + c];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; i += ROWS) {
        int r = r0 + threadIdx.x, c = c0 + i + threadIdx.y;
        if (r < rows && c < cols) {
            out[(size_t)c * rows + r] = tile[threadIdx.x][i + threadIdx.y];
        }
    }
}

/* Versions 7 and 8: a tile of 64 x 64. Half a warp takes 256 bytes of a row with 16 float4, and the block of 16 warps the
 * upper half of the tile, then the lower one. In the tile the four floats of a float4 are single words again, since they are
 * stored separately. Words that are 32 columns apart are in one bank, so each access takes two wavefronts; see the page. */
enum { SIDE = 64, STEP = 32, THREADS = 512 };

static __device__ void move_tile(const float *in, float *out, int rows, int cols, int r0, int c0) {
    __shared__ float tile[SIDE][SIDE + 1];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int across = warp * 2 + lane / 16; // a row of `in`, and later of `out`
    int along = lane % 16 * 4;         // four columns of it
    float4 v[SIDE / STEP];
#pragma unroll
    for (int i = 0; i < SIDE / STEP; i++) {
        int r = min(r0 + i * STEP + across, rows - 1), c = min(c0 + along, cols - 4);
        v[i] = *(const float4 *)(in + (size_t)r * cols + c);
    }
#pragma unroll
    for (int i = 0; i < SIDE / STEP; i++) {
        float *to = &tile[i * STEP + across][along];
        to[0] = v[i].x, to[1] = v[i].y, to[2] = v[i].z, to[3] = v[i].w;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SIDE / STEP; i++) {
        int c = c0 + i * STEP + across, r = r0 + along;
        const float *from = &tile[along][i * STEP + across];
        if (c < cols && r < rows) {
            *(float4 *)(out + (size_t)c * rows + r) =
                make_float4(from[0], from[SIDE + 1], from[2 * (SIDE + 1)], from[3 * (SIDE + 1)]);
        }
    }
}

/* Version 7: float4 on both sides. So both row lengths must be multiples of 4, and both matrices are aligned to 16
 * bytes; version 6 handles the others. */
static __global__ void transpose_kernel7(const float *in, float *out, int rows, int cols) {
    move_tile(in, out, rows, cols, blockIdx.y * SIDE, blockIdx.x * SIDE);
}

/* Version 8: the same tiles in another order. Blocks start in the order of their numbers, so the numbers decide which tiles
 * are in flight at the same time. Here they run down a column of tiles, then down the next one: neighbouring blocks
 * write adjacent parts of the rows of `out`. */
static __global__ void transpose_kernel8(const float *in, float *out, int rows, int cols) {
    int tile_rows = (rows + SIDE - 1) / SIDE;
    move_tile(in, out, rows, cols, blockIdx.x % tile_rows * SIDE, blockIdx.x / tile_rows * SIDE);
}

/* Version 9: any shape, and whole sectors. The rows of `out` begin anywhere, so the border between two tiles would cut a
 * sector in two, and two blocks would write a part of it each. Here the border is moved up in each row of `out`, by as many
 * elements as its address is past a multiple of 32 bytes: at most 7. The rows of `in` that are needed for it are in the
 * tile above the block's own. Single floats again, so any address will do; a tile of 64 rows and 32 columns. */
enum { SECTOR = 8, WARPS = 8 };

static __global__ void transpose_kernel9(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[SECTOR + SIDE][TILE + 1]; // row 0 is row r0 - SECTOR of `in`
    int tile_rows = (rows + SECTOR - 1 + SIDE - 1) / SIDE, lane = threadIdx.x, warp = threadIdx.y;
    int r0 = blockIdx.x % tile_rows * SIDE, c0 = blockIdx.x / tile_rows * TILE;
    float v[(SECTOR + SIDE) / WARPS];
#pragma unroll
    for (int i = 0; i < (SECTOR + SIDE) / WARPS; i++) {
        int r = min(max(r0 - SECTOR + i * WARPS + warp, 0), rows - 1), c = min(c0 + lane, cols - 1);
        v[i] = in[(size_t)r * cols + c];
    }
#pragma unroll
    for (int i = 0; i < (SECTOR + SIDE) / WARPS; i++) {
        tile[i * WARPS + warp][lane] = v[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = warp; i < TILE; i += WARPS) {
        int c = c0 + i;
        float *row = out + (size_t)c * rows;
        int up = (int)((uintptr_t)row / sizeof(float) % SECTOR);
#pragma unroll
        for (int j = 0; j < SIDE; j += 32) {
            int t = j + lane - up, r = r0 + t;
            if (c < cols && 0 <= r && r < rows) {
                row[r] = tile[SECTOR + t][i];
            }
        }
    }
}

/* Version 10: few columns. A thread takes a whole row, and there is no tile. The lanes read words that are COLS apart: each
 * load touches most of the sectors of the warp's rows, but all loads of the warp touch the same ones, and L1 keeps them. COLS is
 * known to the compiler, so that the loop is unrolled, the row is in registers, and all its loads are in flight at once. */
template <int COLS> static __global__ void transpose_kernel10(const float *in, float *out, int rows) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r < rows) {
        float row[COLS];
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            row[c] = in[(size_t)r * COLS + c];
        }
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            out[(size_t)c * rows + r] = row[c];
        }
    }
}

enum { PAIR_ROWS = 16 }; // version 11: a block of 64 x 16 threads

/* Version 11: x[n][n] becomes its own transpose. A block loads a tile and its mirror image on the other side of the
 * diagonal, waits until it has both, and stores each in place of the other. The pairs form a triangle, which is folded to
 * a rectangle: row y of the one half, followed by row tiles - 1 - y of the other half, upside down. */
static __global__ void transpose_kernel11(float *x, int n) {
    __shared__ float upper[SIDE][SIDE + 1], lower[SIDE][SIDE + 1];
    int tiles = (n + SIDE - 1) / SIDE, y = blockIdx.y, z = blockIdx.x; // z: 0 ... tiles
    if (tiles % 2 == 1 && y == tiles / 2 && z <= y) {
        return; // folded in the middle, an odd triangle has half a row twice
    }
    int r0 = (z > y ? y : tiles - 1 - y) * SIDE, c0 = (z > y ? z - 1 : tiles - 1 - z) * SIDE; // r0 <= c0
    int t = threadIdx.x;
    float u[SIDE / PAIR_ROWS], l[SIDE / PAIR_ROWS];
#pragma unroll
    for (int k = 0; k < SIDE / PAIR_ROWS; k++) {
        int i = k * PAIR_ROWS + threadIdx.y;
        u[k] = x[(size_t)min(r0 + i, n - 1) * n + min(c0 + t, n - 1)];
        l[k] = x[(size_t)min(c0 + i, n - 1) * n + min(r0 + t, n - 1)];
    }
#pragma unroll
    for (int k = 0; k < SIDE / PAIR_ROWS; k++) {
        int i = k * PAIR_ROWS + threadIdx.y;
        upper[i][t] = u[k];
        lower[i][t] = l[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < SIDE / PAIR_ROWS; k++) {
        int i = k * PAIR_ROWS + threadIdx.y;
        if (c0 + i < n && r0 + t < n) {
            x[(size_t)(c0 + i) * n + r0 + t] = upper[t][i];
        }
        if (r0 != c0 && r0 + i < n && c0 + t < n) { // on the diagonal both are the same tile
            x[(size_t)(r0 + i) * n + c0 + t] = lower[t][i];
        }
    }
}

// ---------------------------------------------------------------- the launchers

/* As in lesson 03: queued in `stream`, no waiting, and a matrix may be empty. A grid has at most 65535 blocks in y, which
 * is enough for 2 million rows here; versions 8 to 10 number their blocks in x, which may be 2 thousand million. */

static void transpose1(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    if (rows == 0 || cols == 0) {
        return;
    }
    dim3 grid(ceil_div(cols, TILE), ceil_div(rows, TILE));
    transpose_kernel1<<<grid, dim3(TILE, TILE), 0, stream>>>(in, out, rows, cols);
    CUDA_CHECK_LAUNCH();
}

static void transpose2(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    if (rows == 0 || cols == 0) {
        return;
    }
    dim3 grid(ceil_div(rows, TILE), ceil_div(cols, TILE));
    transpose_kernel2<<<grid, dim3(TILE, TILE), 0, stream>>>(in, out, rows, cols);
    CUDA_CHECK_LAUNCH();
}

static void transpose3(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    if (rows == 0 || cols == 0) {
        return;
    }
    dim3 grid(ceil_div(cols, TILE), ceil_div(rows, TILE));
    transpose_kernel3<<<grid, dim3(TILE, TILE), 0, stream>>>(in, out, rows, cols);
    CUDA_CHECK_LAUNCH();
}

static void transpose4(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    if (rows == 0 || cols == 0) {
        return;
    }
    dim3 grid(ceil_div(cols, TILE), ceil_div(rows, TILE));
    transpose_kernel4<<<grid, dim3(TILE, TILE), 0, stream>>>(in, out, rows, cols);
    CUDA_CHECK_LAUNCH();
}

static void transpose5(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    if (rows == 0 || cols == 0) {
        return;
    }
    dim3 grid(ceil_div(cols, TILE), ceil_div(rows, TILE));
    transpose_kernel5<<<grid, dim3(TILE, TILE), 0, stream>>>(in, out, rows, cols);
    CUDA_CHECK_LAUNCH();
}

static void transpose6(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    if (rows == 0 || cols == 0) {
        return;
    }
    dim3 grid(ceil_div(cols, TILE), ceil_div(rows, TILE));
    transpose_kernel6<<<grid, dim3(TILE, ROWS), 0, stream>>>(in, out, rows, cols);
    CUDA_CHECK_LAUNCH();
}

static bool can_use_float4(const float *in, const float *out, int rows, int cols) {
    return rows % 4 == 0 && cols % 4 == 0 && (uintptr_t)in % 16 == 0 && (uintptr_t)out % 16 == 0;
}

static void transpose7(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    if (!can_use_float4(in, out, rows, cols)) {
        transpose6(in, out, rows, cols, stream);
        return;
    }
    if (rows == 0 || cols == 0) {
        return;
    }
    dim3 grid(ceil_div(cols, SIDE), ceil_div(rows, SIDE));
    transpose_kernel7<<<grid, THREADS, 0, stream>>>(in, out, rows, cols);
    CUDA_CHECK_LAUNCH();
}

static void transpose8(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    if (!can_use_float4(in, out, rows, cols)) {
        transpose6(in, out, rows, cols, stream);
        return;
    }
    if (rows == 0 || cols == 0) {
        return;
    }
    transpose_kernel8<<<ceil_div(cols, SIDE) * ceil_div(rows, SIDE), THREADS, 0, stream>>>(in, out, rows, cols);
    CUDA_CHECK_LAUNCH();
}

static void transpose9(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    if (rows % SECTOR == 0 && can_use_float4(in, out, rows, cols)) {
        transpose8(in, out, rows, cols, stream); // its borders cut no sector
        return;
    }
    if (rows == 0 || cols == 0) {
        return;
    }
    int blocks = ceil_div(rows + SECTOR - 1, SIDE) * ceil_div(cols, TILE);
    transpose_kernel9<<<blocks, dim3(32, WARPS), 0, stream>>>(in, out, rows, cols);
    CUDA_CHECK_LAUNCH();
}

/* A kernel for each number of columns that is few: the compiler makes them all, and here the right one is looked for. */
enum { FEW = 16 };

template <int COLS>
static void launch_kernel10(const float *in, float *out, int rows, int cols, int threads, cudaStream_t stream) {
    if (cols == COLS) {
        transpose_kernel10<COLS><<<ceil_div(rows, threads), threads, 0, stream>>>(in, out, rows);
        CUDA_CHECK_LAUNCH();
    } else if constexpr (COLS > 1) {
        launch_kernel10<COLS - 1>(in, out, rows, cols, threads, stream);
    }
}

static void transpose10(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    if (cols > FEW) {
        transpose9(in, out, rows, cols, stream);
        return;
    }
    if (rows == 0 || cols == 0) {
        return;
    }
    launch_kernel10<FEW>(in, out, rows, cols, THREADS, stream);
}

static void transpose11(float *x, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int tiles = ceil_div(n, SIDE);
    transpose_kernel11<<<dim3(tiles + 1, ceil_div(tiles, 2)), dim3(SIDE, PAIR_ROWS), 0, stream>>>(x, n);
    CUDA_CHECK_LAUNCH();
}

static const struct version versions[] = {
    {"transpose_kernel1", transpose1, NULL},   {"transpose_kernel2", transpose2, NULL},
    {"transpose_kernel3", transpose3, NULL},   {"transpose_kernel4", transpose4, NULL},
    {"transpose_kernel5", transpose5, NULL},   {"transpose_kernel6", transpose6, NULL},
    {"transpose_kernel7", transpose7, NULL},   {"transpose_kernel8", transpose8, NULL},
    {"transpose_kernel9", transpose9, NULL},   {"transpose_kernel10", transpose10, NULL},
    {"transpose_kernel11", NULL, transpose11},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, VERSIONS);
    struct shapes shapes = shapes_of(&options);
    frame lesson = frame_of("transpose", versions, VERSIONS);
    lesson.verified = shapes.verified, lesson.verified_count = shapes.small;
    lesson.measured = shapes.measured, lesson.measured_count = shapes.large;
    device_print_backend();
    return lesson_run(&lesson, &options);
}
