#include "judged.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "statement.h"

#define MISTAKE "add.u32 %p0, %p0, %p0;"

/* The line of the first candidate. */
static unsigned first_line(void) {
    unsigned line = 2; /* one line opens the kernel */
    for (const char *s = statement_module; *s; s++)
        line += *s == '\n';
    for (const char *s = statement_body; *s; s++)
        line += *s == '\n';
    return line;
}

void judged_write(const struct grammar *p, const bool *rejected, bool stop) {
    static char text[4096];
    printf("%s.visible .entry forms%s%s\n", statement_module, statement_body, statement_addresses);
    for (size_t i = 0; i < p->candidate_count; i++) {
        statement_write(p->candidates[i].text, text, sizeof text, NULL);
        puts(rejected && rejected[i] ? "" : text);
    }
    printf("%s\nret;\n}\n", stop ? MISTAKE : "");
}

bool judged_read(const struct grammar *p, const char *path, bool *rejected) {
    static char line[65536];
    bool complete = false, more = false;
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        exit(2);
    }
    while (fgets(line, sizeof line, file)) {
        const char *number = strstr(line, ", line ");
        if (!number || strstr(line, "; warning") || strstr(line, "; info"))
            continue;
        long candidate = strtol(number + 7, NULL, 10) - (long)first_line();
        if (candidate >= 0 && candidate < (long)p->candidate_count) {
            rejected[candidate] = true;
            more |= strstr(line, "; fatal") != NULL;
        } else if (candidate == (long)p->candidate_count) {
            complete = true;
        } else {
            fprintf(stderr, "ptxas rejects the module itself: %s", line);
            exit(2);
        }
    }
    fclose(file);
    return complete && !more;
}
