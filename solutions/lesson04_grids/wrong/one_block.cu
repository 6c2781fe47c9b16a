// expect: access_limit
// says: a single block of one_block_kernel wrote more than half
/* Right and coalesced, and a single block goes through all of the picture. */
#define BEFORE                                                                                                         \
    one_block_kernel<<<1, 1024, 0, stream>>>(in, out, planes);                                                         \
    CUDA_CHECK_LAUNCH();                                                                                               \
    return;

struct picture;
__global__ void one_block_kernel(struct picture in, struct picture out, int planes);

#include "resize.h"

__global__ void one_block_kernel(struct picture in, struct picture out, int planes) {
    for (int row = threadIdx.x / 32; row < out.height * planes; row += blockDim.x / 32) {
        int y = row % out.height, z = row / out.height;
        float v = (y + 0.5f) * in.height / out.height - 0.5f;
        for (int x = threadIdx.x % 32; x < out.width; x += 32) {
            row_of(out, y, z)[x] = sample(in, (x + 0.5f) * in.width / out.width - 0.5f, v, z);
        }
    }
}
