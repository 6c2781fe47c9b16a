/* Arrays, mipmapped arrays, textures and surfaces, which the driver and the runtime have in common. Argument: PTX of arrays.cu. */
#include "driver_test.h"

#include <cuda_runtime_api.h>

#define TEXELS(array) (sizeof(array) / sizeof *(array))

static CUmodule module;

static CUfunction kernel(const char *name) {
    CUfunction f;
    MUST(cuModuleGetFunction(&f, module, name));
    return f;
}

static CUarray new_array(size_t width, size_t height, size_t depth, CUarray_format format, unsigned channels,
                         unsigned flags) {
    CUarray array;
    const CUDA_ARRAY3D_DESCRIPTOR d = {width, height, depth, format, channels, flags};
    MUST(cuArray3DCreate(&array, &d));
    return array;
}

static void count_up(void *bytes, size_t size, int first) {
    for (size_t i = 0; i < size; i++)
        ((unsigned char *)bytes)[i] = (unsigned char)(first + (int)i * 7);
}

/* ---- what an array is ---- */

static const struct {
    CUarray_format format;
    enum cudaChannelFormatKind kind;
    int bits;
} formats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, cudaChannelFormatKindUnsigned, 8},
               {CU_AD_FORMAT_UNSIGNED_INT16, cudaChannelFormatKindUnsigned, 16},
               {CU_AD_FORMAT_UNSIGNED_INT32, cudaChannelFormatKindUnsigned, 32},
               {CU_AD_FORMAT_SIGNED_INT8, cudaChannelFormatKindSigned, 8},
               {CU_AD_FORMAT_SIGNED_INT16, cudaChannelFormatKindSigned, 16},
               {CU_AD_FORMAT_SIGNED_INT32, cudaChannelFormatKindSigned, 32},
               {CU_AD_FORMAT_HALF, cudaChannelFormatKindFloat, 16},
               {CU_AD_FORMAT_FLOAT, cudaChannelFormatKindFloat, 32}};

static bool describes(CUarray_format format, enum cudaChannelFormatKind kind, int bits, unsigned channels) {
    CUarray array;
    CUDA_ARRAY_DESCRIPTOR d = {.Width = 5, .Height = 3, .Format = format, .NumChannels = channels}, found;
    struct cudaChannelFormatDesc texel;
    MUST(cuArrayCreate(&array, &d));
    MUST(cuArrayGetDescriptor(&found, array));
    bool right = found.Width == 5 && found.Height == 3 && found.Format == format && found.NumChannels == channels;
    right &= cudaGetChannelDesc(&texel, (cudaArray_t)array) == cudaSuccess && texel.f == kind && texel.x == bits;
    right &= texel.y == (channels > 1 ? bits : 0) && texel.z == (channels > 2 ? bits : 0) && texel.w == texel.z;
    MUST(cuArrayDestroy(array));
    return right;
}

