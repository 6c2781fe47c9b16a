// Integers of many words: sums and products with carry chains in PTX, a sum across the lanes of a warp by carry look-ahead,
// factorials, powers modulo a prime after Montgomery, greatest common divisors, and square roots by bits.
#include "program.h"
#include <vector>

enum { WORDS = 8 };

struct wide {
    uint32_t w[WORDS];
};

// One asm statement per chain, so that nothing can come between its links.
__device__ uint32_t add8(wide &r, const wide &a, const wide &b) {
    uint32_t carry;
    asm("add.cc.u32 %0, %9, %17;\n\taddc.cc.u32 %1, %10, %18;\n\taddc.cc.u32 %2, %11, %19;\n\t"
        "addc.cc.u32 %3, %12, %20;\n\taddc.cc.u32 %4, %13, %21;\n\taddc.cc.u32 %5, %14, %22;\n\t"
        "addc.cc.u32 %6, %15, %23;\n\taddc.cc.u32 %7, %16, %24;\n\taddc.u32 %8, 0, 0;"
        : "=&r"(r.w[0]), "=&r"(r.w[1]), "=&r"(r.w[2]), "=&r"(r.w[3]), "=&r"(r.w[4]), "=&r"(r.w[5]), "=&r"(r.w[6]),
          "=&r"(r.w[7]), "=&r"(carry)
        : "r"(a.w[0]), "r"(a.w[1]), "r"(a.w[2]), "r"(a.w[3]), "r"(a.w[4]), "r"(a.w[5]), "r"(a.w[6]), "r"(a.w[7]),
          "r"(b.w[0]), "r"(b.w[1]), "r"(b.w[2]), "r"(b.w[3]), "r"(b.w[4]), "r"(b.w[5]), "r"(b.w[6]), "r"(b.w[7]));
    return carry;
}
__device__ uint32_t subtract8(wide &r, const wide &a, const wide &b) {
    uint32_t borrow;
    asm("sub.cc.u32 %0, %9, %17;\n\tsubc.cc.u32 %1, %10, %18;\n\tsubc.cc.u32 %2, %11, %19;\n\t"
        "subc.cc.u32 %3, %12, %20;\n\tsubc.cc.u32 %4, %13, %21;\n\tsubc.cc.u32 %5, %14, %22;\n\t"
        "subc.cc.u32 %6, %15, %23;\n\tsubc.cc.u32 %7, %16, %24;\n\tsubc.u32 %8, 0, 0;"
        : "=&r"(r.w[0]), "=&r"(r.w[1]), "=&r"(r.w[2]), "=&r"(r.w[3]), "=&r"(r.w[4]), "=&r"(r.w[5]), "=&r"(r.w[6]),
          "=&r"(r.w[7]), "=&r"(borrow)
        : "r"(a.w[0]), "r"(a.w[1]), "r"(a.w[2]), "r"(a.w[3]), "r"(a.w[4]), "r"(a.w[5]), "r"(a.w[6]), "r"(a.w[7]),
          "r"(b.w[0]), "r"(b.w[1]), "r"(b.w[2]), "r"(b.w[3]), "r"(b.w[4]), "r"(b.w[5]), "r"(b.w[6]), "r"(b.w[7]));
    return borrow & 1;
}

// r[0..2] += a * b, the step of a product column by column.
__device__ void accumulate(uint32_t &r0, uint32_t &r1, uint32_t &r2, uint32_t a, uint32_t b) {
    asm("mad.lo.cc.u32 %0, %3, %4, %0;\n\tmadc.hi.cc.u32 %1, %3, %4, %1;\n\taddc.u32 %2, %2, 0;"
        : "+r"(r0), "+r"(r1), "+r"(r2)
        : "r"(a), "r"(b));
}
__device__ void multiply(uint32_t *r, const wide &a, const wide &b) {
    uint32_t c0 = 0, c1 = 0, c2 = 0;
#pragma unroll
    for (int k = 0; k < 2 * WORDS - 1; k++) {
#pragma unroll
        for (int i = 0; i < WORDS; i++)
            if (k - i >= 0 && k - i < WORDS)
                accumulate(c0, c1, c2, a.w[i], b.w[k - i]);
        r[k] = c0, c0 = c1, c1 = c2, c2 = 0;
    }
    r[2 * WORDS - 1] = c0;
}

