/* How many warps of a kernel an SM can hold at once, and the limits. For compute capability 9.0 (H100, H200). */
#ifndef OCCUPANCY_LIMITS_H
#define OCCUPANCY_LIMITS_H

#include "profile/launches.h"
#include "fatbin/resources.h"

#define OCCUPANCY_CAPABILITY "9.0"

enum occupancy_limit { LIMIT_BY_BLOCKS, LIMIT_BY_REGISTERS, LIMIT_BY_SHARED, LIMIT_BY_WARPS, LIMIT_END };

struct occupancy {
    struct kernel_registers registers;
    bool registers_known;       /* without them, the register limit is ignored */
    unsigned limits[LIMIT_END]; /* blocks per SM; registers: 0 when unknown */
    unsigned blocks, warps;     /* per SM */
    unsigned shared_per_block;  /* including the driver's share */
    double percent;
    double waves; /* of blocks over all SMs */
    enum occupancy_limit limiter;
};

/* The number of blocks of this many warps that an SM has registers for. */
unsigned occupancy_blocks_by_registers(unsigned registers, unsigned warps);

/* Does an SM have the registers for one block? True also where the number that a thread needs is unknown; *registers:
 * that number. */
bool occupancy_has_registers(const char *kernel, unsigned threads, unsigned *registers);

struct occupancy occupancy_of(const struct launch_profile *p);

#endif
