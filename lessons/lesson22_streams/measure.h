/* measure.h - what lesson 22 does with its versions: verify each, draw what it does when, and time it.
 *
 *     frame lesson = {"streams", versions, VERSIONS};      for lesson.h
 *     lesson.verify_size = verify_versions;
 *     lesson.measure_size = measure_and_draw;              a GPU: times; the emulator: what the dependencies force
 *
 * Only 65536 different numbers are in x, so the reference is a table of what becomes of each; even for a large n and many rounds it is
 * there at once, and every element of y is compared.
 */
#ifndef LESSONS_LESSON22_STREAMS_MEASURE_H
#define LESSONS_LESSON22_STREAMS_MEASURE_H

#include <stdint.h>
#include <string.h>
#include <time.h>

#include "../../common/bench.h"
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/lesson.h"
#include "../../common/record.h"
#include "../../common/turns.h"
#include "../../common/verify.h"
#include "timeline.h"

enum {
    KINDS = 3, // of work: copies in, kernels, copies out
    STREAMS = SLOTS > KINDS ? SLOTS : KINDS
};
enum { NUMBERS = 65536 }; // different ones in x
enum { ROUNDS = 8 };      // of the verification, and on the emulator
enum { CELLS_MAX = 4096 };
enum { PAGEABLE = 1, SUMS = 2, GRAPH = 4 }; // what is special about a version

struct machine;
struct job;

/* What a host function is given. */
struct note {
    struct job *job;
    int chunk;
};

/* x[n] -> y[n], both in the CPU's memory. */
struct job {
    const int *x;
    int *y;
    int n, chunk, rounds;
    uint64_t sum;          // version 6: of all elements of y
    struct note *notes;    // version 6: one for each chunk
    cudaGraphExec_t graph; // version 7
    int waits, updates;    // how often the CPU has waited; version 8: how often the graph was updated
    void (*on_chunk)(struct machine *m, struct job *job, int c, int slot);
};

/* Streams, events and memory that the versions find ready. */
struct machine {
    int *in[SLOTS], *out[SLOTS];                 // room for a chunk each
    cudaStream_t stream[STREAMS + 1], capturing; // stream[STREAMS]: for host functions
    cudaEvent_t forked, joined[STREAMS + 1], arrived[SLOTS], computed[SLOTS], sent[SLOTS];
    cudaGraphExec_t graph; // version 8
};

/* Cells that go from one array to the other. */
struct chain {
    unsigned *cells[2];
    int n, steps;
    cudaGraphExec_t graph; // version 10
};

struct version {
    const char *name;
    void (*pipeline)(struct machine *m, struct job *job, cudaStream_t stream);
    void (*chain)(struct chain *chain, cudaStream_t stream);
    int special;
};

static void mix_cpu(const int *x, int *y, int n, int rounds);                      // the lesson's
static void spread_cpu(uint32_t *cells, uint32_t *other, int n, int steps);        // the lesson's
static void run_kernel(const struct job *, int, const int *, int *, cudaStream_t); // the lesson's

// ---------------------------------------------------------------- the machine

/* No stream waits for the default stream, or the other way round, unless it is told to. */
static cudaStream_t stream_create(void) {
    cudaStream_t stream;
    CUDA_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    return stream;
}

/* An event that has no time is cheaper to record. */
static cudaEvent_t event_create(void) {
    cudaEvent_t event;
    CUDA_CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    return event;
}

static struct machine machine_create(int chunk) {
    struct machine m = {};
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaMalloc((void **)&m.in[s], chunk * sizeof(int)));
        CUDA_CHECK(cudaMalloc((void **)&m.out[s], chunk * sizeof(int)));
        m.arrived[s] = event_create();
        m.computed[s] = event_create();
        m.sent[s] = event_create();
    }
    for (int s = 0; s <= STREAMS; s++) {
        m.stream[s] = stream_create();
        m.joined[s] = event_create();
    }
    m.capturing = stream_create();
    m.forked = event_create();
    return m;
}

static void machine_free(struct machine *m) {
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int s = 0; s < SLOTS; s++) {
        CUDA_CHECK(cudaFree(m->in[s]));
        CUDA_CHECK(cudaFree(m->out[s]));
        CUDA_CHECK(cudaEventDestroy(m->arrived[s]));
        CUDA_CHECK(cudaEventDestroy(m->computed[s]));
        CUDA_CHECK(cudaEventDestroy(m->sent[s]));
    }
    for (int s = 0; s <= STREAMS; s++) {
        CUDA_CHECK(cudaStreamDestroy(m->stream[s]));
        CUDA_CHECK(cudaEventDestroy(m->joined[s]));
    }
    CUDA_CHECK(cudaStreamDestroy(m->capturing));
    CUDA_CHECK(cudaEventDestroy(m->forked));
    if (m->graph) {
        CUDA_CHECK(cudaGraphExecDestroy(m->graph));
    }
}

