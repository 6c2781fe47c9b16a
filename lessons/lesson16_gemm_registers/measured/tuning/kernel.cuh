/* One kernel like version 9 with everything that can be varied: sizes as template parameters, the rest as macros. Whole
 * tiles only. tune.sh compiles it many times, sweep.cu times the results.
 *
 *     ORDER    of the multiply-adds: 0 rows, 1 columns, 2 rows in turns, 3 columns in turns, 4 in squares of 2 x 2
 *     PRED     1: copies with a predicate instead of a branch around them
 *     SPREAD   1: the copies are spread over the steps of a tile (with PRED)
 *     SYNCW    1: __syncwarp() behind the loads of the next numbers; 2: a barrier for the compiler alone
 *     VOL      1: loads and multiply-adds as volatile asm, which keeps their order up to ptxas
 *     GROUP    rows of blocks that run at the same time
 *     LANES    1: the lanes of a warp numbered as in version 6; 0: row by row
 */
#pragma once
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem_addr(const void *p) {
    return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void copy4(uint32_t s, const float *g) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(s), "l"(g));
}
__device__ __forceinline__ void copy16(uint32_t s, const float *g) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s), "l"(g));
}
__device__ __forceinline__ void copy4p(uint32_t s, const float *g, int p) {
    asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.ca.shared.global [%0], [%1], 4;}" ::"r"(s), "l"(g),
                 "r"(p));
}
__device__ __forceinline__ void copy16p(uint32_t s, const float *g, int p) {
    asm volatile("{.reg .pred p; setp.ne.s32 p, %2, 0; @p cp.async.cg.shared.global [%0], [%1], 16;}" ::"r"(s), "l"(g),
                 "r"(p));
}
#ifndef SYNCW
#define SYNCW 0
#endif
#ifndef VOL
#define VOL 0
#endif
#ifndef SPREAD
#define SPREAD 0
#endif
#ifndef PRED
#define PRED 0
#endif
__device__ __forceinline__ void commit() {
    asm volatile("cp.async.commit_group;");
}
template <int N> __device__ __forceinline__ void wait() {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

#if PRED
#define COPY4(s, g, on)  copy4p(s, g, on)
#define COPY16(s, g, on) copy16p(s, g, on)
#else
#define COPY4(s, g, on)  copy4(s, g)
#define COPY16(s, g, on) copy16(s, g)
#endif
#ifndef ORDER
#define ORDER 0
#endif
#ifndef GROUP
#define GROUP 8
#endif
#ifndef LANES
#define LANES 1
#endif

#if VOL
#define FMA(d, x, y) asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(d) : "f"(x), "f"(y))
#else
#define FMA(d, x, y) d = fmaf(x, y, d)
#endif
__device__ __forceinline__ float4 lds(const float *p) {
#if VOL
    float4 v;
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                 : "r"(smem_addr(p)));
    return v;
#else
    return *(const float4 *)p;
#endif
}
template <int TM, int TN>
__device__ __forceinline__ void fma_tile(float (&acc)[TM][TN], const float (&a)[TM], const float (&b)[TN]) {
#if ORDER == 0
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++)
            FMA(acc[i][j], a[i], b[j]);
#elif ORDER == 1
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int i = 0; i < TM; i++)
            FMA(acc[i][j], a[i], b[j]);
#elif ORDER == 2 // serpentine along n
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) {
            int jj = i % 2 ? TN - 1 - j : j;
            FMA(acc[i][jj], a[i], b[jj]);
        }
#elif ORDER == 3 // serpentine along m
#pragma unroll
    for (int j = 0; j < TN; j++)
#pragma unroll
        for (int i = 0; i < TM; i++) {
            int ii = j % 2 ? TM - 1 - i : i;
            FMA(acc[ii][j], a[ii], b[j]);
        }
#elif ORDER == 4 // 2x2 blocks, serpentine
#pragma unroll
    for (int i = 0; i < TM; i += 2)
#pragma unroll
        for (int j = 0; j < TN; j += 2) {
            int jj = i / 2 % 2 ? TN - 2 - j : j;
            FMA(acc[i][jj], a[i], b[jj]);
            FMA(acc[i][jj + 1], a[i], b[jj + 1]);
            FMA(acc[i + 1][jj + 1], a[i + 1], b[jj + 1]);
            FMA(acc[i + 1][jj], a[i + 1], b[jj]);
        }
#endif
}

