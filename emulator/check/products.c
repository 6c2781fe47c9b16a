/* Tests at run time, when a warp executes a site of products.h, whether it really touches registers at a wrong time. */
#include "check/products.h"

#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "check/block_watch.h"

const struct product_site *products_site(const struct kernel *k, const struct insn *in) {
    const struct products *p = k->probes ? k->probes->products : NULL;
    uint32_t number = p ? p->site_of[in->index] : 0;
    return number ? &p->sites[number - 1] : NULL;
}

struct products_watch *products_watch_new(const struct products *p) {
    struct products_watch *w = NULL;
    return zeroed(1, sizeof *w + p->site_count * sizeof *w->touched);
}

void products_watch_start(struct products_watch *w, const struct products *p) {
    memset(w, 0, sizeof *w + p->site_count * sizeof *w->touched);
}

static struct hazards *hazards_of(const struct warp *w) {
    return &((struct block_watch *)w->block->watch)->launch->hazards;
}

/* ---- sites ---- */

static void note_registers(const struct products_watch *o, const struct warp *w, const struct insn *in,
                           const struct product_site *s) {
    const struct insn *then = NULL;
    bool open = false;
    for (uint64_t rest = s->products; rest; rest &= rest - 1) {
        int number = __builtin_ctzll(rest);
        if (o->group[number] <= o->done)
            continue;
        open = o->group[number] > o->committed;
        then = o->last[number];
    }
    if (then)
        hazards_note(hazards_of(w), &(struct hazard){.kind = HAZARD_REGISTERS,
                                                     .relation = RELATION_WARP,
                                                     .kernel = w->launch->kernel,
                                                     .kernel_then = w->launch->kernel,
                                                     .now = in,
                                                     .then = then,
                                                     .who = hazard_thread(w, first_lane(w->mask)),
                                                     .space = SPACE_REG,
                                                     .write = s->writes,
                                                     .asked = open});
}

static const struct insn *site_handler(struct warp *w, const struct insn *in) {
    const struct product_site *s = products_site(w->launch->kernel, in);
    const struct block_watch *b = w->block->watch;
    struct products_watch *o = b ? b->products[w->index] : NULL;
    if (o) {
        o->touched[s - b->launch->probes->products->sites] = o->fences + 1;
        note_registers(o, w, in, s);
    }
    return s->handler(w, in);
}

void products_instrument(struct products *p, struct insn *code) {
    for (struct product_site *s = p->sites; s < p->sites + p->site_count; s++) {
        s->handler = code[s->insn].handler;
        code[s->insn].handler = site_handler;
    }
}

/* ---- products and what orders them ---- */

static void note_no_fence(const struct warp *w, const struct insn *in, const struct insn *touch, bool wrote) {
    hazards_note(hazards_of(w), &(struct hazard){.kind = HAZARD_NO_FENCE,
                                                 .relation = RELATION_WARP,
                                                 .kernel = w->launch->kernel,
                                                 .kernel_then = w->launch->kernel,
                                                 .now = in,
                                                 .then = touch,
                                                 .who = hazard_thread(w, first_lane(w->mask)),
                                                 .space = SPACE_REG,
                                                 .write_then = wrote});
}

static void product_issued(struct products_watch *o, const struct products *p, const struct warp *w,
                           const struct insn *in) {
    uint32_t number = (p->numbers[in->index] - 1) % 64;
    /* The first product needs a fence in any case, because something has set the accumulators. */
    if (!o->fences)
        note_no_fence(w, in, NULL, false);
    /* touched[site] is one more than the number of fences at that time: equality now means that there has been none
     * since. */
    for (const struct product_pair *k = p->pairs; o->fences && k < p->pairs + p->pair_count; k++)
        if (k->product == in->index && o->touched[k->site] == o->fences + 1)
            note_no_fence(w, in, &w->launch->kernel->code.insns[p->sites[k->site].insn], k->writes);
    o->group[number] = o->committed + 1;
    o->last[number] = in;
}

void products_before(struct products_watch *o, const struct warp *w, const struct insn *in) {
    const struct probes *all = w->launch->kernel->probes;
    const struct probe *s = &all->items[in->index];
    if (s->kind == PROBE_PIECES)
        product_issued(o, all->products, w, in);
    o->fences += s->kind == PROBE_PRODUCT_FENCE;
    o->committed += s->kind == PROBE_PRODUCT_COMMIT;
}

void products_after_wait(struct products_watch *o, uint32_t left) {
    uint32_t done = o->committed > left ? o->committed - left : 0;
    o->done = done > o->done ? done : o->done;
}
