/* kernels.cuh - the variants of a matrix-vector product that were tried for lesson 14.
 *
 * y[b][m] = sum over n of W[m][n] * x[b][n], W row-major in one of four formats; and y[n] = sum over m of x[m] * W[m][n].
 */
#include <cuda_fp16.h>
#include <stdint.h>

enum { WARP = 32, GROUP = 128 };
#define ALL_LANES 0xffffffffu

template <int LD> static __device__ uint4 load16(const uint4 *p) {
    uint4 v;
    if (LD == 0) {
        v = __ldg(p);
    } else if (LD == 1) {
        asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
    } else if (LD == 2) {
        v = __ldcs(p);
    } else {
        asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(p));
    }
    return v;
}

static __device__ __half2 as_half2(uint32_t bits) {
    return *(__half2 *)&bits;
}

static __device__ uint32_t and_or(uint32_t a, uint32_t mask, uint32_t bits) { // (a & mask) | bits, one lop3
    uint32_t d;
    asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(d) : "r"(a), "r"(mask), "r"(bits));
    return d;
}

static __device__ const uint32_t &word(const uint4 &v, int k) {
    return (&v.x)[k];
}

// ---------------------------------------------------------------- formats: W, 16 bytes at a time

struct F32 {
    enum { VEC = 4, XCH = 1, SCALED = 0, SUBNORMAL = 0 };
    typedef float X;
    static const char *name() { return "f32"; }
    static __device__ float dot(float sum, uint4 w, const uint4 (&x)[XCH]) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            sum += __uint_as_float(word(w, k)) * __uint_as_float(word(x[0], k));
        }
        return sum;
    }
    static __device__ float value(const void *W, size_t i) {
        return ((const float *)W)[i];
    }
};

struct F16 {
    enum { VEC = 8, XCH = 1, SCALED = 0, SUBNORMAL = 0 };
    typedef __half X;
    static const char *name() { return "f16"; }
    static __device__ float dot(float sum, uint4 w, const uint4 (&x)[XCH]) {
#pragma unroll
        for (int k = 0; k < 4; k++) {
            float2 a = __half22float2(as_half2(word(w, k))), b = __half22float2(as_half2(word(x[0], k)));
            sum += a.x * b.x;
            sum += a.y * b.y;
        }
        return sum;
    }
    static __device__ float value(const void *W, size_t i) {
        return __half2float(((const __half *)W)[i]);
    }
};

/* MATH 0: I2F; 1: magic numbers of half, sums in float; 2: magic numbers of half, sums of 16 in half2; 3: magic of float */
template <int MATH> struct I8 {
    enum { VEC = 16, XCH = 2, SCALED = 1, SUBNORMAL = 0 };
    typedef __half X;
    static const char *name() { return MATH == 0 ? "i8cvt" : MATH == 1 ? "i8" : MATH == 2 ? "i8h" : "i8f"; }
    static __device__ float dot(float sum, uint4 w, const uint4 (&x)[XCH]) {
        __half2 part = __float2half2_rn(0.0f);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            uint32_t q = word(w, k); // biased: 0 .. 255 means -128 .. 127
            uint32_t xa = word(x[k / 2], k % 2 * 2), xb = word(x[k / 2], k % 2 * 2 + 1);
            if (MATH == 0) {
                float2 a = __half22float2(as_half2(xa)), b = __half22float2(as_half2(xb));
                sum += (float)(int)((q & 255) - 128) * a.x;
                sum += (float)(int)((q >> 8 & 255) - 128) * a.y;
                sum += (float)(int)((q >> 16 & 255) - 128) * b.x;
                sum += (float)(int)((q >> 24) - 128) * b.y;
            } else if (MATH == 3) {
                float2 a = __half22float2(as_half2(xa)), b = __half22float2(as_half2(xb));
                sum += (__uint_as_float(__byte_perm(q, 0x4b000000, 0x7440)) - 8388736.0f) * a.x;
                sum += (__uint_as_float(__byte_perm(q, 0x4b000000, 0x7441)) - 8388736.0f) * a.y;
                sum += (__uint_as_float(__byte_perm(q, 0x4b000000, 0x7442)) - 8388736.0f) * b.x;
                sum += (__uint_as_float(__byte_perm(q, 0x4b000000, 0x7443)) - 8388736.0f) * b.y;
            } else {
                __half2 wa = __hsub2(as_half2(__byte_perm(q, 0x64646464, 0x4140)), as_half2(0x64806480));
                __half2 wb = __hsub2(as_half2(__byte_perm(q, 0x64646464, 0x4342)), as_half2(0x64806480));
                if (MATH == 2) {
                    part = __hfma2(wa, as_half2(xa), part);
                    part = __hfma2(wb, as_half2(xb), part);
                } else {
                    float2 a = __half22float2(as_half2(xa)), b = __half22float2(as_half2(xb));
                    float2 c = __half22float2(wa), d = __half22float2(wb);
                    sum += c.x * a.x;
                    sum += c.y * a.y;
                    sum += d.x * b.x;
                    sum += d.y * b.y;
                }
            }
        }
        if (MATH == 2) {
            float2 p = __half22float2(part);
            sum += p.x + p.y;
        }
        return sum;
    }
    static __device__ float value(const void *W, size_t i) {
        return (float)((int)((const uint8_t *)W)[i] - 128);
    }
};

