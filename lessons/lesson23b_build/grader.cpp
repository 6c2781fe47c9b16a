/* Grader of exercise 23b: the commands in lessons/lesson23b_build/exercise.cu build a program that runs where it has to.
 *
 * Nothing of the student's is called: the file has none. The commands are taken from its lines `// $ `, and only words that such a build needs
 * are let through: no path, no shell, no option that runs or writes something else. They are run in a fresh folder with the sources, which
 * are the workbook's; so is what they build, and that is started on devices of several compute capabilities. */
#include <fstream>
#include <regex>
#include <stdlib.h>
#include <sys/wait.h>

#include "common/grader.h"

typedef std::vector<std::string> words;

static std::string exercise, folder; /* the student's file; where it is built */
static std::string nvcc, toolkit_lib, host_compiler;

// ---------------------------------------------------------------- commands of the shell

struct outcome {
    int status;
    std::string printed;
};

/* A command of ours, or one whose words have been let through. */
static struct outcome run_command(const std::string &command) {
    struct outcome o = {-1, ""};
    char piece[4096];
    FILE *pipe = popen(("{ " + command + "; } 2>&1 </dev/null").c_str(), "r");
    if (!pipe) {
        perror("grader: popen");
        exit(2);
    }
    for (size_t got; (got = fread(piece, 1, sizeof piece, pipe)) > 0;) {
        o.printed.append(piece, got);
    }
    int status = pclose(pipe);
    o.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return o;
}

