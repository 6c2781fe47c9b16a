/* filter.h - a system call filter, built call by call: a program for the kernel's interpreter (seccomp). For C and C++. */
#ifndef TOOLS_JAIL_FILTER_H
#define TOOLS_JAIL_FILTER_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define FILTER_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FILTER_ARCH AUDIT_ARCH_AARCH64
#endif

enum { FILTER_MAX = 700 };

struct filter {
    struct sock_filter at[FILTER_MAX];
    unsigned short count;
};

static inline void filter_add(struct filter *f, unsigned code, unsigned k, unsigned yes, unsigned no) {
    struct sock_filter one = {(unsigned short)code, (unsigned char)yes, (unsigned char)no, k};
    if (f->count < FILTER_MAX) {
        f->at[f->count] = one;
    }
    f->count++;
}

static inline void filter_load(struct filter *f, size_t offset) {
    filter_add(f, BPF_LD | BPF_W | BPF_ABS, (unsigned)offset, 0, 0);
}

/* The call's number, which every test below expects to be loaded. */
static inline void filter_number(struct filter *f) {
    filter_load(f, offsetof(struct seccomp_data, nr));
}

static inline void filter_deny(struct filter *f, int error) {
    filter_add(f, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error, 0, 0);
}

/* The low half of argument `a`. */
static inline size_t filter_argument(int a) {
    return offsetof(struct seccomp_data, args) + 8 * (size_t)a;
}

static inline void filter_forbid(struct filter *f, const int *calls, size_t count, int error) {
    for (size_t c = 0; c < count; c++) {
        filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[c], 0, 1);
        filter_deny(f, error);
    }
}

/* Call `nr` is forbidden unless its argument `a` equals `value`. */
static inline void filter_only_with(struct filter *f, int nr, int a, unsigned value) {
    filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 4);
    filter_load(f, filter_argument(a));
    filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, value, 1, 0);
    filter_deny(f, EPERM);
    filter_number(f);
}

/* Call `nr` is forbidden if its argument `a` equals `value`. */
static inline void filter_not_with(struct filter *f, int nr, int a, unsigned value) {
    filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 4);
    filter_load(f, filter_argument(a));
    filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1);
    filter_deny(f, EPERM);
    filter_number(f);
}

/* Call `nr` is forbidden if its argument `a` has one of the bits (`wanted`: none of them). */
static inline void filter_by_bits(struct filter *f, int nr, int a, unsigned bits, bool wanted) {
    filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, (unsigned)nr, 0, 4);
    filter_load(f, filter_argument(a));
    filter_add(f, BPF_JMP | BPF_JSET | BPF_K, bits, wanted, !wanted);
    filter_deny(f, EPERM);
    filter_number(f);
}

/* System calls of another architecture have other numbers, and no program compiled here makes them. */
static inline void filter_begin(struct filter *f) {
    f->count = 0;
#ifdef FILTER_ARCH
    filter_load(f, offsetof(struct seccomp_data, arch));
    filter_add(f, BPF_JMP | BPF_JEQ | BPF_K, FILTER_ARCH, 1, 0);
    filter_add(f, BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
#endif
    filter_number(f);
#ifdef __x86_64__
    filter_add(f, BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1); /* x32 */
    filter_deny(f, ENOSYS);
#endif
}

/* For the rest of this process, and for its children. False if the kernel has no such filter. */
static inline bool filter_install(struct filter *f) {
    filter_add(f, BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
    struct sock_fprog program = {f->count, f->at};
#ifdef FILTER_ARCH
    return f->count <= FILTER_MAX && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
#else
    return false;
#endif
}

static inline void filter_limit(int resource, rlim_t most) {
    struct rlimit now;
    if (getrlimit((__rlimit_resource_t)resource, &now) == 0) {
        now.rlim_max = now.rlim_max < most ? now.rlim_max : most;
        now.rlim_cur = now.rlim_cur < now.rlim_max ? now.rlim_cur : now.rlim_max;
        setrlimit((__rlimit_resource_t)resource, &now);
    }
}

#endif
