/* What a submission tries before main and in its constructor: each prints `DEED: refused`, or `DEED: DONE`. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

static void tell(const char *what, bool done) {
    printf("%s: %s\n", what, done ? "DONE" : "refused");
}

static bool reads(const char *path) {
    char byte;
    int fd = open(path, O_RDONLY);
    bool done = fd >= 0 && read(fd, &byte, 1) == 1;
    if (fd >= 0) {
        close(fd);
    }
    return done;
}

static bool lists(const char *path) {
    DIR *folder = opendir(path);
    if (folder) {
        closedir(folder);
    }
    return folder != NULL;
}

static bool writes(const char *path) {
    return open(path, O_WRONLY | O_CREAT, 0600) >= 0;
}

static bool other_process(const char *file) {
    char path[64];
    snprintf(path, sizeof path, "/proc/JUDGE/%s", file);
    return reads(path);
}

static int before = [] {
    tell("reading a solution", reads("PROJECT/solutions/lesson01_threads/solution.cu"));
    tell("reading a grader", reads("PROJECT/lessons/lesson01_threads/grader.cpp"));
    tell("reading another submission", reads("SCRATCH/other.cu"));
    tell("listing the solutions", lists("PROJECT/solutions"));
    tell("loading a solution", dlopen("SCRATCH/solution.so", RTLD_NOW) != NULL);
    tell("reading the users", reads("/etc/passwd"));
    tell("listing the home", lists("HOMEFOLDER"));
    tell("a link out of the copy", symlink("/etc/passwd", "/tmp/link") == 0);
    tell("another's environment", other_process("environ"));
    tell("another's memory", other_process("mem"));
    tell("another's command", other_process("cmdline"));
    tell("writing beside the copy", writes("SCRATCH/written"));
    tell("writing in /tmp", writes("/tmp/written"));
    tell("writing in /dev/shm", writes("/dev/shm/written"));
    tell("writing in the compile cache", writes("HOMEFOLDER/.cache/written"));
    tell("writing the judge", writes("PROJECT/build/graders/bin/runner"));
    tell("starting a program", system("true") == 0);
    tell("a second process", fork() > 0);
    tell("opening a socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    tell("an abstract socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    tell("shared memory of the system", shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0);
    tell("ending the judge", kill(getppid(), SIGKILL) == 0);
    tell("ending everything", kill(-1, SIGKILL) == 0);
    tell("following the judge", ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0);
    tell("a user namespace", unshare(CLONE_NEWUSER) == 0);
    tell("a mount", mount("none", "/tmp", "tmpfs", 0, NULL) == 0);
    tell("typing in a terminal", ioctl(0, TIOCSTI, "x") == 0);
    tell("a terminal", open("/dev/tty", O_RDWR) >= 0);
    tell("io_uring", syscall(SYS_io_uring_setup, 1, NULL) >= 0 || errno != EPERM);
    char byte;
    tell("the judge's nonce", read(9, &byte, 1) == 1);
    printf("\033]0;owned\007\n::notice title=x::y\n");
    int open_descriptors = 0;
    for (int fd = 0; fd < 256; fd++) {
        open_descriptors += fcntl(fd, F_GETFD) >= 0;
    }
    printf("%d descriptors\n", open_descriptors);
    return 0;
}();
