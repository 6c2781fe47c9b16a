/* A picture of a warp in time: which of its lanes were active, instruction after instruction. */
#include <stdlib.h>
#include <string.h>

#include "profile/svg.h"
#include "profile/views.h"

#define MOST_SPANS 48 /* stretches of one line with one mask that are drawn */
#define LANE       11.
#define LEFT       84.
#define MARGIN     24.
#define TOP        112.
#define LEAST      21.
#define MOST       64.

/* Instructions of one line, one after the other, by the same lanes. */
struct span {
    uint32_t line, mask, count;
};

struct spans {
    struct span span[MOST_SPANS];
    unsigned count;
    uint32_t shown, all; /* instructions */
};

static uint64_t idle_lanes(const struct trace_warp *w) {
    uint64_t idle = 0;
    for (uint32_t i = 0; i < w->count; i++)
        idle += (unsigned)(WARP_SIZE - __builtin_popcount(w->steps[i].mask));
    return idle;
}

/* The warp that has the most idle lanes. */
static unsigned choose(const struct trace *t) {
    unsigned best = 0;
    for (unsigned i = 1; i < WARP_SIZE; i++)
        if (t->warps[i].count && idle_lanes(&t->warps[i]) > idle_lanes(&t->warps[best]))
            best = i;
    return best;
}

static void collect(const struct trace_warp *w, struct spans *s) {
    memset(s, 0, sizeof *s);
    s->all = w->count;
    for (uint32_t i = 0; i < w->count; i++) {
        struct span *last = s->count ? &s->span[s->count - 1] : NULL;
        if (last && last->mask == w->steps[i].mask && last->line == w->steps[i].insn) {
            last->count++;
        } else {
            if (s->count == MOST_SPANS)
                return;
            s->span[s->count++] = (struct span){w->steps[i].insn, w->steps[i].mask, 1};
        }
        s->shown++;
    }
}

static double width_of(const struct span *s) {
    double width = LEAST + 3. * s->count;
    return width < MOST ? width : MOST;
}

/* A run of lanes in one state is one box: idle lanes are hatched. */
static void draw_span(FILE *svg, const struct span *s, double x, double width) {
    for (unsigned l = 0; l < WARP_SIZE;) {
        bool active = s->mask >> l & 1;
        unsigned first = l;
        while (l < WARP_SIZE && (s->mask >> l & 1) == active)
            l++;
        svg_box(svg, x, TOP + first * LANE, width, (l - first) * LANE, active ? "used" : "wasted");
    }
}

static void draw_labels(FILE *svg, const struct span *s, double x, double width, bool first_of_line) {
    char label[16];
    double bottom = TOP + WARP_SIZE * LANE;
    if (first_of_line) {
        snprintf(label, sizeof label, "%u", s->line);
        svg_text(svg, x + width / 2, TOP - 8, SVG_MIDDLE, "cell", label);
    }
    snprintf(label, sizeof label, "%d", __builtin_popcount(s->mask));
    svg_text(svg, x + width / 2, bottom + 16, SVG_MIDDLE, "cell", label);
}

static void text_spans(FILE *text, const struct spans *s) {
    fprintf(text, "  line  instructions  active  lanes 0 to 31\n");
    for (unsigned i = 0; i < s->count; i++) {
        char lanes[WARP_SIZE + 1];
        for (unsigned l = 0; l < WARP_SIZE; l++)
            lanes[l] = s->span[i].mask >> l & 1 ? '#' : '.';
        lanes[WARP_SIZE] = '\0';
        fprintf(text, "  %4u  %12u  %6d  %s\n", s->span[i].line, s->span[i].count, __builtin_popcount(s->span[i].mask),
                lanes);
    }
}

void view_divergence(FILE *svg, FILE *text, const struct trace *t, const char *kernel) {
    unsigned number = choose(t);
    const struct trace_warp *w = &t->warps[number];
    struct spans s;
    collect(w, &s);
    if (!s.count)
        return;
    double width = LEFT + MARGIN, bottom = TOP + WARP_SIZE * LANE;
    for (unsigned i = 0; i < s.count; i++)
        width += width_of(&s.span[i]);
    width = width < 640 ? 640 : width;
    double average = WARP_SIZE - (double)idle_lanes(w) / w->count;
    char title[200], what[200], how[200], description[900];
    snprintf(title, sizeof title, "Warp %u of block 0 in %s", number, kernel);
    snprintf(what, sizeof what, "%s%u instructions; on average %.1f of 32 threads are active",
             w->cut ? "the first " : "", w->count, average);
    if (s.shown < s.all)
        snprintf(how, sizeof how,
                 "The first %u instructions, from left to right; instructions of one line are grouped.", s.shown);
    else
        snprintf(how, sizeof how, "From left to right in time; instructions of one line are grouped.");
    snprintf(description, sizeof description,
             "%s: %s. %s Each row is a thread of the warp; columns are labelled with the source line above and the "
             "number of active "
             "threads below. Idle threads are hatched.",
             title, what, how);
    svg_begin(svg, (int)width, (int)(bottom + 66), title, description);
    svg_text(svg, MARGIN, 34, SVG_LEFT, "bold", title);
    svg_text(svg, MARGIN, 56, SVG_LEFT, "", what);
    svg_text(svg, MARGIN, 78, SVG_LEFT, "", how);
    svg_text(svg, LEFT - 10, TOP - 8, SVG_RIGHT, "small dim", "line");
    svg_text(svg, LEFT - 10, TOP + LANE, SVG_RIGHT, "small", "thread 0");
    svg_text(svg, LEFT - 10, bottom - 2, SVG_RIGHT, "small", "31");
    svg_text(svg, LEFT - 10, bottom + 16, SVG_RIGHT, "small dim", "active");
    double x = LEFT;
    for (unsigned i = 0; i < s.count; x += width_of(&s.span[i]), i++) {
        draw_span(svg, &s.span[i], x, width_of(&s.span[i]));
        draw_labels(svg, &s.span[i], x, width_of(&s.span[i]), !i || s.span[i - 1].line != s.span[i].line);
    }
    svg_box(svg, MARGIN, bottom + 30, 22, 18, "used");
    svg_text(svg, MARGIN + 30, bottom + 44, SVG_LEFT, "small", "active");
    svg_box(svg, MARGIN + 90, bottom + 30, 22, 18, "wasted");
    svg_text(svg, MARGIN + 120, bottom + 44, SVG_LEFT, "small",
             "idle: other threads of its warp execute another path, or it has exited");
    fprintf(text, "%s\n  %s.\n  %s\n", title, what, how);
    text_spans(text, &s);
    fputs("\n", text);
    svg_end(svg);
}
