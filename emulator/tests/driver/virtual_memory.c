/* Addresses and memory made apart: reserved, created, mapped, with access given. Argument: PTX. */
#include "driver_test.h"

#define MIB ((size_t)1 << 20)

static CUfunction scale;
static size_t unit;
static const CUmemAllocationProp on_device = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                              .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
static const CUmemAccessDesc read_write = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE},
                                           .flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE};

static CUresult launch(CUdeviceptr to, CUdeviceptr from, float factor, int n) {
    void *arguments[] = {&to, &from, &factor, &n};
    CUresult error = cuLaunchKernel(scale, ((unsigned)n + 255) / 256, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL);
    return error == CUDA_SUCCESS ? cuCtxSynchronize() : error;
}

static void asked_for(void) {
    size_t recommended = 0;
    int supported = 0;
    EXPECT(CUDA_SUCCESS, cuDeviceGetAttribute(&supported, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
    EXPECT_EQUAL("it is supported", 1, supported);
    EXPECT(CUDA_SUCCESS, cuMemGetAllocationGranularity(&unit, &on_device, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    EXPECT_EQUAL("granularity", 2 * MIB, unit);
    EXPECT(CUDA_SUCCESS, cuMemGetAllocationGranularity(&recommended, &on_device, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED));
    check("the recommended one", recommended && recommended % unit == 0, "no multiple");
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemGetAllocationGranularity(NULL, &on_device, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
}

static void wrong_requests(void) {
    CUdeviceptr p = 0;
    CUmemGenericAllocationHandle handle;
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&p, 0, 0, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&p, 4 * unit + 1, 0, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAddressReserve(&p, 4 * unit, 3 * unit, 0, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&handle, unit / 2, &on_device, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&handle, 0, &on_device, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemCreate(&handle, unit, NULL, 0));
    EXPECT(CUDA_ERROR_OUT_OF_MEMORY, cuMemCreate(&handle, (size_t)1 << 44, &on_device, 0));
    CUmemAllocationProp elsewhere = on_device;
    elsewhere.location.id = 1000;
    EXPECT(CUDA_ERROR_INVALID_DEVICE, cuMemCreate(&handle, unit, &elsewhere, 0));
}

/* Where something is mapped already, and in the middle of a page. Drivers of NVIDIA's refuse it with different errors. */
static void map_refused(CUdeviceptr p, size_t size, CUmemGenericAllocationHandle handle) {
    CUresult result = cuMemMap(p, size, 0, handle, 0);
    if (refuses_nonsense())
        EXPECT(CUDA_ERROR_INVALID_VALUE, result);
    else
        check("cuMemMap refuses", result == CUDA_ERROR_INVALID_VALUE || result == CUDA_ERROR_NOT_SUPPORTED,
              "it does not");
}

/* Three pieces of memory behind each other, and a hole: a kernel and a copy see one array. */
static void pieces(void) {
    CUdeviceptr p = 0;
    CUmemGenericAllocationHandle handles[2], found = 0;
    CUmemAllocationProp properties;
    unsigned long long access = 9;
    const CUmemLocation device = on_device.location;
    int n = (int)(3 * unit / sizeof(float));
    EXPECT(CUDA_SUCCESS, cuMemAddressReserve(&p, 4 * unit, 0, 0, 0));
    check("addresses are aligned", p && p % unit == 0, "they are not");
    EXPECT(CUDA_SUCCESS, cuMemCreate(&handles[0], unit, &on_device, 0));
    EXPECT(CUDA_SUCCESS, cuMemCreate(&handles[1], 2 * unit, &on_device, 0));
    EXPECT(CUDA_SUCCESS, cuMemMap(p, unit, 0, handles[0], 0));
    map_refused(p, unit, handles[1]);
    map_refused(p + unit, 2 * unit, handles[0]);
    map_refused(p + unit / 2, unit, handles[1]);
    EXPECT(CUDA_SUCCESS, cuMemMap(p + unit, 2 * unit, 0, handles[1], 0));
    EXPECT(CUDA_SUCCESS, cuMemGetAccess(&access, &device, p));
    EXPECT_EQUAL("a mapping begins without access", CU_MEM_ACCESS_FLAGS_PROT_NONE, access);
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemSetAccess(p, 4 * unit, &read_write, 1));
    EXPECT(CUDA_SUCCESS, cuMemSetAccess(p, 3 * unit, &read_write, 1));
    EXPECT(CUDA_SUCCESS, cuMemGetAccess(&access, &device, p + 2 * unit));
    EXPECT_EQUAL("access to each piece", CU_MEM_ACCESS_FLAGS_PROT_READWRITE, access);
    EXPECT(CUDA_SUCCESS, cuMemsetD32(p, 0x3f800000, (size_t)n));
    EXPECT(CUDA_SUCCESS, launch(p, p, 3, n));
    float *values = malloc((size_t)n * sizeof *values);
    EXPECT(CUDA_SUCCESS, cuMemcpyDtoH(values, p, (size_t)n * sizeof *values));
    int right = 0;
    for (int i = 0; i < n; i++)
        right += values[i] == 3;
    EXPECT_EQUAL("elements of an array across pieces", n, right);
    free(values);
    EXPECT(CUDA_SUCCESS, cuMemRetainAllocationHandle(&found, (void *)(uintptr_t)(p + unit + 4)));
    check("the memory at an address", found == handles[1], "another");
    EXPECT(CUDA_SUCCESS, cuMemGetAllocationPropertiesFromHandle(&properties, found));
    check("its properties",
          properties.type == on_device.type && properties.location.type == on_device.location.type &&
              !properties.location.id,
          "others");
    EXPECT(CUDA_SUCCESS, cuMemRelease(found));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree(p));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(p, 4 * unit));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(p + unit, unit));
    EXPECT(CUDA_SUCCESS, cuMemRelease(handles[0]));
    EXPECT(CUDA_SUCCESS, cuMemRelease(handles[1]));
    float last = 0;
    EXPECT(CUDA_SUCCESS, cuMemcpyDtoH(&last, p + 3 * unit - 4, 4));
    EXPECT_EQUAL("what is mapped outlives its handle", 3, last);
    EXPECT(CUDA_SUCCESS, cuMemUnmap(p, unit));
    EXPECT(CUDA_SUCCESS, cuMemUnmap(p + unit, 2 * unit));
    if (refuses_nonsense())
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemUnmap(p, unit)); // driver 580.159 has no objection
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAddressFree(p, unit));
    EXPECT(CUDA_SUCCESS, cuMemAddressFree(p, 4 * unit));
}

