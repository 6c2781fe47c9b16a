// Grids of cells: the Mandelbrot set in fixed point and in double, a Julia set by threads that fetch rows from a counter,
// the game of life with a cell per byte and with 32 cells per word, and Wolfram's rule 110 within a warp.
#include "program.h"

enum { W = 93, H = 61, LIMIT = 200, LIFE_W = 96, LIFE_H = 53, STEPS = 20 };

// 8.24 bits; products are shifted as whole numbers, so the host gets the same.
__host__ __device__ int escape_fixed(int x, int y) {
    long long a = 0, b = 0, cx = ((long long)x * 3 << 24) / W - (2 << 24),
              cy = ((long long)y * 2 << 24) / H - (1 << 24);
    int i = 0;
    for (; i < LIMIT; i++) {
        long long aa = a * a >> 24, bb = b * b >> 24;
        if (aa + bb > 4 << 24)
            break;
        b = (a * b >> 23) + cy;
        a = aa - bb + cx;
    }
    return i;
}
__global__ void mandelbrot_fixed(int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H)
        out[y * W + x] = escape_fixed(x, y);
}

// Rounded after every operation, as the host does it.
__host__ __device__ double times(double a, double b) {
#ifdef __CUDA_ARCH__
    return __dmul_rn(a, b);
#else
    return a * b;
#endif
}
__host__ __device__ int escape_double(double cx, double cy, double a, double b) {
    int i = 0;
    for (; i < LIMIT; i++) {
        double aa = times(a, a), bb = times(b, b);
        if (aa + bb > 4)
            break;
        double ab = times(a, b);
        b = ab + ab + cy;
        a = aa - bb + cx;
    }
    return i;
}
__global__ void mandelbrot_double(int *out) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < W * H; i += gridDim.x * blockDim.x)
        out[i] = escape_double(-2 + (i % W) / 32.0, -1 + (i / W) / 32.0, 0, 0);
}

// Rows differ much in work: whoever is free takes the next.
__device__ int next_row;
__global__ void julia(int *out) {
    int lane = threadIdx.x % 32, row;
    for (;;) {
        if (lane == 0)
            row = atomicAdd(&next_row, 1);
        row = __shfl_sync(~0u, row, 0);
        if (row >= H)
            return;
        for (int x = lane; x < W; x += 32)
            out[row * W + x] = escape_double(-0.75, 0.125, (x - W / 2) / 32.0, (row - H / 2) / 32.0);
    }
}

__host__ __device__ bool lives(int neighbours, bool alive) {
    return neighbours == 3 || (neighbours == 2 && alive);
}
__global__ void life_bytes(const unsigned char *in, unsigned char *out) {
    __shared__ unsigned char tile[10][18];
    int x0 = blockIdx.x * 16, y0 = blockIdx.y * 8;
    for (int k = threadIdx.y * 16 + threadIdx.x; k < 10 * 18; k += 128) {
        int x = (x0 + k % 18 - 1 + LIFE_W) % LIFE_W, y = (y0 + k / 18 - 1 + LIFE_H) % LIFE_H; // a torus
        tile[k / 18][k % 18] = in[y * LIFE_W + x];
    }
    __syncthreads();
    int i = threadIdx.x + 1, j = threadIdx.y + 1, sum = 0;
    for (int k = 0; k < 9; k++)
        sum += k == 4 ? 0 : tile[j - 1 + k / 3][i - 1 + k % 3];
    if (x0 + i <= LIFE_W && y0 + j <= LIFE_H)
        out[(y0 + j - 1) * LIFE_W + x0 + i - 1] = lives(sum, tile[j][i]);
}

// 32 cells in a word: neighbours are counted in all of them at once by bits of sums.
__device__ void full_add(unsigned a, unsigned b, unsigned c, unsigned &sum, unsigned &carry) {
    sum = a ^ b ^ c;
    carry = (a & b) | (c & (a ^ b));
}
__global__ void life_bits(const unsigned *in, unsigned *out) {
    const int words = LIFE_W / 32;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= words * LIFE_H)
        return;
    int x = i % words, y = i / words;
    unsigned left[3], here[3], right[3];
    for (int k = 0; k < 3; k++) {
        const unsigned *row = in + (y + k - 1 + LIFE_H) % LIFE_H * words;
        here[k] = row[x];
        left[k] = __funnelshift_l(row[(x + words - 1) % words], here[k], 1);
        right[k] = __funnelshift_r(here[k], row[(x + 1) % words], 1);
    }
    unsigned s0, c0, s1, c1, s2, c2, ones, carry, twos, fours, more;
    full_add(left[0], here[0], right[0], s0, c0);
    full_add(left[2], here[2], right[2], s1, c1);
    s2 = left[1] ^ right[1], c2 = left[1] & right[1];
    full_add(s0, s1, s2, ones, carry);
    full_add(c0, c1, c2, twos, fours);
    more = fours | (twos & carry);
    twos ^= carry;
    out[i] = twos & ~more & (ones | here[1]);
}

