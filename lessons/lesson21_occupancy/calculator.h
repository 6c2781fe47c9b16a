/* calculator.h - how many blocks of a kernel a multiprocessor holds at once, worked out as the hardware hands out its room.
 *
 *     struct residents r = calculate(architecture("sm_90"), {.registers = 40, .threads = 256, .shared = 4096});
 *     r.blocks, r.warps, limiter_name(r.limiter)                    6, 48, "registers"
 *
 * A block gets four things when it comes, keeps all of them until it ends, and waits outside while one of them is missing: a place in the
 * list of blocks, a place for each of its warps, registers, and shared memory. So the number of blocks is the smallest of four quotients.
 * The lesson's program compares every answer with cudaOccupancyMaxActiveBlocksPerMultiprocessor.
 */
#ifndef LESSONS_LESSON21_OCCUPANCY_CALCULATOR_H
#define LESSONS_LESSON21_OCCUPANCY_CALCULATOR_H

#include <string.h>

enum { WARP = 32 };
enum { SCHEDULERS = 4 };       // of a multiprocessor; each has a quarter of the registers, and a quarter of the warps
enum { REGISTER_UNIT = 256 };  // registers are given to a warp in pieces of so many: 8 for each of its threads
enum { BLOCK_THREADS = 1024 }; // a block has so many threads at most
enum { THREAD_REGISTERS = 255 };

/* What a multiprocessor has. */
struct limits {
    const char *name, *example;
    int blocks, warps; // places for them
    int registers;     // of 32 bits
    int shared;        // bytes of shared memory for all blocks together
    int shared_block;  // bytes that one block may have
    int reserved;      // bytes that the driver takes for itself, in each block
    int shared_unit;   // shared memory is given in pieces of so many bytes
    int lanes;         // FMAs of float that it can start in a clock
};

/* Sources: blocks, warps, registers and shared memory from table "Technical Specifications per Compute Capability" of the CUDA Programming
 * Guide, lanes from its table of arithmetic throughput; units from NVIDIA's own calculator, which lies in the toolkit as cuda_occupancy.h.
 * What is reserved: 1 KiB from compute capability 8.0 on, as a device says itself (cudaDevAttrReservedSharedMemoryPerBlock). */
static const struct limits ARCHITECTURES[] = {
    // name      example           blocks warps registers  shared  shared_block reserved unit lanes
    {"sm_75", "T4", 16, 32, 65536, 64 << 10, 64 << 10, 0, 256, 64},
    {"sm_80", "A100", 32, 64, 65536, 164 << 10, 163 << 10, 1024, 128, 64},
    {"sm_86", "RTX 3090", 16, 48, 65536, 100 << 10, 99 << 10, 1024, 128, 128},
    {"sm_87", "Jetson Orin", 16, 48, 65536, 164 << 10, 163 << 10, 1024, 128, 128},
    {"sm_89", "RTX 4090", 24, 48, 65536, 100 << 10, 99 << 10, 1024, 128, 128},
    {"sm_90", "H200", 32, 64, 65536, 228 << 10, 227 << 10, 1024, 128, 128},
    {"sm_100", "B200", 32, 64, 65536, 228 << 10, 227 << 10, 1024, 128, 128},
    {"sm_103", "B300", 32, 64, 65536, 228 << 10, 227 << 10, 1024, 128, 128},
    {"sm_110", "Jetson Thor", 24, 48, 65536, 228 << 10, 227 << 10, 1024, 128, 128},
    {"sm_120", "RTX 5090", 24, 48, 65536, 100 << 10, 99 << 10, 1024, 128, 128},
};
enum { ARCHITECTURE_COUNT = sizeof ARCHITECTURES / sizeof ARCHITECTURES[0] };

/* NULL: not in the table. */
static inline const struct limits *architecture(const char *name) {
    for (const struct limits &a : ARCHITECTURES) {
        if (strcmp(a.name, name) == 0) {
            return &a;
        }
    }
    return NULL;
}

