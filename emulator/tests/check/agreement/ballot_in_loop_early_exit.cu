// expect: none
/* A vote of all lanes in a loop that some leave earlier, at once and for good. */
#include "agreement.h"

__global__ void kernel(int *x, int *y) {
    int i = threadIdx.x, votes = 0;
#pragma unroll 1
    for (int k = 0; k < 4; k++) {
        if (k > i / 8)
            return;
        votes += __popc(__ballot_sync(0xffffffffu, x[i] == 0));
        y[i] = votes;
    }
}

int main() {
    int *x = device<int>(4 * BLOCK), *y = device<int>(4 * BLOCK);
    kernel<<<1, 32>>>(x, y);
    return finish();
}
