/* Grades an exercise again each time its file is saved, and reads single keys in between.
 *
 *     watch [--poll] NUMBER          run in the project's root, on a terminal
 *
 * The file system's events (inotify) wake it at once; where there are none (network drives, shared folders of a virtual
 * machine) it sees the change within half a second, by looking. --poll only looks. When another exercise's file is saved it
 * goes there; otherwise it never goes on to another exercise by itself. A grading that runs when the file is saved again is
 * ended and begun anew.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum {
    LOOK_MS = 500,   /* how often the file is looked at */
    SETTLE_MS = 120, /* a file must have been left alone for this long: editors write in several steps */
    NUMBER_SIZE = 8,
    EXERCISES_MAX = 100,
};

/* What changes when a file is saved; all zero while there is no file. */
struct stamp {
    struct timespec changed;
    off_t size;
    ino_t inode;
};

struct exercise {
    char number[NUMBER_SIZE];
    char path[600];
    struct stamp graded; /* the file as it was when its last grading, or this program, began */
};

static struct exercise exercises[EXERCISES_MAX];
static int exercise_count;

static struct watch {
    struct exercise *exercise;
    int events;      /* inotify, or -1 */
    pid_t grading;   /* the process group of the grading that runs, or 0 */
    int last_status; /* of the last grading that ended; -1 before the first */
    char typed;      /* the first digit of an exercise's number */
} now = {.events = -1, .last_status = -1};

static int wake[2]; /* a byte for each signal */

// ---------------------------------------------------------------- the terminal

static struct termios before;
static int coloured;

static void restore_terminal(void) {
    tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

/* Keys come one by one and are not shown. Ctrl-C goes on to be a signal. */
static void read_single_keys(void) {
    struct termios raw = before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
}

static const char *colour(const char *code) {
    return coloured ? code : "";
}

static void clear_screen(void) {
    const char *terminal = getenv("TERM");
    if (terminal && strcmp(terminal, "dumb") != 0) {
        fputs("\033[H\033[2J", stdout);
    }
}

static void show_keys(void) {
    printf("\n%sn%s next  %sh%s hint  %sl%s list  %sx%s reset  %sq%s quit\n", colour("\033[1m"), colour("\033[0m"),
           colour("\033[1m"), colour("\033[0m"), colour("\033[1m"), colour("\033[0m"), colour("\033[1m"),
           colour("\033[0m"), colour("\033[1m"), colour("\033[0m"));
    fflush(stdout);
}

// ---------------------------------------------------------------- signals

static void on_signal(int signal) {
    char byte = (char)signal;
    int error = errno;
    ssize_t written = write(wake[1], &byte, 1);
    (void)written;
    errno = error;
}

static void catch_signals(void) {
    static const int caught[] = {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGCONT};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    if (pipe2(wake, O_NONBLOCK | O_CLOEXEC)) {
        perror("watch");
        exit(1);
    }
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
        sigaction(caught[i], &action, NULL);
    }
}

// ---------------------------------------------------------------- the file

static struct stamp look(const char *path) {
    struct stamp stamp;
    struct stat status;
    memset(&stamp, 0, sizeof stamp);
    if (stat(path, &status) == 0) {
        stamp.changed = status.st_mtim;
        stamp.size = status.st_size;
        stamp.inode = status.st_ino;
    }
    return stamp;
}

static int same(const struct stamp *a, const struct stamp *b) {
    return a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec && a->size == b->size &&
           a->inode == b->inode;
}

/* The folder and not the file is watched: many editors save by putting a new file in the old one's place. */
static void watch_folder(const char *path) {
    char folder[600];
    snprintf(folder, sizeof folder, "%s", path);
    *strrchr(folder, '/') = '\0';
    if (now.events >= 0) {
        inotify_add_watch(now.events, folder, IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_MODIFY);
    }
}

/* 03, 03b, 04: an underscore comes before letters. */
static int compare_paths(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void find_exercises(void) {
    glob_t found;
    glob("lessons/lesson[0-9][0-9]_*/exercise.cu", 0, NULL, &found);
    glob("lessons/lesson[0-9][0-9][a-z]_*/exercise.cu", GLOB_APPEND, NULL, &found);
    glob("lessons/lesson[0-9][0-9]_*/exercise.py", GLOB_APPEND, NULL, &found);
    glob("lessons/lesson[0-9][0-9]_*/exercise.cpp", GLOB_APPEND, NULL, &found);
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, compare_paths);
    for (size_t i = 0; i < found.gl_pathc && exercise_count < EXERCISES_MAX; i++) {
        struct exercise *exercise = &exercises[exercise_count];
        if (sscanf(found.gl_pathv[i], "lessons/lesson%3[0-9a-z]", exercise->number) == 1) {
            snprintf(exercise->path, sizeof exercise->path, "%s", found.gl_pathv[i]);
            exercise->graded = look(exercise->path);
            watch_folder(exercise->path);
            exercise_count++;
        }
    }
    globfree(&found);
}

