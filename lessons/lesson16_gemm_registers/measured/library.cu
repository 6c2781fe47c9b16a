/* library EDGE...: version 9 of lesson 16 next to cuBLAS on square matrices of those edges, for a GPU. cuBLAS comes twice: as
 * cublasSgemm, which chooses a kernel by its own rules, and with the fastest of the kernels that cublasLt proposes for that
 * edge, since version 9 was chosen by trying, too. The three take turns, and what was timed is verified. */
#define main lesson16_main
#include "../lesson16.cu"
#undef main

enum { COMPUTE_32F = 68, TYPE_32F = 0, WORKSPACE_PREFERENCE = 1, PROPOSALS = 48, TRIALS = 5 };
static const size_t WORKSPACE = 32 << 20;

/* cublasLt.h's cublasLtMatmulHeuristicResult_t. */
struct proposal {
    uint64_t algorithm[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

/* What we use of cublasLt, looked for as in common/cublas.h, and a problem as it wants it. */
struct lt {
    int (*matmul)(void *, void *, const void *, const void *, void *, const void *, void *, const void *, const void *,
                  void *, void *, void *, const void *, void *, size_t, cudaStream_t);
    int (*propose)(void *, void *, void *, void *, void *, void *, void *, int, struct proposal *, int *);
    int (*layout)(void **, int, uint64_t, uint64_t, int64_t);
    void *handle, *product, *preference, *workspace;
};

struct lt_job {
    const struct lt *lt;
    const struct gemm *gemm;
    void *A, *B, *C; // their layouts
    struct proposal proposal;
};

static void *function(void *library, const char *name) {
    void *found = dlsym(library, name);
    cublas_check(found ? 0 : -1, name);
    return found;
}

static struct lt lt_open(void) {
    struct lt lt = {};
    void *library = dlopen("libcublasLt.so.13", RTLD_NOW | RTLD_LOCAL);
    cublas_check(library ? 0 : -1, "looking for libcublasLt.so.13");
    *(void **)&lt.matmul = function(library, "cublasLtMatmul");
    *(void **)&lt.propose = function(library, "cublasLtMatmulAlgoGetHeuristic");
    *(void **)&lt.layout = function(library, "cublasLtMatrixLayoutCreate");
    int (*create)(void **) = (int (*)(void **))function(library, "cublasLtCreate");
    int (*describe)(void **, int, int) = (int (*)(void **, int, int))function(library, "cublasLtMatmulDescCreate");
    int (*prefer)(void **) = (int (*)(void **))function(library, "cublasLtMatmulPreferenceCreate");
    int (*set)(void *, int, const void *, size_t) =
        (int (*)(void *, int, const void *, size_t))function(library, "cublasLtMatmulPreferenceSetAttribute");
    cublas_check(create(&lt.handle), "cublasLtCreate");
    cublas_check(describe(&lt.product, COMPUTE_32F, TYPE_32F), "cublasLtMatmulDescCreate");
    cublas_check(prefer(&lt.preference), "cublasLtMatmulPreferenceCreate");
    cublas_check(set(lt.preference, WORKSPACE_PREFERENCE, &WORKSPACE, sizeof WORKSPACE), "the size of its workspace");
    CUDA_CHECK(cudaMalloc(&lt.workspace, WORKSPACE));
    return lt;
}

/* The library counts columns first, so what it sees of row-major matrices is their transposes: C' = B' * A'. */
static int lt_run(const struct lt_job *job, cudaStream_t stream) {
    const struct gemm *g = job->gemm;
    const struct lt *lt = job->lt;
    return lt->matmul(lt->handle, lt->product, &g->alpha, g->B, job->B, g->A, job->A, &g->beta, g->C, job->C, g->C,
                      job->C, job->proposal.algorithm, lt->workspace, WORKSPACE, stream);
}

static void lt_launch(void *job, cudaStream_t stream) {
    cublas_check(lt_run((const struct lt_job *)job, stream), "cublasLtMatmul");
}

/* The median of a few runs; a proposal that cannot run takes for ever. */
static float lt_time(const struct lt_job *job) {
    cudaEvent_t start, stop;
    float milliseconds[TRIALS];
    if (lt_run(job, 0) != 0) {
        return INFINITY;
    }
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    for (int trial = 0; trial < TRIALS; trial++) {
        CUDA_CHECK(cudaEventRecord(start, 0));
        lt_launch((void *)job, 0);
        CUDA_CHECK(cudaEventRecord(stop, 0));
        CUDA_CHECK(cudaEventSynchronize(stop));
        CUDA_CHECK(cudaEventElapsedTime(&milliseconds[trial], start, stop));
    }
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    qsort(milliseconds, TRIALS, sizeof milliseconds[0], bench_order);
    return milliseconds[TRIALS / 2];
}

static struct lt_job lt_choose(const struct lt *lt, const struct gemm *g) {
    static struct proposal proposals[PROPOSALS];
    struct lt_job job = {lt, g}, best = job;
    float shortest = INFINITY;
    int count = 0, chosen = 0;
    cublas_check(lt->layout(&job.A, TYPE_32F, g->K, g->M, g->K), "cublasLtMatrixLayoutCreate");
    cublas_check(lt->layout(&job.B, TYPE_32F, g->N, g->K, g->N), "cublasLtMatrixLayoutCreate");
    cublas_check(lt->layout(&job.C, TYPE_32F, g->N, g->M, g->N), "cublasLtMatrixLayoutCreate");
    cublas_check(
        lt->propose(lt->handle, lt->product, job.B, job.A, job.C, job.C, lt->preference, PROPOSALS, proposals, &count),
        "cublasLtMatmulAlgoGetHeuristic");
    for (int p = 0; p < count; p++) {
        job.proposal = proposals[p];
        float milliseconds = lt_time(&job);
        if (milliseconds < shortest) {
            best = job;
            shortest = milliseconds;
            chosen = p + 1;
        }
    }
    printf("cublasLt: number %d of its %d proposals is the fastest\n", chosen, count);
    record_row("cublasLt", "fastest proposal", chosen, "");
    record_row("cublasLt", "proposals", count, "");
    cublas_check(chosen ? 0 : -1, "running any proposal of cublasLt");
    return best;
}

static void compare(const struct lt *lt, struct gemm_peer *peer, int edge, double peak) {
    const struct gemm_version *version = &versions[VERSIONS - 1];
    struct gemm gemm = gemm_create(edge, edge, edge, 1.0f, 0.0f, 1, sgemm_cpu);
    struct gemm own[3] = {gemm_with_own_C(&gemm), gemm_with_own_C(&gemm), gemm_with_own_C(&gemm)};
    printf("\nM = N = K = %d\n", edge);
    record_part("n=%d", edge);
    struct gemm_job mine = {&own[0], version};
    peer->gemm = &own[1];
    struct lt_job best = lt_choose(lt, &own[2]);
    gemm_reset(&own[2]);
    struct turns turns = turns_start();
    double flops = 2.0 * edge * edge * edge;
    turns_add(&turns, version->name, gemm_launch_job, &mine, 0, flops);
    turns_add(&turns, "cuBLAS", gemm_launch_peer, peer, 0, flops);
    turns_add(&turns, "cublasLt", lt_launch, &best, 0, flops);
    turns_run(&turns);
    gemm_print_times(&turns, peak, &turns.row[1]);
    fflush(stdout);
    turns_end(&turns);
    gemm_verify(&own[0], version->name);
    gemm_verify(&own[1], "cuBLAS");
    gemm_verify(&own[2], "cublasLt");
    for (int k = 0; k < 3; k++) {
        CUDA_CHECK(cudaFree(own[k].C));
    }
    gemm_free(&gemm);
}

int main(int argc, char **argv) {
    device_print_backend();
    struct lt lt = lt_open();
    struct gemm_peer peer = {NULL, cublas_open()};
    cublas_print(&peer.cublas);
    double peak = gemm_print_peak();
    for (int a = 1; a < argc; a++) {
        compare(&lt, &peer, atoi(argv[a]), peak);
    }
    return verify_finish("version 9 and cuBLAS");
}
