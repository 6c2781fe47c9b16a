// Dense linear algebra in double: Gauss with pivots, LU in panels, Cholesky, eigenvalues by rotations, and
// exact elimination modulo a prime by one warp. Products and sums are rounded one by one, so the host repeats the bits.
#include "program.h"
#include <algorithm>
#include <vector>

enum { N = 45, BLOCK = 64, PRIME = 65521 };

__host__ __device__ double minus_product(double c, double a, double b) {
#ifdef __CUDA_ARCH__
    return __dsub_rn(c, __dmul_rn(a, b));
#else
    return c - a * b;
#endif
}

// One block eliminates column after column. The row of the pivot is found by all together.
__global__ void gauss(double *a, double *b, double *x, int *order) {
    __shared__ double best[BLOCK];
    __shared__ int at[BLOCK];
    int t = threadIdx.x;
    for (int k = 0; k < N; k++) {
        best[t] = -1, at[t] = k;
        for (int i = k + t; i < N; i += BLOCK)
            if (fabs(a[i * N + k]) > best[t])
                best[t] = fabs(a[i * N + k]), at[t] = i;
        for (int d = BLOCK / 2; d; d /= 2) {
            __syncthreads();
            if (t < d && (best[t + d] > best[t] || (best[t + d] == best[t] && at[t + d] < at[t])))
                best[t] = best[t + d], at[t] = at[t + d];
        }
        __syncthreads();
        int pivot = at[0];
        if (t == 0)
            order[k] = pivot;
        for (int j = t; j <= N && pivot != k; j += BLOCK) {
            double *p = j < N ? &a[pivot * N + j] : &b[pivot], *q = j < N ? &a[k * N + j] : &b[k], old = *p;
            *p = *q;
            *q = old;
        }
        __syncthreads();
        for (int i = k + 1 + t; i < N; i += BLOCK) {
            double factor = a[i * N + k] / a[k * N + k];
            for (int j = k; j < N; j++)
                a[i * N + j] = minus_product(a[i * N + j], factor, a[k * N + j]);
            b[i] = minus_product(b[i], factor, b[k]);
        }
        __syncthreads();
    }
    for (int k = N - 1; k >= 0; k--) {
        if (t == 0)
            x[k] = b[k] / a[k * N + k];
        __syncthreads();
        for (int i = t; i < k; i += BLOCK)
            b[i] = minus_product(b[i], a[i * N + k], x[k]);
        __syncthreads();
    }
}
static void gauss_on_host(std::vector<double> a, std::vector<double> b, double *x, int *order) {
    for (int k = 0; k < N; k++) {
        int pivot = k;
        for (int i = k; i < N; i++)
            if (fabs(a[i * N + k]) > fabs(a[pivot * N + k]))
                pivot = i;
        order[k] = pivot;
        for (int j = 0; j < N && pivot != k; j++)
            std::swap(a[pivot * N + j], a[k * N + j]);
        if (pivot != k)
            std::swap(b[pivot], b[k]);
        for (int i = k + 1; i < N; i++) {
            double factor = a[i * N + k] / a[k * N + k];
            for (int j = k; j < N; j++)
                a[i * N + j] = minus_product(a[i * N + j], factor, a[k * N + j]);
            b[i] = minus_product(b[i], factor, b[k]);
        }
    }
    for (int k = N - 1; k >= 0; k--) {
        x[k] = b[k] / a[k * N + k];
        for (int i = 0; i < k; i++)
            b[i] = minus_product(b[i], a[i * N + k], x[k]);
    }
}

// Cholesky: a launch for each column and one for what lies to the right of it.
__global__ void cholesky_column(double *a, int k) {
    double root = sqrt(a[k * N + k]);
    for (int i = k + 1 + threadIdx.x; i < N; i += blockDim.x)
        a[i * N + k] = a[i * N + k] / root;
    __syncthreads();
    if (threadIdx.x == 0)
        a[k * N + k] = root;
}
__global__ void cholesky_rest(double *a, int k) {
    int i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y, j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N && j <= i)
        a[i * N + j] = minus_product(a[i * N + j], a[i * N + k], a[j * N + k]);
}

// LU of a matrix without pivots: panels of W columns in shared memory.
enum { W = 8 };
__global__ void lu_panel(double *a, int start) {
    extern __shared__ double panel[];
    int rows = N - start, width = min((int)W, rows);
    for (int e = threadIdx.x; e < rows * width; e += blockDim.x)
        panel[e] = a[(start + e / width) * N + start + e % width];
    __syncthreads();
    for (int k = 0; k < width; k++) {
        for (int i = k + 1 + threadIdx.x; i < rows; i += blockDim.x) {
            double factor = panel[i * width + k] /= panel[k * width + k];
            for (int j = k + 1; j < width; j++)
                panel[i * width + j] = minus_product(panel[i * width + j], factor, panel[k * width + j]);
        }
        __syncthreads();
    }
    for (int e = threadIdx.x; e < rows * width; e += blockDim.x)
        a[(start + e / width) * N + start + e % width] = panel[e];
}
__global__ void lu_rest(double *a, int start) {
    int j = start + W + blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= N)
        return;
    for (int k = start; k < start + W; k++)
        for (int i = k + 1; i < N; i++)
            a[i * N + j] = minus_product(a[i * N + j], a[i * N + k], a[k * N + j]);
}

