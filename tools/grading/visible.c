/* visible [BYTES]: copies its input, as visible.h shows it; no more than that many bytes of it. */
#define _GNU_SOURCE
#include <stdio.h>

#include "visible.h"

int main(int argc, char **argv) {
    char *line = NULL;
    size_t capacity = 0;
    long left = argc > 1 ? atol(argv[1]) : -1;
    for (ssize_t length; (length = getline(&line, &capacity, stdin)) > 0;) {
        char *shown = visible_line(line, (size_t)length);
        left -= argc > 1 ? length : 0;
        if (argc > 1 && left < 0) {
            puts("(more was left out)");
            free(shown);
            break;
        }
        fputs(shown, stdout);
        free(shown);
    }
    free(line);
    return 0;
}
