/* Mistakes with tensor maps, and right uses that look wrong. See memory.cu for the comments. */
// arch: sm_90
#include <cuda.h>
#include <cuda/ptx>

#include "run_case.h"

namespace ptx = cuda::ptx;

enum { WIDTH = 16, HEIGHT = 8 }; // of a tile

// A map of a matrix of floats, made as programs do that do not link the driver.
static CUtensorMap map_of(const float *matrix, int width, int height, int pitch = 0) {
    typedef CUresult (*encode_fn)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                                  const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                                  CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
    void *function = NULL;
    CUtensorMap map;
    cuuint64_t size[] = {(cuuint64_t)width, (cuuint64_t)height}, stride[] = {(pitch ? pitch : width) * sizeof(float)};
    cuuint32_t box[] = {WIDTH, HEIGHT}, step[] = {1, 1};
    memset(&map, 0, sizeof map);
    cudaDriverEntryPointQueryResult found;
    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found) !=
            cudaSuccess ||
        ((encode_fn)function)(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, (void *)matrix, size, stride, box, step,
                              CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                              CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        exit(3);
    return map;
}

static float *matrix_of(int width, int height) {
    float *matrix = device_array<float>((size_t)width * height);
    cudaMemset(matrix, 0, width * height * sizeof(float));
    return matrix;
}

__device__ void begin_barrier(uint64_t *barrier) {
    if (threadIdx.x == 0)
        ptx::mbarrier_init(barrier, 1);
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
}

// One thread asks for a tile, all wait for it.
__device__ void load_tile(float *tile, const CUtensorMap *map, int x, int y, uint64_t *barrier) {
    const int at[] = {x, y};
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier,
                                       WIDTH * HEIGHT * sizeof(float));
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, map, at, barrier); // HERE
    }
    while (!ptx::mbarrier_try_wait_parity(barrier, 0))
        ;
}

__device__ void store_tile(const CUtensorMap *map, int x, int y, const float *tile) {
    const int at[] = {x, y};
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}

__global__ void add_one(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int x,
                        int y) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT];
    __shared__ uint64_t barrier;
    begin_barrier(&barrier);
    load_tile(tile, &from, x, y, &barrier);
    tile[threadIdx.x] += 1;
    store_tile(&to, x < 0 ? 0 : x, y < 0 ? 0 : y, tile);
}

// EXPECT tiles 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
static void case_tiles(void) {
    CUtensorMap from = map_of(matrix_of(64, 64), 64, 64), to = map_of(matrix_of(64, 64), 64, 64);
    add_one<<<1, WIDTH * HEIGHT>>>(from, to, 16, 8);
}

// EXPECT over_every_edge 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
static void case_over_every_edge(void) { // what is outside is filled, and not stored
    CUtensorMap from = map_of(matrix_of(20, 11), 20, 11), to = map_of(matrix_of(20, 11), 20, 11);
    add_one<<<1, WIDTH * HEIGHT>>>(from, to, -8, -3);
    add_one<<<1, WIDTH * HEIGHT>>>(from, to, 16, 8);
    add_one<<<1, WIDTH * HEIGHT>>>(from, to, 400, 4000);
}

// EXPECT ends_with_the_memory 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
static void case_ends_with_the_memory(void) { // the last row is no multiple of 16 bytes, and nothing is behind it
    CUtensorMap from = map_of(matrix_of(10 * 20 + 17, 1), 17, 11, 20),
                to = map_of(matrix_of(10 * 20 + 17, 1), 17, 11, 20);
    add_one<<<1, WIDTH * HEIGHT>>>(from, to, 16, 8);
}

// EXPECT only_what_is_inside 0 none
// CHECKS initcheck
static void case_only_what_is_inside(void) { // the rest of the tile's memory was never written
    float *matrix = device_array<float>(64 * 64);
    cudaMemset(matrix, 0, 64 * 4 * sizeof(float));
    add_one<<<1, WIDTH * HEIGHT>>>(map_of(matrix, 64, 4), map_of(matrix_of(64, 64), 64, 64), 0, 0);
}

// EXPECT unwritten_matrix 0 uninitialized
// CHECKS initcheck
// SAYS Uninitialized __global__ memory read
// SAYS tests/check/tensor_maps.cu:
static void case_unwritten_matrix(void) {
    add_one<<<1, WIDTH * HEIGHT>>>(map_of(device_array<float>(64 * 64), 64, 64), map_of(matrix_of(64, 64), 64, 64), 0,
                                   0);
}

// EXPECT odd_coordinate 715 launch_failure
// SAYS Illegal instruction: a copy by a tensor map starts at coordinate 3, which is not at a multiple of 16 bytes.
// SAYS by thread (0,0,0) in block (0,0,0)
static void case_odd_coordinate(void) {
    CUtensorMap from = map_of(matrix_of(64, 64), 64, 64), to = map_of(matrix_of(64, 64), 64, 64);
    add_one<<<1, WIDTH * HEIGHT>>>(from, to, 3, 0);
}

