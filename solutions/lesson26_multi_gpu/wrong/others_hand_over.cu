// expect: not_by_kernel
// says: which is too few for the gradients
/* Device 0 trains, and kernels of the others hand its parameters over. */
#include "common/check.h"

enum { INPUTS = 6, HIDDEN = 9, BLOCK = 128, DEVICES_MAX = 8 };
/* The gradients as they are computed, and where each begins in the bucket. */
enum { W1 = INPUTS * HIDDEN, B1 = HIDDEN, W2 = HIDDEN, B2 = 1, PARAMETERS = W1 + B1 + W2 + B2 };

struct buckets {
    const float *of[DEVICES_MAX]; // [PARAMETERS], on each device
};

/* What one device has. */
struct replica {
    int device, rows;
    cudaStream_t stream;
    cudaEvent_t packed, taken; // its bucket is full; it has read all buckets
    float *x, *target, *hidden, *error;
    float *parameters, *w1, *b1, *w2, *b2, *bucket; // w1, b1, w2, b2: gradients
};

static int device_of(int d) {
    int count = 0;
    CUDA_CHECK(cudaGetDeviceCount(&count));
    return d % count;
}

// ---------------------------------------------------------------- the network: nothing to do here

/* A thread for each row: hidden = tanh(w1 x + b1), and error = w2 hidden + b2 - target. */
__global__ void forward_kernel(const float *parameters, const float *x, const float *target, int rows, float *hidden,
                               float *error) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    const float *w1 = parameters, *b1 = w1 + W1, *w2 = b1 + B1, *b2 = w2 + W2;
    if (row >= rows) {
        return;
    }
    float y = b2[0];
    for (int j = 0; j < HIDDEN; j++) {
        float sum = b1[j];
        for (int i = 0; i < INPUTS; i++) {
            sum += w1[j * INPUTS + i] * x[row * INPUTS + i];
        }
        hidden[row * HIDDEN + j] = tanhf(sum);
        y += w2[j] * hidden[row * HIDDEN + j];
    }
    error[row] = y - target[row];
}

/* A thread for each parameter: the sum of its gradient over the rows of this device. */
__global__ void gradient_kernel(const float *parameters, const float *x, const float *hidden, const float *error,
                                int rows, float *w1, float *b1, float *w2, float *b2) {
    int p = threadIdx.x, j = p < W1 ? p / INPUTS : (p - W1) % HIDDEN;
    float sum = 0.0f;
    for (int row = 0; row < rows && p < PARAMETERS; row++) {
        float h = hidden[row * HIDDEN + j], back = error[row] * parameters[W1 + B1 + j] * (1 - h * h);
        sum += p < W1             ? back * x[row * INPUTS + p % INPUTS]
               : p < W1 + B1      ? back
               : p < W1 + B1 + W2 ? error[row] * h
                                  : error[row];
    }
    if (p < W1) {
        w1[p] = sum;
    } else if (p < W1 + B1) {
        b1[p - W1] = sum;
    } else if (p < W1 + B1 + W2) {
        w2[p - W1 - B1] = sum;
    } else if (p < PARAMETERS) {
        b2[0] = sum;
    }
}

static void compute_gradients(struct replica *r) {
    CUDA_CHECK(cudaSetDevice(r->device));
    if (r->rows > 0) {
        forward_kernel<<<(r->rows + BLOCK - 1) / BLOCK, BLOCK, 0, r->stream>>>(r->parameters, r->x, r->target, r->rows,
                                                                               r->hidden, r->error);
        CUDA_CHECK_LAUNCH();
    }
    gradient_kernel<<<1, BLOCK, 0, r->stream>>>(r->parameters, r->x, r->hidden, r->error, r->rows, r->w1, r->b1, r->w2,
                                                r->b2);
    CUDA_CHECK_LAUNCH();
}

// ---------------------------------------------------------------- the all-reduce

/* Kernels of replica r's device may read the memory of the other devices. */
static void connect(struct replica *r, const struct replica *all, int devices) {
    CUDA_CHECK(cudaSetDevice(r->device));
    for (int d = 0; d < devices; d++) {
        if (all[d].device != r->device) {
            cudaError_t error = cudaDeviceEnablePeerAccess(all[d].device, 0);
            if (error == cudaErrorPeerAccessAlreadyEnabled) {
                cudaGetLastError();
            } else {
                CUDA_CHECK(error);
            }
        }
    }
}

/* Puts the four gradients into the bucket, in the order of the parameters: w1, b1, w2, b2. */
static void pack(struct replica *r) {
    CUDA_CHECK(cudaSetDevice(r->device));
    const float *parts[] = {r->w1, r->b1, r->w2, r->b2};
    const int sizes[] = {W1, B1, W2, B2};
    for (int k = 0, at = 0; k < 4; at += sizes[k++]) {
        CUDA_CHECK(
            cudaMemcpyAsync(r->bucket + at, parts[k], sizes[k] * sizeof(float), cudaMemcpyDeviceToDevice, r->stream));
    }
}

