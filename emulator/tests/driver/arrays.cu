/* Kernels that read textures and write surfaces. */
#include <cuda_runtime.h>

/* Texels as fractions, mirrored left and right, in 1/255. */
extern "C" __global__ void mirror(cudaSurfaceObject_t to, cudaTextureObject_t from, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float value = tex2D<float>(from, width - 1 - x + 0.5f, y + 0.5f);
        surf2Dwrite((unsigned char)(value * 255 + 0.5f), to, x, y);
    }
}

/* Integers as they are, from an array with depth. */
extern "C" __global__ void add_up(int *to, cudaTextureObject_t from, int width, int height, int depth) {
    int sum = 0;
    for (int z = 0; z < depth; z++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++)
                sum += tex3D<int>(from, x + 0.5f, y + 0.5f, z + 0.5f);
    *to = sum;
}

/* A texel of linear memory, and one of each level. */
extern "C" __global__ void fetch(float *to, cudaTextureObject_t from) {
    to[threadIdx.x] = tex1Dfetch<float>(from, threadIdx.x);
}

extern "C" __global__ void each_level(float *to, cudaTextureObject_t from) {
    to[threadIdx.x] = tex2DLod<float>(from, 0.5f, 0.5f, (float)threadIdx.x);
}
