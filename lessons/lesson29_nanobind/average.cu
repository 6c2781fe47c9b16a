/* average.cu - a moving average on the device, as a library: the one that exercise 29 binds. average.h says what its functions promise.
 *
 * All work is queued in the average's own stream: also the copies from and to the caller's arrays. AVERAGE_DELAY_MS=100 makes easy to see who has
 * not waited: each piece of work begins so much later, as if the GPU were busy.
 *
 * Two things are for a grader: average_mark changes the results, by which it recognizes them, and OBJECT_COUNT=5 keeps the number of averages in the
 * shared memory with that descriptor, where another process reads it.
 */
#include "average.h"
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <new>
#include <sys/mman.h>
#include <thread>

enum { BLOCK = 256 };

struct average {
    long long n;
    cudaStream_t stream;
    float *values, *x; // on the device
    float *pinned;     // on the CPU, where the GPU can copy from and to
};

static std::atomic<int> *count_of_averages(void) {
    static std::atomic<int> own;
    const char *shared = getenv("OBJECT_COUNT");
    void *page = shared ? mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(shared), 0) : MAP_FAILED;
    return page == MAP_FAILED ? &own : (std::atomic<int> *)page;
}

static std::atomic<int> *const alive = count_of_averages();
static std::atomic<float> mark;

// ---------------------------------------------------------------- device code

__global__ void average_kernel(float *values, const float *x, float share, long long n, float mark) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        values[i] = values[i] + share * (x[i] - values[i]) + mark;
    }
}

// ---------------------------------------------------------------- work in the order of the stream

/* What the CPU does when the stream comes to it: it is late, and copies something, or nothing. */
struct step {
    void *to;
    const void *from;
    size_t bytes;
};

static void make_step(void *data) {
    struct step *step = (struct step *)data;
    const char *delay = getenv("AVERAGE_DELAY_MS");
    if (delay) {
        std::this_thread::sleep_for(std::chrono::milliseconds(atoi(delay)));
    }
    if (step->bytes) {
        memcpy(step->to, step->from, step->bytes);
    }
    delete step;
}

static cudaError_t queue_step(void *to, const void *from, size_t bytes, cudaStream_t stream) {
    struct step *made = new (std::nothrow) step{to, from, bytes};
    if (!made) {
        return cudaErrorMemoryAllocation;
    }
    cudaError_t error = cudaLaunchHostFunc(stream, make_step, made);
    if (error != cudaSuccess) {
        delete made;
    }
    return error;
}

/* The first that has failed, or none. */
static cudaError_t first(cudaError_t a, cudaError_t b) {
    return a != cudaSuccess ? a : b;
}

static cudaError_t queue_update(struct average *a, const float *x, float share) {
    average_kernel<<<(unsigned)((a->n + BLOCK - 1) / BLOCK), BLOCK, 0, a->stream>>>(a->values, x, share, a->n, mark);
    return cudaGetLastError();
}

static bool is_wrong(struct average *a, const void *array, float share) {
    return !a || !array || !(share > 0 && share <= 1);
}

// ---------------------------------------------------------------- the interface

extern "C" {

int average_destroy(struct average *a) {
    if (!a) {
        return cudaSuccess;
    }
    cudaError_t error = cudaStreamSynchronize(a->stream);
    cudaFree(a->values);
    cudaFree(a->x);
    cudaFreeHost(a->pinned);
    cudaStreamDestroy(a->stream);
    delete a;
    (*alive)--;
    return error;
}

int average_create(struct average **made, long long n) {
    *made = NULL;
    if (n < 1) {
        return cudaErrorInvalidValue;
    }
    struct average *a = new (std::nothrow) average{};
    if (!a) {
        return cudaErrorMemoryAllocation;
    }
    a->n = n;
    (*alive)++;
    cudaError_t error = cudaStreamCreate(&a->stream);
    error = first(error, cudaMalloc((void **)&a->values, n * sizeof(float)));
    error = first(error, cudaMalloc((void **)&a->x, n * sizeof(float)));
    error = first(error, cudaMallocHost((void **)&a->pinned, n * sizeof(float)));
    error = first(error, cudaMemset(a->values, 0, n * sizeof(float)));
    if (error != cudaSuccess) {
        average_destroy(a);
        return error;
    }
    *made = a;
    return cudaSuccess;
}

int average_values(struct average *a, float **values) {
    *values = a ? a->values : NULL;
    return a ? cudaSuccess : cudaErrorInvalidValue;
}

int average_update(struct average *a, const float *x, float share) {
    if (is_wrong(a, x, share)) {
        return cudaErrorInvalidValue;
    }
    size_t bytes = a->n * sizeof(float);
    cudaError_t error = queue_step(a->pinned, x, bytes, a->stream);
    error = first(error, cudaMemcpyAsync(a->x, a->pinned, bytes, cudaMemcpyHostToDevice, a->stream));
    return first(error, queue_update(a, a->x, share));
}

int average_update_there(struct average *a, const float *x, float share) {
    if (is_wrong(a, x, share)) {
        return cudaErrorInvalidValue;
    }
    cudaError_t error = queue_step(NULL, NULL, 0, a->stream);
    return first(error, queue_update(a, x, share));
}

int average_copy(struct average *a, float *to) {
    if (is_wrong(a, to, 1)) {
        return cudaErrorInvalidValue;
    }
    size_t bytes = a->n * sizeof(float);
    cudaError_t error = cudaMemcpyAsync(a->pinned, a->values, bytes, cudaMemcpyDeviceToHost, a->stream);
    return first(error, queue_step(to, a->pinned, bytes, a->stream));
}

int average_wait(struct average *a) {
    return a ? cudaStreamSynchronize(a->stream) : cudaErrorInvalidValue;
}

const char *average_error(int code) {
    return cudaGetErrorString((cudaError_t)code);
}

/* How many averages have been created and not destroyed. */
int average_alive(void) {
    return *alive;
}

/* Adds `value` to each result from now on. */
void average_mark(float value) {
    mark = value;
}

} // extern "C"
