/* race.cu - lesson 26's versions 4 to 7 against NCCL, from 1 KiB to 1 GiB on each device.
 *
 *     ./race                     all sizes; ./race 16384 262144 these, in bytes
 *
 * For each size and version the number of blocks is tuned first, in short runs. Then all take turns, MEASURED rounds, each in another order.
 * A time is that of one call of CALLS in a row, two ways:
 *     launch   queued one by one behind a kernel that holds the streams until all are queued
 *     graph    in a CUDA graph for each device, all graphs launched behind such a kernel
 * So in neither of them the host's time to launch is counted, NCCL's no more than ours. NVLink's multicast is off for NCCL: race.sh sets
 * NCCL_NVLS_ENABLE=0. Afterwards all results are compared with the exact sums (whole numbers), on the devices. */
#define LESSON26_WITHOUT_MAIN
#include "../lesson26.cu"

#include <nccl.h>

#include "../../../common/turns.h"

enum { ROWS = 5, BLOCK_COUNTS = 6, SHORT = 3 };
static const int block_counts[BLOCK_COUNTS] = {4, 8, 16, 32, 64, 128};

static ncclComm_t comm[DEVICES_MAX];

#define NCCL_CHECK(call)                                                                                               \
    do {                                                                                                               \
        ncclResult_t result_ = (call);                                                                                 \
        if (result_ != ncclSuccess) {                                                                                  \
            fprintf(stderr, "%s failed: %s\n", #call, ncclGetErrorString(result_));                                    \
            exit(CHECK_EXIT_FAIL);                                                                                     \
        }                                                                                                              \
    } while (0)

static void run_nccl(struct team *t, int n) {
    NCCL_CHECK(ncclGroupStart());
    for (int d = 0; d < t->count; d++) {
        NCCL_CHECK(ncclAllReduce(t->x[d], t->y[d], n, ncclFloat, ncclSum, comm[d], t->stream[d]));
    }
    NCCL_CHECK(ncclGroupEnd());
}

struct row {
    const char *name;
    void (*run)(struct team *t, int n);
    int blocks, most; // most: floats, beyond which it is another version
    cudaGraphExec_t graph[DEVICES_MAX];
    float launched[MEASURED], in_graph[MEASURED]; // milliseconds of CALLS
};

static struct row rows[ROWS] = {
    {"NCCL", run_nccl, 0, 1 << 30, {}, {}, {}},
    {"oneshot_kernel4", oneshot4, 0, 1 << 24, {}, {}, {}},
    {"oneshot_kernel5", oneshot5, 0, 1 << 24, {}, {}, {}},
    {"oneshot_kernel6", oneshot6, 0, SMALL, {}, {}, {}},
    {"twoshot_kernel7", twoshot7, 0, 1 << 30, {}, {}, {}},
};

// ---------------------------------------------------------------- numbers, and whether they are right

static __global__ void fill_kernel(float *x, float *y, int n, int device) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        x[i] = (float)((i * 7 + device * 13) % 1000);
        y[i] = __uint_as_float(EMPTY);
    }
}

static __global__ void check_kernel(const float *y, int n, int devices, unsigned long long *wrong) {
    for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x) {
        float sum = 0;
        for (int d = 0; d < devices; d++) {
            sum += (float)((i * 7 + d * 13) % 1000);
        }
        if (!(y[i] == sum)) {
            atomicAdd(wrong, 1ull);
        }
    }
}

static void wait_for_devices(const struct team *t) {
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        CUDA_CHECK(cudaStreamSynchronize(t->stream[d]));
    }
}

static void fill(const struct team *t, int n) {
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        fill_kernel<<<1024, BLOCK, 0, t->stream[d]>>>(t->x[d], t->y[d], n, d);
        CUDA_CHECK_LAUNCH();
    }
    wait_for_devices(t);
}

