/* Exercise 08: transpose many matrices, and one in place. A neural network's images are stored as [image][channel][pixel], and the next
 * operator expects [image][pixel][channel]; attention transposes its keys. Each of these is a batch of matrices to transpose.
 *
 *     in      1  2  3        out     1  4        2 rows and 3 columns become 3 rows and 2 columns
 *             4  5  6                2  5
 *                                    3  6
 *
 * The grader (make exercise08) calls, from the host:
 *
 *     void transpose(const float *in, float *out, int count, int rows, int cols, cudaStream_t stream);
 *     void transpose_in_place(float *x, int n, cudaStream_t stream);
 *
 *   - in has `count` matrices of rows x cols floats, one after the other, and out as many of cols x rows. Each matrix is
 *     row-major: its element (r, c) has index r * cols + c. out[m] is the transpose of in[m];
 *   - each of count, rows and cols may be 0, 1, or large; count * rows * cols <= 2^30. A grid has up to 2^31 - 1 blocks in
 *     x, but only 65535 in y and in z: so all tiles of all matrices are numbered in x;
 *   - x is a square matrix, n <= 32768, and becomes its own transpose;
 *   - the arrays are at any address aligned for float, in and out do not overlap; all of out is written, nothing else;
 *   - the work is queued in `stream`, and the functions return without waiting for it; a failing launch is reported;
 *   - both matrices are read and written along their rows, each element once: at most 4.2 sectors for 32 elements if all
 *     rows are aligned to 32 bytes, otherwise 6.8, plus 2 for each row (in place, diagonal tiles may be moved twice);
 *   - shared memory is accessed without bank conflicts: at most 1.25 wavefronts for 32 elements, 2.5 if tiles are partial;
 *   - there is no second matrix in global memory, nor any other array as large. Allocated memory is freed, or used again;
 *   - the work is parallel: from 65536 elements on, no block writes more than half, and at least 512 threads write.
 *
 * When all checks pass, both transposes read and write whole rows without bank conflicts, and the second one needs no
 * other matrix.
 * First step: TODO 6, about ten minutes: the check "transpose reports a failed launch" passes.
 */
// fails as given: not_implemented
#include "common/check.h"

enum { TILE = 32, ROWS = 8 }; // a block of 32 x 8 threads moves a tile of 32 x 32

static __host__ __device__ int ceil_div(int a, int b) {
    return (a + b - 1) / b;
}

// ---------------------------------------------------------------- many matrices

__global__ void transpose_kernel(const float *in, float *out, int rows, int cols) {
    // TODO 1: the tile, in shared memory. A warp writes one row of it, and later reads one column: both in one wavefront.

    // TODO 2: which matrix is this block's, and which of its tiles? A matrix has ceil_div(rows, TILE) rows of tiles; how
    // many tiles are in such a row, and in a matrix? Let in and out point to the matrix, and let r0 and c0 be the tile's
    // first row and column.

    // TODO 3: load the tile, each thread four elements: rows threadIdx.y, threadIdx.y + 8, ... of the tile. The lanes of a
    // warp read along a row of `in`. Not every tile is entirely inside the matrix.
    (void)in, (void)rows, (void)cols;

    // TODO 4: no thread may read the tile before all threads have filled it.

    // TODO 5: store the tile, each thread four elements. Now the lanes of a warp write along a row of `out`: which row and
    // column of `out` does a thread write, and where in the tile is that element?
    (void)out;
}

void transpose(const float *in, float *out, int count, int rows, int cols, cudaStream_t stream) {
    // TODO 6: launch transpose_kernel in `stream`, a block for each tile of each matrix, and check the launch.
    (void)in, (void)out, (void)count, (void)rows, (void)cols, (void)stream, (void)ceil_div;
}

// ---------------------------------------------------------------- one, in place

__global__ void in_place_kernel(float *x, int n) {
    // TODO 7: two tiles that mirror each other at the diagonal are exchanged, so one block needs both. Which blocks of the
    // grid have nothing to do? Load both tiles, and wait until both are complete.
    (void)x, (void)n;

    // TODO 8: store each of the two in the other's place, along the rows of x. On the diagonal both are the same tile.
}

void transpose_in_place(float *x, int n, cudaStream_t stream) {
    // TODO 9: launch in_place_kernel in `stream`, a block for each tile, and check the launch.
    (void)x, (void)n, (void)stream;
}
