/* Programs with one planted mistake in how they use memory. Above each stands what must be said about it:
 *   EXPECT name error verdict     the case, the cudaError_t and the emulator's word
 *   SAYS words                    a line of the report holds them; LINE is the number of the next line that ends in HERE
 *   STATUS n                      exit status, where it is not 1
 */
#include "run_case.h"

// EXPECT write_past_end 700 out_of_bounds
// SAYS ========= Invalid __global__ write of size 4 bytes
// SAYS =========     at write_past_end(float *) in tests/check/memory.cu:LINE
// SAYS =========     by thread (24,0,0) in block (0,0,0)
// SAYS is out of bounds
// SAYS =========     and is 1 bytes after the nearest allocation at 0x
// SAYS of size 96 bytes
// SAYS and 7 other threads of its warp did the same
// SAYS | y[i] = 1.0f;
// SAYS element 24 of an allocation of 24 elements of 4 bytes
// SAYS if (i < n)
// SAYS ========= ERROR SUMMARY: 1 error
__global__ void write_past_end(float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i] = 1.0f; // HERE
}
static void case_write_past_end(void) {
    write_past_end<<<1, 32>>>(device_array<float>(24));
}

// EXPECT read_one_too_many 700 out_of_bounds
// SAYS Invalid __global__ read of size 8 bytes
// SAYS at read_one_too_many(const double *, double *, int) in tests/check/memory.cu:LINE
// SAYS by thread (0,0,0) in block (0,0,0)
// SAYS and is 1 bytes after the nearest allocation
// SAYS element 100 of an allocation of 100 elements of 8 bytes
// SAYS one past the end
__global__ void read_one_too_many(const double *x, double *sum, int n) {
    double s = 0;
    for (int i = 0; i <= n; i++)
        s += x[i]; // HERE
    *sum = s;
}
static void case_read_one_too_many(void) {
    read_one_too_many<<<1, 1>>>(device_array<double>(100), device_array<double>(1), 100);
}

// EXPECT before_the_start 700 out_of_bounds
// SAYS Invalid __global__ read of size 4 bytes
// SAYS at before_the_start(int *) in tests/check/memory.cu:LINE
// SAYS by thread (0,0,0) in block (0,0,0)
// SAYS and is 4 bytes before the nearest allocation
// SAYS the index is negative
__global__ void before_the_start(int *x) {
    int i = threadIdx.x;
    int left = x[i - 1]; // HERE
    __syncthreads();
    x[i] = left;
}
static void case_before_the_start(void) {
    before_the_start<<<1, 64>>>(device_array<int>(64));
}

// EXPECT far_block 700 out_of_bounds
// SAYS Invalid __global__ write of size 1 bytes
// SAYS by thread (2,3,0) in block (1,2,0)
// SAYS and is 1 bytes after the nearest allocation
// SAYS of size 64 bytes
__global__ void far_block(char *y) {
    if (blockIdx.x == 1 && blockIdx.y == 2 && threadIdx.x == 2 && threadIdx.y == 3)
        y[64] = 1; // HERE
}
static void case_far_block(void) {
    far_block<<<dim3(3, 3), dim3(8, 8)>>>(device_array<char>(64));
}

// EXPECT atomic_past_end 700 out_of_bounds
// SAYS Invalid __global__ atomic of size 4 bytes
// SAYS at atomicAdd(int *, int) in device_atomic_functions.hpp:
// SAYS =========         Device Frame: atomic_past_end(int *) in tests/check/memory.cu:LINE
// SAYS | atomicAdd(&bins[threadIdx.x], 1);
// SAYS by thread (10,0,0) in block (0,0,0)
__global__ void atomic_past_end(int *bins) {
    atomicAdd(&bins[threadIdx.x], 1); // HERE
}
static void case_atomic_past_end(void) {
    atomic_past_end<<<1, 32>>>(device_array<int>(10));
}

// EXPECT wide_past_end 700 out_of_bounds
// SAYS Invalid __global__ read of size 16 bytes
// SAYS by thread (2,0,0) in block (0,0,0)
// SAYS Each access is a vector of 4 elements, 16 bytes: the allocation holds 2 whole vectors of that size
// SAYS one by one
__global__ void wide_past_end(const float4 *x, float4 *y) {
    y[threadIdx.x] = x[threadIdx.x]; // HERE
}
static void case_wide_past_end(void) {
    wide_past_end<<<1, 3>>>((float4 *)device_array<float>(10), device_array<float4>(3));
}

