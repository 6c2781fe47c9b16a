/* Memory of a device and addresses of it, made apart: physical memory lies where it is mapped, at no address, at one,
 * or at several. What is mapped may be accessed by the devices that have been given the right to.
 *
 * Physical memory is a part of one file in memory, and mapping maps that part: two addresses of it are the same
 * bytes. */
#ifndef MAPPING_H
#define MAPPING_H

#include "memory/memory.h"

#define MAPPING_UNIT    ((uint64_t)2 << 20) /* sizes and addresses are multiples of it */
#define MAPPING_DEVICES 16

enum mapping_rights { MAPPING_NO_ACCESS = 0, MAPPING_READ = 1, MAPPING_READ_WRITE = 3 };

/* Exists as long as somebody holds it or maps it. */
struct physical;
struct physical *physical_new(uint64_t size, const void *note,
                              size_t note_bytes); /* held once; NULL: there is no room */
uint64_t physical_size(const struct physical *p);
const void *physical_note(const struct physical *p); /* what it was made with */
void physical_let_go(struct physical *p);
/* Is that the handle of physical memory that somebody holds? */
bool physical_is_held(const void *handle);

/* 0: there is no room. */
uint64_t mapping_reserve(uint64_t size, uint64_t align);
/* False when that was not reserved so, or something is mapped there. */
bool mapping_free(uint64_t base, uint64_t size);

/* Each returns false, and does nothing, where the range is not all in one reservation, or holds a part of a mapping
 * only; the first also where something is mapped, the others where something is not. No kernel may be running that
 * uses it. */
bool mapping_map(uint64_t address, uint64_t size, struct physical *p);
bool mapping_unmap(uint64_t address, uint64_t size);
bool mapping_set_rights(uint64_t address, uint64_t size, int device, enum mapping_rights rights);

/* What a device may do at an address; false: nothing is mapped there. */
bool mapping_find(uint64_t address, int device, enum mapping_rights *rights);
/* What is mapped at an address, which is held once more; NULL: nothing. */
struct physical *mapping_hold(uint64_t address);

/* Why bytes of a reservation cannot be accessed, in a few words; NULL: they can, or it is none. */
const char *mapping_obstacle(const struct allocation *a, uint64_t address, uint64_t bytes, bool write);

#endif
