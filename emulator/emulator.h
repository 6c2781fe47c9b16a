/* The functions of the emulator's libcudart.so beyond the CUDA runtime API.
 *
 * NVIDIA's library does not have these functions, so a program never links against them: it looks them up at run time
 * (dlsym(RTLD_DEFAULT, "emulatorName")), and the result shows what runs its kernels. */
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything that is counted between emulatorCountersStart and emulatorCountersStop, summed over all kernels that ran
 * in between. Counts are of PTX instructions, not of SASS: they show what the program requested, and they are the same
 * on every machine. A request is one memory instruction of one warp. */
struct emulatorCounters {
    uint64_t launches;             /* kernels that ran */
    uint64_t warp_instructions;    /* instructions issued, once per warp (or per part of a diverged warp) */
    uint64_t thread_instructions;  /* the same, times the active lanes */
    uint64_t global_load_requests; /* global loads of a warp */
    uint64_t global_load_sectors;  /* distinct 32-byte sectors they touched */
    uint64_t global_store_requests;
    uint64_t global_store_sectors;
    uint64_t global_atomic_requests; /* atom and red on global memory */
    uint64_t global_load_bytes;      /* bytes that the active lanes requested */
    uint64_t global_store_bytes;
    uint64_t shared_load_requests;
    uint64_t shared_load_wavefronts; /* passes over the 32 banks that those loads needed */
    uint64_t shared_store_requests;
    uint64_t shared_store_wavefronts;
    uint64_t shared_atomic_requests;
    uint64_t local_requests;     /* loads and stores to local memory: spills, arrays, stack */
    uint64_t branches;           /* conditional branches executed by a warp */
    uint64_t divergent_branches; /* those at which the active lanes went both ways */
    uint64_t barriers;           /* block barriers executed by a warp */
    uint64_t float_operations;   /* fp32 and fp64 adds, multiplies and fused multiply-adds (counted as 2), per thread */
    uint64_t global_atom_sectors; /* sectors of the atomics that return a value to their thread, ... */
    uint64_t global_red_sectors;  /* ... and of those that do not */
    uint64_t texture_requests;
    uint64_t texture_sectors; /* of those requests whose sectors are known */
    uint64_t surface_load_requests;
    uint64_t surface_load_sectors;
    uint64_t surface_store_requests;
    uint64_t surface_store_sectors;
    uint64_t async_copies;          /* cp.async of a warp; their loads are also among the global loads */
    uint64_t async_copy_wavefronts; /* passes over the banks in which they write to shared memory */
    uint64_t bulk_copies;           /* cp.async.bulk of a thread: no part of what is counted above */
    uint64_t bulk_load_bytes;       /* that they read from global memory */
    uint64_t bulk_store_bytes;      /* that they write there */
    uint64_t shared_atomic_wavefronts;
    /* global loads, each as often as loads of its warp may be in flight beside it, itself included */
    uint64_t global_loads_together;
    uint64_t host_waits;  /* calls that made the host wait for the device */
    uint64_t async_waits; /* waits of a warp for groups of cp.async */
    /* groups, the newest, that those waits did not wait for: as many as each of them specifies */
    uint64_t async_groups_left;
    uint64_t barriers_of_group;  /* of the block barriers those with a count of 128 threads, a warp group, or fewer */
    uint64_t bulk_places;        /* 128-byte lines of shared memory that bulk copies fill, each once for a block */
    uint64_t product_wavefronts; /* passes of 128 bytes in which wgmma reads shared memory */
    uint64_t async_commits;      /* groups of cp.async that warps made, empty ones included */
    /* for each KiB that bulk copies brought and a wait for an mbarrier made visible: bytes that other copies have
     * brought or bring and no wait has made visible yet */
    uint64_t bulk_ahead;
    uint64_t tensor_products; /* on tensor cores: mma and wmma of a warp, wgmma of a warpgroup */
};

/* One line that names this backend, e.g. "emulator, 2 CPU threads, AVX-512". Never NULL. */
const char *emulatorName(void);

/* The emulator's version, "major.minor.patch" (the file VERSION): a new major may change what is in this header, a
 * new minor adds to it. Never NULL. */
const char *emulatorVersion(void);

/* Sets all counters to zero and starts counting. Kernels launched from now on run slower. Waits for the device
 * first. */
void emulatorCountersStart(void);

/* Waits for the device, stops counting and writes the first `size` bytes of the counters to `out`. */
void emulatorCountersStop(struct emulatorCounters *out, size_t size);

/* One word for the worst thing found in this process so far, for graders: "none", "out_of_bounds",
 * "misaligned", "use_after_free", "host_pointer", "divergent_barrier", "lost_lane", "race",
 * "uninitialized", "timeout", "trap", "assert", "unsupported", "launch_failure", "double_free", "leak", "unused". */
const char *emulatorVerdict(void);

/* Waits for the device, discards what the next three functions report, and begins to record it: what wrote each byte of
 * memory that kernels can reach, and every launch. It is never switched off again. */
void emulatorAuthorsStart(void);

