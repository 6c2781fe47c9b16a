// CUDA arrays and mipmapped arrays: making them, asking about them, and what textures on them refuse.
#include "api_test.h"

static cudaChannelFormatDesc one, four, bytes;

static void arrays() {
    cudaArray_t a = 0, plane;
    cudaChannelFormatDesc d;
    cudaExtent e;
    unsigned flags = 99;
    EXPECT(cudaSuccess, cudaMallocArray(&a, &one, 64, 32));
    EXPECT(cudaSuccess, cudaArrayGetInfo(&d, &e, &flags, a));
    check("its extent", e.width == 64 && e.height == 32 && e.depth == 0, "not so");
    EXPECT_EQUAL("its flags", 0, flags);
    EXPECT_EQUAL("its format", 32, d.x);
    EXPECT(cudaSuccess, cudaGetChannelDesc(&d, a));
    EXPECT_EQUAL("its kind", cudaChannelFormatKindFloat, d.f);
    EXPECT(cudaErrorInvalidValue, cudaArrayGetPlane(&plane, a, 0));
    cudaArraySparseProperties sparse;
    EXPECT(cudaErrorInvalidValue, cudaArrayGetSparseProperties(&sparse, a));
    EXPECT(cudaErrorInvalidValue, cudaArrayGetSparseProperties(0, a));
    cudaArrayMemoryRequirements need;
    EXPECT(cudaErrorInvalidValue, cudaArrayGetMemoryRequirements(&need, a, 0));
    EXPECT(cudaErrorInvalidValue, cudaArrayGetMemoryRequirements(0, a, 0));
    EXPECT(cudaSuccess, cudaFreeArray(a));
    EXPECT(cudaSuccess, cudaFreeArray(0));
    EXPECT(cudaErrorInvalidValue, cudaMallocArray(&a, &one, 0, 0));
    EXPECT(cudaErrorInvalidValue, cudaMallocArray(&a, &one, 1 << 20, 0));
    EXPECT(cudaSuccess, cudaMallocArray(&a, &one, 131072, 0));
    EXPECT(cudaSuccess, cudaFreeArray(a));
    EXPECT(cudaErrorInvalidValue, cudaMallocArray(&a, &one, 131073, 0));
    EXPECT(cudaErrorInvalidValue, cudaMallocArray(&a, &one, 131073, 2));
    EXPECT(cudaErrorInvalidValue, cudaMallocArray(&a, &one, 16, 65537));
    EXPECT(cudaErrorInvalidValue, cudaMalloc3DArray(&a, &one, make_cudaExtent(16, 16, 32769)));
    EXPECT(cudaErrorInvalidValue, cudaMalloc3DArray(&a, &one, make_cudaExtent(16, 0, 4)));
    EXPECT(cudaErrorInvalidValue, cudaMalloc3DArray(&a, &one, make_cudaExtent(16, 8, 6), cudaArrayCubemap));
    EXPECT(cudaErrorInvalidValue, cudaMalloc3DArray(&a, &one, make_cudaExtent(16, 16, 5), cudaArrayCubemap));
    EXPECT(cudaErrorInvalidValue, cudaMalloc3DArray(&a, &one, make_cudaExtent(16, 16, 2049), cudaArrayLayered));
    EXPECT(cudaSuccess, cudaMalloc3DArray(&a, &one, make_cudaExtent(16, 16, 2048), cudaArrayLayered));
    EXPECT(cudaSuccess, cudaFreeArray(a));
    EXPECT(cudaErrorInvalidValue, cudaMallocArray((cudaArray_t *)0, &one, 16, 16));
    EXPECT(cudaErrorInvalidValue, cudaMallocArray(&a, (cudaChannelFormatDesc *)0, 16, 16));
    cudaChannelFormatDesc three = cudaCreateChannelDesc(8, 8, 8, 0, cudaChannelFormatKindUnsigned);
    EXPECT(cudaErrorInvalidChannelDescriptor, cudaMallocArray(&a, &three, 16, 16));
    EXPECT(cudaErrorInvalidResourceHandle, cudaArrayGetInfo(&d, &e, &flags, 0));
    EXPECT(cudaErrorInvalidResourceHandle, cudaGetChannelDesc(&d, 0));
}

