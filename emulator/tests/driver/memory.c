/* Memory, copies, fills, and what an address is. */
#include "driver_test.h"

static void sizes(void) {
    CUdeviceptr p = 0, q = 0, base = 0;
    size_t left = 0, total = 0, pitch = 0, size = 0;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(&p, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAlloc(NULL, 4));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemAlloc(&p, (size_t)1 << 50));
    EXPECT(CUDA_SUCCESS, cuMemGetInfo(&left, &total));
    check("some memory is free", left && left <= total, "none, or too much");
    EXPECT(CUDA_SUCCESS, cuMemAlloc(&p, 1000));
    EXPECT(CUDA_SUCCESS, cuMemGetAddressRange(&base, &size, p + 999));
    check("the range of an address", base == p && size == 1000, "another");
    EXPECT(CUDA_SUCCESS, cuMemAllocPitch(&q, &pitch, 100, 10, 4));
    check("a pitch has room for a row", pitch >= 100, "it has not");
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAllocPitch(&q, &pitch, 100, 10, 3));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree(p + 4));
    EXPECT(CUDA_SUCCESS, cuMemFree(p));
    EXPECT(CUDA_SUCCESS, cuMemFree(0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
}

static void fills(void) {
    unsigned host[64];
    unsigned short halves[128];
    CUdeviceptr p;
    MUST(cuMemAlloc(&p, sizeof host));
    MUST(cuMemsetD8(p, 0, sizeof host));
    EXPECT(CUDA_SUCCESS, cuMemsetD32(p + 4, 0xdeadbeef, 10));
    MUST(cuMemcpyDtoH(host, p, sizeof host));
    check("words are filled", !host[0] && host[1] == 0xdeadbeef && host[10] == 0xdeadbeef && !host[11], "others");
    EXPECT(CUDA_SUCCESS, cuMemsetD16(p + 2, 0x1234, 3));
    MUST(cuMemcpyDtoH(halves, p, sizeof halves));
    check("halves are filled", !halves[0] && halves[1] == 0x1234 && halves[3] == 0x1234 && halves[4] == 0xbeef,
          "others");
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemsetD32(p + 2, 1, 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemsetD8(p, 1, sizeof host + 1));
    EXPECT(CUDA_SUCCESS, cuMemsetD2D32(p, 32, 7, 2, 3));
    MUST(cuMemcpyDtoH(host, p, sizeof host));
    check("rows are filled", host[0] == 7 && host[1] == 7 && host[8] == 7 && host[17] == 7 && host[24] != 7, "others");
    EXPECT(CUDA_SUCCESS, cuMemsetD8Async(p, 0x5a, 1, NULL));
    MUST(cuMemcpyDtoH(host, p, 4));
    EXPECT_EQUAL("a byte in a stream's order", 0x5a, host[0] & 0xff);
    MUST(cuMemFree(p));
}

static void copies(void) {
    char host[100], back[100] = "";
    CUdeviceptr p, q;
    MUST(cuMemAlloc(&p, 100));
    MUST(cuMemAlloc(&q, 100));
    for (int i = 0; i < 100; i++)
        host[i] = (char)i;
    EXPECT(CUDA_SUCCESS, cuMemcpyHtoD(p, host, 100));
    EXPECT(CUDA_SUCCESS, cuMemcpyDtoD(q, p, 100));
    EXPECT(CUDA_SUCCESS, cuMemcpyDtoH(back, q, 100));
    check("there, across and back", !memcmp(host, back, 100), "others came");
    memset(back, 0, 100);
    EXPECT(CUDA_SUCCESS, cuMemcpy((CUdeviceptr)back, p, 50));
    check("by addresses alone", !memcmp(host, back, 50) && !back[50], "others came");
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemcpyHtoD(p, host, 101));
    memset(back, 0, 100);
    const CUDA_MEMCPY2D c = {.srcXInBytes = 1,
                             .srcY = 2,
                             .srcMemoryType = CU_MEMORYTYPE_DEVICE,
                             .srcDevice = p,
                             .srcPitch = 10,
                             .dstMemoryType = CU_MEMORYTYPE_HOST,
                             .dstHost = back,
                             .dstPitch = 4,
                             .WidthInBytes = 3,
                             .Height = 5};
    EXPECT(CUDA_SUCCESS, cuMemcpy2D(&c));
    check("a part of rows", back[0] == 21 && back[2] == 23 && !back[3] && back[4] == 31 && back[18] == 63,
          "others came");
    MUST(cuMemFree(p));
    MUST(cuMemFree(q));
}

static void attributes(void) {
    CUdeviceptr p, start = 0;
    void *host;
    unsigned type = 0, managed = 9;
    int device = -1;
    size_t size = 0;
    CUcontext context = NULL, current;
    MUST(cuMemAlloc(&p, 256));
    MUST(cuMemHostAlloc(&host, 256, 0));
    MUST(cuCtxGetCurrent(&current));
    EXPECT(CUDA_SUCCESS, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
    EXPECT_EQUAL("memory of the device", CU_MEMORYTYPE_DEVICE, type);
    EXPECT(CUDA_SUCCESS, cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)host));
    EXPECT_EQUAL("memory of the host", CU_MEMORYTYPE_HOST, type);
    EXPECT(CUDA_SUCCESS, cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT, p));
    check("its context", context == current, "another");
    EXPECT(CUDA_SUCCESS, cuPointerGetAttribute(&start, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, p + 8));
    EXPECT(CUDA_SUCCESS, cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, p + 8));
    check("its range", start == p && size == 256, "another");
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)&size));
    CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL};
    void *values[] = {&type, &managed, &device};
    EXPECT(CUDA_SUCCESS, cuPointerGetAttributes(3, names, values, p));
    check("several at once", type == CU_MEMORYTYPE_DEVICE && !managed && !device, "others");
    EXPECT(CUDA_SUCCESS, cuPointerGetAttributes(3, names, values, (CUdeviceptr)&size));
    check("of an address that nobody knows", !type && !managed, "others");
    MUST(cuMemFree(p));
    MUST(cuMemFreeHost(host));
}

int main(void) {
    begin();
    sizes();
    fills();
    copies();
    attributes();
    return failures != 0;
}
