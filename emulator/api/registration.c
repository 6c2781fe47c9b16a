#include "api/registration.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/queue.h"
#include "base/checks.h"
#include "base/limits.h"
#include "base/out_of_memory.h"
#include "check/report.h"
#include "decode/static_limits.h"
#include "fatbin/bundle.h"
#include "fatbin/images.h"
#include "fatbin/resources.h"
#include "profile/launches.h"

/* One fat binary: of the program or of a library it uses. */
struct binary {
    const struct fatbin_wrapper *wrapper;
    struct variable *variables;
    struct entry *entries;
    struct module *modules[MAX_DEVICES]; /* loaded at the first use */
    cudaError_t load_error;              /* why not, reported once */
    char *left_out; /* why a file that was linked into it has no PTX for the device; NULL: all files have it */
    bool resources_noted;
    struct binary *next; /* never in a separate list; handles are checked against this one */
    void *data;          /* of a library: PTX text or a fat binary, and what was wrong with it */
    size_t data_size;
    char *place, *why;
};

struct variable {
    const void *shadow; /* the host's shadow variable */
    void **managed;     /* where the host keeps the address of a __managed__ variable, or NULL */
    const char *name;
    struct binary *binary;
    struct variable *next, *next_in_bucket;
};

struct entry {
    const void *stub;
    const char *name;
    struct binary *binary;
    struct kernel *kernels[MAX_DEVICES];
    bool reported; /* that it is missing */
    struct entry *next, *next_by_stub, *next_by_handle;
};

/* Guards everything below. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define BUCKETS 4096
static struct entry *entries_by_stub[BUCKETS], *entries_by_handle[BUCKETS];
static struct variable *variables_by_shadow[BUCKETS];
static struct binary *binaries;

static unsigned bucket_of(const void *pointer) {
    return (unsigned)(((uintptr_t)pointer * 0x9e3779b97f4a7c15u) >> 52);
}

/* ---- Called by the executable's constructors ---- */

EXPORT void **__cudaRegisterFatBinary(void *wrapper) {
    struct binary *b = zeroed(1, sizeof *b);
    b->wrapper = wrapper;
    pthread_mutex_lock(&lock);
    b->next = binaries;
    binaries = b;
    pthread_mutex_unlock(&lock);
    return (void **)b;
}

EXPORT void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
}

EXPORT void __cudaRegisterFunction(void **handle, const char *stub, char *device_stub, const char *name,
                                   int thread_limit, uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp_size) {
    (void)device_stub, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp_size;
    struct binary *b = (struct binary *)handle;
    struct entry *e = zeroed(1, sizeof *e);
    struct entry **by_stub = &entries_by_stub[bucket_of(stub)], **by_handle = &entries_by_handle[bucket_of(e)];
    pthread_mutex_lock(&lock);
    *e = (struct entry){.stub = stub, .name = name, .binary = b};
    e->next = b->entries;
    e->next_by_stub = *by_stub;
    e->next_by_handle = *by_handle;
    b->entries = *by_stub = *by_handle = e;
    pthread_mutex_unlock(&lock);
}

static void register_variable(void **handle, const void *shadow, void **managed, const char *name) {
    struct variable *v = zeroed(1, sizeof *v);
    struct binary *b = (struct binary *)handle;
    struct variable **bucket = &variables_by_shadow[bucket_of(shadow)];
    *v = (struct variable){.shadow = shadow, .managed = managed, .name = name, .binary = b};
    pthread_mutex_lock(&lock);
    v->next_in_bucket = *bucket;
    *bucket = v;
    v->next = b->variables;
    b->variables = v;
    pthread_mutex_unlock(&lock);
}

EXPORT void __cudaRegisterVar(void **handle, char *shadow, char *device_address, const char *name, int external,
                              size_t size, int constant, int global) {
    (void)device_address, (void)external, (void)size, (void)constant, (void)global;
    register_variable(handle, shadow, NULL, name);
}

EXPORT void __cudaRegisterManagedVar(void **handle, void **pointer, char *device_address, const char *name,
                                     int external, size_t size, int constant, int global) {
    (void)device_address, (void)external, (void)size, (void)constant, (void)global;
    register_variable(handle, pointer, pointer, name);
}

