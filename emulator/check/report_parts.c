/* Each function adds lines to a report. */
#include "check/report_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/demangle.h"
#include "base/settings.h"
#include "check/source.h"

#define NAME_SIZE    600
#define FRAMES       16
#define ADVICE_WIDTH 100

static bool colours(void) {
    const char *term = setting_text(SETTING_TERM);
    return isatty(STDERR_FILENO) && !setting_text(SETTING_NO_COLOR) && term && strcmp(term, "dumb") != 0;
}

void put_title(struct text *t, const char *title) {
    bool colour = colours();
    text_format(t, MARK "%s%s%s\n", colour ? "\033[1;31m" : "", title, colour ? "\033[0m" : "");
}

/* The toolkit's headers: atomicAdd and the like are inlined functions there. */
bool is_toolkit(const char *file) {
    return strstr(file, "/include/") != NULL;
}

/* A header's own name is enough; the student's file is named so that one can open it. */
const char *shown_path(const char *file) {
    return is_toolkit(file) ? strrchr(file, '/') + 1 : source_short_path(file);
}

void put_place_words(struct text *t, const char *function, const char *file, uint32_t line) {
    char name[NAME_SIZE];
    text_string(t, demangle(function, name, sizeof name));
    if (file && line)
        text_format(t, " in %s:%u", shown_path(file), line);
}

void put_place(struct text *t, const char *label, const char *function, const char *file, uint32_t line) {
    text_format(t, MARK "    %s", label);
    put_place_words(t, function, file, line);
    text_string(t, "\n");
}

/* Where the instruction was inlined to: innermost caller first. */
void put_callers(struct text *t, const struct kernel *kernel, const struct ptx_location *caller) {
    for (int depth = 0; caller && depth < FRAMES; depth++, caller = caller->inlined_at)
        put_place(t, "    Device Frame: ", caller->function ? caller->function : kernel->name,
                  kernel_file_name(kernel, caller->file), caller->line);
}

void put_thread(struct text *t, const struct warp *w, int lane) {
    const uint32_t *block = w->block->ctaid;
    uint32_t tid[3];
    lane_thread_index(w, lane, tid);
    text_format(t, MARK "    by thread (%u,%u,%u) in block (%u,%u,%u)\n", tid[0], tid[1], tid[2], block[0], block[1],
                block[2]);
}

void put_others(struct text *t, unsigned others) {
    if (others)
        text_format(t, MARK "    and %u other thread%s of its warp did the same\n", others, others == 1 ? "" : "s");
}

/* The line to show: the innermost one that is the student's own. */
struct source_position own_line(const struct kernel *kernel, struct source_position p) {
    const struct ptx_location *caller = p.inlined_at;
    struct source_position own = p;
    while (own.file && is_toolkit(own.file) && caller) {
        own.file = kernel_file_name(kernel, caller->file);
        own.line = caller->line;
        own.column = caller->column;
        caller = caller->inlined_at;
    }
    return own.file && !is_toolkit(own.file) ? own : p;
}

void own_line_text(const struct kernel *kernel, const struct insn *in, char *out, size_t size) {
    struct source_position p = own_line(kernel, insn_position(kernel, in));
    out[0] = '\0';
    if (p.file && p.line)
        snprintf(out, size, "%s:%u", shown_path(p.file), p.line);
}

void own_calls(const struct kernel *k, const struct insn *in, char called[CALLED_TEXT]) {
    struct source_position p = k && in ? insn_position(k, in) : (struct source_position){0};
    const struct ptx_location *l = p.inlined_at;
    const char *file = p.file;
    size_t length = 0;
    called[0] = '\0';
    for (; file && is_toolkit(file) && l; l = l->inlined_at)
        file = kernel_file_name(k, l->file);
    for (; l; l = l->inlined_at) {
        file = kernel_file_name(k, l->file);
        if (!file || is_toolkit(file) || length + 16 > CALLED_TEXT)
            continue;
        length += (size_t)snprintf(called + length, CALLED_TEXT - length, "%s%u", length ? ", " : "", l->line);
        if (l->ambiguous)
            break;
    }
}

/* A caret below the column and tildes below the rest of the name that begins there. */
static void put_caret(struct text *t, const char *line, uint32_t number, uint32_t indent, uint32_t column) {
    size_t length = strlen(line), at = column - 1 - indent;
    if (column <= indent || at >= length)
        return;
    struct text digits = {0};
    text_number(&digits, number);
    text_format(t, MARK "  ");
    for (size_t i = 0; i < digits.length; i++)
        text_string(t, " ");
    text_string(t, " | ");
    for (size_t i = 0; i < at; i++)
        text_string(t, line[i] == '\t' ? "\t" : " ");
    text_string(t, "^");
    while (++at < length && (isalnum((unsigned char)line[at]) || line[at] == '_'))
        text_string(t, "~");
    text_string(t, "\n");
}

static bool put_line_of(struct text *t, struct source_position p, const struct access_shown *access) {
    char line[200];
    uint32_t indent;
    if (!p.file || !source_line(p.file, p.line, line, sizeof line, &indent))
        return false;
    text_format(t, MARK "  %u | %s\n", p.line, line);
    if (access && p.column > indent)
        p.column = source_access_column(line, access->name, access->write, p.column - indent) + indent;
    put_caret(t, line, p.line, indent, p.column);
    return true;
}

bool put_source_line(struct text *t, struct source_position p) {
    return put_line_of(t, p, NULL);
}

bool put_access_line(struct text *t, struct source_position p, struct access_shown access) {
    return put_line_of(t, p, &access);
}

static void put_source_of(struct text *t, const struct kernel *kernel, struct source_position p,
                          const struct access_shown *access) {
    p = own_line(kernel, p);
    text_string(t, MARK "\n");
    if (put_line_of(t, p, access) || !p.line)
        text_string(t, p.line ? MARK "\n" : MARK "  Compile with -lineinfo to see the line here.\n" MARK "\n");
}

void put_source(struct text *t, const struct kernel *kernel, struct source_position p) {
    put_source_of(t, kernel, p, NULL);
}

void put_access_source(struct text *t, const struct kernel *kernel, struct source_position p,
                       struct access_shown access) {
    put_source_of(t, kernel, p, &access);
}

/* Length of the first line of some prose: broken between words, but not within `code`. */
static size_t line_length(const char *prose) {
    size_t best = 0;
    bool code = false;
    for (size_t n = 0;; n++) {
        code ^= prose[n] == '`';
        if (prose[n] != '\0' && (prose[n] != ' ' || code))
            continue;
        if (n > ADVICE_WIDTH && best)
            return best;
        best = n;
        if (prose[n] == '\0')
            return n;
    }
}

void put_prose(struct text *t, const char *margin, const char *prose) {
    while (prose && *prose) {
        size_t n = line_length(prose);
        text_string(t, margin);
        text_piece(t, prose, n);
        text_string(t, "\n");
        prose += n + strspn(prose + n, " ");
    }
}

void put_advice(struct text *t, const char *advice) {
    put_prose(t, MARK "  ", advice);
    text_string(t, MARK "\n");
}
