/* Correct programs that an over-eager check would find fault with. None may be reported, and each verifies its own result:
 *   EXPECT name 0 none
 *   SILENT           nothing on stderr */
#include "run_case.h"

static void need(bool good, const char *what) {
    if (!good)
        fprintf(stderr, "wrong result: %s\n", what);
}

template <typename T> static T *to_device(const T *host, size_t n) {
    T *p = device_array<T>(n);
    cudaMemcpy(p, host, n * sizeof(T), cudaMemcpyHostToDevice);
    return p;
}

template <typename T> static T at(const T *device, size_t i) {
    T value;
    cudaMemcpy(&value, device + i, sizeof value, cudaMemcpyDeviceToHost);
    return value;
}

// EXPECT last_element 0 none
// SILENT
__global__ void last_element(char *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = (char)i;
}
static void case_last_element(void) {
    char *y = device_array<char>(1001);
    last_element<<<4, 256>>>(y, 1001);
    need(at(y, 1000) == (char)1000, "last byte");
}

// PTX knows a barrier by its number: two roles meet at one, each from its own branch.
// EXPECT roles_meet 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void roles_meet(int *y) {
    __shared__ int value;
    if (threadIdx.x >= 64) {
        if (threadIdx.x == 64)
            value = 42;
        asm volatile("bar.sync 15;" ::: "memory");
    } else {
        asm volatile("bar.sync 15;" ::: "memory");
        y[threadIdx.x] = value;
    }
}
static void case_roles_meet(void) {
    int *y = device_array<int>(64);
    roles_meet<<<1, 96>>>(y);
    need(at(y, 63) == 42, "a value handed over at a named barrier");
}

// A block's clock stands while others run, so waiting beside busy blocks does not use up a time limit of the kernel's own. The host's clock
// goes on.
// EXPECT clock_of_its_own 0 none
// SILENT
__device__ unsigned long long global_timer() {
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}
__global__ void clock_of_its_own(unsigned *arrived, long long *cycles, long long *nanoseconds) {
    long long start = clock64(), first = global_timer();
    while (clock64() - start < 5000000) // 5 ms
        ;
    atomicAdd(arrived, 1);
    while (*(volatile unsigned *)arrived < gridDim.x)
        clock64();
    cycles[blockIdx.x] = clock64() - start;
    nanoseconds[blockIdx.x] = global_timer() - first;
}
static void case_clock_of_its_own(void) {
    setenv("EMULATOR_THREADS", "1", 1);
    long long *cycles = device_array<long long>(8), *nanoseconds = device_array<long long>(8);
    unsigned zero = 0, *arrived = to_device(&zero, 1);
    clock_of_its_own<<<8, 1>>>(arrived, cycles, nanoseconds);
    need(at(cycles, 0) >= 5000000, "a loop that waits for the clock");
    need(at(cycles, 0) < at(nanoseconds, 0) / 2, "the time of a block beside seven others");
}

// EXPECT pointer_past_end 0 none
// SILENT
__global__ void pointer_past_end(int *first, int n) {
    for (int *p = first; p != first + n; p++)
        *p = n;
}
static void case_pointer_past_end(void) {
    int *y = device_array<int>(77);
    pointer_past_end<<<1, 1>>>(y, 77);
    need(at(y, 76) == 77, "last element");
}

// EXPECT guarded_by_select 0 none
// SILENT
__global__ void guarded_by_select(const float *x, float *y, int n) {
    int i = threadIdx.x;
    float left = i > 0 ? x[i - 1] : 0.0f, right = i + 1 < n ? x[i + 1] : 0.0f;
    y[i] = left + right;
}
static void case_guarded_by_select(void) {
    float x[64], *y = device_array<float>(64);
    for (int i = 0; i < 64; i++)
        x[i] = (float)i;
    guarded_by_select<<<1, 64>>>(to_device(x, 64), y, 64);
    need(at(y, 0) == 1 && at(y, 63) == 62 && at(y, 10) == 20, "neighbours");
}

// EXPECT managed 0 none
// SILENT
__global__ void managed(int *x) {
    x[threadIdx.x] += 1;
}
static void case_managed(void) {
    int *x;
    cudaMallocManaged((void **)&x, 32 * sizeof *x);
    for (int i = 0; i < 32; i++)
        x[i] = i;
    managed<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    need(x[31] == 32, "managed memory");
    cudaFree(x);
}

