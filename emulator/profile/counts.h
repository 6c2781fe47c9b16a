/* The counts, by instruction, by source line and by launch: arrays with the same numbers in the same places, so that
 * adding one to another is adding arrays. Names are Nsight Compute's (ncu) wherever it counts the same thing. */
#ifndef COUNTS_H
#define COUNTS_H

#include <stdint.h>

#include "isa/class.h"

/* Five counts for each kind of memory access: global, local, shared. Sectors are 32 bytes; a request is one instruction
 * of one warp. BYTES: requested by all threads; USED: distinct bytes among them. */
#define GLOBAL_KIND(X, NAME, kind, label)                                                                              \
    X(NAME##_REQUESTS, MEMORY, "l1tex__t_requests_pipe_lsu_mem_" kind ".sum", "request", label " Requests")            \
    X(NAME##_SECTORS, MEMORY, "l1tex__t_sectors_pipe_lsu_mem_" kind ".sum", "sector", label " Sectors")                \
    X(NAME##_IDEAL, MEMORY, "emulator__sectors_ideal_mem_" kind ".sum", "sector", label " Sectors, Ideal")             \
    X(NAME##_BYTES, MEMORY, "emulator__bytes_mem_" kind ".sum", "byte", label " Bytes Requested")                      \
    X(NAME##_USED, MEMORY, "emulator__bytes_distinct_mem_" kind ".sum", "byte", label " Distinct Bytes")
#define SHARED_KIND(X, NAME, kind, label)                                                                              \
    X(NAME##_REQUESTS, MEMORY, "smsp__inst_executed_op_shared_" kind "_pred_on_any.sum", "inst", label " Requests")    \
    X(NAME##_WAVEFRONTS, MEMORY, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_" kind ".sum", "",                     \
      label " Wavefronts")                                                                                             \
    X(NAME##_CONFLICTS, MEMORY, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_" kind ".sum", "",                  \
      label " Bank Conflicts")                                                                                         \
    X(NAME##_IDEAL, MEMORY, "emulator__wavefronts_ideal_mem_shared_op_" kind ".sum", "", label " Wavefronts, Ideal")   \
    X(NAME##_BYTES, MEMORY, "emulator__bytes_mem_shared_op_" kind ".sum", "byte", label " Bytes Requested")

/* A line: name, section, ncu's name, unit, label. */
#define COUNTS(X)                                                                                                      \
    X(INST, INSTRUCTIONS, "smsp__inst_executed.sum", "inst", "Executed Instructions")                                  \
    X(THREAD_INST, INSTRUCTIONS, "smsp__thread_inst_executed_pred_on.sum", "inst", "Executed Thread Instructions")     \
    GLOBAL_KIND(X, GLOBAL_LOAD, "global_op_ld", "Global Load")                                                         \
    GLOBAL_KIND(X, GLOBAL_STORE, "global_op_st", "Global Store")                                                       \
    GLOBAL_KIND(X, GLOBAL_ATOM, "global_op_atom", "Global Atomic")                                                     \
    GLOBAL_KIND(X, GLOBAL_RED, "global_op_red", "Global Reduction")                                                    \
    GLOBAL_KIND(X, LOCAL_LOAD, "local_op_ld", "Local Load")                                                            \
    GLOBAL_KIND(X, LOCAL_STORE, "local_op_st", "Local Store")                                                          \
    SHARED_KIND(X, SHARED_LOAD, "ld", "Shared Load")                                                                   \
    SHARED_KIND(X, SHARED_STORE, "st", "Shared Store")                                                                 \
    SHARED_KIND(X, SHARED_ATOM, "atom", "Shared Atomic")                                                               \
    X(GLOBAL_CONTENTION, MEMORY, "emulator__atomic_contention_mem_global.sum", "thread",                               \
      "Global Atomics, Threads at the Busiest Address")                                                                \
    X(SHARED_CONTENTION, MEMORY, "emulator__atomic_contention_mem_shared.sum", "thread",                               \
      "Shared Atomics, Threads at the Busiest Address")                                                                \
    X(LINES_FIRST, MEMORY, "emulator__lines_first_mem_global_op_ld.sum", "line",                                       \
      "128-byte Lines Loaded, First Time in the Block")                                                                \
    X(LINES_AGAIN_WARP, MEMORY, "emulator__lines_again_warp_mem_global_op_ld.sum", "line",                             \
      "128-byte Lines Loaded, Again by the Same Warp")                                                                 \
    X(LINES_AGAIN_BLOCK, MEMORY, "emulator__lines_again_block_mem_global_op_ld.sum", "line",                           \
      "128-byte Lines Loaded, Again by Another Warp of the Block")                                                     \
    X(BULK_COPIES, MEMORY, "emulator__bulk_copies.sum", "", "Bulk Copies")                                             \
    X(BULK_BYTES, MEMORY, "emulator__bulk_bytes.sum", "byte", "Bulk Copies, Bytes")                                    \
    X(BULK_LOADED, MEMORY, "emulator__bulk_bytes_mem_global_op_ld.sum", "byte",                                        \
      "Bulk Copies, Bytes from Global Memory")                                                                         \
    X(BULK_STORED, MEMORY, "emulator__bulk_bytes_mem_global_op_st.sum", "byte", "Bulk Copies, Bytes to Global Memory") \
    X(BULK_PLACES, MEMORY, "emulator__bulk_lines_distinct_mem_shared_op_st.sum", "line",                               \
      "128-byte Lines of Shared Memory That Bulk Copies Fill, Once for Each Block")                                    \
    X(BULK_AHEAD, MEMORY, "emulator__bulk_bytes_ahead.sum", "byte",                                                    \
      "Bulk Copies, Bytes Copied Beyond Each KiB That Is Waited For")                                                  \
    X(BULK_LOADS, MEMORY, "emulator__bulk_copies_op_ld.sum", "", "Bulk Copies from Global to Shared Memory")           \
    X(BULK_FILLED, MEMORY, "emulator__bulk_bytes_mem_shared_op_st.sum", "byte",                                        \
      "Bulk Copies from Global Memory, Bytes Written to Shared Memory, in All Blocks Together")                        \
    X(BULK_STORES, MEMORY, "emulator__bulk_copies_op_st.sum", "", "Bulk Copies from Shared to Global Memory")          \
    X(BULK_REDUCTIONS, MEMORY, "emulator__bulk_copies_op_red.sum", "", "Bulk Reductions in Global Memory")             \
    X(BULK_REDUCED, MEMORY, "emulator__bulk_bytes_mem_global_op_red.sum", "byte",                                      \
      "Bulk Copies, Bytes Reduced in Global Memory (Part of Those to Global Memory)")                                  \
    X(BULK_BETWEEN, MEMORY, "emulator__bulk_copies_shared_to_shared.sum", "",                                          \
      "Bulk Copies and Reductions from Shared to Shared Memory")                                                       \
    X(BULK_BETWEEN_BYTES, MEMORY, "emulator__bulk_bytes_shared_to_shared.sum", "byte",                                 \
      "Bulk Copies and Reductions from Shared to Shared Memory, Bytes")                                                \
    X(MULTICASTS, MEMORY, "emulator__bulk_multicasts.sum", "", "Bulk Copies by Multicast")                             \
    X(MULTICAST_READ, MEMORY, "emulator__bulk_multicast_bytes_mem_global_op_ld.sum", "byte",                           \
      "Bulk Copies by Multicast, Bytes Read Once from Global Memory")                                                  \
    X(MULTICAST_FILLED, MEMORY, "emulator__bulk_multicast_bytes_mem_shared_op_st.sum", "byte",                         \
      "Bulk Copies by Multicast, Bytes Delivered to All Blocks Together")                                              \
    X(COPIES, MEMORY, "smsp__inst_executed_op_ldgsts.sum", "inst", "Asynchronous Copies to Shared Memory")             \
    X(COPY_WAVEFRONTS, MEMORY, "emulator__wavefronts_mem_shared_op_ldgsts.sum", "",                                    \
      "Asynchronous Copies, Wavefronts That Write Shared Memory")                                                      \
    X(COPY_COMMITS, MEMORY, "emulator__commits_op_ldgsts.sum", "inst", "Asynchronous Copies, Groups Committed")        \
    X(COPY_WAITS, MEMORY, "emulator__waits_op_ldgsts.sum", "inst", "Asynchronous Copies, Waits for Groups")            \
    X(COPY_GROUPS_LEFT, MEMORY, "emulator__groups_left_op_ldgsts.sum", "",                                             \
      "Asynchronous Copies, Groups Not Waited For, of All Waits")                                                      \
    X(PRODUCT_WAVEFRONTS, MEMORY, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_gmma.sum", "",                        \
      "Shared Wavefronts of wgmma")                                                                                    \
    X(TEXTURE, MEMORY, "smsp__inst_executed_op_texture.sum", "inst", "Texture Instructions")                           \
    X(SURFACE, MEMORY, "emulator__inst_executed_op_surface.sum", "inst", "Surface Instructions")                       \
    X(TEXTURE_REQUESTS, MEMORY, "l1tex__t_requests_pipe_tex_mem_texture.sum", "request", "Texture Requests")           \
    X(TEXTURE_SECTORS, MEMORY, "l1tex__t_sectors_pipe_tex_mem_texture.sum", "sector", "Texture Sectors")               \
    X(SURFACE_LOAD_REQUESTS, MEMORY, "l1tex__t_requests_pipe_tex_mem_surface_op_ld.sum", "request",                    \
      "Surface Load Requests")                                                                                         \
    X(SURFACE_LOAD_SECTORS, MEMORY, "l1tex__t_sectors_pipe_tex_mem_surface_op_ld.sum", "sector",                       \
      "Surface Load Sectors")                                                                                          \
    X(SURFACE_STORE_REQUESTS, MEMORY, "l1tex__t_requests_pipe_tex_mem_surface_op_st.sum", "request",                   \
      "Surface Store Requests")                                                                                        \
    X(SURFACE_STORE_SECTORS, MEMORY, "l1tex__t_sectors_pipe_tex_mem_surface_op_st.sum", "sector",                      \
      "Surface Store Sectors")                                                                                         \
    X(TEXTURE_UNKNOWN, MEMORY, "emulator__texture_requests_sectors_unknown.sum", "request",                            \
      "Texture Requests Whose Sectors Are Not Known")                                                                  \
    X(BRANCHES, SOURCE, "emulator__branches_conditional.sum", "", "Conditional Branch Instructions")                   \
    X(DIVERGENT, SOURCE, "smsp__sass_branch_targets_threads_divergent.sum", "", "Divergent Branches")                  \
    X(BARRIERS, SYNC, "emulator__barrier_arrivals.sum", "warp", "Warps Arriving at Block Barriers")                    \
    X(BARRIERS_OF_GROUP, SYNC, "emulator__barrier_arrivals_of_group.sum", "warp",                                      \
      "Warps Arriving at Barriers That Say They Are for a Warp Group, 128 Threads, or Fewer")                          \
    X(BARRIER_OPENINGS, SYNC, "emulator__barrier_openings.sum", "", "Openings of Block Barriers")                      \
    X(BARRIER_WAIT, SYNC, "emulator__barrier_wait.sum", "inst",                                                        \
      "Instructions of the Last Warp That Others Waited For")                                                          \
    X(LOADS_TOGETHER, MEMORY, "emulator__loads_together_mem_global_op_ld.sum", "request",                              \
      "Global Loads, Each Counted with Those in Flight Beside It")                                                     \
    X(POLLS, MEMORY, "emulator__polls_mem_global_op_ld.sum", "request",                                                \
      "Global Loads That Poll (volatile, relaxed, acquire)")                                                           \
    X(POLL_SECTORS, MEMORY, "emulator__poll_sectors_mem_global_op_ld.sum", "sector", "Sectors of Those Loads")         \
    X(FLOAT_OPERATIONS, INSTRUCTIONS, "emulator__floating_point_operations.sum", "flop",                               \
      "fp32 and fp64 Operations (fma: 2)")                                                                             \
    X(TENSOR, INSTRUCTIONS, "emulator__tensor_products.sum", "",                                                       \
      "Products on Tensor Cores: mma and wmma by Warps, wgmma by Warpgroups")

enum count {
#define COUNT(name, section, ncu, unit, label) COUNT_##name,
    COUNTS(COUNT)
#undef COUNT
        COUNT_END
};

/* The kinds of access to memory, in the order of their counts. */
enum kind_of_access {
    KIND_GLOBAL_LOAD,
    KIND_GLOBAL_STORE,
    KIND_GLOBAL_ATOM,
    KIND_GLOBAL_RED,
    KIND_LOCAL_LOAD,
    KIND_LOCAL_STORE,
    KIND_SHARED_LOAD,
    KIND_SHARED_STORE,
    KIND_SHARED_ATOM,
    KINDS_OF_ACCESS
};
#define COUNTS_PER_KIND 5

struct counts {
    uint64_t n[COUNT_END];
};

/* The five counts of one kind of access. Units are sectors, or wavefronts. */
struct access_counts {
    uint64_t requests, units, ideal, conflicts, bytes, used;
};

static inline struct access_counts counts_of_kind(const struct counts *c, enum kind_of_access kind) {
    const uint64_t *n = &c->n[COUNT_GLOBAL_LOAD_REQUESTS + COUNTS_PER_KIND * kind];
    if (kind < KIND_SHARED_LOAD)
        return (struct access_counts){n[0], n[1], n[2], 0, n[3], n[4]};
    return (struct access_counts){n[0], n[1], n[3], n[2], n[4], 0};
}

#endif
