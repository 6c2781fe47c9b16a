/* Prepares the counters of a compiled kernel, and sums the beginnings and ends of its paths. */
#include "profile/counted.h"

#include <stdlib.h>

#include "base/out_of_memory.h"
#include "decode/module.h"

bool counted_is_predicated(const struct kernel *k, uint32_t index) {
    return index && k->code.insns[index - 1].flags & INSN_PREDICATE;
}

uint32_t *counted_positions(const struct kernel *k) {
    uint32_t *position = zeroed(k->code.count + 1, sizeof *position);
    for (uint32_t i = 0; i < k->code.count; i++)
        position[i + 1] = position[i] + !counted_is_predicated(k, i);
    return position;
}

void counted_begin(struct counted *c, const struct kernel *k) {
    size_t n = k->code.count + 1; /* an end follows the last instruction, too */
    c->records = zeroed(n, sizeof *c->records);
    c->accesses = zeroed(n, sizeof *c->accesses);
    c->whole = zeroed(n, sizeof *c->whole);
    c->some = zeroed(n, sizeof *c->some);
    c->threads = zeroed(n, sizeof *c->threads);
    c->position = counted_positions(k);
}

void counted_add_up(struct counted *c, const struct kernel *k) {
    int64_t whole = 0, some = 0, threads = 0;
    for (uint32_t i = 0; i < k->code.count; i++) {
        whole += c->whole[i];
        some += c->some[i];
        threads += c->threads[i];
        if (counted_is_predicated(k, i))
            continue; /* counted by its own */
        c->records[i].executed += (uint64_t)(whole + some);
        c->records[i].threads += (uint64_t)(32 * whole + threads);
    }
}

void counted_free(struct counted *c) {
    free(c->records);
    free(c->accesses);
    free(c->whole);
    free(c->some);
    free(c->threads);
    free(c->position);
}
