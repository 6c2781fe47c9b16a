/* How many global loads of one warp may be in flight at the same time, read from the kernel's PTX.
 *
 *     ld.global.f32 %f1, [%rd1];          these two are independent: 2 in flight
 *     ld.global.f32 %f2, [%rd2];
 *     ld.global.u32 %r1, [%rd3];          the address of the second is the first one's result: 1 in flight
 *     ld.global.f32 %f3, [%rd4 from %r1];
 *
 * Loads are counted together that follow one another with no barrier between them, no jump but forward ones that no
 * loaded value decides (the guard of `i < n ? x[i] : 0` is one), and no store to global memory unless they are .nc (of
 * const __restrict__ pointers), since the store might change what they read. ptxas may still move loads; a GPU may have
 * more or fewer in flight. */
#ifndef IN_FLIGHT_H
#define IN_FLIGHT_H

#include <stdbool.h>
#include <stdint.h>

struct kernel;
struct ptx_insn;

/* By insn.index: for a global load the number of loads in flight with it, itself included; 0 for everything else. The
 * caller frees it. */
uint16_t *in_flight_find(const struct kernel *k);
/* A volatile, relaxed or acquire load, by which a kernel waits for another thread's store. It is not among the loads
 * above. */
bool in_flight_polls(const struct ptx_insn *p);

#endif
