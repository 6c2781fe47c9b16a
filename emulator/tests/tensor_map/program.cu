// Tensor maps as programs use them: made through the runtime's entry point, handed over in each way, tiles loaded, computed with and stored.
// arch: sm_90a
#include "../programs/program.h"
#include <cuda.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cuda_bf16.h>

namespace ptx = cuda::ptx;
namespace cde = cuda::device::experimental;
using barrier = cuda::barrier<cuda::thread_scope_block>;

// ---- making maps ----

template <typename function> static function entry_point(const char *name) {
    void *found = NULL;
    cudaDriverEntryPointQueryResult status;
    CUDA(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &status));
    if (status != cudaDriverEntryPointSuccess)
        exit(1);
    return (function)found;
}

struct layout {
    CUtensorMapDataType type;
    unsigned rank;
    cuuint64_t size[5], stride[4];
    cuuint32_t box[5], step[5];
    CUtensorMapSwizzle swizzle;
};

static CUtensorMap tiled_map(void *tensor, layout l) {
    CUtensorMap map;
    auto encode = entry_point<decltype(&cuTensorMapEncodeTiled)>("cuTensorMapEncodeTiled");
    for (unsigned i = 0; i < l.rank; i++)
        l.step[i] = l.step[i] ? l.step[i] : 1;
    CUresult error =
        encode(&map, l.type, l.rank, tensor, l.size, l.stride, l.box, l.step, CU_TENSOR_MAP_INTERLEAVE_NONE, l.swizzle,
               CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (error != CUDA_SUCCESS) {
        printf("not ok cuTensorMapEncodeTiled: %d\n", (int)error);
        exit(1);
    }
    return map;
}

// A matrix of ints, and boxes of it.
static CUtensorMap matrix_map(int *matrix, unsigned width, unsigned height, unsigned box_width, unsigned box_height,
                              CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_NONE) {
    layout l = {CU_TENSOR_MAP_DATA_TYPE_INT32, 2,  {width, height}, {width * 4ull},
                {box_width, box_height},       {}, swizzle};
    return tiled_map(matrix, l);
}

static int *numbers(size_t n, uint32_t seed) {
    int *x = (int *)malloc(n * sizeof *x);
    for (size_t i = 0; i < n; i++)
        x[i] = (int)(next_random(&seed) % 10000) - 5000;
    return x;
}

// ---- waiting ----

__device__ void begin_mbarrier(uint64_t *bar) {
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    __syncthreads();
}
__device__ void wait_mbarrier(uint64_t *bar, unsigned phase) {
    while (!ptx::mbarrier_try_wait_parity(bar, phase & 1))
        ;
}
__device__ void expect_bytes(uint64_t *bar, unsigned bytes) {
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, bar, bytes);
}
__device__ void stores_done() {
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// ---- a tile in, a tile out, by libcu++'s barriers ----

enum { TILE = 32 };

__global__ void negate_tiles(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) int tile[TILE][TILE];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;
    int x = blockIdx.x * TILE, y = blockIdx.y * TILE;
    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &from, x, y, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof tile);
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x)
        tile[i / TILE][i % TILE] = -tile[i / TILE][i % TILE];
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_2d_shared_to_global(&to, x, y, &tile);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

static void test_tiles() {
    const unsigned width = 100, height = 75; // no multiple of a tile
    int *x = numbers(width * height, 1), *y = numbers(width * height, 2), *dx = to_device(x, width * height),
        *dy = to_device(y, width * height);
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    negate_tiles<<<grid, 128>>>(matrix_map(dx, width, height, TILE, TILE), matrix_map(dy, width, height, TILE, TILE));
    FINISH();
    from_device(y, dy, width * height);
    for (unsigned i = 0; i < width * height; i++)
        x[i] = -x[i];
    check_equal("tiles of a matrix that is no multiple of them", x, y, width * height);
    show_bits("tiles", y, width * height);
}

// ---- transposed by a swizzled tile; maps in constant memory and in global
// memory ----

__constant__ CUtensorMap constant_map;

