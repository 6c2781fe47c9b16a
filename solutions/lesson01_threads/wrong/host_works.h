/* For files in which the host computes: both inputs come to pinned memory, and a host function computes, all of it queued, so that nobody
 * waits. Each file has another way for a kernel to carry the result to `out`. */
enum { MOST = 1 << 19 };

struct work {
    float a;
    int n;
    float *x, *y, *result;
};

static void compute(void *argument) {
    struct work *w = (struct work *)argument;
    for (int i = 0; i < w->n; i++) {
        w->result[i] = w->a * w->x[i] + w->y[i];
    }
}

static struct work *prepare(float a, int n) {
    static struct work w;
    if (!w.x) {
        CUDA_CHECK(cudaMallocHost((void **)&w.x, MOST * sizeof(float)));
        CUDA_CHECK(cudaMallocHost((void **)&w.y, MOST * sizeof(float)));
        w.result = w.x;
    }
    w.a = a;
    w.n = n;
    return &w;
}

static struct work *queue_the_host(float a, const float *x, const float *y, int n) {
    struct work *w = prepare(a, n);
    CUDA_CHECK(cudaMemcpyAsync(w->x, x, n * sizeof(float), cudaMemcpyDeviceToHost, 0));
    CUDA_CHECK(cudaMemcpyAsync(w->y, y, n * sizeof(float), cudaMemcpyDeviceToHost, 0));
    CUDA_CHECK(cudaLaunchHostFunc(0, compute, w));
    return w;
}

__global__ void carry(float *out, const float *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = from[i];
    }
}

void reverse(const float *, float *, int) {}
