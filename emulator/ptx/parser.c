/* Parses PTX text into a struct ptx_module. Recursive descent; the first error ends it (longjmp to ptx_parse). */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/out_of_memory.h"
#include "ptx/constant.h"
#include "ptx/debug_strings.h"
#include "ptx/labels.h"
#include "ptx/lexer.h"
#include "ptx/ptx.h"

#define LONGEST_LIST    128 /* the registers of a wgmma */
#define MAX_NESTING     64  /* of { } in a function, and of initialisers */
#define MAX_DIMENSIONS  16
#define MAX_INITIALIZED ((uint64_t)256 << 20) /* bytes */
#define MAX_OPERANDS    16                    /* nested in each other */
#define MAX_REGISTERS   (1 << 18)             /* of a function; a few characters can request many */
#define MAX_FILES       (1 << 16)
#define MAX_PARAMETER   (1 << 16) /* bytes */
#define NAME_BUCKETS    1024

/* The meaning of a name in the scope it was declared in. */
struct binding {
    const char *name;
    struct ptx_register *reg;
    struct ptx_variable *variable;
    struct binding *shadowed; /* next in its bucket */
    struct binding *scope_next;
};

struct parser {
    struct lexer lexer;
    struct token token; /* the one to read next */
    struct ptx_module *module;
    struct ptx_function *function; /* being parsed, or NULL */
    struct binding *buckets[NAME_BUCKETS];
    struct binding *scopes[MAX_NESTING];
    int depth;         /* of scopes; 0 is the module */
    uint32_t scope;    /* the number of the innermost one */
    uint32_t *parents; /* by number of a scope: the one around it */
    uint32_t scope_count, scope_capacity;
    int operand_depth; /* of operands in operands */
    bool in_call;      /* the instruction being read is a call */
    bool in_store;
    size_t file_capacity;
    const struct ptx_location *location;
    struct ptx_location *locations; /* all, newest first */
    struct ptx_variable **variables_end;
    struct ptx_function **functions_end;
    size_t insn_capacity, register_capacity;
    char *error;
    size_t error_size;
    jmp_buf failed;
};

_Noreturn static void fail(struct parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
_Noreturn static void fail(struct parser *p, const char *format, ...) {
    int n = snprintf(p->error, p->error_size, "PTX line %u: ", p->token.line);
    if (n > 0 && (size_t)n < p->error_size) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(p->error + n, p->error_size - (size_t)n, format, arguments);
        va_end(arguments);
    }
    longjmp(p->failed, 1);
}

/* ---- tokens ---- */

static void advance(struct parser *p) {
    p->token = lexer_next(&p->lexer);
    if (p->token.kind == TOKEN_BAD)
        fail(p, "not a PTX token");
}

static bool is_punct(const struct parser *p, char c) {
    return p->token.kind == TOKEN_PUNCT && p->token.punct == c;
}

static bool accept(struct parser *p, char c) {
    if (!is_punct(p, c))
        return false;
    advance(p);
    return true;
}

static void expect(struct parser *p, char c) {
    if (!accept(p, c))
        fail(p, "expected '%c' before '%.*s'", c, (int)p->token.length, p->token.text);
}

static bool is_text(const struct parser *p, const char *text) {
    return p->token.length == strlen(text) && memcmp(p->token.text, text, p->token.length) == 0;
}

static bool accept_directive(struct parser *p, const char *text) {
    if (p->token.kind != TOKEN_DIRECTIVE || !is_text(p, text))
        return false;
    advance(p);
    return true;
}

static const char *intern(struct parser *p, struct token t) {
    return arena_intern(p->module->arena, t.text, t.length);
}

static const char *expect_name(struct parser *p) {
    if (p->token.kind != TOKEN_WORD)
        fail(p, "expected a name before '%.*s'", (int)p->token.length, p->token.text);
    const char *name = intern(p, p->token);
    advance(p);
    return name;
}

static int64_t expect_integer(struct parser *p) {
    bool negative = accept(p, '-');
    if (p->token.kind != TOKEN_INTEGER)
        fail(p, "expected an integer before '%.*s'", (int)p->token.length, p->token.text);
    int64_t value = p->token.value;
    advance(p);
    return negative ? (int64_t)(0 - (uint64_t)value) : value;
}

static struct constant expect_constant(struct parser *p) {
    struct constant c;
    const char *wrong = constant_read(&p->lexer, &p->token, &c);
    if (wrong)
        fail(p, "'%.*s' %s", (int)p->token.length, p->token.text, wrong);
    return c;
}

/* An integer, or an expression that is one. */
static int64_t expect_value(struct parser *p) {
    struct constant c = expect_constant(p);
    if (c.float_bits)
        fail(p, "an integer is needed before '%.*s'", (int)p->token.length, p->token.text);
    return (int64_t)c.value;
}

static void skip_to_semicolon(struct parser *p) {
    while (p->token.kind != TOKEN_END && !is_punct(p, ';'))
        advance(p);
    accept(p, ';');
}

/* ---- names ---- */

