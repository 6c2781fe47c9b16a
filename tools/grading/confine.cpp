/* confine.cpp - the runner's resource limits and its system call filter. It works with and without bubblewrap. */
#include "tools/grading/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

static void limit(int resource, rlim_t most) {
    struct rlimit now;
    if (getrlimit(resource, &now) == 0) {
        now.rlim_max = now.rlim_max < most ? now.rlim_max : most;
        now.rlim_cur = now.rlim_cur < now.rlim_max ? now.rlim_cur : now.rlim_max;
        setrlimit(resource, &now);
    }
}

// ---------------------------------------------------------------- the filter, a program for the kernel

typedef std::vector<struct sock_filter> filter;

static void add(filter *f, unsigned short code, unsigned k, unsigned char yes, unsigned char no) {
    f->push_back(sock_filter{code, yes, no, k});
}

static void load(filter *f, size_t offset) {
    add(f, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

static void deny(filter *f, int error) {
    add(f, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error, 0, 0);
}

static void number(filter *f) {
    load(f, offsetof(struct seccomp_data, nr));
}

static size_t argument(int a) {
    return offsetof(struct seccomp_data, args) + 8 * (size_t)a; /* the low half */
}

static void forbid(filter *f, const int *calls, size_t count, int error) {
    for (size_t c = 0; c < count; c++) {
        add(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[c], 0, 1);
        deny(f, error);
    }
}

/* Call `nr` is forbidden unless its argument `a` equals `value`. */
static void only_with(filter *f, int nr, int a, unsigned value) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 4);
    load(f, argument(a));
    add(f, BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    deny(f, EPERM);
    number(f);
}

/* Call `nr` is forbidden if its argument `a` has one of the bits (`wanted`: none of them). */
static void by_bits(filter *f, int nr, int a, unsigned bits, bool wanted) {
    add(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 4);
    load(f, argument(a));
    add(f, BPF_JMP | BPF_JSET | BPF_K, bits, wanted, !wanted);
    deny(f, EPERM);
    number(f);
}

/* What a runner may do in addition to calling the student's functions. */
enum more { NOTHING_MORE, FORKS, COMPILES };

static filter make_filter(int on_emulator, enum more more) {
    const bool compiles = more == COMPILES;
    static const int reaching[] = {SYS_ptrace,
                                   SYS_process_vm_readv,
                                   SYS_process_vm_writev,
                                   SYS_pidfd_open,
                                   SYS_pidfd_send_signal,
                                   SYS_socket,
                                   SYS_socketpair,
                                   SYS_connect,
                                   SYS_bind,
                                   SYS_unshare,
                                   SYS_setns,
                                   SYS_mount,
                                   SYS_umount2,
                                   SYS_bpf,
                                   SYS_perf_event_open,
                                   SYS_keyctl,
                                   SYS_add_key,
                                   SYS_rt_sigqueueinfo,
                                   SYS_setpgid,
                                   SYS_setsid,
                                   SYS_io_uring_setup,
                                   SYS_chroot,
                                   SYS_pivot_root};
    static const int writing[] = {SYS_unlinkat, SYS_renameat2, SYS_mkdirat,  SYS_mknodat,  SYS_symlinkat,
                                  SYS_linkat,   SYS_truncate,  SYS_fchmodat, SYS_fchownat, SYS_utimensat,
#ifdef SYS_open
                                  SYS_creat,    SYS_unlink,    SYS_rename,   SYS_renameat, SYS_mkdir,
                                  SYS_rmdir,    SYS_mknod,     SYS_symlink,  SYS_link,     SYS_chmod,
                                  SYS_chown,    SYS_lchown,    SYS_fork,     SYS_vfork,
#endif
                                  SYS_setxattr};
    static const int starting[] = {SYS_execve, SYS_execveat};
    const unsigned to_write = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    const int unknown[] = {SYS_clone3,
                           SYS_openat2}; /* the filter cannot read their arguments; libc falls back to older calls */
    filter f;
    number(&f);
    forbid(&f, reaching, sizeof reaching / sizeof reaching[0], EPERM);
    forbid(&f, unknown, 2, ENOSYS);
    if (!compiles) {
        forbid(&f, starting, 2, EPERM);
    }
    only_with(&f, SYS_kill, 0, (unsigned)getpid());
    only_with(&f, SYS_tgkill, 0, (unsigned)getpid());
    forbid(&f, (const int[]){SYS_tkill}, 1, EPERM);
    if (on_emulator && !compiles) { // a GPU's driver opens its devices for writing
        forbid(&f, writing, sizeof writing / sizeof writing[0], EPERM);
        by_bits(&f, SYS_openat, 2, to_write, false);
#ifdef SYS_open
        by_bits(&f, SYS_open, 1, to_write, false);
#endif
        if (more != FORKS) {
            by_bits(&f, SYS_clone, 0, CLONE_THREAD, true);
        }
    }
    add(&f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    return f;
}

static void filter_calls(int on_emulator, enum more more) {
#ifdef __x86_64__
    /* 32-bit system calls have other numbers, and no program compiled here makes them. */
    filter f;
    load(&f, offsetof(struct seccomp_data, arch));
    add(&f, BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0);
    add(&f, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
    number(&f);
    add(&f, BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1);
    deny(&f, ENOSYS);
    filter rest = make_filter(on_emulator, more);
    f.insert(f.end(), rest.begin(), rest.end());
    struct sock_fprog program = {(unsigned short)f.size(), f.data()};
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
#else
    (void)on_emulator;
    (void)more;
#endif
}

/* Shared memory counts as address space. Three quarters are the range that the emulator reserves; its threads also need some. */
void limit_memory(void) {
    const rlim_t gigabyte = (rlim_t)1 << 30;
    limit(RLIMIT_DATA, 8 * gigabyte);
    limit(RLIMIT_AS, 32 * gigabyte + (rlim_t)sysconf(_SC_NPROCESSORS_ONLN) * gigabyte / 4);
}

static void confine_process(int on_emulator, int seconds, enum more more) {
    const rlim_t gigabyte = (rlim_t)1 << 30;
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, gigabyte / 4); // also limits a file in memory
    limit(RLIMIT_NOFILE, 1024);
    if (on_emulator) {
        limit_memory();
        limit(RLIMIT_NOFILE, more == NOTHING_MORE ? 64 : 1024);
        limit(RLIMIT_CPU, (rlim_t)seconds * (rlim_t)sysconf(_SC_NPROCESSORS_ONLN));
    }
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    filter_calls(on_emulator, more);
}

void confine(int on_emulator, int seconds) {
    confine_process(on_emulator, seconds, NOTHING_MORE);
}

void confine_with_compilers(int on_emulator, int seconds) {
    confine_process(on_emulator, seconds, COMPILES);
}

void confine_with_processes(int on_emulator, int seconds) {
    confine_process(on_emulator, seconds, FORKS);
}