static void expect_tile(const cudaArraySparseProperties &p, unsigned width, unsigned height, unsigned first,
                        unsigned long long size) {
    check("tile", p.tileExtent.width == width && p.tileExtent.height == height && p.tileExtent.depth == 1, "wrong");
    EXPECT_EQUAL("first level of the tail", first, p.miptailFirstLevel);
    EXPECT_EQUAL("bytes of the tail", size, p.miptailSize);
    EXPECT_EQUAL("flags of a sparse array", 0, p.flags);
}

static void deferred_and_sparse() {
    cudaArray_t a = 0;
    cudaMipmappedArray_t m = 0;
    cudaArraySparseProperties p = {};
    cudaArrayMemoryRequirements need = {};
    EXPECT(cudaSuccess, cudaMalloc3DArray(&a, &one, make_cudaExtent(1024, 1024, 0), cudaArraySparse));
    EXPECT(cudaSuccess, cudaArrayGetSparseProperties(&p, a));
    expect_tile(p, 128, 128, 0, 0);
    EXPECT(cudaErrorInvalidValue, cudaArrayGetMemoryRequirements(&need, a, 0));
    EXPECT(cudaSuccess, cudaFreeArray(a));
    EXPECT(cudaSuccess, cudaMallocMipmappedArray(&m, &four, make_cudaExtent(2048, 1024, 0), 10, cudaArraySparse));
    EXPECT(cudaSuccess, cudaMipmappedArrayGetSparseProperties(&p, m));
    expect_tile(p, 64, 64, 5, 65536);
    EXPECT(cudaErrorInvalidValue, cudaMipmappedArrayGetMemoryRequirements(&need, m, 0));
    EXPECT(cudaSuccess, cudaFreeMipmappedArray(m));
    EXPECT(cudaSuccess, cudaMalloc3DArray(&a, &one, make_cudaExtent(1024, 1024, 0), cudaArrayDeferredMapping));
    EXPECT(cudaSuccess, cudaArrayGetMemoryRequirements(&need, a, 0));
    EXPECT_EQUAL("bytes it needs", 4194304, need.size);
    EXPECT_EQUAL("alignment it needs", 65536, need.alignment);
    EXPECT(cudaSuccess, cudaFreeArray(a));
}

static void levels() {
    cudaMipmappedArray_t m = 0;
    cudaArray_t a = 0, again = 0;
    cudaChannelFormatDesc d;
    cudaExtent e;
    unsigned flags;
    EXPECT(cudaSuccess, cudaMallocMipmappedArray(&m, &one, make_cudaExtent(64, 20, 0), 7));
    for (unsigned l = 0; l < 7; l++) {
        EXPECT(cudaSuccess, cudaGetMipmappedArrayLevel(&a, m, l));
        EXPECT(cudaSuccess, cudaArrayGetInfo(&d, &e, &flags, a));
        EXPECT_EQUAL("width of a level", 64 >> l, e.width);
        EXPECT_EQUAL("height of a level", 20 >> l ? 20 >> l : 1, e.height);
        EXPECT_EQUAL("depth of a level", 0, e.depth);
    }
    EXPECT(cudaSuccess, cudaGetMipmappedArrayLevel(&again, m, 6));
    EXPECT_EQUAL("a level is one array", (size_t)a, (size_t)again);
    EXPECT(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&a, m, 7));
    EXPECT(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(0, m, 0));
    EXPECT(cudaErrorInvalidResourceHandle, cudaGetMipmappedArrayLevel(&a, 0, 0));
    cudaArraySparseProperties sparse;
    cudaArrayMemoryRequirements need;
    EXPECT(cudaErrorInvalidValue, cudaMipmappedArrayGetSparseProperties(&sparse, m));
    EXPECT(cudaErrorInvalidValue, cudaMipmappedArrayGetMemoryRequirements(&need, m, 0));
    EXPECT(cudaSuccess, cudaFreeMipmappedArray(m));
    EXPECT(cudaSuccess, cudaFreeMipmappedArray(0));
    EXPECT(cudaSuccess, cudaMallocMipmappedArray(&m, &one, make_cudaExtent(16, 16, 0), 99));
    EXPECT(cudaSuccess, cudaGetMipmappedArrayLevel(&a, m, 4));
    EXPECT(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&a, m, 5));
    EXPECT(cudaSuccess, cudaFreeMipmappedArray(m));
    EXPECT(cudaSuccess, cudaMallocMipmappedArray(&m, &one, make_cudaExtent(16, 8, 5), 3, cudaArrayLayered));
    EXPECT(cudaSuccess, cudaGetMipmappedArrayLevel(&a, m, 2));
    EXPECT(cudaSuccess, cudaArrayGetInfo(&d, &e, &flags, a));
    EXPECT_EQUAL("layers stay", 5, e.depth);
    EXPECT_EQUAL("layered stays", cudaArrayLayered, flags);
    EXPECT(cudaSuccess, cudaFreeMipmappedArray(m));
    EXPECT(cudaSuccess, cudaMallocMipmappedArray(&m, &one, make_cudaExtent(16, 8, 5), 3));
    EXPECT(cudaSuccess, cudaGetMipmappedArrayLevel(&a, m, 2));
    EXPECT(cudaSuccess, cudaArrayGetInfo(&d, &e, &flags, a));
    EXPECT_EQUAL("a volume is halved", 1, e.depth);
    EXPECT(cudaSuccess, cudaFreeMipmappedArray(m));
    EXPECT(cudaSuccess, cudaMallocMipmappedArray(&m, &one, make_cudaExtent(16, 16, 0), 0));
    EXPECT(cudaSuccess, cudaGetMipmappedArrayLevel(&a, m, 0)); /* one level at least */
    EXPECT(cudaErrorInvalidValue, cudaGetMipmappedArrayLevel(&a, m, 1));
    EXPECT(cudaSuccess, cudaFreeMipmappedArray(m));
    EXPECT(cudaErrorInvalidValue, cudaMallocMipmappedArray(&m, &one, make_cudaExtent(0, 0, 0), 1));
    EXPECT(cudaErrorInvalidValue,
           cudaMallocMipmappedArray((cudaMipmappedArray_t *)0, &one, make_cudaExtent(16, 16, 0), 1));
    EXPECT(cudaErrorInvalidValue,
           cudaMallocMipmappedArray(&m, (cudaChannelFormatDesc *)0, make_cudaExtent(16, 16, 0), 1));
}