/* 8 weights in a word: the pair 2k, 2k+1 in bits 4k .. 4k+3 and 16+4k .. 16+4k+3, so that one lop3 gets both.
 * MATH 0: shift, mask, I2F, sums in float; 1: magic numbers, sums in float; 2: sums of 8 in half2; 3: sums of 32 in half2;
 * 4: no magic number at all: four bits are a subnormal half, 2^-24 times their value; x is 2^14 times as large, and 8 times the
 * sum of x is taken away at the end (stay_kernel only) */
template <int MATH> struct I4 {
    enum { VEC = 32, XCH = 4, SCALED = 1, SUBNORMAL = MATH == 4 };
    typedef __half X;
    static const char *name() {
        return MATH == 0 ? "i4cvt" : MATH == 1 ? "i4f" : MATH == 2 ? "i4h8" : MATH == 3 ? "i4h32" : "i4s";
    }
    static __device__ float dot(float sum, uint4 w, const uint4 (&x)[XCH]) {
        __half2 part = __float2half2_rn(0.0f);
#pragma unroll
        for (int k = 0; k < 4; k++) {
            uint32_t q = word(w, k);
            if (MATH == 0) {
#pragma unroll
                for (int p = 0; p < 4; p++) {
                    float2 b = __half22float2(as_half2(word(x[k], p)));
                    sum += (float)((int)(q >> (4 * p) & 15) - 8) * b.x;
                    sum += (float)((int)(q >> (4 * p + 16) & 15) - 8) * b.y;
                }
                continue;
            }
            if (MATH == 4) {
                part = __hfma2(as_half2(q & 0x000f000f), as_half2(word(x[k], 0)), part);
                part = __hfma2(as_half2(q & 0x00f000f0), as_half2(word(x[k], 1)), part);
                q >>= 8;
                part = __hfma2(as_half2(q & 0x000f000f), as_half2(word(x[k], 2)), part);
                part = __hfma2(as_half2(q & 0x00f000f0), as_half2(word(x[k], 3)), part);
                if (k == 3) {
                    float2 p = __half22float2(part);
                    sum += p.x + p.y;
                }
                continue;
            }
            __half2 v[4];
            const __half2 low = as_half2(0x64086408), sixteenth = as_half2(0x2c002c00), high = as_half2(0xd480d480);
            v[0] = __hsub2(as_half2(and_or(q, 0x000f000f, 0x64006400)), low);
            v[1] = __hfma2(as_half2(and_or(q, 0x00f000f0, 0x64006400)), sixteenth, high);
            q >>= 8;
            v[2] = __hsub2(as_half2(and_or(q, 0x000f000f, 0x64006400)), low);
            v[3] = __hfma2(as_half2(and_or(q, 0x00f000f0, 0x64006400)), sixteenth, high);
#pragma unroll
            for (int p = 0; p < 4; p++) {
                if (MATH == 1) {
                    float2 a = __half22float2(v[p]), b = __half22float2(as_half2(word(x[k], p)));
                    sum += a.x * b.x;
                    sum += a.y * b.y;
                } else {
                    part = __hfma2(v[p], as_half2(word(x[k], p)), part);
                }
            }
            if (MATH == 2 || (MATH == 3 && k == 3)) {
                float2 p = __half22float2(part);
                sum += p.x + p.y;
                part = __float2half2_rn(0.0f);
            }
        }
        return sum;
    }
    static __device__ float value(const void *W, size_t i) {
        uint32_t q = ((const uint32_t *)W)[i / 8];
        int k = (int)(i % 8);
        return (float)((int)(q >> (4 * (k / 2) + 16 * (k % 2)) & 15) - 8);
    }
};

