/* sweep.h - a list of candidates for the sweep of lesson 09; part.cu fills it, sweep.cu verifies and times it. */
#ifndef SWEEP_H
#define SWEEP_H

#include "../../../../common/check.h"

#include "kernels.cuh"

struct candidate {
    char name[96];
    void (*kernel)(const unsigned char *, size_t, unsigned *, unsigned *);
    int threads, blocks, shared, merge; /* blocks: for each multiprocessor */
    bool counts;
};

enum { CANDIDATES = 2000 };
extern struct candidate candidates[CANDIDATES];
extern int candidate_count;

void fill_0(void);
void fill_1(void);
void fill_2(void);
void fill_3(void);
void fill_4(void);
void fill_5(void);

template <class WAY, int THREADS, int BLOCKS, int LOADS, int AHEAD, int PART, int HOW, int RUN, int MERGE>
static void enter(const char *way) {
    struct candidate *c = &candidates[candidate_count++];
    snprintf(c->name, sizeof c->name, "%-16s t%-4d b%-2d L%d ahead%d part%d ld%d run%d merge%d", way, THREADS, BLOCKS,
             LOADS, AHEAD, PART, HOW, RUN, MERGE);
    c->kernel = read_and_count<WAY, THREADS, BLOCKS, LOADS, AHEAD, PART, HOW, RUN, MERGE>;
    c->threads = THREADS;
    c->blocks = BLOCKS;
    c->shared = WAY::bytes;
    c->merge = MERGE;
    c->counts = WAY::counts;
}

#endif
