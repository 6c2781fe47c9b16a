/* What a program tries while it is compiled and graded: before the first call of its functions, with everything that the C library offers. The
 * suite puts definitions of paths before it and a right solution after it. A deed prints `NAME: DONE` or `NAME: refused`. */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static void deed(const char *what, bool done) {
    printf("%s: %s\n", what, done ? "DONE" : "refused");
    fflush(stdout);
}

static std::string contents(const char *path) {
    std::string text;
    FILE *file = fopen(path, "r");
    for (int c; file && (c = getc(file)) != EOF && text.size() < 100000;) {
        text += (char)c;
    }
    if (file) {
        fclose(file);
    }
    return text;
}

static void reading(void) {
    deed("reading a solution", !contents(PROJECT "/solutions/lesson01_threads/solution.cu").empty());
    deed("reading it from where it runs", !contents("solutions/lesson01_threads/solution.cu").empty());
    deed("reading it by a way up", !contents("../../solutions/lesson01_threads/solution.cu").empty());
    deed("reading it by the root of another process",
         !contents("/proc/1/root" PROJECT "/solutions/lesson01_threads/solution.cu").empty());
    deed("reading it by the judge's folder",
         !contents(("/proc/" + std::to_string(getppid()) + "/cwd/solutions/lesson01_threads/solution.cu").c_str())
              .empty());
    deed("reading the grader", !contents(PROJECT "/lessons/lesson01_threads/grader.cpp").empty());
    deed("reading another student's file", !contents(SCRATCH "/class/other/exercise01.cu").empty());
    deed("reading the accounts", !contents("/etc/passwd").empty());
    deed("reading the teacher's key", !contents(HOME_OF_TEACHER "/.ssh/id_test").empty());
    deed("reading the judge's variables",
         !contents(("/proc/" + std::to_string(getppid()) + "/environ").c_str()).empty());
    deed("reading the judge's memory", open(("/proc/" + std::to_string(getppid()) + "/mem").c_str(), O_RDONLY) >= 0);
    deed("finding a secret in its own variables",
         contents("/proc/self/environ").find("of-the-teacher") != std::string::npos);
    deed("listing the solutions", opendir(PROJECT "/solutions") != NULL);
    deed("loading a compiled solution", dlopen(PROJECT "/build/graders/planted.so", RTLD_NOW) != NULL);
}

static bool can_write(const char *path) {
    int fd = open(path, O_WRONLY | O_CREAT, 0700);
    return fd >= 0 && write(fd, "pwned", 5) == 5;
}

static void writing(void) {
    deed("writing in /tmp", can_write("/tmp/pwned"));
    deed("writing where it runs", can_write("pwned"));
    deed("writing in the teacher's home",
         can_write(HOME_OF_TEACHER "/pwned") || can_write(HOME_OF_TEACHER "/.cache/pwned"));
    deed("writing in the emulator's cache", can_write(HOME_OF_TEACHER "/.cache/cuda-emulator/pwned.so") ||
                                                can_write(PROJECT "/build/tests/kernels/pwned.so"));
    deed("writing in /dev/shm", can_write("/dev/shm/pwned"));
    deed("writing in the workbook", can_write(PROJECT "/pwned"));
    deed("writing beside the file", can_write(SCRATCH "/pwned"));
    deed("changing a file", open(SCRATCH "/mine", O_RDWR | O_TRUNC) >= 0);
    deed("removing a file", unlink(SCRATCH "/mine") == 0);
    deed("renaming a file", rename(SCRATCH "/mine", SCRATCH "/pwned") == 0);
    deed("linking a file", link(SCRATCH "/mine", SCRATCH "/pwned") == 0 || symlink("/", SCRATCH "/pwned") == 0);
    deed("making a folder", mkdir(SCRATCH "/pwned", 0700) == 0 || mkdir("/tmp/pwned", 0700) == 0);
    deed("changing a mode", chmod(SCRATCH "/mine", 0777) == 0 || chmod(PROJECT "/Makefile", 0777) == 0);
}

static void starting(void) {
    deed("starting a program", system("true") == 0);
    char *const nothing[] = {NULL};
    char *const command[] = {(char *)"/bin/true", NULL};
    int descriptor = memfd_create("pwned", 0);
    int fd = open("/bin/true", O_RDONLY);
    std::string program = contents("/bin/true");
    deed("a second process", fork() >= 0);
    deed("a second process by clone", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) >= 0);
    deed("a second process by vfork", syscall(SYS_vfork) > 0);
    bool written = descriptor >= 0 && write(descriptor, program.data(), program.size()) > 0;
    deed("starting a program from memory",
         written && syscall(SYS_execveat, descriptor, "", command, nothing, AT_EMPTY_PATH) == 0);
    deed("starting a program by descriptor", syscall(SYS_execveat, fd, "", command, nothing, AT_EMPTY_PATH) == 0);
}

static bool connects(const char *name) {
    struct sockaddr_un at = {AF_UNIX, ""};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    strncpy(at.sun_path + 1, name, sizeof at.sun_path - 2);
    return fd >= 0 && connect(fd, (struct sockaddr *)&at,
                              (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(name))) == 0;
}

