/* Which passes know instructions by themselves, instead of asking the row: string literals that are opcodes, and
 * operations that are looked for by their address.
 *   sources FORMS EXCEPTIONS FILES...
 * Decode reads the words behind an opcode's first, and some of those are opcodes elsewhere (red.add): there, and in
 * opcode_has, they may stand. form_find takes the name of an operation. A line of EXCEPTIONS: file, literal, why. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../coverage/grammar.h"
#include "isa/instruction.h"

#define NAME 64

static struct grammar forms;
static char exceptions[100][2][NAME];
static unsigned exception_count, complaints;

struct source {
    const char *path, *name, *at;
    unsigned line;
    char called[NAME]; /* the function in whose arguments we are */
    char word[NAME];   /* the last identifier */
};

static bool begins(const char *s, const char *with) {
    return strncmp(s, with, strlen(with)) == 0;
}

static bool is_decode(const struct source *s) {
    return begins(s->name, "decode");
}

static bool is_exception(const struct source *s, const char *literal) {
    for (unsigned i = 0; i < exception_count; i++)
        if (strcmp(exceptions[i][0], s->name) == 0 && strcmp(exceptions[i][1], literal) == 0)
            return true;
    return false;
}

/* A word of some opcode that is not its first. */
static bool is_modifier(const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; i < forms.candidate_count; i++) {
        const char *text = forms.candidates[i].text;
        for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
            if (at > text && at[-1] == '.' && strchr(". ;:", at[n]))
                return true;
    }
    return false;
}

static void complain(const struct source *s, const char *what, const char *why) {
    printf("%s:%u: %s %s\n", s->path, s->line, what, why);
    complaints++;
}

static void see_literal(const struct source *s, const char *literal) {
    if (instruction_find(literal) == &instruction_unknown || strcmp(s->called, "form_find") == 0 ||
        is_exception(s, literal))
        return;
    bool reads_words = is_decode(s) || strcmp(s->called, "opcode_has") == 0;
    if (!reads_words || !is_modifier(literal))
        complain(s, literal, "is an opcode: ask its row (emulator/isa)");
}

static void see_word(const struct source *s) {
    bool operation = begins(s->word, "op_") && s->name[strlen(s->name) - 1] == 'c';
    if (operation && !is_decode(s))
        complain(s, s->word, "is an operation: ask the instruction's effect (emulator/isa/effect.h)");
}

/* ---- reading C ---- */

static void skip_comment(struct source *s) {
    const char *end = strstr(s->at + 2, "*/");
    for (end = end ? end + 2 : strchr(s->at, '\0'); s->at < end; s->at++)
        s->line += *s->at == '\n';
}

static void read_literal(struct source *s, char quote) {
    char text[4096];
    size_t n = 0;
    for (s->at++; *s->at && *s->at != quote && n + 1 < sizeof text; s->at++) {
        if (*s->at == '\\' && s->at[1])
            s->at++;
        text[n++] = *s->at;
    }
    s->at += *s->at == quote;
    text[n] = '\0';
    if (quote == '"')
        see_literal(s, text);
}

static void read_word(struct source *s) {
    size_t n = 0;
    for (; isalnum((unsigned char)*s->at) || *s->at == '_'; s->at++)
        if (n + 1 < NAME)
            s->word[n++] = *s->at;
    s->word[n] = '\0';
    see_word(s);
}

static void skip_line(struct source *s) {
    while (*s->at && *s->at != '\n')
        s->at++;
}

static void read_source(struct source *s) {
    while (*s->at) {
        if (begins(s->at, "/*")) {
            skip_comment(s);
        } else if (begins(s->at, "#include")) {
            skip_line(s);
        } else if (*s->at == '"' || *s->at == '\'') {
            read_literal(s, *s->at);
        } else if (isalpha((unsigned char)*s->at) || *s->at == '_') {
            read_word(s);
        } else {
            if (*s->at == '(')
                strcpy(s->called, s->word);
            else if (strchr(");{", *s->at))
                s->called[0] = '\0';
            s->line += *s->at++ == '\n';
        }
    }
}

static char *contents(const char *path) {
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 1 << 20);
    if (!file || !text || fread(text, 1, (1 << 20) - 1, file) == 0) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return text;
}

static void read_exceptions(const char *path) {
    char *text = contents(path);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (*line != '#' &&
            sscanf(line, "%63s %63s", exceptions[exception_count][0], exceptions[exception_count][1]) == 2)
            exception_count++;
    free(text);
}

int main(int argc, char **argv) {
    if (argc < 4)
        return 2;
    grammar_read(&forms, argv[1]);
    read_exceptions(argv[2]);
    for (int i = 3; i < argc; i++) {
        const char *slash = strrchr(argv[i], '/');
        char *text = contents(argv[i]);
        read_source(&(struct source){.path = argv[i], .name = slash ? slash + 1 : argv[i], .at = text, .line = 1});
        free(text);
    }
    printf("%d files, %u complaints\n", argc - 3, complaints);
    return complaints != 0;
}
