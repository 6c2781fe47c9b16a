/* jail.c - starts a command that can access only the system's compilers and libraries and the paths that it is shown.
 *
 *     jail [OPTION...] -- COMMAND...
 *     jail --which                 prints the best backend that works here: bubblewrap, landlock or none; and why, on stderr
 *
 *     --backend NAME               bubblewrap, landlock, or none: only limits and the system call filter
 *     --see PATH, --write PATH     a file or folder that the command may read, or also modify
 *     --hide PATH                  a path that it must not see, even if a folder above it is shown
 *     --folder PATH                its working directory; / by default
 *     --gpu                        it needs NVIDIA's devices
 *     --first                      run it as a child of the first process; the jail by bubblewrap sets this itself
 *     --memory MIB, --file MIB     most address space of a process, most bytes of a file that it writes
 *     --seconds N                  most processor time of a process
 * The only place that decides what a submission can access, while it is compiled and while it runs. README.md in this folder has details. */
#include "jail.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

void jail_fail(const char *format, ...) {
    va_list arguments;
    fputs("jail: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputs(".\n", stderr);
    _exit(125);
}

void *jail_grow(void *list, size_t count, size_t size) {
    list = realloc(list, (count + 1) * size);
    if (!list)
        jail_fail("no memory");
    return list;
}

// ---------------------------------------------------------------- which backend works

/* Runs `true` in that jail. The output is stored in `said`. */
static bool works(const char *backend, char *said, size_t size) {
    int out[2], status = 1;
    size_t length = 0;
    if (pipe2(out, O_CLOEXEC) != 0)
        jail_fail("no pipe");
    pid_t child = fork();
    if (child == 0) {
        char *arguments[] = {"jail", "--backend", (char *)backend, "--", "true", NULL};
        dup2(out[1], 1);
        dup2(out[1], 2);
        execv("/proc/self/exe", arguments);
        _exit(125);
    }
    close(out[1]);
    for (ssize_t got; length + 1 < size && (got = read(out[0], said + length, size - length - 1)) > 0;)
        length += (size_t)got;
    close(out[0]);
    said[length] = '\0';
    said[strcspn(said, "\n")] = '\0';
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static bool on_path(const char *program) {
    char path[4096];
    const char *from = getenv("PATH");
    while (from && *from) {
        size_t length = strcspn(from, ":");
        if (snprintf(path, sizeof path, "%.*s/%s", (int)length, from, program) < (int)sizeof path &&
            access(path, X_OK) == 0)
            return true;
        from += length + (from[length] == ':');
    }
    return false;
}

/* For tests, JAIL_TEST_WITHOUT="bubblewrap landlock" disables those. It cannot enable a backend. */
static bool switched_off(const char *backend) {
    const char *without = getenv("JAIL_TEST_WITHOUT");
    return without && strstr(without, backend);
}

/* One word on stdout. On stderr, if it is not bubblewrap, the reason: the messages of the installed backends that do not work. */
static int which(void) {
    char said[500];
    if (switched_off("bubblewrap"))
        fputs("bubblewrap is switched off\n", stderr);
    else if (!on_path("bwrap"))
        fputs("bubblewrap is not installed\n", stderr);
    else if (works("bubblewrap", said, sizeof said)) {
        puts("bubblewrap");
        return 0;
    } else
        fprintf(stderr, "bubblewrap does not start: %s\n", *said ? said : "it ends with an error");
    if (switched_off("landlock"))
        fputs("Landlock is switched off\n", stderr);
    else if (landlock_version() == 0)
        fputs("this kernel has no Landlock (Linux 5.13 has)\n", stderr);
    else if (works("landlock", said, sizeof said)) {
        puts("landlock");
        return 0;
    } else
        fprintf(stderr, "Landlock does not work: %s\n", said);
    puts("none");
    return 0;
}

// ---------------------------------------------------------------- the command line

static long number(const char *text) {
    char *end;
    long value = strtol(text, &end, 10);
    if (*text == '\0' || *end || value < 0)
        jail_fail("'%s' is not a number", text);
    return value;
}

/* Paths are collected until all hidden ones are known. */
static struct view *asked;
static size_t asked_count;

static void ask(int kind, const char *path) {
    asked = jail_grow(asked, asked_count, sizeof *asked);
    asked[asked_count++] = (struct view){kind, (char *)path};
}

static void take_option(struct jail *jail, const char *option, const char *value) {
    if (!value)
        jail_fail("%s needs a value", option);
    else if (!strcmp(option, "--backend"))
        jail->backend = value;
    else if (!strcmp(option, "--see"))
        ask(VIEW_READ, value);
    else if (!strcmp(option, "--write"))
        ask(VIEW_WRITE, value);
    else if (!strcmp(option, "--hide"))
        view_hide(jail, value);
    else if (!strcmp(option, "--folder"))
        jail->folder = value;
    else if (!strcmp(option, "--memory"))
        jail->memory = number(value);
    else if (!strcmp(option, "--file"))
        jail->file = number(value);
    else if (!strcmp(option, "--seconds"))
        jail->seconds = number(value);
    else
        jail_fail("unknown option '%s'", option);
}

/* Returns the index of the command's first word. */
static int take_options(struct jail *jail, char **argv) {
    int i = 1;
    for (; argv[i] && strcmp(argv[i], "--") != 0; i++)
        if (!strcmp(argv[i], "--gpu"))
            jail->gpu = true;
        else if (!strcmp(argv[i], "--first"))
            jail->first = true;
        else {
            take_option(jail, argv[i], argv[i + 1]);
            i++;
        }
    if (!argv[i] || !argv[i + 1])
        jail_fail("usage: jail [OPTION...] -- COMMAND...");
    return i + 1;
}

int main(int argc, char **argv) {
    struct jail jail = {.backend = "bubblewrap"};
    if (argc == 2 && !strcmp(argv[1], "--which"))
        return which();
    int command = take_options(&jail, argv);
    jail.command = argv + command;
    if (strcmp(jail.backend, "none") == 0) {
        if (jail.folder && chdir(jail.folder) != 0) /* inside bubblewrap it is set already */
            jail_fail("no folder %s", jail.folder);
        if (jail.first)
            first_begin();
        confined_run(&jail);
    }
    jail.folder = jail.folder ? jail.folder : "/";
    view_add_system(&jail);
    for (size_t a = 0; a < asked_count; a++)
        view_add(&jail, asked[a].kind, asked[a].path);
    view_sort(&jail);
    if (strcmp(jail.backend, "landlock") == 0)
        landlock_run(&jail);
    else if (strcmp(jail.backend, "bubblewrap") == 0)
        bubblewrap_run(&jail, argv, command);
    jail_fail("unknown backend '%s'", jail.backend);
}
