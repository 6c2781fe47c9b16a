// Memory from a thread's own stack (alloca), and sparse matrix products: half of A's elements, and metadata that say which.
// arch: sm_90
#include "program.h"
#include <alloca.h>

// Each thread takes as much as it needs, in a function that calls itself.
static __device__ __noinline__ int sum_of_prefixes(int n) {
    int *taken = (int *)alloca(n * sizeof(int));
    for (int i = 0; i < n; i++)
        taken[i] = i + 1;
    int below = n > 1 ? sum_of_prefixes(n - 1) : 0;
    for (int i = 0; i < n; i++)
        below += taken[i];
    return below;
}

static __global__ void prefixes(int *out) {
    out[threadIdx.x] = sum_of_prefixes(threadIdx.x % 12 + 1);
}

// 16 x 32 (half of it stored) by 32 x 8. Row r keeps elements r % 3 and 3 of each four.
static __global__ void sparse(const int8_t *a, const int8_t *b, int *d) {
    int lane = threadIdx.x, row = lane / 4, column = lane % 4;
    unsigned ra[2], rb[2], metadata = 0;
    int rd[4] = {0, 0, 0, 0};
    for (int r = 0; r < 2; r++)
        ra[r] = *(const unsigned *)&a[(row + 8 * r) * 16 + 4 * column];
    for (int r = 0; r < 2; r++)
        rb[r] = *(const unsigned *)&b[row * 32 + 16 * r + 4 * column];
    int described = row + 8 * (lane % 2); // lanes 0 and 1 of each four: selector 0
    for (int chunk = 0; chunk < 8; chunk++)
        metadata |= (unsigned)(described % 3 | 3 << 2) << 4 * chunk;
    asm("mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, "
        "{%0,%1,%2,%3}, %8, 0x0;"
        : "+r"(rd[0]), "+r"(rd[1]), "+r"(rd[2]), "+r"(rd[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(rb[0]), "r"(rb[1]), "r"(metadata));
    for (int i = 0; i < 4; i++)
        d[(row + i / 2 * 8) * 8 + 2 * column + i % 2] = rd[i];
}

int main() {
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 16 << 10)); // twelve calls deep: more than a kernel is given by default
    int found[128], expected[128];
    int *out = device_zeros<int>(128);
    prefixes<<<1, 96>>>(out);
    FINISH();
    from_device(found, out, 96);
    for (int i = 0; i < 96; i++) {
        expected[i] = 0;
        for (int n = 1; n <= i % 12 + 1; n++)
            expected[i] += n * (n + 1) / 2;
    }
    check_equal("alloca in recursion", expected, found, 96);

    int8_t a[16 * 16], b[8 * 32]; // b: column after column
    uint32_t state = 5;
    for (int i = 0; i < 256; i++) {
        a[i] = (int8_t)next_random(&state);
        b[i] = (int8_t)next_random(&state);
    }
    sparse<<<1, 32>>>(to_device(a, 256), to_device(b, 256), out);
    FINISH();
    from_device(found, out, 128);
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) {
            int sum = 0;
            for (int k = 0; k < 16; k++)
                sum += a[i * 16 + k] * b[j * 32 + k / 2 * 4 + (k % 2 ? 3 : i % 3)];
            expected[i * 8 + j] = sum;
        }
    check_equal("sparse product", expected, found, 128);
    return program_failures != 0;
}