__global__ void write_surface(cudaSurfaceObject_t s, int width, int height) {
    int x = threadIdx.x, y = threadIdx.y;
    if (x < width && y < height)
        surf2Dwrite(10.0f * y + x, s, x * 4, y);
}
__global__ void read(cudaTextureObject_t t, float *out, float lod) {
    int x = threadIdx.x, y = threadIdx.y;
    out[16 * y + x] = tex2DLod<float>(t, (x + 0.5f) / 16, (y + 0.5f) / 16, lod);
}
__global__ void read_bits(cudaTextureObject_t t, unsigned *out) {
    out[threadIdx.x] = tex2D<unsigned>(t, (float)threadIdx.x, 0.0f);
}
__global__ void read_wide(cudaTextureObject_t t, float4 *out, float lod, float scale) {
    out[threadIdx.x] = tex2DLod<float4>(t, (threadIdx.x + 0.5f) * scale, 0.5f * scale, lod);
}
__global__ void read_layer(cudaTextureObject_t t, float *out, int layer) {
    *out = tex2DLayered<float>(t, 0.5f, 0.5f, layer);
}

static cudaResourceDesc resource(cudaMipmappedArray_t m) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    return r;
}
static cudaResourceDesc resource(cudaArray_t a) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return r;
}

static float *out;
static float host[256];

/* A level written through a surface, read through the whole. */
static void level_by_surface() {
    cudaMipmappedArray_t m;
    cudaArray_t a;
    cudaSurfaceObject_t s;
    cudaTextureObject_t t;
    cudaTextureDesc d = {};
    MUST(cudaMallocMipmappedArray(&m, &one, make_cudaExtent(16, 16, 0), 3, cudaArraySurfaceLoadStore));
    MUST(cudaGetMipmappedArrayLevel(&a, m, 1));
    cudaResourceDesc r = resource(a), all = resource(m);
    EXPECT(cudaSuccess, cudaCreateSurfaceObject(&s, &r));
    write_surface<<<1, dim3(16, 16)>>>(s, 8, 8);
    d.normalizedCoords = 1;
    d.maxMipmapLevelClamp = 9;
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    EXPECT(cudaSuccess, cudaCreateTextureObject(&t, &all, &d, 0));
    read<<<1, dim3(16, 16)>>>(t, out, 1);
    MUST(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 256; i++)
        wrong += host[i] != 10.0f * (i / 32) + i % 16 / 2;
    EXPECT_EQUAL("texels of a level that a surface wrote", 0, wrong);
    EXPECT(cudaSuccess, cudaDestroyTextureObject(t));
    EXPECT(cudaSuccess, cudaDestroySurfaceObject(s));
    EXPECT(cudaErrorInvalidValue, cudaCreateSurfaceObject(&s, &all));
    d.normalizedCoords = 0;
    EXPECT(cudaSuccess, cudaCreateTextureObject(&t, &all, &d, 0)); /* coordinates in texels */
    EXPECT(cudaSuccess, cudaDestroyTextureObject(t));
    d.normalizedCoords = 1;
    d.maxAnisotropy = 16;
    EXPECT(cudaSuccess, cudaCreateTextureObject(&t, &all, &d, 0));
    cudaTextureDesc back;
    cudaResourceDesc back_resource;
    EXPECT(cudaSuccess, cudaGetTextureObjectTextureDesc(&back, t));
    EXPECT_EQUAL("anisotropy", 16, back.maxAnisotropy);
    EXPECT(cudaSuccess, cudaGetTextureObjectResourceDesc(&back_resource, t));
    EXPECT_EQUAL("resource", cudaResourceTypeMipmappedArray, back_resource.resType);
    EXPECT(cudaSuccess, cudaDestroyTextureObject(t));
    EXPECT(cudaSuccess, cudaFreeMipmappedArray(m));
}

