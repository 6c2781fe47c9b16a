/* gelu.cu - GELU and its derivative as a library with a C interface, for lesson27.py.
 *
 *     nvcc --shared -Xcompiler -fPIC -cudart shared gelu.cu -o libgelu.so
 *
 * What every function of the interface promises:
 *
 *   - its name is the one that stands here (extern "C"), and its types are plain: numbers, and addresses;
 *   - it returns 0, or the number of a CUDA error; what it makes comes through an address that the caller gives. It prints nothing, does not end
 *     the program, and no exception leaves it;
 *   - who allocates also frees, by the function of this library that belongs to it;
 *   - what takes a stream only queues work there: gelu_synchronize waits, and tells what went wrong meanwhile.
 */
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cuda_runtime.h>
#include <mutex>
#include <string>
#include <unordered_map>

enum { BLOCK = 256 }; // threads in a block

// ---------------------------------------------------------------- device code

/* Grid: n threads or more. y[i] = x[i] * P, where P is how much of a normal distribution lies below x[i]. */
__global__ void gelu_kernel(const float *x, float *y, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = 0.5f * x[i] * (1.0f + erff(x[i] * 0.7071067812f));
    }
}

/* Grid: n threads or more. dx[i] = dy[i] times the derivative at x[i]: P + x[i] * density. */
__global__ void gelu_backward_kernel(const float *x, const float *dy, float *dx, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float below = 0.5f * (1.0f + erff(x[i] * 0.7071067812f));
        float density = 0.3989422804f * expf(-0.5f * x[i] * x[i]);
        dx[i] = dy[i] * (below + x[i] * density);
    }
}

static unsigned blocks_for(size_t n) {
    return (unsigned)((n + BLOCK - 1) / BLOCK);
}

// ---------------------------------------------------------------- inside of the library, C++ may be C++

/* The bytes behind each address that is allocated. It throws std::bad_alloc when the CPU has no memory for its notes. */
static std::unordered_map<void *, size_t> held;
static std::mutex held_lock;

static void note(void *memory, size_t bytes) {
    std::lock_guard<std::mutex> guard(held_lock);
    held[memory] = bytes;
}

static void forget(void *memory) {
    std::lock_guard<std::mutex> guard(held_lock);
    held.erase(memory);
}

/* A gate in a stream: it stays closed until gelu_release opens it, or until the time is over. */
static struct {
    std::mutex lock;
    std::condition_variable changed;
    bool open, gave_up;
    int milliseconds;
} gate;

static void wait_at_gate(void *) {
    std::unique_lock<std::mutex> guard(gate.lock);
    gate.gave_up =
        !gate.changed.wait_for(guard, std::chrono::milliseconds(gate.milliseconds), [] { return gate.open; });
}

/* A C++ function: its parameters become a part of its name in the library. */
int gelu_plus_plus(const float *x, float *y, size_t n, cudaStream_t stream) {
    if (n > 0) {
        gelu_kernel<<<blocks_for(n), BLOCK, 0, stream>>>(x, y, n);
    }
    return cudaGetLastError();
}

// ---------------------------------------------------------------- the interface

extern "C" {

int gelu_forward(const float *x, float *y, size_t n, cudaStream_t stream) {
    if (n > 0 && (!x || !y)) {
        return cudaErrorInvalidValue;
    }
    return gelu_plus_plus(x, y, n, stream);
}

int gelu_backward(const float *x, const float *dy, float *dx, size_t n, cudaStream_t stream) {
    if (n > 0 && (!x || !dy || !dx)) {
        return cudaErrorInvalidValue;
    }
    if (n > 0) {
        gelu_backward_kernel<<<blocks_for(n), BLOCK, 0, stream>>>(x, dy, dx, n);
    }
    return cudaGetLastError();
}

/* The caller owns *made, and hands it to gelu_free. */
int gelu_allocate(void **made, size_t bytes) {
    *made = NULL;
    cudaError_t error = cudaMalloc(made, bytes ? bytes : 1);
    if (error != cudaSuccess) {
        cudaGetLastError(); // the caller gets this code now; no later call is to return it again
        return error;
    }
    try {
        note(*made, bytes);
    } catch (...) { // Python's C code cannot handle an exception: it would end the process
        cudaFree(*made);
        *made = NULL;
        return cudaErrorMemoryAllocation;
    }
    return cudaSuccess;
}

int gelu_free(void *memory) {
    forget(memory);
    return cudaFree(memory);
}

/* The same for pinned memory of the CPU: what is copied from and to it is copied while the CPU goes on. */
int gelu_allocate_pinned(void **made, size_t bytes) {
    *made = NULL;
    return cudaMallocHost(made, bytes ? bytes : 1);
}

int gelu_free_pinned(void *memory) {
    return cudaFreeHost(memory);
}

/* In any direction: CUDA knows by the addresses which. */
int gelu_copy(void *to, const void *from, size_t bytes, cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}

int gelu_stream_create(cudaStream_t *made) {
    return cudaStreamCreate(made);
}

int gelu_stream_destroy(cudaStream_t stream) {
    return cudaStreamDestroy(stream);
}

int gelu_synchronize(cudaStream_t stream) {
    return cudaStreamSynchronize(stream);
}

/* Name and text of an error. The library keeps it, for each thread until its next call: copy it, do not free it. */
const char *gelu_error(int code) {
    static thread_local char text[200];
    snprintf(text, sizeof text, "%s: %s", cudaGetErrorName((cudaError_t)code), cudaGetErrorString((cudaError_t)code));
    return text;
}

/* Bytes that gelu_allocate has given out and that nobody has handed to gelu_free. */
size_t gelu_bytes_held(void) {
    std::lock_guard<std::mutex> guard(held_lock);
    size_t sum = 0;
    for (const auto &one : held) {
        sum += one.second;
    }
    return sum;
}

/* For the lesson: gives an address back as it came, and looks at nothing behind it. */
void *gelu_same_address(void *address) {
    return address;
}

/* For the lesson: what comes behind this in the stream waits for gelu_release, or for so many milliseconds. */
int gelu_hold(cudaStream_t stream, int milliseconds) {
    std::lock_guard<std::mutex> guard(gate.lock);
    gate.open = gate.gave_up = false;
    gate.milliseconds = milliseconds;
    return cudaLaunchHostFunc(stream, wait_at_gate, NULL);
}

void gelu_release(void) {
    std::lock_guard<std::mutex> guard(gate.lock);
    gate.open = true;
    gate.changed.notify_all();
}

/* 1 if the last gate opened because its time was over. */
int gelu_gave_up(void) {
    std::lock_guard<std::mutex> guard(gate.lock);
    return gate.gave_up;
}

} // extern "C"
