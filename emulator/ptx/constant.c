#include "ptx/constant.h"

#include <string.h>

#include "ptx/ptx.h"

#define MAX_DEPTH 64

struct reader {
    struct lexer *lexer;
    struct token *token;
    int depth;
    const char *error;
};

static struct constant conditional(struct reader *r);

static void advance(struct reader *r) {
    *r->token = lexer_next(r->lexer);
}

static struct constant wrong(struct reader *r, const char *error) {
    if (!r->error)
        r->error = error;
    return (struct constant){0};
}

static bool is_punct(const struct token *t, char c) {
    return t->kind == TOKEN_PUNCT && t->punct == c;
}

static bool is_warp_size(const struct token *t) {
    return t->kind == TOKEN_WORD && t->length == 7 && memcmp(t->text, "WARP_SZ", 7) == 0;
}

bool constant_begins(const struct token *t) {
    return t->kind == TOKEN_INTEGER || t->kind == TOKEN_FLOAT || is_warp_size(t) ||
           (t->kind == TOKEN_PUNCT && t->punct && strchr("-+~!(", t->punct));
}

/* ---- values ---- */

static double as_double(struct constant c) {
    double wide;
    float narrow;
    if (!c.float_bits)
        return c.is_unsigned ? (double)c.value : (double)(int64_t)c.value;
    if (c.float_bits == 32) {
        memcpy(&narrow, &c.value, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, &c.value, sizeof wide);
    return wide;
}

static struct constant from_double(double x) {
    struct constant c = {.float_bits = 64};
    memcpy(&c.value, &x, sizeof x);
    return c;
}

static struct constant from_bool(bool x) {
    return (struct constant){.value = x};
}

static bool truth(struct constant c) {
    return c.float_bits ? as_double(c) != 0 : c.value != 0;
}

/* ---- the parts of an expression, from the inside ---- */

static struct constant literal(struct reader *r) {
    struct token t = *r->token;
    struct constant c = {.value = (uint64_t)t.value, .float_bits = t.kind == TOKEN_FLOAT ? t.float_bits : 0};
    if (is_warp_size(&t))
        c.value = 32;
    else if (t.kind != TOKEN_INTEGER && t.kind != TOKEN_FLOAT)
        return wrong(r, "is not a constant");
    else if (!c.float_bits)
        c.is_unsigned = t.value < 0 || (t.length && (t.text[t.length - 1] | 32) == 'u');
    advance(r);
    return c;
}

/* (.s64) or (.u64), whose '(' has been read */
static struct constant unary(struct reader *r);
static struct constant cast(struct reader *r) {
    enum ptx_type type = ptx_type_by_name(r->token->text + 1, r->token->length - 1);
    if (type != TYPE_S64 && type != TYPE_U64)
        return wrong(r, "is not a type to which a constant can be converted");
    advance(r);
    if (!is_punct(r->token, ')'))
        return wrong(r, "appears where a ')' is expected");
    advance(r);
    struct constant c = unary(r);
    if (c.float_bits)
        return wrong(r, "follows a conversion that is not supported");
    c.is_unsigned = type == TYPE_U64;
    return c;
}

static struct constant parenthesized(struct reader *r) {
    advance(r);
    if (r->token->kind == TOKEN_DIRECTIVE)
        return cast(r);
    struct constant c = conditional(r);
    if (!r->error && !is_punct(r->token, ')'))
        return wrong(r, "appears where a ')' is expected");
    if (!r->error)
        advance(r);
    return c;
}

static struct constant negative(struct constant c) {
    if (c.float_bits)
        c.value ^= (uint64_t)1 << (c.float_bits - 1);
    else
        c.value = 0 - c.value;
    return c;
}

static struct constant unary(struct reader *r) {
    if (++r->depth > MAX_DEPTH)
        return wrong(r, "is nested too deep");
    struct constant c;
    char sign = r->token->kind == TOKEN_PUNCT ? r->token->punct : '\0';
    if (sign == '(') {
        c = parenthesized(r);
    } else if (sign && strchr("-+~!", sign)) {
        advance(r);
        c = unary(r);
        if (sign == '-')
            c = negative(c);
        else if (sign == '!')
            c = from_bool(!truth(c));
        else if (sign == '~')
            c.value = ~c.value;
    } else {
        c = literal(r);
    }
    r->depth--;
    return c;
}

enum operator_kind { NONE, MUL, DIV, REM, ADD, SUB, SHL, SHR, LT, LE, GT, GE, EQ, NE, AND, XOR, OR, LAND, LOR };

static const struct {
    char text[3];
    uint8_t kind, strength;
} operators[] = {{"<<", SHL, 8},  {">>", SHR, 8}, {"<=", LE, 7},  {">=", GE, 7},  {"==", EQ, 6},  {"!=", NE, 6},
                 {"&&", LAND, 2}, {"||", LOR, 1}, {"*", MUL, 10}, {"/", DIV, 10}, {"%", REM, 10}, {"+", ADD, 9},
                 {"-", SUB, 9},   {"<", LT, 7},   {">", GT, 7},   {"&", AND, 5},  {"^", XOR, 4},  {"|", OR, 3}};

/* The binary operator at the token; its entry in the table, or -1. */
static int find_operator(const struct reader *r) {
    const struct token *t = r->token;
    bool remainder = t->kind == TOKEN_WORD && t->length == 1 && *t->text == '%'; /* it may begin a name */
    if (t->kind != TOKEN_PUNCT && !remainder)
        return -1;
    char punct = remainder ? '%' : t->punct;
    char next = r->lexer->at < r->lexer->end ? *r->lexer->at : '\0';
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (punct == operators[i].text[0] && (!operators[i].text[1] || operators[i].text[1] == next))
            return (int)i;
    return -1;
}

static struct constant apply_float(struct reader *r, int kind, double a, double b) {
    switch (kind) {
    case MUL:
        return from_double(a * b);
    case DIV:
        return from_double(a / b);
    case ADD:
        return from_double(a + b);
    case SUB:
        return from_double(a - b);
    case LT:
        return from_bool(a < b);
    case LE:
        return from_bool(a <= b);
    case GT:
        return from_bool(a > b);
    case GE:
        return from_bool(a >= b);
    case EQ:
        return from_bool(a == b);
    case NE:
        return from_bool(a != b);
    default:
        return wrong(r, "follows floating-point numbers with an integer operator");
    }
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned, bool remainder) {
    if (is_unsigned)
        return remainder ? a % b : a / b;
    if (b == ~(uint64_t)0) /* -1: the quotient may not fit */
        return remainder ? 0 : 0 - a;
    return (uint64_t)(remainder ? (int64_t)a % (int64_t)b : (int64_t)a / (int64_t)b);
}

static uint64_t shift_right(uint64_t a, uint64_t b, bool is_unsigned) {
    b = b > 63 ? 63 : b;
    return is_unsigned ? a >> b : (uint64_t)((int64_t)a >> b);
}

static int order(uint64_t a, uint64_t b, bool is_unsigned) {
    if (a == b)
        return 0;
    return (is_unsigned ? a < b : (int64_t)a < (int64_t)b) ? -1 : 1;
}

static struct constant apply_integer(struct reader *r, int kind, struct constant x, struct constant y) {
    uint64_t a = x.value, b = y.value;
    bool u = x.is_unsigned || y.is_unsigned;
    struct constant c = {.is_unsigned = u};
    switch (kind) {
    case MUL:
        c.value = a * b;
        return c;
    case DIV:
    case REM:
        if (!b)
            return wrong(r, "follows a division by zero");
        c.value = divide(a, b, u, kind == REM);
        return c;
    case ADD:
        c.value = a + b;
        return c;
    case SUB:
        c.value = a - b;
        return c;
    case SHL:
        c.is_unsigned = x.is_unsigned;
        c.value = b > 63 ? 0 : a << b;
        return c;
    case SHR:
        c.is_unsigned = x.is_unsigned;
        c.value = shift_right(a, b, x.is_unsigned);
        return c;
    case AND:
        c.value = a & b;
        return c;
    case XOR:
        c.value = a ^ b;
        return c;
    case OR:
        c.value = a | b;
        return c;
    case LT:
        return from_bool(order(a, b, u) < 0);
    case LE:
        return from_bool(order(a, b, u) <= 0);
    case GT:
        return from_bool(order(a, b, u) > 0);
    case GE:
        return from_bool(order(a, b, u) >= 0);
    case EQ:
        return from_bool(a == b);
    default:
        return from_bool(a != b);
    }
}

static struct constant apply(struct reader *r, int kind, struct constant a, struct constant b) {
    if (kind == LAND)
        return from_bool(truth(a) && truth(b));
    if (kind == LOR)
        return from_bool(truth(a) || truth(b));
    if (a.float_bits || b.float_bits)
        return apply_float(r, kind, as_double(a), as_double(b));
    return apply_integer(r, kind, a, b);
}

/* Operators that bind more strongly than `above`. */
static struct constant binary(struct reader *r, int above) {
    struct constant left = unary(r);
    for (int i; !r->error && (i = find_operator(r)) >= 0 && operators[i].strength > above;) {
        if (operators[i].text[1])
            advance(r);
        advance(r);
        left = apply(r, operators[i].kind, left, binary(r, operators[i].strength));
    }
    return left;
}

static struct constant conditional(struct reader *r) {
    struct constant test = binary(r, 0);
    if (r->error || !is_punct(r->token, '?'))
        return test;
    if (++r->depth > MAX_DEPTH)
        return wrong(r, "is nested too deep");
    advance(r);
    struct constant yes = conditional(r);
    if (!r->error && !is_punct(r->token, ':'))
        return wrong(r, "appears where a ':' is expected");
    if (r->error)
        return test;
    advance(r);
    struct constant no = conditional(r);
    r->depth--;
    return truth(test) ? yes : no;
}

const char *constant_read(struct lexer *lexer, struct token *token, struct constant *out) {
    struct reader r = {.lexer = lexer, .token = token};
    *out = conditional(&r);
    return r.error;
}
