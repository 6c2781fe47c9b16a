/* costs.cu - what it costs to hand over a kernel, an event, memory, a copy. For a GPU; on the emulator it only verifies.
 *
 * Kernels: a chain of 200 that have nothing to do but to add 1. All are handed over while a kernel in front waits for a flag, so the GPU
 * never waits for the CPU: the time between the events is the GPU's own, per kernel. What the CPU spends is measured meanwhile. The
 * ways take turns, 21 rounds, each in another order; medians, and the lowest and the highest. */
#include <time.h>

#include "common/check.h"
#include "common/device.h"
#include "common/turns.h"
#include "common/verify.h"

enum { LINKS = 200, ROUNDS = 21, WAYS = 4 };
enum way { PLAIN, GRAPH, EARLY, EARLY_GRAPH };
static const char *const names[] = {"launches", "graph", "PDL", "graph of PDL"};

static __global__ void hold(const volatile int *flag) {
    while (*flag == 0) {
    }
}

static __global__ void add_one(unsigned *count) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion();
    cudaGridDependencySynchronize();
#endif
    *count += 1;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void launch(unsigned *count, bool early, cudaStream_t stream) {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
    config.gridDim = config.blockDim = dim3(1);
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = early ? 1 : 0;
    for (int k = 0; k < LINKS; k++) {
        CUDA_CHECK(cudaLaunchKernelEx(&config, add_one, count));
    }
}

static cudaGraph_t capture(unsigned *count, bool early, cudaStream_t stream) {
    cudaGraph_t graph;
    CUDA_CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    launch(count, early, stream);
    CUDA_CHECK(cudaStreamEndCapture(stream, &graph));
    return graph;
}

struct chain {
    unsigned *count;
    int *flag; /* pinned */
    bool early;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaGraphExec_t graph[WAYS];
};

/* Microseconds per kernel: the GPU's and the CPU's. */
static void run(struct chain *c, enum way way, float *gpu, float *cpu) {
    float ms = 0;
    *(volatile int *)c->flag = device_is_emulator(); // there, who is in front would hold up everything
    hold<<<1, 1, 0, c->stream>>>(c->flag);
    CUDA_CHECK_LAUNCH();
    CUDA_CHECK(cudaEventRecord(c->begin, c->stream));
    double from = now();
    if (way == GRAPH || way == EARLY_GRAPH) {
        CUDA_CHECK(cudaGraphLaunch(c->graph[way], c->stream));
    } else {
        launch(c->count, way == EARLY && c->early, c->stream);
    }
    *cpu = (float)(now() - from) / LINKS;
    CUDA_CHECK(cudaEventRecord(c->end, c->stream));
    *(volatile int *)c->flag = 1;
    CUDA_CHECK(cudaStreamSynchronize(c->stream));
    CUDA_CHECK(cudaEventElapsedTime(&ms, c->begin, c->end));
    *gpu = 1000 * ms / LINKS;
}

static void print(const char *what, float *values, const char *unit) {
    qsort(values, ROUNDS, sizeof *values, bench_order);
    printf("%-36s  %10.3f  %10.3f .. %10.3f  %s\n", what, values[ROUNDS / 2], values[0], values[ROUNDS - 1], unit);
}

static void chains(struct chain *c, bool times) {
    static float gpu[WAYS][ROUNDS], cpu[WAYS][ROUNDS];
    int order[WAYS] = {PLAIN, GRAPH, EARLY, EARLY_GRAPH};
    uint64_t state = 1;
    unsigned count = 0;
    CUDA_CHECK(cudaMemset(c->count, 0, sizeof *c->count));
    CUDA_CHECK(cudaDeviceSynchronize()); // a non-blocking stream does not wait for cudaMemset
    for (int r = -3; r < ROUNDS; r++) {
        turns_shuffle(order, WAYS, &state);
        for (int w = 0; w < WAYS; w++) {
            run(c, (enum way)order[w], &gpu[order[w]][r < 0 ? 0 : r], &cpu[order[w]][r < 0 ? 0 : r]);
        }
    }
    CUDA_CHECK(cudaMemcpy(&count, c->count, sizeof count, cudaMemcpyDeviceToHost));
    const int found = (int)count, expected = (ROUNDS + 3) * WAYS * LINKS;
    verify_ints("chains", &found, &expected, 1);
    for (int w = 0; w < WAYS && times; w++) {
        char what[80];
        snprintf(what, sizeof what, "%s, GPU", names[w]);
        print(what, gpu[w], "us per kernel");
        snprintf(what, sizeof what, "%s, CPU", names[w]);
        print(what, cpu[w], "us per kernel");
    }
}