// EXPECT store_before_the_tensor 715 launch_failure
// SAYS starts at a negative coordinate: -8 in dimension 1.
__global__ void store_before_the_tensor(const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT];
    tile[threadIdx.x] = 1;
    store_tile(&to, 0, -8, tile);
}
static void case_store_before_the_tensor(void) {
    store_before_the_tensor<<<1, WIDTH * HEIGHT>>>(map_of(matrix_of(64, 64), 64, 64));
}

// EXPECT no_map 715 launch_failure
// SAYS but there is no tensor map at its address.
// SAYS Create it with cuTensorMapEncodeTiled()
static void case_no_map(void) {
    CUtensorMap from, to = map_of(matrix_of(64, 64), 64, 64);
    memset(&from, 0, sizeof from);
    add_one<<<1, WIDTH * HEIGHT>>>(from, to, 0, 0);
}

// EXPECT changed_map 715 launch_failure
// SAYS but there is no tensor map at its address.
static void case_changed_map(void) {
    CUtensorMap from = map_of(matrix_of(64, 64), 64, 64), to = from;
    ((char *)&from)[1] ^= 4;
    add_one<<<1, WIDTH * HEIGHT>>>(from, to, 0, 0);
}

// EXPECT three_coordinates 715 launch_failure
// SAYS names 3 coordinates, and the map's tensor has 2 dimensions.
__global__ void three_coordinates(const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT];
    const int at[] = {0, 0, 0};
    tile[threadIdx.x] = 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0)
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, tile);
}
static void case_three_coordinates(void) {
    three_coordinates<<<1, WIDTH * HEIGHT>>>(map_of(matrix_of(64, 64), 64, 64));
}

// EXPECT map_in_shared_memory 715 launch_failure
// SAYS has its map in shared or local memory.
__global__ void map_in_shared_memory(const __grid_constant__ CUtensorMap from) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT];
    __shared__ CUtensorMap map;
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0)
        map = from;
    begin_barrier(&barrier);
    load_tile(tile, &map, 0, 0, &barrier);
}
static void case_map_in_shared_memory(void) {
    map_in_shared_memory<<<1, WIDTH * HEIGHT>>>(map_of(matrix_of(64, 64), 64, 64));
}

// EXPECT tensor_too_large 700 out_of_bounds
// SAYS Invalid __global__ read of size 16 bytes
// SAYS is out of bounds
// SAYS of size 4,096 bytes
// SAYS The tensor map describes more than this allocation holds
static void case_tensor_too_large(void) { // the map says more rows than there are
    add_one<<<1, WIDTH * HEIGHT>>>(map_of(matrix_of(64, 16), 64, 64), map_of(matrix_of(64, 64), 64, 64), 0, 12);
}

// EXPECT stored_too_far 700 out_of_bounds
// SAYS Invalid __global__ write of size 16 bytes
// SAYS and is 1 bytes after the nearest allocation
static void case_stored_too_far(void) {
    add_one<<<1, WIDTH * HEIGHT>>>(map_of(matrix_of(64, 64), 64, 64), map_of(matrix_of(64, 16), 64, 64), 0, 12);
}

// EXPECT freed_tensor 700 use_after_free
// SAYS Invalid __global__ read of size 16 bytes
// SAYS was freed before
static void case_freed_tensor(void) {
    float *matrix = matrix_of(64, 64);
    CUtensorMap from = map_of(matrix, 64, 64), to = map_of(matrix_of(64, 64), 64, 64);
    cudaFree(matrix);
    add_one<<<1, WIDTH * HEIGHT>>>(from, to, 0, 0);
}

// EXPECT tile_too_small 700 out_of_bounds
// SAYS Invalid __shared__ write of size 16 bytes
__global__ void tile_too_small(const __grid_constant__ CUtensorMap from, float *y) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT / 2];
    __shared__ uint64_t barrier;
    begin_barrier(&barrier);
    load_tile(tile, &from, 0, 0, &barrier);
    y[threadIdx.x] = tile[threadIdx.x];
}
static void case_tile_too_small(void) {
    tile_too_small<<<1, 64>>>(map_of(matrix_of(64, 64), 64, 64), device_array<float>(64));
}

// EXPECT tile_that_others_write 0 race
// CHECKS racecheck
// SAYS Race reported between Write access
__global__ void tile_that_others_write(const __grid_constant__ CUtensorMap from, float *y) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT];
    __shared__ uint64_t barrier;
    begin_barrier(&barrier);
    tile[threadIdx.x] = 2;
    load_tile(tile, &from, 0, 0, &barrier);
    y[threadIdx.x] = tile[threadIdx.x];
}
static void case_tile_that_others_write(void) {
    tile_that_others_write<<<1, WIDTH * HEIGHT>>>(map_of(matrix_of(64, 64), 64, 64),
                                                  device_array<float>(WIDTH * HEIGHT));
}

// EXPECT store_without_fence 0 race
// CHECKS racecheck
// SAYS Missing fence.proxy.async reported between Write access
__global__ void store_without_fence(const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT];
    const int at[] = {0, 0};
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
static void case_store_without_fence(void) {
    store_without_fence<<<1, WIDTH * HEIGHT>>>(map_of(matrix_of(64, 64), 64, 64));
}

