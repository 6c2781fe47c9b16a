// wgmma's descriptors in a cluster. Of an address of shared memory 18 bits belong there; who puts all of them there has
// the block's rank in the leading distance, and wgmma reads somewhere else. All that it may read is filled, and the sums
// are those of what lies there.
// arch: sm_90a
#include "program.h"
#include <cooperative_groups.h>
#include <cuda_bf16.h>

namespace cg = cooperative_groups;

enum { THREADS = 128, ROWS = 64, K = 16, BYTES = 32768, MOST = 8 };

// How B lies: as A, rows along K and no swizzle; or the columns side by side, in rows of 32 or 128 bytes.
enum layout { PLAIN, SWIZZLE_32, SWIZZLE_128, LAYOUTS };
static const struct {
    const char *name;
    int columns, stride, leading; // bytes
} layouts[LAYOUTS] = {{"no swizzle", 32, 1024, 4096}, {"32 bytes", 32, 256, 2048}, {"128 bytes", 128, 1024, 4096}};

enum { A_STRIDE = 512, A_LEADING = 4224, B_AT = 16384 };

template <int LAYOUT> static constexpr int columns = LAYOUT == SWIZZLE_128 ? 128 : 32;

#define SUMS_4(i)  "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3])
#define SUMS_16(i) SUMS_4(i), SUMS_4(i + 4), SUMS_4(i + 8), SUMS_4(i + 12)

// The last numbers: nothing is negated, A along K, B along K (0) or along N (1).
template <int ALONG> static __device__ void multiply(float (&sum)[16], uint64_t a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                 "%11, %12, %13, %14, %15}, %16, %17, 1, 1, 1, 0, %18;"
                 : SUMS_16(0)
                 : "l"(a), "l"(b), "n"(ALONG));
}
template <int ALONG> static __device__ void multiply(float (&sum)[64], uint64_t a, uint64_t b) {
    asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, "
                 "%11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, "
                 "%31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, "
                 "%51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, %64, %65, 1, 1, 1, 0, %66;"
                 : SUMS_16(0), SUMS_16(16), SUMS_16(32), SUMS_16(48)
                 : "l"(a), "l"(b), "n"(ALONG));
}

static __device__ uint64_t descriptor(const void *p, int stride, int leading, int layout, uint32_t mask) {
    const uint64_t swizzles[] = {0, 3, 1};
    uint32_t address = (uint32_t)__cvta_generic_to_shared(p) & mask;
    return (uint64_t)(address >> 4) | (uint64_t)(leading >> 4) << 16 | (uint64_t)(stride >> 4) << 32 |
           swizzles[layout] << 62;
}

template <int LAYOUT>
static __global__ void product(const uint4 *in, float *out, int stride, int leading, uint32_t mask_a, uint32_t mask_b) {
    extern __shared__ __align__(1024) uint8_t shared[];
    float sum[columns<LAYOUT> / 2] = {};
    for (int i = threadIdx.x; i < BYTES / 16; i += THREADS)
        ((uint4 *)shared)[i] = in[i];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    uint64_t a = descriptor(shared, A_STRIDE, A_LEADING, PLAIN, mask_a);
    uint64_t b = descriptor(shared + B_AT, stride, leading, LAYOUT, mask_b);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    multiply<LAYOUT == PLAIN ? 0 : 1>(sum, a, b);
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;" ::: "memory");
    int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
    for (int i = 0; i < columns<LAYOUT> / 2; i++)
        out[((size_t)blockIdx.x * ROWS + row + i / 2 % 2 * 8) * columns<LAYOUT> + column + i / 4 * 8 + i % 2] = sum[i];
}

// ---- the same on the host ----

static float element(const __nv_bfloat16 *shared, int place) {
    return __bfloat162float(shared[place / 2]);
}

static float a_at(const __nv_bfloat16 *shared, int leading, int row, int k) {
    return element(shared, row / 8 * A_STRIDE + k / 8 * leading + row % 8 * 16 + k % 8 * 2);
}

static float b_at(const __nv_bfloat16 *shared, int layout, int stride, int leading, int k, int column) {
    int width = layout == SWIZZLE_32 ? 32 : 128, across = width / 2;
    if (layout == PLAIN)
        return element(shared, B_AT + column / 8 * stride + k / 8 * leading + column % 8 * 16 + k % 8 * 2);
    int place = B_AT + column / across * leading + k / 8 * stride + k % 8 * width + column % across * 2;
    return element(shared, place ^ (place >> 7 & (width / 16 - 1)) << 4);
}

static void multiply_on_host(const __nv_bfloat16 *shared, int layout, int leading_a, int leading_b, float *out) {
    int n = layouts[layout].columns;
    for (int row = 0; row < ROWS; row++)
        for (int column = 0; column < n; column++) {
            float sum = 0;
            for (int k = 0; k < K; k++)
                sum += a_at(shared, leading_a, row, k) *
                       b_at(shared, layout, layouts[layout].stride, leading_b, k, column);
            out[row * n + column] = sum;
        }
}

template <int LAYOUT> static void launch(int cluster, const uint4 *in, float *out, uint32_t mask_a, uint32_t mask_b) {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = cluster;
    config.blockDim = THREADS;
    config.dynamicSmemBytes = BYTES;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, product<LAYOUT>, in, out, layouts[LAYOUT].stride, layouts[LAYOUT].leading, mask_a,
                            mask_b));
    FINISH();
}

template <int LAYOUT>
static void test(const __nv_bfloat16 *shared, const uint4 *in, float *out, int cluster, bool mask_a, bool mask_b) {
    enum { COUNT = ROWS * columns<LAYOUT> };
    static float found[MOST * COUNT], right[COUNT];
    const uint32_t masks[] = {~0u, 0x3ffff};
    launch<LAYOUT>(cluster, in, out, masks[mask_a], masks[mask_b]);
    from_device(found, out, cluster * COUNT);
    for (int rank = 0; rank < cluster; rank++) {
        char name[100];
        int more = rank << 24 >> 4 >> 16 << 4; // bytes that the rank is in a leading distance
        multiply_on_host(shared, LAYOUT, A_LEADING + (mask_a ? 0 : more), layouts[LAYOUT].leading + (mask_b ? 0 : more),
                         right);
        snprintf(name, sizeof name, "%s, A %s, B %s, rank %d of %d", layouts[LAYOUT].name, mask_a ? "masked" : "whole",
                 mask_b ? "masked" : "whole", rank, cluster);
        check_equal(name, right, found + rank * COUNT, COUNT);
        show_bits(name, found + rank * COUNT, COUNT);
    }
}

int main() {
    static __nv_bfloat16 shared[BYTES / 2];
    uint32_t state = 19;
    for (auto &x : shared)
        x = __float2bfloat16((float)(int)(next_random(&state) % 9) - 4); // the sums are exact
    uint4 *in = (uint4 *)to_device(shared, BYTES / 2);
    float *out = device_zeros<float>(MOST * ROWS * 128);
    for (int cluster : {1, 2, 8})
        for (int masks = 3; masks >= 0; masks--) {
            test<PLAIN>(shared, in, out, cluster, masks & 1, masks & 2);
            test<SWIZZLE_32>(shared, in, out, cluster, masks & 1, masks & 2);
            test<SWIZZLE_128>(shared, in, out, cluster, masks & 1, masks & 2);
        }
    return program_failures != 0;
}
