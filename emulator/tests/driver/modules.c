/* Modules and libraries: loading, finding, launching. Arguments: PTX, a fat binary, machine code with PTX beside it. */
#include "driver_test.h"

#include <elf.h>

enum { N = 1000 };

static void run_scale(CUfunction scale, const char *name, bool buffer) {
    float host[N], factor = 2.5f;
    int n = N;
    CUdeviceptr to, from;
    MUST(cuMemAlloc(&to, sizeof host));
    MUST(cuMemAlloc(&from, sizeof host));
    for (int i = 0; i < N; i++)
        host[i] = (float)i;
    MUST(cuMemcpyHtoD(from, host, sizeof host));
    MUST(cuMemsetD8(to, 0xff, sizeof host));
    void *arguments[] = {&to, &from, &factor, &n};
    struct {
        CUdeviceptr to, from;
        float factor;
        int n;
    } packed = {to, from, factor, n};
    size_t bytes = sizeof packed;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    MUST(cuLaunchKernel(scale, (N + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, buffer ? NULL : arguments,
                        buffer ? extra : NULL));
    MUST(cuMemcpyDtoH(host, to, sizeof host));
    int wrong = 0;
    for (int i = 0; i < N; i++)
        wrong += !(host[i] == 2.5f * (float)i);
    EXPECT_EQUAL(name, 0, wrong);
    MUST(cuMemFree(to));
    MUST(cuMemFree(from));
}

static void whole_module(const char *what, CUmodule m) {
    char name[200];
    CUfunction f;
    snprintf(name, sizeof name, "%s: scale", what);
    EXPECT(CUDA_SUCCESS, cuModuleGetFunction(&f, m, "scale"));
    run_scale(f, name, false);
    snprintf(name, sizeof name, "%s: scale, its parameters in a buffer", what);
    run_scale(f, name, true);
    EXPECT(CUDA_SUCCESS, cuModuleUnload(m));
}

static void variables(CUmodule m) {
    CUdeviceptr p = 0;
    CUfunction count_up;
    size_t bytes = 0;
    int value = 0;
    EXPECT(CUDA_SUCCESS, cuModuleGetGlobal(&p, &bytes, m, "counter"));
    EXPECT_EQUAL("bytes of a variable", 4, bytes);
    EXPECT(CUDA_SUCCESS, cuModuleGetGlobal(NULL, &bytes, m, "factors"));
    EXPECT_EQUAL("bytes of a constant", 16, bytes);
    EXPECT(CUDA_ERROR_NOT_FOUND, cuModuleGetGlobal(&p, &bytes, m, "no_such_variable"));
    MUST(cuModuleGetGlobal(&p, &bytes, m, "counter"));
    MUST(cuModuleGetFunction(&count_up, m, "count_up"));
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(count_up, 3, 1, 1, 10, 1, 1, 0, NULL, NULL, NULL));
    MUST(cuMemcpyDtoH(&value, p, 4));
    EXPECT_EQUAL("it begins with its value, and kernels add to it", 35, value);
}

static void attributes(CUmodule m) {
    CUfunction f, shared, none = (CUfunction)&none;
    int value = 0;
    MUST(cuModuleGetFunction(&f, m, "at_most_64"));
    MUST(cuModuleGetFunction(&shared, m, "reverse_shared"));
    EXPECT(CUDA_ERROR_NOT_FOUND, cuModuleGetFunction(&none, m, "no_such_kernel"));
    check("it gives none then", !none, "it leaves what was there");
    EXPECT(CUDA_SUCCESS, cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
    EXPECT_EQUAL("__launch_bounds__", 64, value);
    EXPECT(CUDA_SUCCESS, cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, f));
    EXPECT_EQUAL("constants of a kernel's module", 16, value);
    EXPECT(CUDA_SUCCESS, cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, shared));
    EXPECT_EQUAL("constants of its module that a kernel does not read", 16, value);
    EXPECT(CUDA_SUCCESS, cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared));
    EXPECT_EQUAL("dynamic shared memory", 49152, value);
    EXPECT(CUDA_SUCCESS, cuFuncSetAttribute(shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 100000));
    EXPECT(CUDA_SUCCESS, cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, shared));
    EXPECT_EQUAL("more dynamic shared memory", 100000, value);
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cuFuncSetAttribute(shared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 1 << 20));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuFuncGetAttribute(&value, (CUfunction_attribute)1000, shared));
}

