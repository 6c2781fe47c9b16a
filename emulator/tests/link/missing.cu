// One file comes without PTX: what it defines is missed when a kernel needs it, by name and with the remedy; other
// kernels run.
#include "../programs/program.h"

extern __device__ int only_machine_code(int x);
extern __device__ int variable_of_machine_code;

__global__ void needs_function(int *out) {
    out[threadIdx.x] = only_machine_code(threadIdx.x);
}

__global__ void needs_variable(int *out) {
    out[threadIdx.x] = variable_of_machine_code;
}

__global__ void needs_nothing(int *out) {
    out[threadIdx.x] = 2 * threadIdx.x;
}

static bool fails(void (*kernel)(int *), int *out) {
    kernel<<<1, 32>>>(out);
    cudaError_t launch = cudaGetLastError(), run = cudaDeviceSynchronize();
    return launch != cudaSuccess || run != cudaSuccess;
}

int main(int argc, char **argv) {
    int *out;
    CUDA(cudaMallocManaged(&out, 32 * sizeof *out));
    if (argc > 1) {
        check("a kernel that needs a missing variable fails", fails(needs_variable, out));
        return program_failures != 0;
    }
    needs_nothing<<<1, 32>>>(out);
    FINISH();
    check("a kernel that needs nothing of it runs", out[31] == 62);
    check("a kernel that needs a missing function fails", fails(needs_function, out));
    return program_failures != 0;
}
