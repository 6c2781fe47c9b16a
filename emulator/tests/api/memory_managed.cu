// Managed memory: advice, prefetching, and what ranges remember of both.
#include "api_test.h"

#if CUDART_VERSION >= 13000
static const cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, cpu = {cudaMemLocationTypeHost, 0},
                             node = {cudaMemLocationTypeHostNuma, 0}, nowhere = {cudaMemLocationTypeDevice, 9},
                             none = {cudaMemLocationTypeNone, 0};
static char *m, *d;

static int asked(cudaMemRangeAttribute attribute, size_t at = 0, size_t count = 1 << 20) {
    int v = 777;
    MUST(cudaMemRangeGetAttribute(&v, sizeof v, attribute, m + at, count));
    return v;
}

static void advice() {
    EXPECT_EQUAL("read mostly at first", 0, asked(cudaMemRangeAttributeReadMostly));
    EXPECT_EQUAL("preferred location at first", cudaInvalidDeviceId, asked(cudaMemRangeAttributePreferredLocation));
    EXPECT_EQUAL("accessed by at first", cudaInvalidDeviceId, asked(cudaMemRangeAttributeAccessedBy));
    EXPECT_EQUAL("last prefetch at first", cudaInvalidDeviceId, asked(cudaMemRangeAttributeLastPrefetchLocation));
    EXPECT_EQUAL("type of preferred location at first", cudaMemLocationTypeInvalid,
                 asked(cudaMemRangeAttributePreferredLocationType));
    EXPECT_EQUAL("type of last prefetch at first", cudaMemLocationTypeInvalid,
                 asked(cudaMemRangeAttributeLastPrefetchLocationType));
    EXPECT_EQUAL("id of preferred location at first", cudaInvalidDeviceId,
                 asked(cudaMemRangeAttributePreferredLocationId));
    EXPECT(cudaSuccess, cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetReadMostly, here));
    EXPECT_EQUAL("read mostly", 1, asked(cudaMemRangeAttributeReadMostly));
    EXPECT(cudaSuccess, cudaMemAdvise(m, 1 << 16, cudaMemAdviseUnsetReadMostly, here));
    EXPECT_EQUAL("not all is read mostly", 0, asked(cudaMemRangeAttributeReadMostly));
    EXPECT_EQUAL("the rest is", 1, asked(cudaMemRangeAttributeReadMostly, 1 << 16, 1 << 16));
    EXPECT(cudaSuccess, cudaMemAdvise(m, 1 << 20, cudaMemAdviseUnsetReadMostly, here));
    EXPECT(cudaSuccess, cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, here));
    EXPECT_EQUAL("preferred location", 0, asked(cudaMemRangeAttributePreferredLocation));
    EXPECT_EQUAL("type of preferred location", cudaMemLocationTypeDevice,
                 asked(cudaMemRangeAttributePreferredLocationType));
    EXPECT_EQUAL("id of preferred location", 0, asked(cudaMemRangeAttributePreferredLocationId));
    EXPECT(cudaSuccess, cudaMemAdvise(m, 1 << 16, cudaMemAdviseSetPreferredLocation, cpu));
    EXPECT_EQUAL("preferred location of a part", cudaCpuDeviceId,
                 asked(cudaMemRangeAttributePreferredLocation, 0, 1 << 16));
    EXPECT_EQUAL("preferred locations that differ", cudaInvalidDeviceId, asked(cudaMemRangeAttributePreferredLocation));
    EXPECT_EQUAL("type of preferred locations that differ", cudaMemLocationTypeInvalid,
                 asked(cudaMemRangeAttributePreferredLocationType));
    EXPECT(cudaErrorInvalidValue, cudaMemAdvise(m, 1 << 20, cudaMemAdviseUnsetPreferredLocation, none));
    EXPECT(cudaErrorInvalidValue, cudaMemAdvise(m, 1 << 20, cudaMemAdviseUnsetReadMostly, none));
    EXPECT(cudaSuccess, cudaMemAdvise(m, 1 << 20, cudaMemAdviseUnsetPreferredLocation, here));
    EXPECT_EQUAL("preferred location taken back", cudaInvalidDeviceId, asked(cudaMemRangeAttributePreferredLocation));
    EXPECT(cudaSuccess, cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetAccessedBy, here));
    EXPECT_EQUAL("accessed by", 0, asked(cudaMemRangeAttributeAccessedBy));
    int list[4] = {9, 9, 9, 9};
    EXPECT(cudaSuccess, cudaMemRangeGetAttribute(list, sizeof list, cudaMemRangeAttributeAccessedBy, m, 1 << 20));
    check("a list of one device", list[0] == 0 && list[1] == cudaInvalidDeviceId && list[3] == cudaInvalidDeviceId,
          "not so");
    EXPECT(cudaSuccess, cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetAccessedBy, cpu));
    EXPECT(cudaSuccess, cudaMemRangeGetAttribute(list, sizeof list, cudaMemRangeAttributeAccessedBy, m, 1 << 20));
    check("a list of the device and the host",
          list[0] == 0 && list[1] == cudaCpuDeviceId && list[2] == cudaInvalidDeviceId, "not so");
    EXPECT(cudaSuccess, cudaMemAdvise(m, 1 << 20, cudaMemAdviseUnsetAccessedBy, here));
    EXPECT(cudaSuccess, cudaMemRangeGetAttribute(list, sizeof list, cudaMemRangeAttributeAccessedBy, m, 1 << 20));
    check("a list of the host", list[0] == cudaCpuDeviceId && list[1] == cudaInvalidDeviceId, "not so");
    EXPECT(cudaSuccess, cudaMemAdvise(m, 1 << 20, cudaMemAdviseUnsetAccessedBy, cpu));
    EXPECT(cudaSuccess, cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, node));
    EXPECT_EQUAL("a node of the host is not remembered", cudaInvalidDeviceId,
                 asked(cudaMemRangeAttributePreferredLocation));
    EXPECT(cudaErrorInvalidValue, cudaMemAdvise(m, 1 << 20, (cudaMemoryAdvise)77, here));
    EXPECT(cudaErrorInvalidValue, cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, nowhere));
    EXPECT(cudaErrorInvalidValue, cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetAccessedBy, nowhere));
    EXPECT(cudaErrorInvalidValue, cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, none));
    EXPECT(cudaErrorInvalidValue, cudaMemAdvise(m, 0, cudaMemAdviseSetReadMostly, here));
    EXPECT(cudaErrorInvalidValue, cudaMemAdvise(m, (1 << 20) + 1, cudaMemAdviseSetReadMostly, here));
    EXPECT(cudaErrorInvalidValue, cudaMemAdvise(d, 100, cudaMemAdviseSetReadMostly, here));
    EXPECT(cudaErrorInvalidValue, cudaMemAdvise(0, 100, cudaMemAdviseSetReadMostly, here));
}