__global__ void transpose(const CUtensorMap *from, int *y, unsigned height, bool constant) {
    __shared__ alignas(1024) int tile[TILE * TILE];
    __shared__ uint64_t bar;
    const int at[] = {(int)blockIdx.x * TILE, (int)blockIdx.y * TILE};
    begin_mbarrier(&bar);
    if (threadIdx.x == 0) {
        if (!constant)
            ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, from, ptx::n32_t<128>());
        expect_bytes(&bar, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, constant ? &constant_map : from, at,
                                  &bar);
    }
    wait_mbarrier(&bar, 0);
    for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
        int row = i % TILE, column = i / TILE; // neighbours read a column
        int piece = column / 4 ^ row % 8;
        y[(at[0] + column) * height + at[1] + row] = tile[row * TILE + piece * 4 + column % 4];
    }
}

static void test_transpose() {
    const unsigned width = 96, height = 64, n = width * height;
    int *x = numbers(n, 3), *y = numbers(n, 4), *expected = numbers(n, 5), *dx = to_device(x, n);
    CUtensorMap map = matrix_map(dx, width, height, TILE, TILE, CU_TENSOR_MAP_SWIZZLE_128B);
    CUtensorMap *global = to_device(&map, 1);
    CUDA(cudaMemcpyToSymbol(constant_map, &map, sizeof map));
    for (unsigned i = 0; i < n; i++)
        expected[i % width * height + i / width] = x[i];
    for (int constant = 0; constant < 2; constant++) {
        int *dy = device_zeros<int>(n);
        transpose<<<dim3(width / TILE, height / TILE), 256>>>(global, dy, height, constant);
        FINISH();
        from_device(y, dy, n);
        check_equal(constant ? "transposed, map in constant memory" : "transposed, map in global memory", expected, y,
                    n);
    }
    show_bits("transposed", y, n);
}

// ---- a ring of stages: sums of columns, a warp that loads and warps that
// compute ----

struct maps {
    CUtensorMap from, to;
};
enum { STAGES = 3, ROWS = 8, COLUMNS = 64 };

__global__ void column_sums(const __grid_constant__ maps m, unsigned height) {
    __shared__ alignas(128) int stage[STAGES][ROWS][COLUMNS];
    __shared__ alignas(128) int sums[COLUMNS];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    unsigned steps = (height + ROWS - 1) / ROWS;
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], COLUMNS);
        }
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == COLUMNS) {
        for (unsigned k = 0; k < steps; k++) {
            const int at[] = {(int)blockIdx.x * COLUMNS, (int)k * ROWS};
            wait_mbarrier(&empty[k % STAGES], k / STAGES + 1);
            expect_bytes(&full[k % STAGES], sizeof stage[0]);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stage[k % STAGES], &m.from, at,
                                      &full[k % STAGES]);
        }
    } else if (threadIdx.x < COLUMNS) {
        int sum = 0;
        for (unsigned k = 0; k < steps; k++) {
            wait_mbarrier(&full[k % STAGES], k / STAGES);
            for (int r = 0; r < ROWS; r++)
                sum += stage[k % STAGES][r][threadIdx.x];
            ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &empty[k % STAGES]);
        }
        sums[threadIdx.x] = sum;
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        const int at[] = {(int)blockIdx.x * COLUMNS};
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &m.to, at, sums);
        stores_done();
    }
}

static void test_stages() {
    const unsigned width = 200, height = 61;
    int *x = numbers(width * height, 6), *y = numbers(width, 7), *dx = to_device(x, width * height),
        *dy = to_device(y, width), *found = numbers(width, 8);
    layout sums = {CU_TENSOR_MAP_DATA_TYPE_INT32, 1, {width}, {}, {COLUMNS}, {}, CU_TENSOR_MAP_SWIZZLE_NONE};
    maps m = {matrix_map(dx, width, height, COLUMNS, ROWS), tiled_map(dy, sums)};
    column_sums<<<(width + COLUMNS - 1) / COLUMNS, COLUMNS + 32>>>(m, height);
    FINISH();
    for (unsigned i = 0; i < width * height; i++)
        y[i % width] += x[i];
    from_device(found, dy, width);
    check_equal("sums of columns by a ring of stages", y, found, width);
    show_bits("sums", found, width);
}

