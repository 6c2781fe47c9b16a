/* Machine code for a GPU (a cubin): an ELF file, of which we read everything but the instructions. */
#ifndef MACHINE_CODE_H
#define MACHINE_CODE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct machine_code {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
};

bool machine_code_is(const void *bytes); /* four bytes are enough, or a text's zero */
/* False when it is none. */
bool machine_code_open(const void *bytes, size_t size, struct machine_code *out);
/* Bytes of the whole file, from its header: for callers that have an address alone. */
size_t machine_code_size(const void *bytes);

/* False also of one that has no bytes in the file. */
bool machine_code_section(const struct machine_code *m, unsigned number, Elf64_Shdr *out);
bool machine_code_find(const struct machine_code *m, const char *name, Elf64_Shdr *out);
/* The zero-terminated text at an offset of a section; NULL when it is not whole. */
const char *machine_code_string(const struct machine_code *m, const Elf64_Shdr *strings, uint64_t at);

/* The PTX that it was made of, which compilers store beside it for debuggers (-lineinfo, -G); the caller frees it. NULL
 * when there is none. */
char *machine_code_ptx(const struct machine_code *m);

#endif
