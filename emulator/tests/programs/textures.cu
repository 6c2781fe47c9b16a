// Texture objects: arrays of one to three dimensions, layers, cube maps, linear and pitched memory; every address mode,
// point and linear filtering, normalized values, gathering. Texels are small integers and coordinates multiples of 1/16
// or 1/4 of a texel, so that what the programming guide says about filtering gives exact results.
#include <cuda_fp16.h>
#include "program.h"

enum { W = 8, H = 4, D = 4 };

static cudaTextureDesc description(cudaTextureAddressMode mode, cudaTextureFilterMode filter, bool normalized,
                                   cudaTextureReadMode read) {
    cudaTextureDesc d = {};
    for (int k = 0; k < 3; k++)
        d.addressMode[k] = mode;
    d.filterMode = filter;
    d.readMode = read;
    d.normalizedCoords = normalized;
    d.borderColor[0] = -1;
    return d;
}

static cudaTextureObject_t texture_of(cudaArray_t array, const cudaTextureDesc &d) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureObject_t t;
    CUDA(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

// ---- the same on the host: a texel by its indices, and the indices that a coordinate means ----

static float texel_3d(const float *texels, const int n[3], cudaTextureAddressMode mode, int x, int y, int z) {
    int at[3] = {x, y, z};
    for (int k = 0; k < 3; k++) {
        if (at[k] >= 0 && at[k] < n[k])
            continue;
        switch (mode) {
        case cudaAddressModeBorder:
            return -1;
        case cudaAddressModeClamp:
            at[k] = at[k] < 0 ? 0 : n[k] - 1;
            break;
        case cudaAddressModeWrap:
            while (at[k] < 0)
                at[k] += n[k];
            at[k] %= n[k];
            break;
        case cudaAddressModeMirror: // ... 1 0 | 0 1 2 3 | 3 2 1 0 | 0 1 ...
            while (at[k] < 0 || at[k] >= n[k])
                at[k] = at[k] < 0 ? -1 - at[k] : 2 * n[k] - 1 - at[k];
        }
    }
    return texels[(at[2] * n[1] + at[1]) * n[0] + at[0]];
}

// The value at a place given in texels. Axes beyond `dimensions` have one texel.
static float sample(const float *texels, const int n[3], int dimensions, cudaTextureAddressMode mode, bool linear,
                    const double place[3]) {
    if (!linear)
        return texel_3d(texels, n, mode, (int)floor(place[0]), dimensions > 1 ? (int)floor(place[1]) : 0,
                        dimensions > 2 ? (int)floor(place[2]) : 0);
    double sum = 0;
    for (int corner = 0; corner < 1 << dimensions; corner++) {
        int at[3] = {0, 0, 0};
        double weight = 1;
        for (int k = 0; k < dimensions; k++) {
            double low = floor(place[k] - 0.5), fraction = place[k] - 0.5 - low;
            at[k] = (int)low + (corner >> k & 1);
            weight *= corner >> k & 1 ? fraction : 1 - fraction;
        }
        sum += weight * texel_3d(texels, n, mode, at[0], at[1], at[2]);
    }
    return (float)sum;
}

// ---- coordinates ----

__global__ void sample_1d(cudaTextureObject_t t, const float *x, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1D<float>(t, x[i]);
}
__global__ void sample_2d(cudaTextureObject_t t, const float *x, const float *y, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex2D<float>(t, x[i], y[i]);
}
__global__ void sample_3d(cudaTextureObject_t t, const float *x, const float *y, const float *z, float *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex3D<float>(t, x[i], y[i], z[i]);
}

static void try_modes(cudaArray_t array, const float *texels, int dimensions) {
    static const char *const modes[] = {"wrap", "clamp", "mirror", "border"};
    const int count = 1000, size[3] = {W, dimensions > 1 ? H : 1, dimensions > 2 ? D : 1};
    static float x[3][count], out[count], expected[count];
    float *device_x[3], *device_out = device_zeros<float>(count);
    for (int variant = 0; variant < 16; variant++) {
        cudaTextureAddressMode mode = (cudaTextureAddressMode)(variant & 3);
        bool linear = variant & 4, normalized = variant & 8;
        if (!normalized && (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
            continue;
        uint32_t random = 17 + variant;
        for (int i = 0; i < count; i++) {
            double place[3] = {0, 0, 0};
            for (int k = 0; k < dimensions; k++) {
                // from two textures to the left to two beyond the right. A weight has 8 bits, so that of a corner in
                // three dimensions is exact for quarters; points keep away from the boundaries between texels.
                int parts = dimensions == 3 ? 4 : 16;
                place[k] = (double)(next_random(&random) % (5 * parts * size[k])) / parts - 2 * size[k];
                place[k] += linear ? 0 : 1.0 / 32;
                x[k][i] = (float)(normalized ? place[k] / size[k] : place[k]);
            }
            expected[i] = sample(texels, size, dimensions, mode, linear, place);
        }
        for (int k = 0; k < dimensions; k++)
            device_x[k] = to_device(x[k], count);
        cudaTextureDesc d =
            description(mode, linear ? cudaFilterModeLinear : cudaFilterModePoint, normalized, cudaReadModeElementType);
        for (int k = dimensions; k < 3; k++)
            d.addressMode[k] = cudaAddressModeClamp; // a line has a border above and below, too
        cudaTextureObject_t t = texture_of(array, d);
        int blocks = (count + 127) / 128;
        if (dimensions == 1)
            sample_1d<<<blocks, 128>>>(t, device_x[0], device_out, count);
        else if (dimensions == 2)
            sample_2d<<<blocks, 128>>>(t, device_x[0], device_x[1], device_out, count);
        else
            sample_3d<<<blocks, 128>>>(t, device_x[0], device_x[1], device_x[2], device_out, count);
        FINISH();
        from_device(out, device_out, count);
        char name[80];
        snprintf(name, sizeof name, "%dD %s %s %s", dimensions, modes[mode], linear ? "linear" : "point",
                 normalized ? "normalized" : "in texels");
        check_equal(name, expected, out, count);
        CUDA(cudaDestroyTextureObject(t));
        for (int k = 0; k < dimensions; k++)
            CUDA(cudaFree(device_x[k]));
    }
    CUDA(cudaFree(device_out));
}

static void all_modes() {
    float texels[W * H * D];
    for (int i = 0; i < W * H * D; i++)
        texels[i] = (float)(i * 37 % 101);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t line, plane, volume;
    CUDA(cudaMallocArray(&line, &format, W));
    CUDA(cudaMemcpy2DToArray(line, 0, 0, texels, W * sizeof(float), W * sizeof(float), 1, cudaMemcpyHostToDevice));
    try_modes(line, texels, 1);
    CUDA(cudaMallocArray(&plane, &format, W, H));
    CUDA(cudaMemcpy2DToArray(plane, 0, 0, texels, W * sizeof(float), W * sizeof(float), H, cudaMemcpyHostToDevice));
    try_modes(plane, texels, 2);
    CUDA(cudaMalloc3DArray(&volume, &format, make_cudaExtent(W, H, D)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(texels, W * sizeof(float), W, H);
    copy.dstArray = volume;
    copy.extent = make_cudaExtent(W, H, D);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&copy));
    try_modes(volume, texels, 3);
    CUDA(cudaFreeArray(line));
    CUDA(cudaFreeArray(plane));
    CUDA(cudaFreeArray(volume));
}

// ---- formats ----

template <typename T> __global__ void fetch_1d(cudaTextureObject_t t, T *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch<T>(t, i);
}

template <typename T> static void fetch_linear(const char *name) {
    const int n = 100;
    T texels[n], out[n];
    for (size_t i = 0; i < sizeof texels; i++)
        ((unsigned char *)texels)[i] = (unsigned char)(i * 29 % 64 + (i & 1 ? 128 : 0));
    T *memory = to_device(texels, n), *device_out = device_zeros<T>(n);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = memory;
    r.res.linear.desc = cudaCreateChannelDesc<T>();
    r.res.linear.sizeInBytes = sizeof texels;
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    CUDA(cudaCreateTextureObject(&t, &r, &d, NULL));
    fetch_1d<T><<<1, 128>>>(t, device_out, n);
    FINISH();
    from_device(out, device_out, n);
    check(name, memcmp(texels, out, sizeof out) == 0);
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaFree(memory));
    CUDA(cudaFree(device_out));
}

template <typename T> __global__ void fetch_float4(cudaTextureObject_t t, float4 *out, int n) {
    if (threadIdx.x < n)
        out[threadIdx.x] = tex1D<float4>(t, threadIdx.x + 0.5f);
}

// Integers as fractions: the largest is 1, and the smallest two are -1.
template <typename T, typename V> static void normalized_values(const char *name, double largest) {
    const int n = 32;
    V texels[n];
    float4 out[n];
    float expected[4 * n];
    for (int i = 0; i < n; i++) {
        T c[4] = {(T)(i * 1021), (T)(i * 8), (T)(-i), (T)(i & 1 ? (T)largest : 0)};
        memcpy(&texels[i], c, sizeof c);
        for (int k = 0; k < 4; k++)
            expected[4 * i + k] = (float)fmax(-1, c[k] / largest);
    }
    cudaChannelFormatDesc format = cudaCreateChannelDesc<V>();
    cudaArray_t array;
    CUDA(cudaMallocArray(&array, &format, n));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels, sizeof texels, 1, cudaMemcpyHostToDevice));
    float4 *device_out = device_zeros<float4>(n);
    cudaTextureObject_t t =
        texture_of(array, description(cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat));
    fetch_float4<T><<<1, n>>>(t, device_out, n);
    FINISH();
    from_device(out, device_out, n);
    check_close(name, expected, (const float *)out, 4 * n, 1e-6);
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaFreeArray(array));
    CUDA(cudaFree(device_out));
}

