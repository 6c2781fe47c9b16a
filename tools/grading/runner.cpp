/* runner.cpp - the child: it holds the student's code, and neither an expected result nor a judgement.
 *
 *     runner EXERCISE.so cpu|gpu SECONDS        jobs and answers over descriptor 3 (protocol.h)
 * All library functions that it uses are bound before the student's object is loaded (-z now and LD_BIND_NOW), and its own functions are
 * not exported, except those of watch.cpp. It drops the privileges that it does not need (confine.cpp), checks whether there is a
 * device, sends a greeting, and loads the object. */
#include <algorithm>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <functional>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <vector>

#include "common/verify.h"
#include "tools/grading/call.h"
#include "tools/grading/confine.h"
#include "tools/grading/protocol.h"
#include "tools/grading/watch.h"

typedef std::vector<unsigned char> blob;

/* Functions that only the emulator has. */
static struct {
    void (*counters_start)(void);
    void (*counters_stop)(struct emulatorCounters *, size_t);
    const char *(*verdict)(void);
    void (*authors_start)(void);
    void (*mix_blocks)(int);
    size_t (*not_by_kernels)(const void *, size_t);
    const char *(*author)(const void *);
    size_t (*launches)(struct emulatorLaunch *, size_t);
    void (*watch_arrays)(const struct emulatorArray *, size_t);
    size_t (*arrays_counted)(struct emulatorArrayCounters *, size_t);
    void (*host_bytes)(struct emulatorHostBytes *, size_t);
} emulator;

static void find_emulator(void) {
    *(void **)&emulator.counters_start = dlsym(RTLD_DEFAULT, "emulatorCountersStart");
    *(void **)&emulator.counters_stop = dlsym(RTLD_DEFAULT, "emulatorCountersStop");
    *(void **)&emulator.verdict = dlsym(RTLD_DEFAULT, "emulatorVerdict");
    *(void **)&emulator.authors_start = dlsym(RTLD_DEFAULT, "emulatorAuthorsStart");
    *(void **)&emulator.mix_blocks = dlsym(RTLD_DEFAULT, "emulatorMixBlocks");
    *(void **)&emulator.not_by_kernels = dlsym(RTLD_DEFAULT, "emulatorNotByKernels");
    *(void **)&emulator.author = dlsym(RTLD_DEFAULT, "emulatorAuthor");
    *(void **)&emulator.launches = dlsym(RTLD_DEFAULT, "emulatorLaunches");
    *(void **)&emulator.watch_arrays = dlsym(RTLD_DEFAULT, "emulatorWatchArrays");
    *(void **)&emulator.arrays_counted = dlsym(RTLD_DEFAULT, "emulatorArraysCounted");
    *(void **)&emulator.host_bytes = dlsym(RTLD_DEFAULT, "emulatorHostBytes");
}

// ---------------------------------------------------------------- the socket

static void end_if(bool failed, const char *what) {
    if (failed) {
        perror(what);
        _exit(120);
    }
}

static void get(void *to, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t got = read(RUNNER_SOCKET, (char *)to + done, size - done);
        if (got == 0) {
            _exit(0); /* the judge has no more jobs */
        }
        end_if(got < 0, "runner: reading a job");
        done += (size_t)got;
    }
}

static void put(const void *from, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t sent = write(RUNNER_SOCKET, (const char *)from + done, size - done);
        end_if(sent <= 0, "runner: answering");
        done += (size_t)sent;
    }
}

// ---------------------------------------------------------------- arrays

struct array {
    unsigned char *allocation, *at; /* `at`: after the guard */
    unsigned char *staged;          /* on the device: the content, if it arrives late */
    size_t bytes;
    int home;
};

static struct array arrays[ARRAYS_MAX];

static size_t guard(int home) {
    return home != ON_HOST && emulator.verdict ? 0 : (size_t)GUARD_BYTES;
}

