/* backward.h - lesson 20, the backward pass: from dO, how much each number of O matters, to dQ, dK and dV.
 *
 *     backward_section(seed, size, forward);      verified on many shapes, then measured (or counted)
 *
 * With S = Q K' * scale, P = softmax(S) and O = P V the rules for products give (' means transposed)
 *
 *     dV = P' dO      dP = dO V'      dS = P * (dP - delta), element by element      dQ = dS K * scale      dK = dS' Q * scale
 *
 * where delta is a number for each row: the sum of P * dP over it, which is the same as the sum of dO * O. The forward pass has kept
 * neither S nor P: they would be as large as the sequence squared. It has kept O and, for each row, the log of the sum of
 * exp(S). That is enough: P = exp(S - lse), and S is one product, which tensor cores have done sooner than memory has read it.
 *
 *     backward_delta_kernel    a warp for each row
 *     backward_kv_kernel       a block for each 64 keys of a head of K and V, which walks over the queries that see them
 *     backward_q_kernel        a block for each 64 queries of a head, which walks over the keys that they see
 *
 * The second kernel could give dQ, too: but then all blocks that walk over a query would have to add to its dQ by atomics,
 * each time in another order, and so with other roundings. Here S and dP are computed a second time instead: 7 products in the
 * place of 5. The same input gives the same bits.
 *
 * Where several heads of Q share a head of K and V, a block of backward_kv_kernel walks over the queries of all of them.
 *
 * This file is a part of lesson20.cu, which includes it behind its launchers: it uses its fragments, copies and products.
 */
#ifndef LESSONS_LESSON20_ATTENTION_BACKWARD_H
#define LESSONS_LESSON20_ATTENTION_BACKWARD_H

#include <cuda_pipeline.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/turns.h"
#include "../../common/verify.h"
#include "attention.h"

/* Rows of the tiles that stay in a block; rows of those that it walks over; 4 warps, with 16 rows each. */
enum { BACKWARD_ROWS = 64, BACKWARD_STEP = 32, BACKWARD_THREADS = 128, BACKWARD_DELTA_ROWS = 8 };

/* What the kernels get. */
struct backward {
    struct attention a; // as for the forward pass; O and lse are read
    const bf16 *dO;     // as O
    float *delta;       // as lse
    bf16 *dQ, *dK, *dV; // as Q, K and V
};

// ---------------------------------------------------------------- delta

/* Grid: eights of queries x heads x sequences. */
static __global__ __launch_bounds__(BACKWARD_DELTA_ROWS *WARP) void backward_delta_kernel(struct backward w) {
    int row = blockIdx.x * BACKWARD_DELTA_ROWS + threadIdx.x / WARP, lane = threadIdx.x % WARP;
    int h = blockIdx.y, b = blockIdx.z;
    struct sequence s = sequence_of(w.a, b);
    if (row >= s.queries) {
        return; // the whole warp
    }
    uint2 o = *(const uint2 *)(row_of(w.a.O, s.first_q + row, w.a.heads, h) + lane * 4);
    uint2 d = *(const uint2 *)(row_of(w.dO, s.first_q + row, w.a.heads, h) + lane * 4);
    float2 o0 = __bfloat1622float2(*(__nv_bfloat162 *)&o.x), o1 = __bfloat1622float2(*(__nv_bfloat162 *)&o.y);
    float2 d0 = __bfloat1622float2(*(__nv_bfloat162 *)&d.x), d1 = __bfloat1622float2(*(__nv_bfloat162 *)&d.y);
    float sum = warp_sum(o0.x * d0.x + o0.y * d0.y + o1.x * d1.x + o1.y * d1.y);
    if (lane == 0) {
        w.delta[((size_t)b * w.a.heads + h) * w.a.queries + row] = sum;
    }
}

// ---------------------------------------------------------------- what both walks share

/* Shared memory of a block. While it works on one stage, the other one is filled. */
struct backward_tiles {
    bf16 stays[2][BACKWARD_ROWS * D];     // K and V; or Q and dO
    bf16 passes[2][2][BACKWARD_STEP * D]; // two stages of Q and dO; or of K and V
    float rows[2][2][BACKWARD_STEP];      // lse and delta of the queries that pass
};

/* This warp's 16 rows of a tile that stays, as left operand of multiply_QK. */
struct backward_rows {
    const bf16 *tile;
    __device__ void operator()(uint32_t (&r)[4], int, int k) const {
        int lane = threadIdx.x % WARP, row = threadIdx.x / WARP * 16 + lane % 16;
        ldmatrix(r, tile + swizzled(row, k * 16 + lane / 16 * 8));
    }
};

