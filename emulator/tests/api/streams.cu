// Which calls wait for which work; streams, events, callbacks.
#include "api_test.h"

__global__ void store(int *p, int value) {
    *p = value;
}
__global__ void increment(int *p) {
    atomicAdd(p, 1);
}

static cudaStream_t blocking, other, independent;
static cudaEvent_t event, early_event;
static int *d, *pinned;
static char *big_device, *big_pinned, *big;
static const size_t big_bytes = 1 << 20;

/* ---- Calls that return at once, and calls that wait ---- */

static cudaError_t synchronize() {
    return cudaDeviceSynchronize();
}
static cudaError_t synchronize_default() {
    return cudaStreamSynchronize(0);
}
static cudaError_t synchronize_blocking() {
    return cudaStreamSynchronize(blocking);
}
static cudaError_t synchronize_independent() {
    return cudaStreamSynchronize(independent);
}
static cudaError_t free_memory() {
    cudaError_t error = cudaFree(d);
    cudaError_t again = cudaMalloc(&d, 64);
    return error ? error : again;
}
static cudaError_t fill() {
    return cudaMemset(d, 0, 4);
}
static cudaError_t fill_pinned() {
    return cudaMemset(pinned, 0, 4);
}
static cudaError_t copy_in() {
    return cudaMemcpy(d, big, 4, cudaMemcpyHostToDevice);
}
static cudaError_t copy_out() {
    return cudaMemcpy(big, d, 4, cudaMemcpyDeviceToHost);
}
static cudaError_t copy_device() {
    return cudaMemcpy(d, d + 1, 4, cudaMemcpyDeviceToDevice);
}
static cudaError_t copy_in_async() {
    return cudaMemcpyAsync(d, big, 4, cudaMemcpyHostToDevice, 0);
}
static cudaError_t copy_out_async() {
    return cudaMemcpyAsync(big, d, 4, cudaMemcpyDeviceToHost, 0);
}
static cudaError_t copy_pinned_async() {
    cudaError_t error = cudaMemcpyAsync(big_device, big_pinned, big_bytes, cudaMemcpyHostToDevice, 0);
    return error ? error : cudaMemcpyAsync(big_pinned, big_device, big_bytes, cudaMemcpyDeviceToHost, 0);
}
static cudaError_t launch_more() {
    for (int i = 0; i < 100; i++)
        store<<<1, 1>>>(d, i);
    return cudaGetLastError();
}
static cudaError_t record() {
    return cudaEventRecord(event, 0);
}
static cudaError_t destroy_stream() {
    cudaStream_t s;
    cudaError_t error = cudaStreamCreate(&s);
    store<<<1, 1, 0, s>>>(d, 1);
    return error ? error : cudaStreamDestroy(s);
}

static void who_waits() {
    expect_waits("cudaDeviceSynchronize waits", independent, synchronize);
    expect_waits("cudaStreamSynchronize waits", 0, synchronize_default);
    expect_waits("the default stream stands for the blocking ones", blocking, synchronize_default);
    expect_returns("but not for non-blocking ones", independent, synchronize_default);
    expect_returns("a non-blocking stream does not wait for the default stream", 0, synchronize_independent);
    expect_returns("a blocking stream without work is not held up either", 0, synchronize_blocking);
    expect_waits("cudaFree waits", independent, free_memory);
    expect_returns("cudaMemset does not wait", 0, fill);
    expect_waits("cudaMemset of pinned memory waits", 0, fill_pinned);
    expect_waits("cudaMemcpy to the device waits", 0, copy_in);
    expect_waits("cudaMemcpy from the device waits", 0, copy_out);
    expect_waits("cudaMemcpy waits for blocking streams", blocking, copy_out);
    expect_returns("cudaMemcpy does not wait for non-blocking streams", independent, copy_out);
    expect_returns("cudaMemcpy on the device does not wait", 0, copy_device);
    expect_returns("a small cudaMemcpyAsync from pageable memory does not wait", 0, copy_in_async);
    expect_waits("cudaMemcpyAsync to pageable memory waits", 0, copy_out_async);
    expect_returns("cudaMemcpyAsync of pinned memory does not wait", 0, copy_pinned_async);
    expect_returns("launches do not wait", 0, launch_more);
    expect_returns("cudaEventRecord does not wait", 0, record);
    expect_returns("cudaStreamDestroy does not wait", 0, destroy_stream);
}

