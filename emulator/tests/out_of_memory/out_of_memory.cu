/* out_of_memory.cu - what the runtime API does when the host has no memory left: out_of_memory [SCENARIO [NUMBER]]
 *
 * A scenario is run once for each allocation that the emulator makes in it, in a process of its own, and that allocation fails. Allowed is:
 *   - a call returns cudaErrorMemoryAllocation and has changed nothing: called again, it does its work, and the result is right;
 *   - the call can do without, and the result is right;
 *   - the process ends with words about memory (in the middle of a kernel, nobody is there to whom an error could be returned).
 * A crash, a wrong result, another error, and a call that never returns are not. */
#include <cuda_runtime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "failing_malloc.h"

enum { N = 1000 };
enum verdict { RIGHT, WRONG_RESULT, WRONG_ERROR, NO_RECOVERY };

static void end_with(enum verdict verdict, const char *what, cudaError_t error) {
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorName(error));
    _exit(verdict);
}

/* The call succeeds, or says that there is no memory and succeeds when it is made again. */
#define TRY(...)                                                                                                       \
    do {                                                                                                               \
        cudaError_t error_ = (__VA_ARGS__);                                                                            \
        if (error_ != cudaSuccess && error_ != cudaErrorMemoryAllocation)                                              \
            end_with(WRONG_ERROR, #__VA_ARGS__, error_);                                                               \
        if (error_ != cudaSuccess) {                                                                                   \
            cudaGetLastError();                                                                                        \
            error_ = (__VA_ARGS__);                                                                                    \
            if (error_ != cudaSuccess)                                                                                 \
                end_with(NO_RECOVERY, #__VA_ARGS__, error_);                                                           \
        }                                                                                                              \
    } while (0)

static void expect(bool right, const char *what) {
    if (!right)
        end_with(WRONG_RESULT, what, cudaSuccess);
}

__constant__ int addend;
__device__ int counted;
__managed__ int managed_words[N];

__global__ void add_kernel(const int *in, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = in[i] + addend;
        atomicAdd(&counted, 1);
    }
}

__global__ void managed_kernel() {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        managed_words[i] = 3 * i;
}

__device__ __noinline__ int depth_of(int n) {
    return n == 0 ? 0 : 1 + depth_of(n - 1);
}

/* printf, malloc in a kernel, recursion, and warps that diverge. */
__global__ void busy_kernel(int *out) {
    int *mine = (int *)malloc(16);
    if (!mine) {
        out[threadIdx.x] = -1;
        return;
    }
    mine[0] = depth_of(threadIdx.x % 7);
    out[threadIdx.x] = mine[0];
    if (threadIdx.x == 40)
        printf("thread %d\n", threadIdx.x);
    free(mine);
}

__global__ void texture_kernel(cudaTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x % 8 + 0.5f, threadIdx.x / 8 + 0.5f);
}

static void launch_add(const int *in, int *out, cudaStream_t stream) {
    void *arguments[] = {(void *)&in, (void *)&out, NULL};
    int n = N;
    arguments[2] = &n;
    TRY(cudaLaunchKernel((const void *)add_kernel, dim3((N + 127) / 128), dim3(128), arguments, 0, stream));
}

static int host_in[N], host_out[N];

static void expect_sums(int added) {
    for (int i = 0; i < N; i++)
        expect(host_out[i] == host_in[i] + added, "out[i] is in[i] and the addend");
}

static void prepare() {
    for (int i = 0; i < N; i++) {
        host_in[i] = 7 * i;
        host_out[i] = -1;
    }
}

static void memory_scenario() {
    int *a, *b, *pinned;
    size_t pitch;
    char *rows;
    prepare();
    TRY(cudaMalloc((void **)&a, sizeof host_in));
    TRY(cudaMallocPitch((void **)&rows, &pitch, 100, 10));
    TRY(cudaMemcpy2D(rows, pitch, host_in, 100, 100, 10, cudaMemcpyHostToDevice));
    TRY(cudaMemcpy2D(host_out, 100, rows, pitch, 100, 10, cudaMemcpyDeviceToHost));
    expect(memcmp(host_in, host_out, 1000) == 0, "2D copies there and back");
    TRY(cudaMallocManaged((void **)&b, sizeof host_in));
    TRY(cudaMallocHost((void **)&pinned, sizeof host_in));
    memcpy(pinned, host_in, sizeof host_in);
    TRY(cudaMemcpy(a, pinned, sizeof host_in, cudaMemcpyHostToDevice));
    TRY(cudaMemset(b, 0, sizeof host_in));
    TRY(cudaMemcpy(b, a, sizeof host_in, cudaMemcpyDeviceToDevice));
    TRY(cudaDeviceSynchronize());
    expect(memcmp(b, host_in, sizeof host_in) == 0, "managed memory has what was copied");
    TRY(cudaHostRegister(host_out, sizeof host_out, cudaHostRegisterMapped));
    TRY(cudaHostUnregister(host_out));
    TRY(cudaFreeHost(pinned));
    TRY(cudaFree(rows));
    TRY(cudaFree(b));
    TRY(cudaFree(a));
}

