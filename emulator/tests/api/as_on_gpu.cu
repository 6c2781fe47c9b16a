// What programs of other people rely on, be it written down or not: PTX that only ptxas knows, what printf says of a null pointer, clocks
// in a second, zeros in managed memory.
// alone: a dynamic array of another source, in the same module, has ptxas round the size of static shared memory up (launch.cu)
#include "api_test.h"

__global__ void named_generically(int *out) {
    int v, w;
    asm volatile("{ .shared .align 4 .b32 named;\n .local .align 4 .b32 own;\n"
                 " st.b32 [named], 42; ld.b32 %0, [named];\n"
                 " st.b32 [own], 43; ld.b32 %1, [own]; }"
                 : "=r"(v), "=r"(w));
    out[0] = v;
    out[1] = w;
}

__global__ void sums_stored(int *out) {
    asm volatile(
        "{ .reg .b32 t; .reg .b64 u; mov.b32 t, %1; mov.b64 u, 7;\n"
        " st.global.b32 [%0], t + 1; st.global.b32 [%0+12], t + -2; st.global.u64 [%0+16], u + 1; }" ::"l"(out),
        "r"(out[0])
        : "memory");
}

__global__ void print_null() {
    printf("%p", (void *)0);
}

__global__ void some_shared(char *out) {
    __shared__ char s[20];
    s[threadIdx.x] = out[threadIdx.x];
    __syncthreads();
    out[threadIdx.x] = s[threadIdx.x ^ 1];
}

__global__ void wait_for(long long clocks) {
    long long start = clock64();
    while (clock64() - start < clocks) {
    }
}

static void ptx(int *d) {
    int out[6] = {};
    MUST(cudaMemset(d, 0, sizeof out));
    named_generically<<<1, 1>>>(d);
    MUST(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("a shared variable's name in a generic load", 42, out[0]);
    EXPECT_EQUAL("a local variable's name in a generic load", 43, out[1]);
    sums_stored<<<1, 1>>>(d);
    MUST(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("a register and a constant as a value", 43, out[0]);
    EXPECT_EQUAL("the same with a negative constant", 40, out[3]);
    EXPECT_EQUAL("the same with 64 bits", 8, out[4]);
}

static void print() {
    char text[20] = {};
    int ends[2], saved = dup(1);
    if (pipe(ends) != 0)
        return;
    fflush(stdout);
    dup2(ends[1], 1);
    print_null<<<1, 1>>>();
    cudaDeviceSynchronize();
    fflush(stdout);
    dup2(saved, 1);
    check("printf of a null pointer", read(ends[0], text, sizeof text - 1) == 5 && !strcmp(text, "(nil)"), text);
}

static void clocks() {
    cudaEvent_t begin, end;
    float ms = 0;
    int rate = 0;
    MUST(cudaDeviceGetAttribute(&rate, cudaDevAttrClockRate, 0));
    MUST(cudaEventCreate(&begin));
    MUST(cudaEventCreate(&end));
    wait_for<<<1, 1>>>(0);
    MUST(cudaEventRecord(begin));
    wait_for<<<1, 1>>>(30LL * rate);
    MUST(cudaEventRecord(end));
    MUST(cudaEventSynchronize(end));
    MUST(cudaEventElapsedTime(&ms, begin, end));
    check("a wait of 30 ms, in clocks", ms >= 25, "it was shorter");
#if CUDART_VERSION < 13000
    cudaDeviceProp p;
    MUST(cudaGetDeviceProperties(&p, 0));
    EXPECT_EQUAL("the properties' clock rate", rate, p.clockRate);
#endif
}

int main() {
    int *d, *managed, sum = 0;
    MUST(cudaMalloc((void **)&d, 4096));
    ptx(d);
    print();
    cudaFuncAttributes a;
    MUST(cudaFuncGetAttributes(&a, some_shared));
    EXPECT_EQUAL("20 bytes of shared memory, where the module has no dynamic array", 20, a.sharedSizeBytes);
    clocks();
    MUST(cudaMallocManaged((void **)&managed, 4096));
    for (int i = 0; i < 1024; i++)
        sum |= managed[i];
    EXPECT_EQUAL("new managed memory", 0, sum);
    return failures != 0;
}
