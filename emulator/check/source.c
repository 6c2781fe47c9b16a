/* Reads lines of source files, and finds the column of an access in one. */
#include "check/source.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *source_short_path(const char *path) {
    char here[PATH_MAX];
    if (path[0] != '/' || !getcwd(here, sizeof here))
        return path;
    size_t n = strlen(here);
    if (n > 1 && strncmp(path, here, n) == 0 && path[n] == '/')
        return path + n + 1;
    return path;
}

/* Only plain files: reading a pipe or a device named by a .loc could wait for ever. */
static FILE *open_plain_file(const char *path) {
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode))
        return NULL;
    return fopen(path, "re");
}

/* Returns how many characters were taken from the front. */
static size_t trim(char *s) {
    size_t n = strlen(s), start = 0;
    while (n && isspace((unsigned char)s[n - 1]))
        s[--n] = '\0';
    while (isspace((unsigned char)s[start]))
        start++;
    memmove(s, s + start, n - start + 1);
    return start;
}

/* Reads the rest of a line into out as far as it fits; false at the end of the file. */
static bool read_line(FILE *file, char *out, size_t size) {
    size_t n = 0;
    int c = getc(file);
    if (c == EOF)
        return false;
    for (; c != EOF && c != '\n'; c = getc(file))
        if (n + 1 < size)
            out[n++] = isprint(c) || c >= 0x80 ? (char)c : ' ';
    out[n] = '\0';
    return true;
}

bool source_line(const char *path, uint32_t line, char *out, size_t size, uint32_t *indent) {
    FILE *file = line ? open_plain_file(path) : NULL;
    if (!file)
        return false;
    bool found = true;
    for (uint32_t i = 0; found && i < line; i++)
        found = read_line(file, out, size);
    fclose(file);
    if (!found)
        return false;
    *indent = (uint32_t)trim(out);
    return out[0] != '\0';
}

/* ---- the place of an access in its line ---- */

static bool in_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Is something accessed by the name at p? */
static bool is_access(const char *line, const char *p, size_t length) {
    const char *after = p + length + strspn(p + length, " ");
    bool pointer = p > line && (p[-1] == '*' || p[-1] == '&');
    return *after == '[' || (after[0] == '-' && after[1] == '>') || pointer;
}

/* The `=` of an assignment from p on, also one that computes; NULL: there is none. */
static const char *assignment(const char *p) {
    for (; *p; p++) {
        if (strchr("=<>!", *p) && p[1] == '=')
            p += 1 + (p[1] == '=' && p[2] == '=');
        else if (*p == '=')
            return p;
    }
    return NULL;
}

struct places {
    uint32_t count, last;
    bool first_is_statement; /* where the statement begins */
};

static struct places find_places(const char *line, const char *name, uint32_t column) {
    struct places found = {0};
    size_t length = strlen(name);
    for (const char *p = line; length && (p = strstr(p, name)); p += length) {
        if ((p > line && in_word(p[-1])) || in_word(p[length]) || !is_access(line, p, length))
            continue;
        found.last = (uint32_t)(p - line) + 1;
        found.first_is_statement |= !found.count && found.last == column;
        found.count++;
    }
    return found;
}

uint32_t source_access_column(const char *line, const char *name, bool write, uint32_t column) {
    struct places found = name ? find_places(line, name, column) : (struct places){0};
    const char *equals = column <= strlen(line) ? assignment(line + column - 1) : NULL;
    bool computes = equals && equals > line && strchr("+-*/%&|^<>", equals[-1]);
    if (found.count == 1)
        return found.last;
    if (found.count && (!equals || !found.first_is_statement || found.count > 2))
        return 0;
    if (found.count)
        return write ? column : computes ? 0 : found.last;
    return equals && !write ? 0 : column;
}
