/* Records what a GPU answers: record_gpu FORMS VECTORS
 *
 * Runs the kernel of every form in FORMS through the driver and writes the results to VECTORS. A module of many kernels
 * is loaded at once; one that the driver rejects is halved until the form that it rejects stands alone. Links
 * nothing of CUDA's: the driver's library is opened at run time. */
#include "plan.h"
#include "vectors.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MODULE_KERNELS 64

/* The driver's functions, as its manual declares them. */
typedef unsigned long long device_pointer;
static struct driver {
    int (*cuInit)(unsigned);
    int (*cuDriverGetVersion)(int *);
    int (*cuDeviceGet)(int *, int);
    int (*cuDeviceGetName)(char *, int, int);
    int (*cuDevicePrimaryCtxRetain)(void **, int);
    int (*cuCtxSetCurrent)(void *);
    int (*cuCtxSynchronize)(void);
    int (*cuModuleLoadDataEx)(void **, const void *, unsigned, int *, void **);
    int (*cuModuleUnload)(void *);
    int (*cuModuleGetFunction)(void **, void *, const char *);
    int (*cuMemAlloc_v2)(device_pointer *, size_t);
    int (*cuMemcpyHtoD_v2)(device_pointer, const void *, size_t);
    int (*cuMemcpyDtoH_v2)(void *, device_pointer, size_t);
    int (*cuMemsetD8_v2)(device_pointer, unsigned char, size_t);
    int (*cuLaunchKernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                          void **);
    int (*cuGetErrorString)(int, const char **);
} cu;

enum { JIT_ERROR_LOG = 5, JIT_ERROR_LOG_SIZE = 6 }; /* CU_JIT_ERROR_LOG_BUFFER and its size */

static void check(int error, const char *what) {
    const char *text = "?";
    if (!error)
        return;
    cu.cuGetErrorString(error, &text);
    fprintf(stderr, "record_gpu: %s failed with error %d: %s\n", what, error, text);
    exit(1);
}
#define CHECK(call) check(cu.call, #call)

static void *symbol(void *library, const char *name) {
    void *address = dlsym(library, name);
    if (!address)
        fprintf(stderr, "record_gpu: the driver has no %s\n", name), exit(1);
    return address;
}
#define SYMBOL(name) *(void **)&cu.name = symbol(library, #name)

static void open_driver(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        fprintf(stderr, "record_gpu: %s\n", dlerror()), exit(1);
    SYMBOL(cuInit), SYMBOL(cuDriverGetVersion), SYMBOL(cuDeviceGet), SYMBOL(cuDeviceGetName);
    SYMBOL(cuDevicePrimaryCtxRetain), SYMBOL(cuCtxSetCurrent), SYMBOL(cuCtxSynchronize);
    SYMBOL(cuModuleLoadDataEx), SYMBOL(cuModuleUnload), SYMBOL(cuModuleGetFunction);
    SYMBOL(cuMemAlloc_v2), SYMBOL(cuMemcpyHtoD_v2), SYMBOL(cuMemcpyDtoH_v2), SYMBOL(cuMemsetD8_v2);
    SYMBOL(cuLaunchKernel), SYMBOL(cuGetErrorString);
}

static device_pointer device_inputs, device_outputs;
static uint64_t inputs[CASES * INPUT_SLOTS], outputs[CASES * OUTPUT_SLOTS];

static void open_device(char *machine, size_t room) {
    int device, version;
    void *context;
    char name[128];
    time_t now = time(NULL);
    char date[32];
    CHECK(cuInit(0));
    CHECK(cuDriverGetVersion(&version));
    CHECK(cuDeviceGet(&device, 0));
    CHECK(cuDeviceGetName(name, sizeof name, device));
    CHECK(cuDevicePrimaryCtxRetain(&context, device));
    CHECK(cuCtxSetCurrent(context));
    CHECK(cuMemAlloc_v2(&device_inputs, sizeof inputs));
    CHECK(cuMemAlloc_v2(&device_outputs, sizeof outputs));
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    snprintf(machine, room, "%s, driver for CUDA %d.%d, %s", name, version / 1000, version % 1000 / 10, date);
}

/* Loads the kernels f0, f1, ... of count plans. NULL when the driver does not accept them; log says why. */
static void *load(const struct plan *plans, size_t count, char *log, size_t log_size) {
    size_t room = 4096 * (count + 1), used;
    char *text = malloc(room), name[32];
    if (!text)
        abort();
    used = (size_t)snprintf(text, room, "%s", plan_module_header);
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "f%zu", i);
        used += plan_kernel(&plans[i], name, text + used, room - used);
    }
    text[used] = 0;
    int options[] = {JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE};
    void *values[] = {log, (void *)(uintptr_t)log_size};
    void *module = NULL;
    log[0] = 0;
    int error = cu.cuModuleLoadDataEx(&module, text, 2, options, values);
    free(text);
    return error ? NULL : module;
}

/* False when the kernel fails: after that the context is lost, and nothing more can be recorded. */
static bool run(const struct plan *plan, void *module, const char *name) {
    void *function, *arguments[] = {&device_inputs, &device_outputs};
    plan_inputs(plan, inputs);
    CHECK(cuModuleGetFunction(&function, module, name));
    CHECK(cuMemcpyHtoD_v2(device_inputs, inputs, sizeof inputs));
    CHECK(cuMemsetD8_v2(device_outputs, 0xcd, sizeof outputs));
    int error = cu.cuLaunchKernel(function, CASES / BLOCK_THREADS, 1, 1, BLOCK_THREADS, 1, 1, 0, NULL, arguments, NULL);
    if (!error)
        error = cu.cuCtxSynchronize();
    if (error) {
        fprintf(stderr, "record_gpu: %s %s ended with error %d; what follows is not recorded\n", plan->name,
                plan->operands, error);
        return false;
    }
    CHECK(cuMemcpyDtoH_v2(outputs, device_outputs, sizeof outputs));
    return true;
}

static bool context_lost;

/* Returns how many forms were rejected. */
static size_t record(const struct plan *plans, size_t count, struct vectors *v) {
    char log[2048], name[32];
    if (context_lost)
        return 0;
    void *module = load(plans, count, log, sizeof log);
    if (!module && count > 1)
        return record(plans, count / 2, v) + record(plans + count / 2, count - count / 2, v);
    if (!module) {
        printf("rejected %s %s: %s\n", plans->name, plans->operands, log);
        vectors_add(v, plans, NULL);
        return 1;
    }
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "f%zu", i);
        context_lost = !run(&plans[i], module, name);
        if (context_lost)
            return 0;
        vectors_add(v, &plans[i], outputs);
    }
    CHECK(cuModuleUnload(module));
    return 0;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return fprintf(stderr, "usage: record_gpu FORMS VECTORS\n"), 2;
    size_t count, rejected = 0;
    struct vectors v = {0};
    struct plan *plans = plan_read(argv[1], &count);
    if (!plans)
        return 1;
    open_driver();
    open_device(v.machine, sizeof v.machine);
    printf("%s: %zu tests\n", v.machine, count);
    for (size_t i = 0; i < count; i += MODULE_KERNELS)
        rejected += record(plans + i, count - i < MODULE_KERNELS ? count - i : MODULE_KERNELS, &v);
    FILE *file = fopen(argv[2], "wb");
    if (!file || !vectors_write(&v, file) || fclose(file) != 0)
        return perror(argv[2]), 1;
    printf("%zu recorded, %zu rejected\n", v.count - rejected, rejected);
    vectors_free(&v);
    free(plans);
    return context_lost;
}
