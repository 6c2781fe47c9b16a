/* first.c - the first process of a PID namespace: its end ends all others, and it reaps orphaned processes. */
#include "jail.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

pid_t first_fork(void) {
    pid_t made = fork();
    if (made < 0)
        jail_fail("no process can be started (%s)", strerror(errno));
    if (made == 0)
        prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    return made;
}

/* Waits for the command. A first process does not receive a signal that it sends to itself, so the exit status reports it. */
static void wait_as_first(pid_t command) {
    int status = 0;
    for (pid_t ended; (ended = wait(&status)) != command;)
        if (ended < 0 && errno != EINTR)
            _exit(125);
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

void first_begin(void) {
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* the command must not read its memory and variables */
    pid_t command = first_fork();
    if (command)
        wait_as_first(command);
    prctl(PR_SET_DUMPABLE, 1, 0, 0, 0);
}
