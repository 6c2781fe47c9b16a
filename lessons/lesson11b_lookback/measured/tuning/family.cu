/* family.cu: one family of the kernels in the sweep, by -DFAMILY=0 to 5 (they are compiled side by side). */
#include "kernels.cuh"
#include "sweep.h"

#ifndef FAMILY
#define FAMILY 0
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

#define ONE(threads, rows, window, flags)                                                                              \
    candidates_add(                                                                                                    \
        all, {"one_tile", threads, rows, window, 0, flags, false, 0, one_tile<TYPE, threads, rows, window, flags>})
#define REGISTERS(threads, rows, window, flags)                                                                        \
    candidates_add(all, {"in_registers", threads, rows, window, 0, flags, true, 0,                                     \
                         in_registers<TYPE, threads, rows, window, flags>})
#define SHARED(threads, rows, window, stages, flags)                                                                   \
    candidates_add(all, {"in_shared", threads, rows, window, stages, flags, true,                                      \
                         (size_t)stages * threads * rows * 4 * sizeof(TYPE),                                           \
                         in_shared<TYPE, threads, rows, window, stages, flags>})

#define ONE_WINDOWS(threads, rows)                                                                                     \
    ONE(threads, rows, 1, 0);                                                                                          \
    ONE(threads, rows, 1, TICKET);                                                                                     \
    ONE(threads, rows, 4, TICKET);                                                                                     \
    ONE(threads, rows, 8, 0);                                                                                          \
    ONE(threads, rows, 8, TICKET)
#define REGISTERS_WINDOWS(threads, rows)                                                                               \
    REGISTERS(threads, rows, 1, 0);                                                                                    \
    REGISTERS(threads, rows, 4, 0);                                                                                    \
    REGISTERS(threads, rows, 8, 0);                                                                                    \
    REGISTERS(threads, rows, 8, TICKET);                                                                               \
    REGISTERS(threads, rows, ROUNDS, 0)
#define SHARED_WINDOWS(threads, rows, stages, flags)                                                                   \
    SHARED(threads, rows, 4, stages, flags);                                                                           \
    SHARED(threads, rows, 8, stages, (flags) | TICKET);                                                                \
    SHARED(threads, rows, ROUNDS, stages, flags)
#define SHARED_SHAPES(flags)                                                                                           \
    SHARED_WINDOWS(256, 4, 2, flags);                                                                                  \
    SHARED_WINDOWS(256, 8, 2, flags);                                                                                  \
    SHARED_WINDOWS(512, 4, 2, flags);                                                                                  \
    SHARED_WINDOWS(512, 4, 3, flags);                                                                                  \
    SHARED_WINDOWS(512, 8, 2, flags);                                                                                  \
    SHARED_WINDOWS(512, 8, 3, flags);                                                                                  \
    SHARED_WINDOWS(1024, 4, 2, flags);                                                                                 \
    SHARED_WINDOWS(1024, 4, 3, flags)

