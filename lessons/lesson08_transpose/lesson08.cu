/* Lesson 08: transpose. Rows become columns.
 *
 *     make lesson08 run                     all versions on several shapes, verified, then measured (or counted)
 *     make lesson08 run V=4 SIZE=1000       one version, a matrix of 1000 x 1000
 *
 * You will learn what to do when reading in order means writing out of order: through shared memory, without bank
 * conflicts, and in an order of the blocks that the memory behind the caches likes.
 *
 *     transpose_kernel1    a thread for each element; a warp reads a row and writes a column
 *     transpose_kernel2    the other way round: it reads a column and writes a row
 *     transpose_kernel3    a tile in shared memory: rows on both sides, and columns in the tile
 *     transpose_kernel4    padding: the tile's rows are one word longer
 *     transpose_kernel5    swizzle: no padding, but each row of the tile is stored in an order of its own
 *     transpose_kernel6    a thread moves four elements
 *     transpose_kernel7    float4 on both sides, and larger tiles
 *     transpose_kernel8    the blocks in another order
 *     transpose_kernel9    few columns: a block takes whole rows
 *     transpose_kernel10   square, in place: two tiles change places
 */
// sizes: 0 1 31 33 100 1000
#include "measure.h"

enum { TILE = 32, ROWS = 8 }; // versions 1 and 2 and 6: blocks of 32 x 8 threads; versions 3 to 6: tiles of 32 x 32

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
    int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * ROWS + threadIdx.y;
    if (r < rows && c < cols) {
        out[(size_t)c * rows + r] = in[(size_t)r * cols + c];
    }
}

/* Version 2: a thread for each element of `out`. Now the lanes write 128 bytes of a row, and read a column. */
static __global__ void transpose_kernel2(const float *in, float *out, int rows, int cols) {
    int r = blockIdx.x * TILE + threadIdx.x, c = blockIdx.y * ROWS + threadIdx.y;
    if (r < rows && c < cols) {
        out[(size_t)c * rows + r] = in[(size_t)r * cols + c];
    }
}

/* Version 3: a block of 32 x 32 threads reads a tile row by row, waits, and writes it column by column: in the tile a warp
 * walks down a column, and in both matrices it walks along a row. The tile at (block row, block column) of `in` goes to
 * (block column, block row) of `out`. */
static __global__ void transpose_kernel3(const float *in, float *out, int rows, int cols) {
    __shared__ float tile[TILE][TILE]; // tile[r][c]
    int r0 = blockIdx.y * TILE, c0 = blockIdx.x * TILE;
    int r = r0 + threadIdx.y, c = c0 + threadIdx.x;
    if (r < rows && c < cols) {
        tile[threadIdx.y][threadIdx.x] = in[(size_t)r * cols + c];
    }
    __syncthreads();
    r = r0 + threadIdx.x, c = c0 + threadIdx.y; // another element: the lanes lie along the rows now
    if (r < rows && c < cols) {
        out[(size_t)c * rows + r] = tile[threadIdx.x][threadIdx.y];
    }
}

/* Version 4: a row of the tile is 33 words long, and nobody uses the last one. */
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

/* Version 5: no word is wasted. Element (r, c) of the tile lies in word c ^ r of row r: for each r that is another order of
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

/* Version 6: a block of 32 x 8 threads for the same tile. Each thread has four loads under way before it waits. What it
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

/* Versions 7 and 8: a tile of 64 x 64, four pieces of 32 x 32. A thread moves a float4 of each piece: 8 threads take 128
 * bytes of a row, a warp 4 rows. In the tile the four floats are single words again, since they go different ways. */
enum { SIDE = 64, PIECE = 32, THREADS = 256 };

