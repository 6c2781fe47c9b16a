/* library.cu - the lesson's versions as a library that pytorch.py loads: nvcc -shared. */
#define main lesson13_main
#include "../lesson13.cu"
#undef main

template <class number> static struct arrays<number> arrays_of(void *const *p, int rows, int cols) {
    return {rows,           cols,           (const number *)p[0], (const number *)p[1], (const number *)p[2],
            (number *)p[3], (number *)p[4], (number *)p[5],       (const float *)p[6],  (const float *)p[7],
            (float *)p[8],  (float *)p[9],  (float *)p[10],       (float *)p[11],       (float *)p[12]};
}

/* Version `version` (from 1), queued in `stream`. p: x, residual, dy, sum, y, dx, gamma, beta, mean, rstd, dgamma, dbeta, partial. */
extern "C" void
lesson13(int version, int for_bf16, void *const *p, int rows, int cols, cudaStream_t stream) {
    const struct version *v = &versions[version - 1];
    if (for_bf16) {
        struct arrays<bf16> a = arrays_of<bf16>(p, rows, cols);
        launch_version(v, &a, stream);
    } else {
        struct arrays<float> a = arrays_of<float>(p, rows, cols);
        launch_version(v, &a, stream);
    }
}

/* Room that `partial` needs, in floats. */
extern "C" long long lesson13_partial(int cols) {
    return 2ll * cols * multiprocessors() * PARTIAL_BLOCKS_PER_SM;
}

/* The plain copy kernel of common/bench.h: it moves `bytes`, half of them in each direction. */
extern "C" void lesson13_copy(void *from, void *to, long long bytes, cudaStream_t stream) {
    struct bench_copy copy = {(float4 *)from, (float4 *)to, (size_t)bytes / 2 / sizeof(float4)};
    bench_launch_copy(&copy, stream);
}
