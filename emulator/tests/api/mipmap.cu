// Sampling mipmapped arrays and cube maps: thousands of values, compared to the bit with those that an H200 gave.
// `mipmap --record FILE` writes them instead.
#include "api_test.h"

#define SAMPLES  192
#define RECORDED "tests/api/mipmap.bin"

enum shape { LINE, PLANE, VOLUME, LINES, PLANES, CUBE, CUBES };
enum fetch { PLAIN, LOD, GRADIENT };
enum texel { FLOAT, FLOAT4, BYTE, BYTES4, SIGNED16, HALF, SIGNED8 };

struct sampling {
    const char *name;
    enum shape shape;
    enum fetch fetch;
    enum texel texel;
    cudaTextureFilterMode filter, between_levels;
    cudaTextureAddressMode address;
    float bias, least, most;
    int levels, size; /* of the largest level; a plane is half as high */
    int anisotropy, seamless, srgb;
};

#define POINT  cudaFilterModePoint
#define LINEAR cudaFilterModeLinear
#define WRAP   cudaAddressModeWrap
#define CLAMP  cudaAddressModeClamp
#define MIRROR cudaAddressModeMirror
#define BORDER cudaAddressModeBorder

static const struct sampling cases[] = {
    {"plane, nearest texel of nearest level", PLANE, LOD, FLOAT, POINT, POINT, CLAMP, 0, 0, 99, 5, 32},
    {"plane, nearest level", PLANE, LOD, FLOAT, LINEAR, POINT, CLAMP, 0, 0, 99, 5, 32},
    {"plane, nearest texel between levels", PLANE, LOD, FLOAT, POINT, LINEAR, CLAMP, 0, 0, 99, 5, 32},
    {"plane, trilinear", PLANE, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32},
    {"plane, trilinear, wrapping", PLANE, LOD, FLOAT, LINEAR, LINEAR, WRAP, 0, 0, 99, 5, 32},
    {"plane, trilinear, mirroring", PLANE, LOD, FLOAT, LINEAR, LINEAR, MIRROR, 0, 0, 99, 5, 32},
    {"plane, trilinear, with a border", PLANE, LOD, FLOAT, LINEAR, LINEAR, BORDER, 0, 0, 99, 5, 32},
    {"plane, bias", PLANE, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0.7f, 0, 99, 5, 32},
    {"plane, negative bias", PLANE, LOD, FLOAT, LINEAR, LINEAR, CLAMP, -1.3f, 0, 99, 5, 32},
    {"plane, levels 1.25 to 2.6", PLANE, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0, 1.25f, 2.6f, 5, 32},
    {"plane, nearest level of 1.25 to 2.6", PLANE, LOD, FLOAT, LINEAR, POINT, CLAMP, 0, 1.25f, 2.6f, 5, 32},
    {"plane, level 0 at most", PLANE, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 0, 5, 32},
    {"plane, no level named", PLANE, PLAIN, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32},
    {"plane, no level named, bias", PLANE, PLAIN, FLOAT, LINEAR, LINEAR, CLAMP, 1.5f, 0, 99, 5, 32},
    {"plane, no level named, levels from 2", PLANE, PLAIN, FLOAT, LINEAR, LINEAR, CLAMP, 0, 2, 99, 5, 32},
    {"plane of 3 of 6 levels", PLANE, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 3, 32},
    {"plane of 24 x 12", PLANE, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 4, 24},
    {"plane of 4 channels", PLANE, LOD, FLOAT4, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32},
    {"plane of bytes", PLANE, LOD, BYTE, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32},
    {"plane of 4 bytes", PLANE, LOD, BYTES4, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32},
    {"plane of 4 bytes, sRGB", PLANE, LOD, BYTES4, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32, 0, 0, 1},
    {"plane of signed 16 bits", PLANE, LOD, SIGNED16, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32},
    {"plane of halves", PLANE, LOD, HALF, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32},
    {"plane, gradients, nearest", PLANE, GRADIENT, FLOAT, POINT, POINT, CLAMP, 0, 0, 99, 5, 32},
    {"plane, gradients", PLANE, GRADIENT, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32},
    {"plane, gradients, bias", PLANE, GRADIENT, FLOAT, LINEAR, LINEAR, CLAMP, 0.4f, 0, 99, 5, 32},
    {"plane, gradients, anisotropy 1", PLANE, GRADIENT, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32, 1},
    {"line", LINE, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32},
    {"line, nearest", LINE, LOD, FLOAT, POINT, POINT, CLAMP, 0, 0, 99, 5, 32},
    {"line, gradients", LINE, GRADIENT, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32},
    {"volume", VOLUME, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 4, 16},
    {"volume, nearest", VOLUME, LOD, FLOAT, POINT, POINT, CLAMP, 0, 0, 99, 4, 16},
    {"volume, gradients", VOLUME, GRADIENT, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 4, 16},
    {"lines in layers", LINES, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32},
    {"planes in layers", PLANES, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 4, 16},
    {"planes in layers, gradients", PLANES, GRADIENT, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 4, 16},
    {"cube, nearest", CUBE, LOD, FLOAT, POINT, POINT, CLAMP, 0, 0, 99, 3, 8},
    {"cube", CUBE, LOD, FLOAT, LINEAR, POINT, CLAMP, 0, 0, 99, 3, 8},
    {"cube, trilinear", CUBE, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 3, 8},
    {"cube, no level named", CUBE, PLAIN, FLOAT, LINEAR, POINT, CLAMP, 0, 0, 99, 1, 8},
    {"cube, across edges", CUBE, PLAIN, FLOAT, LINEAR, POINT, CLAMP, 0, 0, 99, 1, 8, 0, 1},
    {"cube of 3, across edges", CUBE, PLAIN, FLOAT, LINEAR, POINT, CLAMP, 0, 0, 99, 1, 3, 0, 1},
    {"cube of 1, across edges", CUBE, PLAIN, FLOAT, LINEAR, POINT, CLAMP, 0, 0, 99, 1, 1, 0, 1},
    {"cube of bytes, across edges", CUBE, PLAIN, BYTE, LINEAR, POINT, CLAMP, 0, 0, 99, 1, 8, 0, 1},
    {"cube, trilinear across edges", CUBE, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 4, 8, 0, 1},
    {"plane of signed bytes", PLANE, LOD, SIGNED8, LINEAR, LINEAR, CLAMP, 0, 0, 99, 5, 32},
    {"volume, wrapping", VOLUME, LOD, FLOAT, LINEAR, POINT, WRAP, 0, 0, 99, 4, 16},
    {"cubes in layers", CUBES, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 3, 8},
    {"cubes in layers, across edges", CUBES, LOD, FLOAT, LINEAR, LINEAR, CLAMP, 0, 0, 99, 3, 8, 0, 1},
};
#define CASES (sizeof cases / sizeof *cases)

