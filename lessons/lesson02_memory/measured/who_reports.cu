/* who_reports CALL: a kernel has gone wrong, and nobody has waited for it. Does an innocent call that does not wait, either, report its error?
 * CALL is launch (of a right kernel, and cudaGetLastError after it), or the name of a call below. A process has one try. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/record.h"

static __global__ void write_far_away(float *x) {
    x[(size_t)1 << 40] = 1.0f;
}

static __global__ void innocent(float *x) {
    x[0] = 1.0f;
}

int main(int argc, char **argv) {
    const char *call = argc > 1 ? argv[1] : "launch";
    float *x, *y, *host;
    cudaError_t found = cudaSuccess;
    record_part("%s", ""); // opens the record, which asks for the card's name: afterwards no call works any more
    if (cudaMalloc(&x, 1024) || cudaMallocHost(&host, 1024)) {
        return 2;
    }
    innocent<<<1, 1>>>(x); // loads what is needed, so that the kernels below start at once
    if (cudaDeviceSynchronize()) {
        return 2;
    }
    write_far_away<<<1, 1>>>(x);
    usleep(500000); // it is over long since
    if (strcmp(call, "launch") == 0) {
        innocent<<<1, 1>>>(x);
        found = cudaGetLastError();
    } else if (strcmp(call, "cudaMalloc") == 0) {
        found = cudaMalloc(&y, 1024);
    } else if (strcmp(call, "cudaMemcpyAsync") == 0) {
        found = cudaMemcpyAsync(host, x, 4, cudaMemcpyDeviceToHost, 0);
    } else if (strcmp(call, "cudaStreamQuery") == 0) {
        found = cudaStreamQuery(0);
    } else if (strcmp(call, "cudaFree") == 0) {
        found = cudaFree(x);
    } else {
        found = cudaGetLastError();
    }
    printf("%-20s %s\n", call, cudaGetErrorName(found));
    record_text(call, "reports", cudaGetErrorName(found), "");
    return 0;
}
