// Memory from the device's heap: lists that grow by malloc and are turned around and freed, a stack that many threads push
// to by compare-and-swap, a hash table with chains, an array that doubles, and a heap that is used up.
#include "program.h"
#include <algorithm>

struct item {
    unsigned key;
    int count;
    item *next;
};

__global__ void own_lists(unsigned *sums, int *lengths, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    item *head = NULL;
    for (int k = 0; k <= i % 9; k++) {
        item *p = (item *)malloc(sizeof(item));
        p->key = i * 10 + k;
        p->next = head;
        head = p;
    }
    item *turned = NULL;
    while (head) {
        item *next = head->next;
        head->next = turned;
        turned = head;
        head = next;
    }
    unsigned sum = 0;
    int length = 0;
    while (turned) {
        sum = sum * 31 + turned->key;
        length++;
        item *next = turned->next;
        free(turned);
        turned = next;
    }
    sums[i] = sum;
    lengths[i] = length;
}

__device__ item *stack;
__global__ void push_all(int per_thread) {
    for (int k = 0; k < per_thread; k++) {
        item *p = new item;
        p->key = (blockIdx.x * blockDim.x + threadIdx.x) * per_thread + k;
        item *old = stack, *assumed;
        do {
            assumed = old;
            p->next = assumed;
            __threadfence();
            old = (item *)atomicCAS((unsigned long long *)&stack, (unsigned long long)assumed, (unsigned long long)p);
        } while (old != assumed);
    }
}
__global__ void drain(unsigned *out, int *count) {
    int n = 0;
    for (item *p = stack; p;) {
        item *next = p->next;
        out[n++] = p->key;
        delete p;
        p = next;
    }
    stack = NULL;
    *count = n;
}

// Threads may make an item for the same key at once: the one that comes second frees its own and counts in the first.
enum { BUCKETS = 37 };
__device__ item *table[BUCKETS];
__device__ int *place_of(unsigned key) {
    item **bucket = &table[key % BUCKETS], *made = NULL;
    for (;;) {
        item *head = *(item *volatile *)bucket;
        for (volatile item *p = head; p; p = p->next)
            if (p->key == key) {
                free(made);
                return (int *)&p->count;
            }
        if (!made) {
            made = (item *)malloc(sizeof(item));
            made->key = key;
            made->count = 0;
        }
        made->next = head;
        __threadfence();
        if (atomicCAS((unsigned long long *)bucket, (unsigned long long)head, (unsigned long long)made) ==
            (unsigned long long)head)
            return &made->count;
    }
}
__global__ void count_words(const unsigned *words, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(place_of(words[i]), 1);
}
__global__ void read_table(int *counts, int keys, int *items) {
    for (item *p = table[threadIdx.x]; p; p = p->next) {
        if (p->key < (unsigned)keys)
            counts[p->key] = p->count;
        atomicAdd(items, 1);
    }
}

__global__ void doubling(int *out) {
    int capacity = 1, used = 0, *data = (int *)malloc(sizeof(int));
    for (int k = 0; k < 5 * (int)threadIdx.x; k++) {
        if (used == capacity) {
            int *more = (int *)malloc(2 * capacity * sizeof(int));
            memcpy(more, data, used * sizeof(int));
            free(data);
            data = more;
            capacity *= 2;
        }
        data[used++] = k * threadIdx.x;
    }
    int sum = 0;
    for (int k = 0; k < used; k++)
        sum += data[k];
    out[threadIdx.x] = sum + capacity;
    free(data);
}

__global__ void use_up(int *out) {
    void *p = malloc((size_t)1 << 40);
    out[0] = p == NULL;
    void *q = malloc(100);
    out[1] = q != NULL && (unsigned long long)q % 16 == 0;
    free(q);
    free(NULL);
}

int main() {
    const int n = 77, pushed = 2 * 48 * 3, words = 5000, keys = 300;
    unsigned sums[n], expected[n], *device_sums = device_zeros<unsigned>(pushed), stacked[pushed];
    int lengths[n], *device_lengths = device_zeros<int>(keys), count;
    own_lists<<<3, 32>>>(device_sums, device_lengths, n);
    FINISH();
    from_device(sums, device_sums, n);
    from_device(lengths, device_lengths, n);
    bool right = true;
    for (int i = 0; i < n; i++) {
        expected[i] = 0;
        for (int k = 0; k <= i % 9; k++)
            expected[i] = expected[i] * 31 + i * 10 + k;
        right &= lengths[i] == i % 9 + 1;
    }
    check_equal("lists", expected, sums, n);
    check("their lengths", right);
    show_bits("sums", sums, n);

    push_all<<<2, 48>>>(3);
    drain<<<1, 1>>>(device_sums, device_lengths);
    FINISH();
    from_device(stacked, device_sums, pushed);
    from_device(&count, device_lengths, 1);
    std::sort(stacked, stacked + pushed);
    right = count == pushed;
    for (int i = 0; i < pushed; i++)
        right &= stacked[i] == (unsigned)i;
    check("a stack of many threads", right);

    static unsigned text[words];
    static int counts[keys], found[keys];
    uint32_t seed = 2;
    for (unsigned &w : text)
        counts[w = next_random(&seed) % (1 + next_random(&seed) % keys)]++;
    int *items = device_zeros<int>(1), different = 0;
    CUDA(cudaMemset(device_lengths, 0, keys * sizeof(int)));
    count_words<<<(words + 127) / 128, 128>>>(to_device(text, words), words);
    read_table<<<1, BUCKETS>>>(device_lengths, keys, items);
    FINISH();
    from_device(found, device_lengths, keys);
    from_device(&count, items, 1);
    for (int c : counts)
        different += c > 0;
    check_equal("a hash table", counts, found, keys);
    check("no key twice", count == different);
    show("different words", different);

    int out[20], expected_out[20];
    doubling<<<1, 20>>>(device_lengths);
    FINISH();
    from_device(out, device_lengths, 20);
    for (int t = 0; t < 20; t++) {
        int capacity = 1;
        while (capacity < 5 * t)
            capacity *= 2;
        expected_out[t] = t * (5 * t * (5 * t - 1) / 2) + capacity;
    }
    check_equal("an array that doubles", expected_out, out, 20);
    use_up<<<1, 1>>>(device_lengths);
    FINISH();
    from_device(out, device_lengths, 2);
    check("too much is NULL", out[0] && out[1]);
    return program_failures;
}
