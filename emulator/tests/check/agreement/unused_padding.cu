// expect: none
// checks: all,unused
/* All that a program may use of pitched memory is used; so are a structure with a hole and what is only filled. */
#include "agreement.h"

struct pair {
    char c;
    int i;
};

__global__ void kernel(char *image, size_t pitch, pair *pairs) {
    for (int row = 0; row < 3; row++)
        image[row * pitch + threadIdx.x] = 1;
    pairs[threadIdx.x].c = 1;
    pairs[threadIdx.x].i = 1;
}

int main() {
    char *image = nullptr;
    size_t pitch = 0;
    pair *pairs = device_raw<pair>(BLOCK);
    device<int>(BLOCK);
    CUDA(cudaMallocPitch(&image, &pitch, BLOCK, 3));
    kernel<<<1, BLOCK>>>(image, pitch, pairs);
    CUDA(cudaFree(image));
    return finish();
}
