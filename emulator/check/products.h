/* Registers of wgmma. From its issue until wgmma.wait_group covers its group, no other instruction may touch those that
 * it writes, nor write those that it reads; and accesses to them by other instructions before the wgmma must be
 * followed by a wgmma.fence.
 *
 * ptxas decides which registers of the machine are used, and PTX is full of copies that it may drop. So a copy passes
 * on what is known of a register, and only other instructions touch it. The instructions that may do so at a wrong time
 * are found once per kernel, by following its control flow; a correct kernel has none. They are instrumented, and
 * tested at run time. */
#ifndef PRODUCTS_H
#define PRODUCTS_H

#include "check/hazards.h"
#include "decode/module.h"

/* An instruction that may touch registers of products in flight, or that may lack a fence before a later product. */
struct product_site {
    uint32_t insn;
    handler_fn handler; /* the original one, which the site's replaces */
    uint64_t products;  /* those that may be in flight, by their numbers modulo 64 */
    bool writes;        /* one of their registers */
};

struct product_pair {
    uint32_t site, product; /* a number; an instruction's index */
    bool writes;
};

struct products {
    uint32_t count;              /* of wgmma instructions */
    uint32_t *numbers, *site_of; /* by insn.index, from 1 on: a product's, a site's; or 0 */
    struct product_site *sites;
    struct product_pair *pairs; /* in the order of the products */
    uint32_t site_count, pair_count;
};

/* NULL: the kernel has none. */
struct products *products_find(const struct kernel *kernel);

/* What a warp has done. */
struct products_watch {
    uint32_t committed, done, fences;
    uint32_t group[64]; /* in which a product was last executed, from 1 on; by its number modulo 64 */
    const struct insn *last[64];
    uint32_t touched[]; /* by site: `fences` when it was last executed, plus one */
};

/* Replaces the handlers of sites; before a warp executes a product, a wgmma.fence, a commit_group; after a
 * wait_group. */
/* The site at this instruction; NULL: none. */
const struct product_site *products_site(const struct kernel *k, const struct insn *in);
void products_instrument(struct products *p, struct insn *code);
struct products_watch *products_watch_new(const struct products *p);
void products_watch_start(struct products_watch *w, const struct products *p);
void products_before(struct products_watch *o, const struct warp *w, const struct insn *in);
void products_after_wait(struct products_watch *o, uint32_t left);

#endif
