/* Memory of a device and its addresses, created separately: physical memory is mapped at no address, at one, or at
 * several. Mapped memory may be accessed by the devices that have been granted access.
 *
 * Physical memory is a part of one file in memory, and mapping maps that part: two addresses of it are the same
 * bytes. */
#ifndef MAPPING_H
#define MAPPING_H

#include "memory/memory.h"

#define MAPPING_UNIT    ((uint64_t)2 << 20) /* sizes and addresses are multiples of it */
#define MAPPING_DEVICES 16

enum mapping_rights { MAPPING_NO_ACCESS = 0, MAPPING_READ = 1, MAPPING_READ_WRITE = 3 };

/* Exists as long as it is held or mapped. */
struct physical;
struct physical *physical_new(uint64_t size, const void *note,
                              size_t note_bytes); /* held once; NULL: there is no room */
uint64_t physical_size(const struct physical *p);
const void *physical_note(const struct physical *p); /* the properties it was created with */
void physical_let_go(struct physical *p);
/* Is that the handle of physical memory that is held? */
bool physical_is_held(const void *handle);

/* 0: there is no room. */
uint64_t mapping_reserve(uint64_t size, uint64_t align);
/* False when it was not reserved with this range, or something is mapped there. */
bool mapping_free(uint64_t base, uint64_t size);

/* Each returns false, and does nothing, where the range is not entirely in one reservation, or holds a part of a
 * mapping only; the first also where something is mapped, the others where something is not. No kernel may be running
 * that uses it. */
bool mapping_map(uint64_t address, uint64_t size, struct physical *p);
bool mapping_unmap(uint64_t address, uint64_t size);
bool mapping_set_rights(uint64_t address, uint64_t size, int device, enum mapping_rights rights);

/* The access rights of a device at an address; false: nothing is mapped there. */
bool mapping_find(uint64_t address, int device, enum mapping_rights *rights);
/* The memory that is mapped at an address, which gains one holder; NULL: none. */
struct physical *mapping_hold(uint64_t address);

/* Why bytes of a reservation cannot be accessed, in a few words; NULL: they can, or it is no reservation. */
const char *mapping_obstacle(const struct allocation *a, uint64_t address, uint64_t bytes, bool write);

#endif
