/* sweep EDGE RUNS: times all variants that are linked into it and compares their results with cuBLAS's, or, where there is none, with those
 * of the first variant. Version 6: matrices of EDGE x EDGE, all variants and cuBLAS in turns (common/turns.h), as many as that has rows.
 * Versions 7 and 8, and small tiles of version 6: shapes with few tiles, each in turns with cuBLAS; version 7 with several numbers of parts.
 * There each run has other matrices than the one before. */
#include <algorithm>
#include <vector>

#include "variant.h"

const struct variant *variants;

enum { SETS = 3 };

static __global__ void fill(__nv_bfloat16 *x, size_t n, unsigned seed) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        unsigned h = (unsigned)i * 2654435761u + seed * 40503u;
        h ^= h >> 16, h *= 0x85ebca6b, h ^= h >> 13, h *= 0xc2b2ae35, h ^= h >> 16;
        x[i] = __float2bfloat16((h >> 8) * (2.0f / 16777216.0f) - 1.0f);
    }
}

/* The largest difference, as a part of 1 + |value|. */
static __global__ void differ(const __nv_bfloat16 *a, const __nv_bfloat16 *b, size_t n, int *worst) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float x = __bfloat162float(a[i]), y = __bfloat162float(b[i]), off = fabsf(x - y) / (1 + fabsf(y));
        atomicMax(worst, __float_as_int(off >= 0 ? off : INFINITY));
    }
}

struct shape {
    struct layer set[SETS];
    __nv_bfloat16 *expected; /* of set 0 */
    bool know;
    int *worst, *ready;
};

