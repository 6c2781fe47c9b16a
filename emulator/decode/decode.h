/* Decoding a kernel: shared by the decode_*.c files. */
#ifndef DECODE_H
#define DECODE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/code.h"
#include "decode/module.h"
#include "machine/access.h"
#include "base/arena.h"
#include "isa/instruction.h"
#include "ptx/opcode.h"
#include "ptx/ptx.h"

/* A branch whose label is not yet known. */
struct patch {
    uint32_t insn;
    const char *label;
    uint32_t *where; /* an entry of a branch table, or NULL: the instruction itself */
};

struct label {
    const char *name;
    uint32_t insn;
};

struct decoder {
    struct kernel *kernel;
    struct ptx_module *ptx; /* the first of those that are linked together */
    struct arena *arena;
    struct insn *insns; /* growing; becomes kernel->code */
    const struct ptx_insn **sources;
    uint32_t count, capacity;
    const struct ptx_insn *at; /* being decoded */
    struct function *function;
    struct function **functions; /* all that the kernel reaches, itself first */
    uint32_t function_count;
    struct patch *patches;
    size_t patch_count, patch_capacity;
    struct label *labels; /* of the current function */
    size_t label_count, label_capacity;
    struct frame_constant *constants;
    size_t constant_count, constant_capacity;
    uint32_t frame_bytes;
    uint32_t trash_predicate;
    uint32_t trash_slot; /* results that are never read: to '_' */
    uint32_t access_count;
    uint8_t folded; /* instructions folded away since the last one emitted */
    char *error;
    size_t error_size;
    jmp_buf failed;
};

/* Ends decoding with a message that names the instruction and its line. */
_Noreturn void decode_fail(struct decoder *d, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Space in the frame, 64-byte aligned for vectors. */
#define TRASH_PREDICATE 0           /* slot of the predicate that is never read: p|_ and the like */
#define MAX_FRAME       (64u << 20) /* bytes of a warp's registers */
uint32_t decode_frame(struct decoder *d, uint32_t bytes, uint32_t align);
uint32_t decode_trash(struct decoder *d); /* a slot of any width that is never read */
uint32_t decode_constant(struct decoder *d, unsigned bits, uint64_t value);

/* Appends an instruction; the pointer is valid until the next one. */
struct insn *decode_emit(struct decoder *d, handler_fn handler);
/* The last emitted instruction (or an entry of its table) branches to this label. */
void decode_patch(struct decoder *d, const char *label, uint32_t *where);

/* The slot of an operand read as `bits` wide (1, 16, 32, 64, 128): a register, a constant, or a temporary filled
 * first. */
uint32_t decode_source(struct decoder *d, const struct ptx_operand *o, unsigned bits);
/* The slot of a destination; a wider register gets its value from an instruction that decode_destination_done emits. */
uint32_t decode_destination(struct decoder *d, const struct ptx_operand *o, unsigned bits);
void decode_destination_done(struct decoder *d, const struct ptx_operand *o, unsigned bits, uint32_t slot,
                             bool is_signed);
/* The bits of a floating-point constant, as wide as that. */
uint64_t decode_float_bits(const struct ptx_operand *o, unsigned bits);
/* Value of an integer immediate; fails on anything else. */
int64_t decode_immediate(struct decoder *d, const struct ptx_operand *o);
/* The slot of a special register that is constant in a launch, ~0 if it is not one of those. */
uint32_t decode_fixed_special(struct decoder *d, const char *name);
/* The address of a symbol in its space. */
uint64_t decode_symbol(struct decoder *d, const struct ptx_operand *o);
/* Ends decoding: this "function" or "variable" is not defined. */
_Noreturn void decode_undefined(struct decoder *d, const char *what, const char *name);

/* Fills the address part of an access; returns the constant part of the address. */
int64_t decode_address(struct decoder *d, const struct ptx_operand *o, struct access *a);
/* Accesses of .shared::cluster, whose address may refer to another block, are generic ones here: this is added to their
 * address. */
int64_t decode_cluster_window(const char *opcode);

/* One for each DECODING: false when it does not have the form that this function decodes; then the tables of forms are
 * searched. */
#define DECODING(name) bool decode_##name(struct decoder *d, const struct ptx_insn *p);
DECODINGS(DECODING)
#undef DECODING

#endif
