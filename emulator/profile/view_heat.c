/* A picture of a buffer: how often one block touched each element. */
#include <stdlib.h>
#include <string.h>

#include "profile/svg.h"
#include "profile/views.h"

#define COLUMNS  32
#define MOST_ROW 32 /* larger parts of a buffer are put together, several elements to a cell */
#define CELL     25.
#define HIGH     22.
#define LEFT     110.
#define MARGIN   24.
#define TOP      104.
#define SHADES   5
#define WIDTH    (int)(LEFT + COLUMNS * CELL + MARGIN)

struct cells {
    uint32_t first, count, per_cell; /* elements */
    uint32_t touches[COLUMNS * MOST_ROW];
    uint32_t cells, most;
};

/* The part of the buffer that was touched, in at most 32 rows of 32 cells. A cell shows its busiest element. */
static bool collect(const struct heat *h, struct cells *c) {
    uint32_t last = 0;
    memset(c, 0, sizeof *c);
    c->first = h->elements;
    for (uint32_t i = 0; i < h->elements; i++)
        if (h->loads[i] + h->stores[i]) {
            c->first = i < c->first ? i : c->first;
            last = i;
        }
    if (c->first > last)
        return false;
    c->first = c->first / COLUMNS * COLUMNS;
    c->count = last + 1 - c->first;
    c->per_cell = (c->count + COLUMNS * MOST_ROW - 1) / (COLUMNS * MOST_ROW);
    c->cells = (c->count + c->per_cell - 1) / c->per_cell;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t touches = h->loads[c->first + i] + h->stores[c->first + i], *cell = &c->touches[i / c->per_cell];
        *cell = touches > *cell ? touches : *cell;
        c->most = touches > c->most ? touches : c->most;
    }
    return true;
}

static unsigned shade(uint32_t touches, uint32_t most) {
    if (!touches)
        return 0;
    return most <= SHADES - 1 ? touches : 1 + (unsigned)((uint64_t)(touches - 1) * (SHADES - 1) / most);
}

static void short_number(uint32_t n, char *out, size_t size) {
    if (n < 1000)
        snprintf(out, size, "%u", n);
    else if (n < 1000000)
        snprintf(out, size, "%uk", n / 1000);
    else
        snprintf(out, size, "%uM", n / 1000000);
}

static void draw_row(FILE *svg, FILE *text, const struct cells *c, uint32_t row, double y) {
    static const char *const classes[] = {"heat0", "heat1", "heat2", "heat3", "heat4"};
    char label[32];
    snprintf(label, sizeof label, "%u", c->first + row * COLUMNS * c->per_cell);
    svg_text(svg, LEFT - 12, y + HIGH / 2 + 5, SVG_RIGHT, "small dim", label);
    fprintf(text, "  %9s ", label);
    for (uint32_t column = 0; column < COLUMNS && row * COLUMNS + column < c->cells; column++) {
        uint32_t n = c->touches[row * COLUMNS + column];
        unsigned s = shade(n, c->most);
        svg_box(svg, LEFT + column * CELL, y, CELL, HIGH, classes[s]);
        short_number(n, label, sizeof label);
        if (n)
            svg_text(svg, LEFT + (column + 0.5) * CELL, y + HIGH / 2 + 4, SVG_MIDDLE,
                     s == SHADES - 1 ? "cell tiny light" : "cell tiny", label);
        fprintf(text, " %3s", n ? label : ".");
    }
    fputs("\n", text);
}

static const char *plural(uint64_t n) {
    return n == 1 ? "" : "s";
}

void view_heat(FILE *svg, FILE *text, const struct heat *h, const char *kernel, const uint32_t block[3]) {
    static struct cells c;
    if (!collect(h, &c))
        return;
    uint64_t loads = 0, stores = 0;
    for (uint32_t i = 0; i < h->elements; i++) {
        loads += h->loads[i];
        stores += h->stores[i];
    }
    char title[200], what[240], how[200], description[800];
    uint32_t rows = (c.cells + COLUMNS - 1) / COLUMNS;
    snprintf(title, sizeof title, "%s of %s, by block (0,0,0)", h->name, kernel);
    snprintf(what, sizeof what,
             "%u thread%s: %llu load%s and %llu store%s of elements of %u byte%s, at most %u of one element",
             block[0] * block[1] * block[2], plural(block[0] * block[1] * block[2]), (unsigned long long)loads,
             plural(loads), (unsigned long long)stores, plural(stores), h->element, plural(h->element), c.most);
    if (c.per_cell == 1)
        snprintf(how, sizeof how, "Each cell is an element; the number in it says how often threads touched it.");
    else
        snprintf(how, sizeof how,
                 "Each cell is %u elements; the number in it says how often threads touched the busiest.", c.per_cell);
    snprintf(description, sizeof description,
             "%s. %s. %s Rows have %u elements and are labelled with their first element's index; the darker, the more "
             "often.",
             title, what, how, COLUMNS * c.per_cell);
    svg_begin(svg, WIDTH, (int)(TOP + rows * HIGH + 20), title, description);
    svg_text(svg, MARGIN, 34, SVG_LEFT, "bold", title);
    svg_text(svg, MARGIN, 58, SVG_LEFT, "", what);
    svg_text(svg, MARGIN, 80, SVG_LEFT, "", how);
    fprintf(text, "%s\n  %s.\n  %s\n", title, what, how);
    for (uint32_t row = 0; row < rows; row++)
        draw_row(svg, text, &c, row, TOP + row * HIGH);
    fputs("\n", text);
    svg_end(svg);
}