static size_t bucket_of(const char *name) {
    /* Names are interned: the same text has the same pointer, so pointers are hashed and compared. Their lowest bits
     * are alignment. */
    return ((uintptr_t)name >> 4) % NAME_BUCKETS;
}

static struct binding *lookup(struct parser *p, const char *name) {
    for (struct binding *b = p->buckets[bucket_of(name)]; b; b = b->shadowed)
        if (b->name == name)
            return b;
    return NULL;
}

static void bind(struct parser *p, const char *name, struct ptx_register *reg, struct ptx_variable *variable) {
    struct binding *b = arena_alloc(p->module->arena, sizeof *b);
    *b = (struct binding){name, reg, variable, p->buckets[bucket_of(name)], p->scopes[p->depth]};
    p->buckets[bucket_of(name)] = b;
    p->scopes[p->depth] = b;
}

static void scope_open(struct parser *p) {
    if (++p->depth >= MAX_NESTING)
        fail(p, "blocks are nested more than %d deep", MAX_NESTING);
    p->scopes[p->depth] = NULL;
    if (p->scope_count + 1 >= p->scope_capacity) {
        p->scope_capacity = p->scope_capacity ? 2 * p->scope_capacity : 64;
        uint32_t *bigger = arena_alloc(p->module->arena, p->scope_capacity * sizeof *bigger);
        if (p->scope_count)
            memcpy(bigger, p->parents, (p->scope_count + 1) * sizeof *bigger);
        p->parents = bigger;
    }
    /* Each scope gets a number that stays valid after it is closed: labels are resolved when all of a function is
     * known. */
    p->parents[++p->scope_count] = p->scope;
    p->scope = p->scope_count;
}

static void scope_close(struct parser *p) {
    for (struct binding *b = p->scopes[p->depth]; b; b = b->scope_next)
        p->buckets[bucket_of(b->name)] = b->shadowed; /* newest first, so this unwinds */
    p->depth--;
    p->scope = p->parents[p->scope];
}

/* ---- variables ---- */

static struct {
    const char *directive;
    enum ptx_space space;
} const spaces[] = {{".global", SPACE_GLOBAL}, {".const", SPACE_CONST}, {".shared", SPACE_SHARED},
                    {".local", SPACE_LOCAL},   {".param", SPACE_PARAM}, {".reg", SPACE_REG}};

static bool accept_space(struct parser *p, enum ptx_space *space) {
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (accept_directive(p, spaces[i].directive)) {
            *space = spaces[i].space;
            return true;
        }
    return false;
}

/* The words before a variable's name: .align 4 .v4 .b8 .ptr .global .attribute(...). */
struct declaration {
    enum ptx_space space;
    enum ptx_type type;
    uint32_t align, vector;
    bool external, weak, visible, managed;
};

/* .managed; .unified(number, number) names what other programs share, and means nothing here */
static void attributes(struct parser *p, struct declaration *d) {
    expect(p, '(');
    for (int depth = 1; depth; advance(p)) {
        d->managed |= is_text(p, ".managed");
        if (p->token.kind == TOKEN_END)
            fail(p, ".attribute( is not closed");
        depth += is_punct(p, '(') - is_punct(p, ')');
    }
}

static void declaration(struct parser *p, struct declaration *d) {
    enum ptx_space pointee;
    while (p->token.kind == TOKEN_DIRECTIVE) {
        enum ptx_type type = ptx_type_by_name(p->token.text + 1, p->token.length - 1);
        if (type != TYPE_NONE) {
            d->type = type;
            advance(p);
        } else if (accept_directive(p, ".align")) {
            int64_t align = expect_integer(p);
            if (align < 1 || align > 1 << 20 || (align & (align - 1)))
                fail(p, ".align needs a power of two");
            if (!d->align)
                d->align = (uint32_t)align;
        } else if (accept_directive(p, ".attribute")) {
            attributes(p, d);
        } else if (accept_directive(p, ".v2")) {
            d->vector = 2;
        } else if (accept_directive(p, ".v4")) {
            d->vector = 4;
        } else if (accept_directive(p, ".ptr")) {
            accept_space(p, &pointee); /* .ptr .global .align 8: describes a parameter's target, not itself */
            if (accept_directive(p, ".align"))
                expect_integer(p);
        } else {
            fail(p, "'%.*s' is not understood in a declaration", (int)p->token.length, p->token.text);
        }
    }
    if (d->type == TYPE_NONE)
        fail(p, "a declaration needs a type before '%.*s'", (int)p->token.length, p->token.text);
}

static uint64_t type_bytes(enum ptx_type type) {
    return type == TYPE_PRED ? 1 : ptx_type_bits[type] / 8u;
}

static struct ptx_variable *new_variable(struct parser *p, const struct declaration *d, const char *name) {
    struct ptx_variable *v = arena_alloc(p->module->arena, sizeof *v);
    uint64_t element = type_bytes(d->type) * (d->vector ? d->vector : 1);
    v->name = name;
    v->space = d->space;
    v->type = d->type;
    v->align = d->align ? d->align : (uint32_t)element;
    v->size = element;
    v->external = d->external;
    v->weak = d->weak;
    v->visible = d->visible;
    v->managed = d->managed;
    return v;
}