/* Whether the kernel's code was compiled for this compute capability, times ten, or a later one: then __CUDA_ARCH__ was at least that
 * when its source was read. */
static inline bool compiled_for(const void *kernel, int capability) {
    cudaFuncAttributes attributes;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, kernel));
    return attributes.ptxVersion >= capability;
}

// ---------------------------------------------------------------- a job

static int *host_memory(size_t n, bool pageable) {
    int *memory = NULL;
    if (pageable) {
        return (int *)verify_host_alloc(n * sizeof(int));
    }
    CUDA_CHECK(cudaMallocHost((void **)&memory, n ? n * sizeof(int) : 1));
    return memory;
}

static void host_free(const int *memory, bool pageable) {
    if (pageable) {
        free((void *)memory);
    } else {
        CUDA_CHECK(cudaFreeHost((void *)memory));
    }
}

static void fill(int *x, int n, uint64_t seed) {
    uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15ULL;
    state = state ? state : 1;
    for (int i = 0; i < n; i++) {
        x[i] = (int)(verify_next(&state) >> 48);
    }
}

static struct job job_create(const struct version *version, int n, int chunk, int rounds, uint64_t seed) {
    struct job job = {};
    bool pageable = version && version->special & PAGEABLE;
    int *x = host_memory(n, pageable);
    fill(x, n, seed);
    job.x = x;
    job.y = host_memory(n, pageable);
    job.n = n;
    job.chunk = chunk;
    job.rounds = rounds;
    job.notes = (struct note *)verify_host_alloc((n / chunk + 1) * sizeof *job.notes);
    verify_poison_host(job.y, n * sizeof(int));
    return job;
}

static void job_free(struct job *job, const struct version *version) {
    bool pageable = version && version->special & PAGEABLE;
    host_free(job->x, pageable);
    host_free(job->y, pageable);
    free(job->notes);
    if (job->graph) {
        CUDA_CHECK(cudaGraphExecDestroy(job->graph));
    }
}

static void job_verify(const struct version *version, const struct job *job) {
    static int numbers[NUMBERS], table[NUMBERS], rounds = -1;
    int *expected = (int *)verify_host_alloc(job->n * sizeof(int));
    uint64_t sum = 0;
    for (int k = 0; k < NUMBERS && rounds != job->rounds; k++) {
        numbers[k] = k;
    }
    if (rounds != job->rounds) {
        mix_cpu(numbers, table, NUMBERS, rounds = job->rounds);
    }
    for (int i = 0; i < job->n; i++) {
        expected[i] = table[job->x[i]];
        sum += (uint32_t)expected[i];
    }
    verify_ints(version->name, job->y, expected, job->n);
    if (version->special & SUMS && sum != job->sum) {
        printf("%s: the host function's sum is %llu, not %llu\n", version->name, (unsigned long long)job->sum,
               (unsigned long long)sum);
        verify_tally()->failures++;
    }
    free(expected);
}

/* A job twice, with other data the second time, and then another job: it has other arrays and another number of rounds. */
static void verify_pipeline(const struct version *version, struct machine *m, int n, int chunk, uint64_t seed) {
    for (int rounds = ROUNDS; rounds <= ROUNDS + 1; rounds++) {
        struct job job = job_create(version, n, chunk, rounds, seed);
        for (int again = 0; again < 2; again++) {
            fill((int *)job.x, n, seed + 100 * again + rounds);
            verify_poison_host(job.y, n * sizeof(int));
            version->pipeline(m, &job, 0);
            CUDA_CHECK(cudaDeviceSynchronize());
            job_verify(version, &job);
        }
        job_free(&job, version);
    }
}

// ---------------------------------------------------------------- a chain

static struct chain chain_create(int n, int steps) {
    struct chain chain = {};
    chain.n = n < 1 ? 1 : n > CELLS_MAX ? CELLS_MAX : n;
    chain.steps = steps;
    for (int k = 0; k < 2; k++) {
        CUDA_CHECK(cudaMalloc((void **)&chain.cells[k], chain.n * sizeof(unsigned)));
        verify_poison_device(chain.cells[k], chain.n * sizeof(unsigned));
    }
    return chain;
}

