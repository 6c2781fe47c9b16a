// The order that streams, events and graphs give to kernels, copies and stream-ordered memory. What is found does not depend on when each
// of them happens to run, so each mistake here is one that runs without harm. See memory.cu for the comments.
#include <dirent.h>
#include <unistd.h>

#include "run_case.h"

enum { N = 1000, BYTES = N * sizeof(int) };

static cudaStream_t stream(void) {
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    return s;
}
static cudaEvent_t event(void) {
    cudaEvent_t e;
    cudaEventCreateWithFlags(&e, cudaEventDisableTiming);
    return e;
}
static int *pinned(void) {
    int *p;
    cudaMallocHost((void **)&p, BYTES);
    memset(p, 0, BYTES);
    return p;
}
static void order(cudaStream_t before, cudaStream_t after) {
    cudaEvent_t e = event();
    cudaEventRecord(e, before);
    cudaStreamWaitEvent(after, e, 0);
}
// Whether a thread of this process is about to run, or waits for a page, except the one that asks.
static bool another_thread_runs(void) {
    bool runs = false;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; (task = readdir(tasks));) {
        char path[300], state = 0;
        snprintf(path, sizeof path, "/proc/self/task/%s/stat", task->d_name);
        FILE *f = task->d_name[0] == '.' || atoi(task->d_name) == gettid() ? NULL : fopen(path, "r");
        if (f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1)
            runs |= state != 'S';
        if (f)
            fclose(f);
    }
    closedir(tasks);
    return runs;
}
// All that was submitted is done, and the program has not asked. A fixed time would be too short on a busy machine.
static void let_it_finish(void) {
    for (int quiet = 0; quiet < 3; quiet++) {
        usleep(5000);
        if (another_thread_runs())
            quiet = -1;
    }
}

__global__ void fill(int *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N)
        x[i] = i;
}
static void launch_fill(int *x, cudaStream_t s) {
    fill<<<(N + 127) / 128, 128, 0, s>>>(x);
}

// EXPECT event_of_another 0 race
// SAYS Error: Race reported between Read access by cudaMemcpyAsync in stream 2, called by case_event_of_another() in tests/check/stream_order.cu:LINE
// SAYS and Write access by cudaMemcpyAsync in stream 1, called by case_event_of_another() in tests/check/stream_order.cu:
// SAYS bytes at 0x
// SAYS were made by cudaMalloc (allocation number 1 of this program)
// SAYS | cudaMemcpyAsync(to, x, BYTES, cudaMemcpyDeviceToHost, out);
// CHECKS racecheck
static void case_event_of_another(void) {
    int *x = device_array<int>(N), *from = pinned(), *to = pinned();
    cudaStream_t in = stream(), out = stream(), waits = stream();
    cudaEvent_t e = event();
    cudaMemcpyAsync(x, from, BYTES, cudaMemcpyHostToDevice, in);
    cudaEventRecord(e, in);
    let_it_finish();
    cudaStreamWaitEvent(waits, e, 0);                           // the host learns nothing by this, and `out` neither
    cudaMemcpyAsync(to, x, BYTES, cudaMemcpyDeviceToHost, out); // HERE
}

// EXPECT event_of_its_own 0 none
// CHECKS memcheck,racecheck,synccheck
static void case_event_of_its_own(void) {
    int *x = device_array<int>(N), *from = pinned(), *to = pinned();
    cudaStream_t in = stream(), out = stream();
    cudaMemcpyAsync(x, from, BYTES, cudaMemcpyHostToDevice, in);
    order(in, out);
    cudaMemcpyAsync(to, x, BYTES, cudaMemcpyDeviceToHost, out);
}

// A stream is told from all that live, however many there have been.
// EXPECT many_streams 0 race
// SAYS Race reported between
// CHECKS racecheck
static void case_many_streams(void) {
    int *x = device_array<int>(N), *from = pinned(), *to = pinned();
    cudaStream_t in = stream();
    for (int i = 0; i < 31; i++)
        cudaStreamDestroy(stream());
    cudaMemcpyAsync(x, from, BYTES, cudaMemcpyHostToDevice, in);
    cudaStream_t out = stream();
    cudaEventRecord(event(), out);
    cudaMemcpyAsync(to, x, BYTES, cudaMemcpyDeviceToHost, out);
}

// An event that a graph records orders what comes after it in another stream; one that a graph waits for, the graph.
static cudaGraphExec_t captured(cudaStream_t s, int *x, cudaEvent_t waits, cudaEvent_t records) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed);
    if (waits)
        cudaStreamWaitEvent(s, waits, cudaEventWaitExternal);
    launch_fill(x, s);
    if (records)
        cudaEventRecordWithFlags(records, s, cudaEventRecordExternal);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&exec, graph, 0);
    return exec;
}

