/* Reads EMULATOR_CHECK, once. */
#include "base/checks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"

static unsigned on;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static unsigned check_by_name(const char *name, size_t length) {
    static const struct {
        const char *name;
        unsigned checks;
    } names[] = {
        {"memcheck", CHECK_MEMORY},
        {"racecheck", CHECK_RACE},
        {"synccheck", CHECK_SYNC},
        {"initcheck", CHECK_INIT},
        {"leak", CHECK_LEAK},
        {"unused", CHECK_UNUSED | CHECK_INIT}, /* which tracks what is written */
        {"strict", CHECK_STRICT},
        {"approx", CHECK_APPROX},
        {"slow", CHECK_SLOW},
        {"careful", CHECK_SLOW}, /* its former name */
        {"none", 0},
        {"all", CHECK_MEMORY | CHECK_RACE | CHECK_SYNC | CHECK_INIT | CHECK_LEAK},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == length && memcmp(names[i].name, name, length) == 0)
            return names[i].checks;
    fprintf(stderr,
            "========= EMULATOR_CHECK: unknown check '%.*s'; the checks are memcheck, racecheck, synccheck, initcheck, "
            "leak, unused, strict, approx and all.\n",
            (int)length, name);
    exit(2);
}

static void read_environment(void) {
    const char *wanted = setting_text(SETTING_CHECK);
    while (wanted && *wanted) {
        size_t length = strcspn(wanted, ", ");
        if (length)
            on |= check_by_name(wanted, length);
        wanted += length;
        wanted += *wanted != '\0';
    }
}

unsigned checks_on(void) {
    pthread_once(&once, read_environment);
    return on;
}

bool checks_go_on(void) {
    const char *wanted = setting_text(SETTING_ON_ERROR);
    return wanted && strcmp(wanted, "kernel") == 0;
}

int checks_exit_code(void) {
    return (int)setting_number(SETTING_ERROR_EXITCODE);
}
