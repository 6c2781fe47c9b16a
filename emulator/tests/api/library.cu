// Libraries: device code that is loaded while the program runs.
#include "api_test.h"

#if CUDART_VERSION >= 12080
#define LIBRARY_VOID (void **)0
static const char text[] = ".version 8.0\n.target sm_75\n.address_size 64\n"
                           ".visible .global .align 4 .u32 counter = 5;\n"
                           ".visible .const .align 4 .u32 fixed[3] = {1, 2, 3};\n"
                           ".visible .global .align 8 .attribute(.managed) .u32 shared_counter = 7;\n"
                           ".visible .entry add_to(.param .u64 p, .param .u32 n) {\n"
                           "  .reg .u64 %rd<3>; .reg .u32 %r<6>;\n"
                           "  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [n];\n"
                           "  ld.global.u32 %r2, [counter]; add.u32 %r3, %r1, %r2; st.global.u32 [counter], %r3;\n"
                           "  ld.global.u32 %r4, [shared_counter]; add.u32 %r4, %r4, 1;\n"
                           "  st.global.u32 [shared_counter], %r4;\n"
                           "  cvta.to.global.u64 %rd2, %rd1; st.global.u32 [%rd2], %r3; ret;\n}\n"
                           ".visible .entry big(.param .u64 p) { .reg .u64 %rd<2>; .reg .u32 %r<2>;\n"
                           "  .shared .align 4 .b8 room[4096];\n"
                           "  mov.u32 %r1, 3; st.shared.u32 [room], %r1; ret; }\n";
static const char wrong[] = ".version 8.0\n.target sm_75\n.address_size 64\n.visible .entry k( { ret; }\n";

__global__ void own(int *p) {
    *p = 77;
}

static int *d;

static int value_of(const void *p) {
    int v = -1;
    MUST(cudaMemcpy(&v, p, sizeof v, cudaMemcpyDefault));
    return v;
}

