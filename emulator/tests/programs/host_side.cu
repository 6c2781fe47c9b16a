// What the host does around kernels: managed, pinned and mapped memory, streams that wait for each other, events,
// asynchronous copies, pitched and 3D copies, errors that are returned and those that stick, attributes of kernels.
// findings: error double_free
#include "program.h"

__global__ void increment(int *x, int n, int by) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] += by;
}
__global__ void fill_pitched(char *base, size_t pitch, int width, int height) {
    int x = threadIdx.x, y = blockIdx.x;
    if (x < width && y < height)
        ((float *)(base + y * pitch))[x] = y * 100 + x;
}
__global__ void slow(int *x) {
    int v = *x;
    for (int i = 0; i < 20000; i++)
        v = v * 3 + 1;
    *x = v;
}

static void memory_kinds() {
    const int n = 1000;
    int *managed, *pinned, *mapped, *device_mapped, *device = device_zeros<int>(n);
    CUDA(cudaMallocManaged(&managed, n * sizeof(int)));
    CUDA(cudaMallocHost(&pinned, n * sizeof(int)));
    CUDA(cudaHostAlloc(&mapped, n * sizeof(int), cudaHostAllocMapped));
    CUDA(cudaHostGetDevicePointer(&device_mapped, mapped, 0));
    for (int i = 0; i < n; i++)
        managed[i] = pinned[i] = mapped[i] = i;
    increment<<<4, 256>>>(managed, n, 1);
    increment<<<4, 256>>>(device_mapped, n, 2);
    CUDA(cudaMemcpy(device, pinned, n * sizeof(int), cudaMemcpyDefault));
    increment<<<4, 256>>>(device, n, 3);
    CUDA(cudaMemcpy(pinned, device, n * sizeof(int), cudaMemcpyDefault));
    FINISH();
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= managed[i] == i + 1 && mapped[i] == i + 2 && pinned[i] == i + 3;
    check("managed, mapped and pinned memory", right);
    struct cudaPointerAttributes attributes;
    CUDA(cudaPointerGetAttributes(&attributes, managed));
    right = attributes.type == cudaMemoryTypeManaged;
    CUDA(cudaPointerGetAttributes(&attributes, device));
    right &= attributes.type == cudaMemoryTypeDevice;
    CUDA(cudaPointerGetAttributes(&attributes, pinned));
    check("pointer attributes", right && attributes.type == cudaMemoryTypeHost);
    CUDA(cudaFree(managed));
    CUDA(cudaFreeHost(pinned));
    CUDA(cudaFreeHost(mapped));
    CUDA(cudaFree(device));
}

static void streams_and_events() {
    const int n = 4096;
    cudaStream_t first, second;
    cudaEvent_t produced, start, end;
    int *host, *x = device_zeros<int>(n), *y = device_zeros<int>(n);
    CUDA(cudaStreamCreate(&first));
    CUDA(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&produced, cudaEventDisableTiming));
    CUDA(cudaEventCreate(&start));
    CUDA(cudaEventCreate(&end));
    CUDA(cudaMallocHost(&host, n * sizeof(int)));
    CUDA(cudaEventRecord(start, first));
    slow<<<1, 1, 0, first>>>(x);
    for (int i = 0; i < 10; i++)
        increment<<<16, 256, 0, first>>>(x + 1, n - 1, i);
    CUDA(cudaEventRecord(produced, first));
    CUDA(cudaStreamWaitEvent(second, produced, 0));
    CUDA(cudaMemcpyAsync(y, x, n * sizeof(int), cudaMemcpyDeviceToDevice, second));
    increment<<<16, 256, 0, second>>>(y, n, 1000);
    CUDA(cudaMemcpyAsync(host, y, n * sizeof(int), cudaMemcpyDeviceToHost, second));
    CUDA(cudaStreamSynchronize(second));
    CUDA(cudaEventRecord(end, first));
    CUDA(cudaEventSynchronize(end));
    bool right = true;
    for (int i = 1; i < n; i++)
        right &= host[i] == 1045;
    check("streams that wait for an event", right);
    float milliseconds = -1;
    CUDA(cudaEventElapsedTime(&milliseconds, start, end));
    check("event time",
          milliseconds >= 0 && cudaEventQuery(end) == cudaSuccess && cudaStreamQuery(first) == cudaSuccess);
    CUDA(cudaStreamDestroy(first));
    CUDA(cudaStreamDestroy(second));
    CUDA(cudaEventDestroy(start));
    CUDA(cudaFreeHost(host));
}

static void shaped_copies() {
    const int width = 37, height = 5;
    char *base;
    size_t pitch;
    float rows[height][width];
    CUDA(cudaMallocPitch(&base, &pitch, width * sizeof(float), height));
    CUDA(cudaMemset2D(base, pitch, 0xff, width * sizeof(float), height));
    fill_pitched<<<height, 64>>>(base, pitch, width, height);
    CUDA(cudaMemcpy2D(rows, sizeof rows[0], base, pitch, width * sizeof(float), height, cudaMemcpyDeviceToHost));
    bool right = pitch >= width * sizeof(float) && pitch % 32 == 0;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            right &= rows[y][x] == y * 100 + x;
    check("pitched memory", right);
    CUDA(cudaFree(base));
}

static void attributes() {
    struct cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, increment));
    int blocks = 0, grid = 0, block = 0;
    CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, increment, 256, 0));
    CUDA(cudaOccupancyMaxPotentialBlockSize(&grid, &block, increment, 0, 0));
    check("kernel attributes", a.maxThreadsPerBlock >= 256 && blocks >= 1 && blocks <= 8 && block >= 32 && grid >= 1);
    struct cudaDeviceProp p;
    CUDA(cudaGetDeviceProperties(&p, 0));
    check("device properties", p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.major >= 7);
}

static void errors() {
    int *x = device_zeros<int>(1);
    increment<<<1, 2000>>>(x, 1, 1);
    check("too many threads",
          cudaPeekAtLastError() == cudaErrorInvalidConfiguration || cudaPeekAtLastError() == cudaErrorInvalidValue);
    cudaGetLastError();
    check("the error is gone once read", cudaGetLastError() == cudaSuccess);
    check("copy of a bad kind", cudaMemcpy(x, x, 4, (cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection);
    cudaGetLastError();
    check("double free", cudaFree(x) == cudaSuccess && cudaFree(x) == cudaErrorInvalidValue);
    cudaGetLastError();
    void *huge;
    check("out of memory", cudaMalloc(&huge, (size_t)1 << 46) == cudaErrorMemoryAllocation);
    cudaGetLastError();
    increment<<<1, 32>>>(NULL, 0, 0);
    FINISH();
    check("and kernels still run", true);
}

int main() {
    memory_kinds();
    streams_and_events();
    shaped_copies();
    attributes();
    errors();
    return program_failures;
}
