/* The kernels of exercise 03, done right, for files that are about something else. */
enum { BLOCK = 256 };

__device__ float gelu_of(float x, bool erf_form) {
    float inner = 0.7978845608f * (x + 0.044715f * x * x * x);
    return 0.5f * x * (1.0f + (erf_form ? erff(x * 0.7071067812f) : tanhf(inner)));
}

__global__ void gelu_kernel(const float *x, float *y, int n, bool erf_form) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = gelu_of(x[i], erf_form);
    }
}

__global__ void gelu_vector_kernel(const float *x, float *y, int n, bool erf_form) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, rest = n / 4 * 4 + i;
    if (i < n / 4) {
        float4 v = ((const float4 *)x)[i];
        ((float4 *)y)[i] =
            make_float4(gelu_of(v.x, erf_form), gelu_of(v.y, erf_form), gelu_of(v.z, erf_form), gelu_of(v.w, erf_form));
    }
    if (rest < n) {
        y[rest] = gelu_of(x[rest], erf_form);
    }
}

static void right_gelu(const float *x, float *y, int n, bool erf_form, cudaStream_t stream) {
    if (((uintptr_t)x | (uintptr_t)y) % 16 == 0) {
        gelu_vector_kernel<<<(n / 4 + BLOCK) / BLOCK, BLOCK, 0, stream>>>(x, y, n, erf_form);
    } else if (n > 0) {
        gelu_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, stream>>>(x, y, n, erf_form);
    }
    CUDA_CHECK_LAUNCH();
}
