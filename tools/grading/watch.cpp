/* watch.cpp - stands between the student's code and the CUDA runtime.
 *
 * The runner exports functions with the runtime's names. The student's object finds them first, and each notes the call and hands it
 * on. So it works on a GPU as well. All ways to launch come together in those of the runtime that are here: <<<>>> is
 * __cudaLaunchKernel or, with CUDA 12, cudaLaunchKernel. */
#include "tools/grading/watch.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <string.h>

#define EXPORTED   extern "C" __attribute__((visibility("default")))
#define REAL(name) ((decltype(&name))real(#name))

static bool watching;
static struct watch_wishes wishes;
static struct watch_notes notes;
static std::vector<void *> alive;
static unsigned calls_to_fail;

static void *real(const char *name) {
    return dlsym(RTLD_NEXT, name);
}

void watch_begin(const struct watch_wishes *wanted) {
    wishes = *wanted;
    notes = {};
    alive.clear();
    calls_to_fail = 0;
    watching = true;
}

void watch_end(void) {
    watching = false;
    notes.alive = (unsigned)alive.size();
}

const struct watch_notes *watch_seen(void) {
    return &notes;
}

static void note(enum watched_call call) {
    notes.calls[call] += watching;
}

static void note_wait(const char *name) {
    if (watching && !notes.waited) {
        notes.waited = name;
    }
}

/* True when this call of `name` is the one that has to fail. */
static bool fails(const char *name) {
    return watching && wishes.fail_number && strcmp(wishes.fail_call, name) == 0 &&
           ++calls_to_fail == wishes.fail_number;
}

static cudaError_t failed(cudaError_t error) {
    notes.error_failed = error;
    return error;
}

// ---------------------------------------------------------------- launches

static void note_launch(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
    note(CALL_LAUNCH);
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

/* A launch that fails asks the runtime for more shared memory than there is, so that it leaves its error behind as any other does. */
static const size_t too_much_shared = (size_t)1 << 30;

static size_t shared_of(size_t shared) {
    return fails("launch") ? too_much_shared : shared;
}

static cudaError_t launched(size_t shared, cudaError_t error) {
    return shared == too_much_shared ? failed(error) : error;
}

#define WATCH_LAUNCH(name)                                                                                             \
    EXPORTED cudaError_t name(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,              \
                              cudaStream_t stream) {                                                                   \
        note_launch(grid, block, shared, stream);                                                                      \
        shared = shared_of(shared);                                                                                    \
        return launched(shared,                                                                                        \
                        ((decltype(&cudaLaunchKernel))real(#name))(kernel, grid, block, arguments, shared, stream));   \
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

/* A graph counts as one launch here; the emulator tells each of its kernels. */
EXPORTED cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    note_launch(dim3(0), dim3(0), 0, stream);
    return fails("launch") ? failed(cudaErrorInvalidValue) : REAL(cudaGraphLaunch)(graph, stream);
}

static cudaError_t told(cudaError_t error) {
    note(CALL_GET_ERROR);
    notes.error_told = watching && error != cudaSuccess ? error : notes.error_told;
    return error;
}

EXPORTED cudaError_t cudaGetLastError(void) {
    return told(REAL(cudaGetLastError)());
}

EXPORTED cudaError_t cudaPeekAtLastError(void) {
    return told(REAL(cudaPeekAtLastError)());
}

// ---------------------------------------------------------------- calls that wait

EXPORTED cudaError_t cudaDeviceSynchronize(void) {
    note_wait("cudaDeviceSynchronize");
    return REAL(cudaDeviceSynchronize)();
}

EXPORTED cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    note_wait("cudaStreamSynchronize");
    return REAL(cudaStreamSynchronize)(stream);
}

EXPORTED cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    note_wait("cudaEventSynchronize");
    return REAL(cudaEventSynchronize)(event);
}

/* To ask once is not to wait; to ask again and again is. */
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

EXPORTED cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    note(CALL_EVENT);
    return REAL(cudaEventRecord)(event, stream);
}

EXPORTED cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    note(CALL_EVENT);
    return REAL(cudaStreamWaitEvent)(stream, event, flags);
}

