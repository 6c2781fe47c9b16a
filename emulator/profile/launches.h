/* The launches of this process whose profile is requested (EMULATOR_PROFILE), with the counts of each, line by line. */
#ifndef LAUNCHES_H
#define LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>

#include "check/report_parts.h"
#include "profile/counters.h"
#include "profile/tensor_shapes.h"

struct class_counts {
    uint64_t warps[CLASS_END], threads[CLASS_END];
};

/* A line of the program's source, or all of an inlined library function at the line that calls it. */
struct line_profile {
    const char *file; /* as the compiler was given it; NULL when unknown */
    uint32_t line;
    struct counts counts;
    struct class_counts classes;
    struct tensor_counts tensor;
    struct access_example
        *examples[KINDS_OF_ACCESS]; /* the most expensive access of each kind (enum kind_of_access), or NULL */
    /* the lines from which the function that it is in was called, innermost first: "93, 145"; or empty */
    char called[CALLED_TEXT];
    size_t first_call, calls; /* of a line in an inlined function: its parts by call, in launch_profile.calls */
};

struct launch_profile {
    uint64_t id;        /* of the launch */
    const char *kernel; /* as PTX names it */
    char *name;         /* as the program names it */
    uint32_t grid[3], block[3];
    uint32_t static_shared, dynamic_shared, local_bytes, max_threads;
    struct counts counts;
    struct class_counts classes;
    struct tensor_counts tensor;
    struct line_profile *lines; /* by file and line */
    size_t line_count;
    struct line_profile *calls; /* the same, but a line that is inlined at several places counts at each by itself */
    struct trace *trace;        /* of block 0, when pictures are requested; its steps name lines */
    struct launch_profile *next;
    struct insn_record *records; /* while it runs */
    const struct traits *traits;
};

/* Is a profile requested at all? Is this kernel selected by EMULATOR_PROFILE_KERNEL? */
bool launches_wanted(void);

void launches_add(struct counters *c);
void launches_done(const struct launch *launch);
/* The kernels that were launched and are not selected, by their names, each once, ended by NULL. */
const char *const *launches_unwanted(void);
/* Those that have ended, in the order of their launches; the count of launches that were too many to keep. */
struct launch_profile *launches_all(uint64_t *left_out);

#endif
