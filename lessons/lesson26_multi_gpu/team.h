/* team.h - what lesson 26 does with its versions: finds the devices, connects them, verifies each version, and measures it.
 *
 *     struct team team = team_find();                     the devices, or several parties on the one that there is
 *     team_open(&team, n);                                arrays, streams, mailboxes; team_close frees them
 *     verify_versions(&team, versions, first, last, n, seed);
 *     measure_versions(&team, versions, first, last, n, seed);
 *
 * Verified are three calls one behind the other, with other numbers in each, and nobody waits between them: a flag that
 * is left over from the call before, or a buffer that is used again too early, shows.
 *
 * A time is that of one call among CALLS in a row. They are queued behind a kernel that holds all streams until the last
 * one is queued, so that what is measured is the devices' work, and not how fast the host launches. */
#ifndef LESSONS_LESSON26_MULTI_GPU_TEAM_H
#define LESSONS_LESSON26_MULTI_GPU_TEAM_H

#include "../../common/bench.h"

enum { PARTIES = 4 };   // on one GPU
enum { MAILBOXES = 8 }; // by version: none disturbs another
enum { ROUNDS = 3 };    // calls in a row that are verified
enum { CALLS = 20 };    // and measured
enum { MEASURED = 11 }; // times, of which the median is taken

/* In which order a version adds. */
enum order { BY_DEVICE, RING, PAIRS };

struct mailbox {
    float4 *box;
    unsigned *flags, *epoch, *turn, *filled;
};

struct team {
    int count;               // parties
    bool shared;             // they share one GPU
    int blocks_max;          // of a kernel that waits for others
    int device[DEVICES_MAX]; // of each party
    cudaStream_t stream[DEVICES_MAX];
    cudaEvent_t event[DEVICES_MAX], start[DEVICES_MAX], stop[DEVICES_MAX];
    float *x[DEVICES_MAX], *y[DEVICES_MAX], *spare[DEVICES_MAX]; // [n], on its device
    struct mailbox mail[MAILBOXES][DEVICES_MAX];
    int n;
    long long launches, copies, copied; // counted by the versions; `copied`: floats
};

struct version {
    const char *name;
    void (*run)(struct team *team, int n); // queues x -> y of all devices in their streams
    enum order order;
};

static void all_reduce_cpu(float *const *x, float *y, int n, int count, enum order order); // the lesson's

// ---------------------------------------------------------------- devices

/* Device d may use the memory of device e from now on; it does not work the other way round by itself. */
static void team_connect(const struct team *t, int d, int e) {
    int able = 0;
    CUDA_CHECK(cudaDeviceCanAccessPeer(&able, t->device[d], t->device[e]));
    if (!able) {
        printf("device %d cannot reach the memory of device %d: versions 4 to 7 need that. nvidia-smi topo -p2p r says "
               "why.\n",
               t->device[d], t->device[e]);
        exit(CHECK_EXIT_FAIL);
    }
    CUDA_CHECK(cudaSetDevice(t->device[d]));
    cudaError_t error = cudaDeviceEnablePeerAccess(t->device[e], 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled) {
        cudaGetLastError(); // it is meant so
    } else {
        CUDA_CHECK(error);
    }
}

static struct team team_find(void) {
    struct team t = {};
    int devices = 0, multiprocessors = 0;
    CUDA_CHECK(cudaGetDeviceCount(&devices));
    t.shared = devices == 1;
    t.count = t.shared ? PARTIES : devices < DEVICES_MAX ? devices : DEVICES_MAX;
    for (int d = 0; d < t.count; d++) {
        t.device[d] = t.shared ? 0 : d;
    }
    CUDA_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    t.blocks_max = multiprocessors / (t.shared ? PARTIES : 1); // surely there is room for all at once
    t.blocks_max = device_is_emulator() ? 4 : t.blocks_max < BLOCKS_MAX ? t.blocks_max : BLOCKS_MAX;
    for (int d = 0; d < t.count; d++) {
        for (int e = 0; e < t.count; e++) {
            if (t.device[d] != t.device[e]) {
                team_connect(&t, d, e);
            }
        }
    }
    return t;
}

