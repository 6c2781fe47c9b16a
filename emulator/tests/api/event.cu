// Events: flags, and what the calls refuse.
#include "api_test.h"

int main() {
    cudaEvent_t timed, untimed, blocking, between, e;
    cudaStream_t s;
    float ms = -1;
    MUST(cudaStreamCreate(&s));
    EXPECT(cudaSuccess, cudaEventCreate(&timed));
    EXPECT(cudaSuccess, cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    EXPECT(cudaSuccess, cudaEventCreateWithFlags(&blocking, cudaEventBlockingSync));
    EXPECT(cudaSuccess, cudaEventCreateWithFlags(&between, cudaEventInterprocess | cudaEventDisableTiming));
    EXPECT(cudaErrorInvalidValue, cudaEventCreateWithFlags(&e, cudaEventInterprocess));
    EXPECT(cudaErrorInvalidValue, cudaEventCreateWithFlags(&e, 0x40));
    EXPECT(cudaErrorInvalidValue, cudaEventCreate(0));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, timed, timed));
    EXPECT(cudaErrorInvalidValue, cudaEventElapsedTime(0, timed, timed));
    EXPECT(cudaSuccess, cudaEventRecord(timed, s));
    EXPECT(cudaSuccess, cudaEventRecord(blocking, s));
    EXPECT(cudaSuccess, cudaEventRecord(untimed, s));
    EXPECT(cudaSuccess, cudaEventSynchronize(blocking));
    EXPECT(cudaSuccess, cudaEventSynchronize(untimed));
    EXPECT(cudaSuccess, cudaEventElapsedTime(&ms, timed, blocking));
    check("time goes forward", ms >= 0, "it does not");
    EXPECT(cudaSuccess, cudaEventElapsedTime(&ms, timed, timed));
    check("no time between an event and itself", ms == 0, "there is some");
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, timed, untimed));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, timed, 0));
    EXPECT(cudaSuccess, cudaEventRecordWithFlags(timed, s, cudaEventRecordDefault));
    EXPECT(cudaErrorIllegalState, cudaEventRecordWithFlags(timed, s, cudaEventRecordExternal));
    EXPECT(cudaErrorInvalidValue, cudaEventRecordWithFlags(timed, s, 8));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventRecord(0, s));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventQuery(0));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventSynchronize(0));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventDestroy(0));
    EXPECT(cudaSuccess, cudaEventRecord(between, 0));
    EXPECT(cudaSuccess, cudaEventSynchronize(between));
    EXPECT(cudaSuccess, cudaEventDestroy(timed));
    EXPECT(cudaSuccess, cudaEventDestroy(untimed));
    EXPECT(cudaSuccess, cudaEventDestroy(blocking));
    EXPECT(cudaSuccess, cudaEventDestroy(between));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