struct dimensions {
    uint64_t sizes[MAX_DIMENSIONS], element; /* bytes, of a vector all */
    unsigned count;
};

static struct dimensions dimensions(struct parser *p, struct ptx_variable *v) {
    struct dimensions d = {.element = v->size};
    while (accept(p, '[')) {
        int64_t n = is_punct(p, ']') ? 0 : expect_value(p);
        /* Checked before it is multiplied: the product of a few dimensions could overflow 64 bits. */
        if (n < 0 || (n && v->size > ((uint64_t)1 << 40) / (uint64_t)n))
            fail(p, "array '%s' is too large", v->name);
        if (d.count == MAX_DIMENSIONS)
            fail(p, "array '%s' has more than %d dimensions", v->name, MAX_DIMENSIONS);
        d.sizes[d.count++] = (uint64_t)n;
        v->size *= (uint64_t)n;
        expect(p, ']');
    }
    return d;
}

static void init_address(struct parser *p, struct ptx_variable *v, uint64_t offset, uint32_t mask_shift) {
    struct ptx_initializer_address *a = arena_alloc(p->module->arena, sizeof *a);
    a->offset = offset;
    a->mask_shift = mask_shift;
    if (is_text(p, "generic")) {
        advance(p);
        expect(p, '(');
        a->generic = true;
        a->symbol = expect_name(p);
        expect(p, ')');
    } else {
        a->symbol = expect_name(p);
    }
    if (accept(p, '+') || is_punct(p, '-'))
        a->addend = expect_value(p);
    a->next = v->addresses;
    v->addresses = a;
}

/* 0xFF00(symbol): one byte of an address. */
static void init_masked(struct parser *p, struct ptx_variable *v, uint64_t offset, uint64_t mask) {
    if (!mask)
        fail(p, "the mask of an initialiser is zero");
    expect(p, '(');
    init_address(p, v, offset, (uint32_t)__builtin_ctzll(mask));
    expect(p, ')');
}

static void store_value(struct ptx_variable *v, uint64_t offset, uint64_t element, struct constant c) {
    uint64_t value = c.value;
    if (c.float_bits == 64 && element == 4) {
        double wide;
        memcpy(&wide, &value, sizeof wide);
        float narrow = (float)wide;
        value = 0;
        memcpy(&value, &narrow, sizeof narrow);
    }
    memcpy(v->data + offset, &value, element < 8 ? element : 8);
}

/* The traversal of an initialiser: rows[k] is the size that a { } in k others covers, in bytes; a vector is a row,
 * too. */
struct filling {
    uint64_t rows[MAX_DIMENSIONS + 2], offset;
    unsigned depth, most;
};

static void initializer(struct parser *p, struct ptx_variable *v, struct filling *f);

/* Each { } fills a row; missing values are zero. */
static void row(struct parser *p, struct ptx_variable *v, struct filling *f) {
    uint64_t begin = f->offset;
    if (f->depth > f->most)
        fail(p, "initialiser is nested too deep");
    uint64_t bytes = f->rows[f->depth++];
    while (!is_punct(p, '}')) {
        initializer(p, v, f);
        if (!accept(p, ','))
            break;
    }
    expect(p, '}');
    if (--f->depth == 0)
        return;
    if (f->offset > begin + bytes)
        fail(p, "a row of '%s' has more initial values than elements", v->name);
    f->offset = begin + bytes;
}

static void initializer(struct parser *p, struct ptx_variable *v, struct filling *f) {
    uint64_t element = type_bytes(v->type);
    if (accept(p, '{')) {
        row(p, v, f);
        return;
    }
    if (f->offset + element > v->data_size)
        fail(p, "'%s' has more initial values than elements", v->name);
    if (constant_begins(&p->token)) {
        struct constant c = expect_constant(p);
        if (is_punct(p, '('))
            init_masked(p, v, f->offset, c.value);
        else
            store_value(v, f->offset, element, c);
    } else {
        init_address(p, v, f->offset, ~0u);
    }
    f->offset += element;
}

/* An upper bound of the number of values that follow: more than that is neither read nor stored. */
static uint64_t count_values(struct parser *p) {
    /* A look ahead: the lexer is a position in the text, and is simply restored. */
    struct lexer saved = p->lexer;
    struct token token = p->token;
    uint64_t n = 0;
    for (int depth = 0; p->token.kind != TOKEN_END && !is_punct(p, ';');) {
        depth += is_punct(p, '{') - is_punct(p, '}');
        n += is_punct(p, ',') ? 1 : 0;
        advance(p);
        if (depth == 0)
            break;
    }
    p->lexer = saved;
    p->token = token;
    return n + 1;
}

static void add_variable(struct parser *p, struct ptx_variable *v) {
    bind(p, v->name, NULL, v);
    if (p->function && v->space != SPACE_GLOBAL && v->space != SPACE_CONST) {
        v->next = p->function->variables;
        p->function->variables = v;
    } else {
        *p->variables_end = v;
        p->variables_end = &v->next;
    }
}