/* Writes a tile of results, `count` rows of which exist. They go through `tile`, where each warp has its own 16 rows: so
 * they leave in pieces of 16 bytes. */
static __device__ void backward_store(bf16 *tile, const float (&sum)[1][D / 8][4], float factor, bf16 *to,
                                      size_t stride, int count) {
    int lane = threadIdx.x % WARP, first = threadIdx.x / WARP * 16, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int j = 0; j < D / 8; j++) {
        const float(&c)[4] = sum[0][j];
        *(uint32_t *)(tile + swizzled(first + g, j * 8) + 2 * t) = pack(c[0] * factor, c[1] * factor);
        *(uint32_t *)(tile + swizzled(first + g + 8, j * 8) + 2 * t) = pack(c[2] * factor, c[3] * factor);
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < 16; i += WARP / (D / 8)) {
        int row = first + i + lane / (D / 8), col = lane % (D / 8) * 8;
        if (row < count) {
            *(uint4 *)(to + row * stride + col) = *(const uint4 *)(tile + swizzled(row, col));
        }
    }
}

// ---------------------------------------------------------------- dK and dV

/* A block's 64 keys, and the queries that see them: the same rows of each head of the group. */
struct backward_walk {
    int first_key, head_kv, b, group; // group: heads of Q that share this head of K and V
    int first_row, steps;             // the first row that sees a key, rounded down to whole steps; steps in a head
};

static __device__ struct backward_walk backward_walk_of(const struct attention &a, const struct sequence &s) {
    struct backward_walk k = {(int)blockIdx.x * BACKWARD_ROWS, (int)blockIdx.y, (int)blockIdx.z, a.heads / a.heads_kv};
    int first = a.causal ? max(0, k.first_key - (s.keys - s.queries)) : 0;
    k.first_row = first / BACKWARD_STEP * BACKWARD_STEP;
    k.steps = max(0, (s.queries - k.first_row + BACKWARD_STEP - 1) / BACKWARD_STEP);
    return k;
}

/* Asks for step i of all: Q, dO, lse and delta of 32 queries. */
static __device__ void backward_ask_queries(const struct backward &w, const struct sequence &s,
                                            const struct backward_walk &k, backward_tiles &tiles, int i) {
    int head = k.head_kv * k.group + i / k.steps, row = k.first_row + i % k.steps * BACKWARD_STEP;
    size_t stride = (size_t)w.a.heads * D;
    copy_rows<BACKWARD_STEP, BACKWARD_THREADS>(tiles.passes[i % 2][0], row_of(w.a.Q, s.first_q + row, w.a.heads, head),
                                               stride, s.queries - row);
    copy_rows<BACKWARD_STEP, BACKWARD_THREADS>(tiles.passes[i % 2][1], row_of(w.dO, s.first_q + row, w.a.heads, head),
                                               stride, s.queries - row);
    if (threadIdx.x < 2 * BACKWARD_STEP) {
        int which = threadIdx.x / BACKWARD_STEP, r = threadIdx.x % BACKWARD_STEP;
        const float *from = (which ? w.delta : w.a.lse) + ((size_t)k.b * w.a.heads + head) * w.a.queries;
        bool exists = row + r < s.queries;
        __pipeline_memcpy_async(&tiles.rows[i % 2][which][r], from + (exists ? row + r : 0), 4, exists ? 0 : 4);
    }
}

/* What a query does not see becomes 0, and what no query has seen. Most steps are not at an edge, and need not ask. */
static __device__ void backward_hide(float (&p)[1][BACKWARD_STEP / 8][4], const struct attention &a,
                                     const struct sequence &s, int key, int row) {
    int g = threadIdx.x % WARP / 4, t = threadIdx.x % 4;
    if (row + BACKWARD_STEP <= s.queries && seen_by(a, s, row) >= key + 16) {
        return;
    }
#pragma unroll
    for (int i = 0; i < BACKWARD_STEP / 2; i++) {
        int query = row + i / 4 * 8 + 2 * t + i % 2;
        int seen = query < s.queries ? seen_by(a, s, query) : 0;
        p[0][i / 4][i % 4] = key + g + i % 4 / 2 * 8 < seen ? p[0][i / 4][i % 4] : 0;
    }
}

/* One step: 16 keys for each warp, 32 queries. The scores are computed as K Q', so a lane has rows of keys: as P' and dS' they
 * are the left operands of dV += P' dO and dK += dS' Q as they are, and never leave their registers. */
