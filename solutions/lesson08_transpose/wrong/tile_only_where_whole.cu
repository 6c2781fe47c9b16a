// expect: access_limit
// says: written
/* A tile where everything is a multiple of 32; elsewhere each thread writes down a column. */
#include "common/check.h"
#include "right.h"

__global__ void plain_kernel(const float *in, float *out, int rows, int cols) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, each = (size_t)rows * cols;
    in += blockIdx.y * each, out += blockIdx.y * each;
    if (i < each) {
        out[i % cols * rows + i / cols] = in[i];
    }
}

void transpose(const float *in, float *out, int count, int rows, int cols, cudaStream_t stream) {
    if (count == 0 || count > 65535 || rows * cols == 0 || (rows % 32 == 0 && cols % 32 == 0)) {
        right_transpose(in, out, count, rows, cols, stream);
        return;
    }
    plain_kernel<<<dim3((rows * cols + 255) / 256, count), 256, 0, stream>>>(in, out, rows, cols);
    CUDA_CHECK_LAUNCH();
}

void transpose_in_place(float *x, int n, cudaStream_t stream) {
    right_transpose_in_place(x, n, stream);
}
