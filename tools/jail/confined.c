/* confined.c - restrictions common to all backends: limits, and the system call filter. */
#include "jail.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "filter.h"

/* The kernel counts all processes and threads of a user; from Linux 5.14 on it counts those in a user namespace separately. Root has
 * no limit. */
static bool counts_apart(void) {
    struct utsname kernel;
    int major = 0, minor = 0;
    unsigned first = 0, size = 0;
    FILE *map = fopen("/proc/self/uid_map", "re");
    bool own = map && fscanf(map, "%u %*u %u", &first, &size) == 2 && size != ~0u;
    if (map)
        fclose(map);
    return own && uname(&kernel) == 0 && sscanf(kernel.release, "%d.%d", &major, &minor) == 2 &&
           (major > 5 || (major == 5 && minor >= 14));
}

static void limit(const struct jail *jail) {
    const rlim_t mebibyte = (rlim_t)1 << 20;
    filter_limit(RLIMIT_CORE, 0);
    filter_limit(RLIMIT_NOFILE, 1024);
    filter_limit(RLIMIT_MSGQUEUE, 0);
    filter_limit(RLIMIT_MEMLOCK, jail->gpu ? RLIM_INFINITY : mebibyte);
    if (counts_apart())
        filter_limit(RLIMIT_NPROC, 2000 + 16 * (rlim_t)sysconf(_SC_NPROCESSORS_ONLN));
    if (jail->memory)
        filter_limit(RLIMIT_AS, (rlim_t)jail->memory * mebibyte);
    if (jail->file)
        filter_limit(RLIMIT_FSIZE, (rlim_t)jail->file * mebibyte);
    if (jail->seconds)
        filter_limit(RLIMIT_CPU, (rlim_t)jail->seconds);
}

void confined_run(const struct jail *jail) {
    limit(jail);
    system_calls_filter(jail);
    execvp(jail->command[0], jail->command);
    jail_fail("%s cannot be started (%s)", jail->command[0], strerror(errno));
}