__global__ void rule110(unsigned *rows, int steps) {
    bool cell = threadIdx.x == 31;
    for (int s = 0; s < steps; s++) {
        unsigned row = __ballot_sync(~0u, cell);
        if (threadIdx.x == 0)
            rows[s] = row;
        unsigned left = row << 1, right = row >> 1 | row << 31;
        int pattern = (left >> threadIdx.x & 1) << 2 | (row >> threadIdx.x & 1) << 1 | (right >> threadIdx.x & 1);
        cell = 110 >> pattern & 1;
    }
}

int main() {
    static int out[W * H], expected[W * H];
    int *device = device_zeros<int>(W * H);
    mandelbrot_fixed<<<dim3((W + 15) / 16, (H + 7) / 8), dim3(16, 8)>>>(device);
    FINISH();
    from_device(out, device, W * H);
    for (int i = 0; i < W * H; i++)
        expected[i] = escape_fixed(i % W, i / W);
    check_equal("Mandelbrot set in fixed point", expected, out, W * H);
    for (int y = 4; y < H; y += 8) {
        for (int x = 2; x < W; x += 3)
            putchar(" .:-=+*#%@"[out[y * W + x] >= LIMIT ? 9 : out[y * W + x] % 9]);
        putchar('\n');
    }
    mandelbrot_double<<<5, 96>>>(device);
    FINISH();
    from_device(out, device, W * H);
    for (int i = 0; i < W * H; i++)
        expected[i] = escape_double(-2 + (i % W) / 32.0, -1 + (i / W) / 32.0, 0, 0);
    check_equal("in double", expected, out, W * H);
    show_bits("set", out, W * H);
    julia<<<3, 64>>>(device);
    FINISH();
    from_device(out, device, W * H);
    for (int i = 0; i < W * H; i++)
        expected[i] = escape_double(-0.75, 0.125, (i % W - W / 2) / 32.0, (i / W - H / 2) / 32.0);
    check_equal("Julia set", expected, out, W * H);

    const int cells = LIFE_W * LIFE_H;
    static unsigned char a[cells], b[cells], found[cells], from_bits[cells];
    static unsigned words[cells / 32];
    uint32_t seed = 3;
    for (int i = 0; i < cells; i++) {
        a[i] = next_random(&seed) % 3 == 0;
        words[i / 32] |= (unsigned)a[i] << i % 32;
    }
    unsigned char *bytes = to_device(a, cells), *next_bytes = device_zeros<unsigned char>(cells), *t;
    unsigned *bits = to_device(words, cells / 32), *next_bits = device_zeros<unsigned>(cells / 32), *u;
    for (int s = 0; s < STEPS; s++) {
        life_bytes<<<dim3(LIFE_W / 16, (LIFE_H + 7) / 8), dim3(16, 8)>>>(bytes, next_bytes);
        life_bits<<<(cells / 32 + 63) / 64, 64>>>(bits, next_bits);
        t = bytes, bytes = next_bytes, next_bytes = t;
        u = bits, bits = next_bits, next_bits = u;
        for (int i = 0; i < cells; i++) {
            int sum = 0;
            for (int k = 0; k < 9; k++)
                if (k != 4)
                    sum += a[(i / LIFE_W + k / 3 - 1 + LIFE_H) % LIFE_H * LIFE_W +
                             (i % LIFE_W + k % 3 - 1 + LIFE_W) % LIFE_W];
            b[i] = lives(sum, a[i]);
        }
        memcpy(a, b, sizeof a);
    }
    FINISH();
    from_device(found, bytes, cells);
    from_device(words, bits, cells / 32);
    int population = 0;
    for (int i = 0; i < cells; i++) {
        from_bits[i] = words[i / 32] >> i % 32 & 1;
        population += a[i];
    }
    check_equal("life in bytes", a, found, cells);
    check_equal("life in bits", a, from_bits, cells);
    show("population", population);

    unsigned rows[40], *device_rows = device_zeros<unsigned>(40), row = 1u << 31;
    rule110<<<1, 32>>>(device_rows, 40);
    FINISH();
    from_device(rows, device_rows, 40);
    bool right = true;
    for (int s = 0; s < 40; s++) {
        right &= rows[s] == row;
        unsigned next = 0;
        for (int i = 0; i < 32; i++) {
            int pattern = (i ? row >> (i - 1) & 1 : 0) << 2 | (row >> i & 1) << 1 | (row >> (i + 1) % 32 & 1);
            next |= (unsigned)(110 >> pattern & 1) << i;
        }
        row = next;
    }
    check("rule 110", right);
    return program_failures;
}