/* The runtime's errors are returned in the answer, never printed: error_later reports a failed device. */
static void allocate(struct array *a, const struct array_order *order) {
    size_t zone = guard(order->home), all = order->bytes + 2 * zone;
    *a = {NULL, NULL, NULL, order->bytes, order->home};
    if (a->home == ON_HOST) {
        a->allocation = (unsigned char *)malloc(all + 1);
        memset(a->allocation, GUARD_BYTE, all);
    } else if (a->home == ON_HOST_PINNED) {
        end_if(cudaMallocHost((void **)&a->allocation, all ? all : 1) != cudaSuccess, "runner: cudaMallocHost");
        memset(a->allocation, GUARD_BYTE, all);
    } else {
        end_if(cudaMalloc((void **)&a->allocation, all ? all : 1) != cudaSuccess, "runner: cudaMalloc");
        if (zone) {
            cudaMemset(a->allocation, GUARD_BYTE, all);
        }
    }
    a->at = a->allocation + zone;
}

static void release(struct array *a) {
    if (a->allocation && a->home == ON_HOST) {
        free(a->allocation);
    } else if (a->allocation && a->home == ON_HOST_PINNED) {
        cudaFreeHost(a->allocation);
    } else if (a->allocation) {
        cudaFree(a->allocation);
    }
    cudaFree(a->staged);
    a->allocation = a->staged = NULL;
}

static void poison(const struct array *a) {
    blob content(a->bytes);
    verify_poison_host(content.data(), a->bytes);
    if (a->home != ON_DEVICE) {
        memcpy(a->at, content.data(), a->bytes);
    } else if (a->bytes) {
        cudaMemcpy(a->at, content.data(), a->bytes, cudaMemcpyHostToDevice);
    }
}

/* The given content is copied in the caller's stream, so that work in another stream is not ordered after it, and is detected. */
static void give(const struct array *a, const blob &content, cudaStream_t stream) {
    if (a->home == ON_HOST) {
        memcpy(a->at, content.data(), a->bytes);
    } else if (a->bytes) {
        cudaMemcpyAsync(a->at, content.data(), a->bytes,
                        a->home == ON_DEVICE ? cudaMemcpyHostToDevice : cudaMemcpyHostToHost, stream);
    }
}

/* An input that arrives late: until then the memory has other content, in which no bit is right. A copy from device to host is
 * asynchronous on a GPU, too. */
static void stage(struct array *a, const blob &content) {
    end_if(cudaMalloc((void **)&a->staged, a->bytes ? a->bytes : 1) != cudaSuccess, "runner: cudaMalloc");
    cudaMemcpy(a->staged, content.data(), a->bytes, cudaMemcpyHostToDevice);
    for (size_t b = 0; b < a->bytes; b++) {
        a->at[b] = (unsigned char)~content[b];
    }
}

/* The writers are recorded from the poison on, which has no author. */
static void prepare(const struct job *job, const std::vector<blob> &contents, cudaStream_t stream) {
    for (unsigned i = 0; i < job->arrays; i++) {
        const struct array_order *order = &job->array[i];
        if (order->kept && arrays[i].allocation && arrays[i].bytes == order->bytes) {
            continue;
        }
        release(&arrays[i]);
        allocate(&arrays[i], order);
        if (!order->given) {
            poison(&arrays[i]);
        }
    }
    cudaDeviceSynchronize(); /* a non-blocking stream does not wait for copies in the default stream */
    if (emulator.authors_start) {
        emulator.authors_start();
    }
    for (unsigned i = 0; i < job->arrays; i++) {
        if (job->array[i].given && job->late_ms && arrays[i].home == ON_HOST_PINNED) {
            stage(&arrays[i], contents[i]);
        } else if (job->array[i].given) {
            give(&arrays[i], contents[i], stream);
        }
    }
}

/* The damaged byte nearest to the array, as an offset from its start; INT64_MIN: there is none. */
static int64_t find_damage(const struct array *a) {
    size_t zone = guard(a->home);
    for (int behind = 0; behind < 2 && zone; behind++) {
        long long start = behind ? (long long)a->bytes : -(long long)zone;
        blob seen(zone);
        if (a->home != ON_DEVICE) {
            memcpy(seen.data(), a->at + start, zone);
        } else if (cudaMemcpy(seen.data(), a->at + start, zone, cudaMemcpyDeviceToHost) != cudaSuccess) {
            return INT64_MIN;
        }
        for (size_t i = 0; i < zone; i++) {
            size_t k = behind ? i : zone - 1 - i;
            if (seen[k] != GUARD_BYTE) {
                return start + (long long)k;
            }
        }
    }
    return INT64_MIN;
}

