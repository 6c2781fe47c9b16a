// expect: not_by_kernel
// says: a kernel may only have copied it
/* The host computes, its result is copied to a CUDA array, and a kernel fetches it from a texture. */
#include "common/check.h"
#include "host_works.h"

enum { WIDTH = 1024 };

__global__ void fetch(float *out, cudaTextureObject_t texture, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = tex2D<float>(texture, i % WIDTH, i / WIDTH);
    }
}

static cudaTextureObject_t make_texture(cudaArray_t *array) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    CUDA_CHECK(cudaMallocArray(array, &format, WIDTH, MOST / WIDTH));
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = *array;
    how.readMode = cudaReadModeElementType;
    CUDA_CHECK(cudaCreateTextureObject(&texture, &resource, &how, NULL));
    return texture;
}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    static cudaArray_t array;
    static cudaTextureObject_t texture;
    if (n == 0) {
        return;
    }
    if (!array) {
        texture = make_texture(&array);
    }
    const struct work *w = queue_the_host(a, x, y, n);
    size_t row = WIDTH * sizeof(float), rows = (n + WIDTH - 1) / WIDTH;
    CUDA_CHECK(cudaMemcpy2DToArrayAsync(array, 0, 0, w->result, row, row, rows, cudaMemcpyHostToDevice, 0));
    fetch<<<(n + 255) / 256, 256>>>(out, texture, n);
    CUDA_CHECK_LAUNCH();
}
