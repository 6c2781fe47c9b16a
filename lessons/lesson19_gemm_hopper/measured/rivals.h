/* rivals.h - what shapes.cu, library.cu and tuning/sweep.cu share: products that are made and compared on the GPU, since a CPU would take minutes for
 * 16384 x 16384; and cublasLt, which proposes several kernels for a shape. Include it behind lesson19.cu. */
#ifndef LESSON19_RIVALS_H
#define LESSON19_RIVALS_H

// ---------------------------------------------------------------- products on the GPU

/* A number by chance for each index: a hash of it. */
static __device__ uint32_t chance(uint64_t i, uint32_t seed) {
    uint32_t h = (uint32_t)i * 0x9e3779b1u ^ (uint32_t)(i >> 32) * 0x85ebca77u ^ seed * 0xc2b2ae3du;
    h ^= h >> 16, h *= 0x85ebca6bu, h ^= h >> 13, h *= 0xc2b2ae35u, h ^= h >> 16;
    return h;
}

/* bfloat16 from -1 to 1. */
static __global__ void fill_bf16(bf16 *x, size_t n, uint32_t seed) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        x[i] = __float2bfloat16((chance(i, seed) >> 8) * (2.0f / 16777216.0f) - 1.0f);
    }
}

/* e4m3 from 0.125 to 0.94, of either sign, as in measure.h. */
static __global__ void fill_fp8(uint8_t *x, size_t n, uint32_t seed) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t h = chance(i, seed);
        x[i] = (uint8_t)((h >> 31) << 7 | (h % 3 + 4) << 3 | (h >> 8 & 7));
    }
}

/* The largest difference. NaN counts as infinitely far. */
static __global__ void differ(const bf16 *a, const bf16 *b, size_t n, int *worst) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float off = fabsf(__bfloat162float(a[i]) - __bfloat162float(b[i]));
        atomicMax(worst, __float_as_int(off >= 0 ? off : INFINITY));
    }
}

struct race {
    struct layer layer; // C is the version's
    bf16 *expected;     // the library's
    bool fp8;
    int *worst;
};

static struct race race_create(int M, int N, int K, bool fp8, uint32_t seed) {
    struct race r = {};
    struct layer *l = &r.layer;
    size_t size = fp8 ? 1 : 2, results = (size_t)M * N * sizeof(bf16);
    l->M = M, l->N = N, l->K = K, l->wide = true;
    r.fp8 = fp8;
    CUDA_CHECK(cudaMalloc((void **)&l->A, (size_t)M * K * size));
    CUDA_CHECK(cudaMalloc((void **)&l->B, (size_t)K * N * size));
    CUDA_CHECK(cudaMalloc((void **)&l->C, results));
    CUDA_CHECK(cudaMalloc((void **)&r.expected, results));
    CUDA_CHECK(cudaMalloc(&l->workspace, LAYER_WORKSPACE));
    CUDA_CHECK(cudaMalloc((void **)&r.worst, sizeof(int)));
    if (fp8) {
        fill_fp8<<<1024, 256>>>((uint8_t *)l->A, (size_t)M * K, 2 * seed);
        fill_fp8<<<1024, 256>>>((uint8_t *)l->B, (size_t)K * N, 2 * seed + 1);
    } else {
        fill_bf16<<<1024, 256>>>((bf16 *)l->A, (size_t)M * K, 2 * seed);
        fill_bf16<<<1024, 256>>>((bf16 *)l->B, (size_t)K * N, 2 * seed + 1);
    }
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemset(l->C, 0xFF, results)); // NaN
    CUDA_CHECK(cudaMemset(r.expected, 0xFF, results));
    return r;
}

static void race_free(struct race *r) {
    CUDA_CHECK(cudaFree((void *)r->layer.A));
    CUDA_CHECK(cudaFree((void *)r->layer.B));
    CUDA_CHECK(cudaFree(r->layer.C));
    CUDA_CHECK(cudaFree(r->layer.workspace));
    CUDA_CHECK(cudaFree(r->expected));
    CUDA_CHECK(cudaFree(r->worst));
}

/* How far this C is from the library's. Both round to bfloat16, of numbers up to about 6 * sqrt(K) / 3, and sum in other orders: one step of
 * bfloat16, 2^-7 of that. In fp8 both cut off bits of their sums. */
static bool race_agrees(const struct race *r, const bf16 *C, const char *name) {
    const struct layer *l = &r->layer;
    int bits = 0;
    float worst = 0, most = sqrtf((float)l->K) * (r->fp8 ? 2.0f * l->K / 32 / 8192 + 0.02f : 0.02f);
    CUDA_CHECK(cudaMemset(r->worst, 0, sizeof(int)));
    differ<<<1024, 256>>>(C, r->expected, (size_t)l->M * l->N, r->worst);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaMemcpy(&bits, r->worst, sizeof bits, cudaMemcpyDeviceToHost));
    memcpy(&worst, &bits, sizeof worst);
    if (!(worst <= most)) {
        printf("WRONG: %s is %g away from the library's result, more than %g\n", name, worst, most);
    }
    return worst <= most;
}

// ---------------------------------------------------------------- cublasLt

/* cublasLt.h's numbers. */
enum {
    LT_COMPUTE_32F = 68,
    LT_32F = 0,
    LT_BF16 = 14,
    LT_E4M3 = 28,
    LT_TRANSPOSE_A = 3,
    LT_FAST_SUMS = 25,
    LT_WORKSPACE = 1
};
enum { LT_MOST = 8 }; // proposals

