// Clusters of several blocks: what a block knows of its cluster, shared memory of other blocks by loads, stores and
// atomics, the barrier of the cluster, and how clusters are launched.
// arch: sm_90
#include "program.h"
#include <cooperative_groups.h>
#include <cuda/ptx>

namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

template <typename... Parameters, typename... Arguments>
static cudaError_t launch(dim3 grid, dim3 block, dim3 cluster, void (*kernel)(Parameters...), Arguments... arguments) {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    config.gridDim = grid;
    config.blockDim = block;
    config.attrs = &attribute;
    config.numAttrs = 1;
    return cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}

// ---- what a block knows ----

#define KNOWN 40

static __device__ void put(int *&to, dim3 n) {
    *to++ = n.x, *to++ = n.y, *to++ = n.z;
}

static __global__ void known(int *out) {
    auto cluster = cg::this_cluster();
    if (threadIdx.x != 3 || threadIdx.y || threadIdx.z != 1)
        return;
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    int *to = out + block * KNOWN, *begin = to;
    put(to, dim3(ptx::get_sreg_clusterid_x(), ptx::get_sreg_clusterid_y(), ptx::get_sreg_clusterid_z()));
    put(to, dim3(ptx::get_sreg_nclusterid_x(), ptx::get_sreg_nclusterid_y(), ptx::get_sreg_nclusterid_z()));
    put(to, dim3(ptx::get_sreg_cluster_ctaid_x(), ptx::get_sreg_cluster_ctaid_y(), ptx::get_sreg_cluster_ctaid_z()));
    put(to, dim3(ptx::get_sreg_cluster_nctaid_x(), ptx::get_sreg_cluster_nctaid_y(), ptx::get_sreg_cluster_nctaid_z()));
    *to++ = ptx::get_sreg_cluster_ctarank();
    *to++ = ptx::get_sreg_cluster_nctarank();
    *to++ = ptx::get_sreg_is_explicit_cluster();
    put(to, cluster.block_index());
    put(to, cluster.dim_blocks());
    put(to, cluster.thread_index());
    put(to, cluster.dim_threads());
    *to++ = cluster.block_rank();
    *to++ = cluster.num_blocks();
    *to++ = cluster.thread_rank();
    *to++ = cluster.num_threads();
    *to++ = cluster.size();
    auto grid = cg::this_grid();
    put(to, grid.cluster_index());
    put(to, grid.dim_clusters());
    *to++ = (int)grid.cluster_rank();
    *to++ = (int)grid.num_clusters();
    out[block * KNOWN + KNOWN - 1] = to - begin;
}

static void test_known() {
    const struct {
        dim3 grid, cluster;
    } shapes[] = {{{8, 4, 2}, {2, 2, 2}},
                  {{6, 1, 1}, {3, 1, 1}},
                  {{4, 6, 3}, {1, 2, 3}},
                  {{5, 1, 1}, {1, 1, 1}},
                  {{8, 1, 1}, {8, 1, 1}}};
    for (auto s : shapes) {
        int blocks = s.grid.x * s.grid.y * s.grid.z;
        int *out = device_zeros<int>(blocks * KNOWN), *values = new int[blocks * KNOWN];
        CUDA(launch(s.grid, dim3(8, 2, 2), s.cluster, known, out));
        FINISH();
        from_device(values, out, blocks * KNOWN);
        show_bits("what blocks know", values, blocks * KNOWN);
        bool right = true;
        for (int b = 0; b < blocks; b++) {
            const int *v = values + b * KNOWN;
            int x = b % s.grid.x, y = b / s.grid.x % s.grid.y, z = b / (s.grid.x * s.grid.y);
            right &= v[0] == x / (int)s.cluster.x && v[1] == y / (int)s.cluster.y && v[2] == z / (int)s.cluster.z;
            right &= v[6] == x % (int)s.cluster.x && v[7] == y % (int)s.cluster.y && v[8] == z % (int)s.cluster.z;
            right &= v[12] == v[6] + (int)s.cluster.x * (v[7] + (int)s.cluster.y * v[8]) && v[14] == 1;
        }
        check("the places of blocks in their clusters", right);
        delete[] values;
        CUDA(cudaFree(out));
    }
}

