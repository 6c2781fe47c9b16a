// A cooperative grid: reductions in several rounds with grid.sync() between them, a power iteration in one launch, and
// Jacobi's method that stops when all blocks agree.
#include "program.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

enum { BLOCK = 128, BLOCKS = 6, SIZE = 63 };

__global__ void sum_of_squares(const int *x, int n, unsigned long long *partial, unsigned long long *sum) {
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    __shared__ unsigned long long warps[BLOCK / 32];
    unsigned long long mine = 0;
    for (unsigned long long i = grid.thread_rank(); i < n; i += grid.size())
        mine += (long long)x[i] * x[i];
    mine = cg::reduce(warp, mine, cg::plus<unsigned long long>());
    if (warp.thread_rank() == 0)
        warps[warp.meta_group_rank()] = mine;
    block.sync();
    if (block.thread_rank() == 0) {
        unsigned long long all = 0;
        for (unsigned long long w : warps)
            all += w;
        partial[grid.block_rank()] = all;
    }
    grid.sync();
    // A tree over the blocks, one thread of the grid per pair.
    for (unsigned stride = 1; stride < grid.num_blocks(); stride *= 2) {
        unsigned i = grid.thread_rank() * 2 * stride;
        if (i + stride < grid.num_blocks())
            partial[i] += partial[i + stride];
        grid.sync();
    }
    if (grid.thread_rank() == 0)
        *sum = partial[0];
}

// v <- A v modulo a prime, many times.
__global__ void powers(const unsigned *a, unsigned *v, unsigned *w, int rounds) {
    cg::grid_group grid = cg::this_grid();
    for (int r = 0; r < rounds; r++) {
        for (unsigned row = grid.thread_rank(); row < SIZE; row += grid.size()) {
            unsigned long long sum = 0;
            for (int k = 0; k < SIZE; k++)
                sum += (unsigned long long)a[row * SIZE + k] * v[k] % 65521;
            w[row] = (unsigned)(sum % 65521);
        }
        grid.sync();
        unsigned *t = v;
        v = w;
        w = t;
    }
}

// 4 x[i] = b[i] + x[i-1] + x[i+1], in whole numbers scaled by 2^20, until nothing moves by more than one.
__global__ void jacobi(const int *b, int *x, int *y, int n, int *moved, int *rounds) {
    cg::grid_group grid = cg::this_grid();
    for (int r = 0;; r++) {
        if (grid.thread_rank() == 0)
            moved[(r + 1) % 2] = 0;
        int change = 0;
        for (int i = grid.thread_rank(); i < n; i += grid.size()) {
            y[i] = (b[i] + (i > 0 ? x[i - 1] : 0) + (i + 1 < n ? x[i + 1] : 0)) / 4;
            change |= abs(y[i] - x[i]) > 1;
        }
        if (change)
            atomicOr(&moved[r % 2], 1);
        grid.sync();
        int *t = x;
        x = y;
        y = t;
        if (*(volatile int *)&moved[r % 2] == 0) {
            if (grid.thread_rank() == 0)
                *rounds = r + 1;
            return;
        }
        grid.sync();
    }
}

template <typename... A> static void launch(void (*kernel)(A...), A... arguments) {
    void *pointers[] = {&arguments...};
    CUDA(cudaLaunchCooperativeKernel((const void *)kernel, dim3(BLOCKS), dim3(BLOCK), pointers, 0, 0));
    CUDA(cudaDeviceSynchronize());
}

int main() {
    const int n = 20011;
    static int x[n];
    uint32_t seed = 71;
    unsigned long long expected = 0, found, *partial = device_zeros<unsigned long long>(BLOCKS), *sum;
    for (int &v : x) {
        v = (int)next_random(&seed) - (1 << 23);
        expected += (long long)v * v;
    }
    sum = device_zeros<unsigned long long>(1);
    launch<const int *, int>(sum_of_squares, to_device(x, n), n, partial, sum);
    from_device(&found, sum, 1);
    check("sum of squares", found == expected);
    show("sum", (long long)found);

    static unsigned a[SIZE * SIZE], v[SIZE], w[SIZE];
    for (unsigned &k : a)
        k = next_random(&seed) % 65521;
    for (unsigned &k : v)
        k = next_random(&seed) % 65521;
    unsigned *device_v = to_device(v, SIZE), *device_w = device_zeros<unsigned>(SIZE);
    const int rounds = 8;
    for (int r = 0; r < rounds; r++) {
        for (int row = 0; row < SIZE; row++) {
            unsigned long long all = 0;
            for (int k = 0; k < SIZE; k++)
                all += (unsigned long long)a[row * SIZE + k] * v[k] % 65521;
            w[row] = (unsigned)(all % 65521);
        }
        memcpy(v, w, sizeof v);
    }
    launch<const unsigned *, unsigned *, unsigned *, int>(powers, to_device(a, SIZE * SIZE), device_v, device_w,
                                                          rounds);
    from_device(w, device_v, SIZE);
    check_equal("powers of a matrix", v, w, SIZE);
    show_bits("vector", w, SIZE);

    const int m = 500;
    static int b[m], solution[2][m];
    for (int &k : b)
        k = (int)(next_random(&seed) % 2000 - 1000) << 16;
    int *zero = device_zeros<int>(m), *other = device_zeros<int>(m), *moved = device_zeros<int>(2), steps = 0;
    int *device_steps = device_zeros<int>(1), found_steps;
    launch<const int *, int *, int *, int, int *, int *>(jacobi, to_device(b, m), zero, other, m, moved, device_steps);
    from_device(&found_steps, device_steps, 1);
    for (bool change = true; change; steps++) {
        change = false;
        int *from = solution[steps % 2], *to = solution[(steps + 1) % 2];
        for (int i = 0; i < m; i++) {
            to[i] = (b[i] + (i > 0 ? from[i - 1] : 0) + (i + 1 < m ? from[i + 1] : 0)) / 4;
            change |= abs(to[i] - from[i]) > 1;
        }
    }
    static int y[m];
    from_device(y, steps % 2 ? other : zero, m);
    check("Jacobi's rounds", steps == found_steps);
    check_equal("Jacobi's method", solution[steps % 2], y, m);
    show("rounds", found_steps);
    return program_failures;
}
