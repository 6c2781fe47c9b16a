/* Names for the memory at an address: "tile[37]". */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "check/arguments.h"
#include "base/text.h"
#include "decode/module.h"
#include "memory/memory.h"

/* The shared variable of a kernel at an offset, or NULL. */
const struct ptx_variable *symbol_shared(const struct kernel *kernel, uint64_t offset);
/* The last of those that end at or before an offset, or NULL. */
const struct ptx_variable *symbol_shared_before(const struct kernel *kernel, uint64_t offset);
/* Adds "tile[1][5]" where the declaration is in the file, otherwise "tile[37]"; where the offset is in no variable,
 * "byte 148 of shared memory". Where the bytes of the access are pieces, and no element: "tile + 148 bytes". */
void symbol_put_shared(struct text *t, const struct kernel *kernel, const char *file, uint64_t offset, uint32_t bytes,
                       bool pieces);
/* Bytes from row to row of a shared array, by its declaration in the kernel's file; 0: it has no rows, or is not
 * found. */
uint64_t symbol_row_bytes(const struct kernel *kernel, const struct ptx_variable *v);
/* Adds "tile". */
void symbol_put_variable(struct text *t, const struct ptx_variable *v);
/* "tile" of a mangled name. */
void symbol_copy_name(const char *mangled, char *out, size_t size);
/* Adds "counter[3]" for a variable, "x[5] (argument 2, 400 bytes)" for what an argument of the kernel points to,
 * "element 5 of the allocation at 0x..." for other memory. */
void symbol_put_global(struct text *t, const struct allocation *a, uint64_t address, uint32_t bytes,
                       const struct pointer_argument *arg);

#endif