static __global__ void alone(int *out) {
    auto cluster = cg::this_cluster();
    if (blockIdx.x)
        return;
    out[0] = cluster.num_blocks();
    out[1] = cluster.block_rank();
    out[2] = ptx::get_sreg_is_explicit_cluster();
    out[3] = ptx::get_sreg_nclusterid_x();
    out[4] = ptx::get_sreg_clusterid_x();
}

// ---- shared memory of other blocks ----

#define BLOCKS  4
#define THREADS 96

struct alignas(16) wide {
    int v[4];
};

// Each block reads what the next one has written, by elements of all sizes.
static __global__ void read_next(double *out) {
    __shared__ char bytes[THREADS];
    __shared__ short shorts[THREADS];
    __shared__ float floats[THREADS];
    __shared__ double doubles[THREADS];
    __shared__ wide wides[THREADS];
    auto cluster = cg::this_cluster();
    int i = threadIdx.x, rank = cluster.block_rank(), value = 7 * rank + i;
    bytes[i] = value % 100;
    shorts[i] = value;
    floats[i] = value + 0.5f;
    doubles[i] = value + 0.25;
    wides[i] = {{value, value + 1, value + 2, value + 3}};
    cluster.sync();
    int next = (rank + 1) % BLOCKS, other = (i * 5 + 3) % THREADS;
    wide w = cluster.map_shared_rank(wides, next)[other];
    double sum = cluster.map_shared_rank(bytes, next)[i] + 2. * cluster.map_shared_rank(shorts, next)[THREADS - 1 - i];
    sum += 3. * cluster.map_shared_rank(floats, next)[i] + 5. * cluster.map_shared_rank(doubles, next)[0];
    out[blockIdx.x * THREADS + i] = sum + 7 * w.v[0] + 11 * w.v[3];
    cluster.sync();
}

static double right_of_next(int block, int i) {
    int base = 7 * ((block + 1) % BLOCKS), other = base + (i * 5 + 3) % THREADS;
    return (base + i) % 100 + 2. * (base + THREADS - 1 - i) + 3. * (base + i + 0.5) + 5. * (base + 0.25) + 7. * other +
           11. * (other + 3);
}

// Blocks store into all others, by addresses of .shared::cluster.
static __global__ void store_all(int *out) {
    __shared__ int from[BLOCKS][THREADS];
    __shared__ wide pieces[BLOCKS];
    auto cluster = cg::this_cluster();
    uint32_t rank = cluster.block_rank(), i = threadIdx.x;
    cluster.sync();
    for (uint32_t to = 0; to < BLOCKS; to++) {
        uint32_t address = __cvta_generic_to_shared(&from[rank][i]), mapped, found;
        asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(address), "r"(to));
        asm("getctarank.shared::cluster.u32 %0, %1;" : "=r"(found) : "r"(mapped));
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(mapped), "r"(1000 * rank + 10 * i + found) : "memory");
        if (i == 0) {
            asm("mapa.shared::cluster.u32 %0, %1, %2;"
                : "=r"(mapped)
                : "r"((uint32_t)__cvta_generic_to_shared(&pieces[rank])), "r"(to));
            asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %1, %2};" ::"r"(mapped), "r"(rank), "r"(to)
                         : "memory");
        }
    }
    cluster.sync();
    int sum = 0;
    for (int b = 0; b < BLOCKS; b++)
        sum += from[b][i] * (b + 1) + pieces[b].v[0] + 3 * pieces[b].v[3];
    out[blockIdx.x * THREADS + i] = sum;
}

