/* Linked into every program that %%nvcc makes. It stands between the program and the CUDA runtime at kernel launches,
 * so that one that failed is told when the program never asked, and with NVCC_MAGIC_TIME=1 it times them with events.
 *
 * At the end of the program it writes what it knows to the file NVCC_MAGIC_REPORT, fields separated by tabs:
 *
 *     ignored  cudaErrorInvalidValue  invalid argument  kernel  1 x 1 x 1  2048 x 1 x 1
 *     failed   cudaErrorIllegalAddress  an illegal memory access was encountered
 *     unfinished                                                       a kernel still ran when the program ended
 *     time     kernel  grid  block  milliseconds         one line per launch
 *     untimed  reason  launches
 *
 * The executable's own definitions come before the library's; the library's are found behind them (RTLD_NEXT).
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* As in the runtime's headers, which are C++'s and differ between its versions. */
struct size {
    unsigned x, y, z;
};
typedef void *handle;
enum { PER_THREAD_STREAM = 2 };
enum { UNLOADING = 4, NOT_READY = 600 }; /* cudaErrorCudartUnloading, cudaErrorNotReady */

enum { LAUNCHES_MAX = 20000, NAME_SIZE = 300 };

struct launch {
    const void *kernel;
    struct size grid, block;
    handle begin, end; /* events */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t program; /* a child that the program forks writes no report */
static const char *report;
static int timing, on_gpu;

static struct launch launches[LAUNCHES_MAX];
static int launch_count, captured, beyond;

static int launched; /* anything, successfully */
static int ignored;  /* the error of a launch that nobody has asked for yet */
static struct launch ignored_launch;

static void *library(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

static const char *text_of(const char *function, int error) {
    const char *(*get)(int) = (const char *(*)(int))library(function);
    return get ? get(error) : "?";
}

/* Of a host function or a kernel handle: the runtime takes both. */
static void name_of(const void *kernel, char *name) {
    const char *found = NULL;
    int (*get)(const char **, const void *) = (int (*)(const char **, const void *))library("cudaFuncGetName");
    if (!get || get(&found, kernel) || !found) {
        found = "a kernel";
    }
    snprintf(name, NAME_SIZE, "%s", found);
}

/* --- timing --- */

static handle record(handle stream) {
    int (*create)(handle *) = (int (*)(handle *))library("cudaEventCreate");
    int (*put)(handle, handle) = (int (*)(handle, handle))library("cudaEventRecord");
    handle event = NULL;
    if (!create || !put || create(&event) || put(event, stream)) {
        return NULL;
    }
    return event;
}

/* Events in a stream that is being captured would become part of the graph. */
static int is_captured(handle stream) {
    int (*ask)(handle, int *) = (int (*)(handle, int *))library("cudaStreamIsCapturing");
    int status = 0;
    return ask && (ask(stream, &status) || status);
}

static struct launch *begin_timing(const void *kernel, struct size grid, struct size block, handle stream) {
    struct launch *launch = NULL;
    if (!timing) {
        return NULL;
    }
    if (is_captured(stream)) {
        captured++;
        return NULL;
    }
    pthread_mutex_lock(&lock);
    if (launch_count < LAUNCHES_MAX) {
        launch = &launches[launch_count++];
    } else {
        beyond++;
    }
    pthread_mutex_unlock(&lock);
    if (launch) {
        *launch = (struct launch){kernel, grid, block, record(stream), NULL};
    }
    return launch;
}

/* --- launches --- */

static void finish(void);

/* What was registered last is called first: registered behind a launch, this comes before the driver's own end, after
 * which the driver answers nothing. The emulator tells at its end of kernels that nobody waited for: that is first. */
static void register_finish(void) {
    if (report && on_gpu) {
        atexit(finish);
    }
}

static int end_launch(int error, struct launch *timed, const void *kernel, struct size grid, struct size block,
                      handle stream) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, register_finish);
    if (error) {
        ignored = error;
        ignored_launch = (struct launch){kernel, grid, block, NULL, NULL};
    } else {
        launched = 1;
        if (timed) {
            timed->end = record(stream);
        }
    }
    return error;
}

typedef int (*launcher)(const void *, struct size, struct size, void **, size_t, handle);

static int launch_with(const char *function, const void *kernel, struct size grid, struct size block, void **arguments,
                       size_t shared, handle stream, handle timed_stream) {
    launcher real = (launcher)library(function);
    struct launch *timed = begin_timing(kernel, grid, block, timed_stream);
    return end_launch(real(kernel, grid, block, arguments, shared, stream), timed, kernel, grid, block, timed_stream);
}

#define STAND_IN(function, default_stream)                                                                             \
    int function(const void *kernel, struct size grid, struct size block, void **arguments, size_t shared,             \
                 handle stream) {                                                                                      \
        return launch_with(#function, kernel, grid, block, arguments, shared, stream,                                  \
                           stream ? stream : (handle)(size_t)(default_stream));                                        \
    }
STAND_IN(__cudaLaunchKernel, 0)
STAND_IN(__cudaLaunchKernel_ptsz, PER_THREAD_STREAM)
STAND_IN(cudaLaunchKernel, 0)
STAND_IN(cudaLaunchKernel_ptsz, PER_THREAD_STREAM)
STAND_IN(cudaLaunchCooperativeKernel, 0)
STAND_IN(cudaLaunchCooperativeKernel_ptsz, PER_THREAD_STREAM)

