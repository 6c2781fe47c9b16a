/* process.h - the runner as a process: started fresh, in a jail, spoken to, and ended with all that it has started. */
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
    int seconds;                                       /* that one job may take */
};

enum talk { TALK_ANSWERED, TALK_ENDED, TALK_TIMEOUT, TALK_FLOOD };

struct conversation {
    enum talk end;
    std::string printed; /* what the student's code and the emulator have printed meanwhile */
    uint64_t to_stdout;  /* bytes of that which went to stdout, of a job that was asked `apart` */
    std::string why;     /* TALK_ENDED: how the process ended */
    int status;          /* the same, as waitpid tells it */
    struct answer answer;
    std::vector<blob> arrays;
    std::vector<struct launch> launches; /* those of the answer, and those that follow it */
    blob harvest;
};

void process_setup(const struct process_setup *setup);

/* A fresh runner, from the next job on. `quiet`: the emulator explains no errors of calls, so that what is printed is the student's. `capability`: the emulated
 * device has this compute capability; NULL: its own. */
void process_start(bool quiet = false, const char *capability = NULL);

/* The runner that answered the checks before, if it was started by this function and still answers; else a fresh one, from the next job on. */
void process_share(void);

/* Hands over a job with the content of its arrays, and waits for the answer. `apart`: in a runner whose stdout is another pipe than its stderr, which
 * is a fresh one if the present one is not like that. */
struct conversation process_ask(const struct job *job, const std::vector<blob> &given, bool apart = false);

void process_stop(void);

/* Which runner this is: the first, the second ... */
unsigned process_number(void);

#endif
