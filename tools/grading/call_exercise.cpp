/* call_exercise.cpp - the main() of an exercise outside of a grading: calls each of its functions once, as the grader does, so that the
 * student's own kernels can be profiled, drawn, checked for faults and timed. Only the grader judges the results.
 *
 *     exercise [2 | transpose]        only the second function, or the named one; the same as V=2 in the environment
 *
 * EXERCISE_CALLS=all also makes the calls at the edge (jobs.h). The calls are read from the file that EXERCISE_JOBS names, by default
 * exercise.jobs in the executable's folder. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "common/device.h"
#include "common/verify.h"
#include "tools/grading/call.h"
#include "tools/grading/jobs.h"

enum { VALUES = 6 }; /* printed of each result */

typedef std::vector<unsigned char> blob;

struct planned {
    struct shown_job shown;
    std::vector<blob> given;
    std::vector<std::string> types; /* of the parameters */
};

[[noreturn]] static void fail(const std::string &what) {
    fprintf(stderr, "error: %s\n", what.c_str());
    exit(1);
}

// ---------------------------------------------------------------- the file of calls

static std::string path_of_jobs(void) {
    const char *told = getenv("EXERCISE_JOBS");
    char own[4096] = "";
    ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    own[length > 0 ? length : 0] = 0;
    return told && *told ? told : std::string(own) + ".jobs";
}

static void get(FILE *file, void *to, size_t size) {
    if (size && fread(to, size, 1, file) != 1) {
        fail("the file of calls ends too early: make it again (make clean).");
    }
}

/* "void scale(const float *, int)": "const float *" and "int". */
static std::vector<std::string> parameter_types(const std::string &prototype) {
    std::vector<std::string> types;
    size_t from = prototype.find('(') + 1, end = prototype.rfind(')');
    while (from < end) {
        size_t to = prototype.find(',', from);
        to = to == std::string::npos ? end : to;
        from = prototype.find_first_not_of(' ', from);
        types.push_back(prototype.substr(from, to - from));
        from = to + 1;
    }
    return types;
}

static std::vector<struct planned> read_jobs(const std::string &path) {
    struct jobs_head head;
    FILE *file = fopen(path.c_str(), "rb");
    if (!file) {
        fail(path + " cannot be read: " + strerror(errno) + ".");
    }
    get(file, &head, sizeof head);
    if (memcmp(head.magic, JOBS_MAGIC, sizeof head.magic) != 0 || head.entry_bytes != sizeof(struct shown_job)) {
        fail(path + " was written by another version of the workbook.");
    }
    if (head.devices[0]) {
        setenv("EMULATOR_DEVICES", head.devices, 0);
    }
    std::vector<struct planned> jobs(head.count);
    for (struct planned &p : jobs) {
        get(file, &p.shown, sizeof p.shown);
        p.types = parameter_types(p.shown.prototype);
        p.given.resize(ARRAYS_MAX);
        for (unsigned i = 0; i < p.shown.job.arrays; i++) {
            p.given[i].resize(p.shown.job.array[i].given ? p.shown.job.array[i].bytes : 0);
            get(file, p.given[i].data(), p.given[i].size());
        }
    }
    fclose(file);
    return jobs;
}

// ---------------------------------------------------------------- arrays

static unsigned char *allocate(const struct array_order *order) {
    unsigned char *at = NULL;
    size_t bytes = order->bytes ? order->bytes : 1;
    if (order->home == ON_HOST) {
        at = (unsigned char *)malloc(bytes);
    } else if (order->home == ON_HOST_PINNED) {
        CUDA_CHECK(cudaMallocHost((void **)&at, bytes));
    } else {
        CUDA_CHECK(cudaMalloc((void **)&at, bytes));
    }
    return at;
}

/* An array without given content stays as allocated, so that a kernel that reads it is reported; an array kept from call to call may be read. */
static void fill(const struct planned *p, unsigned i, unsigned char *at, cudaStream_t stream) {
    const struct array_order *order = &p->shown.job.array[i];
    blob content = p->given[i];
    if (content.empty() && (order->kept || order->home != ON_DEVICE)) {
        content.resize(order->bytes);
        verify_poison_host(content.data(), order->bytes);
    }
    if (order->home == ON_DEVICE && !content.empty()) {
        CUDA_CHECK(cudaMemcpyAsync(at, content.data(), content.size(), cudaMemcpyHostToDevice, stream));
    } else if (!content.empty()) {
        memcpy(at, content.data(), content.size());
    }
}

static void release(const struct array_order *order, unsigned char *at) {
    if (order->home == ON_HOST) {
        free(at);
    } else if (order->home == ON_HOST_PINNED) {
        CUDA_CHECK(cudaFreeHost(at));
    } else {
        CUDA_CHECK(cudaFree(at));
    }
}

