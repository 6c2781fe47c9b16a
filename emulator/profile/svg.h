/* Pieces of a picture: a card with text and cells. Fills differ in pattern, not only in colour, and the title and the
 * description describe the picture for readers who cannot see it. Light and dark. */
#ifndef SVG_H
#define SVG_H

#include <stdio.h>

enum svg_align { SVG_LEFT, SVG_MIDDLE, SVG_RIGHT };

void svg_begin(FILE *out, int width, int height, const char *title, const char *description);
void svg_end(FILE *out);
/* class: of the style: "", "small", "mono", "bold", and several of them. */
void svg_text(FILE *out, double x, double y, enum svg_align align, const char *class, const char *text);
void svg_box(FILE *out, double x, double y, double width, double height, const char *class);
void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *class);

#endif
