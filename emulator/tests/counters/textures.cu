/* Single fetches of one warp from textures and surfaces: what a GPU counts for each, and what the emulator counts.
 *
 * As patterns.cu: each launch makes one fetch by one warp and prints its name. `textures places` prints the coordinates, too. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

enum { LANES = 32, SIZE = 64, DEPTH = 8, LEVELS = 3 };

struct pattern {
    int x[LANES], y[LANES], z[LANES];
    uint32_t mask;
};

/* ---- the fetches ---- */

static __device__ float all_of(unsigned char v) {
    return v;
}
static __device__ float all_of(float v) {
    return v;
}
static __device__ float all_of(float2 v) {
    return v.x + v.y;
}
static __device__ float all_of(float4 v) {
    return v.x + v.y + v.z + v.w;
}

/* A kernel: `expression` is what a lane fetches, with x, y, z as coordinates in texels. */
#define FETCH(name, expression)                                                                                        \
    template <typename T> __global__ void name(const __grid_constant__ pattern p, cudaTextureObject_t t, float *out) { \
        int lane = threadIdx.x, x = p.x[lane], y = p.y[lane], z = p.z[lane];                                           \
        if (p.mask >> lane & 1)                                                                                        \
            out[lane] = all_of(expression) + 0 * (x + y + z);                                                          \
    }
FETCH(linear, tex1Dfetch<T>(t, x))
FETCH(linear_first, tex1Dfetch<T>(t, x).x)
FETCH(line, tex1D<T>(t, x + 0.5f))
FETCH(line_between, tex1D<T>(t, x + 0.9f))
FETCH(line_layered, tex1DLayered<T>(t, x + 0.5f, z))
FETCH(plane, tex2D<T>(t, x + 0.5f, y + 0.5f))
FETCH(plane_first, tex2D<T>(t, x + 0.5f, y + 0.5f).x)
FETCH(plane_between, tex2D<T>(t, x + 0.9f, y + 0.8f))
FETCH(plane_between_columns, tex2D<T>(t, x + 0.9f, y + 0.5f))
FETCH(plane_outside, tex2D<T>(t, x - 8 + 0.9f, y - 8 + 0.8f))
FETCH(plane_fraction, tex2D<T>(t, (x - 8 + 0.9f) / SIZE, (y - 8 + 0.8f) / SIZE))
FETCH(plane_layered, tex2DLayered<T>(t, x + 0.5f, y + 0.5f, z))
FETCH(plane_gather, tex2Dgather<T>(t, x + 0.9f, y + 0.8f, 0))
FETCH(plane_level, tex2DLod<T>(t, (x + 0.9f) / SIZE, (y + 0.8f) / SIZE, z / 2.0f))
FETCH(volume, tex3D<T>(t, x + 0.5f, y + 0.5f, z + 0.5f))
FETCH(volume_between, tex3D<T>(t, x + 0.9f, y + 0.8f, z + 0.7f))
FETCH(cube, texCubemap<T>(t, x - 31.5f, y - 31.5f, 32.0f))
FETCH(read_line, surf1Dread<T>(t, x *(int)sizeof(T)))
FETCH(read_plane, surf2Dread<T>(t, x *(int)sizeof(T), y))
FETCH(read_layer, surf2DLayeredread<T>(t, x *(int)sizeof(T), y, z))
FETCH(read_volume, surf3Dread<T>(t, x *(int)sizeof(T), y, z))

template <typename T>
__global__ void whole_number(const __grid_constant__ pattern p, cudaTextureObject_t t, float *out) {
    int lane = threadIdx.x;
    float v[4];
    if (p.mask >> lane & 1) {
        asm volatile("tex.2d.v4.f32.s32 {%0, %1, %2, %3}, [%4, {%5, %6}];"
                     : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                     : "l"(t), "r"(p.x[lane]), "r"(p.y[lane]));
        out[lane] = v[0];
    }
}