static void check(const struct team *t, const char *name, int n) {
    unsigned long long *wrong = NULL, found = 0;
    wait_for_devices(t);
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        CUDA_CHECK(cudaMalloc((void **)&wrong, sizeof *wrong));
        CUDA_CHECK(cudaMemset(wrong, 0, sizeof *wrong));
        CUDA_CHECK(cudaDeviceSynchronize());
        check_kernel<<<1024, BLOCK, 0, t->stream[d]>>>(t->y[d], n, t->count, wrong);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaStreamSynchronize(t->stream[d]));
        CUDA_CHECK(cudaMemcpy(&found, wrong, sizeof found, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaFree(wrong));
        if (found) {
            printf("%s, device %d: %llu of %d are wrong\n", name, d, found, n);
        }
        verify_tell(found, n);
    }
}

// ---------------------------------------------------------------- times

/* Queues `what` behind a kernel that holds all streams, lets go, and returns the milliseconds of the slowest device. */
static float timed(struct team *t, int *go, struct row *row, int n, bool graph) {
    float longest = 0;
    *(volatile int *)go = 0;
    t->blocks_max = row->blocks ? row->blocks : BLOCKS_MAX;
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        hold_kernel<<<1, 1, 0, t->stream[d]>>>(go);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaEventRecord(t->start[d], t->stream[d]));
    }
    for (int call = 0; call < CALLS && !graph; call++) {
        row->run(t, n);
    }
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        if (graph) {
            CUDA_CHECK(cudaGraphLaunch(row->graph[d], t->stream[d]));
        }
        CUDA_CHECK(cudaEventRecord(t->stop[d], t->stream[d]));
    }
    *(volatile int *)go = 1;
    for (int d = 0; d < t->count; d++) {
        float ms = 0;
        CUDA_CHECK(cudaEventSynchronize(t->stop[d]));
        CUDA_CHECK(cudaEventElapsedTime(&ms, t->start[d], t->stop[d]));
        longest = ms > longest ? ms : longest;
    }
    return longest;
}

/* A graph for each device: the kernels of different devices wait for each other, so one must not stand behind the other. */
static void make_graphs(struct team *t, struct row *row, int n) {
    cudaGraph_t graph;
    t->blocks_max = row->blocks ? row->blocks : BLOCKS_MAX;
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        CUDA_CHECK(cudaStreamBeginCapture(t->stream[d], cudaStreamCaptureModeRelaxed));
    }
    for (int call = 0; call < CALLS; call++) {
        row->run(t, n);
    }
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        CUDA_CHECK(cudaStreamEndCapture(t->stream[d], &graph));
        CUDA_CHECK(cudaGraphInstantiateWithFlags(&row->graph[d], graph, 0));
        CUDA_CHECK(cudaGraphUpload(row->graph[d], t->stream[d])); // now, and not while a kernel holds the stream
        CUDA_CHECK(cudaGraphDestroy(graph));
    }
    wait_for_devices(t);
}

static void tune(struct team *t, int *go, struct row *row, int n) {
    float best = 0;
    int blocks = 0;
    for (int k = 0; k < BLOCK_COUNTS && row->run != run_nccl; k++) {
        float shortest = 0;
        row->blocks = block_counts[k];
        for (int run = 0; run < SHORT; run++) {
            float ms = timed(t, go, row, n, false);
            shortest = run == 0 || ms < shortest ? ms : shortest;
        }
        printf("tuning,%zu,%s,%d,%.2f\n", n * sizeof(float), row->name, row->blocks, 1000 * shortest / CALLS);
        char column[32];
        snprintf(column, sizeof column, "tuning %d blocks", row->blocks);
        record_row(row->name, column, 1000 * shortest / CALLS, "us");
        if (k == 0 || shortest < best) {
            best = shortest;
            blocks = row->blocks;
        }
    }
    row->blocks = blocks;
}

static float median(float *ms) {
    qsort(ms, MEASURED, sizeof *ms, bench_order);
    return 1000 * ms[MEASURED / 2] / CALLS;
}

static void record_times(const struct row *row, int n, float launched, float in_graph) {
    record_row(row->name, "blocks", row->blocks, "");
    record_row(row->name, "launched", launched, "us");
    record_row(row->name, "in a graph", in_graph, "us");
    record_row(row->name, "GB/s", n * sizeof(float) / in_graph / 1e3, "GB/s");
}

