/* The properties of instructions: one row for each opcode, which every pass uses.
 *
 * A row's name is the beginning of an opcode: "mul" has one, and "mul.lo", which differs from it, has another. The
 * longest name that an opcode begins with (whole words) is its row. decode/link.c finds it once for each instruction of
 * a program and keeps it in ptx_insn.row. The opcode's other words (.acquire, .v4, .sat) are read from the opcode:
 * ptx/opcode.h.
 *
 * The execution of an instruction is defined elsewhere: ops/ has tables of forms, and decode/ a function decode_NAME
 * for each of the DECODINGS. */
#ifndef INSTRUCTION_H
#define INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/class.h"
#include "ptx/ptx.h"

/* The class it counts in: the row's, or where it has a floating-point type, that type's. */
enum counting { COUNTED_ALWAYS, COUNTED_BY_TYPE };

/* Its first operand. All others are read; an address in brackets is read in any case. */
enum first_operand { FIRST_READ, FIRST_WRITTEN, FIRST_UPDATED /* read, then written */ };

/* Its effect on memory. The space is among the opcode's words, or generic. */
enum memory_use {
    MEMORY_NONE,
    MEMORY_LOAD,
    MEMORY_STORE,
    MEMORY_ATOMIC,
    MEMORY_ASYNC_STORE, /* its bytes then arrive at an mbarrier */
    MEMORY_ASYNC_ATOMIC,
    MEMORY_COPY, /* from global to shared memory, in the background */
    MEMORY_BULK_COPY,
    MEMORY_BULK_ATOMIC,
    MEMORY_MATRIX_LOAD, /* rows of 16 bytes, one for each lane */
    MEMORY_MATRIX_STORE,
    MEMORY_TILE_LOAD, /* a wmma fragment's lines */
    MEMORY_TILE_STORE,
    MEMORY_DESCRIPTORS, /* pieces of shared memory: wgmma */
    MEMORY_TEXTURE,
    MEMORY_SURFACE_LOAD,
    MEMORY_SURFACE_STORE,
    MEMORY_MBARRIER, /* an object in shared memory */
    MEMORY_HINT,     /* a hint to a cache: no data */
    MEMORY_STACK,    /* allocates or releases local memory */
};

/* The accesses that it orders. */
enum ordering {
    ORDER_NONE,
    ORDER_BY_WORDS, /* itself, as .relaxed, .acquire, .release, .volatile specify */
    ORDER_FENCE,
    ORDER_WARP, /* the lanes that its first operand names */
    ORDER_BLOCK,
    ORDER_CLUSTER_ARRIVE,
    ORDER_CLUSTER_WAIT,
    ORDER_COPY_COMMIT, /* cp.async's groups */
    ORDER_COPY_WAIT,
    ORDER_COPY_WAIT_ALL,
    ORDER_BULK_COMMIT,
    ORDER_BULK_WAIT,
    ORDER_PRODUCT_FENCE, /* wgmma: registers before, products after */
    ORDER_PRODUCT_COMMIT,
    ORDER_PRODUCT_WAIT,
    ORDER_MBARRIER_INIT,
    ORDER_MBARRIER_ARRIVE,
    ORDER_MBARRIER_WAIT,
    ORDER_MBARRIER_COPIES, /* an arrival when the lane's copies are done */
    ORDER_REGISTERS,       /* the warps of a warpgroup, which release registers or allocate some */
    ORDER_GRIDS,           /* this grid, after the one before it */
    ORDER_NEXT_GRID,       /* the next grid may begin */
};

/* Where execution continues. */
enum control {
    CONTROL_NEXT,
    CONTROL_BRANCH,
    CONTROL_TABLE, /* one of a list of labels */
    CONTROL_CALL,  /* comes back */
    CONTROL_RETURN,
    CONTROL_EXIT,
    CONTROL_TRAP, /* the kernel ends with an error */
};

/* Its relation to other lanes of its warp. */
enum lanes {
    LANES_OWN,
    LANES_EXCHANGE, /* queries them, and waits for those that it names, which does not order memory */
    LANES_SYNC,     /* synchronizes the lanes that take part, and orders their accesses to memory */
    LANES_TURN,     /* may pass the warp's turn to other warps */
};

/* Whether the second tier may compile it. */
enum compiling {
    COMPILED_NOT,    /* the interpreter's handler is called */
    COMPILED_LANES,  /* computes lane by lane */
    COMPILED_NARROW, /* the same, but not on integers of 64 bits, for which hosts have no vector instruction */
    COMPILED_ACCESS, /* loads and stores of regular addresses */
    COMPILED_BRANCH,
};

/* Whether the checks may instrument it. */
enum probing { NOT_PROBED, PROBED };

/* The relation of its result to an address among its operands: the address of the same variable, or of an unknown
 * one. */
enum address_flow {
    ADDRESS_LOST,
    ADDRESS_COPIED,      /* that of operand 1 */
    ADDRESS_SUM,         /* operands 1 and 2 */
    ADDRESS_DIFFERENCE,  /* operand 1 without operand 2 */
    ADDRESS_PRODUCT_SUM, /* operand 3, with a product added */
    ADDRESS_CHOICE,      /* operand 1 or 2 */
    ADDRESS_FETCHED,     /* from memory or another lane: perhaps an address if it is as long as one */
};

