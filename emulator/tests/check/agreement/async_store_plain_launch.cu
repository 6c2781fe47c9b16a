// expect: launch_failure
// arch: sm_90
/* st.async is for clusters: in a launch without cluster dimensions it is an illegal instruction. */
#include "agreement.h"

#include <cstdint>

__global__ void kernel(int *y) {
    __shared__ alignas(16) int stored[BLOCK];
    __shared__ uint64_t barrier;
    int i = threadIdx.x;
    uint32_t at = (uint32_t)__cvta_generic_to_shared(&barrier), to = (uint32_t)__cvta_generic_to_shared(&stored[i]);
    uint32_t over = 0;
    if (i == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(at), "r"(4 * BLOCK) : "memory");
    }
    __syncthreads();
    asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(to), "r"(i),
                 "r"(at)
                 : "memory");
    while (!over)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
                     : "=r"(over)
                     : "r"(at)
                     : "memory");
    y[i] = stored[i];
}

int main() {
    int *y = device<int>(4 * BLOCK);
    kernel<<<1, BLOCK>>>(y);
    return finish();
}
