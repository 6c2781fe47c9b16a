/* layer.cu - bias and GELU of a layer as a library: the one that exercise 27 binds. exercise.py says what its functions promise.
 *
 * A layer has a stream, in which all its work is queued: also the copies from and to the caller's arrays. So the arrays have to stay until
 * layer_wait has returned. LAYER_DELAY_MS=100 makes that easy to see: each copy begins so much later, as if the GPU were busy. LAYER_FAIL=2 has
 * work refused with that error, as if there were no memory; LAYER_FAIL_WAIT=719 has whoever waits be told that error, as if a kernel had failed.
 *
 * Two things are for a grader: layer_mark changes the results, by which it recognizes them, and OBJECT_COUNT=5 keeps the number of layers in the shared
 * memory with that descriptor, where another process reads it.
 */
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <new>
#include <sys/mman.h>
#include <thread>

enum { BLOCK = 256, ARRAYS = 3 };

struct layer {
    int cols;
    cudaStream_t stream;
    float *bias;           // on the device
    float *device[ARRAYS]; // x, dy and the result, each for `room` elements
    float *pinned[ARRAYS]; // on the CPU, where the GPU can copy from and to
    size_t room;
};

static std::atomic<int> *count_of_layers(void) {
    static std::atomic<int> own;
    const char *shared = getenv("OBJECT_COUNT");
    void *page = shared ? mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED, atoi(shared), 0) : MAP_FAILED;
    return page == MAP_FAILED ? &own : (std::atomic<int> *)page;
}

static std::atomic<int> *const alive = count_of_layers();
static std::atomic<float> mark;

// ---------------------------------------------------------------- device code

__global__ void layer_kernel(const float *x, const float *bias, float *y, size_t n, int cols, float scale, float mark) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i] + bias[i % cols];
        y[i] = scale * 0.5f * v * (1.0f + erff(v * 0.7071067812f)) + mark;
    }
}

__global__ void layer_backward_kernel(const float *x, const float *bias, const float *dy, float *dx, size_t n, int cols,
                                      float scale, float mark) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i] + bias[i % cols];
        float below = 0.5f * (1.0f + erff(v * 0.7071067812f)), density = 0.3989422804f * expf(-0.5f * v * v);
        dx[i] = scale * dy[i] * (below + v * density) + mark;
    }
}

// ---------------------------------------------------------------- copies in the order of the stream

/* A copy between the caller's array and pinned memory, by the CPU, when the stream comes to it. */
struct copy {
    void *to;
    const void *from;
    size_t bytes;
};

static void make_copy(void *data) {
    struct copy *copy = (struct copy *)data;
    const char *delay = getenv("LAYER_DELAY_MS");
    if (delay) {
        std::this_thread::sleep_for(std::chrono::milliseconds(atoi(delay)));
    }
    memcpy(copy->to, copy->from, copy->bytes);
    delete copy;
}

static cudaError_t queue_copy(void *to, const void *from, size_t bytes, cudaStream_t stream) {
    struct copy *made = new (std::nothrow) copy{to, from, bytes};
    if (!made) {
        return cudaErrorMemoryAllocation;
    }
    cudaError_t error = cudaLaunchHostFunc(stream, make_copy, made);
    if (error != cudaSuccess) {
        delete made;
    }
    return error;
}

/* The first that has failed, or none. */
static cudaError_t first(cudaError_t a, cudaError_t b) {
    return a != cudaSuccess ? a : b;
}

static cudaError_t bring(struct layer *l, int which, const float *from, size_t bytes) {
    cudaError_t queued = queue_copy(l->pinned[which], from, bytes, l->stream);
    return first(queued, cudaMemcpyAsync(l->device[which], l->pinned[which], bytes, cudaMemcpyHostToDevice, l->stream));
}

static cudaError_t fetch(struct layer *l, int which, float *to, size_t bytes) {
    cudaError_t queued = cudaMemcpyAsync(l->pinned[which], l->device[which], bytes, cudaMemcpyDeviceToHost, l->stream);
    return first(queued, queue_copy(to, l->pinned[which], bytes, l->stream));
}

/* Until all that is queued is done, or has failed. */
static cudaError_t wait_for(struct layer *l) {
    const char *error = getenv("LAYER_FAIL_WAIT");
    return first(cudaStreamSynchronize(l->stream), error ? (cudaError_t)atoi(error) : cudaSuccess);
}

// ---------------------------------------------------------------- memory