// ---------------------------------------------------------------- row-major

struct problem {
    const void *W;
    const __half *scales;
    const void *x;
    float *y, *partial;
    unsigned *done;
    int M, N;
};

/* Where piece j of the x that lane l needs lies in shared memory: 8 neighbouring lanes read all 32 banks. */
template <int XCH> static __device__ int swizzled(int l, int j) {
    return l * XCH + (j ^ (l * XCH / 8 % XCH));
}

/* R rows at a time by WPR warps, U loads of 16 bytes per row and lane, B vectors x; x through L1 (XS = 0) or from shared
 * memory. gridDim.y parts of the columns; a block goes on with rows gridDim.x groups further down. PIPE: the next loads are
 * on their way before this step is computed. */
template <class F, int R, int U, int WPR, int XS, int LD, int B, int T, int PIPE>
static __global__ __launch_bounds__(T) void rows_kernel(problem p, int slab) {
    extern __shared__ uint4 shared_x[];
    __shared__ float sums[T / WARP][R * B];
    __shared__ bool last;
    constexpr int SIDE = T / WARP / WPR, ROWS = SIDE * R; // groups of warps side by side
    const uint4 *W = (const uint4 *)p.W, *x = (const uint4 *)p.x;
    int vecs = p.N / F::VEC, lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    int first = blockIdx.y * slab, end = min(first + slab, vecs), x_apart = p.N * (int)sizeof(typename F::X) / 16;
    int mine = first + warp % WPR * WARP + lane;
    constexpr int STEP = WARP * WPR * U;
    uint4 w[PIPE + 1][R][U];
    __half s[PIPE + 1][R][U];

    auto load = [&](int buffer, int row, int c) {
#pragma unroll
        for (int r = 0; r < R; r++) {
            size_t start = (size_t)min(row + r, p.M - 1) * vecs;
#pragma unroll
            for (int u = 0; u < U; u++) {
                int k = c + u * WARP * WPR;
                w[buffer][r][u] = make_uint4(0, 0, 0, 0);
                if (F::SCALED) {
                    s[buffer][r][u] = __float2half(0.0f);
                }
                if (k < end) {
                    w[buffer][r][u] = load16<LD>(&W[start + k]);
                    if (F::SCALED) {
                        s[buffer][r][u] = __ldg(&p.scales[(start + k) * F::VEC / GROUP]);
                    }
                }
            }
        }
    };
    float sum[R][B];
    auto use = [&](int buffer, int c) {
#pragma unroll
        for (int u = 0; u < U; u++) {
            int k = c + u * WARP * WPR;
            if (k >= end) {
                break;
            }
#pragma unroll
            for (int b = 0; b < B; b++) {
                uint4 a[F::XCH];
#pragma unroll
                for (int j = 0; j < F::XCH; j++) {
                    a[j] = XS ? shared_x[b * slab * F::XCH + swizzled<F::XCH>(k - first, j)]
                              : __ldg(&x[b * x_apart + k * F::XCH + j]);
                }
#pragma unroll
                for (int r = 0; r < R; r++) {
                    sum[r][b] = F::SCALED ? sum[r][b] + __half2float(s[buffer][r][u]) * F::dot(0.0f, w[buffer][r][u], a)
                                          : F::dot(sum[r][b], w[buffer][r][u], a);
                }
            }
        }
    };

    bool filled = !XS;
    for (int block_row = blockIdx.x * ROWS; block_row < p.M; block_row += gridDim.x * ROWS) {
        int row = block_row + warp / WPR * R;
#pragma unroll
        for (int r = 0; r < R; r++) {
#pragma unroll
            for (int b = 0; b < B; b++) {
                sum[r][b] = 0.0f;
            }
        }
        load(0, row, mine);
        if (!filled) {
            for (int i = threadIdx.x; i < (end - first) * F::XCH * B; i += T) {
                int b = i / ((end - first) * F::XCH), j = i % ((end - first) * F::XCH);
                shared_x[b * slab * F::XCH + swizzled<F::XCH>(j / F::XCH, j % F::XCH)] =
                    __ldg(&x[b * x_apart + first * F::XCH + j]);
            }
            __syncthreads();
            filled = true;
        }
        if (PIPE) {
            for (int c = mine; c < end; c += 2 * STEP) {
                load(PIPE, row, c + STEP);
                use(0, c);
                if (c + STEP >= end) {
                    break;
                }
                load(0, row, c + 2 * STEP);
                use(PIPE, c + STEP);
            }
        } else {
            for (int c = mine;;) {
                use(0, c);
                c += STEP;
                if (c >= end) {
                    break;
                }
                load(0, row, c);
            }
        }
#pragma unroll
        for (int r = 0; r < R; r++) {
#pragma unroll
            for (int b = 0; b < B; b++) {
                for (int step = WARP / 2; step > 0; step /= 2) {
                    sum[r][b] += __shfl_xor_sync(ALL_LANES, sum[r][b], step);
                }
                if (lane == 0) {
                    sums[warp][r * B + b] = sum[r][b];
                }
            }
        }
        if (WPR > 1) {
            __syncthreads();
        } else {
            __syncwarp();
        }
        int group = warp / WPR, in_group = threadIdx.x - group * WPR * WARP;
        if (in_group < R * B && row + in_group / B < p.M) {
            float total = 0.0f;
            for (int k = 0; k < WPR; k++) {
                total += sums[group * WPR + k][in_group];
            }
            float *to = gridDim.y == 1 ? p.y : p.partial + (size_t)blockIdx.y * p.M * B;
            to[(size_t)(in_group % B) * p.M + row + in_group / B] = total;
        }
        if (WPR > 1) {
            __syncthreads();
        } else {
            __syncwarp();
        }
        if (gridDim.y > 1) {
            __threadfence();
            __syncthreads();
            if (threadIdx.x == 0) {
                last = atomicInc(&p.done[block_row / ROWS], gridDim.y - 1) == gridDim.y - 1;
            }
            __syncthreads();
            if (last) {
                __threadfence();
                for (int t = threadIdx.x; t < ROWS * B; t += T) {
                    int r = block_row + t % ROWS, b = t / ROWS;
                    float total = 0.0f;
                    for (int k = 0; r < p.M && k < gridDim.y; k++) {
                        total += __ldcg(&p.partial[((size_t)k * B + b) * p.M + r]);
                    }
                    if (r < p.M) {
                        p.y[(size_t)b * p.M + r] = total;
                    }
                }
            }
        }
    }
}

