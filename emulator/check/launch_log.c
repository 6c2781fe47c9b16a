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
static struct notes {
    uint64_t id;
    struct launch_loads loads;
} * notes; /* of the same launches */
static size_t count, capacity;

static bool make_room(void) {
    if (count < capacity)
        return true;
    size_t wanted = capacity ? 2 * capacity : 64;
    struct emulatorLaunch *larger = realloc(log, wanted * sizeof *log);
    if (!larger)
        return false;
    log = larger;
    struct notes *more = realloc(notes, wanted * sizeof *more);
    if (!more)
        return false;
    notes = more;
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
    notes[count] = (struct notes){.id = l->id};
    struct emulatorLaunch *e = &log[count++];
    *e = (struct emulatorLaunch){.kernel = plain_name(l->kernel->name),
                                 .symbol = strdup(l->kernel->name),
                                 .static_shared = l->kernel->static_shared,
                                 .dynamic_shared = c->dynamic_shared,
                                 .stream = c->stream,
                                 .cooperative = c->cooperative,
                                 .device = c->device,
                                 .parameter_bytes = l->kernel->param_bytes};
    memcpy(e->grid, c->grid, sizeof e->grid);
    memcpy(e->block, c->block, sizeof e->block);
    e->threads = (uint64_t)c->grid[0] * c->grid[1] * c->grid[2] * c->block[0] * c->block[1] * c->block[2];
    pthread_mutex_unlock(&lock);
}

void launch_log_load(struct loaded_of_host to[HOST_PARTS], uint64_t from, uint64_t bytes) {
    int i = 0;
    while (i < HOST_PARTS - 1 && to[i].bytes && to[i].from != from)
        i++;
    if (!to[i].bytes)
        to[i].from = from;
    to[i].bytes += bytes;
}

/* From the end, since callers look up the newest ones. */
static size_t find_logged(uint64_t id) {
    size_t i = count;
    while (i && notes[i - 1].id != id)
        i--;
    return i;
}

void launch_log_count(uint64_t id, const struct launch_counts *c) {
    pthread_mutex_lock(&lock);
    size_t found = find_logged(id);
    if (found) {
        struct emulatorLaunch *e = &log[found - 1];
        for (int i = 0; i < HOST_PARTS && c->loaded[i].bytes; i++)
            launch_log_load(notes[found - 1].loads.loaded, c->loaded[i].from, c->loaded[i].bytes);
        e->warp_instructions += c->warp_instructions;
        e->input_threads += c->threads[REACH_INPUT];
        e->input_blocks += c->blocks[REACH_INPUT];
        e->input_bytes += c->bytes[REACH_INPUT];
        e->output_threads += c->threads[REACH_OUTPUT];
        e->output_blocks += c->blocks[REACH_OUTPUT];
        e->output_bytes += c->bytes[REACH_OUTPUT];
        if (c->most_bytes[REACH_INPUT] > e->most_input_bytes)
            e->most_input_bytes = c->most_bytes[REACH_INPUT];
        if (c->most_bytes[REACH_OUTPUT] > e->most_output_bytes)
            e->most_output_bytes = c->most_bytes[REACH_OUTPUT];
    }
    pthread_mutex_unlock(&lock);
}

struct launch_loads launch_log_loads(uint64_t id) {
    pthread_mutex_lock(&lock);
    size_t found = find_logged(id);
    struct launch_loads loads = found ? notes[found - 1].loads : (struct launch_loads){{{0, 0}}};
    pthread_mutex_unlock(&lock);
    return loads;
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
