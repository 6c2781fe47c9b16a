/* count_processes FILE COMMAND...: runs the command, and writes to FILE how many processes it and all that it starts were, itself included; threads are none.
 * With the names that they had in the end, how often each. Ends with the command's status. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAMES_MAX = 200, NAME_SIZE = 32 };

static struct {
    char name[NAME_SIZE];
    int count;
} names[NAMES_MAX];
static int processes;

/* The line `KEY: VALUE` of /proc/PID/status; "" when the process is gone. */
static void read_status(pid_t pid, const char *key, char value[NAME_SIZE]) {
    char path[40], line[200];
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    FILE *file = fopen(path, "r");
    value[0] = '\0';
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) == 0 && line[strlen(key)] == ':') {
            sscanf(line + strlen(key) + 1, " %31[^\n]", value);
        }
    }
    if (file) {
        fclose(file);
    }
}

static void note_end(pid_t pid) {
    char group[NAME_SIZE], name[NAME_SIZE];
    int n = 0;
    read_status(pid, "Tgid", group);
    read_status(pid, "Name", name);
    if (atoi(group) != pid) {
        return; /* a thread */
    }
    processes++;
    while (n < NAMES_MAX - 1 && names[n].count && strcmp(names[n].name, name) != 0) {
        n++;
    }
    strcpy(names[n].name, name);
    names[n].count++;
}

static int follow(pid_t first) {
    int status, last = 1;
    pid_t pid;
    while ((pid = waitpid(-1, &status, __WALL)) > 0) {
        if (!WIFSTOPPED(status)) {
            last = pid != first ? last : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        int event = status >> 16, signal = WSTOPSIG(status);
        if (event == PTRACE_EVENT_EXIT) {
            note_end(pid);
        }
        /* The stop with which a new process begins, and that of an event, are no signals of its own. */
        ptrace(PTRACE_CONT, pid, NULL, (void *)(long)(event || signal == SIGSTOP || signal == SIGTRAP ? 0 : signal));
    }
    return last;
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: count_processes FILE COMMAND...\n");
        return 2;
    }
    pid_t first = fork();
    if (first == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        raise(SIGSTOP);
        execvp(argv[2], argv + 2);
        perror(argv[2]);
        _exit(127);
    }
    waitpid(first, NULL, 0);
    if (ptrace(PTRACE_SETOPTIONS, first, NULL,
               (void *)(long)(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXIT))) {
        perror("count_processes");
        return 2;
    }
    ptrace(PTRACE_CONT, first, NULL, NULL);
    int status = follow(first);
    FILE *file = fopen(argv[1], "w");
    if (!file) {
        perror(argv[1]);
        return 2;
    }
    fprintf(file, "%d\n", processes);
    for (int n = 0; n < NAMES_MAX && names[n].count; n++) {
        fprintf(file, "%d %s\n", names[n].count, names[n].name);
    }
    fclose(file);
    return status;
}