EXPORT void __cudaRegisterHostVar(void **handle, const char *name, char *host, size_t size) {
    (void)handle, (void)name, (void)host, (void)size;
}

EXPORT void __cudaRegisterUnifiedTable(void **handle, void *table) {
    (void)handle, (void)table;
}

/* ---- Loading ---- */

static const char *executable_name(void) {
    static char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0)
        return "the program";
    path[length] = '\0';
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static cudaError_t load_failed(struct binary *b, cudaError_t error, const char *kernel_name, const char *why,
                               const char *advice) {
    b->load_error = error;
    if (b->data) {
        free(b->why);
        b->why = or_out_of_memory(strdup(advice));
    }
    report_launch(kernel_name, FINDING_UNSUPPORTED, why, advice);
    return error;
}

/* The host reads a __managed__ variable through a pointer that we set. */
static void publish_managed(struct binary *b, struct module *module) {
    for (struct variable *v = b->variables; v; v = v->next) {
        uint64_t address;
        size_t bytes;
        if (v->managed && module_variable(module, v->name, &address, &bytes))
            *v->managed = (void *)(uintptr_t)address;
    }
}

/* Toolkits 12 and 13 write it; zeros at the end are allowed. A fat binary whose PTX is not compressed has that word,
 * too. */
static bool is_ptx(const char *data, size_t size) {
    unsigned magic = 0;
    memcpy(&magic, data, size < sizeof magic ? size : sizeof magic);
    return magic != FATBIN_MAGIC && memmem(data, size, ".version", 8) != NULL;
}

static cudaError_t unpack_library(struct binary *b, const char *kernel_name, struct fatbin_images *images,
                                  bool resources) {
    char why[1024];
    struct fatbin_image image;
    const unsigned arch = 90;
    if (bundle_images(b->data, b->data_size, arch, images))
        return cudaSuccess;
    if (is_ptx(b->data, b->data_size)) {
        fatbin_text_images(b->data, strnlen(b->data, b->data_size), arch, images);
    } else {
        enum fatbin_result result = fatbin_unpack(b->data, b->data_size, b->place, &image, why, sizeof why);
        if (result != FATBIN_OK)
            return load_failed(
                b, result == FATBIN_NO_IMAGE ? cudaErrorNoKernelImageForDevice : cudaErrorInvalidKernelImage,
                kernel_name, "The library contains no device code that the emulator can run", why);
        *images = (struct fatbin_images){.items = zeroed(1, sizeof image), .count = 1};
        images->items[0] = image;
        if (resources)
            fatbin_each_machine_code(b->data, b->data_size, resources_note_machine_code);
    }
    for (size_t i = 0; resources && i < images->count; i++)
        resources_note_ptx(images->items[i].text, images->items[i].length);
    return cudaSuccess;
}

/* The number of registers of a kernel and the stack that its calls take are read from machine code, or from ptxas when
 * it is run. */
static bool resources_wanted(void) {
    return launches_wanted() || check_is_on(CHECK_MEMORY | CHECK_SYNC);
}

/* Finds the PTX of a binary. `kernel_name` is for the message, NULL for none. */
static cudaError_t unpack(struct binary *b, const char *kernel_name, struct fatbin_images *images, bool resources) {
    char why[1024];
    b->resources_noted |= resources;
    const struct fatbin_wrapper *w = b->wrapper;
    if (b->data)
        return unpack_library(b, kernel_name, images, resources);
    if (w->magic != FATBIN_WRAPPER_MAGIC)
        return load_failed(b, cudaErrorInvalidKernelImage, kernel_name, "The program's device code cannot be read",
                           "The format of its fat binary is not supported. Build it with nvcc 12 or 13.");
    switch (fatbin_images(w, images, resources, why, sizeof why)) {
    case FATBIN_OK:
        return cudaSuccess;
    case FATBIN_NO_IMAGE:
        return load_failed(b, cudaErrorNoKernelImageForDevice, kernel_name,
                           "The program contains no device code that the emulator can run", why);
    default:
        return load_failed(b, cudaErrorInvalidKernelImage, kernel_name, "The program's device code cannot be read",
                           why);
    }
}

