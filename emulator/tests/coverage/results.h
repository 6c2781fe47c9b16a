/* The file of recorded results: for each form that was executed on an H200 the kernel's fingerprint and a hash of what it
 * left. */
#ifndef RESULTS_H
#define RESULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct result {
    uint32_t fingerprint, hash;
};

struct results {
    struct result *items; /* by fingerprint */
    size_t count;
};

struct results results_read(const char *path); /* ends the program when it cannot */
void results_write(struct results *r, const char *path);
const struct result *results_find(const struct results *r, uint32_t fingerprint);

/* A file with a pattern of the shell's kind per line, for forms; lines that begin with # are comments. */
struct form_patterns {
    struct form_pattern {
        char *text;
        bool used;
    } items[200];
    size_t count;
};
struct form_patterns form_patterns_read(const char *path);
bool form_patterns_match(struct form_patterns *p, const char *form);

#endif