struct configuration { /* the beginning of cudaLaunchConfig_t */
    struct size grid, block;
    size_t shared;
    handle stream;
};

static int launch_configured(const char *function, const struct configuration *c, const void *kernel, void **arguments,
                             handle default_stream) {
    int (*real)(const struct configuration *, const void *, void **) =
        (int (*)(const struct configuration *, const void *, void **))library(function);
    handle stream = c && c->stream ? c->stream : default_stream;
    struct size none = {0, 0, 0};
    struct launch *timed = c ? begin_timing(kernel, c->grid, c->block, stream) : NULL;
    return end_launch(real(c, kernel, arguments), timed, kernel, c ? c->grid : none, c ? c->block : none, stream);
}

int cudaLaunchKernelExC(const struct configuration *c, const void *kernel, void **arguments) {
    return launch_configured("cudaLaunchKernelExC", c, kernel, arguments, NULL);
}

int cudaLaunchKernelExC_ptsz(const struct configuration *c, const void *kernel, void **arguments) {
    return launch_configured("cudaLaunchKernelExC_ptsz", c, kernel, arguments, (handle)(size_t)PER_THREAD_STREAM);
}

/* --- did the program ask? --- */

int cudaGetLastError(void) {
    ignored = 0;
    return ((int (*)(void))library("cudaGetLastError"))();
}

int cudaPeekAtLastError(void) {
    ignored = 0;
    return ((int (*)(void))library("cudaPeekAtLastError"))();
}

/* --- the end --- */

static void write_launch(FILE *to, const struct launch *launch) {
    char name[NAME_SIZE];
    name_of(launch->kernel, name);
    fprintf(to, "\t%s\t%u x %u x %u\t%u x %u x %u", name, launch->grid.x, launch->grid.y, launch->grid.z,
            launch->block.x, launch->block.y, launch->block.z);
}

static void write_times(FILE *to) {
    int (*elapsed)(float *, handle, handle) = (int (*)(float *, handle, handle))library("cudaEventElapsedTime");
    int failed = 0;
    for (int i = 0; i < launch_count; i++) {
        float milliseconds;
        const struct launch *launch = &launches[i];
        if (!launch->begin || !launch->end || !elapsed || elapsed(&milliseconds, launch->begin, launch->end)) {
            failed++;
            continue;
        }
        fputs("time", to);
        write_launch(to, launch);
        fprintf(to, "\t%.6f\n", (double)milliseconds);
    }
    if (failed) {
        fprintf(to, "untimed\tthey failed\t%d\n", failed);
    }
    if (captured) {
        fprintf(to, "untimed\tthey are part of a graph\t%d\n", captured);
    }
    if (beyond) {
        fprintf(to, "untimed\ttoo many\t%d\n", beyond);
    }
}

/* Kernels that nobody waited for are waited for here: one that fails is not to be missed. */
static int wait_for_kernels(int *unfinished) {
    int (*query)(handle) = (int (*)(handle))library("cudaStreamQuery");
    int (*synchronize)(void) = (int (*)(void))library("cudaDeviceSynchronize");
    int error;
    if (!launched || !query || !synchronize) {
        return 0;
    }
    *unfinished = query(NULL) == NOT_READY;
    error = synchronize();
    return error == UNLOADING ? 0 : error; /* too late to ask */
}

static void finish(void) {
    int error, unfinished = 0;
    FILE *to;
    if (getpid() != program) {
        return;
    }
    error = wait_for_kernels(&unfinished);
    to = fopen(report, "we");
    if (!to) {
        perror(report);
        return;
    }
    if (ignored) {
        fprintf(to, "ignored\t%s\t%s", text_of("cudaGetErrorName", ignored), text_of("cudaGetErrorString", ignored));
        write_launch(to, &ignored_launch);
        fputs("\n", to);
    }
    if (unfinished) {
        fputs("unfinished\n", to);
    }
    if (error) {
        fprintf(to, "failed\t%s\t%s\n", text_of("cudaGetErrorName", error), text_of("cudaGetErrorString", error));
    } else if (timing) {
        write_times(to);
    }
    fclose(to);
}

/* When the notebook's process is killed, the program is not to run on, nor what it has forked. */
static void end_with_parent(void) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

__attribute__((constructor)) static void start(void) {
    const char *time = getenv("NVCC_MAGIC_TIME"), *gpu = getenv("NVCC_MAGIC_GPU");
    report = getenv("NVCC_MAGIC_REPORT");
    timing = time && *time == '1';
    on_gpu = gpu && *gpu == '1';
    program = getpid();
    if (!report || !*report) {
        report = NULL;
        return; /* started by hand, outside of the notebook */
    }
    unsetenv("NVCC_MAGIC_REPORT"); /* other programs that this one starts are not meant */
    report = strdup(report);
    /* Lines appear when they are written, although nobody sits at a terminal. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    end_with_parent();
    pthread_atfork(NULL, NULL, end_with_parent);
    if (!on_gpu) {
        atexit(finish);
    }
}
