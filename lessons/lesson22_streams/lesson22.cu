/* Lesson 22: streams, events and graphs.
 *
 *     make lesson22 run                     all versions on several sizes, verified, then measured (or their order counted)
 *     make lesson22 run V=4                 one version, and a picture of what it does when
 *     make lesson22 run V=3 SIZE=1000003    one version, one size
 *
 * You will learn how the CPU hands work to the GPU without waiting for it, how a copy, a kernel and another copy can go on at
 * the same time, how to say which of them has to wait for which, and what it costs to hand over very short kernels.
 *
 * Versions 1 to 8 compute y from x, both in the CPU's memory, chunk by chunk: a chunk of x is copied in, a kernel works on
 * it, and the result is copied out.
 *
 *     pipeline1    pageable memory, the default stream: the CPU waits for each copy
 *     pipeline2    pinned memory, one stream: the CPU waits for nothing, but each operation for the one before
 *     pipeline3    three slots of device memory, a stream for each: chunks overlap
 *     pipeline4    three streams, one for each kind of work; events say who waits for whom
 *     pipeline5    the slots come from a memory pool, in the order of the stream
 *     pipeline6    a function of the CPU is called for each chunk that has come back
 *     pipeline7    the same work as a graph: captured once, launched as a whole
 *     pipeline8    the graph is updated for other data
 *
 * Versions 9 to 11 launch many short kernels one behind the other.
 *
 *     chain9       one launch for each
 *     chain10      an explicit graph, made of nodes and edges: one launch for all
 *     chain11      programmatic dependent launch: the next kernel gets ready while this one ends (compute capability 9.0)
 */
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/verify.h"

enum { SLOTS = 3 }; // chunks that are under way at the same time

#include "measure.h"

enum { BLOCK = 256 }; // threads in a block

static int blocks_for(int n) {
    return (n + BLOCK - 1) / BLOCK;
}

// ---------------------------------------------------------------- the reference

/* Mixes the bits of each element, `rounds` times: much work for few bytes. */
static void mix_cpu(const int *x, int *y, int n, int rounds) {
    for (int i = 0; i < n; i++) {
        uint32_t bits = (uint32_t)x[i];
        for (int r = 0; r < rounds; r++) {
            bits = (bits ^ (bits >> 16)) * 0x7feb352du;
            bits = (bits ^ (bits >> 15)) * 0x846ca68bu;
        }
        y[i] = (int)bits;
    }
}

/* Each cell becomes the sum of itself and its neighbours (beyond the ends there is 0), `steps` times. */
static void spread_cpu(uint32_t *cells, uint32_t *other, int n, int steps) {
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n; i++) {
            other[i] = cells[i] + (i > 0 ? cells[i - 1] : 0) + (i + 1 < n ? cells[i + 1] : 0);
        }
        memcpy(cells, other, n * sizeof *cells);
    }
}

// ---------------------------------------------------------------- the kernels

/* x, y: n ints in device memory. Grid: n threads or more. All pipelines launch this one. */
static __global__ void mix_kernel(const int *x, int *y, int n, int rounds) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned bits = x[i];
        for (int r = 0; r < rounds; r++) {
            bits = (bits ^ bits >> 16) * 0x7feb352du;
            bits = (bits ^ bits >> 15) * 0x846ca68bu;
        }
        y[i] = bits;
    }
}

static __device__ unsigned with_neighbours(const unsigned *cells, int i, int n) {
    return cells[i] + (i > 0 ? cells[i - 1] : 0) + (i + 1 < n ? cells[i + 1] : 0);
}

/* One step of the chain; n cells each. */
static __global__ void spread_kernel(const unsigned *from, unsigned *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        to[i] = with_neighbours(from, i, n);
    }
}

/* Version 11: blocks of this kernel may be started before those of the kernel in front of it have ended. What does not
 * depend on that kernel can be done at once; here it is only the index. The block lets the next kernel be started, which
 * will wait as well. Then it waits itself, until the kernel in front has ended and all that it has stored can be seen. */
static __global__ void spread_kernel11(const unsigned *from, unsigned *to, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    cudaTriggerProgrammaticLaunchCompletion(); // the next kernel may be started
    cudaGridDependencySynchronize();           // the one before has ended
#endif
    if (i < n) {
        to[i] = with_neighbours(from, i, n);
    }
}

// ---------------------------------------------------------------- the three operations of a chunk

/* Chunk c: elements first .. first + n - 1. All chunks but the last are of the same size. */
struct chunk {
    int first, n;
};

static int chunks_of(const struct job *job) {
    return (job->n + job->chunk - 1) / job->chunk;
}

