/* The functions of emulator.h by which a program learns who runs its kernels. (The counters are in profile/.) */
#include "api/api.h"

#include <pthread.h>
#include <stdio.h>

#include "api/queue.h"
#include "api/synchronize.h"
#include "check/report.h"
#include "core/grid.h"

#pragma GCC visibility push(default)
#include "emulator.h"
#pragma GCC visibility pop

/* The widest vectors that this build uses: they are chosen when the emulator is compiled. */
#if defined(__AVX512F__)
#define VECTORS ", AVX-512"
#elif defined(__AVX2__)
#define VECTORS ", AVX2"
#else
#define VECTORS ""
#endif

static char name[64];

static void make_name(void) {
    int threads = grid_threads();
    snprintf(name, sizeof name, "emulator, %d CPU thread%s" VECTORS, threads, threads == 1 ? "" : "s");
}

const char *emulatorName(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_name);
    return name;
}

const char *emulatorVersion(void) {
    return EMULATOR_VERSION;
}

const char *emulatorVerdict(void) {
    return report_verdict();
}

void synchronize_all(void) {
    for (int d = 0; d < MAX_DEVICES; d++)
        queue_wait_device(d);
}
