/* Runs one case of a file of cases: `program NAME`. Prints what the runtime said, for check.test.sh to compare. */
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*case_fn)(void);

struct test_case {
    const char *name;
    case_fn run;
};

#define CASE(name)                                                                                                     \
    { #name, case_##name }

/* The error of the case, whether it stays, and the emulator's word for it. Status 0 where there was no error. */
static int run_case(const struct test_case *cases, int count, int argc, char **argv) {
    for (int i = 0; i < count; i++) {
        if (argc != 2 || strcmp(argv[1], cases[i].name) != 0)
            continue;
        cases[i].run();
        cudaError_t launch = cudaGetLastError();
        cudaError_t error = cudaDeviceSynchronize();
        if (launch != cudaSuccess)
            error = launch;
        void *p = NULL;
        cudaError_t later = cudaMalloc(&p, 4);
        const char *(*verdict)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "emulatorVerdict");
        printf("error %d\nlater %d\nverdict %s\n", error, later, verdict ? verdict() : "unknown");
        return error != cudaSuccess;
    }
    fprintf(stderr, "usage: %s CASE\n", argv[0]);
    return 2;
}

template <typename T> static T *device_array(size_t n) {
    T *p = NULL;
    cudaMalloc((void **)&p, n * sizeof(T));
    return p;
}