/* What one launch of a kernel needs. */
struct need {
    int registers; // of a thread, as ptxas says
    int threads;   // of a block
    int shared;    // bytes of a block, static and dynamic
};

enum limiter { BY_WARPS, BY_REGISTERS, BY_SHARED, BY_BLOCKS, LIMITERS };

struct residents {
    int of[LIMITERS]; // how many blocks each of the four has room for
    int blocks, warps;
    enum limiter limiter; // the first of them that allows no more
};

static inline const char *limiter_name(enum limiter limiter) {
    static const char *const names[LIMITERS] = {"warps", "registers", "shared memory", "blocks"};
    return names[limiter];
}

static inline int round_up(int value, int unit) {
    return (value + unit - 1) / unit * unit;
}

static inline int warps_of(int threads) {
    return (threads + WARP - 1) / WARP; // a warp that is not full takes a whole place
}

/* Registers belong to a scheduler, and a warp to the scheduler at which it has its registers. So it is counted how many warps one scheduler
 * has room for. What is left over at the four of them is lost, though together it may be enough for one more. */
static inline int blocks_by_registers(const struct limits *m, int registers, int warps) {
    int of_warp = round_up(registers * WARP, REGISTER_UNIT);
    if (of_warp == 0) {
        return m->blocks;
    }
    int of_scheduler = m->registers / SCHEDULERS / of_warp;
    return of_scheduler * SCHEDULERS / warps;
}

static inline int blocks_by_shared(const struct limits *m, int shared) {
    int of_block = round_up(shared + m->reserved, m->shared_unit);
    return of_block ? m->shared / of_block : m->blocks;
}

/* Some launches no multiprocessor can take, however empty it is: then all numbers are 0. */
static inline struct residents calculate(const struct limits *m, struct need n) {
    struct residents r = {};
    if (n.threads < 1 || n.threads > BLOCK_THREADS || n.registers > THREAD_REGISTERS || n.shared > m->shared_block) {
        return r;
    }
    int warps = warps_of(n.threads);
    r.of[BY_WARPS] = m->warps / warps;
    r.of[BY_REGISTERS] = blocks_by_registers(m, n.registers, warps);
    r.of[BY_SHARED] = blocks_by_shared(m, n.shared);
    r.of[BY_BLOCKS] = m->blocks;
    for (int l = 1; l < LIMITERS; l++) {
        if (r.of[l] < r.of[r.limiter]) {
            r.limiter = (enum limiter)l;
        }
    }
    r.blocks = r.of[r.limiter];
    r.warps = r.blocks * warps;
    return r;
}

static inline double occupancy(const struct limits *m, struct residents r) {
    return 100.0 * r.warps / m->warps;
}

// ---------------------------------------------------------------- the other way round

/* The block with the most warps resident; of several the largest, as cudaOccupancyMaxPotentialBlockSize has it. */
static inline int best_block(const struct limits *m, int registers, int shared, int most_threads) {
    int best = 0, most = 0;
    for (int threads = most_threads / WARP * WARP; threads >= WARP; threads -= WARP) {
        struct residents r = calculate(m, {registers, threads, shared});
        if (r.warps > most) {
            most = r.warps;
            best = threads;
        }
    }
    return best;
}

/* Bytes of shared memory with which `blocks` blocks find room, and no more: so a kernel's occupancy can be turned down without changing
 * the kernel. -1: one block more always finds room. */
static inline int throttle(const struct limits *m, int blocks) {
    int of_block = m->shared / blocks / m->shared_unit * m->shared_unit - m->reserved;
    int bytes = of_block < m->shared_block ? of_block : m->shared_block;
    return blocks_by_shared(m, bytes) == blocks ? bytes : -1;
}

/* The most registers that a thread may have if so many blocks are to find room: what __launch_bounds__ makes of its two numbers. */
static inline int registers_for(const struct limits *m, int threads, int blocks) {
    int registers = THREAD_REGISTERS;
    while (registers > 0 && blocks_by_registers(m, registers, warps_of(threads)) < blocks) {
        registers--;
    }
    return registers;
}

#endif