void JOIN(family, FAMILY)(struct candidates *all) {
#if FAMILY == 0 // a block for each tile
    ONE_WINDOWS(256, 2);
    ONE_WINDOWS(256, 4);
    ONE_WINDOWS(256, 6);
    ONE_WINDOWS(256, 8);
    ONE_WINDOWS(512, 4);
    ONE_WINDOWS(512, 8);
    ONE_WINDOWS(1024, 4);
    ONE_WINDOWS(1024, 2);
    ONE_WINDOWS(512, 2);
    ONE_WINDOWS(512, 6);
    ONE_WINDOWS(384, 4);
    ONE_WINDOWS(384, 6);
#elif FAMILY == 1 // the next tile in registers
    REGISTERS_WINDOWS(256, 4);
    REGISTERS_WINDOWS(256, 8);
    REGISTERS_WINDOWS(512, 4);
    REGISTERS_WINDOWS(512, 6);
    REGISTERS_WINDOWS(512, 8);
    REGISTERS_WINDOWS(1024, 4);
#elif FAMILY == 2
    SHARED_SHAPES(0);
#elif FAMILY == 3
    SHARED_SHAPES(DELAY);
#elif FAMILY == 4
    SHARED_SHAPES(BULK);
#elif FAMILY == 5
    SHARED_SHAPES(BULK | DELAY);
#elif FAMILY == 6 // hints, naps
    ONE(512, 8, 8, LOAD_PLAIN);
    ONE(512, 8, 8, STORE_PLAIN);
    ONE(512, 8, 8, LOAD_PLAIN | STORE_PLAIN);
    ONE(512, 8, 8, LOAD_NO_L1);
    ONE(512, 8, 8, LOAD_NO_L1 | STORE_PLAIN);
    ONE(512, 8, 8, SLEEP);
    ONE(256, 8, 8, LOAD_PLAIN | STORE_PLAIN);
    ONE(256, 8, 1, SLEEP);
    REGISTERS(512, 8, 8, LOAD_PLAIN | STORE_PLAIN);
    REGISTERS(512, 8, 8, LOAD_NO_L1 | STORE_PLAIN);
    REGISTERS(512, 8, 8, SLEEP);
    REGISTERS(512, 8, ROUNDS, STORE_PLAIN);
    SHARED(512, 4, 4, 3, STORE_PLAIN);
    SHARED(512, 8, 4, 2, STORE_PLAIN | DELAY);
    SHARED(512, 8, 4, 3, STORE_PLAIN | BULK);
    SHARED(512, 4, ROUNDS, 3, STORE_PLAIN);
    SHARED(512, 4, ROUNDS, 4, 0);
    SHARED(512, 4, ROUNDS, 4, BULK);
    SHARED(512, 4, ROUNDS, 6, BULK);
    SHARED(512, 4, ROUNDS, 6, BULK | DELAY);
    SHARED(512, 4, 4, 6, BULK);
    SHARED(256, 4, ROUNDS, 4, 0);
    SHARED(256, 4, ROUNDS, 4, BULK);
    SHARED(256, 8, ROUNDS, 4, 0);
    SHARED(256, 8, ROUNDS, 4, BULK);
    SHARED(256, 8, 4, 4, BULK | FIRST_OUT);
    SHARED(512, 4, 4, 3, BULK | FIRST_OUT);
    SHARED(512, 4, ROUNDS, 3, BULK | FIRST_OUT);
    SHARED(512, 4, 4, 3, FIRST_OUT);
    SHARED(512, 8, 4, 3, FIRST_OUT | DELAY);
    ONE(256, 4, 8, NO_CHAIN); // wrong by design, from here on
    ONE(256, 8, 8, NO_CHAIN);
    ONE(512, 4, 8, NO_CHAIN);
    ONE(512, 8, 8, NO_CHAIN);
    ONE(512, 8, 8, NO_CHAIN | STORE_PLAIN);
    REGISTERS(256, 8, 8, NO_CHAIN);
    REGISTERS(512, 8, 8, NO_CHAIN);
    SHARED(512, 4, 8, 3, NO_CHAIN);
    SHARED(512, 4, 8, 3, NO_CHAIN | BULK);
    SHARED(512, 8, 8, 3, NO_CHAIN | BULK);
    SHARED(256, 8, 8, 4, NO_CHAIN | BULK);
#else             // a few, to try the program
    ONE(256, 4, 1, TICKET);
    ONE(256, 2, 8, 0);
    ONE(256, 2, 4, SLEEP | LOAD_NO_L1);
    REGISTERS(256, 4, 1, TICKET);
    REGISTERS(256, 4, 4, 0);
    REGISTERS(256, 4, ROUNDS, STORE_PLAIN);
    SHARED_WINDOWS(256, 4, 2, 0);
    SHARED_WINDOWS(256, 2, 3, DELAY);
    SHARED_WINDOWS(256, 2, 3, BULK);
    SHARED_WINDOWS(256, 4, 2, BULK | DELAY);
    SHARED(256, 4, 4, 2, BULK | FIRST_OUT);
    SHARED(256, 4, 4, 2, FIRST_OUT);
    SHARED(256, 4, 4, 2, NO_CHAIN);
#endif
}
