// Addresses of shared memory in a cluster: above bit 24 stands the rank of the block that it is. What a variable's address
// is, what mapa and cvta make of it, and whose an address is.
// arch: sm_90
#include "program.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

enum { MOST = 16, DYNAMIC = 256 };

// By rank. Addresses are printed by rank and offset, and the offset only as "the same as in the block of rank 0".
struct addresses {
    uint32_t symbol, pointer, dynamic; // as mov gives it, as cvta gives it from a pointer, and of dynamic shared memory
    uint32_t own, next, again;         // mapa to the own rank, to the next one, and of that to the own one
    uint32_t next_generic;             // mapa of a generic address, as an address of shared memory
    uint32_t of_own, of_next, of_own_generic, of_next_generic; // getctarank
    uint32_t there_and_back, back_and_there, same;             // cvta round trips; is the own rank's the same pointer?
    uint32_t is_own, is_next, is_global;                       // isspacep: bit 0 .shared::cta, bit 1 .shared::cluster
    uint32_t loads[9];
};

static __device__ uint32_t spaces(const void *p) {
    uint32_t cta, cluster;
    asm volatile("{ .reg .pred a, b;"
                 "isspacep.shared::cta a, %2; isspacep.shared::cluster b, %2;"
                 "selp.u32 %0, 1, 0, a; selp.u32 %1, 2, 0, b; }"
                 : "=r"(cta), "=r"(cluster)
                 : "l"(p));
    return cta | cluster;
}

#define LOAD(result, opcode, constraint, address)                                                                      \
    asm volatile(opcode " %0, [%1];" : "=r"(result) : constraint(address) : "memory")

static __global__ void look(addresses *out, uint64_t *pointers) {
    __shared__ uint32_t first[8], words[8];
    extern __shared__ uint32_t dynamic[];
    auto cluster = cg::this_cluster();
    uint32_t rank = cluster.block_rank(), next = (rank + 1) % cluster.num_blocks();
    uint32_t block = cg::this_grid().cluster_rank() * cluster.num_blocks() + rank; // counted cluster by cluster
    addresses a = {};
    uint64_t wide, mapped, back;
    first[threadIdx.x] = 10 * rank + threadIdx.x;
    words[threadIdx.x] = 100 * (rank + 1) + threadIdx.x;
    dynamic[threadIdx.x] = 1000 * (rank + 1) + threadIdx.x;
    if (threadIdx.x == 0)
        pointers[block] = (uint64_t)&words[2]; // a generic address means the same in all blocks of the cluster
    __threadfence();
    cluster.sync();

    asm volatile("{ .shared .b32 here; mov.u32 %0, here; }" : "=r"(a.symbol));
    a.pointer = (uint32_t)__cvta_generic_to_shared(words);
    a.dynamic = (uint32_t)__cvta_generic_to_shared(dynamic);
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a.own) : "r"(a.pointer), "r"(rank));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a.next) : "r"(a.pointer), "r"(next));
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(a.again) : "r"(a.next), "r"(rank));
    asm volatile("mapa.u64 %0, %1, %2;" : "=l"(mapped) : "l"(words), "r"(next));
    asm volatile("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(wide) : "l"(mapped));
    a.next_generic = (uint32_t)wide;
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(a.of_own) : "r"(a.pointer));
    asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(a.of_next) : "r"(a.next));
    asm volatile("getctarank.u64 %0, %1;" : "=r"(a.of_own_generic) : "l"(words));
    asm volatile("getctarank.u64 %0, %1;" : "=r"(a.of_next_generic) : "l"(mapped));
    asm volatile("cvta.shared::cta.u64 %0, %1;" : "=l"(wide) : "l"((uint64_t)a.pointer));
    a.there_and_back = wide == (uint64_t)words;
    asm volatile("cvta.shared::cluster.u64 %0, %1;" : "=l"(wide) : "l"((uint64_t)a.next));
    asm volatile("cvta.to.shared::cluster.u64 %0, %1;" : "=l"(back) : "l"(wide));
    a.back_and_there = wide == mapped && back == a.next;
    a.same = cluster.map_shared_rank(words, rank) == words;
    a.is_own = spaces(words);
    a.is_next = spaces((void *)mapped);
    a.is_global = spaces(out);

    LOAD(a.loads[0], "ld.shared::cta.u32", "r", a.pointer + 4);
    LOAD(a.loads[1], "ld.shared::cluster.u32", "r", a.pointer + 4);
    LOAD(a.loads[2], "ld.shared::cta.u32", "r", a.own + 4);
    LOAD(a.loads[3], "ld.shared::cluster.u32", "r", a.next + 4);
    LOAD(a.loads[4], "ld.u32", "l", mapped + 4);
    LOAD(a.loads[5], "ld.u32", "l", ((volatile uint64_t *)pointers)[block - rank + next]);
    LOAD(a.loads[6], "ld.shared::cluster.u32", "r", a.dynamic + 4);
    a.loads[7] = first[1] + first[threadIdx.x];
    a.loads[8] = *cluster.map_shared_rank(&first[3], next);
    if (threadIdx.x == 0)
        out[block] = a;
    cluster.sync();
}

