/* Makes the exercise that a student gets from its master, the complete solution.
 *
 *     make_exercise solutions/lesson03_relu/solution.cu > lessons/lesson03_relu/exercise.cu
 *
 * The master marks each gap with quiet comments, so it compiles as it stands:
 *
 *     //> TODO 1: compute this thread's global index.      becomes   // TODO 1: compute this thread's global index.
 *     //| int i = 0;                                       becomes   int i = 0;
 *     int i = blockIdx.x * blockDim.x + threadIdx.x;       is left out
 *     //<                                                  is left out
 *
 * A TODO may go on over several `//>` lines; `//|` alone is an empty line. Everything outside the gaps is copied.
 * In a master in Python, solution.py, the marks are `#>`, `#|` and `#<`.
 */
#define _POSIX_C_SOURCE 200809L
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

struct gap {
    int first_line; /* of the open gap; 0 outside one */
    int text_ended; /* something other than `//>` has followed the TODO's text */
    int count;
};

static const char *path;
static const char *comment = "//"; /* what begins one in the master's language */

static void fail(int line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "%s:%d: ", path, line);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1);
}

/* The marker's character after `//` if this line is one, else 0. A marker stands alone: `//>x` is an ordinary comment. */
static char marker_of(const char *text) {
    size_t before = strlen(comment);
    if (strncmp(text, comment, before) != 0 || text[before] == '\0' || !strchr(">|<", text[before])) {
        return 0;
    }
    return text[before + 1] == ' ' || text[before + 1] == '\0' ? text[before] : 0;
}

static const char *after_marker(const char *text) {
    const char *after = text + strlen(comment) + 1;
    return *after == ' ' ? after + 1 : after;
}

static void open_gap(struct gap *gap, const char *text, int line) {
    int number = 0;
    if (gap->first_line && !gap->text_ended) {
        return; /* a further line of the same TODO */
    }
    if (gap->first_line) {
        fail(line, "a gap opens inside the one from line %d: close that one with %s< first", gap->first_line, comment);
    }
    if (sscanf(after_marker(text), "TODO %d:", &number) != 1) {
        fail(line, "a gap opens with '%s> TODO n: what to do', found '%s'", comment, text);
    }
    if (number != gap->count + 1) {
        fail(line, "this is TODO %d, but the next number is %d", number, gap->count + 1);
    }
    gap->first_line = line;
    gap->text_ended = 0;
    gap->count = number;
}

/* Prints the line as the exercise has it, or nothing. */
static void convert_line(struct gap *gap, const char *text, int line, FILE *out) {
    int indent = (int)strspn(text, " \t");
    const char *body = text + indent;
    char marker = marker_of(body);
    if (marker == '>') {
        open_gap(gap, body, line);
        fprintf(out, "%.*s%s %s\n", indent, text, comment, after_marker(body));
        return;
    }
    if (!gap->first_line) {
        if (marker) {
            fail(line, "'%s%c' outside a gap: no '%s> TODO n: …' before it", comment, marker, comment);
        }
        fprintf(out, "%s\n", text);
        return;
    }
    gap->text_ended = 1;
    if (marker == '<') {
        gap->first_line = 0;
    } else if (marker == '|' && *after_marker(body)) {
        fprintf(out, "%.*s%s\n", indent, text, after_marker(body));
    } else if (marker == '|') {
        fputc('\n', out);
    }
}

static void convert(FILE *in, FILE *out) {
    struct gap gap = {0, 0, 0};
    char *text = NULL;
    size_t capacity = 0;
    ssize_t length;
    int line = 0;
    while ((length = getline(&text, &capacity, in)) >= 0) {
        line++;
        while (length > 0 && isspace((unsigned char)text[length - 1])) {
            text[--length] = '\0';
        }
        convert_line(&gap, text, line, out);
    }
    free(text);
    if (gap.first_line) {
        fail(line, "the gap from line %d is never closed: its solution ends with %s<", gap.first_line, comment);
    }
    if (!gap.count) {
        fail(line, "there is no gap: mark one with '%s> TODO 1: …' and '%s<'", comment, comment);
    }
}

int main(int argc, char **argv) {
    FILE *in;
    if (argc != 2) {
        fprintf(stderr, "usage: make_exercise MASTER > EXERCISE\n");
        return 2;
    }
    path = argv[1];
    if (strlen(path) > 3 && strcmp(path + strlen(path) - 3, ".py") == 0) {
        comment = "#";
    }
    in = fopen(path, "r");
    if (!in) {
        perror(path);
        return 2;
    }
    convert(in, stdout);
    fclose(in);
    if (fflush(stdout) || ferror(stdout)) {
        perror("writing the exercise");
        return 2;
    }
    return 0;
}