// EXPECT pinned 0 none
// SILENT
static void case_pinned(void) {
    int *x;
    cudaMallocHost((void **)&x, 32 * sizeof *x);
    for (int i = 0; i < 32; i++)
        x[i] = i;
    managed<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    need(x[31] == 32, "pinned memory");
    cudaFreeHost(x);
}

// EXPECT registered 0 none
// SILENT
static void case_registered(void) {
    static int x[32];
    int *device;
    cudaHostRegister(x, sizeof x, cudaHostRegisterMapped);
    cudaHostGetDevicePointer((void **)&device, x, 0);
    managed<<<1, 32>>>(device);
    cudaDeviceSynchronize();
    need(x[31] == 1, "registered memory");
    cudaHostUnregister(x);
}

// EXPECT free_and_again 0 none
// SILENT
static void case_free_and_again(void) {
    for (int i = 0; i < 50; i++) {
        int *x = device_array<int>(1 << 18);
        cudaMemset(x, 0, 4 << 18);
        managed<<<1, 1024>>>(x);
        need(at(x, 1023) == 1, "fresh memory");
        cudaFree(x);
    }
}

// EXPECT shared_by_function 0 none
// SILENT
__device__ __noinline__ int sum_of(const int *p, int n) {
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}
__global__ void shared_by_function(const int *x, int *y) {
    __shared__ int tile[32];
    int mine[4] = {1, 2, 3, (int)threadIdx.x};
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = sum_of(tile, 32) + sum_of(x, 32) + sum_of(mine, 4);
}
static void case_shared_by_function(void) {
    int x[32], *y = device_array<int>(32);
    for (int i = 0; i < 32; i++)
        x[i] = 1;
    shared_by_function<<<1, 32>>>(to_device(x, 32), y);
    need(at(y, 5) == 496 + 32 + 11, "shared, global and local memory through one pointer");
}

// EXPECT exited_before_barrier 0 none
// SILENT
__global__ void exited_before_barrier(int *y, int n) {
    __shared__ int tile[64];
    if (threadIdx.x >= n)
        return;
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = tile[n - 1 - threadIdx.x];
}
static void case_exited_before_barrier(void) {
    int *y = device_array<int>(64);
    exited_before_barrier<<<1, 64>>>(y, 40);
    need(at(y, 0) == 39 && at(y, 39) == 0, "reversed");
}

// EXPECT lock_between_lanes 0 none
// SILENT
__device__ int mutex;
__global__ void lock_between_lanes(int *count) {
    while (atomicCAS(&mutex, 0, 1) != 0)
        ;
    *(volatile int *)count = *(volatile int *)count + 1;
    __threadfence();
    atomicExch(&mutex, 0);
}
static void case_lock_between_lanes(void) {
    int *count = device_array<int>(1);
    cudaMemset(count, 0, 4);
    lock_between_lanes<<<4, 64>>>(count);
    need(at(count, 0) == 256, "count under a lock");
}

// EXPECT flag_between_blocks 0 none
// SILENT
__global__ void flag_between_blocks(int *data, int *flag) {
    if (blockIdx.x == 0) {
        data[threadIdx.x] = 7;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0)
            atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence();
        data[32 + threadIdx.x] = *(volatile int *)&data[threadIdx.x] + 1;
    }
}
static void case_flag_between_blocks(void) {
    int *data = device_array<int>(64), *flag = device_array<int>(1);
    cudaMemset(flag, 0, 4);
    flag_between_blocks<<<2, 32>>>(data, flag);
    need(at(data, 63) == 8, "handed over");
}

// EXPECT subset_of_a_warp 0 none
// SILENT
__global__ void subset_of_a_warp(int *y) {
    int value = threadIdx.x;
    if (threadIdx.x < 16)
        value = __shfl_down_sync(0x0000ffff, value, 1, 16);
    else
        value = __shfl_up_sync(0xffff0000, value, 1, 16);
    y[threadIdx.x] = value;
}
static void case_subset_of_a_warp(void) {
    int *y = device_array<int>(32);
    subset_of_a_warp<<<1, 32>>>(y);
    need(at(y, 3) == 4 && at(y, 15) == 15 && at(y, 16) == 16 && at(y, 31) == 30, "shuffled in halves");
}

// EXPECT wide_aligned 0 none
// SILENT
__global__ void wide_aligned(const float4 *x, double2 *y) {
    float4 v = x[threadIdx.x];
    y[threadIdx.x] = make_double2((double)v.x + v.y, (double)v.z + v.w);
}
static void case_wide_aligned(void) {
    float x[128];
    double2 *y = device_array<double2>(32);
    for (int i = 0; i < 128; i++)
        x[i] = (float)i;
    wide_aligned<<<1, 32>>>((const float4 *)to_device(x, 128), y);
    need(at(y, 31).y == 126 + 127, "wide loads");
}