__global__ void read_row(cudaTextureObject_t t, float *out, int width) {
    out[blockIdx.x * width + threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

static void halves_and_pitch() {
    const int width = 20, height = 5;
    float values[width * height], out[width * height];
    __half halves[width * height];
    for (int i = 0; i < width * height; i++)
        halves[i] = __float2half(values[i] = (float)i / 8 - 3);
    float *device_out = device_zeros<float>(width * height), *pitched;
    cudaTextureDesc d = description(cudaAddressModeClamp, cudaFilterModeLinear, false, cudaReadModeElementType);
    cudaChannelFormatDesc format = cudaCreateChannelDescHalf();
    cudaArray_t array;
    CUDA(cudaMallocArray(&array, &format, width, height));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, halves, width * 2, width * 2, height, cudaMemcpyHostToDevice));
    cudaTextureObject_t t = texture_of(array, d);
    read_row<<<height, width>>>(t, device_out, width);
    FINISH();
    from_device(out, device_out, width * height);
    check_equal("half-precision texels", values, out, width * height);
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaFreeArray(array));

    size_t pitch;
    CUDA(cudaMallocPitch(&pitched, &pitch, width * sizeof(float), height));
    CUDA(cudaMemcpy2D(pitched, pitch, values, width * sizeof(float), width * sizeof(float), height,
                      cudaMemcpyHostToDevice));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = pitched;
    r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    CUDA(cudaCreateTextureObject(&t, &r, &d, NULL));
    CUDA(cudaMemset(device_out, 0, sizeof out));
    read_row<<<height, width>>>(t, device_out, width);
    FINISH();
    from_device(out, device_out, width * height);
    check_equal("pitched memory", values, out, width * height);
    cudaResourceDesc got;
    cudaTextureDesc got_texture;
    CUDA(cudaGetTextureObjectResourceDesc(&got, t));
    CUDA(cudaGetTextureObjectTextureDesc(&got_texture, t));
    check("descriptions of a texture", got.resType == cudaResourceTypePitch2D && got.res.pitch2D.devPtr == pitched &&
                                           got.res.pitch2D.pitchInBytes == pitch &&
                                           got_texture.filterMode == cudaFilterModeLinear);
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaFree(pitched));
    CUDA(cudaFree(device_out));
}