static void add_register(struct parser *p, const char *name, enum ptx_type type) {
    struct ptx_function *f = p->function;
    struct ptx_register *r = arena_alloc(p->module->arena, sizeof *r);
    r->name = name;
    r->type = type;
    r->slot = ~0u;
    if (f->register_count == p->register_capacity) {
        p->register_capacity = p->register_capacity ? 2 * p->register_capacity : 64;
        struct ptx_register **bigger = arena_alloc(p->module->arena, p->register_capacity * sizeof *bigger);
        if (f->register_count)
            memcpy(bigger, f->registers, f->register_count * sizeof *bigger);
        f->registers = bigger;
    }
    f->registers[f->register_count++] = r;
    bind(p, name, r, NULL);
}

static void registers(struct parser *p, const struct declaration *d) {
    if (!p->function)
        fail(p, "registers outside a function");
    do {
        const char *name = expect_name(p);
        if (!accept(p, '<')) {
            add_register(p, name, d->type);
            continue;
        }
        int64_t n = expect_integer(p);
        expect(p, '>');
        if (n < 0 || n > MAX_REGISTERS - (int64_t)p->function->register_count)
            fail(p, "more than %d registers in a function", MAX_REGISTERS);
        for (int64_t i = 0; i < n; i++) {
            char numbered[300];
            int length = snprintf(numbered, sizeof numbered, "%s%" PRId64, name, i);
            if (length < 0 || (size_t)length >= sizeof numbered)
                fail(p, "register name is too long");
            add_register(p, arena_intern(p->module->arena, numbered, (size_t)length), d->type);
        }
    } while (accept(p, ','));
}

/* The size of `x[] = { ... }` is that of its values. */
static void initialized(struct parser *p, struct ptx_variable *v, const struct dimensions *n) {
    struct filling f = {.most = n->count + (n->element > type_bytes(v->type))};
    f.rows[n->count] = n->element;
    for (unsigned i = n->count; i-- > 0;)
        f.rows[i] = f.rows[i + 1] * n->sizes[i];
    uint64_t largest = n->count > 1 ? f.rows[1] : n->element, values = count_values(p);
    uint64_t most = largest && values > MAX_INITIALIZED / largest ? MAX_INITIALIZED + 1 : values * largest;
    v->data_size = v->size && v->size < most ? v->size : most;
    if (v->data_size > MAX_INITIALIZED)
        fail(p, "'%s' is too large to be initialised", v->name);
    v->data = arena_alloc(p->module->arena, v->data_size);
    initializer(p, v, &f);
    if (!v->size)
        v->size = n->count > 1 && largest ? (f.offset + largest - 1) / largest * largest : f.offset;
    v->data_size = v->data_size < v->size ? v->data_size : v->size;
}

static void variables(struct parser *p, struct declaration *d) {
    declaration(p, d);
    if (d->space == SPACE_REG) {
        registers(p, d);
    } else {
        do {
            struct ptx_variable *v = new_variable(p, d, expect_name(p));
            struct dimensions n = dimensions(p, v);
            if (d->space == SPACE_PARAM && v->size > MAX_PARAMETER)
                fail(p, "parameter '%s' is larger than %d bytes", v->name, MAX_PARAMETER);
            if (accept(p, '='))
                initialized(p, v, &n);
            if (!v->size && !v->external && d->space != SPACE_PARAM)
                fail(p, "Non-external variable '%s' has incomplete type", v->name);
            add_variable(p, v);
        } while (accept(p, ','));
    }
    expect(p, ';');
}

/* ( .param .b32 a, .param .align 4 .b8 b[20] ) */
static struct ptx_variable *parameters(struct parser *p) {
    struct ptx_variable *first = NULL, **end = &first;
    expect(p, '(');
    while (!is_punct(p, ')')) {
        struct declaration d = {.space = SPACE_PARAM};
        if (!accept_space(p, &d.space))
            fail(p, "expected .param or .reg before '%.*s'", (int)p->token.length, p->token.text);
        declaration(p, &d);
        const char *name = p->token.kind == TOKEN_WORD ? expect_name(p) : arena_intern(p->module->arena, "_", 1);
        struct ptx_variable *v = new_variable(p, &d, name);
        dimensions(p, v);
        if (v->size > MAX_PARAMETER)
            fail(p, "parameter '%s' is larger than %d bytes", name, MAX_PARAMETER);
        if (d.space == SPACE_REG)
            fail(p, "a parameter in a register (.reg %s) is not supported", name);
        bind(p, name, NULL, v);
        *end = v;
        end = &v->next;
        if (!accept(p, ','))
            break;
    }
    expect(p, ')');
    return first;
}

/* ---- operands ---- */

static struct ptx_operand operand(struct parser *p);

