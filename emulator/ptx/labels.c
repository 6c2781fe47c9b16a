#include "ptx/labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"

struct place {
    const char *name; /* as it was written */
    uint32_t scope;
    const char **label; /* its position */
    bool renamed;
};

struct places {
    struct place *items; /* by name, then scope */
    size_t count;
};

static int compare(const void *a, const void *b) {
    const struct place *p = a, *q = b;
    if (p->name != q->name) /* interned */
        return (uintptr_t)p->name < (uintptr_t)q->name ? -1 : 1;
    return p->scope < q->scope ? -1 : p->scope > q->scope;
}

/* The function has just been parsed, so its prototypes are the first. */
static struct places collect(struct ptx_function *f, struct ptx_prototype *prototypes) {
    struct places places = {NULL, 0};
    size_t most = 0;
    for (size_t i = 0; i < f->insn_count; i++)
        most += f->insns[i].label != NULL;
    for (struct ptx_prototype *t = prototypes; t && t->function == f; t = t->next)
        most++;
    places.items = or_out_of_memory(malloc((most + 1) * sizeof *places.items));
    for (size_t i = 0; i < f->insn_count; i++)
        if (f->insns[i].label)
            places.items[places.count++] =
                (struct place){f->insns[i].label, f->insns[i].scope, &f->insns[i].label, false};
    for (struct ptx_prototype *t = prototypes; t && t->function == f; t = t->next)
        places.items[places.count++] = (struct place){t->label, t->scope, &t->label, false};
    qsort(places.items, places.count, sizeof *places.items, compare);
    return places;
}

/* Distinct names for all labels that share one. False when there are none. */
static bool rename_all(struct arena *arena, struct places *places) {
    bool any = false;
    for (size_t i = 0; i < places->count; i++) {
        struct place *p = &places->items[i];
        if (!(i && p[-1].name == p->name) && !(i + 1 < places->count && p[1].name == p->name))
            continue;
        char number[16];
        size_t length = strlen(p->name);
        size_t digits = (size_t)snprintf(number, sizeof number, "@%u", p->scope);
        char *name = or_out_of_memory(malloc(length + digits + 1));
        memcpy(name, p->name, length);
        memcpy(name + length, number, digits + 1);
        *p->label = arena_intern(arena, name, length + digits);
        free(name);
        p->renamed = any = true;
    }
    return any;
}

/* The meaning of a name in a scope: the nearest label outwards, or the name itself. */
static const char *meaning(const struct places *places, const uint32_t *parents, const char *name, uint32_t scope) {
    for (;; scope = parents[scope]) {
        struct place key = {.name = name, .scope = scope};
        const struct place *p = bsearch(&key, places->items, places->count, sizeof key, compare);
        if (p)
            return p->renamed ? *p->label : name;
        if (!scope)
            return name;
    }
}

static void resolve_operand(const struct places *places, const uint32_t *parents, struct ptx_operand *o,
                            uint32_t scope) {
    if (o->kind == OPERAND_SYMBOL && !o->variable)
        o->symbol = meaning(places, parents, o->symbol, scope);
}

void labels_resolve(struct arena *arena, struct ptx_function *f, struct ptx_prototype *prototypes,
                    const uint32_t *parents) {
    struct places places = collect(f, prototypes);
    if (rename_all(arena, &places)) {
        for (size_t i = 0; i < f->insn_count; i++)
            for (unsigned k = 0; k < f->insns[i].operand_count; k++)
                resolve_operand(&places, parents, &f->insns[i].operands[k], f->insns[i].scope);
        for (struct ptx_prototype *t = prototypes; t && t->function == f; t = t->next)
            for (size_t k = 0; k < t->target_count; k++)
                t->targets[k] = meaning(&places, parents, t->targets[k], t->scope);
    }
    free(places.items);
}