static __device__ void backward_step_kv(const struct backward &w, const struct sequence &s, const backward_tiles &tiles,
                                        int stage, int key, int row, float (&dK)[1][D / 8][4],
                                        float (&dV)[1][D / 8][4]) {
    int t = threadIdx.x % 4;
    float p[1][BACKWARD_STEP / 8][4] = {}, dP[1][BACKWARD_STEP / 8][4] = {};
    multiply_QK(p, tiles.passes[stage][0], backward_rows{tiles.stays[0]});
    multiply_QK(dP, tiles.passes[stage][1], backward_rows{tiles.stays[1]});
#pragma unroll
    for (int i = 0; i < BACKWARD_STEP / 2; i++) {
        float &x = p[0][i / 4][i % 4], lse = tiles.rows[stage][0][i / 4 * 8 + 2 * t + i % 2];
        x = exp2_fast(x * (w.a.scale * (float)M_LOG2E) - lse * (float)M_LOG2E);
    }
    backward_hide(p, w.a, s, key, row);
#pragma unroll
    for (int i = 0; i < BACKWARD_STEP / 2; i++) {
        float &x = dP[0][i / 4][i % 4], delta = tiles.rows[stage][1][i / 4 * 8 + 2 * t + i % 2];
        x = p[0][i / 4][i % 4] * (x - delta);
    }
    multiply_PV(dV, p, tiles.passes[stage][1]);
    multiply_PV(dK, dP, tiles.passes[stage][0]);
}

/* Grid: tiles of keys x heads of K and V x sequences. Causal: the first keys are seen by most queries, and begin first. */
static __global__ __launch_bounds__(BACKWARD_THREADS, 2) void backward_kv_kernel(struct backward w) {
    extern __shared__ __align__(128) char backward_shared[];
    backward_tiles &tiles = *(backward_tiles *)backward_shared;
    struct sequence s = sequence_of(w.a, blockIdx.z);
    struct backward_walk k = backward_walk_of(w.a, s);
    if (k.first_key >= s.keys) {
        return;
    }
    size_t stride = (size_t)w.a.heads_kv * D, from = ((size_t)(s.first_k + k.first_key) * w.a.heads_kv + k.head_kv) * D;
    float dK[1][D / 8][4] = {}, dV[1][D / 8][4] = {};
    int all = k.group * k.steps, rows = s.keys - k.first_key;
    if (all > 0) {
        copy_rows<BACKWARD_ROWS, BACKWARD_THREADS>(tiles.stays[0], w.a.K + from, stride, rows);
        copy_rows<BACKWARD_ROWS, BACKWARD_THREADS>(tiles.stays[1], w.a.V + from, stride, rows);
        backward_ask_queries(w, s, k, tiles, 0);
    }
    for (int i = 0; i < all; i++) {
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads(); // step i is there, and all are done with the one before
        if (i + 1 < all) {
            backward_ask_queries(w, s, k, tiles, i + 1);
        }
        backward_step_kv(w, s, tiles, i % 2, k.first_key + threadIdx.x / WARP * 16,
                         k.first_row + i % k.steps * BACKWARD_STEP, dK, dV);
    }
    __syncthreads();
    backward_store(tiles.stays[0], dK, w.a.scale, w.dK + from, stride, rows);
    backward_store(tiles.stays[1], dV, 1, w.dV + from, stride, rows);
}

// ---------------------------------------------------------------- dQ

/* Asks for step i: 32 keys and values. */
static __device__ void backward_ask_keys(const struct backward &w, const struct sequence &s, backward_tiles &tiles,
                                         int head_kv, int i) {
    size_t stride = (size_t)w.a.heads_kv * D;
    int key = i * BACKWARD_STEP;
    for (int m = 0; m < 2; m++) {
        const bf16 *from = row_of(m ? w.a.V : w.a.K, s.first_k + key, w.a.heads_kv, head_kv);
        copy_rows<BACKWARD_STEP, BACKWARD_THREADS>(tiles.passes[i % 2][m], from, stride, s.keys - key);
    }
}

/* lse and delta of the rows g and g + 8 of a warp's 16. */
struct backward_own {
    float lse[2], delta[2];
    int seen[2]; // keys
};

static __device__ struct backward_own backward_own_of(const struct backward &w, const struct sequence &s, int b,
                                                      int head, int row) {
    struct backward_own own = {};
    for (int i = 0; i < 2; i++) {
        int r = row + threadIdx.x % WARP / 4 + i * 8;
        if (r < s.queries) {
            size_t at = ((size_t)b * w.a.heads + head) * w.a.queries + r;
            own.lse[i] = w.a.lse[at] * (float)M_LOG2E;
            own.delta[i] = w.delta[at];
            own.seen[i] = seen_by(w.a, s, r);
        }
    }
    return own;
}