// ---- layers, cube maps, gathering ----

__global__ void read_layers(cudaTextureObject_t one, cudaTextureObject_t two, int2 *out) {
    int layer = blockIdx.x, x = threadIdx.x, y = threadIdx.y;
    out[(layer * H + y) * W + x] =
        make_int2(tex1DLayered<int>(one, x + 0.5f, layer), tex2DLayered<int>(two, x + 0.5f, y + 0.5f, layer));
}

static cudaArray_t layered_array(const int *texels, cudaExtent extent, unsigned flags) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    CUDA(cudaMalloc3DArray(&array, &format, extent, flags));
    int rows = extent.height ? (int)extent.height : 1;
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr((void *)texels, extent.width * sizeof(int), extent.width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, rows, extent.depth);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&copy));
    return array;
}

static void layers() {
    const int count = 3;
    int texels[W * H * count];
    int2 expected[W * H * (count + 1)], out[W * H * (count + 1)];
    for (int i = 0; i < W * H * count; i++)
        texels[i] = i * 7919 - 5000;
    cudaTextureDesc d = description(cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeElementType);
    cudaArray_t lines = layered_array(texels, make_cudaExtent(W, 0, count), cudaArrayLayered),
                planes = layered_array(texels, make_cudaExtent(W, H, count), cudaArrayLayered);
    cudaTextureObject_t one = texture_of(lines, d), two = texture_of(planes, d);
    for (int layer = 0; layer <= count; layer++) // the last is beyond: clamped
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++) {
                int real = layer < count ? layer : count - 1;
                expected[(layer * H + y) * W + x] = make_int2(texels[real * W + x], texels[(real * H + y) * W + x]);
            }
    int2 *device_out = device_zeros<int2>(W * H * (count + 1));
    read_layers<<<count + 1, dim3(W, H)>>>(one, two, device_out);
    FINISH();
    from_device(out, device_out, W * H * (count + 1));
    check("layers", memcmp(expected, out, sizeof out) == 0);
    CUDA(cudaDestroyTextureObject(one));
    CUDA(cudaDestroyTextureObject(two));
    CUDA(cudaFreeArray(lines));
    CUDA(cudaFreeArray(planes));
    CUDA(cudaFree(device_out));
}

