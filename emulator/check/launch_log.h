/* The launches since emulatorAuthorsStart, in the order in which they began. */
#ifndef LAUNCH_LOG_H
#define LAUNCH_LOG_H

struct launch;

/* Both are called with the lock of check/authors.c. */
void launch_log_add(const struct launch *l);
void launch_log_clear(void);

#endif