/* ---- Order ---- */

static int value_of_d() {
    int h = -1;
    MUST(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
    return h;
}

static void order() {
    MUST(cudaMemset(d, 0, 4));
    gate_close(blocking);
    store<<<1, 1>>>(d, 1);                 /* waits for the gate: default stream after a blocking one */
    store<<<1, 1, 0, independent>>>(d, 2); /* does not */
    EXPECT(cudaSuccess, cudaStreamSynchronize(independent));
    EXPECT(cudaErrorNotReady, cudaStreamQuery(0));
    EXPECT(cudaErrorNotReady, cudaStreamQuery(blocking));
    EXPECT(cudaSuccess, cudaStreamQuery(independent));
    gate_open();
    EXPECT_EQUAL("the default stream's kernel was the last", 1, value_of_d());
    gate_close(0);
    store<<<1, 1, 0, blocking>>>(d, 3); /* waits: blocking stream after the default one */
    usleep(20000);
    EXPECT(cudaErrorNotReady, cudaStreamQuery(blocking));
    EXPECT(cudaSuccess, cudaStreamQuery(other));
    gate_open();
    EXPECT(cudaSuccess, cudaStreamSynchronize(blocking));
    EXPECT_EQUAL("it ran then", 3, value_of_d());
    int staged = 10;
    gate_close(0);
    MUST(cudaMemcpyAsync(d, &staged, 4, cudaMemcpyHostToDevice, 0));
    staged = 11; /* too late to matter */
    gate_open();
    EXPECT_EQUAL("pageable memory is staged by cudaMemcpyAsync", 10, value_of_d());
}

static void events() {
    float ms = -1;
    EXPECT(cudaSuccess, cudaEventQuery(event));
    cudaEvent_t fresh, untimed;
    MUST(cudaEventCreate(&fresh));
    MUST(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    EXPECT(cudaSuccess, cudaEventQuery(fresh));
    EXPECT(cudaSuccess, cudaEventSynchronize(fresh));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, fresh, event));
    EXPECT(cudaSuccess, cudaEventRecord(untimed, blocking));
    MUST(cudaStreamSynchronize(blocking));
    EXPECT(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, untimed, event));
    MUST(cudaEventRecord(early_event, independent));
    gate_close(independent);
    MUST(cudaEventRecord(event, independent));
    EXPECT(cudaErrorNotReady, cudaEventQuery(event));
    EXPECT(cudaErrorNotReady, cudaEventElapsedTime(&ms, early_event, event));
    MUST(cudaStreamWaitEvent(other, event, 0));
    store<<<1, 1, 0, other>>>(d, 21);
    MUST(cudaEventRecord(event, blocking)); /* again, elsewhere: the wait above is for what was recorded then */
    EXPECT(cudaSuccess, cudaEventSynchronize(event));
    usleep(20000);
    EXPECT(cudaErrorNotReady, cudaStreamQuery(other));
    gate_open();
    EXPECT(cudaSuccess, cudaStreamSynchronize(other));
    EXPECT_EQUAL("a stream that waited for an event goes on", 21, value_of_d());
    MUST(cudaEventRecord(event, independent));
    EXPECT(cudaSuccess, cudaEventSynchronize(event));
    EXPECT(cudaSuccess, cudaEventElapsedTime(&ms, early_event, event));
    check("about as long as the gate was closed", ms >= 19 && ms < 10000, "not so");
    EXPECT(cudaSuccess, cudaEventDestroy(fresh));
    EXPECT(cudaSuccess, cudaEventDestroy(untimed));
    EXPECT(cudaErrorInvalidValue, cudaEventCreateWithFlags(&fresh, 64));
}

/* ---- Callbacks ---- */

static volatile int step, callback_step;
static cudaError_t error_inside;

