/* See debug_strings.h. A body is `label: .b8 95,90,0 label: ...`. Anything else in it, as in the other sections, is
 * skipped. */
#include "ptx/debug_strings.h"

#include <stdlib.h>
#include <string.h>

struct debug_string {
    const char *label;
    char text[1024];
    size_t length;
};

/* Replaces labels that an earlier section did not: a label that is already replaced by a name no longer equals any
 * label. */
static void resolve(struct arena *arena, const struct debug_string *s, struct ptx_location *locations) {
    const char *text = NULL;
    for (struct ptx_location *l = locations; l; l = l->next) {
        if (l->function != s->label)
            continue;
        if (!text)
            text = arena_intern(arena, s->text, s->length);
        l->function = text;
    }
}

/* The bytes after .b8, up to the zero that ends the string or as many as there are. */
static struct token read_bytes(struct lexer *x, struct debug_string *s) {
    struct token t = lexer_next(x);
    while (t.kind == TOKEN_INTEGER) {
        if (t.value > 0 && s->length < sizeof s->text)
            s->text[s->length++] = (char)t.value;
        t = lexer_next(x);
        if (t.kind == TOKEN_PUNCT && t.punct == ',')
            t = lexer_next(x);
    }
    return t;
}

static bool is_directive(struct token t, const char *name) {
    return t.kind == TOKEN_DIRECTIVE && t.length == strlen(name) && memcmp(t.text, name, t.length) == 0;
}

void debug_strings_read(struct arena *arena, struct lexer body, struct ptx_location *locations) {
    struct debug_string s = {0};
    struct token t = lexer_next(&body);
    while (t.kind != TOKEN_END) {
        if (is_directive(t, ".b8")) {
            t = read_bytes(&body, &s);
            continue;
        }
        struct token after = lexer_next(&body);
        if (t.kind == TOKEN_WORD && after.kind == TOKEN_PUNCT && after.punct == ':') {
            if (s.label && s.length)
                resolve(arena, &s, locations);
            s.label = arena_intern(arena, t.text, t.length);
            s.length = 0;
        }
        t = after;
    }
    if (s.label && s.length)
        resolve(arena, &s, locations);
}
