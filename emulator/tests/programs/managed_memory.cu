// Memory of both sides: managed memory that host and device change in turns, structures with pointers in it, a managed
// variable and a class that is always managed; pinned memory that kernels read and write without a copy; registered memory.
#include "program.h"

__managed__ int rounds_played;
__managed__ struct {
    float scale;
    int history[8];
} settings = {0.5f, {1, 2, 3}};

struct managed {
    static void *operator new(size_t bytes) {
        void *p;
        CUDA(cudaMallocManaged(&p, bytes));
        return p;
    }
    static void operator delete(void *p) {
        CUDA(cudaDeviceSynchronize());
        CUDA(cudaFree(p));
    }
    static void *operator new[](size_t bytes) { return operator new(bytes); }
    static void operator delete[](void *p) { operator delete(p); }
};
struct text : managed {
    int length;
    char *letters;
    text(const char *s) : length((int)strlen(s)) {
        CUDA(cudaMallocManaged(&letters, length + 1));
        strcpy(letters, s);
    }
    ~text() { CUDA(cudaFree(letters)); }
};
struct leaf : managed {
    int value;
    leaf *left, *right;
};

__global__ void device_turn(int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = x[i] * 3 + rounds_played;
}
__global__ void upper(text *t) {
    for (int i = threadIdx.x; i < t->length; i += blockDim.x)
        if (t->letters[i] >= 'a' && t->letters[i] <= 'z')
            t->letters[i] -= 32;
}
__global__ void sum_tree(const leaf *root, long long *sum) {
    const leaf *stack[32];
    int top = 0;
    *sum = 0;
    stack[top++] = root;
    while (top) {
        const leaf *p = stack[--top];
        *sum += p->value;
        if (p->left)
            stack[top++] = p->left;
        if (p->right)
            stack[top++] = p->right;
    }
}
__global__ void use_settings(float *out) {
    out[threadIdx.x] = settings.scale * settings.history[threadIdx.x];
    settings.history[threadIdx.x] += 100;
}
__global__ void saxpy(float a, const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] += a * x[i];
}
__global__ void count_up(unsigned *counter) {
    atomicAdd_system(counter, 1);
}

static leaf *plant(int depth, int value) {
    if (depth == 0)
        return NULL;
    leaf *p = new leaf;
    p->value = value;
    p->left = plant(depth - 1, 2 * value);
    p->right = value % 3 == 0 ? NULL : plant(depth - 1, 2 * value + 1);
    return p;
}
static long long sum_on_host(const leaf *p) {
    return p ? p->value + sum_on_host(p->left) + sum_on_host(p->right) : 0;
}

int main() {
    const int n = 1003;
    int *x;
    CUDA(cudaMallocManaged(&x, n * sizeof(int)));
    static int expected[n];
    for (int i = 0; i < n; i++)
        x[i] = expected[i] = i;
    for (int r = 0; r < 6; r++) {
        rounds_played = r;
        device_turn<<<(n + 127) / 128, 128>>>(x, n);
        FINISH();
        for (int i = r; i < n; i += 3)
            x[i] ^= r;
        for (int i = 0; i < n; i++)
            expected[i] = (expected[i] * 3 + r) ^ (i >= r && (i - r) % 3 == 0 ? r : 0);
    }
    check_equal("host and device in turns", expected, x, n);
    show_bits("after six rounds", x, n);
    int device, *moved = device_zeros<int>(n), found[n];
    CUDA(cudaGetDevice(&device));
    CUDA(cudaMemcpy(moved, x, n * sizeof(int), cudaMemcpyDefault));
    CUDA(cudaMemset(x, 0x11, n * sizeof(int)));
    CUDA(cudaMemcpy(found, moved, sizeof found, cudaMemcpyDefault));
    CUDA(cudaDeviceSynchronize());
    check_equal("copied from managed memory", expected, found, n);
    check("set by the device", x[0] == 0x11111111 && x[n - 1] == 0x11111111);

    text *t = new text("the quick brown fox, 1 dog");
    upper<<<1, 32>>>(t);
    FINISH();
    check("an object with a pointer", strcmp(t->letters, "THE QUICK BROWN FOX, 1 DOG") == 0);
    printf("%s\n", t->letters);
    delete t;

    leaf *root = plant(8, 1);
    long long *sum;
    CUDA(cudaMallocManaged(&sum, sizeof *sum));
    sum_tree<<<1, 1>>>(root, sum);
    FINISH();
    check("a tree made by the host", *sum == sum_on_host(root));
    show("sum of the tree", *sum);

    float *scaled, values[8] = {0.5f, 1, 1.5f, 0, 0, 0, 0, 0};
    CUDA(cudaHostAlloc(&scaled, 8 * sizeof(float), cudaHostAllocMapped));
    use_settings<<<1, 8>>>(scaled);
    FINISH();
    check_equal("a managed variable", values, scaled, 8);
    check("changed for the host too", settings.history[0] == 101 && settings.history[7] == 100);

    float *pinned, *device_view, *ordinary = (float *)malloc(n * sizeof(float)), want[n];
    CUDA(cudaHostAlloc(&pinned, n * sizeof(float), cudaHostAllocMapped | cudaHostAllocWriteCombined));
    CUDA(cudaHostGetDevicePointer(&device_view, pinned, 0));
    CUDA(cudaHostRegister(ordinary, n * sizeof(float), cudaHostRegisterMapped));
    float *ordinary_view;
    CUDA(cudaHostGetDevicePointer(&ordinary_view, ordinary, 0));
    for (int i = 0; i < n; i++) {
        pinned[i] = i * 0.25f;
        ordinary[i] = 100.0f - i;
        want[i] = ordinary[i] + 2 * pinned[i];
    }
    saxpy<<<(n + 95) / 96, 96>>>(2, device_view, ordinary_view, n);
    FINISH();
    check_equal("no copy at all", want, ordinary, n);
    CUDA(cudaHostUnregister(ordinary));
    unsigned *counter;
    CUDA(cudaHostAlloc(&counter, sizeof *counter, cudaHostAllocMapped));
    *counter = 7;
    count_up<<<3, 50>>>(counter);
    FINISH();
    check("atomics on the host's memory", *counter == 157);
    CUDA(cudaFree(x));
    CUDA(cudaFreeHost(pinned));
    free(ordinary);
    return program_failures;
}