static void operand_items(struct parser *p, struct ptx_operand *o, char close) {
    struct ptx_operand items[LONGEST_LIST];
    size_t n = 0;
    while (!is_punct(p, close)) {
        if (n == sizeof items / sizeof *items)
            fail(p, "more than %zu operands in a list", n);
        items[n++] = operand(p);
        if (!accept(p, ','))
            break;
    }
    expect(p, close);
    o->count = (uint16_t)n;
    o->items = arena_alloc(p->module->arena, (n + 1) * sizeof *o->items);
    memcpy(o->items, items, n * sizeof *items);
}

/* +4, -4, + -4 after a symbol or register */
static int64_t operand_offset(struct parser *p) {
    return accept(p, '+') || is_punct(p, '-') ? expect_value(p) : 0;
}

/* %r.b0: a part of a register, as video instructions take them. */
static struct binding *part_of_register(struct parser *p, const char *name, struct ptx_operand *o) {
    const char *dot = strrchr(name, '.');
    struct binding *b = dot ? lookup(p, arena_intern(p->module->arena, name, (size_t)(dot - name))) : NULL;
    if (!b || !b->reg)
        return NULL;
    o->selector = dot + 1;
    return b;
}

static void operand_name(struct parser *p, struct ptx_operand *o) {
    const char *name = expect_name(p);
    struct binding *b = lookup(p, name);
    if (!b && name[0] == '%')
        b = part_of_register(p, name, o);
    if (b && b->reg) {
        o->kind = OPERAND_REGISTER;
        o->reg = b->reg;
    } else if (strcmp(name, "_") == 0) {
        o->kind = OPERAND_SINK;
    } else if (name[0] == '%' && !b) {
        o->kind = OPERAND_SPECIAL;
        o->symbol = name;
    } else {
        o->kind = OPERAND_SYMBOL;
        o->symbol = name;
        o->variable = b ? b->variable : NULL;
        o->value = operand_offset(p);
    }
}

static void operand_address(struct parser *p, struct ptx_operand *o) {
    if (p->token.kind == TOKEN_WORD && !constant_begins(&p->token)) {
        operand_name(p, o);
        if (o->kind == OPERAND_REGISTER)
            o->value = operand_offset(p);
    } else {
        o->value = expect_value(p);
    }
    if (accept(p, ',')) {
        struct ptx_operand rest = {0};
        operand_items(p, &rest, ']');
        o->items = rest.items;
        o->count = rest.count;
    } else {
        expect(p, ']');
    }
    accept_directive(p, ".unified"); /* a hint */
    o->kind = OPERAND_ADDRESS;
}

static void operand_number(struct parser *p, struct ptx_operand *o) {
    struct constant c = expect_constant(p);
    o->kind = c.float_bits ? OPERAND_FLOAT : OPERAND_INTEGER;
    o->float_bits = c.float_bits;
    o->value = (int64_t)c.value;
}

/* ! before a name negates a predicate; before anything else it is part of an expression. */
static bool negates(struct parser *p) {
    struct lexer ahead = p->lexer;
    return is_punct(p, '!') && lexer_next(&ahead).kind == TOKEN_WORD && accept(p, '!');
}

/* vmad takes the negative of a register. */
static bool negative_register(struct parser *p) {
    struct lexer ahead = p->lexer;
    struct token next = lexer_next(&ahead);
    return is_punct(p, '-') && next.kind == TOKEN_WORD && next.text[0] == '%' && accept(p, '-');
}

/* ( begins the lists of call, and an expression elsewhere. */
static bool begins_number(const struct parser *p) {
    return constant_begins(&p->token) && !(p->in_call && is_punct(p, '('));
}

static struct ptx_operand operand(struct parser *p) {
    struct ptx_operand o = {0};
    if (++p->operand_depth > MAX_OPERANDS)
        fail(p, "operands are nested more than %d deep", MAX_OPERANDS);
    if (negates(p)) {
        o = operand(p);
        o.negated = true;
    } else if (negative_register(p)) {
        operand_name(p, &o);
        o.negated = true;
    } else if (begins_number(p)) {
        operand_number(p, &o);
    } else if (accept(p, '[')) {
        operand_address(p, &o);
    } else if (accept(p, '{')) {
        o.kind = OPERAND_VECTOR;
        operand_items(p, &o, '}');
    } else if (accept(p, '(')) {
        o.kind = OPERAND_LIST;
        operand_items(p, &o, ')');
    } else if (p->token.kind == TOKEN_WORD) {
        operand_name(p, &o);
        if (o.kind == OPERAND_REGISTER &&
            p->in_store) /* r + 1: in the manual only addresses have it, ptxas takes it here, too */
            o.value = operand_offset(p);
    } else {
        fail(p, "'%.*s' is not an operand", (int)p->token.length, p->token.text);
    }
    if (accept(p, '|')) {
        struct ptx_operand *pair = arena_alloc(p->module->arena, 2 * sizeof *pair);
        pair[0] = o;
        pair[1] = operand(p);
        o = (struct ptx_operand){.kind = OPERAND_PAIR, .items = pair, .count = 2};
    }
    p->operand_depth--;
    return o;
}

/* ---- statements ---- */