static void launch_scenario() {
    int *a, *b, five = 5, seen = 0;
    cudaFuncAttributes attributes;
    prepare();
    TRY(cudaFuncGetAttributes(&attributes, (const void *)add_kernel));
    expect(attributes.maxThreadsPerBlock > 0, "attributes of a kernel");
    TRY(cudaMalloc((void **)&a, sizeof host_in));
    TRY(cudaMalloc((void **)&b, sizeof host_in));
    TRY(cudaMemcpyToSymbol(addend, &five, sizeof five));
    TRY(cudaMemcpy(a, host_in, sizeof host_in, cudaMemcpyHostToDevice));
    launch_add(a, b, 0);
    TRY(cudaMemcpy(host_out, b, sizeof host_out, cudaMemcpyDeviceToHost));
    expect_sums(5);
    TRY(cudaMemcpyFromSymbol(&seen, counted, sizeof seen));
    expect(seen == N, "each thread has counted itself");
    TRY(cudaLaunchKernel((const void *)managed_kernel, dim3(8), dim3(128), NULL, 0, 0));
    TRY(cudaDeviceSynchronize());
    for (int i = 0; i < N; i++)
        expect(managed_words[i] == 3 * i, "a managed variable");
}

static void busy_scenario() {
    int *out, host[64];
    TRY(cudaMalloc((void **)&out, sizeof host));
    void *arguments[] = {&out};
    TRY(cudaLaunchKernel((const void *)busy_kernel, dim3(1), dim3(64), arguments, 0, 0));
    TRY(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; i++)
        expect(host[i] == i % 7 || host[i] == -1, "the depth of a recursion");
}

static void CUDART_CB host_function(void *counter) {
    ++*(int *)counter;
}

static void stream_scenario() {
    cudaStream_t first, second;
    cudaEvent_t half, whole;
    int *a, *b, called = 0, six = 6;
    float ms;
    prepare();
    TRY(cudaStreamCreate(&first));
    TRY(cudaStreamCreateWithPriority(&second, cudaStreamNonBlocking, -1));
    TRY(cudaEventCreate(&half));
    TRY(cudaEventCreateWithFlags(&whole, cudaEventDefault));
    TRY(cudaMallocAsync((void **)&a, sizeof host_in, first));
    TRY(cudaMallocAsync((void **)&b, sizeof host_in, first));
    TRY(cudaMemcpyToSymbolAsync(addend, &six, sizeof six, 0, cudaMemcpyHostToDevice, first));
    TRY(cudaMemcpyAsync(a, host_in, sizeof host_in, cudaMemcpyHostToDevice, first));
    TRY(cudaEventRecord(half, first));
    TRY(cudaStreamWaitEvent(second, half, 0));
    launch_add(a, b, second);
    TRY(cudaEventRecord(whole, second));
    TRY(cudaStreamWaitEvent(first, whole, 0));
    TRY(cudaMemcpyAsync(host_out, b, sizeof host_out, cudaMemcpyDeviceToHost, first));
    TRY(cudaLaunchHostFunc(first, host_function, &called));
    TRY(cudaMemsetAsync(a, 0, sizeof host_in, first));
    TRY(cudaFreeAsync(a, first));
    TRY(cudaFreeAsync(b, first));
    TRY(cudaStreamSynchronize(first));
    TRY(cudaEventElapsedTime(&ms, half, whole));
    expect_sums(6);
    expect(called == 1, "the host function is called once");
    TRY(cudaEventDestroy(half));
    TRY(cudaEventDestroy(whole));
    TRY(cudaStreamDestroy(second));
    TRY(cudaStreamDestroy(first));
}

