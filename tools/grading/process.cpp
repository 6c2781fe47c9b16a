#include "tools/grading/process.h"

#include <algorithm>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tools/grading/jailed.h"

static struct process_setup setup;
static pid_t pid = -1;
static int talk_fd = -1, output_fd = -1;
static int stdout_fd = -1;    /* stdout, where it is separate from stderr; -1: output_fd has both */
static size_t printed;        /* by all runners of this grading */
static uint64_t stdout_bytes; /* of the current conversation, where stdout is separate */
static unsigned started;

void process_setup(const struct process_setup *wanted) {
    setup = *wanted;
}

unsigned process_number(void) {
    return started;
}

// ---------------------------------------------------------------- the command

/* From the project: the two files that run, the libraries, and the student's source, whose lines the emulator quotes. */
static words visible(void) {
    const char *source = getenv("GRADER_COPY");
    words paths = {setup.runner, setup.object};
    for (size_t from = 0; from < setup.library_path.size();) {
        size_t to = std::min(setup.library_path.find(':', from), setup.library_path.size());
        paths.push_back(setup.library_path.substr(from, to - from));
        from = to + 1;
    }
    if (source) {
        paths.push_back(std::string(source, strrchr(source, '/')));
    }
    return paths;
}

static words command(void) {
    words c = jailed(visible());
    if (setup.backend == "gpu") {
        c.push_back("--gpu");
    }
    words_add(&c, {"--", setup.runner, setup.object, setup.backend, std::to_string(setup.seconds * 8 + 60)});
    return c;
}

/* An environment without any variable that the student's code does not need. */
static words environment(bool quiet, const char *capability) {
    words e = {"PATH=/usr/bin:/bin", "LANG=C.UTF-8",    "HOME=/tmp",
               "LD_BIND_NOW=1",      "EMULATOR_TIER=0", "LD_LIBRARY_PATH=" + setup.library_path};
    for (const char *name : {"EMULATOR_CHECK", "EMULATOR_DEVICES", "EMULATOR_RESIDENT", "EMULATOR_TIMEOUT",
                             "EMULATOR_THREADS", "CUDA_VISIBLE_DEVICES", "NO_COLOR", "TERM"}) {
        const char *value = getenv(name);
        if (value) {
            e.push_back(std::string(name) + "=" + value);
        }
    }
    if (quiet) {
        e.push_back("EMULATOR_QUIET=1");
    }
    if (capability) {
        e.push_back(std::string("EMULATOR_CAPABILITY=") + capability);
    }
    return e;
}

// ---------------------------------------------------------------- start and end

/* In the new process: descriptors 0 to 3 and no others, a new session, and termination together with its parent. */
static void become(int talk, int standard, int output, words *program, words *variables) {
    std::vector<char *> arguments = words_pointers(program), settings = words_pointers(variables);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nothing = open("/dev/null", O_RDONLY);
    talk = fcntl(talk, F_DUPFD, 10); /* clear of the descriptors overwritten next */
    standard = fcntl(standard, F_DUPFD, 10);
    output = fcntl(output, F_DUPFD, 10);
    dup2(nothing, 0);
    dup2(standard, 1);
    dup2(output, 2);
    dup2(talk, RUNNER_SOCKET);
    if (syscall(SYS_close_range, RUNNER_SOCKET + 1, ~0u, 0) != 0) {
        for (int fd = RUNNER_SOCKET + 1; fd < 1024; fd++) {
            close(fd);
        }
    }
    execvpe(arguments[0], arguments.data(), settings.data());
    _exit(127);
}

static void make_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC) != 0) {
        perror("grader");
        exit(2);
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
}

/* `apart`: stdout and stderr are two pipes, whose other ends only the judge holds. Otherwise they share one pipe, which keeps the output in order. */
static void start_process(bool quiet, const char *capability, bool apart) {
    int talk[2], output[2], standard[2] = {-1, -1};
    words program = command(), variables = environment(quiet, capability);
    make_pipe(output);
    if (apart) {
        make_pipe(standard);
    }
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) != 0 || (pid = fork()) < 0) {
        perror("grader");
        exit(2);
    }
    if (pid == 0) {
        become(talk[1], apart ? standard[1] : output[1], output[1], &program, &variables);
    }
    close(talk[1]);
    close(output[1]);
    close(standard[1]);
    talk_fd = talk[0];
    output_fd = output[0];
    stdout_fd = standard[0];
    fcntl(talk_fd, F_SETFL, O_NONBLOCK);
}

static void close_all(void) {
    close(talk_fd);
    close(output_fd);
    close(stdout_fd);
    talk_fd = output_fd = stdout_fd = -1;
}

