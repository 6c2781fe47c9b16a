// What kernels can ask and do besides computing: grid and block dimensions in three directions, special registers,
// clocks, lane masks, memory from the device's heap, assertions that hold.
#include "program.h"
#include <cassert>

struct place {
    unsigned thread[3], block[3], block_size[3], grid_size[3], warp_size, lane, lanes_below;
};

__global__ void where(place *out) {
    unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    place *p = &out[block * blockDim.x * blockDim.y * blockDim.z + thread];
    p->thread[0] = threadIdx.x, p->thread[1] = threadIdx.y, p->thread[2] = threadIdx.z;
    p->block[0] = blockIdx.x, p->block[1] = blockIdx.y, p->block[2] = blockIdx.z;
    p->block_size[0] = blockDim.x, p->block_size[1] = blockDim.y, p->block_size[2] = blockDim.z;
    p->grid_size[0] = gridDim.x, p->grid_size[1] = gridDim.y, p->grid_size[2] = gridDim.z;
    p->warp_size = warpSize;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(p->lane));
    asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(p->lanes_below));
    assert(p->lane < 32);
}

__global__ void clocks(long long *out) {
    long long start = clock64();
    unsigned small = clock();
    unsigned long long time;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
    __nanosleep(100);
    int x = threadIdx.x;
    for (int i = 0; i < 100; i++)
        x = x * 5 + 1;
    out[0] = clock64() - start;
    out[1] = time > 0;
    out[2] = x + small * 0;
}

int main() {
    const dim3 grid(2, 3, 2), block(5, 4, 3);
    const int n = 12 * 60;
    static place found[n];
    place *out = device_zeros<place>(n);
    where<<<grid, block>>>(out);
    FINISH();
    from_device(found, out, n);
    bool right = true;
    for (int i = 0; i < n; i++) {
        const place &p = found[i];
        unsigned t = i % 60, b = i / 60;
        right &= p.thread[0] == t % 5 && p.thread[1] == t / 5 % 4 && p.thread[2] == t / 20;
        right &= p.block[0] == b % 2 && p.block[1] == b / 2 % 3 && p.block[2] == b / 6;
        right &= p.block_size[0] == 5 && p.block_size[1] == 4 && p.block_size[2] == 3;
        right &= p.grid_size[0] == 2 && p.grid_size[1] == 3 && p.grid_size[2] == 2 && p.warp_size == 32;
        right &= p.lane == t % 32 && p.lanes_below == (1u << t % 32) - 1;
    }
    check("dimensions and lanes", right);
    long long time[3], *device_time = device_zeros<long long>(3);
    clocks<<<1, 1>>>(device_time);
    FINISH();
    from_device(time, device_time, 3);
    check("clocks go forward", time[0] > 0 && time[1] == 1);
    return program_failures;
}
