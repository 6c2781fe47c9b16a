/* Splits PTX text into tokens. */
#ifndef LEXER_H
#define LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,      /* name, %name, $name; %tid.x keeps its dot */
    TOKEN_DIRECTIVE, /* .name, with the dot; also a separate modifier */
    TOKEN_OPCODE,    /* name with modifiers: read by lexer_opcode only */
    TOKEN_INTEGER,   /* value */
    TOKEN_FLOAT,     /* value holds the bits, float_bits 32 or 64 */
    TOKEN_STRING,    /* without its quotes */
    TOKEN_PUNCT,     /* one character: punct */
    TOKEN_BAD,
};

struct token {
    enum token_kind kind;
    const char *text;
    size_t length;
    int64_t value;
    uint8_t float_bits;
    char punct;
    uint32_t line;
};

struct lexer {
    const char *at, *end;
    uint32_t line;
};

struct token lexer_next(struct lexer *lexer);
/* At the start of a statement, with the first word already read: takes the modifiers that follow it. */
struct token lexer_opcode(struct lexer *lexer, struct token word);
/* Skips a balanced { ... }, whose '{' has been read. False at the end of the text. */
bool lexer_skip_braces(struct lexer *lexer);

#endif
