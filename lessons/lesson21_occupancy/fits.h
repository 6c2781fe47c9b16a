/* fits.h - what fits on a multiprocessor: the tables of lesson 21, and its calculator compared with those that NVIDIA has.
 *
 *     struct limits device = device_limits();               of the device that runs this
 *     print_architectures(&device);                         all of calculator.h's, what they have and what that means
 *     print_residents(&chosen, &device);                    each kernel: what it needs, what fits, what CUDA says of it
 *     compare_calculators(&chosen, &device);                many launches of each; every answer must agree
 */
#ifndef LESSONS_LESSON21_OCCUPANCY_FITS_H
#define LESSONS_LESSON21_OCCUPANCY_FITS_H

#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/record.h"
#include "../../common/verify.h"
#include "calculator.h"

#if __has_include(<cuda_occupancy.h>)
#include <cuda_occupancy.h> // NVIDIA's calculator for devices that are not there
#define HAVE_CUDA_OCCUPANCY 1
#else
#define HAVE_CUDA_OCCUPANCY 0
#endif

enum kind { MEMORY, ARITHMETIC, PHASES, REGISTERS };

struct version {
    int number;
    const char *name;
    void (*launch)(const float *x, float *y, int n, int dynamic, cudaStream_t stream);
    const void *kernel;
    int threads, parallel; // of a block; loads or chains that a thread has under way
    void (*cpu)(const float *x, float *y, int n);
    enum kind kind;
};

/* The rows that the reader asked for. */
struct selection {
    const struct version *row;
    int rows;
};

static inline struct selection select_versions(const struct version *all, int rows, int number) {
    int first = 0, last = rows;
    while (number && all[first].number != number) {
        first++;
    }
    while (number && all[last - 1].number != number) {
        last--;
    }
    return {all + first, last - first};
}

// ---------------------------------------------------------------- what the device says

static inline int attribute(enum cudaDeviceAttr which) {
    int device = 0, value = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

/* The device's own limits. Two things it does not say: the units in which registers and shared memory are given, and its lanes. */
static inline struct limits device_limits(void) {
    static char name[16];
    int major = attribute(cudaDevAttrComputeCapabilityMajor);
    snprintf(name, sizeof name, "sm_%d%d", major, attribute(cudaDevAttrComputeCapabilityMinor));
    const struct limits *known = architecture(name);
    struct limits m = {name, "this device"};
    m.blocks = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
    m.warps = attribute(cudaDevAttrMaxThreadsPerMultiProcessor) / WARP;
    m.registers = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
    m.shared = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    m.shared_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    m.reserved = attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    m.shared_unit = known ? known->shared_unit : major < 8 ? 256 : 128;
    m.lanes = known ? known->lanes : 128;
    if (known &&
        (m.blocks != known->blocks || m.warps != known->warps || m.registers != known->registers ||
         m.shared != known->shared || m.shared_block != known->shared_block || m.reserved != known->reserved)) {
        printf("calculator.h has other limits for %s than this device says\n", name);
        verify_tally()->failures++;
    }
    return m;
}

static inline struct cudaFuncAttributes attributes_of(const struct version *v) {
    struct cudaFuncAttributes a;
    CUDA_CHECK(cudaFuncGetAttributes(&a, v->kernel));
    return a;
}

/* CUDA's answer. A block may have more than 48 KiB of shared memory only if its kernel has asked for that. */
static inline int cuda_blocks(const struct version *v, int threads, int dynamic) {
    int blocks = -1;
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, v->kernel, threads, dynamic));
    return blocks;
}

static inline void allow_all_shared(const struct version *v, const struct limits *m, int statically) {
    CUDA_CHECK(
        cudaFuncSetAttribute(v->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, m->shared_block - statically));
}

// ---------------------------------------------------------------- tables

static inline void print_architectures(const struct limits *device) {
    printf("\n%-7s  %-11s  %6s  %5s  %9s  %10s  %10s  %9s  %10s  %6s\n", "", "", "", "", "registers", "shared KiB",
           "shared KiB", "registers", "shared KiB", "FMAs");
    printf("%-7s  %-11s  %6s  %5s  %9s  %10s  %10s  %9s  %10s  %6s\n", "", "for example", "blocks", "warps", "",
           "of all", "of a block", "if full", "if full", "/clock");
    for (const struct limits &a : ARCHITECTURES) {
        int blocks = a.warps / 8; // of 256 threads
        printf("%-7s  %-11s  %6d  %5d  %9d  %10d  %10d  %9d  %10.1f  %6d%s\n", a.name, a.example, a.blocks, a.warps,
               a.registers, a.shared >> 10, a.shared_block >> 10, registers_for(&a, 256, blocks),
               throttle(&a, blocks) / 1024.0, a.lanes, strcmp(a.name, device->name) == 0 ? "  <- here" : "");
    }
    printf("if full: what a thread, and a block of 256 threads, may have if all warps are to find room\n");
}

/* The best block by CUDA, for a kernel that may have blocks of so many threads. */
static inline int cuda_best_block(const struct version *v) {
    int grid = 0, threads = 0;
    CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, v->kernel, 0, 0));
    return threads;
}

