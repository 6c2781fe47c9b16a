/* Linked with linked_b.cu. */
extern __device__ int twice(int x);

extern "C" __global__ void call_twice(int *to, int x) {
    *to = twice(x);
}