static void wrong_launches(CUmodule m) {
    CUfunction f;
    CUdeviceptr p;
    MUST(cuModuleGetFunction(&f, m, "at_most_64"));
    MUST(cuMemAlloc(&p, 4096));
    void *arguments[] = {&p};
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 65, 1, 1, 0, NULL, arguments, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 0, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuLaunchKernel(f, 1, 1, 1, 64, 1, 1, 50000, NULL, arguments, NULL));
    EXPECT(CUDA_SUCCESS, cuCtxSynchronize());
    MUST(cuMemFree(p));
}

/* Shared memory through cuLaunchKernelEx. */
static void launch_ex(CUmodule m) {
    enum { THREADS = 96 };
    CUfunction f;
    CUdeviceptr p;
    int host[THREADS], wrong = 0;
    MUST(cuModuleGetFunction(&f, m, "reverse_shared"));
    MUST(cuMemAlloc(&p, sizeof host));
    for (int i = 0; i < THREADS; i++)
        host[i] = i;
    MUST(cuMemcpyHtoD(p, host, sizeof host));
    void *arguments[] = {&p};
    CUlaunchConfig config = {.gridDimX = 1,
                             .gridDimY = 1,
                             .gridDimZ = 1,
                             .blockDimX = THREADS,
                             .blockDimY = 1,
                             .blockDimZ = 1,
                             .sharedMemBytes = sizeof host};
    EXPECT(CUDA_SUCCESS, cuLaunchKernelEx(&config, f, arguments, NULL));
    MUST(cuMemcpyDtoH(host, p, sizeof host));
    for (int i = 0; i < THREADS; i++)
        wrong += host[i] != THREADS - 1 - i;
    EXPECT_EQUAL("a launch with shared memory", 0, wrong);
    CUlaunchAttribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.clusterDim = {2, 1, 1}};
    config.attrs = &cluster;
    config.numAttrs = 1;
    EXPECT(CUDA_ERROR_INVALID_CLUSTER_SIZE, cuLaunchKernelEx(&config, f, arguments, NULL));
    config.gridDimX = 2;
    EXPECT(CUDA_SUCCESS, cuLaunchKernelEx(&config, f, arguments, NULL));
    MUST(cuCtxSynchronize());
    int clusters = 0;
    EXPECT(CUDA_SUCCESS, cuOccupancyMaxActiveClusters(&clusters, f, &config));
    EXPECT_EQUAL("clusters of two blocks can be resident", 1, clusters > 0);
    MUST(cuMemFree(p));
}

/* A launch leaves the context current that was. */
static void in_own_context(const char *ptx) {
    CUcontext mine, current;
    CUmodule m;
    CUfunction count_up;
    CUdeviceptr counter;
    int value = 0;
    void *extra[] = {CU_LAUNCH_PARAM_END};
    MUST(CREATE(&mine, 0, 0));
    MUST(cuModuleLoadData(&m, ptx));
    MUST(cuModuleGetFunction(&count_up, m, "count_up"));
    MUST(cuModuleGetGlobal(&counter, NULL, m, "counter"));
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(count_up, 1, 1, 1, 2, 1, 1, 0, NULL, NULL, extra));
    MUST(cuCtxGetCurrent(&current));
    check("a context stays current after a launch", current == mine, "another is");
    MUST(cuMemcpyDtoH(&value, counter, 4));
    EXPECT_EQUAL("a launch in an own context", 7, value);
    EXPECT(CUDA_SUCCESS, cuCtxDestroy(mine));
}

/* Too much shared memory for any block. */
static void no_block_fits(CUmodule m) {
    CUfunction f;
    int grid = 9, block = 9;
    MUST(cuModuleGetFunction(&f, m, "reverse_shared"));
    EXPECT(CUDA_SUCCESS, cuOccupancyMaxPotentialBlockSize(&grid, &block, f, NULL, 1 << 20, 0));
    check("no block fits", !grid && !block, "one does");
}

