/* Correct, and in two passes: columns first, in memory from the stream's pool, then rows. A picture that keeps its size is copied. */
#include "common/check.h"

#define WIDE(x, row) ((size_t)(row)*out_width + (x))

static __device__ int clamp(int i, int n) {
    return min(max(i, 0), n - 1);
}

/* Columns of `out` from those of `in`: of rows that stay as they are. */
__global__ void across_kernel(const char *in, size_t in_pitch, int in_width, float *wide, int out_width, int rows) {
    int x = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
    if (x < out_width && row < rows) {
        const float *from = (const float *)(in + row * in_pitch);
        float u = (x + 0.5f) * in_width / out_width - 0.5f;
        int left = (int)floorf(u);
        float a = from[clamp(left, in_width)], b = from[clamp(left + 1, in_width)];
        wide[WIDE(x, row)] = a + (b - a) * (u - left);
    }
}

/* Rows of `out` from those of the picture that is as wide already. */
__global__ void down_kernel(const float *wide, int in_height, int rows, char *out, size_t out_pitch, int out_width,
                            int out_height) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, z = blockIdx.z;
    if (x < out_width && y < out_height) {
        float v = (y + 0.5f) * in_height / out_height - 0.5f;
        int top = (int)floorf(v), before = z * in_height;
        float a = wide[WIDE(x, before + clamp(top, in_height))], b = wide[WIDE(x, before + clamp(top + 1, in_height))];
        ((float *)(out + ((size_t)z * out_height + y) * out_pitch))[x] = a + (b - a) * (v - top);
    }
}

void resize(const float *in, size_t in_pitch, int in_width, int in_height, float *out, size_t out_pitch, int out_width,
            int out_height, int planes, cudaStream_t stream) {
    int rows = in_height * planes;
    float *wide;
    if (out_width == 0 || out_height == 0 || planes == 0) {
        return;
    }
    if (in_width == out_width && in_height == out_height) {
        CUDA_CHECK(cudaMemcpy2DAsync(out, out_pitch, in, in_pitch, in_width * sizeof(float), rows,
                                     cudaMemcpyDeviceToDevice, stream));
        return;
    }
    CUDA_CHECK(cudaMallocAsync((void **)&wide, (size_t)out_width * rows * sizeof(float), stream));
    dim3 block(32, 8), grid((out_width + 31) / 32, (rows + 7) / 8);
    across_kernel<<<grid, block, 0, stream>>>((const char *)in, in_pitch, in_width, wide, out_width, rows);
    CUDA_CHECK_LAUNCH();
    down_kernel<<<dim3(grid.x, (out_height + 7) / 8, planes), block, 0, stream>>>(wide, in_height, rows, (char *)out,
                                                                                  out_pitch, out_width, out_height);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaFreeAsync(wide, stream));
}