static void team_show(const struct team *t) {
    printf("%d %s%s\n", t->count,
           t->shared ? "parties, which share one GPU" : "devices, each of which reaches the memory of all",
           t->shared ? " (their times say nothing of links between GPUs)" : "");
}

// ---------------------------------------------------------------- memory

static void mailbox_open(struct mailbox *m, size_t vectors) {
    size_t blocks = BLOCKS_MAX * sizeof(unsigned);
    CUDA_CHECK(cudaMalloc((void **)&m->box, vectors * sizeof(float4)));
    CUDA_CHECK(cudaMemset(m->box, 0xff, vectors * sizeof(float4))); // EMPTY
    CUDA_CHECK(cudaMalloc((void **)&m->flags, DEVICES_MAX * blocks));
    CUDA_CHECK(cudaMemset(m->flags, 0, DEVICES_MAX * blocks));
    CUDA_CHECK(cudaMalloc((void **)&m->epoch, 3 * blocks));
    CUDA_CHECK(cudaMemset(m->epoch, 0, 3 * blocks));
    m->turn = m->epoch + BLOCKS_MAX;
    m->filled = m->turn + BLOCKS_MAX;
}

static void team_open(struct team *t, int n) {
    size_t bytes = (n ? n : 1) * sizeof(float), vectors = ((size_t)n + 3) / 4 + 1;
    t->n = n;
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        CUDA_CHECK(cudaStreamCreateWithFlags(&t->stream[d], cudaStreamNonBlocking));
        CUDA_CHECK(cudaEventCreateWithFlags(&t->event[d], cudaEventDisableTiming));
        CUDA_CHECK(cudaEventCreate(&t->start[d]));
        CUDA_CHECK(cudaEventCreate(&t->stop[d]));
        t->x[d] = (float *)verify_alloc(bytes);
        t->y[d] = (float *)verify_alloc(bytes);
        CUDA_CHECK(cudaMalloc((void **)&t->spare[d], bytes));
        for (int m = 4; m < MAILBOXES; m++) {
            mailbox_open(&t->mail[m][d], m == 5   ? 2 * vectors
                                         : m == 6 ? (size_t)TURNS * t->count * ((SMALL + 3) / 4)
                                                  : 1);
        }
        CUDA_CHECK(cudaDeviceSynchronize()); // a stream of its own does not wait for cudaMemset
    }
}

static void team_close(struct team *t) {
    for (int d = 0; d < t->count; d++) {
        size_t bytes = (t->n ? t->n : 1) * sizeof(float);
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        CUDA_CHECK(cudaDeviceSynchronize());
        verify_free("x", t->x[d], bytes);
        verify_free("y", t->y[d], bytes);
        CUDA_CHECK(cudaFree(t->spare[d]));
        for (int m = 4; m < MAILBOXES; m++) {
            CUDA_CHECK(cudaFree(t->mail[m][d].box));
            CUDA_CHECK(cudaFree(t->mail[m][d].flags));
            CUDA_CHECK(cudaFree(t->mail[m][d].epoch));
        }
        CUDA_CHECK(cudaEventDestroy(t->event[d]));
        CUDA_CHECK(cudaEventDestroy(t->start[d]));
        CUDA_CHECK(cudaEventDestroy(t->stop[d]));
        CUDA_CHECK(cudaStreamDestroy(t->stream[d]));
    }
}

/* What the kernel on device `me` is given. */
static struct peers team_peers(const struct team *t, int mailbox, int me) {
    struct peers p = {};
    p.count = t->count;
    p.me = me;
    p.room = (t->n + 3) / 4;
    for (int d = 0; d < t->count; d++) {
        p.x[d] = t->x[d];
        p.y[d] = t->y[d];
        p.box[d] = t->mail[mailbox][d].box;
        p.flags[d] = t->mail[mailbox][d].flags;
    }
    p.epoch = t->mail[mailbox][me].epoch;
    p.turn = t->mail[mailbox][me].turn;
    p.filled = t->mail[mailbox][me].filled;
    return p;
}