static struct shape shape_create(int M, int N, int K) {
    struct shape s = {};
    struct layer l = {M, N, K};
    l.wide = true;
    CUDA_CHECK(cudaMalloc(&l.workspace, 2 * (size_t)LAYER_WORKSPACE)); // 16 parts of the largest
    CUDA_CHECK(cudaMalloc(&s.expected, (size_t)M * N * 2));
    CUDA_CHECK(cudaMalloc(&s.worst, 4));
    CUDA_CHECK(cudaMalloc(&s.ready, 1 << 16));
    for (int k = 0; k < SETS; k++) {
        CUDA_CHECK(cudaMalloc((void **)&l.A, (size_t)M * K * 2));
        CUDA_CHECK(cudaMalloc((void **)&l.B, (size_t)K * N * 2));
        CUDA_CHECK(cudaMalloc((void **)&l.C, (size_t)M * N * 2));
        fill<<<1024, 256>>>((__nv_bfloat16 *)l.A, (size_t)M * K, 2 * k + 1);
        fill<<<1024, 256>>>((__nv_bfloat16 *)l.B, (size_t)K * N, 2 * k + 2);
        s.set[k] = l;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    return s;
}

static void shape_free(struct shape *s) {
    for (int k = 0; k < SETS; k++) {
        CUDA_CHECK(cudaFree((void *)s->set[k].A));
        CUDA_CHECK(cudaFree((void *)s->set[k].B));
        CUDA_CHECK(cudaFree(s->set[k].C));
    }
    CUDA_CHECK(cudaFree(s->set[0].workspace));
    CUDA_CHECK(cudaFree(s->expected));
    CUDA_CHECK(cudaFree(s->worst));
    CUDA_CHECK(cudaFree(s->ready));
}

static cudaEvent_t before, after;

template <class F> static float once(F f) {
    float ms = 0;
    CUDA_CHECK(cudaEventRecord(before));
    f();
    CUDA_CHECK(cudaEventRecord(after));
    CUDA_CHECK(cudaEventSynchronize(after));
    CUDA_CHECK(cudaEventElapsedTime(&ms, before, after));
    return ms;
}

static float median(std::vector<float> x) {
    std::sort(x.begin(), x.end());
    return x.empty() ? 0 : x[x.size() / 2];
}

static void cublas(struct layer_peer *peer, const struct layer &l) {
    if (peer->gemm) {
        peer->layer = l;
        layer_launch_peer(peer, 0);
    }
}

/* How far the first set's result is from cuBLAS's. */
static float error_of(struct shape *s, struct layer_peer *peer, const struct variant *v, int parts) {
    const struct layer *l = &s->set[0];
    size_t bytes = (size_t)l->M * l->N * 2;
    int bits = 0;
    float worst;
    if (!s->know) {
        peer->gemm ? cublas(peer, *l) : v->launch(*l, parts, s->ready, 0);
        CUDA_CHECK(cudaMemcpy(s->expected, l->C, bytes, cudaMemcpyDeviceToDevice));
        s->know = true;
    }
    CUDA_CHECK(cudaMemset(l->C, 0xFF, bytes)); // NaN
    CUDA_CHECK(cudaMemset(s->worst, 0, 4));
    v->launch(*l, parts, s->ready, 0);
    differ<<<1024, 256>>>(l->C, s->expected, (size_t)l->M * l->N, s->worst);
    CUDA_CHECK(cudaMemcpy(&bits, s->worst, 4, cudaMemcpyDeviceToHost));
    memcpy(&worst, &bits, 4);
    return worst;
}

static void time_variant(struct shape *s, struct layer_peer *peer, const struct variant *v, int parts, int runs) {
    const struct layer *l = &s->set[0];
    if (l->M % v->BM || l->N % v->BN || l->K % v->BK) {
        return;
    }
    if (v->version == 7 && ((size_t)parts * l->M * l->N * 4 > 2 * (size_t)LAYER_WORKSPACE || parts > l->K / v->BK)) {
        return;
    }
    float error = error_of(s, peer, v, parts);
    std::vector<float> mine, theirs;
    for (int r = -2; r < runs; r++) {
        float a = once([&] { v->launch(s->set[(r + SETS) % SETS], parts, s->ready, 0); });
        float b = once([&] { cublas(peer, s->set[(r + 1 + SETS) % SETS]); });
        if (r >= 0) {
            mine.push_back(a);
            theirs.push_back(b);
        }
    }
    double flops = 2.0 * l->M * l->N * l->K / 1e9;
    printf("%8.2f TFLOP/s  %6.1f %% of cuBLAS  %d x %d x %d  parts %d  error %.1e%s  %s\n", flops / median(mine),
           100 * median(theirs) / median(mine), l->M, l->N, l->K, parts, error, error < 0.02f ? "" : " WRONG", v->name);
    fflush(stdout);
}

struct job {
    const struct variant *variant;
    struct shape *shape;
};

static void launch_job(void *job, cudaStream_t stream) {
    const struct job *j = (const struct job *)job;
    j->variant->launch(j->shape->set[0], 1, j->shape->ready, stream);
}

static void time_large(struct layer_peer *peer, int edge) {
    struct shape s = shape_create(edge, edge, edge);
    struct turns turns = turns_start();
    static struct job jobs[BENCH_ROWS];
    float errors[BENCH_ROWS] = {};
    double flops = 2.0 * edge * edge * edge;
    for (const struct variant *v = variants; v && turns.rows < BENCH_ROWS - 1; v = v->next) {
        if (v->version == 6 && v->BM * v->BN > 128 * 128) {
            jobs[turns.rows] = {v, &s};
            errors[turns.rows] = error_of(&s, peer, v, 1);
            turns_add(&turns, v->name, launch_job, &jobs[turns.rows], 0, flops);
        }
    }
    if (peer->gemm) {
        peer->layer = s.set[0];
        turns_add(&turns, "cuBLAS", layer_launch_peer, peer, 0, flops);
    }
    turns_run(&turns);
    for (int r = 0; r < turns.rows; r++) {
        const struct turns_row *row = &turns.row[r];
        printf("%8.2f TFLOP/s  %6.2f %% of cuBLAS  %9.4f .. %9.4f ms  error %.1e%s  %s\n", flops / row->median / 1e9,
               100 * turns.row[turns.rows - 1].median / row->median, row->shortest, row->longest, errors[r],
               errors[r] < 0.02f ? "" : " WRONG", row->name);
    }
    turns_end(&turns);
    shape_free(&s);
}

static void time_small(struct layer_peer *peer, int M, int N, int K, int runs) {
    struct shape s = shape_create(M, N, K);
    for (const struct variant *v = variants; v; v = v->next) {
        static const int parts[] = {2, 3, 4, 5, 6, 8, 12, 16};
        for (int p = 0; v->version == 7 && p < 8; p++) {
            time_variant(&s, peer, v, parts[p], runs);
        }
        if (v->version == 8 || (v->version == 6 && v->BM * v->BN <= 128 * 128)) {
            time_variant(&s, peer, v, 1, runs);
        }
    }
    shape_free(&s);
}

int main(int argc, char **argv) {
    int edge = argc > 1 ? atoi(argv[1]) : 8192, runs = argc > 2 ? atoi(argv[2]) : 7;
    struct layer_peer peer = layer_peer_open();
    device_print_backend();
    CUDA_CHECK(cudaEventCreate(&before));
    CUDA_CHECK(cudaEventCreate(&after));
    time_large(&peer, edge);
    if (edge > 1024) {
        static const int shapes[][3] = {{1024, 1024, 1024}, {512, 512, 8192},  {256, 4096, 4096}, {2048, 2048, 2048},
                                        {1536, 1536, 4096}, {128, 8192, 8192}, {3072, 3072, 3072}};
        for (int s = 0; s < 7; s++) {
            time_small(&peer, shapes[s][0], shapes[s][1], shapes[s][2], runs);
        }
    } else {
        time_small(&peer, 256, 256, 512, runs);
    }
    return 0;
}