// ---------------------------------------------------------------- a stream that is busy

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool released, too_late;
} gate = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, false};

/* Runs in the stream, before the student's work. Gives up after a while: then the function has waited for it. */
static void hold(void *) {
    struct timespec until;
    int status = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 3;
    pthread_mutex_lock(&gate.lock);
    while (!gate.released && status == 0) {
        status = pthread_cond_timedwait(&gate.changed, &gate.lock, &until);
    }
    gate.too_late = !gate.released;
    pthread_mutex_unlock(&gate.lock);
}

static void occupy(cudaStream_t stream) {
    gate.released = gate.too_late = false;
    cudaLaunchHostFunc(stream, hold, NULL);
}

static bool let_go(void) {
    pthread_mutex_lock(&gate.lock);
    bool too_late = gate.too_late;
    gate.released = true;
    pthread_cond_signal(&gate.changed);
    pthread_mutex_unlock(&gate.lock);
    return too_late;
}

// ---------------------------------------------------------------- the call

static int call(void *function, const struct job *job, cudaStream_t stream) {
    unsigned char *at[ARRAYS_MAX] = {};
    for (unsigned i = 0; i < job->arrays; i++) {
        at[i] = arrays[i].at;
    }
    return call_function(function, job, at, stream);
}

/* The late inputs arrive when the stream is released. */
static void hold_back(const struct job *job, cudaStream_t stream) {
    occupy(stream);
    for (unsigned i = 0; i < job->arrays; i++) {
        if (arrays[i].staged) {
            cudaMemcpyAsync(arrays[i].at, arrays[i].staged, arrays[i].bytes, cudaMemcpyDeviceToHost, stream);
        }
    }
}

static void nap(unsigned milliseconds) {
    const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void call_watched(void *function, const struct job *job, cudaStream_t stream, struct answer *answer) {
    struct watch_wishes wishes = {stream,       {},          job->arrays,      job->wide_pitch != 0,
                                  job->harvest, job->others, job->fail_number, job->fail_call};
    for (unsigned i = 0; i < job->arrays; i++) {
        wishes.array[i] = {arrays[i].at, arrays[i].bytes};
    }
    if (job->late_ms) {
        hold_back(job, stream);
    } else if (job->busy) {
        occupy(stream);
    }
    watch_begin(&wishes);
    answer->returned = call(function, job, stream);
    if (job->again) {
        answer->returned = call(function, job, stream);
    }
    watch_end();
    nap(job->late_ms);
    answer->waited_busy = (job->busy || job->late_ms) && let_go();
    answer->error_left = cudaGetLastError();
}

// ---------------------------------------------------------------- how long it takes, next to a copy

/* The timed work is between two events in the caller's stream. */
static float milliseconds(cudaStream_t stream, const std::function<void()> &work) {
    cudaEvent_t start, stop;
    float passed = 0;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    cudaEventRecord(start, stream);
    work();
    cudaEventRecord(stop, stream);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&passed, start, stop);
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return passed;
}

static float median(std::vector<float> *times) {
    std::sort(times->begin(), times->end());
    return (*times)[times->size() / 2];
}

/* The two alternate, so that both run under the same conditions. The results are checked after a further call. */
static void time_turns(void *function, const struct job *job, cudaStream_t stream, struct answer *answer) {
    enum { WARM_UP = 2 };
    std::vector<float> calls, copies;
    char *from = NULL, *to = NULL;
    end_if(cudaMalloc((void **)&from, job->copy_bytes) != cudaSuccess, "runner: memory to copy");
    end_if(cudaMalloc((void **)&to, job->copy_bytes) != cudaSuccess, "runner: memory to copy");
    cudaMemset(from, 0, job->copy_bytes);
    for (unsigned turn = 0; turn < WARM_UP + job->turns; turn++) {
        float copy =
            milliseconds(stream, [=] { cudaMemcpyAsync(to, from, job->copy_bytes, cudaMemcpyDeviceToDevice, stream); });
        float one = milliseconds(stream, [=] { call(function, job, stream); });
        if (turn >= WARM_UP) {
            copies.push_back(copy);
            calls.push_back(one);
        }
    }
    cudaFree(from);
    cudaFree(to);
    answer->call_ms = median(&calls);
    answer->copy_ms = median(&copies);
}

