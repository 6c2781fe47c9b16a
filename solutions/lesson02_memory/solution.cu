/* Exercise 02: the negative of a picture, in pitched device memory, with every error handled.
 *
 *     out[row][col] = 1 - in[row][col]
 *
 * The grader (make exercise02) calls, from the host:
 *
 *     cudaError_t negative(const float *in, float *out, int rows, int cols);
 *
 *   - in and out are host arrays (malloc) of rows * cols floats, row after row without gaps, and do not overlap;
 *   - rows and cols are 0 to 100000. If one is 0 there is nothing to do, and the result is cudaSuccess;
 *   - a kernel computes the picture, in device memory from cudaMallocPitch, with the pitch that this call returns;
 *   - if a CUDA call fails, its error is returned (that of cudaFree need not be): the function does not end the program,
 *     and prints nothing;
 *   - whether it succeeds or fails, all device memory that it allocated has been freed;
 *   - in is not changed, nothing but out is written, and on return out contains the result.
 *
 * The grader makes some calls fail on purpose, the launch among them, and returns larger pitches than you would expect.
 *
 * When all checks pass, a picture of any size makes the round trip through device memory, and whichever CUDA call
 * fails, its error is returned and no memory is lost.
 * First step: TODO 5, about ten minutes: the check "cudaMallocPitch fails: its error is returned" passes.
 */
// fails as given: not_implemented
#include <cuda_runtime.h>

enum { BLOCK = 128 }; // threads in a block

/* x[rows][cols], float, `pitch` bytes from row to row. Grid: a block for each row. */
__global__ void negative_kernel(float *x, size_t pitch, int cols) {
    //> TODO 1: find the start of row blockIdx.x, then let the threads of the block share its columns.
    //| (void)x, (void)pitch, (void)cols;
    float *row = (float *)((char *)x + blockIdx.x * pitch);
    for (int col = threadIdx.x; col < cols; col += blockDim.x) {
        row[col] = 1.0f - row[col];
    }
    //<
}

/* There and back, by way of x on the device. A row has cols floats, which are `width` bytes; that is also the pitch of
 * in and out, since they have no gaps. Returns the first error; the caller frees. */
static cudaError_t there_and_back(const float *in, float *out, int rows, int cols, size_t width, float *x,
                                  size_t pitch) {
    //> TODO 2: copy the rows of in to x with cudaMemcpy2D. If it fails, return its error.
    //| (void)in, (void)width, (void)x, (void)pitch;
    cudaError_t error = cudaMemcpy2D(x, pitch, in, width, width, rows, cudaMemcpyHostToDevice);
    if (error != cudaSuccess) {
        return error;
    }
    //<
    //> TODO 3: launch negative_kernel with a block for each row. A launch returns nothing: ask for its error.
    //| (void)rows, (void)cols;
    negative_kernel<<<rows, BLOCK>>>(x, pitch, cols);
    error = cudaGetLastError();
    if (error != cudaSuccess) {
        return error;
    }
    //<
    //> TODO 4: copy the rows of x to out, and return what that call returns. (Does anybody wait for the kernel?)
    //| (void)out;
    //| return cudaSuccess;
    return cudaMemcpy2D(out, width, x, pitch, width, rows, cudaMemcpyDeviceToHost);
    //<
}

cudaError_t negative(const float *in, float *out, int rows, int cols) {
    float *x = NULL;
    size_t width = cols * sizeof(float), pitch = 0;
    if (rows == 0 || cols == 0) {
        return cudaSuccess;
    }
    //> TODO 5: allocate x with cudaMallocPitch, which also tells you the pitch. If it fails, return its error.
    cudaError_t allocated = cudaMallocPitch((void **)&x, &pitch, width, rows);
    if (allocated != cudaSuccess) {
        return allocated;
    }
    //<
    cudaError_t error = there_and_back(in, out, rows, cols, width, x, pitch);
    //> TODO 6: free x, also when something failed, and return the first error that there was.
    //| return error;
    cudaError_t freed = cudaFree(x);
    return error != cudaSuccess ? error : freed;
    //<
}
