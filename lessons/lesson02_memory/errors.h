/* errors.h - the four kinds of error in lesson 02, each provoked and shown.
 *
 * After the last two the process has lost its device for good. So each demonstration runs in a process of its own: the
 * program starts itself again, as `lesson02 --error sticky`, and looks at the exit status. The reports of the emulator
 * and the text of the assert are part of what is shown.
 *
 * Read the four functions api_error ... sticky_error; the rest only runs them.
 */
#ifndef LESSON02_ERRORS_H
#define LESSON02_ERRORS_H

#include <assert.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../common/check.h"
#include "../../common/verify.h"

static int surprises; // calls in this process that did not return what they were expected to

/* Shows a call and what it returned. In a program of your own, this is the place for CUDA_CHECK. */
static void show(const char *call, cudaError_t found, cudaError_t expected) {
    printf("    %-46s %s (%d)\n", call, cudaGetErrorName(found), (int)found);
    if (found != expected) {
        printf("    ^ expected %s (%d)\n", cudaGetErrorName(expected), (int)expected);
        surprises++;
    }
}
#define SHOW(call, expected) show(#call, (call), expected)

static __global__ void set_kernel(float *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        x[i] = 1.0f;
    }
}

/* Waits until the host says go, then writes 4 TiB behind x. */
static __global__ void write_far_away(float *x, volatile int *go) {
    while (*go == 0) {
    }
    x[(size_t)1 << 40] = 1.0f;
}

static __global__ void check_length(int n) {
    assert(n > 0); // in a kernel, too, a false assert ends the program's use of the device
}

/* The call itself says no, nothing has happened, and the next call works. But CUDA remembers the error until asked. */
static void api_error(void) {
    float *x = NULL;
    SHOW(cudaMalloc((void **)&x, (size_t)1 << 60), cudaErrorMemoryAllocation);
    SHOW(cudaPeekAtLastError(), cudaErrorMemoryAllocation);
    SHOW(cudaGetLastError(), cudaErrorMemoryAllocation); // asks and clears
    SHOW(cudaGetLastError(), cudaSuccess);
    SHOW(cudaMalloc((void **)&x, 1024), cudaSuccess);
    SHOW(cudaFree(x), cudaSuccess);
}

/* A launch returns nothing. A configuration that cannot be is found at once, and left for cudaGetLastError. */
static void launch_error(void) {
    cudaError_t expected = CUDART_VERSION >= 13000 ? cudaErrorInvalidValue : cudaErrorInvalidConfiguration;
    float *x = NULL;
    SHOW(cudaMalloc((void **)&x, 2048 * sizeof(float)), cudaSuccess);
    printf("    set_kernel<<<1, 2048>>>                        a block has at most 1024 threads\n");
    set_kernel<<<1, 2048>>>(x, 2048);
    SHOW(cudaGetLastError(), expected);
    printf("    set_kernel<<<2, 1024>>>\n");
    set_kernel<<<2, 1024>>>(x, 2048);
    SHOW(cudaGetLastError(), cudaSuccess);
    SHOW(cudaDeviceSynchronize(), cudaSuccess);
    SHOW(cudaFree(x), cudaSuccess);
}

/* The launch succeeds, because the kernel starts. What goes wrong in it later is told by a later call. */
static void asynchronous_error(void) {
    float *x = NULL;
    int *go = NULL;
    SHOW(cudaMallocHost((void **)&go, sizeof(int)), cudaSuccess); // pinned, so the kernel may read it
    SHOW(cudaMalloc((void **)&x, 1024), cudaSuccess);
    *go = 0;
    printf("    write_far_away<<<1, 1>>>\n");
    write_far_away<<<1, 1>>>(x, go);
    SHOW(cudaGetLastError(), cudaSuccess); // the kernel is running, and waits for the host
    *(volatile int *)go = 1;
    SHOW(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

/* After an error in a kernel the process has lost its device: every call returns that error, asked or not. */
static void sticky_error(void) {
    float *x = NULL;
    printf("    check_length<<<1, 1>>>(0)\n");
    check_length<<<1, 1>>>(0);
    SHOW(cudaDeviceSynchronize(), cudaErrorAssert);
    SHOW(cudaGetLastError(), cudaErrorAssert); // after an API error, this call would have cleared it
    SHOW(cudaMalloc((void **)&x, 1024), cudaErrorAssert);
    SHOW(cudaDeviceSynchronize(), cudaErrorAssert);
}

static const struct demonstration {
    const char *name, *title;
    void (*show)(void);
} demonstrations[] = {
    {"api", "an API error: the call says so", api_error},
    {"launch", "a launch error: the launch leaves it behind", launch_error},
    {"asynchronous", "an asynchronous error: a later call says so", asynchronous_error},
    {"sticky", "a sticky error: now every call says so", sticky_error},
};
enum { DEMONSTRATIONS = sizeof demonstrations / sizeof demonstrations[0] };

/* What the child does: lesson02 --error api. Its exit status is 0 if every call returned what was expected. */
static int run_demonstration(const char *name) {
    setvbuf(stdout, NULL, _IOLBF, 0); // a line at a time, so that reports appear where they belong
    dup2(STDOUT_FILENO, STDERR_FILENO);
    for (int d = 0; d < DEMONSTRATIONS; d++) {
        if (strcmp(name, demonstrations[d].name) == 0) {
            demonstrations[d].show();
            return surprises ? CHECK_EXIT_FAIL : CHECK_EXIT_PASS;
        }
    }
    fprintf(stderr, "lesson02: --error %s: it is api, launch, asynchronous or sticky\n", name);
    return CHECK_EXIT_USAGE;
}

/* Runs each demonstration in a process of its own, since the last two leave theirs without a device. */
static void show_errors(void) {
    int found[DEMONSTRATIONS], expected[DEMONSTRATIONS] = {};
    for (int d = 0; d < DEMONSTRATIONS; d++) {
        int status = 0;
        printf("\n%s\n", demonstrations[d].title);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {                        // exec at once: a forked process must not use CUDA, a new program may
            unsetenv("EMULATOR_ERROR_EXITCODE"); // these fail on purpose, each with a status of its own
            unsetenv("EMULATOR_CHECK_JSON");     // and do not count as found mistakes
            execl("/proc/self/exe", "lesson02", "--error", demonstrations[d].name, (char *)NULL);
            _exit(127);
        }
        found[d] = child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) ? -1 : WEXITSTATUS(status);
    }
    verify_ints("exit status of each demonstration", found, expected, DEMONSTRATIONS);
}

#endif
