/* Managed memory: advice, prefetching, discarding, and what ranges remember, in the form of each version. */
#include "driver_test.h"

enum { BYTES = 1 << 20, PART = 1 << 16 };

static CUdeviceptr m, plain;
static CUstream s;

static int asked(CUmem_range_attribute attribute, size_t at, size_t bytes) {
    int value = 777;
    MUST(cuMemRangeGetAttribute(&value, sizeof value, attribute, m + at, bytes));
    return value;
}

static void *form(const char *name, int version) {
    void *function = NULL;
    MUST(cuGetProcAddress(name, &function, version, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
    return function;
}

/* The first forms say the place by a device's number. */
static void by_numbers(void) {
    CUresult (*advise)(CUdeviceptr, size_t, CUmem_advise, CUdevice) =
        (CUresult(*)(CUdeviceptr, size_t, CUmem_advise, CUdevice))(uintptr_t)form("cuMemAdvise", 8000);
    CUresult (*prefetch)(CUdeviceptr, size_t, CUdevice, CUstream) =
        (CUresult(*)(CUdeviceptr, size_t, CUdevice, CUstream))(uintptr_t)form("cuMemPrefetchAsync", 8000);
    EXPECT_EQUAL("read mostly at first", 0, asked(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 0, BYTES));
    EXPECT_EQUAL("preferred location at first", CU_DEVICE_INVALID,
                 asked(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, 0, BYTES));
    EXPECT(CUDA_SUCCESS, advise(m, BYTES, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    EXPECT_EQUAL("read mostly", 1, asked(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 0, BYTES));
    EXPECT(CUDA_SUCCESS, advise(m, PART, CU_MEM_ADVISE_UNSET_READ_MOSTLY, 0));
    EXPECT_EQUAL("not all is read mostly", 0, asked(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, 0, BYTES));
    EXPECT_EQUAL("the rest is", 1, asked(CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, PART, PART));
    EXPECT(CUDA_SUCCESS, advise(m, BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, CU_DEVICE_CPU));
    EXPECT_EQUAL("it prefers the host", CU_DEVICE_CPU, asked(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION, 0, BYTES));
    EXPECT(CUDA_SUCCESS, advise(m, BYTES, CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, advise(plain, 100, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    EXPECT(CUDA_ERROR_INVALID_VALUE, advise(m, BYTES + 1, CU_MEM_ADVISE_SET_READ_MOSTLY, 0));
    EXPECT(CUDA_SUCCESS, prefetch(m, BYTES, 0, s));
    EXPECT_EQUAL("last prefetch", 0, asked(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, 0, BYTES));
    EXPECT(CUDA_SUCCESS, prefetch(m, BYTES, CU_DEVICE_CPU, s));
    EXPECT_EQUAL("last prefetch, to the host", CU_DEVICE_CPU,
                 asked(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, 0, BYTES));
    EXPECT(CUDA_ERROR_INVALID_DEVICE, prefetch(m, BYTES, 99, s));
}

static void several_questions(void) {
    int mostly = 9, by[2] = {9, 9};
    void *data[] = {&mostly, by};
    size_t sizes[] = {sizeof mostly, sizeof by};
    CUmem_range_attribute names[] = {CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY};
    EXPECT(CUDA_SUCCESS, cuMemRangeGetAttributes(data, sizes, names, 2, m, PART));
    check("several at once", mostly == 0 && by[0] == CU_DEVICE_INVALID && by[1] == CU_DEVICE_INVALID, "others");
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttributes(data, sizes, names, 0, m, PART));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(&mostly, 3, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, m, PART));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemRangeGetAttribute(&mostly, 4, CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY, plain, 64));
}

#if CUDA_VERSION >= 13000
static CUmemLocation here = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0},
                     host = {.type = CU_MEM_LOCATION_TYPE_HOST, .id = 0};

static void by_locations(void) {
    const CUmemLocation nowhere = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 99};
    EXPECT(CUDA_SUCCESS, cuMemAdvise(m, BYTES, CU_MEM_ADVISE_SET_PREFERRED_LOCATION, here));
    EXPECT_EQUAL("kind of the preferred location", CU_MEM_LOCATION_TYPE_DEVICE,
                 asked(CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE, 0, BYTES));
    EXPECT(CUDA_SUCCESS, cuMemAdvise(m, BYTES, CU_MEM_ADVISE_SET_ACCESSED_BY, here));
    EXPECT_EQUAL("accessed by", 0, asked(CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY, 0, BYTES));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(m, BYTES, CU_MEM_ADVISE_SET_ACCESSED_BY, nowhere));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemAdvise(m, BYTES, (CUmem_advise)77, here));
    EXPECT(CUDA_SUCCESS, cuMemPrefetchAsync(m, BYTES, here, 0, s));
    EXPECT_EQUAL("kind of the last prefetch", CU_MEM_LOCATION_TYPE_DEVICE,
                 asked(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE, 0, BYTES));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchAsync(m, BYTES, here, 1, s));
}

static void batches(void) {
    CUdeviceptr parts[] = {m, m + PART};
    size_t sizes[] = {PART, PART}, first[] = {0}, each[] = {0, 1}, wrong[] = {1};
    CUmemLocation both[] = {here, host};
    char *bytes = (char *)m;
    EXPECT(CUDA_SUCCESS, cuMemPrefetchBatchAsync(parts, sizes, 2, both, each, 2, 0, s));
    EXPECT_EQUAL("the first of a batch", 0, asked(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, 0, PART));
    EXPECT_EQUAL("the second of a batch", CU_DEVICE_CPU,
                 asked(CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION, PART, PART));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchBatchAsync(parts, sizes, 2, both, wrong, 1, 0, s));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemPrefetchBatchAsync(parts, sizes, 0, both, first, 1, 0, s));
    EXPECT(CUDA_SUCCESS, cuStreamSynchronize(s));
    bytes[0] = bytes[PART] = 5;
    EXPECT(CUDA_SUCCESS, cuMemDiscardBatchAsync(parts, sizes, 1, 0, s));
    EXPECT(CUDA_SUCCESS, cuMemDiscardAndPrefetchBatchAsync(parts, sizes, 1, both, first, 1, 0, s));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemDiscardBatchAsync(parts, sizes, 0, 0, s));
    EXPECT(CUDA_SUCCESS, cuStreamSynchronize(s));
    bytes[0] = 6;
    check("what was discarded can be written, and the rest stays", bytes[0] == 6 && bytes[PART] == 5, "not so");
}
#endif

int main(void) {
    begin();
    MUST(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    MUST(cuMemAllocManaged(&m, BYTES, CU_MEM_ATTACH_GLOBAL));
    MUST(cuMemAlloc(&plain, 1000));
    by_numbers();
    several_questions();
#if CUDA_VERSION >= 13000
    by_locations();
    batches();
#endif
    MUST(cuStreamSynchronize(s));
    MUST(cuMemFree(m));
    MUST(cuMemFree(plain));
    MUST(cuStreamDestroy(s));
    return failures != 0;
}