// EXPECT dynamic_shared 0 none
// SILENT
__global__ void dynamic_shared(int *y) {
    __shared__ int fixed[3];
    extern __shared__ int dynamic[];
    if (threadIdx.x < 3)
        fixed[threadIdx.x] = 100;
    dynamic[threadIdx.x] = threadIdx.x;
    __syncthreads();
    y[threadIdx.x] = dynamic[blockDim.x - 1 - threadIdx.x] + fixed[2];
}
static void case_dynamic_shared(void) {
    int *y = device_array<int>(100);
    dynamic_shared<<<1, 100, 100 * sizeof(int)>>>(y);
    need(at(y, 0) == 199, "dynamic shared memory");
}

// EXPECT last_block_resets 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
__global__ void last_block_resets(unsigned *here, unsigned *done, int rounds) {
    for (int round = 0; round < rounds; round++) {
        if (threadIdx.x == 0) { /* that the atomics below come at the same time; nothing depends on it */
            atomicAdd(&here[round], 1);
            for (int i = 0; i < 200 && atomicAdd(&here[round], 0) < gridDim.x; i++)
                ;
        }
        __syncwarp();
        unsigned *counter = &done[round * blockDim.x + threadIdx.x];
        if (atomicAdd(counter, 1) == gridDim.x - 1)
            *counter = 0; /* a plain store, after the other block's atomic */
    }
}
static void case_last_block_resets(void) {
    enum { ROUNDS = 4000, WARP = 32 };
    unsigned *here = device_array<unsigned>(ROUNDS), *done = device_array<unsigned>(ROUNDS * WARP);
    cudaMemset(here, 0, ROUNDS * sizeof *here);
    cudaMemset(done, 0, ROUNDS * WARP * sizeof *done);
    last_block_resets<<<2, WARP>>>(here, done, ROUNDS);
    need(at(done, 0) == 0 && at(done, ROUNDS * WARP - 1) == 0, "counters for the next launch");
}

// EXPECT large 0 none
// SILENT
__global__ void touch(char *x, size_t n) {
    x[n - 1] = x[0] = 3;
}
static void case_large(void) {
    size_t n = ((size_t)1 << 30) + 3;
    char *x = device_array<char>(n);
    touch<<<1, 1>>>(x, n);
    need(at(x, n - 1) == 3, "a large allocation");
    cudaFree(x);
}

/* Odd lanes and even ones come to the same *_sync functions at different places, and exchange values there. The asm keeps the compiler from
 * making one place of the two. */
// EXPECT two_places 0 none
// SILENT
#define PLACE(side, add)                                                                                               \
    do {                                                                                                               \
        asm volatile("// " side);                                                                                      \
        r[0] = __shfl_xor_sync(~0u, lane * 3 + add, 1);                                                                \
        r[1] = __ballot_sync(~0u, lane < 10 + add);                                                                    \
        r[2] = __all_sync(~0u, lane + add < 132) + 2 * __any_sync(~0u, lane + add == 131);                             \
        r[3] = __match_any_sync(~0u, (unsigned long long)(lane / 8) << 40);                                            \
        r[4] = __match_all_sync(~0u, lane + add - add, &r[5]);                                                         \
        r[6] = __shfl_sync(0xffff0000u >> (lane < 16) * 16, lane + add, lane / 16 * 16 + 3);                           \
    } while (0)
enum { PLACE_RESULTS = 7 };
__global__ void two_places(int *y) {
    int lane = threadIdx.x, r[PLACE_RESULTS];
    if (lane & 1)
        PLACE("odd", 100);
    else
        PLACE("even", 0);
    for (int i = 0; i < PLACE_RESULTS; i++)
        y[lane * PLACE_RESULTS + i] = r[i];
}
static void case_two_places(void) {
    int *y = device_array<int>(32 * PLACE_RESULTS), all[32 * PLACE_RESULTS];
    two_places<<<1, 32>>>(y);
    cudaMemcpy(all, y, sizeof all, cudaMemcpyDeviceToHost);
    for (int lane = 0; lane < 32; lane++) {
        const int *r = all + lane * PLACE_RESULTS;
        need(r[0] == (lane ^ 1) * 3 + (lane & 1 ? 0 : 100), "shfl");
        need((unsigned)r[1] == (0xaaaaaaaau | 0x155u), "ballot");
        need(r[2] == 1 + 2, "all, any");
        need((unsigned)r[3] == 0xffu << lane / 8 * 8, "match_any");
        need(r[4] == 0 && r[5] == 0, "match_all");
        need(r[6] == lane / 16 * 16 + 3 + 100, "shfl in halves");
    }
}

