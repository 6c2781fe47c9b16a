/* Exercise 05, done right, for files that are about something else. */
enum { BLOCK = 256 };         // threads in a block: 8 warps
#define ALL_LANES 0xffffffffu // the mask that names all 32 lanes

__global__ void fill_forward_kernel(const float *x, float *y, unsigned *valid, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    float v = i < n ? x[i] : NAN; // a sample that does not exist is as good as missing, and its lane stays with us

    unsigned here = __ballot_sync(ALL_LANES, !isnan(v));

    unsigned up_to_me = here & ALL_LANES >> (31 - lane);
    int source = 31 - __clz(up_to_me);

    float value = __shfl_sync(ALL_LANES, v, source);
    value = source < 0 ? 0.0f : value;

    if (i < n) {
        y[i] = value;
        if (lane == 0) {
            valid[i / 32] = here;
        }
    }
}

static void right_fill_forward(const float *x, float *y, unsigned *valid, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int blocks = (n + BLOCK - 1) / BLOCK;
    fill_forward_kernel<<<blocks, BLOCK, 0, stream>>>(x, y, valid, n);
    CUDA_CHECK_LAUNCH();
}

// ---------------------------------------------------------------- two channels

/* The left channel: large values become smaller. */
__device__ float soften(float v) {
    for (int round = 0; round < 48; round++) {
        v = v - 0.03125f * v * v * v;
    }
    return v;
}

/* The right channel: values move away from 0, towards 1 or -1. */
__device__ float widen(float v) {
    for (int round = 0; round < 48; round++) {
        v = v + 0.0625f * (copysignf(1.0f, v) - v);
    }
    return v;
}

/* Grid: n threads or more, in blocks of BLOCK threads. A block has the samples blockIdx.x * BLOCK ... + BLOCK - 1. */
__global__ void two_channels_kernel(const float *x, float *y, int n) {
    int half = blockDim.x / 2, right = threadIdx.x / half;
    int i = blockIdx.x * blockDim.x + 2 * (threadIdx.x % half) + right;
    if (i < n) {
        if (i % 2 == 0) {
            y[i] = soften(x[i]);
        } else {
            y[i] = widen(x[i]);
        }
    }
}

static void right_two_channels(const float *x, float *y, int n, cudaStream_t stream) {
    if (n == 0) {
        return;
    }
    int blocks = (n + BLOCK - 1) / BLOCK;
    two_channels_kernel<<<blocks, BLOCK, 0, stream>>>(x, y, n);
    CUDA_CHECK_LAUNCH();
}
