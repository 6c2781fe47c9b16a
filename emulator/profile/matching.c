/* Kernels in three rounds, lines by their longest common subsequence first, then the rest. */
#include "profile/matching.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"

#define ALIKE 0.65 /* of the shorter line's pairs of letters are in the longer one: it was edited into that line */

/* ---- kernels ---- */

/* Are the names the same but for digits? turn_kernel1 becomes turn_kernel2. */
static bool same_but_digits(const char *a, const char *b) {
    for (;; a++, b++) {
        while (isdigit((unsigned char)*a))
            a++;
        while (isdigit((unsigned char)*b))
            b++;
        if (*a != *b || !*a)
            return *a == *b;
    }
}

static bool same_name(const char *a, const char *b) {
    return strcmp(a, b) == 0;
}

static bool any_name(const char *a, const char *b) {
    (void)a, (void)b;
    return true;
}

struct kernel_pair *match_kernels(const struct saved_run *before, const struct saved_run *after, size_t *count) {
    static bool (*const same[])(const char *, const char *) = {same_name, same_but_digits, any_name};
    struct kernel_pair *pairs = zeroed(before->kernel_count + after->kernel_count, sizeof *pairs);
    bool *taken = zeroed(before->kernel_count, sizeof *taken);
    size_t left = after->kernel_count, left_before = before->kernel_count;
    for (size_t i = 0; i < after->kernel_count; i++)
        pairs[i].after = &after->kernels[i];
    for (int how = 0; how < 3; how++) {
        if (same[how] == any_name && (left != 1 || left_before != 1))
            continue; /* only the last ones of both sides are matched regardless of their names */
        for (size_t i = 0; i < after->kernel_count; i++)
            for (size_t k = 0; k < before->kernel_count && !pairs[i].before; k++)
                if (!taken[k] && same[how](before->kernels[k].name, after->kernels[i].name)) {
                    pairs[i].before = &before->kernels[k];
                    taken[k] = true;
                    left--, left_before--;
                }
    }
    *count = after->kernel_count;
    for (size_t k = 0; k < before->kernel_count; k++)
        if (!taken[k])
            pairs[(*count)++].before = &before->kernels[k];
    free(taken);
    return pairs;
}

/* ---- lines ---- */

struct lines {
    const struct saved_kernel *before, *after;
    struct line_pair *pairs; /* by line of `after`, then the removed ones */
    bool *taken;             /* lines of `before` */
};

/* A line whose text is not known is identified by its number. */
static bool same_line(const struct saved_line *a, const struct saved_line *b) {
    return *a->text || *b->text ? strcmp(a->text, b->text) == 0
                                : a->number == b->number && strcmp(a->file, b->file) == 0;
}

static void pair_up(struct lines *l, size_t before, size_t after, bool edited) {
    l->pairs[after].before = &l->before->lines[before];
    l->pairs[after].edited = edited;
    l->taken[before] = true;
}

/* The longest common subsequence: lines that stayed, in their order. */
static void match_in_order(struct lines *l) {
    size_t n = l->before->line_count, m = l->after->line_count, row = m + 1;
    uint32_t *longest = zeroed((n + 1) * row, sizeof *longest); /* of the lines after line i and line k */
    for (size_t i = n; i-- > 0;)
        for (size_t k = m; k-- > 0;) {
            uint32_t down = longest[(i + 1) * row + k], right = longest[i * row + k + 1];
            longest[i * row + k] = same_line(&l->before->lines[i], &l->after->lines[k])
                                       ? longest[(i + 1) * row + k + 1] + 1
                                   : down > right ? down
                                                  : right;
        }
    for (size_t i = 0, k = 0; i < n && k < m;)
        if (same_line(&l->before->lines[i], &l->after->lines[k]))
            pair_up(l, i++, k++, false);
        else if (longest[(i + 1) * row + k] >= longest[i * row + k + 1])
            i++;
        else
            k++;
    free(longest);
}

/* How many of the shorter line's pairs of neighbouring letters are in the other one: 0 to 1. */
static double likeness(const char *a, const char *b) {
    size_t pairs_a = strlen(a), pairs_b = strlen(b), common = 0;
    bool used[SAVED_TEXT] = {false};
    if (pairs_a < 3 || pairs_b < 3)
        return 0;
    for (size_t i = 0; i + 1 < pairs_a; i++)
        for (size_t k = 0; k + 1 < pairs_b && k < SAVED_TEXT; k++)
            if (!used[k] && a[i] == b[k] && a[i + 1] == b[k + 1]) {
                used[k] = true;
                common++;
                break;
            }
    return (double)common / (double)((pairs_a < pairs_b ? pairs_a : pairs_b) - 1);
}

/* Do they do the same kinds of accesses? An edit that changes more than their number makes another line. */
static bool same_accesses(const struct saved_line *a, const struct saved_line *b) {
    for (enum kind_of_access kind = 0; kind < KINDS_OF_ACCESS; kind++)
        if (!counts_of_kind(&a->counts, kind).requests != !counts_of_kind(&b->counts, kind).requests)
            return false;
    return true;
}

/* Of the unmatched lines of `before`, the one that is most similar to this; line_count if none is. */
static size_t most_alike(const struct lines *l, const struct saved_line *line) {
    size_t best = l->before->line_count;
    double most = ALIKE;
    for (size_t i = 0; i < l->before->line_count; i++) {
        const struct saved_line *old = &l->before->lines[i];
        double now = l->taken[i] || !same_accesses(old, line) ? 0 : likeness(old->text, line->text);
        if (now >= most && (best == l->before->line_count || now > most)) {
            most = now;
            best = i;
        }
    }
    return best;
}

struct line_pair *match_lines(const struct saved_kernel *before, const struct saved_kernel *after, size_t *count) {
    size_t n = before->line_count, m = after->line_count;
    struct lines l = {before, after, zeroed(n + m, sizeof *l.pairs), zeroed(n, sizeof *l.taken)};
    for (size_t k = 0; k < m; k++)
        l.pairs[k].after = &after->lines[k];
    match_in_order(&l);
    for (size_t k = 0; k < m; k++) /* moved */
        for (size_t i = 0; i < n && !l.pairs[k].before; i++)
            if (!l.taken[i] && same_line(&before->lines[i], &after->lines[k]))
                pair_up(&l, i, k, false);
    for (size_t k = 0; k < m; k++) {
        size_t i = l.pairs[k].before ? n : most_alike(&l, &after->lines[k]);
        if (i < n)
            pair_up(&l, i, k, true);
    }
    *count = m;
    for (size_t i = 0; i < n; i++)
        if (!l.taken[i])
            l.pairs[(*count)++].before = &before->lines[i];
    free(l.taken);
    return l.pairs;
}
