/* See source.h. */
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