static void graph_scenario() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    cudaGraphNode_t copy_in, clear, kernel, copy_out, called_node;
    int *a, *b, called = 0, n = N;
    prepare();
    TRY(cudaStreamCreate(&stream));
    TRY(cudaMalloc((void **)&a, sizeof host_in));
    TRY(cudaMalloc((void **)&b, sizeof host_in));
    TRY(cudaGraphCreate(&graph, 0));
    TRY(cudaGraphAddMemcpyNode1D(&copy_in, graph, NULL, 0, a, host_in, sizeof host_in, cudaMemcpyHostToDevice));
    cudaMemsetParams zero = {b, 0, 0, 1, sizeof host_in, 1};
    TRY(cudaGraphAddMemsetNode(&clear, graph, NULL, 0, &zero));
    void *arguments[] = {&a, &b, &n};
    cudaKernelNodeParams launch = {(void *)add_kernel, dim3((N + 127) / 128), dim3(128), 0, arguments, NULL};
    cudaGraphNode_t before[] = {copy_in, clear};
    TRY(cudaGraphAddKernelNode(&kernel, graph, before, 2, &launch));
    TRY(cudaGraphAddMemcpyNode1D(&copy_out, graph, &kernel, 1, host_out, b, sizeof host_in, cudaMemcpyDeviceToHost));
    cudaHostNodeParams host = {host_function, &called};
    TRY(cudaGraphAddHostNode(&called_node, graph, &copy_out, 1, &host));
    size_t nodes = 0;
    TRY(cudaGraphGetNodes(graph, NULL, &nodes));
    expect(nodes == 5, "five nodes");
    TRY(cudaGraphInstantiate(&executable, graph, 0));
    TRY(cudaGraphLaunch(executable, stream));
    TRY(cudaGraphLaunch(executable, stream));
    TRY(cudaStreamSynchronize(stream));
    expect_sums(0);
    expect(called == 2, "the host node is called once in each launch");
    cudaGraph_t copy;
    TRY(cudaGraphClone(&copy, graph));
    TRY(cudaGraphExecDestroy(executable));
    TRY(cudaGraphDestroy(copy));
    TRY(cudaGraphDestroy(graph));
    TRY(cudaStreamDestroy(stream));
}

/* Captures a copy, a kernel in another stream, and a copy. *graph is none if one of the calls fails. */
static cudaError_t capture(int *a, int *b, cudaStream_t stream, cudaStream_t other, cudaEvent_t fork, cudaEvent_t join,
                           cudaGraph_t *graph) {
    int n = N;
    void *arguments[] = {&a, &b, &n};
    cudaError_t error = cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    if (error != cudaSuccess)
        return error;
    if ((error = cudaMemcpyAsync(a, host_in, sizeof host_in, cudaMemcpyHostToDevice, stream)) == cudaSuccess &&
        (error = cudaEventRecord(fork, stream)) == cudaSuccess &&
        (error = cudaStreamWaitEvent(other, fork, 0)) == cudaSuccess &&
        (error = cudaLaunchKernel((const void *)add_kernel, dim3((N + 127) / 128), dim3(128), arguments, 0, other)) ==
            cudaSuccess &&
        (error = cudaEventRecord(join, other)) == cudaSuccess &&
        (error = cudaStreamWaitEvent(stream, join, 0)) == cudaSuccess)
        error = cudaMemcpyAsync(host_out, b, sizeof host_in, cudaMemcpyDeviceToHost, stream);
    *graph = NULL;
    cudaError_t ended = cudaStreamEndCapture(stream, graph);
    return error != cudaSuccess ? error : ended;
}