__global__ void arithmetic(const wide *a, const wide *b, wide *sums, wide *differences, uint32_t *products,
                           uint32_t *carries, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    carries[2 * i] = add8(sums[i], a[i], b[i]);
    carries[2 * i + 1] = subtract8(differences[i], a[i], b[i]);
    multiply(products + 2 * WORDS * i, a[i], b[i]);
}

// A number of 64 bits per lane: carries are found for the whole warp by one addition of votes.
__global__ void warp_add(const unsigned long long *a, const unsigned long long *b, unsigned long long *r, int *over) {
    int i = blockIdx.x * 32 + threadIdx.x;
    unsigned long long sum = a[i] + b[i];
    unsigned generate = __ballot_sync(~0u, sum < a[i]), propagate = __ballot_sync(~0u, sum == ~0ull);
    unsigned long long carries = (((unsigned long long)generate << 1) + propagate) ^ propagate;
    r[i] = sum + (carries >> threadIdx.x & 1);
    if (threadIdx.x == 0)
        over[blockIdx.x] = (int)(carries >> 32 & 1);
}

__global__ void factorials(uint32_t *out, int words, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n)
        return;
    uint32_t *r = out + t * words;
    r[0] = 1;
    for (int f = 2; f <= t; f++) {
        uint32_t carry = 0;
        for (int i = 0; i < words; i++) {
            uint32_t low, high;
            asm("mad.lo.cc.u32 %0, %2, %3, %4;\n\tmadc.hi.u32 %1, %2, %3, 0;"
                : "=&r"(low), "=r"(high)
                : "r"(r[i]), "r"(f), "r"(carry));
            r[i] = low;
            carry = high;
        }
    }
}