// EXPECT graph_events 0 none
// CHECKS memcheck,racecheck,synccheck
static void case_graph_events(void) {
    int *x = device_array<int>(N), *from = pinned(), *to = pinned();
    cudaStream_t in = stream(), graphs = stream(), out = stream();
    cudaEvent_t before = event(), after = event();
    cudaGraphExec_t exec = captured(graphs, x, before, after);
    cudaMemcpyAsync(x, from, BYTES, cudaMemcpyHostToDevice, in);
    cudaEventRecord(before, in);
    cudaGraphLaunch(exec, graphs);
    cudaStreamWaitEvent(out, after, 0);
    cudaMemcpyAsync(to, x, BYTES, cudaMemcpyDeviceToHost, out);
}

// EXPECT graph_waits_alone 0 race
// SAYS Race reported between
// CHECKS racecheck
static void case_graph_waits_alone(void) {
    int *x = device_array<int>(N), *other = device_array<int>(N), *from = pinned(), *to = pinned();
    cudaStream_t in = stream(), graphs = stream(), out = stream();
    cudaEvent_t before = event();
    cudaGraphExec_t exec = captured(graphs, other, before, NULL);
    cudaMemcpyAsync(x, from, BYTES, cudaMemcpyHostToDevice, in);
    cudaEventRecord(before, in);
    cudaGraphLaunch(exec, graphs);
    let_it_finish();
    cudaMemcpyAsync(to, x, BYTES, cudaMemcpyDeviceToHost, out);
}

// EXPECT fill_beside_kernel 0 race
// SAYS Error: Race reported between Write access at fill(int *) in tests/check/stream_order.cu:
// SAYS and Write access by cudaMemsetAsync in stream 2, called by case_fill_beside_kernel() in tests/check/stream_order.cu:
// SAYS cudaMemsetAsync wrote
// SAYS fill(int *) was launched in stream 1 by case_fill_beside_kernel() in tests/check/stream_order.cu:LINE
// SAYS were made by cudaMalloc (allocation number 1 of this program)
// CHECKS racecheck
static void case_fill_beside_kernel(void) {
    int *x = device_array<int>(N);
    cudaStream_t a = stream(), b = stream();
    fill<<<(N + 127) / 128, 128, 0, a>>>(x); // HERE
    let_it_finish();
    cudaMemsetAsync(x, 0, BYTES, b);
}

// EXPECT kernels_in_two_streams 0 race
// SAYS fill(int *) was launched in stream 1 by case_kernels_in_two_streams() in tests/check/stream_order.cu:LINE
// SAYS fill(int *) was launched in the default stream by case_kernels_in_two_streams() in tests/check/stream_order.cu:
// CHECKS racecheck
static void case_kernels_in_two_streams(void) {
    int *x = device_array<int>(N);
    cudaStream_t a = stream();
    fill<<<(N + 127) / 128, 128, 0, a>>>(x); // HERE
    let_it_finish();
    fill<<<1, 128>>>(x + 1);
}

// Rows of a matrix whose columns are divided between two streams: 40 rows of 25 elements, of which `columns` from column `first` on.
static void copy_columns(int *to, const int *from, int first, int columns, cudaStream_t s) {
    cudaMemcpy2DAsync(to + first, 25 * sizeof *to, from + first, 25 * sizeof *to, columns * sizeof *to, 40,
                      cudaMemcpyDefault, s);
}
__global__ void fill_columns(int *x, int first) {
    for (int row = 0; row < 40; row++)
        x[row * 25 + first + threadIdx.x] = row;
}

// EXPECT columns_apart 0 none
// CHECKS memcheck,racecheck,synccheck
static void case_columns_apart(void) {
    int *x = device_array<int>(N), *from = pinned();
    cudaStream_t a = stream(), b = stream();
    copy_columns(x, from, 0, 10, a);
    fill_columns<<<1, 5, 0, b>>>(x, 10);
    copy_columns(x, from, 15, 10, b);
    let_it_finish();
    copy_columns(from, x, 0, 10, a);
}

// EXPECT columns_meet 0 race
// SAYS Write access by cudaMemcpy2DAsync in stream 2
// SAYS Write access by cudaMemcpy2DAsync in stream 1
// SAYS byte 36 of the 4,000 bytes at 0x
// CHECKS racecheck
static void case_columns_meet(void) {
    int *x = device_array<int>(N), *from = pinned();
    cudaStream_t a = stream(), b = stream();
    copy_columns(x, from, 0, 10, a);
    let_it_finish();
    copy_columns(x, from, 9, 10, b);
}

static int *ordered_memory(cudaStream_t s) {
    int *p = NULL;
    cudaMallocAsync((void **)&p, BYTES, s);
    return p;
}

