/* Memory for a fuzzed module's variables, in place of the emulator's own (by the linker's --wrap): that one keeps freed
 * allocations for its messages and would grow without end, and only malloc's is watched by ASan byte by byte. */
#include <stdlib.h>
#include <string.h>

#include "memory/memory.h"

#define LARGEST ((size_t)16 << 20)
#define PLACES  4096 /* bytes of addresses between two allocations; nothing follows them here */

static struct allocation *live[4096];
static size_t count;

struct allocation *__wrap_memory_allocate(size_t size, size_t align, enum memory_kind kind, int device,
                                          const char *name);
enum memory_free_result __wrap_memory_free(uint64_t base);
const struct allocation *__wrap_memory_find(uint64_t address);

struct allocation *__wrap_memory_allocate(size_t size, size_t align, enum memory_kind kind, int device,
                                          const char *name) {
    (void)align;
    if (size > LARGEST || count == sizeof live / sizeof *live)
        return NULL;
    struct allocation *a = calloc(1, sizeof *a);
    uint8_t *host = malloc(size ? size : 1);
    if (!a || !host)
        abort();
    memset(host, 0, size);
    *a = (struct allocation){.size = size, .limit = size, .host = host, .kind = kind, .device = device, .name = name};
    a->base = ((uint64_t)1 << 40) + PLACES * count;
    return live[count++] = a;
}

/* A module frees all or nothing, so places are used again only when none is taken. */
enum memory_free_result __wrap_memory_free(uint64_t base) {
    for (size_t i = 0; i < count; i++)
        if (live[i] && live[i]->base == base) {
            free(live[i]->host);
            free(live[i]);
            live[i] = NULL;
            while (count && !live[count - 1])
                count--;
            return MEMORY_FREED;
        }
    return MEMORY_NOT_A_BASE;
}

const struct allocation *__wrap_memory_find(uint64_t address) {
    for (size_t i = 0; i < count; i++)
        if (live[i] && live[i]->base == address)
            return live[i];
    return NULL;
}
