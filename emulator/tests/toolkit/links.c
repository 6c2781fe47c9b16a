/* A program that uses nvJitLink, by the names that CUDA 13.5's header has in it. Its answers have been compared with those of NVIDIA's
 * library, release 13.5, but for the words of messages. Arguments: two PTX files, the second with what the first lacks, and the first
 * one as fat binary, object file, library, machine code with PTX beside it, and machine code alone. */
#include "../driver/driver_test.h"

typedef struct nvJitLink *linker;
int __nvJitLinkCreate_13_5(linker *l, uint32_t count, const char *const *options);
int __nvJitLinkDestroy_13_5(linker *l);
int __nvJitLinkAddData_13_5(linker l, int type, const void *data, size_t size, const char *name);
int __nvJitLinkAddFile_13_5(linker l, int type, const char *path);
int __nvJitLinkComplete_13_5(linker l);
int __nvJitLinkGetLinkedCubinSize_13_5(linker l, size_t *size);
int __nvJitLinkGetLinkedCubin_13_5(linker l, void *bytes);
int __nvJitLinkGetLinkedPtxSize_13_5(linker l, size_t *size);
int __nvJitLinkGetLinkedPtx_13_5(linker l, char *text);
int __nvJitLinkGetLinkedLTOIRSize_13_5(linker l, size_t *size);
int __nvJitLinkGetErrorLogSize_13_5(linker l, size_t *size);
int __nvJitLinkGetErrorLog_13_5(linker l, char *log);
int __nvJitLinkGetInfoLogSize_13_5(linker l, size_t *size);
int nvJitLinkVersion(unsigned *major, unsigned *minor);

enum {
    SUCCESS,
    UNRECOGNIZED_OPTION,
    MISSING_ARCH,
    INVALID_INPUT,
    PTX_COMPILE,
    INTERNAL = 6,
    UNRECOGNIZED_INPUT = 8,
    NULL_INPUT = 10,
    INCOMPATIBLE_OPTIONS,
    INCORRECT_INPUT_TYPE,
    UNSUPPORTED_ARCH = 17,
    LTO_NOT_ENABLED
};
enum { CUBIN = 1, PTX, LTOIR, FATBIN, OBJECT, LIBRARY, ANY = 10 };

static linker created(const char *a, const char *b, const char *c) {
    linker l;
    const char *options[] = {a, b, c};
    EXPECT_EQUAL("nvJitLinkCreate", SUCCESS, __nvJitLinkCreate_13_5(&l, 1 + !!b + !!c, options));
    return l;
}

static void destroy(linker l) {
    EXPECT_EQUAL("nvJitLinkDestroy", SUCCESS, __nvJitLinkDestroy_13_5(&l));
    check("nvJitLinkDestroy leaves NULL", !l, "it leaves something");
}

static void log_says(const char *name, linker l, const char *word) {
    char text[4000] = "";
    size_t size = 99;
    EXPECT_EQUAL(name, SUCCESS, __nvJitLinkGetErrorLogSize_13_5(l, &size));
    EXPECT_EQUAL(name, SUCCESS, size < sizeof text ? __nvJitLinkGetErrorLog_13_5(l, text) : -1);
    EXPECT_EQUAL(name, size, *text ? strlen(text) + 1 : 0);
    check(name, word ? strstr(text, word) != NULL : !*text, text);
}

/* ---- options ---- */

static void option(int expected, const char *a, const char *b, const char *word) {
    linker l = NULL;
    const char *options[] = {a, b};
    EXPECT_EQUAL(b ? b : a ? a : "no option", expected, __nvJitLinkCreate_13_5(&l, !!a + !!b, options));
    log_says("its log", l, word);
    destroy(l);
}