// ---------------------------------------------------------------- counting

/* The given content has been copied by now, and is not counted. */
static void start_counting(const struct job *job) {
    struct emulatorArray watched[ARRAYS_MAX];
    if (!job->count || !emulator.counters_start) {
        return;
    }
    for (unsigned i = 0; i < job->arrays; i++) {
        watched[i] = {arrays[i].at, arrays[i].bytes, job->array[i].input, job->array[i].output};
    }
    emulator.watch_arrays(watched, job->arrays);
    emulator.counters_start();
}

static void stop_counting(const struct job *job, struct answer *answer) {
    struct emulatorArrayCounters counted[ARRAYS_MAX + 2];
    if (!job->count || !emulator.counters_stop) {
        return;
    }
    emulator.counters_stop(&answer->counters, sizeof answer->counters);
    emulator.arrays_counted(counted, ARRAYS_MAX + 2);
    emulator.host_bytes(&answer->host, sizeof answer->host);
    for (unsigned i = 0; i < job->arrays; i++) {
        answer->array[i].counted = counted[i];
    }
    answer->elsewhere = counted[job->arrays];
    answer->of_host = counted[job->arrays + 1];
    answer->has_counters = 1;
}

// ---------------------------------------------------------------- the answer

static void word(char *to, const char *text) {
    snprintf(to, WORD_MAX, "%s", text ? text : "");
}

/* Copies the arrays out in the caller's stream, then waits for everything. */
static void collect(const struct job *job, std::vector<blob> *contents, cudaStream_t stream, struct answer *answer) {
    cudaError_t error = cudaSuccess;
    for (unsigned i = 0; i < job->arrays; i++) {
        (*contents)[i].resize(arrays[i].bytes);
        if (!job->array[i].wanted || !arrays[i].bytes) {
            continue;
        }
        if (arrays[i].home == ON_HOST) {
            memcpy((*contents)[i].data(), arrays[i].at, arrays[i].bytes);
            continue;
        }
        cudaError_t copied =
            cudaMemcpyAsync((*contents)[i].data(), arrays[i].at, arrays[i].bytes,
                            arrays[i].home == ON_DEVICE ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost, stream);
        error = error == cudaSuccess ? copied : error;
    }
    cudaError_t waited = cudaStreamSynchronize(stream), all = cudaDeviceSynchronize();
    error = error != cudaSuccess ? error : waited != cudaSuccess ? waited : all;
    answer->error_later = error;
    answer->contents = error == cudaSuccess;
}

/* The first of the requested bytes that no kernel has written, or the number of requested bytes. */
static size_t first_not_by_kernels(const unsigned char *from, const struct array_order *order) {
    size_t asked = order->ask_bytes, pitch = order->ask_pitch ? order->ask_pitch : asked;
    for (size_t row = 0; row < asked; row += pitch) {
        size_t rest = asked - row, length = order->ask_pitch && order->ask_row < rest ? order->ask_row : rest;
        size_t first = emulator.not_by_kernels(from + row, length);
        if (first < length) {
            return row + first;
        }
    }
    return asked;
}

static void describe_arrays(const struct job *job, struct answer *answer) {
    for (unsigned i = 0; i < job->arrays; i++) {
        struct array_report *report = &answer->array[i];
        report->not_by_kernels = -1;
        report->damaged = answer->contents ? find_damage(&arrays[i]) : INT64_MIN;
        const unsigned char *from = arrays[i].at + job->array[i].ask_from;
        size_t asked = job->array[i].ask_bytes;
        if (asked && answer->contents && emulator.not_by_kernels && arrays[i].home != ON_HOST) {
            size_t first = first_not_by_kernels(from, &job->array[i]);
            report->not_by_kernels = (int64_t)first;
            word(report->author, first < asked ? emulator.author(from + first) : "");
        }
    }
}

