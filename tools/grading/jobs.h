/* jobs.h - a file of jobs: for each function of an exercise a call that the grader makes, to be made again outside of a grading; and a second
 * one where the first has sizes that fit warps and blocks, for those who look for mistakes at the edge.
 *
 *     struct jobs_head, then for each job: struct shown_job, then the content of each array that is `given`
 *
 * The judge writes it (show.cpp), call_exercise.cpp reads it. */
#ifndef TOOLS_GRADING_JOBS_H
#define TOOLS_GRADING_JOBS_H

#include "tools/grading/protocol.h"

#define JOBS_MAGIC "jobs 1\n"

struct jobs_head {
    char magic[8];
    uint32_t entry_bytes; /* sizeof(struct shown_job), which every change of the protocol changes */
    uint32_t count;
    char devices[WORD_MAX]; /* EMULATOR_DEVICES, as the grader has set it; "" where it has not */
};

struct shown_job {
    char name[WORD_MAX];
    char prototype[400];
    char array_name[ARRAYS_MAX][WORD_MAX];
    uint32_t number;  /* of the function, from 1 */
    uint32_t at_edge; /* only for those who look for mistakes */
    uint32_t times;   /* it is called in a row */
    uint32_t padding;
    struct job job;
};

#endif
