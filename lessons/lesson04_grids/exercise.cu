/* Exercise 04: resize a picture. A viewer shows it smaller, a network needs 224 x 224: each pixel of the new picture is
 * mapped to a position in the old one, and is a weighted average of the four pixels around that position (bilinear
 * interpolation).
 *
 * The grader (make exercise04) calls, from the host:
 *
 *     void resize(const float *in, size_t in_pitch, int in_width, int in_height,
 *                 float *out, size_t out_pitch, int out_width, int out_height, int planes, cudaStream_t stream);
 *
 *   - Both pictures are in device memory and have `planes` planes (colours), one after the other. The planes of `in`
 *     have in_height rows, those of `out` have out_height.
 *   - A pitch is in BYTES, from the start of a row to that of the next; it is a multiple of 4, and width * 4 or
 *     more. The padding between the end of a row and the next row may contain anything, also NaN: do not use or write it.
 *   - Widths and heights are 0 to 100000, planes 0 to 100. If `out` is empty there is nothing to do; if it is not, `in`
 *     has at least one pixel. The two do not overlap.
 *   - Kernels write `out`, and nothing else; where it has the size of `in`, a copy is enough.
 *   - The work is queued in `stream`, and the function returns without waiting for it; a failed launch is reported.
 *   - Stores are coalesced: 1.25 sectors of 32 bytes for 8 pixels, 2.2 where rows are not aligned, and 2 more for each row.
 *     Loads are, too, where `out` is as wide and as high as `in` or larger: 9 sectors for 8 pixels (each wants four), and 8
 *     for each row; what goes through memory of your own, as in two passes, 8 and 8.
 *   - Many threads do it: of 65536 pixels and more, 64 wide and high at least, no block writes more than half, and at least
 *     512 threads write.
 *   - The function frees the memory that it allocates, or reuses it in its next call.
 *
 * Which position in `in` is pixel (x, y) of `out` mapped to? Its centre is at x + 0.5. Scaled to the other width, that is
 *
 *     u = (x + 0.5) * in_width / out_width - 0.5        column u of `in`, between columns floor(u) and floor(u) + 1
 *     v = (y + 0.5) * in_height / out_height - 0.5      row v of `in`
 *
 * At the edges u and v are a little outside, as far as -0.5. Pixels that do not exist are replaced by the nearest that
 * does.
 *
 * When all checks pass, pictures of every shape and pitch are resized, and the counts show that their rows are read and
 * written coalesced.
 * First step: TODO 6, about ten minutes: the check "a failed launch is reported" passes.
 */
// fails as given: not_implemented
#include "common/check.h"

enum { BLOCK_X = 32, BLOCK_Y = 8 };

struct picture {
    float *data;       // on the device: plane 0, row 0
    int width, height; // in pixels, which are floats here
    size_t pitch;      // in bytes
};

/* Row y of plane z. */
static __device__ float *row_of(struct picture p, int y, int z) {
    // TODO 1: where does it begin? Count the rows before it, in all planes before z and in this one. Mind that a pitch
    // counts bytes, and that all of these together may be too many for an int.
    (void)y, (void)z;
    return p.data;
}

/* The nearest to i of 0 ... n - 1. */
static __device__ int clamp(int i, int n) {
    // TODO 2: what if i is negative, and what if it is n or more?
    (void)n;
    return i;
}

/* The pixel of plane z at column u and row v, which need not be whole numbers. */
static __device__ float sample(struct picture p, float u, float v, int z) {
    int left = (int)floorf(u), top = (int)floorf(v);
    float to_right = u - left, down = v - top; // how far from there, 0 to 1
    // TODO 3: the four pixels are at columns left and left + 1, in rows top and top + 1. Clamp these numbers, and load
    // the pixels.
    float a = 0, b = 0, c = 0, d = 0; // above left, above right; below left, below right
    (void)p, (void)z, (void)clamp, (void)row_of;
    float above = a + (b - a) * to_right, below = c + (d - c) * to_right;
    return above + (below - above) * down;
}

__global__ void resize_kernel(struct picture in, struct picture out) {
    // TODO 4: which pixel (x, y) of `out` is this thread's, and which plane z? The threads of a warp have neighbouring
    // threadIdx.x: which of the three do you make of it, so that the warp's stores are coalesced?
    int x = 0, y = 0, z = 0;
    // TODO 5: does that pixel exist? If so, find u and v, and write the pixel.
    if (false) {
        row_of(out, y, z)[x] = sample(in, 0.0f, 0.0f, z);
    }
}

static void launch_resize(struct picture in, struct picture out, int planes, cudaStream_t stream) {
    // TODO 6: launch resize_kernel in `stream`, a thread for each pixel of each plane of `out`, and check the launch.
    (void)in, (void)out, (void)planes, (void)stream, (void)resize_kernel;
}

void resize(const float *in, size_t in_pitch, int in_width, int in_height, float *out, size_t out_pitch, int out_width,
            int out_height, int planes, cudaStream_t stream) {
    launch_resize({(float *)in, in_width, in_height, in_pitch}, {out, out_width, out_height, out_pitch}, planes,
                  stream);
}
