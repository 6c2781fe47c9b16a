/* failing_malloc.h - allocations that fail: the n-th that the emulator's library asks for, once.
 *
 * The program's malloc and its kin come before the C library's, for the emulator, too. Only calls whose return address lies in libcuda-emulator.so
 * are counted: the C library's own (of strdup, stdio, threads) and the program's never fail. After SQLite's tests of the same name: what
 * can fail is made to fail at each place in turn. */
#ifndef FAILING_MALLOC_H
#define FAILING_MALLOC_H

#ifdef __cplusplus
extern "C" {
#endif

/* From now on count the library's allocations, and let the n-th fail (0: none). Returns 0 if no libcuda-emulator.so is loaded. */
int fail_allocation(long n);

/* How many there were since then. */
long allocations_asked_for(void);

#ifdef __cplusplus
}
#endif

#endif
