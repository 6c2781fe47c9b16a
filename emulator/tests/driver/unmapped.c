/* A kernel accesses what it cannot, once: each ends the context. Arguments: PTX, and hole, across, none, read-only, unmapped, or new: memory
 * that nobody has written, which a GPU lets pass. */
#include "driver_test.h"

static void set_access(CUdeviceptr p, size_t size, CUmemAccess_flags flags) {
    const CUmemAccessDesc access = {.location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}, .flags = flags};
    MUST(cuMemSetAccess(p, size, &access, 1));
}

static void map_new(CUdeviceptr p, size_t size) {
    const CUmemAllocationProp on_device = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                           .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
    CUmemGenericAllocationHandle handle;
    MUST(cuMemCreate(&handle, size, &on_device, 0));
    MUST(cuMemMap(p, size, 0, handle, 0));
    MUST(cuMemRelease(handle));
    set_access(p, size, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
}

int main(int count, char **arguments) {
    const size_t unit = (size_t)2 << 20;
    CUmodule module;
    CUfunction scale;
    size_t size;
    if (count != 3)
        return 2;
    begin();
    char *ptx = file_bytes(arguments[1], &size), *what = arguments[2];
    MUST(cuModuleLoadData(&module, ptx));
    MUST(cuModuleGetFunction(&scale, module, "scale"));
    CUdeviceptr p;
    MUST(cuMemAddressReserve(&p, 3 * unit, 0, 0, 0)); /* all but the second unit are mapped */
    map_new(p, unit);
    map_new(p + 2 * unit, unit);
    CUdeviceptr to = p, from = p + 2 * unit;
    float factor = 2;
    int n = 32;
    void *list[] = {&to, &from, &factor, &n};
    MUST(cuMemsetD8(from, 0, unit));
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, list, NULL));
    EXPECT(CUDA_SUCCESS, cuCtxSynchronize());
    if (!strcmp(what, "hole"))
        to = p + unit;
    else if (!strcmp(what, "across"))
        to = p + unit - 64;
    else if (!strcmp(what, "none"))
        set_access(from, unit, CU_MEM_ACCESS_FLAGS_PROT_NONE);
    else if (!strcmp(what, "read-only"))
        set_access(p, unit, CU_MEM_ACCESS_FLAGS_PROT_READ);
    else if (!strcmp(what, "unmapped"))
        MUST(cuMemUnmap(p, unit));
    if (!strcmp(what, "new")) {
        MUST(cuMemUnmap(from, unit));
        map_new(from, unit);
    }
    EXPECT(CUDA_SUCCESS, cuLaunchKernel(scale, 1, 1, 1, 32, 1, 1, 0, NULL, list, NULL));
    EXPECT(strcmp(what, "new") ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS, cuCtxSynchronize());
    free(ptx);
    return failures != 0;
}
