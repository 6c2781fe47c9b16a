// Constant memory, device variables, static and dynamic shared memory, local arrays: initial values, copies to and from
// symbols, addresses of symbols, initialisers that hold addresses.
#include "program.h"

__constant__ float coefficients[8] = {1, -2, 3};
__constant__ struct {
    int width;
    double scale;
} settings = {17, 0.125};
__device__ int counter = 5;
__device__ unsigned short table[6] = {1, 2, 3, 4, 5, 65535};
__device__ int matrix[3][4];
static __device__ int values[4] = {10, 20, 30, 40};
__device__ int *pointer = &values[2];
__device__ const char *words[3] = {"zero", "one", "two"};
__managed__ int shared_with_host = 3;
__device__ volatile int generation;

__global__ void use(float *out) {
    int old = atomicAdd(&counter, 4);
    if (threadIdx.x > 0)
        return;
    float x = 2, sum = 0;
    for (int i = 7; i >= 0; i--)
        sum = sum * x + coefficients[i];
    out[0] = sum;
    out[1] = settings.width * settings.scale;
    out[2] = old;
    out[3] = table[5] + table[blockDim.x];
    out[4] = *pointer + pointer[1];
    out[5] = words[1][1] + words[2][0];
    matrix[1][2] = 77;
    shared_with_host += 39;
    generation = generation + 1;
}

__global__ void dynamic_shared(int *out, int ints) {
    extern __shared__ __align__(16) unsigned char memory[];
    int *first = (int *)memory;
    double *second = (double *)(memory + ints * sizeof(int));
    __shared__ int fixed[32];
    int t = threadIdx.x;
    first[t] = t * 3;
    second[t] = t * 0.5;
    fixed[t] = -t;
    __syncthreads();
    int other = blockDim.x - 1 - t;
    out[t] = first[other] + (int)(second[other] * 2) * 1000 + fixed[other] * 7;
}

__global__ void local_array(int *out, int n) {
    int stack[64];
    for (int i = 0; i < n; i++)
        stack[(i * 7 + threadIdx.x) % 64] = i;
    int sum = 0;
    for (int i = 0; i < n; i += 3)
        sum = sum * 5 + stack[(i + threadIdx.x) % 64];
    out[threadIdx.x] = sum;
}

int main() {
    float found[6], *out = device_zeros<float>(6);
    use<<<1, 4>>>(out);
    CUDA(cudaDeviceSynchronize());
    use<<<1, 1>>>(out);
    FINISH();
    from_device(found, out, 6);
    check("constant memory", found[0] == 1 - 4 + 12 && found[1] == 17 * 0.125f);
    check("device variable", found[2] == 5 + 16);
    check("table and pointers", found[3] == 65535 + 2 && found[4] == 70 && found[5] == 'n' + 't');
    int cell[3][4], count;
    CUDA(cudaMemcpyFromSymbol(cell, matrix, sizeof cell));
    CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof count));
    check("copy from a symbol", cell[1][2] == 77 && cell[0][0] == 0 && count == 5 + 20);
    check("managed variable", shared_with_host == 3 + 2 * 39);

    float changed[2] = {10, 100};
    CUDA(cudaMemcpyToSymbol(coefficients, changed, sizeof changed, 1 * sizeof(float)));
    void *address;
    size_t size;
    CUDA(cudaGetSymbolAddress(&address, table));
    CUDA(cudaGetSymbolSize(&size, table));
    unsigned short last = 9;
    CUDA(cudaMemcpy((unsigned short *)address + 5, &last, sizeof last, cudaMemcpyHostToDevice));
    use<<<1, 1>>>(out);
    FINISH();
    from_device(found, out, 6);
    check("copy to a symbol", found[0] == 1 + 20 + 400 && found[3] == 9 + 2 && size == 12);

    int sums[32], expected[32], *device_sums = device_zeros<int>(32);
    dynamic_shared<<<1, 32, 32 * (sizeof(int) + sizeof(double))>>>(device_sums, 32);
    FINISH();
    from_device(sums, device_sums, 32);
    for (int t = 0; t < 32; t++)
        expected[t] = (31 - t) * 3 + (31 - t) * 1000 - (31 - t) * 7;
    check_equal("dynamic shared memory", expected, sums, 32);

    local_array<<<1, 32>>>(device_sums, 64);
    FINISH();
    from_device(sums, device_sums, 32);
    for (int t = 0; t < 32; t++) {
        int stack[64];
        unsigned sum = 0;
        for (int i = 0; i < 64; i++)
            stack[(i * 7 + t) % 64] = i;
        for (int i = 0; i < 64; i += 3)
            sum = sum * 5 + stack[(i + t) % 64];
        expected[t] = (int)sum;
    }
    check_equal("local array", expected, sums, 32);
    return program_failures;
}