// Atomics of several kinds, all into block 1.
static __global__ void atomics(unsigned long long *out) {
    __shared__ int sum, most;
    __shared__ unsigned long long long_sum;
    __shared__ float float_sum;
    __shared__ unsigned bits, taken;
    auto cluster = cg::this_cluster();
    if (threadIdx.x == 0)
        sum = most = 0, long_sum = 0, float_sum = 0, bits = 0, taken = 0;
    cluster.sync();
    int rank = cluster.block_rank(), value = rank * THREADS + threadIdx.x;
    atomicAdd(cluster.map_shared_rank(&sum, 1), value);
    atomicMax(cluster.map_shared_rank(&most, 1), value);
    atomicAdd(cluster.map_shared_rank(&long_sum, 1), (unsigned long long)value << 32);
    atomicAdd(cluster.map_shared_rank(&float_sum, 1), 0.5f);
    atomicOr(cluster.map_shared_rank(&bits, 1), 1u << value % 31);
    if (atomicCAS(cluster.map_shared_rank(&taken, 1), 0, 1 + rank) == 0)
        atomicAdd(cluster.map_shared_rank(&long_sum, 1), 1ull);
    uint32_t mapped;
    asm("mapa.shared::cluster.u32 %0, %1, 1;" : "=r"(mapped) : "r"((uint32_t)__cvta_generic_to_shared(&sum)));
    asm volatile("red.relaxed.cluster.shared::cluster.add.s32 [%0], 1;" ::"r"(mapped) : "memory");
    int before;
    asm volatile("atom.relaxed.cluster.shared::cluster.add.s32 %0, [%1], 1;" : "=r"(before) : "r"(mapped) : "memory");
    if (before < 0)
        out[0] = before;
    cluster.sync();
    if (rank == 1 && threadIdx.x == 0) {
        out[0] = sum, out[1] = most, out[2] = long_sum, out[3] = (unsigned)(float_sum * 2), out[4] = bits,
        out[5] = taken != 0;
    }
}

static __global__ void places(int *out) {
    __shared__ int x;
    auto cluster = cg::this_cluster();
    uint32_t rank = cluster.block_rank(), other = (rank + 1) % cluster.num_blocks();
    int *there = cluster.map_shared_rank(&x, other), *here = cluster.map_shared_rank(&x, rank);
    uint32_t cta[3], clu[3];
    const void *what[] = {&x, there, out};
    for (int i = 0; i < 3; i++)
        asm("{ .reg .pred p, q; isspacep.shared::cta p, %2; isspacep.shared::cluster q, %2; selp.u32 %0, 1, 0, p; "
            "selp.u32 %1, 1, 0, q; }"
            : "=r"(cta[i]), "=r"(clu[i])
            : "l"(what[i]));
    int *to = out + 9 * blockIdx.x;
    for (int i = 0; i < 3; i++)
        to[i] = cta[i] * 2 + clu[i];
    to[3] = cluster.query_shared_rank(there);
    to[4] = cluster.query_shared_rank(here);
    to[5] = cluster.query_shared_rank(&x);
    *here = 100 + rank; // the own block's by its address in the cluster
    to[6] = x;
    cluster.sync();
    to[7] = *there;
    uint32_t mapped;
    asm("mapa.shared::cluster.u32 %0, %1, %2;"
        : "=r"(mapped)
        : "r"((uint32_t)__cvta_generic_to_shared(&x)), "r"(other));
    uint64_t generic;
    asm("{ .reg .u64 wide; cvt.u64.u32 wide, %1; cvta.shared::cluster.u64 %0, wide; }" : "=l"(generic) : "r"(mapped));
    to[8] = *(int *)generic - (generic == (uint64_t)there ? 0 : 1000);
    cluster.sync();
}

// ---- the barrier ----

// Arrives early, works, and waits; warps and whole blocks have left.
static __global__ void phases(int *out, int rounds) {
    __shared__ int mine;
    auto cluster = cg::this_cluster();
    int rank = cluster.block_rank(), blocks = cluster.num_blocks();
    if (threadIdx.x >= 64 || rank == 2)
        return;
    if (threadIdx.x == 0)
        mine = rank;
    for (int round = 0; round < rounds; round++) {
        cluster.barrier_arrive();
        int work = 0;
        for (int i = 0; i < 10 * rank; i++)
            work += i;
        cluster.barrier_wait();
        int seen = *cluster.map_shared_rank(&mine, (rank + (rank == 1 ? 2 : 1)) % blocks);
        cluster.sync();
        if (threadIdx.x == 0)
            mine += seen + (work < 0);
    }
    cluster.sync();
    if (threadIdx.x < 32)
        out[blockIdx.x] = mine;
}

