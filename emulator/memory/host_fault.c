/* Host code that follows a device pointer faults; this handler reports that before the program ends as it would
 * have. */
#include "memory/memory.h"

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <ucontext.h>

#include "base/host_frame.h"
#include "memory/observer.h"
#include "memory/space.h"

#define FRAMES 32

static const int signals[] = {SIGSEGV, SIGBUS};
static struct sigaction previous[2];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool in_range(struct space_range r, uint64_t address) {
    return address - r.start < r.end - r.start;
}

static uintptr_t fault_pc(const void *context) {
#if defined(__x86_64__)
    return (uintptr_t)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#else
    (void)context;
    return 0;
#endif
}

/* The innermost function of the program itself: the fault may be in memcpy or printf, called by it. The frames begin
 * with this handler's own; the relevant ones begin at the instruction that faulted. */
static const char *program_function(const void *context) {
    void *frames[FRAMES];
    uintptr_t pc = fault_pc(context);
    int count = backtrace(frames, FRAMES), first = 0;
    for (int i = 0; i < count; i++)
        if ((uintptr_t)frames[i] == pc)
            first = i;
    if (host_frame_is_program(pc))
        return host_frame_name(pc);
    for (int i = first + 1; i < count; i++) /* a return address may be just past its function */
        if (host_frame_is_program((uintptr_t)frames[i]))
            return host_frame_name((uintptr_t)frames[i] - 1);
    return NULL;
}

static bool is_write(const void *context) {
#if defined(__x86_64__)
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2;
#else
    (void)context;
    return false;
#endif
}

/* Lets the fault happen again under the default action, so that the exit status and the core are those of a crash. */
static void default_action(int signal_number, const siginfo_t *info) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigaction(signal_number, &action, NULL);
    if (info->si_code <= 0)
        raise(signal_number); /* sent by a process: the instruction would not fault again */
}

static void on_fault(int signal_number, siginfo_t *info, void *context) {
    uint64_t address = (uint64_t)(uintptr_t)info->si_addr;
    const struct sigaction *before = &previous[signal_number == signals[0] ? 0 : 1];
    bool ours = info->si_code > 0 && (in_range(space_device(), address) || in_range(space_shared(), address));
    if (ours && memory_observer.host_fault &&
        memory_observer.host_fault(address, is_write(context), program_function(context)))
        return;
    if (ours) {
        default_action(signal_number, info);
    } else if (before->sa_flags & SA_SIGINFO) {
        before->sa_sigaction(signal_number, info, context);
    } else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN) {
        before->sa_handler(signal_number);
    } else {
        default_action(signal_number, info);
    }
}

static void install(void) {
    void *frame;
    backtrace(&frame, 1); /* the first call loads a library, which a signal handler must not do */
    host_frame_prepare();
    for (int i = 0; i < 2; i++) {
        struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};
        sigemptyset(&action.sa_mask);
        sigaction(signals[i], &action, &previous[i]);
    }
}

void memory_guard_install(void) {
    pthread_once(&once, install);
}
