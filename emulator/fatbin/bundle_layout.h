/* A bundle's bytes: the header, and then for each text its length in 8 bytes, and the text with its zero. */
#ifndef BUNDLE_LAYOUT_H
#define BUNDLE_LAYOUT_H

#include <stdint.h>

struct bundle_header {
    char magic[8];
    uint64_t bytes, count;
};
#define BUNDLE_MAGIC       "\177PTXset"
#define BUNDLE_MAGIC_BYTES 8 /* with its zero */

#endif
