// Separate compilation: kernels here call functions and use variables of across_device.cu.
#include "across.h"
#include "../programs/program.h"

__managed__ int managed_total = 5;
static __device__ int secret = 3;
static __constant__ int scale = 2;

static __device__ int helper(int x) {
    return x * scale + secret;
}

// Both files have a static function, a static variable and a static kernel of these names.
static __global__ void static_kernel(int *out) {
    out[threadIdx.x] = helper(threadIdx.x);
}

__global__ void call_functions(int *out) {
    int i = threadIdx.x;
    struct pair p = swap_signs({i, i * 0.5});
    out[4 * i] = triangle(i);
    out[4 * i + 1] = p.first * 100 + (int)(p.second * 2);
    out[4 * i + 2] = helper(i) * 1000 + static_sum(i);
    out[4 * i + 3] = operations[i % 3](i, 7) + (int)table[i % 8];
    atomicAdd(&device_counter, 1);
    atomicAdd(&managed_total, 2);
}

__global__ void shared_across(int *out) {
    extern __shared__ int block_values[];
    block_values[threadIdx.x] = 10 * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = last_of_block(threadIdx.x);
}

__global__ void use_shapes(float *out) {
    __shared__ double memory[2][4];
    shape *s = make_shape(memory[threadIdx.x], threadIdx.x, 3, 4);
    out[threadIdx.x] = s->scaled(10);
}

static void test_functions(int *out) {
    call_functions<<<1, 32>>>(out);
    FINISH();
    int expected[128], counter = 0, old[32];
    for (int i = 0; i < 32; i++) {
        int choices[3] = {i + 7, i - 7, i * 7};
        expected[4 * i] = i * (i + 1) / 2;
        expected[4 * i + 1] = -i * 100 - i;
        expected[4 * i + 2] = (2 * i + 3) * 1000 + (5 * i + 11);
        expected[4 * i + 3] = choices[i % 3] + (i % 8) * (i % 8);
    }
    check_equal("functions and variables of another file", expected, out, 128);
    CUDA(cudaMemcpyFromSymbol(&counter, device_counter, sizeof counter));
    check("a variable of another file, from the host", counter == 100 + 32);
    check("a managed variable of both files", managed_total == 5 + 64);
    static_kernel<<<1, 32>>>(out);
    FINISH();
    for (int i = 0; i < 32; i++)
        old[i] = 2 * i + 3;
    check_equal("a static kernel", old, out, 32);
    check("a static kernel of the same name in the other file", host_static_kernel(out) == 32 * 11 + 5 * 496);
}

static void test_tickets(int *out) {
    take_tickets<<<3, 32>>>(out);
    FINISH();
    bool right = out[0] + out[1] + out[2] == 3;
    host_take_tickets(out);
    right = right && out[0] + out[1] == 3 + 4;
    check("one static variable of an inline function", right);
}

int main() {
    int *out;
    float *areas;
    CUDA(cudaMallocManaged(&out, 128 * sizeof *out));
    CUDA(cudaMallocManaged(&areas, 2 * sizeof *areas));
    test_functions(out);
    test_tickets(out);
    shared_across<<<1, 64, 64 * sizeof(int)>>>(out);
    FINISH();
    check("dynamic shared memory of both files", out[5] == 635 && out[63] == 693);
    use_shapes<<<1, 2>>>(areas);
    FINISH();
    check("virtual functions of another file", areas[0] == 120 && areas[1] == 60);
    float changed[8] = {1, 1, 1, 1, 1, 1, 1, 1}, read[8];
    CUDA(cudaMemcpyToSymbol(table, changed, sizeof changed));
    CUDA(cudaMemcpyFromSymbol(read, table, sizeof read));
    check_equal("constant memory of another file, from the host", changed, read, 8);
    return program_failures != 0;
}
