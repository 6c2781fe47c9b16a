// Data: k-means with sums by shared atomics, nearest neighbours with a heap per thread, and a perceptron in a warp.
// Coordinates are whole numbers, so sums do not depend on the order.
#include "program.h"
#include <algorithm>
#include <vector>

enum { POINTS = 2003, DIMENSIONS = 3, CLUSTERS = 7, NEAREST = 5 };

struct sums {
    int total[CLUSTERS][DIMENSIONS], count[CLUSTERS];
};

__host__ __device__ int nearest_of(const int *p, const int *centres) {
    int best = 0;
    long long least = 1ll << 60;
    for (int c = 0; c < CLUSTERS; c++) {
        long long d = 0;
        for (int k = 0; k < DIMENSIONS; k++)
            d += (long long)(p[k] - centres[c * DIMENSIONS + k]) * (p[k] - centres[c * DIMENSIONS + k]);
        if (d < least) {
            least = d;
            best = c;
        }
    }
    return best;
}
__global__ void assign(const int *points, const int *centres, int *labels, sums *all, int *changed) {
    __shared__ sums local;
    __shared__ int c[CLUSTERS * DIMENSIONS];
    for (int i = threadIdx.x; i < (int)(sizeof local / sizeof(int)); i += blockDim.x)
        ((int *)&local)[i] = 0;
    for (int i = threadIdx.x; i < CLUSTERS * DIMENSIONS; i += blockDim.x)
        c[i] = centres[i];
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x, moved = 0;
    if (i < POINTS) {
        int label = nearest_of(&points[i * DIMENSIONS], c);
        moved = labels[i] != label;
        labels[i] = label;
        for (int k = 0; k < DIMENSIONS; k++)
            atomicAdd(&local.total[label][k], points[i * DIMENSIONS + k]);
        atomicAdd(&local.count[label], 1);
    }
    moved = __syncthreads_count(moved);
    if (threadIdx.x == 0 && moved)
        atomicAdd(changed, moved);
    for (int k = threadIdx.x; k < (int)(sizeof local / sizeof(int)); k += blockDim.x)
        if (((int *)&local)[k])
            atomicAdd(&((int *)all)[k], ((int *)&local)[k]);
}
__global__ void move_centres(int *centres, const sums *all) {
    int c = threadIdx.x / DIMENSIONS, k = threadIdx.x % DIMENSIONS;
    if (c < CLUSTERS && all->count[c])
        centres[threadIdx.x] = all->total[c][k] / all->count[c];
}

// The nearest few of each query: a heap of (distance, index) in local memory, greatest on top.
__global__ void neighbours(const int *points, int *out, int queries) {
    __shared__ int tile[64 * DIMENSIONS];
    long long heap[NEAREST];
    int q = blockIdx.x * blockDim.x + threadIdx.x, mine[DIMENSIONS];
    for (int k = 0; k < DIMENSIONS; k++)
        mine[k] = points[(q < queries ? q : 0) * DIMENSIONS + k];
    for (long long &h : heap)
        h = 1ll << 62;
    for (int start = 0; start < POINTS; start += 64) {
        __syncthreads();
        for (int i = threadIdx.x; i < 64 * DIMENSIONS && start * DIMENSIONS + i < POINTS * DIMENSIONS; i += blockDim.x)
            tile[i] = points[start * DIMENSIONS + i];
        __syncthreads();
        for (int j = 0; j < 64 && start + j < POINTS; j++) {
            long long d = 0;
            for (int k = 0; k < DIMENSIONS; k++)
                d += (long long)(tile[j * DIMENSIONS + k] - mine[k]) * (tile[j * DIMENSIONS + k] - mine[k]);
            d = d << 16 | (start + j);
            if (d >= heap[0])
                continue;
            int at = 0;
            for (;;) {
                int child = 2 * at + 1;
                if (child + 1 < NEAREST && heap[child + 1] > heap[child])
                    child++;
                if (child >= NEAREST || heap[child] <= d)
                    break;
                heap[at] = heap[child];
                at = child;
            }
            heap[at] = d;
        }
    }
    for (int i = 1; i < NEAREST; i++) // in order of distance
        for (int j = i; j > 0 && heap[j] < heap[j - 1]; j--) {
            long long t = heap[j];
            heap[j] = heap[j - 1];
            heap[j - 1] = t;
        }
    for (int i = 0; i < NEAREST && q < queries; i++)
        out[q * NEAREST + i] = (int)(heap[i] & 0xffff);
}

// A perceptron sees all points again and again; one warp shares the product.
__global__ void perceptron(const int *points, const int *labels, int *weights, int *mistakes) {
    int lane = threadIdx.x, w = 0, wrong = 0;
    for (int epoch = 0; epoch < 3; epoch++)
        for (int i = 0; i < POINTS; i++) {
            int x = lane < DIMENSIONS ? points[i * DIMENSIONS + lane] / 100 : lane == DIMENSIONS;
            int sum = w * x;
            for (int d = 16; d; d /= 2)
                sum += __shfl_xor_sync(~0u, sum, d);
            int target = labels[i] % 2 ? 1 : -1;
            if (sum * target <= 0) {
                w += target * x;
                wrong++;
            }
        }
    if (lane <= DIMENSIONS)
        weights[lane] = w;
    if (lane == 0)
        *mistakes = wrong;
}