// ---- three dimensions with a border: what is outside is zero ----

enum { BOX = 8, HALO = 4 }; // a row of the box begins 4 ints before it: 16 bytes

__global__ void smooth(const __grid_constant__ CUtensorMap from, int *y, int nx, int ny, int nz) {
    __shared__ alignas(128) int box[BOX + 2][BOX + 2][BOX + 2 * HALO];
    __shared__ uint64_t bar;
    int x0 = blockIdx.x * BOX, y0 = blockIdx.y * BOX, z0 = blockIdx.z * BOX;
    const int at[] = {x0 - HALO, y0 - 1, z0 - 1};
    begin_mbarrier(&bar);
    if (threadIdx.x == 0) {
        expect_bytes(&bar, sizeof box);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, box, &from, at, &bar);
    }
    wait_mbarrier(&bar, 0);
    for (int i = threadIdx.x; i < BOX * BOX * BOX; i += blockDim.x) {
        int x = i % BOX, yy = i / BOX % BOX, z = i / BOX / BOX, sum = 0;
        if (x0 + x >= nx || y0 + yy >= ny || z0 + z >= nz)
            continue;
        for (int d = -1; d < 2; d += 2)
            sum +=
                box[z + 1 + d][yy + 1][x + HALO] + box[z + 1][yy + 1 + d][x + HALO] + box[z + 1][yy + 1][x + HALO + d];
        y[((z0 + z) * ny + y0 + yy) * nx + x0 + x] = sum - 6 * box[z + 1][yy + 1][x + HALO];
    }
}

static void test_border() {
    const int nx = 20, ny = 13, nz = 9, n = nx * ny * nz;
    int *x = numbers(n, 9), *found = numbers(n, 10), *expected = numbers(n, 11), *dx = to_device(x, n),
        *dy = device_zeros<int>(n);
    layout l = {
        CU_TENSOR_MAP_DATA_TYPE_INT32, 3, {nx, ny, nz}, {nx * 4, nx * ny * 4}, {BOX + 2 * HALO, BOX + 2, BOX + 2}};
    smooth<<<dim3(3, 2, 2), 128>>>(tiled_map(dx, l), dy, nx, ny, nz);
    FINISH();
    from_device(found, dy, n);
    auto value = [&](int a, int b, int c) {
        return a < 0 || b < 0 || c < 0 || a >= nx || b >= ny || c >= nz ? 0 : x[(c * ny + b) * nx + a];
    };
    for (int i = 0; i < n; i++) {
        int a = i % nx, b = i / nx % ny, c = i / nx / ny;
        expected[i] = value(a - 1, b, c) + value(a + 1, b, c) + value(a, b - 1, c) + value(a, b + 1, c) +
                      value(a, b, c - 1) + value(a, b, c + 1) - 6 * x[i];
    }
    check_equal("a border of zeros in three dimensions", expected, found, n);
    show_bits("border", found, n);
}

// ---- sums in bfloat16, every second row ----

__global__ void add_rows(const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) __nv_bfloat16 rows[4][16];
    const int at[] = {16, 2};
    if (threadIdx.x < 64)
        rows[threadIdx.x / 16][threadIdx.x % 16] = __float2bfloat16((float)(threadIdx.x * (blockIdx.x + 1)));
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile."
                     "bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to),
                     "r"(at[0]), "r"(at[1]), "r"((unsigned)__cvta_generic_to_shared(rows))
                     : "memory");
        stores_done();
    }
}