// Rank and determinant modulo a prime; a lane per column.
__device__ int power(int b, int e) {
    long long result = 1, base = b;
    for (; e; e >>= 1, base = base * base % PRIME)
        if (e & 1)
            result = result * base % PRIME;
    return (int)result;
}
__global__ void determinants(const int *in, int *out) {
    const int n = 31;
    int column[n], lane = threadIdx.x, determinant = 1;
    for (int i = 0; i < n; i++)
        column[i] = lane < n ? in[(blockIdx.x * n + i) * n + lane] : 0;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        while (pivot < n && __shfl_sync(~0u, column[pivot], k) == 0)
            pivot++;
        if (pivot == n) {
            determinant = 0;
            break;
        }
        if (pivot != k) {
            int t = column[k];
            column[k] = column[pivot];
            column[pivot] = t;
            determinant = PRIME - determinant;
        }
        int p = __shfl_sync(~0u, column[k], k), inverse = power(p, PRIME - 2);
        determinant = (int)((long long)determinant * p % PRIME);
        for (int i = k + 1; i < n; i++) {
            long long factor = (long long)__shfl_sync(~0u, column[i], k) * inverse % PRIME;
            column[i] = (int)((column[i] + (PRIME - factor) * column[k]) % PRIME);
        }
    }
    if (lane == 0)
        out[blockIdx.x] = determinant;
}
static int determinant_on_host(const int *in, int n) {
    std::vector<long long> a(in, in + n * n);
    long long determinant = 1;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        while (pivot < n && a[pivot * n + k] == 0)
            pivot++;
        if (pivot == n)
            return 0;
        for (int j = 0; j < n && pivot != k; j++)
            std::swap(a[k * n + j], a[pivot * n + j]);
        long long p = a[k * n + k], inverse = 1, base = p;
        for (int e = PRIME - 2; e; e >>= 1, base = base * base % PRIME)
            inverse = e & 1 ? inverse * base % PRIME : inverse;
        determinant = (pivot == k ? determinant : PRIME - determinant) * p % PRIME;
        for (int i = k + 1; i < n; i++) {
            long long factor = a[i * n + k] * inverse % PRIME;
            for (int j = k; j < n; j++)
                a[i * n + j] = (a[i * n + j] + (PRIME - factor) * a[k * n + j]) % PRIME;
        }
    }
    return (int)determinant;
}

// The greatest eigenvalue by Jacobi rotations of a small symmetric matrix per thread.
enum { S = 4 };
__host__ __device__ void rotate_all(double *m) {
    for (int sweep = 0; sweep < 12; sweep++)
        for (int p = 0; p < S; p++)
            for (int q = p + 1; q < S; q++) {
                if (fabs(m[p * S + q]) < 1e-300)
                    continue;
                double theta = (m[q * S + q] - m[p * S + p]) / (2 * m[p * S + q]);
                double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1));
                double c = 1 / sqrt(t * t + 1), s = t * c;
                for (int k = 0; k < S; k++) {
                    double a = m[k * S + p], b = m[k * S + q];
                    m[k * S + p] = c * a - s * b, m[k * S + q] = s * a + c * b;
                }
                for (int k = 0; k < S; k++) {
                    double a = m[p * S + k], b = m[q * S + k];
                    m[p * S + k] = c * a - s * b, m[q * S + k] = s * a + c * b;
                }
            }
}
__global__ void eigenvalues(const double *in, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double m[S * S];
    for (int k = 0; k < S * S; k++)
        m[k] = in[i * S * S + k];
    rotate_all(m);
    double sum = 0;
    for (int k = 0; k < S; k++) {
        out[i * (S + 1) + k] = m[k * S + k];
        sum += m[k * S + k] * m[k * S + k];
    }
    out[i * (S + 1) + S] = sum;
}