static void descriptions(void) {
    bool right = true;
    for (size_t i = 0; i < TEXELS(formats); i++)
        for (unsigned channels = 1; channels <= 4; channels *= 2)
            right &= describes(formats[i].format, formats[i].kind, formats[i].bits, channels);
    check("each format is the runtime's, too", right, "one is another");

    CUDA_ARRAY3D_DESCRIPTOR d;
    cudaArray_t theirs;
    const struct cudaChannelFormatDesc half2 = {16, 16, 0, 0, cudaChannelFormatKindFloat};
    const struct cudaExtent extent = {9, 0, 4};
    check("the runtime makes an array",
          cudaMalloc3DArray(&theirs, &half2, extent, cudaArrayLayered | cudaArraySurfaceLoadStore) == cudaSuccess,
          "it does not");
    EXPECT(CUDA_SUCCESS, cuArray3DGetDescriptor(&d, (CUarray)theirs));
    check("what the runtime's array is",
          d.Width == 9 && !d.Height && d.Depth == 4 && d.Format == CU_AD_FORMAT_HALF && d.NumChannels == 2 &&
              d.Flags == (CUDA_ARRAY3D_LAYERED | CUDA_ARRAY3D_SURFACE_LDST),
          "another");
    EXPECT(CUDA_SUCCESS, cuArrayDestroy((CUarray)theirs));

    CUarray ours = new_array(8, 0, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    check("the runtime frees the driver's", cudaFreeArray((cudaArray_t)ours) == cudaSuccess, "it does not");
}

static void wrong_arrays(void) {
    CUarray array = NULL;
    CUDA_ARRAY_DESCRIPTOR d = {.Width = 0, .Height = 3, .Format = CU_AD_FORMAT_FLOAT, .NumChannels = 1};
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&array, &d));
    d.Width = 1 << 20;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&array, &d));
    d.Width = 4;
    d.NumChannels = 3;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&array, &d));
    CUDA_ARRAY3D_DESCRIPTOR cube = {4, 5, 6, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_CUBEMAP};
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&array, &cube));
    if (!refuses_nonsense())
        return;
    d.NumChannels = 1;
    d.Format = (CUarray_format)0x7f;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&array, &d));
    d.Format = CU_AD_FORMAT_NV12;
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, cuArrayCreate(&array, &d));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(NULL, &d));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArrayCreate(&array, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArray3DCreate(&array, NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuArrayGetDescriptor(&d, NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(NULL));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy((CUarray)&d));
    array = new_array(4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArrayGetDescriptor(NULL, array));
    CUarray plane;
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArrayGetPlane(&plane, array, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArrayGetSparseProperties(&sparse, array));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuArrayGetMemoryRequirements(&needs, array, 0));
    EXPECT(CUDA_SUCCESS, cuArrayDestroy(array));
    EXPECT(CUDA_ERROR_INVALID_HANDLE, cuArrayDestroy(array));
}

static void sparse_and_deferred(void) {
    CUDA_ARRAY_SPARSE_PROPERTIES sparse;
    CUDA_ARRAY_MEMORY_REQUIREMENTS needs;
    CUarray array = new_array(512, 512, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SPARSE);
    EXPECT(CUDA_SUCCESS, cuArrayGetSparseProperties(&sparse, array));
    EXPECT_EQUAL("a tile has 64 KiB", 65536 / 4, sparse.tileExtent.width * sparse.tileExtent.height);
    EXPECT(CUDA_SUCCESS, cuArrayDestroy(array));
    array = new_array(512, 512, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_DEFERRED_MAPPING);
    EXPECT(CUDA_SUCCESS, cuArrayGetMemoryRequirements(&needs, array, 0));
    check("what it needs has room for it", needs.size >= 512 * 512 * 4 && needs.alignment, "it has not");
    EXPECT(CUDA_SUCCESS, cuArrayDestroy(array));
}

/* ---- copies ---- */

CUresult cuMemcpyHtoA_v2_ptds(CUarray to, size_t offset, const void *from, size_t bytes);
CUresult cuMemcpyAtoH_v2_ptds(void *to, CUarray from, size_t offset, size_t bytes);
CUresult cuMemcpyAtoA_v2_ptds(CUarray to, size_t offset, CUarray from, size_t from_offset, size_t bytes);