#define STORE(name, call)                                                                                              \
    template <typename T> __global__ void name(const __grid_constant__ pattern p, cudaSurfaceObject_t s, float *) {    \
        int lane = threadIdx.x, x = p.x[lane] * sizeof(T), y = p.y[lane], z = p.z[lane];                               \
        T v;                                                                                                           \
        memset(&v, z & 0, sizeof v);                                                                                   \
        if (p.mask >> lane & 1)                                                                                        \
            call;                                                                                                      \
    }
STORE(write_line, surf1Dwrite(v, s, x + 0 * y))
STORE(write_plane, surf2Dwrite(v, s, x, y))
STORE(write_layer, surf2DLayeredwrite(v, s, x, y, z))
STORE(write_volume, surf3Dwrite(v, s, x, y, z))

/* ---- what they fetch from ---- */

static void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

enum { FILTER = 1, NORMALIZED = 2, BORDER = 4, WRAP = 8, BLEND = 16 };

static cudaTextureObject_t make_texture(const cudaResourceDesc &resource, int options) {
    cudaTextureDesc d = {};
    d.filterMode = options & FILTER ? cudaFilterModeLinear : cudaFilterModePoint;
    d.mipmapFilterMode = options & BLEND ? cudaFilterModeLinear : cudaFilterModePoint;
    d.maxMipmapLevelClamp = LEVELS - 1;
    d.normalizedCoords = (options & NORMALIZED) != 0;
    for (auto &mode : d.addressMode)
        mode = options & WRAP ? cudaAddressModeWrap : options & BORDER ? cudaAddressModeBorder : cudaAddressModeClamp;
    cudaTextureObject_t t;
    CHECK(cudaCreateTextureObject(&t, &resource, &d, nullptr));
    return t;
}

template <typename T> static void *memory_of() {
    void *p;
    CHECK(cudaMalloc(&p, SIZE * SIZE * sizeof(T)));
    CHECK(cudaMemset(p, 0, SIZE * SIZE * sizeof(T)));
    return p;
}

template <typename T> static cudaTextureObject_t of_linear() {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear = {memory_of<T>(), cudaCreateChannelDesc<T>(), SIZE * SIZE * sizeof(T)};
    return make_texture(r, 0);
}

template <typename T> static cudaTextureObject_t of_pitch(int options) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D = {memory_of<T>(), cudaCreateChannelDesc<T>(), SIZE, SIZE, SIZE * sizeof(T)};
    return make_texture(r, options);
}

template <typename T> static cudaResourceDesc array(int height, int depth, unsigned flags) {
    cudaChannelFormatDesc c = cudaCreateChannelDesc<T>();
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    CHECK(cudaMalloc3DArray(&r.res.array.array, &c, make_cudaExtent(SIZE, height, depth), flags));
    return r;
}

template <typename T> static cudaTextureObject_t of_array(int height, int depth, unsigned flags, int options) {
    return make_texture(array<T>(height, depth, flags), options);
}

template <typename T> static cudaTextureObject_t of_mipmap(int options) {
    cudaChannelFormatDesc c = cudaCreateChannelDesc<T>();
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    CHECK(cudaMallocMipmappedArray(&r.res.mipmap.mipmap, &c, make_cudaExtent(SIZE, SIZE, 0), LEVELS));
    return make_texture(r, options | NORMALIZED);
}

template <typename T> static cudaSurfaceObject_t surface(int height, int depth, unsigned flags) {
    cudaResourceDesc r = array<T>(height, depth, flags | cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t s;
    CHECK(cudaCreateSurfaceObject(&s, &r));
    return s;
}

/* ---- the patterns ---- */

typedef void (*fetch)(pattern, cudaTextureObject_t, float *);

static const char *name;
static fetch kernel;
static cudaTextureObject_t object;
static float *sink;
static bool places;

static void launch(const pattern &p, const char *pattern_name, int number) {
    printf("%s %s %d\n", name, pattern_name, number);
    for (int l = 0; places && l < LANES; l++)
        if (p.mask >> l & 1)
            printf("%d,%d,%d%s", p.x[l], p.y[l], p.z[l], l == LANES - 1 ? "\n" : " ");
        else
            printf("-%s", l == LANES - 1 ? "\n" : " ");
    kernel<<<1, LANES>>>(p, object, sink);
    check(cudaGetLastError(), name);
    check(cudaDeviceSynchronize(), name);
}

static uint32_t random_state = 1;
static int random_below(int n) {
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (uint32_t)n);
}

