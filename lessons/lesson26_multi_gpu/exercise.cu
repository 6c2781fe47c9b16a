/* Exercise 26: train a small network on several devices, each with its own part of the data.
 *
 * Every device has all parameters of the network, and some rows of the data. In each step it computes the gradients of its rows: four
 * arrays, as large as the parameters. The network learns from the average over *all* rows. So the four gradients of a device are copied
 * into one array, its bucket, every device adds up all buckets, and each takes the same step.
 *
 * The grader (make exercise26) calls, from the host:
 *
 *     void train(int devices, const int *rows, const float *x, const float *target, const float *start, float *result, int steps, float rate);
 *
 *   - all arrays are in host memory. x has INPUTS floats in each row, target one; device 0 has the first rows[0] rows, device 1 the next
 *     rows[1], and so on. There are 1 to 8 devices; rows[d] may be 0 for some, not for all;
 *   - start has PARAMETERS floats. result is [devices][PARAMETERS]: what each device has after `steps` steps of
 *     parameter -= rate * (sum of the gradients of all rows) / (number of all rows);
 *   - all devices must end with the same parameters, to the bit: each adds up the buckets in the same order;
 *   - kernels compute everything: each device the gradients of its own rows, and its own steps. All devices together execute at most 1000
 *     floating-point operations for a row and step, and 2 * devices + 8 for each parameter. Data that one device writes and another one
 *     reads must be ordered, in both directions;
 *   - on return all work is complete, and memory, streams and events are freed (the code that is given does that).
 *
 * Several "devices" may share a GPU, if there are fewer: device_of(d) is the number of the GPU that plays device d.
 *
 * When all checks pass, several devices train one network, and after each step all of them have the same parameters,
 * bit for bit.
 * First step: TODO 2 and 3, about ten minutes: the check "one device" passes.
 */
// fails as given: not_implemented
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
        // TODO 1: enable access from r's device, which is current, to the memory of all[d].device, if that is another device. If it is
        // enabled already (cudaErrorPeerAccessAlreadyEnabled), that is no failure; clear the error with cudaGetLastError().
        (void)all;
    }
}

/* Puts the four gradients into the bucket, in the order of the parameters: w1, b1, w2, b2. */
static void pack(struct replica *r) {
    CUDA_CHECK(cudaSetDevice(r->device));
    // TODO 2: four copies in r->stream, one array after the other (cudaMemcpyAsync; sizes are in bytes!).
    (void)r;
}

/* parameter -= rate * average. A thread for each parameter. */
__global__ void update_kernel(float *parameters, struct buckets buckets, int devices, int all_rows, float rate) {
    int p = threadIdx.x;
    if (p < PARAMETERS) {
        // TODO 3: add up bucket 0, bucket 1, ... in this order on every device, and divide by the number of rows, not of devices: the
        // devices have more rows, or fewer.
        (void)parameters, (void)buckets, (void)devices, (void)all_rows, (void)rate;
    }
}

/* One step of all devices. */
static void step(struct replica *all, int devices, const struct buckets *buckets, int all_rows, float rate) {
    for (int d = 0; d < devices; d++) {
        compute_gradients(&all[d]);
        // TODO 4: no device may still be reading the bucket when it is filled again. So all[d].stream waits for the event `taken` of each
        // device; waiting for an event that was never recorded returns immediately. After pack, record `packed`.
        pack(&all[d]);
    }
    for (int d = 0; d < devices; d++) {
        CUDA_CHECK(cudaSetDevice(all[d].device));
        // TODO 5: all buckets must be full before update_kernel reads them on device d: its stream waits for the events `packed`. After
        // the launch, record `taken`.
        update_kernel<<<1, BLOCK, 0, all[d].stream>>>(all[d].parameters, *buckets, devices, all_rows, rate);
        CUDA_CHECK_LAUNCH();
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

void train(int devices, const int *rows, const float *x, const float *target, const float *start, float *result,
           int steps, float rate) {
    struct replica all[DEVICES_MAX];
    struct buckets buckets = {};
    int all_rows = 0;
    for (int d = 0; d < devices; d++) {
        open_replica(&all[d], d, rows[d], x + (size_t)all_rows * INPUTS, target + all_rows, start);
        buckets.of[d] = all[d].bucket;
        all_rows += rows[d];
    }
    for (int d = 0; d < devices; d++) {
        connect(&all[d], all, devices);
    }
    for (int s = 0; s < steps; s++) {
        step(all, devices, &buckets, all_rows, rate);
    }
    for (int d = 0; d < devices; d++) {
        CUDA_CHECK(cudaSetDevice(all[d].device));
        CUDA_CHECK(cudaMemcpyAsync(result + d * PARAMETERS, all[d].parameters, PARAMETERS * sizeof(float),
                                   cudaMemcpyDeviceToHost, all[d].stream));
    }
    for (int d = 0; d < devices; d++) {
        CUDA_CHECK(cudaSetDevice(all[d].device));
        CUDA_CHECK(cudaStreamSynchronize(all[d].stream));
    }
    for (int d = 0; d < devices; d++) {
        close_replica(&all[d]);
    }
}
