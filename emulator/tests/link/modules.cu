// Two ordinary files in one executable, without -rdc: two modules that share nothing, though their names are the same.
#include "../programs/program.h"

static __device__ int state = 1;
__device__ int same_name[2] = {10, 11};
static __constant__ int factor = 3;

static __global__ void step(int *out) {
    out[threadIdx.x] = factor * atomicAdd(&state, 1);
}

template <typename T> __global__ void fill(T *out, T value) {
    out[threadIdx.x] = value + same_name[1];
}

int other_step(int *out);
int other_fill(int *out);
int other_variable();

int main() {
    int *out;
    CUDA(cudaMallocManaged(&out, 32 * sizeof *out));
    step<<<1, 1>>>(out);
    FINISH();
    check("a static kernel of this file", out[0] == 3);
    check("a static kernel of the other", other_step(out) == 5 * 100);
    step<<<1, 1>>>(out);
    FINISH();
    check("each file has its own variable", out[0] == 6);
    fill<<<1, 32>>>(out, 100);
    FINISH();
    int here = out[31], variable[2];
    check("the same template in both", here == 111 && other_fill(out) == 121);
    CUDA(cudaMemcpyFromSymbol(variable, same_name, sizeof variable));
    check("variables of the same name, from the host", variable[0] == 10 && other_variable() == 20);
    return program_failures != 0;
}
