/* Matrix products with nvcuda::wmma: every type, shape and layout, from global and shared memory and by generic
 * addresses, with strides. Elements are small integers, so that every result is exact. */
// arch: sm_80
#include <mma.h>
#include <type_traits>

#include "program.h"

using namespace nvcuda;

/* Which space the fragments come from. */
enum where { GLOBAL, SHARED };

/* One warp multiplies one tile. ld*: strides in memory, more than the tile is wide. */
template <typename T, typename Tile, typename Acc, int M, int N, int K, typename LayoutA, typename LayoutB>
__global__ void multiply(const T *a, const T *b, const Acc *c, Acc *d, int lda, int ldb, int ldc, where from,
                         wmma::layout_t layout) {
    extern __shared__ __align__(128) unsigned char bytes[];
    wmma::fragment<wmma::matrix_a, M, N, K, Tile, LayoutA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, Tile, LayoutB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, Acc> fc, fd;
    if (from == SHARED) {
        const int rows_a = std::is_same<LayoutA, wmma::row_major>::value ? M : K;
        const int rows_b = std::is_same<LayoutB, wmma::row_major>::value ? K : N;
        T *sa = (T *)bytes, *sb = sa + rows_a * lda;
        for (int i = threadIdx.x; i < rows_a * lda; i += 32)
            sa[i] = a[i];
        for (int i = threadIdx.x; i < rows_b * ldb; i += 32)
            sb[i] = b[i];
        __syncwarp();
        wmma::load_matrix_sync(fa, sa, lda);
        wmma::load_matrix_sync(fb, sb, ldb);
    } else {
        wmma::load_matrix_sync(fa, a, lda);
        wmma::load_matrix_sync(fb, b, ldb);
    }
    wmma::load_matrix_sync(fc, c, ldc, layout);
    wmma::mma_sync(fd, fa, fb, fc);
    for (int i = 0; i < fd.num_elements; i++) /* the same for all elements, wherever they are */
        fd.x[i] = fd.x[i] + fd.x[i];
    wmma::store_matrix_sync(d, fd, ldc, layout);
}

template <typename T> static double number(T x) {
    return (double)(float)x;
}
template <> double number(double x) {
    return x;
}
template <> double number(int x) {
    return x;
}

template <typename T> static T element(int i) {
    return T((float)(std::is_unsigned<T>::value ? i * 7 % 11 : i * 7 % 11 - 5));
}

template <typename T, typename Tile, typename Acc, int M, int N, int K, typename LayoutA, typename LayoutB>
static bool try_one(where from, wmma::layout_t layout) {
    const bool row_a = std::is_same<LayoutA, wmma::row_major>::value,
               row_b = std::is_same<LayoutB, wmma::row_major>::value;
    const bool row_c = layout == wmma::mem_row_major;
    const int pad = 32 / sizeof(T), pad_c = 32 / sizeof(Acc);
    const int lda = (row_a ? K : M) + pad, ldb = (row_b ? N : K) + pad, ldc = (row_c ? N : M) + pad_c;
    const int size_a = (row_a ? M : K) * lda, size_b = (row_b ? K : N) * ldb, size_c = (row_c ? M : N) * ldc;
    T *a = new T[size_a], *b = new T[size_b];
    Acc *c = new Acc[size_c], *d = new Acc[size_c];
    for (int i = 0; i < size_a; i++)
        a[i] = element<T>(i);
    for (int i = 0; i < size_b; i++)
        b[i] = element<T>(i + 3);
    for (int i = 0; i < size_c; i++)
        c[i] = element<Acc>(i + 1);
    T *da = to_device(a, size_a), *db = to_device(b, size_b);
    Acc *dc = to_device(c, size_c), *dd = device_zeros<Acc>(size_c);
    multiply<T, Tile, Acc, M, N, K, LayoutA, LayoutB>
        <<<1, 32, (size_a + size_b) * sizeof(T)>>>(da, db, dc, dd, lda, ldb, ldc, from, layout);
    FINISH();
    from_device(d, dd, size_c);
    bool right = true;
    for (int i = 0; i < M; i++)
        for (int j = 0; j < N; j++) {
            int at = row_c ? i * ldc + j : j * ldc + i;
            double sum = number(c[at]);
            for (int k = 0; k < K; k++)
                sum += number(a[row_a ? i * lda + k : k * lda + i]) * number(b[row_b ? k * ldb + j : j * ldb + k]);
            right &= number(d[at]) == 2 * sum;
        }
    CUDA(cudaFree(da));
    CUDA(cudaFree(db));
    CUDA(cudaFree(dc));
    CUDA(cudaFree(dd));
    delete[] a;
    delete[] b;
    delete[] c;
    delete[] d;
    return right;
}