static void rows(void) {
    unsigned char host[37], back[37] = "";
    CUarray a = new_array(37, 0, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0);
    CUarray b = new_array(37, 0, 0, CU_AD_FORMAT_SIGNED_INT8, 1, 0);
    CUdeviceptr p;
    MUST(cuMemAlloc(&p, 64));
    count_up(host, sizeof host, 1);
    EXPECT(CUDA_SUCCESS, cuMemcpyHtoA(a, 0, host, 37));
    EXPECT(CUDA_SUCCESS, cuMemcpyAtoH(back, a, 0, 37));
    check("37 bytes there and back", !memcmp(host, back, 37), "others came");
    EXPECT(CUDA_SUCCESS, cuMemcpyHtoA(a, 3, host, 5));
    EXPECT(CUDA_SUCCESS, cuMemcpyAtoD(p, a, 2, 7));
    MUST(cuMemcpyDtoH(back, p, 7));
    check("a part of them", back[0] == host[2] && !memcmp(back + 1, host, 5) && back[6] == host[8], "others came");
    EXPECT(CUDA_SUCCESS, cuMemcpyDtoA(b, 30, p, 7));
    EXPECT(CUDA_SUCCESS, cuMemcpyAtoA(b, 1, a, 2, 7));
    EXPECT(CUDA_SUCCESS, cuMemcpyAtoH(back, b, 1, 7));
    check("from array to array", back[0] == host[2] && !memcmp(back + 1, host, 5), "others came");
    EXPECT(CUDA_SUCCESS, cuMemcpyAtoH(back, b, 30, 7));
    check("from memory to an array", back[0] == host[2] && !memcmp(back + 1, host, 5), "others came");
    EXPECT(CUDA_SUCCESS, cuMemcpyHtoAAsync(b, 0, host, 37, NULL));
    EXPECT(CUDA_SUCCESS, cuMemcpyAtoHAsync(back, b, 0, 37, NULL));
    EXPECT(CUDA_SUCCESS, cuCtxSynchronize());
    check("in a stream's order", !memcmp(host, back, 37), "others came");
    memset(back, 0, sizeof back);
    EXPECT(CUDA_SUCCESS, cuMemcpyHtoA_v2_ptds(a, 0, host, 37));
    EXPECT(CUDA_SUCCESS, cuMemcpyAtoA_v2_ptds(b, 0, a, 0, 37));
    EXPECT(CUDA_SUCCESS, cuMemcpyAtoH_v2_ptds(back, b, 0, 37));
    check("in a thread's own stream", !memcmp(host, back, 37), "others came");
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(a, 0, host, 38));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoH(back, a, 30, 8));
    if (refuses_nonsense()) {
        CUarray words = new_array(9, 0, 0, CU_AD_FORMAT_UNSIGNED_INT32, 1, 0);
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoA(words, 0, a, 0, 4));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyAtoA(words, 2, words, 8, 4));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(NULL, 0, host, 1));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoA(a, 0, NULL, 1));
        EXPECT(CUDA_SUCCESS, cuArrayDestroy(words));
    }
    EXPECT(CUDA_SUCCESS, cuArrayDestroy(a));
    EXPECT(CUDA_SUCCESS, cuArrayDestroy(b));
    MUST(cuMemFree(p));
}

/* 13 x 7 texels of 4 bytes. */
static void rectangles(void) {
    unsigned host[7][13], back[7][13];
    CUarray a = new_array(13, 7, 0, CU_AD_FORMAT_SIGNED_INT16, 2, 0);
    CUarray b = new_array(13, 7, 0, CU_AD_FORMAT_UNSIGNED_INT8, 4, 0);
    count_up(host, sizeof host, 3);
    CUDA_MEMCPY2D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = host,
                        .srcPitch = sizeof *host,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .dstArray = a,
                        .WidthInBytes = sizeof *host,
                        .Height = 7};
    CUDA_MEMCPY2D out = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                         .srcArray = b,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = back,
                         .dstPitch = sizeof *back,
                         .WidthInBytes = sizeof *back,
                         .Height = 7};
    CUDA_MEMCPY2D across = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                            .srcArray = a,
                            .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                            .dstArray = b,
                            .WidthInBytes = sizeof *host,
                            .Height = 7};
    EXPECT(CUDA_SUCCESS, cuMemcpy2D(&in));
    EXPECT(CUDA_SUCCESS, cuMemcpy2D(&across));
    EXPECT(CUDA_SUCCESS, cuMemcpy2DUnaligned(&out));
    check("rows there, across and back", !memcmp(host, back, sizeof host), "others came");
    across.srcXInBytes = 5 * 4;
    across.srcY = 2;
    across.dstXInBytes = 1 * 4;
    across.dstY = 4;
    across.WidthInBytes = 3 * 4;
    across.Height = 3;
    EXPECT(CUDA_SUCCESS, cuMemcpy2DAsync(&across, NULL));
    EXPECT(CUDA_SUCCESS, cuMemcpy2DAsync(&out, NULL));
    EXPECT(CUDA_SUCCESS, cuCtxSynchronize());
    check("a rectangle of them",
          back[4][1] == host[2][5] && back[6][3] == host[4][7] && back[4][0] == host[4][0] &&
              back[4][4] == host[4][4] && back[3][1] == host[3][1],
          "others came");
    in.dstY = 1;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&in));
    if (refuses_nonsense()) {
        in.dstY = 0;
        in.WidthInBytes = 6;
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&in));
        in.WidthInBytes = 8;
        in.dstXInBytes = 2;
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy2D(&in));
        in.dstArray = NULL;
        EXPECT(CUDA_ERROR_INVALID_HANDLE, cuMemcpy2D(&in));
    }
    EXPECT(CUDA_SUCCESS, cuArrayDestroy(a));
    EXPECT(CUDA_SUCCESS, cuArrayDestroy(b));
}

