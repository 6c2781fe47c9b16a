// expect: not_by_kernel
// says: a copy (such as cudaMemcpy) wrote it
/* The host computes it, and a kernel is launched for the looks of it. */
#include "common/check.h"

enum { BLOCK_X = 32, BLOCK_Y = 8 };

struct picture {
    float *data;       // on the device: plane 0, row 0
    int width, height; // in pixels, which are floats here
    size_t pitch;      // in bytes
};

static __global__ void resize_kernel(struct picture in, struct picture out) {
    (void)in, (void)out;
}

void resize(const float *in, size_t in_pitch, int in_width, int in_height, float *out, size_t out_pitch, int out_width,
            int out_height, int planes, cudaStream_t stream) {
    size_t in_bytes = in_pitch * in_height * planes, out_bytes = out_pitch * out_height * planes;
    char *from = (char *)malloc(in_bytes + 1), *to = (char *)malloc(out_bytes + 1);
    cudaMemcpyAsync(from, in, in_bytes, cudaMemcpyDeviceToHost, stream);
    cudaMemcpyAsync(to, out, out_bytes, cudaMemcpyDeviceToHost, stream);
    while (cudaStreamQuery(stream) == cudaErrorNotReady) {
    }
    for (int z = 0; z < planes; z++) {
        for (int y = 0; y < out_height; y++) {
            for (int x = 0; x < out_width; x++) {
                float u = (x + 0.5f) * in_width / out_width - 0.5f, v = (y + 0.5f) * in_height / out_height - 0.5f;
                int left = (int)floorf(u), top = (int)floorf(v);
                float p[4];
                for (int k = 0; k < 4; k++) {
                    int column = left + k % 2, row = top + k / 2;
                    column = column < 0 ? 0 : column < in_width ? column : in_width - 1;
                    row = row < 0 ? 0 : row < in_height ? row : in_height - 1;
                    p[k] = ((float *)(from + ((size_t)z * in_height + row) * in_pitch))[column];
                }
                float above = p[0] + (p[1] - p[0]) * (u - left), below = p[2] + (p[3] - p[2]) * (u - left);
                ((float *)(to + ((size_t)z * out_height + y) * out_pitch))[x] = above + (below - above) * (v - top);
            }
        }
    }
    resize_kernel<<<1, 1, 0, stream>>>({}, {});
    CUDA_CHECK_LAUNCH();
    cudaMemcpyAsync(out, to, out_bytes, cudaMemcpyHostToDevice, stream);
}
