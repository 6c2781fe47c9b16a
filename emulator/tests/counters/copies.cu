/* What cp.async costs in shared memory when its destinations, its sources or both meet in banks: a launch of one warp for each, like
 * patterns.cu. ncu counts them as smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum. */
#include <cstdio>

#define COPY(name, size, cache, to_bytes, from_bytes)                                                                  \
    static __global__ void name(char *buffer) {                                                                        \
        extern __shared__ __align__(1024) char shared[];                                                               \
        unsigned lane = threadIdx.x, to = (unsigned)__cvta_generic_to_shared(shared) + (to_bytes);                     \
        asm volatile("cp.async." #cache ".shared.global [%0], [%1], " #size ";" ::"r"(to), "l"(buffer + (from_bytes))  \
                     : "memory");                                                                                      \
        asm volatile("cp.async.wait_all;" ::: "memory");                                                               \
    }
#define COPIES(X)                                                                                                      \
    X(copy4_pairs, 4, ca, lane * 8, lane * 4)                                                                          \
    X(copy4_one_bank, 4, ca, lane * 128, lane * 4)                                                                     \
    X(copy4_one_place, 4, ca, 0, lane * 4)                                                                             \
    X(copy4_both, 4, ca, lane * 8, lane * 16)                                                                          \
    X(copy4_crossed, 4, ca, lane / 16 * 4 + lane % 16 * 128, lane % 2 * 4 + lane / 2 * 128)                            \
    X(copy4_transposed, 4, ca, lane % 8 * 512 + lane / 8 * 4, lane / 8 * 16384 + lane % 8 * 4)                         \
    X(copy4_padded, 4, ca, lane % 8 * 528 + lane / 8 * 4, lane / 8 * 16384 + lane % 8 * 4)                             \
    X(copy4_shifted, 4, ca, lane % 8 * 528 + lane / 8 * 4, lane / 8 * 16416 + lane % 8 * 4)                            \
    X(copy8_pairs, 8, ca, lane * 16, lane * 8)                                                                         \
    X(copy8_one_bank, 8, ca, lane * 128, lane * 8)                                                                     \
    X(copy16_pairs, 16, ca, lane * 32, lane * 16)                                                                      \
    X(copy16_one_bank, 16, ca, lane * 128, lane * 16)                                                                  \
    X(copy16_bypass_row, 16, cg, lane * 16, lane * 16)                                                                 \
    X(copy16_bypass_pairs, 16, cg, lane * 32, lane * 16)                                                               \
    X(copy16_bypass_one_bank, 16, cg, lane * 128, lane * 16)                                                           \
    X(copy16_bypass_apart, 16, cg, lane * 16, lane * 512)

COPIES(COPY)

int main() {
    char *buffer;
    cudaMalloc(&buffer, 1 << 20);
    cudaMemset(buffer, 0, 1 << 20);
#define LAUNCH(name, ...)                                                                                              \
    printf("%s\n", #name);                                                                                             \
    name<<<1, 32, 48 << 10>>>(buffer);
    COPIES(LAUNCH)
    return cudaDeviceSynchronize() != cudaSuccess;
}
