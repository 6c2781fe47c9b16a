/* The parts that reports are made of, in compute-sanitizer's form: each adds lines to a text. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "machine/grid.h"

#define MARK "========= "

void put_title(struct text *t, const char *title);
/* "at kernel(int *) in file.cu:12" */
void put_place(struct text *t, const char *label, const char *function, const char *file, uint32_t line);
/* "kernel(int *) in file.cu:12" */
void put_place_words(struct text *t, const char *function, const char *file, uint32_t line);
/* Where the instruction was inlined to: innermost caller first. */
void put_callers(struct text *t, const struct kernel *kernel, const struct ptx_location *caller);
void put_thread(struct text *t, const struct warp *w, int lane);
void put_others(struct text *t, unsigned others);
/* The source line with a caret, between two empty lines. */
void put_source(struct text *t, const struct kernel *kernel, struct source_position p);
/* Only the line and its caret; false when it cannot be read. */
bool put_source_line(struct text *t, struct source_position p);
/* An access whose column is looked for in the source line, by the name of what it accesses (NULL: not known). */
struct access_shown {
    const char *name;
    bool write;
};
void put_access_source(struct text *t, const struct kernel *kernel, struct source_position p,
                       struct access_shown access);
bool put_access_line(struct text *t, struct source_position p, struct access_shown access);
/* Prose, broken into lines that begin with a margin; with MARK, and an empty line after it. */
void put_prose(struct text *t, const char *margin, const char *prose);
void put_advice(struct text *t, const char *advice);

/* The line to show: the innermost one that is the student's own. */
struct source_position own_line(const struct kernel *kernel, struct source_position p);
/* "x.cu:12", or "". */
void own_line_text(const struct kernel *kernel, const struct insn *in, char *out, size_t size);
/* Where the inlined function that contains this line was called: lines, innermost first, "93, 145"; empty where it was
 * not. Of a long chain only the innermost ones. */
#define CALLED_TEXT 32
void own_calls(const struct kernel *kernel, const struct insn *in, char called[CALLED_TEXT]);
/* Is this a file of the toolkit? */
bool is_toolkit(const char *file);
/* How messages name a file. */
const char *shown_path(const char *file);

#endif