static void test_bfloat16() {
    const int width = 40, height = 12;
    __nv_bfloat16 x[width * height], found[width * height];
    for (int i = 0; i < width * height; i++)
        x[i] = __float2bfloat16((float)(i % 37));
    __nv_bfloat16 *dx = to_device(x, width * height);
    layout l = {CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, {width, height}, {width * 2}, {16, 8}, {1, 2}};
    add_rows<<<1, 64>>>(tiled_map(dx, l));
    FINISH();
    for (int r = 0; r < 4; r++)
        for (int c = 0; c < 16; c++) {
            __nv_bfloat16 *at = &x[(2 + 2 * r) * width + 16 + c];
            *at = __float2bfloat16(__bfloat162float(*at) + __bfloat162float(__float2bfloat16((float)(16 * r + c))));
        }
    from_device(found, dx, width * height);
    check_equal("sums in bfloat16, every second row", (uint16_t *)x, (uint16_t *)found, width * height);
    show_bits("bfloat16", found, width * height);
}

// ---- im2col: a convolution of 3 x 3 over an image with 8 channels ----

enum { CHANNELS = 8, PIXELS = 32 };

__global__ void convolve(const __grid_constant__ CUtensorMap from, const int *weights, int *y, int width, int height) {
    __shared__ alignas(128) int column[PIXELS][CHANNELS];
    __shared__ uint64_t bar;
    int pixel = blockIdx.x * PIXELS + threadIdx.x,
        sum = 0; // of the output, which is as large as the image
    int first = blockIdx.x * PIXELS, w = first % width - 1, h = first / width % height - 1, n = first / width / height;
    begin_mbarrier(&bar);
    for (int k = 0; k < 9; k++) {
        if (threadIdx.x == 0) {
            expect_bytes(&bar, sizeof column);
            asm volatile(
                "cp.async.bulk.tensor.4d.shared::cluster.global.im2col."
                "mbarrier::complete_tx::bytes "
                "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"((unsigned)__cvta_generic_to_shared(column)),
                "l"(&from), "r"(0), "r"(w), "r"(h), "r"(n), "r"((unsigned)__cvta_generic_to_shared(&bar)),
                "h"((short)(k % 3)), "h"((short)(k / 3))
                : "memory");
        }
        wait_mbarrier(&bar, k);
        for (int c = 0; c < CHANNELS; c++)
            sum += weights[k * CHANNELS + c] * column[threadIdx.x][c];
        __syncthreads();
    }
    y[pixel] = sum;
}

static void test_im2col() {
    const int width = 16, height = 6, images = 2, n = width * height * images;
    int *x = numbers(n * CHANNELS, 12), *weights = numbers(9 * CHANNELS, 13), *found = numbers(n, 14),
        *expected = numbers(n, 15), *dx = to_device(x, n * CHANNELS), *dy = device_zeros<int>(n);
    auto encode = entry_point<decltype(&cuTensorMapEncodeIm2col)>("cuTensorMapEncodeIm2col");
    CUtensorMap map;
    const cuuint64_t size[] = {CHANNELS, width, height, images},
                     stride[] = {CHANNELS * 4, CHANNELS * 4 * width, CHANNELS * 4 * width * height};
    const cuuint32_t step[] = {1, 1, 1, 1};
    const int lower[] = {-1, -1}, upper[] = {-1, -1};
    check("im2col is encoded",
          encode(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, dx, size, stride, lower, upper, CHANNELS, PIXELS, step,
                 CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS);
    convolve<<<n / PIXELS, PIXELS>>>(map, to_device(weights, 9 * CHANNELS), dy, width, height);
    FINISH();
    from_device(found, dy, n);
    for (int i = 0; i < n; i++) {
        expected[i] = 0;
        for (int k = 0; k < 9; k++) {
            int w = i % width + k % 3 - 1, h = i / width % height + k / 3 - 1, image = i / width / height;
            for (int c = 0; c < CHANNELS && w >= 0 && w < width && h >= 0 && h < height; c++)
                expected[i] += weights[k * CHANNELS + c] * x[((image * height + h) * width + w) * CHANNELS + c];
        }
    }
    check_equal("a convolution by im2col", expected, found, n);
    show_bits("convolution", found, n);
}

// ---- a map that each block changes for itself ----

__global__ void rows_of_groups(const __grid_constant__ CUtensorMap first, CUtensorMap *own, int *const *groups,
                               const int *heights, int *y) {
    __shared__ alignas(128) CUtensorMap map;
    __shared__ alignas(128) int tile[4][8];
    __shared__ uint64_t bar;
    const int at[] = {0, 0};
    if (threadIdx.x == 0) {
        map = first;
        ptx::tensormap_replace_global_address(ptx::space_shared, &map, groups[blockIdx.x]);
        ptx::tensormap_replace_global_dim(ptx::space_shared, &map, ptx::n32_t<1>(), heights[blockIdx.x]);
    }
    __syncwarp();
    if (threadIdx.x < 32)
        ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, &own[blockIdx.x], &map, ptx::n32_t<128>());
    begin_mbarrier(&bar);
    if (threadIdx.x == 0) {
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, &own[blockIdx.x], ptx::n32_t<128>());
        expect_bytes(&bar, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &own[blockIdx.x], at, &bar);
    }
    wait_mbarrier(&bar, 0);
    y[blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x / 8][threadIdx.x % 8];
}