// EXPECT wide_in_too_little 700 out_of_bounds
// SAYS the allocation holds 0 whole vectors of that size
static void case_wide_in_too_little(void) {
    wide_past_end<<<1, 1>>>((float4 *)device_array<float>(1), device_array<float4>(1));
}

// EXPECT pitch_in_floats 700 out_of_bounds
// SAYS This is element 1024 of an allocation of 1024 elements of 4 bytes: valid indices are 0 to 1023. Check how the
// SAYS (in elements, not in bytes), and check each part of it, a row, a column
__global__ void pitch_in_floats(float *x, int pitch) {
    x[blockIdx.x * pitch + threadIdx.x] = 1;
}
static void case_pitch_in_floats(void) {
    pitch_in_floats<<<3, 32>>>(device_array<float>(1024), 512); // the last of the blocks alone is beyond the end
}

// EXPECT no_guard_for_k 700 out_of_bounds
// SAYS check each part of it, a row, a column
__global__ void no_guard_for_k(const float *A, float *C) {
    C[threadIdx.y] = A[threadIdx.y * 2 + threadIdx.x];
}
static void case_no_guard_for_k(void) {
    no_guard_for_k<<<1, dim3(2, 2)>>>(device_array<float>(1), device_array<float>(2));
}

// EXPECT null_pointer 700 out_of_bounds
// SAYS Invalid __global__ write of size 4 bytes
// SAYS Access to 0x0 is out of bounds
// SAYS This is a null pointer
__global__ void null_pointer(int *y) {
    y[threadIdx.x] = 1; // HERE
}
static void case_null_pointer(void) {
    null_pointer<<<1, 32>>>(NULL);
}

// EXPECT wild_pointer 700 out_of_bounds
// SAYS Access to 0x1234567800 is out of bounds
// SAYS There is no allocation nearby
__global__ void wild_pointer(int *y) {
    y[threadIdx.x] = 1; // HERE
}
static void case_wild_pointer(void) {
    device_array<int>(1);
    wild_pointer<<<1, 32>>>((int *)0x1234567800);
}

// EXPECT pointer_never_set 700 out_of_bounds
// SAYS Invalid __global__ read of size 4 bytes
// SAYS it may have been read from uninitialized memory
__global__ void pointer_never_set(float **rows, float *y) {
    y[threadIdx.x] = rows[0][threadIdx.x]; // HERE
}
static void case_pointer_never_set(void) {
    pointer_never_set<<<1, 32>>>(device_array<float *>(4), device_array<float>(32));
}

// EXPECT device_variable 700 out_of_bounds
// SAYS Invalid __global__ write of size 4 bytes
// SAYS and is 1 bytes after the nearest allocation
// SAYS of size 40 bytes (the variable
// SAYS table
__device__ int table[10];
__global__ void device_variable(int n) {
    table[n] = 1; // HERE
}
static void case_device_variable(void) {
    device_variable<<<1, 1>>>(10);
}

// EXPECT misaligned_int 716 misaligned
// SAYS Invalid __global__ write of size 4 bytes
// SAYS at misaligned_int(char *) in tests/check/memory.cu:LINE
// SAYS is misaligned
// SAYS and is inside the nearest allocation at 0x
// SAYS multiple of 4; this one is 2 past
__global__ void misaligned_int(char *p) {
    *(int *)(p + 4 * threadIdx.x + 2) = 7; // HERE
}
static void case_misaligned_int(void) {
    misaligned_int<<<1, 4>>>(device_array<char>(64));
}

// EXPECT misaligned_float4 716 misaligned
// SAYS Invalid __global__ read of size 16 bytes
// SAYS is misaligned
// SAYS only one float in 4
__global__ void misaligned_float4(const float *x, float4 *y) {
    y[threadIdx.x] = *(const float4 *)(x + 4 * threadIdx.x + 1); // HERE
}
static void case_misaligned_float4(void) {
    misaligned_float4<<<1, 4>>>(device_array<float>(64), device_array<float4>(4));
}

