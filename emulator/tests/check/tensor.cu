/* Matrix instructions given what they must not be given. See memory.cu for the comments. */
#include <mma.h>

#include "run_case.h"

using namespace nvcuda;

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> tile;

// EXPECT wmma_beyond 700 out_of_bounds
// SAYS Invalid __global__ read of size 16 bytes
// SAYS is out of bounds
// SAYS and is 1 bytes after the nearest allocation
__global__ void wmma_beyond(const half *x, half *y) { /* the last row is not there */
    tile a;
    wmma::load_matrix_sync(a, x, 16);
    y[threadIdx.x] = a.x[0];
}
static void case_wmma_beyond(void) {
    wmma_beyond<<<1, 32>>>(device_array<half>(15 * 16), device_array<half>(32));
}

// EXPECT wmma_store_shared 700 out_of_bounds
// SAYS Invalid __shared__ write of size 16 bytes
__global__ void wmma_store_shared(void) { /* room for half of it */
    extern __shared__ __align__(32) float y[];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
    wmma::fill_fragment(c, 1.0f);
    wmma::store_matrix_sync(y, c, 16, wmma::mem_row_major);
}
static void case_wmma_store_shared(void) {
    wmma_store_shared<<<1, 32, 512>>>();
}

// EXPECT wmma_misaligned 716 misaligned
// SAYS is misaligned
__global__ void wmma_misaligned(const half *x, half *y) { /* a row must begin at a multiple of 16 bytes */
    tile a;
    wmma::load_matrix_sync(a, x + 2, 24);
    y[threadIdx.x] = a.x[0];
}
static void case_wmma_misaligned(void) {
    wmma_misaligned<<<1, 32>>>(device_array<half>(1024), device_array<half>(32));
}

// EXPECT wmma_half_warp 719 lost_lane
// SAYS Barrier error detected. Divergent thread(s) in warp.
// SAYS A matrix instruction needs all 32 threads of the warp
__global__ void wmma_half_warp(const half *x, half *y) {
    tile a;
    wmma::load_matrix_sync(a, x, 16);
    y[threadIdx.x] = a.x[0];
}
static void case_wmma_half_warp(void) {
    wmma_half_warp<<<1, 16>>>(device_array<half>(256), device_array<half>(32));
}

// EXPECT wmma_pointer_per_thread 719 launch_failure
// SAYS The threads of a warp pass different addresses or strides.
__global__ void wmma_pointer_per_thread(const half *x, half *y) { /* as if each thread had its own tile */
    tile a;
    wmma::load_matrix_sync(a, x + threadIdx.x * 256, 16);
    y[threadIdx.x] = a.x[0];
}
static void case_wmma_pointer_per_thread(void) {
    wmma_pointer_per_thread<<<1, 32>>>(device_array<half>(32 * 256), device_array<half>(32));
}

// EXPECT ldmatrix_global 700 out_of_bounds
__global__ void ldmatrix_global(const half *x, unsigned *y) { /* it reads shared memory only */
    unsigned d;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(d) : "l"(x + threadIdx.x % 8 * 8));
    y[threadIdx.x] = d;
}
static void case_ldmatrix_global(void) {
    ldmatrix_global<<<1, 32>>>(device_array<half>(64), device_array<unsigned>(32));
}

int main(int argc, char **argv) {
    static const struct test_case cases[] = {
        CASE(wmma_beyond),    CASE(wmma_store_shared),       CASE(wmma_misaligned),
        CASE(wmma_half_warp), CASE(wmma_pointer_per_thread), CASE(ldmatrix_global),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
