// Prefix sums three ways: Hillis-Steele and Blelloch within a block with the blocks' sums scanned in turn, and a single
// pass in which every block looks back at the ones before it. Inclusive and exclusive, with sums and with other operators.
#include "program.h"

enum { BLOCK = 256 };

struct plus {
    __device__ static unsigned zero() { return 0; }
    __device__ static unsigned join(unsigned a, unsigned b) { return a + b; }
};
// Not commutative: x -> a x + b with 16 bits each, applied from the left to the right.
struct affine {
    __device__ static unsigned zero() { return 1; }
    __host__ __device__ static unsigned join(unsigned f, unsigned g) {
        unsigned a = (f & 0xffff) * (g & 0xffff) & 0xffff, b = ((f >> 16) * (g & 0xffff) + (g >> 16)) & 0xffff;
        return b << 16 | a;
    }
};

template <typename OP> __global__ void hillis_steele(const unsigned *x, unsigned *y, unsigned *sums, int n) {
    __shared__ unsigned buffer[2][BLOCK];
    int t = threadIdx.x, i = blockIdx.x * BLOCK + t, from = 0;
    buffer[0][t] = i < n ? x[i] : OP::zero();
    __syncthreads();
    for (int d = 1; d < BLOCK; d *= 2, from ^= 1) {
        buffer[from ^ 1][t] = t >= d ? OP::join(buffer[from][t - d], buffer[from][t]) : buffer[from][t];
        __syncthreads();
    }
    if (i < n)
        y[i] = buffer[from][t];
    if (t == BLOCK - 1)
        sums[blockIdx.x] = buffer[from][t];
}

// Two elements per thread; one word of padding for every 32 keeps the strides off one bank.
__device__ int padded(int i) {
    return i + i / 32;
}
__global__ void blelloch(const unsigned *x, unsigned *y, unsigned *sums, int n) {
    __shared__ unsigned tree[2 * BLOCK + 2 * BLOCK / 32];
    int t = threadIdx.x, base = blockIdx.x * 2 * BLOCK, offset = 1;
    for (int k = t; k < 2 * BLOCK; k += BLOCK)
        tree[padded(k)] = base + k < n ? x[base + k] : 0;
    for (int d = BLOCK; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d)
            tree[padded(offset * (2 * t + 2) - 1)] += tree[padded(offset * (2 * t + 1) - 1)];
    }
    __syncthreads();
    if (t == 0) {
        sums[blockIdx.x] = tree[padded(2 * BLOCK - 1)];
        tree[padded(2 * BLOCK - 1)] = 0;
    }
    for (int d = 1; d < 2 * BLOCK; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            unsigned *left = &tree[padded(offset * (2 * t + 1) - 1)], *right = &tree[padded(offset * (2 * t + 2) - 1)];
            unsigned old = *left;
            *left = *right;
            *right += old;
        }
    }
    __syncthreads();
    for (int k = t; k < 2 * BLOCK; k += BLOCK)
        if (base + k < n)
            y[base + k] = tree[padded(k)];
}

template <typename OP> __global__ void join_before(unsigned *y, const unsigned *before, int n, int per_block) {
    for (int k = threadIdx.x; k < per_block && blockIdx.x * per_block + k < n; k += blockDim.x)
        y[blockIdx.x * per_block + k] = OP::join(before[blockIdx.x], y[blockIdx.x * per_block + k]);
}