// EXPECT misaligned_shared 716 misaligned
// SAYS Invalid __shared__ read of size 8 bytes
// SAYS Access to 0x4 is misaligned
__global__ void misaligned_shared(double *y, int offset) {
    __shared__ float tile[64];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = *(double *)(tile + offset); // HERE
}
static void case_misaligned_shared(void) {
    misaligned_shared<<<1, 32>>>(device_array<double>(32), 1);
}

// EXPECT use_after_free 700 use_after_free
// SAYS Invalid __global__ read of size 4 bytes
// SAYS at use_after_free(float *, float *) in tests/check/memory.cu:LINE
// SAYS and is inside the nearest allocation
// SAYS has been freed
// SAYS Free it after the last kernel
__global__ void use_after_free(float *x, float *y) {
    y[threadIdx.x] = x[threadIdx.x]; // HERE
}
static void case_use_after_free(void) {
    float *x = device_array<float>(32);
    cudaFree(x);
    use_after_free<<<1, 32>>>(x, device_array<float>(32));
}

// EXPECT wild_index 700 out_of_bounds
// SAYS Invalid __global__ write of size 4 bytes
// SAYS at wild_index(int *, int *, long long) in tests/check/memory.cu:LINE
// SAYS the pointer's allocation at 0x
// SAYS of size 256 bytes (argument 2, y)
// SAYS The pointer (argument 2) is valid, but this is element
// SAYS the index is far out of range
__global__ void wild_index(int *x, int *y, long long at) {
    for (int k = 0; k < 2; k++)
        y[threadIdx.x + at * x[0]] = 1; // HERE
}
static void case_wild_index(void) {
    static int on_host[1000];
    int *y = device_array<int>(64), *x = device_array<int>(1), one = 1;
    cudaMemcpy(x, &one, sizeof one, cudaMemcpyHostToDevice);
    wild_index<<<1, 32>>>(x, y, on_host - y);
}

// EXPECT host_stack 700 host_pointer
// SAYS Invalid __global__ write of size 4 bytes
// SAYS is the address of host memory
__global__ void host_stack(int *y) {
    y[threadIdx.x] = 1; // HERE
}
static void case_host_stack(void) {
    int values[32] = {0};
    host_stack<<<1, 32>>>(values);
    cudaDeviceSynchronize();
}

// EXPECT host_heap 700 host_pointer
// SAYS Invalid __global__ read of size 4 bytes
// SAYS is the address of host memory
// SAYS cudaMallocManaged
__global__ void host_heap(const float *x, float *y) {
    y[threadIdx.x] = x[threadIdx.x]; // HERE
}
static void case_host_heap(void) {
    float *x = (float *)calloc(1000000, sizeof *x);
    host_heap<<<1, 32>>>(x, device_array<float>(32));
    cudaDeviceSynchronize();
    free(x);
}

// EXPECT shared_past_end 700 out_of_bounds
// SAYS Invalid __shared__ write of size 4 bytes
// SAYS at shared_past_end(int, float *) in tests/check/memory.cu:LINE
// SAYS by thread (28,0,0) in block (0,0,0)
// SAYS Access to 0x80 is out of bounds
// SAYS bytes 128 to 131 of 128 bytes of shared memory
__global__ void shared_past_end(int shift, float *y) {
    __shared__ float tile[32];
    tile[threadIdx.x + shift] = threadIdx.x; // HERE
    __syncthreads();
    y[threadIdx.x] = tile[threadIdx.x];
}
static void case_shared_past_end(void) {
    shared_past_end<<<1, 32>>>(4, device_array<float>(32));
}

// EXPECT shared_size_forgotten 700 out_of_bounds
// SAYS Invalid __shared__ write of size 4 bytes
// SAYS <<<grid, block, bytes>>>
__global__ void shared_size_forgotten(int *y) {
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x] = threadIdx.x; // HERE
    __syncthreads();
    y[threadIdx.x] = dynamic[threadIdx.x ^ 1];
}
static void case_shared_size_forgotten(void) {
    shared_size_forgotten<<<1, 32>>>(device_array<int>(32));
}