int main() {
    std::vector<double> a(N * N), b(N), x(N), expected(N), found(N * N), spd(N * N), lower;
    uint32_t seed = 19;
    for (double &v : a)
        v = (double)(next_random(&seed) % 2001) / 8 - 125;
    for (double &v : b)
        v = (double)(next_random(&seed) % 2001) / 4 - 250;
    double *d_a = to_device(a.data(), N * N), *d_b = to_device(b.data(), N), *d_x = device_zeros<double>(N);
    int order[N], order_found[N], *d_order = device_zeros<int>(N);
    gauss<<<1, BLOCK>>>(d_a, d_b, d_x, d_order);
    FINISH();
    from_device(x.data(), d_x, N);
    from_device(order_found, d_order, N);
    gauss_on_host(a, b, expected.data(), order);
    check_equal("Gauss: pivots", order, order_found, N);
    check_equal("Gauss: solution", expected.data(), x.data(), N);
    show_bits("solution", x.data(), N);
    double most = 0;
    for (int i = 0; i < N; i++) {
        double sum = -b[i];
        for (int j = 0; j < N; j++)
            sum += a[i * N + j] * x[j];
        most = std::max(most, fabs(sum));
    }
    check("it solves the equations", most < 1e-8);

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            for (int k = 0; k < N; k++)
                spd[i * N + j] += a[i * N + k] * a[j * N + k] / 64 + (i == j && k == 0 ? 50 : 0);
    double *d_spd = to_device(spd.data(), N * N);
    lower = spd;
    for (int k = 0; k < N; k++) {
        cholesky_column<<<1, 64>>>(d_spd, k);
        cholesky_rest<<<dim3(3, 6), dim3(16, 8)>>>(d_spd, k);
        double root = sqrt(lower[k * N + k]);
        lower[k * N + k] = root;
        for (int i = k + 1; i < N; i++)
            lower[i * N + k] /= root;
        for (int i = k + 1; i < N; i++)
            for (int j = k + 1; j <= i; j++)
                lower[i * N + j] = minus_product(lower[i * N + j], lower[i * N + k], lower[j * N + k]);
    }
    FINISH();
    from_device(found.data(), d_spd, N * N);
    check_equal("Cholesky", lower.data(), found.data(), N * N);
    show_bits("lower triangle", found.data(), N * N);

    std::vector<double> lu = spd;
    d_spd = to_device(spd.data(), N * N);
    for (int start = 0; start < N; start += W) {
        lu_panel<<<1, 64, (N - start) * W * sizeof(double)>>>(d_spd, start);
        if (start + W < N)
            lu_rest<<<1, 64>>>(d_spd, start);
    }
    FINISH();
    for (int k = 0; k < N; k++)
        for (int i = k + 1; i < N; i++) {
            lu[i * N + k] /= lu[k * N + k];
            for (int j = k + 1; j < N; j++)
                lu[i * N + j] = minus_product(lu[i * N + j], lu[i * N + k], lu[k * N + j]);
        }
    from_device(found.data(), d_spd, N * N);
    check_equal("LU in panels", lu.data(), found.data(), N * N);

    const int n = 31, matrices = 5;
    static int m[matrices * n * n];
    int d[matrices], want[matrices], *d_d = device_zeros<int>(matrices);
    for (int &v : m)
        v = next_random(&seed) % PRIME;
    for (int j = 0; j < n; j++) {
        m[2 * n * n + 7 * n + j] = (m[2 * n * n + 3 * n + j] * 2 + m[2 * n * n + j]) % PRIME; // singular
        m[3 * n * n + j * n] = j < 20 ? 0 : m[3 * n * n + j * n];                             // needs pivots
    }
    for (int k = 0; k < matrices; k++)
        want[k] = determinant_on_host(m + k * n * n, n);
    determinants<<<matrices, 32>>>(to_device(m, matrices * n * n), d_d);
    FINISH();
    from_device(d, d_d, matrices);
    check_equal("determinants modulo a prime", want, d, matrices);
    check("one of them is zero", d[2] == 0);
    show_bits("determinants", d, matrices);

    const int count = 70;
    std::vector<double> small(count * S * S), values(count * (S + 1)), sums(count), sums_found(count);
    for (int i = 0; i < count; i++)
        for (int p = 0; p < S; p++)
            for (int q = 0; q <= p; q++) {
                double v = (double)(next_random(&seed) % 201) - 100;
                small[i * S * S + p * S + q] = small[i * S * S + q * S + p] = v;
                sums[i] += p == q ? v * v : 2 * v * v; // the squares of the eigenvalues add up to this
            }
    double *d_values = device_zeros<double>(values.size());
    eigenvalues<<<2, 64>>>(to_device(small.data(), small.size()), d_values, count);
    FINISH();
    from_device(values.data(), d_values, values.size());
    std::vector<double> host_values(count * S), device_values(count * S);
    for (int i = 0; i < count; i++) {
        sums_found[i] = values[i * (S + 1) + S];
        rotate_all(&small[i * S * S]);
        for (int k = 0; k < S; k++) {
            host_values[i * S + k] = small[i * S * S + k * S + k];
            device_values[i * S + k] = values[i * (S + 1) + k];
        }
    }
    check_close("eigenvalues", host_values.data(), device_values.data(), count * S, 1e-10);
    check_close("squares of eigenvalues", sums.data(), sums_found.data(), count, 1e-12);
    return program_failures;
}