/* Ends the runner's session; in a jail all processes die with the first one. */
static int end_process(void) {
    int status = 0;
    if (pid > 0) {
        kill(-pid, SIGKILL);
        kill(pid, SIGKILL);
        waitpid(pid, &status, 0);
        close_all();
    }
    pid = -1;
    return status;
}

void process_stop(void) {
    end_process();
}

// ---------------------------------------------------------------- the conversation

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of processor time of a process and all its descendants, including those that have ended. Waiting on a busy machine does
 * not count. */
static double processor_time(pid_t of) {
    char path[80], text[4000] = "";
    snprintf(path, sizeof path, "/proc/%d/stat", (int)of);
    FILE *file = fopen(path, "re");
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    unsigned long own[2] = {0, 0};
    long ended[2] = {0, 0};
    const char *behind = length ? strrchr(text, ')') : NULL; /* the name may have spaces */
    if (file) {
        fclose(file);
    }
    if (!behind || sscanf(behind + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld", &own[0], &own[1],
                          &ended[0], &ended[1]) != 4) {
        return 0;
    }
    double sum = (double)(own[0] + own[1]) + (double)(ended[0] + ended[1]);
    double seconds = sum / (double)sysconf(_SC_CLK_TCK);
    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)of, (int)of);
    file = fopen(path, "re");
    for (int child; file && fscanf(file, "%d", &child) == 1;) {
        seconds += processor_time(child);
    }
    if (file) {
        fclose(file);
    }
    return seconds;
}

/* Decides when a job has taken too long: after that many seconds of wall-clock time in which it used as many seconds of processor time. On a busy
 * machine the limit is longer; a sleeping job's limit counts from its last work; and no job gets more than PATIENCE times the limit. */
struct time_limit {
    double begun, looked, worked; /* wall-clock time */
    double before, spent;         /* processor time at the beginning and at the last look */
};

enum { PATIENCE = 10 };

static struct time_limit limit_begin(void) {
    double at = now(), spent = processor_time(pid);
    return {at, at, at, spent, spent};
}

static bool limit_reached(struct time_limit *limit) {
    double at = now(), seconds = setup.seconds;
    if (at - limit->looked < 0.5) {
        return false;
    }
    double spent = processor_time(pid);
    if (spent - limit->spent > 0.005) {
        limit->worked = at;
    }
    limit->looked = at;
    limit->spent = spent;
    return (spent - limit->before >= seconds && at - limit->begun >= seconds) || at - limit->worked >= seconds ||
           at - limit->begun >= PATIENCE * seconds;
}

/* Reads the output in one of the pipes, and returns its number of bytes. */
static size_t hear_pipe(int fd, std::string *text) {
    char piece[65536];
    size_t heard = 0;
    for (ssize_t got; printed < OUTPUT_CAP && (got = read(fd, piece, sizeof piece)) > 0;) {
        printed += (size_t)got;
        heard += (size_t)got;
        text->append(piece, (size_t)got);
    }
    return heard;
}

/* Reads all of the output. False when it exceeds the limit. */
static bool hear(std::string *text) {
    stdout_bytes += stdout_fd >= 0 ? hear_pipe(stdout_fd, text) : 0;
    hear_pipe(output_fd, text);
    return printed < OUTPUT_CAP;
}

/* Transfers `size` bytes to or from the runner, reading its output meanwhile. */
static enum talk move(void *data, size_t size, bool sending, struct time_limit *limit, std::string *text) {
    for (size_t done = 0; done < size;) {
        struct pollfd fds[3] = {
            {talk_fd, (short)(sending ? POLLOUT : POLLIN), 0}, {output_fd, POLLIN, 0}, {stdout_fd, POLLIN, 0}};
        if (limit_reached(limit)) {
            return TALK_TIMEOUT;
        }
        poll(fds, 3, 500);
        if (!hear(text)) {
            return TALK_FLOOD;
        }
        ssize_t moved = sending ? send(talk_fd, (char *)data + done, size - done, MSG_NOSIGNAL)
                                : read(talk_fd, (char *)data + done, size - done);
        if (moved == 0 || (moved < 0 && errno != EAGAIN && errno != EINTR)) {
            return TALK_ENDED;
        }
        done += moved > 0 ? (size_t)moved : 0;
        if (moved < 0 && ((fds[1].revents | fds[2].revents) & POLLHUP)) {
            usleep(1000); /* its output is closed, but it still runs */
        }
    }
    return TALK_ANSWERED;
}

/* The output of constructors in the student's object that ran before the first job was sent. */
static std::string printed_early;

static std::string ending(int status) {
    char text[120];
    if (WIFEXITED(status) && WEXITSTATUS(status) > 128) { /* how the jail reports a signal */
        status = WEXITSTATUS(status) - 128;
    }
    if (WIFSIGNALED(status)) {
        snprintf(text, sizeof text, "the host code crashed (%s)", strsignal(WTERMSIG(status)));
    } else {
        snprintf(text, sizeof text, "the program ended with status %d", WEXITSTATUS(status));
    }
    return text;
}

