/* visible.h - makes an untrusted line safe to print: from a student's program, the emulator in its process, or the compiler. For C and C++.
 * Control characters are shown, not sent: ESC as ^[. Invalid UTF-8 and changes of the writing direction become `?`, and so does text that
 * GitHub's log would interpret as a command (`::notice ...::`, `##[error]`). Files appear under the student's names for them: each line of
 * the variable GRADER_NAMES is FROM, a tab, TO. */
#ifndef TOOLS_GRADING_VISIBLE_H
#define TOOLS_GRADING_VISIBLE_H

#include <stdlib.h>
#include <string.h>

/* The length of the UTF-8 sequence at `at`, where `left` bytes remain, or 0 when it is invalid. */
static inline size_t visible_sequence(const unsigned char *at, size_t left) {
    size_t length = at[0] < 0x80                     ? 1
                    : at[0] >= 0xC2 && at[0] <= 0xDF ? 2
                    : at[0] >= 0xE0 && at[0] <= 0xEF ? 3
                    : at[0] >= 0xF0 && at[0] <= 0xF4 ? 4
                                                     : 0;
    for (size_t i = 1; i < length; i++) {
        if (i >= left || (at[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    if (length > 2 && ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] > 0x9F) ||
                       (at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F))) {
        return 0; /* overlong form, surrogate, beyond the last character */
    }
    return length;
}

/* U+0080 to U+009F also control a terminal; U+2028 to U+202E and U+2066 to U+2069 end lines and change the writing direction. */
static inline int visible_is_command(const unsigned char *at, size_t length) {
    return (length == 2 && at[0] == 0xC2 && at[1] < 0xA0) ||
           (length == 3 && at[0] == 0xE2 &&
            ((at[1] == 0x80 && at[2] >= 0xA8 && at[2] <= 0xAE) || (at[1] == 0x81 && at[2] >= 0xA6 && at[2] <= 0xA9)));
}

/* `out` has room for twice the length and the terminating zero. */
static inline void visible_characters(char *out, const char *text, size_t size) {
    const unsigned char *at = (const unsigned char *)text, *end = at + size;
    while (at < end) {
        size_t length = visible_sequence(at, (size_t)(end - at));
        if (length == 0 || visible_is_command(at, length)) {
            *out++ = '?';
        } else if (*at == '\r' && at + 1 < end && at[1] == '\n') {
            /* a line end on other systems */
        } else if ((*at < 0x20 && *at != '\n' && *at != '\t') || *at == 0x7F) {
            *out++ = '^';
            *out++ = (char)(*at ^ 0x40);
        } else {
            memcpy(out, at, length);
            out += length;
        }
        at += length ? length : 1;
    }
    *out = '\0';
}

/* A log on GitHub executes `::name ...::text` at the beginning of a line, also after spaces, and `##[name]` anywhere. */
static inline void visible_hide_commands(char *text) {
    char *start = text + strspn(text, " \t");
    if (strncmp(start, "::", 2) == 0 && strstr(start + 2, "::")) {
        *start = '?';
    }
    for (char *at = text; (at = strstr(at, "##["));) {
        at[1] = '?';
    }
}

/* Consumes `text`, which malloc has allocated, and returns a text with TO for every FROM. */
static inline char *visible_replace(char *text, const char *from, size_t from_length, const char *to,
                                    size_t to_length) {
    for (char *at = text; from_length && (at = (char *)memmem(at, strlen(at), from, from_length));) {
        size_t before = (size_t)(at - text), behind = strlen(at + from_length);
        char *made = (char *)malloc(before + to_length + behind + 1);
        if (!made) {
            abort();
        }
        memcpy(made, text, before);
        memcpy(made + before, to, to_length);
        memcpy(made + before + to_length, at + from_length, behind + 1);
        free(text);
        text = made;
        at = text + before + to_length;
    }
    return text;
}

/* A copy of the line, to be freed. */
static inline char *visible_line(const char *line, size_t size) {
    char *text = (char *)malloc(2 * size + 1);
    const char *names = getenv("GRADER_NAMES");
    if (!text) {
        abort();
    }
    visible_characters(text, line, size);
    visible_hide_commands(text);
    while (names && *names) {
        size_t length = strcspn(names, "\n"), from = strcspn(names, "\t\n");
        if (from < length) {
            text = visible_replace(text, names, from, names + from + 1, length - from - 1);
        }
        names += length + (names[length] == '\n');
    }
    return text;
}

#endif