/* One step: 16 queries for each warp, 32 keys. */
static __device__ void backward_step_q(const struct backward &w, const backward_tiles &tiles, int stage, int key,
                                       const struct backward_own &own, float (&dQ)[1][D / 8][4]) {
    int t = threadIdx.x % 4;
    float p[1][BACKWARD_STEP / 8][4] = {}, dP[1][BACKWARD_STEP / 8][4] = {};
    multiply_QK(p, tiles.passes[stage][0], backward_rows{tiles.stays[0]});
    multiply_QK(dP, tiles.passes[stage][1], backward_rows{tiles.stays[1]});
#pragma unroll
    for (int j = 0; j < BACKWARD_STEP / 8; j++) {
#pragma unroll
        for (int c = 0; c < 4; c++) {
            float x = exp2_fast(p[0][j][c] * (w.a.scale * (float)M_LOG2E) - own.lse[c / 2]);
            x = key + j * 8 + 2 * t + c % 2 < own.seen[c / 2] ? x : 0;
            dP[0][j][c] = x * (dP[0][j][c] - own.delta[c / 2]);
        }
    }
    multiply_PV(dQ, dP, tiles.passes[stage][0]);
}

/* Grid: tiles of queries, the last ones first, as they may have most keys x heads x sequences. */
static __global__ __launch_bounds__(BACKWARD_THREADS, 2) void backward_q_kernel(struct backward w) {
    extern __shared__ __align__(128) char backward_shared[];
    backward_tiles &tiles = *(backward_tiles *)backward_shared;
    int first = (gridDim.x - 1 - blockIdx.x) * BACKWARD_ROWS, head = blockIdx.y, b = blockIdx.z;
    int head_kv = head / (w.a.heads / w.a.heads_kv);
    struct sequence s = sequence_of(w.a, b);
    if (first >= s.queries) {
        return;
    }
    int rows = s.queries - first, keys = seen_by(w.a, s, first + min(rows, (int)BACKWARD_ROWS) - 1);
    size_t stride = (size_t)w.a.heads * D, from = ((size_t)(s.first_q + first) * w.a.heads + head) * D;
    struct backward_own own = backward_own_of(w, s, b, head, first + threadIdx.x / WARP * 16);
    float dQ[1][D / 8][4] = {};
    if (keys > 0) {
        copy_rows<BACKWARD_ROWS, BACKWARD_THREADS>(tiles.stays[0], w.a.Q + from, stride, rows);
        copy_rows<BACKWARD_ROWS, BACKWARD_THREADS>(tiles.stays[1], w.dO + from, stride, rows);
        backward_ask_keys(w, s, tiles, head_kv, 0);
    }
    for (int i = 0; i * BACKWARD_STEP < keys; i++) {
        __pipeline_commit();
        __pipeline_wait_prior(0);
        __syncthreads();
        if ((i + 1) * BACKWARD_STEP < keys) {
            backward_ask_keys(w, s, tiles, head_kv, i + 1);
        }
        backward_step_q(w, tiles, i % 2, i * BACKWARD_STEP, own, dQ);
    }
    __syncthreads();
    backward_store(tiles.stays[0], dQ, w.a.scale, w.dQ + from, stride, rows);
}

// ---------------------------------------------------------------- the launchers

/* All are queued in `stream`, without waiting. */

static void backward_delta(const struct backward *w, cudaStream_t stream) {
    const struct attention *a = &w->a;
    dim3 grid(ceil_div(a->queries, BACKWARD_DELTA_ROWS), a->heads, a->batch);
    if (grid.x * grid.y * grid.z > 0) {
        backward_delta_kernel<<<grid, BACKWARD_DELTA_ROWS * WARP, 0, stream>>>(*w);
        CUDA_CHECK_LAUNCH();
    }
}

/* More than 48 KiB of shared memory have to be asked for. */
static void backward_launch(void (*kernel)(struct backward), dim3 grid, const struct backward *w, cudaStream_t stream) {
    if (grid.x * grid.y * grid.z > 0) {
        CUDA_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(backward_tiles)));
        kernel<<<grid, BACKWARD_THREADS, sizeof(backward_tiles), stream>>>(*w);
        CUDA_CHECK_LAUNCH();
    }
}

static void backward_kv(const struct backward *w, cudaStream_t stream) {
    dim3 grid(ceil_div(w->a.keys, BACKWARD_ROWS), w->a.heads_kv, w->a.batch);
    backward_launch(backward_kv_kernel, grid, w, stream);
}

