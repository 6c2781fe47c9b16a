/* See occupancy_limits.h. Registers are allocated to warps in units of 256; each of the four schedulers owns a quarter
 * of them. Shared memory is allocated to blocks in units of 128 bytes, 1 KiB of it to the driver; the SM divides its
 * memory between L1 and shared as the kernel needs. */
#include "profile/occupancy_limits.h"

#include "base/limits.h"

#define SCHEDULERS      4
#define REGISTER_PIECE  256 /* per warp */
#define LEAST_REGISTERS 16  /* a thread gets these even if it needs fewer, according to an H200 */
#define SHARED_PIECE    128
#define SM_WARPS        (LIMIT_SM_THREADS / WARP_SIZE)

static unsigned rounded_up(unsigned n, unsigned piece) {
    return (n + piece - 1) / piece * piece;
}

unsigned occupancy_blocks_by_registers(unsigned registers, unsigned warps) {
    unsigned per_warp = rounded_up(registers * WARP_SIZE, REGISTER_PIECE);
    return per_warp ? LIMIT_REGISTERS / SCHEDULERS / per_warp * SCHEDULERS / warps : LIMIT_SM_BLOCKS;
}

bool occupancy_has_registers(const char *kernel, unsigned threads, unsigned *registers) {
    struct kernel_registers found;
    if (!resources_registers(kernel, &found))
        return true;
    *registers = found.count;
    return occupancy_blocks_by_registers(found.count, (threads + WARP_SIZE - 1) / WARP_SIZE) > 0;
}

static void find_limiter(struct occupancy *o) {
    static const enum occupancy_limit order[] = {LIMIT_BY_WARPS, LIMIT_BY_REGISTERS, LIMIT_BY_SHARED, LIMIT_BY_BLOCKS};
    o->limiter = LIMIT_BY_WARPS;
    o->blocks = o->limits[LIMIT_BY_WARPS];
    for (unsigned i = 1; i < LIMIT_END; i++) {
        if (order[i] == LIMIT_BY_REGISTERS && !o->registers_known)
            continue;
        if (o->limits[order[i]] >= o->blocks)
            continue;
        o->limiter = order[i];
        o->blocks = o->limits[order[i]];
    }
}

struct occupancy occupancy_of(const struct launch_profile *p) {
    struct occupancy o = {0};
    unsigned threads = p->block[0] * p->block[1] * p->block[2], warps = (threads + WARP_SIZE - 1) / WARP_SIZE;
    double blocks = (double)p->grid[0] * p->grid[1] * p->grid[2];
    o.registers_known = resources_registers(p->kernel, &o.registers);
    if (o.registers.count < LEAST_REGISTERS)
        o.registers.count = LEAST_REGISTERS;
    o.shared_per_block = rounded_up(p->static_shared + p->dynamic_shared + LIMIT_SHARED_RESERVED, SHARED_PIECE);
    o.limits[LIMIT_BY_BLOCKS] = LIMIT_SM_BLOCKS;
    o.limits[LIMIT_BY_WARPS] = SM_WARPS / warps;
    o.limits[LIMIT_BY_SHARED] = LIMIT_SHARED_SM / o.shared_per_block;
    if (o.registers_known)
        o.limits[LIMIT_BY_REGISTERS] = occupancy_blocks_by_registers(o.registers.count, warps);
    find_limiter(&o);
    o.warps = o.blocks * warps;
    o.percent = 100. * o.warps / SM_WARPS;
    o.waves = o.blocks ? blocks / ((double)o.blocks * LIMIT_SMS) : 0;
    return o;
}