/* The same bytes as another format; part of the levels; part of the layers. */
static void views() {
    cudaArray_t a;
    cudaTextureObject_t t;
    cudaTextureDesc d = {};
    cudaResourceViewDesc v = {}, back;
    MUST(cudaMallocArray(&a, &one, 16, 4));
    for (int i = 0; i < 64; i++)
        host[i] = i + 0.5f;
    MUST(cudaMemcpy2DToArray(a, 0, 0, host, 64, 64, 4, cudaMemcpyHostToDevice));
    cudaResourceDesc r = resource(a);
    v.format = cudaResViewFormatUnsignedInt1;
    v.width = 16;
    v.height = 4;
    EXPECT(cudaSuccess, cudaCreateTextureObject(&t, &r, &d, &v));
    EXPECT(cudaSuccess, cudaGetTextureObjectResourceViewDesc(&back, t));
    EXPECT_EQUAL("format of the view", cudaResViewFormatUnsignedInt1, back.format);
    read_bits<<<1, 16>>>(t, (unsigned *)out);
    static unsigned words[16];
    MUST(cudaMemcpy(words, out, sizeof words, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 16; i++)
        wrong += memcmp(&words[i], &host[i], 4) != 0;
    EXPECT_EQUAL("bits of floats", 0, wrong);
    EXPECT(cudaSuccess, cudaDestroyTextureObject(t));
    v.width = 15;
    EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &d, &v));
    v.width = 16;
    v.format = cudaResViewFormatFloat2;
    EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &d, &v));
    v.format = cudaResViewFormatUnsignedChar4;
    EXPECT(cudaSuccess, cudaCreateTextureObject(&t, &r, &d, &v)); /* a float as four bytes */
    EXPECT(cudaSuccess, cudaDestroyTextureObject(t));
    v.format = cudaResViewFormatUnsignedInt1;
    v.lastMipmapLevel = 1;
    EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &d, &v));
    v = {};
    EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &d, &v));
    v.format = cudaResViewFormatFloat1;
    EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &d, &v));
    EXPECT(cudaSuccess, cudaCreateTextureObject(&t, &r, &d, 0));
    EXPECT(cudaSuccess, cudaGetTextureObjectResourceViewDesc(&back, t));
    EXPECT(cudaSuccess, cudaDestroyTextureObject(t));
    EXPECT(cudaSuccess, cudaFreeArray(a));

    cudaMipmappedArray_t m;
    MUST(cudaMallocMipmappedArray(&m, &one, make_cudaExtent(16, 16, 0), 4));
    for (int l = 0; l < 4; l++) {
        for (int i = 0; i < 256; i++)
            host[i] = 100.0f * l + i;
        MUST(cudaGetMipmappedArrayLevel(&a, m, l));
        MUST(cudaMemcpy2DToArray(a, 0, 0, host, 64 >> l, 64 >> l, 16 >> l, cudaMemcpyHostToDevice));
    }
    cudaResourceDesc all = resource(m);
    d.normalizedCoords = 1;
    d.maxMipmapLevelClamp = 9;
    v = {};
    v.format = cudaResViewFormatFloat1;
    v.width = v.height = 8;
    v.firstMipmapLevel = 1;
    v.lastMipmapLevel = 2;
    EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &all, &d, &v));
    v.width = v.height = 16; /* the whole array's, although level 1 is the first */
    EXPECT(cudaSuccess, cudaCreateTextureObject(&t, &all, &d, &v));
    const float expected[] = {100, 100, 200, 200, 200};
    for (int lod = 0; lod < 5; lod++) {
        read<<<1, 1>>>(t, out, (float)lod - 1);
        MUST(cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost));
        EXPECT_EQUAL("first texel of a view of levels", expected[lod], host[0]);
    }
    EXPECT(cudaSuccess, cudaDestroyTextureObject(t));
    EXPECT(cudaSuccess, cudaFreeMipmappedArray(m));

    MUST(cudaMalloc3DArray(&a, &one, make_cudaExtent(4, 4, 6), cudaArrayLayered));
    cudaMemcpy3DParms p = {};
    for (int i = 0; i < 96; i++)
        host[i] = (float)(i / 16);
    p.srcPtr = make_cudaPitchedPtr(host, 16, 4, 4);
    p.dstArray = a;
    p.extent = make_cudaExtent(4, 4, 6);
    p.kind = cudaMemcpyHostToDevice;
    MUST(cudaMemcpy3D(&p));
    cudaResourceDesc layers = resource(a);
    d = {};
    v = {};
    v.format = cudaResViewFormatFloat1;
    v.width = v.height = 4;
    v.depth = 3;
    v.firstLayer = 2;
    v.lastLayer = 4;
    EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &layers, &d, &v));
    v.depth = 6;
    EXPECT(cudaSuccess, cudaCreateTextureObject(&t, &layers, &d, &v));
    for (int l = 0; l < 5; l++) {
        read_layer<<<1, 1>>>(t, out, l);
        MUST(cudaMemcpy(host, out, 4, cudaMemcpyDeviceToHost));
        EXPECT_EQUAL("a layer of a view of layers", l < 3 ? 2 + l : 4, host[0]);
    }
    EXPECT(cudaSuccess, cudaDestroyTextureObject(t));
    EXPECT(cudaSuccess, cudaFreeArray(a));
}

