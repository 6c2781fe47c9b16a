// Random kernels and copies that stream through global memory, in several streams: what is found must be the same whether the checks
// look at accesses by the fast path or lane by lane. Kernels run one after the other, although for the checks nothing orders most of
// them. Prints itself only how many kernels were compiled; the findings are compared by check.test.sh.
#include <cstdio>
#include <cstdlib>
#include <future>

#include <cuda_runtime.h>

#include "kernels_compiled.h"

enum { WORDS = 2048, BUFFERS = 2, STREAMS = 3, STEPS = 5, EVENTS = 10 };

enum kind { READ, READ_AROUND, WRITE, UPDATE, ADD, VOLATILE_READ, VOLATILE_WRITE, BARRIER, WARP_BARRIER };

struct step {
    kind what;
    int buffer, pattern, a, value, width, lanes, warps, blocks;
};

struct program {
    int count;
    step steps[STEPS];
};

__device__ int place(const step &s, int g) {
    switch (s.pattern) {
    case 0:
        return g;
    case 1:
        return g + s.a;
    case 2:
        return g ^ 32;
    case 3:
        return s.a;
    case 4:
        return g % 16 * 16 + g / 16;
    case 5:
        return g % 32 * 260 + g / 32; // columns
    case 6:
        return 3 * g + s.a; // structures
    default:
        return g / 32 * 32 + 31 - g % 32;
    }
}

template <class T> __device__ unsigned access(const step &s, unsigned *memory, int i, unsigned value) {
    T *at = (T *)memory + i % (int)(WORDS * 4 / sizeof(T)), all = {};
    if (s.what != WRITE) {
        all = *at;
    }
    *(unsigned char *)&all += (unsigned char)value;
    if (s.what != READ && s.what != READ_AROUND) {
        *at = all;
    }
    return *(unsigned char *)&all;
}

__device__ unsigned access_some(const step &s, unsigned *memory, int i, unsigned value) {
    switch (s.width) {
    case 1:
        return access<unsigned char>(s, memory, i, value);
    case 2:
        return access<unsigned short>(s, memory, i, value);
    case 4:
        return access<unsigned>(s, memory, i, value);
    case 8:
        return access<uint2>(s, memory, i, value);
    default:
        return access<uint4>(s, memory, i, value);
    }
}

__global__ void execute(program p, unsigned *one, unsigned *other, int rounds, unsigned *out) {
    int g = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    unsigned sum = 0;
    for (int k = 0; k < p.count; k++) {
        step s = p.steps[k];
        unsigned *memory = s.buffer ? other : one;
        if (s.what == BARRIER) {
            __syncthreads();
        } else if (s.what == WARP_BARRIER) {
            __syncwarp();
        } else if (g % 32 < s.lanes && (s.warps >> threadIdx.x / 32 % 4 & 1) && (s.blocks >> blockIdx.x % 4 & 1)) {
            for (int i = g; i < rounds * all; i += all) {
                int at = place(s, i);
                if (s.what == ADD) {
                    atomicAdd(&memory[at % WORDS], 1u);
                } else if (s.what == VOLATILE_READ) {
                    sum += *(volatile unsigned *)&memory[at % WORDS];
                } else if (s.what == VOLATILE_WRITE) {
                    *(volatile unsigned *)&memory[at % WORDS] = s.value;
                } else if (s.what == READ_AROUND) {
                    for (int n = 0; n < 3 + s.a; n++) {
                        sum += access_some(s, memory, at + n % 5, 0);
                    }
                } else {
                    sum += access_some(s, memory, at, s.value ? s.value : i);
                }
            }
        }
    }
    out[g] = sum;
}

static unsigned seed;

static int below(unsigned n) {
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 10) % n);
}

