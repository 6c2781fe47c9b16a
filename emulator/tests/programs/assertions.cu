// What goes wrong on purpose: asserts that hold, one that fails for some threads, and what the host can still do after that;
// a trap in another process's life. Each is a program of its own, because nothing works any more on the device then.
// findings: error trap
#include "program.h"
#include <assert.h>
#include <sys/wait.h>
#include <unistd.h>

__global__ void holds(const int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        assert(x[i] == i && "numbers in order");
}
__global__ void fails(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        assert(x[i] != 7);
}
__global__ void traps(int n) {
    if (threadIdx.x == n)
        __trap();
}
__global__ void says(int n) {
    if (threadIdx.x < n)
        printf("thread %d of block %d\n", (int)threadIdx.x, (int)blockIdx.x);
}

static const char *name(cudaError_t error) {
    return cudaGetErrorName(error);
}

static int asserting() {
    const int n = 40;
    int x[n], *device;
    for (int i = 0; i < n; i++)
        x[i] = i;
    device = to_device(x, n);
    holds<<<2, 32>>>(device, n);
    FINISH();
    check("asserts that hold", true);
    fails<<<2, 32>>>(device, n);
    printf("launch: %s\n", name(cudaGetLastError()));
    printf("synchronize: %s\n", name(cudaDeviceSynchronize()));
    printf("again: %s\n", name(cudaDeviceSynchronize()));
    printf("copy: %s\n", name(cudaMemcpy(x, device, sizeof x, cudaMemcpyDeviceToHost)));
    printf("allocate: %s\n", name(cudaMalloc(&device, 4)));
    holds<<<1, 32>>>(device, 0);
    printf("launch: %s\n", name(cudaGetLastError()));
    printf("last error: %s\n", name(cudaGetLastError()));
    int count = 0;
    printf("devices: %s\n", name(cudaGetDeviceCount(&count)));
    return program_failures;
}
static int trapping() {
    says<<<1, 32>>>(3);
    FINISH();
    traps<<<1, 32>>>(40);
    printf("no trap: %s\n", name(cudaDeviceSynchronize()));
    traps<<<1, 32>>>(5);
    printf("trap: %s\n", name(cudaDeviceSynchronize()));
    cudaStream_t stream;
    printf("stream: %s\n", name(cudaStreamCreate(&stream)));
    return program_failures;
}

int main() {
    int (*programs[])() = {asserting, trapping};
    for (auto program : programs) {
        int status = 1;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            status = program();
            fflush(stdout);
            _exit(status);
        }
        check("a program of its own ends",
              waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    return program_failures;
}