template <typename T, typename Tile, typename Acc, int M, int N, int K> static void try_all(const char *name) {
    using row = wmma::row_major;
    using col = wmma::col_major;
    bool right = try_one<T, Tile, Acc, M, N, K, row, row>(GLOBAL, wmma::mem_row_major);
    right &= try_one<T, Tile, Acc, M, N, K, row, col>(GLOBAL, wmma::mem_col_major);
    right &= try_one<T, Tile, Acc, M, N, K, col, row>(SHARED, wmma::mem_row_major);
    right &= try_one<T, Tile, Acc, M, N, K, col, col>(SHARED, wmma::mem_col_major);
    check(name, right);
}

#define TRY_SHAPES(name, T, Acc)                                                                                       \
    try_all<T, T, Acc, 16, 16, 16>(name " 16x16x16");                                                                  \
    try_all<T, T, Acc, 8, 32, 16>(name " 8x32x16");                                                                    \
    try_all<T, T, Acc, 32, 8, 16>(name " 32x8x16")

/* ---- a whole product, tiles by many warps ---- */

#define SIDE 128

__global__ void gemm(const half *a, const half *b, float *c) {
    __shared__ half sa[64][16 + 8], sb[16][64 + 8];
    int warp = threadIdx.x / 32, row = blockIdx.y * 64, column = blockIdx.x * 64;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[4];
    for (int i = 0; i < 4; i++)
        wmma::fill_fragment(sum[i], 0.0f);
    for (int k = 0; k < SIDE; k += 16) {
        for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x) {
            sa[i / 16][i % 16] = a[(row + i / 16) * SIDE + k + i % 16];
            sb[i / 64][i % 64] = b[(k + i / 64) * SIDE + column + i % 64];
        }
        __syncthreads();
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
        wmma::load_matrix_sync(fa, &sa[warp * 16][0], 24);
        for (int i = 0; i < 4; i++) {
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
            wmma::load_matrix_sync(fb, &sb[0][i * 16], 72);
            wmma::mma_sync(sum[i], fa, fb, sum[i]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        wmma::store_matrix_sync(c + (row + warp * 16) * SIDE + column + i * 16, sum[i], SIDE, wmma::mem_row_major);
}

static void try_gemm() {
    static half a[SIDE * SIDE], b[SIDE * SIDE];
    static float c[SIDE * SIDE], expected[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++) {
        a[i] = __float2half(i * 5 % 13 - 6);
        b[i] = __float2half(i * 3 % 7 - 3);
    }
    for (int i = 0; i < SIDE * SIDE; i++)
        for (int k = 0; k < SIDE; k++)
            expected[i] += __half2float(a[i / SIDE * SIDE + k]) * __half2float(b[k * SIDE + i % SIDE]);
    half *da = to_device(a, SIDE * SIDE), *db = to_device(b, SIDE * SIDE);
    float *dc = device_zeros<float>(SIDE * SIDE);
    gemm<<<dim3(SIDE / 64, SIDE / 64), 128>>>(da, db, dc);
    FINISH();
    from_device(c, dc, SIDE * SIDE);
    check_equal("gemm", expected, c, SIDE * SIDE);
}

int main() {
    TRY_SHAPES("half, half", half, half);
    TRY_SHAPES("half, float", half, float);
    TRY_SHAPES("bfloat16", __nv_bfloat16, float);
    TRY_SHAPES("signed char", signed char, int);
    TRY_SHAPES("unsigned char", unsigned char, int);
    try_all<float, wmma::precision::tf32, float, 16, 16, 8>("tf32");
    try_all<double, double, double, 8, 8, 4>("double");
    try_gemm();
    return program_failures != 0;
}
