/* Functions by name, in the form that a version of CUDA has. */
#include "driver_test.h"

static void *find(const char *name, int version, CUdriverProcAddressQueryResult expected) {
    char text[200];
    void *function = (void *)1;
    CUdriverProcAddressQueryResult result = (CUdriverProcAddressQueryResult)9;
    CUresult error = cuGetProcAddress(name, &function, version, CU_GET_PROC_ADDRESS_DEFAULT, &result);
    snprintf(text, sizeof text, "%s for CUDA %d", name, version);
    EXPECT_EQUAL(text, expected, result);
    check("asking is no error", error == CUDA_SUCCESS, error_name(error));
    return function;
}

int main(void) {
    CUdeviceptr p = 0;
    int version = 0;
    cuDriverGetVersion(&version);
    begin();
    CUresult (*allocate)(CUdeviceptr *, size_t) =
        (CUresult(*)(CUdeviceptr *, size_t))(uintptr_t)find("cuMemAlloc", version, CU_GET_PROC_ADDRESS_SUCCESS);
    check("the newest form is what the header means", allocate == cuMemAlloc, "another");
    EXPECT(CUDA_SUCCESS, allocate(&p, 100));
    EXPECT(CUDA_SUCCESS, cuMemFree(p));
    void *none = find("cuNoSuchFunction", version, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
    check("there is none", !none, "there is");
    none = find("cuLaunchKernelEx", 11000, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
    check("none in that version", !none, "there is");
    void *old = find("cuCtxCreate", 11000, CU_GET_PROC_ADDRESS_SUCCESS);
    void *new = find("cuCtxCreate", 11040, CU_GET_PROC_ADDRESS_SUCCESS);
    check("forms differ by version", old != new, "they do not");
    if (version >= 12050) {
        old = find("cuStreamGetCtx", 9020, CU_GET_PROC_ADDRESS_SUCCESS);
        new = find("cuStreamGetCtx", 12050, CU_GET_PROC_ADDRESS_SUCCESS);
        check("the form with green contexts", old != new, "the same");
    }
    if (version >= 12030) {
        old = find("cuGraphAddKernelNode", 11080, CU_GET_PROC_ADDRESS_SUCCESS);
        new = find("cuGraphAddKernelNode", 12000, CU_GET_PROC_ADDRESS_SUCCESS);
        check("the form with a context", old != new, "the same");
        old = find("cuGraphGetEdges", 12020, CU_GET_PROC_ADDRESS_SUCCESS);
        new = find("cuGraphGetEdges", 12030, CU_GET_PROC_ADDRESS_SUCCESS);
        check("the form with data of edges", old != new, "the same");
    }
    void *own_stream = NULL;
    EXPECT(CUDA_SUCCESS, cuGetProcAddress("cuLaunchKernel", &own_stream, version,
                                          CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, NULL));
    check("the twin for a thread's own stream", own_stream && own_stream != (void *)(uintptr_t)cuLaunchKernel,
          "the same");
    if (refuses_nonsense())
        EXPECT(CUDA_ERROR_INVALID_VALUE, cuGetProcAddress(NULL, &own_stream, version, 0, NULL));
    return failures != 0;
}