/* The module that is already loaded for some device. */
static struct module *any_module(const struct binary *b) {
    for (int d = 0; d < MAX_DEVICES; d++)
        if (b->modules[d])
            return b->modules[d];
    return NULL;
}

/* Loads what unpack() has found, as one module. */
static struct module *load_images(const struct binary *b, const struct fatbin_images *images, int device, char *error,
                                  size_t size) {
    struct module_text *texts = zeroed(images->count, sizeof *texts);
    for (size_t i = 0; i < images->count; i++)
        texts[i] = (struct module_text){images->items[i].text, images->items[i].length};
    struct module *m = module_link_on(texts, images->count, executable_name(), device, any_module(b), error, size);
    free(texts);
    return m;
}

/* Unpacks and loads a binary for a device, once. */
static cudaError_t load(struct binary *b, int device, const char *kernel_name) {
    if (b->modules[device])
        return cudaSuccess;
    if (b->load_error)
        return b->load_error;
    char why[1024];
    struct fatbin_images images;
    cudaError_t error = unpack(b, kernel_name, &images, !b->resources_noted && resources_wanted());
    if (error != cudaSuccess)
        return error;
    if (!b->left_out && images.left_out)
        b->left_out = or_out_of_memory(strdup(images.left_out));
    b->modules[device] = load_images(b, &images, device, why, sizeof why);
    fatbin_images_free(&images);
    if (!b->modules[device] && strncmp(why, NO_MEMORY_WORDS, strlen(NO_MEMORY_WORDS)) == 0) {
        error = load_failed(b, cudaErrorMemoryAllocation, kernel_name,
                            "The program's variables do not fit into device memory", why);
        b->load_error = cudaSuccess; /* there may be later */
        return error;
    }
    if (!b->modules[device])
        return load_failed(b, cudaErrorInvalidPtx, kernel_name,
                           strncmp(why, LIMITS_WORDS, strlen(LIMITS_WORDS)) == 0
                               ? "nvcc refuses to build this program for any GPU"
                               : "The program's PTX cannot be loaded",
                           why);
    publish_managed(b, b->modules[device]);
    return cudaSuccess;
}

/* Called before the host's first use of a __managed__ variable. */
EXPORT char __cudaInitModule(void **handle) {
    state_enter();
    pthread_mutex_lock(&lock);
    cudaError_t error = load((struct binary *)handle, state_device(), NULL);
    pthread_mutex_unlock(&lock);
    return error == cudaSuccess;
}

/* ---- Unregistering: a library is closed, or the program ends ---- */

static void forget_entries(struct binary *b) {
    for (struct entry *e = b->entries, *next; e; e = next) {
        struct entry **by_stub = e->stub ? &entries_by_stub[bucket_of(e->stub)] : NULL; /* none of a library's */
        struct entry **by_handle = &entries_by_handle[bucket_of(e)];
        next = e->next;
        while (by_stub && *by_stub != e)
            by_stub = &(*by_stub)->next_by_stub;
        if (by_stub)
            *by_stub = e->next_by_stub;
        while (*by_handle != e)
            by_handle = &(*by_handle)->next_by_handle;
        *by_handle = e->next_by_handle;
        if (!e->stub)
            free((char *)e->name);
        free(e);
    }
}

static void forget_variables(struct binary *b) {
    for (struct variable *v = b->variables, *next; v; v = next) {
        struct variable **link = &variables_by_shadow[bucket_of(v->shadow)];
        next = v->next;
        while (*link != v)
            link = &(*link)->next_in_bucket;
        *link = v->next_in_bucket;
        free(v);
    }
}

/* The first module is unloaded last: it owns the managed variables. */
static void unload_modules(struct binary *b) {
    for (int pass = 0; pass < 2; pass++)
        for (int d = 0; d < MAX_DEVICES; d++)
            if (b->modules[d] && (pass || module_is_elsewhere(b->modules[d]))) {
                module_unload(b->modules[d]);
                b->modules[d] = NULL;
            }
}