// ---------------------------------------------------------------- what is printed

static bool names(const std::string &type, const char *word) {
    return type.find(word) != std::string::npos;
}

/* The first values of an array of this type; "" if none can be printed. */
static std::string values(const std::string &type, const blob &content) {
    const unsigned char *from = content.data();
    std::string text;
    size_t size = names(type, "long long")                           ? 8
                  : names(type, "char")                              ? 1
                  : names(type, "__half") || names(type, "bfloat16") ? 2
                                                                     : 4;
    if (names(type, "struct") || names(type, "int2") || names(type, "int4")) {
        return "";
    }
    for (size_t v = 0; v < VALUES && (v + 1) * size <= content.size(); v++) {
        char one[40];
        double real = 0;
        long long whole = 0;
        memcpy(&whole, from + v * size, size);
        if (names(type, "float")) {
            real = *(const float *)(from + v * size);
        } else if (names(type, "__half")) {
            real = __half2float(*(const __half *)(from + v * size));
        } else if (names(type, "bfloat16")) {
            real = __bfloat162float(*(const __nv_bfloat16 *)(from + v * size));
        } else {
            real = (double)(size == 4 && !names(type, "unsigned") ? (int)whole : whole);
        }
        snprintf(one, sizeof one, " %.7g", real);
        text += one;
    }
    return text + (content.size() > VALUES * size ? " ..." : "");
}

/* "transpose(in, out, 700, 601, 610, stream)" */
static std::string call_text(const struct planned *p) {
    std::string text = std::string(p->shown.name) + "(";
    for (unsigned a = 0; a < p->shown.job.arguments; a++) {
        const struct argument *argument = &p->shown.job.argument[a];
        char number[40];
        bool is_unsigned = a < p->types.size() && (names(p->types[a], "unsigned") || names(p->types[a], "u64"));
        snprintf(number, sizeof number, is_unsigned ? "%llu" : "%lld", (unsigned long long)argument->integer);
        if (argument->kind == ARGUMENT_FLOAT) {
            snprintf(number, sizeof number, "%g", argument->real);
        }
        text += a ? ", " : "";
        text += argument->kind == ARGUMENT_ARRAY    ? p->shown.array_name[argument->array]
                : argument->kind == ARGUMENT_STREAM ? "stream"
                                                    : number;
    }
    return text + ")";
}

/* Everything that the grader requires kernels to write, so that the checks report anything left unwritten. */
static blob fetch(const struct array_order *order, const unsigned char *at) {
    size_t pitch = order->ask_pitch ? order->ask_pitch : order->ask_bytes;
    size_t row = order->ask_pitch ? order->ask_row : order->ask_bytes;
    blob content;
    for (size_t from = 0; from < order->ask_bytes; from += pitch) {
        size_t left = order->ask_bytes - from, bytes = row < left ? row : left, before = content.size();
        content.resize(before + bytes);
        CUDA_CHECK(cudaMemcpy(content.data() + before, at + order->ask_from + from, bytes, cudaMemcpyDefault));
    }
    return content;
}

static void print_results(const struct planned *p, unsigned char *const *at) {
    for (unsigned a = 0; a < p->shown.job.arguments && a < p->types.size(); a++) {
        const struct argument *argument = &p->shown.job.argument[a];
        unsigned i = argument->array;
        if (argument->kind != ARGUMENT_ARRAY || !p->shown.job.array[i].ask_bytes) {
            continue;
        }
        std::string text = values(p->types[a], fetch(&p->shown.job.array[i], at[i]));
        if (!text.empty()) {
            printf("    %s:%s\n", p->shown.array_name[i], text.c_str());
        }
    }
}

static void print_ratio(const char *what, const char *unit, uint64_t requests, uint64_t parts) {
    if (requests) {
        printf("    %s: %.2f %s per request (%llu requests)\n", what, (double)parts / (double)requests, unit,
               (unsigned long long)requests);
    }
}

static uint64_t launches; /* of all calls */

static void print_counts(const struct emulatorCounters *c) {
    launches += c->launches;
    printf("    %llu launch%s\n", (unsigned long long)c->launches, c->launches == 1 ? "" : "es");
    print_ratio("global loads", "sectors", c->global_load_requests, c->global_load_sectors);
    print_ratio("global stores", "sectors", c->global_store_requests, c->global_store_sectors);
    print_ratio("shared loads", "wavefronts", c->shared_load_requests, c->shared_load_wavefronts);
    print_ratio("shared stores", "wavefronts", c->shared_store_requests, c->shared_store_wavefronts);
    if (c->divergent_branches) {
        printf("    %llu of %llu branches split a warp\n", (unsigned long long)c->divergent_branches,
               (unsigned long long)c->branches);
    }
}

