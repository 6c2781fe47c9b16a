/* shapes: versions 6 and 7 of lesson 19 in turns with the fastest of cublasLt's proposals, on 24 shapes from 512 to 16384, a language model's layers among
 * them; and version 8 in turns with cublasLt in fp8. For a GPU. What was timed is compared with the library's result. */
// arch: sm_90a
#define main lesson19_main
#include "../lesson19.cu"
#undef main
#include "rivals.h"

static bool good = true;

/* Each row has a C of its own. The last row is the library's. */
static void compare(int M, int N, int K, bool fp8, uint32_t seed, double peak) {
    static const int chosen[] = {6, 7};
    struct race race = race_create(M, N, K, fp8, seed);
    struct lt lt = lt_open(&race);
    struct layer_job jobs[2];
    struct turns turns = turns_start();
    int count = fp8 ? 1 : 2;
    double flops = 2.0 * M * N * K;
    lt_choose(&lt);
    for (int c = 0; c < count; c++) {
        jobs[c] = {race.layer, fp8 ? hopper8 : versions[chosen[c] - 1].launch};
        if (c > 0) {
            CUDA_CHECK(cudaMalloc((void **)&jobs[c].layer.C, (size_t)M * N * sizeof(bf16)));
            CUDA_CHECK(cudaMemset(jobs[c].layer.C, 0xFF, (size_t)M * N * sizeof(bf16)));
        }
        turns_add(&turns, fp8 ? "hopper_kernel8" : versions[chosen[c] - 1].name, layer_launch_job, &jobs[c], 0, flops);
    }
    turns_add(&turns, "cublasLt", lt_launch, &lt, 0, flops);
    printf("\nM = %d, N = %d, K = %d%s: proposal %d of %d\n", M, N, K, fp8 ? ", fp8" : "", lt.chosen + 1, lt.count);
    turns_run(&turns);
    record_part("%d x %d x %d%s", M, N, K, fp8 ? " fp8" : "");
    layer_print_times(&turns, peak * (fp8 ? 2 : 1), count);
    for (int c = 0; c < count; c++) {
        good = race_agrees(&race, jobs[c].layer.C, turns.row[c].name) && good;
        if (c > 0) {
            CUDA_CHECK(cudaFree(jobs[c].layer.C));
        }
    }
    turns_end(&turns);
    race_free(&race);
    fflush(stdout);
}

/* Squares; then the layers of a model of 8 billion numbers (width 4096, 14336 inside, 6144 for queries, keys and values) and of one of 70 billion (8192,
 * 28672, 10240) for 512 to 8192 tokens; then long and thin ones. */
int main(void) {
    static const int shapes[][3] = {
        {512, 512, 512},     {1024, 1024, 1024},  {1536, 1536, 1536},  {2048, 2048, 2048},    {3072, 3072, 3072},
        {4096, 4096, 4096},  {6144, 6144, 6144},  {8192, 8192, 8192},  {16384, 16384, 16384}, {2048, 6144, 4096},
        {2048, 4096, 4096},  {2048, 14336, 4096}, {2048, 4096, 14336}, {8192, 14336, 4096},   {8192, 4096, 14336},
        {4096, 10240, 8192}, {4096, 28672, 8192}, {4096, 8192, 28672}, {512, 14336, 4096},    {512, 4096, 14336},
        {16384, 4096, 1024}, {1024, 16384, 4096}, {4000, 4000, 4000},  {8192, 1024, 16384}};
    device_print_backend();
    double peak = layer_print_peak();
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        compare(shapes[s][0], shapes[s][1], shapes[s][2], false, (uint32_t)s + 1, peak);
    }
    compare(4096, 4096, 4096, true, 101, peak);
    compare(8192, 8192, 8192, true, 102, peak);
    printf("%s: all results agree with the library's\n", good ? "PASS" : "FAIL");
    return good ? CHECK_EXIT_PASS : CHECK_EXIT_FAIL;
}