static struct ptx_insn *new_insn(struct parser *p) {
    struct ptx_function *f = p->function;
    if (f->insn_count == p->insn_capacity) {
        p->insn_capacity = p->insn_capacity ? 2 * p->insn_capacity : 64;
        struct ptx_insn *bigger = arena_alloc(p->module->arena, p->insn_capacity * sizeof *bigger);
        if (f->insn_count)
            memcpy(bigger, f->insns, f->insn_count * sizeof *bigger);
        f->insns = bigger;
    }
    struct ptx_insn *insn = &f->insns[f->insn_count++];
    memset(insn, 0, sizeof *insn);
    insn->location = p->location;
    insn->scope = p->scope;
    insn->ptx_line = p->token.line;
    return insn;
}

static void instruction(struct parser *p, struct ptx_insn *insn) {
    if (p->token.kind != TOKEN_WORD)
        fail(p, "expected an instruction before '%.*s'", (int)p->token.length, p->token.text);
    struct token opcode = lexer_opcode(&p->lexer, p->token);
    insn->opcode = intern(p, opcode);
    p->in_call = strncmp(insn->opcode, "call", 4) == 0;
    p->in_store = strncmp(insn->opcode, "st.", 3) == 0;
    insn->ptx_line = opcode.line;
    advance(p);
    while (!is_punct(p, ';')) {
        if (insn->operand_count == PTX_MAX_OPERANDS)
            fail(p, "'%s' has more than %d operands", insn->opcode, PTX_MAX_OPERANDS);
        insn->operands[insn->operand_count++] = operand(p);
        if (!accept(p, ','))
            break;
    }
    expect(p, ';');
}

static void predicated(struct parser *p) {
    bool negated = accept(p, '!');
    const char *name = expect_name(p);
    struct binding *b = lookup(p, name);
    if (!b || !b->reg || b->reg->type != TYPE_PRED)
        fail(p, "predicate '%s' is not a predicate register", name);
    struct ptx_insn *insn = new_insn(p);
    insn->predicate = b->reg;
    insn->predicate_negated = negated;
    instruction(p, insn);
}

