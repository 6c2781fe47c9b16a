/* The source line of a host instruction, where its file was compiled with -g. */
#ifndef HOST_LINE_H
#define HOST_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An executable or shared library in memory, as it is in its file. */
struct host_object {
    const uint8_t *bytes;
    size_t size;
};

/* The section of that name; NULL when there is none, or it is compressed. */
const uint8_t *host_object_section(const struct host_object *o, const char *name, size_t *size);

/* From the DWARF line tables (versions 2 to 5), for an address relative to the file. False where they have no such
 * line. */
bool host_line_find(const struct host_object *o, uint64_t address, char *file, size_t file_size, uint32_t *line);

#endif
