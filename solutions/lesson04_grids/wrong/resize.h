/* Exercise 04, done right, but for what a file defines before it includes this. */
#include "common/check.h"

#if !defined(FLOOR)
#define FLOOR(place) (int)floorf(place)
#endif
#if !defined(PLACE)
#define PLACE(i, n, among) ((i + 0.5f) * among / n - 0.5f)
#endif
#if !defined(ACROSS)
#define ACROSS to_right
#define DOWN   down
#endif
#if !defined(LOAD)
#define LOAD(p)     (*(p))
#define STORE(p, v) (*(p) = v)
#endif
#if !defined(EXCHANGED)
#define EXCHANGED false /* x and y */
#endif
#if !defined(SHAPE)
#define SHAPE dim3(32, 8)
#endif
#if !defined(BEFORE)
#define BEFORE
#endif

struct picture {
    float *data;
    int width, height;
    size_t pitch;
};

static __device__ float *row_of(struct picture p, int y, int z) {
    return (float *)((char *)p.data + ((size_t)z * p.height + y) * p.pitch);
}

static __device__ int clamp(int i, int n) {
    return i < 0 ? 0 : i < n ? i : n - 1;
}

static __device__ float sample(struct picture p, float u, float v, int z) {
    int left = FLOOR(u), top = FLOOR(v);
    float to_right = u - left, down = v - top;
    int x0 = clamp(left, p.width), x1 = clamp(left + 1, p.width);
    float *upper = row_of(p, clamp(top, p.height), z), *lower = row_of(p, clamp(top + 1, p.height), z);
    float a = LOAD(&upper[x0]), b = LOAD(&upper[x1]), c = LOAD(&lower[x0]), d = LOAD(&lower[x1]);
    float above = a + (b - a) * ACROSS, below = c + (d - c) * ACROSS;
    return above + (below - above) * DOWN;
}

__global__ void resize_kernel(struct picture in, struct picture out) {
    int p = blockIdx.x * blockDim.x + threadIdx.x, q = blockIdx.y * blockDim.y + threadIdx.y;
    int x = EXCHANGED ? q : p, y = EXCHANGED ? p : q, z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x < out.width && y < out.height) {
        STORE(&row_of(out, y, z)[x], sample(in, PLACE(x, out.width, in.width), PLACE(y, out.height, in.height), z));
    }
}

void resize(const float *in_data, size_t in_pitch, int in_width, int in_height, float *out_data, size_t out_pitch,
            int out_width, int out_height, int planes, cudaStream_t stream) {
    struct picture in = {(float *)in_data, in_width, in_height, in_pitch},
                   out = {out_data, out_width, out_height, out_pitch};
    if (out_width == 0 || out_height == 0 || planes == 0) {
        return;
    }
    BEFORE
    dim3 block = SHAPE;
    int across = EXCHANGED ? out.height : out.width, down = EXCHANGED ? out.width : out.height;
    dim3 grid((across + block.x - 1) / block.x, (down + block.y - 1) / block.y, planes / block.z);
    resize_kernel<<<grid, block, 0, stream>>>(in, out);
    CUDA_CHECK_LAUNCH();
}

#undef FLOOR
#undef PLACE
#undef ACROSS
#undef DOWN
#undef LOAD
#undef STORE
#undef EXCHANGED
#undef SHAPE
#undef BEFORE
