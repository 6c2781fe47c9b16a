#include "decode/link.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/out_of_memory.h"
#include "isa/instruction.h"

/* The meaning of a name: in one module (its static names and its declarations), or in all (module NULL). */
struct symbol {
    const char *name;
    const struct ptx_module *module;
    struct ptx_variable *variable;
    struct ptx_function *function;
};

struct linker {
    struct ptx_module *first;
    struct symbol *symbols; /* open addressing; a free place has no name */
    size_t capacity;        /* a power of two, at least twice as many as there are symbols */
    char *error;
    size_t error_size;
};

static size_t hash(const char *name, const struct ptx_module *module) {
    uint64_t h = 0xcbf29ce484222325u ^ (uintptr_t)module; /* FNV-1a */
    for (; *name; name++)
        h = (h ^ (uint8_t)*name) * 0x100000001b3u;
    return (size_t)(h ^ h >> 29);
}

/* The symbol's place: with that name, or free. */
static struct symbol *place_of(const struct linker *x, const char *name, const struct ptx_module *module) {
    size_t k = hash(name, module) & (x->capacity - 1);
    while (x->symbols[k].name && (x->symbols[k].module != module || strcmp(x->symbols[k].name, name) != 0))
        k = (k + 1) & (x->capacity - 1);
    return &x->symbols[k];
}

static void make_table(struct linker *x) {
    size_t count = 0;
    for (const struct ptx_module *m = x->first; m; m = m->next) {
        for (const struct ptx_variable *v = m->variables; v; v = v->next)
            count++;
        for (const struct ptx_function *f = m->functions; f; f = f->next)
            count++;
    }
    for (x->capacity = 64; x->capacity < 4 * count;) /* each may be entered for its module and for all */
        x->capacity *= 2;
    x->symbols = zeroed(x->capacity, sizeof *x->symbols);
}

/* ---- definitions ---- */

static bool contradiction(struct linker *x, const char *what, const char *name) {
    snprintf(x->error, x->error_size, what, name);
    return false;
}

/* Of several declarations of a variable in a module the one with a definition counts. */
static void enter_variable(struct linker *x, struct ptx_module *m, struct ptx_variable *v) {
    struct symbol *s = place_of(x, v->name, m);
    if (s->name && (!s->variable || !s->variable->external))
        return;
    *s = (struct symbol){v->name, m, v, NULL};
}

static void enter_function(struct linker *x, struct ptx_module *m, struct ptx_function *f) {
    struct symbol *s = place_of(x, f->name, m);
    if (s->name && (!s->function || !s->function->external))
        return;
    *s = (struct symbol){f->name, m, NULL, f};
}

/* Memory whose size the launch specifies (extern __shared__ x[]): there is nothing to define. */
static bool is_dynamic_shared(const struct ptx_variable *v) {
    return v->space == SPACE_SHARED && v->external && !v->size;
}

static bool share_variable(struct linker *x, struct ptx_variable *v) {
    struct symbol *s = place_of(x, v->name, NULL);
    if (s->function)
        return contradiction(x, "'%s' is a variable in one file of the program and a function in another", v->name);
    if (!s->name || (s->variable->weak && !v->weak))
        *s = (struct symbol){v->name, NULL, v, NULL};
    else if (!v->weak)
        return contradiction(x, "variable '%s' is defined in two files of the program", v->name);
    return true;
}

static bool share_function(struct linker *x, struct ptx_function *f) {
    struct symbol *s = place_of(x, f->name, NULL);
    if (s->variable)
        return contradiction(x, "'%s' is a variable in one file of the program and a function in another", f->name);
    if (!s->name || (s->function->weak && !f->weak))
        *s = (struct symbol){f->name, NULL, NULL, f};
    else if (!f->weak)
        return contradiction(x, "function '%s' is defined in two files of the program", f->name);
    return true;
}

/* First every module's own names, then those that it exports to the others. */
static bool enter_all(struct linker *x) {
    for (struct ptx_module *m = x->first; m; m = m->next) {
        for (struct ptx_variable *v = m->variables; v; v = v->next) {
            enter_variable(x, m, v);
            if (v->visible && !v->external && !share_variable(x, v))
                return false;
        }
        for (struct ptx_function *f = m->functions; f; f = f->next) {
            enter_function(x, m, f);
            if (f->visible && !f->external && !share_function(x, f))
                return false;
        }
    }
    return true;
}

/* An alias is a declaration that refers to its target. */
static bool join_aliases(struct linker *x, struct ptx_module *m) {
    for (struct ptx_alias *a = m->aliases; a; a = a->next) {
        struct symbol *name = place_of(x, a->name, m), *target = place_of(x, a->target, m);
        if (!name->function || !target->function || target->function->external)
            return contradiction(x, "the alias '%s' needs a declared and a defined function", a->name);
        bool visible = name->function->visible;
        name->function = target->function;
        struct symbol *shared = place_of(x, a->name, NULL);
        if (visible && !shared->name)
            *shared = (struct symbol){a->name, NULL, NULL, target->function};
    }
    return true;
}

/* ---- uses ---- */