/* The runner has closed its end of the socket: how did it end? */
static void bury(struct conversation *c) {
    double until = now() + 2;
    int status = 0;
    pid_t found;
    while ((found = waitpid(pid, &status, WNOHANG)) == 0 && now() < until) {
        hear(&c->printed);
        usleep(2000);
    }
    hear(&c->printed);
    if (found == pid) {
        kill(-pid, SIGKILL);
        pid = -1;
        close_all();
    } else {
        end_process();
    }
    c->status = status;
    c->why = ending(status);
}

/* The answer is untrusted: this terminates the names. */
static enum talk listen_to_launches(struct conversation *c, struct time_limit *limit) {
    unsigned here = std::min(c->answer.launches, (unsigned)LAUNCHES_MAX);
    c->launches.assign(c->answer.launch, c->answer.launch + here);
    c->launches.resize(here + c->answer.more_launches);
    enum talk end =
        move(c->launches.data() + here, c->answer.more_launches * sizeof(struct launch), false, limit, &c->printed);
    for (struct launch &launch : c->launches) {
        launch.kernel[KERNEL_MAX - 1] = launch.called[WORD_MAX - 1] = 0;
    }
    return end;
}

static enum talk listen(const struct job *job, struct conversation *c, struct time_limit *limit) {
    enum talk end = move(&c->answer, sizeof c->answer, false, limit, &c->printed);
    if (end != TALK_ANSWERED) {
        return end;
    }
    if (c->answer.token != job->token || c->answer.harvest > (1u << 28) ||
        c->answer.more_launches > LAUNCHES_MORE_MAX) {
        return TALK_ENDED; /* the answer is not the runner's */
    }
    for (unsigned i = 0; i < job->arrays && c->answer.contents && end == TALK_ANSWERED; i++) {
        if (job->array[i].wanted) {
            c->arrays[i].resize(job->array[i].bytes);
            end = move(c->arrays[i].data(), c->arrays[i].size(), false, limit, &c->printed);
        }
    }
    end = end == TALK_ANSWERED ? listen_to_launches(c, limit) : end;
    c->harvest.resize(c->answer.harvest);
    return end == TALK_ANSWERED ? move(c->harvest.data(), c->harvest.size(), false, limit, &c->printed) : end;
}

/* `text`: its message if it does not start. */
static bool hello(std::string *text) {
    char word[6] = "";
    struct time_limit limit = limit_begin();
    bool there = move(word, sizeof word, false, &limit, text) == TALK_ANSWERED && strcmp(word, "hello") == 0;
    hear(text);
    return there;
}

/* The current runner, or the one that the next job starts. */
static struct {
    bool to_start, quiet, apart, shared;
    std::string capability; /* "": that of the device */
} wanted_runner;

void process_start(bool quiet, const char *capability) {
    process_stop();
    wanted_runner = {true, quiet, false, false, capability ? capability : ""};
}

void process_share(void) {
    if (pid > 0 && wanted_runner.shared && !wanted_runner.apart) {
        return;
    }
    process_start();
    wanted_runner.shared = true;
}

static void start_wanted(void) {
    std::string text;
    process_stop();
    started++;
    const char *capability = wanted_runner.capability.c_str();
    start_process(wanted_runner.quiet, *capability ? capability : NULL, wanted_runner.apart);
    wanted_runner.to_start = false;
    if (!hello(&text)) {
        fprintf(stderr, "%sgrader: the runner does not start.\n", text.c_str());
        exit(2);
    }
    printed_early = text;
}

struct conversation process_ask(const struct job *job, const std::vector<blob> &given, bool apart) {
    struct conversation c = {};
    if (wanted_runner.to_start || (apart && !wanted_runner.apart)) {
        wanted_runner.apart = apart;
        start_wanted();
    }
    struct time_limit limit = limit_begin();
    stdout_bytes = 0;
    c.printed.swap(printed_early);
    c.arrays.resize(ARRAYS_MAX);
    c.end = move((void *)job, sizeof *job, true, &limit, &c.printed);
    for (unsigned i = 0; i < job->arrays && c.end == TALK_ANSWERED; i++) {
        if (job->array[i].given) {
            c.end = move((void *)given[i].data(), given[i].size(), true, &limit, &c.printed);
        }
    }
    if (c.end == TALK_ANSWERED) {
        c.end = listen(job, &c, &limit);
    }
    if (c.end == TALK_ENDED) {
        bury(&c);
    } else if (c.end != TALK_ANSWERED) {
        end_process();
    } else {
        hear(&c.printed);
    }
    c.to_stdout = stdout_bytes;
    return c;
}
