/* cuLink...: two PTX texts become one module. Arguments: the two. */
#include "driver_test.h"

static void both(char **paths) {
    CUlinkState s;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p;
    void *image;
    size_t size, bytes;
    int x = 21, value = 0;
    EXPECT(CUDA_SUCCESS, cuLinkCreate(0, NULL, NULL, &s));
    char *text = file_bytes(paths[1], &bytes);
    EXPECT(CUDA_SUCCESS, cuLinkAddData(s, CU_JIT_INPUT_PTX, text, bytes + 1, "a.ptx", 0, NULL, NULL));
    EXPECT(CUDA_SUCCESS, cuLinkAddFile(s, CU_JIT_INPUT_PTX, paths[2], 0, NULL, NULL));
    EXPECT(CUDA_SUCCESS, cuLinkComplete(s, &image, &size));
    EXPECT(CUDA_SUCCESS, cuModuleLoadData(&m, image));
    EXPECT(CUDA_SUCCESS, cuLinkDestroy(s));
    EXPECT(CUDA_SUCCESS, cuModuleGetFunction(&f, m, "call_twice"));
    MUST(cuMemAlloc(&p, 4));
    void *arguments[] = {&p, &x};
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL));
    MUST(cuMemcpyDtoH(&value, p, 4));
    EXPECT_EQUAL("a call across files", 42, value);
    MUST(cuMemFree(p));
    MUST(cuModuleUnload(m));
    free(text);
}

static void one_is_missing(char **paths) {
    CUlinkState s;
    char log[1000] = "";
    void *image;
    size_t size;
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    MUST(cuLinkCreate(2, options, values, &s));
    MUST(cuLinkAddFile(s, CU_JIT_INPUT_PTX, paths[1], 0, NULL, NULL));
    CUresult error = cuLinkComplete(s, &image, &size);
    EXPECT_EQUAL("a function that is nowhere is an error", CUDA_ERROR_INVALID_SOURCE, error);
    check("the log names it", strstr(log, "twice"), log);
    EXPECT(CUDA_SUCCESS, cuLinkDestroy(s));
    MUST(cuLinkCreate(0, NULL, NULL, &s));
    EXPECT(CUDA_ERROR_FILE_NOT_FOUND, cuLinkAddFile(s, CU_JIT_INPUT_PTX, "/no/such/file", 0, NULL, NULL));
    EXPECT(CUDA_SUCCESS, cuLinkDestroy(s));
}

int main(int count, char **arguments) {
    begin();
    if (count != 3)
        return 2;
    both(arguments);
    one_is_missing(arguments);
    return failures != 0;
}