static struct chunk chunk_of(const struct job *job, int c) {
    int first = c * job->chunk;
    return {first, min(job->chunk, job->n - first)};
}

/* Each puts one operation into a stream, and returns. (The lines with `timeline` are for the picture.) */
static void copy_in(const struct job *job, int c, int *in, cudaStream_t stream) {
    struct chunk part = chunk_of(job, c);
    timeline_begin("in", c, stream);
    CUDA_CHECK(cudaMemcpyAsync(in, job->x + part.first, part.n * sizeof(int), cudaMemcpyHostToDevice, stream));
    timeline_end(stream);
}

static void run_kernel(const struct job *job, int c, const int *in, int *out, cudaStream_t stream) {
    struct chunk part = chunk_of(job, c);
    timeline_begin("run", c, stream);
    mix_kernel<<<blocks_for(part.n), BLOCK, 0, stream>>>(in, out, part.n, job->rounds);
    CUDA_CHECK_LAUNCH();
    timeline_end(stream);
}

static void copy_out(const struct job *job, int c, const int *out, cudaStream_t stream) {
    struct chunk part = chunk_of(job, c);
    timeline_begin("out", c, stream);
    CUDA_CHECK(cudaMemcpyAsync(job->y + part.first, out, part.n * sizeof(int), cudaMemcpyDeviceToHost, stream));
    timeline_end(stream);
}

// ---------------------------------------------------------------- the pipelines

/* All of them: what `stream` holds already is done before; what is put into it afterwards finds y complete. Version 1 has
 * waited for all of it, the others return as soon as the work is handed over. */

/* Version 1: as in lesson 02. x and y come from malloc, so they are pageable. cudaMemcpy keeps the CPU until
 * it has read x, or y is there. */
static void pipeline1(struct machine *m, struct job *job, cudaStream_t) {
    for (int c = 0; c < chunks_of(job); c++) {
        struct chunk part = chunk_of(job, c);
        size_t bytes = part.n * sizeof(int);
        timeline_begin("in", c, 0);
        CUDA_CHECK(cudaMemcpy(m->in[0], job->x + part.first, bytes, cudaMemcpyHostToDevice));
        timeline_end(0);
        run_kernel(job, c, m->in[0], m->out[0], 0);
        timeline_begin("out", c, 0);
        CUDA_CHECK(cudaMemcpy(job->y + part.first, m->out[0], bytes, cudaMemcpyDeviceToHost));
        timeline_end(0);
        job->waits += 2;
    }
}

/* Version 2: x and y are pinned (cudaMallocHost), so the GPU can read and write them by itself, and the CPU need not stay. One
 * stream: first come, first served. */
static void pipeline2(struct machine *m, struct job *job, cudaStream_t stream) {
    for (int c = 0; c < chunks_of(job); c++) {
        copy_in(job, c, m->in[0], stream);
        run_kernel(job, c, m->in[0], m->out[0], stream);
        copy_out(job, c, m->out[0], stream);
    }
}

/* From `stream` to the machine's streams: none of them begins before all that `stream` holds is done. */
static void fork(struct machine *m, int streams, cudaStream_t stream) {
    CUDA_CHECK(cudaEventRecord(m->forked, stream));
    for (int s = 0; s < streams; s++) {
        CUDA_CHECK(cudaStreamWaitEvent(m->stream[s], m->forked, 0));
    }
}

/* And back: what is put into `stream` from now on waits for all of them. */
static void join(struct machine *m, int streams, cudaStream_t stream) {
    for (int s = 0; s < streams; s++) {
        CUDA_CHECK(cudaEventRecord(m->joined[s], m->stream[s]));
        CUDA_CHECK(cudaStreamWaitEvent(stream, m->joined[s], 0));
    }
}

/* Version 3: three slots, each with memory and a stream of its own. Chunks take the slots in turns. Within a stream the
 * order is what it was; between streams there is none, and none is needed: they share no memory. */
static void pipeline3(struct machine *m, struct job *job, cudaStream_t stream) {
    fork(m, SLOTS, stream);
    for (int c = 0; c < chunks_of(job); c++) {
        int s = c % SLOTS;
        copy_in(job, c, m->in[s], m->stream[s]);
        run_kernel(job, c, m->in[s], m->out[s], m->stream[s]);
        copy_out(job, c, m->out[s], m->stream[s]);
    }
    join(m, SLOTS, stream);
}

/* Version 4: a stream for each kind of work, as the GPU has an engine for each. Now the three operations of a chunk are in three
 * streams, and the order between them has to be said: an event is recorded behind the one, and waited for before the
 * other. Also backwards: a slot may be filled again when it is empty. */