// ---------------------------------------------------------------- verified

/* The numbers of all devices for all calls, and what came out: in pinned memory, else each copy would make the host wait. */
struct numbers {
    float *x[ROUNDS][DEVICES_MAX], *y[ROUNDS][DEVICES_MAX], *expected;
};

static struct numbers numbers_make(const struct team *t, int n, uint64_t seed) {
    struct numbers a = {};
    for (int r = 0; r < ROUNDS; r++) {
        for (int d = 0; d < t->count; d++) {
            CUDA_CHECK(cudaMallocHost((void **)&a.x[r][d], (n ? n : 1) * sizeof(float)));
            CUDA_CHECK(cudaMallocHost((void **)&a.y[r][d], (n ? n : 1) * sizeof(float)));
            verify_random(a.x[r][d], n, -1.0f, 1.0f, seed + 100 * r + d);
        }
    }
    a.expected = (float *)verify_host_alloc(n * sizeof(float));
    return a;
}

static void numbers_free(const struct team *t, struct numbers *a) {
    for (int r = 0; r < ROUNDS; r++) {
        for (int d = 0; d < t->count; d++) {
            CUDA_CHECK(cudaFreeHost(a->x[r][d]));
            CUDA_CHECK(cudaFreeHost(a->y[r][d]));
        }
    }
    free(a->expected);
}

static void queue_round(struct team *t, const struct version *version, struct numbers *a, int r, int n) {
    size_t bytes = n * sizeof(float);
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        CUDA_CHECK(cudaMemcpyAsync(t->x[d], a->x[r][d], bytes, cudaMemcpyHostToDevice, t->stream[d]));
        CUDA_CHECK(cudaMemsetAsync(t->y[d], 0xff, bytes, t->stream[d])); // NaN: no sum of these numbers
    }
    version->run(t, n);
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        CUDA_CHECK(cudaMemcpyAsync(a->y[r][d], t->y[d], bytes, cudaMemcpyDeviceToHost, t->stream[d]));
    }
}

static void verify_version(struct team *t, const struct version *version, struct numbers *a, int n) {
    char name[64];
    for (int r = 0; r < ROUNDS; r++) {
        queue_round(t, version, a, r, n);
    }
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        CUDA_CHECK(cudaStreamSynchronize(t->stream[d]));
    }
    for (int r = 0; r < ROUNDS; r++) {
        all_reduce_cpu(a->x[r], a->expected, n, t->count, version->order);
        for (int d = 0; d < t->count; d++) {
            snprintf(name, sizeof name, "%s, device %d, call %d", version->name, d, r + 1);
            verify_floats_exact(name, a->y[r][d], a->expected, n);
        }
    }
}

static void verify_versions(struct team *t, const struct version *versions, int first, int last, int n, uint64_t seed) {
    struct numbers a = numbers_make(t, n, seed);
    team_open(t, n);
    for (int v = first; v <= last; v++) {
        verify_version(t, &versions[v], &a, n);
    }
    team_close(t);
    numbers_free(t, &a);
}

// ---------------------------------------------------------------- measured, or counted

/* Keeps a stream busy until the host has queued all that is to be timed. A host that cannot (the queue is full, or a kernel must be loaded first)
 * would wait for ever, so it ends after some seconds; the time that is measured then is that of the launches. */
static __global__ void hold_kernel(volatile int *go) {
    long long start = clock64();
    while (*go == 0 && clock64() - start < 10000000000ll) {
    }
}

