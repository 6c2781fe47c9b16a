/* watch.cpp - intercepts the calls of the student's code to the CUDA runtime.
 * The runner exports functions with the runtime's names. The student's object resolves to them first, and each records the call and
 * forwards it. So it works on a GPU as well. All ways to launch lead to the functions of the runtime that are intercepted here: <<<>>> is
 * __cudaLaunchKernel or, with CUDA 12, cudaLaunchKernel. Streams, events and graphs are in watch_streams.cpp. */
#include "tools/grading/watch.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <string.h>

#include "tools/grading/steps.h"

#define EXPORTED   extern "C" __attribute__((visibility("default")))
#define REAL(name) ((decltype(&name))real(#name))

/* Memory that the student's code has allocated. */
struct allocation {
    const void *pointer;
    size_t device_bytes;
    bool pitched; /* by cudaMallocPitch */
};

static bool watching;
static std::vector<struct allocation> alive;
static struct watch_wishes wishes;
static struct watch_notes notes;
static std::vector<const void *> objects;
static size_t device_bytes;
static unsigned calls_to_fail;
static std::vector<const void *> captured; /* memory touched by copies that are captured into a graph */

static void *real(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

void watch_begin(const struct watch_wishes *wanted) {
    wishes = *wanted;
    notes = {};
    alive.clear();
    objects.clear();
    device_bytes = 0;
    calls_to_fail = 0;
    captured.clear();
    steps_begin((cudaStream_t)wishes.stream);
    watching = true;
}

void watch_end(void) {
    watching = false;
    notes.alive = (unsigned)alive.size();
    notes.objects = (unsigned)objects.size();
    notes.operations = steps_operations();
    notes.steps = steps_longest();
    notes.early = steps_early();
    notes.left = steps_left();
    notes.untaken = steps_untaken();
    notes.freed_early = steps_freed_early();
}

bool watch_on(void) {
    return watching;
}

/* A runtime may create an object by calling another intercepted function: it counts once. */
void watch_object(const void *object, int more) {
    for (size_t i = 0; watching && i < objects.size(); i++) {
        if (objects[i] == object) {
            objects.erase(objects.begin() + (long)i);
            break;
        }
    }
    if (watching && more > 0) {
        objects.push_back(object);
    }
}

void watch_allocated(void *pointer, size_t bytes) {
    if (watching) {
        alive.push_back({pointer, bytes, false});
        device_bytes += bytes;
        notes.device_bytes = device_bytes > notes.device_bytes ? device_bytes : notes.device_bytes;
    }
}

void watch_allocated_in(void *pointer, size_t bytes, void *stream) {
    watch_allocated(pointer, bytes);
    if (watching) {
        steps_allocated(pointer, bytes, (cudaStream_t)stream);
    }
}

static void watch_pitched(const void *pointer) {
    for (struct allocation &a : alive) {
        a.pitched |= a.pointer == pointer;
    }
}

static bool is_pitched(const void *address) {
    for (const struct allocation &a : alive) {
        const char *from = (const char *)a.pointer;
        if (a.pitched && from <= (const char *)address && (const char *)address < from + a.device_bytes) {
            return true;
        }
    }
    return false;
}

void watch_freed(const void *pointer) {
    steps_freed(pointer);
    for (size_t i = 0; watching && pointer && i < alive.size(); i++) {
        if (alive[i].pointer == pointer) {
            device_bytes -= alive[i].device_bytes;
            alive.erase(alive.begin() + (long)i);
            return;
        }
    }
}

const struct watch_notes *watch_seen(void) {
    return &notes;
}

static void note(enum watched_call call) {
    notes.calls[call] += watching;
}

void watch_event(void) {
    note(CALL_EVENT);
}

static void note_wait(const char *name) {
    if (watching && !notes.waited) {
        notes.waited = name;
    }
    steps_host_waits();
}

/* True when this call of `name` is the one that has to fail: counted among those of that name, or, for "*", among all. */
static bool fails(const char *name) {
    if (!watching || !wishes.fail_number) {
        return false;
    }
    bool meant = strcmp(wishes.fail_call, "*") == 0 || strcmp(wishes.fail_call, name) == 0;
    bool now = meant && ++calls_to_fail == wishes.fail_number;
    notes.failed_call = now ? name : notes.failed_call;
    return now;
}

static cudaError_t failed(cudaError_t error) {
    notes.error_failed = error;
    return error;
}

// ---------------------------------------------------------------- memory that operations touch

/* Which argument points to this memory; -1: none. */
static int argument_at(const void *memory) {
    for (unsigned a = 0; a < wishes.arrays; a++) {
        if ((size_t)((const char *)memory - (const char *)wishes.array[a].from) < wishes.array[a].bytes) {
            return (int)a;
        }
    }
    return -1;
}

/* The last operation in the stream reads or writes here. */
static void touch(const void *memory, cudaStream_t stream) {
    int argument = argument_at(memory);
    steps_use(stream, memory);
    if (argument >= 0) {
        steps_touch(stream, argument);
    }
}

/* The same for a copy, which may be captured. */
static void note_touch(const void *memory, size_t bytes, cudaStream_t stream) {
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (stream && stream != cudaStreamLegacy) {
        REAL(cudaStreamIsCapturing)(stream, &status);
    }
    if (argument_at(memory) >= 0 && bytes > notes.largest_copy) {
        notes.largest_copy = bytes;
    }
    if (status == cudaStreamCaptureStatusNone) {
        touch(memory, stream);
    } else {
        captured.push_back(memory);
    }
}

// ---------------------------------------------------------------- launches

/* A runtime may call one of these functions from another: the launch counts once. */
static bool in_launch;

static void note_launch(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    if (in_launch) {
        return;
    }
    note(CALL_LAUNCH);
    steps_operation(stream);
    if (!watching || notes.launches++ >= LAUNCHES_MAX) {
        return;
    }
    struct launch *launch = &notes.launch[notes.launches - 1];
    bool legacy = !stream || stream == cudaStreamLegacy, wants_legacy = !wishes.stream;
    *launch = {{grid.x, grid.y, grid.z},
               {block.x, block.y, block.z},
               shared,
               stream != wishes.stream && !(legacy && wants_legacy),
               0};
}

/* A launch that has to fail requests more shared memory than available, so that it leaves an error in the runtime as any other failure does. */
static const size_t too_much_shared = (size_t)1 << 30;

static size_t shared_of(size_t shared) {
    return !in_launch && fails("launch") ? too_much_shared : shared;
}

static cudaError_t launched(size_t shared, cudaError_t error) {
    return shared == too_much_shared ? failed(error) : error;
}

#define WATCH_LAUNCH(name)                                                                                             \
    EXPORTED cudaError_t name(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,              \
                              cudaStream_t stream) {                                                                   \
        note_launch(grid, block, shared, stream);                                                                      \
        shared = shared_of(shared);                                                                                    \
        bool outer = in_launch;                                                                                        \
        in_launch = true;                                                                                              \
        cudaError_t error =                                                                                            \
            ((decltype(&cudaLaunchKernel))real(#name))(kernel, grid, block, arguments, shared, stream);                \
        in_launch = outer;                                                                                             \
        return launched(shared, error);                                                                                \
    }
WATCH_LAUNCH(cudaLaunchKernel)
WATCH_LAUNCH(cudaLaunchKernel_ptsz)
WATCH_LAUNCH(cudaLaunchCooperativeKernel)
WATCH_LAUNCH(cudaLaunchCooperativeKernel_ptsz)
WATCH_LAUNCH(__cudaLaunchKernel)
WATCH_LAUNCH(__cudaLaunchKernel_ptsz)

EXPORTED cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **arguments) {
    cudaLaunchConfig_t changed = *config;
    note_launch(config->gridDim, config->blockDim, config->dynamicSmemBytes, config->stream);
    changed.dynamicSmemBytes = shared_of(changed.dynamicSmemBytes);
    return launched(changed.dynamicSmemBytes, REAL(cudaLaunchKernelExC)(&changed, kernel, arguments));
}

/* A graph counts as one launch here; the emulator reports each of its kernels. It touches the memory captured so far. */
EXPORTED cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    note_launch(dim3(0), dim3(0), 0, stream);
    for (const void *memory : captured) {
        touch(memory, stream);
    }
    return fails("launch") ? failed(cudaErrorInvalidValue) : REAL(cudaGraphLaunch)(graph, stream);
}

/* The error that a call returns to the student's code, which may end the program because of it. */
static cudaError_t told(cudaError_t error) {
    notes.error_told = watching && error != cudaSuccess ? error : notes.error_told;
    return error;
}

EXPORTED cudaError_t cudaGetLastError(void) {
    note(CALL_GET_ERROR);
    return told(REAL(cudaGetLastError)());
}

EXPORTED cudaError_t cudaPeekAtLastError(void) {
    note(CALL_GET_ERROR);
    return told(REAL(cudaPeekAtLastError)());
}

// ---------------------------------------------------------------- other devices

/* Does this device report a pretended compute capability? */
static bool pretends(int device) {
    int current = device;
    return watching && wishes.others && REAL(cudaGetDevice)(&current) == cudaSuccess && current != device;
}

EXPORTED cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
    cudaError_t error = told(REAL(cudaDeviceGetAttribute)(value, attribute, device));
    if (error == cudaSuccess && pretends(device)) {
        *value = attribute == cudaDevAttrComputeCapabilityMajor   ? (int)wishes.others / 10
                 : attribute == cudaDevAttrComputeCapabilityMinor ? (int)wishes.others % 10
                                                                  : *value;
    }
    return error;
}

