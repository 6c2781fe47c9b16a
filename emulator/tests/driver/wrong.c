/* What is wrong is said: a call's error with the driver's words, and a kernel's with its line. Argument: PTX. The suite looks at
 * what stands on standard error. */
#include "driver_test.h"

int main(int count, char **arguments) {
    size_t size;
    CUmodule m;
    CUfunction f;
    CUdeviceptr p, none = 0;
    begin();
    if (count != 2)
        return 2;
    MUST(cuModuleLoadData(&m, file_bytes(arguments[1], &size)));
    MUST(cuModuleGetFunction(&f, m, "write_to"));
    MUST(cuMemAlloc(&p, 4));
    EXPECT(CUDA_ERROR_INVALID_VALUE, cuMemFree(p + 1));
    EXPECT(CUDA_ERROR_NOT_SUPPORTED, cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                                                                CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
    void *right[] = {&p}, *wrong[] = {&none};
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(f, 1, 1, 1, 2, 1, 1, 0, NULL, right, NULL)); /* two threads write one word */
    EXPECT(CUDA_SUCCESS, cuCtxSynchronize());
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, NULL, wrong, NULL));
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    EXPECT(CUDA_ERROR_ILLEGAL_ADDRESS, cuMemAlloc(&p, 4));
    return failures != 0;
}
