/* For programs that check what the runtime API answers. Each prints one line per check; what they expect was seen on an H200
 * with CUDA 13, and the same executables run there. */
#ifndef API_TEST_H
#define API_TEST_H

#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int failures;

static void check(const char *name, bool right, const char *why) {
    if (right)
        printf("ok %s\n", name);
    else
        printf("not ok %s: %s\n", name, why);
    failures += !right;
}

/* The call returns this error, and cudaGetLastError knows of it, too. */
#define EXPECT(error, call) expect_error(#call, error, (call))
static void expect_error(const char *text, cudaError_t expected, cudaError_t found) {
    char why[200];
    cudaError_t last = cudaGetLastError();
    bool remembered = expected == cudaErrorNotReady ? last == cudaSuccess : last == expected;
    snprintf(why, sizeof why, "expected %s, found %s (last error %s)", cudaGetErrorName(expected),
             cudaGetErrorName(found), cudaGetErrorName(last));
    check(text, found == expected && remembered, why);
}

/* The same for a launch. */
#define EXPECT_LAUNCH(error, ...)                                                                                      \
    do {                                                                                                               \
        __VA_ARGS__;                                                                                                   \
        expect_error(#__VA_ARGS__, error, cudaPeekAtLastError());                                                      \
    } while (0)

#define EXPECT_EQUAL(name, expected, found)                                                                            \
    do {                                                                                                               \
        char why_[100];                                                                                                \
        long long expected_ = (long long)(expected), found_ = (long long)(found);                                      \
        snprintf(why_, sizeof why_, "expected %lld, found %lld", expected_, found_);                                   \
        check(name, expected_ == found_, why_);                                                                        \
    } while (0)

#define MUST(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t must_ = (call);                                                                                    \
        if (must_ != cudaSuccess) {                                                                                    \
            printf("not ok %s: %s\n", #call, cudaGetErrorName(must_));                                                 \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

/* A kernel that runs until the host opens the gate: it makes "while a kernel runs" certain, without looking at a clock. */
static volatile int *gate_flag;

__global__ void gate_kernel(volatile int *open) {
    while (!*open) {
    }
}

static void gate_create() {
    MUST(cudaMallocHost((void **)&gate_flag, sizeof(int)));
}

static void gate_close(cudaStream_t stream) {
    *gate_flag = 0;
    gate_kernel<<<1, 1, 0, stream>>>(gate_flag);
}

static void gate_open() {
    *gate_flag = 1;
}

/* Does a call wait for the device? It runs in a thread of its own while the gate is closed. */
struct waiter {
    cudaError_t (*call)();
    cudaError_t error;
    volatile bool done;
};

static void *waiter_thread(void *argument) {
    struct waiter *w = (struct waiter *)argument;
    w->error = w->call();
    w->done = true;
    return NULL;
}

/* With a kernel of `stream` held at the gate, the call must not return before the gate opens. */
static void expect_waits(const char *name, cudaStream_t stream, cudaError_t (*call)()) {
    struct waiter w = {call, cudaSuccess, false};
    pthread_t thread;
    gate_close(stream);
    pthread_create(&thread, NULL, waiter_thread, &w);
    usleep(30000);
    bool early = w.done;
    gate_open();
    pthread_join(thread, NULL);
    check(name, !early && w.error == cudaSuccess, early ? "returned while the kernel ran" : cudaGetErrorName(w.error));
    MUST(cudaDeviceSynchronize());
}

/* The call must return although the kernel runs on. (Otherwise this hangs, and the test ends by its time limit.) */
static void expect_returns(const char *name, cudaStream_t stream, cudaError_t (*call)()) {
    gate_close(stream);
    cudaError_t error = call();
    bool running = cudaStreamQuery(stream) == cudaErrorNotReady;
    gate_open();
    check(name, error == cudaSuccess && running, running ? cudaGetErrorName(error) : "waited for the kernel");
    MUST(cudaDeviceSynchronize());
}

#endif