static void unregister(struct binary *b) {
    for (int d = 0; d < MAX_DEVICES; d++)
        queue_wait_device(d);
    pthread_mutex_lock(&lock);
    struct binary **link = &binaries;
    while (*link && *link != b)
        link = &(*link)->next;
    if (*link) {
        *link = b->next;
        forget_entries(b);
        forget_variables(b);
        unload_modules(b);
        free(b->data);
        free(b->place);
        free(b->why);
        free(b->left_out);
        free(b);
    }
    pthread_mutex_unlock(&lock);
}

EXPORT void __cudaUnregisterFatBinary(void **handle) {
    if (!state_ending()) /* its kernels may still run: leave everything as it is */
        unregister((struct binary *)handle);
}

/* ---- Finding ---- */

/* A cudaKernel_t is the entry itself; a function pointer is its stub. Neither is followed before it has been found. */
static struct entry *find_entry(const void *function) {
    unsigned bucket = bucket_of(function);
    for (struct entry *e = entries_by_handle[bucket]; e; e = e->next_by_handle)
        if (e == function)
            return e;
    for (struct entry *e = entries_by_stub[bucket]; e; e = e->next_by_stub)
        if (e->stub == function)
            return e;
    return NULL;
}

struct entry *registration_entry(const void *function) {
    pthread_mutex_lock(&lock);
    struct entry *e = find_entry(function);
    pthread_mutex_unlock(&lock);
    return e;
}

const void *registration_stub(const void *function) {
    const struct entry *e = registration_entry(function);
    return !e ? NULL : e->stub ? e->stub : (const void *)e;
}

const char *registration_entry_name(const struct entry *e) {
    return e->name;
}

struct binary *registration_entry_binary(const struct entry *e) {
    return e->binary;
}

/* The device linker joins what it has images of for a device. Anything that is missing shows when it is launched. */
static cudaError_t report_left_out(struct entry *e) {
    if (e->binary->left_out && !e->reported)
        report_launch(e->name, FINDING_UNSUPPORTED,
                      "The kernel's file contains no device code that the emulator can run", e->binary->left_out);
    e->reported = true;
    return cudaErrorInvalidDeviceFunction;
}

struct kernel *registration_kernel(struct entry *e, int device, cudaError_t *error) {
    pthread_mutex_lock(&lock);
    struct kernel *k = e->kernels[device];
    if (!k && (*error = load(e->binary, device, e->name)) == cudaSuccess) {
        k = e->kernels[device] = module_kernel(e->binary->modules[device], e->name);
        if (!k)
            *error = report_left_out(e);
        else
            kernel_prepare(k); /* its attributes are known then; if it cannot run, its launch will report why */
    }
    pthread_mutex_unlock(&lock);
    return k;
}

/* Few programs query this, so the images are read again for those that do. */
unsigned registration_registers(struct entry *e) {
    struct kernel_registers found = {.count = ASSUMED_REGISTERS};
    struct fatbin_images images;
    pthread_mutex_lock(&lock);
    struct binary *b = e->binary;
    if (!b->resources_noted && unpack(b, e->name, &images, true) == cudaSuccess)
        fatbin_images_free(&images);
    pthread_mutex_unlock(&lock);
    resources_registers_of_one(e->name, &found);
    return found.count;
}

/* Host code names a __managed__ variable by the value of its pointer, others by their shadow. */
static struct variable *find_variable(const void *shadow) {
    for (struct variable *v = variables_by_shadow[bucket_of(shadow)]; v; v = v->next_in_bucket)
        if (v->shadow == shadow)
            return v;
    for (struct binary *b = binaries; b; b = b->next)
        for (struct variable *v = b->variables; v; v = v->next)
            if (v->managed && *v->managed && *v->managed == shadow)
                return v;
    return NULL;
}

cudaError_t registration_variable(const void *shadow, int device, uint64_t *address, size_t *bytes) {
    cudaError_t error = cudaErrorInvalidSymbol;
    pthread_mutex_lock(&lock);
    struct variable *v = find_variable(shadow);
    if (v && (error = load(v->binary, device, NULL)) == cudaSuccess &&
        !module_variable(v->binary->modules[device], v->name, address, bytes))
        error = cudaErrorInvalidSymbol;
    pthread_mutex_unlock(&lock);
    return error;
}

/* ---- Libraries ---- */

