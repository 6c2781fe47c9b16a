/* Correct, and written in another way: blocks of 8 x 32 threads, of which few are launched (cudaLaunchKernelEx), in strides over all pixels. */
#include "common/check.h"

struct surface {
    const char *data;
    size_t pitch;
    int width, height;
};

static __device__ const float *pixel(struct surface s, int x, int y, int z) {
    x = min(max(x, 0), s.width - 1), y = min(max(y, 0), s.height - 1);
    return (const float *)(s.data + ((size_t)z * s.height + y) * s.pitch) + x;
}

static __device__ float between(struct surface s, float u, int row, int z) {
    float left = floorf(u), share = u - left;
    return fmaf(share, __ldg(pixel(s, left + 1, row, z)), (1 - share) * __ldg(pixel(s, left, row, z)));
}

__global__ void strided(struct surface in, struct surface out, int planes) {
    for (int z = blockIdx.z; z < planes; z += gridDim.z) {
        for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < out.height; y += gridDim.y * blockDim.y) {
            float v = (y + 0.5f) * in.height / out.height - 0.5f, top = floorf(v), share = v - top;
            for (int x = blockIdx.x * blockDim.x + threadIdx.x; x < out.width; x += gridDim.x * blockDim.x) {
                float u = (x + 0.5f) * in.width / out.width - 0.5f;
                *(float *)pixel(out, x, y, z) =
                    fmaf(share, between(in, u, top + 1, z), (1 - share) * between(in, u, top, z));
            }
        }
    }
}

void resize(const float *in, size_t in_pitch, int in_width, int in_height, float *out, size_t out_pitch, int out_width,
            int out_height, int planes, cudaStream_t stream) {
    struct surface from = {(const char *)in, in_pitch, in_width, in_height};
    struct surface to = {(const char *)out, out_pitch, out_width, out_height};
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(5, 7, 2);
    config.blockDim = dim3(8, 32);
    config.stream = stream;
    CUDA_CHECK(cudaLaunchKernelEx(&config, strided, from, to, planes));
}