// ---------------------------------------------------------------- row-major, x stays in registers

/* Sums of R values over the lanes; lane l < R has that of row_of_lane<R>(l). R is a power of two. */
template <int R> static __device__ float sum_rows(float (&s)[R], int lane) {
#pragma unroll
    for (int half = R / 2, bit = 1; half > 0; half /= 2, bit *= 2) {
#pragma unroll
        for (int i = 0; i < half; i++) {
            float keep = lane & bit ? s[i + half] : s[i], give = lane & bit ? s[i] : s[i + half];
            s[i] = keep + __shfl_xor_sync(ALL_LANES, give, bit);
        }
    }
#pragma unroll
    for (int bit = R; bit < WARP; bit *= 2) {
        s[0] += __shfl_xor_sync(ALL_LANES, s[0], bit);
    }
    return s[0];
}

template <int R> static __device__ int row_of_lane(int lane) {
    int row = 0;
#pragma unroll
    for (int half = R / 2, bit = 1; half > 0; half /= 2, bit *= 2) {
        row += lane & bit ? half : 0;
    }
    return row;
}

/* The block is as wide as a row: a thread has C vectors of each row, and their x in registers. R rows at a time; then those
 * gridDim.x * R further down. PIPE: the next rows are on their way meanwhile. */
template <class F, int C, int R, int PIPE, int T>
static __global__ __launch_bounds__(T) void stay_kernel(problem p, int) {
    __shared__ float sums[2][R][WARP];
    int vecs = p.N / F::VEC, t = threadIdx.x, lane = t % WARP, warp = t / WARP, warps = blockDim.x / WARP;
    const uint4 *W = (const uint4 *)p.W, *x = (const uint4 *)p.x;
    uint4 a[C][F::XCH];
    float eight[C];
    uint4 w[PIPE + 1][R][C];
    __half s[PIPE + 1][R][C];
    auto load = [&](int buffer, int row) {
#pragma unroll
        for (int r = 0; r < R; r++) {
            size_t start = (size_t)min(row + r, p.M - 1) * vecs;
#pragma unroll
            for (int c = 0; c < C; c++) {
                int k = min(t + c * (int)blockDim.x, vecs - 1);
                w[buffer][r][c] = load16<1>(&W[start + k]);
                if (F::SCALED) {
                    s[buffer][r][c] = __ldg(&p.scales[(start + k) * F::VEC / GROUP]);
                }
            }
        }
    };
    int n = 0;
    auto use = [&](int buffer, int row) {
        float sum[R];
#pragma unroll
        for (int r = 0; r < R; r++) {
            sum[r] = 0.0f;
#pragma unroll
            for (int c = 0; c < C; c++) {
                float part = F::dot(F::SCALED ? 0.0f : sum[r], w[buffer][r][c], a[c]);
                if (F::SUBNORMAL) {
                    part = part * 1024.0f - eight[c];
                }
                sum[r] = F::SCALED ? sum[r] + __half2float(s[buffer][r][c]) * part : part;
            }
        }
        float total = sum_rows(sum, lane);
        if (lane < R) {
            sums[n][row_of_lane<R>(lane)][warp] = total;
        }
        __syncthreads();
        if (t < R && row + t < p.M) {
            total = 0.0f;
            for (int k = 0; k < warps; k++) {
                total += sums[n][t][k];
            }
            p.y[row + t] = total;
        }
        n ^= 1;
    };
    int row = blockIdx.x * R, step = gridDim.x * R;
    load(0, row);
#pragma unroll
    for (int c = 0; c < C; c++) {
        int k = t + c * blockDim.x;
        eight[c] = 0.0f;
#pragma unroll
        for (int j = 0; j < F::XCH; j++) {
            a[c][j] = k < vecs ? __ldg(&x[k * F::XCH + j]) : make_uint4(0, 0, 0, 0);
            if (F::SUBNORMAL) {
#pragma unroll
                for (int i = 0; i < 4; i++) {
                    __half2 *v = (__half2 *)&(&a[c][j].x)[i];
                    float2 f = __half22float2(*v);
                    eight[c] += 8.0f * (f.x + f.y);
                    *v = __hmul2(*v, __float2half2_rn(i % 2 ? 1024.0f : 16384.0f)); // bits 4 to 7 count 16 times
                }
            }
        }
    }
    if (PIPE) {
        while (row < p.M) {
            if (row + step < p.M) {
                load(PIPE, row + step);
            }
            use(0, row);
            row += step;
            if (row >= p.M) {
                break;
            }
            if (row + step < p.M) {
                load(0, row + step);
            }
            use(PIPE, row);
            row += step;
        }
    } else {
        while (row < p.M) {
            use(0, row);
            row += step;
            if (row < p.M) {
                load(0, row);
            }
        }
    }
}

