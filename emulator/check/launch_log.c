/* Keeps the names and sizes of launches, and the order in which they began. */
#include "check/launch_log.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/out_of_memory.h"
#include "emulator.h"
#include "machine/grid.h"

#define NAME_SIZE 600

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct emulatorLaunch *log;
static size_t count, capacity;

static bool make_room(void) {
    if (count < capacity)
        return true;
    size_t wanted = capacity ? 2 * capacity : 64;
    struct emulatorLaunch *larger = realloc(log, wanted * sizeof *log);
    if (!larger)
        return false;
    log = larger;
    capacity = wanted;
    return true;
}

static char *plain_name(const char *symbol) {
    char name[NAME_SIZE];
    return strdup(demangle(symbol, name, sizeof name));
}

void launch_log_add(const struct launch *l) {
    const struct launch_config *c = &l->config;
    pthread_mutex_lock(&lock);
    if (!make_room())
        out_of_memory();
    struct emulatorLaunch *e = &log[count++];
    *e = (struct emulatorLaunch){.kernel = plain_name(l->kernel->name),
                                 .symbol = strdup(l->kernel->name),
                                 .static_shared = l->kernel->static_shared,
                                 .dynamic_shared = c->dynamic_shared,
                                 .stream = c->stream,
                                 .cooperative = c->cooperative};
    memcpy(e->grid, c->grid, sizeof e->grid);
    memcpy(e->block, c->block, sizeof e->block);
    e->threads = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2] * c->block[0] * c->block[1] * c->block[2];
    pthread_mutex_unlock(&lock);
}

void launch_log_clear(void) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++) {
        free((char *)(uintptr_t)log[i].kernel);
        free((char *)(uintptr_t)log[i].symbol);
    }
    count = 0;
    pthread_mutex_unlock(&lock);
}

size_t launch_log_read(struct emulatorLaunch *out, size_t most) {
    pthread_mutex_lock(&lock);
    size_t n = count < most ? count : most, all = count;
    if (n)
        memcpy(out, log, n * sizeof *log);
    pthread_mutex_unlock(&lock);
    return all;
}