template <typename X, typename Y> static void each(const char *pattern_name, int number, uint32_t mask, X x, Y y) {
    pattern p = {{0}, {0}, {0}, mask};
    for (int l = 0; l < LANES; l++) {
        p.x[l] = x(l) % SIZE;
        p.y[l] = y(l) % SIZE;
        p.z[l] = number % 2 ? l % 4 : 1;
    }
    launch(p, pattern_name, number);
}

static void fetch_patterns(const char *new_name, fetch new_kernel, cudaTextureObject_t new_object, int dimensions) {
    name = new_name, kernel = new_kernel, object = new_object;
    auto zero = [](int) { return 0; };
    for (int stride : {0, 1, 2, 4})
        each(
            "stride", stride, ~0u, [&](int l) { return l * stride; }, zero);
    each(
        "offset", 1, ~0u, [](int l) { return l + 1; }, zero);
    each(
        "partial", 0, 0x0f0f0001u, [](int l) { return l; }, zero);
    for (int range : {16, 64})
        each(
            "random", range, ~0u, [&](int) { return random_below(range); }, zero);
    if (dimensions == 1)
        return;
    for (int stride : {1, 2})
        each("column", stride, ~0u, zero, [&](int l) { return l * stride; });
    for (int width : {4, 8})
        each(
            "tile", width, ~0u, [&](int l) { return l % width; }, [&](int l) { return l / width; });
    each(
        "tile_offset", 8, ~0u, [](int l) { return l % 8 + 1; }, [](int l) { return l / 8 + 1; });
    for (int range : {7, 8, 31, 64})
        each(
            "random_plane", range, ~0u, [&](int) { return random_below(range); },
            [&](int) { return random_below(range); });
}
#define OF(name, bytes, kernel, object, dimensions) fetch_patterns(#name #bytes, kernel, object, dimensions)