// Two clusters, or without clusters two blocks: then all ranks are 0.
static void launch(dim3 cluster, addresses *out, uint64_t *pointers) {
    cudaLaunchAttribute attribute = {};
    cudaLaunchConfig_t config = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    config.gridDim = cluster.x ? dim3(2 * cluster.x, cluster.y, cluster.z) : dim3(2);
    config.blockDim = 8;
    config.dynamicSmemBytes = DYNAMIC;
    config.attrs = &attribute;
    config.numAttrs = cluster.x ? 1 : 0;
    if (cluster.x > 8)
        CUDA(cudaFuncSetAttribute(look, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    CUDA(cudaLaunchKernelEx(&config, look, out, pointers));
    FINISH();
}

// rank:offset, where the offset is the one in the block of rank 0, or not.
static const char *place(char *text, uint32_t address, uint32_t of_first) {
    sprintf(text, "%u:%s", address >> 24, (address & 0xffffff) == (of_first & 0xffffff) ? "same" : "other");
    return text;
}

static void print(int block, const addresses *a, const addresses *first) {
    char text[7][20];
    printf("block %d: mov %s, cvta %s, dynamic %s, mapa own %s next %s again %s generic %s\n", block,
           place(text[0], a->symbol, first->symbol), place(text[1], a->pointer, first->pointer),
           place(text[2], a->dynamic, first->dynamic), place(text[3], a->own, first->pointer),
           place(text[4], a->next, first->pointer), place(text[5], a->again, first->pointer),
           place(text[6], a->next_generic, first->pointer));
    printf("  getctarank %u %u, generic %u %u; cvta %u %u, same %u; isspacep %u %u %u; loads", a->of_own, a->of_next,
           a->of_own_generic, a->of_next_generic, a->there_and_back, a->back_and_there, a->same, a->is_own, a->is_next,
           a->is_global);
    for (uint32_t x : a->loads)
        printf(" %u", x);
    printf("\n");
}

int main() {
    static addresses found[2 * MOST];
    addresses *out = device_zeros<addresses>(2 * MOST);
    uint64_t *pointers = device_zeros<uint64_t>(2 * MOST);
    for (dim3 cluster : {dim3(0), dim3(1), dim3(2), dim3(3), dim3(2, 2), dim3(1, 2, 3), dim3(8), dim3(16)}) {
        int blocks = cluster.x ? cluster.x * cluster.y * cluster.z : 1;
        launch(cluster, out, pointers);
        from_device(found, out, 2 * MOST);
        printf("clusters of %u x %u x %u\n", cluster.x, cluster.y, cluster.z);
        for (int b = 0; b < 2 * blocks; b++)
            print(b, &found[b], &found[0]);
    }
    return program_failures != 0;
}