static CUDA_MEMCPY3D box_of(CUarray array, void *host, bool in, size_t width, size_t height, size_t depth) {
    CUDA_MEMCPY3D c = {.WidthInBytes = width, .Height = height, .Depth = depth};
    c.srcMemoryType = in ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_ARRAY;
    c.dstMemoryType = in ? CU_MEMORYTYPE_ARRAY : CU_MEMORYTYPE_HOST;
    c.srcHost = c.dstHost = host;
    c.srcArray = c.dstArray = array;
    c.srcPitch = c.dstPitch = width;
    c.srcHeight = c.dstHeight = height;
    return c;
}

/* 7 x 5 x 3 texels of 2 bytes, copied as boxes, and by a graph. */
static void boxes(void) {
    short host[3][5][7], back[3][5][7];
    CUarray a = new_array(7, 5, 3, CU_AD_FORMAT_SIGNED_INT16, 1, 0);
    count_up(host, sizeof host, 5);
    CUDA_MEMCPY3D in = box_of(a, host, true, 14, 5, 3), out = box_of(a, back, false, 14, 5, 3);
    EXPECT(CUDA_SUCCESS, cuMemcpy3D(&in));
    EXPECT(CUDA_SUCCESS, cuMemcpy3DAsync(&out, NULL));
    EXPECT(CUDA_SUCCESS, cuCtxSynchronize());
    check("a box there and back", !memcmp(host, back, sizeof host), "others came");
    CUDA_MEMCPY3D part = box_of(a, back, false, 6, 2, 2);
    part.srcXInBytes = 4;
    part.srcY = 1;
    part.srcZ = 1;
    part.dstPitch = 14;
    part.dstHeight = 5;
    memset(back, 0, sizeof back);
    EXPECT(CUDA_SUCCESS, cuMemcpy3D(&part));
    check("a part of a box",
          back[0][0][0] == host[1][1][2] && back[1][1][2] == host[2][2][4] && !back[0][0][3] && !back[0][2][0],
          "others came");
    in.Depth = 4;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpy3D(&in));
    in.Depth = 3;

    CUcontext context;
    CUgraph graph;
    CUgraphNode first, second;
    CUgraphExec exec;
    CUDA_MEMCPY3D found;
    MUST(cuCtxGetCurrent(&context));
    MUST(cuGraphCreate(&graph, 0));
    memset(back, 0, sizeof back);
    count_up(host, sizeof host, 9);
    EXPECT(CUDA_SUCCESS, cuGraphAddMemcpyNode(&first, graph, NULL, 0, &in, context));
    EXPECT(CUDA_SUCCESS, cuGraphAddMemcpyNode(&second, graph, &first, 1, &out, context));
    EXPECT(CUDA_SUCCESS, cuGraphMemcpyNodeGetParams(second, &found));
    check("a node knows its array",
          found.srcMemoryType == CU_MEMORYTYPE_ARRAY && found.srcArray == a && found.WidthInBytes == 14 &&
              found.Height == 5 && found.Depth == 3 && found.dstMemoryType == CU_MEMORYTYPE_HOST &&
              found.dstHost == back,
          "another");
    MUST(cuGraphInstantiateWithFlags(&exec, graph, 0));
    EXPECT(CUDA_SUCCESS, cuGraphLaunch(exec, NULL));
    EXPECT(CUDA_SUCCESS, cuCtxSynchronize());
    check("a graph copies by way of an array", !memcmp(host, back, sizeof host), "others came");
    MUST(cuGraphExecDestroy(exec));
    MUST(cuGraphDestroy(graph));
    EXPECT(CUDA_SUCCESS, cuArrayDestroy(a));
}

/* ---- textures and surfaces ---- */

static void launch(const char *name, unsigned x, unsigned y, void **arguments) {
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(kernel(name), 1, 1, 1, x, y, 1, 0, NULL, arguments, NULL));
    EXPECT(CUDA_SUCCESS, cuCtxSynchronize());
}

static CUDA_RESOURCE_DESC resource_of(CUarray array) {
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_ARRAY};
    r.res.array.hArray = array;
    return r;
}

