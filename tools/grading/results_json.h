/* results_json.h - results.json, the one place where a grading's verdict is kept: exercism's interface for test runners (version 3), and what we add to it.
 *
 *     {"version": 3, "status": "fail", "verdict": "out_of_bounds", "message": null, "exercise": "03", "file": "lesson03_relu/exercise.cu", "seconds": 1.2,
 *      "tests": [{"name": ..., "task_id": 1, "status": "pass|fail|error", "message": ..., "output": ...,
 *                 "subject": ..., "verdict": "out_of_bounds", "seconds": 0.3, "findings": [...]}, ...]}
 *
 * `status` of a check that was not run is "error", and so is that of a file that does not compile; `message` of the whole is about that. `verdict` is null
 * until the grading has ended: a judge that dies on its way leaves the checks that it has judged.
 *
 * A finding is the judge's own, the first of a failed check, or one of the emulator's, of the check's verdict: {"kind", "file", "line", "kernel", "block", "thread", "message", "next"},
 * null where it has no place. `next` is what to do: {"step": "look at the line that does it", "tool": "profile"}; a terminal words it as `make exercise03 profile`,
 * a notebook as `%%nvcc --exercise 03 --profile`. */
#ifndef TOOLS_GRADING_RESULTS_JSON_H
#define TOOLS_GRADING_RESULTS_JSON_H

#include <stdint.h>
#include <string>
#include <vector>

struct next_step {
    std::string step, tool; /* "": none */
};

struct reported_finding {
    std::string kind, file, kernel, message;
    unsigned line; /* 0: nobody knows */
    bool in_thread;
    uint32_t block[3], thread[3]; /* where in_thread */
    struct next_step next;
};

enum check_state { CHECK_PASSED, CHECK_FAILED, CHECK_NOT_RUN };

struct judged_check {
    std::string name, subject; /* `subject`: what was done with which input when it ended */
    enum check_state state;
    std::string verdict, message, output;
    std::vector<struct reported_finding> findings;
    double seconds;
};

struct grading {
    std::string exercise, file;
    std::string verdict; /* "": it has not ended */
    std::string message; /* why it does not compile */
    double seconds;
    std::vector<struct judged_check> checks;
};

/* Replaces what the file holds. Ends the program when that cannot be written. */
void results_write(int descriptor, const struct grading *g);

#endif
