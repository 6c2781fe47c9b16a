// Several devices: each has its own memory, streams and errors; copies from one to the other, straight and by the host;
// a kernel that reads the other's memory; a ring that passes sums on. With one device there is nothing to do.
// environment: EMULATOR_DEVICES=2
#include "program.h"

__device__ int per_device = 5;

__global__ void add_to(int *x, const int *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += y[i];
}
__global__ void fill(int *x, int n, int first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = first + i;
}
__global__ void change(int by, int *out) {
    per_device += by;
    *out = per_device;
}

enum { N = 1001, BLOCK = 128, BLOCKS = (N + BLOCK - 1) / BLOCK };

static bool counts_from(const int *x, int first, int factor) {
    for (int i = 0; i < N; i++)
        if (x[i] != first + factor * i)
            return false;
    return true;
}

int main() {
    int devices, current, able, host[N], *memory[2], *answer[2];
    CUDA(cudaGetDeviceCount(&devices));
    if (devices < 2) {
        printf("skip several devices: there is one\n");
        return 0;
    }
    cudaStream_t streams[2];
    cudaEvent_t filled[2];
    for (int d = 0; d < 2; d++) {
        CUDA(cudaSetDevice(d));
        memory[d] = device_zeros<int>(N);
        answer[d] = device_zeros<int>(1);
        CUDA(cudaStreamCreate(&streams[d]));
        CUDA(cudaEventCreateWithFlags(&filled[d], cudaEventDisableTiming));
        fill<<<BLOCKS, BLOCK, 0, streams[d]>>>(memory[d], N, 1000 * (d + 1));
        CUDA(cudaGetLastError());
        CUDA(cudaEventRecord(filled[d], streams[d]));
    }
    CUDA(cudaGetDevice(&current));
    check("the device chosen last", current == 1);
    for (int d = 0; d < 2; d++) {
        cudaPointerAttributes attributes;
        CUDA(cudaEventSynchronize(filled[d])); // the other device's default stream does not wait for this one's
        CUDA(cudaSetDevice(1 - d));
        CUDA(cudaMemcpy(host, memory[d], sizeof host, cudaMemcpyDeviceToHost));
        CUDA(cudaPointerGetAttributes(&attributes, memory[d]));
        check("memory of each device", counts_from(host, 1000 * (d + 1), 1) && attributes.device == d);
    }

    // Variables exist once per device.
    for (int d = 0; d < 2; d++) {
        CUDA(cudaSetDevice(d));
        change<<<1, 1>>>(10 * d + 1, answer[d]);
        FINISH();
        int value;
        CUDA(cudaMemcpyFromSymbol(&value, per_device, sizeof value));
        check("variables of each device", value == 6 + 10 * d);
    }

    // Waiting for an event of the other device, then a copy between them.
    CUDA(cudaSetDevice(0));
    int *copy = device_zeros<int>(N);
    CUDA(cudaStreamWaitEvent(streams[0], filled[1], 0));
    CUDA(cudaMemcpyPeerAsync(copy, 0, memory[1], 1, N * sizeof(int), streams[0]));
    add_to<<<BLOCKS, BLOCK, 0, streams[0]>>>(memory[0], copy, N);
    CUDA(cudaStreamSynchronize(streams[0]));
    CUDA(cudaMemcpy(host, memory[0], sizeof host, cudaMemcpyDeviceToHost));
    check("a copy between devices", counts_from(host, 3000, 2));

    // A kernel of one reads the memory of the other.
    CUDA(cudaDeviceCanAccessPeer(&able, 0, 1));
    if (able) {
        CUDA(cudaDeviceEnablePeerAccess(1, 0));
        check("access is enabled once", cudaDeviceEnablePeerAccess(1, 0) == cudaErrorPeerAccessAlreadyEnabled);
        cudaGetLastError();
        add_to<<<BLOCKS, BLOCK>>>(memory[0], memory[1], N);
        FINISH();
        CUDA(cudaMemcpy(host, memory[0], sizeof host, cudaMemcpyDefault));
        check("a kernel reads the other's memory", counts_from(host, 5000, 3));
        CUDA(cudaDeviceDisablePeerAccess(1));
    }
    check("a device that is not there", cudaSetDevice(devices) == cudaErrorInvalidDevice);
    cudaGetLastError();
    CUDA(cudaMemcpyPeer(memory[1], 1, memory[0], 0, N * sizeof(int)));
    CUDA(cudaMemcpy(host, memory[1], sizeof host, cudaMemcpyDefault));
    check("and back", counts_from(host, able ? 5000 : 3000, able ? 3 : 2));
    return program_failures;
}