// EXPECT tile_not_waited_for 0 race
// CHECKS racecheck
// SAYS Race reported between
// SAYS with no mbarrier or barrier between
__global__ void tile_not_waited_for(const __grid_constant__ CUtensorMap from, float *y) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT];
    __shared__ uint64_t barrier;
    const int at[] = {0, 0};
    begin_barrier(&barrier);
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof tile);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &from, at, &barrier);
    }
    y[threadIdx.x] = tile[threadIdx.x];
}
static void case_tile_not_waited_for(void) {
    tile_not_waited_for<<<1, WIDTH * HEIGHT>>>(map_of(matrix_of(64, 64), 64, 64), device_array<float>(WIDTH * HEIGHT));
}

// EXPECT blocks_store_to_one_tile 0 race
// CHECKS racecheck
// SAYS Race reported between Write access
// SAYS of block (1,0,0) wrote element 0
__global__ void blocks_store_to_one_tile(const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT];
    tile[threadIdx.x] = threadIdx.x + blockIdx.x;
    store_tile(&to, 0, 0, tile);
}
static void case_blocks_store_to_one_tile(void) {
    blocks_store_to_one_tile<<<2, WIDTH * HEIGHT>>>(map_of(matrix_of(64, 64), 64, 64));
}

// EXPECT blocks_store_at_once 0 race
// CHECKS racecheck
// SAYS Race reported between Write access
__global__ void blocks_store_at_once(const __grid_constant__ CUtensorMap to, unsigned *here) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT];
    tile[threadIdx.x] = threadIdx.x + blockIdx.x;
    if (threadIdx.x == 0) { // both blocks run, and neither has waited for what the other one wrote
        atomicAdd(here, 1);
        while (atomicAdd(here, 0) < gridDim.x)
            ;
    }
    store_tile(&to, 0, 0, tile);
}
static void case_blocks_store_at_once(void) {
    unsigned *here = device_array<unsigned>(1);
    cudaMemset(here, 0, sizeof *here);
    blocks_store_at_once<<<2, WIDTH * HEIGHT>>>(map_of(matrix_of(64, 64), 64, 64), here);
}

// EXPECT all_lanes_store_one_tile 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void all_lanes_store_one_tile(const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT];
    const int at[] = {0, 0};
    tile[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, at, tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
static void case_all_lanes_store_one_tile(void) {
    all_lanes_store_one_tile<<<2, WIDTH * HEIGHT>>>(map_of(matrix_of(64, 64), 64, 64));
}

// EXPECT blocks_add_to_one_tile 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void blocks_add_to_one_tile(const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT];
    const int at[] = {0, 0};
    tile[threadIdx.x] = threadIdx.x + blockIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &to, at, tile);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
}
static void case_blocks_add_to_one_tile(void) {
    blocks_add_to_one_tile<<<2, WIDTH * HEIGHT>>>(map_of(matrix_of(64, 64), 64, 64));
}

// EXPECT least_of_floats 715 launch_failure
// SAYS reduces a tensor of type FLOAT32, which does not have this operation.
__global__ void least_of_floats(const __grid_constant__ CUtensorMap to) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT];
    const int at[] = {0, 0};
    tile[threadIdx.x] = threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0)
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_min, &to, at, tile);
}
static void case_least_of_floats(void) {
    least_of_floats<<<1, WIDTH * HEIGHT>>>(map_of(matrix_of(64, 64), 64, 64));
}

// EXPECT more_bytes_than_come 719 divergent_barrier
// SAYS still expects 0 of 1 arrivals and 64 bytes
__global__ void more_bytes_than_come(const __grid_constant__ CUtensorMap from) {
    __shared__ alignas(128) float tile[WIDTH * HEIGHT];
    __shared__ uint64_t barrier;
    const int at[] = {0, 0};
    begin_barrier(&barrier);
    if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, sizeof tile + 64);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &from, at, &barrier);
    }
    while (!ptx::mbarrier_try_wait_parity(&barrier, 0))
        ;
}
static void case_more_bytes_than_come(void) {
    more_bytes_than_come<<<1, 32>>>(map_of(matrix_of(64, 64), 64, 64));
}

int main(int argc, char **argv) {
    static const struct test_case cases[] = {
        CASE(tiles),
        CASE(over_every_edge),
        CASE(ends_with_the_memory),
        CASE(only_what_is_inside),
        CASE(unwritten_matrix),
        CASE(odd_coordinate),
        CASE(store_before_the_tensor),
        CASE(all_lanes_store_one_tile),
        CASE(no_map),
        CASE(changed_map),
        CASE(three_coordinates),
        CASE(map_in_shared_memory),
        CASE(tensor_too_large),
        CASE(stored_too_far),
        CASE(freed_tensor),
        CASE(tile_too_small),
        CASE(tile_that_others_write),
        CASE(store_without_fence),
        CASE(tile_not_waited_for),
        CASE(blocks_store_to_one_tile),
        CASE(blocks_store_at_once),
        CASE(blocks_add_to_one_tile),
        CASE(least_of_floats),
        CASE(more_bytes_than_come),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