// Montgomery's product modulo an odd number of 64 bits; powers by it.
__device__ unsigned long long montgomery(unsigned long long a, unsigned long long b, unsigned long long m,
                                         unsigned long long inverse) {
    unsigned long long low = a * b, high = __umul64hi(a, b), q = low * inverse, t = __umul64hi(q, m);
    return high >= t ? high - t : high + m - t;
}
__global__ void fermat(unsigned long long first, int n, unsigned char *prime) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned long long m = first + 2 * t, inverse = m, one = (0 - m) % m, two, result = one;
    if (t >= n)
        return;
    for (int i = 0; i < 5; i++)
        inverse *= 2 - m * inverse;
    two = one >= m - one ? one - (m - one) : one + one;
    for (unsigned long long e = m - 1, base = two; e; e >>= 1, base = montgomery(base, base, m, inverse))
        if (e & 1)
            result = montgomery(result, base, m, inverse);
    prime[t] = result == one;
}
__global__ void divisors(const unsigned long long *a, const unsigned long long *b, unsigned long long *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned long long x = a[i], y = b[i];
    if (x == 0 || y == 0) {
        out[i] = x | y;
        return;
    }
    int shift = __ffsll(x | y) - 1;
    x >>= __ffsll(x) - 1;
    while (y) {
        y >>= __ffsll(y) - 1;
        if (x > y) {
            unsigned long long s = x;
            x = y;
            y = s;
        }
        y -= x;
    }
    out[i] = x << shift;
}
__global__ void quotients(const unsigned long long *a, const unsigned long long *b, unsigned long long *q,
                          unsigned *roots, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned __int128 wide_a = (unsigned __int128)a[i] << 31 | b[i];
    q[i] = (unsigned long long)(wide_a / (b[i] | 1)) ^ (unsigned long long)(wide_a % (b[i] | 1));
    unsigned long long rest = a[i], root = 0;
    for (unsigned long long bit = 1ull << 62; bit; bit >>= 2) {
        if (rest >= root + bit) {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else
            root >>= 1;
    }
    roots[i] = (unsigned)root;
}

static uint32_t seed = 101;
static uint32_t word() {
    uint32_t high = next_random(&seed);
    return high << 16 ^ next_random(&seed);
}

static void words_of_8() {
    const int n = 75;
    std::vector<wide> a(n), b(n), sums(n), differences(n), s(n), d(n);
    std::vector<uint32_t> products(2 * WORDS * n), p(2 * WORDS * n), carries(2 * n), c(2 * n);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < WORDS; k++) {
            a[i].w[k] = i % 5 == 0 ? ~0u : word();
            b[i].w[k] = i % 5 == 0 ? k == 0 : i % 7 == 0 ? ~0u : word();
        }
        uint64_t carry = 0, borrow = 0;
        for (int k = 0; k < WORDS; k++) {
            carry += (uint64_t)a[i].w[k] + b[i].w[k];
            s[i].w[k] = (uint32_t)carry;
            carry >>= 32;
            uint64_t t = (uint64_t)a[i].w[k] - b[i].w[k] - borrow;
            d[i].w[k] = (uint32_t)t;
            borrow = t >> 63;
        }
        c[2 * i] = (uint32_t)carry;
        c[2 * i + 1] = (uint32_t)borrow;
        for (int x = 0; x < WORDS; x++) {
            uint64_t over = 0;
            for (int y = 0; y < WORDS; y++) {
                uint32_t *at = &p[2 * WORDS * i + x + y];
                over += (uint64_t)a[i].w[x] * b[i].w[y] + *at;
                *at = (uint32_t)over;
                over >>= 32;
            }
            p[2 * WORDS * i + x + WORDS] = (uint32_t)over;
        }
    }
    wide *d_a = to_device(a.data(), n), *d_b = to_device(b.data(), n), *d_s = device_zeros<wide>(n),
         *d_d = device_zeros<wide>(n);
    uint32_t *d_p = device_zeros<uint32_t>(2 * WORDS * n), *d_c = device_zeros<uint32_t>(2 * n);
    arithmetic<<<2, 64>>>(d_a, d_b, d_s, d_d, d_p, d_c, n);
    FINISH();
    from_device(sums.data(), d_s, n);
    from_device(differences.data(), d_d, n);
    from_device(products.data(), d_p, products.size());
    from_device(carries.data(), d_c, 2 * n);
    check_equal("sums", s[0].w, sums[0].w, WORDS * n);
    check_equal("differences", d[0].w, differences[0].w, WORDS * n);
    check_equal("carries and borrows", c.data(), carries.data(), 2 * n);
    check_equal("products", p.data(), products.data(), products.size());
    show_bits("products", products.data(), products.size());
}

static void across_lanes() {
    const int numbers = 5, n = 32 * numbers;
    unsigned long long a[n], b[n], r[n], expected[n];
    int over[numbers], expected_over[numbers], *d_over = device_zeros<int>(numbers);
    for (int i = 0; i < n; i++) {
        a[i] = (unsigned long long)word() << 32 | word();
        b[i] = i / 32 == 1 ? ~a[i] + (i % 32 == 0) : (unsigned long long)word() << 32 | word();
    }
    for (int k = 0; k < numbers; k++) {
        unsigned __int128 sum = 0;
        for (int i = 32 * k; i < 32 * k + 32; i++) {
            sum += (unsigned __int128)a[i] + b[i];
            expected[i] = (unsigned long long)sum;
            sum >>= 64;
        }
        expected_over[k] = (int)sum;
    }
    unsigned long long *d_r = device_zeros<unsigned long long>(n);
    warp_add<<<numbers, 32>>>(to_device(a, n), to_device(b, n), d_r, d_over);
    FINISH();
    from_device(r, d_r, n);
    from_device(over, d_over, numbers);
    check_equal("sums of 2048 bits across a warp", expected, r, n);
    check_equal("their carries", expected_over, over, numbers);
}

