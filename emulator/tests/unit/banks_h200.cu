/* Records how many passes (wavefronts) a GPU needs for patterns of shared memory accesses: banks_h200.h is its output on an
 * H200, which sectors_test.c compares the emulator's counting with.
 *
 *   nvcc -O3 -std=c++17 -arch=sm_90 -o banks banks_h200.cu
 *   ./banks >patterns
 *   L=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum S=l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum
 *   ncu --clock-control none --csv --metrics $L,$S ./banks | awk -F'","' '/mem_shared_op_/ {
 *     gsub(/[",]/, "", $NF); sub(/"/, "", $1); sum[$1] += $NF } END { for (i = 0; i in sum; i++) print sum[i] }' >counts
 *   paste -d' ' counts patterns | sed 's/^/{/; s/ /, /; s/$/},/'
 *
 * Each launch makes one access; a load counts no store and the other way round, so the sum of both is its count. */
#include <cstdint>
#include <cstdio>

#define LANES 32

struct pattern {
    uint32_t offsets[LANES]; /* bytes */
    uint32_t mask;
};

/* One access of `bytes` per lane, in PTX so that it stays one. */
template <int bytes> __device__ uint32_t load(uint32_t address);
template <> __device__ uint32_t load<2>(uint32_t address) {
    uint16_t v;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(address));
    return v;
}
template <> __device__ uint32_t load<4>(uint32_t address) {
    uint32_t v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(address));
    return v;
}
template <> __device__ uint32_t load<8>(uint32_t address) {
    uint32_t v, w;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(v), "=r"(w) : "r"(address));
    return v ^ w;
}
template <> __device__ uint32_t load<16>(uint32_t address) {
    uint32_t v, w, x, y;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "r"(address));
    return v ^ w ^ x ^ y;
}
template <int bytes> __device__ void store(uint32_t address);
template <> __device__ void store<2>(uint32_t address) {
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(address), "h"((uint16_t)1));
}
template <> __device__ void store<4>(uint32_t address) {
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(1));
}
template <> __device__ void store<8>(uint32_t address) {
    asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(address), "r"(1));
}
template <> __device__ void store<16>(uint32_t address) {
    asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(address), "r"(1));
}

template <int bytes, bool is_load> __global__ void access(pattern p, uint32_t *sink) {
    extern __shared__ __align__(1024) char shared[];
    uint32_t address = (uint32_t)__cvta_generic_to_shared(shared) + p.offsets[threadIdx.x];
    if (p.mask >> threadIdx.x & 1) {
        if (is_load) {
            uint32_t value = load<bytes>(address);
            if (value == 12345) /* never: but without a use there would be no load */
                *sink = value;
        } else {
            store<bytes>(address);
        }
    }
}

template <int bytes> static void record(const pattern &p) {
    for (int is_load = 0; is_load < 2; is_load++) {
        printf("%d, %d, 0x%08x, {", is_load, bytes, p.mask);
        for (int l = 0; l < LANES; l++)
            printf("%s%u", l ? ", " : "", p.offsets[l]);
        printf("}\n");
    }
    access<bytes, false><<<1, LANES, 16384>>>(p, NULL);
    access<bytes, true><<<1, LANES, 16384>>>(p, NULL);
}

static uint32_t random_number(void) {
    static uint32_t seed = 1;
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

template <int bytes> static void strides(void) {
    static const uint32_t masks[] = {0xffffffff, 0x0000ffff, 0x55555555, 0x33333333, 0x00ff00ff, 0x000f000f, 1};
    for (uint32_t stride : {0, 1, 2, 3, 5, 8, 17, 32}) {
        pattern p;
        for (uint32_t l = 0; l < LANES; l++)
            p.offsets[l] = l * stride * bytes;
        for (uint32_t mask : masks) {
            p.mask = mask;
            if (mask == masks[0] || stride <= 2)
                record<bytes>(p);
        }
    }
}

/* Neighbours (by bit 0, by bit 1, or by one of them in each half or quarter) have the same address. */
template <int bytes> static void neighbours(void) {
    for (int round = 0; round < 24; round++) {
        pattern p;
        p.mask = round % 6 == 5 ? random_number() << 8 ^ random_number() : 0xffffffff;
        for (uint32_t l = 0; l < LANES; l++)
            p.offsets[l] = random_number() % (1024 / bytes) * bytes;
        for (uint32_t l = 0; l < LANES; l++) {
            uint32_t bit = round % 6 == 0 ? 1 : round % 6 == 1 ? 2 : 0;
            if (round % 6 == 2)
                bit = l < 16 ? 1 : 2;
            if (round % 6 == 3)
                bit = l / 8 % 2 ? 1 : 2;
            if (round % 6 == 4)
                bit = l < 16 ? 1 : 0;
            p.offsets[l] = p.offsets[l & ~bit];
        }
        record<bytes>(p);
    }
}

template <int bytes> static void everything(void) {
    strides<bytes>();
    neighbours<bytes>();
}

int main(void) {
    everything<2>();
    everything<4>();
    everything<8>();
    everything<16>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