struct binary *registration_open(void *data, size_t size, const char *place) {
    struct binary *b = zeroed(1, sizeof *b);
    b->data = data;
    b->data_size = size;
    b->place = or_out_of_memory(strdup(place));
    pthread_mutex_lock(&lock);
    b->next = binaries;
    binaries = b;
    pthread_mutex_unlock(&lock);
    return b;
}

void registration_close(struct binary *library) {
    unregister(library);
}

/* With the lock. */
static bool is_library(const struct binary *library) {
    const struct binary *b = binaries;
    while (b && b != library)
        b = b->next;
    return b && b->data;
}

bool registration_is_open(const struct binary *library) {
    pthread_mutex_lock(&lock);
    bool open = is_library(library);
    pthread_mutex_unlock(&lock);
    return open;
}

const char *registration_library_error(const struct binary *library) {
    pthread_mutex_lock(&lock);
    const char *why = is_library(library) ? library->why : NULL;
    pthread_mutex_unlock(&lock);
    return why;
}

static void add_entry(struct binary *b, const char *name) {
    struct entry *e = zeroed(1, sizeof *e);
    struct entry **by_handle = &entries_by_handle[bucket_of(e)];
    *e = (struct entry){
        .name = or_out_of_memory(strdup(name)), .binary = b, .next = b->entries, .next_by_handle = *by_handle};
    b->entries = *by_handle = e;
}

/* Loads the library for the current device and registers its kernels. With the lock. */
static cudaError_t load_library(struct binary *b) {
    if (!is_library(b))
        return cudaErrorInvalidResourceHandle;
    cudaError_t error = load(b, state_device(), NULL);
    if (error != cudaSuccess || b->entries)
        return error;
    size_t count;
    struct kernel *kernels = module_kernels(b->modules[state_device()], &count);
    for (size_t i = count; i-- > 0;)
        add_entry(b, kernels[i].name);
    return cudaSuccess;
}

cudaError_t registration_library_kernels(struct binary *library, struct entry **entries, size_t room, size_t *count) {
    pthread_mutex_lock(&lock);
    cudaError_t error = load_library(library);
    *count = 0;
    for (struct entry *e = error == cudaSuccess ? library->entries : NULL; e; e = e->next, ++*count)
        if (*count < room)
            entries[*count] = e;
    pthread_mutex_unlock(&lock);
    return error;
}

/* Wrong for any GPU, not only for the emulator? All messages about missing features state that. */
static bool is_wrong(const struct kernel *k) {
    return k->error && !strstr(k->error, "not supported");
}

cudaError_t registration_library_check(struct binary *library) {
    const char *why = NULL;
    pthread_mutex_lock(&lock);
    cudaError_t error = load_library(library);
    size_t count = 0;
    struct kernel *kernels = error == cudaSuccess ? module_kernels(library->modules[state_device()], &count) : NULL;
    for (size_t i = 0; i < count && !why; i++)
        if (!kernel_prepare(&kernels[i]) && is_wrong(&kernels[i]))
            why = kernels[i].error;
    if (why) {
        error = cudaErrorInvalidPtx;
        free(library->why);
        library->why = or_out_of_memory(strdup(why));
    }
    pthread_mutex_unlock(&lock);
    return why ? state_refuse(NULL, error, "%s.", why) : error;
}

cudaError_t registration_library_kernel(struct binary *library, const char *name, struct entry **out) {
    pthread_mutex_lock(&lock);
    cudaError_t error = load_library(library);
    struct entry *e = error == cudaSuccess ? library->entries : NULL;
    while (e && strcmp(e->name, name) != 0)
        e = e->next;
    pthread_mutex_unlock(&lock);
    *out = e;
    return error == cudaSuccess && !e ? cudaErrorSymbolNotFound : error;
}

cudaError_t registration_library_variable(struct binary *library, const char *name, bool managed, uint64_t *address,
                                          size_t *bytes) {
    pthread_mutex_lock(&lock);
    cudaError_t error = load_library(library);
    if (error == cudaSuccess) {
        struct module *m = library->modules[state_device()];
        bool right = !managed || module_variable_is_managed(m, name);
        if (!right || !module_variable(m, name, address, bytes))
            error = cudaErrorSymbolNotFound;
    }
    pthread_mutex_unlock(&lock);
    return error;
}