// EXPECT kernel_before_allocation 0 race
// SAYS Error: Use before allocation reported in Write access at fill(int *) in tests/check/stream_order.cu:
// SAYS and nothing orders this after the cudaMallocAsync of this
// SAYS record an event after the call (cudaEventRecord)
// CHECKS racecheck
static void case_kernel_before_allocation(void) {
    cudaStream_t a = stream(), b = stream();
    launch_fill(ordered_memory(a), b);
}

// The event is recorded before the allocation.
// EXPECT event_too_early 0 race
// SAYS Use before allocation
// CHECKS racecheck
static void case_event_too_early(void) {
    cudaStream_t a = stream(), b = stream();
    launch_fill(device_array<int>(N), a);
    order(a, b);
    launch_fill(ordered_memory(a), b);
}

// EXPECT copy_before_allocation 0 race
// SAYS Error: Use before allocation reported between cudaMemcpyAsync in stream 2, called by case_copy_before_allocation()
// SAYS and cudaMallocAsync in stream 1, called by ordered_memory(CUstream_st *) in
// SAYS were made by cudaMallocAsync (allocation number
// CHECKS racecheck
static void case_copy_before_allocation(void) {
    cudaStream_t a = stream(), b = stream();
    cudaMemcpyAsync(ordered_memory(a), pinned(), BYTES, cudaMemcpyHostToDevice, b);
}

// EXPECT kernel_after_free 0 race
// SAYS Error: Use after free reported in Write access at fill(int *) in tests/check/stream_order.cu:
// SAYS and nothing orders this before the cudaFreeAsync of this
// SAYS record an event after the kernel (cudaEventRecord)
// CHECKS racecheck
static void case_kernel_after_free(void) {
    cudaStream_t a = stream(), b = stream();
    int *p = ordered_memory(a);
    order(a, b);
    launch_fill(p, b);
    let_it_finish();
    cudaFreeAsync(p, a);
}

// EXPECT copy_after_free 0 race
// SAYS Error: Use after free reported between cudaFreeAsync in stream 1, called by case_copy_after_free()
// SAYS and cudaMemcpyAsync in stream 2, called by case_copy_after_free()
// CHECKS racecheck
static void case_copy_after_free(void) {
    cudaStream_t a = stream(), b = stream();
    int *p = ordered_memory(a);
    order(a, b);
    cudaMemcpyAsync(p, pinned(), BYTES, cudaMemcpyHostToDevice, b);
    let_it_finish();
    cudaFreeAsync(p, a);
}

// EXPECT freed_elsewhere 0 race
// SAYS Error: Free before allocation reported between cudaFreeAsync in stream 2, called by case_freed_elsewhere()
// CHECKS racecheck
static void case_freed_elsewhere(void) {
    cudaStream_t a = stream(), b = stream();
    cudaFreeAsync(ordered_memory(a), b);
}

// Memory of one stream that another uses and a third one frees; and what the host has waited for.
// EXPECT lifetimes_ordered 0 none
// CHECKS memcheck,racecheck,synccheck
static void case_lifetimes_ordered(void) {
    cudaStream_t a = stream(), b = stream(), c = stream();
    for (int round = 0; round < 3; round++) {
        int *p = ordered_memory(a), *to = pinned();
        order(a, b);
        launch_fill(p, b);
        cudaMemcpyAsync(to, p, BYTES, cudaMemcpyDeviceToHost, b);
        order(b, c);
        cudaFreeAsync(p, c);
    }
    int *p = ordered_memory(a), *q = ordered_memory(a);
    cudaStreamSynchronize(a);
    launch_fill(p, b);
    launch_fill(q, c);
    cudaStreamSynchronize(b);
    cudaFreeAsync(p, a);
    cudaFree(q);
    cudaFreeAsync(ordered_memory(a), a);
    launch_fill(ordered_memory(NULL), NULL);
}

// EXPECT leaked 0 leak
// SAYS made by cudaMallocAsync (allocation number
// CHECKS leak
static void case_leaked(void) {
    ordered_memory(stream());
    cudaDeviceSynchronize();
    cudaDeviceReset();
}

static const struct test_case cases[] = {
    CASE(event_of_another), CASE(event_of_its_own),       CASE(many_streams),
    CASE(graph_events),     CASE(graph_waits_alone),      CASE(kernel_before_allocation),
    CASE(event_too_early),  CASE(copy_before_allocation), CASE(kernel_after_free),
    CASE(copy_after_free),  CASE(freed_elsewhere),        CASE(lifetimes_ordered),
    CASE(leaked),           CASE(fill_beside_kernel),     CASE(kernels_in_two_streams),
    CASE(columns_apart),    CASE(columns_meet),
};

int main(int argc, char **argv) {
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