/* "void ns::sum<4>(const float *, int)" becomes "sum". */
static void plain_name(char *to, const char *kernel) {
    static const char anonymous[] = "(anonymous namespace)::", returned[] = "void ";
    for (const char *prefix : {returned, anonymous}) {
        kernel += strncmp(kernel, prefix, strlen(prefix)) == 0 ? strlen(prefix) : 0;
    }
    size_t length = strcspn(kernel, "(<"), begin = length;
    while (begin > 0 && kernel[begin - 1] != ':') {
        begin--;
    }
    snprintf(to, WORD_MAX, "%.*s", (int)(length - begin), kernel + begin);
}

static struct launch describe_launch(const struct emulatorLaunch *known, cudaStream_t stream) {
    struct launch launch = {};
    memcpy(launch.grid, known->grid, sizeof launch.grid);
    memcpy(launch.block, known->block, sizeof launch.block);
    launch.shared = known->dynamic_shared;
    launch.other_stream = known->stream != stream && !(!stream && known->stream == cudaStreamLegacy);
    snprintf(launch.kernel, sizeof launch.kernel, "%s", known->symbol);
    plain_name(launch.called, known->kernel);
    launch.device = known->device;
    launch.parameter_bytes = known->parameter_bytes;
    launch.warp_instructions = known->warp_instructions;
    launch.input_threads = known->input_threads;
    launch.input_blocks = known->input_blocks;
    launch.output_threads = known->output_threads;
    launch.output_blocks = known->output_blocks;
    launch.input_bytes = known->input_bytes;
    launch.output_bytes = known->output_bytes;
    launch.most_input_bytes = known->most_input_bytes;
    launch.most_output_bytes = known->most_output_bytes;
    return launch;
}

/* The emulator records every kernel that ran, including those of a graph; on a GPU, and for launches that failed, the source is watch.cpp's
 * record. Returns those that do not fit in the answer. */
static std::vector<struct launch> describe_launches(struct answer *answer, cudaStream_t stream) {
    std::vector<struct launch> more;
    std::vector<struct emulatorLaunch> known(emulator.launches ? emulator.launches(NULL, 0) : 0);
    if (known.empty()) {
        return more;
    }
    emulator.launches(known.data(), known.size());
    answer->launches = (uint32_t)known.size();
    for (size_t l = 0; l < known.size() && l < LAUNCHES_MAX + LAUNCHES_MORE_MAX; l++) {
        struct launch launch = describe_launch(&known[l], stream);
        if (l < LAUNCHES_MAX) {
            answer->launch[l] = launch;
        } else {
            more.push_back(launch);
        }
    }
    answer->more_launches = (uint32_t)more.size();
    return more;
}

/* The facts known without querying the device. */
static void describe_calls(struct answer *answer) {
    const struct watch_notes *notes = watch_seen();
    answer->error_failed = notes->error_failed;
    word(answer->failed_call, notes->failed_call);
    answer->alive = notes->alive;
    answer->objects = notes->objects;
    answer->pageable = notes->pageable;
    answer->early = notes->early;
    answer->left = notes->left;
    answer->untaken = notes->untaken;
    answer->freed_early = notes->freed_early;
    answer->largest_copy = notes->largest_copy;
    answer->device_bytes = notes->device_bytes;
    answer->operations = notes->operations;
    answer->steps = notes->steps;
    answer->launches = notes->launches;
    memcpy(answer->launch, notes->launch, sizeof answer->launch);
    memcpy(answer->calls, notes->calls, sizeof answer->calls);
    word(answer->waited, notes->waited);
    const int32_t errors[] = {answer->returned, answer->error_left, answer->error_later, answer->error_failed};
    for (int e = 0; e < 4; e++) {
        word(answer->error_names[e], cudaGetErrorName((cudaError_t)errors[e]));
    }
    word(answer->verdict, emulator.verdict ? emulator.verdict() : "none");
}

/* The answer to the current job, and NULL between two jobs. */
static struct answer *under_way;