struct point {
    float x, y, z, layer, lod;
    float4 dx, dy;
};

template <typename T> __device__ T fetch_as(cudaTextureObject_t t, enum shape shape, enum fetch fetch, point p) {
    float2 dx2 = make_float2(p.dx.x, p.dx.y), dy2 = make_float2(p.dy.x, p.dy.y);
    int layer = (int)p.layer;
    switch (shape) {
    case LINE:
        return fetch == PLAIN ? tex1D<T>(t, p.x)
               : fetch == LOD ? tex1DLod<T>(t, p.x, p.lod)
                              : tex1DGrad<T>(t, p.x, p.dx.x, p.dy.x);
    case PLANE:
        return fetch == PLAIN ? tex2D<T>(t, p.x, p.y)
               : fetch == LOD ? tex2DLod<T>(t, p.x, p.y, p.lod)
                              : tex2DGrad<T>(t, p.x, p.y, dx2, dy2);
    case VOLUME:
        return fetch == PLAIN ? tex3D<T>(t, p.x, p.y, p.z)
               : fetch == LOD ? tex3DLod<T>(t, p.x, p.y, p.z, p.lod)
                              : tex3DGrad<T>(t, p.x, p.y, p.z, p.dx, p.dy);
    case LINES:
        return fetch == PLAIN ? tex1DLayered<T>(t, p.x, layer)
               : fetch == LOD ? tex1DLayeredLod<T>(t, p.x, layer, p.lod)
                              : tex1DLayeredGrad<T>(t, p.x, layer, p.dx.x, p.dy.x);
    case PLANES:
        return fetch == PLAIN ? tex2DLayered<T>(t, p.x, p.y, layer)
               : fetch == LOD ? tex2DLayeredLod<T>(t, p.x, p.y, layer, p.lod)
                              : tex2DLayeredGrad<T>(t, p.x, p.y, layer, dx2, dy2);
    case CUBE:
        return fetch == PLAIN ? texCubemap<T>(t, p.x, p.y, p.z) : texCubemapLod<T>(t, p.x, p.y, p.z, p.lod);
    default:
        return fetch == PLAIN ? texCubemapLayered<T>(t, p.x, p.y, p.z, layer)
                              : texCubemapLayeredLod<T>(t, p.x, p.y, p.z, layer, p.lod);
    }
}