static inline void print_residents(const struct selection *s, const struct limits *m) {
    printf("\n%s: blocks that fit, by calculator.h\n", m->name);
    printf("%-16s  %7s  %9s  %6s  %6s  %9s  %6s  %6s  %8s  %5s  %-13s  %4s\n", "version", "threads", "registers",
           "shared", "warps:", "registers:", "shared:", "places:", "resident", "%", "limited by", "CUDA");
    for (int r = 0; r < s->rows; r++) {
        const struct version *v = &s->row[r];
        struct cudaFuncAttributes a = attributes_of(v);
        struct residents fit = calculate(m, {a.numRegs, v->threads, (int)a.sharedSizeBytes});
        printf("%-16s  %7d  %9d  %6d  %6d  %10d  %7d  %7d  %8d  %5.1f  %-13s  %4d\n", v->name, v->threads, a.numRegs,
               (int)a.sharedSizeBytes, fit.of[BY_WARPS], fit.of[BY_REGISTERS], fit.of[BY_SHARED], fit.of[BY_BLOCKS],
               fit.blocks, occupancy(m, fit), limiter_name(fit.limiter), cuda_blocks(v, v->threads, 0));
        record_row(v->name, "registers", a.numRegs, "");
        record_row(v->name, "local memory", (double)a.localSizeBytes, "B");
    }
}

// ---------------------------------------------------------------- comparisons

struct agreement {
    long long agree, differ;
};

static inline void compare(struct agreement *a, const char *who, const char *kernel, struct need n, int mine,
                           int theirs) {
    if (mine == theirs) {
        a->agree++;
        return;
    }
    if (a->differ++ < 5) {
        printf("%s: %d registers, %d threads, %d bytes of shared memory: %d by hand, %d by %s\n", kernel, n.registers,
               n.threads, n.shared, mine, theirs, who);
    }
}

static inline void tell_agreement(const struct agreement *a, const char *what) {
    printf("%lld of %lld agree with %s\n", a->agree, a->agree + a->differ, what);
    record_row(what, "agree", (double)a->agree, "");
    record_row(what, "compared", (double)(a->agree + a->differ), "");
    verify_tally()->comparisons++;
    verify_tally()->failures += a->differ != 0;
}

static const int SOME_THREADS[] = {1, 32, 33, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1000, 1024};

/* This kernel with blocks and shared memory of many sizes. */
static inline void compare_launches(struct agreement *a, const struct version *v, const struct limits *m) {
    static const int shared[] = {0,     1,     100,   1000,  2944,   3000,   7000,   10000,
                                 16000, 24000, 33000, 50000, 100000, 115000, 150000, 200000};
    struct cudaFuncAttributes f = attributes_of(v);
    int statically = (int)f.sharedSizeBytes;
    allow_all_shared(v, m, statically);
    for (int threads : SOME_THREADS) {
        for (int dynamic : shared) {
            if (dynamic <= m->shared_block - statically) {
                struct need n = {f.numRegs, threads, statically + dynamic};
                compare(a, "CUDA", v->name, n, calculate(m, n).blocks, cuda_blocks(v, threads, dynamic));
            }
        }
    }
}

#if HAVE_CUDA_OCCUPANCY
static inline struct cudaOccDeviceProp as_cuda_has_it(const struct limits *m) {
    struct cudaOccDeviceProp p = {};
    int version = atoi(m->name + 3);
    p.computeMajor = version / 10;
    p.computeMinor = version % 10;
    p.maxThreadsPerBlock = BLOCK_THREADS;
    p.maxThreadsPerMultiprocessor = m->warps * WARP;
    p.regsPerBlock = p.regsPerMultiprocessor = m->registers;
    p.warpSize = WARP;
    p.sharedMemPerBlock = 48 << 10;
    p.sharedMemPerMultiprocessor = m->shared;
    p.numSms = 1;
    p.sharedMemPerBlockOptin = m->shared_block;
    p.reservedSharedMemPerBlock = m->reserved;
    return p;
}

/* A kernel with so many registers, on that architecture. An older toolkit does not know a newer architecture, and says so. */
static inline void compare_header(struct agreement *a, const struct limits *m, int registers) {
    struct cudaOccDeviceProp properties = as_cuda_has_it(m);
    struct cudaOccFuncAttributes kernel = {};
    struct cudaOccDeviceState state;
    kernel.maxThreadsPerBlock = BLOCK_THREADS;
    kernel.numRegs = registers;
    kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = m->shared_block;
    for (int threads : SOME_THREADS) {
        for (int shared = 0; shared <= m->shared_block; shared += 3331) {
            struct need n = {registers, threads, shared};
            struct cudaOccResult theirs;
            if (cudaOccMaxActiveBlocksPerMultiprocessor(&theirs, &properties, &kernel, &state, threads, shared) ==
                CUDA_OCC_SUCCESS) {
                compare(a, "cuda_occupancy.h", m->name, n, calculate(m, n).blocks,
                        theirs.activeBlocksPerMultiprocessor);
            }
        }
    }
}
#endif

static inline void compare_calculators(const struct selection *s, const struct limits *m) {
    struct agreement launches = {}, best = {}, header = {};
    for (int r = 0; r < s->rows; r++) {
        const struct version *v = &s->row[r];
        struct cudaFuncAttributes a = attributes_of(v);
        struct need n = {a.numRegs, a.maxThreadsPerBlock, (int)a.sharedSizeBytes};
        compare(&best, "CUDA", v->name, n, best_block(m, n.registers, n.shared, n.threads), cuda_best_block(v));
        compare_launches(&launches, v, m);
    }
    printf("\n");
    tell_agreement(&launches, "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    tell_agreement(&best, "cudaOccupancyMaxPotentialBlockSize");
#if HAVE_CUDA_OCCUPANCY
    for (const struct limits &a : ARCHITECTURES) {
        for (int registers = 1; registers <= THREAD_REGISTERS; registers++) {
            compare_header(&header, &a, registers);
        }
    }
    tell_agreement(&header, "cuda_occupancy.h, NVIDIA's calculator, for all these architectures");
#else
    (void)header;
#endif
}

#endif