static void texture_and_surface(void) {
    unsigned char host[5][11], back[5][11];
    int width = 11, height = 5;
    CUarray from = new_array(11, 5, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, 0);
    CUarray to = new_array(11, 5, 0, CU_AD_FORMAT_UNSIGNED_INT8, 1, CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_RESOURCE_DESC source = resource_of(from), target = resource_of(to), found;
    CUDA_TEXTURE_DESC how = {.addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_BORDER},
                             .filterMode = CU_TR_FILTER_MODE_POINT,
                             .borderColor = {0, 0.25f, 0.5f, 1}},
                      as_found = {.borderColor = {9, 9, 9, 9}};
    CUDA_RESOURCE_VIEW_DESC view = {.format = CU_RES_VIEW_FORMAT_UINT_1X8, .width = 11, .height = 5}, its_view;
    CUtexObject texture;
    CUsurfObject surface;
    count_up(host, sizeof host, 2);
    CUDA_MEMCPY3D in = box_of(from, host, true, 11, 5, 1), out = box_of(to, back, false, 11, 5, 1);
    MUST(cuMemcpy3D(&in));
    EXPECT(CUDA_SUCCESS, cuTexObjectCreate(&texture, &source, &how, NULL));
    EXPECT(CUDA_SUCCESS, cuSurfObjectCreate(&surface, &target));
    void *arguments[] = {&surface, &texture, &width, &height};
    launch("mirror", 16, 8, arguments);
    MUST(cuMemcpy3D(&out));
    bool right = true;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            right &= back[y][x] == host[y][width - 1 - x];
    check("a kernel reads a texture and writes a surface", right, "others came");

    EXPECT(CUDA_SUCCESS, cuTexObjectGetResourceDesc(&found, texture));
    check("what a texture reads", found.resType == CU_RESOURCE_TYPE_ARRAY && found.res.array.hArray == from, "another");
    EXPECT(CUDA_SUCCESS, cuSurfObjectGetResourceDesc(&found, surface));
    check("what a surface writes", found.resType == CU_RESOURCE_TYPE_ARRAY && found.res.array.hArray == to, "another");
    EXPECT(CUDA_SUCCESS, cuTexObjectGetTextureDesc(&as_found, texture));
    check("how a texture reads",
          as_found.addressMode[0] == CU_TR_ADDRESS_MODE_CLAMP && as_found.addressMode[1] == CU_TR_ADDRESS_MODE_BORDER &&
              as_found.filterMode == CU_TR_FILTER_MODE_POINT && !as_found.flags,
          "another way");
    for (int k = 0; k < 4; k++) /* which an H100's driver does not write */
        EXPECT_EQUAL("its border's colour", 9, (int)as_found.borderColor[k]);
    EXPECT(CUDA_SUCCESS, cuTexObjectGetResourceViewDesc(&its_view, texture));
    check("no view", !its_view.format && !its_view.width, "there is one");
    EXPECT(CUDA_SUCCESS, cuTexObjectDestroy(texture));

    how.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_READ_AS_INTEGER;
    EXPECT(CUDA_SUCCESS, cuTexObjectCreate(&texture, &source, &how, &view));
    EXPECT(CUDA_SUCCESS, cuTexObjectGetTextureDesc(&as_found, texture));
    EXPECT_EQUAL("its flags", how.flags, as_found.flags);
    EXPECT(CUDA_SUCCESS, cuTexObjectGetResourceViewDesc(&its_view, texture));
    check("its view",
          its_view.format == view.format && its_view.width == 11 && its_view.height == 5 && !its_view.lastLayer,
          "another");
    struct cudaTextureDesc theirs;
    check("the runtime knows the texture",
          cudaGetTextureObjectTextureDesc(&theirs, texture) == cudaSuccess &&
              theirs.readMode == cudaReadModeElementType && theirs.normalizedCoords &&
              theirs.addressMode[1] == cudaAddressModeBorder,
          "it does not");
    EXPECT(CUDA_SUCCESS, cuTexObjectDestroy(texture));
    EXPECT(CUDA_SUCCESS, cuSurfObjectDestroy(surface));
    if (refuses_nonsense()) {
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceDesc(&found, texture));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, NULL, &how, NULL));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &source, NULL, NULL));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(NULL, &source, &how, NULL));
        how.flags = 0x8000;
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &source, &how, NULL));
        how.flags = 0;
        source.flags = 1;
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &source, &how, NULL));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuSurfObjectCreate(&surface, NULL));
        found = resource_of(NULL);
        EXPECT(CUDA_ERROR_INVALID_HANDLE, cuSurfObjectCreate(&surface, &found));
    }
    EXPECT(CUDA_SUCCESS, cuArrayDestroy(from));
    EXPECT(CUDA_SUCCESS, cuArrayDestroy(to));
}

