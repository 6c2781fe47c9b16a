/* What the emulator's libcudart.so offers beyond the CUDA runtime API.
 *
 * NVIDIA's library does not have these functions, so a program never links against them: it asks for
 * them at run time (dlsym(RTLD_DEFAULT, "emulatorName")) and knows by the answer who runs its kernels.
 * common/device.h and common/bench.h do that for every lesson.
 */
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Everything that is counted between emulatorCountersStart and emulatorCountersStop, summed over all
 * kernels that ran in between. Counts are of PTX instructions, not of SASS: they say what the program
 * asked for, and they are the same on every machine. A request is one memory instruction of one warp. */
struct emulatorCounters {
    uint64_t launches;             /* kernels that ran */
    uint64_t warp_instructions;    /* instructions issued, once per warp (or per part of a diverged warp) */
    uint64_t thread_instructions;  /* the same, times the active lanes */
    uint64_t global_load_requests; /* global loads of a warp */
    uint64_t global_load_sectors;  /* distinct 32-byte sectors they touched */
    uint64_t global_store_requests;
    uint64_t global_store_sectors;
    uint64_t global_atomic_requests; /* atom and red on global memory */
    uint64_t global_load_bytes;      /* bytes that the active lanes asked for */
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
};

/* One line that names this backend, e.g. "emulator, 2 CPU threads, AVX-512". Never NULL. */
const char *emulatorName(void);

/* Sets all counters to zero and starts counting. Kernels launched from now on run slower. Waits for the device first. */
void emulatorCountersStart(void);

/* Waits for the device, stops counting and writes the first `size` bytes of the counters to `out`. */
void emulatorCountersStop(struct emulatorCounters *out, size_t size);

/* One word for the worst thing found in this process so far, for graders: "none", "out_of_bounds",
 * "misaligned", "use_after_free", "host_pointer", "divergent_barrier", "lost_lane", "race",
 * "uninitialized", "timeout", "trap", "assert", "unsupported", "launch_failure", "double_free", "leak", "unused". */
const char *emulatorVerdict(void);

#ifdef __cplusplus
}
#endif
#endif
