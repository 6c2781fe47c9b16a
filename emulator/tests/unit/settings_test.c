/* The variables of the environment: what emulator/README.md says of each is what base/settings.c says, row by row. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/settings.h"

static int failures;

static void expect(const char *name, bool good, const char *why) {
    printf(good ? "ok settings/%s\n" : "not ok settings/%s: %s\n", name, why);
    failures += !good;
}

static char *readme(void) {
    static char text[1 << 20];
    FILE *f = fopen("README.md", "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f)
        fclose(f);
    return text;
}

static void test_rows(const char *page) {
    char row[1024];
    for (int i = 0; i < SETTINGS; i++) {
        const struct setting_row *s = &settings[i];
        snprintf(row, sizeof row, "\n| `%s` | %s |%s%s |\n", s->name, s->meaning, *s->fallback ? " " : "", s->fallback);
        expect(s->name, strstr(page, row) != NULL, "emulator/README.md has no such row in its table of variables");
    }
}

static void test_no_other_rows(const char *page) {
    unsigned rows = 0;
    for (const char *at = page; (at = strstr(at, "\n| `EMULATOR_")) != NULL; at++)
        rows++;
    expect("no other rows", rows == SETTINGS, "emulator/README.md has rows of variables that nobody reads");
}

static void test_values(void) {
    unsetenv("EMULATOR_TIMEOUT");
    expect("default", setting_number(SETTING_TIMEOUT) == 300, "a number that is not set is not its default");
    setenv("EMULATOR_TIMEOUT", "", 1);
    expect("empty", !setting_text(SETTING_TIMEOUT) && setting_number(SETTING_TIMEOUT) == 300, "empty counts as set");
    setenv("EMULATOR_TIMEOUT", "2.5", 1);
    expect("number", setting_number(SETTING_TIMEOUT) == 2.5, "it is not what was set");
    setenv("EMULATOR_QUIET", "0", 1);
    expect("off", !setting_is_on(SETTING_QUIET), "0 counts as on");
    setenv("EMULATOR_QUIET", "1", 1);
    expect("on", setting_is_on(SETTING_QUIET), "1 counts as off");
}

int main(void) {
    const char *page = readme();
    test_rows(page);
    test_no_other_rows(page);
    test_values();
    return failures != 0;
}