/* parameter -= rate * average. A thread for each parameter. */
__global__ void update_kernel(float *parameters, struct buckets buckets, int devices, int all_rows, float rate) {
    int p = threadIdx.x;
    if (p < PARAMETERS) {
        float sum = buckets.of[0][p];
        for (int d = 1; d < devices; d++) {
            sum += buckets.of[d][p];
        }
        parameters[p] -= rate * sum / all_rows;
    }
}

/* One step of all devices. */
static void step(struct replica *all, int devices, const struct buckets *buckets, int all_rows, float rate) {
    for (int d = 0; d < devices; d++) {
        compute_gradients(&all[d]);
        for (int e = 0; e < devices; e++) {
            CUDA_CHECK(cudaStreamWaitEvent(all[d].stream, all[e].taken, 0));
        }
        pack(&all[d]);
        CUDA_CHECK(cudaEventRecord(all[d].packed, all[d].stream));
    }
    for (int d = 0; d < devices; d++) {
        CUDA_CHECK(cudaSetDevice(all[d].device));
        for (int e = 0; e < devices; e++) {
            CUDA_CHECK(cudaStreamWaitEvent(all[d].stream, all[e].packed, 0));
        }
        update_kernel<<<1, BLOCK, 0, all[d].stream>>>(all[d].parameters, *buckets, devices, all_rows, rate);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(cudaEventRecord(all[d].taken, all[d].stream));
    }
}

// ---------------------------------------------------------------- memory, there and back: nothing to do here

static float *floats(size_t n) {
    float *memory = NULL;
    CUDA_CHECK(cudaMalloc((void **)&memory, (n ? n : 1) * sizeof(float)));
    return memory;
}

static void open_replica(struct replica *r, int d, int rows, const float *x, const float *target, const float *start) {
    *r = {};
    r->device = device_of(d);
    r->rows = rows;
    CUDA_CHECK(cudaSetDevice(r->device));
    CUDA_CHECK(cudaStreamCreateWithFlags(&r->stream, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventCreateWithFlags(&r->packed, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventCreateWithFlags(&r->taken, cudaEventDisableTiming));
    r->x = floats((size_t)rows * INPUTS);
    r->target = floats(rows);
    r->hidden = floats((size_t)rows * HIDDEN);
    r->error = floats(rows);
    r->parameters = floats(PARAMETERS);
    r->w1 = floats(W1);
    r->b1 = floats(B1);
    r->w2 = floats(W2);
    r->b2 = floats(B2);
    r->bucket = floats(PARAMETERS);
    CUDA_CHECK(cudaMemcpyAsync(r->x, x, (size_t)rows * INPUTS * sizeof(float), cudaMemcpyHostToDevice, r->stream));
    CUDA_CHECK(cudaMemcpyAsync(r->target, target, rows * sizeof(float), cudaMemcpyHostToDevice, r->stream));
    CUDA_CHECK(cudaMemcpyAsync(r->parameters, start, PARAMETERS * sizeof(float), cudaMemcpyHostToDevice, r->stream));
}

static void close_replica(struct replica *r) {
    float *const arrays[] = {r->x,  r->target, r->hidden, r->error, r->parameters,
                             r->w1, r->b1,     r->w2,     r->b2,    r->bucket};
    CUDA_CHECK(cudaSetDevice(r->device));
    for (float *array : arrays) {
        CUDA_CHECK(cudaFree(array));
    }
    CUDA_CHECK(cudaEventDestroy(r->packed));
    CUDA_CHECK(cudaEventDestroy(r->taken));
    CUDA_CHECK(cudaStreamDestroy(r->stream));
}

__global__ void hand_over_kernel(float *to, const float *from) {
    if (threadIdx.x < PARAMETERS) {
        to[threadIdx.x] = from[threadIdx.x];
    }
}

void train(int devices, const int *rows, const float *x, const float *target, const float *start, float *result,
           int steps, float rate) {
    struct replica one;
    struct buckets buckets = {};
    int all_rows = 0;
    for (int d = 0; d < devices; d++) {
        all_rows += rows[d];
    }
    open_replica(&one, 0, all_rows, x, target, start);
    buckets.of[0] = one.bucket;
    connect(&one, &one, 1);
    for (int s = 0; s < steps; s++) {
        step(&one, 1, &buckets, all_rows, rate);
    }
    for (int d = 0; d < devices; d++) {
        float *copy = NULL;
        CUDA_CHECK(cudaStreamSynchronize(one.stream));
        CUDA_CHECK(cudaSetDevice(device_of(d)));
        CUDA_CHECK(cudaMalloc((void **)&copy, 2 * PARAMETERS * sizeof(float)));
        CUDA_CHECK(cudaMemcpy(copy, one.parameters, PARAMETERS * sizeof(float), cudaMemcpyDefault));
        hand_over_kernel<<<1, BLOCK>>>(copy + PARAMETERS, copy);
        CUDA_CHECK_LAUNCH();
        CUDA_CHECK(
            cudaMemcpy(result + d * PARAMETERS, copy + PARAMETERS, PARAMETERS * sizeof(float), cudaMemcpyDefault));
        CUDA_CHECK(cudaFree(copy));
        CUDA_CHECK(cudaSetDevice(one.device));
    }
    CUDA_CHECK(cudaStreamSynchronize(one.stream));
    close_replica(&one);
}