static struct ptx_variable *variable_meant(const struct linker *x, const struct ptx_module *m, struct ptx_variable *v) {
    if ((!v->external && !v->weak) || is_dynamic_shared(v))
        return v;
    const struct symbol *own = place_of(x, v->name, m);
    struct symbol *all = place_of(x, v->name, NULL);
    if (v->external && own->variable && !own->variable->external && !own->variable->weak)
        return own->variable;
    if (!all->name && v->space == SPACE_SHARED)
        *all = (struct symbol){v->name, NULL, v, NULL}; /* extern __shared__ x[4]: all its declarations are one array */
    return all->variable;
}

static const struct ptx_function *function_meant(const struct linker *x, const struct ptx_module *m, const char *name) {
    const struct symbol *own = place_of(x, name, m);
    if (!own->function)
        return NULL;
    if (!own->function->external && !own->function->weak)
        return own->function;
    return place_of(x, own->function->name, NULL)->function;
}

/* All declarations must refer to the same memory: not to a constant here and a global variable there. */
static bool define_variables(struct linker *x, struct ptx_module *m) {
    for (struct ptx_variable *v = m->variables; v; v = v->next) {
        v->definition = variable_meant(x, m, v);
        if (v->definition && v->definition->space != v->space)
            return contradiction(x, "variable '%s' has different state spaces in two files of the program", v->name);
    }
    return true;
}

static void define_functions(struct linker *x, struct ptx_module *m, uint64_t *number) {
    for (struct ptx_function *f = m->functions; f; f = f->next) {
        f->number = (*number)++;
        f->definition = function_meant(x, m, f->name);
    }
}

/* A name without a definition keeps its declaration: messages need its name, and builtins have no other. */
static const struct ptx_function *function_named(const struct linker *x, const struct ptx_module *m, const char *name) {
    const struct ptx_function *f = function_meant(x, m, name);
    return f ? f : place_of(x, name, m)->function;
}

static void resolve_operands(const struct linker *x, const struct ptx_module *m, struct ptx_operand *o, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        if (o[i].variable && o[i].variable->definition)
            o[i].variable = o[i].variable->definition;
        else if (o[i].symbol && !o[i].variable && o[i].kind != OPERAND_SPECIAL)
            o[i].function = function_named(x, m, o[i].symbol);
        if (o[i].items)
            resolve_operands(x, m, o[i].items, o[i].count);
    }
}

static void resolve_instruction(const struct linker *x, const struct ptx_module *m, struct ptx_insn *p) {
    if (p->opcode)
        p->row = instruction_find(p->opcode);
    resolve_operands(x, m, p->operands, p->operand_count);
}

static bool resolve_initializers(struct linker *x, struct ptx_module *m, struct ptx_variable *v) {
    for (struct ptx_initializer_address *a = v->addresses; a; a = a->next) {
        const struct symbol *s = place_of(x, a->symbol, m);
        a->variable = s->variable ? s->variable->definition : NULL;
        a->function = function_named(x, m, a->symbol);
        if (!a->variable && !a->function)
            return contradiction(x,
                                 "the initial value of a variable is the address of '%s', which no file of the program "
                                 "defines",
                                 a->symbol);
    }
    return true;
}

static bool resolve_all(struct linker *x) {
    uint64_t number = 0;
    for (struct ptx_module *m = x->first; m; m = m->next)
        if (!join_aliases(x, m))
            return false;
    for (struct ptx_module *m = x->first; m; m = m->next) {
        if (!define_variables(x, m))
            return false;
        define_functions(x, m, &number);
    }
    for (struct ptx_module *m = x->first; m; m = m->next) {
        for (struct ptx_variable *v = m->variables; v; v = v->next)
            if (!resolve_initializers(x, m, v))
                return false;
        for (struct ptx_function *f = m->functions; f; f = f->next) {
            for (size_t i = 0; i < f->insn_count; i++)
                resolve_instruction(x, m, &f->insns[i]);
            for (struct ptx_variable *v = f->variables; v; v = v->next)
                if (!resolve_initializers(x, m, v))
                    return false;
        }
    }
    return true;
}

/* ---- source files ---- */

/* One list of files for all modules, so that a location has the same meaning wherever it is looked up. */
static void join_files(struct ptx_module *first) {
    size_t count = 0;
    for (const struct ptx_module *m = first; m; m = m->next)
        count += m->file_count;
    const char **files = arena_alloc(first->arena, (count + 1) * sizeof *files);
    size_t base = 0;
    for (struct ptx_module *m = first; m; m = m->next) {
        if (m->file_count)
            memcpy(files + base, m->files, m->file_count * sizeof *files);
        for (struct ptx_location *l = m->locations; l; l = l->next)
            l->file = l->file < m->file_count ? l->file + (uint32_t)base : (uint32_t)count;
        base += m->file_count;
        m->files = files;
    }
    for (struct ptx_module *m = first; m; m = m->next)
        m->file_count = count;
}

bool link_modules(struct ptx_module *first, char *error, size_t size) {
    struct linker x = {.first = first, .error = error, .error_size = size};
    make_table(&x);
    bool good = enter_all(&x) && resolve_all(&x);
    free(x.symbols);
    if (good && first->next)
        join_files(first);
    return good;
}
