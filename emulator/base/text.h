/* Builds a message in a buffer of fixed size, using only functions that a signal handler may call. */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>

struct text {
    size_t length;
    char bytes[6000];
};

void text_string(struct text *t, const char *s);
void text_piece(struct text *t, const char *s, size_t n); /* n bytes of s */
void text_number(struct text *t, uint64_t n);
void text_grouped(struct text *t, uint64_t n); /* 4,096, as compute-sanitizer writes sizes */
void text_hex(struct text *t, uint64_t n);     /* with 0x */
/* %s string, %u unsigned, %i int, %l uint64_t, %g the same grouped, %x uint64_t in hex with 0x, %% */
void text_format(struct text *t, const char *format, ...);
/* Writes the text to stderr in one piece where the system allows it. */
void text_send(const struct text *t);

#endif
