// Cooperative groups: tiles of a warp, coalesced groups, block and grid synchronisation, reductions.
#include "program.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

namespace cg = cooperative_groups;

__global__ void tiles(int *out) {
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<8> tile = cg::tiled_partition<8>(block);
    int x = block.thread_rank() * 3 + 1;
    int sum = cg::reduce(tile, x, cg::plus<int>());
    int most = cg::reduce(tile, x % 7, cg::greater<int>());
    int before = cg::exclusive_scan(tile, x, cg::plus<int>());
    out[block.thread_rank() * 4] = sum;
    out[block.thread_rank() * 4 + 1] = most;
    out[block.thread_rank() * 4 + 2] = before;
    out[block.thread_rank() * 4 + 3] = tile.shfl_xor(x, 3) + 1000 * tile.meta_group_rank() + 100000 * tile.any(x == 4);
}

// One atomic for all lanes that came along: each still gets its own number.
__global__ void coalesced(int *counter, int *out) {
    int i = threadIdx.x;
    if (i % 3 != 1)
        return;
    cg::coalesced_group active = cg::coalesced_threads();
    int first = 0;
    if (active.thread_rank() == 0)
        first = atomicAdd(counter, active.size());
    out[i] = active.shfl(first, 0) + active.thread_rank();
}

__global__ void whole_grid(int *x, int *y, int n) {
    cg::grid_group grid = cg::this_grid();
    for (int step = 0; step < 5; step++) {
        int *from = step % 2 ? y : x, *to = step % 2 ? x : y;
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            to[i] = from[(i + 1) % n] + from[i];
        grid.sync();
    }
}

int main() {
    const int n = 96;
    int found[4 * n], expected[4 * n], *out = device_zeros<int>(4 * n);
    tiles<<<1, n>>>(out);
    FINISH();
    from_device(found, out, 4 * n);
    for (int i = 0; i < n; i++) {
        int first = i / 8 * 8, sum = 0, most = 0, before = 0, any = 0;
        for (int j = first; j < first + 8; j++) {
            int x = j * 3 + 1;
            sum += x, most = max(most, x % 7), before += j < i ? x : 0, any |= x == 4;
        }
        expected[4 * i] = sum, expected[4 * i + 1] = most, expected[4 * i + 2] = before;
        expected[4 * i + 3] = (i ^ 3) * 3 + 1 + 1000 * (i / 8) + 100000 * any;
    }
    check_equal("tiles of 8", expected, found, 4 * n);

    int *counter = device_zeros<int>(1), count;
    CUDA(cudaMemset(out, 0xff, n * sizeof(int)));
    coalesced<<<1, n>>>(counter, out);
    FINISH();
    from_device(found, out, n);
    from_device(&count, counter, 1);
    bool seen[n] = {}, right = count == n / 3;
    for (int i = 0; i < n; i++)
        if (i % 3 != 1)
            right &= found[i] == -1;
        else
            right &= found[i] >= 0 && found[i] < n / 3 && !seen[found[i]], seen[found[i] & 31] = true;
    check("coalesced group", right);

    const int m = 1000;
    static int x[m], y[m];
    for (int i = 0; i < m; i++)
        x[i] = i % 13;
    int *device_x = to_device(x, m), *device_y = device_zeros<int>(m), size = m;
    void *arguments[] = {&device_x, &device_y, &size};
    CUDA(cudaLaunchCooperativeKernel((void *)whole_grid, dim3(4), dim3(64), arguments, 0, 0));
    FINISH();
    for (int step = 0; step < 5; step++) {
        int *from = step % 2 ? y : x, *to = step % 2 ? x : y;
        for (int i = 0; i < m; i++)
            to[i] = from[(i + 1) % m] + from[i];
    }
    static int result[m];
    from_device(result, device_y, m);
    check_equal("grid synchronisation", y, result, m);
    return program_failures;
}
