/* jobs.h - a file of jobs: for each function of an exercise a call that the grader makes, to be repeated outside of a grading; and a second
 * call if the first has sizes that are multiples of warps and blocks, to find faults at the edge.
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
    uint32_t entry_bytes; /* sizeof(struct shown_job), different after every change of the protocol */
    uint32_t count;
    char devices[WORD_MAX]; /* EMULATOR_DEVICES as set by the grader; "" if it is not set */
};

struct shown_job {
    char name[WORD_MAX];
    char prototype[400];
    char array_name[ARRAYS_MAX][WORD_MAX];
    uint32_t number;  /* of the function, from 1 */
    uint32_t at_edge; /* made only when looking for faults */
    uint32_t times;   /* number of calls in a row */
    uint32_t padding;
    struct job job;
};

#endif
