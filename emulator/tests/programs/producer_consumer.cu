// Producers and consumers: blocks that pass numbers through a ring with flags and fences, a pipeline of three warps with
// named barriers, the last block that sums what all others wrote, and two blocks that play ball.
#include "program.h"

enum { SLOTS = 4, ITEMS = 50, WIDTH = 32 };

struct ring {
    int data[SLOTS][WIDTH];
    unsigned written, taken;
};

// Block 0 makes, block 1 changes, block 2 sums up. Between two of them lies a ring.
__device__ void put(ring *r, unsigned n, int value) {
    while (n - *(volatile unsigned *)&r->taken >= SLOTS)
        ;
    ((volatile int *)r->data[n % SLOTS])[threadIdx.x] = value;
    __threadfence();
    __syncwarp();
    if (threadIdx.x == 0)
        *(volatile unsigned *)&r->written = n + 1;
}
__device__ int get(ring *r, unsigned n) {
    while (*(volatile unsigned *)&r->written <= n)
        ;
    __threadfence();
    int value = ((volatile int *)r->data[n % SLOTS])[threadIdx.x];
    __threadfence();
    __syncwarp();
    if (threadIdx.x == 0)
        *(volatile unsigned *)&r->taken = n + 1;
    return value;
}
__global__ void chain(ring *rings, int *sums) {
    int sum = 0;
    for (unsigned n = 0; n < ITEMS; n++) {
        if (blockIdx.x == 0)
            put(&rings[0], n, n * WIDTH + threadIdx.x);
        else if (blockIdx.x == 1)
            put(&rings[1], n, get(&rings[0], n) * 3 + 1);
        else
            sum += get(&rings[1], n);
    }
    if (blockIdx.x == 2)
        sums[threadIdx.x] = sum;
}

// Named barriers: a warp that fills a buffer arrives at "full" and waits for "empty", its consumers the other way round.
__device__ void arrive(int barrier, int threads) {
    asm volatile("barrier.cta.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ void wait(int barrier, int threads) {
    asm volatile("barrier.cta.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__global__ void warps_in_line(const int *in, int *out, int rounds) {
    __shared__ int buffer[2][32];
    int warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;
    for (int r = 0; r < rounds; r++) {
        int b = r % 2, full = 1 + b, empty = 3 + b;
        if (warp == 0) {
            if (r >= 2)
                wait(empty, 96);
            buffer[b][lane] = in[r * 32 + lane];
            arrive(full, 96);
        } else {
            wait(full, 96);
            sum += warp == 1 ? buffer[b][31 - lane] : buffer[b][lane] * 2;
            if (r + 2 < rounds)
                arrive(empty, 96);
        }
    }
    if (warp > 0)
        out[threadIdx.x - 32] = sum;
}

// Every block writes its part; the one that finishes last sees all of them and puts them in order.
__device__ unsigned finished;
__global__ void last_block(const float *x, int n, float *least, float *most, float *result) {
    __shared__ float lows[4], highs[4];
    __shared__ bool last;
    float low = INFINITY, high = -INFINITY;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        low = fminf(low, x[i]);
        high = fmaxf(high, x[i]);
    }
    for (int d = 16; d > 0; d /= 2) {
        low = fminf(low, __shfl_down_sync(~0u, low, d));
        high = fmaxf(high, __shfl_down_sync(~0u, high, d));
    }
    if (threadIdx.x % 32 == 0)
        lows[threadIdx.x / 32] = low, highs[threadIdx.x / 32] = high;
    __syncthreads();
    if (threadIdx.x == 0) {
        least[blockIdx.x] = fminf(fminf(lows[0], lows[1]), fminf(lows[2], lows[3]));
        most[blockIdx.x] = fmaxf(fmaxf(highs[0], highs[1]), fmaxf(highs[2], highs[3]));
        __threadfence();
        last = atomicAdd(&finished, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        for (int b = 0; b < gridDim.x; b++) {
            low = fminf(low, ((volatile float *)least)[b]);
            high = fmaxf(high, ((volatile float *)most)[b]);
        }
        result[0] = low;
        result[1] = high;
        finished = 0;
    }
}

// The ball carries a number that both change; system-wide fences, because the host could play too.
__global__ void ball(volatile int *turn, volatile unsigned *number, int rounds) {
    if (threadIdx.x != 0)
        return;
    for (int r = 0; r < rounds; r++) {
        while (*turn != (int)blockIdx.x)
            ;
        __threadfence_system();
        *number = *number * (blockIdx.x + 3) + r;
        __threadfence_system();
        *turn = 1 - blockIdx.x;
    }
}

int main() {
    ring *rings = device_zeros<ring>(2);
    int sums[WIDTH], expected[WIDTH], *device_sums = device_zeros<int>(WIDTH);
    chain<<<3, WIDTH>>>(rings, device_sums);
    FINISH();
    from_device(sums, device_sums, WIDTH);
    for (int t = 0; t < WIDTH; t++) {
        expected[t] = 0;
        for (int n = 0; n < ITEMS; n++)
            expected[t] += (n * WIDTH + t) * 3 + 1;
    }
    check_equal("three blocks and two rings", expected, sums, WIDTH);
    show_bits("sums", sums, WIDTH);

    const int rounds = 9;
    int in[rounds * 32], out[64], expected_out[64] = {0}, *device_out = device_zeros<int>(64);
    for (int i = 0; i < rounds * 32; i++) {
        in[i] = i * i % 1009;
        expected_out[31 - i % 32] += in[i];
        expected_out[32 + i % 32] += 2 * in[i];
    }
    warps_in_line<<<1, 96>>>(to_device(in, rounds * 32), device_out, rounds);
    FINISH();
    from_device(out, device_out, 64);
    check_equal("warps with named barriers", expected_out, out, 64);

    const int n = 10007, blocks = 11;
    static float x[n];
    uint32_t seed = 90;
    float range[2] = {INFINITY, -INFINITY}, found[2], *parts = device_zeros<float>(2 * blocks + 2);
    for (float &v : x) {
        v = ((float)next_random(&seed) - (1 << 23)) / 1024;
        range[0] = fminf(range[0], v);
        range[1] = fmaxf(range[1], v);
    }
    float *device_x = to_device(x, n);
    for (int again = 0; again < 2; again++) {
        last_block<<<blocks, 128>>>(device_x, n, parts, parts + blocks, parts + 2 * blocks);
        FINISH();
        from_device(found, parts + 2 * blocks, 2);
        check_equal("the last block", range, found, 2);
    }
    printf("from %a to %a\n", found[0], found[1]);

    int *turn = device_zeros<int>(1);
    unsigned *number = device_zeros<unsigned>(1), got, want = 0;
    ball<<<2, 32>>>(turn, number, 20);
    FINISH();
    from_device(&got, number, 1);
    for (int r = 0; r < 20; r++)
        want = (want * 3 + r) * 4 + r;
    check_equal("two blocks play ball", &want, &got, 1);
    show("number", got);
    return program_failures;
}