/* The same bytes at two addresses, and at another one later. */
static void aliases(void) {
    CUdeviceptr p, q;
    CUmemGenericAllocationHandle handle;
    float values[2] = {1, 2}, found[2] = {0};
    MUST(cuMemAddressReserve(&p, 2 * unit, 0, 0, 0));
    MUST(cuMemAddressReserve(&q, unit, 0, 0, 0));
    MUST(cuMemCreate(&handle, unit, &on_device, 0));
    EXPECT(CUDA_SUCCESS, cuMemMap(p, unit, 0, handle, 0));
    EXPECT(CUDA_SUCCESS, cuMemMap(q, unit, 0, handle, 0));
    EXPECT(CUDA_SUCCESS, cuMemSetAccess(p, unit, &read_write, 1));
    EXPECT(CUDA_SUCCESS, cuMemSetAccess(q, unit, &read_write, 1));
    EXPECT(CUDA_SUCCESS, cuMemcpyHtoD(p, values, sizeof values));
    EXPECT(CUDA_SUCCESS, launch(q + 8, q, 10, 2));
    EXPECT(CUDA_SUCCESS, cuMemcpyDtoH(found, p + 8, sizeof found));
    check("two addresses of the same bytes", found[0] == 10 && found[1] == 20, "they are others");
    EXPECT(CUDA_SUCCESS, cuMemUnmap(p, unit));
    EXPECT(CUDA_SUCCESS, cuMemMap(p + unit, unit, 0, handle, 0));
    EXPECT(CUDA_SUCCESS, cuMemSetAccess(p + unit, unit, &read_write, 1));
    found[0] = 0;
    EXPECT(CUDA_SUCCESS, cuMemcpyDtoH(found, p + unit + 12, 4));
    EXPECT_EQUAL("mapped somewhere else they are still the same", 20, found[0]);
    EXPECT(CUDA_SUCCESS, cuMemUnmap(p + unit, unit));
    EXPECT(CUDA_SUCCESS, cuMemUnmap(q, unit));
    EXPECT(CUDA_SUCCESS, cuMemRelease(handle));
    EXPECT(CUDA_SUCCESS, cuMemAddressFree(p, 2 * unit));
    EXPECT(CUDA_SUCCESS, cuMemAddressFree(q, unit));
    if (refuses_nonsense()) {
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemRelease(handle));
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemMap(p, unit, 0, handle, 0));
    }
}

/* An array that grows: more memory behind what is there. */
static void growing(void) {
    CUdeviceptr p;
    CUmemGenericAllocationHandle handle;
    size_t left = 0, less = 0, total;
    MUST(cuMemAddressReserve(&p, 64 * unit, 0, 0, 0));
    MUST(cuMemGetInfo(&left, &total));
    for (size_t i = 0; i < 8; i++) {
        MUST(cuMemCreate(&handle, unit, &on_device, 0));
        MUST(cuMemMap(p + i * unit, unit, 0, handle, 0));
        MUST(cuMemSetAccess(p + i * unit, unit, &read_write, 1));
        MUST(cuMemRelease(handle));
        MUST(cuMemsetD8(p + i * unit, (unsigned char)i, unit));
    }
    MUST(cuMemGetInfo(&less, &total));
    check("less memory is free", left >= less + 8 * unit, "it is not");
    unsigned char ends[2];
    EXPECT(CUDA_SUCCESS, cuMemcpyDtoH(ends, p + 5 * unit - 1, 2));
    check("pieces keep what they hold", ends[0] == 4 && ends[1] == 5, "they do not");
    EXPECT(CUDA_SUCCESS, cuMemUnmap(p, 8 * unit));
    MUST(cuMemGetInfo(&less, &total));
    check("and all of it again", left == less || !refuses_nonsense(), "some is missing");
    EXPECT(CUDA_SUCCESS, cuMemAddressFree(p, 64 * unit));
}

int main(int count, char **arguments) {
    CUmodule module;
    size_t size;
    if (count != 2)
        return 2;
    begin();
    char *ptx = file_bytes(arguments[1], &size);
    MUST(cuModuleLoadData(&module, ptx));
    MUST(cuModuleGetFunction(&scale, module, "scale"));
    asked_for();
    wrong_requests();
    pieces();
    aliases();
    growing();
    free(ptx);
    return failures != 0;
}