static void prefetching() {
    void *pointers[] = {m, m + (1 << 16)};
    size_t sizes[] = {1 << 16, 1 << 16}, first[] = {0}, second[] = {0, 1}, wrong[] = {1};
    cudaMemLocation both[] = {here, cpu};
    EXPECT(cudaSuccess, cudaMemPrefetchAsync(m, 1 << 20, here, 0, 0));
    EXPECT_EQUAL("last prefetch", 0, asked(cudaMemRangeAttributeLastPrefetchLocation));
    EXPECT_EQUAL("type of last prefetch", cudaMemLocationTypeDevice,
                 asked(cudaMemRangeAttributeLastPrefetchLocationType));
    EXPECT(cudaSuccess, cudaMemPrefetchAsync(m, 1 << 20, cpu, 0, 0));
    EXPECT_EQUAL("last prefetch to the host", cudaCpuDeviceId, asked(cudaMemRangeAttributeLastPrefetchLocation));
    EXPECT_EQUAL("type of last prefetch to the host", cudaMemLocationTypeHost,
                 asked(cudaMemRangeAttributeLastPrefetchLocationType));
    EXPECT(cudaErrorInvalidValue, cudaMemPrefetchAsync(m, 1 << 20, here, 1, 0));
    EXPECT(cudaErrorInvalidValue, cudaMemPrefetchAsync(m, 1 << 20, none, 0, 0));
    EXPECT(cudaErrorInvalidDevice, cudaMemPrefetchAsync(m, 1 << 20, nowhere, 0, 0));
    EXPECT(cudaErrorInvalidValue, cudaMemPrefetchAsync(m, 0, here, 0, 0));
    cudaStream_t s;
    MUST(cudaStreamCreate(&s));
    EXPECT(cudaSuccess, cudaMemPrefetchBatchAsync(pointers, sizes, 2, both, first, 1, 0, s));
    EXPECT_EQUAL("last prefetch of a batch", 0, asked(cudaMemRangeAttributeLastPrefetchLocation, 0, 1 << 17));
    EXPECT(cudaSuccess, cudaMemPrefetchBatchAsync(pointers, sizes, 2, both, second, 2, 0, s));
    EXPECT_EQUAL("the second of a batch", cudaCpuDeviceId,
                 asked(cudaMemRangeAttributeLastPrefetchLocation, 1 << 16, 1 << 16));
    EXPECT(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync(pointers, sizes, 2, both, wrong, 1, 0, s));
    EXPECT(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync(pointers, sizes, 2, both, second, 3, 0, s));
    EXPECT(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync(pointers, sizes, 0, both, first, 1, 0, s));
    EXPECT(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync(0, sizes, 2, both, first, 1, 0, s));
    EXPECT(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync(pointers, sizes, 2, both, first, 1, 1, s));
    m[0] = m[1 << 16] = 5;
    EXPECT(cudaSuccess, cudaMemDiscardBatchAsync(pointers, sizes, 1, 0, s));
    EXPECT(cudaSuccess, cudaMemDiscardAndPrefetchBatchAsync(pointers, sizes, 1, both, first, 1, 0, s));
    EXPECT(cudaErrorInvalidValue, cudaMemDiscardBatchAsync(pointers, sizes, 0, 0, s));
    EXPECT(cudaSuccess, cudaStreamSynchronize(s));
    m[0] = 6;
    EXPECT_EQUAL("discarded memory can be written", 6, m[0]);
    EXPECT_EQUAL("the rest stays", 5, m[1 << 16]);
    EXPECT(cudaErrorInvalidValue, cudaMemPrefetchBatchAsync(pointers, sizes, 2, both, first, 1, 0, 0));
    MUST(cudaStreamDestroy(s));
}

