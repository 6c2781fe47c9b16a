/* The additions to the generated C of a kernel that counts: see profile/counted.h. */
#include "machine/access.h"
#include "profile/counters.h"
#include "profile/traits.h"
#include "tier/translator.h"

void counted_prepare(struct translator *t) {
    t->traits = traits_of(t->k);
    t->position = counted_positions(t->k);
    for (uint32_t i = 0; i < t->k->code.count; i++)
        t->barriers |= (t->k->code.insns[i].flags & INSN_BARRIER) != 0;
}

void counted_emit_begin(const struct translator *t) {
    fprintf(t->out, "#undef COUNTING\n#define COUNTING(...)%s\n", t->counted ? " __VA_ARGS__" : "");
}

void counted_emit_path(const struct translator *t) {
    if (!t->counted)
        return;
    fprintf(t->out, " struct counted *const c = (struct counted *)w->worker->counters;\n");
    fprintf(t->out,
            " const struct counted_path path = {%s, %s, __builtin_popcount(m), %s, c->position};\n PATH_ENTERS(pc);\n",
            t->full ? "c->whole" : "c->some", t->full ? "0" : "c->threads",
            t->barriers ? "&c->since[w->index % 32]" : "0");
}

void counted_emit_jump(const struct translator *t, uint32_t i, uint32_t to) {
    /* Ends after the jump and begins at its target. The instructions between, for counting since the last barrier, are
     * known now: positions are differences of constants. */
    if (t->counted)
        fprintf(t->out, " PATH_JUMPS(%u, %u, %lld);\n", i + 1, to, (long long)t->position[i + 1] - t->position[to]);
}

void counted_emit_other(const struct translator *t, uint32_t i) {
    const struct insn *in = &t->k->code.insns[i];
    bool more = t->counted && (t->traits->insns[i].shape != SHAPE_NONE || in->flags & (INSN_BARRIER | INSN_PREDICATE));
    if (more)
        fprintf(t->out, " OTHER(%u);\n", i);
}

void counted_emit_access(const struct translator *t, uint32_t i) {
    /* If the addresses have the layout of the last such access, and the first one is at a place in its line that has
     * occurred with that pattern, then all its counts (sectors, banks) are the same: one more is noted. Otherwise the
     * handler counts and executes it. */
    const struct access *a = t->k->code.insns[i].extra;
    unsigned bits = a->address_bits, step = (unsigned)a->bytes * a->count;
    fprintf(t->out,
            "  const struct counted_access *const had = &c->accesses[%u];\n"
            "  const enum pattern low = had->low ? PATTERN_CONTIGUOUS : PATTERN_SAME;\n"
            "  const enum pattern high = had->high ? PATTERN_CONTIGUOUS : PATTERN_SAME;\n"
            "  const uint%u_t *const at = (const uint%u_t *)(w->regs + a.address);\n"
            "  const uint%u_t first = at[0] + (uint%u_t)a.imm;\n"
            "  if (!counted_known(had, first) || !counted_lies%u(had, at, %u)) {\n"
            "  OTHER(%u);\n  DO(%u, %u);\n  } else {\n  counted_note(had, first);\n",
            i, bits, bits, bits, bits, bits, step, i, i, i + 1);
}

/* predicates in a region */

/* A predicate that the region does not write is known before the loop over the lanes; others are noted lane by lane. */
void counted_emit_lanes(const struct translator *t, uint32_t predicated) {
    if (t->counted)
        fprintf(t->out, "  int32_t g%u[32] __attribute__((aligned(64)));\n", predicated);
}

void counted_emit_lane(const struct translator *t, uint32_t predicated, int value, bool negated) {
    if (t->counted)
        fprintf(t->out, "    g%u[l] = -(int32_t)(%sv%d);\n", predicated, negated ? "!" : "", value);
}

void counted_emit_predicated(const struct translator *t, uint32_t predicated) {
    if (t->counted)
        fprintf(t->out, "  counted_predicated(c, &path, %u, m & simd_lane_bits(g%u));\n", predicated, predicated);
}
