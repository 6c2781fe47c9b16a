/* Which elements the pictures of buffers put into a row. */
#include "profile/heat_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ELEMENTS 20000

static uint32_t loads[ELEMENTS], stores[ELEMENTS];
static struct heat_rows rows;
static int failures;

static void check(const char *name, bool right) {
    if (right)
        printf("ok heat rows: %s\n", name);
    else
        printf("not ok heat rows: %s: pitch %u, row 0 at %u, %u rows from %u, %u columns from %u, %u x %u cells\n",
               name, rows.pitch, rows.origin, rows.rows, rows.first_row, rows.columns, rows.first_column,
               rows.cell_rows, rows.cell_columns);
    failures += !right;
}

static void begin(void) {
    memset(loads, 0, sizeof loads);
    memset(stores, 0, sizeof stores);
}

/* A box of a matrix whose rows have `pitch` elements and begin at `origin`. */
static void touch_box(uint32_t origin, uint32_t pitch, uint32_t row, uint32_t column, uint32_t height, uint32_t width) {
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            loads[origin + (row + y) * pitch + column + x] += 1 + (y == 1 && x == 2);
}

static bool is_box(uint32_t pitch, uint32_t row, uint32_t column, uint32_t height, uint32_t width) {
    return rows.matrix && rows.pitch == pitch && rows.first_row == row && rows.first_column == column &&
           rows.rows == height && rows.columns == width;
}

static void look(uint64_t pitch_bytes) {
    const struct heat h = {.element = 4, .elements = ELEMENTS, .pitch = pitch_bytes, .loads = loads, .stores = stores};
    heat_rows_of(&h, &rows);
}

static void matrices(void) {
    begin();
    touch_box(0, 512, 0, 0, 12, 36);
    look(2048);
    check("an allocation's pitch", is_box(512, 0, 0, 12, 36) && rows.cell_columns == 36 && rows.touches[36 + 2] == 2);
    look(0);
    check("the pitch that accesses show", is_box(512, 0, 0, 12, 36) && rows.origin == 0 && rows.touches[36 + 2] == 2);
    begin();
    touch_box(0, 500, 8, 32, 10, 34);
    look(0);
    check("a box in the middle", is_box(500, 8, 32, 10, 34));
    begin();
    touch_box(30, 100, 0, 60, 20, 34); /* torn apart where rows would begin at the buffer's start */
    look(0);
    check("rows that begin later", rows.pitch == 100 && rows.rows == 20 && rows.columns == 34);
    begin();
    touch_box(0, 33, 0, 0, 32, 32);
    look(33 * 4);
    check("a padded tile", is_box(33, 0, 0, 32, 32));
    begin();
    touch_box(0, 100, 0, 0, 100, 80);
    look(0);
    check("a box with more elements than cells", is_box(100, 0, 0, 100, 80) && rows.per_row == 4 &&
                                                     rows.per_column == 2 && rows.cell_rows == 25 &&
                                                     rows.cell_columns == 40);
}

static void lines(void) {
    begin();
    touch_box(0, 1, 70, 0, 256, 1);
    look(0);
    check("a line", !rows.matrix && rows.pitch == 32 && rows.origin == 64 && rows.rows == 9);
    begin();
    for (uint32_t i = 0; i < 512; i += 2)
        stores[i] = 1;
    look(0);
    check("every second element of a line", !rows.matrix && rows.pitch == 32 && rows.rows == 16);
    begin();
    for (uint32_t i = 0, at = 0; i < 100; i++, at += 40 + i)
        stores[at] = 1;
    look(0);
    check("elements at unequal distances", !rows.matrix);
    begin();
    const struct heat none = {.element = 4, .elements = ELEMENTS, .loads = loads, .stores = stores};
    check("a buffer that nobody touched", !heat_rows_of(&none, &rows));
}

int main(void) {
    matrices();
    lines();
    return failures != 0;
}
