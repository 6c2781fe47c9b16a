/* shapes: versions 6, 7 and 8 of lesson 18 in turns with cuBLAS on matrices of other shapes; and the layer, gelu(A * B + bias), by versions 5
 * and 6 in turns with cublasLt, which has an epilogue for that, too. For a GPU. What was timed is verified. */
#define main lesson18_main
#include "../lesson18.cu"
#undef main

enum { COMPUTE_32F = 68, TYPE_32F = 0, TYPE_16BF = 14, EPILOGUE = 7, BIAS_POINTER = 8, GELU_BIAS = 36, WORKSPACE = 1 };

/* cublasLt.h's cublasLtMatmulHeuristicResult_t. */
struct proposal {
    uint64_t algorithm[8];
    size_t workspace;
    int state;
    float waves;
    int reserved[4];
};

/* What we use of cublasLt, and one product as it wants it. The library is looked for as in common/cublas.h. */
struct lt {
    int (*matmul)(void *, void *, const void *, const void *, void *, const void *, void *, const void *, const void *,
                  void *, void *, void *, const void *, void *, size_t, cudaStream_t);
    void *handle, *product, *A, *B, *C;
    struct proposal proposal;
    struct layer layer;
};

static void *function(void *library, const char *name) {
    void *found = dlsym(library, name);
    cublas_check(found ? 0 : -1, name);
    return found;
}

/* The library counts columns first, so what it sees of row-major matrices is their transposes: C' = B' * A'. */
static struct lt lt_open(const struct layer *l) {
    struct lt lt = {};
    void *library = dlopen("libcublasLt.so.13", RTLD_NOW | RTLD_LOCAL), *preference = NULL;
    size_t workspace = LAYER_WORKSPACE;
    int epilogue = GELU_BIAS, count = 0;
    if (!library) {
        library = dlopen("libcublasLt.so.12", RTLD_NOW | RTLD_LOCAL);
    }
    cublas_check(library ? 0 : -1, "looking for libcublasLt.so");
    lt.layer = *l;
    *(void **)&lt.matmul = function(library, "cublasLtMatmul");
    auto create = (int (*)(void **))function(library, "cublasLtCreate");
    auto describe = (int (*)(void **, int, int))function(library, "cublasLtMatmulDescCreate");
    auto set = (int (*)(void *, int, const void *, size_t))function(library, "cublasLtMatmulDescSetAttribute");
    auto layout = (int (*)(void **, int, uint64_t, uint64_t, int64_t))function(library, "cublasLtMatrixLayoutCreate");
    auto prefer = (int (*)(void **))function(library, "cublasLtMatmulPreferenceCreate");
    auto limit = (int (*)(void *, int, const void *, size_t))function(library, "cublasLtMatmulPreferenceSetAttribute");
    auto propose = (int (*)(void *, void *, void *, void *, void *, void *, void *, int, struct proposal *,
                            int *))function(library, "cublasLtMatmulAlgoGetHeuristic");
    cublas_check(create(&lt.handle), "cublasLtCreate");
    cublas_check(describe(&lt.product, COMPUTE_32F, TYPE_32F), "cublasLtMatmulDescCreate");
    cublas_check(set(lt.product, EPILOGUE, &epilogue, sizeof epilogue), "the epilogue GELU_BIAS");
    cublas_check(set(lt.product, BIAS_POINTER, &l->bias, sizeof l->bias), "the bias");
    cublas_check(layout(&lt.A, TYPE_16BF, l->K, l->M, l->K), "cublasLtMatrixLayoutCreate");
    cublas_check(layout(&lt.B, TYPE_16BF, l->N, l->K, l->N), "cublasLtMatrixLayoutCreate");
    cublas_check(layout(&lt.C, TYPE_16BF, l->N, l->M, l->N), "cublasLtMatrixLayoutCreate");
    cublas_check(prefer(&preference), "cublasLtMatmulPreferenceCreate");
    cublas_check(limit(preference, WORKSPACE, &workspace, sizeof workspace), "the size of its workspace");
    cublas_check(propose(lt.handle, lt.product, lt.B, lt.A, lt.C, lt.C, preference, 1, &lt.proposal, &count),
                 "cublasLtMatmulAlgoGetHeuristic");
    cublas_check(count > 0 ? 0 : -1, "any proposal of cublasLt");
    return lt;
}

static void lt_launch(void *job, cudaStream_t stream) {
    struct lt *lt = (struct lt *)job;
    const struct layer *l = &lt->layer;
    const float one = 1, zero = 0;
    cublas_check(lt->matmul(lt->handle, lt->product, &one, l->B, lt->B, l->A, lt->A, &zero, l->C, lt->C, l->C, lt->C,
                            lt->proposal.algorithm, l->workspace, LAYER_WORKSPACE, stream),
                 "cublasLtMatmul");
}

/* Each row has a C of its own, and is verified after all have been timed. The last row is the library's. */
static void compare(int M, int N, int K, bool bias, const int *chosen, int count, double peak) {
    struct problem p = problem_create(M, N, K, bias, 1, layer_cpu);
    struct layer_peer peer = layer_peer_open();
    struct layer_job jobs[4];
    struct lt lt = {};
    struct turns turns = turns_start();
    size_t bytes = (size_t)M * N * sizeof(uint16_t);
    double flops = 2.0 * M * N * K;
    for (int c = 0; c <= count; c++) {
        jobs[c].layer = p.layer;
        jobs[c].layer.C = (bf16 *)verify_alloc(bytes);
        if (c < count) {
            jobs[c].launch = versions[chosen[c] - 1].launch;
            turns_add(&turns, versions[chosen[c] - 1].name, layer_launch_job, &jobs[c], 0, flops);
        }
    }
    peer.layer = jobs[count].layer;
    if (bias) {
        lt = lt_open(&jobs[count].layer);
        turns_add(&turns, "cublasLt", lt_launch, &lt, 0, flops);
    } else {
        turns_add(&turns, "cuBLAS", layer_launch_peer, &peer, 0, flops);
    }
    printf("\nM = %d, N = %d, K = %d%s\n", M, N, K, bias ? ", bias and GELU" : "");
    turns_run(&turns);
    record_part("%d x %d x %d%s", M, N, K, bias ? " GELU" : "");
    layer_print_times(&turns, peak, count);
    turns_end(&turns);
    for (int c = 0; c <= count; c++) {
        struct problem own = p;
        own.layer.C = jobs[c].layer.C;
        problem_verify(&own, c < count ? versions[chosen[c] - 1].name : "the library",
                       c < count ? versions[chosen[c] - 1].roundings : 1);
        verify_free("C", own.layer.C, bytes);
    }
    cublas_close(&peer.cublas);
    problem_free(&p);
    fflush(stdout);
}

int main(void) {
    static const int shapes[][3] = {{1024, 1024, 1024}, {2048, 2048, 2048},  {3072, 3072, 3072}, {4096, 4096, 4096},
                                    {4000, 4000, 4000}, {4096, 14336, 4096}, {512, 512, 8192},   {256, 4096, 4096},
                                    {128, 8192, 8192},  {1536, 1536, 4096}};
    static const int large[] = {6, 7, 8}, layer[] = {5, 6};
    device_print_backend();
    struct layer_peer peer = layer_peer_open();
    cublas_print(&peer.cublas);
    double peak = layer_print_peak();
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        compare(shapes[s][0], shapes[s][1], shapes[s][2], false, large, 3, peak);
    }
    compare(4096, 14336, 4096, true, layer, 2, peak);
    compare(8192, 8192, 2048, true, layer, 2, peak);
    return verify_finish("versions 6 to 8 and cuBLAS");
}
