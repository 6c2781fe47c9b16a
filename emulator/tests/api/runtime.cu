// Versions, the names and meanings of all errors, the driver's functions, the profiler's switch, the error log.
#include "api_test.h"
#include <cuda_profiler_api.h>

__global__ void nothing() {}

static void versions() {
    int v = 0;
    EXPECT(cudaSuccess, cudaRuntimeGetVersion(&v));
    EXPECT_EQUAL("the runtime's version", CUDART_VERSION, v);
    EXPECT(cudaSuccess, cudaDriverGetVersion(&v));
    check("the driver is not older", v >= CUDART_VERSION, "it is");
    EXPECT(cudaErrorInvalidValue, cudaRuntimeGetVersion(0));
    EXPECT(cudaErrorInvalidValue, cudaDriverGetVersion(0));
}

/* All codes up to 1100 in one number, so that a change of any name is seen. */
static void errors() {
    unsigned long long names = 5381, texts = 5381;
    int known = 0;
    for (int code = 0; code < 1100; code++) {
        const char *name = cudaGetErrorName((cudaError_t)code), *text = cudaGetErrorString((cudaError_t)code);
        if (strcmp(name, "unrecognized error code")) {
            known++;
        }
        for (const char *c = name; *c; c++)
            names = names * 33 + (unsigned char)*c;
        for (const char *c = text; *c; c++)
            texts = texts * 33 + (unsigned char)*c;
    }
#if CUDART_VERSION / 1000 == 13
    EXPECT_EQUAL("known errors", 133, known);
    EXPECT_EQUAL("all names", 0x65edb701fc70bda7ull, names);
    EXPECT_EQUAL("all meanings", 0x2e267c81798e4943ull, texts);
#endif
}

#if CUDART_VERSION >= 12050
static void driver_functions() {
    void *f = (void *)1;
    cudaDriverEntryPointQueryResult r = (cudaDriverEntryPointQueryResult)9;
    EXPECT(cudaSuccess, cudaGetDriverEntryPointByVersion("cuNobodyHasThis", &f, 12000, cudaEnableDefault, &r));
    EXPECT_EQUAL("not found", cudaDriverEntryPointSymbolNotFound, r);
    EXPECT_EQUAL("no function", 0, (size_t)f);
    EXPECT(cudaSuccess, cudaGetDriverEntryPointByVersion("cuDriverGetVersion", &f, 12000, cudaEnableDefault, &r));
    EXPECT_EQUAL("found", cudaDriverEntryPointSuccess, r);
    check("a function", f != 0, "none");
    int v = 0;
    EXPECT_EQUAL("it can be called", 0, ((int (*)(int *))f)(&v));
    check("and answers", v >= CUDART_VERSION, "wrong");
    EXPECT(cudaSuccess, cudaGetDriverEntryPointByVersion("cuDeviceGetCount", &f, 12000, cudaEnableDefault, &r));
    EXPECT_EQUAL("devices are counted", 0, ((int (*)(int *))f)(&v));
    EXPECT(cudaSuccess, cudaGetDriverEntryPointByVersion("cuDeviceGetCount", &f, 1000, cudaEnableDefault, &r));
    EXPECT_EQUAL("an old version", cudaDriverEntryPointVersionNotSufficent, r);
    EXPECT(cudaSuccess, cudaGetDriverEntryPointByVersion("cuDeviceGetCount", &f, 12000, cudaEnableDefault, 0));
    EXPECT(cudaErrorInvalidValue, cudaGetDriverEntryPointByVersion("cuInit", &f, 12000, 77, &r));
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    EXPECT(cudaSuccess, cudaGetDriverEntryPoint("cuInit", &f, cudaEnableDefault, &r));
    EXPECT_EQUAL("found without a version", cudaDriverEntryPointSuccess, r);
    EXPECT(cudaSuccess, cudaGetDriverEntryPointByVersion("", &f, 12000, cudaEnableDefault, &r));
    EXPECT_EQUAL("nothing has no name", cudaDriverEntryPointSymbolNotFound, r);
}
#else
static void driver_functions() {}
#endif

#if CUDART_VERSION >= 13000
static int calls;
static char last[2000];
static cudaLogLevel level = (cudaLogLevel)9;
static void logged(void *data, cudaLogLevel l, char *message, size_t length) {
    calls++;
    level = l;
    snprintf(last, sizeof last, "%.*s", (int)length, message);
    if (data != last)
        calls += 1000;
}

static void logs() {
    cudaLogsCallbackHandle handle = 0;
    cudaLogIterator now = 77;
    char text[5000] = "";
    size_t size = sizeof text;
    EXPECT(cudaSuccess, cudaLogsRegisterCallback(logged, last, &handle));
    EXPECT(cudaSuccess, cudaLogsCurrent(&now, 0));
    nothing<<<1, 5000>>>();
    cudaError_t e = cudaGetLastError();
    check("an error is logged", calls >= 1 && calls < 1000, "it is not");
    EXPECT_EQUAL("as an error", cudaLogLevelError, level);
    EXPECT_EQUAL("which it is", cudaErrorInvalidValue, e);
    size = sizeof text;
    EXPECT(cudaSuccess, cudaLogsDumpToMemory(&now, text, &size, 0));
    check("what was logged is in memory", strlen(text) > 0 && strlen(text) == size, "nothing");
    check("with the last message", strstr(text, last) != NULL, text);
    size = sizeof text;
    EXPECT(cudaSuccess, cudaLogsDumpToMemory(&now, text, &size, 0));
    EXPECT_EQUAL("nothing new since", 0, size);
    size = 4;
    EXPECT(cudaErrorInvalidValue, cudaLogsDumpToMemory(0, text, &size, 0));
    EXPECT_EQUAL("no message in 4 bytes", 0, size);
    size = sizeof text;
    EXPECT(cudaSuccess, cudaLogsDumpToMemory(0, text, &size, 0));
    check("all that was logged", size > 0, "nothing");
    EXPECT(cudaSuccess, cudaLogsCurrent(&now, 1));
    EXPECT(cudaErrorInvalidValue, cudaLogsRegisterCallback(0, last, &handle));
    EXPECT(cudaSuccess, cudaLogsDumpToFile(0, "/tmp/cuda_log_test", 0));
    unlink("/tmp/cuda_log_test");
    calls = 0;
    EXPECT(cudaSuccess, cudaLogsUnregisterCallback(handle));
    nothing<<<1, 5000>>>();
    cudaGetLastError();
    EXPECT_EQUAL("no calls any more", 0, calls);
    EXPECT(cudaErrorInvalidValue, cudaLogsUnregisterCallback(0));
}
#else
static void logs() {}
#endif

int main() {
    MUST(cudaFree(0));
    versions();
    errors();
    driver_functions();
    EXPECT(cudaSuccess, cudaProfilerStart());
    EXPECT(cudaSuccess, cudaProfilerStop());
    logs();
    EXPECT(cudaSuccess, cudaDeviceSynchronize());
    return failures != 0;
}