static std::string quoted(const std::string &word) {
    std::string safe = "'";
    for (char c : word) {
        safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return safe + "'";
}

static std::string first_line_of(const std::string &command) {
    std::string text = run_command(command).printed;
    return text.substr(0, text.find('\n'));
}

static void find_toolkit(void) {
    nvcc = first_line_of(". build/configuration; echo \"$NVCC\"");
    toolkit_lib = first_line_of(". build/configuration; echo \"$TOOLKIT_LIB\"");
    host_compiler = first_line_of(". build/configuration; echo \"$HOST_COMPILER\"");
}

// ---------------------------------------------------------------- what may be said

static bool is_file(const std::string &word) {
    static const std::regex form("[a-z][a-z0-9_]*\\.(cu|cpp|o|a|so)|program");
    return std::regex_match(word, form);
}

static bool is_option(const std::string &word) {
    static const std::regex form(
        "-c|-dc|-dlink|-lib|-shared|--shared|-o|-O[0-3]|-std=c\\+\\+1[47]|-std=c\\+\\+20|-lineinfo|-L\\.|-fPIC|-fpic|"
        "rcs|"
        "-rdc=true|-rdc=false|--relocatable-device-code=(true|false)|--device-c|--device-link|-cudart|--cudart|shared|"
        "static|none|"
        "-cudart=(shared|static|none)|-Xcompiler|-Xcompiler=-f(PIC|pic)|-l(silu|report|cudart|cudadevrt|dl|pthread|rt)|"
        "-gencode|-gencode=arch=.*|-arch|-arch=[a-z]+_[0-9]+[af]?|(sm|compute)_[0-9]+[af]?|"
        "arch=compute_[0-9]+[af]?,code=\\[?((sm|compute)_[0-9]+[af]?,?)+\\]?");
    static const std::regex characters("[A-Za-z0-9_.,=+\\[\\]-]+");
    return std::regex_match(word, characters) && std::regex_match(word, form);
}

static words split(const std::string &line) {
    words all;
    std::string word;
    for (char c : line + " ") {
        if (c != ' ' && c != '\t' && c != '\r') {
            word += c;
        } else if (!word.empty()) {
            all.push_back(word);
            word.clear();
        }
    }
    return all;
}

/* Ends the check if there is a word that is not let through, or a source that would be overwritten. */
static void judge_words(const std::string &line, const words &command) {
    static const std::regex program("nvcc|g\\+\\+|ar"), source(".*\\.(cu|cpp)");
    if (command.empty() || !std::regex_match(command[0], program)) {
        judge_fail("compile_error", "'// $ %s': a command is nvcc, g++ or ar.", line.c_str());
    }
    for (size_t w = 1; w < command.size(); w++) {
        if (!is_file(command[w]) && !is_option(command[w])) {
            judge_fail("compile_error",
                       "'%s' in '// $ %s' is no option that is needed here, and no file of this folder.",
                       command[w].c_str(), line.c_str());
        }
        if (command[w - 1] == "-o" && std::regex_match(command[w], source)) {
            judge_fail("compile_error", "'// $ %s' would overwrite a source.", line.c_str());
        }
    }
}

static std::vector<words> read_commands(void) {
    std::vector<words> commands;
    std::ifstream in(exercise);
    for (std::string line; std::getline(in, line);) {
        if (line.compare(0, 5, "// $ ") == 0) {
            commands.push_back(split(line.substr(5)));
            judge_words(line.substr(5), commands.back());
        }
    }
    if (commands.empty()) {
        judge_fail("not_implemented", "there are no lines that begin with '// $ '.");
    }
    return commands;
}

// ---------------------------------------------------------------- the build

/* In the folder, with what the linkers need to find the toolkit's libraries. */
static struct outcome in_folder(const std::string &command) {
    return run_command("cd " + quoted(folder) + " && LIBRARY_PATH=" + quoted(toolkit_lib) + " " + command);
}

static struct outcome run_words(const words &command) {
    std::string text = "NVCC_APPEND_FLAGS= ";
    if (command[0] == "nvcc") {
        text +=
            (host_compiler.empty() ? "" : "NVCC_CCBIN=" + quoted(host_compiler) + " ") + "timeout 120 " + quoted(nvcc);
    } else if (command[0] == "g++") {
        text += "timeout 120 " + quoted(host_compiler.empty() ? "g++" : host_compiler);
    } else {
        text += "timeout 120 " + command[0];
    }
    for (size_t w = 1; w < command.size(); w++) {
        text += " " + quoted(command[w]);
    }
    return in_folder(text);
}

static std::string joined(const words &command) {
    std::string text;
    for (const std::string &word : command) {
        text += (text.empty() ? "" : " ") + word;
    }
    return text;
}

/* The first lines, indented as the grader's own words are. */
static std::string shown(const std::string &printed) {
    std::string text;
    size_t from = 0;
    for (int lines = 0; lines < 12 && from < printed.size(); lines++) {
        size_t to = printed.find('\n', from);
        to = to == std::string::npos ? printed.size() : to;
        text += "\n          | " + printed.substr(from, to - from < 200 ? to - from : 200);
        from = to + 1;
    }
    return text;
}

static void build(void) {
    judge_doing("the build");
    std::vector<words> commands = read_commands();
    run_command("rm -rf " + quoted(folder) + " && mkdir -p " + quoted(folder) +
                " && cp lessons/lesson23_nvcc/parts/silu.h lessons/lesson23_nvcc/parts/device.cu "
                "lessons/lesson23_nvcc/parts/kernels.cu lessons/lesson23b_build/project/* " +
                quoted(folder));
    for (size_t c = 0; c < commands.size(); c++) {
        judge_doing("command %zu of %zu: %s", c + 1, commands.size(), joined(commands[c]).c_str());
        struct outcome o = run_words(commands[c]);
        if (o.status != 0) {
            judge_fail("compile_error", "it fails:%s", shown(o.printed).c_str());
        }
    }
    judge_note("%zu commands", commands.size());
}

// ---------------------------------------------------------------- what it has built

static std::string needed_by(const char *file) {
    return in_folder(std::string("readelf -d ") + file + " | sed -n 's/.*NEEDED.*\\[\\(.*\\)\\]/\\1/p'").printed;
}

static bool names(const std::string &text, const char *word) {
    return text.find(word) != std::string::npos;
}

static void files(void) {
    judge_doing("what the build has left");
    for (const char *file : {"program", "libsilu.so", "libreport.a"}) {
        if (in_folder(std::string("test -f ") + file).status != 0) {
            judge_fail("wrong_result", "there is no file %s.", file);
        }
    }
    std::string program = needed_by("program"), library = needed_by("libsilu.so");
    if (!names(program, "libsilu.so")) {
        judge_fail("wrong_result",
                   "program does not need libsilu.so (readelf -d program): it is to come from that library.");
    }
    if (names(program, "libcudart") || in_folder("nm program | grep -q cudaLaunchKernel").status == 0) {
        judge_fail("wrong_result", "program itself asks for the CUDA runtime: that is the library's business.");
    }
    if (names(in_folder("nm -C program").printed, "T silu_all")) {
        judge_fail("wrong_result", "program holds silu_all itself: it is to come from libsilu.so.");
    }
    if (!names(library, "libcudart.so")) {
        judge_fail("api_error",
                   "libsilu.so does not need libcudart.so (readelf -d libsilu.so): nvcc links the runtime statically "
                   "unless it is told not to, and then the emulator cannot take its place.");
    }
}

/* EMULATOR_CAPABILITY= is as if it were not set. */
static void starts(const char *capability, int n) {
    const char *path = getenv("LD_LIBRARY_PATH");
    judge_doing("program %d%s%s", n, *capability ? ", on a device of compute capability " : "", capability);
    struct outcome o =
        in_folder("LD_LIBRARY_PATH=" + quoted(folder + ":" + (path ? path : "")) +
                  " NO_COLOR=1 EMULATOR_CAPABILITY=" + capability + " timeout 60 ./program " + std::to_string(n));
    if (o.status != 0 || !names(o.printed, judge_print("PASS: %d numbers", n).c_str())) {
        judge_fail(names(o.printed, "cudaError") ? "api_error" : "wrong_result", "it says:%s",
                   shown(o.printed).c_str());
    }
}

static void program(void) {
    starts("", 1000);
    starts("", 33);
}

static void devices(void) {
    for (const char *capability : {"9.0", "8.6", "7.5", "8.0", "10.0", "12.0"}) {
        starts(capability, 1000);
    }
}

static void again(void) {
    static const char *const all[] = {"7.5", "8.0", "8.7", "8.9", "9.0", "10.3", "11.0", "12.1"};
    starts(judge_on_emulator() ? all[judge_draw(0, 7)] : "", judge_draw(1, 20000));
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"build", "the commands build", build, EVERYWHERE},
        {"build", "program, libsilu.so and libreport.a are what they are to be", files, EVERYWHERE},
        {"build", "the program runs", program, EVERYWHERE},
        {"build", "the program runs on devices of compute capability 7.5 to 12.0", devices, ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    exercise = getenv("GRADER_COPY") ? getenv("GRADER_COPY") : "";
    char *own = realpath("build/graders", NULL);
    folder = (own ? own : ".") + std::string("/lesson23b/build.") + std::to_string(getpid());
    free(own);
    find_toolkit();
    int status = judge_main(argc, argv, "23b", {}, checks, sizeof checks / sizeof checks[0]);
    run_command("rm -rf " + quoted(folder));
    return status;
}