// Memory is given back to its pool while launches in other streams ask which copies they could race with.
// EXPECT freed_in_other_stream 0 none
// CHECKS racecheck
// SAYS ERROR SUMMARY: 0 errors
__global__ void add_one(int *x) {
    x[blockIdx.x * blockDim.x + threadIdx.x]++;
}
static void case_freed_in_other_stream(void) {
    enum { ROUNDS = 40, STREAMS = 3, COPIES = 3, N = 4096 };
    int *host, all = ROUNDS * STREAMS * COPIES * N;
    cudaMallocHost((void **)&host, all * sizeof *host);
    memset(host, 0, all * sizeof *host);
    for (int r = 0; r < ROUNDS * STREAMS; r++) {
        int *x;
        cudaStream_t stream;
        cudaStreamCreate(&stream);
        cudaMallocAsync((void **)&x, N * sizeof *x, stream);
        for (int c = 0; c < COPIES; c++) {
            int *mine = host + (r * COPIES + c) * N;
            cudaMemcpyAsync(x, mine, N * sizeof *x, cudaMemcpyHostToDevice, stream);
            add_one<<<N / 256, 256, 0, stream>>>(x);
            cudaMemcpyAsync(mine, x, N * sizeof *x, cudaMemcpyDeviceToHost, stream);
        }
        cudaFreeAsync(x, stream);
        cudaStreamDestroy(stream);
    }
    cudaDeviceSynchronize();
    need(host[0] == 1 && host[all - 1] == 1, "ones added");
    cudaFreeHost(host);
}

// Two streams fill the columns of a matrix between them, and halves of an array; a third one waits for both.
// EXPECT copies_side_by_side 0 none
// CHECKS racecheck
// SAYS ERROR SUMMARY: 0 errors
static void case_copies_side_by_side(void) {
    enum { N = 1024, ROW = 32 };
    int *x = device_array<int>(N), *y = device_array<int>(N), *host, *back;
    cudaStream_t streams[3];
    cudaEvent_t event;
    cudaMallocHost((void **)&host, N * sizeof *host);
    cudaMallocHost((void **)&back, N * sizeof *back);
    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaEventCreate(&event);
    for (int s = 0; s < 3; s++)
        cudaStreamCreateWithFlags(&streams[s], cudaStreamNonBlocking);
    for (int s = 0; s < 2; s++) {
        size_t pitch = ROW * sizeof *x, width = pitch / 2;
        cudaMemcpy2DAsync(x + s * ROW / 2, pitch, host + s * ROW / 2, pitch, width, N / ROW, cudaMemcpyHostToDevice,
                          streams[s]);
        cudaMemcpyAsync(y + s * N / 2, host + s * N / 2, N / 2 * sizeof *y, cudaMemcpyHostToDevice, streams[s]);
        cudaEventRecord(event, streams[s]);
        cudaStreamWaitEvent(streams[2], event, 0);
    }
    cudaMemcpyAsync(back, x, N * sizeof *x, cudaMemcpyDeviceToHost, streams[2]);
    cudaMemcpyAsync(back, y, N * sizeof *y, cudaMemcpyDeviceToHost, streams[2]);
    cudaStreamSynchronize(streams[2]);
    need(back[0] == 0 && back[N - 1] == N - 1, "copied");
    cudaFreeHost(host);
    cudaFreeHost(back);
}

static const struct test_case cases[] = {
    CASE(last_element),
    CASE(roles_meet),
    CASE(clock_of_its_own),
    CASE(pointer_past_end),
    CASE(guarded_by_select),
    CASE(managed),
    CASE(pinned),
    CASE(registered),
    CASE(free_and_again),
    CASE(shared_by_function),
    CASE(exited_before_barrier),
    CASE(lock_between_lanes),
    CASE(flag_between_blocks),
    CASE(subset_of_a_warp),
    CASE(wide_aligned),
    CASE(dynamic_shared),
    CASE(last_block_resets),
    CASE(large),
    CASE(two_places),
    CASE(freed_in_other_stream),
    CASE(copies_side_by_side),
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