template <int BM, int BN, int BK, int WM, int WN, int TM, int TN, int STAGES, int MINB>
__global__ void __launch_bounds__(BM / WM * (BN / WN) * 32, MINB)
    gemm(int M, int N, int K, float alpha, const float *__restrict__ A, const float *__restrict__ B, float beta,
         float *__restrict__ C) {
    constexpr int THREADS = BM / WM * (BN / WN) * 32, WARPS_N = BN / WN;
    constexpr int LM = WM / TM, LN = WN / TN;
    static_assert(LM * LN == 32, "lanes");
    constexpr int LDA = BM + 4, LDB = BN, STAGE = BK * (LDA + LDB);
    extern __shared__ __align__(16) float shared[];
    const int tid = threadIdx.x, warp = tid / 32, lane = tid % 32;

    // block swizzle: GROUP rows of tiles at a time
    const int tiles_m = M / BM, tiles_n = N / BN;
    int t = blockIdx.x;
    int group = t / (GROUP * tiles_n), first = group * GROUP, rows = min(GROUP, tiles_m - first);
    int tile_m = first + (t - group * GROUP * tiles_n) % rows, tile_n = (t - group * GROUP * tiles_n) / rows;
    const int m0 = tile_m * BM, n0 = tile_n * BN;

    // A: 8 k x 4 m per warp and instruction, transposed on the way
    constexpr int KA = BK < 8 ? BK : 8;
    static_assert(KA == 8, "BK");
    constexpr int A_ROWS = THREADS / 8; // rows per pass
    constexpr int A_PASSES = BM / A_ROWS;
    const int ak = tid % 8, am = tid / 8;
    const float *ga = A + (size_t)(m0 + am) * K + ak;
    uint32_t sa = smem_addr(shared) + (ak * LDA + am) * 4;
    // B: 16 bytes each
    constexpr int B_LANES = BN / 4, B_ROWS = THREADS / B_LANES, B_PASSES = BK / B_ROWS;
    static_assert(B_PASSES >= 1 && B_ROWS * B_LANES == THREADS, "B");
    const int bk = tid / B_LANES, bn = tid % B_LANES * 4;
    const float *gb = B + (size_t)bk * N + n0 + bn;
    uint32_t sb = smem_addr(shared) + (BK * LDA + bk * LDB + bn) * 4;

    auto fetch_a = [&](int stage, int p, int on) {
#pragma unroll
        for (int h = 0; h < BK / 8; h++)
            COPY4(sa + stage * (STAGE * 4) + (h * 8 * LDA + p * A_ROWS) * 4, ga + (size_t)p * A_ROWS * K + h * 8, on);
    };
    auto fetch_b = [&](int stage, int p, int on) {
        COPY16(sb + stage * (STAGE * 4) + p * B_ROWS * LDB * 4, gb + (size_t)p * B_ROWS * N, on);
    };
    auto advance = [&]() {
        ga += BK;
        gb += (size_t)BK * N;
    };

    const int wm = warp / WARPS_N * WM, wn = warp % WARPS_N * WN;
#if LANES == 0
    const int lm = lane / LN, ln = lane % LN;
#else
    // bit 0 of the lane belongs to n, bit 1 to m: pairs of lanes agree, so that a 16-byte load takes 2 wavefronts
    const int lm = (lane >> 1 & 1) | (lane / (2 * LN) * 2), ln = (lane & 1) | (lane >> 2) % (LN / 2) * 2;
#endif
    const float *ra = shared + wm + lm * 4, *rb = shared + BK * LDA + wn + ln * 4;

    float acc[TM][TN] = {}, a[2][TM], b[2][TN];
    auto load = [&](int which, int stage, int k) {
#pragma unroll
        for (int i = 0; i < TM; i += 4) {
            float4 v = lds(ra + stage * STAGE + k * LDA + i * LM);
            a[which][i] = v.x, a[which][i + 1] = v.y, a[which][i + 2] = v.z, a[which][i + 3] = v.w;
        }
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            float4 v = lds(rb + stage * STAGE + k * LDB + j * LN);
            b[which][j] = v.x, b[which][j + 1] = v.y, b[which][j + 2] = v.z, b[which][j + 3] = v.w;
        }
    };

    const int tiles = K / BK;
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        if (s < tiles) {
            for (int p = 0; p < A_PASSES; p++)
                fetch_a(s, p, 1);
            for (int p = 0; p < B_PASSES; p++)
                fetch_b(s, p, 1);
            advance();
        }
        commit();
    }
    wait<STAGES - 2>();
    __syncthreads();
    int read = 0, write = STAGES - 1;
    load(0, 0, 0);
#pragma unroll 1
    for (int tile = 0; tile < tiles; tile++) {
        const bool more = tile + STAGES - 1 < tiles;
#pragma unroll
        for (int k = 0; k < BK; k++) {
            if (k == BK - 1) {
                wait<STAGES - 2>();
                __syncthreads();
                read = read + 1 == STAGES ? 0 : read + 1;
            }
            load((k + 1) % 2, read, (k + 1) % BK);
#if SYNCW == 1
            __syncwarp();
#elif SYNCW == 2
            asm volatile("" ::: "memory");
#endif
#if PRED
            if (k < BK - 1) {
                constexpr int ALL = A_PASSES + B_PASSES, SLOTS = SPREAD ? BK - 1 : 1, PER = (ALL + SLOTS - 1) / SLOTS;
                if (k < SLOTS)
#pragma unroll
                    for (int q = 0; q < PER; q++) {
                        int id = k * PER + q;
                        if (id < A_PASSES)
                            fetch_a(write, id, more);
                        else if (id < ALL)
                            fetch_b(write, id - A_PASSES, more);
                    }
            }
            if (k == BK - 2) {
#else
            if (k == 0) {
                if (more) {
#pragma unroll
                    for (int p = 0; p < A_PASSES; p++)
                        fetch_a(write, p, 1);
#pragma unroll
                    for (int p = 0; p < B_PASSES; p++)
                        fetch_b(write, p, 1);
                }
#endif
                advance();
                commit();
                write = write + 1 == STAGES ? 0 : write + 1;
            }
            fma_tile<TM, TN>(acc, a[k % 2], b[k % 2]);
        }
    }

#pragma unroll
    for (int i = 0; i < TM; i++) {
        const int row = m0 + wm + i / 4 * 4 * LM + lm * 4 + i % 4;
#pragma unroll
        for (int j = 0; j < TN; j += 4) {
            float4 *c = (float4 *)(C + (size_t)row * N + n0 + wn + j * LN + ln * 4);
            float4 v =
                make_float4(alpha * acc[i][j], alpha * acc[i][j + 1], alpha * acc[i][j + 2], alpha * acc[i][j + 3]);
            if (beta != 0) {
                float4 o = *c;
                v.x += beta * o.x, v.y += beta * o.y, v.z += beta * o.z, v.w += beta * o.w;
            }
            *c = v;
        }
    }
}