static __global__ void __cluster_dims__(2, 1, 1) compiled_for_two(int *out) {
    auto cluster = cg::this_cluster();
    out[blockIdx.x] = 10 * cluster.num_blocks() + cluster.block_rank();
}

// ---- a histogram whose bins are distributed over the blocks ----

#define BINS 512

static __global__ void histogram(const int *in, int n, int *bins) {
    extern __shared__ int mine[];
    auto cluster = cg::this_cluster();
    int per_block = BINS / cluster.num_blocks();
    for (int i = threadIdx.x; i < per_block; i += blockDim.x)
        mine[i] = 0;
    cluster.sync();
    for (int i = cg::this_grid().thread_rank(); i < n; i += gridDim.x * blockDim.x)
        atomicAdd(cluster.map_shared_rank(mine, in[i] / per_block) + in[i] % per_block, 1);
    cluster.sync();
    for (int i = threadIdx.x; i < per_block; i += blockDim.x)
        atomicAdd(&bins[cluster.block_rank() * per_block + i], mine[i]);
}

static void test_histogram(int blocks) {
    enum { N = 20000 };
    static int in[N], right[BINS], found[BINS];
    uint32_t state = 5 + blocks;
    memset(right, 0, sizeof right);
    for (int i = 0; i < N; i++)
        right[in[i] = next_random(&state) % BINS]++;
    int *device_in = to_device(in, N), *bins = device_zeros<int>(BINS);
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = blocks;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = 2 * blocks;
    config.blockDim = 128;
    config.dynamicSmemBytes = BINS / blocks * sizeof(int);
    config.attrs = &attribute;
    config.numAttrs = 1;
    if (blocks > 8)
        CUDA(cudaFuncSetAttribute(histogram, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CUDA(cudaLaunchKernelEx(&config, histogram, (const int *)device_in, (int)N, bins));
    FINISH();
    from_device(found, bins, BINS);
    char name[60];
    snprintf(name, sizeof name, "a histogram over %d blocks", blocks);
    check_equal(name, right, found, BINS);
    CUDA(cudaFree(device_in));
    CUDA(cudaFree(bins));
}

// ---- launches ----

static __global__ void write_ranks(int *out) {
    auto cluster = cg::this_cluster();
    out[blockIdx.x] = 10 * cluster.num_blocks() + cluster.block_rank();
}

// Clusters in a grid that waits as a whole.
static __global__ void cooperate(int *out, int rounds) {
    __shared__ int x;
    auto cluster = cg::this_cluster();
    auto grid = cg::this_grid();
    if (threadIdx.x == 0)
        x = 0;
    cluster.sync();
    for (int round = 0; round < rounds; round++) {
        atomicAdd(cluster.map_shared_rank(&x, (cluster.block_rank() + 1) % cluster.num_blocks()), 1);
        cluster.sync();
        if (threadIdx.x == 0)
            out[blockIdx.x] += x;
        grid.sync();
        if (threadIdx.x == 0)
            x += out[(blockIdx.x + 5) % gridDim.x] & 1;
        grid.sync();
    }
    cluster.sync();
    if (threadIdx.x == 0)
        out[blockIdx.x] += 1000 * x;
}

static void test_attributes(int *out) {
    static int values[32];
    cudaLaunchAttribute attributes[2] = {};
    cudaLaunchConfig_t config = {};
    attributes[0].id = cudaLaunchAttributeClusterDimension;
    attributes[0].val.clusterDim.x = 4;
    attributes[0].val.clusterDim.y = attributes[0].val.clusterDim.z = 1;
    attributes[1].id = cudaLaunchAttributeCooperative;
    attributes[1].val.cooperative = 1;
    config.gridDim = 32;
    config.blockDim = 64;
    config.attrs = attributes;
    config.numAttrs = 2;
    CUDA(cudaMemset(out, 0, sizeof values));
    CUDA(cudaLaunchKernelEx(&config, cooperate, out, 6));
    FINISH();
    from_device(values, out, 32);
    show_bits("clusters of a cooperative grid", values, 32);
    attributes[1].id = cudaLaunchAttributePreferredClusterDimension;
    for (int preferred : {8, 6, 3, 64, 0}) {
        attributes[1].val.preferredClusterDim.x = preferred;
        attributes[1].val.preferredClusterDim.y = attributes[1].val.preferredClusterDim.z = 1;
        printf("%d blocks preferred: %s\n", preferred, cudaGetErrorName(cudaLaunchKernelEx(&config, write_ranks, out)));
        cudaGetLastError();
        CUDA(cudaDeviceSynchronize());
    }
}

static void test_errors(int *out) {
    const struct {
        const char *name;
        dim3 grid, cluster;
    } wrong[] = {{"a grid that is no multiple", {6, 1, 1}, {4, 1, 1}},
                 {"9 blocks", {9, 1, 1}, {9, 1, 1}},
                 {"16 blocks that are not allowed", {16, 1, 1}, {16, 1, 1}},
                 {"a cluster of nothing in y", {4, 1, 1}, {2, 0, 1}},
                 {"32 blocks", {32, 1, 1}, {32, 1, 1}}};
    for (auto w : wrong) {
        cudaError_t error = launch(w.grid, dim3(1), w.cluster, alone, out);
        printf("%s: %s\n", w.name, cudaGetErrorName(error));
        cudaGetLastError();
        CUDA(cudaDeviceSynchronize());
    }
    cudaError_t error = launch(dim3(4), dim3(1), dim3(4), compiled_for_two, out);
    printf("another size than the kernel was compiled for: %s\n", cudaGetErrorName(error));
    cudaGetLastError();
    compiled_for_two<<<3, 1>>>(out);
    printf("a grid that is no multiple of what the kernel was compiled for: %s\n",
           cudaGetErrorName(cudaGetLastError()));
    CUDA(cudaDeviceSynchronize());
    cudaFuncAttributes a;
    CUDA(cudaFuncGetAttributes(&a, compiled_for_two));
    printf("compiled for: %d x %d x %d, must be set %d\n", a.requiredClusterWidth, a.requiredClusterHeight,
           a.requiredClusterDepth, a.clusterDimMustBeSet);
}

// A size that is set for a kernel that was compiled for none, and one that was compiled for another.
static __global__ void any_size(int *out) {
    out[blockIdx.x] = 10 * cg::this_cluster().num_blocks() + cg::this_cluster().block_rank();
}

static void test_required(int *out) {
    const cudaFuncAttribute names[] = {cudaFuncAttributeRequiredClusterWidth, cudaFuncAttributeRequiredClusterHeight,
                                       cudaFuncAttributeRequiredClusterDepth};
    int values[4];
    for (int i = 0; i < 3; i++)
        printf("required %d: %s\n", i, cudaGetErrorName(cudaFuncSetAttribute(any_size, names[i], i ? 1 : 2)));
    printf("required of the other: %s\n", cudaGetErrorName(cudaFuncSetAttribute(compiled_for_two, names[0], 4)));
    cudaGetLastError();
    any_size<<<4, 1>>>(out);
    printf("a launch of it: %s\n", cudaGetErrorName(cudaGetLastError()));
    FINISH();
    from_device(values, out, 4);
    printf("it has %d %d %d %d\n", values[0], values[1], values[2], values[3]);
    any_size<<<3, 1>>>(out);
    printf("of three blocks: %s\n", cudaGetErrorName(cudaGetLastError()));
    CUDA(cudaDeviceSynchronize());
}

// A launch of clusters that is captured, instantiated and run twice.
static void test_graph(int *out) {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    int values[4], right[4] = {40, 41, 42, 43};
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMemset(out, 0, sizeof values));
    CUDA(cudaDeviceSynchronize());
    CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = 4;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.gridDim = 4;
    config.blockDim = 1;
    config.stream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, write_ranks, out));
    CUDA(cudaStreamEndCapture(stream, &graph));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    from_device(values, out, 4);
    check_equal("clusters in a graph", right, values, 4);
    CUDA(cudaGraphExecDestroy(exec));

    cudaGraphNode_t node;
    size_t nodes = 1;
    cudaLaunchAttributeValue size = {};
    CUDA(cudaGraphGetNodes(graph, &node, &nodes));
    CUDA(cudaGraphKernelNodeGetAttribute(node, cudaLaunchAttributeClusterDimension, &size));
    show("the node's cluster", size.clusterDim.x * 100 + size.clusterDim.y * 10 + size.clusterDim.z);
    size.clusterDim.x = 2;
    CUDA(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeClusterDimension, &size));
    CUDA(cudaGraphInstantiate(&exec, graph, 0));
    CUDA(cudaGraphLaunch(exec, stream));
    CUDA(cudaStreamSynchronize(stream));
    from_device(values, out, 4);
    for (int i = 0; i < 4; i++)
        right[i] = 20 + i % 2;
    check_equal("clusters that the node is given", right, values, 4);
    CUDA(cudaGraphExecDestroy(exec));
    CUDA(cudaGraphDestroy(graph));
    CUDA(cudaStreamDestroy(stream));
}

