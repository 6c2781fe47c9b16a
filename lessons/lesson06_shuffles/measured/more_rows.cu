/* Lesson 06, "What limits versions 2 to 5?": a sum for each row by shuffles, by reduce, and none at all, with 1, 2, 4 or 8 rows for each
 * warp, so with 1 to 8 loads of a thread on their way at a time. Verified and timed as the versions themselves are.
 *
 * `make record LESSON=06` builds and runs it. SIZE and SEED as in the lesson; V is one of the twelve.
 */
#define WITHOUT_GPU // no comparison with CUB, which has no such sum
#define main        lesson06_main
#include "../lesson06.cu"
#undef main

enum how { NO_SUM, BY_XOR, BY_REDUCE };

/* What is left when the sum is left out. */
static void no_sum_cpu(const int *x, const int *, int *y, int n) {
    for (int i = 0; i < n; i++) {
        y[i] = WARP * x[i];
    }
}

template <enum how HOW> static __device__ int row_sum(int value) {
    int sum = HOW == BY_XOR ? value : 0;
    if constexpr (HOW == BY_REDUCE) {
        sum = add_up(ALL_LANES, value);
    } else if constexpr (HOW == BY_XOR) {
        for (int step = WARP / 2; step > 0; step /= 2) {
            sum += __shfl_xor_sync(ALL_LANES, sum, step);
        }
    }
    return sum;
}

/* All loads, then all sums and stores. The warp's rows lie one behind the other. */
template <enum how HOW, int COUNT> static __global__ void rows_kernel(const int *x, const int *, int *y, int n) {
    int lane = threadIdx.x % WARP;
    int first = (blockIdx.x * BLOCK + threadIdx.x - lane) * COUNT + lane;
    int value[COUNT];
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        int i = first + r * WARP;
        value[r] = i < n ? x[i] : 0;
    }
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        int i = first + r * WARP;
        int sum = row_sum<HOW>(value[r]);
        if (i < n) {
            y[i] = WARP * value[r] - sum;
        }
    }
}

template <enum how HOW, int COUNT> static void rows(const struct arrays *a, cudaStream_t stream) {
    if (a->n > 0) {
        rows_kernel<HOW, COUNT><<<ceil_div(a->n, BLOCK * COUNT), BLOCK, 0, stream>>>(a->x, a->keys, a->y, a->n);
        CUDA_CHECK_LAUNCH();
    }
}

static const struct version variants[] = {
    {"none_rows1", rows<NO_SUM, 1>, no_sum_cpu},     {"none_rows2", rows<NO_SUM, 2>, no_sum_cpu},
    {"none_rows4", rows<NO_SUM, 4>, no_sum_cpu},     {"none_rows8", rows<NO_SUM, 8>, no_sum_cpu},
    {"xor_rows1", rows<BY_XOR, 1>, above_cpu},       {"xor_rows2", rows<BY_XOR, 2>, above_cpu},
    {"xor_rows4", rows<BY_XOR, 4>, above_cpu},       {"xor_rows8", rows<BY_XOR, 8>, above_cpu},
    {"reduce_rows1", rows<BY_REDUCE, 1>, above_cpu}, {"reduce_rows2", rows<BY_REDUCE, 2>, above_cpu},
    {"reduce_rows4", rows<BY_REDUCE, 4>, above_cpu}, {"reduce_rows8", rows<BY_REDUCE, 8>, above_cpu},
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

int main(int argc, char **argv) {
    struct options options = options_read(argc, argv, VARIANTS);
    const int verified[] = {1025};
    const int measured[] = {options.size >= 0 ? (int)options.size : device_is_emulator() ? 1 << 16 : 1 << 26};
    frame lesson = frame_of("shuffles, more rows", variants, VARIANTS);
    lesson_sizes(&lesson, verified, measured);
    device_print_backend();
    return lesson_run(&lesson, &options);
}