__global__ void sample(cudaTextureObject_t t, enum shape shape, enum fetch fetch, bool four, const point *points,
                       float4 *out) {
    int i = threadIdx.x;
    out[i] = four ? fetch_as<float4>(t, shape, fetch, points[i])
                  : make_float4(fetch_as<float>(t, shape, fetch, points[i]), 0, 0, 0);
}

static unsigned state;
static unsigned random_bits() {
    state = state * 1664525u + 1013904223u;
    return state >> 8;
}
static float uniform() { /* 0 to 1 */
    return (float)random_bits() / 16777216.0f;
}

static size_t texel_bytes(enum texel t) {
    const size_t bytes[] = {4, 16, 1, 4, 2, 2, 1};
    return bytes[t];
}

static cudaChannelFormatDesc description(enum texel t) {
    switch (t) {
    case FLOAT:
        return cudaCreateChannelDesc<float>();
    case FLOAT4:
        return cudaCreateChannelDesc<float4>();
    case BYTE:
        return cudaCreateChannelDesc<unsigned char>();
    case BYTES4:
        return cudaCreateChannelDesc<uchar4>();
    case SIGNED8:
        return cudaCreateChannelDesc<signed char>();
    case SIGNED16:
        return cudaCreateChannelDesc<short>();
    default:
        return cudaCreateChannelDescHalf();
    }
}

static void random_texels(enum texel t, unsigned char *out, size_t count) {
    for (size_t i = 0; i < count * (t == FLOAT4 ? 4 : 1); i++) {
        unsigned bits = random_bits();
        if (t == FLOAT || t == FLOAT4) {
            float f = uniform() * 100 - 30;
            memcpy(out + 4 * i, &f, 4);
        } else if (t == HALF) { /* 1 to 4, positive and negative */
            unsigned short h = (unsigned short)((bits & 0x87ff) | 0x3c00);
            memcpy(out + 2 * i, &h, 2);
        } else {
            memcpy(out + texel_bytes(t) * i, &bits, texel_bytes(t));
        }
    }
}

static cudaExtent extent_of(const struct sampling *c) {
    size_t n = c->size;
    switch (c->shape) {
    case LINE:
        return make_cudaExtent(n, 0, 0);
    case PLANE:
        return make_cudaExtent(n, n / 2, 0);
    case VOLUME:
        return make_cudaExtent(n, n / 2, n);
    case LINES:
        return make_cudaExtent(n, 0, 3);
    case PLANES:
        return make_cudaExtent(n, n / 2, 3);
    case CUBE:
        return make_cudaExtent(n, n, 6);
    default:
        return make_cudaExtent(n, n, 12);
    }
}

