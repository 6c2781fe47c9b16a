#include "machine/condition.h"

#include <stdatomic.h>

#define MAX_CONDITIONS 65536

static _Atomic uint32_t values[MAX_CONDITIONS]; /* handle 0 is none */
static _Atomic uint64_t count = 1;

uint64_t condition_new(void) {
    uint64_t handle = atomic_fetch_add(&count, 1);
    return handle < MAX_CONDITIONS ? handle : 0;
}

void condition_set(uint64_t handle, uint32_t value) {
    if (handle && handle < MAX_CONDITIONS)
        atomic_store(&values[handle], value);
}

uint32_t condition_value(uint64_t handle) {
    return handle < MAX_CONDITIONS ? atomic_load(&values[handle]) : 0;
}
