// Surface objects: reads and writes of every element size in arrays of one to three dimensions and in layers, what
// happens at the edges in each boundary mode, and a texture that reads what a surface has written.
#include "program.h"

static cudaSurfaceObject_t surface_of(cudaArray_t array) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaSurfaceObject_t s;
    CUDA(cudaCreateSurfaceObject(&s, &r));
    return s;
}

enum { W = 24, H = 10 };

// Mirrors left and right.
template <typename T> __global__ void mirror(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H)
        surf2Dwrite(surf2Dread<T>(from, x * sizeof(T), y), to, (W - 1 - x) * sizeof(T), y);
}

template <typename T> static void try_type(const char *name) {
    T in[W * H], out[W * H], expected[W * H];
    for (size_t i = 0; i < sizeof in; i++)
        ((unsigned char *)in)[i] = (unsigned char)(i * 131 + i / 7);
    for (int i = 0; i < W * H; i++)
        expected[i] = in[i / W * W + W - 1 - i % W];
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaArray_t a, b;
    CUDA(cudaMallocArray(&a, &format, W, H, cudaArraySurfaceLoadStore));
    CUDA(cudaMallocArray(&b, &format, W, H, cudaArraySurfaceLoadStore));
    CUDA(cudaMemcpy2DToArray(a, 0, 0, in, W * sizeof(T), W * sizeof(T), H, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t from = surface_of(a), to = surface_of(b);
    mirror<T><<<dim3(2, 2), dim3(16, 8)>>>(from, to);
    FINISH();
    CUDA(cudaMemcpy2DFromArray(out, W * sizeof(T), b, 0, 0, W * sizeof(T), H, cudaMemcpyDeviceToHost));
    check(name, memcmp(expected, out, sizeof out) == 0);
    CUDA(cudaDestroySurfaceObject(from));
    CUDA(cudaDestroySurfaceObject(to));
    CUDA(cudaFreeArray(a));
    CUDA(cudaFreeArray(b));
}

// ---- edges ----

__global__ void edges(cudaSurfaceObject_t s, int *clamped, int *zero) {
    int i = threadIdx.x, x = i % 8 - 2, y = i / 8 - 2;
    clamped[i] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeClamp);
    zero[i] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeZero);
}

__global__ void write_outside(cudaSurfaceObject_t s) {
    int x = (int)threadIdx.x - 2;
    surf2Dwrite((int)(100 + threadIdx.x), s, x * 4, 1, cudaBoundaryModeZero);
}

static void boundaries() {
    int in[16], clamped[64], zero[64], expected_clamped[64], expected_zero[64];
    for (int i = 0; i < 16; i++)
        in[i] = 50 + i;
    for (int i = 0; i < 64; i++) {
        int x = i % 8 - 2, y = i / 8 - 2;
        int near_x = x < 0 ? 0 : x > 3 ? 3 : x, near_y = y < 0 ? 0 : y > 3 ? 3 : y;
        expected_clamped[i] = in[near_y * 4 + near_x];
        expected_zero[i] = x == near_x && y == near_y ? in[y * 4 + x] : 0;
    }
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    CUDA(cudaMallocArray(&array, &format, 4, 4, cudaArraySurfaceLoadStore));
    CUDA(cudaMemcpy2DToArray(array, 0, 0, in, 16, 16, 4, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t s = surface_of(array);
    int *device_clamped = device_zeros<int>(64), *device_zero = device_zeros<int>(64);
    edges<<<1, 64>>>(s, device_clamped, device_zero);
    FINISH();
    from_device(clamped, device_clamped, 64);
    from_device(zero, device_zero, 64);
    check_equal("read clamped", expected_clamped, clamped, 64);
    check_equal("read zero outside", expected_zero, zero, 64);
    write_outside<<<1, 8>>>(s);
    FINISH();
    for (int x = 0; x < 4; x++)
        in[4 + x] = 102 + x;
    int out[16];
    CUDA(cudaMemcpy2DFromArray(out, 16, array, 0, 0, 16, 4, cudaMemcpyDeviceToHost));
    check_equal("write ignored outside", in, out, 16);
    CUDA(cudaDestroySurfaceObject(s));
    CUDA(cudaFreeArray(array));
    CUDA(cudaFree(device_clamped));
    CUDA(cudaFree(device_zero));
}

// ---- layers; one and three dimensions ----

__global__ void fill(cudaSurfaceObject_t lines, cudaSurfaceObject_t planes) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, value = 100 * z + 10 * y + x;
    if (y == 0)
        surf1DLayeredwrite(value, lines, x * 4, z);
    surf2DLayeredwrite(value, planes, x * 4, y, z);
}
__global__ void add(cudaSurfaceObject_t lines, cudaSurfaceObject_t planes) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    if (y == 0)
        surf1DLayeredwrite(surf1DLayeredread<int>(lines, x * 4, z) + 2, lines, x * 4, z);
    surf2DLayeredwrite(surf2DLayeredread<int>(planes, x * 4, y, z) + 3, planes, x * 4, y, z);
}

static cudaArray_t array_of(size_t w, size_t h, size_t d, unsigned flags) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
    cudaArray_t array;
    CUDA(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, d), flags | cudaArraySurfaceLoadStore));
    return array;
}

static void array_to_host(int *out, cudaArray_t array, size_t w, size_t h, size_t d) {
    cudaMemcpy3DParms copy = {};
    copy.srcArray = array;
    copy.dstPtr = make_cudaPitchedPtr(out, w * 4, w, h);
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpy3D(&copy));
}

