/* zstd and LZ4 through the system's libraries, found at run time so that building needs neither. */
#ifndef DECOMPRESS_H
#define DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>

/* Could these bytes unpack to this many? Checked before memory is allocated for them: the number may be damaged. */
bool decompress_zstd_plausible(const void *in, size_t in_size, size_t out_size);
bool decompress_lz4_plausible(size_t in_size, size_t out_size);

/* Each writes exactly `out_size` bytes, or returns false with one line in error. */
bool decompress_zstd(const void *in, size_t in_size, void *out, size_t out_size, char *error, size_t error_size);
bool decompress_lz4(const void *in, size_t in_size, void *out, size_t out_size, char *error, size_t error_size);

#endif