int main() {
    static double doubles[2 * BLOCKS * THREADS], right_doubles[2 * BLOCKS * THREADS];
    static int values[2 * BLOCKS * THREADS], right[2 * BLOCKS * THREADS];
    int *out = device_zeros<int>(2 * BLOCKS * THREADS);
    double *double_out = device_zeros<double>(2 * BLOCKS * THREADS);
    test_known();

    alone<<<3, 1>>>(out);
    FINISH();
    from_device(values, out, 5);
    for (int i = 0; i < 4; i++)
        show("without clusters", values[i]);

    CUDA(launch(dim3(2 * BLOCKS), dim3(THREADS), dim3(BLOCKS), read_next, double_out));
    FINISH();
    from_device(doubles, double_out, 2 * BLOCKS * THREADS);
    for (int i = 0; i < 2 * BLOCKS * THREADS; i++)
        right_doubles[i] = right_of_next(i / THREADS % BLOCKS, i % THREADS);
    check_equal("reading the next block's shared memory", right_doubles, doubles, 2 * BLOCKS * THREADS);

    CUDA(launch(dim3(2 * BLOCKS), dim3(THREADS), dim3(BLOCKS), store_all, out));
    FINISH();
    from_device(values, out, 2 * BLOCKS * THREADS);
    for (int i = 0; i < 2 * BLOCKS * THREADS; i++) {
        right[i] = 0;
        for (int b = 0, block = i / THREADS % BLOCKS; b < BLOCKS; b++)
            right[i] += (1000 * b + 10 * (i % THREADS) + block) * (b + 1) + b + 3 * block;
    }
    check_equal("storing into all blocks", right, values, 2 * BLOCKS * THREADS);

    unsigned long long *long_out = device_zeros<unsigned long long>(6), found[6];
    CUDA(launch(dim3(BLOCKS), dim3(THREADS), dim3(BLOCKS), atomics, long_out));
    FINISH();
    from_device(found, long_out, 6);
    for (auto x : found)
        show("atomics in another block", (long long)x);

    CUDA(launch(dim3(6), dim3(1), dim3(3), places, out));
    FINISH();
    from_device(values, out, 9 * 6);
    for (int b = 0; b < 6; b++)
        for (int i = 0; i < 9; i++) {
            const int rank = b % 3, next = (b + 1) % 3;
            const int expected[] = {3, 1, 0, next, rank, rank, 100 + rank, 100 + next, 100 + next};
            right[9 * b + i] = expected[i];
        }
    check_equal("places in the cluster", right, values, 9 * 6);

    CUDA(launch(dim3(BLOCKS), dim3(THREADS), dim3(BLOCKS), phases, out, 5));
    FINISH();
    from_device(values, out, BLOCKS);
    for (int b = 0; b < BLOCKS; b++)
        if (b != 2)
            show("phases of the barrier", values[b]);

    compiled_for_two<<<4, 1>>>(out);
    FINISH();
    from_device(values, out, 4);
    for (int b = 0; b < 4; b++)
        right[b] = 20 + b % 2;
    check_equal("a kernel that is compiled for clusters", right, values, 4);

    for (int blocks = 1; blocks <= 16; blocks *= 2)
        test_histogram(blocks);
    test_attributes(out);
    test_errors(out);
    test_required(out);
    test_graph(out);
    return program_failures != 0;
}
