/* landlock.c - the jail without bubblewrap: Landlock denies every file except the views, and, if the kernel allows them to
 * unprivileged users, namespaces hide the other processes and the network. Neither needs root. */
#include "jail.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* From linux/landlock.h, which older systems on which this has to compile do not have. */
enum { CREATE_RULESET = 444, ADD_RULE = 445, RESTRICT_SELF = 446, PATH_BENEATH = 1, ASK_VERSION = 1 };
enum {
    MAY_EXECUTE = 1 << 0,
    MAY_WRITE = 1 << 1,
    MAY_READ = 1 << 2,
    MAY_LIST = 1 << 3,
    ALL_OF_VERSION_1 = (1 << 13) - 1, /* includes creating, removing and renaming files of every kind */
    MAY_REFER = 1 << 13,              /* version 2 */
    MAY_TRUNCATE = 1 << 14,           /* version 3 */
    MAY_CONTROL = 1 << 15,            /* version 5: ioctl of devices */
    MAKE_SPECIAL = 1 << 6 | 1 << 11 | 1 << 9 | 1 << 10, /* character and block devices, sockets, pipes: never allowed */
    ALL_NET = 3,                                        /* version 4: TCP */
    ALL_SCOPES = 3,                                     /* version 6: abstract sockets, signals to processes outside */
};

struct ruleset {
    uint64_t files, net, scoped;
};

struct beneath {
    uint64_t allowed;
    int32_t parent;
} __attribute__((packed));

int landlock_version(void) {
    long version = syscall(CREATE_RULESET, NULL, (size_t)0, ASK_VERSION);
    return version < 0 ? 0 : (int)version;
}

static uint64_t handled_files(int version) {
    return (uint64_t)ALL_OF_VERSION_1 | (version >= 2 ? MAY_REFER : 0) | (version >= 3 ? MAY_TRUNCATE : 0) |
           (version >= 5 ? MAY_CONTROL : 0);
}

/* The kernel rejects a rule for a file with a right that applies only to folders. */
static void allow(int rules, const char *path, uint64_t rights) {
    int fd = open(path, O_PATH | O_CLOEXEC);
    struct stat status;
    if (fd < 0)
        return; /* it does not exist */
    if (fstat(fd, &status) == 0 && !S_ISDIR(status.st_mode))
        rights &= MAY_EXECUTE | MAY_WRITE | MAY_READ | MAY_TRUNCATE | MAY_CONTROL;
    struct beneath rule = {rights, fd};
    if (syscall(ADD_RULE, rules, PATH_BENEATH, &rule, 0) != 0)
        jail_fail("Landlock: no rule for %s (%s)", path, strerror(errno));
    close(fd);
}

static void allow_system(int rules, uint64_t handled) {
    static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"};
    static const char *const facts[] = {"/proc/self",   "/proc/cpuinfo",     "/proc/meminfo",
                                        "/proc/stat",   "/proc/filesystems", "/proc/sys/vm/overcommit_memory",
                                        "/proc/version"};
    for (size_t d = 0; d < sizeof devices / sizeof *devices; d++)
        allow(rules, devices[d], handled & (MAY_READ | MAY_WRITE | MAY_TRUNCATE));
    for (size_t f = 0; f < sizeof facts / sizeof *facts; f++)
        allow(rules, facts[f], MAY_READ | MAY_LIST);
}

static void restrict_files(const struct jail *jail) {
    int version = landlock_version();
    uint64_t handled = handled_files(version);
    struct ruleset wanted = {handled, version >= 4 ? ALL_NET : 0, version >= 6 ? ALL_SCOPES : 0};
    size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    int rules = (int)syscall(CREATE_RULESET, &wanted, size, 0);
    if (rules < 0)
        jail_fail("Landlock does not work here (%s)", strerror(errno));
    allow_system(rules, handled);
    for (size_t v = 0; v < jail->count; v++) {
        const struct view *view = &jail->views[v];
        uint64_t rights = MAY_EXECUTE | MAY_READ | MAY_LIST;
        if (view->kind == VIEW_WRITE)
            rights = handled & ~(uint64_t)(MAKE_SPECIAL | MAY_CONTROL);
        else if (view->kind == VIEW_DEVICE)
            rights = handled & (MAY_READ | MAY_WRITE | MAY_LIST | MAY_CONTROL | MAY_TRUNCATE);
        allow(rules, view->path, rights);
    }
    if (jail->gpu)
        for (const char *const *path = (const char *const[]){"/proc/driver", "/proc/devices", "/proc/modules", NULL};
             *path; path++)
            allow(rules, *path, MAY_READ | MAY_LIST);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || syscall(RESTRICT_SELF, rules, 0) != 0)
        jail_fail("Landlock does not work here (%s)", strerror(errno));
    close(rules);
}

/* The remaining rights of root. */
static void drop_capabilities(void) {
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[2] = {{0}};
    for (int c = 0; c < 64; c++)
        prctl(PR_CAPBSET_DROP, c, 0, 0, 0);
    syscall(SYS_capset, &head, none);
}

static bool write_text(const char *path, const char *text) {
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return done;
}

/* A user namespace, which grants the right to create the others. False if the machine does not allow it. */
static bool leave_namespaces(void) {
    char users[60], groups[60];
    snprintf(users, sizeof users, "%u %u 1", (unsigned)getuid(), (unsigned)getuid());
    snprintf(groups, sizeof groups, "%u %u 1", (unsigned)getgid(), (unsigned)getgid());
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) != 0)
        return false;
    return write_text("/proc/self/setgroups", "deny") && write_text("/proc/self/uid_map", users) &&
           write_text("/proc/self/gid_map", groups);
}

/* Ends as the child did: by the same signal if one ended it, but without a second core dump. */
static void end_like(int status) {
    if (WIFSIGNALED(status)) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(WTERMSIG(status), SIG_DFL);
        raise(WTERMSIG(status));
        _exit(128 + WTERMSIG(status));
    }
    _exit(WEXITSTATUS(status));
}

static void wait_outside(pid_t first) {
    int status = 0;
    while (waitpid(first, &status, 0) < 0 && errno == EINTR)
        ;
    end_like(status);
}

void landlock_run(const struct jail *jail) {
    if (landlock_version() == 0)
        jail_fail("this kernel has no Landlock");
    if (chdir(jail->folder) != 0)
        jail_fail("%s: %s", jail->folder, strerror(errno));
    if (leave_namespaces()) {
        pid_t first = first_fork();
        if (first)
            wait_outside(first);
        first_begin();
    }
    restrict_files(jail);
    drop_capabilities();
    confined_run(jail);
}
