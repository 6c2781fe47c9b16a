/* Address ranges reserved from the host, and their bytes. Used by allocations.c and mapping.c only. */
#ifndef SPACE_H
#define SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct space_range {
    uint64_t start, end;
};

/* Reserves the ranges once; false when the host has none. */
bool space_reserve(void);

/* Device addresses: never accessible to the host. Empty until space_reserve. Async-signal-safe. */
struct space_range space_device(void);
/* Addresses of managed and pinned memory, which the host uses as they are. Async-signal-safe. */
struct space_range space_shared(void);

/* Both of them and the backing between them. */
struct space_range space_all(void);

/* The host address of the bytes of a device address. */
uint8_t *space_backing(uint64_t address);

/* Makes the bytes of [address, address + size) of the device range usable, filled with `fill`. False: no memory. */
bool space_device_open(uint64_t address, size_t size, uint8_t fill);
/* Returns the whole pages of [start, end) of the device range to the host. */
void space_device_discard(uint64_t start, uint64_t end);

/* Maps whole pages of a file at the bytes of a device address, shared by all mappings of them; and unmaps them. */
bool space_device_map(uint64_t address, size_t size, int file, uint64_t offset);
void space_device_unmap(uint64_t address, size_t size);

/* Opens and closes whole pages of the shared range; closed pages fault when the host touches them. */
bool space_shared_open(uint64_t address, size_t size, uint8_t fill);
void space_shared_close(uint64_t address, size_t size);

size_t space_page(void); /* bytes of a page */

/* The memory of the machine or container that this process may use, in bytes. */
size_t space_machine_memory(void);

#endif