static struct exercise *find_exercise(const char *number) {
    for (int i = 0; i < exercise_count; i++) {
        if (strcmp(exercises[i].number, number) == 0) {
            return &exercises[i];
        }
    }
    return NULL;
}

static int choose(const char *number) {
    struct exercise *exercise = find_exercise(number);
    if (exercise) {
        now.exercise = exercise;
        now.last_status = -1;
    }
    return exercise != NULL;
}

/* The exercise after this one; NULL when this is the last. */
static struct exercise *find_next(void) {
    return now.exercise + 1 < exercises + exercise_count ? now.exercise + 1 : NULL;
}

// ---------------------------------------------------------------- the work

static pid_t start(char *const arguments[]) {
    pid_t child = fork();
    if (child == 0) {
        int nothing = open("/dev/null", O_RDONLY);
        setpgid(0, 0);
        dup2(nothing, STDIN_FILENO);
        execvp(arguments[0], arguments);
        perror(arguments[0]);
        _exit(127);
    }
    if (child > 0) {
        setpgid(child, child);
    }
    return child;
}

/* A short command of ours, to its end. */
static void run(const char *script, const char *first, const char *second) {
    char *arguments[] = {"sh", (char *)script, (char *)first, (char *)second, NULL};
    int status;
    pid_t child;
    fflush(stdout);
    child = start(arguments);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
}

static void stop_grading(void) {
    if (now.grading) {
        kill(-now.grading, SIGTERM);
        kill(-now.grading, SIGKILL);
        waitpid(now.grading, NULL, 0);
        now.grading = 0;
    }
}

static void start_grading(void) {
    char *arguments[] = {"sh", "tools/exercise/exercise.sh", now.exercise->number, "grade", NULL};
    stop_grading();
    clear_screen();
    printf("%sexercise%s%s  %s\n\ngrading ...\n", colour("\033[1m"), now.exercise->number, colour("\033[0m"),
           now.exercise->path);
    fflush(stdout);
    now.exercise->graded = look(now.exercise->path);
    now.grading = start(arguments);
}

static void end_grading(void) {
    int status;
    if (!now.grading || waitpid(now.grading, &status, WNOHANG) != now.grading) {
        return;
    }
    now.grading = 0;
    now.last_status = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    if (now.last_status == 0) {
        printf("\n%sIt passes.%s %s\n", colour("\033[32m"), colour("\033[0m"),
               find_next() ? "Press n to go on to the next exercise." : "It was the last exercise.");
    } else {
        printf("\nSave %s, and it is graded again.\n", now.exercise->path);
    }
    show_keys();
}

// ---------------------------------------------------------------- keys

static void go_to(const char *number) {
    stop_grading();
    if (choose(number)) {
        start_grading();
    } else {
        printf("There is no exercise %s.\n", number);
        show_keys();
    }
}

static void go_on(void) {
    if (find_next()) {
        go_to(find_next()->number);
    } else {
        printf("Exercise %s is the last one.\n", now.exercise->number);
        show_keys();
    }
}

static void handle_signals(void);

/* Waits for one key; anything but y is a no. */
static int confirm(const char *question) {
    struct pollfd sources[] = {{STDIN_FILENO, POLLIN, 0}, {wake[0], POLLIN, 0}};
    char key = 0;
    printf("%s (y or n) ", question);
    fflush(stdout);
    while (!sources[0].revents) {
        poll(sources, 2, -1);
        handle_signals(); /* Ctrl-C ends it here too */
    }
    if (read(STDIN_FILENO, &key, 1) != 1) {
        key = 0;
    }
    printf("%s\n", key == 'y' ? "y" : "n");
    return key == 'y';
}

/* Arrows and function keys are sent as an escape and more characters, which come together. */
static void drop_rest_of_key(void) {
    struct pollfd terminal = {STDIN_FILENO, POLLIN, 0};
    char rest;
    while (poll(&terminal, 1, 20) == 1 && read(STDIN_FILENO, &rest, 1) == 1) {
    }
}