/* Integers of 32 bits are read as they are, with the flag and without. */
static void depth(void) {
    int host[3][5][7], sum = 0, found = 0, width = 7, height = 5, depth = 3;
    CUarray a = new_array(7, 5, 3, CU_AD_FORMAT_SIGNED_INT32, 1, 0);
    for (int i = 0; i < 3 * 5 * 7; i++)
        sum += (&host[0][0][0])[i] = i * i - 1000;
    CUDA_MEMCPY3D in = box_of(a, host, true, 28, 5, 3);
    CUDA_RESOURCE_DESC r = resource_of(a);
    CUDA_TEXTURE_DESC how = {.filterMode = CU_TR_FILTER_MODE_POINT};
    CUtexObject texture;
    CUdeviceptr p;
    MUST(cuMemcpy3D(&in));
    MUST(cuMemAlloc(&p, 4));
    for (how.flags = 0; how.flags <= CU_TRSF_READ_AS_INTEGER; how.flags++) {
        EXPECT(CUDA_SUCCESS, cuTexObjectCreate(&texture, &r, &how, NULL));
        void *arguments[] = {&p, &texture, &width, &height, &depth};
        launch("add_up", 1, 1, arguments);
        MUST(cuMemcpyDtoH(&found, p, 4));
        EXPECT_EQUAL("the sum of a box", sum, found);
        EXPECT(CUDA_SUCCESS, cuTexObjectDestroy(texture));
    }
    MUST(cuMemFree(p));
    EXPECT(CUDA_SUCCESS, cuArrayDestroy(a));
}

static void linear_memory(void) {
    float host[8], back[8];
    size_t most = 0;
    CUdeviceptr from, to;
    CUtexObject texture;
    for (int i = 0; i < 8; i++)
        host[i] = (float)i / 8;
    MUST(cuMemAlloc(&from, sizeof host));
    MUST(cuMemAlloc(&to, sizeof host));
    MUST(cuMemcpyHtoD(from, host, sizeof host));
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_LINEAR}, found;
    CUDA_TEXTURE_DESC how = {.flags = CU_TRSF_READ_AS_INTEGER};
    r.res.linear.devPtr = from;
    r.res.linear.format = CU_AD_FORMAT_FLOAT;
    r.res.linear.numChannels = 1;
    r.res.linear.sizeInBytes = sizeof host;
    EXPECT(CUDA_SUCCESS, cuTexObjectCreate(&texture, &r, &how, NULL));
    void *arguments[] = {&to, &texture};
    launch("fetch", 8, 1, arguments);
    MUST(cuMemcpyDtoH(back, to, sizeof back));
    check("linear memory by a texture", !memcmp(host, back, sizeof host), "others came");
    EXPECT(CUDA_SUCCESS, cuTexObjectGetResourceDesc(&found, texture));
    check("which memory it was",
          found.resType == CU_RESOURCE_TYPE_LINEAR && found.res.linear.devPtr == from &&
              found.res.linear.format == CU_AD_FORMAT_FLOAT && found.res.linear.numChannels == 1 &&
              found.res.linear.sizeInBytes == sizeof host,
          "another");
    EXPECT(CUDA_SUCCESS, cuTexObjectDestroy(texture));
    EXPECT(CUDA_SUCCESS, cuDeviceGetTexture1DLinearMaxWidth(&most, CU_AD_FORMAT_FLOAT, 4, 0));
    check("how many texels linear memory has at most", most >= 1 << 27, "fewer");
    r.res.linear.numChannels = 3;
    if (refuses_nonsense())
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &r, &how, NULL));
    MUST(cuMemFree(from));
    MUST(cuMemFree(to));
}

/* ---- mipmapped arrays ---- */

