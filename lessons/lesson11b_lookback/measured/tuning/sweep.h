/* sweep.h - the list of kernels that the sweep runs. Each family.cu, compiled with -DFAMILY=..., adds its own. */
#ifndef SCAN_TUNING_SWEEP_H
#define SCAN_TUNING_SWEEP_H

#include <cuda_runtime.h>

#ifndef TYPE
#define TYPE float
#endif

struct candidate {
    const char *family;
    int threads, rows, window, stages, flags; // rows: K
    bool persistent;
    size_t shared;
    void (*kernel)(const TYPE *, TYPE *, long long, unsigned long long *, unsigned *);
};

enum { CANDIDATES_MAX = 512 };

struct candidates {
    int count;
    struct candidate list[CANDIDATES_MAX];
};

static inline void candidates_add(struct candidates *all, struct candidate one) {
    if (all->count < CANDIDATES_MAX) {
        all->list[all->count++] = one;
    }
}

#endif