static step random_step(int width) {
    static const kind kinds[] = {READ,  READ,   READ_AROUND, READ_AROUND, WRITE,   WRITE,
                                 WRITE, UPDATE, UPDATE,      ADD,         BARRIER, WARP_BARRIER};
    step s;
    s.what = below(12) ? kinds[below(sizeof kinds / sizeof *kinds)] : below(2) ? VOLATILE_READ : VOLATILE_WRITE;
    s.buffer = below(2);
    s.pattern = below(4) ? 0 : below(8);
    s.a = below(2) ? 32 * below(16) : below(70);
    s.value = below(3);
    s.width = below(6) ? width : 1 << below(5);
    s.lanes = below(6) ? 32 : 1 + below(31);
    s.warps = below(3) ? 15 : 1 + below(15);
    s.blocks = below(3) ? 15 : 1 + below(15);
    return s;
}

// Waits until all of the stream is over, without a word to the checks.
static void CUDART_CB note_done(void *done) {
    ((std::promise<void> *)done)->set_value();
}

static void wait_quietly(cudaStream_t stream) {
    std::promise<void> done;
    cudaLaunchHostFunc(stream, note_done, &done);
    done.get_future().wait();
}

struct state {
    unsigned *buffers[BUFFERS], *out[STREAMS];
    cudaStream_t streams[STREAMS];
    cudaEvent_t event;
};

static void launch(state *s, int stream) {
    static const int sizes[] = {32, 64, 96, 128, 256, 250};
    program p;
    p.count = 1 + below(STEPS);
    int width = below(3) ? 4 : 1 << below(5);
    for (int i = 0; i < p.count; i++) {
        p.steps[i] = random_step(width);
    }
    execute<<<1 + below(8), sizes[below(6)], 0, s->streams[stream]>>>(p, s->buffers[0], s->buffers[1], 1 + below(3),
                                                                      s->out[stream]);
}

static void copy(state *s, cudaStream_t stream) {
    int from = below(WORDS / 2), to = below(WORDS / 2), words = 1 + below(WORDS / 2), which = below(BUFFERS);
    if (below(2)) {
        cudaMemsetAsync(s->buffers[which] + to, below(3), words * 4, stream);
    } else {
        cudaMemcpyAsync(s->buffers[which] + to, s->buffers[!which] + from, words * 4, cudaMemcpyDeviceToDevice, stream);
    }
}

static void renew(unsigned **buffer) {
    cudaFree(*buffer);
    cudaMalloc(buffer, WORDS * 4);
    cudaMemset(*buffer, 0, below(3) ? WORDS * 4 : WORDS * 2);
    cudaDeviceSynchronize();
}

static void event(state *s) {
    int stream = below(2) ? 0 : below(STREAMS);
    switch (below(16)) {
    case 0:
        renew(&s->buffers[below(BUFFERS)]);
        return;
    case 1:
    case 2:
        cudaDeviceSynchronize();
        return;
    case 3:
    case 4:
        cudaEventRecord(s->event, s->streams[stream]);
        wait_quietly(s->streams[stream]); // whether it is over when another stream is to wait for it must not be chance
        cudaStreamWaitEvent(s->streams[below(STREAMS)], s->event, 0);
        return;
    case 5:
    case 6:
        copy(s, s->streams[stream]);
        break;
    default:
        launch(s, stream);
    }
    wait_quietly(s->streams[stream]);
}

int main(int, char **arguments) {
    int programs = atoi(arguments[1]);
    state s = {};
    cudaEventCreate(&s.event);
    for (int i = 0; i < STREAMS; i++) {
        cudaStreamCreateWithFlags(&s.streams[i], cudaStreamNonBlocking);
        cudaMalloc(&s.out[i], WORDS * 4);
    }
    for (int n = 0; n < programs; n++) {
        seed = n * 7919 + 1;
        for (unsigned *&buffer : s.buffers) {
            renew(&buffer);
        }
        for (int i = 0; i < EVENTS; i++) {
            event(&s);
        }
        cudaDeviceSynchronize();
        fprintf(stderr, "program %d\n", n);
    }
    for (unsigned *buffer : s.buffers) {
        cudaFree(buffer);
    }
    for (unsigned *out : s.out) {
        cudaFree(out);
    }
    printf("compiled %d\n", kernels_compiled());
}
