#include "ptx/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

static bool starts_word(char c) {
    return isalpha((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

static char peek(const struct lexer *x, size_t ahead) {
    return (size_t)(x->end - x->at) > ahead ? x->at[ahead] : '\0';
}

static void skip_block_comment(struct lexer *x) {
    x->at += 2;
    while (x->at < x->end && !(x->at[0] == '*' && peek(x, 1) == '/')) {
        x->line += *x->at == '\n';
        x->at++;
    }
    x->at += x->at < x->end ? 2 : 0;
}

static void skip_space(struct lexer *x) {
    while (x->at < x->end) {
        char c = *x->at;
        if (c == '\n') {
            x->line++;
            x->at++;
        } else if (isspace((unsigned char)c)) {
            x->at++;
        } else if (c == '/' && peek(x, 1) == '/') {
            while (x->at < x->end && *x->at != '\n')
                x->at++;
        } else if (c == '/' && peek(x, 1) == '*') {
            skip_block_comment(x);
        } else {
            return;
        }
    }
}

static void word(struct lexer *x, struct token *t) {
    t->kind = TOKEN_WORD;
    x->at++;
    while (x->at < x->end && is_word(*x->at))
        x->at++;
    /* %tid.x, and the .b0 .. .h1 selectors of video instructions: a word may have one dotted part */
    if (*t->text == '%' && peek(x, 0) == '.' && starts_word(peek(x, 1))) {
        x->at++;
        while (x->at < x->end && is_word(*x->at))
            x->at++;
    }
    t->length = (size_t)(x->at - t->text);
}

static int digit(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

static uint64_t digits(struct lexer *x, int base) {
    uint64_t value = 0;
    for (; x->at < x->end && digit(*x->at) < base; x->at++)
        value = value * (unsigned)base + (unsigned)digit(*x->at);
    return value;
}

static bool is_decimal_float(const struct lexer *x) {
    const char *p = x->at;
    while (p < x->end && isdigit((unsigned char)*p))
        p++;
    if (p + 1 < x->end && *p == '.' && p > x->at && (p[1] == 'e' || p[1] == 'E'))
        return true;
    return p < x->end &&
           ((*p == '.' && p + 1 < x->end && isdigit((unsigned char)p[1])) ||
            ((*p == 'e' || *p == 'E') && p + 1 < x->end && (isdigit((unsigned char)p[1]) || p[1] == '-')));
}

static void decimal_float(struct lexer *x, struct token *t) {
    char buffer[64];
    size_t n = 0;
    while (x->at < x->end && n < sizeof buffer - 1 &&
           (isalnum((unsigned char)*x->at) || *x->at == '.' ||
            ((*x->at == '-' || *x->at == '+') && n && (buffer[n - 1] == 'e' || buffer[n - 1] == 'E'))))
        buffer[n++] = *x->at++;
    buffer[n] = '\0';
    double value = strtod(buffer, NULL);
    t->kind = TOKEN_FLOAT;
    t->float_bits = 64;
    memcpy(&t->value, &value, sizeof value);
}

static void number(struct lexer *x, struct token *t) {
    char second = peek(x, 1);
    t->kind = TOKEN_INTEGER;
    if (*x->at == '0' && (second == 'f' || second == 'F' || second == 'd' || second == 'D')) {
        x->at += 2;
        t->kind = TOKEN_FLOAT;
        t->float_bits = second == 'f' || second == 'F' ? 32 : 64;
        t->value = (int64_t)digits(x, 16);
    } else if (*x->at == '0' && (second == 'x' || second == 'X')) {
        x->at += 2;
        t->value = (int64_t)digits(x, 16);
    } else if (*x->at == '0' && (second == 'b' || second == 'B')) {
        x->at += 2;
        t->value = (int64_t)digits(x, 2);
    } else if (is_decimal_float(x)) {
        decimal_float(x, t);
    } else {
        t->value = (int64_t)digits(x, *x->at == '0' && isdigit((unsigned char)second) ? 8 : 10);
    }
    if (t->kind == TOKEN_INTEGER && peek(x, 0) == 'U')
        x->at++;
    t->length = (size_t)(x->at - t->text);
}

static void string(struct lexer *x, struct token *t) {
    t->text = ++x->at;
    while (x->at < x->end && *x->at != '"' && *x->at != '\n')
        x->at++;
    t->length = (size_t)(x->at - t->text);
    t->kind = peek(x, 0) == '"' ? TOKEN_STRING : TOKEN_BAD;
    x->at += t->kind == TOKEN_STRING;
}

struct token lexer_next(struct lexer *x) {
    skip_space(x);
    struct token t = {.kind = TOKEN_END, .text = x->at, .line = x->line};
    if (x->at >= x->end)
        return t;
    char c = *x->at;
    if (starts_word(c)) {
        word(x, &t);
    } else if (c == '.' && starts_word(peek(x, 1))) {
        x->at++;
        while (x->at < x->end && is_word(*x->at))
            x->at++;
        t.kind = TOKEN_DIRECTIVE;
        t.length = (size_t)(x->at - t.text);
    } else if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)peek(x, 1)))) {
        number(x, &t);
    } else if (c == '"') {
        string(x, &t);
    } else {
        x->at++;
        t.kind = c ? TOKEN_PUNCT : TOKEN_BAD;
        t.punct = c;
        t.length = 1;
    }
    return t;
}

struct token lexer_opcode(struct lexer *x, struct token word) {
    while (x->at < x->end && (is_word(*x->at) || *x->at == '.' || (*x->at == ':' && peek(x, 1) == ':'))) {
        x->at += *x->at == ':' ? 2 : 1;
    }
    word.kind = TOKEN_OPCODE;
    word.length = (size_t)(x->at - word.text);
    return word;
}

bool lexer_skip_braces(struct lexer *x) {
    for (int depth = 1; depth > 0;) {
        struct token t = lexer_next(x);
        if (t.kind == TOKEN_END)
            return false;
        if (t.kind == TOKEN_PUNCT)
            depth += t.punct == '{' ? 1 : t.punct == '}' ? -1 : 0;
    }
    return true;
}
