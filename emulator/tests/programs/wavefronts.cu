// Tables filled along their diagonals: edit distance of two texts with the way back, knapsacks row by row,
// a sieve of primes, partitions of numbers, and the optimal search tree.
// findings: warning race
#include "program.h"
#include <algorithm>
#include <string>
#include <vector>

enum { T = 16 };

// A block per tile of the table; the tiles of a diagonal at once. Row 0 and column 0 are given.
__global__ void edit_tiles(const char *a, const char *b, int *table, int n, int m, int diagonal) {
    __shared__ int cell[T + 1][T + 1];
    int ty = max(0, diagonal - (m + T - 1) / T + 1) + blockIdx.x, tx = diagonal - ty, i0 = ty * T, j0 = tx * T,
        t = threadIdx.x;
    for (int k = t; k < (T + 1) * (T + 1); k += T) {
        int i = i0 + k / (T + 1), j = j0 + k % (T + 1);
        if ((k / (T + 1) == 0 || k % (T + 1) == 0) && i <= n && j <= m)
            cell[k / (T + 1)][k % (T + 1)] = table[i * (m + 1) + j];
    }
    __syncwarp(0xffff);
    for (int d = 0; d < 2 * T - 1; d++) {
        int y = t, x = d - t;
        if (x >= 0 && x < T && i0 + y < n && j0 + x < m) {
            int swap = cell[y][x] + (a[i0 + y] != b[j0 + x]);
            cell[y + 1][x + 1] = min(swap, min(cell[y][x + 1], cell[y + 1][x]) + 1);
        }
        __syncwarp(0xffff);
    }
    for (int k = t; k < T * T; k += T)
        if (i0 + k / T < n && j0 + k % T < m)
            table[(i0 + k / T + 1) * (m + 1) + j0 + k % T + 1] = cell[k / T + 1][k % T + 1];
}
__global__ void borders(int *table, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n)
        table[i * (m + 1)] = i;
    if (i <= m)
        table[i] = i;
}
// One thread walks back from the end and writes down what was done.
__global__ void way_back(const char *a, const char *b, const int *table, int n, int m, char *steps) {
    int count = 0, i = n, j = m;
    while (i > 0 || j > 0) {
        int here = table[i * (m + 1) + j];
        if (i > 0 && j > 0 && here == table[(i - 1) * (m + 1) + j - 1] + (a[i - 1] != b[j - 1])) {
            steps[count++] = a[i - 1] == b[j - 1] ? '=' : '*';
            i--, j--;
        } else if (i > 0 && here == table[(i - 1) * (m + 1) + j] + 1) {
            steps[count++] = '-';
            i--;
        } else {
            steps[count++] = '+';
            j--;
        }
    }
    steps[count] = 0;
}

__global__ void knapsack(const int *before, int *after, int capacity, int weight, int value) {
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c <= capacity)
        after[c] = c >= weight ? max(before[c], before[c - weight] + value) : before[c];
}

__global__ void sieve(unsigned *composite, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x + 2;
    if ((long long)i * i >= n || composite[i / 32] >> i % 32 & 1)
        return; // what is seen too early as a prime only makes marks that are right anyway
    for (int k = i * i; k < n; k += i)
        atomicOr(&composite[k / 32], 1u << k % 32);
}
__global__ void count_primes(const unsigned *composite, int n, int *count) {
    int zeros = 0;
    for (int w = blockIdx.x * blockDim.x + threadIdx.x; w * 32 < n; w += gridDim.x * blockDim.x) {
        unsigned word = composite[w] | (w == 0 ? 3 : 0), valid = n - w * 32 >= 32 ? ~0u : (1u << (n - w * 32)) - 1;
        zeros += __popc(~word & valid);
    }
    atomicAdd(count, zeros);
}

// Ways to write n as a sum: parts one after the other; a stride's elements depend on each other, the strides do not.
__global__ void partitions(unsigned long long *ways, int n, int part) {
    for (int start = threadIdx.x; start < part && start <= n; start += blockDim.x)
        for (int k = start + part; k <= n; k += part)
            ways[k] += ways[k - part];
}

__global__ void search_tree(const int *frequency, int *cost, int n) {
    extern __shared__ int sums[];
    if (threadIdx.x == 0) {
        sums[0] = 0;
        for (int i = 0; i < n; i++)
            sums[i + 1] = sums[i] + frequency[i];
    }
    for (int length = 1; length <= n; length++) {
        __syncthreads();
        for (int i = threadIdx.x; i + length <= n; i += blockDim.x) {
            int best = 0x7fffffff;
            for (int r = i; r < i + length; r++) {
                int left = r > i ? cost[i * n + r - 1] : 0,
                    right = r + 1 < i + length ? cost[(r + 1) * n + i + length - 1] : 0;
                best = min(best, left + right);
            }
            cost[i * n + i + length - 1] = best + sums[i + length] - sums[i];
        }
    }
}

static uint32_t seed = 7;

