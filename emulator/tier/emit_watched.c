/* Loads and stores that the checks watch, in the text for whole warps: the checks' quick way is part of it. Where that has no answer
 * the instruction is done as the interpreter does it, by the operation that looks carefully. */
#include "check/sites.h"
#include "ops/load_store.h"
#include "tier/translator.h"

bool watched_name(const struct kernel *k, const struct insn *in, char name[static 32]) {
    const struct access *a = in->extra;
    if (!(in->flags & INSN_MEMORY) || !k->sites || k->sites->items[in->index].run == in->run)
        return false;
    const struct site *s = &k->sites->items[in->index];
    return s->kind == SITE_ACCESS && !(s->flags & SITE_STRONG) && s->run == memory_operation(a) &&
           memory_fast_name(a, name) &&
           (a->space == SPACE_GLOBAL || (a->kind == ACCESS_LOAD && a->space == SPACE_SHARED));
}

void watched_emit(struct translator *t, uint32_t i) {
    const struct insn *in = &t->k->code.insns[i];
    const struct watched_access *x = &t->k->sites->items[in->index].constants;
    char name[32];
    watched_name(t->k, in, name);
    fprintf(t->out, " {\n");
    memory_emit_access(t, i);
    fprintf(t->out, "  const struct watched_access x = {%uu, %uu, %uu, %uu};\n", x->bytes, x->mark, x->begin, x->end);
    fprintf(t->out, "  if (!watched_%s(w, a, x)) DO(%u, %u);\n }\n", name, i, i + 1);
}
