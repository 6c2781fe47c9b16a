/* bubblewrap.c - the jail by bubblewrap: new namespaces, in which only the views exist. */
#include "jail.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct words {
    char **at;
    size_t count;
};

static void say(struct words *w, const char *word) {
    w->at = jail_grow(w->at, w->count, sizeof *w->at);
    w->at[w->count++] = (char *)word;
}

static void say_all(struct words *w, const char *const *list) {
    for (; *list; list++)
        say(w, *list);
}

static void show(struct words *w, const struct view *view) {
    static const char *const options[] = {"--ro-bind", "--bind", "--dev-bind"};
    say(w, options[view->kind]);
    say(w, view->path);
    say(w, view->path);
}

/* Inside bubblewrap this program starts again: the limits and the filter are the same with and without it. The options for
 * paths are not repeated: only the views exist there. It is also the first process: bubblewrap's first process would be visible to the
 * command, and hold the user's environment variables. */
void bubblewrap_run(const struct jail *jail, char **argv, int argc) {
    static const char *const begin[] = {
        "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL", "--proc", "/proc",
        "--dev", "/dev",          "--tmpfs",           "/tmp",          "--as-pid-1", NULL};
    static const char *const end[] = {"--remount-ro", "/tmp", "--remount-ro", "/dev",
                                      "--remount-ro", "/",    "--chdir",      NULL};
    char self[4096], numbers[3][24];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    struct words w = {0};
    if (length < 0)
        jail_fail("/proc/self/exe cannot be read");
    self[length] = '\0';
    say_all(&w, begin);
    for (size_t v = 0; v < jail->count; v++)
        show(&w, &jail->views[v]);
    say_all(&w, (const char *[]){"--ro-bind", self, self, NULL});
    say_all(&w, end);
    say(&w, jail->folder);
    snprintf(numbers[0], sizeof numbers[0], "%ld", jail->memory);
    snprintf(numbers[1], sizeof numbers[1], "%ld", jail->file);
    snprintf(numbers[2], sizeof numbers[2], "%ld", jail->seconds);
    say_all(&w, (const char *[]){"--", self, "--backend", "none", "--first", "--folder", jail->folder, "--memory",
                                 numbers[0], "--file", numbers[1], "--seconds", numbers[2], NULL});
    if (jail->gpu)
        say(&w, "--gpu");
    say(&w, "--");
    for (int i = argc; argv[i]; i++)
        say(&w, argv[i]);
    say(&w, NULL);
    execvp("bwrap", w.at);
    jail_fail("bubblewrap (bwrap) cannot be started");
}
