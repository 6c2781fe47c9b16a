/* ptx.cpp - what the object's PTX tells, which tools/grading/run leaves uncompressed in it. */
#include "tools/grading/checks.h"

#include <fstream>
#include <iterator>

#include "tools/grading/report.h"

/* Arithmetic in double precision; conversions and moves are none. */
static bool is_double_arithmetic(const std::string &line) {
    static const char *const operations[] = {"add.", "sub.", "mul.", "fma.", "div.", "sqrt.", "rcp."};
    size_t start = line.find_first_not_of(" \t");
    if (start == std::string::npos || line.find(".f64") == std::string::npos) {
        return false;
    }
    for (const char *operation : operations) {
        if (line.compare(start, strlen(operation), operation) == 0) {
            return true;
        }
    }
    return false;
}

/* How many such instructions there are; *line: of the first, in the file that is numbered 1 (the student's), 0 if it is elsewhere. */
static int count_doubles(const std::string &object, int *line) {
    int count = 0, now = 0;
    *line = 0;
    for (size_t from = 0, to; (to = object.find('\n', from)) != std::string::npos; from = to + 1) {
        if (to - from > 500) {
            continue; /* not text */
        }
        std::string text = object.substr(from, to - from);
        int file = 0, at = 0;
        if (sscanf(text.c_str(), " .loc %d %d", &file, &at) == 2) {
            now = file == 1 ? at : now;
        } else if (is_double_arithmetic(text)) {
            *line = count++ ? *line : now;
        }
    }
    return count;
}

void judge_remark_doubles(void) {
    std::ifstream file(checks_object(), std::ios::binary);
    std::string object((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    int line = 0, count = count_doubles(object, &line);
    if (count) {
        report_remark("  note    your kernels compute in double precision: %d instructions, the first for line %d. An "
                      "H200 does half as many of "
                      "them\n          in a second as in float, a GeForce a sixty-fourth. A constant without `f` is a "
                      "double; so is what it is "
                      "multiplied with.",
                      count, line);
    }
}
