// Locks: a spin lock taken by every lane of a warp, a ticket lock between blocks, a lock for each of many accounts taken two
// at a time in order, readers and writers, a barrier between blocks by a counter, and nanosleep while waiting.
#include "program.h"

__device__ void lock(int *l) {
    while (atomicCAS(l, 0, 1) != 0)
        ;
    __threadfence();
}
__device__ void unlock(int *l) {
    __threadfence();
    atomicExch(l, 0);
}

__global__ void every_lane(int *l, volatile int *counter, volatile int *longest) {
    bool done = false;
    while (!done) {
        if (atomicCAS(l, 0, 1) == 0) {
            __threadfence();
            *counter = *counter + 1;
            if (*longest < (int)threadIdx.x)
                *longest = threadIdx.x;
            unlock(l);
            done = true;
        }
    }
}

struct ticket_lock {
    unsigned next, serving;
    __device__ void take() {
        unsigned mine = atomicAdd(&next, 1);
        while (*(volatile unsigned *)&serving != mine)
            __nanosleep(50);
        __threadfence();
    }
    __device__ void give() {
        __threadfence();
        atomicAdd(&serving, 1);
    }
};
// What each block writes under the lock must be whole.
__global__ void tickets(ticket_lock *l, volatile int *log, volatile int *length) {
    __shared__ int at;
    for (int round = 0; round < 3; round++) {
        if (threadIdx.x == 0) {
            l->take();
            at = *length;
        }
        __syncthreads();
        log[at + threadIdx.x] = blockIdx.x * 1000 + threadIdx.x;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) {
            *length = at + blockDim.x;
            l->give();
        }
        __syncthreads();
    }
}

enum { ACCOUNTS = 20 };
__global__ void transfers(int *locks, volatile int *balance, int rounds) {
    unsigned state = blockIdx.x * blockDim.x + threadIdx.x;
    for (int r = 0; r < rounds; r++) {
        state = state * 1664525u + 1013904223u;
        int a = (state >> 8) % ACCOUNTS, b = (a + 1 + (state >> 16) % (ACCOUNTS - 1)) % ACCOUNTS;
        int low = min(a, b), high = max(a, b), amount = state >> 28;
        for (bool done = false; !done;) {
            if (atomicCAS(&locks[low], 0, 1) == 0) {
                if (atomicCAS(&locks[high], 0, 1) == 0) {
                    __threadfence();
                    balance[a] = balance[a] - amount;
                    balance[b] = balance[b] + amount;
                    unlock(&locks[high]);
                    done = true;
                }
                unlock(&locks[low]);
            }
        }
    }
}

// Two numbers that writers change together; a reader never sees one without the other.
__global__ void readers_writers(int *l, volatile int *pair, int *torn, int rounds) {
    if (threadIdx.x % 32 != 0)
        return;
    bool writer = threadIdx.x == 0;
    for (int r = 0; r < rounds; r++) {
        if (writer) {
            while (atomicCAS(l, 0, -1) != 0)
                ;
            __threadfence();
            pair[0] = pair[0] + 1;
            pair[1] = pair[1] - 1;
            __threadfence();
            atomicExch(l, 0);
        } else {
            for (int seen = *(volatile int *)l;;) {
                int old = seen < 0 ? -1 : atomicCAS(l, seen, seen + 1);
                if (old >= 0 && old == seen)
                    break;
                seen = *(volatile int *)l;
            }
            __threadfence();
            if (pair[0] + pair[1] != 0)
                atomicAdd(torn, 1);
            __threadfence();
            atomicSub(l, 1);
        }
    }
}

// Blocks meet at a counter; all of them fit on the machine.
__device__ unsigned arrived;
__global__ void meet(volatile int *x, int rounds, int *wrong) {
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x == 0) {
            x[blockIdx.x] = r + 1;
            __threadfence();
            atomicAdd(&arrived, 1);
            while (*(volatile unsigned *)&arrived < gridDim.x * (2 * r + 1))
                ;
            __threadfence();
        }
        __syncthreads();
        if (threadIdx.x < gridDim.x && x[threadIdx.x] != r + 1)
            atomicAdd(wrong, 1);
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(&arrived, 1);
            while (*(volatile unsigned *)&arrived < gridDim.x * (2 * r + 2))
                ;
        }
        __syncthreads();
    }
}

__global__ void one_thread_each(int *l, volatile int *counter) {
    if (threadIdx.x % 32 == 0) {
        lock(l);
        *counter = *counter + 1;
        unlock(l);
    }
}

int main() {
    int *l = device_zeros<int>(ACCOUNTS), *numbers = device_zeros<int>(600), found[600];
    every_lane<<<3, 40>>>(l, numbers, numbers + 1);
    FINISH();
    from_device(found, numbers, 2);
    check("a lock taken by every lane", found[0] == 120 && found[1] == 39);
    one_thread_each<<<4, 96>>>(l, numbers);
    FINISH();
    from_device(found, numbers, 1);
    check("a lock taken by one of each warp", found[0] == 132);

    ticket_lock *t = device_zeros<ticket_lock>(1);
    const int blocks = 5, threads = 33;
    int *length = device_zeros<int>(1), written, turns[blocks] = {0};
    tickets<<<blocks, threads>>>(t, numbers, length);
    FINISH();
    from_device(found, numbers, 3 * blocks * threads);
    from_device(&written, length, 1);
    bool right = written == 3 * blocks * threads;
    for (int i = 0; right && i < written; i++)
        right = found[i] == found[i / threads * threads] / 1000 * 1000 + i % threads;
    for (int i = 0; i < written; i += threads)
        turns[found[i] / 1000]++;
    for (int b = 0; b < blocks; b++)
        right &= turns[b] == 3;
    check("a ticket lock between blocks", right);

    int start[ACCOUNTS], sum = 0;
    for (int &b : start)
        b = 1000;
    int *balance = to_device(start, ACCOUNTS);
    transfers<<<2, 32>>>(l, balance, 10);
    FINISH();
    from_device(found, balance, ACCOUNTS);
    for (int i = 0; i < ACCOUNTS; i++)
        sum += found[i];
    check("two locks at a time", sum == 1000 * ACCOUNTS);
    show_bits("balances", found, ACCOUNTS);

    int *torn = device_zeros<int>(1), pair[2];
    CUDA(cudaMemset(numbers, 0, 2 * sizeof(int)));
    readers_writers<<<2, 128>>>(l, numbers, torn, 12);
    FINISH();
    from_device(found, torn, 1);
    from_device(pair, numbers, 2);
    check("readers and writers", found[0] == 0 && pair[0] == 24 && pair[1] == -24);

    CUDA(cudaMemset(torn, 0, sizeof(int)));
    void *arguments[] = {&numbers, NULL, &torn};
    int rounds = 4;
    arguments[1] = &rounds;
    CUDA(cudaLaunchCooperativeKernel((const void *)meet, dim3(6), dim3(32), arguments, 0, 0));
    FINISH();
    from_device(found, torn, 1);
    check("blocks that meet", found[0] == 0);
    return program_failures;
}
