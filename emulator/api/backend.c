/* The functions of emulator.h: what runs the kernels, and what graders query about them. All functions that count or
 * record wait for the device first. */
#include "api/api.h"

#include <pthread.h>
#include <stdio.h>

#pragma GCC visibility push(default)
#include "emulator.h"
#pragma GCC visibility pop

#include "api/queue.h"
#include "check/arrays.h"
#include "check/authors.h"
#include "check/launch_log.h"
#include "check/report.h"
#include "machine/grid.h"
#include "profile/counters.h"
#include "profile/host_calls.h"

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

static void synchronize_all(void) {
    for (int d = 0; d < MAX_DEVICES; d++)
        queue_rest_device(d); /* a race stays one, even if the counters are read meanwhile */
}

void emulatorCountersStart(void) {
    synchronize_all();
    counters_start();
}

void emulatorCountersStop(struct emulatorCounters *out, size_t size) {
    synchronize_all();
    counters_stop(out, size);
}

void emulatorAuthorsStart(void) {
    synchronize_all();
    authors_start();
}

void emulatorMixBlocks(int on) {
    synchronize_all();
    grid_mix(on != 0);
}

size_t emulatorNotByKernels(const void *p, size_t bytes) {
    synchronize_all();
    return authors_not_by_kernels((uint64_t)(uintptr_t)p, bytes);
}

const char *emulatorAuthor(const void *p) {
    synchronize_all();
    return authors_name((uint64_t)(uintptr_t)p);
}

size_t emulatorLaunches(struct emulatorLaunch *out, size_t most) {
    synchronize_all();
    return launch_log_read(out, most);
}

void emulatorWatchArrays(const struct emulatorArray *arrays, size_t count) {
    arrays_watch(arrays, count);
}

size_t emulatorArraysCounted(struct emulatorArrayCounters *out, size_t most) {
    synchronize_all();
    return arrays_counted(out, most);
}

void emulatorHostBytes(struct emulatorHostBytes *out, size_t size) {
    synchronize_all();
    arrays_host_bytes(out, size);
}

uint64_t emulatorHostWaits(void) {
    return host_calls_since_start(HOST_WAIT);
}
