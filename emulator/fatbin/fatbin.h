/* A fat binary: the images of device code that nvcc puts into an executable, of which we use the PTX. */
#ifndef FATBIN_H
#define FATBIN_H

#include <stdbool.h>
#include <stddef.h>

#define FATBIN_MAGIC 0xba55ed50u /* its first four bytes */

/* The argument of __cudaRegisterFatBinary. */
#define FATBIN_WRAPPER_MAGIC  0x466243b1u
#define FATBIN_WRAPPER_LINKED 2 /* version: made by the device linker */
struct fatbin_wrapper {
    unsigned magic, version;
    const void *data;
    const void *extra; /* a file name, or the fat binaries that were linked into this one */
};

struct fatbin_image {
    char *text; /* PTX, zero-terminated; the caller frees it */
    size_t length;
    unsigned arch; /* 75 for compute_75 */
};

enum fatbin_result {
    FATBIN_OK,
    FATBIN_NO_IMAGE, /* well-formed, but holds no PTX for the compute capability of the device or a lower one */
    FATBIN_BROKEN,   /* damaged, or compressed in a way that is not supported here */
};

/* Finds and unpacks the best PTX for the compute capability of the device: the highest architecture up to that one, and
 * 90a before 90. `available` bytes may be read at `data`. Unless FATBIN_OK, `error` holds one line that states why and
 * what to do, about a `place` as fatbin/place.h has them. */
enum fatbin_result fatbin_unpack(const void *data, size_t available, const char *place, struct fatbin_image *image,
                                 char *error, size_t error_size);

/* Bytes of the fat binary that begins here; 0: there is none, or it does not end within `available`. */
size_t fatbin_size(const void *data, size_t available);

/* Calls visit for each image of machine code, an ELF file without the zeros at its end. */
typedef void (*fatbin_visit)(const void *elf, size_t size, unsigned arch);
void fatbin_each_machine_code(const void *data, size_t available, fatbin_visit visit);

/* Bytes that may be read from `address` on: to the end of the segment of the executable or library that contains it; 0
 * when none does. */
size_t fatbin_mapped_bytes(const void *address);

#endif
