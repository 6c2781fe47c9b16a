/* The arrays that a grader has named (emulatorWatchArrays): whose memory is at an address, and what the host passed to
 * the device besides them. */
#ifndef ARRAYS_H
#define ARRAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    ARRAYS_MAX = 16,
    ARRAY_ELSEWHERE = ARRAYS_MAX, /* other memory of a device */
    ARRAY_OF_HOST,                /* other memory that the host can store to */
    ARRAYS_END
};

/* Addresses from `from` to before `to`, which belong to one array. Zeros: none. */
struct array_part {
    uint64_t from, to;
    uint8_t array;
    bool input, output;
};

struct emulatorArray;
struct emulatorArrayCounters;
struct emulatorHostBytes;
struct launch;

bool arrays_watched(void);
/* The largest part known around an address. Any thread, while a launch runs. */
struct array_part arrays_find(uint64_t address);

/* A row of a copy is done; from 0: the host's own memory, and to 0 likewise. A fill's row. */
void arrays_copied(uint64_t to, uint64_t from, uint64_t bytes);
void arrays_filled(uint64_t bytes);

/* At the end of a launch's part on one worker: adds to the counts that emulatorArraysCounted returns. */
void arrays_add(const struct emulatorArrayCounters *counters); /* ARRAYS_END of them */
/* A launch has loaded this many bytes that the host can have written. */
void arrays_read_there(uint64_t bytes);
void arrays_launched(const struct launch *l);

/* What emulator.h offers. */
void arrays_watch(const struct emulatorArray *arrays, size_t count);
size_t arrays_counted(struct emulatorArrayCounters *out, size_t most);
void arrays_host_bytes(struct emulatorHostBytes *out, size_t size);

#endif
