#include "api/graph_plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "api/user_object.h"
#include "base/out_of_memory.h"

/* ---- Making ---- */

/* Numbers the nodes in an order in which they can run: marks are numbers then. Returns how many could be numbered:
 * fewer than exist when they wait for each other in a cycle. */
static size_t sort(const struct graph *g, struct node **order) {
    size_t done = 0, ready = 0;
    for (struct node *n = g->first; n; n = n->next) {
        n->mark = n->before.count;
        if (!n->mark)
            order[ready++] = n;
    }
    while (done < ready) {
        struct node *n = order[done];
        for (size_t i = 0; i < n->after.count; i++)
            if (--n->after.items[i].node->mark == 0)
                order[ready++] = n->after.items[i].node;
        n->mark = done++;
    }
    return done;
}

bool plan_possible(const struct graph *g) {
    struct node **order = zeroed(g->count + 1, sizeof(struct node *));
    bool possible = sort(g, order) == g->count;
    free(order);
    for (const struct node *n = g->first; n && possible; n = n->next)
        for (unsigned i = 0; i < n->inner_count && possible; i++)
            possible = plan_possible(n->inner[i]);
    return possible;
}

static bool number_list(unsigned **out, unsigned *count, const struct links *l) {
    *out = calloc(l->count + 1, sizeof **out);
    if (!*out)
        return false;
    for (size_t i = 0; i < l->count; i++)
        (*out)[(*count)++] = (unsigned)l->items[i].node->mark;
    return true;
}

static bool make_step(struct step *s, struct node *n) {
    s->node = n->id;
    s->work = work_keep(n->work);
    s->enabled = true;
    if (!number_list(&s->before, &s->before_count, &n->before) || !number_list(&s->after, &s->after_count, &n->after))
        return false;
    if (!n->inner_count)
        return true;
    s->inner = calloc(n->inner_count, sizeof *s->inner);
    for (; s->inner && s->inner_count < n->inner_count; s->inner_count++)
        if (!plan_make(&s->inner[s->inner_count], n->inner[s->inner_count]))
            return false;
    return s->inner != NULL;
}

static bool make_starts(struct plan *p, const struct graph *g) {
    for (const struct condition *c = g->conditions; c; c = c->next)
        p->start_count += c->assign;
    p->starts = calloc(p->start_count + 1, sizeof *p->starts);
    unsigned i = 0;
    for (const struct condition *c = g->conditions; c && p->starts; c = c->next)
        if (c->assign)
            p->starts[i++] = (struct condition_start){c->handle, c->initial};
    return p->starts != NULL;
}

bool plan_make(struct plan *out, const struct graph *g) {
    struct node **order = calloc(g->count + 1, sizeof(struct node *));
    *out = (struct plan){.steps = calloc(g->count + 1, sizeof(struct step))};
    bool made = order && out->steps && sort(g, order) == g->count && make_starts(out, g);
    while (made && out->count < g->count) {
        struct node *n = order[out->count];
        made = make_step(&out->steps[out->count++], n);
    }
    free(order);
    if (!made)
        plan_free(out);
    return made;
}

unsigned plan_number(struct plan *p, unsigned first) {
    for (unsigned i = 0; i < p->count; i++) {
        p->steps[i].ordinal = first++;
        for (unsigned k = 0; k < p->steps[i].inner_count; k++)
            first = plan_number(&p->steps[i].inner[k], first);
    }
    return first;
}

void plan_free(struct plan *p) {
    for (unsigned i = 0; i < p->count; i++) {
        struct step *s = &p->steps[i];
        for (unsigned k = 0; k < s->inner_count; k++)
            plan_free(&s->inner[k]);
        free(s->inner);
        free(s->before);
        free(s->after);
        work_release(s->work);
    }
    free(p->steps);
    free(p->starts);
    *p = (struct plan){0};
}

/* ---- Copying ---- */

static unsigned *copy_numbers(const unsigned *from, unsigned count) {
    unsigned *to = calloc(count + 1, sizeof *to);
    if (to)
        memcpy(to, from, count * sizeof *to);
    return to;
}

static bool copy_step(struct step *to, const struct step *from) {
    *to = *from;
    work_keep(to->work);
    to->before = copy_numbers(from->before, from->before_count);
    to->after = copy_numbers(from->after, from->after_count);
    to->inner = from->inner_count ? calloc(from->inner_count, sizeof *to->inner) : NULL;
    to->inner_count = 0;
    if (!to->before || !to->after || (from->inner_count && !to->inner))
        return false;
    for (; to->inner_count < from->inner_count; to->inner_count++)
        if (!plan_copy(&to->inner[to->inner_count], &from->inner[to->inner_count]))
            return false;
    return true;
}

bool plan_copy(struct plan *out, const struct plan *p) {
    *out = (struct plan){.steps = calloc(p->count + 1, sizeof(struct step)),
                         .starts = calloc(p->start_count + 1, sizeof *out->starts),
                         .start_count = p->start_count};
    bool copied = out->steps && out->starts;
    if (copied)
        memcpy(out->starts, p->starts, p->start_count * sizeof *p->starts);
    while (copied && out->count < p->count) {
        unsigned i = out->count++;
        copied = copy_step(&out->steps[i], &p->steps[i]);
    }
    if (!copied)
        plan_free(out);
    return copied;
}

void shared_plan_release(struct shared_plan *p) {
    assert(!p || atomic_load(&p->references) > 0);
    if (!p || atomic_fetch_sub(&p->references, 1) != 1)
        return;
    held_objects_release(p->objects);
    plan_free(&p->plan);
    free(p);
}

struct plan *executable_change(struct executable *e) {
    if (atomic_load(&e->plan->references) == 1)
        return &e->plan->plan;
    struct shared_plan *copy = calloc(1, sizeof *copy);
    if (!copy || !plan_copy(&copy->plan, &e->plan->plan) || !held_objects_copy(&copy->objects, e->plan->objects)) {
        if (copy)
            plan_free(&copy->plan);
        free(copy);
        return NULL;
    }
    copy->references = 1;
    copy->step_count = e->plan->step_count;
    shared_plan_release(e->plan);
    e->plan = copy;
    return &copy->plan;
}

/* ---- Walking ---- */

struct step *plan_find(struct plan *p, uint64_t node) {
    for (unsigned i = 0; i < p->count; i++) {
        struct step *s = &p->steps[i], *found = s->node == node ? s : NULL;
        for (unsigned k = 0; k < s->inner_count && !found; k++)
            found = plan_find(&s->inner[k], node);
        if (found)
            return found;
    }
    return NULL;
}

void plan_each(const struct plan *p, void (*visit)(const struct step *s, void *argument), void *argument) {
    for (unsigned i = 0; i < p->count; i++) {
        visit(&p->steps[i], argument);
        for (unsigned k = 0; k < p->steps[i].inner_count; k++)
            plan_each(&p->steps[i].inner[k], visit, argument);
    }
}