/* The student's function has called exit(), as CUDA_CHECK does: this sends the judge the known facts about it. */
static void at_exit(int status, void *) {
    if (under_way) {
        under_way->ended = 1;
        under_way->status = status;
        under_way->error_left = watch_seen()->error_told;
        describe_calls(under_way);
        fflush(NULL);
        put(under_way, sizeof *under_way);
        _exit(status);
    }
}

/* Sets the job's current device, and restores that of a fresh process when the job is done. */
static void choose_device(const struct job *job, struct answer *answer) {
    int major = 0, minor = 0;
    end_if(cudaSetDevice((int)job->device) != cudaSuccess, "runner: a device");
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, (int)job->device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, (int)job->device);
    answer->capability = (uint32_t)(10 * major + minor);
}

static void do_job(void *library, const struct job *job, const std::vector<blob> &given) {
    static struct answer answer;
    std::vector<blob> contents(ARRAYS_MAX);
    std::vector<struct launch> more_launches;
    cudaStream_t stream = NULL;
    void *function = dlsym(library, job->symbol);
    memset(&answer, 0, sizeof answer);
    answer.token = job->token;
    answer.found = function != NULL;
    if (function && !job->only_look) {
        choose_device(job, &answer);
        if (job->own_stream) {
            end_if(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess, "runner: a stream");
        }
        if (job->turns) {
            prepare(job, given, stream);
            under_way = &answer;
            time_turns(function, job, stream, &answer);
            under_way = NULL;
        }
        prepare(job, given, stream);
        if (emulator.mix_blocks) {
            emulator.mix_blocks((int)job->mixed); // which waits for the device, too
        }
        start_counting(job);
        under_way = &answer;
        call_watched(function, job, stream, &answer);
        under_way = NULL;
        stop_counting(job, &answer);
        collect(job, &contents, stream, &answer);
        answer.harvest = watch_seen()->harvest.size();
        describe_calls(&answer);
        describe_arrays(job, &answer);
        more_launches = describe_launches(&answer, stream);
        if (stream) {
            cudaStreamDestroy(stream);
        }
    }
    fflush(NULL);
    put(&answer, sizeof answer);
    for (unsigned i = 0; i < job->arrays && answer.contents; i++) {
        if (job->array[i].wanted) {
            put(contents[i].data(), contents[i].size());
        }
    }
    put(more_launches.data(), more_launches.size() * sizeof(struct launch));
    put(watch_seen()->harvest.data(), answer.harvest);
    if (job->device) {
        cudaSetDevice(0);
    }
    for (unsigned i = 0; i < job->arrays; i++) {
        if (!job->array[i].kept) {
            release(&arrays[i]);
        }
    }
}

static void serve(void *library) {
    for (;;) {
        static struct job job;
        std::vector<blob> given(ARRAYS_MAX);
        get(&job, sizeof job);
        for (unsigned i = 0; i < job.arrays; i++) {
            if (job.array[i].given) {
                given[i].resize(job.array[i].bytes);
                get(given[i].data(), given[i].size());
            }
        }
        do_job(library, &job, given);
    }
}

/* The emulator reserves an address range at its first allocation. The student's code, whose address space is limited, must not get that range. */
static void keep_addresses(void) {
    void *one;
    end_if(cudaMalloc(&one, 1) != cudaSuccess || cudaFree(one) != cudaSuccess, "runner: device memory");
}

int main(int argc, char **argv) {
    static const char hello[] = "hello";
    if (argc != 4) {
        fprintf(stderr, "usage: runner EXERCISE.so cpu|gpu SECONDS\n");
        return 120;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    find_emulator();
    on_exit(at_exit, NULL);
    bool on_emulator = strcmp(argv[2], "cpu") == 0;
    if (!on_emulator) {
        cudaFree(NULL); // a GPU's driver makes calls at startup that are forbidden afterwards
    }
    confine(on_emulator, atoi(argv[3]));
    cudaError_t error = cudaFree(NULL); // on failure: weaker confinement, or no runner at all
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", cudaGetErrorName(error), cudaGetErrorString(error));
        return 122;
    }
    if (on_emulator) {
        keep_addresses();
    }
    put(hello, sizeof hello);
    void *library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return 121;
    }
    serve(library);
}
