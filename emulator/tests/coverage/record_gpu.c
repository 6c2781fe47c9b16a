/* Executes forms on a GPU and records what they leave. A form is said by its number, as `coverage list` prints it.
 *   record_gpu write FORMS LIST FOLDER            modules of many forms each: FOLDER/N.ptx, for ptxas to make N.cubin of
 *   record_gpu run FORMS LIST FOLDER RESULTS [SECONDS [EXPECTED FILE]]
 *                                                 executes them: a fingerprint and a hash for each. EXPECTED has the
 *                                                 emulator's: what differs is written to FILE, but not all of much
 *   record_gpu dump FORMS LIST FILE               the whole output of some
 *
 * Links nothing of CUDA's: the driver's library is opened at run time. The work is done by a child; when it hangs or loses its
 * context, the form at which it stood is not recorded, and another child goes on behind it. What is recorded after SECONDS
 * is all. Blocks are clusters of one, and the launch says so: instructions of clusters are errors without. */
#include <dlfcn.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "grammar.h"
#include "results.h"
#include "trial.h"

#define MODULE_KERNELS 50
#define PATIENCE       3  /* seconds without progress */
#define START_PATIENCE 15 /* until the device is open */
#define SAVE_INTERVAL  5  /* seconds */

/* The driver's functions, as its manual declares them. */
typedef unsigned long long device_pointer;
enum { LAUNCH_CLUSTER_DIMENSION = 4 };
struct launch_attribute {
    int id;
    char padding[4];
    union {
        unsigned cluster[3];
        char size[64];
    } value;
};
struct launch_configuration {
    unsigned grid[3], block[3], dynamic_shared;
    void *stream;
    struct launch_attribute *attributes;
    unsigned attribute_count;
};
static struct driver {
    int (*cuInit)(unsigned);
    int (*cuDeviceGet)(int *, int);
    int (*cuDevicePrimaryCtxRetain)(void **, int);
    int (*cuCtxSetCurrent)(void *);
    int (*cuCtxSynchronize)(void);
    int (*cuModuleLoadData)(void **, const void *);
    int (*cuModuleUnload)(void *);
    int (*cuModuleGetFunction)(void **, void *, const char *);
    int (*cuMemAlloc_v2)(device_pointer *, size_t);
    int (*cuMemcpyHtoD_v2)(device_pointer, const void *, size_t);
    int (*cuMemcpyDtoH_v2)(void *, device_pointer, size_t);
    int (*cuMemsetD8_v2)(device_pointer, unsigned char, size_t);
    int (*cuLaunchKernelEx)(const struct launch_configuration *, void *, void **, void **);
} cu;

static void *symbol(void *library, const char *name) {
    void *address = dlsym(library, name);
    if (!address)
        fprintf(stderr, "record_gpu: the driver has no %s\n", name), exit(1);
    return address;
}
#define SYMBOL(name) *(void **)&cu.name = symbol(library, #name)

static void must(int error, const char *what) {
    if (error)
        fprintf(stderr, "record_gpu: %s failed with error %d\n", what, error), _exit(3);
}
#define CHECK(call) must(cu.call, #call)

static device_pointer device_input, device_output;
static uint8_t input[TRIAL_INPUT_BYTES], output[TRIAL_OUTPUT_BYTES];

static void open_device(void) {
    int device;
    void *context, *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        fprintf(stderr, "record_gpu: %s\n", dlerror()), exit(1);
    SYMBOL(cuInit), SYMBOL(cuDeviceGet), SYMBOL(cuDevicePrimaryCtxRetain), SYMBOL(cuCtxSetCurrent);
    SYMBOL(cuCtxSynchronize), SYMBOL(cuModuleLoadData), SYMBOL(cuModuleUnload), SYMBOL(cuModuleGetFunction);
    SYMBOL(cuMemAlloc_v2), SYMBOL(cuMemcpyHtoD_v2), SYMBOL(cuMemcpyDtoH_v2), SYMBOL(cuMemsetD8_v2);
    SYMBOL(cuLaunchKernelEx);
    CHECK(cuInit(0));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuMemAlloc_v2(&device_input, sizeof input));
    CHECK(cuMemAlloc_v2(&device_output, sizeof output));
    trial_fill_input(input);
    CHECK(cuMemcpyHtoD_v2(device_input, input, sizeof input));
}