static void questions() {
    int v = 0, w = 0;
    void *data[] = {&v, &w};
    size_t sizes[] = {4, 4};
    cudaMemRangeAttribute which[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributeLastPrefetchLocation};
    EXPECT(cudaSuccess, cudaMemRangeGetAttributes(data, sizes, which, 2, m, 1 << 16));
    EXPECT(cudaErrorInvalidValue, cudaMemRangeGetAttributes(data, sizes, which, 0, m, 1 << 16));
    EXPECT(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&v, 3, cudaMemRangeAttributeReadMostly, m, 1 << 16));
    EXPECT(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&v, 8, cudaMemRangeAttributeReadMostly, m, 1 << 16));
    EXPECT(cudaErrorInvalidValue, cudaMemRangeGetAttribute(0, 4, cudaMemRangeAttributeReadMostly, m, 1 << 16));
    EXPECT(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&v, 4, (cudaMemRangeAttribute)77, m, 1 << 16));
    EXPECT(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, d, 64));
    EXPECT(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, m, 0));
    EXPECT(cudaErrorInvalidValue, cudaMemRangeGetAttribute(&v, 4, cudaMemRangeAttributeReadMostly, m, 1 << 22));
}

int main() {
    char *small;
    MUST(cudaMallocManaged(&m, 1 << 20));
    MUST(cudaMallocManaged(&small, 100, cudaMemAttachHost));
    MUST(cudaMalloc(&d, 1000));
    EXPECT(cudaErrorInvalidValue, cudaMallocManaged(&small, 100, 0));
    EXPECT(cudaErrorInvalidValue, cudaMallocManaged(&small, 100, cudaMemAttachSingle));
    EXPECT(cudaErrorInvalidValue, cudaMallocManaged((char **)0, 100));
    advice();
    prefetching();
    questions();
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
#else
int main() {
    return 0;
}
#endif