static __device__ void move_tile(const float *in, float *out, int rows, int cols, int r0, int c0) {
    __shared__ float tile[SIDE][SIDE + 1];
    int across = threadIdx.x / 8, along = threadIdx.x % 8 * 4; // in a piece, of `in` as well as of `out`
    float4 v[SIDE / PIECE][SIDE / PIECE];
#pragma unroll
    for (int i = 0; i < SIDE / PIECE; i++) {
#pragma unroll
        for (int j = 0; j < SIDE / PIECE; j++) {
            int r = min(r0 + i * PIECE + across, rows - 1), c = min(c0 + j * PIECE + along, cols - 4);
            v[i][j] = *(const float4 *)(in + (size_t)r * cols + c);
        }
    }
#pragma unroll
    for (int i = 0; i < SIDE / PIECE; i++) {
#pragma unroll
        for (int j = 0; j < SIDE / PIECE; j++) {
            float *to = &tile[i * PIECE + across][j * PIECE + along];
            to[0] = v[i][j].x, to[1] = v[i][j].y, to[2] = v[i][j].z, to[3] = v[i][j].w;
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SIDE / PIECE; i++) {
#pragma unroll
        for (int j = 0; j < SIDE / PIECE; j++) {
            int c = c0 + i * PIECE + across, r = r0 + j * PIECE + along;
            const float *from = &tile[j * PIECE + along][i * PIECE + across];
            if (c < cols && r < rows) {
                *(float4 *)(out + (size_t)c * rows + r) =
                    make_float4(from[0], from[SIDE + 1], from[2 * (SIDE + 1)], from[3 * (SIDE + 1)]);
            }
        }
    }
}

/* Version 7: float4 on both sides. So both row lengths must be multiples of 4, and both matrices lie on multiples of 16
 * bytes; others are left to version 6. */
static __global__ void transpose_kernel7(const float *in, float *out, int rows, int cols) {
    move_tile(in, out, rows, cols, blockIdx.y * SIDE, blockIdx.x * SIDE);
}

/* Version 8: the same tiles in another order. Blocks start in the order of their numbers, so the numbers decide which tiles
 * are under way at the same time. Here they run down a strip of GROUP rows of tiles, then down its next column. */
enum { GROUP = 16 };

static __global__ void transpose_kernel8(const float *in, float *out, int rows, int cols) {
    int tile_rows = (rows + SIDE - 1) / SIDE, tile_cols = (cols + SIDE - 1) / SIDE;
    int strip = blockIdx.x / (GROUP * tile_cols), in_strip = blockIdx.x % (GROUP * tile_cols);
    int height = min(GROUP, tile_rows - strip * GROUP); // the last strip may be lower
    move_tile(in, out, rows, cols, (strip * GROUP + in_strip % height) * SIDE, in_strip / height * SIDE);
}

/* Version 9: few columns. A tile of 64 columns would be nearly empty, so a block takes whole rows. In `in` they lie one
 * behind the other, so they come into shared memory as they are; then each column is a row of `out`. With an even number
 * of columns a row gets a word more, for the banks. */
enum { TALL_ROWS = 512, TALL_COLS = 16 };

static __global__ void transpose_kernel9(const float *in, float *out, int rows, int cols) {
    extern __shared__ float strip[];
    int r0 = blockIdx.x * TALL_ROWS, height = min(TALL_ROWS, rows - r0), pitch = cols | 1;
    for (int k = threadIdx.x; k < height * cols; k += THREADS) {
        strip[k / cols * pitch + k % cols] = in[(size_t)r0 * cols + k];
    }
    __syncthreads();
    for (int c = 0; c < cols; c++) {
        for (int r = threadIdx.x; r < height; r += THREADS) {
            out[(size_t)c * rows + r0 + r] = strip[r * pitch + c];
        }
    }
}

/* Version 10: x[n][n] becomes its own transpose. A block loads a tile and its mirror image on the other side of the
 * diagonal, waits until it has both, and stores each in the other's place. The pairs form a triangle, which is folded to
 * a rectangle: row y of the one half, and behind it row tiles - 1 - y of the other half, upside down. */
static __global__ void transpose_kernel10(float *x, int n) {
    __shared__ float upper[PIECE][PIECE + 1], lower[PIECE][PIECE + 1];
    int tiles = (n + PIECE - 1) / PIECE, y = blockIdx.y, z = blockIdx.x; // z: 0 ... tiles
    if (tiles % 2 == 1 && y == tiles / 2 && z <= y) {
        return; // folded in the middle, an odd triangle has half a row twice
    }
    int r0 = (z > y ? y : tiles - 1 - y) * PIECE, c0 = (z > y ? z - 1 : tiles - 1 - z) * PIECE; // r0 <= c0
    for (int i = threadIdx.y; i < PIECE; i += ROWS) {
        int t = threadIdx.x;
        upper[i][t] = x[(size_t)min(r0 + i, n - 1) * n + min(c0 + t, n - 1)];
        lower[i][t] = x[(size_t)min(c0 + i, n - 1) * n + min(r0 + t, n - 1)];
    }
    __syncthreads();
    for (int i = threadIdx.y; i < PIECE; i += ROWS) {
        int t = threadIdx.x;
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
 * is enough for 2 million rows here; version 8 numbers its blocks in x, which may be 2 thousand million. */

static int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

static void transpose1(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    if (rows == 0 || cols == 0) {
        return;
    }
    dim3 grid(ceil_div(cols, TILE), ceil_div(rows, ROWS));
    transpose_kernel1<<<grid, dim3(TILE, ROWS), 0, stream>>>(in, out, rows, cols);
    CUDA_CHECK_LAUNCH();
}

static void transpose2(const float *in, float *out, int rows, int cols, cudaStream_t stream) {
    if (rows == 0 || cols == 0) {
        return;
    }
    dim3 grid(ceil_div(rows, TILE), ceil_div(cols, ROWS));
    transpose_kernel2<<<grid, dim3(TILE, ROWS), 0, stream>>>(in, out, rows, cols);
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
    if (cols > TALL_COLS) {
        transpose8(in, out, rows, cols, stream);
        return;
    }
    if (rows == 0 || cols == 0) {
        return;
    }
    size_t bytes = TALL_ROWS * (cols | 1) * sizeof(float);
    transpose_kernel9<<<ceil_div(rows, TALL_ROWS), THREADS, bytes, stream>>>(in, out, rows, cols);
    CUDA_CHECK_LAUNCH();
}

static void transpose10(float *x, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int tiles = ceil_div(n, PIECE);
    transpose_kernel10<<<dim3(tiles + 1, ceil_div(tiles, 2)), dim3(PIECE, ROWS), 0, stream>>>(x, n);
    CUDA_CHECK_LAUNCH();
}

static const struct version versions[] = {
    {"transpose_kernel1", transpose1, NULL}, {"transpose_kernel2", transpose2, NULL},
    {"transpose_kernel3", transpose3, NULL}, {"transpose_kernel4", transpose4, NULL},
    {"transpose_kernel5", transpose5, NULL}, {"transpose_kernel6", transpose6, NULL},
    {"transpose_kernel7", transpose7, NULL}, {"transpose_kernel8", transpose8, NULL},
    {"transpose_kernel9", transpose9, NULL}, {"transpose_kernel10", NULL, transpose10},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, VERSIONS);
    int first = options.version ? options.version - 1 : 0;
    int last = options.version ? options.version - 1 : VERSIONS - 1;
    struct shapes shapes = shapes_of(&options);
    device_print_backend();

    for (int s = 0; s < shapes.small; s++) {
        verify_versions(versions, first, last, shapes.verified[s], options.seed);
    }
    for (int s = 0; s < shapes.large && verify_tally()->failures == 0;
         s++) { // how fast a wrong kernel is does not matter
        measure_versions(versions, first, last, shapes.measured[s], options.seed);
    }
    return verify_finish("transpose");
}
