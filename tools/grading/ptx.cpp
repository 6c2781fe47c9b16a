/* ptx.cpp - information from the object's PTX, which tools/grading/run leaves uncompressed in it. */
#include "tools/grading/checks.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits.h>
#include <unistd.h>

#include "tools/grading/jailed.h"
#include "tools/grading/report.h"

/* Arithmetic in double precision; conversions and moves do not count. */
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

static std::string read_object(void) {
    std::ifstream file(checks_object(), std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
}

void judge_remark_doubles(void) {
    std::string object = read_object();
    int line = 0, count = count_doubles(object, &line);
    if (count) {
        report_remark("  note    your kernels compute in double precision: %d instructions, the first for line %d. An "
                      "H200's\n          throughput in double is half of that in float, a GeForce's 1/64. A constant "
                      "without `f` is a double, and a product with it as well.",
                      count, line);
    }
}

// ---------------------------------------------------------------- the resources that ptxas reports

static int number_behind(const std::string &said, const char *words);

/* The PTX that contains this kernel: from its .version to the terminating zero. Of several the one that a device of this capability loads; 0: the
 * first. */
static std::string ptx_of(const std::string &object, const std::string &kernel, int capability = 0) {
    std::string best;
    int highest = 0;
    for (size_t at = 0; (at = object.find("\n.version ", at)) != std::string::npos; at++) {
        std::string text = object.substr(at, object.find('\0', at) - at);
        int target = number_behind(text, "\n.target sm_");
        bool better = capability ? target <= capability && target > highest : best.empty();
        if (better && text.find(".entry " + kernel + "(") != std::string::npos) {
            best = text;
            highest = target;
        }
    }
    return best;
}

std::string judge_ptx(const char *kernel, int capability) {
    std::string ptx = ptx_of(read_object(), kernel, capability), own;
    bool other = false; /* inside another kernel, which ends with a brace at the beginning of its line */
    for (size_t from = 0, to; from < ptx.size(); from = to + 1) {
        to = std::min(ptx.find('\n', from), ptx.size());
        std::string line = ptx.substr(from, to - from);
        if (line.find(".entry ") != std::string::npos) {
            other = line.find(std::string(".entry ") + kernel + "(") == std::string::npos;
        }
        own += other ? "" : line + "\n";
        other = other && line != "}";
    }
    return own;
}

/* The name comes from the student's process. */
static bool is_name(const std::string &kernel) {
    const char *const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$";
    return !kernel.empty() && kernel.find_first_not_of(letters) == std::string::npos;
}

static std::string write_ptx(const std::string &ptx) {
    const char *scratch = getenv("GRADER_SCRATCH");
    std::string path = std::string(scratch ? scratch : "/tmp") + "/judge-XXXXXX";
    int file = mkstemp(&path[0]);
    bool written = file >= 0 && write(file, ptx.data(), ptx.size()) == (ssize_t)ptx.size();
    if (file >= 0) {
        close(file);
    }
    return written ? path : "";
}

/* The input comes from the student's object and is untrusted, so it is compiled in the jail, as the student's source was. ptxas may be a link, and
 * in tests a script that calls the one in .toolchain. */
static std::string ask_ptxas(const std::string &ptx, const std::string &kernel) {
    const char *arch = ptx.find("\n.target sm_90a") == std::string::npos ? "sm_90" : "sm_90a"; // sm_90a PTX needs it
    const char *named = getenv("EMULATOR_PTXAS");
    std::string ptxas = named ? named : "ptxas", path = write_ptx(ptx);
    char here[PATH_MAX], real[PATH_MAX];
    words see = {path, ptxas};
    if (realpath(ptxas.c_str(), real)) {
        see.push_back(real);
    }
    if (getcwd(here, sizeof here)) {
        see.push_back(std::string(here) + "/.toolchain");
    }
    words command = jailed(see);
    words_add(&command, {"--memory", "4096", "--file", "1", "--seconds", "60", "--", ptxas, "-v",
                         std::string("-arch=") + arch, "-e", kernel, path, "-o", "/dev/null"});
    std::string said = path.empty() ? "" : jailed_output(command);
    unlink(path.c_str());
    return said;
}

/* The number before these words, 0 if they are not there. */
static int number_before(const std::string &said, const char *words) {
    size_t end = said.find(words), start = end;
    while (start != std::string::npos && start > 0 && isdigit((unsigned char)said[start - 1])) {
        start--;
    }
    return end == std::string::npos ? 0 : atoi(said.c_str() + start);
}

/* The number after them. */
static int number_behind(const std::string &said, const char *words) {
    size_t at = said.find(words);
    return at == std::string::npos ? 0 : atoi(said.c_str() + at + strlen(words));
}

/* It prints "Used 32 registers, used 1 barriers, 380 bytes cmem[0]"; the one of CUDA 12.4 omits the barriers. */
struct machine_code judge_ptxas(const char *kernel) {
    std::string ptx = is_name(kernel) ? ptx_of(read_object(), kernel) : "";
    std::string said = ptx.empty() ? "" : ask_ptxas(ptx, kernel);
    int registers = number_behind(said, "Used ");
    if (!registers) {
        judge_fail("crash",
                   "ptxas, which is part of nvcc, reports nothing about the kernel %s: see make doctor.\n          %s",
                   kernel, said.substr(0, 500).c_str());
    }
    return {registers, number_before(said, " bytes smem"), number_before(said, " bytes spill stores"),
            number_before(said, " bytes spill loads"), number_before(said, " bytes stack frame")};
}
