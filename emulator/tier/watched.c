/* Loads and stores that the checks watch, in the text for whole warps: the checks' quick way is part of it. Where that has no answer
 * the instruction is done as the interpreter does it, by the operation that looks carefully. */
#include "check/sites.h"
#include "ops/memory.h"
#include "tier/translator.h"

const char *watched_question(const struct kernel *k, const struct insn *in, char name[static 32]) {
    const struct access *a = in->extra;
    if (!(in->flags & INSN_MEMORY) || !k->sites || k->sites->items[in->index].run == in->run)
        return NULL;
    const struct site *s = &k->sites->items[in->index];
    if (s->kind != SITE_ACCESS || s->flags & SITE_STRONG || s->run != memory_operation(a) || !memory_fast_name(a, name))
        return NULL;
    return a->kind == ACCESS_LOAD && a->space == SPACE_SHARED ? "watched_load_shared" : NULL;
}

void watched_emit(struct translator *t, uint32_t i) {
    const struct insn *in = &t->k->code.insns[i];
    const struct watched_access *x = &t->k->sites->items[in->index].constants;
    char name[32];
    const char *question = watched_question(t->k, in, name);
    fprintf(t->out, " {\n");
    memory_emit_access(t, i);
    fprintf(t->out, "  const struct watched_access x = {%uu, %uu, %uu, %uu};\n", x->bytes, x->mark, x->begin, x->end);
    fprintf(t->out, "  if (%s(w, a, x)) {\n   const uint32_t rest = (fast_%s(w, a, 0) ? 0 : 0xffffu) | ", question,
            name);
    fprintf(t->out, "(fast_%s(w, a, 16) ? 0 : 0xffff0000u);\n", name);
    fprintf(t->out, "   if (rest) REST_BY(w->launch->kernel->sites->items[%u].run, %u, rest);\n", in->index, i);
    fprintf(t->out, "  } else {\n   DO(%u, %u);\n  }\n }\n", i, i + 1);
}