static unsigned flags_of(const struct sampling *c) {
    return c->shape == LINES || c->shape == PLANES ? cudaArrayLayered
           : c->shape == CUBE                      ? cudaArrayCubemap
           : c->shape == CUBES                     ? cudaArrayCubemap | cudaArrayLayered
                                                   : cudaArrayDefault;
}

static cudaMipmappedArray_t make_levels(const struct sampling *c) {
    static unsigned char texels[1 << 17];
    cudaMipmappedArray_t levels;
    cudaChannelFormatDesc desc = description(c->texel);
    MUST(cudaMallocMipmappedArray(&levels, &desc, extent_of(c), c->levels, flags_of(c)));
    for (int l = 0; l < c->levels; l++) {
        cudaArray_t array;
        cudaExtent e;
        MUST(cudaGetMipmappedArrayLevel(&array, levels, l));
        MUST(cudaArrayGetInfo(&desc, &e, 0, array));
        size_t height = e.height ? e.height : 1, depth = e.depth ? e.depth : 1;
        random_texels(c->texel, texels, e.width * height * depth);
        cudaMemcpy3DParms p = {};
        p.srcPtr = make_cudaPitchedPtr(texels, e.width * texel_bytes(c->texel), e.width, height);
        p.dstArray = array;
        p.extent = make_cudaExtent(e.width, height, depth);
        p.kind = cudaMemcpyHostToDevice;
        MUST(cudaMemcpy3D(&p));
    }
    return levels;
}

static cudaTextureObject_t make_texture(const struct sampling *c, cudaMipmappedArray_t levels) {
    cudaTextureObject_t t;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = levels;
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = c->address;
    d.filterMode = c->filter;
    d.mipmapFilterMode = c->between_levels;
    d.readMode = c->texel == BYTE || c->texel == BYTES4 || c->texel == SIGNED16 || c->texel == SIGNED8
                     ? cudaReadModeNormalizedFloat
                     : cudaReadModeElementType;
    d.normalizedCoords = 1;
    d.mipmapLevelBias = c->bias;
    d.minMipmapLevelClamp = c->least;
    d.maxMipmapLevelClamp = c->most;
    d.maxAnisotropy = c->anisotropy;
    d.seamlessCubemap = c->seamless;
    d.sRGB = c->srgb;
    d.borderColor[0] = 5;
    MUST(cudaCreateTextureObject(&t, &r, &d, 0));
    return t;
}

/* Places inside and somewhat outside; levels from below the first to above the last, some of them whole numbers. */
static void make_points(const struct sampling *c, point *points) {
    bool cube = c->shape >= CUBE;
    for (int i = 0; i < SAMPLES; i++) {
        float low = cube ? -1.0f : -0.3f, high = cube ? 1.0f : 1.3f;
        point p = {};
        p.x = low + (high - low) * uniform();
        p.y = low + (high - low) * uniform();
        p.z = low + (high - low) * uniform();
        if (cube && i % 2) /* near an edge or a corner: two or three coordinates are nearly alike */
            p.y = (p.y < 0 ? -1 : 1) * fabsf(p.x) * (1 + 0.2f * (uniform() - 0.5f));
        if (cube && i % 8 == 1)
            p.z = (p.z < 0 ? -1 : 1) * fabsf(p.x) * (1 + 0.2f * (uniform() - 0.5f));
        p.layer = (float)(random_bits() % 3);
        p.lod = -1 + (c->levels + 1) * uniform();
        if (i % 8 == 7)
            p.lod = floorf(p.lod * 2) / 2;
        float scale = exp2f(c->levels * uniform()) / (float)c->size;
        p.dx = make_float4(scale * (uniform() - 0.5f), scale * (uniform() - 0.5f), scale * (uniform() - 0.5f), 0);
        p.dy = make_float4(scale * (uniform() - 0.5f), scale * (uniform() - 0.5f), scale * (uniform() - 0.5f), 0);
        if (i % 8 == 3) /* along one axis */
            p.dx = make_float4(scale, 0, 0, 0), p.dy = make_float4(0, 0, 0, 0);
        if (i % 8 == 5)
            p.dx = make_float4(0, 0, 0, 0), p.dy = make_float4(0, scale, 0, 0);
        points[i] = p;
    }
}

