// expect: not_by_kernel
// says: saxpy, n = 1000, seed 1
/* The host computes, and hands the result to kernels in their parameters, a little in each of many launches. It waits without a call. */
#include "common/check.h"
#include "host_works.h"

enum { PIECE = 60 };

struct piece {
    float values[PIECE];
};

__global__ void carry_piece(float *out, int n, struct piece piece) {
    if (threadIdx.x < n) {
        out[threadIdx.x] = piece.values[threadIdx.x];
    }
}

static void finish(void *done) {
    *(volatile bool *)done = true;
}

void saxpy(float a, const float *x, const float *y, float *out, int n) {
    static volatile bool done;
    if (n == 0) {
        return;
    }
    done = false;
    const struct work *w = queue_the_host(a, x, y, n);
    CUDA_CHECK(cudaLaunchHostFunc(0, finish, (void *)&done));
    while (!done) {
    }
    for (int at = 0; at < n; at += PIECE) {
        struct piece piece;
        for (int i = 0; i < PIECE && at + i < n; i++) {
            piece.values[i] = w->result[at + i];
        }
        carry_piece<<<1, PIECE>>>(out + at, n - at, piece);
    }
    CUDA_CHECK_LAUNCH();
}
