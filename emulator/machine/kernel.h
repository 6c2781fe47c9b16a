/* A kernel: its parameters, its resources, and once it is prepared its code. decode/ makes it, the machine runs it. */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include "machine/insn.h"
#include "ptx/ptx.h"

struct module;
struct tier;

struct kernel_param {
    uint32_t offset, size, align; /* bytes */
};

/* Special registers that do not change while a launch uses a frame. */
enum frame_special {
    FRAME_TID_X,
    FRAME_TID_Y,
    FRAME_TID_Z,
    FRAME_NTID_X,
    FRAME_NTID_Y,
    FRAME_NTID_Z,
    FRAME_NCTAID_X,
    FRAME_NCTAID_Y,
    FRAME_NCTAID_Z,
    FRAME_LANEID,
    FRAME_LANEMASK_EQ,
    FRAME_LANEMASK_LT,
    FRAME_LANEMASK_LE,
    FRAME_LANEMASK_GT,
    FRAME_LANEMASK_GE,
    FRAME_NWARPID,
    FRAME_NSMID,
    FRAME_DYNAMIC_SHARED,
    FRAME_TOTAL_SHARED,
    FRAME_GRID_WORKSPACE_HIGH,
    FRAME_GRID_WORKSPACE_LOW,
    FRAME_AGGREGATE_SHARED,
    FRAME_CLUSTER_NCTAID_X,
    FRAME_CLUSTER_NCTAID_Y,
    FRAME_CLUSTER_NCTAID_Z,
    FRAME_CLUSTER_NCTARANK,
    FRAME_NCLUSTERID_X,
    FRAME_NCLUSTERID_Y,
    FRAME_NCLUSTERID_Z,
};
#define FRAME_SPECIAL   2 /* frame_constant.bits of those: value is the enum frame_special */
#define FRAME_PARAM_32  3 /* of a kernel's parameter: value is its offset */
#define FRAME_PARAM_64  4
#define FRAME_SHARED_32 5 /* an address of the block's own shared memory: value is its offset there */
#define FRAME_SHARED_64 6

/* A constant vector in the frame, filled once per frame. */
struct frame_constant {
    uint32_t slot;
    uint8_t bits; /* 1, 16, 32, 64, 128 (zero-extended), or FRAME_SPECIAL, FRAME_PARAM_* */
    uint64_t value;
};

/* Decoded code of a function or kernel. */
struct code {
    struct insn *insns;
    const struct ptx_insn **sources; /* by insn.index: what it was decoded from */
    uint32_t count;
};

struct kernel {
    const char *name;
    struct module *module;
    const struct ptx_function *ptx;
    const struct ptx_module *linked; /* the first of the modules it was linked from: it has the names of sources */
    struct kernel_param *params;
    uint32_t param_count, param_bytes;
    uint32_t constant_bytes;             /* of all constant variables that its module has */
    uint32_t static_shared, local_bytes; /* local: of the kernel itself and of the calls below it, where known */
    uint32_t max_threads;                /* by .maxntid, or 1024 */
    uint32_t max_dynamic_shared;         /* set by cudaFuncSetAttribute; 48 KiB - static at first */
    struct kernel_preferences {          /* also set by it; they change nothing here */
        int carveout, large_clusters, cluster_policy;
        uint32_t cluster[3]; /* blocks of a cluster where the kernel was compiled for none */
    } preferences;
    /* Filled by kernel_prepare, at the first launch. */
    bool prepared;
    bool calls;                /* it calls functions that are not inlined */
    bool recursive;            /* some function it reaches may call itself */
    bool reads_clock;          /* %clock, %clock64 */
    bool has_stack;            /* its use of the stack is only known at run time: recursion, alloca */
    uint32_t stack_least;      /* bytes of local memory of the functions below it, each once */
    uint32_t entry_local;      /* bytes of local memory of the kernel itself, after which its callees' begin */
    uint32_t reserved_shared;  /* bytes at its beginning that are the system's: LIMIT_SHARED_RESERVED or 0 */
    uint32_t dynamic_start;    /* where extern __shared__ arrays begin */
    bool has_dynamic_shared;   /* its module declares such an array, whether or not the kernel uses it */
    struct tier *tier;         /* its compiled form, when there is one: machine/compiled.h */
    struct tier *counted_tier; /* and the one that counts what it executes */
    char *error;               /* why it cannot run: an unsupported instruction, with its line */
    struct code code;
    uint32_t frame_bytes;
    struct frame_constant *constants;
    uint32_t constant_count;
    uint32_t access_count; /* memory instructions: access.slot < access_count */
    struct traits *traits; /* profile/traits.h: made when first counted */
    struct probes *probes; /* check/probes.h: made when first checked */
};

/* "file.cu" and the line of an instruction; line 0 where unknown. The file is as the compiler was given it. */
struct source_position {
    const char *file;
    uint32_t line, column;                 /* column: 0 where unknown */
    const char *function;                  /* inlined function it is in, or NULL */
    const struct ptx_location *inlined_at; /* callers, or NULL */
};
struct source_position insn_position(const struct kernel *kernel, const struct insn *in);
const char *kernel_file_name(const struct kernel *kernel, uint32_t file);

#endif
