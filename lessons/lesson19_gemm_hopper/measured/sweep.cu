/* sweep [M [N [K]]]: versions 6 and 7 of lesson 19 with the STAGES and GROUP that it was compiled for, in turns with
 * cublasLt. record.list builds it several times, with changes of lesson19.cu, too: then a copy of that includes this
 * file, which is CHANGED. On the emulator they run once, without cublasLt. */
// arch: sm_90a
#ifndef CHANGED
#define main lesson19_main
#include "../lesson19.cu"
#undef main
#endif
#include "rivals.h"

int main(int argc, char **argv) {
    int M = argc > 1 ? atoi(argv[1]) : 8192, N = argc > 2 ? atoi(argv[2]) : M, K = argc > 3 ? atoi(argv[3]) : N;
    double flops = 2.0 * M * N * K;
    struct race race = race_create(M, N, K, false, 7);
    struct layer_job jobs[2] = {{race.layer, hopper6}, {race.layer, hopper7}};
    if (device_is_emulator()) {
        hopper6(race.layer, 0);
        CUDA_CHECK(cudaMemcpy(race.expected, race.layer.C, (size_t)M * N * sizeof(bf16), cudaMemcpyDefault));
        hopper7(race.layer, 0);
        bool good = race_agrees(&race, race.layer.C, "version 7");
        printf("%s: %d stages, groups of %d\n", good ? "right" : "WRONG", STAGES, GROUP);
        return good ? CHECK_EXIT_PASS : CHECK_EXIT_FAIL;
    }
    struct lt lt = lt_open(&race);
    struct turns turns = turns_start();
    lt_choose(&lt);
    for (int c = 0; c < 2; c++) {
        turns_add(&turns, versions[5 + c].name, layer_launch_job, &jobs[c], 0, flops);
    }
    turns_add(&turns, "cublasLt", lt_launch, &lt, 0, flops);
    turns_run(&turns);
    record_part("%d x %d x %d", M, N, K);
    layer_print_times(&turns, 0, 2);
    turns_end(&turns);
    return race_agrees(&race, race.layer.C, "the last version") ? CHECK_EXIT_PASS : CHECK_EXIT_FAIL;
}
