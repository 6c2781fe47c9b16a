/* The environment's settings: every variable that the emulator reads; no other file reads one. An empty variable counts
 * as not set. They are looked up each time, since a program may set them itself before its first call; frequent users
 * keep the value. */
#ifndef SETTINGS_H
#define SETTINGS_H

#include <stdbool.h>

enum setting {
    SETTING_THREADS,
    SETTING_TIMEOUT,
    SETTING_TIMEOUT_SETTING,
    SETTING_QUIET,
    SETTING_PROFILE,
    SETTING_PROFILE_FILE,
    SETTING_PROFILE_KERNEL,
    SETTING_PROFILE_BRIEF,
    SETTING_PROFILE_SAVE,
    SETTING_PROFILE_BASE,
    SETTING_VIEW,
    SETTING_VIEW_LINE,
    SETTING_PTXAS,
    SETTING_TIER,
    SETTING_CACHE,
    SETTING_CC,
    SETTING_TIER_DEBUG,
    SETTING_DEVICES,
    SETTING_RESIDENT,
    SETTING_CAPABILITY,
    SETTING_CHECK,
    SETTING_ON_ERROR,
    SETTING_ERROR_EXITCODE,
    SETTING_CHECK_JSON,
    SETTINGS, /* the emulator's variables; these are the system's: */
    SETTING_NO_COLOR = SETTINGS,
    SETTING_TERM,
    SETTING_CACHE_HOME,
    SETTING_HOME,
    SETTINGS_ALL
};

/* The text is README.md's: a test compares them. */
struct setting_row {
    const char *name, *meaning, *fallback; /* fallback: what applies without it */
};
extern const struct setting_row settings[SETTINGS_ALL];

const char *setting_text(enum setting s); /* NULL: it is not set */
double setting_number(enum setting s);    /* or its fallback's */
unsigned setting_capability(void);        /* 90 for compute capability 9.0 */
bool setting_is_on(enum setting s);       /* it is set, and not to 0 */

#endif
