// A cluster of one block that the launch asks for: arriving at its barrier long before waiting, and stores and reductions into
// its shared memory that an mbarrier counts. Launched without cluster dimensions, an H200 ends the first of these kernels
// never and the second with cudaErrorIllegalInstruction.
// arch: sm_90
#include "program.h"
#include <cooperative_groups.h>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

#define BLOCK 96

// One warp has arrived long before the other waits, and goes on; some threads leave early.
static __global__ void late(int *out) {
    __shared__ volatile int flag;
    if (threadIdx.x == 0)
        flag = 0;
    __syncthreads();
    if (threadIdx.x >= 64)
        return;
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    if (threadIdx.x < 32) {
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
        if (threadIdx.x == 0)
            flag = 7;
        __syncwarp();
    } else {
        while (flag != 7)
            ;
        asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    }
    out[threadIdx.x] = flag;
}

// Stores and sums arrive at an mbarrier, 16 bytes and 4 bytes a thread.
static __global__ void async(int *out) {
    __shared__ alignas(16) int stored[4 * BLOCK];
    __shared__ unsigned sums[BLOCK];
    __shared__ uint64_t barrier;
    int i = threadIdx.x, other = BLOCK - 1 - i;
    sums[i] = 5 * i;
    if (i == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    cg::this_cluster().sync();
    if (i == 0)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, 20 * BLOCK);
    const int four[4] = {i, i + 1, i + 2, i + 3};
    ptx::st_async(&stored[4 * other], four, &barrier);
    ptx::red_async(ptx::op_add, &sums[other], (uint32_t)i, &barrier);
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0))
        ;
    out[i] = stored[4 * i] + 1000 * stored[4 * i + 3];
    out[BLOCK + i] = sums[i];
}

static void launch_cluster(void (*kernel)(int *), int *out) {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = 1;
    config.blockDim = BLOCK;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, kernel, out));
    FINISH();
}

int main() {
    static int values[2 * BLOCK], right[2 * BLOCK];
    int *out = device_zeros<int>(2 * BLOCK);
    launch_cluster(late, out);
    from_device(values, out, 64);
    for (int i = 0; i < 64; i++)
        right[i] = 7;
    check_equal("arriving without waiting", right, values, 64);

    launch_cluster(async, out);
    from_device(values, out, 2 * BLOCK);
    for (int i = 0; i < BLOCK; i++) {
        int other = BLOCK - 1 - i;
        right[i] = other + 1000 * (other + 3);
        right[BLOCK + i] = 5 * i + other;
    }
    check_equal("st.async and red.async", right, values, 2 * BLOCK);
    return program_failures != 0;
}
