// expect: none
/* A flag as cuda::atomic_ref, released and acquired. */
#include "agreement.h"

#include <cuda/atomic>

__global__ void kernel(int *x, int *y) {
    cuda::atomic_ref<int, cuda::thread_scope_device> flag(x[100]);
    if (blockIdx.x == 0) {
        y[0] = 42;
        flag.store(1, cuda::memory_order_release);
    } else {
        while (flag.load(cuda::memory_order_acquire) == 0)
            ;
        y[1] = y[0];
    }
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<2, 1>>>(x, y);
    return finish();
}
