/* One row per instruction: see instruction.h for the meaning of the columns. A family's macro takes the columns that
 * differ in it, in the order of struct instruction; a row that lacks one does not compile. */
#include "isa/instruction.h"

/* clang-format off */
#define ROW(name, class, counting, first, memory, order, control, lanes, compiling, probing, address, undefined,      \
            controls, decoding, spoken)                                                                                \
    {name, CLASS_##class, COUNTED_##counting, FIRST_##first, MEMORY_##memory, ORDER_##order, CONTROL_##control,        \
     LANES_##lanes, COMPILED_##compiling, probing, ADDRESS_##address, UNDEFINED_##undefined, controls,                \
     DECODING_##decoding, spoken},

/* Computes, lane by lane. */
#define COMPUTES(name, class, counting, compiling, address, undefined, controls)                                       \
    ROW(name, class, counting, WRITTEN, NONE, NONE, NEXT, OWN, compiling, NOT_PROBED, address, undefined, controls,     \
        form, NULL)
#define ARITHMETIC(name, compiling, address, undefined)                                                                \
    COMPUTES(name, INTEGER, BY_TYPE, compiling, address, undefined, 0)
#define INTEGER(name, address, undefined, controls)                                                                    \
    COMPUTES(name, INTEGER, ALWAYS, LANES, address, undefined, controls)
#define FLOAT(name, address) COMPUTES(name, OTHER, BY_TYPE, LANES, address, WHOLE, 0)
#define SPECIAL(name) COMPUTES(name, SPECIAL, ALWAYS, LANES, LOST, WHOLE, 0)
#define MOVES(name, address, undefined, controls)                                                                      \
    COMPUTES(name, MOVE, ALWAYS, LANES, address, undefined, controls)
#define VIDEO(name)                                                                                                    \
    ROW(name, INTEGER, ALWAYS, WRITTEN, NONE, NONE, NEXT, OWN, LANES, NOT_PROBED, LOST, WHOLE, 0, video, NULL)

/* For addresses: registers to registers, by a separate operation. */
#define ABOUT_ADDRESS(name, class, compiling, address, undefined, decoding)                                            \
    ROW(name, class, ALWAYS, WRITTEN, NONE, NONE, NEXT, OWN, compiling, NOT_PROBED, address, undefined, 0, decoding,    \
        NULL)

#define ACCESSES(name, class, first, memory, compiling, address, decoding)                                             \
    ROW(name, class, ALWAYS, first, memory, BY_WORDS, NEXT, OWN, compiling, PROBED, address, ADDRESS, 0, decoding,    \
        NULL)
#define HINT(name, decoding)                                                                                           \
    ROW(name, MEMORY, ALWAYS, READ, HINT, NONE, NEXT, OWN, NOT, NOT_PROBED, LOST, ADDRESS, 0, decoding, NULL)
#define COPIES(name, memory, decoding)                                                                                 \
    ROW(name, MEMORY, ALWAYS, READ, memory, NONE, NEXT, OWN, NOT, PROBED, LOST, ADDRESS, 0, decoding, NULL)
#define COPY_GROUP(name, order)                                                                                        \
    ROW(name, MEMORY, ALWAYS, READ, NONE, order, NEXT, OWN, NOT, PROBED, LOST, ADDRESS, 0, nothing, NULL)
#define TEXTURE(name, first, memory, decoding)                                                                         \
    ROW(name, TEXTURE, ALWAYS, first, memory, NONE, NEXT, OWN, NOT, NOT_PROBED, LOST, ADDRESS, 0, decoding, NULL)
#define MBARRIER(name, first, order, probing, decoding)                                                               \
    ROW(name, SYNC, ALWAYS, first, MBARRIER, order, NEXT, TURN, NOT, probing, LOST, ADDRESS, 0, decoding, NULL)

#define EXCHANGES(name, address, spoken)                                                                               \
    ROW(name, WARP, ALWAYS, WRITTEN, NONE, NONE, NEXT, EXCHANGE, NOT, NOT_PROBED, address, LANES, 0, form, spoken)
#define BARRIER(name, first, decoding, spoken)                                                                         \
    ROW(name, SYNC, ALWAYS, first, NONE, BLOCK, NEXT, TURN, NOT, PROBED, LOST, VOTE, 0, decoding, spoken)
#define CLUSTER_BARRIER(name, order, decoding)                                                                         \
    ROW(name, SYNC, ALWAYS, READ, NONE, order, NEXT, TURN, NOT, PROBED, LOST, ADDRESS, 0, decoding, "a barrier")
#define FENCE(name)                                                                                                    \
    ROW(name, SYNC, ALWAYS, READ, NONE, FENCE, NEXT, OWN, NOT, PROBED, LOST, ADDRESS, 0, fence, NULL)
#define MATRIX(name, class, first, memory, undefined, decoding)                                                        \
    ROW(name, class, ALWAYS, first, memory, NONE, NEXT, SYNC, NOT, PROBED, LOST, undefined, 0, decoding, NULL)

#define PRODUCT_GROUP(name, order, decoding)                                                                           \
    ROW(name, SYNC, ALWAYS, READ, NONE, order, NEXT, SYNC, NOT, PROBED, LOST, ADDRESS, 0, decoding, NULL)

#define JUMPS(name, first, control, compiling, address, decoding)                                                      \
    ROW(name, CONTROL, ALWAYS, first, NONE, NONE, control, OWN, compiling, NOT_PROBED, address, ADDRESS, 0,             \
        decoding, NULL)
#define STACK(name, first, decoding)                                                                                   \
    ROW(name, OTHER, ALWAYS, first, STACK, NONE, NEXT, OWN, NOT, NOT_PROBED, LOST, ADDRESS, 0, decoding, NULL)
/* Instructions that need no action in the emulator. */
#define HINTS(name, class, order, lanes, probing)                                                                       \
    ROW(name, class, ALWAYS, READ, NONE, order, NEXT, lanes, NOT, probing, LOST, ADDRESS, 0, nothing, NULL)

static const struct instruction rows[] = {
    /* integers and floating point, selected by a type */
    ARITHMETIC("add", LANES, SUM, UPWARD)
    ARITHMETIC("sub", LANES, DIFFERENCE, DIFFERENCE)
    ARITHMETIC("mul", LANES, LOST, WHOLE)
    ARITHMETIC("mul.lo", LANES, LOST, UPWARD)
    ARITHMETIC("mul.hi", NARROW, LOST, WHOLE)
    ARITHMETIC("mad", LANES, PRODUCT_SUM, WHOLE)
    ARITHMETIC("mad.lo", LANES, PRODUCT_SUM, UPWARD)
    ARITHMETIC("mad.hi", NARROW, PRODUCT_SUM, WHOLE)
    ARITHMETIC("div", NARROW, LOST, WHOLE)
    ARITHMETIC("rem", NARROW, LOST, WHOLE)
    ARITHMETIC("abs", LANES, LOST, WHOLE)
    ARITHMETIC("neg", LANES, LOST, WHOLE)
    ARITHMETIC("min", LANES, LOST, WHOLE)
    ARITHMETIC("max", LANES, LOST, WHOLE)
    ARITHMETIC("set", LANES, LOST, WHOLE)
    ARITHMETIC("setp", LANES, LOST, COMPARISON)

    INTEGER("addc", LOST, WHOLE, 0)
    INTEGER("subc", LOST, WHOLE, 0)
    INTEGER("madc", LOST, WHOLE, 0)
    INTEGER("mul24", LOST, WHOLE, 0)
    INTEGER("mad24", LOST, WHOLE, 0)
    INTEGER("sad", LOST, WHOLE, 0)
    INTEGER("dp4a", LOST, WHOLE, 0)
    INTEGER("dp2a", LOST, WHOLE, 0)
    INTEGER("popc", LOST, WHOLE, 0)
    INTEGER("clz", LOST, WHOLE, 0)
    INTEGER("bfind", LOST, WHOLE, 0)
    COMPUTES("fns", INTEGER, ALWAYS, NOT, LOST, WHOLE, 0)
    INTEGER("brev", LOST, WHOLE, 0)
    INTEGER("bfe", LOST, BITS, 2)
    INTEGER("bfi", LOST, BITS, 2)
    INTEGER("szext", LOST, WHOLE, 0)
    INTEGER("bmsk", LOST, WHOLE, 0)
    INTEGER("and", LOST, BITS, 0)
    INTEGER("or", SUM, BITS, 0)
    INTEGER("xor", LOST, XOR, 0)
    INTEGER("not", LOST, NEW_BITS, 0)
    INTEGER("cnot", LOST, WHOLE, 0)
    INTEGER("lop3", LOST, WHOLE, 0)
    INTEGER("lop3.b32", LOST, NEW_BITS, 0)
    INTEGER("shf", LOST, BITS, 1)
    INTEGER("shl", LOST, BITS, 1)
    INTEGER("shr", LOST, BITS, 1)

    FLOAT("fma", PRODUCT_SUM)
    FLOAT("copysign", LOST)
    FLOAT("testp", LOST)
    SPECIAL("div.full")
    SPECIAL("div.approx")
    SPECIAL("rcp")
    SPECIAL("sqrt")
    SPECIAL("rsqrt")
    SPECIAL("sin")
    SPECIAL("cos")
    SPECIAL("lg2")
    SPECIAL("ex2")
    SPECIAL("tanh")
    COMPUTES("cvt", CONVERSION, ALWAYS, LANES, COPIED, CONVERSION, 0)

    VIDEO("vadd")
    VIDEO("vadd2")
    VIDEO("vadd4")
    VIDEO("vsub")
    VIDEO("vsub2")
    VIDEO("vsub4")
    VIDEO("vabsdiff")
    VIDEO("vabsdiff2")
    VIDEO("vabsdiff4")
    VIDEO("vmin")
    VIDEO("vmin2")
    VIDEO("vmin4")
    VIDEO("vmax")
    VIDEO("vmax2")
    VIDEO("vmax4")
    VIDEO("vavrg2")
    VIDEO("vavrg4")
    VIDEO("vshl")
    VIDEO("vshr")
    VIDEO("vmad")
    VIDEO("vset")
    VIDEO("vset2")
    VIDEO("vset4")

    /* registers and addresses */
    ROW("mov", MOVE, ALWAYS, WRITTEN, NONE, NONE, NEXT, OWN, LANES, NOT_PROBED, COPIED, BITS, 0, mov, NULL)
    MOVES("selp", CHOICE, CHOICE, 1)
    MOVES("slct", LOST, BITS, 1)
    MOVES("prmt", LOST, BITS, 1)
    ABOUT_ADDRESS("cvta", MOVE, NOT, COPIED, BITS, cvta)
    ABOUT_ADDRESS("isspacep", MOVE, NOT, LOST, WHOLE, isspacep)
    ABOUT_ADDRESS("istypep", INTEGER, NOT, LOST, ADDRESS, istypep)
    ABOUT_ADDRESS("mapa", MOVE, NOT, LOST, ADDRESS, mapa)
    ABOUT_ADDRESS("getctarank", INTEGER, NOT, LOST, ADDRESS, getctarank)
    ABOUT_ADDRESS("createpolicy", MOVE, NOT, LOST, ADDRESS, cache_policy)

    /* memory */
    ACCESSES("ld", MEMORY, WRITTEN, LOAD, ACCESS, FETCHED, load)
    ACCESSES("ldu", MEMORY, WRITTEN, LOAD, ACCESS, FETCHED, load)
    ACCESSES("st", MEMORY, READ, STORE, ACCESS, LOST, store)
    ACCESSES("st.async", MEMORY, READ, ASYNC_STORE, ACCESS, LOST, store_async)
    ACCESSES("atom", ATOMIC, WRITTEN, ATOMIC, NOT, FETCHED, atomic)
    ACCESSES("red", ATOMIC, READ, ATOMIC, NOT, LOST, atomic)
    ACCESSES("red.async", ATOMIC, READ, ASYNC_ATOMIC, NOT, LOST, reduce_async)
    HINT("prefetch", prefetch)
    HINT("prefetchu", prefetch)
    HINT("applypriority", prefetch)
    HINT("discard", prefetch)
    STACK("alloca", WRITTEN, alloca)
    STACK("stacksave", WRITTEN, stacksave)
    STACK("stackrestore", READ, stackrestore)

    COPIES("cp.async", COPY, copy)
    COPIES("cp.async.bulk", BULK_COPY, bulk_copy)
    COPIES("cp.reduce.async.bulk", BULK_ATOMIC, bulk_reduce)
    COPIES("cp.async.bulk.tensor", BULK_COPY, tensor_copy)
    COPIES("cp.reduce.async.bulk.tensor", BULK_ATOMIC, tensor_reduce)
    HINT("cp.async.bulk.prefetch.L2", nothing)
    HINT("cp.async.bulk.prefetch.tensor", tensor_prefetch)
    ROW("tensormap.replace", MEMORY, ALWAYS, READ, NONE, NONE, NEXT, OWN, NOT, NOT_PROBED, LOST, ADDRESS, 0,
        tensor_replace, NULL)
    ROW("tensormap.cp_fenceproxy", MEMORY, ALWAYS, READ, NONE, NONE, NEXT, SYNC, NOT, PROBED, LOST, ADDRESS, 0,
        tensor_map_copy, NULL)
    COPY_GROUP("cp.async.commit_group", COPY_COMMIT)
    COPY_GROUP("cp.async.wait_group", COPY_WAIT)
    COPY_GROUP("cp.async.wait_all", COPY_WAIT_ALL)
    COPY_GROUP("cp.async.bulk.commit_group", BULK_COMMIT)
    COPY_GROUP("cp.async.bulk.wait_group", BULK_WAIT)
    ROW("cp.async.mbarrier.arrive", MEMORY, ALWAYS, READ, MBARRIER, MBARRIER_COPIES, NEXT, OWN, NOT, PROBED, LOST,
        ADDRESS, 0, copy_arrive, NULL)

    MBARRIER("mbarrier.init", READ, MBARRIER_INIT, PROBED, mbarrier_init)
    MBARRIER("mbarrier.inval", READ, NONE, NOT_PROBED, mbarrier_inval)
    MBARRIER("mbarrier.expect_tx", READ, MBARRIER_ARRIVE, PROBED, mbarrier_expect)
    MBARRIER("mbarrier.complete_tx", READ, MBARRIER_ARRIVE, PROBED, mbarrier_complete)
    MBARRIER("mbarrier.arrive", WRITTEN, MBARRIER_ARRIVE, PROBED, mbarrier_arrive)
    MBARRIER("mbarrier.arrive_drop", WRITTEN, MBARRIER_ARRIVE, PROBED, mbarrier_drop)
    MBARRIER("mbarrier.test_wait", WRITTEN, MBARRIER_WAIT, PROBED, mbarrier_wait)
    MBARRIER("mbarrier.try_wait", WRITTEN, MBARRIER_WAIT, PROBED, mbarrier_wait)
    ROW("mbarrier.pending_count", SYNC, ALWAYS, WRITTEN, NONE, NONE, NEXT, OWN, NOT, NOT_PROBED, LOST, ADDRESS, 0,
        mbarrier_pending, NULL)

    TEXTURE("tex", WRITTEN, TEXTURE, texture)
    TEXTURE("tld4", WRITTEN, TEXTURE, texture_gather)
    TEXTURE("txq", WRITTEN, NONE, texture_query)
    TEXTURE("suld", WRITTEN, SURFACE_LOAD, surface_load)
    TEXTURE("sust", READ, SURFACE_STORE, surface_store)
    TEXTURE("suq", WRITTEN, NONE, surface_query)

    /* threads together */
    EXCHANGES("shfl", FETCHED, "a shuffle")
    EXCHANGES("vote", LOST, "a vote")
    EXCHANGES("match", LOST, NULL)
    EXCHANGES("redux", LOST, NULL)
    ROW("elect", WARP, ALWAYS, WRITTEN, NONE, NONE, NEXT, EXCHANGE, NOT, NOT_PROBED, LOST, WHOLE, 0, form, NULL)
    COMPUTES("activemask", WARP, ALWAYS, NOT, LOST, WHOLE, 0)
    ROW("bar.warp", WARP, ALWAYS, READ, NONE, WARP, NEXT, SYNC, NOT, PROBED, LOST, ADDRESS, 0, warp_barrier,
        "__syncwarp()")
    BARRIER("bar", READ, barrier_aligned, "__syncthreads()")
    BARRIER("bar.red", WRITTEN, barrier_aligned, "__syncthreads()")
    BARRIER("bar.cta.red", WRITTEN, barrier_aligned, "__syncthreads()")
    BARRIER("barrier", READ, barrier, "a barrier")
    BARRIER("barrier.red", WRITTEN, barrier, "a barrier")
    BARRIER("barrier.cta.red", WRITTEN, barrier, "a barrier")
    CLUSTER_BARRIER("barrier.cluster.arrive", CLUSTER_ARRIVE, cluster_arrive)
    CLUSTER_BARRIER("barrier.cluster.wait", CLUSTER_WAIT, cluster_wait)
    FENCE("membar")
    FENCE("fence")
    ROW("nanosleep", SYNC, ALWAYS, READ, NONE, NONE, NEXT, TURN, NOT, NOT_PROBED, LOST, ADDRESS, 0, nanosleep, NULL)

    MATRIX("mma", TENSOR, WRITTEN, NONE, PRODUCT, mma)
    MATRIX("mma.sp", TENSOR, WRITTEN, NONE, PRODUCT, mma_sparse)
    MATRIX("mma.sp::ordered_metadata", TENSOR, WRITTEN, NONE, PRODUCT, mma_sparse)
    MATRIX("wmma.mma", TENSOR, WRITTEN, NONE, PRODUCT, wmma_mma)
    MATRIX("wmma.load", MEMORY, WRITTEN, TILE_LOAD, CHECKED, wmma_load)
    MATRIX("wmma.store", MEMORY, READ, TILE_STORE, STORED, wmma_store)
    MATRIX("ldmatrix", MEMORY, WRITTEN, MATRIX_LOAD, CHECKED, ldmatrix)
    MATRIX("stmatrix", MEMORY, READ, MATRIX_STORE, CHECKED, stmatrix)
    MATRIX("movmatrix", WARP, WRITTEN, NONE, PRODUCT, movmatrix)
    MATRIX("wgmma.mma_async", TENSOR, UPDATED, DESCRIPTORS, PRODUCT, wgmma)
    PRODUCT_GROUP("wgmma.fence", PRODUCT_FENCE, nothing)
    PRODUCT_GROUP("wgmma.commit_group", PRODUCT_COMMIT, wgmma_commit)
    PRODUCT_GROUP("wgmma.wait_group", PRODUCT_WAIT, wgmma_wait)

    /* control */
    JUMPS("bra", READ, BRANCH, BRANCH, LOST, branch)
    JUMPS("brx", READ, TABLE, NOT, LOST, branch_table)
    JUMPS("call", READ, CALL, NOT, FETCHED, call)
    JUMPS("ret", READ, RETURN, NOT, LOST, return)
    JUMPS("exit", READ, EXIT, NOT, LOST, exit)
    JUMPS("trap", READ, TRAP, NOT, LOST, trap)
    JUMPS("brkpt", READ, TRAP, NOT, LOST, trap)
    /* As ncu counts the SASS that ptxas generates for them on an H200: ACQBULK and PREEXIT are control, PMTRIG is
     * miscellaneous. USETMAXREG is an instruction of the uniform datapath, which has no class here. */
    HINTS("griddepcontrol.launch_dependents", CONTROL, NEXT_GRID, OWN, NOT_PROBED)
    HINTS("griddepcontrol.wait", CONTROL, GRIDS, OWN, PROBED)
    HINTS("pmevent", OTHER, NONE, OWN, NOT_PROBED)
    ROW("setmaxnreg", OTHER, ALWAYS, READ, NONE, REGISTERS, NEXT, SYNC, NOT, PROBED, LOST, ADDRESS, 0, max_registers,
        NULL)
};
/* clang-format on */

size_t instruction_count(void) {
    return sizeof rows / sizeof *rows;
}

const struct instruction *instruction_at(size_t i) {
    return &rows[i];
}
