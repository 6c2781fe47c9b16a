// Handles for other processes: what one process can do with them.
#include "api_test.h"

int main() {
    int *d, *p = 0, h[4] = {1, 2, 3, 4};
    char *host, *managed;
    cudaIpcMemHandle_t handle, other;
    cudaIpcEventHandle_t event_handle;
    cudaEvent_t event, plain, opened = 0;
    MUST(cudaMalloc(&d, 1 << 20));
    MUST(cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice));
    MUST(cudaMallocHost(&host, 100));
    MUST(cudaMallocManaged(&managed, 100));
    EXPECT(cudaSuccess, cudaIpcGetMemHandle(&handle, d));
    EXPECT(cudaSuccess, cudaIpcGetMemHandle(&other, d + 100));
    EXPECT(cudaErrorInvalidValue, cudaIpcGetMemHandle(&other, 0));
    EXPECT(cudaErrorInvalidValue, cudaIpcGetMemHandle(&other, h));
    EXPECT(cudaErrorInvalidValue, cudaIpcGetMemHandle(&other, host));
    EXPECT(cudaErrorInvalidValue, cudaIpcGetMemHandle(&other, managed));
    EXPECT(cudaErrorDeviceUninitialized, cudaIpcOpenMemHandle((void **)&p, handle, cudaIpcMemLazyEnablePeerAccess));
    EXPECT(cudaErrorInvalidValue, cudaIpcOpenMemHandle((void **)&p, handle, 0));
    memset(&other, 0x5a, sizeof other);
    EXPECT(cudaErrorInvalidValue, cudaIpcOpenMemHandle((void **)&p, other, cudaIpcMemLazyEnablePeerAccess));
    EXPECT(cudaErrorInvalidValue, cudaIpcCloseMemHandle(d));
    EXPECT(cudaErrorInvalidValue, cudaIpcCloseMemHandle(0));
    MUST(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
    MUST(cudaEventCreate(&plain));
    EXPECT(cudaSuccess, cudaIpcGetEventHandle(&event_handle, event));
    EXPECT(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&event_handle, plain));
    EXPECT(cudaErrorInvalidValue, cudaIpcGetEventHandle(&event_handle, 0));
    MUST(cudaIpcGetEventHandle(&event_handle, event));
    EXPECT(cudaErrorDeviceUninitialized, cudaIpcOpenEventHandle(&opened, event_handle));
    EXPECT(cudaSuccess, cudaEventDestroy(event));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