EXPORTED cudaError_t cudaSetDevice(int device) {
    return told(REAL(cudaSetDevice)(device));
}

EXPORTED cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
    return told(REAL(cudaDeviceEnablePeerAccess)(peer, flags));
}

EXPORTED cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int device) {
    cudaError_t error = told(REAL(cudaGetDeviceProperties)(properties, device));
    if (error == cudaSuccess && pretends(device)) {
        properties->major = (int)wishes.others / 10;
        properties->minor = (int)wishes.others % 10;
    }
    return error;
}

// ---------------------------------------------------------------- calls that wait

EXPORTED cudaError_t cudaDeviceSynchronize(void) {
    note_wait("cudaDeviceSynchronize");
    cudaError_t error = REAL(cudaDeviceSynchronize)();
    return fails("cudaDeviceSynchronize") ? failed(cudaErrorLaunchFailure) : error;
}

EXPORTED cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    note_wait("cudaStreamSynchronize");
    cudaError_t error = REAL(cudaStreamSynchronize)(stream);
    return fails("cudaStreamSynchronize") ? failed(cudaErrorLaunchFailure) : error;
}

EXPORTED cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    note_wait("cudaEventSynchronize");
    cudaError_t error = REAL(cudaEventSynchronize)(event);
    return fails("cudaEventSynchronize") ? failed(cudaErrorLaunchFailure) : error;
}