static void pipeline4_in(struct machine *m, struct job *job, int *const in[SLOTS], int *const out[SLOTS],
                         cudaStream_t stream) {
    cudaStream_t to_device = m->stream[0], compute = m->stream[1], to_host = m->stream[2];
    fork(m, KINDS, stream);
    for (int c = 0; c < chunks_of(job); c++) {
        int s = c % SLOTS;
        bool used = c >= SLOTS; // by chunk c - SLOTS, whose kernel must have read it ...
        if (used) {
            CUDA_CHECK(cudaStreamWaitEvent(to_device, m->computed[s], 0));
        }
        copy_in(job, c, in[s], to_device);
        CUDA_CHECK(cudaEventRecord(m->arrived[s], to_device));

        CUDA_CHECK(cudaStreamWaitEvent(compute, m->arrived[s], 0));
        if (used) { // ... and whose result must have left
            CUDA_CHECK(cudaStreamWaitEvent(compute, m->sent[s], 0));
        }
        run_kernel(job, c, in[s], out[s], compute);
        CUDA_CHECK(cudaEventRecord(m->computed[s], compute));

        CUDA_CHECK(cudaStreamWaitEvent(to_host, m->computed[s], 0));
        copy_out(job, c, out[s], to_host);
        CUDA_CHECK(cudaEventRecord(m->sent[s], to_host));
        if (job->on_chunk) { // version 6
            job->on_chunk(m, job, c, s);
        }
    }
    join(m, KINDS, stream);
}

static void pipeline4(struct machine *m, struct job *job, cudaStream_t stream) {
    pipeline4_in(m, job, m->in, m->out, stream);
}

/* Version 5: nobody has kept memory ready. cudaMallocAsync takes it from the device's pool, in the order of the stream: it
 * may be used by what comes behind. cudaFreeAsync gives it back behind the join, and the CPU waits for neither. */
static void pipeline5(struct machine *m, struct job *job, cudaStream_t stream) {
    int *in[SLOTS], *out[SLOTS];
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaMallocAsync((void **)&in[s], job->chunk * sizeof(int), stream));
        CUDA_CHECK(cudaMallocAsync((void **)&out[s], job->chunk * sizeof(int), stream));
    }
    pipeline4_in(m, job, in, out, stream);
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaFreeAsync(in[s], stream));
        CUDA_CHECK(cudaFreeAsync(out[s], stream));
    }
}

/* Version 6: the CPU adds up each chunk as soon as it is back, while the GPU goes on with the next ones. A host function must not
 * call CUDA. It has a stream of its own, so that no copy waits for it. */
static void CUDART_CB add_chunk(void *data) {
    struct note *note = (struct note *)data;
    struct job *job = note->job;
    struct chunk part = chunk_of(job, note->chunk);
    for (int i = part.first; i < part.first + part.n; i++) {
        job->sum += (uint32_t)job->y[i];
    }
}

static void call_back(struct machine *m, struct job *job, int c, int slot) {
    job->notes[c] = {job, c}; // must still exist when the function is called
    CUDA_CHECK(cudaStreamWaitEvent(m->stream[STREAMS], m->sent[slot], 0));
    timeline_begin("sum", c, m->stream[STREAMS]);
    CUDA_CHECK(cudaLaunchHostFunc(m->stream[STREAMS], add_chunk, &job->notes[c]));
    timeline_end(m->stream[STREAMS]);
}

static void pipeline6(struct machine *m, struct job *job, cudaStream_t stream) {
    job->sum = 0; // nothing of a run before may be under way
    job->on_chunk = call_back;
    pipeline4(m, job, stream);
    job->on_chunk = NULL;
    if (job->n > 0) { // a fourth stream to join
        CUDA_CHECK(cudaEventRecord(m->joined[STREAMS], m->stream[STREAMS]));
        CUDA_CHECK(cudaStreamWaitEvent(stream, m->joined[STREAMS], 0));
    }
}

/* Version 7: between BeginCapture and EndCapture, nothing is executed. CUDA notes each operation and for which others it
 * waits: a graph. Instantiated, it can be launched again and again, with one call. The addresses are in the graph, the data
 * are not: x may have other content the next time. */
static cudaGraph_t capture(struct machine *m, struct job *job) {
    cudaGraph_t graph;
    CUDA_CHECK(cudaStreamBeginCapture(m->capturing, cudaStreamCaptureModeThreadLocal));
    pipeline4(m, job, m->capturing);
    CUDA_CHECK(cudaStreamEndCapture(m->capturing, &graph));
    return graph;
}

