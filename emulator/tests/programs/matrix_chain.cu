// Chains of matrices: the cheapest order found by dynamic programming on the device, then products of transposed and plain
// operands through one tiled template; powers by squaring; strided batches; a product over (min, +).
#include "program.h"
#include <climits>
#include <vector>

enum { T = 16, CHAIN = 7 };

struct ordinary {
    __host__ __device__ static long long zero() { return 0; }
    __host__ __device__ static long long step(long long sum, long long a, long long b) { return sum + a * b; }
};
struct modular {
    __host__ __device__ static long long zero() { return 0; }
    __host__ __device__ static long long step(long long sum, long long a, long long b) {
        return (sum + a * b) % 1000003;
    }
};
struct shortest {
    __host__ __device__ static long long zero() { return LLONG_MAX / 4; }
    __host__ __device__ static long long step(long long sum, long long a, long long b) {
        return a + b < sum ? a + b : sum;
    }
};

// C = op(A) op(B); A is m x k or, turned, k x m. One matrix of a batch per blockIdx.z.
template <typename RING, bool TURN_A, bool TURN_B>
__global__ void product(const long long *a, const long long *b, long long *c, int m, int n, int k) {
    __shared__ long long sa[T][T], sb[T][T + 1];
    a += (size_t)blockIdx.z * m * k, b += (size_t)blockIdx.z * k * n, c += (size_t)blockIdx.z * m * n;
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * T + y, column = blockIdx.x * T + x;
    long long sum = RING::zero();
    for (int start = 0; start < k; start += T) {
        int ka = start + x, kb = start + y;
        sa[y][x] = row < m && ka < k ? TURN_A ? a[ka * m + row] : a[row * k + ka] : RING::zero();
        sb[y][x] = column < n && kb < k ? TURN_B ? b[column * k + kb] : b[kb * n + column] : RING::zero();
        __syncthreads();
        for (int i = 0; i < T && start + i < k; i++)
            sum = RING::step(sum, sa[y][i], sb[i][x]);
        __syncthreads();
    }
    if (row < m && column < n)
        c[row * n + column] = sum;
}

// cost[i][j]: the cheapest way to multiply matrices i to j; all of one length at a time.
__global__ void cheapest(const int *sizes, long long *cost, int *cut) {
    for (int length = 2; length <= CHAIN; length++) {
        int i = threadIdx.x, j = i + length - 1;
        if (j < CHAIN) {
            long long best = LLONG_MAX;
            for (int c = i; c < j; c++) {
                long long price =
                    cost[i * CHAIN + c] + cost[(c + 1) * CHAIN + j] + (long long)sizes[i] * sizes[c + 1] * sizes[j + 1];
                if (price < best) {
                    best = price;
                    cut[i * CHAIN + j] = c;
                }
            }
            cost[i * CHAIN + j] = best;
        }
        __syncthreads();
    }
}

template <typename RING>
static void on_host(const std::vector<long long> &a, const std::vector<long long> &b, std::vector<long long> &c, int m,
                    int n, int k) {
    c.assign(m * n, RING::zero());
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int p = 0; p < k; p++)
                c[i * n + j] = RING::step(c[i * n + j], a[i * k + p], b[p * n + j]);
}

static const int sizes[CHAIN + 1] = {23, 40, 5, 61, 17, 33, 9, 28};
static int cut[CHAIN * CHAIN];
static long long *matrices[CHAIN];

static dim3 grid_of(int m, int n, int batch = 1) {
    return dim3((n + T - 1) / T, (m + T - 1) / T, batch);
}
static long long *multiply_chain(int i, int j) {
    if (i == j)
        return matrices[i];
    int c = cut[i * CHAIN + j], m = sizes[i], n = sizes[j + 1], k = sizes[c + 1];
    long long *left = multiply_chain(i, c), *right = multiply_chain(c + 1, j), *result = device_zeros<long long>(m * n);
    product<modular, false, false><<<grid_of(m, n), dim3(T, T)>>>(left, right, result, m, n, k);
    FINISH();
    return result;
}