static void run(const struct sampling *c, float4 *out) {
    static point points[SAMPLES];
    point *device_points;
    float4 *device_out;
    state = 1000 * (unsigned)(c - cases) + 17;
    cudaMipmappedArray_t levels = make_levels(c);
    cudaTextureObject_t t = make_texture(c, levels);
    make_points(c, points);
    MUST(cudaMalloc(&device_points, sizeof points));
    MUST(cudaMalloc(&device_out, SAMPLES * sizeof *out));
    MUST(cudaMemcpy(device_points, points, sizeof points, cudaMemcpyHostToDevice));
    sample<<<1, SAMPLES>>>(t, c->shape, c->fetch, c->texel == FLOAT4 || c->texel == BYTES4, device_points, device_out);
    MUST(cudaGetLastError());
    MUST(cudaMemcpy(out, device_out, SAMPLES * sizeof *out, cudaMemcpyDeviceToHost));
    MUST(cudaDestroyTextureObject(t));
    MUST(cudaFreeMipmappedArray(levels));
    MUST(cudaFree(device_points));
    MUST(cudaFree(device_out));
}

static float4 values[CASES][SAMPLES], recorded[CASES][SAMPLES];

/* How far apart texels can be. */
static float range_of(enum texel t) {
    return t == FLOAT || t == FLOAT4 ? 100.0f : t == HALF ? 8.0f : t == SIGNED8 || t == SIGNED16 ? 2.0f : 1.0f;
}

/* Values are equal to the bit, with two exceptions. Between levels the hardware rounds the texels' weights in a way
 * that is not known in full: one may be off by 1/256. And of the levels that it estimates from gradients one in a
 * hundred is off by 1/256, which is another texel where nothing is filtered. */
static void compare(size_t c) {
    const struct sampling *s = &cases[c];
    bool weights = s->between_levels == LINEAR && s->filter == LINEAR && s->fetch != PLAIN;
    int wrong = 0, first = -1, few = s->fetch == GRADIENT ? SAMPLES / 100 : 0;
    float tolerance = weights || s->fetch == GRADIENT ? 1.6f / 256 * range_of(s->texel) : 0;
    char why[160];
    for (int i = 0; i < SAMPLES; i++) {
        const float *v = &values[c][i].x, *r = &recorded[c][i].x;
        bool right = true;
        for (int k = 0; k < 4; k++)
            right &= memcmp(&v[k], &r[k], 4) == 0 || fabsf(v[k] - r[k]) < tolerance;
        wrong += !right;
        first = right || first >= 0 ? first : i;
    }
    if (wrong)
        snprintf(why, sizeof why, "%d of %d differ, first number %d: %.9g instead of %.9g", wrong, SAMPLES, first,
                 values[c][first].x, recorded[c][first].x);
    check(s->name, wrong <= few, why);
}

int main(int argc, char **argv) {
    bool record = argc == 3 && !strcmp(argv[1], "--record");
    for (size_t c = 0; c < CASES; c++)
        run(&cases[c], values[c]);
    FILE *file = fopen(record ? argv[2] : RECORDED, record ? "wb" : "rb");
    if (!file) {
        printf("not ok open %s\n", RECORDED);
        return 1;
    }
    if (record)
        return fwrite(values, sizeof values, 1, file) != 1;
    check("the recorded values", fread(recorded, sizeof recorded, 1, file) == 1, "are too few");
    for (size_t c = 0; c < CASES; c++)
        compare(c);
    fclose(file);
    return failures != 0;
}