static void test_replace() {
    enum { GROUPS = 4 };
    int *x = numbers(GROUPS * 64, 16), *dx = to_device(x, GROUPS * 64), *groups[GROUPS], heights[GROUPS] = {1, 2, 3, 4},
        found[GROUPS * 32], expected[GROUPS * 32], *dy = device_zeros<int>(GROUPS * 32);
    for (int g = 0; g < GROUPS; g++)
        groups[g] = dx + 64 * (GROUPS - 1 - g);
    rows_of_groups<<<GROUPS, 32>>>(matrix_map(dx, 8, 8, 8, 4), device_zeros<CUtensorMap>(GROUPS),
                                   to_device(groups, GROUPS), to_device(heights, GROUPS), dy);
    FINISH();
    from_device(found, dy, GROUPS * 32);
    for (int i = 0; i < GROUPS * 32; i++)
        expected[i] = i % 32 / 8 < heights[i / 32] ? x[64 * (GROUPS - 1 - i / 32) + i % 32] : 0;
    check_equal("maps that blocks change for themselves", expected, found, GROUPS * 32);
    show_bits("changed maps", found, GROUPS * 32);
}

// ---- one tile for both blocks of a cluster ----

__global__ void __cluster_dims__(2) share_tiles(const __grid_constant__ CUtensorMap from, int *y) {
    __shared__ alignas(128) int tile[2][8][8];
    __shared__ uint64_t bar;
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    const int at[] = {(int)(blockIdx.x / 2 * 16 + rank * 8), 0};
    begin_mbarrier(&bar);
    if (threadIdx.x == 0)
        expect_bytes(&bar, sizeof tile);
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
    if (threadIdx.x == 0) // each block loads one half, for both
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile[rank], &from, at, &bar, (uint16_t)3);
    wait_mbarrier(&bar, 0);
    for (int i = threadIdx.x; i < 128; i += blockDim.x)
        y[blockIdx.x * 128 + i] = tile[i / 64][i / 8 % 8][i % 8] + (int)rank;
    asm volatile("barrier.cluster.arrive.release;\nbarrier.cluster.wait.acquire;" ::: "memory");
}

static void test_multicast() {
    const int width = 64, height = 8, blocks = 2 * width / 16;
    int *x = numbers(width * height, 17), *found = numbers(blocks * 128, 18), *expected = numbers(blocks * 128, 19),
        *dx = to_device(x, width * height), *dy = device_zeros<int>(blocks * 128);
    share_tiles<<<blocks, 64>>>(matrix_map(dx, width, height, 8, 8), dy);
    FINISH();
    from_device(found, dy, blocks * 128);
    for (int i = 0; i < blocks * 128; i++) {
        int block = i / 128, half = i / 64 % 2, row = i / 8 % 8;
        expected[i] = x[row * width + block / 2 * 16 + half * 8 + i % 8] + block % 2;
    }
    check_equal("one tile for both blocks of a cluster", expected, found, blocks * 128);
    show_bits("multicast", found, blocks * 128);
}

int main() {
    test_tiles();
    test_transpose();
    test_stages();
    test_border();
    test_bfloat16();
    test_im2col();
    test_replace();
    test_multicast();
    return program_failures != 0;
}
