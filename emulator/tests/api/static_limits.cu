// What ptxas refuses for any GPU: too much static shared memory, constant memory or parameters. A driver that is given such PTX
// refuses it, too; where nvcc has made a program of PTX alone, nobody else would say it.
// environment: EMULATOR_CHECK=
// message: nvcc refuses to build this program for any GPU
// message: ptxas error   : Entry function 'k' uses too much shared data (0xc004 bytes, 0xc000 max)
// message: ptxas error   : Entry function 'k' uses too much shared data (0x10004 bytes, 0xc000 max)
// message: ptxas error   : File uses too much global constant data (0x10004 bytes, 0x10000 max)
// message: ptxas error   : Entry function 'k' uses too much parameter space (0x8000 bytes, 0x7ffc max)
// message: ptxas error   : Entry function 'k' uses too much parameter space (0x1104 bytes, 0x1100 max)
// message: PTX line 4: Non-external variable 'x' has incomplete type
#include "api_test.h"

#if CUDART_VERSION >= 12080
static void load(const char *name, cudaError_t expected, const char *version, const char *module, const char *inside,
                 unsigned parameters) {
    char text[4000];
    cudaLibrary_t library;
    cudaKernel_t kernel;
    snprintf(text, sizeof text,
             ".version %s\n.target sm_75\n.address_size 64\n%s\n"
             ".visible .entry k(.param .align 4 .b8 p[%u]) {\n .reg .u32 %%r<4>;\n%s\n ret;\n}\n",
             version, module, parameters, inside);
    cudaError_t error = cudaLibraryLoadData(&library, text, 0, 0, 0, 0, 0, 0);
    if (error == cudaSuccess) {
        error = cudaLibraryGetKernel(&kernel, library, "k");
        cudaLibraryUnload(library);
    }
    cudaGetLastError();
    EXPECT_EQUAL(name, expected, error);
}

#define USE(variable) " mov.u32 %r1, 1; st.shared.u32 [" variable "], %r1;"
static const char callee[] =
    ".func f() { .reg .u32 %r<4>; .shared .align 4 .b8 t[32768]; .shared .align 4 .b8 u[4];\n" USE("t")
        USE("u") " ret; }";

static void all() {
    const cudaError_t no = cudaErrorInvalidPtx;
    load("48 KiB of shared memory", cudaSuccess, "8.0", "", ".shared .align 4 .b8 s[49152];" USE("s"), 4);
    load("4 bytes more", no, "8.0", "", ".shared .align 4 .b8 s[49156];" USE("s"), 4);
    load("more that nobody uses", cudaSuccess, "8.0", ".shared .align 4 .b8 s[90000];", "", 4);
    load("its functions' shared memory", no, "8.0", callee, ".shared .align 4 .b8 s[32768];" USE("s") " call f;", 4);
    load("those of functions that are not called", cudaSuccess, "8.0", callee,
         ".shared .align 4 .b8 s[32768];" USE("s"), 4);
    load("64 KiB of constants", cudaSuccess, "8.0",
         ".visible .const .align 4 .b8 c[65532]; .visible .const .align 4 .b8 d[4];", "", 4);
    load("4 bytes more of them", no, "8.0", ".visible .const .align 4 .b8 c[65533]; .visible .const .align 4 .b8 d[4];",
         "", 4);
    load("32,764 bytes of parameters", cudaSuccess, "8.1", "", "", 32764);
    load("4 bytes more of them", no, "8.1", "", "", 32768);
    load("4,352 bytes of parameters in older PTX", cudaSuccess, "8.0", "", "", 4352);
    load("4 bytes more of them", no, "8.0", "", "", 4356);
    load("an array whose size nobody says", no, "8.0", ".global .b32 x[];", "", 4);
    load("one that its values fill", cudaSuccess, "8.0", ".global .b32 x[] = {1, 2};", "", 4);
}
#endif

int main() {
#if CUDART_VERSION >= 12080
    all();
#else
    printf("skip the limits of ptxas: there are no libraries before CUDA 12.8\n");
#endif
    return failures != 0;
}