static void textures() {
    OF(linear, 1, linear<unsigned char>, of_linear<unsigned char>(), 1);
    OF(linear, 4, linear<float>, of_linear<float>(), 1);
    OF(linear, 8, linear<float2>, of_linear<float2>(), 1);
    OF(linear, 16, linear<float4>, of_linear<float4>(), 1);
    OF(linear_first, 16, linear_first<float4>, of_linear<float4>(), 1);
    OF(line, 4, line<float>, of_array<float>(0, 0, 0, 0), 1);
    OF(line_filtered, 4, line_between<float>, of_array<float>(0, 0, 0, FILTER), 1);
    OF(line_layered, 4, line_layered<float>, of_array<float>(0, DEPTH, cudaArrayLayered, 0), 1);
    OF(pitch, 1, plane<unsigned char>, of_pitch<unsigned char>(0), 2);
    OF(pitch, 4, plane<float>, of_pitch<float>(0), 2);
    OF(pitch, 16, plane<float4>, of_pitch<float4>(0), 2);
    OF(pitch_whole_number, 4, whole_number<float>, of_pitch<float>(0), 2);
    OF(pitch_filtered, 4, plane_between<float>, of_pitch<float>(FILTER), 2);
    OF(plane, 1, plane<unsigned char>, of_array<unsigned char>(SIZE, 0, 0, 0), 2);
    OF(plane, 4, plane<float>, of_array<float>(SIZE, 0, 0, 0), 2);
    OF(plane, 8, plane<float2>, of_array<float2>(SIZE, 0, 0, 0), 2);
    OF(plane, 16, plane<float4>, of_array<float4>(SIZE, 0, 0, 0), 2);
    OF(plane_first, 16, plane_first<float4>, of_array<float4>(SIZE, 0, 0, 0), 2);
    OF(whole_number, 4, whole_number<float>, of_array<float>(SIZE, 0, 0, 0), 2);
    OF(plane_middle, 4, plane<float>, of_array<float>(SIZE, 0, 0, FILTER), 2);
    OF(plane_between, 4, plane_between<float>, of_array<float>(SIZE, 0, 0, FILTER), 2);
    OF(plane_between, 16, plane_between<float4>, of_array<float4>(SIZE, 0, 0, FILTER), 2);
    OF(plane_between_columns, 4, plane_between_columns<float>, of_array<float>(SIZE, 0, 0, FILTER), 2);
    OF(plane_clamp, 4, plane_outside<float>, of_array<float>(SIZE, 0, 0, 0), 2);
    OF(plane_border, 4, plane_outside<float>, of_array<float>(SIZE, 0, 0, BORDER), 2);
    OF(plane_border_filtered, 4, plane_outside<float>, of_array<float>(SIZE, 0, 0, BORDER | FILTER), 2);
    OF(plane_wrap, 4, plane_fraction<float>, of_array<float>(SIZE, 0, 0, WRAP | FILTER | NORMALIZED), 2);
    OF(plane_layered, 4, plane_layered<float>, of_array<float>(SIZE, DEPTH, cudaArrayLayered, 0), 2);
    OF(gather, 4, plane_gather<float4>, of_array<float>(SIZE, 0, cudaArrayTextureGather, 0), 2);
    OF(level, 4, plane_level<float>, of_mipmap<float>(0), 2);
    OF(level_filtered, 4, plane_level<float>, of_mipmap<float>(FILTER | BLEND), 2);
    OF(volume, 4, volume<float>, of_array<float>(SIZE, DEPTH, 0, 0), 2);
    OF(volume, 16, volume<float4>, of_array<float4>(SIZE, DEPTH, 0, 0), 2);
    OF(volume_filtered, 4, volume_between<float>, of_array<float>(SIZE, DEPTH, 0, FILTER), 2);
    OF(cube, 4, cube<float>, of_array<float>(SIZE, 6, cudaArrayCubemap, 0), 2);
}

static void surfaces() {
    OF(read_line, 4, read_line<float>, surface<float>(0, 0, 0), 1);
    OF(read_plane, 1, read_plane<unsigned char>, surface<unsigned char>(SIZE, 0, 0), 2);
    OF(read_plane, 4, read_plane<float>, surface<float>(SIZE, 0, 0), 2);
    OF(read_plane, 16, read_plane<float4>, surface<float4>(SIZE, 0, 0), 2);
    OF(read_layer, 4, read_layer<float>, surface<float>(SIZE, DEPTH, cudaArrayLayered), 2);
    OF(read_volume, 4, read_volume<float>, surface<float>(SIZE, DEPTH, 0), 2);
    OF(write_line, 4, write_line<float>, surface<float>(0, 0, 0), 1);
    OF(write_plane, 1, write_plane<unsigned char>, surface<unsigned char>(SIZE, 0, 0), 2);
    OF(write_plane, 4, write_plane<float>, surface<float>(SIZE, 0, 0), 2);
    OF(write_plane, 8, write_plane<float2>, surface<float2>(SIZE, 0, 0), 2);
    OF(write_plane, 16, write_plane<float4>, surface<float4>(SIZE, 0, 0), 2);
    OF(write_layer, 4, write_layer<float>, surface<float>(SIZE, DEPTH, cudaArrayLayered), 2);
    OF(write_volume, 4, write_volume<float>, surface<float>(SIZE, DEPTH, 0), 2);
}

int main(int argc, char **argv) {
    places = argc > 1 && !strcmp(argv[1], "places");
    CHECK(cudaMalloc(&sink, LANES * sizeof(float)));
    textures();
    surfaces();
    return 0;
}