__global__ void look(cudaTextureObject_t t, const float3 *direction, int *out, int n) {
    int i = threadIdx.x;
    if (i < n)
        out[i] = texCubemap<int>(t, direction[i].x, direction[i].y, direction[i].z);
}

// Each face has the four texels 10 * face + 2 * row + column.
static void cube_map() {
    const float3 directions[] = {{1, 0.5f, -0.5f},  {1, -0.5f, -0.5f}, {1, 0.5f, 0.5f},       {-1, 0.5f, 0.5f},
                                 {-1, 0.5f, -0.5f}, {0.5f, 1, -0.5f},  {0.5f, 2, 1},          {-0.25f, -1, 0.25f},
                                 {0.5f, -1, -0.5f}, {-0.5f, 0.5f, 1},  {0.25f, -0.25f, 1},    {0.5f, 0.5f, -1},
                                 {-0.5f, 0.5f, -1}, {-3, -3, -4},      {-0.5f, -0.25f, 0.75f}};
    const int expected[] = {1, 3, 0, 11, 10, 21, 23, 30, 33, 40, 43, 50, 51, 53, 42};
    const int n = sizeof expected / sizeof *expected;
    int texels[24], out[n];
    for (int i = 0; i < 24; i++)
        texels[i] = i / 4 * 10 + i % 4;
    cudaArray_t array = layered_array(texels, make_cudaExtent(2, 2, 6), cudaArrayCubemap);
    cudaTextureObject_t t =
        texture_of(array, description(cudaAddressModeClamp, cudaFilterModePoint, true, cudaReadModeElementType));
    float3 *device_directions;
    CUDA(cudaMalloc(&device_directions, sizeof directions));
    CUDA(cudaMemcpy(device_directions, directions, sizeof directions, cudaMemcpyHostToDevice));
    int *device_out = device_zeros<int>(n);
    look<<<1, 32>>>(t, device_directions, device_out, n);
    FINISH();
    from_device(out, device_out, n);
    check_equal("cube map", expected, out, n);
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaFreeArray(array));
    CUDA(cudaFree(device_directions));
    CUDA(cudaFree(device_out));
}

__global__ void gather(cudaTextureObject_t t, float4 *out) {
    float x = threadIdx.x + 1.25f, y = blockIdx.x + 0.75f;
    int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
    out[i] = tex2Dgather<float4>(t, x, y, 0);
    out[i + 1] = tex2Dgather<float4>(t, x, y, 1);
}