static void layers() {
    enum { X = 5, Y = 4, Z = 3 };
    cudaArray_t arrays[] = {array_of(X, 0, Z, cudaArrayLayered), array_of(X, Y, Z, cudaArrayLayered)};
    cudaSurfaceObject_t lines = surface_of(arrays[0]), planes = surface_of(arrays[1]);
    fill<<<1, dim3(X, Y, Z)>>>(lines, planes);
    add<<<1, dim3(X, Y, Z)>>>(lines, planes);
    FINISH();
    int out[X * Y * Z], expected[X * Y * Z];
    array_to_host(out, arrays[1], X, Y, Z);
    for (int i = 0; i < X * Y * Z; i++)
        expected[i] = 100 * (i / X / Y) + 10 * (i / X % Y) + i % X + 3;
    check_equal("layers of planes", expected, out, X * Y * Z);
    array_to_host(out, arrays[0], X, 1, Z);
    for (int i = 0; i < X * Z; i++)
        expected[i] = 100 * (i / X) + i % X + 2;
    check_equal("layers of lines", expected, out, X * Z);
    CUDA(cudaDestroySurfaceObject(lines));
    CUDA(cudaDestroySurfaceObject(planes));
    CUDA(cudaFreeArray(arrays[0]));
    CUDA(cudaFreeArray(arrays[1]));
}

// A line and a volume, each element by one thread, so that nobody reads what another writes.
__global__ void step(cudaSurfaceObject_t line, cudaSurfaceObject_t volume) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    if (y == 0 && z == 0)
        surf1Dwrite(surf1Dread<int>(line, x * 4) * 2 + 1, line, x * 4);
    surf3Dwrite(surf3Dread<int>(volume, x * 4, y, z) * 3 + x + y - z, volume, x * 4, y, z);
}

static void line_and_volume() {
    enum { X = 6, Y = 3, Z = 4 };
    cudaArray_t line = array_of(X, 0, 0, 0), volume = array_of(X, Y, Z, 0);
    int in[X * Y * Z], out[X * Y * Z], expected[X * Y * Z];
    for (int i = 0; i < X * Y * Z; i++)
        in[i] = i * i;
    CUDA(cudaMemcpy2DToArray(line, 0, 0, in, X * 4, X * 4, 1, cudaMemcpyHostToDevice));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(in, X * 4, X, Y);
    copy.dstArray = volume;
    copy.extent = make_cudaExtent(X, Y, Z);
    copy.kind = cudaMemcpyHostToDevice;
    CUDA(cudaMemcpy3D(&copy));
    cudaSurfaceObject_t s = surface_of(line), v = surface_of(volume);
    step<<<1, dim3(X, Y, Z)>>>(s, v);
    FINISH();
    array_to_host(out, volume, X, Y, Z);
    for (int i = 0; i < X * Y * Z; i++)
        expected[i] = in[i] * 3 + i % X + i / X % Y - i / X / Y;
    check_equal("volume", expected, out, X * Y * Z);
    CUDA(cudaMemcpy2DFromArray(out, X * 4, line, 0, 0, X * 4, 1, cudaMemcpyDeviceToHost));
    for (int i = 0; i < X; i++)
        expected[i] = in[i] * 2 + 1;
    check_equal("line", expected, out, X);
    CUDA(cudaDestroySurfaceObject(s));
    CUDA(cudaDestroySurfaceObject(v));
    CUDA(cudaFreeArray(line));
    CUDA(cudaFreeArray(volume));
}

// ---- a texture over the same array ----

__global__ void paint(cudaSurfaceObject_t s) {
    int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite((float)(x * x + 10 * y), s, x * 4, y);
}
__global__ void look(cudaTextureObject_t t, float *out) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * blockDim.x + x] = tex2D<float>(t, x + 1.0f, y + 0.5f); // halfway to the right neighbour
}

static void surface_then_texture() {
    const int width = 16, height = 4;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CUDA(cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t s = surface_of(array);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    d.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t t;
    CUDA(cudaCreateTextureObject(&t, &r, &d, NULL));
    float *device_out = device_zeros<float>(width * height), out[width * height], expected[width * height];
    paint<<<height, width>>>(s);
    look<<<height, width>>>(t, device_out);
    FINISH();
    from_device(out, device_out, width * height);
    for (int i = 0; i < width * height; i++) {
        int x = i % width, next = x + 1 < width ? x + 1 : x;
        expected[i] = (float)(x * x + next * next) / 2 + 10 * (i / width);
    }
    check_equal("a texture reads what a surface wrote", expected, out, width * height);
    cudaResourceDesc got;
    CUDA(cudaGetSurfaceObjectResourceDesc(&got, s));
    check("description of a surface", got.resType == cudaResourceTypeArray && got.res.array.array == array);
    CUDA(cudaDestroyTextureObject(t));
    CUDA(cudaDestroySurfaceObject(s));
    CUDA(cudaFreeArray(array));
    CUDA(cudaFree(device_out));
}

int main() {
    try_type<unsigned char>("unsigned char");
    try_type<uchar4>("uchar4");
    try_type<short>("short");
    try_type<short2>("short2");
    try_type<float>("float");
    try_type<int2>("int2");
    try_type<float4>("float4");
    try_type<ushort4>("ushort4");
    boundaries();
    layers();
    line_and_volume();
    surface_then_texture();
    return program_failures != 0;
}