static void backward_q(const struct backward *w, cudaStream_t stream) {
    dim3 grid(ceil_div(w->a.queries, BACKWARD_ROWS), w->a.heads, w->a.batch);
    backward_launch(backward_q_kernel, grid, w, stream);
}

static void backward_all(const struct backward *w, cudaStream_t stream) {
    backward_delta(w, stream);
    backward_kv(w, stream);
    backward_q(w, stream);
}

// ---------------------------------------------------------------- the reference

/* What belongs to dQ, dK and dV. */
static const char *const backward_names[] = {"dQ", "dK", "dV"};

/* The problem of the forward pass, and what comes back. */
struct backward_problem {
    struct problem p;
    struct backward w;             // device
    float *O, *lse, *dO;           // host; of O what the device has, so rounded
    float *expected[3], *limit[3]; // host; how far a number may be off
    float *found;                  // host
    size_t count[3], step;         // numbers in dQ, dK and dV; the reference has every step-th row
};

static double backward_dot(const float *x, const float *y) {
    double sum = 0;
    for (int c = 0; c < D; c++) {
        sum += (double)x[c] * y[c];
    }
    return sum;
}

/* What is summed up, and the squares of its terms. */
struct backward_sum {
    double value, squares;
};

static void backward_add(struct backward_sum *to, double factor, const float *x) {
    for (int c = 0; c < D; c++) {
        double term = factor * x[c];
        to[c].value += term;
        to[c].squares += term * term;
    }
}

/* One query, row q of one head, with all keys that it sees. Of a large problem only every step-th row of dQ, dK and dV is
 * computed. */
static void backward_cpu_row(const struct backward_problem *w, int b, int row, int h,
                             struct backward_sum *const sum[3]) {
    const struct problem *p = &w->p;
    const struct shape *s = &p->shape;
    size_t q = ((size_t)p->host_starts_q[b] + row) * s->heads + h, at = q * D;
    double lse = w->lse[((size_t)b * s->heads + h) * s->queries + row], delta = backward_dot(w->O + at, w->dO + at);
    size_t k = (size_t)p->host_starts_k[b] * s->heads_kv + h / (s->heads / s->heads_kv), rest = k % w->step;
    for (int key = 0, seen = problem_seen(p, b, row); key < seen; key++, k += s->heads_kv) {
        if (q % w->step == 0 || rest == 0) {
            size_t from = k * D;
            double P = exp(backward_dot(p->Q + at, p->K + from) * p->a.scale - lse);
            double dS = P * (backward_dot(w->dO + at, p->V + from) - delta) * p->a.scale;
            backward_add(sum[0] + at, dS, p->K + from);
            backward_add(sum[1] + from, dS, p->Q + at);
            backward_add(sum[2] + from, P, w->dO + at);
        }
        for (rest += s->heads_kv; rest >= w->step;) { // k % w->step of the next key, without a division
            rest -= w->step;
        }
    }
}

/* P and dS, the operands, are rounded to bfloat16, and so is the result: it may be off as O may. The 1e-5 of attention_limit are needed where
 * fp32 leaves something of a difference of equal numbers. */
static void backward_cpu(struct backward_problem *w) {
    const struct problem *p = &w->p;
    struct backward_sum *sum[3];
    for (int m = 0; m < 3; m++) {
        sum[m] = (struct backward_sum *)verify_host_alloc(w->count[m] * sizeof *sum[m]);
        memset(sum[m], 0, w->count[m] * sizeof *sum[m]);
    }
    for (int b = 0; b < p->shape.batch; b++) {
        for (int row = 0; row < p->host_starts_q[b + 1] - p->host_starts_q[b]; row++) {
            for (int h = 0; h < p->shape.heads; h++) {
                backward_cpu_row(w, b, row, h, sum);
            }
        }
    }
    for (int m = 0; m < 3; m++) {
        for (size_t i = 0; i < w->count[m]; i++) {
            const struct backward_sum *x = &sum[m][i];
            w->expected[m][i] = i / D % w->step == 0 ? (float)x->value : 0.0f;
            w->limit[m][i] = attention_limit(x->value, x->squares);
        }
        free(sum[m]);
    }
}

// ---------------------------------------------------------------- a problem

