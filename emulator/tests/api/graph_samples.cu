// Graphs as programs use them: a captured iteration that is launched again and again, a reduction made by hand whose
// parameters change from launch to launch, branches in several streams, and a graph that follows its data.
#include "api_test.h"

#include <vector>

/* ---- Captured once, launched often: Jacobi's method for a bar that is hot at one end ---- */

__global__ void relax(float *to, const float *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < n - 1)
        to[i] = 0.5f * (from[i - 1] + from[i + 1]);
    else if (i < n)
        to[i] = from[i];
}

static void iteration() {
    const int n = 1000, steps = 20, launches = 10;
    std::vector<float> start(n, 0.0f), expected, found(n);
    start[0] = 100;
    expected = start;
    std::vector<float> other = expected;
    for (int i = 0; i < steps * launches; i++) {
        for (int k = 1; k < n - 1; k++)
            other[k] = 0.5f * (expected[k - 1] + expected[k + 1]);
        expected.swap(other);
    }
    float *a, *b;
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    MUST(cudaMalloc(&a, n * sizeof(float)));
    MUST(cudaMalloc(&b, n * sizeof(float)));
    MUST(cudaMemcpy(a, start.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(b, start.data(), n * sizeof(float), cudaMemcpyHostToDevice));
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < steps; i += 2) {
        relax<<<(n + 127) / 128, 128, 0, stream>>>(b, a, n);
        relax<<<(n + 127) / 128, 128, 0, stream>>>(a, b, n);
    }
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < launches; i++)
        MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaMemcpyAsync(found.data(), a, n * sizeof(float), cudaMemcpyDeviceToHost, stream));
    MUST(cudaStreamSynchronize(stream));
    check("a captured iteration, launched ten times", memcmp(found.data(), expected.data(), n * sizeof(float)) == 0,
          "wrong result");
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(stream));
    MUST(cudaFree(a));
    MUST(cudaFree(b));
}

/* ---- Made by hand: copy in, clear, reduce, copy out, tell the host ---- */

__global__ void sum(const int *in, int n, unsigned long long *out) {
    __shared__ unsigned long long part[256];
    unsigned long long s = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        s += in[i];
    part[threadIdx.x] = s;
    for (int half = blockDim.x / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0)
        atomicAdd(out, part[0]);
}

struct tally {
    const unsigned long long *value;
    std::vector<unsigned long long> seen;
};
static void CUDART_CB note(void *data) {
    tally *t = (tally *)data;
    t->seen.push_back(*t->value);
}

