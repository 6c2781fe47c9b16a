/* A program that uses NVRTC: what it asks for as machine code, or as intermediate code, is loaded and linked. */
#include "../driver/driver_test.h"

typedef struct program *program;
int nvrtcVersion(int *major, int *minor);
int nvrtcCreateProgram(program *p, const char *source, const char *name, int count, const char *const *headers,
                       const char *const *names);
int nvrtcDestroyProgram(program *p);
int nvrtcCompileProgram(program p, int count, const char *const *options);
int nvrtcGetPTXSize(program p, size_t *size);
int nvrtcGetPTX(program p, char *text);
int nvrtcGetCUBINSize(program p, size_t *size);
int nvrtcGetCUBIN(program p, char *bytes);
int nvrtcGetLTOIRSize(program p, size_t *size);
int nvrtcGetLTOIR(program p, char *bytes);
const char *nvrtcGetErrorString(int error);

#define SOURCE "extern \"C\" __global__ void k() {}"

static program compiled(int count, const char *const *options) {
    program p;
    EXPECT_EQUAL("nvrtcCreateProgram", 0, nvrtcCreateProgram(&p, SOURCE, "k.cu", 0, NULL, NULL));
    EXPECT_EQUAL("nvrtcCompileProgram", 0, nvrtcCompileProgram(p, count, options));
    return p;
}

static size_t size_of(int (*function)(program, size_t *), program p) {
    size_t size = 99999;
    EXPECT_EQUAL("a size", 0, function(p, &size));
    return size;
}

static void loads(const char *name, const void *image) {
    CUmodule m;
    CUfunction f;
    CUresult error = cuModuleLoadData(&m, image);
    check(name, error == CUDA_SUCCESS, error_name(error));
    EXPECT(CUDA_SUCCESS, cuModuleGetFunction(&f, m, "k"));
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    EXPECT(CUDA_SUCCESS, cuModuleUnload(m));
}

static void machine_code(bool fake) {
    const char *const options[] = {"-arch=sm_90", "-lineinfo"};
    program p = compiled(2, options);
    size_t size = size_of(nvrtcGetCUBINSize, p);
    char *bytes = malloc(size + 1);
    bytes[size] = 'x';
    EXPECT_EQUAL("nvrtcGetCUBIN", 0, nvrtcGetCUBIN(p, bytes));
    EXPECT_EQUAL("it writes as much as it has said", 'x', bytes[size]);
    check("its options arrive", !fake || memmem(bytes, size, "// -arch=sm_90 -lineinfo ", 25), "they do not");
    loads("what it gives as machine code loads", bytes);
    check("there is PTX, too", size_of(nvrtcGetPTXSize, p) > 50, "there is none");
    EXPECT_EQUAL("no intermediate code", 0, size_of(nvrtcGetLTOIRSize, p));
    EXPECT_EQUAL("no place for a size", 3, nvrtcGetCUBINSize(p, NULL));
    EXPECT_EQUAL("no place for the code", 3, nvrtcGetCUBIN(p, NULL));
    EXPECT_EQUAL("nvrtcDestroyProgram", 0, nvrtcDestroyProgram(&p));
    free(bytes);
}

static void virtual_architecture(void) {
    const char *const options[] = {"-arch=compute_90"};
    program p = compiled(1, options);
    EXPECT_EQUAL("a virtual architecture has no machine code", 0, size_of(nvrtcGetCUBINSize, p));
    EXPECT_EQUAL("nvrtcDestroyProgram", 0, nvrtcDestroyProgram(&p));
}

static void intermediate_code(void) {
    const char *const options[] = {"-arch=sm_90", "-dlto"};
    program p = compiled(2, options);
    size_t size = size_of(nvrtcGetLTOIRSize, p);
    char *bytes = malloc(size), text[4] = "abc";
    EXPECT_EQUAL("nvrtcGetLTOIR", 0, nvrtcGetLTOIR(p, bytes));
    loads("intermediate code loads, as it is PTX", bytes);
    EXPECT_EQUAL("it has no machine code", 0, size_of(nvrtcGetCUBINSize, p));
    EXPECT_EQUAL("and no PTX", 1, size_of(nvrtcGetPTXSize, p));
    EXPECT_EQUAL("nvrtcGetPTX", 0, nvrtcGetPTX(p, text));
    check("which is an empty text", !*text, text);
    EXPECT_EQUAL("nvrtcDestroyProgram", 0, nvrtcDestroyProgram(&p));
    free(bytes);
}

int main(int count, char **arguments) {
    int major = 0, minor;
    begin();
    if (nvrtcVersion(&major, &minor) != 0) {
        puts(nvrtcGetErrorString(11));
        return 3;
    }
    if (count == 2)
        EXPECT_EQUAL("it is the NVRTC that was to be found", atoi(arguments[1]), major);
    machine_code(count == 2);
    virtual_architecture();
    intermediate_code();
    return failures != 0;
}