static void options(void) {
    const char *all[] = {"-time",
                         "-verbose",
                         "-lto",
                         "-O0",
                         "-O3",
                         "-Ofc=max",
                         "-g",
                         "-lineinfo",
                         "-ftz=1",
                         "-prec-div=0",
                         "-prec-sqrt=1",
                         "-fma=0",
                         "-kernels-used=k",
                         "-variables-used=v",
                         "-optimize-unused-variables",
                         "-Xptxas=-v",
                         "-nvvm-latest",
                         "-split-compile=0",
                         "-split-compile-extended=2",
                         "-jump-table-density=5",
                         "-no-cache",
                         "-device-stack-protector",
                         "-r",
                         "-maxrregcount=32"};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        option(SUCCESS, "-arch=sm_75", all[i], NULL);
    option(MISSING_ARCH, NULL, NULL, NULL);
    option(MISSING_ARCH, "-lto", NULL, NULL);
    option(UNRECOGNIZED_OPTION, "-arch=foo", NULL, "missing option value (-arch=foo)");
    option(UNRECOGNIZED_OPTION, "--arch=sm_75", NULL, "unrecognized option: --arch=sm_75");
    option(UNRECOGNIZED_OPTION, "-arch=sm_75", "-bogus", "unrecognized option: -bogus\n");
    option(UNRECOGNIZED_OPTION, "-arch=sm_75", "-O2", "unsupported value of -O: 2.");
    option(UNSUPPORTED_ARCH, "-arch=sm_10", NULL, "unsupported architecture (compute_10)");
    option(INCOMPATIBLE_OPTIONS, "-arch=compute_75", NULL, "virtual arch requires -ptx");
    option(INCOMPATIBLE_OPTIONS, "-arch=sm_75", "-ptx", "-ptx requires -lto");
    EXPECT_EQUAL("no place for the link", NULL_INPUT, __nvJitLinkCreate_13_5(NULL, 0, NULL));
    EXPECT_EQUAL("destroys nothing", NULL_INPUT, __nvJitLinkDestroy_13_5(NULL));
}

/* ---- links ---- */