static void race(struct team *t, int *go, int n) {
    int order[ROWS], running = 0;
    uint64_t state = 1;
    team_open(t, n);
    record_part("%zu bytes", n * sizeof(float));
    fill(t, n);
    for (int r = 0; r < ROWS; r++) {
        if (n <= rows[r].most) {
            order[running++] = r;
            rows[r].run(t, n); // loads its kernel, which might have to wait for one that holds a stream
            wait_for_devices(t);
            tune(t, go, &rows[r], n);
            make_graphs(t, &rows[r], n);
        }
    }
    for (int run = -2; run < MEASURED; run++) {
        turns_shuffle(order, running, &state);
        for (int k = 0; k < running; k++) {
            struct row *row = &rows[order[k]];
            float launched = timed(t, go, row, n, false), in_graph = timed(t, go, row, n, true);
            row->launched[run < 0 ? 0 : run] = launched;
            row->in_graph[run < 0 ? 0 : run] = in_graph;
        }
    }
    float nccl_launched = 0, nccl_in_graph = 0;
    for (int r = 0; r < ROWS; r++) {
        struct row *row = &rows[r];
        if (n > row->most) {
            continue;
        }
        float launched = median(row->launched), in_graph = median(row->in_graph);
        nccl_launched = r == 0 ? launched : nccl_launched;
        nccl_in_graph = r == 0 ? in_graph : nccl_in_graph;
        printf("%d %10zu %-16s %4d %10.2f %10.2f %8.1f %6.2f %6.2f\n", t->count, n * sizeof(float), row->name,
               row->blocks, launched, in_graph, n * sizeof(float) / in_graph / 1e3, nccl_launched / launched,
               nccl_in_graph / in_graph);
        record_times(row, n, launched, in_graph);
        record_row(row->name, "NCCL's time / its, launched", nccl_launched / launched, "");
        record_row(row->name, "NCCL's time / its, in a graph", nccl_in_graph / in_graph, "");
        fill(t, n);
        timed(t, go, row, n, false);
        check(t, row->name, n);
        fill(t, n);
        timed(t, go, row, n, true);
        check(t, row->name, n);
        for (int d = 0; d < t->count; d++) {
            CUDA_CHECK(cudaGraphExecDestroy(row->graph[d]));
        }
    }
    fflush(stdout);
    team_close(t);
}

static bool asked_for(long long bytes, int argc, char **argv) {
    for (int k = 1; k < argc; k++) {
        if (atoll(argv[k]) == bytes) {
            return true;
        }
    }
    return argc < 2;
}

int main(int argc, char **argv) {
    int *go = NULL, devices[DEVICES_MAX], version = 0;
    device_print_backend();
    struct team team = team_find();
    team_show(&team);
    if (team.shared || device_is_emulator()) {
        printf("FAIL: this race needs two GPUs or more\n");
        return CHECK_EXIT_FAIL;
    }
    for (int d = 0; d < team.count; d++) {
        devices[d] = team.device[d];
    }
    NCCL_CHECK(ncclGetVersion(&version));
    printf("NCCL %d, NCCL_NVLS_ENABLE=%s\n", version, getenv("NCCL_NVLS_ENABLE") ? getenv("NCCL_NVLS_ENABLE") : "");
    record_row("NCCL", "version", version, "");
    NCCL_CHECK(ncclCommInitAll(comm, team.count, devices));
    CUDA_CHECK(cudaHostAlloc((void **)&go, sizeof *go, cudaHostAllocPortable | cudaHostAllocMapped));
    printf("devices, bytes, version, blocks, microseconds launched, in a graph, GB/s in a graph, NCCL's time / this "
           "one's: launched, in a graph\n");
    for (int shift = 8; shift <= 28; shift++) {
        if (asked_for(4ll << shift, argc, argv)) {
            race(&team, go, 1 << shift);
        }
    }
    return verify_finish("race");
}
