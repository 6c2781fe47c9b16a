/* jail.h - the interface between the parts of the jail. tools/jail/README.md has an overview. */
#ifndef TOOLS_JAIL_JAIL_H
#define TOOLS_JAIL_JAIL_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* One path that the command can access. */
struct view {
    enum { VIEW_READ, VIEW_WRITE, VIEW_DEVICE } kind;
    char *path;
};

struct jail {
    const char *backend; /* bubblewrap, landlock or none */
    const char *folder;  /* in which the command starts */
    bool first;          /* inside bubblewrap: this is the first process */
    bool gpu;            /* NVIDIA's devices, and fewer system calls refused: the driver needs them */
    long memory, file;   /* maximum MiB of address space per process, and per file; 0: no additional limit */
    long seconds;        /* maximum processor time of each process; 0: no additional limit */
    struct view *views;
    size_t count;
    char **hidden; /* real paths: never shown, though a folder above may be */
    size_t hidden_count;
    char **command;
};

/* Ends with status 125 after a message. */
void jail_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
void *jail_grow(void *list, size_t count, size_t size);

/* Adds a path if it exists: whole, or in parts if it contains something hidden. */
void view_add(struct jail *jail, int kind, const char *path);
void view_hide(struct jail *jail, const char *path);
/* The system: its programs, libraries, and a few facts about the processor. */
void view_add_system(struct jail *jail);
/* In the order in which they can be mounted, without those already shown by another one. */
void view_sort(struct jail *jail);

/* Both return only on failure. */
void bubblewrap_run(const struct jail *jail, char **argv, int argc);
void landlock_run(const struct jail *jail);

/* The version of Landlock's interface; 0: this kernel has none, or it is switched off. */
int landlock_version(void);

/* A child that dies with its parent. */
pid_t first_fork(void);
/* This process becomes the first one of its namespace, and waits; returns in a child, where the command is to run. */
void first_begin(void);

/* Refuses system calls that nothing graded needs, and those that reach other processes unless the GPU's driver needs them. */
void system_calls_filter(const struct jail *jail);

/* Applies limits and the system call filter, then executes the command. Returns only on failure. */
void confined_run(const struct jail *jail);

#endif