/* Milliseconds of a call: what the slowest device takes for CALLS of them, divided by CALLS. */
static float team_time(struct team *t, const struct version *version, int n, int *go) {
    float longest = 0;
    *(volatile int *)go = 0;
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        hold_kernel<<<1, 1, 0, t->stream[d]>>>(go);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaEventRecord(t->start[d], t->stream[d]));
    }
    for (int call = 0; call < CALLS; call++) {
        version->run(t, n);
    }
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        CUDA_CHECK(cudaEventRecord(t->stop[d], t->stream[d]));
    }
    *(volatile int *)go = 1;
    for (int d = 0; d < t->count; d++) {
        float ms = 0;
        CUDA_CHECK(cudaEventSynchronize(t->stop[d]));
        CUDA_CHECK(cudaEventElapsedTime(&ms, t->start[d], t->stop[d]));
        longest = ms > longest ? ms : longest;
    }
    return longest / CALLS;
}

/* The versions take turns, so that all see the same machine. */
static void show_times(struct team *t, const struct version *versions, int first, int last, int n) {
    float times[MAILBOXES][MEASURED];
    int *go = NULL;
    CUDA_CHECK(cudaHostAlloc((void **)&go, sizeof *go, cudaHostAllocPortable | cudaHostAllocMapped));
    for (int run = -2; run < MEASURED; run++) {
        for (int v = first; v <= last; v++) {
            times[v][run < 0 ? 0 : run] = team_time(t, &versions[v], n, go);
        }
    }
    printf("%-16s  %12s  %12s\n", "version", "microseconds", "GB/s");
    for (int v = first; v <= last; v++) {
        qsort(times[v], MEASURED, sizeof times[v][0], bench_order);
        float ms = times[v][MEASURED / 2];
        printf("%-16s", versions[v].name);
        record_print("  %12.2f", versions[v].name, "us", "us", 1000 * ms);
        record_print("  %12.1f\n", versions[v].name, "GB/s", "GB/s", n * sizeof(float) / ms / 1e6);
    }
    CUDA_CHECK(cudaFreeHost(go));
}

/* How often something is copied or launched, and how much is written, by copies and by kernels; in arrays of n floats. */
static void show_counts(struct team *t, const struct version *versions, int first, int last, int n) {
    void (*start)(void) = (void (*)(void))device_emulator_function("emulatorCountersStart");
    void (*stop)(struct emulatorCounters *, size_t) =
        (void (*)(struct emulatorCounters *, size_t))device_emulator_function("emulatorCountersStop");
    printf("%-16s  %8s  %8s  %14s  %18s\n", "version", "launches", "copies", "arrays copied", "written by kernels");
    for (int v = first; v <= last; v++) {
        struct emulatorCounters c = {};
        t->launches = t->copies = t->copied = 0;
        start();
        versions[v].run(t, n);
        for (int d = 0; d < t->count; d++) {
            CUDA_CHECK(cudaStreamSynchronize(t->stream[d]));
        }
        stop(&c, sizeof c);
        printf("%-16s  %8lld  %8lld  %14.2f  %18.2f\n", versions[v].name, t->launches, t->copies, (double)t->copied / n,
               (double)c.global_store_sectors * 8 / n);
    }
}

static void measure_versions(struct team *t, const struct version *versions, int first, int last, int n,
                             uint64_t seed) {
    struct numbers a = numbers_make(t, n, seed);
    team_open(t, n);
    for (int v = first; v <= last; v++) {
        queue_round(t, &versions[v], &a, 0, n); // something for x
    }
    printf("\n%d devices, n = %d floats on each (%.0f KiB)\n", t->count, n, n / 256.0);
    record_part("%d devices n=%d", t->count, n);
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaStreamSynchronize(t->stream[d]));
    }
    (device_is_emulator() ? show_counts : show_times)(t, versions, first, last, n);
    printf("\n");
    fflush(stdout);
    for (int v = first; v <= last; v++) {
        verify_version(t, &versions[v], &a, n); // what is fast and wrong must not pass
    }
    team_close(t);
    numbers_free(t, &a);
}

#endif
