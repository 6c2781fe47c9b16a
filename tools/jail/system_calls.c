/* system_calls.c - the system calls that are refused in the jail, whatever the backend. */
#include "jail.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>

#include "filter.h"

/* No compiler and no program of an exercise needs these. */
static const int never[] = {SYS_ptrace,
                            SYS_process_vm_readv,
                            SYS_process_vm_writev,
                            SYS_unshare,
                            SYS_setns,
                            SYS_mount,
                            SYS_umount2,
                            SYS_pivot_root,
                            SYS_chroot,
                            SYS_bpf,
                            SYS_perf_event_open,
                            SYS_keyctl,
                            SYS_add_key,
                            SYS_request_key,
                            SYS_io_uring_setup,
                            SYS_io_uring_enter,
                            SYS_io_uring_register,
                            SYS_init_module,
                            SYS_finit_module,
                            SYS_delete_module,
                            SYS_kexec_load,
                            SYS_reboot,
                            SYS_swapon,
                            SYS_swapoff,
                            SYS_acct,
                            SYS_quotactl,
                            SYS_settimeofday,
                            SYS_clock_settime,
                            SYS_sethostname,
                            SYS_setdomainname,
                            SYS_open_by_handle_at,
                            SYS_name_to_handle_at,
                            428 /* open_tree */,
                            429 /* move_mount */,
                            430 /* fsopen */,
                            431 /* fsconfig */,
                            432 /* fsmount */,
                            433 /* fspick */,
                            434 /* pidfd_open */,
                            438 /* pidfd_getfd */,
                            424 /* pidfd_send_signal */,
                            442 /* mount_setattr */};
/* A GPU's driver may need these. */
static const int reaching[] = {SYS_socket, SYS_socketpair, SYS_connect, SYS_bind,    SYS_shmget,
                               SYS_shmat,  SYS_msgget,     SYS_semget,  SYS_mq_open, SYS_userfaultfd};

void system_calls_filter(const struct jail *jail) {
    static struct filter f;
    const int unknown[] = {SYS_clone3}; /* the filter cannot read its arguments; libc falls back to the older call */
    filter_begin(&f);
    filter_forbid(&f, never, sizeof never / sizeof *never, EPERM);
    filter_forbid(&f, unknown, 1, ENOSYS);
    if (!jail->gpu)
        filter_forbid(&f, reaching, sizeof reaching / sizeof *reaching, EPERM);
    filter_by_bits(&f, SYS_clone, 0,
                   CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS |
                       CLONE_NEWCGROUP,
                   false);
    filter_not_with(&f, SYS_ioctl, 1, TIOCSTI); /* would insert input into the user's terminal */
    filter_not_with(&f, SYS_ioctl, 1, TIOCLINUX);
    if (!filter_install(&f) && strcmp(jail->backend, "none") != 0)
        jail_fail("this kernel has no filter of system calls (seccomp)");
}
