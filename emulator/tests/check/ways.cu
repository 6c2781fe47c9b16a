// Random programs, right and wrong: what is found in them must be the same whether the checks look at accesses by the fast path, by
// spans of memory, or lane by lane. Prints itself only how many kernels were compiled; the findings are compared by check.test.sh.
#include <cstdio>
#include <cstdlib>

#include <cuda_pipeline.h>

#include "kernels_compiled.h"

enum { WORDS = 1024, STEPS = 12, THREADS_MOST = 160, BLOCKS_MOST = 4 };

enum kind {
    READ_SHARED,
    WRITE_SHARED,
    READ_GLOBAL,
    WRITE_GLOBAL,
    ADD_SHARED,
    ADD_GLOBAL,
    BARRIER,
    WARP_BARRIER,
    FENCE,
    READ_AROUND,   // neighbours in global memory, sometimes more than a log of them holds
    READ_MANY,     // the same in shared memory
    READ_VOLATILE, // a strong read
    WRITE_VOLATILE,
    COPY, // asynchronous, to shared memory
    COPY_WAIT,
    SOME_WARPS_MEET, // at a barrier of their own
    SOME_LANES_MEET,
    KINDS
};

struct step {
    kind what;
    int pattern, a, value, width, lanes;
};

struct program {
    int count;
    step steps[STEPS];
};

__device__ int place(const step &s, int t, int global) {
    switch (s.pattern) {
    case 0:
        return t + s.a;
    case 1:
        return s.a;
    case 2:
        return t * s.a;
    case 3:
        return t / 16 + s.a;
    case 4:
        return t ^ (s.a & 31);
    case 5:
        return 255 - t + s.a;
    case 6:
        return t % 16 + s.a;
    case 7:
        return global + s.a;
    case 8:
        return global * (s.a & 3);
    case 9:
        return t * 257 + s.a; // a column
    case 10:
        return t % 32 * 96 + t / 32; // columns side by side
    case 11:
        return t / 16 * 80 + t % 16 + s.a; // a tile of 16 columns
    case 12:
        return 3 * global + (s.a & 3); // structures
    default:
        return t < s.a ? t : s.a;
    }
}

template <class T> __device__ unsigned read(const unsigned *memory, int i) {
    T all = ((const T *)memory)[i % (int)(WORDS * 4 / sizeof(T))];
    return *(const unsigned char *)&all;
}

template <class T> __device__ void write(unsigned *memory, int i, unsigned value) {
    T all = {};
    *(unsigned char *)&all = (unsigned char)value;
    ((T *)memory)[i % (int)(WORDS * 4 / sizeof(T))] = all;
}

__device__ unsigned read_some(const unsigned *memory, int i, int width) {
    switch (width) {
    case 1:
        return read<unsigned char>(memory, i);
    case 2:
        return read<unsigned short>(memory, i);
    case 4:
        return read<unsigned>(memory, i);
    case 8:
        return read<uint2>(memory, i);
    default:
        return read<uint4>(memory, i);
    }
}

__device__ void write_some(unsigned *memory, int i, unsigned value, int width) {
    switch (width) {
    case 1:
        write<unsigned char>(memory, i, value);
        break;
    case 2:
        write<unsigned short>(memory, i, value);
        break;
    case 4:
        write<unsigned>(memory, i, value);
        break;
    case 8:
        write<uint2>(memory, i, value);
        break;
    default:
        write<uint4>(memory, i, value);
    }
}