/* A single query is not a wait; repeated queries are. */
static void note_query(const char *name) {
    note(CALL_QUERY);
    if (notes.calls[CALL_QUERY] > 1) {
        note_wait(name);
    }
}

EXPORTED cudaError_t cudaStreamQuery(cudaStream_t stream) {
    note_query("cudaStreamQuery");
    return REAL(cudaStreamQuery)(stream);
}

EXPORTED cudaError_t cudaEventQuery(cudaEvent_t event) {
    note_query("cudaEventQuery");
    return REAL(cudaEventQuery)(event);
}

// ---------------------------------------------------------------- memory

EXPORTED cudaError_t cudaMalloc(void **pointer, size_t bytes) {
    note(CALL_MALLOC);
    if (fails("cudaMalloc")) {
        return failed(cudaErrorMemoryAllocation);
    }
    cudaError_t error = told(REAL(cudaMalloc)(pointer, bytes));
    if (error == cudaSuccess) {
        watch_allocated(*pointer, bytes);
    }
    return error;
}

/* The pitch is larger than requested, by a different amount for each width, so that it cannot be guessed. */
EXPORTED cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    note(CALL_MALLOC_PITCH);
    if (fails("cudaMallocPitch")) {
        return failed(cudaErrorMemoryAllocation);
    }
    width += watching && wishes.wide_pitch ? 600 + width % 7 * 512 : 0;
    cudaError_t error = told(REAL(cudaMallocPitch)(pointer, pitch, width, height));
    if (error == cudaSuccess) {
        watch_allocated(*pointer, *pitch * height);
        watch_pitched(*pointer);
    }
    return error;
}

EXPORTED cudaError_t cudaFree(void *pointer) {
    note(CALL_FREE);
    if (pointer) {
        note_wait("cudaFree");
    }
    watch_freed(pointer);
    return REAL(cudaFree)(pointer);
}

EXPORTED cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    note(CALL_MEMSET);
    if (fails("cudaMemset")) {
        return failed(cudaErrorInvalidValue);
    }
    return told(REAL(cudaMemset)(to, value, bytes));
}

EXPORTED cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
    note(CALL_MEMSET);
    steps_operation(stream);
    if (fails("cudaMemsetAsync")) {
        return failed(cudaErrorInvalidValue);
    }
    return told(REAL(cudaMemsetAsync)(to, value, bytes, stream));
}

