/* How many warps a multiprocessor can hold of a kernel at once, and what limits them. For compute capability 9.0
 * (H100, H200). */
#ifndef OCCUPANCY_LIMITS_H
#define OCCUPANCY_LIMITS_H

#include "profile/launches.h"
#include "fatbin/resources.h"

#define OCCUPANCY_CAPABILITY "9.0"

enum occupancy_limit { LIMIT_BY_BLOCKS, LIMIT_BY_REGISTERS, LIMIT_BY_SHARED, LIMIT_BY_WARPS, LIMIT_END };

struct occupancy {
    struct kernel_registers registers;
    bool registers_known;       /* without them, the register limit is not looked at */
    unsigned limits[LIMIT_END]; /* blocks per multiprocessor; registers: 0 when unknown */
    unsigned blocks, warps;     /* per multiprocessor */
    unsigned shared_per_block;  /* with what the driver takes */
    double percent;
    double waves; /* of blocks over all multiprocessors */
    enum occupancy_limit limiter;
};

/* How many blocks of so many warps a multiprocessor has registers for. */
unsigned occupancy_blocks_by_registers(unsigned registers, unsigned warps);

/* Does a multiprocessor have the registers for one block? Also where nobody knows how many a thread needs;
 * *registers: how many. */
bool occupancy_has_registers(const char *kernel, unsigned threads, unsigned *registers);

struct occupancy occupancy_of(const struct launch_profile *p);

#endif
