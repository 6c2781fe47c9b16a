// Streams: a vector in pieces, copied in, worked on and copied out in several streams at once; a diamond of events;
// functions of the host between kernels; priorities; a stream that the legacy default stream waits for; no order but this.
#include "program.h"
#include <atomic>

enum { PIECES = 7, STREAMS = 3 };

__global__ void square_add(const int *in, int *out, int n, int add) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] * in[i] + add;
}
__global__ void sum_up(const int *x, int n, unsigned *sum) {
    unsigned mine = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        mine += x[i];
    atomicAdd(sum, mine);
}
__global__ void append(int *list, int *length, int value) {
    list[(*length)++] = value;
}

static void pieces(const int *host_in, int *host_out, int n) {
    cudaStream_t streams[STREAMS];
    int each = (n + PIECES - 1) / PIECES, *in, *out;
    for (cudaStream_t &s : streams)
        CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    CUDA(cudaMalloc(&in, n * sizeof(int)));
    CUDA(cudaMalloc(&out, n * sizeof(int)));
    for (int p = 0; p < PIECES; p++) {
        cudaStream_t s = streams[p % STREAMS];
        int begin = p * each, count = n - begin < each ? n - begin : each;
        CUDA(cudaMemcpyAsync(in + begin, host_in + begin, count * sizeof(int), cudaMemcpyHostToDevice, s));
        square_add<<<4, 96, 0, s>>>(in + begin, out + begin, count, p);
        CUDA(cudaMemcpyAsync(host_out + begin, out + begin, count * sizeof(int), cudaMemcpyDeviceToHost, s));
    }
    for (cudaStream_t s : streams)
        CUDA(cudaStreamSynchronize(s));
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= host_out[i] == host_in[i] * host_in[i] + i / each;
    check("a vector in pieces", right);
    for (cudaStream_t s : streams)
        CUDA(cudaStreamDestroy(s));
}

// One stream makes, two work, one joins: every arrow is an event.
static void diamond(const int *host, int n) {
    cudaStream_t left, right, end;
    cudaEvent_t made, left_done, right_done;
    CUDA(cudaStreamCreateWithFlags(&left, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&right, cudaStreamNonBlocking));
    CUDA(cudaStreamCreateWithFlags(&end, cudaStreamNonBlocking));
    CUDA(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    CUDA(cudaEventCreateWithFlags(&left_done, cudaEventDisableTiming));
    CUDA(cudaEventCreateWithFlags(&right_done, cudaEventDisableTiming));
    int *a = to_device(host, n), *b = device_zeros<int>(n), *c = device_zeros<int>(n), *d = device_zeros<int>(n);
    unsigned *sums = device_zeros<unsigned>(2), found[2], expected[2] = {0, 0};
    square_add<<<2, 64, 0, end>>>(a, b, n, 1);
    CUDA(cudaEventRecord(made, end));
    CUDA(cudaStreamWaitEvent(left, made));
    CUDA(cudaStreamWaitEvent(right, made));
    square_add<<<2, 64, 0, left>>>(b, c, n, 2);
    sum_up<<<1, 64, 0, left>>>(c, n, &sums[0]);
    CUDA(cudaEventRecord(left_done, left));
    square_add<<<1, 32, 0, right>>>(b, d, n, 3);
    sum_up<<<1, 64, 0, right>>>(d, n, &sums[1]);
    CUDA(cudaEventRecord(right_done, right));
    CUDA(cudaStreamWaitEvent(end, left_done));
    CUDA(cudaStreamWaitEvent(end, right_done));
    CUDA(cudaMemcpyAsync(found, sums, sizeof found, cudaMemcpyDeviceToHost, end));
    CUDA(cudaStreamSynchronize(end));
    for (int i = 0; i < n; i++) {
        unsigned x = (unsigned)host[i] * host[i] + 1;
        expected[0] += x * x + 2;
        expected[1] += x * x + 3;
    }
    check_equal("a diamond of events", expected, found, 2);
    show("left", found[0]);
    show("right", found[1]);
    check("events are done",
          cudaEventQuery(left_done) == cudaSuccess && cudaEventSynchronize(right_done) == cudaSuccess);
}

static std::atomic<int> calls;
static char order[16];
static void note(void *letter) {
    order[calls++] = *(char *)letter;
}
static void CUDART_CB called_back(cudaStream_t, cudaError_t status, void *letter) {
    order[calls++] = status == cudaSuccess ? *(char *)letter : '!';
}

static void host_functions() {
    static char letters[] = "abcd";
    int *list = device_zeros<int>(8), *length = device_zeros<int>(1), found[3];
    cudaStream_t s;
    int least, greatest;
    CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    CUDA(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest));
    append<<<1, 1, 0, s>>>(list, length, 10);
    CUDA(cudaLaunchHostFunc(s, note, &letters[0]));
    append<<<1, 1, 0, s>>>(list, length, 20);
    CUDA(cudaStreamAddCallback(s, called_back, &letters[1], 0));
    append<<<1, 1, 0, s>>>(list, length, 30);
    CUDA(cudaLaunchHostFunc(s, note, &letters[2]));
    CUDA(cudaMemcpyAsync(found, list, sizeof found, cudaMemcpyDeviceToHost, s));
    CUDA(cudaLaunchHostFunc(s, note, &letters[3]));
    CUDA(cudaStreamSynchronize(s));
    check("functions of the host in their order", strcmp(order, "abcd") == 0);
    check("kernels between them", found[0] == 10 && found[1] == 20 && found[2] == 30);
    int priority;
    unsigned flags;
    CUDA(cudaStreamGetPriority(s, &priority));
    CUDA(cudaStreamGetFlags(s, &flags));
    check("priority and flags", priority == greatest && flags == cudaStreamNonBlocking && least >= greatest);
    CUDA(cudaStreamDestroy(s));
}

// The default stream and a blocking stream take turns without a word.
static void default_stream() {
    int *list = device_zeros<int>(16), *length = device_zeros<int>(1), found[12];
    cudaStream_t s;
    CUDA(cudaStreamCreate(&s));
    for (int i = 0; i < 12; i++)
        append<<<1, 1, 0, i % 3 == 1 ? s : 0>>>(list, length, i);
    CUDA(cudaMemcpy(found, list, sizeof found, cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < 12; i++)
        right &= found[i] == i;
    check("the default stream waits for the others, and they for it", right);
    CUDA(cudaStreamDestroy(s));
}

int main() {
    const int n = 50021;
    int *in, *out;
    CUDA(cudaMallocHost(&in, n * sizeof(int)));
    CUDA(cudaHostAlloc(&out, n * sizeof(int), cudaHostAllocPortable));
    uint32_t seed = 4;
    for (int i = 0; i < n; i++)
        in[i] = (int)(next_random(&seed) % 2001) - 1000;
    pieces(in, out, n);
    show_bits("out", out, n);
    diamond(in, 1003);
    host_functions();
    default_stream();
    return program_failures;
}
