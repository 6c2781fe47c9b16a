/* process.h - the runner as a process: starts it in a jail, exchanges messages with it, and ends it with all its descendants. */
#ifndef TOOLS_GRADING_PROCESS_H
#define TOOLS_GRADING_PROCESS_H

#include <string>
#include <sys/types.h>
#include <vector>

#include "tools/grading/protocol.h"

typedef std::vector<unsigned char> blob;

/* How a grading starts its runners. */
struct process_setup {
    std::string runner, object, library_path, backend; /* backend: cpu or gpu */
    int seconds;                                       /* limit of one job */
};

enum talk { TALK_ANSWERED, TALK_ENDED, TALK_TIMEOUT, TALK_FLOOD };

struct conversation {
    enum talk end;
    std::string printed; /* the output of the student's code and the emulator meanwhile */
    uint64_t to_stdout;  /* bytes of it written to stdout, for a job with `apart` */
    std::string why;     /* TALK_ENDED: how the process ended */
    int status;          /* the same, as returned by waitpid */
    struct answer answer;
    std::vector<blob> arrays;
    std::vector<struct launch> launches; /* those in the answer and those that follow it */
    blob harvest;
};

void process_setup(const struct process_setup *setup);

/* A fresh runner, from the next job on. `quiet`: the emulator explains no errors of calls, so that all output is the student's. `capability`: the
 * compute capability of the emulated device; NULL: its default. */
void process_start(bool quiet = false, const char *capability = NULL);

/* The runner that answered the checks before, if it was started by this function and still answers; else a fresh one, from the next job on. */
void process_share(void);

/* Sends a job with the content of its arrays, and waits for the answer. `apart`: in a runner with separate pipes for stdout and stderr, which is
 * a fresh one if the current one has a single pipe. */
struct conversation process_ask(const struct job *job, const std::vector<blob> &given, bool apart = false);

void process_stop(void);

/* Which runner this is: the first, the second ... */
unsigned process_number(void);

#endif