// EXPECT shared_atomic 700 out_of_bounds
// SAYS Invalid __shared__ atomic of size 4 bytes
// SAYS by thread (16,0,0) in block (0,0,0)
__global__ void shared_atomic(int *y, int step) {
    __shared__ int bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[threadIdx.x * step], 1); // HERE
    __syncthreads();
    if (threadIdx.x < 16)
        y[threadIdx.x] = bins[threadIdx.x];
}
static void case_shared_atomic(void) {
    shared_atomic<<<1, 32>>>(device_array<int>(16), 1);
}

// EXPECT shared_by_pointer 700 out_of_bounds
// SAYS Invalid __shared__ read of size 4 bytes
// SAYS in tests/check/memory.cu:LINE
__device__ __noinline__ int read_through(const int *p, int i) {
    return p[i]; // HERE
}
__global__ void shared_by_pointer(int *y, int n) {
    __shared__ int tile[32];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = read_through(n ? tile : y, n + threadIdx.x);
}
static void case_shared_by_pointer(void) {
    shared_by_pointer<<<1, 32>>>(device_array<int>(32), 1);
}

// EXPECT local_past_end 700 out_of_bounds
// SAYS Invalid __local__
// SAYS of size 4 bytes
// SAYS local memory
__global__ void local_past_end(int *y, int n) {
    int counts[8];
    for (int i = 0; i < 8; i++)
        counts[i] = y[i];
    for (int i = 0; i < n; i++)
        counts[y[i] & 0x7fffff] += i;
    for (int i = 0; i < 8; i++)
        y[i] = counts[i];
}
static void case_local_past_end(void) {
    local_past_end<<<1, 1>>>(device_array<int>(32), 32);
}

// EXPECT inlined 700 out_of_bounds
// SAYS Invalid __global__ write of size 4 bytes
// SAYS in tests/check/memory.cu:LINE
// SAYS at put(float *, int) in
// SAYS =========         Device Frame: inlined(float *, int)
__device__ __forceinline__ void put(float *y, int i) {
    y[i] = 1.0f; // HERE
}
__global__ void inlined(float *y, int n) {
    put(y, threadIdx.x + n);
}
static void case_inlined(void) {
    inlined<<<1, 32>>>(device_array<float>(32), 1);
}

// EXPECT second_kernel 700 out_of_bounds
// SAYS at second_kernel(int *, int) in
// SAYS by thread (33,0,0) in block (0,0,0)
__global__ void first_kernel(int *y, int n) {
    if (threadIdx.x < n)
        y[threadIdx.x] = 1;
}
__global__ void second_kernel(int *y, int n) {
    if (threadIdx.x <= n)
        y[threadIdx.x] = 1; // HERE
}
static void case_second_kernel(void) {
    int *y = device_array<int>(33);
    first_kernel<<<4, 64>>>(y, 33);
    second_kernel<<<1, 64>>>(y, 33);
}

// EXPECT managed_past_end 700 out_of_bounds
// SAYS and is 1 bytes after the nearest allocation at 0x
// SAYS of size 4,096 bytes
__global__ void managed_past_end(int *y) {
    y[blockIdx.x * blockDim.x + threadIdx.x] = 1; // HERE
}
static void case_managed_past_end(void) {
    int *y;
    cudaMallocManaged((void **)&y, 4096);
    managed_past_end<<<5, 256>>>(y);
}

static const struct test_case cases[] = {
    CASE(write_past_end),     CASE(read_one_too_many),
    CASE(before_the_start),   CASE(far_block),
    CASE(atomic_past_end),    CASE(wide_past_end),
    CASE(wide_in_too_little), CASE(pitch_in_floats),
    CASE(no_guard_for_k),     CASE(null_pointer),
    CASE(wild_pointer),       CASE(pointer_never_set),
    CASE(device_variable),    CASE(misaligned_int),
    CASE(misaligned_float4),  CASE(misaligned_shared),
    CASE(use_after_free),     CASE(wild_index),
    CASE(host_stack),         CASE(host_heap),
    CASE(shared_past_end),    CASE(shared_size_forgotten),
    CASE(shared_atomic),      CASE(shared_by_pointer),
    CASE(local_past_end),     CASE(inlined),
    CASE(second_kernel),      CASE(managed_past_end),
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
