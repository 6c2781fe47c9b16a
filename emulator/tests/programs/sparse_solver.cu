// Sparse matrices: products of CSR by a thread and by a warp per row, of ELL and COO; dot, axpy and norm; conjugate gradients
// and red-black Gauss-Seidel for a Poisson problem, in double.
#include "program.h"
#include <algorithm>
#include <vector>

enum { SIDE = 23, N = SIDE * SIDE, BLOCK = 128 };

template <typename T>
__global__ void csr_thread(const int *begin, const int *column, const T *a, const T *x, T *y, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    T sum = 0;
    for (int k = begin[row]; k < begin[row + 1]; k++)
        sum += a[k] * x[column[k]];
    y[row] = sum;
}
template <typename T>
__global__ void csr_warp(const int *begin, const int *column, const T *a, const T *x, T *y, int n) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= n)
        return;
    T sum = 0;
    for (int k = begin[row] + lane; k < begin[row + 1]; k += 32)
        sum += a[k] * x[column[k]];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (lane == 0)
        y[row] = sum;
}
__global__ void ell(const int *column, const long long *a, int width, const long long *x, long long *y, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n)
        return;
    long long sum = 0;
    for (int k = 0; k < width; k++)
        if (column[k * n + row] >= 0)
            sum += a[k * n + row] * x[column[k * n + row]];
    y[row] = sum;
}
__global__ void coo(const int *row, const int *column, const long long *a, int count, const long long *x,
                    unsigned long long *y) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count)
        atomicAdd(&y[row[k]], (unsigned long long)(a[k] * x[column[k]]));
}

// One block, so that the order of the sum is always the same.
__global__ void dot(const double *x, const double *y, int n, double *result) {
    __shared__ double partial[BLOCK];
    double sum = 0;
    for (int i = threadIdx.x; i < n; i += BLOCK)
        sum += x[i] * y[i];
    partial[threadIdx.x] = sum;
    for (int d = BLOCK / 2; d > 0; d /= 2) {
        __syncthreads();
        if (threadIdx.x < d)
            partial[threadIdx.x] += partial[threadIdx.x + d];
    }
    if (threadIdx.x == 0)
        *result = partial[0];
}
// y = x + sign * (numerator / denominator) * y or y += ...: the scalars stay on the device.
__global__ void axpy(const double *numerator, const double *denominator, double sign, const double *x, double *y,
                     int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += sign * *numerator / *denominator * x[i];
}
__global__ void xpby(const double *x, const double *numerator, const double *denominator, double *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] + *numerator / *denominator * y[i];
}

static void products() {
    const int n = 401, columns = 353;
    std::vector<int> begin(1, 0), column, row;
    std::vector<long long> a, x(columns), expected(n), found(n);
    uint32_t seed = 13;
    for (long long &v : x)
        v = (long long)(next_random(&seed) % 4001) - 2000;
    int width = 0;
    for (int r = 0; r < n; r++) {
        int count = r % 37 == 5 ? 100 : next_random(&seed) % 9; // some rows are long, some are empty
        for (int k = 0; k < count; k++) {
            row.push_back(r);
            column.push_back(next_random(&seed) % columns);
            a.push_back((long long)(next_random(&seed) % 4001) - 2000);
            expected[r] += a.back() * x[column.back()];
        }
        begin.push_back((int)a.size());
        width = std::max(width, count);
    }
    std::vector<int> ell_column(width * n, -1);
    std::vector<long long> ell_a(width * n);
    for (int r = 0; r < n; r++)
        for (int k = begin[r]; k < begin[r + 1]; k++) {
            ell_column[(k - begin[r]) * n + r] = column[k];
            ell_a[(k - begin[r]) * n + r] = a[k];
        }
    int *d_begin = to_device(begin.data(), n + 1), *d_column = to_device(column.data(), column.size());
    long long *d_a = to_device(a.data(), a.size()), *d_x = to_device(x.data(), columns),
              *y = device_zeros<long long>(n);
    csr_thread<<<(n + 63) / 64, 64>>>(d_begin, d_column, d_a, d_x, y, n);
    FINISH();
    from_device(found.data(), y, n);
    check_equal("CSR, a thread per row", expected.data(), found.data(), n);
    csr_warp<<<(n + 2) / 3, 96>>>(d_begin, d_column, d_a, d_x, y, n);
    FINISH();
    from_device(found.data(), y, n);
    check_equal("CSR, a warp per row", expected.data(), found.data(), n);
    ell<<<(n + 63) / 64, 64>>>(to_device(ell_column.data(), width * n), to_device(ell_a.data(), width * n), width, d_x,
                               y, n);
    FINISH();
    from_device(found.data(), y, n);
    check_equal("ELL", expected.data(), found.data(), n);
    CUDA(cudaMemset(y, 0, n * sizeof *y));
    coo<<<((int)a.size() + 127) / 128, 128>>>(to_device(row.data(), row.size()), d_column, d_a, (int)a.size(), d_x,
                                              (unsigned long long *)y);
    FINISH();
    from_device(found.data(), y, n);
    check_equal("COO", expected.data(), found.data(), n);
    show_bits("product", found.data(), n);
}

