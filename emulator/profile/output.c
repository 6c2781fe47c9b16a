/* Chooses the kernels to report by the environment, and writes the profile when the program ends. */
#include "profile/output.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/demangle.h"
#include "base/settings.h"
#include "profile/comparison.h"
#include "profile/launches.h"
#include "profile/reports.h"
#include "profile/saved.h"
#include "profile/views.h"

bool output_wanted(void) {
    return setting_text(SETTING_PROFILE) || setting_text(SETTING_VIEW) || setting_text(SETTING_PROFILE_SAVE);
}

bool output_wants_pictures(void) {
    return setting_text(SETTING_VIEW) != NULL;
}

bool output_wants_kernel(const char *name) {
    char readable[600];
    const char *wanted = setting_text(SETTING_PROFILE_KERNEL);
    return !wanted || strstr(demangle(name, readable, sizeof readable), wanted) != NULL;
}

bool output_one_kernel(void) {
    return setting_text(SETTING_PROFILE_KERNEL) != NULL;
}

const char *output_brief(void) {
    return setting_text(SETTING_PROFILE_BRIEF);
}

void output_no_kernel(FILE *out) {
    const char *wanted = setting_text(SETTING_PROFILE_KERNEL);
    const char *const *others = launches_unwanted();
    if (!wanted || !*others) {
        fprintf(out, wanted ? "No kernel with '%s' in its name was launched.\n" : "No kernel was launched.\n", wanted);
        return;
    }
    fprintf(out, "No kernel with '%s' in its name was launched. These were:\n", wanted);
    for (; *others; others++)
        fprintf(out, "  %s\n", *others);
}

/* The report, or the comparison with another run. That run is read before this one is saved: it may be the same
 * file. */
static void put_text(FILE *out, const struct launch_profile *launches) {
    const char *base = setting_text(SETTING_PROFILE_BASE), *why;
    struct saved_run *before = base ? saved_read(base, &why) : NULL;
    if (before)
        compare_runs(out, base, before, saved_now(launches), !output_one_kernel());
    else if (base)
        fprintf(stderr, "profile: %s is not compared with: %s\n", base, why);
    else
        profile_text(out, launches);
}

static void save(const struct launch_profile *launches) {
    const char *path = setting_text(SETTING_PROFILE_SAVE);
    FILE *out = path ? fopen(path, "we") : NULL;
    if (out)
        saved_write(saved_now(launches), out);
    if (path && (!out || fclose(out) != 0))
        fprintf(stderr, "profile: cannot write %s\n", path);
}

static void write_all(void) {
    const char *format = setting_text(SETTING_PROFILE), *path = setting_text(SETTING_PROFILE_FILE);
    FILE *out = path ? fopen(path, "we") : stderr;
    if (!out) {
        fprintf(stderr, "profile: cannot write %s\n", path);
        return;
    }
    uint64_t left_out;
    struct launch_profile *launches = launches_all(&left_out);
    const char *line = setting_text(SETTING_VIEW_LINE);
    if (setting_text(SETTING_VIEW))
        views_write(out, launches, setting_text(SETTING_VIEW), line ? (uint32_t)strtoul(line, NULL, 10) : 0);
    if (!format)
        ;
    else if (strcmp(format, "csv") == 0)
        profile_csv(out, launches);
    else if (strcmp(format, "json") == 0)
        profile_json(out, launches);
    else
        put_text(out, launches);
    save(launches);
    if (left_out)
        fprintf(stderr, "profile: %llu more launches were not recorded\n", (unsigned long long)left_out);
    if (path)
        fclose(out);
}

void output_at_exit(void) {
    static atomic_flag registered = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&registered))
        atexit(write_all);
}