static void levels(void) {
    CUmipmappedArray mipmap;
    CUarray level, again;
    CUDA_ARRAY3D_DESCRIPTOR d = {12, 6, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST}, found;
    float host[72], back[4];
    EXPECT(CUDA_SUCCESS, cuMipmappedArrayCreate(&mipmap, &d, 4));
    for (unsigned l = 0; l < 4; l++) {
        EXPECT(CUDA_SUCCESS, cuMipmappedArrayGetLevel(&level, mipmap, l));
        MUST(cuArray3DGetDescriptor(&found, level));
        check("a level is half as large",
              found.Width == 12u >> l && found.Height == (6u >> l ? 6u >> l : 1) && !found.Depth &&
                  found.Format == d.Format && found.NumChannels == 1,
              "it is not");
        for (size_t i = 0; i < 72; i++)
            host[i] = (float)l + 0.5f;
        CUDA_MEMCPY3D in = box_of(level, host, true, found.Width * 4, found.Height, 1);
        EXPECT(CUDA_SUCCESS, cuMemcpy3D(&in));
    }
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&level, mipmap, 4));
    check("the runtime has the same levels",
          cuMipmappedArrayGetLevel(&level, mipmap, 1) == CUDA_SUCCESS &&
              cudaGetMipmappedArrayLevel((cudaArray_t *)&again, (cudaMipmappedArray_t)mipmap, 1) == cudaSuccess &&
              (!refuses_nonsense() || level == again),
          "others");
    CUDA_RESOURCE_DESC r = {.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
    CUDA_TEXTURE_DESC how = {.flags = CU_TRSF_NORMALIZED_COORDINATES | CU_TRSF_READ_AS_INTEGER,
                             .addressMode = {CU_TR_ADDRESS_MODE_CLAMP, CU_TR_ADDRESS_MODE_CLAMP},
                             .mipmapFilterMode = CU_TR_FILTER_MODE_POINT,
                             .maxMipmapLevelClamp = 3};
    CUtexObject texture;
    CUdeviceptr to;
    r.res.mipmap.hMipmappedArray = mipmap;
    MUST(cuMemAlloc(&to, sizeof back));
    EXPECT(CUDA_SUCCESS, cuTexObjectCreate(&texture, &r, &how, NULL));
    void *arguments[] = {&to, &texture};
    launch("each_level", 4, 1, arguments);
    MUST(cuMemcpyDtoH(back, to, sizeof back));
    check("a texture reads each level", back[0] == 0.5f && back[1] == 1.5f && back[2] == 2.5f && back[3] == 3.5f,
          "others came");
    EXPECT(CUDA_SUCCESS, cuTexObjectDestroy(texture));
    EXPECT(CUDA_SUCCESS, cuMipmappedArrayDestroy(mipmap));
    MUST(cuMemFree(to));
    d.Width = 0;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayCreate(&mipmap, &d, 1));
    if (refuses_nonsense()) {
        EXPECT(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayDestroy(mipmap));
        EXPECT(CUDA_ERROR_INVALID_HANDLE, cuMipmappedArrayGetLevel(&level, mipmap, 0));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuMipmappedArrayCreate(NULL, &d, 1));
    }
}

/* ---- what a context leaves behind ---- */

static void own_context(void) {
    CUcontext own;
    CUarray array;
    CUtexObject texture;
    CUDA_ARRAY3D_DESCRIPTOR d;
    CUDA_TEXTURE_DESC how = {.filterMode = CU_TR_FILTER_MODE_POINT};
    CUDA_RESOURCE_DESC r;
    MUST(CREATE(&own, 0, 0));
    array = new_array(4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0);
    r = resource_of(array);
    EXPECT(CUDA_SUCCESS, cuTexObjectCreate(&texture, &r, &how, NULL));
    EXPECT(CUDA_SUCCESS, cuCtxDestroy(own));
    begin();
    if (refuses_nonsense()) {
        EXPECT(CUDA_ERROR_INVALID_HANDLE, cuArray3DGetDescriptor(&d, array));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuTexObjectGetResourceDesc(&r, texture));
    }
}

int main(int count, char **arguments) {
    size_t size;
    begin();
    if (count != 2)
        return 2;
    MUST(cuModuleLoadData(&module, file_bytes(arguments[1], &size)));
    descriptions();
    wrong_arrays();
    sparse_and_deferred();
    rows();
    rectangles();
    boxes();
    texture_and_surface();
    depth();
    linear_memory();
    levels();
    own_context();
    return failures != 0;
}