int main() {
    static int points[POINTS * DIMENSIONS], labels[POINTS], found[POINTS];
    uint32_t seed = 14;
    for (int i = 0; i < POINTS; i++) {
        int group = next_random(&seed) % 5;
        for (int k = 0; k < DIMENSIONS; k++)
            points[i * DIMENSIONS + k] = (group * (k + 2) * 791) % 3000 + (int)(next_random(&seed) % 700);
    }
    int centres[CLUSTERS * DIMENSIONS], got[CLUSTERS * DIMENSIONS], rounds = 0;
    memcpy(centres, points, sizeof centres);
    int *d_points = to_device(points, POINTS * DIMENSIONS), *d_centres = to_device(centres, CLUSTERS * DIMENSIONS);
    memset(labels, 0xff, sizeof labels);
    int *d_labels = to_device(labels, POINTS), *d_changed = device_zeros<int>(1), changed;
    sums *all = device_zeros<sums>(1);
    do {
        CUDA(cudaMemset(d_changed, 0, sizeof(int)));
        CUDA(cudaMemset(all, 0, sizeof(sums)));
        assign<<<(POINTS + 127) / 128, 128>>>(d_points, d_centres, d_labels, all, d_changed);
        move_centres<<<1, 32>>>(d_centres, all);
        FINISH();
        from_device(&changed, d_changed, 1);

        sums s = {};
        int moved = 0;
        for (int i = 0; i < POINTS; i++) {
            int label = nearest_of(&points[i * DIMENSIONS], centres);
            moved += labels[i] != label;
            labels[i] = label;
            for (int k = 0; k < DIMENSIONS; k++)
                s.total[label][k] += points[i * DIMENSIONS + k];
            s.count[label]++;
        }
        for (int i = 0; i < CLUSTERS * DIMENSIONS; i++)
            if (s.count[i / DIMENSIONS])
                centres[i] = s.total[i / DIMENSIONS][i % DIMENSIONS] / s.count[i / DIMENSIONS];
        if (moved != changed)
            check("a round of k-means", false);
        rounds++;
    } while (changed && rounds < 60);
    from_device(found, d_labels, POINTS);
    from_device(got, d_centres, CLUSTERS * DIMENSIONS);
    check_equal("labels", labels, found, POINTS);
    check_equal("centres", centres, got, CLUSTERS * DIMENSIONS);
    show("rounds", rounds);
    show_bits("labels", found, POINTS);

    const int queries = 101;
    static int near[queries * NEAREST], near_found[queries * NEAREST];
    for (int q = 0; q < queries; q++) {
        std::vector<long long> order(POINTS);
        for (int i = 0; i < POINTS; i++) {
            long long d = 0;
            for (int k = 0; k < DIMENSIONS; k++) {
                long long difference = points[i * DIMENSIONS + k] - points[q * DIMENSIONS + k];
                d += difference * difference;
            }
            order[i] = d << 16 | i;
        }
        std::partial_sort(order.begin(), order.begin() + NEAREST, order.end());
        for (int i = 0; i < NEAREST; i++)
            near[q * NEAREST + i] = (int)(order[i] & 0xffff);
    }
    int *d_near = device_zeros<int>(queries * NEAREST);
    neighbours<<<(queries + 63) / 64, 64>>>(d_points, d_near, queries);
    FINISH();
    from_device(near_found, d_near, queries * NEAREST);
    check_equal("nearest neighbours", near, near_found, queries * NEAREST);

    int weights[DIMENSIONS + 1] = {0}, weights_found[DIMENSIONS + 1], mistakes = 0, mistakes_found;
    for (int epoch = 0; epoch < 3; epoch++)
        for (int i = 0; i < POINTS; i++) {
            int x[DIMENSIONS + 1], sum = 0, target = labels[i] % 2 ? 1 : -1;
            for (int k = 0; k <= DIMENSIONS; k++) {
                x[k] = k < DIMENSIONS ? points[i * DIMENSIONS + k] / 100 : 1;
                sum += x[k] * weights[k];
            }
            if (sum * target <= 0) {
                mistakes++;
                for (int k = 0; k <= DIMENSIONS; k++)
                    weights[k] += target * x[k];
            }
        }
    perceptron<<<1, 32>>>(d_points, d_labels, d_near, d_changed);
    FINISH();
    from_device(weights_found, d_near, DIMENSIONS + 1);
    from_device(&mistakes_found, d_changed, 1);
    check_equal("perceptron", weights, weights_found, DIMENSIONS + 1);
    check("its mistakes", mistakes == mistakes_found);
    show("mistakes", mistakes_found);
    return program_failures;
}
