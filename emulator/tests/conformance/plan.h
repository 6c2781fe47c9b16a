/* What is tested about one instruction form: its operands, the values they get, and the kernel that executes it.
 *
 * A test is made from a line of forms.txt, "name operands", and nothing else, so that the recorder (on a GPU) and the
 * checker (on the emulator) make the same kernel and the same inputs without storing them. */
#ifndef PLAN_H
#define PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CASES         512 /* threads, each with its own inputs */
#define INPUT_SLOTS   8   /* 64-bit words of input per case */
#define OUTPUT_SLOTS  4   /* 64-bit words of output per case */
#define BLOCK_THREADS 128
#define PLAN_OPERANDS 8

enum value_kind {
    VALUE_PRED,
    VALUE_F16,
    VALUE_BF16,
    VALUE_F16X2,
    VALUE_BF16X2,
    VALUE_F32,
    VALUE_F64,
    VALUE_INT16,
    VALUE_INT32,
    VALUE_INT64,
    VALUE_INT128,
    VALUE_SHIFT, /* a shift amount: around the widths, and huge */
    VALUE_FIELD, /* a position or length of bfe and bfi: 0 to 255, undefined beyond */
    VALUE_LANES, /* a membermask: all lanes */
};

struct plan_operand {
    char letter; /* as in struct form: p h w l q P W i; b: a register of 8 bits, which no recorded form has */
    enum value_kind kind;
    bool output;
    uint8_t slot; /* first 64-bit word in the case's input or output */
};

enum carry { CARRY_NONE, CARRY_ADD, CARRY_SUBTRACT };

/* The same instruction written differently, with a result that follows from the plain one. Zero for the recorded kernels. */
struct variant {
    bool predicated;     /* executed by some lanes only; the others keep what is in the destination */
    int aliased_operand; /* the destination is also this source; 0: no */
    int literal_operand; /* this source is a literal; 0: none */
    uint64_t literal;    /* its bits */
};
#define VARIANT_PREDICATE_MASK                                                                                         \
    11 /* a predicated instruction is executed by threads whose number has none of these bits */
#define VARIANT_KEPT 0xcafe5eed7e57ed0eu /* what a destination holds before */

struct plan {
    struct variant variant;
    char name[96];     /* "add.rn.ftz.f32" */
    char operands[16]; /* "www" */
    int64_t immediate; /* value of the operand 'i' */
    bool has_immediate;
    int count;
    struct plan_operand operand[PLAN_OPERANDS];
    enum carry carry_in, carry_out; /* of add.cc, addc and their kind */
    uint8_t carry_in_slot, carry_out_slot;
    int input_slots, output_slots;
};

/* Makes the plans of a form: one, or one per immediate value. Returns how many (at most `room`); 0 for a form that does
 * not compute registers from registers (memory, control) and is tested elsewhere. */
size_t plan_form(const char *name, const char *operands, struct plan *plans, size_t room);

/* Reads forms.txt and plans every form in it. The caller frees the result. NULL with a message on stderr. */
struct plan *plan_read(const char *path, size_t *count);

/* Bytes that an output of this letter takes in a case of a vector file; 0 for a predicate, which takes a bit. */
unsigned plan_output_bytes(char letter);

/* The inputs of all cases: CASES * INPUT_SLOTS words. */
void plan_inputs(const struct plan *plan, uint64_t *inputs);

/* Writes the kernel to out (room bytes); returns its length. */
size_t plan_kernel(const struct plan *plan, const char *kernel_name, char *out, size_t room);
extern const char plan_module_header[];

/* A label for messages and the vector file: the form and its operands, and the immediate. */
void plan_label(const struct plan *plan, char *out, size_t room);

/* Identifies kernel and inputs, so that results recorded for others are not mistaken for these. */
uint32_t plan_fingerprint(const struct plan *plan);

#endif