static void chain_free(struct chain *chain) {
    CUDA_CHECK(cudaFree(chain->cells[0]));
    CUDA_CHECK(cudaFree(chain->cells[1]));
    if (chain->graph) {
        CUDA_CHECK(cudaGraphExecDestroy(chain->graph));
    }
}

static void verify_chain(const struct version *version, struct chain *chain, uint64_t seed) {
    static int start[CELLS_MAX], found[CELLS_MAX];
    static uint32_t cells[CELLS_MAX], other[CELLS_MAX];
    size_t bytes = chain->n * sizeof(int);
    for (int again = 0; again < 2; again++) {
        fill(start, chain->n, seed + again);
        memcpy(cells, start, bytes);
        spread_cpu(cells, other, chain->n, chain->steps);
        CUDA_CHECK(cudaMemcpy(chain->cells[0], start, bytes, cudaMemcpyHostToDevice));
        version->chain(chain, 0);
        CUDA_CHECK(cudaMemcpy(found, chain->cells[chain->steps % 2], bytes, cudaMemcpyDeviceToHost));
        verify_ints(version->name, found, (const int *)cells, chain->n);
    }
}

static void verify_versions(const struct version *versions, int first, int last, int n, uint64_t seed) {
    int chunk = n < 10000 ? 300 : n / 12 + 1;
    struct machine m = machine_create(chunk);
    for (int v = first; v <= last; v++) {
        if (versions[v].pipeline) {
            verify_pipeline(&versions[v], &m, n, chunk, seed);
            continue;
        }
        for (int steps = 19; steps <= 20; steps++) {
            struct chain chain = chain_create(n, steps);
            verify_chain(&versions[v], &chain, seed);
            chain_free(&chain);
        }
    }
    machine_free(&m);
}

// ---------------------------------------------------------------- what the dependencies force