/* O and lse: the CPU's where it has all rows, else those of the forward pass on the device. */
static void backward_forward(struct backward_problem *w, attention_launch forward) {
    struct problem *p = &w->p;
    bf16 *bits = (bf16 *)verify_host_alloc(p->count_O * sizeof(bf16));
    if (p->step == 1) {
        for (size_t i = 0; i < p->count_O; i++) {
            bits[i] = __float2bfloat16(p->expected[i]);
        }
        CUDA_CHECK(cudaMemcpy(p->a.O, bits, p->count_O * sizeof(bf16), cudaMemcpyHostToDevice));
        CUDA_CHECK(cudaMemcpy(p->a.lse, p->expected_lse, p->count_lse * sizeof(float), cudaMemcpyHostToDevice));
    } else {
        forward(p->a, 0);
    }
    CUDA_CHECK(cudaMemcpy(bits, p->a.O, p->count_O * sizeof(bf16), cudaMemcpyDeviceToHost));
    CUDA_CHECK(cudaMemcpy(w->lse, p->a.lse, p->count_lse * sizeof(float), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < p->count_O; i++) {
        w->O[i] = __bfloat162float(bits[i]);
    }
    free(bits);
}

static struct backward_problem backward_create(struct shape shape, uint64_t seed, attention_launch forward) {
    struct backward_problem w = {problem_create(shape, seed, attention_cpu)};
    w.step = w.p.step == 1 ? 1 : 1009;
    w.count[0] = w.p.count_O;
    w.count[1] = w.count[2] = (size_t)w.p.a.rows_k * shape.heads_kv * D;
    w.O = (float *)verify_host_alloc(w.p.count_O * sizeof(float));
    w.lse = (float *)verify_host_alloc(w.p.count_lse * sizeof(float));
    w.dO = attention_random(w.p.count_O, 1, seed + 3000);
    backward_forward(&w, forward);
    for (int m = 0; m < 3; m++) {
        w.expected[m] = (float *)verify_host_alloc(w.count[m] * sizeof(float));
        w.limit[m] = (float *)verify_host_alloc(w.count[m] * sizeof(float));
    }
    w.found = (float *)verify_host_alloc((w.count[0] > w.count[1] ? w.count[0] : w.count[1]) * sizeof(float));
    backward_cpu(&w);
    w.w = {w.p.a, attention_upload(w.dO, w.p.count_O)};
    w.w.delta = (float *)verify_alloc(w.p.count_lse * sizeof(float));
    w.w.dQ = (bf16 *)verify_alloc(w.count[0] * sizeof(bf16));
    w.w.dK = (bf16 *)verify_alloc(w.count[1] * sizeof(bf16));
    w.w.dV = (bf16 *)verify_alloc(w.count[2] * sizeof(bf16));
    return w;
}

static void backward_free(struct backward_problem *w) {
    verify_free("delta", w->w.delta, w->p.count_lse * sizeof(float));
    verify_free("dQ", w->w.dQ, w->count[0] * sizeof(bf16));
    verify_free("dK", w->w.dK, w->count[1] * sizeof(bf16));
    verify_free("dV", w->w.dV, w->count[2] * sizeof(bf16));
    CUDA_CHECK(cudaFree((void *)w->w.dO));
    problem_free(&w->p);
    for (int m = 0; m < 3; m++) {
        free(w->expected[m]);
        free(w->limit[m]);
    }
    free(w->found);
    free(w->O);
    free(w->lse);
    free(w->dO);
}

static void backward_poison(struct backward_problem *w) {
    verify_poison_device(w->w.delta, w->p.count_lse * sizeof(float));
    verify_poison_device(w->w.dQ, w->count[0] * sizeof(bf16));
    verify_poison_device(w->w.dK, w->count[1] * sizeof(bf16));
    verify_poison_device(w->w.dV, w->count[2] * sizeof(bf16));
}

// ---------------------------------------------------------------- verify

static bool backward_verify_one(struct backward_problem *w, const char *title, int m, const float *expected,
                                float more) {
    const bf16 *from[] = {w->w.dQ, w->w.dK, w->w.dV};
    char name[200];
    bf16 *bits = (bf16 *)verify_host_alloc(w->count[m] * sizeof(bf16));
    CUDA_CHECK(cudaMemcpy(bits, from[m], w->count[m] * sizeof(bf16), cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < w->count[m]; i++) {
        float x = __bfloat162float(bits[i]);
        w->found[i] = i / D % w->step == 0 || isnan(x) ? x : 0.0f; // the reference lacks the other rows
    }
    free(bits);
    snprintf(name, sizeof name, "%s of %s", backward_names[m], title);
    return attention_compare(name, w->found, expected, w->limit[m], more, w->count[m]);
}

static bool backward_verify(struct backward_problem *w) {
    const struct shape *s = &w->p.shape;
    char title[160];
    bool good = true;
    snprintf(title, sizeof title, "the backward pass, %d x %d heads (%d of K and V), %d queries, %d keys%s%s", s->batch,
             s->heads, s->heads_kv, s->queries, s->keys, s->causal ? ", causal" : "", s->ragged ? ", ragged" : "");
    for (int m = 0; m < 3; m++) {
        good &= backward_verify_one(w, title, m, w->expected[m], 0);
    }
    return good;
}

static bool backward_verify_shape(struct shape shape, uint64_t seed, attention_launch forward) {
    struct backward_problem w = backward_create(shape, seed, forward);
    backward_poison(&w);
    backward_all(&w.w, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    bool good = backward_verify(&w);
    backward_free(&w);
    return good;
}

// ---------------------------------------------------------------- what derivatives are: differences

/* The sum of dO * O, for one head of K and V. */
static double backward_loss(const struct problem *p, const double *const x[3], const float *dO) {
    const struct shape *s = &p->shape;
    double loss = 0;
    for (size_t i = 0; i < (size_t)s->queries * s->heads; i++) {
        double weights = 0, sum = 0;
        for (int key = 0; key < problem_seen(p, 0, (int)(i / s->heads)); key++) {
            double score = 0, value = 0;
            for (int c = 0; c < D; c++) {
                score += x[0][i * D + c] * x[1][key * D + c];
                value += dO[i * D + c] * x[2][key * D + c];
            }
            weights += exp(score * p->a.scale);
            sum += exp(score * p->a.scale) * value;
        }
        loss += weights > 0 ? sum / weights : 0;
    }
    return loss;
}

/* How much the loss grows when number i of Q, K or V does. */
static double backward_slope(const struct problem *p, double *const x[3], int m, size_t i, const float *dO) {
    const double step = 1e-4, before = x[m][i];
    x[m][i] = before + step;
    double above = backward_loss(p, x, dO);
    x[m][i] = before - step;
    double below = backward_loss(p, x, dO);
    x[m][i] = before;
    return (above - below) / (2 * step);
}

/* The reference may be wrong, too. So with each number of Q, K and V of a tiny problem it is tried how much the loss grows when
 * that number does. The reference must find the same, from an O that is not rounded. The kernels get an O that is rounded to
 * bfloat16, and so is their delta: they may be off by a tenth of what such slopes are like. */
static bool backward_differences(uint64_t seed) {
    struct backward_problem w = backward_create({1, 2, 1, 4, 6, true}, seed, NULL);
    const float *from[] = {w.p.Q, w.p.K, w.p.V};
    double *x[3];
    bool good = true;
    for (int m = 0; m < 3; m++) {
        x[m] = (double *)verify_host_alloc(w.count[m] * sizeof(double));
        for (size_t i = 0; i < w.count[m]; i++) {
            x[m][i] = from[m][i];
        }
    }
    backward_poison(&w);
    backward_all(&w.w, 0);
    CUDA_CHECK(cudaDeviceSynchronize());
    memcpy(w.O, w.p.expected, w.p.count_O * sizeof(float));
    backward_cpu(&w);
    for (int m = 0; m < 3; m++) {
        float *slopes = (float *)verify_host_alloc(w.count[m] * sizeof(float));
        double squares = 0;
        for (size_t i = 0; i < w.count[m]; i++) {
            slopes[i] = (float)backward_slope(&w.p, x, m, i, w.dO);
            squares += (double)slopes[i] * slopes[i];
        }
        good &= verify_floats("the CPU's backward pass, against differences", w.expected[m], slopes, w.count[m], 1e-5,
                              1e-4);
        good &= backward_verify_one(&w, "the backward pass, against differences", m, slopes,
                                    (float)sqrt(squares / w.count[m]) / 10);
        free(slopes);
    }
    for (int m = 0; m < 3; m++) {
        free(x[m]);
    }
    backward_free(&w);
    return good;
}

// ---------------------------------------------------------------- the table

struct backward_job {
    struct backward w;
    void (*launch)(const struct backward *w, cudaStream_t stream);
};

static void backward_launch_job(void *job, cudaStream_t stream) {
    const struct backward_job *j = (const struct backward_job *)job;
    j->launch(&j->w, stream);
}

/* The parts, and how many products each computes. The pass needs 5, whoever computes some of them twice. */
static const struct backward_part {
    const char *name;
    void (*launch)(const struct backward *w, cudaStream_t stream);
    double products;
} backward_parts[] = {{"backward_delta", backward_delta, 0},
                      {"backward_kv", backward_kv, 4},
                      {"backward_q", backward_q, 3},
                      {"backward", backward_all, 5}};
enum { BACKWARD_PARTS = sizeof backward_parts / sizeof backward_parts[0] };

static bool backward_count(struct backward_problem *w) {
    printf("\n%-18s  %12s  %12s  %12s  %12s\n", "", "instructions", "wavefronts", "KiB loaded", "KiB stored");
    printf("%-18s  %12s  %12s  %12s  %12s\n", "kernel", "per mma", "per mma", "from global", "to global");
    backward_poison(w);
    for (int i = 0; i < BACKWARD_PARTS - 1; i++) { // one after the other, as all of them would
        struct backward_job job = {w->w, backward_parts[i].launch};
        struct emulatorCounters counters;
        bench_count(&counters, backward_launch_job, &job);
        double mmas = problem_flops(&w->p) / 2 * backward_parts[i].products / 4096;
        attention_print_counts(backward_parts[i].name, mmas, &counters);
    }
    printf("\n");
    return backward_verify(w);
}

static void backward_launch_forward(void *job, cudaStream_t stream) {
    const struct attention_job *j = (const struct attention_job *)job;
    j->launch(j->a, stream);
}

/* In turns with the forward pass. It writes an O and an lse of its own: what belongs to the reference may be the CPU's, which is rounded
 * to another bfloat16 here and there, and the derivatives depend on it. */
static bool backward_time(struct backward_problem *w, attention_launch forward) {
    struct attention_job forward_job = {w->p.a, forward};
    struct backward_job jobs[BACKWARD_PARTS];
    struct turns turns = turns_start();
    double product = problem_flops(&w->p) / 2;
    backward_poison(w);
    forward_job.a.O = (bf16 *)verify_alloc(w->p.count_O * sizeof(bf16));
    forward_job.a.lse = (float *)verify_alloc(w->p.count_lse * sizeof(float));
    turns_add(&turns, "forward", backward_launch_forward, &forward_job, 0, 2 * product);
    for (int i = 0; i < BACKWARD_PARTS; i++) {
        jobs[i] = {w->w, backward_parts[i].launch};
        turns_add(&turns, backward_parts[i].name, backward_launch_job, &jobs[i], 0,
                  backward_parts[i].products * product);
    }
    backward_all(&w->w, 0); // nobody's first run shall find poison
    turns_run(&turns);
    attention_print_times(&turns);
    turns_end(&turns);
    verify_free("O", forward_job.a.O, w->p.count_O * sizeof(bf16));
    verify_free("lse", forward_job.a.lse, w->p.count_lse * sizeof(float));
    return backward_verify(w);
}

static bool backward_measure(struct shape s, uint64_t seed, attention_launch forward) {
    struct backward_problem w = backward_create(s, seed, forward);
    printf("backward: %d x %d heads (%d of K and V), %d queries, %d keys, %s\n", s.batch, s.heads, s.heads_kv,
           s.queries, s.keys, s.causal ? "causal" : "full");
    record_part("backward, %d x %d, %s", s.batch, s.keys, s.causal ? "causal" : "full");
    bool good = device_is_emulator() ? backward_count(&w) : backward_time(&w, forward);
    fflush(stdout);
    backward_free(&w);
    return good;
}

/* Verifies; when all is right, measures. size: queries and keys; -1: the lesson's own. forward: for O and lse of large problems. */
static bool backward_section(uint64_t seed, long long size, attention_launch forward) {
    static const struct shape shapes[] = {
        {1, 1, 1, 1, 1, true},         {1, 2, 1, 31, 33, true},        {2, 4, 2, 65, 65, false},
        {1, 2, 2, 130, 130, true},     {1, 3, 1, 100, 40, true},       {1, 1, 1, 40, 200, true},
        {1, 1, 1, 5, 0, false},        {1, 2, 1, 0, 5, true},          {0, 2, 1, 8, 8, false},
        {4, 4, 2, 70, 90, true, true}, {4, 2, 1, 67, 64, false, true},
    };
    bool good = true;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0] && size < 0; i++) {
        good &= backward_verify_shape(shapes[i], seed + i, forward);
    }
    for (int causal = 0; causal < 2 && size >= 0; causal++) {
        good &= backward_verify_shape({1, 2, 1, (int)size, (int)size, causal == 1}, seed, forward);
    }
    good = good && backward_differences(seed);
    for (int causal = 0; causal < 2 && good && size != 0; causal++) {
        bool emulator = device_is_emulator();
        int n = size > 0   ? (int)size
                : emulator ? 192
                           : 4096,
            batch = emulator || n > 16384 ? 1
                    : 16384 / n < 8       ? 16384 / n
                                          : 8;
        good &= backward_measure({batch, emulator ? 2 : 16, emulator ? 1 : 16, n, n, causal == 1}, seed, forward);
    }
    return good;
}

#endif
