/* Memory that is freed all at once: the parts of a parsed module. */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t size); /* zeroed, 16-byte aligned; aborts when there is no memory */
/* The same string always gives the same pointer, so names compare by ==. */
const char *arena_intern(struct arena *arena, const char *text, size_t length);

#endif