// ---------------------------------------------------------------- transposed

/* y[N] = x[M] * W[M][N]: TX threads across, each with 16 bytes of a row, TY rows down, U of them on their way. */
template <class F, int U, int TX, int TY, int LD>
static __global__ __launch_bounds__(TX *TY) void columns_kernel(problem p, int slab) {
    __shared__ float sums[TY > 1 ? TY : 1][F::VEC][TX + 1];
    __shared__ bool last;
    const uint4 *W = (const uint4 *)p.W;
    const typename F::X *x = (const typename F::X *)p.x;
    int vecs = p.N / F::VEC, tx = threadIdx.x % TX, ty = threadIdx.x / TX, c = blockIdx.x * TX + tx;
    int end = min((int)(blockIdx.y + 1) * slab, p.M);
    float sum[F::VEC] = {};
    if (c < vecs) {
        for (int row = blockIdx.y * slab + ty; row < end; row += TY * U) {
            uint4 w[U];
            float a[U];
#pragma unroll
            for (int u = 0; u < U; u++) {
                int r = row + u * TY;
                w[u] = r < end ? load16<LD>(&W[(size_t)r * vecs + c]) : make_uint4(0, 0, 0, 0);
                a[u] = r < end ? (float)x[r] : 0.0f;
            }
#pragma unroll
            for (int u = 0; u < U; u++) {
#pragma unroll
                for (int k = 0; k < 4; k++) {
                    if (F::VEC == 4) {
                        sum[k] += __uint_as_float(word(w[u], k)) * a[u];
                    } else {
                        float2 v = __half22float2(as_half2(word(w[u], k)));
                        sum[(2 * k) % F::VEC] += v.x * a[u];
                        sum[(2 * k + 1) % F::VEC] += v.y * a[u];
                    }
                }
            }
        }
    }
    if (TY > 1) {
#pragma unroll
        for (int k = 0; k < F::VEC; k++) {
            sums[ty][k][tx] = sum[k];
        }
        __syncthreads();
    }
    float *to = gridDim.y == 1 ? p.y : p.partial + (size_t)blockIdx.y * p.N;
    for (int t = threadIdx.x; t < TX * F::VEC; t += TX * TY) {
        int column = blockIdx.x * TX * F::VEC + t;
        float total = 0.0f;
        if (TY > 1) {
            for (int k = 0; k < TY; k++) {
                total += sums[k][t % F::VEC][t / F::VEC];
            }
            if (column < p.N) {
                to[column] = total;
            }
        }
    }
    if (TY == 1 && c < vecs) {
#pragma unroll
        for (int k = 0; k < F::VEC; k++) {
            to[c * F::VEC + k] = sum[k];
        }
    }
    if (gridDim.y > 1) {
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            last = atomicInc(&p.done[blockIdx.x], gridDim.y - 1) == gridDim.y - 1;
        }
        __syncthreads();
        if (last) {
            __threadfence();
            for (int t = threadIdx.x; t < TX * F::VEC; t += TX * TY) {
                int column = blockIdx.x * TX * F::VEC + t;
                float total = 0.0f;
                for (int k = 0; column < p.N && k < gridDim.y; k++) {
                    total += __ldcg(&p.partial[(size_t)k * p.N + column]);
                }
                if (column < p.N) {
                    p.y[column] = total;
                }
            }
        }
    }
}
