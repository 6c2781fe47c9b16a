/* results_json.h - results.json, the only place where a grading's verdict is stored: exercism's interface for test runners (version 3),
 * with extensions.
 *
 *     {"version": 3, "status": "fail", "verdict": "out_of_bounds", "message": null, "exercise": "03", "file": "lesson03_relu/exercise.cu", "seconds": 1.2,
 *      "tests": [{"name": ..., "task_id": 1, "status": "pass|fail|error", "message": ..., "output": ...,
 *                 "subject": ..., "verdict": "out_of_bounds", "seconds": 0.3, "findings": [...]}, ...]}
 *
 * `status` of a check that was not run is "error", and so is that of a file that does not compile; the top-level `message` explains that.
 * `verdict` is null until the grading has ended: a judge that dies earlier leaves the checks that it has judged.
 *
 * A finding is the judge's own, the first of a failed check, or one of the emulator's, of the check's verdict:
 * {"kind", "file", "line", "kernel", "block", "thread", "message", "next"}, null if it has no place. `next` is the next step:
 * {"step": "look at the line that causes it", "tool": "profile"}; a terminal words it as `make exercise03 profile`,
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
    unsigned line; /* 0: unknown */
    bool in_thread;
    uint32_t block[3], thread[3]; /* if in_thread */
    struct next_step next;
};

enum check_state { CHECK_PASSED, CHECK_FAILED, CHECK_NOT_RUN };

struct judged_check {
    std::string name, subject; /* `subject`: the operation and the input at its end */
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

/* Replaces the file's content. Ends the program when it cannot be written. */
void results_write(int descriptor, const struct grading *g);

#endif