/* cublasLt.h's cublasLtMatmulHeuristicResult_t. */
struct proposal {
    uint64_t algorithm[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

struct lt {
    int (*matmul)(void *, void *, const void *, const void *, void *, const void *, void *, const void *, const void *,
                  void *, void *, void *, const void *, void *, size_t, cudaStream_t);
    void *handle, *product, *A, *B, *C;
    struct proposal proposals[LT_MOST];
    int count, chosen;
    const struct race *race;
};

static void *lt_function(void *library, const char *name) {
    void *found = dlsym(library, name);
    cublas_check(found ? 0 : -1, name);
    return found;
}

/* The library counts columns first, so what it sees of row-major matrices is their transposes: C' = B' * A'. Where B is N x K (fp8), what it sees is
 * K x N, and it is told to transpose that. */
static struct lt lt_open(const struct race *race) {
    const struct layer *l = &race->layer;
    struct lt lt = {};
    void *library = dlopen("libcublasLt.so.13", RTLD_NOW | RTLD_LOCAL), *preference = NULL;
    size_t workspace = LAYER_WORKSPACE;
    int yes = 1, type = race->fp8 ? LT_E4M3 : LT_BF16;
    int8_t fast = 1;
    library = library ? library : dlopen("libcublasLt.so.12", RTLD_NOW | RTLD_LOCAL);
    cublas_check(library ? 0 : -1, "looking for libcublasLt.so");
    lt.race = race;
    *(void **)&lt.matmul = lt_function(library, "cublasLtMatmul");
    auto create = (int (*)(void **))lt_function(library, "cublasLtCreate");
    auto describe = (int (*)(void **, int, int))lt_function(library, "cublasLtMatmulDescCreate");
    auto set = (int (*)(void *, int, const void *, size_t))lt_function(library, "cublasLtMatmulDescSetAttribute");
    auto layout =
        (int (*)(void **, int, uint64_t, uint64_t, int64_t))lt_function(library, "cublasLtMatrixLayoutCreate");
    auto prefer = (int (*)(void **))lt_function(library, "cublasLtMatmulPreferenceCreate");
    auto limit =
        (int (*)(void *, int, const void *, size_t))lt_function(library, "cublasLtMatmulPreferenceSetAttribute");
    auto propose = (int (*)(void *, void *, void *, void *, void *, void *, void *, int, struct proposal *,
                            int *))lt_function(library, "cublasLtMatmulAlgoGetHeuristic");
    cublas_check(create(&lt.handle), "cublasLtCreate");
    cublas_check(describe(&lt.product, LT_COMPUTE_32F, LT_32F), "cublasLtMatmulDescCreate");
    if (race->fp8) {
        cublas_check(set(lt.product, LT_TRANSPOSE_A, &yes, sizeof yes), "transposing");
        cublas_check(set(lt.product, LT_FAST_SUMS, &fast, sizeof fast), "sums as exact as the tensor cores'");
        cublas_check(layout(&lt.B, type, l->K, l->N, l->K), "cublasLtMatrixLayoutCreate");
    } else {
        cublas_check(layout(&lt.B, type, l->N, l->K, l->N), "cublasLtMatrixLayoutCreate");
    }
    cublas_check(layout(&lt.A, type, l->K, l->M, l->K), "cublasLtMatrixLayoutCreate");
    cublas_check(layout(&lt.C, LT_BF16, l->N, l->M, l->N), "cublasLtMatrixLayoutCreate");
    cublas_check(prefer(&preference), "cublasLtMatmulPreferenceCreate");
    cublas_check(limit(preference, LT_WORKSPACE, &workspace, sizeof workspace), "the size of its workspace");
    cublas_check(propose(lt.handle, lt.product, lt.B, lt.A, lt.C, lt.C, preference, LT_MOST, lt.proposals, &lt.count),
                 "cublasLtMatmulAlgoGetHeuristic");
    cublas_check(lt.count > 0 ? 0 : -1, "any proposal of cublasLt");
    return lt;
}

static void lt_launch(void *job, cudaStream_t stream) {
    struct lt *lt = (struct lt *)job;
    const struct layer *l = &lt->race->layer;
    const float one = 1, zero = 0;
    cublas_check(lt->matmul(lt->handle, lt->product, &one, l->B, lt->B, l->A, lt->A, &zero, lt->race->expected, lt->C,
                            lt->race->expected, lt->C, lt->proposals[lt->chosen].algorithm, l->workspace,
                            LAYER_WORKSPACE, stream),
                 "cublasLtMatmul");
}

/* Chooses the fastest of its proposals, by the shortest of five runs each. */
static void lt_choose(struct lt *lt) {
    cudaEvent_t before, after;
    float best = INFINITY;
    int fastest = 0;
    CUDA_CHECK(cudaEventCreate(&before));
    CUDA_CHECK(cudaEventCreate(&after));
    for (lt->chosen = 0; lt->chosen < lt->count; lt->chosen++) {
        for (int run = 0; run < 5; run++) {
            float ms = 0;
            CUDA_CHECK(cudaEventRecord(before));
            lt_launch(lt, 0);
            CUDA_CHECK(cudaEventRecord(after));
            CUDA_CHECK(cudaEventSynchronize(after));
            CUDA_CHECK(cudaEventElapsedTime(&ms, before, after));
            if (ms < best) {
                best = ms;
                fastest = lt->chosen;
            }
        }
    }
    lt->chosen = fastest;
    CUDA_CHECK(cudaEventDestroy(before));
    CUDA_CHECK(cudaEventDestroy(after));
}

#endif