static void use(cudaLibrary_t library) {
    cudaKernel_t kernel = 0, again = 0, big = 0, list[4] = {};
    unsigned count = 99;
    const char *name = "";
    void *pointer = 0, *managed = 0;
    size_t bytes = 0;
    unsigned n = 10;
    void *args[] = {&d, &n};
    EXPECT(cudaSuccess, cudaLibraryGetKernel(&kernel, library, "add_to"));
    EXPECT(cudaSuccess, cudaLibraryGetKernel(&again, library, "add_to"));
    EXPECT_EQUAL("a kernel has one handle", (size_t)kernel, (size_t)again);
    EXPECT(cudaErrorSymbolNotFound, cudaLibraryGetKernel(&again, library, "nobody"));
    EXPECT(cudaErrorInvalidValue, cudaLibraryGetKernel(0, library, "add_to"));
    EXPECT(cudaErrorInvalidValue, cudaLibraryGetKernel(&again, library, 0));
    EXPECT(cudaErrorInvalidResourceHandle, cudaLibraryGetKernel(&again, 0, "add_to"));
    EXPECT(cudaSuccess, cudaLaunchKernel((void *)kernel, 1, 1, args, 0, 0));
    EXPECT_EQUAL("what the kernel found", 15, value_of(d));
    EXPECT(cudaSuccess, cudaLibraryGetGlobal(&pointer, &bytes, library, "counter"));
    EXPECT_EQUAL("bytes of a variable", 4, bytes);
    EXPECT_EQUAL("what it stored", 15, value_of(pointer));
    EXPECT(cudaSuccess, cudaLibraryGetGlobal(&pointer, 0, library, "fixed"));
    EXPECT_EQUAL("a constant", 1, value_of(pointer));
    EXPECT(cudaSuccess, cudaLibraryGetGlobal(0, &bytes, library, "fixed"));
    EXPECT_EQUAL("bytes of a constant", 12, bytes);
    EXPECT(cudaErrorSymbolNotFound, cudaLibraryGetGlobal(&pointer, &bytes, library, "nobody"));
    EXPECT(cudaErrorInvalidResourceHandle, cudaLibraryGetGlobal(&pointer, &bytes, 0, "counter"));
    EXPECT(cudaErrorInvalidValue, cudaLibraryGetGlobal(&pointer, &bytes, library, 0));
    EXPECT(cudaSuccess, cudaLibraryGetManaged(&managed, &bytes, library, "shared_counter"));
    EXPECT_EQUAL("bytes of a managed variable", 4, bytes);
    MUST(cudaDeviceSynchronize());
    EXPECT_EQUAL("the host reads it", 8, *(int *)managed);
    EXPECT(cudaErrorSymbolNotFound, cudaLibraryGetManaged(&managed, &bytes, library, "counter"));
    EXPECT(cudaErrorSymbolNotFound, cudaLibraryGetManaged(&managed, &bytes, library, "nobody"));
    EXPECT(cudaErrorInvalidValue, cudaLibraryGetUnifiedFunction(&pointer, library, "add_to"));
    EXPECT(cudaSuccess, cudaLibraryGetKernelCount(&count, library));
    EXPECT_EQUAL("kernels", 2, count);
    EXPECT(cudaSuccess, cudaLibraryEnumerateKernels(list, 2, library));
    check("all kernels are listed",
          list[0] && list[1] && list[0] != list[1] && (list[0] == kernel || list[1] == kernel), "they are not");
    EXPECT(cudaSuccess, cudaLibraryEnumerateKernels(list, 1, library));
    EXPECT(cudaErrorInvalidValue, cudaLibraryGetKernelCount(0, library));
    EXPECT(cudaErrorInvalidResourceHandle, cudaLibraryGetKernelCount(&count, 0));
    EXPECT(cudaErrorInvalidValue, cudaLibraryEnumerateKernels(0, 2, library));
    EXPECT(cudaSuccess, cudaFuncGetName(&name, (void *)kernel));
    check("name of a library's kernel", !strcmp(name, "add_to"), name);
    cudaFuncAttributes a;
    EXPECT(cudaSuccess, cudaLibraryGetKernel(&big, library, "big"));
    EXPECT(cudaSuccess, cudaFuncGetAttributes(&a, (void *)big));
    EXPECT_EQUAL("shared memory of a library's kernel", 4096, a.sharedSizeBytes);
    size_t offset = 9, size = 9;
    EXPECT(cudaSuccess, cudaFuncGetParamInfo((void *)kernel, 1, &offset, &size));
    EXPECT_EQUAL("its second parameter", 8 * 100 + 4, offset * 100 + size);
    EXPECT(cudaSuccess, cudaFuncSetAttribute((void *)big, cudaFuncAttributeMaxDynamicSharedMemorySize, 70000));
    EXPECT(cudaSuccess, cudaKernelSetAttributeForDevice(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 80000, 0));
    EXPECT(cudaSuccess, cudaFuncGetAttributes(&a, (void *)big));
    EXPECT_EQUAL("an attribute set for a device", 80000, a.maxDynamicSharedSizeBytes);
    EXPECT(cudaErrorInvalidValue,
           cudaKernelSetAttributeForDevice(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 300000, 0));
    EXPECT(cudaErrorInvalidDevice,
           cudaKernelSetAttributeForDevice(big, cudaFuncAttributeMaxDynamicSharedMemorySize, 80000, 99));
    EXPECT(cudaErrorInvalidResourceHandle,
           cudaKernelSetAttributeForDevice(0, cudaFuncAttributeMaxDynamicSharedMemorySize, 80000, 0));
    EXPECT(cudaErrorInvalidValue, cudaKernelSetAttributeForDevice(big, (cudaFuncAttribute)99, 1, 0));
    int blocks = 0;
    EXPECT(cudaSuccess, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)big, 128, 0));
    EXPECT_EQUAL("occupancy of a library's kernel", 16, blocks);
    cudaLaunchConfig_t config = {};
    config.gridDim = config.blockDim = dim3(1);
    EXPECT(cudaSuccess, cudaLaunchKernelExC(&config, (void *)kernel, args));
    EXPECT_EQUAL("launched with a configuration", 25, value_of(d));
}

/* What cannot be read is loaded all the same, and refused when it is used. */
static void load_bad(const char *what, cudaError_t expected) {
    cudaLibrary_t library = 0;
    cudaKernel_t k = 0;
    unsigned count = 99;
    void *p;
    EXPECT(cudaSuccess, cudaLibraryLoadData(&library, what, 0, LIBRARY_VOID, 0, 0, LIBRARY_VOID, 0));
    EXPECT(cudaSuccess, cudaLibraryGetKernelCount(&count, library));
    EXPECT_EQUAL("kernels of what cannot be read", 0, count);
    EXPECT(expected, cudaLibraryGetKernel(&k, library, "k"));
    EXPECT(expected, cudaLibraryGetGlobal(&p, 0, library, "v"));
    EXPECT(cudaSuccess, cudaLibraryUnload(library));
}

static void refusals() {
    cudaLibrary_t library = 0;
    EXPECT(cudaErrorInvalidValue, cudaLibraryLoadData(0, text, 0, LIBRARY_VOID, 0, 0, LIBRARY_VOID, 0));
    EXPECT(cudaErrorInvalidValue, cudaLibraryLoadData(&library, 0, 0, LIBRARY_VOID, 0, 0, LIBRARY_VOID, 0));
    load_bad(wrong, cudaErrorInvalidPtx);
    load_bad("nonsense", cudaErrorInvalidKernelImage);
    load_bad(".version 8.0\n.target sm_75\n.address_size 64\n", cudaErrorSymbolNotFound);
    EXPECT(cudaErrorFileNotFound,
           cudaLibraryLoadFromFile(&library, "/nowhere/at all", 0, LIBRARY_VOID, 0, 0, LIBRARY_VOID, 0));
    EXPECT(cudaErrorInvalidValue, cudaLibraryLoadFromFile(&library, 0, 0, LIBRARY_VOID, 0, 0, LIBRARY_VOID, 0));
    EXPECT(cudaErrorInvalidResourceHandle, cudaLibraryUnload(0));
}

