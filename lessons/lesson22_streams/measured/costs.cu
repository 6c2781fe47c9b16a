/* costs.cu - what it costs to hand over a kernel, an event, memory, a copy. For a GPU; on the emulator it only verifies.
 *
 * Kernels: a chain of 200 that have nothing to do but to add 1. All are handed over while a kernel in front waits for a flag, so the GPU
 * never waits for the CPU: the time between the events is the GPU's own, per kernel. What the CPU spends is measured meanwhile. The
 * ways take turns, 21 rounds, each in another order; medians, and the lowest and the highest. */
#include <time.h>

#include "../../../common/check.h"
#include "../../../common/device.h"
#include "../../../common/record.h"
#include "../../../common/turns.h"
#include "../../../common/verify.h"

enum { LINKS = 200, ROUNDS = 21, WAYS = 4, IN_A_ROW = 100 };
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
    cudaEvent_t begin, end, mark; /* mark: has no time, as the pipelines' events */
    size_t bytes;                 /* that are taken from the pool, or with cudaMalloc */
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

/* `column`: what of the row it is, or "" where there is only one thing. */
static void print(const char *row, const char *column, float *values, const char *unit) {
    char what[80];
    snprintf(what, sizeof what, "%s%s%s", row, *column ? ", " : "", column);
    qsort(values, ROUNDS, sizeof *values, bench_order);
    printf("%-36s  %10.3f  %10.3f .. %10.3f  %s\n", what, values[ROUNDS / 2], values[0], values[ROUNDS - 1], unit);
    record_row(row, *column ? column : unit, values[ROUNDS / 2], unit);
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
        print(names[w], "GPU", gpu[w], "us per kernel");
        print(names[w], "CPU", cpu[w], "us per kernel");
    }
}

// ---------------------------------------------------------------- other calls, in microseconds of the CPU

static void event_calls(struct chain *c) {
    CUDA_CHECK(cudaEventRecord(c->mark, c->stream));
    CUDA_CHECK(cudaStreamWaitEvent(cudaStreamPerThread, c->mark, 0));
}

static void pool_calls(struct chain *c) {
    void *memory;
    CUDA_CHECK(cudaMallocAsync(&memory, c->bytes, c->stream));
    CUDA_CHECK(cudaFreeAsync(memory, c->stream));
}

static void memory_calls(struct chain *c) {
    void *memory;
    CUDA_CHECK(cudaMalloc(&memory, c->bytes));
    CUDA_CHECK(cudaFree(memory));
}

static void host_function_call(struct chain *c) {
    CUDA_CHECK(cudaLaunchHostFunc(
        c->stream, [](void *) {}, NULL));
}

/* With `keeps` the pool keeps its memory when the CPU waits; otherwise it gives all of it back to the system. */
static const struct call {
    const char *name;
    void (*make)(struct chain *);
    bool keeps;
} all_calls[] = {
    {"event, recorded and waited for", event_calls, false}, {"cudaMallocAsync, cudaFreeAsync", pool_calls, false},
    {"the same, the pool keeps all", pool_calls, true},     {"cudaMalloc, cudaFree", memory_calls, false},
    {"cudaLaunchHostFunc", host_function_call, false},
};
enum { CALLS = sizeof all_calls / sizeof all_calls[0] };

static void pool_keeps(bool all) {
    cudaMemPool_t pool;
    uint64_t threshold = all ? UINT64_MAX : 0;
    CUDA_CHECK(cudaDeviceGetDefaultMemPool(&pool, 0));
    CUDA_CHECK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
}

/* The first call behind a wait of the CPU finds an idle GPU, and a pool that has given its memory back. So it is timed alone, and then
 * those behind it, which have neither. In a pipeline most calls are of the second kind. */
static void time_call(const struct call *call, struct chain *c, float *first, float *next) {
    pool_keeps(call->keeps);
    CUDA_CHECK(cudaDeviceSynchronize());
    double t = now();
    call->make(c);
    *first = (float)(now() - t);
    t = now();
    for (int k = 0; k < IN_A_ROW; k++) {
        call->make(c);
    }
    *next = (float)(now() - t) / IN_A_ROW;
}

static void calls(struct chain *c, bool times) {
    static float first[CALLS][ROUNDS], next[CALLS][ROUNDS];
    for (int r = -3; r < ROUNDS; r++) {
        for (int k = 0; k < CALLS; k++) {
            time_call(&all_calls[k], c, &first[k][r < 0 ? 0 : r], &next[k][r < 0 ? 0 : r]);
        }
    }
    pool_keeps(false);
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < CALLS && times; k++) {
        print(all_calls[k].name, "first", first[k], "us");
        print(all_calls[k].name, "next", next[k], "us");
    }
}

static void graphs(struct chain *c, bool times) {
    static float instantiate[ROUNDS], update[ROUNDS];
    for (int r = -3; r < ROUNDS; r++) {
        cudaGraphExec_t exec;
        cudaGraphExecUpdateResultInfo result;
        cudaGraph_t graph = capture(c->count, false, c->stream);
        double t = now();
        CUDA_CHECK(cudaGraphInstantiate(&exec, graph, 0));
        instantiate[r < 0 ? 0 : r] = (float)(now() - t);
        t = now();
        CUDA_CHECK(cudaGraphExecUpdate(exec, graph, &result));
        update[r < 0 ? 0 : r] = (float)(now() - t);
        CUDA_CHECK(cudaGraphExecDestroy(exec));
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
    if (times) {
        print("graph of 200 kernels", "instantiate", instantiate, "us");
        print("graph of 200 kernels", "update", update, "us");
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
        print(what[w], "", rate[w], "GB/s");
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
    CUDA_CHECK(cudaEventCreateWithFlags(&c.mark, cudaEventDisableTiming));
    c.bytes = times ? (size_t)8 << 20 : 4096; // a chunk of the lesson's pipelines
    for (int w = GRAPH; w < WAYS; w += 2) {
        cudaGraph_t graph = capture(c.count, w == EARLY_GRAPH && c.early, c.stream);
        CUDA_CHECK(cudaGraphInstantiate(&c.graph[w], graph, 0));
        CUDA_CHECK(cudaGraphUpload(c.graph[w], c.stream)); // now, not at the first launch, while `hold` has the GPU
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
    chains(&c, times);
    calls(&c, times);
    graphs(&c, times);
    copies(times ? (size_t)64 << 20 : 4096, times);
    for (int w = GRAPH; w < WAYS; w += 2) {
        CUDA_CHECK(cudaGraphExecDestroy(c.graph[w]));
    }
    CUDA_CHECK(cudaEventDestroy(c.begin));
    CUDA_CHECK(cudaEventDestroy(c.end));
    CUDA_CHECK(cudaEventDestroy(c.mark));
    CUDA_CHECK(cudaStreamDestroy(c.stream));
    CUDA_CHECK(cudaFree(c.count));
    CUDA_CHECK(cudaFreeHost(c.flag));
    return verify_finish("costs");
}