static void pipeline7(struct machine *m, struct job *job, cudaStream_t stream) {
    if (!job->graph) {
        cudaGraph_t graph = capture(m, job);
        CUDA_CHECK(cudaGraphInstantiate(&job->graph, graph, 0));
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
    CUDA_CHECK(cudaGraphLaunch(job->graph, stream));
}

/* Version 8: other arrays, or other rounds. To instantiate is expensive, and the shape is the same: only parameters of nodes differ.
 * So the work is captured again, and the graph that is there takes over the parameters. If the shape is another one, since
 * there are more chunks, it cannot, and a new one is made. */
static void pipeline8(struct machine *m, struct job *job, cudaStream_t stream) {
    cudaGraphExecUpdateResultInfo result;
    cudaGraph_t graph = capture(m, job);
    if (!m->graph || cudaGraphExecUpdate(m->graph, graph, &result) != cudaSuccess) {
        cudaGetLastError(); // an update that is refused is no failure
        if (m->graph) {
            CUDA_CHECK(cudaGraphExecDestroy(m->graph));
        }
        CUDA_CHECK(cudaGraphInstantiate(&m->graph, graph, 0));
    } else {
        job->updates++;
    }
    CUDA_CHECK(cudaGraphDestroy(graph));
    CUDA_CHECK(cudaGraphLaunch(m->graph, stream));
}

// ---------------------------------------------------------------- the chains

/* `steps` times from one array of cells to the other. Version 9: as many launches. */
static void chain9(struct chain *chain, cudaStream_t stream) {
    for (int s = 0; s < chain->steps; s++) {
        spread_kernel<<<blocks_for(chain->n), BLOCK, 0, stream>>>(chain->cells[s % 2], chain->cells[(s + 1) % 2],
                                                                  chain->n);
        CUDA_CHECK_LAUNCH();
    }
}

/* Version 10: the graph is made by hand: a node for each kernel, and an edge from the node before. */
static cudaGraph_t make_graph(struct chain *chain) {
    cudaGraph_t graph;
    cudaGraphNode_t node, last = NULL;
    CUDA_CHECK(cudaGraphCreate(&graph, 0));
    for (int s = 0; s < chain->steps; s++) {
        void *arguments[] = {&chain->cells[s % 2], &chain->cells[(s + 1) % 2], &chain->n};
        cudaKernelNodeParams kernel = {};
        kernel.func = (void *)spread_kernel;
        kernel.gridDim = dim3(blocks_for(chain->n));
        kernel.blockDim = dim3(BLOCK);
        kernel.kernelParams = arguments; // copied when the node is added
        CUDA_CHECK(cudaGraphAddKernelNode(&node, graph, &last, s > 0, &kernel));
        last = node;
    }
    return graph;
}

static void chain10(struct chain *chain, cudaStream_t stream) {
    if (!chain->graph) {
        cudaGraph_t graph = make_graph(chain);
        CUDA_CHECK(cudaGraphInstantiate(&chain->graph, graph, 0));
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
    CUDA_CHECK(cudaGraphLaunch(chain->graph, stream));
}

/* Version 11: the attribute allows the kernel to be started early. Only a kernel that waits by itself may have it: one that was
 * compiled for older GPUs has no cudaGridDependencySynchronize(). */
static void chain11(struct chain *chain, cudaStream_t stream) {
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3(blocks_for(chain->n));
    config.blockDim = dim3(BLOCK);
    config.stream = stream;
    config.attrs = &early;
    config.numAttrs = compiled_for((const void *)spread_kernel11, 90) ? 1 : 0;
    for (int s = 0; s < chain->steps; s++) {
        const unsigned *from = chain->cells[s % 2];
        CUDA_CHECK(cudaLaunchKernelEx(&config, spread_kernel11, from, chain->cells[(s + 1) % 2], chain->n));
    }
}

static const struct version versions[] = {
    {"pipeline1", pipeline1, NULL, PAGEABLE},
    {"pipeline2", pipeline2, NULL, 0},
    {"pipeline3", pipeline3, NULL, 0},
    {"pipeline4", pipeline4, NULL, 0},
    {"pipeline5", pipeline5, NULL, 0},
    {"pipeline6", pipeline6, NULL, SUMS},
    {"pipeline7", pipeline7, NULL, GRAPH},
    {"pipeline8", pipeline8, NULL, GRAPH},
    {"chain9", NULL, chain9, 0},
    {"chain10", NULL, chain10, GRAPH},
    {"chain11", NULL, chain11, 0},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

int main(int argc, char **argv) {
    const int sizes[] = {0, 1, 31, 1000, 1025, 100003}, tables[] = {device_is_emulator() ? 1 << 20 : 1 << 26};
    frame lesson = {"streams", versions, VERSIONS};
    lesson.verify_size = verify_versions, lesson.measure_size = measure_and_draw;
    return lesson_main(&lesson, sizes, tables, argc, argv);
}