static void gathering() {
    float2 texels[W * H];
    float4 out[2 * 4 * 2];
    float expected[4 * 2 * 4 * 2];
    for (int i = 0; i < W * H; i++)
        texels[i] = make_float2((float)i, (float)(-3 * i));
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float2>();
    cudaArray_t array;
    CUDA(cudaMallocArray(&array, &format, W, H, cudaArrayTextureGather));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, texels, W * 8, W * 8, H, cudaMemcpyHostToDevice));
    cudaTextureObject_t t =
        texture_of(array, description(cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeElementType));
    float4 *device_out = device_zeros<float4>(16);
    gather<<<2, 4>>>(t, device_out);
    FINISH();
    from_device(out, device_out, 16);
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 4; x++) // x + 1.25 lies between the texels x and x + 1, y + 0.75 between y and y + 1
            for (int k = 0; k < 8; k++) {
                static const int dx[] = {0, 1, 1, 0}, dy[] = {1, 1, 0, 0};
                int texel = (y + dy[k % 4]) * W + x + dx[k % 4];
                expected[8 * (4 * y + x) + k] = (float)(k < 4 ? texel : -3 * texel);
            }
    check_equal("gather", expected, (const float *)out, 64);
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaFreeArray(array));
    CUDA(cudaFree(device_out));
}

// ---- copies, and what is refused ----

static void copies() {
    int in[W * H], out[W * H] = {}, expected[W * H] = {};
    for (int i = 0; i < W * H; i++)
        in[i] = i + 1;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t a, b;
    CUDA(cudaMallocArray(&a, &format, W, H));
    CUDA(cudaMallocArray(&b, &format, W, H));
    CUDA(cudaMemcpy2DToArray(a, 0, 0, in, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2DToArray(b, 0, 0, out, W * 4, W * 4, H, cudaMemcpyHostToDevice));
    CUDA(cudaMemcpy2DArrayToArray(b, 2 * 4, 1, a, 4, 0, 3 * 4, 2, cudaMemcpyDeviceToDevice));
    CUDA(cudaMemcpy2DFromArray(out, W * 4, b, 0, 0, W * 4, H, cudaMemcpyDeviceToHost));
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 3; x++)
            expected[(y + 1) * W + x + 2] = in[y * W + x + 1];
    check_equal("copy between arrays", expected, out, W * H);

    cudaMemcpy3DParms copy = {};
    copy.srcArray = a;
    copy.srcPos = make_cudaPos(3, 1, 0);
    copy.dstPtr = make_cudaPitchedPtr(out, W * 4, W, H);
    copy.extent = make_cudaExtent(4, 2, 1); // in texels, since an array takes part
    copy.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&copy));
    for (int y = 0; y < 2; y++)
        for (int x = 0; x < 4; x++)
            expected[y * W + x] = in[(y + 1) * W + x + 3];
    check_equal("cudaMemcpy3D from an array", expected, out, W * H);

    cudaChannelFormatDesc got;
    cudaExtent extent;
    unsigned flags;
    CUDA(cudaArrayGetInfo(&got, &extent, &flags, a));
    check("cudaArrayGetInfo", got.x == 32 && got.y == 0 && got.f == cudaChannelFormatKindSigned && extent.width == W &&
                                  extent.height == H && extent.depth == 0 && flags == 0);
    check("a copy that does not fit",
          cudaMemcpy2DToArray(a, 4, 0, in, W * 4, W * 4, H, cudaMemcpyHostToDevice) == cudaErrorInvalidValue);
    CUDA(cudaFreeArray(a));
    CUDA(cudaFreeArray(b));
    cudaGetLastError();
}

int main() {
    all_modes();
    fetch_linear<float>("linear memory of float");
    fetch_linear<int2>("linear memory of int2");
    fetch_linear<uchar4>("linear memory of uchar4");
    fetch_linear<short>("linear memory of short");
    normalized_values<unsigned char, uchar4>("normalized uchar4", 255);
    normalized_values<signed char, char4>("normalized char4", 127);
    normalized_values<unsigned short, ushort4>("normalized ushort4", 65535);
    normalized_values<short, short4>("normalized short4", 32767);
    halves_and_pitch();
    layers();
    cube_map();
    gathering();
    copies();
    return program_failures != 0;
}
