// An image resized through a texture: bilinear by the hardware's filter against the same 8-bit weights on the host, nearest
// with normalized coordinates, a rotation with a border, and the results written through a surface.
#include "program.h"

enum { W = 53, H = 37, NEW_W = 101, NEW_H = 71 };

__global__ void resize(cudaTextureObject_t image, float *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float>(image, (x + 0.5f) * W / width, (y + 0.5f) * H / height);
}
__global__ void quarter_turn(cudaTextureObject_t image, cudaSurfaceObject_t out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= W || y >= H)
        return;
    // About the middle, so that corners come from outside the image.
    float u = (y - H / 2) + W / 2 + 0.5f, v = -(x - W / 2) + H / 2 + 0.5f;
    uchar4 c = tex2D<uchar4>(image, u, v);
    surf2Dwrite(make_uchar4(c.z, c.y, c.x, 255 - c.w), out, x * (int)sizeof(uchar4), y);
}
__global__ void nearest(cudaTextureObject_t image, uchar4 *out, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<uchar4>(image, (x + 0.5f) / width, (y + 0.5f) / height);
}

// The filter has weights of eight bits. How it comes to them is the hardware's affair: a step of each is allowed for here,
// and the recorded bits are compared.
static float bilinear(const float *image, float x, float y) {
    x -= 0.5f, y -= 0.5f;
    int i = (int)floorf(x), j = (int)floorf(y);
    float a = roundf((x - i) * 256) / 256, b = roundf((y - j) * 256) / 256;
    int i0 = i < 0 ? 0 : i, i1 = i + 1 >= W ? W - 1 : i + 1, j0 = j < 0 ? 0 : j, j1 = j + 1 >= H ? H - 1 : j + 1;
    return (1 - b) * ((1 - a) * image[j0 * W + i0] + a * image[j0 * W + i1]) +
           b * ((1 - a) * image[j1 * W + i0] + a * image[j1 * W + i1]);
}

template <typename T> static cudaArray_t array_of(const T *image, unsigned flags) {
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    CUDA(cudaMallocArray(&array, &format, W, H, flags));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, image, W * sizeof(T), W * sizeof(T), H, cudaMemcpyHostToDevice));
    return array;
}
static cudaTextureObject_t texture_of(cudaArray_t array, cudaTextureAddressMode address, cudaTextureFilterMode filter,
                                      bool normalized) {
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    cudaTextureObject_t object;
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    texture.addressMode[0] = texture.addressMode[1] = address;
    texture.filterMode = filter;
    texture.normalizedCoords = normalized;
    CUDA(cudaCreateTextureObject(&object, &resource, &texture, NULL));
    return object;
}

int main() {
    static float image[W * H], out[NEW_W * NEW_H], expected[NEW_W * NEW_H];
    static uchar4 pixels[W * H], turned[W * H], shrunk[W * H];
    uint32_t seed = 6;
    for (int i = 0; i < W * H; i++) {
        image[i] = (float)(next_random(&seed) % 256);
        uint32_t r = next_random(&seed);
        pixels[i] = make_uchar4(r, r >> 8, r >> 16, i);
    }
    dim3 block(16, 8), grid((NEW_W + 15) / 16, (NEW_H + 7) / 8), small((W + 15) / 16, (H + 7) / 8);
    cudaTextureObject_t smooth = texture_of(array_of(image, 0), cudaAddressModeClamp, cudaFilterModeLinear, false);
    float *device_out = device_zeros<float>(NEW_W * NEW_H);
    resize<<<grid, block>>>(smooth, device_out, NEW_W, NEW_H);
    FINISH();
    from_device(out, device_out, NEW_W * NEW_H);
    for (int i = 0; i < NEW_W * NEW_H; i++)
        expected[i] = bilinear(image, (i % NEW_W + 0.5f) * W / NEW_W, (i / NEW_W + 0.5f) * H / NEW_H);
    bool right = true;
    for (int i = 0; i < NEW_W * NEW_H; i++)
        right &= fabsf(out[i] - expected[i]) <= 2; // 1/256 of a step in x and in y
    check("bilinear, larger", right);
    show_bits("bilinear", out, NEW_W * NEW_H);
    resize<<<small, block>>>(smooth, device_out, W, H);
    FINISH();
    from_device(out, device_out, W * H);
    check_equal("bilinear, the same size", image, out, W * H);

    cudaArray_t array = array_of(pixels, 0), result;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    CUDA(cudaMallocArray(&result, &format, W, H, cudaArraySurfaceLoadStore));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = result;
    cudaSurfaceObject_t surface;
    CUDA(cudaCreateSurfaceObject(&surface, &resource));
    quarter_turn<<<small, block>>>(texture_of(array, cudaAddressModeBorder, cudaFilterModePoint, false), surface);
    FINISH();
    CUDA(
        cudaMemcpy2DFromArray(turned, W * sizeof(uchar4), result, 0, 0, W * sizeof(uchar4), H, cudaMemcpyDeviceToHost));
    right = true;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int i = y - H / 2 + W / 2, j = H / 2 - (x - W / 2);
            uchar4 c = i >= 0 && i < W && j >= 0 && j < H ? pixels[j * W + i] : make_uchar4(0, 0, 0, 0);
            uchar4 t = turned[y * W + x];
            right &= t.x == c.z && t.y == c.y && t.z == c.x && t.w == 255 - c.w;
        }
    check("a quarter turn into a surface", right);
    show_bits("turned", turned, W * H);

    const int w = 20, h = 15;
    uchar4 *device_small = device_zeros<uchar4>(w * h);
    nearest<<<dim3(2, 2), block>>>(texture_of(array, cudaAddressModeWrap, cudaFilterModePoint, true), device_small, w,
                                   h);
    FINISH();
    from_device(shrunk, device_small, w * h);
    right = true;
    for (int i = 0; i < w * h; i++) {
        uchar4 c = pixels[(int)((i / w + 0.5f) / h * H) * W + (int)((i % w + 0.5f) / w * W)], s = shrunk[i];
        right &= c.x == s.x && c.y == s.y && c.z == s.z && c.w == s.w;
    }
    check("nearest, smaller", right);
    CUDA(cudaDestroySurfaceObject(surface));
    CUDA(cudaFreeArray(result));
    return program_failures;
}