/* Version 1 is executed, and the graph versions capture by themselves. */
static void note_order(const struct version *version, struct machine *m, struct job *job, struct timeline *t) {
    cudaGraph_t graph;
    timeline_start(t, TIMELINE_ORDER);
    if (version->special & (PAGEABLE | GRAPH)) {
        version->pipeline(m, job, 0);
    } else {
        CUDA_CHECK(cudaStreamBeginCapture(m->capturing, cudaStreamCaptureModeThreadLocal));
        version->pipeline(m, job, m->capturing);
        CUDA_CHECK(cudaStreamEndCapture(m->capturing, &graph));
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
    timeline_stop();
}

static void print_order(const char *name, int operations, float steps, int calls, int waits) {
    printf("%-12s  %12d  %8.0f  %12.2f  %12d  %8d\n", name, operations, steps, operations / steps, calls, waits);
}

static void count_order(const struct version *versions, int first, int last, int n, int chunk, int links,
                        uint64_t seed) {
    static struct timeline t;
    struct machine m = machine_create(chunk);
    printf("n = %d in chunks of %d; chains of %d kernels\n\n", n, chunk, links);
    printf("%-12s  %12s  %8s  %12s  %12s  %8s\n", "", "", "forced", "at a time,", "handed over", "the CPU");
    printf("%-12s  %12s  %8s  %12s  %12s  %8s\n", "version", "operations", "steps", "on average", "with calls",
           "waits");
    for (int v = first; v <= last; v++) {
        int calls_of_graph = versions[v].special & GRAPH ? 1 : 0;
        if (versions[v].chain) {
            print_order(versions[v].name, links, (float)links, calls_of_graph ? 1 : links, 0);
            continue;
        }
        struct job job = job_create(&versions[v], n, chunk, ROUNDS, seed);
        note_order(&versions[v], &m, &job, &t);
        print_order(versions[v].name, t.count, timeline_length(&t), calls_of_graph ? 1 : t.count, job.waits);
        CUDA_CHECK(cudaDeviceSynchronize());
        job_free(&job, &versions[v]);
    }
    printf("\n");
    machine_free(&m);
}

// ---------------------------------------------------------------- times

/* A version with what it needs, as turns.h calls it. */
struct timed {
    const struct version *version; // NULL: the copies alone, or the kernels alone
    struct machine *m;
    struct job job;
    struct chain chain;
    bool kernels;
};

static void timed_launch(void *a_timed, cudaStream_t stream) {
    struct timed *t = (struct timed *)a_timed;
    size_t bytes = t->job.n * sizeof(int), done = 0;
    if (t->version && t->version->pipeline) {
        t->version->pipeline(t->m, &t->job, stream);
        return;
    }
    if (t->version) {
        t->version->chain(&t->chain, stream);
        return;
    }
    for (int c = 0; done < bytes; c++) { // the same chunks
        size_t part = bytes - done < t->job.chunk * sizeof(int) ? bytes - done : t->job.chunk * sizeof(int);
        if (t->kernels) {
            run_kernel(&t->job, c, t->m->in[0], t->m->out[0], stream);
        } else {
            CUDA_CHECK(
                cudaMemcpyAsync(t->m->in[0], (const char *)t->job.x + done, part, cudaMemcpyHostToDevice, stream));
            CUDA_CHECK(cudaMemcpyAsync((char *)t->job.y + done, t->m->in[0], part, cudaMemcpyDeviceToHost, stream));
        }
        done += part;
    }
}

/* As many rounds as let all kernels take a little longer than all copies in: then these can be hidden, and those out, too. (On an H200:
 * kernels 5.6 ms, copies in 4.9 ms, or 5.3 ms beside copies out.) */
static int rounds_for(struct machine *m, int n, int chunk) {
    struct timed copies = {NULL, m, job_create(NULL, n, chunk, 64, 1), {}, false}, kernels = copies;
    kernels.kernels = true;
    struct turns turns = turns_start();
    turns_add(&turns, "copies", timed_launch, &copies, 0, 0);
    turns_add(&turns, "kernels", timed_launch, &kernels, 0, 0);
    turns_run(&turns);
    float both_ways = turns.row[0].median, compute = turns.row[1].median;
    turns_end(&turns);
    job_free(&copies.job, NULL);
    return (int)(64 * 0.6f * both_ways / compute) + 1;
}

/* What the CPU spends until it has handed everything over, in microseconds: the best of a few. */
static double host_microseconds(struct timed *t) {
    double best = 1e30;
    for (int k = 0; k < 5; k++) {
        struct timespec begin, end;
        CUDA_CHECK(cudaDeviceSynchronize());
        clock_gettime(CLOCK_MONOTONIC, &begin);
        timed_launch(t, cudaStreamPerThread);
        clock_gettime(CLOCK_MONOTONIC, &end);
        double now = (end.tv_sec - begin.tv_sec) * 1e6 + (end.tv_nsec - begin.tv_nsec) / 1e3;
        best = now < best ? now : best;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    return best;
}

static void record_times(const struct turns_row *row) {
    turns_record_times(row, row->name);
    if (row->bytes > 0) {
        record_row(row->name, "GB/s", row->bytes / 1e6 / row->median, "GB/s");
    }
}

static void record_job(int n, int chunk, int rounds) {
    record_row("job", "elements", n, "");
    record_row("job", "elements of a chunk", chunk, "");
    record_row("job", "rounds", rounds, "");
}

static void time_pipelines(const struct version *versions, int first, int last, int n, int chunk, uint64_t seed) {
    static struct timed timed[BENCH_ROWS];
    struct machine m = machine_create(chunk);
    int rounds = rounds_for(&m, n, chunk), count = 2;
    struct turns turns = turns_start();
    timed[0] = {NULL, &m, job_create(NULL, n, chunk, rounds, seed), {}, false};
    timed[1] = timed[0];
    timed[1].kernels = true;
    turns_add(&turns, "copies alone", timed_launch, &timed[0], 8.0 * n, 0);
    turns_add(&turns, "kernels alone", timed_launch, &timed[1], 8.0 * n, 0);
    for (int v = first; v <= last; v++) {
        if (versions[v].pipeline) {
            timed[count] = {&versions[v], &m, job_create(&versions[v], n, chunk, rounds, seed), {}, false};
            turns_add(&turns, versions[v].name, timed_launch, &timed[count], 8.0 * n, 0);
            count++;
        }
    }
    turns_run(&turns);
    float copies = turns.row[0].median, kernels = turns.row[1].median;
    printf("n = %d in chunks of %d, %d rounds\n\n", n, chunk, rounds);
    record_job(n, chunk, rounds);
    printf("%-14s  %10s  %21s  %8s  %17s  %14s\n", "version", "ms", "shortest .. longest", "GB/s", "% of copies hidden",
           "CPU, us");
    for (int r = 0; r < count; r++) {
        const struct turns_row *row = &turns.row[r];
        printf("%-14s  %10.4f  %9.4f .. %8.4f  %8.2f", row->name, row->median, row->shortest, row->longest,
               row->bytes / 1e6 / row->median);
        record_times(row);
        if (r < 2) {
            printf("  %18s  %14s\n", "-", "-");
        } else {
            record_print("  %18.1f", row->name, "% of copies hidden", "%",
                         100 * (copies + kernels - row->median) / copies);
            record_print("  %14.1f\n", row->name, "CPU", "us", host_microseconds(&timed[r]));
            job_verify(timed[r].version, &timed[r].job);
        }
    }
    printf("\n");
    turns_end(&turns);
    for (int r = 0; r < count; r++) {
        if (r != 1) {
            job_free(&timed[r].job, timed[r].version);
        }
    }
    machine_free(&m);
}

static void time_chains(const struct version *versions, int first, int last, int links, uint64_t seed) {
    static struct timed timed[BENCH_ROWS];
    struct turns turns = turns_start();
    int count = 0;
    for (int v = first; v <= last; v++) {
        if (versions[v].chain) {
            timed[count] = {&versions[v], NULL, {}, chain_create(CELLS_MAX, links), false};
            turns_add(&turns, versions[v].name, timed_launch, &timed[count], 0, 0);
            count++;
        }
    }
    if (count > 0) {
        turns_run(&turns);
        printf("chains of %d kernels with %d cells\n\n", links, CELLS_MAX);
        printf("%-14s  %10s  %21s  %16s  %16s\n", "version", "ms", "shortest .. longest", "us per kernel",
               "CPU, us per kernel");
    }
    for (int r = 0; r < count; r++) {
        const struct turns_row *row = &turns.row[r];
        printf("%-14s  %10.4f  %9.4f .. %8.4f", row->name, row->median, row->shortest, row->longest);
        record_times(row);
        record_print("  %16.3f", row->name, "us per kernel", "us", 1000 * row->median / links);
        record_print("  %16.3f\n", row->name, "CPU per kernel", "us", host_microseconds(&timed[r]) / links);
        verify_chain(timed[r].version, &timed[r].chain, seed);
        chain_free(&timed[r].chain);
    }
    printf("\n");
    turns_end(&turns);
}

static void measure_versions(const struct version *versions, int first, int last, int n, uint64_t seed) {
    if (device_is_emulator()) {
        count_order(versions, first, last, n, n / 16 + (n % 16 != 0), 20, seed);
        return;
    }
    bool any = false;
    for (int v = first; v <= last; v++) {
        any = any || versions[v].pipeline;
    }
    if (any) {
        time_pipelines(versions, first, last, n, n / 32 + (n % 32 != 0), seed);
    }
    time_chains(versions, first, last, 1000, seed);
}

// ---------------------------------------------------------------- a picture

/* Four chunks: the order that is forced; and on a GPU eight chunks with their times. */
static void draw_version(const struct version *version, uint64_t seed) {
    static struct timeline t;
    int chunk = device_is_emulator() ? 1000 : 1 << 20;
    struct machine m = machine_create(chunk);
    if (!version->pipeline) {
        machine_free(&m);
        return;
    }
    struct job job = job_create(version, 4 * chunk, chunk, ROUNDS, seed);
    note_order(version, &m, &job, &t);
    timeline_print(&t, version->name);
    CUDA_CHECK(cudaDeviceSynchronize()); // a graph version has launched it, too
    job_free(&job, version);
    if (!device_is_emulator() && !(version->special & GRAPH)) {
        job = job_create(version, 8 * chunk, chunk, rounds_for(&m, 8 * chunk, chunk), seed);
        version->pipeline(&m, &job, cudaStreamPerThread);
        CUDA_CHECK(cudaDeviceSynchronize());
        timeline_start(&t, TIMELINE_TIMES);
        version->pipeline(&m, &job, cudaStreamPerThread);
        timeline_stop();
        timeline_print(&t, version->name);
        job_free(&job, version);
    }
    printf("\n");
    machine_free(&m);
}

/* With V=... a picture of that version, too. */
static void measure_and_draw(const struct version *versions, int first, int last, int n, uint64_t seed) {
    measure_versions(versions, first, last, n, seed);
    if (first == last) {
        draw_version(&versions[first], seed);
    }
}

/* What the versions share is a machine, and two kinds of them work on jobs or chains: verify_versions knows that. */
typedef struct lesson<int, struct machine, struct version, struct job> frame;

#endif