int main() {
    uint32_t seed = 17;
    std::vector<long long> all, next, matrix;
    for (int i = 0; i < CHAIN; i++) {
        matrix.resize(sizes[i] * sizes[i + 1]);
        for (long long &v : matrix)
            v = next_random(&seed) % 1000003;
        matrices[i] = to_device(matrix.data(), matrix.size());
        if (i == 0)
            all = matrix;
        else {
            on_host<modular>(all, matrix, next, sizes[0], sizes[i + 1], sizes[i]);
            all.swap(next);
        }
    }
    long long cost[CHAIN * CHAIN], *device_cost = device_zeros<long long>(CHAIN * CHAIN);
    int *device_cut = device_zeros<int>(CHAIN * CHAIN);
    cheapest<<<1, 32>>>(to_device(sizes, CHAIN + 1), device_cost, device_cut);
    FINISH();
    from_device(cost, device_cost, CHAIN * CHAIN);
    from_device(cut, device_cut, CHAIN * CHAIN);
    show("products in the cheapest order", cost[CHAIN - 1]);
    std::vector<long long> found(sizes[0] * sizes[CHAIN]);
    from_device(found.data(), multiply_chain(0, CHAIN - 1), found.size());
    check_equal("the chain", all.data(), found.data(), found.size());
    show_bits("chain", found.data(), found.size());

    // Turned operands: three batches of each.
    const int m = 21, n = 37, k = 19, batch = 3;
    std::vector<long long> a(batch * m * k), b(batch * k * n), ta(a.size()), tb(b.size()), c, whole, one_a, one_b;
    for (long long &v : a)
        v = (long long)(next_random(&seed) % 2001) - 1000;
    for (long long &v : b)
        v = (long long)(next_random(&seed) % 2001) - 1000;
    for (int z = 0; z < batch; z++) {
        for (int i = 0; i < m * k; i++)
            ta[z * m * k + i % k * m + i / k] = a[z * m * k + i];
        for (int i = 0; i < k * n; i++)
            tb[z * k * n + i % n * k + i / n] = b[z * k * n + i];
        one_a.assign(a.begin() + z * m * k, a.begin() + (z + 1) * m * k);
        one_b.assign(b.begin() + z * k * n, b.begin() + (z + 1) * k * n);
        on_host<ordinary>(one_a, one_b, c, m, n, k);
        whole.insert(whole.end(), c.begin(), c.end());
    }
    long long *da = to_device(a.data(), a.size()), *db = to_device(b.data(), b.size());
    long long *dta = to_device(ta.data(), ta.size()), *dtb = to_device(tb.data(), tb.size());
    long long *dc = device_zeros<long long>(batch * m * n);
    found.resize(batch * m * n);
    dim3 grid = grid_of(m, n, batch), block(T, T);
    product<ordinary, false, true><<<grid, block>>>(da, dtb, dc, m, n, k);
    FINISH();
    from_device(found.data(), dc, found.size());
    check_equal("A times B turned", whole.data(), found.data(), found.size());
    product<ordinary, true, false><<<grid, block>>>(dta, db, dc, m, n, k);
    FINISH();
    from_device(found.data(), dc, found.size());
    check_equal("A turned times B", whole.data(), found.data(), found.size());
    product<ordinary, true, true><<<grid, block>>>(dta, dtb, dc, m, n, k);
    FINISH();
    from_device(found.data(), dc, found.size());
    check_equal("both turned", whole.data(), found.data(), found.size());

    // Fibonacci by squaring of a matrix, and paths by (min, +).
    long long one[4] = {1, 1, 1, 0}, unit[4] = {1, 0, 0, 1}, result[4];
    long long *base = to_device(one, 4), *power = to_device(unit, 4), *other = device_zeros<long long>(4), *t;
    for (int e = 87; e; e /= 2) {
        if (e & 1) {
            product<ordinary, false, false><<<1, block>>>(base, power, other, 2, 2, 2);
            t = power, power = other, other = t;
        }
        product<ordinary, false, false><<<1, block>>>(base, base, other, 2, 2, 2);
        t = base, base = other, other = t;
    }
    FINISH();
    from_device(result, power, 4);
    check("Fibonacci", result[1] == 679891637638612258);
    show("the 87th", result[1]);
    const int towns = 45;
    std::vector<long long> roads(towns * towns), way = roads;
    for (int i = 0; i < towns * towns; i++)
        roads[i] = i / towns == i % towns          ? 0
                   : next_random(&seed) % 100 < 12 ? 1 + next_random(&seed) % 90
                                                   : LLONG_MAX / 4;
    long long *d = to_device(roads.data(), roads.size()), *e = device_zeros<long long>(roads.size());
    for (int steps = 1; steps < towns; steps *= 2) {
        product<shortest, false, false><<<grid_of(towns, towns), block>>>(d, d, e, towns, towns, towns);
        t = d, d = e, e = t;
        on_host<shortest>(roads, roads, way, towns, towns, towns);
        roads = way;
    }
    FINISH();
    from_device(way.data(), d, way.size());
    check_equal("shortest ways by (min, +)", roads.data(), way.data(), way.size());
    show_bits("ways", way.data(), way.size());
    return program_failures;
}