/* Other things that are handed over, in microseconds of the CPU. */
static void calls(struct chain *c, bool times) {
    static float event[ROUNDS], pool[ROUNDS], plain[ROUNDS], instantiate[ROUNDS], update[ROUNDS], host[ROUNDS];
    for (int r = 0; r < ROUNDS; r++) {
        void *memory;
        double t = now();
        CUDA_CHECK(cudaEventRecord(c->begin, c->stream));
        CUDA_CHECK(cudaStreamWaitEvent(cudaStreamPerThread, c->begin, 0));
        event[r] = (float)(now() - t);
        t = now();
        CUDA_CHECK(cudaMallocAsync(&memory, 1 << 20, c->stream));
        CUDA_CHECK(cudaFreeAsync(memory, c->stream));
        pool[r] = (float)(now() - t);
        CUDA_CHECK(cudaDeviceSynchronize());
        t = now();
        CUDA_CHECK(cudaMalloc(&memory, 1 << 20));
        CUDA_CHECK(cudaFree(memory));
        plain[r] = (float)(now() - t);
        cudaGraphExec_t exec;
        cudaGraphExecUpdateResultInfo result;
        cudaGraph_t graph = capture(c->count, false, c->stream);
        t = now();
        CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
        instantiate[r] = (float)(now() - t);
        t = now();
        CUDA_CHECK(cudaGraphExecUpdate(exec, graph, &result));
        update[r] = (float)(now() - t);
        CUDA_CHECK(cudaGraphExecDestroy(exec));
        CUDA_CHECK(cudaGraphDestroy(graph));
        t = now();
        CUDA_CHECK(cudaLaunchHostFunc(
            c->stream, [](void *) {}, NULL));
        host[r] = (float)(now() - t);
        CUDA_CHECK(cudaDeviceSynchronize());
    }
    if (times) {
        print("event recorded and waited for", event, "us");
        print("cudaMallocAsync and cudaFreeAsync", pool, "us");
        print("cudaMalloc and cudaFree", plain, "us");
        print("graph of 200 kernels, instantiate", instantiate, "us");
        print("graph of 200 kernels, update", update, "us");
        print("cudaLaunchHostFunc", host, "us");
    }
}

/* GB/s of copies: pinned and pageable, each direction alone, and both at the same time. */
static void copies(size_t bytes, bool times) {
    char *device, *pinned, *pageable = (char *)verify_host_alloc(2 * bytes);
    cudaStream_t in, out;
    static float rate[5][ROUNDS];
    static const char *const what[] = {"pinned, to the device", "pinned, to the host", "pageable, to the device",
                                       "pageable, to the host", "pinned, both directions at once"};
    CUDA_CHECK(cudaMalloc((void **)&device, 2 * bytes));
    CUDA_CHECK(cudaMallocHost((void **)&pinned, 2 * bytes));
    memset(pinned, 1, 2 * bytes);
    memset(pageable, 2, 2 * bytes);
    CUDA_CHECK(cudaMemset(device, 3, 2 * bytes));
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaStreamCreateWithFlags(&in, cudaStreamNonBlocking));
    CUDA_CHECK(cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking));
    for (int r = -2; r < ROUNDS; r++) {
        for (int w = 0; w < 5; w++) {
            char *host = w == 2 || w == 3 ? pageable : pinned;
            double t = now();
            if (w == 0 || w == 2 || w == 4) {
                CUDA_CHECK(cudaMemcpyAsync(device, host, bytes, cudaMemcpyHostToDevice, in));
            }
            if (w == 1 || w == 3 || w == 4) {
                CUDA_CHECK(cudaMemcpyAsync(host + bytes, device + bytes, bytes, cudaMemcpyDeviceToHost, out));
            }
            CUDA_CHECK(cudaStreamSynchronize(in));
            CUDA_CHECK(cudaStreamSynchronize(out));
            rate[w][r < 0 ? 0 : r] = (float)((w == 4 ? 2 : 1) * bytes / (now() - t) / 1e3);
        }
    }
    const int found[] = {pinned[bytes], pinned[2 * bytes - 1], pageable[bytes], pageable[2 * bytes - 1]};
    const int expected[] = {3, 3, 3, 3};
    verify_ints("copies", found, expected, 4);
    for (int w = 0; w < 5 && times; w++) {
        print(what[w], rate[w], "GB/s");
    }
    CUDA_CHECK(cudaStreamDestroy(in));
    CUDA_CHECK(cudaStreamDestroy(out));
    CUDA_CHECK(cudaFree(device));
    CUDA_CHECK(cudaFreeHost(pinned));
    free(pageable);
}

int main(void) {
    struct chain c = {};
    cudaFuncAttributes attributes;
    bool times = !device_is_emulator();
    device_print_backend();
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, add_one));
    c.early = attributes.ptxVersion >= 90;
    CUDA_CHECK(cudaMalloc((void **)&c.count, sizeof *c.count));
    CUDA_CHECK(cudaMallocHost((void **)&c.flag, sizeof *c.flag));
    CUDA_CHECK(cudaStreamCreateWithFlags(&c.stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreate(&c.begin));
    CUDA_CHECK(cudaEventCreate(&c.end));
    for (int w = GRAPH; w < WAYS; w += 2) {
        cudaGraph_t graph = capture(c.count, w == EARLY_GRAPH && c.early, c.stream);
        CUDA_CHECK(cudaGraphInstantiate(&c.graph[w], graph, 0));
        CUDA_CHECK(cudaGraphUpload(c.graph[w], c.stream)); // now, not at the first launch, while `hold` has the GPU
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
    chains(&c, times);
    calls(&c, times);
    copies(times ? (size_t)64 << 20 : 4096, times);
    for (int w = GRAPH; w < WAYS; w += 2) {
        CUDA_CHECK(cudaGraphExecDestroy(c.graph[w]));
    }
    CUDA_CHECK(cudaEventDestroy(c.begin));
    CUDA_CHECK(cudaEventDestroy(c.end));
    CUDA_CHECK(cudaStreamDestroy(c.stream));
    CUDA_CHECK(cudaFree(c.count));
    CUDA_CHECK(cudaFreeHost(c.flag));
    return verify_finish("costs");
}
