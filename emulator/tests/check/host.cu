/* Host code that uses the device's memory, and other wrong uses of memory by the host. See memory.cu for the comments. */
#include "run_case.h"

// EXPECT host_reads - -
// STATUS 139
// SAYS ========= Host code followed a device pointer
// SAYS =========     in case_host_reads
// SAYS =========     Read to 0x
// SAYS and is inside the nearest allocation at 0x
// SAYS of size 400 bytes
// SAYS made by cudaMalloc (allocation number
// SAYS cudaMemcpyDeviceToHost
static void case_host_reads(void) {
    float *x = device_array<float>(100);
    printf("%f\n", x[3]);
}

// EXPECT host_writes - -
// STATUS 139
// SAYS =========     Write to 0x
// SAYS cudaMemcpyHostToDevice
static void case_host_writes(void) {
    int *x = device_array<int>(100);
    for (volatile int i = 0; i < 100; i++)
        x[i] = i;
    cudaFree(x);
}

// EXPECT host_memcpy - -
// STATUS 139
// SAYS ========= Host code followed a device pointer
// SAYS =========     in case_host_memcpy
static void case_host_memcpy(void) {
    static char buffer[1 << 20];
    char *x = device_array<char>(sizeof buffer);
    memcpy(buffer, x, sizeof buffer);
    printf("%d\n", buffer[77]);
}

// EXPECT host_printf - -
// STATUS 139
// SAYS ========= Host code followed a device pointer
static void case_host_printf(void) {
    char *text = device_array<char>(16);
    printf("%s\n", text);
}

// EXPECT pinned_freed - -
// STATUS 139
// SAYS ========= Host code used pinned or managed memory wrongly
// SAYS made by cudaMallocHost
// SAYS has been freed
static void case_pinned_freed(void) {
    int *x;
    cudaMallocHost((void **)&x, 400);
    x[3] = 7;
    cudaFreeHost(x);
    printf("%d\n", *(volatile int *)(x + 3));
}

// EXPECT managed_overrun - -
// STATUS 139
// SAYS and is 1 bytes after the nearest allocation
// SAYS made by cudaMallocManaged
static void case_managed_overrun(void) {
    volatile char *x;
    cudaMallocManaged((void **)&x, 4096);
    for (int i = 0; i <= 4096; i++)
        x[i] = 1;
}

// EXPECT null_on_host - -
// STATUS 139
// SILENT
static void case_null_on_host(void) {
    int *volatile p = NULL;
    device_array<int>(1);
    *(volatile int *)p = 1;
}

// Two copies in two streams that nothing orders: what comes back may be old.
// EXPECT copies_unordered 0 race
// CHECKS racecheck
// SAYS Race reported between
// SAYS byte 0 of the 4,000 bytes at 0x
// SAYS make the stream of the other wait for it (cudaStreamWaitEvent)
static void case_copies_unordered(void) {
    int *x = device_array<int>(1000), *host;
    cudaStream_t in, out;
    cudaMallocHost((void **)&host, 2000 * sizeof *host);
    memset(host, 0, 2000 * sizeof *host);
    cudaStreamCreateWithFlags(&in, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking);
    cudaMemcpy(x, host, 1000 * sizeof *x, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(x, host, 1000 * sizeof *x, cudaMemcpyHostToDevice, in);
    cudaMemcpyAsync(host + 1000, x, 1000 * sizeof *x, cudaMemcpyDeviceToHost, out);
    cudaDeviceSynchronize();
    cudaFreeHost(host);
}

// The host and a kernel count at the same time, the kernel by atomics of the system's scope, which are made for that.
// EXPECT counts_with_the_host 0 none
// CHECKS memcheck,racecheck,synccheck,strict
__global__ void add_for_the_system(int *n, volatile int *flag) {
    while (threadIdx.x == 0 && !*flag)
        ;
    atomicAdd_system(n, 1);
}
static void case_counts_with_the_host(void) {
    int *n;
    cudaMallocManaged((void **)&n, 2 * sizeof *n);
    n[0] = n[1] = 0;
    add_for_the_system<<<4, 64>>>(n, n + 1);
    __sync_fetch_and_add(n, 1);
    *(volatile int *)(n + 1) = 1;
    cudaDeviceSynchronize();
    if (n[0] != 257)
        abort();
}

// Atomics of the device's scope are none for the host.
// EXPECT counts_for_the_device 0 race
// SAYS and Write access by the host in
// CHECKS racecheck
__global__ void add_for_the_device(int *n) {
    atomicAdd(n, 1);
}
static void case_counts_for_the_device(void) {
    int *n;
    cudaMallocManaged((void **)&n, sizeof *n);
    *n = 0;
    add_for_the_device<<<4, 64>>>(n);
    __sync_fetch_and_add(n, 1);
    cudaDeviceSynchronize();
}

// Without lines, too, a race that a later launch has again is neither explained again nor left out.
// EXPECT again_without_lines 0 race
// SAYS This is the same as above, in a later launch.
// SAYS ERROR SUMMARY: 3 errors
// CHECKS racecheck
static void case_again_without_lines(void) {
    static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                              ".visible .entry all_write(.param .u64 p) {\n"
                              ".reg .u64 %a;\n.reg .u32 %b;\n"
                              "ld.param.u64 %a, [p];\nmov.u32 %b, %ctaid.x;\nst.global.u32 [%a], %b;\nret;\n}\n";
    cudaLibrary_t library;
    cudaKernel_t kernel;
    int *x = device_array<int>(1);
    void *arguments[] = {&x};
    cudaLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0);
    cudaLibraryGetKernel(&kernel, library, "all_write");
    for (int i = 0; i < 3; i++)
        cudaLaunchKernel((const void *)kernel, dim3(2), dim3(1), arguments, 0, NULL);
}

static const struct test_case cases[] = {
    CASE(host_reads),           CASE(host_writes),           CASE(host_memcpy),         CASE(host_printf),
    CASE(pinned_freed),         CASE(managed_overrun),       CASE(null_on_host),        CASE(copies_unordered),
    CASE(counts_with_the_host), CASE(counts_for_the_device), CASE(again_without_lines),
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
