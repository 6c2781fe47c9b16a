// expect: unused
// checks: all,unused
/* Memory that is allocated and freed, and that nobody uses. */
#include "agreement.h"

__global__ void kernel(int *y) {
    y[threadIdx.x] = threadIdx.x;
}

int main() {
    int *x = device_raw<int>(BLOCK), *y = device_raw<int>(BLOCK);
    kernel<<<1, BLOCK>>>(y);
    (void)x;
    return finish();
}