static void libraries(const char *ptx) {
    CUlibrary library, of_kernel;
    CUkernel kernel, none;
    CUfunction f;
    CUmodule m;
    int value = 0;
    if (refuses_nonsense())
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 1));
    EXPECT(CUDA_SUCCESS, cuLibraryLoadData(&library, ptx, NULL, NULL, 0, NULL, NULL, 0));
    EXPECT(CUDA_SUCCESS, cuLibraryGetKernel(&kernel, library, "scale"));
    EXPECT(CUDA_ERROR_NOT_FOUND, cuLibraryGetKernel(&none, library, "no_such_kernel"));
    EXPECT(CUDA_SUCCESS, cuLibraryGetModule(&m, library));
    EXPECT(CUDA_SUCCESS, cuKernelGetFunction(&f, kernel));
    run_scale(f, "a library's kernel as a function", false);
    run_scale((CUfunction)kernel, "a kernel where a function is wanted", false);
    EXPECT(CUDA_SUCCESS, cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel, 0));
    EXPECT_EQUAL("a kernel's threads", 1024, value);
    EXPECT(CUDA_SUCCESS, cuKernelGetLibrary(&of_kernel, kernel));
    check("a kernel's library", of_kernel == library, "another");
    EXPECT(CUDA_SUCCESS, cuLibraryUnload(library));
}

/* PTX whose only kernel has this body. What is wrong with it is reported by the call that brings it, with the line in the log. */
static void wrong_text(const char *what, const char *body, const char *target, CUresult linked) {
    char text[500], log[1000] = "", name[100];
    CUmodule m;
    CUlinkState s;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    snprintf(
        text, sizeof text,
        ".version 7.5\n.target %s\n.address_size 64\n.visible .entry k()\n{\n  .reg .b32 %%r<3>;\n  %s\n  ret;\n}\n",
        target, body);
    snprintf(name, sizeof name, "loading %s", what);
    check(name, cuModuleLoadData(&m, text) == CUDA_ERROR_INVALID_PTX, "it is no error, or another one");
    MUST(cuLinkCreate(2, options, values, &s));
    snprintf(name, sizeof name, "adding %s to what is linked", what);
    check(name, cuLinkAddData(s, CU_JIT_INPUT_PTX, text, strlen(text) + 1, "k", 0, NULL, NULL) == linked,
          "it is no error, or another one");
    snprintf(name, sizeof name, "the line of %s", what);
    check(name, !*body || strstr(log, "line 7"), log);
    MUST(cuLinkDestroy(s));
}

static void wrong_texts(void) {
    wrong_text("an instruction that does not exist", "foo.u32 %r1, %r2;", "sm_75", CUDA_ERROR_INVALID_PTX);
    wrong_text("a label that does not exist", "bra nowhere;", "sm_75", CUDA_ERROR_INVALID_PTX);
    wrong_text("a register that does not exist", "add.u32 %x1, %r1, 1;", "sm_75", CUDA_ERROR_INVALID_PTX);
    wrong_text("a register that is too wide", ".reg .b64 %d; add.f32 %r1, %d, %r2;", "sm_75", CUDA_ERROR_INVALID_PTX);
    wrong_text("an integer where a float is wanted", ".reg .s32 %i; add.f32 %r1, %i, %r2;", "sm_75",
               CUDA_ERROR_INVALID_PTX);
    wrong_text("a float where an integer is wanted", ".reg .f32 %f; ld.global.u32 %f, [0];", "sm_75",
               CUDA_ERROR_INVALID_PTX);
    wrong_text("a constant of another kind", ".reg .f32 %f; add.f32 %f, %f, 1;", "sm_75", CUDA_ERROR_INVALID_PTX);
    wrong_text("a product that is too narrow", "mul.wide.u32 %r1, %r2, 3;", "sm_75", CUDA_ERROR_INVALID_PTX);
    wrong_text("a float as an address", ".reg .f64 %f; st.global.b32 [%f], %r1;", "sm_75", CUDA_ERROR_INVALID_PTX);
    wrong_text("PTX for a newer device", "", "sm_121", CUDA_ERROR_INVALID_PTX);
}