static void callback(void *data) {
    int *x;
    callback_step = *(volatile int *)pinned == 5 ? ++step : -1;
    error_inside = cudaMalloc(&x, 4);
    *(int *)data = 1;
}

static void callbacks() {
    int called = 0;
    MUST(cudaMemset(pinned, 0, 4));
    store<<<1, 1, 0, blocking>>>(pinned, 5);
    EXPECT(cudaSuccess, cudaLaunchHostFunc(blocking, callback, &called));
    store<<<1, 1, 0, blocking>>>(pinned, 6);
    EXPECT(cudaSuccess, cudaStreamSynchronize(blocking));
    EXPECT_EQUAL("the callback was called", 1, called);
    EXPECT_EQUAL("between the kernels", 1, callback_step);
    EXPECT_EQUAL("CUDA may not be called inside", cudaErrorNotPermitted, error_inside);
    EXPECT_EQUAL("the kernel behind it ran", 6, *(volatile int *)pinned);
    EXPECT(cudaErrorInvalidValue, cudaLaunchHostFunc(blocking, 0, 0));
}

/* ---- Many at once ---- */

static void crowd() {
    const int streams = 12, rounds = 60;
    cudaStream_t s[streams];
    cudaEvent_t e;
    MUST(cudaEventCreate(&e));
    MUST(cudaMemset(d, 0, 4));
    MUST(cudaDeviceSynchronize()); /* the non-blocking streams would not wait for it */
    for (int i = 0; i < streams; i++)
        MUST(cudaStreamCreateWithFlags(&s[i], i % 2 ? cudaStreamNonBlocking : cudaStreamDefault));
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < streams; i++) {
            increment<<<1, 32, 0, s[i]>>>(d);
            MUST(cudaEventRecord(e, s[i]));
            MUST(cudaStreamWaitEvent(s[(i + 5) % streams], e, 0));
            if (i == 3)
                increment<<<1, 32>>>(d);
        }
    for (int i = 0; i < streams; i++)
        MUST(cudaStreamDestroy(s[i]));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    EXPECT_EQUAL("kernels of many streams that wait for each other", rounds * (streams + 1) * 32, value_of_d());
}

static void *thread_main(void *data) {
    for (int i = 0; i < 50; i++)
        increment<<<1, 32, 0, cudaStreamPerThread>>>((int *)data);
    return (void *)(size_t)cudaStreamSynchronize(cudaStreamPerThread);
}

static void host_threads() {
    pthread_t threads[6];
    MUST(cudaMemset(d, 0, 4));
    MUST(cudaDeviceSynchronize());
    for (pthread_t &t : threads)
        pthread_create(&t, NULL, thread_main, d);
    size_t errors = 0;
    for (pthread_t t : threads) {
        void *error;
        pthread_join(t, &error);
        errors += error != NULL;
    }
    EXPECT_EQUAL("host threads with an error", 0, errors);
    EXPECT_EQUAL("kernels of host threads", 6 * 50 * 32, value_of_d());
}

int main() {
    gate_create();
    MUST(cudaMalloc(&d, 64));
    MUST(cudaMallocHost(&pinned, 64));
    MUST(cudaMalloc(&big_device, big_bytes));
    MUST(cudaMallocHost(&big_pinned, big_bytes));
    big = (char *)calloc(1, big_bytes);
    MUST(cudaStreamCreate(&blocking));
    MUST(cudaStreamCreate(&other));
    MUST(cudaStreamCreateWithFlags(&independent, cudaStreamNonBlocking));
    MUST(cudaEventCreate(&event));
    MUST(cudaEventCreate(&early_event));
    store<<<1, 1>>>(d, 0); /* kernels are loaded at their first launch, which may wait */
    increment<<<1, 1>>>(d);
    gate_open();
    gate_kernel<<<1, 1>>>(gate_flag);
    MUST(cudaDeviceSynchronize());
    who_waits();
    order();
    events();
    callbacks();
    crowd();
    host_threads();
    EXPECT(cudaErrorInvalidResourceHandle, cudaStreamDestroy(0));
    EXPECT(cudaErrorInvalidValue, cudaStreamCreateWithFlags(&other, 8));
    return failures != 0;
}