__global__ void execute(program p, unsigned *memory, unsigned *out) {
    __shared__ __align__(16) unsigned shared[WORDS];
    int t = threadIdx.x, global = blockIdx.x * blockDim.x + t;
    unsigned sum = 0;
    for (int i = 0; i < p.count; i++) {
        step s = p.steps[i];
        int at = place(s, t, global);
        if (s.what == BARRIER) {
            __syncthreads();
        } else if (s.what == WARP_BARRIER) {
            __syncwarp();
        } else if (s.what == FENCE) {
            __threadfence();
        } else if (s.what == COPY_WAIT) {
            __pipeline_commit();
            __pipeline_wait_prior(s.value ? 0 : 1);
        } else if (s.what == SOME_WARPS_MEET) {
            if (t < 64 && blockDim.x >= 64) {
                asm volatile("bar.sync 1, 64;" ::: "memory");
            }
        } else if (t % 32 < s.lanes) {
            switch (s.what) {
            case READ_SHARED:
                sum += read_some(shared, at, s.width);
                break;
            case WRITE_SHARED:
                write_some(shared, at, s.value ? s.value : t, s.width);
                break;
            case READ_GLOBAL:
                sum += read_some(memory, at, s.width);
                break;
            case WRITE_GLOBAL:
                write_some(memory, at, s.value ? s.value : global, s.width);
                break;
            case READ_AROUND:
                for (int k = 0; k < 3 + s.value * 30; k++) {
                    sum += read_some(memory, at + k % 7, s.width);
                }
                break;
            case READ_MANY:
                for (int k = 0; k < 100 + 10 * s.a; k++) {
                    sum += shared[(at + k) % WORDS];
                }
                break;
            case READ_VOLATILE:
                sum += *(volatile unsigned *)&shared[at % WORDS];
                break;
            case WRITE_VOLATILE:
                *(volatile unsigned *)&shared[at % WORDS] = t;
                break;
            case COPY:
                __pipeline_memcpy_async(&shared[at % WORDS], &memory[at % WORDS], 4);
                break;
            case SOME_LANES_MEET:
                __syncwarp(s.lanes == 32 ? ~0u : (1u << s.lanes) - 1);
                break;
            case ADD_SHARED:
                atomicAdd(&shared[at % WORDS], 1u);
                break;
            default:
                atomicAdd(&memory[at % WORDS], 1u);
            }
        }
    }
    out[global] = sum;
}

static unsigned seed;

static int below(unsigned n) {
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 10) % n);
}

static step random_step(bool words, bool columns, int width) {
    static const kind kinds[] = {READ_SHARED,  READ_SHARED,  READ_SHARED,  WRITE_SHARED, WRITE_SHARED,
                                 WRITE_SHARED, READ_GLOBAL,  READ_GLOBAL,  READ_AROUND,  WRITE_GLOBAL,
                                 WRITE_GLOBAL, ADD_SHARED,   ADD_GLOBAL,   BARRIER,      BARRIER,
                                 BARRIER,      WARP_BARRIER, WARP_BARRIER, FENCE};
    step s;
    s.what = below(8) ? kinds[below(sizeof kinds / sizeof *kinds)] : (kind)(READ_MANY + below(KINDS - READ_MANY));
    s.pattern = below(3) ? 7 * below(2) : below(14);
    s.a = below(3) ? 16 * below(4) : below(40);
    s.value = below(3);
    s.width = words ? 4 : below(3) ? width : 1 << below(5);
    s.lanes = below(4) ? 32 : 1 + below(31);
    if (columns && (s.what == READ_GLOBAL || s.what == WRITE_GLOBAL)) {
        s.pattern = 9 + below(2);
        s.width = 4;
    }
    return s;
}

int main(int, char **arguments) {
    int programs = atoi(arguments[1]);
    for (int n = 0; n < programs; n++) {
        unsigned *memory, *out;
        seed = n * 7919 + 1;
        cudaMalloc(&memory, WORDS * 4);
        cudaMalloc(&out, THREADS_MOST * BLOCKS_MOST * 4);
        cudaMemset(memory, 0, below(3) ? WORDS * 4 : WORDS * 2);
        bool words = below(2), columns = !below(4);
        int width = 1 << below(5); // of most accesses
        for (int launches = 1 + below(2); launches > 0; launches--) {
            program p;
            p.count = 3 + below(STEPS - 3);
            for (int i = 0; i < p.count; i++) {
                p.steps[i] = random_step(words, columns, width);
            }
            int blocks = 1 + below(BLOCKS_MOST),
                threads = 32 * (1 + below(THREADS_MOST / 32)) - (below(4) ? 0 : below(32));
            execute<<<blocks, threads>>>(p, memory, out);
            cudaDeviceSynchronize();
        }
        fprintf(stderr, "program %d\n", n);
        cudaFree(memory);
        cudaFree(out);
    }
    printf("compiled %d\n", kernels_compiled());
}