static void reset(void) {
    char question[80];
    snprintf(question, sizeof question, "Reset exercise %s? Yours is kept as a backup.", now.exercise->number);
    stop_grading();
    if (confirm(question)) {
        run("tools/exercise/exercise.sh", now.exercise->number, "reset");
        now.exercise->graded = look(now.exercise->path); /* the reset is not the student's saving */
    }
    show_keys();
}

/* Two digits go to that exercise. */
static void type_digit(char digit) {
    char number[3] = {now.typed, digit, 0};
    if (!now.typed) {
        now.typed = digit;
        return;
    }
    now.typed = 0;
    go_to(number);
}

/* A letter behind the two digits of an exercise goes to a further one of its lesson: 03, then b. */
static void type_letter(char letter) {
    char number[4] = {now.exercise->number[0], now.exercise->number[1], letter, 0};
    if (find_exercise(number)) {
        go_to(number);
    }
}

/* 0: it was q. */
static int handle_key(char key) {
    if (key >= '0' && key <= '9') {
        type_digit(key);
        return 1;
    }
    now.typed = 0;
    switch (key) {
    case 'q':
        return 0;
    case 'n':
        go_on();
        break;
    case 'h':
        run("tools/exercise/exercise.sh", now.exercise->number, "hint");
        show_keys();
        break;
    case 'l':
        run("tools/exercise/progress.sh", "show", NULL);
        printf("Type a number to go there.\n");
        show_keys();
        break;
    case 'x':
        reset();
        break;
    case '\033':
        drop_rest_of_key();
        break;
    case '\n':
    case ' ':
        show_keys();
        break;
    default:
        type_letter(key);
    }
    return 1;
}

// ---------------------------------------------------------------- the loop

static void leave(int status) {
    stop_grading();
    restore_terminal();
    putchar('\n');
    exit(status);
}

static void handle_signals(void) {
    char signal;
    while (read(wake[0], &signal, 1) == 1) {
        if (signal == SIGCHLD) {
            end_grading();
        } else if (signal == SIGCONT) {
            read_single_keys();
        } else {
            leave(128 + signal);
        }
    }
}

/* The exercise whose file was saved since it was graded, or NULL. The one on the screen comes first. */
static struct exercise *find_saved(void) {
    static const struct stamp none;
    for (int i = -1; i < exercise_count; i++) {
        struct exercise *exercise = i < 0 ? now.exercise : &exercises[i];
        struct stamp seen = look(exercise->path), settled;
        if (same(&seen, &exercise->graded) || same(&seen, &none)) {
            continue;
        }
        usleep(SETTLE_MS * 1000);
        settled = look(exercise->path);
        if (same(&seen, &settled)) {
            return exercise;
        }
    }
    return NULL;
}

static void look_for_change(void) {
    struct exercise *saved = find_saved();
    if (saved) {
        go_to(saved->number);
    }
}

static void drop_events(void) {
    char events[4096];
    while (read(now.events, events, sizeof events) > 0) {
    }
}

static void wait_and_handle(void) {
    struct pollfd sources[] = {{STDIN_FILENO, POLLIN, 0}, {wake[0], POLLIN, 0}, {now.events, POLLIN, 0}};
    char key;
    poll(sources, 3, LOOK_MS);
    if (sources[0].revents && (read(STDIN_FILENO, &key, 1) != 1 || !handle_key(key))) {
        leave(0);
    }
    if (sources[2].revents) {
        drop_events();
    }
    handle_signals();
    look_for_change();
}

int main(int argc, char **argv) {
    int polling = argc == 3 && strcmp(argv[1], "--poll") == 0;
    if (argc != 2 + polling) {
        fprintf(stderr, "usage: watch [--poll] NUMBER\n");
        return 2;
    }
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before)) {
        fprintf(stderr, "watch: this needs a terminal\n");
        return 1;
    }
    coloured = !(getenv("NO_COLOR") && *getenv("NO_COLOR")) && getenv("TERM") && strcmp(getenv("TERM"), "dumb") != 0;
    now.events = polling ? -1 : inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    find_exercises();
    if (!choose(argv[1 + polling])) {
        fprintf(stderr, "watch: there is no exercise %s\n", argv[1 + polling]);
        return 1;
    }
    catch_signals();
    read_single_keys();
    start_grading();
    for (;;) {
        wait_and_handle();
    }
}