/* With cudaMemcpyDefault the addresses determine the direction of a copy. */
static bool goes_to_host(const void *to, int kind) {
    struct cudaPointerAttributes attributes;
    if (kind != cudaMemcpyDefault) {
        return kind == cudaMemcpyDeviceToHost;
    }
    return cudaPointerGetAttributes(&attributes, to) == cudaSuccess && attributes.type != cudaMemoryTypeDevice;
}

/* Of the data copied from pitched memory to the host, keeps the rows that kernels have written. On a GPU the writer is unknown. */
static void harvest(const void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                    int kind) {
    static size_t (*not_by_kernels)(const void *, size_t) =
        (size_t(*)(const void *, size_t))dlsym(RTLD_DEFAULT, "emulatorNotByKernels");
    if (!watching || !wishes.harvest || !goes_to_host(to, kind) || (wishes.harvest == 1 && !is_pitched(from))) {
        return;
    }
    for (size_t row = 0; row < height; row++) {
        const unsigned char *copied = (const unsigned char *)to + row * to_pitch;
        if (!not_by_kernels || not_by_kernels((const char *)from + row * from_pitch, width) == width) {
            notes.harvest.insert(notes.harvest.end(), copied, copied + width);
        }
    }
}

EXPORTED cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    note(CALL_MEMCPY);
    note_wait("cudaMemcpy");
    if (fails("cudaMemcpy")) {
        return failed(cudaErrorInvalidValue);
    }
    cudaError_t error = told(REAL(cudaMemcpy)(to, from, bytes, kind));
    if (error == cudaSuccess) {
        harvest(to, bytes, from, bytes, bytes, 1, kind);
    }
    return error;
}

EXPORTED cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                  size_t height, enum cudaMemcpyKind kind) {
    note(CALL_MEMCPY_2D);
    note_wait("cudaMemcpy2D");
    if (fails("cudaMemcpy2D")) {
        return failed(cudaErrorInvalidValue);
    }
    cudaError_t error = told(REAL(cudaMemcpy2D)(to, to_pitch, from, from_pitch, width, height, kind));
    if (error == cudaSuccess) {
        harvest(to, to_pitch, from, from_pitch, width, height, kind);
    }
    return error;
}

/* One of the addresses is a host address that the device cannot access directly. */
static bool is_pageable(const void *to, const void *from) {
    struct cudaPointerAttributes one = {}, other = {};
    REAL(cudaPointerGetAttributes)(&one, to);
    REAL(cudaPointerGetAttributes)(&other, from);
    return one.type == cudaMemoryTypeUnregistered || other.type == cudaMemoryTypeUnregistered;
}

static void note_copy(enum watched_call call, const void *to, const void *from, size_t bytes, cudaStream_t stream) {
    note(call);
    steps_operation(stream);
    notes.pageable += watching && is_pageable(to, from);
    if (watching) {
        note_touch(to, bytes, stream);
        note_touch(from, bytes, stream);
    }
}

/* Copies of pageable host memory make the host wait, except short ones to the device; the busy stream reveals those that do. Data that reaches
 * the host later is waited for before it is read. */
EXPORTED cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                     cudaStream_t stream) {
    note_copy(CALL_MEMCPY, to, from, bytes, stream);
    if (fails("cudaMemcpyAsync")) {
        return failed(cudaErrorInvalidValue);
    }
    cudaError_t error = told(REAL(cudaMemcpyAsync)(to, from, bytes, kind, stream));
    if (error == cudaSuccess && wishes.harvest && watching && goes_to_host(to, kind)) {
        REAL(cudaStreamSynchronize)(stream);
        harvest(to, bytes, from, bytes, bytes, 1, kind);
    }
    return error;
}

EXPORTED cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                       size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    note_copy(CALL_MEMCPY_2D, to, from, width * height, stream);
    if (fails("cudaMemcpy2DAsync")) {
        return failed(cudaErrorInvalidValue);
    }
    cudaError_t error = told(REAL(cudaMemcpy2DAsync)(to, to_pitch, from, from_pitch, width, height, kind, stream));
    if (error == cudaSuccess && wishes.harvest && watching && goes_to_host(to, kind)) {
        REAL(cudaStreamSynchronize)(stream);
        harvest(to, to_pitch, from, from_pitch, width, height, kind);
    }
    return error;
}
