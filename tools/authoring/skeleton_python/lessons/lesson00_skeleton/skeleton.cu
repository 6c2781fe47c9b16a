/* skeleton.cu - FILL IN: what the library does, for lesson00.py. The skeleton's is y = 2 * x.
 *
 * Every function returns 0, or the number of a CUDA error. */
#include <cuda_runtime.h>

enum { BLOCK = 256 }; // threads in a block

/* x, y: n floats. Grid: n threads or more. */
__global__ void skeleton_kernel(const float *x, float *y, long long n, float factor) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = factor * x[i];
    }
}

static int launch(const float *x, float *y, long long n, float factor) {
    if (n > 0) {
        skeleton_kernel<<<(unsigned)((n + BLOCK - 1) / BLOCK), BLOCK>>>(x, y, n, factor);
    }
    return cudaGetLastError();
}

/* x and y are arrays of the CPU. */
static int round_trip(const float *x, float *y, long long n, float factor) {
    if (n < 0) {
        return cudaErrorInvalidValue;
    }
    if (n == 0) {
        return cudaSuccess;
    }
    float *both;
    cudaError_t error = cudaMalloc(&both, 2 * n * sizeof(float));
    if (error != cudaSuccess) {
        return error;
    }
    int code = cudaMemcpy(both, x, n * sizeof(float), cudaMemcpyHostToDevice);
    code = code ? code : launch(both, both + n, n, factor);
    code = code ? code : cudaMemcpy(y, both + n, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(both);
    return code;
}

extern "C" {

int skeleton_double(const float *x, float *y, long long n) {
    return round_trip(x, y, n, 2.0f);
}

/* For the exercise: y = factor * x. */
int skeleton_scale(const float *x, float *y, long long n, float factor) {
    return round_trip(x, y, n, factor);
}

/* x and y are arrays of the device. The work is queued in the default stream. */
int skeleton_launch(const float *x, float *y, long long n) {
    return launch(x, y, n, 2.0f);
}

/* The text belongs to the library. */
const char *skeleton_error(int code) {
    return cudaGetErrorString((cudaError_t)code);
}

} // extern "C"