// Red-black Gauss-Seidel on a square whose edges are zero, for -u'' = f on SIDE by SIDE points.
__global__ void smooth(double *u, const double *f, int colour) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= SIDE || y >= SIDE || (x + y) % 2 != colour)
        return;
    double sum = f[y * SIDE + x];
    sum += x > 0 ? u[y * SIDE + x - 1] : 0;
    sum += x < SIDE - 1 ? u[y * SIDE + x + 1] : 0;
    sum += y > 0 ? u[(y - 1) * SIDE + x] : 0;
    sum += y < SIDE - 1 ? u[(y + 1) * SIDE + x] : 0;
    u[y * SIDE + x] = sum / 4;
}

static void conjugate_gradients() {
    std::vector<int> begin(1, 0), column;
    std::vector<double> a, b(N), x(N), truth(N), relaxed(N);
    const int neighbours[] = {-SIDE, -1, 0, 1, SIDE};
    uint32_t seed = 29;
    for (double &v : truth)
        v = (double)(next_random(&seed) % 100);
    for (int i = 0; i < N; i++) {
        for (int k : neighbours) {
            int j = i + k;
            if (j < 0 || j >= N || (abs(k) == 1 && j / SIDE != i / SIDE))
                continue;
            column.push_back(j);
            a.push_back(k == 0 ? 4 : -1);
            b[i] += a.back() * truth[j];
        }
        begin.push_back((int)a.size());
    }
    int *d_begin = to_device(begin.data(), N + 1), *d_column = to_device(column.data(), column.size()), rounds = 0;
    double *d_a = to_device(a.data(), a.size()), *u = device_zeros<double>(N), *r = to_device(b.data(), N);
    double *p = to_device(b.data(), N), *ap = device_zeros<double>(N), *scalars = device_zeros<double>(3), rr;
    double *old = scalars, *now = scalars + 1, *pap = scalars + 2;
    const int blocks = (N + BLOCK - 1) / BLOCK;
    dot<<<1, BLOCK>>>(r, r, N, old);
    do {
        csr_thread<<<blocks, BLOCK>>>(d_begin, d_column, d_a, p, ap, N);
        dot<<<1, BLOCK>>>(p, ap, N, pap);
        axpy<<<blocks, BLOCK>>>(old, pap, 1, p, u, N);
        axpy<<<blocks, BLOCK>>>(old, pap, -1, ap, r, N);
        dot<<<1, BLOCK>>>(r, r, N, now);
        xpby<<<blocks, BLOCK>>>(r, now, old, p, N);
        std::swap(old, now);
        CUDA(cudaMemcpy(&rr, old, sizeof rr, cudaMemcpyDeviceToHost));
        rounds++;
    } while (rr > 1e-16 && rounds < 300);
    FINISH();
    from_device(x.data(), u, N);
    check_close("conjugate gradients", truth.data(), x.data(), N, 1e-9);
    show("rounds", rounds);

    double *d_f = to_device(b.data(), N), *v = device_zeros<double>(N);
    for (int s = 0; s < 500; s++) {
        smooth<<<dim3((SIDE + 15) / 16, (SIDE + 7) / 8), dim3(16, 8)>>>(v, d_f, 0);
        smooth<<<dim3((SIDE + 15) / 16, (SIDE + 7) / 8), dim3(16, 8)>>>(v, d_f, 1);
    }
    FINISH();
    for (int s = 0; s < 500; s++)
        for (int colour = 0; colour < 2; colour++)
            for (int i = 0; i < N; i++) {
                int px = i % SIDE, py = i / SIDE;
                if ((px + py) % 2 != colour)
                    continue;
                double sum = b[i];
                sum += px > 0 ? relaxed[i - 1] : 0;
                sum += px < SIDE - 1 ? relaxed[i + 1] : 0;
                sum += py > 0 ? relaxed[i - SIDE] : 0;
                sum += py < SIDE - 1 ? relaxed[i + SIDE] : 0;
                relaxed[i] = sum / 4;
            }
    from_device(x.data(), v, N);
    check_equal("red-black Gauss-Seidel", relaxed.data(), x.data(), N);
    show_bits("relaxed", x.data(), N);
}

int main() {
    products();
    conjugate_gradients();
    return program_failures;
}