static void wrong_data(void) {
    char log[1000] = "";
    CUmodule m;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    const char *wrong =
        ".version 7.5\n.target sm_75\n.address_size 64\n.visible .entry k()\n{\n  add.s32 %r1, %r2;\n}\n";
    EXPECT(CUDA_ERROR_INVALID_PTX, cuModuleLoadDataEx(&m, wrong, 2, options, values));
    check("the log says which line", strstr(log, "line 6"), log);
    wrong = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
            "  setmaxnreg.dec.sync.aligned.u32 20;\n  ret;\n}\n";
    EXPECT(CUDA_ERROR_INVALID_PTX, cuModuleLoadData(&m, wrong)); /* 24 is the least, and 8 divides all */
    wrong_texts();
    EXPECT(CUDA_ERROR_INVALID_IMAGE, cuModuleLoadData(&m, "neither PTX nor anything else"));
    EXPECT(CUDA_ERROR_FILE_NOT_FOUND, cuModuleLoad(&m, "/no/such/file.ptx"));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuModuleLoadData(&m, NULL));
}

/* Machine code that has no PTX, and whose names are said to lie far behind its end: as it is, of a known size, and cut. */
static void damaged(void) {
    struct {
        Elf64_Ehdr header;
        Elf64_Shdr sections[2];
    } code = {.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_shoff = sizeof code.header,
                         .e_shentsize = sizeof *code.sections,
                         .e_shnum = 2},
              .sections = {{.sh_type = SHT_NOBITS, .sh_offset = (uint64_t)1 << 46, .sh_size = 4096},
                           {.sh_type = SHT_PROGBITS}}};
    char log[100] = "nobody wrote";
    CUmodule m;
    CUlinkState s;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUresult error = cuModuleLoadDataEx(&m, &code, 2, options, values);
    check("machine code without names", error != CUDA_SUCCESS, "it loads");
    check("the log is written in any case", !strstr(log, "nobody wrote"), log);
    MUST(cuLinkCreate(0, NULL, NULL, &s));
    error = cuLinkAddData(s, CU_JIT_INPUT_CUBIN, &code, sizeof code, "code", 0, NULL, NULL);
    check("it does not link, either", error != CUDA_SUCCESS, "it does");
    error = cuLinkAddData(s, CU_JIT_INPUT_CUBIN, &code, sizeof code.header, "code", 0, NULL, NULL);
    check("nor does its header alone", error != CUDA_SUCCESS, "it does");
    MUST(cuLinkDestroy(s));
    code.header.e_ident[EI_CLASS] = ELFCLASS32;
    error = cuModuleLoadData(&m, &code);
    check("nor does machine code of 32 bits load", error != CUDA_SUCCESS, "it does");
    error = cuModuleLoadData(&m, "");
    check("nor does nothing", error != CUDA_SUCCESS, "it does");
}

int main(int count, char **arguments) {
    size_t size;
    CUmodule m;
    begin();
    if (count != 4)
        return 2;
    char *ptx = file_bytes(arguments[1], &size);
    EXPECT(CUDA_SUCCESS, cuModuleLoadData(&m, ptx));
    variables(m);
    attributes(m);
    wrong_launches(m);
    launch_ex(m);
    no_block_fits(m);
    whole_module("PTX", m);
    EXPECT(CUDA_SUCCESS, cuModuleLoad(&m, arguments[1]));
    whole_module("a file of PTX", m);
    EXPECT(CUDA_SUCCESS, cuModuleLoadData(&m, file_bytes(arguments[2], &size)));
    whole_module("a fat binary", m);
    EXPECT(CUDA_SUCCESS, cuModuleLoad(&m, arguments[3]));
    whole_module("machine code with its PTX beside it", m);
    in_own_context(ptx);
    libraries(ptx);
    wrong_data();
    if (refuses_nonsense())
        damaged();
    return failures != 0;
}
