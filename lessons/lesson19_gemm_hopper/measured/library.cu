/* library: a kernel of CUTLASS beside versions 6 and 7 of lesson 19 and cublasLt, in turns. On the emulator the CUTLASS
 * kernel runs once, and is compared with version 6. Its headers are in NVIDIA's wheel nvidia-cutlass 4.2.0,
 * cutlass_library/source; record.list says how they are found. Without them the row of CUTLASS is left out. */
// arch: sm_90a
#define main lesson19_main
#include "../lesson19.cu"
#undef main
#include "rivals.h"

#if __has_include("cutlass/cutlass.h")
#include "cute/tensor.hpp"
#include "cutlass/cutlass.h"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "cutlass/util/packed_stride.hpp"

/* As near to version 7 as its builder offers: tiles of 128 x 256, steps of 64, clusters of two, two consumers that share a tile, persistent blocks. */
typedef cutlass::bfloat16_t element;
typedef cutlass::layout::RowMajor rows;
typedef cute::Shape<cute::_128, cute::_256, cute::_64> tile_shape;
typedef cute::Shape<cute::_2, cute::_1, cute::_1> cluster_shape;

typedef cutlass::epilogue::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, tile_shape, cluster_shape,
    cutlass::epilogue::collective::EpilogueTileAuto, float, float, void, rows, 8, element, rows, 8,
    cutlass::epilogue::TmaWarpSpecializedCooperative>::CollectiveOp epilogue;

typedef cutlass::gemm::collective::CollectiveBuilder<
    cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, element, rows, 8, element, rows, 8, float, tile_shape,
    cluster_shape, cutlass::gemm::collective::StageCountAutoCarveout<(int)sizeof(typename epilogue::SharedStorage)>,
    cutlass::gemm::KernelTmaWarpSpecializedCooperative>::CollectiveOp mainloop;

typedef cutlass::gemm::kernel::GemmUniversal<cute::Shape<int, int, int, int>, mainloop, epilogue> kernel;
typedef cutlass::gemm::device::GemmUniversalAdapter<kernel> gemm;

static void check(cutlass::Status status, const char *what) {
    if (status != cutlass::Status::kSuccess) {
        printf("FAIL: CUTLASS, %s: %s\n", what, cutlass::cutlassGetStatusString(status));
        exit(CHECK_EXIT_FAIL);
    }
}

enum { WITH_CUTLASS = true };

struct peer {
    gemm product;
};

static void peer_open(struct peer *peer, const struct layer *l) {
    typename gemm::Arguments arguments = {
        cutlass::gemm::GemmUniversalMode::kGemm,
        {l->M, l->N, l->K, 1},
        {(const element *)l->A, cutlass::make_cute_packed_stride(typename kernel::StrideA{}, {l->M, l->K, 1}),
         (const element *)l->B, cutlass::make_cute_packed_stride(typename kernel::StrideB{}, {l->N, l->K, 1})},
        {{1.0f, 0.0f},
         NULL,
         {},
         (element *)l->C,
         cutlass::make_cute_packed_stride(typename kernel::StrideD{}, {l->M, l->N, 1})}};
    arguments.scheduler.max_swizzle_size = 8;
    check(gemm::can_implement(arguments), "can_implement");
    cublas_check(gemm::get_workspace_size(arguments) <= LAYER_WORKSPACE ? 0 : -1, "the size of CUTLASS's workspace");
    check(peer->product.initialize(arguments, l->workspace), "initialize");
}

static void peer_launch(void *job, cudaStream_t stream) {
    check(((struct peer *)job)->product.run(stream), "run");
}
#else
enum { WITH_CUTLASS = false };

struct peer {};

static void peer_open(struct peer *, const struct layer *) {}

static void peer_launch(void *, cudaStream_t) {}
#endif

/* Versions 6 and 7, CUTLASS and cublasLt in turns. */
static void take_turns(const struct race *race, struct peer *peer, int edge) {
    struct layer_job jobs[2] = {{race->layer, hopper6}, {race->layer, hopper7}};
    struct lt lt = lt_open(race);
    struct turns turns = turns_start();
    double flops = 2.0 * edge * edge * edge;
    lt_choose(&lt);
    turns_add(&turns, "hopper_kernel6", layer_launch_job, &jobs[0], 0, flops);
    turns_add(&turns, "hopper_kernel7", layer_launch_job, &jobs[1], 0, flops);
    if (WITH_CUTLASS) {
        turns_add(&turns, "CUTLASS", peer_launch, peer, 0, flops);
    }
    turns_add(&turns, "cublasLt", lt_launch, &lt, 0, flops);
    printf("\nM = N = K = %d\n", edge);
    turns_run(&turns);
    layer_print_times(&turns, layer_print_peak(), turns.rows - 1);
    turns_end(&turns);
}

int main(int argc, char **argv) {
    int edge = argc > 1 ? atoi(argv[1]) : device_is_emulator() ? 264 : 8192;
    struct race race = race_create(edge, edge, edge, false, 3);
    struct layer theirs = race.layer;
    static struct peer peer;
    CUDA_CHECK(cudaMalloc((void **)&theirs.C, (size_t)edge * edge * sizeof(bf16)));
    CUDA_CHECK(cudaMemset(theirs.C, 0xFF, (size_t)edge * edge * sizeof(bf16)));
    device_print_backend();
    if (WITH_CUTLASS) {
        peer_open(&peer, &theirs);
    }
    if (device_is_emulator()) {
        hopper6(race.layer, 0);
        CUDA_CHECK(cudaMemcpy(race.expected, race.layer.C, (size_t)edge * edge * sizeof(bf16), cudaMemcpyDefault));
        peer_launch(&peer, 0);
    } else {
        take_turns(&race, &peer, edge);
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    bool good = race_agrees(&race, race.layer.C, "versions 6 and 7");
    good = (!WITH_CUTLASS || race_agrees(&race, theirs.C, "CUTLASS")) && good;
    printf("%s: %sversion 6 and the library agree, edge %d\n", good ? "PASS" : "FAIL", WITH_CUTLASS ? "CUTLASS, " : "",
           edge);
    return good ? CHECK_EXIT_PASS : CHECK_EXIT_FAIL;
}
