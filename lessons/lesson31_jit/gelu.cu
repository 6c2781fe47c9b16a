/* gelu.cu - GELU and its derivative, for any type of number. `make` does not compile this file: lesson31.py does, when a call needs it, and says
 *
 *     -DNUMBER=float -DWIDTH=4          the type, and how many numbers a thread takes at once
 *     -DHEADER=<cuda_fp16.h>            where a type is not one of the language's own
 */
#ifdef HEADER
#include HEADER
#endif

/* What a thread loads and stores with one instruction: WIDTH numbers, 16 bytes of them at most. */
struct alignas(sizeof(NUMBER) * WIDTH) pack {
    NUMBER at[WIDTH];
};

/* Half precision is for memory; the arithmetic is done in float, and for double in double. */
template <typename T> struct arithmetic { typedef float type; };
template <> struct arithmetic<double> { typedef double type; };
typedef arithmetic<NUMBER>::type wide;

/* How much of a normal distribution lies below v; and its density there. */
__device__ float below(float v) {
    return 0.5f * (1.0f + erff(v * 0.7071067812f));
}
__device__ double below(double v) {
    return 0.5 * (1.0 + erf(v * 0.70710678118654752));
}
__device__ float density(float v) {
    return 0.3989422804f * expf(-0.5f * v * v);
}
__device__ double density(double v) {
    return 0.39894228040143268 * exp(-0.5 * v * v);
}

/* Grid: a thread for each pack, or more. y = gelu(x) */
extern "C" __global__ void gelu(const pack *x, pack *y, size_t packs) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < packs) {
        pack in = x[i], out;
        for (int k = 0; k < WIDTH; k++) {
            wide v = (wide)in.at[k];
            out.at[k] = (NUMBER)(v * below(v));
        }
        y[i] = out;
    }
}

/* Grid: the same. dx = dy times the derivative at x */
extern "C" __global__ void gelu_backward(const pack *x, const pack *dy, pack *dx, size_t packs) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < packs) {
        pack in = x[i], from = dy[i], out;
        for (int k = 0; k < WIDTH; k++) {
            wide v = (wide)in.at[k];
            out.at[k] = (NUMBER)((wide)from.at[k] * (below(v) + v * density(v)));
        }
        dx[i] = out;
    }
}
