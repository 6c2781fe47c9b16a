/* Expands the patterns of forms.txt: see README.md for the notation. */
#ifndef GRAMMAR_H
#define GRAMMAR_H

#include <stddef.h>

/* One way to write an instruction. Whether it is legal is ptxas's business. */
struct candidate {
    unsigned family; /* index into grammar.families */
    char *text;      /* "add.s32 $t, $t, $t" */
};

struct grammar {
    char **families;
    size_t family_count;
    struct candidate *candidates;
    size_t candidate_count, room;
};

/* Reads and expands the file; ends the program with a message when it cannot. */
void grammar_read(struct grammar *p, const char *path);
void grammar_free(struct grammar *p);

#endif
