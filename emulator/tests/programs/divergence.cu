// Threads of one warp that go their own ways: nested branches, switch, loops of different length, early return, and a
// lock that lanes of one warp take from each other.
#include "program.h"

__global__ void nested(int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, x = 0;
    if (i >= n)
        return;
    for (int k = 0; k < i % 17; k++) {
        if (k % 3 == 0)
            continue;
        if (k > 11)
            break;
        if (i & 1)
            x += k;
        else if (i & 2)
            x -= k;
        else
            x ^= k;
    }
    switch (i % 6) {
    case 0:
        x += 1000;
        break;
    case 1:
        x *= 3;
    case 2:
        x += 7;
        break;
    case 4:
        while (x < 50)
            x += 9;
        break;
    default:
        x = -x;
    }
    out[i] = x;
}

static int nested_host(int i) {
    int x = 0;
    for (int k = 0; k < i % 17; k++) {
        if (k % 3 == 0)
            continue;
        if (k > 11)
            break;
        if (i & 1)
            x += k;
        else if (i & 2)
            x -= k;
        else
            x ^= k;
    }
    switch (i % 6) {
    case 0:
        return x + 1000;
    case 1:
        return x * 3 + 7;
    case 2:
        return x + 7;
    case 4:
        while (x < 50)
            x += 9;
        return x;
    default:
        return -x;
    }
}

__global__ void collatz(int *steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    long long x = i + 1;
    int count = 0;
    while (x != 1) {
        x = x & 1 ? 3 * x + 1 : x / 2;
        count++;
    }
    steps[i] = count;
}

// Every thread of the block takes the lock once; the counter is not atomic.
__global__ void spin_lock(int *lock, volatile int *counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            *counter = *counter + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// The form that needs independent thread scheduling: the lane that holds the lock is behind those that spin.
__global__ void spin_lock_hard(int *lock, volatile int *counter) {
    while (atomicCAS(lock, 0, 1) != 0)
        ;
    *counter = *counter + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// One lane waits for another of its warp to set a flag.
__global__ void wait_for_lane(volatile int *flag, int *out) {
    if (threadIdx.x == 0) {
        while (*flag == 0)
            ;
        out[0] = *flag;
    } else if (threadIdx.x == 9) {
        *flag = 42;
    }
}

// Part of the block leaves before the barrier.
__global__ void early_exit(int *out) {
    __shared__ int x[128];
    if (threadIdx.x >= 100)
        return;
    x[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = x[99 - threadIdx.x];
}

// Barriers that also count and vote.
__global__ void counting_barriers(int *out) {
    int t = threadIdx.x;
    int a = __syncthreads_count(t % 3 == 0);
    int b = __syncthreads_and(t < 64);
    int c = __syncthreads_or(t == 17);
    out[t] = a * 4 + (b != 0) * 2 + (c != 0);
}

int main() {
    const int n = 1000;
    static int found[n], expected[n];
    int *out = device_zeros<int>(n);
    nested<<<4, 256>>>(out, n);
    FINISH();
    from_device(found, out, n);
    for (int i = 0; i < n; i++)
        expected[i] = nested_host(i);
    check_equal("nested control flow", expected, found, n);

    collatz<<<8, 128>>>(out, n);
    FINISH();
    from_device(found, out, n);
    for (int i = 0; i < n; i++) {
        expected[i] = 0;
        for (long long x = i + 1; x != 1; x = x & 1 ? 3 * x + 1 : x / 2)
            expected[i]++;
    }
    check_equal("loops of different length", expected, found, n);

    int *lock = device_zeros<int>(2), counter;
    spin_lock<<<3, 64>>>(lock, lock + 1);
    FINISH();
    from_device(&counter, lock + 1, 1);
    check("lock, taken inside the loop", counter == 3 * 64);
    CUDA(cudaMemset(lock, 0, 2 * sizeof(int)));
    spin_lock_hard<<<2, 64>>>(lock, lock + 1);
    FINISH();
    from_device(&counter, lock + 1, 1);
    check("lock, taken after the loop", counter == 2 * 64);

    CUDA(cudaMemset(lock, 0, 2 * sizeof(int)));
    wait_for_lane<<<1, 32>>>(lock, out);
    FINISH();
    from_device(found, out, 1);
    check("a lane waits for another", found[0] == 42);

    early_exit<<<1, 128>>>(out);
    FINISH();
    from_device(found, out, 100);
    for (int i = 0; i < 100; i++)
        expected[i] = 99 - i;
    check_equal("early exit before a barrier", expected, found, 100);

    counting_barriers<<<1, 96>>>(out);
    FINISH();
    from_device(found, out, 96);
    for (int i = 0; i < 96; i++)
        expected[i] = 32 * 4 + 0 + 1;
    check_equal("barriers that count and vote", expected, found, 96);
    return program_failures;
}