static bool same_place(const struct ptx_location *a, const struct ptx_location *b) {
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

/* A place that is inlined in several others. All that equal a marked one are marked, too. */
static void mark_ambiguous(struct parser *p, struct ptx_location *l) {
    for (struct ptx_location *at = p->locations; l->inlined_at && at; at = at->next) {
        if (!at->inlined_at || !same_place(at, l))
            continue;
        bool marked = at->ambiguous;
        if (!marked && !l->ambiguous && same_place(at->inlined_at, l->inlined_at))
            return;
        l->ambiguous = at->ambiguous = true;
        if (marked)
            return;
    }
}

/* .loc file line column [, function_name label [+ offset], inlined_at file line column] */
static void loc(struct parser *p) {
    struct ptx_location l = {0};
    l.file = (uint32_t)expect_integer(p);
    l.line = (uint32_t)expect_integer(p);
    l.column = (uint32_t)expect_integer(p);
    if (accept(p, ',')) {
        if (is_text(p, "function_name")) {
            advance(p);
            l.function = expect_name(p);
            if (accept(p, '+'))
                expect_integer(p);
            expect(p, ',');
        }
        if (is_text(p, "inlined_at")) {
            advance(p);
            uint32_t file = (uint32_t)expect_integer(p), line = (uint32_t)expect_integer(p);
            uint32_t column = (uint32_t)expect_integer(p);
            const struct ptx_location *at = p->locations; /* nvcc repeats a location that was given before */
            while (at && !(at->file == file && at->line == line && at->column == column))
                at = at->next;
            if (!at) {
                struct ptx_location *made = arena_alloc(p->module->arena, sizeof *made);
                *made = (struct ptx_location){.file = file, .line = line, .column = column, .next = p->locations};
                at = p->locations = made;
            }
            l.inlined_at = at;
        }
    }
    mark_ambiguous(p, &l);
    l.next = p->locations;
    struct ptx_location *made = arena_alloc(p->module->arena, sizeof *made);
    *made = l;
    p->locations = made;
    p->location = made;
}

static void targets_of_branch(struct parser *p, const char *label) {
    struct ptx_prototype *t = arena_alloc(p->module->arena, sizeof *t);
    t->label = label;
    t->function = p->function;
    t->scope = p->scope;
    const char *names[4096];
    do {
        if (t->target_count == sizeof names / sizeof *names)
            fail(p, "too many branch targets");
        names[t->target_count++] = expect_name(p);
    } while (accept(p, ','));
    expect(p, ';');
    t->targets = arena_alloc(p->module->arena, t->target_count * sizeof *t->targets);
    memcpy(t->targets, names, t->target_count * sizeof *names);
    t->next = p->module->prototypes;
    p->module->prototypes = t;
}

static void call_prototype(struct parser *p, const char *label) {
    struct ptx_prototype *t = arena_alloc(p->module->arena, sizeof *t);
    t->label = label;
    t->function = p->function;
    t->scope = p->scope;
    scope_open(p);
    if (is_punct(p, '('))
        t->returns = parameters(p);
    expect_name(p); /* '_' */
    if (is_punct(p, '('))
        t->params = parameters(p);
    scope_close(p);
    skip_to_semicolon(p); /* .noreturn, .abi_preserve */
    t->next = p->module->prototypes;
    p->module->prototypes = t;
}

static bool accept_label(struct parser *p) {
    struct lexer ahead = p->lexer;
    struct token next = lexer_next(&ahead);
    if (p->token.kind != TOKEN_WORD || next.kind != TOKEN_PUNCT || next.punct != ':')
        return false;
    const char *label = intern(p, p->token);
    advance(p);
    advance(p);
    if (accept_directive(p, ".branchtargets") || accept_directive(p, ".calltargets"))
        targets_of_branch(p, label);
    else if (accept_directive(p, ".callprototype"))
        call_prototype(p, label);
    else
        new_insn(p)->label = label;
    return true;
}

static void body(struct parser *p) {
    scope_open(p);
    int depth = p->depth;
    while (p->depth >= depth) {
        struct declaration d = {0};
        if (p->token.kind == TOKEN_END)
            fail(p, "the function's '}' is missing");
        if (accept(p, '{'))
            scope_open(p);
        else if (accept(p, '}'))
            scope_close(p);
        else if (accept(p, '@'))
            predicated(p);
        else if (accept_directive(p, ".loc"))
            loc(p);
        else if (accept_directive(p, ".pragma"))
            skip_to_semicolon(p);
        else if (accept_space(p, &d.space))
            variables(p, &d);
        else if (!accept_label(p) && !accept(p, ';'))
            instruction(p, new_insn(p));
    }
}

static void three(struct parser *p, uint32_t out[3]) {
    for (int i = 0; i < 3; i++)
        out[i] = i == 0 || accept(p, ',') ? (uint32_t)expect_integer(p) : 1;
}

static void function_directives(struct parser *p, struct ptx_function *f) {
    while (p->token.kind == TOKEN_DIRECTIVE) {
        if (accept_directive(p, ".maxntid"))
            three(p, f->maxntid);
        else if (accept_directive(p, ".reqntid"))
            three(p, f->reqntid);
        else if (accept_directive(p, ".minnctapersm"))
            f->minnctapersm = (uint32_t)expect_integer(p);
        else if (accept_directive(p, ".noreturn"))
            f->noreturn = true;
        else if (accept_directive(p, ".maxclusterrank"))
            f->max_cluster = (uint32_t)expect_integer(p);
        else if (accept_directive(p, ".maxnreg"))
            f->maxnreg = (uint32_t)expect_integer(p);
        else if (accept_directive(p, ".maxnctapersm") || accept_directive(p, ".abi_preserve") ||
                 accept_directive(p, ".abi_preserve_control"))
            expect_integer(p);
        else if (accept_directive(p, ".reqnctapercluster"))
            three(p, f->cluster);
        else if (accept_directive(p, ".explicitcluster"))
            f->explicit_cluster = true;
        else if (accept_directive(p, ".pragma"))
            skip_to_semicolon(p);
        else if (!accept_directive(p, ".unique"))
            fail(p, "'%.*s' is not understood after a function's name", (int)p->token.length, p->token.text);
    }
}

static void function(struct parser *p, const struct declaration *linkage, bool entry) {
    struct ptx_function *f = arena_alloc(p->module->arena, sizeof *f);
    f->entry = entry;
    f->module = p->module;
    f->external = linkage->external;
    f->visible = linkage->visible;
    f->weak = linkage->weak;
    p->insn_capacity = p->register_capacity = 0;
    p->location = NULL;
    scope_open(p);
    struct declaration ignored = {0};
    while (accept_directive(p, ".attribute"))
        attributes(p, &ignored);
    if (!entry && is_punct(p, '('))
        f->returns = parameters(p);
    f->name = expect_name(p);
    if (is_punct(p, '('))
        f->params = parameters(p);
    function_directives(p, f);
    if (accept(p, '{')) {
        p->function = f;
        body(p);
        labels_resolve(p->module->arena, f, p->module->prototypes, p->parents);
        p->function = NULL;
    } else {
        f->external = true; /* a declaration */
        expect(p, ';');
    }
    scope_close(p);
    *p->functions_end = f;
    p->functions_end = &f->next;
}

/* ---- the module ---- */

/* A header has one name, whichever way it was included: /a/b/../c and /a/./c become /a/c. nvcc writes absolute
 * paths. */
static const char *fold_path(struct arena *arena, const char *path, size_t length) {
    char *folded = arena_alloc(arena, length + 1);
    size_t n = 0, end;
    for (size_t at = 0; at < length; at = end) { /* each piece begins with its slash */
        for (end = at + 1; end < length && path[end] != '/';)
            end++;
        if (end - at == 3 && memcmp(path + at, "/..", 3) == 0) {
            while (n > 0 && folded[--n] != '/')
                ;
        } else if (end - at != 2 || memcmp(path + at, "/.", 2) != 0) {
            memcpy(folded + n, path + at, end - at);
            n += end - at;
        }
    }
    return arena_intern(arena, folded, n);
}

static void file(struct parser *p) {
    int64_t number = expect_integer(p);
    if (p->token.kind != TOKEN_STRING || number < 0 || number > MAX_FILES)
        fail(p, ".file needs a number and a name");
    size_t n = (size_t)number;
    if (n >= p->file_capacity) {
        size_t capacity = 2 * n + 16;
        const char **bigger = arena_alloc(p->module->arena, capacity * sizeof *bigger);
        if (p->module->file_count)
            memcpy(bigger, p->module->files, p->module->file_count * sizeof *bigger);
        p->module->files = bigger;
        p->file_capacity = capacity;
    }
    if (n >= p->module->file_count)
        p->module->file_count = n + 1;
    const char *name = p->token.text;
    p->module->files[n] = *name == '/' ? fold_path(p->module->arena, name, p->token.length) : intern(p, p->token);
    advance(p);
    while (accept(p, ','))
        expect_integer(p); /* time stamp, size */
}

static void section(struct parser *p) {
    bool strings = p->token.length == strlen(".debug_str") && memcmp(p->token.text, ".debug_str", p->token.length) == 0;
    while (p->token.kind != TOKEN_END && !is_punct(p, '{'))
        advance(p);
    struct lexer body = p->lexer;
    if (!lexer_skip_braces(&p->lexer))
        fail(p, ".section is not closed");
    body.end = p->lexer.at - 1; /* without the '}' */
    if (strings)
        debug_strings_read(p->module->arena, body, p->locations);
    advance(p);
}

/* 9.0 is a float to the lexer: read it from the text. */
static void version(struct parser *p) {
    int *number = &p->module->version_major;
    if (p->token.kind != TOKEN_INTEGER && p->token.kind != TOKEN_FLOAT)
        fail(p, ".version needs a number");
    for (size_t i = 0; i < p->token.length; i++) {
        char c = p->token.text[i];
        if (c == '.')
            number = &p->module->version_minor;
        else if (c >= '0' && c <= '9' && *number < 1000)
            *number = 10 * *number + (c - '0');
    }
    advance(p);
}

/* The name has been declared as a function, the target is defined; decode/link.c joins them. */
static void alias(struct parser *p) {
    struct ptx_alias *a = arena_alloc(p->module->arena, sizeof *a);
    a->name = expect_name(p);
    expect(p, ',');
    a->target = expect_name(p);
    expect(p, ';');
    a->next = p->module->aliases;
    p->module->aliases = a;
}

static void linkable(struct parser *p) {
    struct declaration d = {0};
    for (bool more = true; more;) {
        if (accept_directive(p, ".visible"))
            d.visible = true;
        else if (accept_directive(p, ".extern"))
            d.external = true;
        else if (accept_directive(p, ".weak") || accept_directive(p, ".common"))
            d.weak = d.visible = true;
        else
            more = false;
    }
    if (accept_directive(p, ".entry"))
        function(p, &d, true);
    else if (accept_directive(p, ".func"))
        function(p, &d, false);
    else if (accept_space(p, &d.space))
        variables(p, &d);
    else
        fail(p, "'%.*s' is not understood", (int)p->token.length, p->token.text);
}

static void module(struct parser *p) {
    while (p->token.kind != TOKEN_END) {
        if (accept_directive(p, ".version")) {
            version(p);
        } else if (accept_directive(p, ".target")) {
            p->module->target = expect_name(p);
            while (accept(p, ','))
                p->module->debug |= strcmp(expect_name(p), "debug") == 0;
        } else if (accept_directive(p, ".address_size")) {
            if (expect_integer(p) != 64)
                fail(p, "only 64-bit PTX is supported");
        } else if (accept_directive(p, ".file")) {
            file(p);
        } else if (accept_directive(p, ".section")) {
            section(p);
        } else if (accept_directive(p, ".pragma")) {
            skip_to_semicolon(p);
        } else if (accept_directive(p, ".alias")) {
            alias(p);
        } else if (accept_directive(p, ".loc")) {
            loc(p);
        } else if (!accept(p, ';')) {
            linkable(p);
        }
    }
}

struct ptx_module *ptx_parse(const char *text, size_t length, char *error, size_t error_size) {
    struct parser *p = zeroed(1, sizeof *p);
    struct arena *arena = arena_new();
    const char *zero = memchr(text, 0, length);
    p->lexer = (struct lexer){text, zero ? zero : text + length, 1};
    p->error = error;
    p->error_size = error_size;
    p->module = arena_alloc(arena, sizeof *p->module);
    p->module->arena = arena;
    p->variables_end = &p->module->variables;
    p->functions_end = &p->module->functions;
    struct ptx_module *result = p->module;
    if (setjmp(p->failed) == 0) {
        advance(p);
        module(p);
        result->locations = p->locations;
    } else {
        arena_free(arena);
        result = NULL;
    }
    free(p);
    return result;
}

void ptx_free(struct ptx_module *module) {
    if (module)
        arena_free(module->arena);
}