static void reduction() {
    const int n = 100000;
    std::vector<int> first(n), second(n);
    unsigned long long first_sum = 0, half_sum = 0, second_sum = 0;
    for (int i = 0; i < n; i++) {
        first_sum += first[i] = i % 1013;
        half_sum += i < n / 2 ? first[i] : 0;
        second_sum += second[i] = 3 * i + 1;
    }
    int *in;
    unsigned long long *out, *result;
    MUST(cudaMalloc(&in, n * sizeof(int)));
    MUST(cudaMalloc(&out, sizeof *out));
    MUST(cudaMallocHost(&result, sizeof *result));
    tally t = {result, {}};

    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaGraphNode_t copy_in, zero, reduce, copy_out, tell;
    cudaStream_t stream;
    int count = n;
    void *arguments[] = {&in, &count, &out};
    cudaMemsetParams fill = {};
    fill.dst = out;
    fill.elementSize = 4;
    fill.width = 2;
    fill.height = 1;
    cudaKernelNodeParams kernel = {};
    kernel.func = (void *)sum;
    kernel.gridDim = dim3(20);
    kernel.blockDim = dim3(256);
    kernel.kernelParams = arguments;
    cudaHostNodeParams host = {note, &t};
    MUST(cudaStreamCreate(&stream));
    MUST(cudaGraphCreate(&graph, 0));
    MUST(cudaGraphAddMemcpyNode1D(&copy_in, graph, NULL, 0, in, first.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    MUST(cudaGraphAddMemsetNode(&zero, graph, NULL, 0, &fill));
    cudaGraphNode_t before[] = {copy_in, zero};
    MUST(cudaGraphAddKernelNode(&reduce, graph, before, 2, &kernel));
    MUST(cudaGraphAddMemcpyNode1D(&copy_out, graph, &reduce, 1, result, out, sizeof *out, cudaMemcpyDeviceToHost));
    MUST(cudaGraphAddHostNode(&tell, graph, &copy_out, 1, &host));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaGraphLaunch(exec, stream));
    count = n / 2;
    kernel.gridDim = dim3(3);
    MUST(cudaGraphExecKernelNodeSetParams(exec, reduce, &kernel));
    MUST(cudaGraphLaunch(exec, stream));
    count = n;
    MUST(cudaGraphExecKernelNodeSetParams(exec, reduce, &kernel));
    MUST(cudaGraphExecMemcpyNodeSetParams1D(exec, copy_in, in, second.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    const unsigned long long expected[] = {first_sum, first_sum, half_sum, second_sum};
    EXPECT_EQUAL("launches of a reduction", 4, t.seen.size());
    for (size_t i = 0; i < t.seen.size() && i < 4; i++)
        EXPECT_EQUAL("a sum, with the parameters of its launch", expected[i], t.seen[i]);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaStreamDestroy(stream));
}

/* ---- Captured from several streams, and again with other data: the update of a whole graph ---- */

__global__ void scale(float *p, float by, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        p[i] *= by;
}
__global__ void add_up(float *to, const float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        to[i] = a[i] + b[i];
}

static cudaGraph_t capture_branches(float *a, float *b, float *to, float by, int n) {
    cudaStream_t streams[2];
    cudaEvent_t forked, joined;
    cudaGraph_t graph;
    for (cudaStream_t &s : streams)
        MUST(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    MUST(cudaEventCreateWithFlags(&forked, cudaEventDisableTiming));
    MUST(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming));
    MUST(cudaStreamBeginCapture(streams[0], cudaStreamCaptureModeThreadLocal));
    MUST(cudaEventRecord(forked, streams[0]));
    MUST(cudaStreamWaitEvent(streams[1], forked));
    scale<<<(n + 255) / 256, 256, 0, streams[0]>>>(a, by, n);
    scale<<<(n + 255) / 256, 256, 0, streams[1]>>>(b, -by, n);
    scale<<<(n + 255) / 256, 256, 0, streams[1]>>>(b, 2, n);
    MUST(cudaEventRecord(joined, streams[1]));
    MUST(cudaStreamWaitEvent(streams[0], joined));
    add_up<<<(n + 255) / 256, 256, 0, streams[0]>>>(to, a, b, n);
    MUST(cudaStreamEndCapture(streams[0], &graph));
    for (cudaStream_t s : streams)
        MUST(cudaStreamDestroy(s));
    MUST(cudaEventDestroy(forked));
    MUST(cudaEventDestroy(joined));
    return graph;
}

static void branches() {
    const int n = 5000;
    std::vector<float> ones(n, 1.0f), found(n);
    float *a, *b, *to;
    for (float **p : {&a, &b, &to})
        MUST(cudaMalloc(p, n * sizeof(float)));
    cudaGraphExec_t exec = NULL;
    bool right = true;
    for (int round = 1; round <= 5; round++) {
        cudaGraph_t graph = capture_branches(a, b, to, (float)round, n);
        cudaGraphExecUpdateResultInfo info;
        if (!exec)
            MUST(cudaGraphInstantiate(&exec, graph, 0));
        else
            MUST(cudaGraphExecUpdate(exec, graph, &info));
        MUST(cudaGraphDestroy(graph));
        MUST(cudaMemcpy(a, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        MUST(cudaMemcpy(b, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        MUST(cudaGraphLaunch(exec, 0));
        MUST(cudaMemcpy(found.data(), to, n * sizeof(float), cudaMemcpyDeviceToHost));
        for (int i = 0; i < n; i++)
            right = right && found[i] == round - 2.0f * round;
    }
    check("branches of two streams, updated five times", right, "wrong result");
    MUST(cudaGraphExecDestroy(exec));
    for (float *p : {a, b, to})
        MUST(cudaFree(p));
}

/* ---- Many nodes: a tree of additions, built level by level ---- */

__global__ void add_pair(int *p, int i, int distance) {
    p[i] += p[i + distance];
}

static void tree() {
    const int n = 256;
    int *p, host[n], expected = 0;
    for (int i = 0; i < n; i++)
        expected += host[i] = i * i;
    MUST(cudaMalloc(&p, sizeof host));
    MUST(cudaMemcpy(p, host, sizeof host, cudaMemcpyHostToDevice));
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    MUST(cudaGraphCreate(&graph, 0));
    std::vector<cudaGraphNode_t> last(n, (cudaGraphNode_t)NULL);
    for (int distance = n / 2; distance; distance /= 2) {
        for (int i = 0; i < distance; i++) {
            void *arguments[] = {&p, &i, &distance};
            cudaKernelNodeParams kernel = {};
            kernel.func = (void *)add_pair;
            kernel.gridDim = kernel.blockDim = dim3(1);
            kernel.kernelParams = arguments;
            cudaGraphNode_t before[] = {last[i], last[i + distance]}, node;
            MUST(cudaGraphAddKernelNode(&node, graph, before, last[i] ? 2 : 0, &kernel));
            last[i] = node;
        }
    }
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    MUST(cudaGraphLaunch(exec, 0));
    MUST(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
    EXPECT_EQUAL("a tree of 255 nodes", expected, host[0]);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cudaFree(p));
}

int main() {
    iteration();
    reduction();
    branches();
    tree();
    return failures != 0;
}