static void options() {
    cudaLibrary_t library = 0;
    char log[1000] = "", errors[1000] = "";
    cudaJitOption jit[] = {cudaJitInfoLogBuffer, cudaJitInfoLogBufferSizeBytes, cudaJitErrorLogBuffer,
                           cudaJitErrorLogBufferSizeBytes, cudaJitOptimizationLevel};
    void *values[] = {log, (void *)(size_t)sizeof log, errors, (void *)(size_t)sizeof errors, (void *)(size_t)3};
    EXPECT(cudaSuccess, cudaLibraryLoadData(&library, text, jit, values, 5, 0, LIBRARY_VOID, 0));
    EXPECT(cudaSuccess, cudaLibraryUnload(library));
    values[1] = (void *)(size_t)sizeof log;
    values[3] = (void *)(size_t)sizeof errors;
    EXPECT(cudaSuccess, cudaLibraryLoadData(&library, wrong, jit, values, 5, 0, LIBRARY_VOID, 0));
    cudaKernel_t k = 0;
    EXPECT(cudaErrorInvalidPtx, cudaLibraryGetKernel(&k, library, "k"));
    check("the error log says something", errors[0] != '\0', "nothing");
    EXPECT(cudaSuccess, cudaLibraryUnload(library));
    cudaLibraryOption preserved[] = {cudaLibraryBinaryIsPreserved};
    void *yes[] = {(void *)(size_t)1};
    EXPECT(cudaSuccess, cudaLibraryLoadData(&library, text, 0, LIBRARY_VOID, 0, preserved, yes, 1));
    EXPECT(cudaSuccess, cudaLibraryUnload(library));
    cudaJitOption unknown[] = {(cudaJitOption)999};
    EXPECT(cudaErrorInvalidValue, cudaLibraryLoadData(&library, text, unknown, values, 1, 0, LIBRARY_VOID, 0));
}

static void files() {
    cudaLibrary_t library = 0;
    char path[] = "/tmp/library_test_XXXXXX";
    int file = mkstemp(path);
    if (file < 0 || write(file, text, sizeof text - 1) != (ssize_t)sizeof text - 1)
        exit(1);
    close(file);
    EXPECT(cudaSuccess, cudaLibraryLoadFromFile(&library, path, 0, LIBRARY_VOID, 0, 0, LIBRARY_VOID, 0));
    unlink(path);
    use(library);
    EXPECT(cudaSuccess, cudaLibraryUnload(library));
}

/* Two libraries from one text have variables of their own. */
static void twice() {
    cudaLibrary_t a = 0, b = 0;
    cudaKernel_t ka = 0, kb = 0;
    unsigned n = 1;
    void *args[] = {&d, &n};
    MUST(cudaLibraryLoadData(&a, text, 0, LIBRARY_VOID, 0, 0, LIBRARY_VOID, 0));
    MUST(cudaLibraryLoadData(&b, text, 0, LIBRARY_VOID, 0, 0, LIBRARY_VOID, 0));
    check("two libraries", a != b, "they are one");
    MUST(cudaLibraryGetKernel(&ka, a, "add_to"));
    MUST(cudaLibraryGetKernel(&kb, b, "add_to"));
    MUST(cudaLaunchKernel((void *)ka, 1, 1, args, 0, 0));
    MUST(cudaLaunchKernel((void *)ka, 1, 1, args, 0, 0));
    EXPECT_EQUAL("the first library's counter", 7, value_of(d));
    MUST(cudaLaunchKernel((void *)kb, 1, 1, args, 0, 0));
    EXPECT_EQUAL("the second library's counter", 6, value_of(d));
    EXPECT(cudaSuccess, cudaLibraryUnload(a));
    MUST(cudaLaunchKernel((void *)kb, 1, 1, args, 0, 0));
    EXPECT_EQUAL("after the first is gone", 7, value_of(d));
    EXPECT(cudaSuccess, cudaLibraryUnload(b));
}

int main() {
    cudaLibrary_t library = 0;
    MUST(cudaMalloc(&d, 64));
    EXPECT(cudaSuccess, cudaLibraryLoadData(&library, text, 0, LIBRARY_VOID, 0, 0, LIBRARY_VOID, 0));
    use(library);
    EXPECT(cudaSuccess, cudaLibraryUnload(library));
    files();
    options();
    twice();
    refusals();
    own<<<1, 1>>>(d);
    EXPECT_EQUAL("the program's own kernels still run", 77, value_of(d));
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
#else
int main() {
    return 0;
}
#endif
