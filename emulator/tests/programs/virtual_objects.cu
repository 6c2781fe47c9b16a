// Objects with virtual functions made by new on the device and deleted in another kernel: a tree of expressions, shapes in
// a table, multiple and virtual inheritance, members that are pointers to functions, templates with static tables.
#include "program.h"
#include <new>

struct node {
    __device__ virtual long long value(long long x) const = 0;
    __device__ virtual int depth() const { return 1; }
    __device__ virtual ~node() {}
};
__device__ int deleted;

struct constant : node {
    long long c;
    __device__ constant(long long c) : c(c) {}
    __device__ long long value(long long) const override { return c; }
    __device__ ~constant() override { atomicAdd(&deleted, 1); }
};
struct variable : node {
    __device__ long long value(long long x) const override { return x; }
    __device__ ~variable() override { atomicAdd(&deleted, 1); }
};
template <typename OP> struct binary : node {
    node *left, *right;
    __device__ binary(node *l, node *r) : left(l), right(r) {}
    __device__ long long value(long long x) const override { return OP::apply(left->value(x), right->value(x)); }
    __device__ int depth() const override { return 1 + max(left->depth(), right->depth()); }
    __device__ ~binary() override {
        delete left;
        delete right;
        atomicAdd(&deleted, 1);
    }
};
struct sum {
    __host__ __device__ static long long apply(long long a, long long b) { return a + b; }
};
struct product {
    __host__ __device__ static long long apply(long long a, long long b) { return a * b; }
};
struct difference {
    __host__ __device__ static long long apply(long long a, long long b) { return a - b; }
};

// A tree of a shape that depends on a number: the host follows the same rules.
__device__ node *build(unsigned code, int levels) {
    if (levels == 0)
        return code % 3 == 0 ? (node *)new constant(code % 17) : new variable;
    node *l = build(code * 5 + 1, levels - 1), *r = build(code * 7 + 2, levels - 1 - code % levels);
    switch (code % 3) {
    case 0:
        return new binary<sum>(l, r);
    case 1:
        return new binary<product>(l, r);
    default:
        return new binary<difference>(l, r);
    }
}
static long long evaluate(unsigned code, int levels, long long x, int *nodes) {
    ++*nodes;
    if (levels == 0)
        return code % 3 == 0 ? code % 17 : x;
    long long l = evaluate(code * 5 + 1, levels - 1, x, nodes);
    long long r = evaluate(code * 7 + 2, levels - 1 - code % levels, x, nodes);
    return code % 3 == 0 ? sum::apply(l, r) : code % 3 == 1 ? product::apply(l, r) : difference::apply(l, r);
}

__global__ void make(node **trees, int n, int levels) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        trees[i] = build(i, levels);
}
__global__ void use(node **trees, int n, long long *out, int *depths) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = trees[n - 1 - i]->value(i % 5);
        depths[i] = trees[i]->depth();
    }
}
__global__ void destroy(node **trees, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        delete trees[i];
}

// Bases at different offsets, and one that is shared.
struct named {
    int id;
    __device__ named(int id = 0) : id(id) {}
    __device__ virtual int tag() const { return id; }
};
struct weighted : virtual named {
    float weight = 1.5f;
    __device__ virtual float weigh() const { return weight; }
};
struct coloured : virtual named {
    int colour = 7;
    __device__ virtual int paint() { return colour++; }
};
struct block_of_wood : weighted, coloured {
    __device__ block_of_wood(int id) : named(id) {}
    __device__ float weigh() const override { return weight * 2 + id; }
    __device__ int paint() override { return coloured::paint() + 100; }
    __device__ int tag() const override { return id * 10; }
};
__global__ void inheritance(float *out) {
    int i = threadIdx.x;
    block_of_wood *wood = new block_of_wood(i);
    coloured *c = wood;
    weighted *w = wood;
    named *n = i % 2 ? (named *)c : (named *)w;
    int (coloured::*method)() = &coloured::paint;
    float painted = c->paint() + (c->*method)();
    out[i] = w->weigh() + 1000 * n->tag() + painted;
    delete wood;
}

struct counter {
    int *place;
    __device__ counter(int *p) : place(p) { atomicAdd(place, 1); }
    __device__ counter(const counter &c) : place(c.place) { atomicAdd(place, 100); }
    __device__ ~counter() { atomicAdd(place, 10000); }
};
__device__ __noinline__ int pass(counter c) {
    return c.place != NULL;
}
__global__ void lifetimes(int *places) {
    counter *several = (counter *)malloc(3 * sizeof(counter));
    for (int k = 0; k < 3; k++)
        new (&several[k]) counter(&places[threadIdx.x]);
    pass(several[1]);
    if (threadIdx.x % 2)
        pass(several[2]);
    for (int k = 0; k < 3; k++)
        several[k].~counter();
    free(several);
    int *array = new int[threadIdx.x + 1];
    array[threadIdx.x] = places[threadIdx.x];
    places[threadIdx.x] = array[threadIdx.x];
    delete[] array;
}

int main() {
    const int n = 45, levels = 4;
    node **trees = device_zeros<node *>(n);
    long long out[n], expected[n], *device_out = device_zeros<long long>(n);
    int depths[n], *device_depths = device_zeros<int>(n), nodes = 0, found;
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    make<<<2, 32>>>(trees, n, levels);
    use<<<2, 32>>>(trees, n, device_out, device_depths);
    destroy<<<2, 32>>>(trees, n);
    FINISH();
    from_device(out, device_out, n);
    from_device(depths, device_depths, n);
    for (int i = 0; i < n; i++) {
        int unused = 0;
        expected[i] = evaluate(n - 1 - i, levels, i % 5, &unused);
        evaluate(i, levels, 0, &nodes);
    }
    check_equal("expression trees", expected, out, n);
    bool right = true;
    for (int d : depths)
        right &= d == levels + 1;
    check("their depths", right);
    CUDA(cudaMemcpyFromSymbol(&found, deleted, sizeof found));
    check_equal("every node is deleted", &nodes, &found, 1);
    show("nodes", nodes);
    show_bits("values", out, n);

    float f[40], expected_f[40], *device_f = device_zeros<float>(40);
    inheritance<<<1, 40>>>(device_f);
    FINISH();
    from_device(f, device_f, 40);
    for (int i = 0; i < 40; i++)
        expected_f[i] = 3.0f + i + 10000.0f * i + 107 + 108;
    check_equal("multiple inheritance", expected_f, f, 40);

    int places[34], expected_places[34], *device_places = device_zeros<int>(34);
    lifetimes<<<1, 34>>>(device_places);
    FINISH();
    from_device(places, device_places, 34);
    for (int i = 0; i < 34; i++)
        expected_places[i] = i % 2 ? 3 + 200 + 50000 : 3 + 100 + 40000;
    check_equal("constructors and destructors", expected_places, places, 34);
    return program_failures;
}