/* ---- the work, in memory that parent and child share ---- */

enum state { TO_DO, DONE, FAILED };

static struct shared {
    size_t count, at;        /* the item at which the child stands */
    bool open;               /* the child has begun */
    unsigned different[256]; /* by family */
    struct item {
        unsigned candidate;
        uint32_t hash;
        enum state state;
    } items[];
} * shared;
static struct grammar grammar;

static const char *form_of(const struct item *item) {
    return grammar.candidates[item->candidate].text;
}

/* The kernels f0, f1, ... of some items. */
static size_t write_module(const struct item *items, size_t count, char *text, size_t room) {
    size_t used = trial_write_header(text, room);
    for (size_t i = 0; i < count; i++) {
        struct trial trial = trial_of(form_of(&items[i]));
        char name[32];
        snprintf(name, sizeof name, "f%zu", i);
        used += trial_write(&trial, name, text + used, room - used);
    }
    return used;
}

static size_t kernels_of(size_t first) {
    return shared->count - first < MODULE_KERNELS ? shared->count - first : MODULE_KERNELS;
}

static int write_modules(const char *folder) {
    static char text[MODULE_KERNELS * TRIAL_TEXT / 2], path[4096];
    for (size_t i = 0; i < shared->count; i += MODULE_KERNELS) {
        size_t length = write_module(&shared->items[i], kernels_of(i), text, sizeof text);
        snprintf(path, sizeof path, "%s/%zu.ptx", folder, i);
        FILE *file = fopen(path, "w");
        if (!file || fwrite(text, length, 1, file) != 1 || fclose(file) != 0)
            return perror(path), 1;
    }
    return 0;
}

static void *load_file(const char *path) {
    void *module = NULL;
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    long size = ftell(file);
    char *bytes = malloc((size_t)size + 1);
    rewind(file);
    if (bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size && cu.cuModuleLoadData(&module, bytes) != 0)
        module = NULL;
    fclose(file);
    free(bytes);
    return module;
}

/* Compiled by the driver. */
static void *load_one(const struct item *item) {
    static char text[2 * TRIAL_TEXT];
    void *module = NULL;
    text[write_module(item, 1, text, sizeof text - 1)] = '\0';
    return cu.cuModuleLoadData(&module, text) ? NULL : module;
}

static struct results expected;
static FILE *different; /* may be NULL */

static void write_output(const struct item *item) {
    fwrite(&item->candidate, 4, 1, different);
    fwrite(output, sizeof output, 1, different);
    fflush(different); /* the next may end the process */
}

static void compare(const struct trial *trial, const struct item *item) {
    const struct result *r = different ? results_find(&expected, trial_fingerprint(trial)) : NULL;
    if (!r || r->hash == item->hash)
        return;
    unsigned before = shared->different[grammar.candidates[item->candidate].family % 256]++;
    if (before < 24 || before % 16 == 0)
        write_output(item);
}

static void run(void *module, size_t number, struct item *item) {
    struct trial trial = trial_of(form_of(item));
    struct trial_parameters p = {.input = device_input, .output = device_output};
    void *function, *arguments[] = {p.pin, &p.texture, &p.input, &p.output};
    char name[32];
    snprintf(name, sizeof name, "f%zu", number);
    trial_fill_parameter(p.pin);
    CHECK(cuModuleGetFunction(&function, module, name));
    CHECK(cuMemsetD8_v2(device_output, 0, sizeof output));
    struct launch_attribute cluster = {.id = LAUNCH_CLUSTER_DIMENSION, .value.cluster = {1, 1, 1}};
    struct launch_configuration launch = {{1, 1, 1}, {trial.threads, 1, 1}, 0, NULL, &cluster, 1};
    must(cu.cuLaunchKernelEx(&launch, function, arguments, NULL), trial.form);
    must(cu.cuCtxSynchronize(), trial.form);
    CHECK(cuMemcpyDtoH_v2(output, device_output, sizeof output));
    item->hash = trial_hash(&trial, output);
    item->state = DONE;
    compare(&trial, item);
}

