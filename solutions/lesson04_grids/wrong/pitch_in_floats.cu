// expect: out_of_bounds
// says: Does a row's address use the pitch in bytes
/* The pitch is added to a pointer to floats: four times as far. */
#include "common/check.h"

enum { BLOCK_X = 32, BLOCK_Y = 8 };

struct picture {
    float *data;       // on the device: plane 0, row 0
    int width, height; // in pixels, which are floats here
    size_t pitch;      // in bytes
};

/* Row y of plane z. */
static __device__ float *row_of(struct picture p, int y, int z) {
    size_t rows = (size_t)z * p.height + y;
    return p.data + rows * p.pitch;
}

/* The nearest to i of 0 ... n - 1. */
static __device__ int clamp(int i, int n) {
    return i < 0 ? 0 : i < n ? i : n - 1;
}

/* The pixel of plane z at column u and row v, which need not be whole numbers. */
static __device__ float sample(struct picture p, float u, float v, int z) {
    int left = (int)floorf(u), top = (int)floorf(v);
    float to_right = u - left, down = v - top; // how far from there, 0 to 1
    int x0 = clamp(left, p.width), x1 = clamp(left + 1, p.width);
    const float *upper = row_of(p, clamp(top, p.height), z), *lower = row_of(p, clamp(top + 1, p.height), z);
    float a = upper[x0], b = upper[x1]; // above left, above right
    float c = lower[x0], d = lower[x1]; // below left, below right
    float above = a + (b - a) * to_right, below = c + (d - c) * to_right;
    return above + (below - above) * down;
}

__global__ void resize_kernel(struct picture in, struct picture out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z;
    if (x < out.width && y < out.height) {
        float u = (x + 0.5f) * in.width / out.width - 0.5f;
        float v = (y + 0.5f) * in.height / out.height - 0.5f;
        row_of(out, y, z)[x] = sample(in, u, v, z);
    }
}

static void launch_resize(struct picture in, struct picture out, int planes, cudaStream_t stream) {
    if (out.width == 0 || out.height == 0 || planes == 0) {
        return;
    }
    dim3 block(BLOCK_X, BLOCK_Y);
    dim3 grid((out.width + BLOCK_X - 1) / BLOCK_X, (out.height + BLOCK_Y - 1) / BLOCK_Y, planes);
    resize_kernel<<<grid, block, 0, stream>>>(in, out);
    CUDA_CHECK_LAUNCH();
}

void resize(const float *in, size_t in_pitch, int in_width, int in_height, float *out, size_t out_pitch, int out_width,
            int out_height, int planes, cudaStream_t stream) {
    launch_resize({(float *)in, in_width, in_height, in_pitch}, {out, out_width, out_height, out_pitch}, planes,
                  stream);
}