/* The effect of undefined bits in its operands. */
enum undefined_flow {
    UNDEFINED_WHOLE,      /* they make the whole result undefined */
    UNDEFINED_BITS,       /* bits are moved: each is what it was */
    UNDEFINED_NEW_BITS,   /* the same, but the result is no copy */
    UNDEFINED_XOR,        /* the same, and x ^ x is 0 */
    UNDEFINED_UPWARD,     /* integers carry upward, from the lowest undefined byte on */
    UNDEFINED_DIFFERENCE, /* the same, and x - x is 0 */
    UNDEFINED_CONVERSION, /* between integers bits are moved */
    UNDEFINED_CHOICE,     /* of the first two operands by the third */
    UNDEFINED_COMPARISON, /* perhaps combined with a predicate that decides it */
    UNDEFINED_PRODUCT,    /* of matrices: those elements that depend on them */
    UNDEFINED_LANES,      /* the operation itself determines their effect */
    UNDEFINED_ADDRESS,    /* operands are addresses, sizes, numbers of something: using them is an error */
    UNDEFINED_VOTE,       /* the same: they are votes */
    UNDEFINED_STORED,     /* the same: they are results */
    UNDEFINED_CHECKED,    /* the check of the access reports them */
};

/* decode/ has a function decode_NAME for each. */
#define DECODINGS(X)                                                                                                   \
    X(form)                                                                                                            \
    X(mov)                                                                                                             \
    X(load)                                                                                                            \
    X(store)                                                                                                           \
    X(store_async)                                                                                                     \
    X(atomic)                                                                                                          \
    X(reduce_async)                                                                                                    \
    X(cvta)                                                                                                            \
    X(isspacep)                                                                                                        \
    X(istypep)                                                                                                         \
    X(prefetch)                                                                                                        \
    X(nothing)                                                                                                         \
    X(max_registers)                                                                                                   \
    X(branch)                                                                                                          \
    X(branch_table)                                                                                                    \
    X(call)                                                                                                            \
    X(return )                                                                                                         \
    X(exit)                                                                                                            \
    X(trap)                                                                                                            \
    X(warp_barrier)                                                                                                    \
    X(barrier)                                                                                                         \
    X(barrier_aligned)                                                                                                 \
    X(fence)                                                                                                           \
    X(nanosleep)                                                                                                       \
    X(alloca)                                                                                                          \
    X(stacksave)                                                                                                       \
    X(stackrestore)                                                                                                    \
    X(mapa)                                                                                                            \
    X(getctarank)                                                                                                      \
    X(cluster_arrive)                                                                                                  \
    X(cluster_wait)                                                                                                    \
    X(video)                                                                                                           \
    X(copy)                                                                                                            \
    X(copy_arrive)                                                                                                     \
    X(bulk_copy)                                                                                                       \
    X(bulk_reduce)                                                                                                     \
    X(tensor_copy)                                                                                                     \
    X(tensor_reduce)                                                                                                   \
    X(tensor_prefetch)                                                                                                 \
    X(tensor_replace)                                                                                                  \
    X(tensor_map_copy)                                                                                                 \
    X(cache_policy)                                                                                                    \
    X(mbarrier_init)                                                                                                   \
    X(mbarrier_inval)                                                                                                  \
    X(mbarrier_expect)                                                                                                 \
    X(mbarrier_complete)                                                                                               \
    X(mbarrier_arrive)                                                                                                 \
    X(mbarrier_drop)                                                                                                   \
    X(mbarrier_wait)                                                                                                   \
    X(mbarrier_pending)                                                                                                \
    X(texture)                                                                                                         \
    X(texture_gather)                                                                                                  \
    X(texture_query)                                                                                                   \
    X(surface_load)                                                                                                    \
    X(surface_store)                                                                                                   \
    X(surface_query)                                                                                                   \
    X(mma)                                                                                                             \
    X(mma_sparse)                                                                                                      \
    X(wmma_mma)                                                                                                        \
    X(wmma_load)                                                                                                       \
    X(wmma_store)                                                                                                      \
    X(ldmatrix)                                                                                                        \
    X(stmatrix)                                                                                                        \
    X(movmatrix)                                                                                                       \
    X(wgmma)                                                                                                           \
    X(wgmma_commit)                                                                                                    \
    X(wgmma_wait)

enum decoding {
#define DECODING(name) DECODING_##name,
    DECODINGS(DECODING)
#undef DECODING
        DECODING_END
};

struct instruction {
    const char *name; /* what opcodes begin with */
    uint8_t class;    /* enum insn_class */
    uint8_t counting;
    uint8_t first; /* enum first_operand */
    uint8_t memory;
    uint8_t order;
    uint8_t control;
    uint8_t lanes;
    uint8_t compiling;
    uint8_t probing;
    uint8_t address;
    uint8_t undefined;
    uint8_t controls; /* how many of its last operands select bits: an undefined one makes all undefined */
    uint8_t decoding;
    const char *spoken; /* its name in messages; NULL: nothing special */
};

/* The row of an opcode. One that is in no row is instruction_unknown, which cannot be decoded; it counts as "other". */
const struct instruction *instruction_find(const char *opcode);
extern const struct instruction instruction_unknown;
/* Does PTX have an instruction with that first word, even if it has no row here? */
bool instruction_exists(const char *opcode);

/* All rows, for tests. */
size_t instruction_count(void);
const struct instruction *instruction_at(size_t i);

enum insn_class instruction_class(const struct instruction *row, const char *opcode);

static inline bool instruction_ends_block(const struct instruction *row) {
    return row->control != CONTROL_NEXT && row->control != CONTROL_CALL && row->control != CONTROL_TRAP;
}

/* @%p before it is a branch around it, since the warp's active lanes must be exactly those that execute it. Before
 * others it takes lanes out of the mask. */
static inline bool instruction_is_branched_around(const struct instruction *row) {
    return row->control != CONTROL_NEXT || row->lanes != LANES_OWN;
}

#endif