// Single pass. A block takes its number from a counter, so that all before it have begun. It tells its own sum, then adds
// up what the ones before tell until one tells the sum of everything up to itself.
enum state { NOTHING, OWN, ALL };
__device__ unsigned next_part;
__global__ void look_back(const unsigned *x, unsigned *y, unsigned long long *told, int n) {
    __shared__ unsigned warps[BLOCK / 32], part, before;
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
        part = atomicAdd(&next_part, 1);
    __syncthreads();
    int i = part * BLOCK + threadIdx.x;
    unsigned value = i < n ? x[i] : 0, sum = value;
    for (int d = 1; d < 32; d *= 2) {
        unsigned other = __shfl_up_sync(~0u, sum, d);
        sum += lane >= d ? other : 0;
    }
    if (lane == 31)
        warps[warp] = sum;
    __syncthreads();
    unsigned below = 0, total = 0;
    for (int w = 0; w < BLOCK / 32; w++) {
        below += w < warp ? warps[w] : 0;
        total += warps[w];
    }
    if (threadIdx.x == 0) {
        volatile unsigned long long *v = told;
        v[part] = (unsigned long long)(part == 0 ? ALL : OWN) << 32 | total;
        __threadfence();
        unsigned sum_before = 0;
        for (int p = (int)part - 1; p >= 0;) {
            unsigned long long word = v[p];
            if (word >> 32 == NOTHING)
                continue;
            sum_before += (unsigned)word;
            if (word >> 32 == ALL)
                break;
            p--;
        }
        if (part != 0)
            v[part] = (unsigned long long)ALL << 32 | (sum_before + total);
        before = sum_before;
    }
    __syncthreads();
    if (i < n)
        y[i] = before + below + sum;
}

int main() {
    const int n = 30011, blocks = (n + BLOCK - 1) / BLOCK, parts = (n + 2 * BLOCK - 1) / (2 * BLOCK);
    static unsigned x[n], y[n], expected[n];
    uint32_t seed = 41;
    for (unsigned &v : x)
        v = next_random(&seed) * 2654435761u;
    unsigned *device_x = to_device(x, n), *device_y = device_zeros<unsigned>(n);
    unsigned *sums = device_zeros<unsigned>(BLOCK), *before = device_zeros<unsigned>(BLOCK + 1);

    unsigned sum = 0;
    for (int i = 0; i < n; i++)
        expected[i] = sum += x[i];
    hillis_steele<plus><<<blocks, BLOCK>>>(device_x, device_y, sums, n);
    hillis_steele<plus><<<1, BLOCK>>>(sums, before + 1, sums, blocks);
    join_before<plus><<<blocks, BLOCK>>>(device_y, before, n, BLOCK);
    FINISH();
    from_device(y, device_y, n);
    check_equal("Hillis-Steele, inclusive", expected, y, n);
    show_bits("sums", y, n);

    unsigned long long *told = device_zeros<unsigned long long>(blocks);
    CUDA(cudaMemset(device_y, 0xff, sizeof y));
    look_back<<<blocks, BLOCK>>>(device_x, device_y, told, n);
    FINISH();
    from_device(y, device_y, n);
    check_equal("single pass with look-back", expected, y, n);

    for (int i = n - 1; i >= 0; i--)
        expected[i] -= x[i];
    blelloch<<<parts, BLOCK>>>(device_x, device_y, sums, n);
    blelloch<<<1, BLOCK>>>(sums, before, sums, parts);
    join_before<plus><<<parts, BLOCK>>>(device_y, before, n, 2 * BLOCK);
    FINISH();
    from_device(y, device_y, n);
    check_equal("Blelloch, exclusive", expected, y, n);

    expected[0] = x[0];
    for (int i = 1; i < n; i++)
        expected[i] = affine::join(expected[i - 1], x[i]);
    unsigned one = 1;
    CUDA(cudaMemcpy(before, &one, sizeof one, cudaMemcpyHostToDevice));
    hillis_steele<affine><<<blocks, BLOCK>>>(device_x, device_y, sums, n);
    hillis_steele<affine><<<1, BLOCK>>>(sums, before + 1, sums, blocks);
    join_before<affine><<<blocks, BLOCK>>>(device_y, before, n, BLOCK);
    FINISH();
    from_device(y, device_y, n);
    check_equal("an operator that does not commute", expected, y, n);
    show_bits("composed maps", y, n);
    return program_failures;
}