static void run_alone(struct item *item) {
    void *module = load_one(item);
    if (!module) {
        fprintf(stderr, "not compiled: %s\n", form_of(item));
        item->state = FAILED;
        return;
    }
    run(module, 0, item);
    CHECK(cuModuleUnload(module));
}

static _Noreturn void work(const char *folder) {
    char path[4096];
    void *module = NULL;
    open_device();
    shared->open = true;
    for (size_t loaded = ~(size_t)0; shared->at < shared->count; shared->at++) {
        size_t number = shared->at % MODULE_KERNELS, first = shared->at - number;
        if (loaded != first) {
            if (module)
                CHECK(cuModuleUnload(module));
            snprintf(path, sizeof path, "%s/%zu.cubin", folder, first);
            module = load_file(path);
            loaded = first;
        }
        if (module)
            run(module, number, &shared->items[shared->at]);
        else /* ptxas could not compile it, or broke down */
            shared->items[shared->at].state = FAILED;
    }
    _exit(0);
}

static void write_results(const char *path) {
    struct results r = {calloc(shared->count + 1, sizeof *r.items), 0};
    for (size_t i = 0; r.items && i < shared->count; i++) {
        struct trial trial = trial_of(form_of(&shared->items[i]));
        if (shared->items[i].state == DONE)
            r.items[r.count++] = (struct result){trial_fingerprint(&trial), shared->items[i].hash};
    }
    results_write(&r, path);
    free(r.items);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double end = 1e300; /* when to stop */

/* Waits for the child while it gets on. True when it has come to its end. */
static bool finished(pid_t child, const char *results) {
    size_t seen = shared->at;
    double since = now(), saved = since;
    int status;
    while (waitpid(child, &status, WNOHANG) != child) {
        double time = now();
        usleep(5000);
        if (time - saved > SAVE_INTERVAL)
            write_results(results), saved = now();
        if (shared->at != seen)
            seen = shared->at, since = time;
        if (time > end || time - since > (shared->open ? PATIENCE : START_PATIENCE)) {
            kill(child, SIGKILL); /* which may take its time, so that nobody waits for it */
            return false;
        }
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void run_all(const char *folder, const char *results) {
    while (now() < end) {
        shared->open = false;
        pid_t child = fork();
        if (child == 0)
            work(folder);
        if (finished(child, results) || shared->at >= shared->count)
            return;
        fprintf(stderr, "failed: %s\n", form_of(&shared->items[shared->at]));
        shared->items[shared->at++].state = FAILED;
    }
    fprintf(stderr, "out of time at %zu of %zu\n", shared->at, shared->count);
}

static int dump(const char *path) {
    different = fopen(path, "wb");
    if (!different)
        return perror(path), 1;
    open_device();
    for (size_t i = 0; i < shared->count; i++) {
        memset(output, 0, sizeof output);
        run_alone(&shared->items[i]);
        write_output(&shared->items[i]);
    }
    return fclose(different);
}

static void read_list(const char *path) {
    FILE *file = fopen(path, "r");
    if (!file)
        perror(path), exit(1);
    for (unsigned n; fscanf(file, "%u", &n) == 1;)
        if (n < grammar.candidate_count && shared->count < grammar.candidate_count)
            shared->items[shared->count++].candidate = n;
    fclose(file);
}

int main(int argc, char **argv) {
    if (argc < 5)
        return fprintf(stderr, "usage: record_gpu write|run|dump FORMS LIST ...\n"), 2;
    grammar_read(&grammar, argv[2]);
    size_t size = sizeof *shared + (grammar.candidate_count + 1) * sizeof *shared->items;
    shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return perror("mmap"), 1;
    read_list(argv[3]);
    if (strcmp(argv[1], "write") == 0)
        return write_modules(argv[4]);
    if (strcmp(argv[1], "dump") == 0)
        return dump(argv[4]);
    if (argc < 6)
        return 2;
    if (argc > 6)
        end = now() + strtod(argv[6], NULL);
    if (argc > 8) {
        expected = results_read(argv[7]);
        different = fopen(argv[8], "wb");
    }
    run_all(argv[4], argv[5]);
    write_results(argv[5]);
    size_t done = 0;
    for (size_t i = 0; i < shared->count; i++)
        done += shared->items[i].state == DONE;
    printf("%zu of %zu recorded\n", done, shared->count);
    return 0;
}