// ---------------------------------------------------------------- memory

EXPORTED cudaError_t cudaMalloc(void **pointer, size_t bytes) {
    note(CALL_MALLOC);
    if (fails("cudaMalloc")) {
        return failed(cudaErrorMemoryAllocation);
    }
    cudaError_t error = REAL(cudaMalloc)(pointer, bytes);
    if (watching && error == cudaSuccess) {
        alive.push_back(*pointer);
    }
    return error;
}

/* The pitch is wider than asked for, by a different amount for each width, so that nobody can guess it. */
EXPORTED cudaError_t cudaMallocPitch(void **pointer, size_t *pitch, size_t width, size_t height) {
    note(CALL_MALLOC_PITCH);
    if (fails("cudaMallocPitch")) {
        return failed(cudaErrorMemoryAllocation);
    }
    width += watching && wishes.wide_pitch ? 600 + width % 7 * 512 : 0;
    cudaError_t error = REAL(cudaMallocPitch)(pointer, pitch, width, height);
    if (watching && error == cudaSuccess) {
        alive.push_back(*pointer);
    }
    return error;
}

EXPORTED cudaError_t cudaFree(void *pointer) {
    note(CALL_FREE);
    if (pointer) {
        note_wait("cudaFree");
    }
    for (size_t i = 0; watching && pointer && i < alive.size(); i++) {
        if (alive[i] == pointer) {
            alive.erase(alive.begin() + (long)i);
        }
    }
    return REAL(cudaFree)(pointer);
}

EXPORTED cudaError_t cudaMemset(void *to, int value, size_t bytes) {
    note(CALL_MEMSET);
    return REAL(cudaMemset)(to, value, bytes);
}

EXPORTED cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t stream) {
    note(CALL_MEMSET);
    return REAL(cudaMemsetAsync)(to, value, bytes, stream);
}

/* With cudaMemcpyDefault the addresses say which way a copy goes. */
static bool goes_to_host(const void *to, int kind) {
    struct cudaPointerAttributes attributes;
    if (kind != cudaMemcpyDefault) {
        return kind == cudaMemcpyDeviceToHost;
    }
    return cudaPointerGetAttributes(&attributes, to) == cudaSuccess && attributes.type != cudaMemoryTypeDevice;
}

/* Of what has been copied to the host, keeps the rows that kernels have written. On a GPU nobody knows who did. */
static void harvest(const void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                    int kind) {
    static size_t (*not_by_kernels)(const void *, size_t) =
        (size_t(*)(const void *, size_t))dlsym(RTLD_DEFAULT, "emulatorNotByKernels");
    if (!watching || !wishes.harvest || !goes_to_host(to, kind)) {
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
    cudaError_t error = REAL(cudaMemcpy)(to, from, bytes, kind);
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
    cudaError_t error = REAL(cudaMemcpy2D)(to, to_pitch, from, from_pitch, width, height, kind);
    if (error == cudaSuccess) {
        harvest(to, to_pitch, from, from_pitch, width, height, kind);
    }
    return error;
}

/* Copies of pageable host memory make the host wait, but for short ones to the device; the busy stream finds those that do. What
 * comes to the host later is waited for before it is looked at. */
EXPORTED cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                                     cudaStream_t stream) {
    note(CALL_MEMCPY);
    cudaError_t error = REAL(cudaMemcpyAsync)(to, from, bytes, kind, stream);
    if (error == cudaSuccess && wishes.harvest && watching && goes_to_host(to, kind)) {
        REAL(cudaStreamSynchronize)(stream);
        harvest(to, bytes, from, bytes, bytes, 1, kind);
    }
    return error;
}

EXPORTED cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                       size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
    note(CALL_MEMCPY_2D);
    cudaError_t error = REAL(cudaMemcpy2DAsync)(to, to_pitch, from, from_pitch, width, height, kind, stream);
    if (error == cudaSuccess && wishes.harvest && watching && goes_to_host(to, kind)) {
        REAL(cudaStreamSynchronize)(stream);
        harvest(to, to_pitch, from, from_pitch, width, height, kind);
    }
    return error;
}