static void reaching(void) {
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)0x400000, 1};
    deed("opening a socket", socket(AF_INET, SOCK_STREAM, 0) >= 0 || socket(AF_INET6, SOCK_DGRAM, 0) >= 0);
    deed("opening a raw socket", socket(AF_NETLINK, SOCK_RAW, 0) >= 0 || socket(AF_PACKET, SOCK_RAW, 0) >= 0);
    deed("a socket without a file", connects("attack-suite"));
    deed("ending the judge", kill(getppid(), SIGKILL) == 0);
    deed("ending everything", kill(-1, SIGKILL) == 0);
    deed("stopping the judge",
         syscall(SYS_tgkill, getppid(), getppid(), SIGSTOP) == 0 || syscall(SYS_tkill, getppid(), SIGSTOP) == 0);
    deed("following the judge", ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0);
    deed("reading a process", process_vm_readv(getppid(), &here, 1, &there, 1, 0) > 0);
    deed("a descriptor of the judge's", syscall(434, getppid(), 0) >= 0);
    deed("typing in the terminal", ioctl(0, TIOCSTI, "x") == 0 || ioctl(1, TIOCSTI, "x") == 0);
    deed("opening the terminal", open("/dev/tty", O_RDWR) >= 0);
    deed("memory shared with others", shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600) >= 0);
}

static void rising(void) {
    deed("another user", setuid(getuid() ? 0 : 1) == 0 || setgid(getgid() ? 0 : 1) == 0);
    deed("new namespaces", unshare(CLONE_NEWUSER) == 0 || unshare(CLONE_NEWNS) == 0);
    deed("mounting", mount("none", "/tmp", "tmpfs", 0, NULL) == 0);
    deed("another root", chroot("/proc/self/cwd") == 0);
    deed("a device", mknod("/tmp/pwned", S_IFCHR | 0666, 0x101) == 0);
    deed("a filter of the kernel's", syscall(SYS_bpf, 0, NULL, 0) >= 0 || errno == EFAULT);
    deed("rings of requests", syscall(SYS_io_uring_setup, 1, NULL) >= 0 || errno == EFAULT);
    deed("counters of the machine", syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0) >= 0 || errno == EFAULT);
    deed("keys of the kernel's", syscall(SYS_keyctl, 0, -3, 1) >= 0);
}

/* 12 GiB, in pieces that are given back: they are asked for, and never touched. */
static bool can_have(int flags) {
    const size_t piece = (size_t)1 << 30;
    std::vector<void *> pieces;
    for (void *at;
         pieces.size() < 12 && (at = mmap(NULL, piece, PROT_READ | PROT_WRITE, flags, -1, 0)) != MAP_FAILED;) {
        pieces.push_back(at);
    }
    for (void *at : pieces) {
        munmap(at, piece);
    }
    return pieces.size() == 12;
}

static int over; // a futex

static int wait_for_end(void *) {
    syscall(SYS_futex, &over, FUTEX_WAIT, 0, NULL, NULL, 0);
    return 0;
}

static std::string count_of_threads(void) {
    std::string status = contents("/proc/self/status");
    return status.substr(status.find("Threads:"), 14);
}

/* Threads with next to no stack, which limits of memory do not see. They end afterwards: the exercise is to pass. */
static bool many_threads(void) {
    static char stacks[6000][2048] __attribute__((aligned(16)));
    const int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
    std::string before_them = count_of_threads();
    size_t begun = 0, all = sizeof stacks / sizeof stacks[0];
    while (begun < all && clone(wait_for_end, stacks[begun] + sizeof stacks[0], flags, NULL) >= 0) {
        begun++;
    }
    over = 1;
    syscall(SYS_futex, &over, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
    for (int i = 0; i < 3000 && count_of_threads() != before_them; i++) {
        usleep(1000);
    }
    return begun == all;
}

static void taking(void) {
    deed("too much memory", can_have(MAP_PRIVATE | MAP_ANONYMOUS));
    deed("too much shared memory", can_have(MAP_SHARED | MAP_ANONYMOUS));
    int open_files = 0;
    while (open_files < 5000 && dup(1) >= 0) {
        open_files++;
    }
    deed("too many descriptors", open_files == 5000);
    for (int fd = 10; fd < 5010; fd++) {
        close(fd);
    }
    if (getuid() != 0) { // the kernel does not count those of root
        deed("threads without end", many_threads());
    }
    int big = memfd_create("pwned", 0);
    deed("a large file in memory", big >= 0 && ftruncate(big, (off_t)1 << 40) == 0);
    close(big);
}

/* What the preprocessor finds in the folder of the file. */
enum {
    FOUND_LINK =
#if __has_include("a_link.h")
        1 +
#endif
        0,
    FOUND_PIPE =
#if __has_include("pipe.h")
        1 +
#endif
        0,
    FOUND_FOLDER =
#if __has_include("folder.h")
        1 +
#endif
        0,
    FOUND_BIG =
#if __has_include("big.h")
        1 +
#endif
        0,
    FOUND_OTHER_ABOVE =
#if __has_include("../other/exercise01.cu")
        1 +
#endif
        0,
    FOUND_OWN =
#if __has_include("own.h") && __has_include("below/own.h")
        1 +
#endif
        0,
};

static void including(void) {
    deed("including a link", FOUND_LINK);
    deed("including a pipe", FOUND_PIPE);
    deed("including a folder", FOUND_FOLDER);
    deed("including 2 MB", FOUND_BIG);
    deed("including his by a way up", FOUND_OTHER_ABOVE);
    puts(FOUND_OWN ? "own headers: there" : "own headers: missing");
}

static int descriptors(void) {
    int open_now = 0;
    for (int fd = 0; fd < 256; fd++) {
        open_now += fcntl(fd, F_GETFD) >= 0;
    }
    return open_now;
}

static int before = [] {
    printf("%d descriptors\n", descriptors());
    signal(SIGXFSZ, SIG_IGN);
    including();
    reading();
    writing();
    reaching();
    rising();
    taking();
    starting();
    puts("VERDICT: pass");
    puts("\033]0;owned\007\033[2J\302\233A escape sequence");
    puts("::notice title=attack::10/10");
    puts("  ::error::indented");
    puts("text ##[error]within");
    puts("all deeds tried");
    return 0;
}();