static void capture_scenario() {
    cudaStream_t stream, other;
    cudaEvent_t fork, join;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    int *a, *b, nine = 9;
    prepare();
    TRY(cudaStreamCreate(&stream));
    TRY(cudaStreamCreate(&other));
    TRY(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    TRY(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    TRY(cudaMalloc((void **)&a, sizeof host_in));
    TRY(cudaMalloc((void **)&b, sizeof host_in));
    TRY(cudaMemcpyToSymbol(addend, &nine, sizeof nine));
    if (capture(a, b, stream, other, fork, join, &graph) !=
        cudaSuccess) { /* what has failed spoils the whole capture */
        cudaGetLastError();
        TRY(capture(a, b, stream, other, fork, join, &graph));
    }
    TRY(cudaGraphInstantiate(&executable, graph, 0));
    TRY(cudaGraphLaunch(executable, stream));
    TRY(cudaStreamSynchronize(stream));
    expect_sums(9);
    TRY(cudaGraphExecDestroy(executable));
    TRY(cudaGraphDestroy(graph));
}

static void texture_scenario() {
    cudaArray_t array;
    cudaTextureObject_t texture;
    float in[64], out[64], *device;
    for (int i = 0; i < 64; i++)
        in[i] = (float)i;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    TRY(cudaMallocArray(&array, &format, 8, 8));
    TRY(cudaMemcpy2DToArray(array, 0, 0, in, 32, 32, 8, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc description = {};
    TRY(cudaCreateTextureObject(&texture, &resource, &description, NULL));
    TRY(cudaMalloc((void **)&device, sizeof out));
    void *arguments[] = {&texture, &device};
    TRY(cudaLaunchKernel((const void *)texture_kernel, dim3(1), dim3(64), arguments, 0, 0));
    TRY(cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost));
    expect(memcmp(in, out, sizeof in) == 0, "the texture has the array's values");
    TRY(cudaDestroyTextureObject(texture));
    TRY(cudaFreeArray(array));
}

static const struct {
    const char *name;
    void (*run)();
} scenarios[] = {{"memory", memory_scenario},  {"launch", launch_scenario}, {"busy", busy_scenario},
                 {"stream", stream_scenario},  {"graph", graph_scenario},   {"capture", capture_scenario},
                 {"texture", texture_scenario}};

/* Runs the scenario in a child in which the n-th allocation fails. Returns what waitpid says; *words gets what it said, *asked the number of
 * allocations, if it came to its end. */
static int run_child(void (*scenario)(), long n, char *words, size_t size, long *asked) {
    int said[2], counted_there[2], status = -1;
    if (pipe(said) != 0 || pipe(counted_there) != 0)
        exit(2);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(said[1], 2);
        dup2(said[1], 1);
        close(said[0]), close(counted_there[0]);
        alarm(20);
        if (!fail_allocation(n))
            end_with(WRONG_ERROR, "no libcuda-emulator.so is loaded", cudaSuccess);
        scenario();
        long count = allocations_asked_for();
        if (write(counted_there[1], &count, sizeof count) < 0)
            _exit(2);
        _exit(RIGHT);
    }
    close(said[1]), close(counted_there[1]);
    size_t length = 0;
    ssize_t got;
    char beyond[256];
    while ((got = read(said[0], length < size - 1 ? words + length : beyond,
                       length < size - 1 ? size - 1 - length : sizeof beyond)) > 0)
        if (length < size - 1)
            length += (size_t)got;
    words[length] = 0;
    if (read(counted_there[0], asked, sizeof *asked) != sizeof *asked)
        *asked = n;
    close(said[0]), close(counted_there[0]);
    waitpid(child, &status, 0);
    return status;
}

static bool allowed(int status, const char *words) {
    if (WIFEXITED(status))
        return WEXITSTATUS(status) == RIGHT;
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT && strstr(words, "memory");
}

static const char *what_happened(int status) {
    static const char *const verdicts[] = {"", "a wrong result", "an error that is not cudaErrorMemoryAllocation",
                                           "called again, it fails again"};
    if (WIFSIGNALED(status))
        return WTERMSIG(status) == SIGALRM ? "it never ends" : strsignal(WTERMSIG(status));
    int verdict = WEXITSTATUS(status);
    return verdict > RIGHT && verdict <= NO_RECOVERY ? verdicts[verdict] : "it exits";
}

/* Runs a scenario once for each of its allocations. Returns how many times something happened that is not allowed. */
static int try_each(void (*scenario)(), long first, long last) {
    char said[2000];
    int bad = 0, ended = 0;
    for (long n = first; n <= last; n++) {
        long asked;
        int status = run_child(scenario, n, said, sizeof said, &asked);
        ended += WIFSIGNALED(status);
        if (!allowed(status, said)) {
            bad++;
            printf("    | allocation %ld: %s. %s\n", n, what_happened(status), said);
        }
    }
    fprintf(stderr, "%d of %ld end the process\n", ended, last - first + 1);
    return bad;
}

int main(int count, char **words) {
    int failures = 0;
    for (auto &scenario : scenarios) {
        if (count > 1 && strcmp(words[1], scenario.name) != 0)
            continue;
        if (count > 2) { /* this one alone, for a debugger */
            failures += try_each(scenario.run, atol(words[2]), atol(words[2]));
            continue;
        }
        char said[2000];
        long asked = 0;
        int status = run_child(scenario.run, 0, said, sizeof said, &asked);
        if (status != 0 || asked == 0) {
            printf("not ok %s: without a failure %ld allocations, and %s %s\n", scenario.name, asked,
                   what_happened(status), said);
            failures++;
            continue;
        }
        int bad = try_each(scenario.run, 1, asked);
        printf("%s %s: each of %ld allocations fails once%s\n", bad ? "not ok" : "ok", scenario.name, asked,
               bad ? ", and not all of that ends well" : "");
        failures += bad != 0;
    }
    return failures != 0;
}
