/* Constant expressions, where PTX takes a number. */
#ifndef CONSTANT_H
#define CONSTANT_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/lexer.h"

struct constant {
    uint64_t value;     /* of a float the bits */
    uint8_t float_bits; /* 0: an integer; 32: written as 0f...; 64 */
    bool is_unsigned;
};

/* Reads the longest expression that begins at *token, as in C but with PTX's types: integers of 64 bits, signed unless
 * they have a U or need the sign's bit; doubles. Leaves the first token after it in *token. Returns NULL, or what is
 * wrong with the token that is then in *token. */
const char *constant_read(struct lexer *lexer, struct token *token, struct constant *out);

/* Can an expression begin with this? Names, except WARP_SZ, are not part of one. */
bool constant_begins(const struct token *token);

#endif
