// Random numbers of our own: pi by counting points, with three generators (Philox by counters, xorshift, a linear one that
// jumps ahead), an integral in fixed point, a shuffle, and a random walk. The counts are exact, so the host repeats them.
// arch: sm_80
#include "program.h"

struct philox {
    uint32_t key[2], counter[4], out[4];
    int used;
    __host__ __device__ philox(uint32_t seed, uint32_t stream) : used(4) {
        key[0] = seed, key[1] = 0x1234567u;
        counter[0] = 0, counter[1] = stream, counter[2] = counter[3] = 0;
    }
    __host__ __device__ static uint32_t high(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
    __host__ __device__ void rounds() {
        uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k0 = key[0], k1 = key[1];
        for (int r = 0; r < 10; r++) {
            uint32_t h0 = high(0xd2511f53u, c[0]), l0 = 0xd2511f53u * c[0];
            uint32_t h1 = high(0xcd9e8d57u, c[2]), l1 = 0xcd9e8d57u * c[2];
            c[0] = h1 ^ c[1] ^ k0, c[1] = l1, c[2] = h0 ^ c[3] ^ k1, c[3] = l0;
            k0 += 0x9e3779b9u, k1 += 0xbb67ae85u;
        }
        for (int i = 0; i < 4; i++)
            out[i] = c[i];
        counter[0]++;
        used = 0;
    }
    __host__ __device__ uint32_t next() {
        if (used == 4)
            rounds();
        return out[used++];
    }
};
struct xorshift {
    uint64_t state;
    __host__ __device__ xorshift(uint32_t seed, uint32_t stream)
        : state((seed + 1) * 0x9e3779b97f4a7c15ull + stream * 0xbf58476d1ce4e5b9ull + 1) {}
    __host__ __device__ uint32_t next() {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return (uint32_t)(state * 2685821657736338717ull >> 32);
    }
};
struct linear {
    uint64_t state;
    __host__ __device__ linear(uint32_t seed, uint32_t stream) : state(seed) {
        // x -> a x + c, a million times for every stream: by squaring.
        uint64_t a = 6364136223846793005ull, c = 1442695040888963407ull, jump_a = 1, jump_c = 0;
        for (uint64_t steps = 1000000ull * stream; steps; steps >>= 1) {
            if (steps & 1)
                jump_a *= a, jump_c = jump_c * a + c;
            c *= a + 1;
            a *= a;
        }
        state = state * jump_a + jump_c;
    }
    __host__ __device__ uint32_t next() {
        state = state * 6364136223846793005ull + 1442695040888963407ull;
        return (uint32_t)(state >> 32);
    }
};

template <typename G> __host__ __device__ unsigned hits(uint32_t seed, uint32_t stream, int points) {
    G g(seed, stream);
    unsigned inside = 0;
    for (int i = 0; i < points; i++) {
        uint64_t x = g.next() >> 1, y = g.next() >> 1;
        inside += x * x + y * y < 1ull << 62;
    }
    return inside;
}
template <typename G> __global__ void count_hits(uint32_t seed, int streams, int points, unsigned *total) {
    unsigned mine = 0;
    for (int s = blockIdx.x * blockDim.x + threadIdx.x; s < streams; s += gridDim.x * blockDim.x)
        mine += hits<G>(seed, s, points);
    mine = __reduce_add_sync(~0u, mine);
    if (threadIdx.x % 32 == 0)
        atomicAdd(total, mine);
}

// The integral of x^3 over [0, 1) in fixed point.
__host__ __device__ uint64_t cube(uint32_t x) {
    uint64_t square = (uint64_t)x * x >> 32;
    return square * x >> 32;
}
__global__ void integral(uint32_t seed, int n, unsigned long long *sum) {
    __shared__ unsigned long long block_sum;
    if (threadIdx.x == 0)
        block_sum = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        philox g(seed, i);
        atomicAdd(&block_sum, (unsigned long long)cube(g.next()));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        atomicAdd(sum, block_sum);
}

// Each thread shuffles cards of its own.
__host__ __device__ void shuffle(unsigned char *cards, int n, uint32_t stream) {
    xorshift g(99, stream);
    for (int i = n - 1; i > 0; i--) {
        int j = (int)((uint64_t)g.next() * (i + 1) >> 32);
        unsigned char t = cards[i];
        cards[i] = cards[j];
        cards[j] = t;
    }
}
__global__ void deal(unsigned char *out, int n) {
    unsigned char cards[52];
    for (int i = 0; i < 52; i++)
        cards[i] = (unsigned char)i;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    shuffle(cards, 52, t);
    for (int i = 0; i < 52; i++)
        out[t * 52 + i] = cards[i];
}

__global__ void walk(int *ends, int n, int steps) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, place = 0;
    linear g(5, t);
    for (int s = 0; s < steps; s++)
        place += g.next() & 0x80000000u ? 1 : -1;
    if (t < n)
        atomicAdd(&ends[(place + steps) / 2], 1);
}

template <typename G> static void pi(const char *name) {
    const int streams = 500, points = 61;
    unsigned expected = 0, found, *total = device_zeros<unsigned>(1);
    for (int s = 0; s < streams; s++)
        expected += hits<G>(7, s, points);
    count_hits<G><<<3, 96>>>(7, streams, points, total);
    FINISH();
    from_device(&found, total, 1);
    check_equal(name, &expected, &found, 1);
    printf("pi is about %.4f\n", 4.0 * found / (streams * points));
    check("near enough", fabs(4.0 * found / (streams * points) - 3.14159) < 0.03);
}

int main() {
    pi<philox>("by Philox");
    pi<xorshift>("by xorshift");
    pi<linear>("by a linear generator");

    const int n = 10001;
    unsigned long long expected = 0, found, *sum = device_zeros<unsigned long long>(1);
    for (int i = 0; i < n; i++) {
        philox g(3, i);
        expected += cube(g.next());
    }
    integral<<<(n + 127) / 128, 128>>>(3, n, sum);
    FINISH();
    from_device(&found, sum, 1);
    check_equal("an integral", &expected, &found, 1);
    printf("a quarter is about %.4f\n", (double)found / n / 4294967296.0);

    const int players = 37;
    static unsigned char dealt[players * 52], want[players * 52];
    for (int p = 0; p < players; p++) {
        for (int i = 0; i < 52; i++)
            want[p * 52 + i] = (unsigned char)i;
        shuffle(want + p * 52, 52, p);
    }
    unsigned char *device_cards = device_zeros<unsigned char>(sizeof dealt);
    deal<<<2, 32>>>(device_cards, players);
    FINISH();
    from_device(dealt, device_cards, sizeof dealt);
    check_equal("cards", want, dealt, sizeof dealt);
    show_bits("cards", dealt, sizeof dealt);

    const int walkers = 1000, steps = 40;
    int ends[steps + 1], want_ends[steps + 1] = {0}, *device_ends = device_zeros<int>(steps + 1);
    for (int t = 0; t < walkers; t++) {
        linear g(5, t);
        int ups = 0;
        for (int s = 0; s < steps; s++)
            ups += g.next() >> 31;
        want_ends[ups]++;
    }
    walk<<<(walkers + 95) / 96, 96>>>(device_ends, walkers, steps);
    FINISH();
    from_device(ends, device_ends, steps + 1);
    check_equal("random walks", want_ends, ends, steps + 1);
    return program_failures;
}
