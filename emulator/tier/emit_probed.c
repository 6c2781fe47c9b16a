/* Instrumented loads and stores in the copy for whole warps: the fastest path of the checks is compiled in. Where
 * that cannot decide, the probe's handler is called, as in the interpreter. */
#include "check/probes.h"
#include "check/products.h"
#include "ops/load_store.h"
#include "tier/translator.h"

bool probed_name(const struct kernel *k, const struct insn *in, char name[static 32]) {
    const struct access *a = in->extra;
    if (!(in->flags & INSN_MEMORY) || !k->probes || k->probes->items[in->index].handler == in->handler ||
        products_site(k, in))
        return false;
    const struct probe *s = &k->probes->items[in->index];
    /* Plain accesses that a fast path exists for: loads and stores of global memory, loads of shared memory. A store
     * to shared memory closes the log of reads, and is left to the handler. */
    return s->kind == PROBE_ACCESS && !(s->flags & PROBE_STRONG) && s->handler == memory_operation(a) &&
           memory_fast_name(a, name) &&
           (a->space == SPACE_GLOBAL || (a->kind == ACCESS_LOAD && a->space == SPACE_SHARED));
}

void probed_emit(struct translator *t, uint32_t i) {
    const struct insn *in = &t->k->code.insns[i];
    const struct probed_access *x = &t->k->probes->items[in->index].constants;
    char name[32];
    probed_name(t->k, in, name);
    fprintf(t->out, " {\n");
    memory_emit_access(t, i);
    fprintf(t->out, "  const struct probed_access x = {%uu, %uu, %uu, %uu};\n", x->bytes, x->record, x->begin, x->end);
    fprintf(t->out, "  if (!probed_%s(w, a, x)) DO(%u, %u);\n }\n", name, i, i + 1);
}