static void runs(const char *name, const void *image) {
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    int x = 21, value = 0;
    CUresult error = cuModuleLoadData(&m, image);
    check(name, error == CUDA_SUCCESS, error_name(error));
    if (error != CUDA_SUCCESS)
        return;
    MUST(cuModuleGetFunction(&f, m, "call_twice"));
    MUST(cuMemAlloc(&p, 4));
    void *arguments[] = {&p, &x};
    MUST(cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    MUST(cuMemcpyDtoH(&value, p, 4));
    EXPECT_EQUAL(name, 42, value);
    EXPECT(CUDA_SUCCESS, cuMemFree(p));
    EXPECT(CUDA_SUCCESS, cuModuleUnload(m));
}

static void *cubin_of(linker l, size_t *size) {
    EXPECT_EQUAL("nvJitLinkComplete", SUCCESS, __nvJitLinkComplete_13_5(l));
    EXPECT_EQUAL("nvJitLinkGetLinkedCubinSize", SUCCESS, __nvJitLinkGetLinkedCubinSize_13_5(l, size));
    char *bytes = malloc(*size + 1);
    bytes[*size] = 'x';
    EXPECT_EQUAL("nvJitLinkGetLinkedCubin", SUCCESS, __nvJitLinkGetLinkedCubin_13_5(l, bytes));
    EXPECT_EQUAL("it writes as much as it has said", 'x', bytes[*size]);
    return bytes;
}

/* The first in some form, the second as PTX. */
static void two(const char *name, int type, const char *first, const char *second) {
    linker l = created("-arch=sm_90", NULL, NULL);
    size_t size;
    EXPECT_EQUAL(name, SUCCESS, __nvJitLinkAddFile_13_5(l, type, first));
    EXPECT_EQUAL(name, SUCCESS, __nvJitLinkAddFile_13_5(l, PTX, second));
    void *image = cubin_of(l, &size);
    log_says("no error", l, NULL);
    runs(name, image);
    EXPECT_EQUAL("a second time", INTERNAL, __nvJitLinkComplete_13_5(l));
    EXPECT_EQUAL("added too late", INTERNAL, __nvJitLinkAddData_13_5(l, ANY, image, size, "late"));
    EXPECT_EQUAL("PTX of a link without -ptx", INVALID_INPUT, __nvJitLinkGetLinkedPtxSize_13_5(l, &size));
    destroy(l);
    free(image);
}

static void *relocatable(const char *path, size_t *size) {
    linker l = created("-arch=sm_90", "-r", NULL);
    EXPECT_EQUAL("added", SUCCESS, __nvJitLinkAddFile_13_5(l, ANY, path));
    void *image = cubin_of(l, size);
    destroy(l);
    return image;
}

/* What was linked is linked again: as machine code, and as intermediate code, of which the PTX is asked for. */
static void again(char **paths) {
    size_t a_size, b_size, size = 0;
    void *a = relocatable(paths[1], &a_size), *b = relocatable(paths[2], &b_size), *image;
    linker l = created("-arch=sm_90", NULL, NULL);
    EXPECT_EQUAL("machine code", SUCCESS, __nvJitLinkAddData_13_5(l, CUBIN, a, a_size, NULL));
    EXPECT_EQUAL("machine code", SUCCESS, __nvJitLinkAddData_13_5(l, CUBIN, b, b_size, NULL));
    runs("two links linked", image = cubin_of(l, &size));
    free(image);
    destroy(l);
    l = created("-arch=sm_90", "-lto", "-ptx");
    EXPECT_EQUAL("intermediate code", SUCCESS, __nvJitLinkAddData_13_5(l, LTOIR, a, a_size, "a"));
    EXPECT_EQUAL("intermediate code", SUCCESS, __nvJitLinkAddData_13_5(l, LTOIR, b, b_size, "b"));
    EXPECT_EQUAL("to PTX", SUCCESS, __nvJitLinkComplete_13_5(l));
    EXPECT_EQUAL("nvJitLinkGetLinkedPtxSize", SUCCESS, __nvJitLinkGetLinkedPtxSize_13_5(l, &size));
    char *text = calloc(1, size + 1);
    EXPECT_EQUAL("nvJitLinkGetLinkedPtx", SUCCESS, __nvJitLinkGetLinkedPtx_13_5(l, text));
    EXPECT_EQUAL("its size is with the zero", size, strlen(text) + 1);
    runs("PTX of a link", text);
    EXPECT_EQUAL("it has no machine code", INTERNAL, __nvJitLinkGetLinkedCubinSize_13_5(l, &size));
    EXPECT_EQUAL("it has intermediate code", SUCCESS, __nvJitLinkGetLinkedLTOIRSize_13_5(l, &size));
    EXPECT_EQUAL("nothing to tell", SUCCESS, __nvJitLinkGetInfoLogSize_13_5(l, &size));
    EXPECT_EQUAL("nothing to tell", 0, size);
    destroy(l);
    l = created("-arch=sm_90", NULL, NULL);
    EXPECT_EQUAL("intermediate code without -lto", LTO_NOT_ENABLED, __nvJitLinkAddData_13_5(l, LTOIR, a, a_size, "a"));
    log_says("it says what is missing", l, "(-lto)");
    destroy(l);
    l = created("-arch=sm_90", "-lto", "-ptx");
    EXPECT_EQUAL("PTX", SUCCESS, __nvJitLinkAddFile_13_5(l, PTX, paths[1]));
    EXPECT_EQUAL("PTX of PTX", INCORRECT_INPUT_TYPE, __nvJitLinkComplete_13_5(l));
    destroy(l);
    free(text), free(a), free(b);
}

/* ---- what is wrong ---- */

static void refuses(int expected, int type, const char *data, size_t size, const char *word) {
    linker l = created("-arch=sm_90", "-lto", NULL);
    EXPECT_EQUAL(word, expected, __nvJitLinkAddData_13_5(l, type, data, size, "its name"));
    log_says("its log", l, word);
    destroy(l);
}

static void wrong(char **paths) {
    static const char broken[] = ".version 8.0\n.target sm_75\n.address_size 64\nhello\n";
    linker l = created("-arch=sm_90", NULL, NULL);
    size_t size = 0;
    EXPECT_EQUAL("the second is missing", SUCCESS, __nvJitLinkAddFile_13_5(l, PTX, paths[1]));
    EXPECT_EQUAL("before the link", INTERNAL, __nvJitLinkGetLinkedCubinSize_13_5(l, &size));
    EXPECT_EQUAL("a function that is nowhere", INTERNAL, __nvJitLinkComplete_13_5(l));
    log_says("the log names it", l, "'twice(int)'");
    destroy(l);
    l = created("-arch=sm_90", "-lto", NULL);
    EXPECT_EQUAL("no file", INVALID_INPUT, __nvJitLinkAddFile_13_5(l, PTX, "/no/such/file"));
    log_says("the log names it", l, "no such file: /no/such/file\n");
    EXPECT_EQUAL("no name of a file", NULL_INPUT, __nvJitLinkAddFile_13_5(l, PTX, NULL));
    EXPECT_EQUAL("no data", INVALID_INPUT, __nvJitLinkAddData_13_5(l, PTX, NULL, 9, NULL));
    EXPECT_EQUAL("no link", NULL_INPUT, __nvJitLinkAddData_13_5(NULL, PTX, broken, 9, NULL));
    EXPECT_EQUAL("no link", NULL_INPUT, __nvJitLinkComplete_13_5(NULL));
    EXPECT_EQUAL("no place", NULL_INPUT, __nvJitLinkGetLinkedCubinSize_13_5(l, NULL));
    EXPECT_EQUAL("machine code alone", UNRECOGNIZED_INPUT, __nvJitLinkAddFile_13_5(l, CUBIN, paths[7]));
    destroy(l);
    refuses(PTX_COMPILE, PTX, broken, sizeof broken, "line 4");
    refuses(INCORRECT_INPUT_TYPE, PTX, "hello", 5, "does not match type NVJITLINK_INPUT_PTX");
    refuses(INCORRECT_INPUT_TYPE, CUBIN, broken, sizeof broken, "does not match type NVJITLINK_INPUT_CUBIN");
    refuses(INCORRECT_INPUT_TYPE, LTOIR, "\355CN\177....", 8, "which only NVIDIA's compilers can read");
    refuses(INCORRECT_INPUT_TYPE, FATBIN, "hello", 5, "does not match type NVJITLINK_INPUT_FATBIN");
    refuses(INCORRECT_INPUT_TYPE, OBJECT, "hello", 5, "does not match type NVJITLINK_INPUT_OBJECT");
    refuses(INCORRECT_INPUT_TYPE, LIBRARY, "hello", 5, "does not match type NVJITLINK_INPUT_LIBRARY");
    refuses(INCORRECT_INPUT_TYPE, 0, broken, sizeof broken, "unsupported input type: its name");
    refuses(INCORRECT_INPUT_TYPE, 9, broken, sizeof broken, "unsupported input type: its name");
}

int main(int count, char **paths) {
    unsigned major = 0, minor = 0;
    if (count != 8)
        return 2;
    EXPECT_EQUAL("nvJitLinkVersion", SUCCESS, nvJitLinkVersion(&major, &minor));
    check("its version", major >= 12, "too old");
    options(); /* before the driver is initialized: links need none */
    wrong(paths);
    begin();
    two("two PTX files", PTX, paths[1], paths[2]);
    two("of any type", ANY, paths[1], paths[2]);
    two("a fat binary", FATBIN, paths[3], paths[2]);
    two("an object file", OBJECT, paths[4], paths[2]);
    two("a library", LIBRARY, paths[5], paths[2]);
    two("machine code with PTX beside it", CUBIN, paths[6], paths[2]);
    again(paths);
    return failures != 0;
}