static void refusals() {
    cudaTextureObject_t t;
    cudaTextureDesc d = {};
    cudaArray_t a;
    MUST(cudaMallocArray(&a, &bytes, 16, 16));
    cudaResourceDesc r = resource(a);
    EXPECT(cudaSuccess, cudaCreateTextureObject(&t, &r, &d, 0));
    EXPECT(cudaSuccess, cudaDestroyTextureObject(t));
    d.filterMode = cudaFilterModeLinear;
    EXPECT(cudaErrorInvalidFilterSetting, cudaCreateTextureObject(&t, &r, &d, 0));
    d.readMode = cudaReadModeNormalizedFloat;
    EXPECT(cudaSuccess, cudaCreateTextureObject(&t, &r, &d, 0));
    EXPECT(cudaSuccess, cudaDestroyTextureObject(t));
    d.readMode = (cudaTextureReadMode)7; /* means the texels' own type */
    d.filterMode = cudaFilterModePoint;
    EXPECT(cudaSuccess, cudaCreateTextureObject(&t, &r, &d, 0));
    EXPECT(cudaSuccess, cudaDestroyTextureObject(t));
    d.readMode = cudaReadModeNormalizedFloat;
    d.filterMode = (cudaTextureFilterMode)7;
    EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &d, 0));
    d.filterMode = cudaFilterModePoint;
    d.addressMode[0] = (cudaTextureAddressMode)7;
    EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &d, 0));
    d.addressMode[0] = cudaAddressModeClamp;
    r.resType = (cudaResourceType)7;
    EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, &r, &d, 0));
    r = resource((cudaArray_t)0);
    EXPECT(cudaErrorInvalidResourceHandle, cudaCreateTextureObject(&t, &r, &d, 0));
    r = resource(a);
    EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(0, &r, &d, 0));
    EXPECT(cudaErrorInvalidValue, cudaCreateTextureObject(&t, 0, &d, 0));
    EXPECT(cudaErrorInvalidResourceHandle, cudaCreateTextureObject(&t, &r, 0, 0));
    EXPECT(cudaSuccess, cudaFreeArray(a));
}

int main() {
    one = cudaCreateChannelDesc<float>();
    four = cudaCreateChannelDesc<float4>();
    bytes = cudaCreateChannelDesc<unsigned char>();
    MUST(cudaMalloc(&out, 1 << 16));
    arrays();
    levels();
    deferred_and_sparse();
    level_by_surface();
    views();
    refusals();
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
