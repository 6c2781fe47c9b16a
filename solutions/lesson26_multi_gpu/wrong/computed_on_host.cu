// expect: not_by_kernel
/* The CPU trains, and a kernel that does nothing is there to be seen. */
#include <math.h>

#include <vector>

#include "common/check.h"

enum { INPUTS = 6, HIDDEN = 9, W1 = INPUTS * HIDDEN, PARAMETERS = W1 + 2 * HIDDEN + 1 };

__global__ void nothing_kernel() {}

static void add_gradient(const std::vector<double> &p, const float *x, float target, std::vector<double> &sum) {
    double hidden[HIDDEN], error = p[W1 + 2 * HIDDEN] - target;
    for (int j = 0; j < HIDDEN; j++) {
        double a = p[W1 + j];
        for (int i = 0; i < INPUTS; i++) {
            a += p[j * INPUTS + i] * x[i];
        }
        hidden[j] = tanh(a);
        error += p[W1 + HIDDEN + j] * hidden[j];
    }
    for (int j = 0; j < HIDDEN; j++) {
        double back = error * p[W1 + HIDDEN + j] * (1 - hidden[j] * hidden[j]);
        for (int i = 0; i < INPUTS; i++) {
            sum[j * INPUTS + i] += back * x[i];
        }
        sum[W1 + j] += back;
        sum[W1 + HIDDEN + j] += error * hidden[j];
    }
    sum[W1 + 2 * HIDDEN] += error;
}

void train(int devices, const int *rows, const float *x, const float *target, const float *start, float *result,
           int steps, float rate) {
    std::vector<double> p(start, start + PARAMETERS);
    int all_rows = 0;
    for (int d = 0; d < devices; d++) {
        all_rows += rows[d];
    }
    nothing_kernel<<<1, 1>>>();
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < steps; s++) {
        std::vector<double> sum(PARAMETERS);
        for (int r = 0; r < all_rows; r++) {
            add_gradient(p, x + r * INPUTS, target[r], sum);
        }
        for (int i = 0; i < PARAMETERS; i++) {
            p[i] -= rate * sum[i] / all_rows;
        }
    }
    for (int i = 0; i < devices * PARAMETERS; i++) {
        result[i] = (float)p[i % PARAMETERS];
    }
}
