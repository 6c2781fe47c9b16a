// libcu++: cuda::atomic and cuda::atomic_ref of every size and scope, fences, semaphores and latches.
// arch: sm_75
#include "program.h"
#include <cuda/atomic>
#include <cuda/latch>
#include <cuda/semaphore>

#define BLOCK 128

template <typename T, cuda::thread_scope SCOPE> __device__ void count(T *x) {
    cuda::atomic_ref<T, SCOPE> ref(*x);
    ref.fetch_add(1, cuda::memory_order_relaxed);
    T old = ref.load(cuda::memory_order_acquire);
    while (!ref.compare_exchange_weak(old, (T)(old + 2), cuda::memory_order_acq_rel, cuda::memory_order_relaxed))
        ;
    ref++;
    ref -= 1;
}

struct sums {
    int8_t a;
    uint16_t b;
    int c;
    unsigned long long d;
    float e;
    double f;
};

__global__ void all_types(sums *s, int *scopes) {
    count<int8_t, cuda::thread_scope_device>(&s->a);
    count<uint16_t, cuda::thread_scope_device>(&s->b);
    count<int, cuda::thread_scope_system>(&s->c);
    count<unsigned long long, cuda::thread_scope_device>(&s->d);
    cuda::atomic_ref<float, cuda::thread_scope_device>(s->e).fetch_add(1.5f);
    cuda::atomic_ref<double, cuda::thread_scope_device>(s->f).fetch_sub(0.5);
    __shared__ int shared;
    if (threadIdx.x == 0)
        shared = 0;
    __syncthreads();
    count<int, cuda::thread_scope_block>(&shared);
    __syncthreads();
    if (threadIdx.x == 0)
        cuda::atomic_ref<int, cuda::thread_scope_device>(scopes[0]).fetch_add(shared);
    int own = threadIdx.x;
    cuda::atomic_ref<int, cuda::thread_scope_device>(scopes[1]).fetch_max(own);
    cuda::atomic_ref<int, cuda::thread_scope_device>(scopes[2]).fetch_min(-own);
    cuda::atomic_ref<int, cuda::thread_scope_device>(scopes[3]).fetch_or(1 << threadIdx.x % 31);
    cuda::atomic_ref<int, cuda::thread_scope_device>(scopes[4]).fetch_xor(1 << threadIdx.x % 31);
    cuda::atomic_ref<int, cuda::thread_scope_device>(scopes[5]).fetch_and(~(1 << threadIdx.x % 31));
}

// A message from block to block: the flag is released after the data and acquired before it.
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__device__ int message[BLOCK];
__global__ void pass_on(int *out) {
    if (blockIdx.x > 0) {
        if (threadIdx.x == 0)
            while (flag.load(cuda::memory_order_acquire) != blockIdx.x)
                ;
        __syncthreads();
    }
    int x = blockIdx.x ? message[threadIdx.x] : threadIdx.x;
    message[threadIdx.x] = x * 3 + 1;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
        flag.store(blockIdx.x + 1, cuda::memory_order_release);
    out[blockIdx.x * BLOCK + threadIdx.x] = x;
}

// Lanes of one warp take turns: whoever has the lock goes on while the others wait.
__device__ cuda::std::atomic_flag lock;
__device__ int guarded;
__global__ void one_after_the_other() {
    while (lock.test_and_set(cuda::std::memory_order_acquire))
        ;
    guarded = guarded + 1;
    lock.clear(cuda::std::memory_order_release);
}

__device__ cuda::binary_semaphore<cuda::thread_scope_device> one(1);
__device__ int by_semaphore;
__global__ void semaphore() {
    one.acquire();
    by_semaphore = by_semaphore + 1;
    cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
    one.release();
}

__global__ void latch(int *out) {
    __shared__ alignas(16) char memory[sizeof(cuda::latch<cuda::thread_scope_block>)];
    auto &all = *(cuda::latch<cuda::thread_scope_block> *)memory;
    __shared__ int x[BLOCK];
    if (threadIdx.x == 0)
        new (memory) cuda::latch<cuda::thread_scope_block>(BLOCK);
    __syncthreads();
    x[threadIdx.x] = threadIdx.x * threadIdx.x;
    all.arrive_and_wait();
    out[threadIdx.x] = x[BLOCK - 1 - threadIdx.x];
}

// waits and notifies
__device__ cuda::atomic<int, cuda::thread_scope_device> turn;
__global__ void ping_pong(int *rounds) {
    for (int i = 0; i < 20; i++) {
        int now = turn.load();
        while (now % 2 != blockIdx.x) {
            turn.wait(now);
            now = turn.load();
        }
        rounds[blockIdx.x]++;
        turn.fetch_add(1);
        turn.notify_all();
    }
}

int main() {
    const int blocks = 3, n = blocks * BLOCK;
    sums *s = device_zeros<sums>(1), found;
    int scopes[6] = {0, 0, 0, 0, 0, -1}, *device_scopes = to_device(scopes, 6);
    all_types<<<blocks, BLOCK>>>(s, device_scopes);
    FINISH();
    from_device(&found, s, 1);
    from_device(scopes, device_scopes, 6);
    check("8 and 16 bits", found.a == (int8_t)(3 * n) && found.b == 3 * n);
    check("32 and 64 bits", found.c == 3 * n && found.d == 3ull * n);
    check("float and double", found.e == 1.5f * n && found.f == -0.5 * n);
    check("block scope", scopes[0] == 3 * n);
    check("minimum and maximum", scopes[1] == BLOCK - 1 && scopes[2] == 1 - BLOCK);
    int odd = 0;
    for (int i = 0; i < n; i++)
        odd ^= 1 << i % BLOCK % 31;
    check("bits", scopes[3] == INT32_MAX && scopes[4] == odd && scopes[5] == INT32_MIN);

    int out[BLOCK], count = 0;
    const int steps = 6;
    int *device_out = device_zeros<int>(BLOCK * steps);
    pass_on<<<steps, BLOCK>>>(device_out);
    FINISH();
    CUDA(cudaMemcpyFromSymbol(out, message, sizeof out));
    bool right = true;
    for (int t = 0; t < BLOCK; t++) {
        int x = t;
        for (int i = 0; i < steps; i++)
            x = x * 3 + 1;
        right &= out[t] == x;
    }
    check("release and acquire between blocks", right);

    one_after_the_other<<<2, BLOCK>>>();
    FINISH();
    CUDA(cudaMemcpyFromSymbol(&count, guarded, sizeof count));
    check("a lock by atomic_flag", count == 2 * BLOCK);
    semaphore<<<2, 64>>>();
    FINISH();
    CUDA(cudaMemcpyFromSymbol(&count, by_semaphore, sizeof count));
    check("binary_semaphore", count == 2 * 64);
    latch<<<1, BLOCK>>>(device_out);
    FINISH();
    from_device(out, device_out, BLOCK);
    right = true;
    for (int t = 0; t < BLOCK; t++)
        right &= out[t] == (BLOCK - 1 - t) * (BLOCK - 1 - t);
    check("latch", right);
    int rounds[2], *device_rounds = device_zeros<int>(2);
    ping_pong<<<2, 1>>>(device_rounds);
    FINISH();
    from_device(rounds, device_rounds, 2);
    check("wait and notify", rounds[0] == 20 && rounds[1] == 20);
    return program_failures;
}
