/* The launches since emulatorAuthorsStart, in the order in which they began. */
#ifndef LAUNCH_LOG_H
#define LAUNCH_LOG_H

#include <stddef.h>

struct launch;
struct emulatorLaunch;

/* Both are called with the lock of check/authors.c. */
void launch_log_add(const struct launch *l);
void launch_log_clear(void);
/* emulatorLaunches. */
size_t launch_log_read(struct emulatorLaunch *out, size_t most);

#endif