static void edit_distance() {
    std::string a, b;
    for (int i = 0; i < 101; i++)
        a += "acgt"[next_random(&seed) % 4];
    for (char c : a) {
        if (next_random(&seed) % 8 == 0)
            b += "acgt"[next_random(&seed) % 4];
        if (next_random(&seed) % 9)
            b += next_random(&seed) % 10 ? c : 'a';
    }
    int n = (int)a.size(), m = (int)b.size();
    std::vector<int> table((n + 1) * (m + 1)), found(table.size());
    for (int i = 0; i <= n; i++)
        for (int j = 0; j <= m; j++)
            table[i * (m + 1) + j] =
                i == 0 || j == 0 ? i + j
                                 : std::min(table[(i - 1) * (m + 1) + j - 1] + (a[i - 1] != b[j - 1]),
                                            std::min(table[(i - 1) * (m + 1) + j], table[i * (m + 1) + j - 1]) + 1);
    char *d_a = to_device(a.data(), n), *d_b = to_device(b.data(), m), *d_steps = device_zeros<char>(n + m + 1);
    int *d_table = device_zeros<int>(table.size()), rows = (n + T - 1) / T, columns = (m + T - 1) / T;
    borders<<<2, 128>>>(d_table, n, m);
    for (int d = 0; d < rows + columns - 1; d++) {
        int low = std::max(0, d - columns + 1), high = std::min(d, rows - 1);
        edit_tiles<<<high - low + 1, T>>>(d_a, d_b, d_table, n, m, d);
    }
    way_back<<<1, 1>>>(d_a, d_b, d_table, n, m, d_steps);
    FINISH();
    from_device(found.data(), d_table, found.size());
    check_equal("edit distance", table.data(), found.data(), table.size());
    std::vector<char> steps(n + m + 1);
    from_device(steps.data(), d_steps, steps.size());
    std::reverse(steps.begin(), steps.begin() + strlen(steps.data()));
    printf("%s\n%s\n%s\n", a.c_str(), b.c_str(), steps.data());
    int changes = 0, i = 0, j = 0;
    bool right = true;
    for (char *s = steps.data(); *s && right; s++) {
        right = *s != '=' || a[i] == b[j];
        changes += *s != '=';
        i += *s != '+';
        j += *s != '-';
    }
    check("the way back", right && i == n && j == m && changes == table.back());
}

int main() {
    edit_distance();

    const int items = 30, capacity = 1000;
    std::vector<int> best(capacity + 1), found(capacity + 1);
    int *before = device_zeros<int>(capacity + 1), *after = device_zeros<int>(capacity + 1);
    for (int k = 0; k < items; k++) {
        int weight = 20 + next_random(&seed) % 90, value = 10 + next_random(&seed) % 100;
        knapsack<<<(capacity + 128) / 128, 128>>>(before, after, capacity, weight, value);
        std::swap(before, after);
        for (int c = capacity; c >= weight; c--)
            best[c] = std::max(best[c], best[c - weight] + value);
    }
    FINISH();
    from_device(found.data(), before, capacity + 1);
    check_equal("knapsacks", best.data(), found.data(), capacity + 1);
    show("the largest", found[capacity]);

    const int n = 100003;
    unsigned *composite = device_zeros<unsigned>(n / 32 + 1);
    int *d_count = device_zeros<int>(1), count;
    sieve<<<3, 128>>>(composite, n);
    count_primes<<<3, 96>>>(composite, n, d_count);
    FINISH();
    from_device(&count, d_count, 1);
    check("primes below 100003", count == 9592);
    show("primes", count);

    const int most = 200;
    unsigned long long ways[most + 1] = {1}, want[most + 1] = {1}, *d_ways = to_device(ways, most + 1);
    for (int part = 1; part <= most; part++) {
        partitions<<<1, 96>>>(d_ways, most, part);
        for (int k = part; k <= most; k++)
            want[k] += want[k - part];
    }
    FINISH();
    from_device(ways, d_ways, most + 1);
    check_equal("partitions", want, ways, most + 1);
    show("ways to write 200", (long long)ways[most]);

    const int words = 61;
    std::vector<int> frequency(words), cost(words * words), cost_found(words * words), sums(words + 1);
    for (int i = 0; i < words; i++) {
        frequency[i] = 1 + next_random(&seed) % 100;
        sums[i + 1] = sums[i] + frequency[i];
    }
    for (int length = 1; length <= words; length++)
        for (int i = 0; i + length <= words; i++) {
            int least = 0x7fffffff, j = i + length - 1;
            for (int r = i; r <= j; r++)
                least =
                    std::min(least, (r > i ? cost[i * words + r - 1] : 0) + (r < j ? cost[(r + 1) * words + j] : 0));
            cost[i * words + j] = least + sums[j + 1] - sums[i];
        }
    int *d_cost = device_zeros<int>(words * words);
    search_tree<<<1, 64, (words + 1) * sizeof(int)>>>(to_device(frequency.data(), words), d_cost, words);
    FINISH();
    from_device(cost_found.data(), d_cost, words * words);
    check_equal("the best search tree", cost.data(), cost_found.data(), words * words);
    show("its cost", cost_found[words - 1]);
    return program_failures;
}