static void give_up_room(struct layer *l) {
    for (int a = 0; a < ARRAYS; a++) {
        cudaFree(l->device[a]);
        cudaFreeHost(l->pinned[a]);
        l->device[a] = l->pinned[a] = NULL;
    }
    l->room = 0;
}

static cudaError_t make_room(struct layer *l, size_t elements) {
    if (elements <= l->room) {
        return cudaSuccess;
    }
    cudaError_t error = cudaStreamSynchronize(l->stream); // what is queued needs the old room
    give_up_room(l);
    for (int a = 0; a < ARRAYS; a++) {
        error = first(error, cudaMalloc((void **)&l->device[a], elements * sizeof(float)));
        error = first(error, cudaMallocHost((void **)&l->pinned[a], elements * sizeof(float)));
    }
    l->room = error == cudaSuccess ? elements : 0;
    return error;
}

/* What must be true of a call; `elements` is what it is about. */
static cudaError_t prepare(struct layer *l, const void *x, const void *result, long long rows, float scale,
                           size_t *elements) {
    if (!l || rows < 0 || !(scale > 0)) {
        return cudaErrorInvalidValue;
    }
    if (const char *error = getenv("LAYER_FAIL")) {
        return (cudaError_t)atoi(error);
    }
    *elements = (size_t)rows * l->cols;
    if (*elements && (!x || !result)) {
        return cudaErrorInvalidValue;
    }
    return make_room(l, *elements);
}

// ---------------------------------------------------------------- the interface

extern "C" {

int layer_destroy(struct layer *l) {
    if (!l) {
        return cudaSuccess;
    }
    cudaError_t error = wait_for(l);
    give_up_room(l);
    cudaFree(l->bias);
    cudaStreamDestroy(l->stream);
    delete l;
    (*alive)--;
    return error;
}

int layer_create(struct layer **made, const float *bias, int cols) {
    *made = NULL;
    if (!bias || cols <= 0) {
        return cudaErrorInvalidValue;
    }
    struct layer *l = new (std::nothrow) layer{};
    if (!l) {
        return cudaErrorMemoryAllocation;
    }
    l->cols = cols;
    (*alive)++;
    cudaError_t error = cudaStreamCreate(&l->stream);
    error = first(error, cudaMalloc((void **)&l->bias, cols * sizeof(float)));
    error = first(error, cudaMemcpy(l->bias, bias, cols * sizeof(float), cudaMemcpyHostToDevice));
    if (error != cudaSuccess) {
        layer_destroy(l);
        return error;
    }
    *made = l;
    return cudaSuccess;
}

int layer_forward(struct layer *l, const float *x, float *y, long long rows, float scale) {
    size_t n = 0;
    cudaError_t error = prepare(l, x, y, rows, scale, &n);
    if (error != cudaSuccess || n == 0) {
        return error;
    }
    error = bring(l, 0, x, n * sizeof(float));
    unsigned blocks = (unsigned)((n + BLOCK - 1) / BLOCK);
    layer_kernel<<<blocks, BLOCK, 0, l->stream>>>(l->device[0], l->bias, l->device[2], n, l->cols, scale, mark);
    error = first(error, cudaGetLastError());
    return first(error, fetch(l, 2, y, n * sizeof(float)));
}

int layer_backward(struct layer *l, const float *x, const float *dy, float *dx, long long rows, float scale) {
    size_t n = 0;
    cudaError_t error = prepare(l, x, dx, rows, scale, &n);
    if (error == cudaSuccess && n && !dy) {
        error = cudaErrorInvalidValue;
    }
    if (error != cudaSuccess || n == 0) {
        return error;
    }
    error = first(bring(l, 0, x, n * sizeof(float)), bring(l, 1, dy, n * sizeof(float)));
    unsigned blocks = (unsigned)((n + BLOCK - 1) / BLOCK);
    layer_backward_kernel<<<blocks, BLOCK, 0, l->stream>>>(l->device[0], l->bias, l->device[1], l->device[2], n,
                                                           l->cols, scale, mark);
    error = first(error, cudaGetLastError());
    return first(error, fetch(l, 2, dx, n * sizeof(float)));
}

int layer_wait(struct layer *l) {
    return l ? wait_for(l) : cudaErrorInvalidValue;
}

const char *layer_error(int code) {
    return cudaGetErrorString((cudaError_t)code);
}

/* How many layers have been created and not destroyed. */
int layer_alive(void) {
    return *alive;
}

/* Adds `value` to each result from now on. */
void layer_mark(float value) {
    mark = value;
}

} // extern "C"
