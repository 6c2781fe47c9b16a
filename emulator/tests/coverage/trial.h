/* A form executed: a kernel that fills registers and memory, executes the form once, and shows what is there then. The
 * kernel and its input are made from the form's text and nothing else, on a GPU and on the emulator alike. */
#ifndef TRIAL_H
#define TRIAL_H

#include <stddef.h>
#include <stdint.h>

#include "statement.h"

#define TRIAL_THREADS      64 /* at most */
#define TRIAL_INPUT_BYTES  (STATEMENT_SLOTS * 8 * TRIAL_THREADS)
#define TRIAL_BUFFER       4096 /* bytes of the global and of the shared buffer, and of all threads' local ones */
#define TRIAL_OUTPUT_BYTES (TRIAL_INPUT_BYTES + 3 * TRIAL_BUFFER)
#define TRIAL_TEXT         65536

/* The kernel's parameters, as it declares them. */
struct trial_parameters {
    uint8_t pin[64];
    uint64_t texture, input, output;
};

struct trial {
    const char *form;
    unsigned threads; /* of the block: one warp, or two for barriers */
    struct statement_registers used;
};

struct trial trial_of(const char *form);

/* What a module with trials begins with, and a trial's kernel. Returns the length. */
size_t trial_write_header(char *out, size_t room);
size_t trial_write(struct trial *trial, const char *name, char *out, size_t room);

/* The same for all: TRIAL_INPUT_BYTES, and the parameter pin. */
void trial_fill_input(uint8_t *input);
void trial_fill_parameter(uint8_t pin[64]);

/* What the trial left in its output, as one number; the output was all zeros before. */
uint32_t trial_hash(const struct trial *trial, const uint8_t *output);

/* A number for a kernel's text: results recorded for another text say nothing about this one. */
uint32_t trial_fingerprint(const struct trial *trial);

#endif