int main() {
    words_of_8();
    across_lanes();

    const int words = 12, n = 71; // 70! has 332 bits
    static uint32_t f[words * n], expected[words * n];
    uint32_t *d_f = device_zeros<uint32_t>(words * n);
    for (int t = 0; t < n; t++) {
        expected[t * words] = 1;
        for (int k = 2; k <= t; k++) {
            uint64_t carry = 0;
            for (int i = 0; i < words; i++) {
                carry += (uint64_t)expected[t * words + i] * k;
                expected[t * words + i] = (uint32_t)carry;
                carry >>= 32;
            }
        }
    }
    factorials<<<3, 32>>>(d_f, words, n);
    FINISH();
    from_device(f, d_f, words * n);
    check_equal("factorials", expected, f, words * n);
    printf("70! =");
    for (int i = words - 2; i >= 0; i--)
        printf(" %08x", f[70 * words + i]);
    printf("\n");

    const int candidates = 500;
    const unsigned long long first = 1000000000000000001ull;
    unsigned char prime[candidates], *d_prime = device_zeros<unsigned char>(candidates);
    fermat<<<4, 128>>>(first, candidates, d_prime);
    FINISH();
    from_device(prime, d_prime, candidates);
    bool right = true;
    for (int i = 0; i < candidates; i++) {
        unsigned long long m = first + 2 * i, result = 1, base = 2;
        for (unsigned long long e = m - 1; e; e >>= 1) {
            if (e & 1)
                result = (unsigned long long)((unsigned __int128)result * base % m);
            base = (unsigned long long)((unsigned __int128)base * base % m);
        }
        right &= prime[i] == (result == 1);
        if (prime[i])
            printf("10^18 + %d\n", 2 * i + 1);
    }
    check("Fermat's test by Montgomery's product", right);

    const int pairs = 101;
    unsigned long long a[pairs], b[pairs], g[pairs], want[pairs], q[pairs], want_q[pairs];
    unsigned roots[pairs], want_roots[pairs], *d_roots = device_zeros<unsigned>(pairs);
    for (int i = 0; i < pairs; i++) {
        unsigned long long common = 1 + word() % 1000;
        a[i] = i == 3 ? 0 : ((unsigned long long)word() << 16 ^ word()) * common;
        b[i] = (unsigned long long)(word() >> 8) * common;
        unsigned long long x = a[i], y = b[i];
        while (y) {
            unsigned long long t = x % y;
            x = y;
            y = t;
        }
        want[i] = x;
        unsigned __int128 wide_a = (unsigned __int128)a[i] << 31 | b[i];
        want_q[i] = (unsigned long long)(wide_a / (b[i] | 1)) ^ (unsigned long long)(wide_a % (b[i] | 1));
        unsigned long long root = (unsigned long long)sqrtl((long double)a[i]);
        while ((unsigned __int128)root * root > a[i])
            root--;
        while ((unsigned __int128)(root + 1) * (root + 1) <= a[i])
            root++;
        want_roots[i] = (unsigned)root;
    }
    unsigned long long *d_a = to_device(a, pairs), *d_b = to_device(b, pairs),
                       *d_out = device_zeros<unsigned long long>(pairs);
    divisors<<<1, 128>>>(d_a, d_b, d_out, pairs);
    FINISH();
    from_device(g, d_out, pairs);
    check_equal("greatest common divisors", want, g, pairs);
    quotients<<<1, 128>>>(d_a, d_b, d_out, d_roots, pairs);
    FINISH();
    from_device(q, d_out, pairs);
    from_device(roots, d_roots, pairs);
    check_equal("quotients of 128 bits", want_q, q, pairs);
    check_equal("square roots", want_roots, roots, pairs);
    show_bits("quotients", q, pairs);
    return program_failures;
}
