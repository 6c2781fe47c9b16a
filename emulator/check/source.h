/* The student's own source: its path as one would type it, and its lines. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The path relative to the current directory where the file is below it, otherwise the path itself. The answer points
 * into `path`. */
const char *source_short_path(const char *path);

/* Copies line number `line` of the file, without the white space around it, of which `indent` characters stood before
 * it; false when it cannot be read. */
bool source_line(const char *path, uint32_t line, char *out, size_t size, uint32_t *indent);

/* The lines of a program have the column where a statement begins, not that of each access in it. The column of the
 * access to what is called `name` (NULL: not known), counted from 1 in a line without its indentation; 0 where it
 * could be one of several. */
uint32_t source_access_column(const char *line, const char *name, bool write, uint32_t column);

#endif