/* Waits for the device. The offset of the first of these bytes that is not a kernel's work: it has not been written
 * since the start, or it was last written by a copy from the host, a fill, a host function, or the host itself
 * (managed, pinned and registered memory: such a store is noticed when it changed the byte). A copy from one allocation
 * to another passes the authors on with the bytes. `bytes` if all of them are kernels' work. */
size_t emulatorNotByKernels(const void *p, size_t bytes);

/* What wrote the byte last: "kernel", "copy", "memset", "host" or "nobody". Waits for the device. */
const char *emulatorAuthor(const void *p);

/* 1: in launches from now on, blocks take turns at each barrier, in a random order. A block that relies on the work of
 * another one without waiting for it goes wrong. 0: no longer. */
void emulatorMixBlocks(int on);

/* A launch, however it was made: <<<>>>, cudaLaunchKernel and its kind, or a graph. */
struct emulatorLaunch {
    const char *kernel; /* as the source has it, with its parameters: "relu_kernel(const float *, float *, int)" */
    const char *symbol; /* its name in PTX */
    uint32_t grid[3], block[3];
    uint64_t threads;                       /* of the whole grid */
    uint32_t static_shared, dynamic_shared; /* bytes of a block */
    void *stream; /* the cudaStream_t; of a graph's kernel, that which the graph was launched into */
    int cooperative;
    int device;               /* its ordinal */
    uint32_t parameter_bytes; /* of the kernel's parameters */
    /* Only while counting (emulatorCountersStart): */
    uint64_t warp_instructions;
    /* And of the arrays named by emulatorWatchArrays: threads and blocks that loaded from an input, and that stored
     * to an output; atomics do both. A bulk copy is the work of all threads of its block. */
    uint64_t input_threads, input_blocks, output_threads, output_blocks;
    uint64_t input_bytes, output_bytes; /* bytes that the launch's threads loaded from inputs, stored to outputs */
    uint64_t most_input_bytes, most_output_bytes; /* of these, those of the block that has most of them */
};

/* Waits for the device. Writes the launches since emulatorAuthorsStart, at most `most` of them, in the order in which
 * they began, and returns how many there were. The names are valid until the next start. */
size_t emulatorLaunches(struct emulatorLaunch *out, size_t most);

/* An array of the program's, for the next functions. */
struct emulatorArray {
    const void *address; /* where it begins: as kernels have it, or as the host has it */
    size_t bytes;
    uint32_t input, output; /* it is one, the other, both, or neither */
};

/* The accesses to an array while counting. A request is one memory instruction of one warp; where its lanes access two
 * arrays it is one request in each. Lane bytes are those that the active lanes requested. cp.async counts as a load. */
struct emulatorArrayCounters {
    uint64_t load_requests, load_sectors,
        load_bytes;                       /* ld and cp.async; distinct 32-byte sectors of each request; lane bytes */
    uint64_t poll_requests, poll_sectors; /* of those the volatile, relaxed and acquire loads */
    uint64_t store_requests, store_sectors, store_bytes;
    uint64_t atomic_requests, atomic_sectors, atomic_bytes; /* atom and red: each reads and writes */
    uint64_t bulk_load_bytes, bulk_store_bytes; /* cp.async.bulk and copies by tensor maps; reductions store */
    uint64_t texture_sectors, surface_load_sectors,
        surface_store_sectors; /* where the object refers to linear memory */
    uint64_t copied_from_bytes,
        copied_to_bytes; /* by copies from device to device (cudaMemcpy and its kind), in streams and graphs */
};

/* Names at most 16 arrays and sets to zero what the next two functions report. Waits for nothing. Loads, stores and
 * atomics are counted between emulatorCountersStart and -Stop, copies always. */
void emulatorWatchArrays(const struct emulatorArray *arrays, size_t count);

/* Waits for the device. Writes the counters of the arrays in their order, then two more: of all other memory of
 * devices, and of all other memory that the host can store to (managed, pinned, registered). At most `most` of them;
 * returns how many there are. */
size_t emulatorArraysCounted(struct emulatorArrayCounters *out, size_t most);

/* The data that the host has passed to the device since emulatorWatchArrays, and got back. */
struct emulatorHostBytes {
    /* bytes copied from the host's memory to memory that kernels can reach, inputs among emulatorWatchArrays left
     * out */
    uint64_t copied_in;
    /* bytes that the host has written, at most, among those that kernels loaded from managed, pinned and
     * registered memory outside the arrays */
    uint64_t read_there;
    /* bytes of the words of kernels' parameters and of grid, block and dynamic shared memory that differ from
     * those of an earlier launch of the same kernel, or from 0: those from the 257th on, of all launches together */
    uint64_t parameters;
    uint64_t filled;     /* the values of fills (cudaMemset and its kind): 4 bytes for each row, at most */
    uint64_t copied_out; /* bytes copied from memory that kernels can reach to the host's own */
};
/* Waits for the device. The first `size` bytes. */
void emulatorHostBytes(struct emulatorHostBytes *out, size_t size);

/* Calls since emulatorCountersStart that made the host wait for the device. Waits for nothing itself. */
uint64_t emulatorHostWaits(void);

#ifdef __cplusplus
}
#endif
#endif
