/* Writing the pieces of a picture as SVG. */
#include "profile/svg.h"

static void put_escaped(FILE *out, const char *s) {
    for (; *s; s++)
        switch (*s) {
        case '<':
            fputs("&lt;", out);
            break;
        case '>':
            fputs("&gt;", out);
            break;
        case '&':
            fputs("&amp;", out);
            break;
        default:
            putc(*s, out);
        }
}

static const char *const style =
    "  <style>\n"
    "    text { font-family: Helvetica, Arial, sans-serif; font-size: 14px; fill: #1a1a1a; white-space: pre; }\n"
    "    .small { font-size: 12px; }\n"
    "    .tiny { font-size: 9.5px; }\n"
    "    .mono { font-family: \"DejaVu Sans Mono\", Menlo, Consolas, monospace; font-size: 12.5px; }\n"
    "    .cell { font-family: \"DejaVu Sans Mono\", Menlo, Consolas, monospace; font-size: 11.5px; }\n"
    "    .bold { font-weight: bold; }\n"
    "    .dim { fill: #5c5c5c; }\n"
    "    .light { fill: #ffffff; }\n"
    "    .card { fill: #ffffff; stroke: #c4c4c4; }\n"
    "    .box { fill: #ffffff; stroke: #1a1a1a; }\n"
    "    .used { fill: #dbe6f3; stroke: #1a1a1a; }\n"
    "    .strong { fill: #1f5fa8; stroke: #1a1a1a; }\n"
    "    .wasted { fill: url(#hatch); stroke: #1a1a1a; }\n"
    "    .empty { fill: none; stroke: #b9b9b9; stroke-dasharray: 2 2; }\n"
    "    .frame { fill: none; stroke: #1a1a1a; stroke-width: 2.5; }\n"
    "    .axis { stroke: #8a8a8a; stroke-width: 1; }\n"
    "    .heat0 { fill: #ffffff; stroke: #b9b9b9; } .heat1 { fill: #eaf1f9; stroke: #8a8a8a; }\n"
    "    .heat2 { fill: #bcd4ee; stroke: #8a8a8a; } .heat3 { fill: #7fabdc; stroke: #8a8a8a; }\n"
    "    .heat4 { fill: #1f5fa8; stroke: #8a8a8a; }\n"
    "    .hatchline { stroke: #9a9a9a; stroke-width: 2; } .hatchground { fill: #ffffff; }\n"
    "    @media (prefers-color-scheme: dark) {\n"
    "      text { fill: #ececec; } .dim { fill: #a8a8a8; } .light { fill: #ffffff; }\n"
    "      .card { fill: #16181c; stroke: #4a4d52; } .box { fill: #16181c; stroke: #d0d0d0; }\n"
    "      .used { fill: #27405f; stroke: #d0d0d0; } .strong { fill: #2f74c0; stroke: #d0d0d0; }\n"
    "      .wasted { stroke: #d0d0d0; } .empty { stroke: #55585e; } .frame { stroke: #ececec; } .axis { stroke: "
    "#7d8085; }\n"
    "      .heat0 { fill: #16181c; stroke: #55585e; } .heat1 { fill: #1d2a3a; } .heat2 { fill: #27405f; }\n"
    "      .heat3 { fill: #2f5f96; } .heat4 { fill: #4f97e6; }\n"
    "      .hatchline { stroke: #6b6e74; } .hatchground { fill: #16181c; }\n"
    "    }\n"
    "  </style>\n"
    "  <defs>\n"
    "    <pattern id=\"hatch\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
    "patternTransform=\"rotate(45)\">\n"
    "      <rect width=\"6\" height=\"6\" class=\"hatchground\"/>"
    "<line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" class=\"hatchline\"/>\n"
    "    </pattern>\n"
    "  </defs>\n";

void svg_begin(FILE *out, int width, int height, const char *title, const char *description) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
            "aria-labelledby=\"title desc\">\n  <title id=\"title\">",
            width, height, width, height);
    put_escaped(out, title);
    fputs("</title>\n  <desc id=\"desc\">", out);
    put_escaped(out, description);
    fputs("</desc>\n", out);
    fputs(style, out);
    fprintf(out, "  <rect x=\"1\" y=\"1\" width=\"%d\" height=\"%d\" rx=\"8\" class=\"card\"/>\n", width - 2,
            height - 2);
}

void svg_end(FILE *out) {
    fputs("</svg>\n", out);
}

void svg_text(FILE *out, double x, double y, enum svg_align align, const char *class, const char *text) {
    static const char *const anchors[] = {"start", "middle", "end"};
    fprintf(out, "  <text x=\"%.4g\" y=\"%.4g\" text-anchor=\"%s\" class=\"%s\">", x, y, anchors[align], class);
    put_escaped(out, text);
    fputs("</text>\n", out);
}

void svg_box(FILE *out, double x, double y, double width, double height, const char *class) {
    fprintf(out, "  <rect x=\"%.5g\" y=\"%.5g\" width=\"%.5g\" height=\"%.5g\" class=\"%s\"/>\n", x, y, width, height,
            class);
}

void svg_line(FILE *out, double x1, double y1, double x2, double y2, const char *class) {
    fprintf(out, "  <line x1=\"%.5g\" y1=\"%.5g\" x2=\"%.5g\" y2=\"%.5g\" class=\"%s\"/>\n", x1, y1, x2, y2, class);
}