// ---------------------------------------------------------------- one call

struct work {
    void *function;
    const struct planned *planned;
    unsigned char *at[ARRAYS_MAX];
    cudaStream_t stream;
    int returned;
};

static void fill_all(const struct work *w) {
    for (unsigned i = 0; i < w->planned->shown.job.arrays; i++) {
        fill(w->planned, i, w->at[i], w->stream);
    }
    CUDA_CHECK(cudaStreamSynchronize(w->stream));
}

static void call_in_a_row(struct work *w) {
    for (unsigned turn = 0; turn < w->planned->shown.times; turn++) {
        w->returned = call_function(w->function, &w->planned->shown.job, w->at, w->stream);
    }
}

static void call(struct work *w) {
    fill_all(w);
    call_in_a_row(w);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaStreamSynchronize(w->stream));
    CUDA_CHECK(cudaDeviceSynchronize());
}

static void call_counted(struct work *w) {
    struct emulatorCounters counters = {};
    void (*start)(void) = (void (*)(void))device_emulator_function("emulatorCountersStart");
    void (*stop)(struct emulatorCounters *, size_t) =
        (void (*)(struct emulatorCounters *, size_t))device_emulator_function("emulatorCountersStop");
    start();
    call(w);
    stop(&counters, sizeof counters);
    print_counts(&counters);
}

/* The first call loads the kernels, so a second one is timed. */
static void call_timed(struct work *w) {
    cudaEvent_t begin, end;
    float milliseconds = 0;
    call(w);
    fill_all(w);
    CUDA_CHECK(cudaEventCreate(&begin));
    CUDA_CHECK(cudaEventCreate(&end));
    CUDA_CHECK(cudaEventRecord(begin, w->stream));
    call_in_a_row(w);
    CUDA_CHECK(cudaEventRecord(end, w->stream));
    CUDA_CHECK(cudaEventSynchronize(end));
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
    CUDA_CHECK(cudaEventDestroy(begin));
    CUDA_CHECK(cudaEventDestroy(end));
    printf("    %.4f ms (the kernels had been loaded before)\n", milliseconds / (float)w->planned->shown.times);
}

static void do_job(const struct planned *p) {
    const struct job *job = &p->shown.job;
    struct work w = {dlsym(RTLD_DEFAULT, job->symbol), p, {}, NULL, 0};
    if (!w.function) {
        fail(std::string("no function `") + p->shown.prototype + "` in your file.");
    }
    std::string times = p->shown.times > 1 ? ", " + std::to_string(p->shown.times) + " times" : "";
    printf("%s%s\n", call_text(p).c_str(), times.c_str());
    fflush(stdout);
    if (job->own_stream) {
        CUDA_CHECK(cudaStreamCreateWithFlags(&w.stream, cudaStreamNonBlocking));
    }
    for (unsigned i = 0; i < job->arrays; i++) {
        w.at[i] = allocate(&job->array[i]);
    }
    if (device_is_emulator()) {
        call_counted(&w);
    } else {
        call_timed(&w);
    }
    if (strncmp(p->shown.prototype, "int ", 4) == 0) {
        printf("    returned %d\n", w.returned);
    }
    print_results(p, w.at);
    for (unsigned i = 0; i < job->arrays; i++) {
        release(&job->array[i], w.at[i]);
    }
    if (w.stream) {
        CUDA_CHECK(cudaStreamDestroy(w.stream));
    }
}

// ---------------------------------------------------------------- selection

/* Whether this is the requested function, given by its number from 1 or by its name. */
static bool is_wanted(const struct planned *p, const std::string &wanted) {
    return wanted.empty() || wanted == p->shown.name || wanted == std::to_string(p->shown.number);
}

int main(int argc, char **argv) {
    const char *variable = getenv("V"), *calls = getenv("EXERCISE_CALLS");
    bool all = calls && strcmp(calls, "all") == 0;
    std::string wanted = argc > 1 ? argv[1] : variable ? variable : "", known;
    std::vector<struct planned> jobs = read_jobs(path_of_jobs());
    unsigned done = 0;
    device_print_backend();
    for (const struct planned &p : jobs) {
        if (p.shown.at_edge && !all) {
            continue;
        }
        known += (known.empty() ? "" : ", ") + std::to_string(p.shown.number) + " " + p.shown.name;
        if (is_wanted(&p, wanted)) {
            do_job(&p);
            done++;
        }
    }
    if (!done) {
        fail("V=" + wanted + ": no such function. The functions are: " + known + ".");
    }
    if (device_is_emulator() && !launches) {
        printf("No kernel was launched: are the TODOs done?\n");
    }
    return 0;
}
