// Recursion with data: every thread sorts a part by quicksort that calls itself, and again with a stack of its own;
// n queens by backtracking; permutations in order; binary trees built and walked by recursion.
#include "program.h"
#include <algorithm>

__device__ int partition(int *x, int low, int high) {
    int pivot = x[(low + high) / 2], i = low - 1, j = high + 1;
    for (;;) {
        do
            i++;
        while (x[i] < pivot);
        do
            j--;
        while (x[j] > pivot);
        if (i >= j)
            return j;
        int t = x[i];
        x[i] = x[j];
        x[j] = t;
    }
}
__device__ __noinline__ int quicksort(int *x, int low, int high, int depth) {
    if (low >= high)
        return depth;
    int p = partition(x, low, high);
    int left = quicksort(x, low, p, depth + 1), right = quicksort(x, p + 1, high, depth + 1);
    return max(left, right);
}
__global__ void sort_parts(int *x, int n, int part, int *depths) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, begin = i * part;
    if (begin < n)
        depths[i] = quicksort(x + begin, 0, min(part, n - begin) - 1, 0);
}

__global__ void sort_with_stack(int *x, int n, int part) {
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * part;
    if (begin >= n)
        return;
    int2 stack[40];
    int top = 0;
    stack[top++] = make_int2(begin, min(begin + part, n) - 1);
    while (top > 0) {
        int2 range = stack[--top];
        if (range.x >= range.y)
            continue;
        int p = partition(x, range.x, range.y);
        stack[top++] = make_int2(range.x, p);
        stack[top++] = make_int2(p + 1, range.y);
    }
}

// The first two queens by the thread's index, the rest by recursion over bit masks.
__device__ __noinline__ int queens(unsigned columns, unsigned left, unsigned right, unsigned full) {
    if (columns == full)
        return 1;
    int count = 0;
    for (unsigned open = full & ~(columns | left | right); open; open &= open - 1) {
        unsigned bit = open & -open;
        count += queens(columns | bit, (left | bit) << 1, (right | bit) >> 1, full);
    }
    return count;
}
__global__ void count_queens(int size, unsigned long long *total) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size * size)
        return;
    unsigned full = (1u << size) - 1, a = 1u << i / size, b = 1u << i % size;
    if (b & (a | a << 1 | a >> 1))
        return;
    atomicAdd(total, (unsigned long long)queens(a | b, (a << 1 | b) << 1, (a >> 1 | b) >> 1, full));
}

// The k-th permutation of n letters, recursively from the front.
__device__ void permutation(char *letters, int n, int k, int factorial) {
    if (n < 2)
        return;
    factorial /= n;
    int chosen = k / factorial;
    char c = letters[chosen];
    for (int i = chosen; i > 0; i--)
        letters[i] = letters[i - 1];
    letters[0] = c;
    permutation(letters + 1, n - 1, k % factorial, factorial);
}
__global__ void permutations(char *out, int n, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count)
        return;
    char letters[8] = {'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'};
    permutation(letters, n, i, count);
    memcpy(out + i * n, letters, n);
}

int main() {
    const int n = 2999, part = 61;
    static int x[n], expected[n], found[n];
    uint32_t seed = 12;
    for (int i = 0; i < n; i++)
        expected[i] = x[i] = (int)(next_random(&seed) % 1000) - 500;
    for (int begin = 0; begin < n; begin += part)
        std::sort(expected + begin, expected + std::min(begin + part, n));
    int parts = (n + part - 1) / part, *device = to_device(x, n), *depths = device_zeros<int>(parts);
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
    sort_parts<<<1, 64>>>(device, n, part, depths);
    FINISH();
    from_device(found, device, n);
    check_equal("recursive quicksort", expected, found, n);
    from_device(found, depths, parts);
    show("deepest call", *std::max_element(found, found + parts));
    CUDA(cudaMemcpy(device, x, sizeof x, cudaMemcpyHostToDevice));
    sort_with_stack<<<2, 32>>>(device, n, part);
    FINISH();
    from_device(found, device, n);
    check_equal("quicksort with a stack", expected, found, n);

    unsigned long long total, *device_total = device_zeros<unsigned long long>(1), solutions = 352;
    count_queens<<<3, 32>>>(9, device_total);
    FINISH();
    from_device(&total, device_total, 1);
    check_equal("nine queens", &solutions, &total, 1);
    show("solutions", (long long)total);

    const int letters = 6, count = 720;
    static char words[count * letters], expected_words[count * letters];
    char *device_words = device_zeros<char>(count * letters), word[] = "abcdef";
    for (int i = 0; i < count; i++) {
        memcpy(expected_words + i * letters, word, letters);
        std::next_permutation(word, word + letters);
    }
    permutations<<<count / 96 + 1, 96>>>(device_words, letters, count);
    FINISH();
    from_device(words, device_words, count * letters);
    check_equal("permutations in order", expected_words, words, count * letters);
    return program_failures;
}
