/* Grader of exercise 23b: the commands in lessons/lesson23b_build/exercise.cu build a program that runs where it has to.
 *
 * Nothing of the student's is called: the file has none. The commands are taken from its lines `// $ `, and only words that such a build needs
 * are let through: no path, no shell, no option that runs or writes something else. They are run in a fresh folder with the sources, which
 * are the workbook's; so is what they build, and that is started on devices of several compute capabilities. */
#include <fstream>
#include <regex>
#include <stdlib.h>
#include <sys/wait.h>

#include "tools/grading/grader.h"

typedef std::vector<std::string> words;

static std::string exercise, folder; /* the student's file; where it is built */
static std::vector<words> commands;  /* in the student's file */
static bool shown_as_ptx;            /* the emulator could not show all of what was built */
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
    static const std::regex form("(\\./)?[a-z][a-z0-9_]*\\.(cu|cpp|o|a|so)|(\\./)?program");
    return std::regex_match(word, form);
}

static std::string without_dot(const std::string &file) {
    return file.compare(0, 2, "./") == 0 ? file.substr(2) : file;
}

/* A list, as it is shown to who uses another word; and its form. */
struct option_group {
    const char *shown, *form;
};

#define ARCHITECTURE "(sm|compute)_[0-9]+[af]?"
#define CODES        "\\[?(" ARCHITECTURE ",?)+\\]?"

static const struct option_group OPTIONS[] = {
    {"outputs: -c -dc -dlink -lib -shared -rdc=true -o -x cu, ar's rcs",
     "-c|--compile|-dc|--device-c|-dlink|--device-link|-lib|--lib|-shared|--shared|-rdc|-rdc=(true|false)|true|false|-"
     "o|-x|cu|"
     "--relocatable-device-code(=(true|false))?|-?[rqcsuvD]{1,6}"},
    {"for which devices: -gencode -arch -code (also -arch=all and all-major)",
     "(-gencode|--generate-code)|((-gencode|--generate-code)=)?arch=compute_[0-9]+[af]?,code=" CODES
     "|(-arch|--gpu-architecture)(=(" ARCHITECTURE "|all|all-major))?|all|all-major|" ARCHITECTURE
     "|(-code|--gpu-code)=" CODES},
    {"which runtime: -cudart, -cudadevrt", "(-|--)cuda(rt|devrt)(=(shared|static|none))?|shared|static|none"},
    {"inputs: -lsilu -lreport -lcudart -lcudadevrt -ldl -lpthread -lrt -lm -lstdc++ -L. -I.",
     "-l(silu|report|cudart|cudadevrt|dl|pthread|rt|m|stdc\\+\\+)|-l:lib(silu\\.so|report\\.a)|-[LI]\\.?|\\."},
    {"how to compile: -O* -std=* -g -G -lineinfo -fPIC -pthread -W* -DNDEBUG -march=native and the like",
     "-O([0-3sg]|fast)?|(-|--)std=(c|gnu)\\+\\+(1[147]|2[03])|-g[0-3]?|-ggdb|-G|--device-debug|-lineinfo|--generate-"
     "line-info|"
     "-f(PIC|pic|PIE|pie)|-pie|-no-pie|-pthread|-pipe|-m64|-march=native|-ffast-math|-use_fast_math|--use_fast_math|-"
     "DNDEBUG|"
     "-MMD|-MD|-MP|-s|-v|-static-lib(gcc|stdc\\+\\+)|(-|--)pedantic|-W[a-z][a-z0-9=+-]*|all-warnings|-maxrregcount=[0-"
     "9]+|-t|--threads|"
     "(-t|--threads)=?[0-9]+|[0-9]|--?res(ource)?-usage|--?(expt-)?(extended-lambda|relaxed-constexpr)|--?expt-("
     "extended-lambda|"
     "relaxed-constexpr)|--?diag-suppress=[0-9,]+|-no-compress|-compress-all|--compress-mode=[a-z]+"},
    {"for the tools that nvcc calls: -Xcompiler -Xlinker -Xptxas -Xfatbin -forward-unknown-to-host-compiler, -linker "
     "and -opts",
     "-X(compiler|linker|ptxas|fatbin)|--(compiler|linker|ptxas)-options|--?forward-unknown-(to-host-(compiler|linker)|"
     "opts)"},
    {"for the linker: -Wl, or -Xlinker with -rpath -soname --no-undefined -z,defs --as-needed --whole-archive "
     "--start-group",
     "(-Wl,)?(-rpath|-soname|-rpath[,=](\\.|\\$ORIGIN)|-soname[,=]libsilu\\.so|--no-undefined|-z,(defs|now|relro)|-"
     "Bsymbolic|"
     "--(no-)?as-needed|--(no-)?whole-archive|--(start|end)-group)(,--(no-)?as-needed)*|\\$ORIGIN"},
};

static bool is_option(const std::string &word) {
    static const std::regex characters("[A-Za-z0-9_.,=+:$\\[\\]-]+"),
        handed_on("(-X(compiler|linker|ptxas|fatbin)|--(compiler|linker|ptxas)-options)=(.*)");
    std::smatch parts;
    if (!std::regex_match(word, characters)) {
        return false;
    }
    for (const struct option_group &some : OPTIONS) {
        if (std::regex_match(word, std::regex(some.form))) {
            return true;
        }
    }
    if (std::regex_match(word, parts, handed_on)) {
        return is_option(parts[4]);
    }
    size_t comma = word.find(',');
    return comma != std::string::npos && word[0] == '-' && word.compare(0, 4, "-Wl,") != 0 &&
           is_option(word.substr(0, comma)) && is_option(word.substr(comma + 1));
}

static std::string allowed(void) {
    std::string text;
    for (const struct option_group &some : OPTIONS) {
        text += std::string("\n          - ") + some.shown;
    }
    return text;
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
                       "'%s' in '// $ %s' is not allowed in this exercise, and no file of this folder. Allowed are:%s",
                       command[w].c_str(), line.c_str(), allowed().c_str());
        }
        if (command[w - 1] == "-o" && std::regex_match(without_dot(command[w]), source)) {
            judge_fail("compile_error", "'// $ %s' would overwrite a source.", line.c_str());
        }
    }
}

/* program is linked by g++ from three files. */
static void judge_program(const words &command, const std::string &line) {
    static const std::regex parts("main\\.(o|cpp)|libreport\\.a|libsilu\\.so|program");
    bool makes = false;
    for (size_t w = 1; w < command.size(); w++) {
        makes |= command[w - 1] == "-o" && without_dot(command[w]) == "program";
    }
    if (makes && command[0] != "g++") {
        judge_fail("wrong_result", "'// $ %s': program is linked by g++, so that users of the library need no nvcc.",
                   line.c_str());
    }
    for (size_t w = 1; makes && w < command.size(); w++) {
        if (is_file(command[w]) && !std::regex_match(without_dot(command[w]), parts)) {
            judge_fail(
                "wrong_result",
                "'// $ %s': program is linked from main.o, libreport.a and libsilu.so; %s is to be in one of these.",
                line.c_str(), command[w].c_str());
        }
    }
}

static void read_commands(void) {
    commands.clear();
    std::ifstream in(exercise);
    for (std::string line; std::getline(in, line);) {
        if (line.compare(0, 5, "// $ ") == 0) {
            commands.push_back(split(line.substr(5)));
            judge_words(line.substr(5), commands.back());
            judge_program(commands.back(), line.substr(5));
        }
    }
    if (commands.empty()) {
        judge_fail("not_implemented", "there are no lines that begin with '// $ '.");
    }
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

static void fresh_folder(void) {
    run_command("rm -rf " + quoted(folder) + " && mkdir -p " + quoted(folder) +
                " && cp lessons/lesson23_nvcc/parts/silu.h lessons/lesson23_nvcc/parts/device.cu "
                "lessons/lesson23_nvcc/parts/kernels.cu lessons/lesson23b_build/project/* " +
                quoted(folder));
}

static void build_with(const std::vector<words> &all) {
    fresh_folder();
    for (size_t c = 0; c < all.size(); c++) {
        judge_doing("command %zu of %zu: %s", c + 1, all.size(), joined(all[c]).c_str());
        struct outcome o = run_words(all[c]);
        if (o.status != 0) {
            judge_fail("compile_error", "it fails:%s", shown(o.printed).c_str());
        }
    }
}

static bool compiles_device_code(const words &command) {
    return std::any_of(command.begin(), command.end(), [](const std::string &word) {
        return word.size() > 3 && word.compare(word.size() - 3, 3, ".cu") == 0;
    });
}

/* The commands with a .cu file succeed, whatever becomes of the others. */
static void device_code(void) {
    read_commands();
    fresh_folder();
    for (const words &command : commands) {
        judge_doing("device code: %s", joined(command).c_str());
        struct outcome o = run_words(command);
        if (o.status != 0 && compiles_device_code(command)) {
            judge_fail("compile_error", "it fails:%s", shown(o.printed).c_str());
        }
    }
}

static void build(void) {
    judge_doing("the build");
    read_commands();
    build_with(commands);
    judge_note("%zu commands", commands.size());
}

// ---------------------------------------------------------------- which devices it is for

/* The emulator runs PTX, and a build may rely on machine code: then what it is for is read from its commands, and it is run as built from them
 * with PTX. An image is a number as in lesson 23, 80 for sm_80, -80 for compute_80. */
static const char *const PTX_FOR_ALL = "arch=compute_75,code=compute_75";

static bool is_for_devices(const std::string &word) {
    static const std::regex form(
        "(.*=)?arch=compute_.*|(-arch|-code|--gpu-architecture|--gpu-code)=.*|all|all-major|" ARCHITECTURE);
    return std::regex_match(word, form);
}

static bool takes_next(const std::string &word) {
    return word == "-gencode" || word == "--generate-code" || word == "-arch" || word == "--gpu-architecture";
}

/* Does a command give machine code for this device? -arch=sm_80 and no word at all give machine code and PTX. */
static bool gives_code(const words &command, int device) {
    static const std::regex code("sm_([0-9]+)([af]?)");
    bool said = false;
    for (const std::string &word : command) {
        if (!is_for_devices(word)) {
            continue;
        }
        said = true;
        if (word == "all" || word == "all-major" || word.find("=all") != std::string::npos) {
            return true;
        }
        for (std::sregex_iterator found(word.begin(), word.end(), code), end; found != end; ++found) {
            int image = atoi((*found)[1].str().c_str());
            bool alone = (*found)[2] == "a";
            if (alone ? image == device : image / 10 == device / 10 && image <= device) {
                return true;
            }
        }
    }
    return !said && device / 10 == 7;
}

/* All commands that compile for the device or link its side do. */
static bool by_machine_code(int device) {
    static const std::regex device_side(".*\\.cu|-shared|--shared|-dlink|--device-link");
    for (const words &command : commands) {
        bool concerned = false;
        for (const std::string &word : command) {
            concerned |= std::regex_match(word, device_side);
        }
        if (command[0] == "nvcc" && concerned && !gives_code(command, device)) {
            return false;
        }
    }
    return true;
}

static std::vector<words> with_ptx(void) {
    std::vector<words> all;
    for (const words &command : commands) {
        words changed;
        for (const std::string &word : command) {
            bool drop = command[0] == "nvcc" && (is_for_devices(word) || takes_next(word));
            changed.insert(changed.end(), drop ? 0 : 1, word);
        }
        if (command[0] == "nvcc") {
            changed.insert(changed.begin() + 1, {"-gencode", PTX_FOR_ALL});
        }
        all.push_back(changed);
    }
    return all;
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
    if (in_folder("ar t libreport.a | grep -q '\\.o$'").status != 0 ||
        !names(in_folder("nm -C program").printed, "T report")) {
        judge_fail("wrong_result", "libreport.a has to be a static library (ar) from which program links report().");
    }
    if (in_folder("readelf -S program | grep -q nv_fatbin").status == 0 ||
        in_folder("nm -D libsilu.so | grep -q 'U __cudaRegisterLinkedBinary'").status == 0) {
        judge_fail("wrong_result",
                   "the device code is not all in libsilu.so: its device link has to be part of the library.");
    }
    if (!names(program, "libsilu.so")) {
        judge_fail(
            "wrong_result",
            "program does not need libsilu.so (readelf -d program): silu_all has to be linked from that library.");
    }
    if (names(program, "libcudart") || in_folder("nm program | grep -q cudaLaunchKernel").status == 0) {
        judge_fail("wrong_result", "program itself needs the CUDA runtime: only the library should.");
    }
    if (names(in_folder("nm -C program").printed, "T silu_all")) {
        judge_fail("wrong_result", "program contains silu_all itself: link it from libsilu.so.");
    }
    if (!names(library, "libcudart.so")) {
        judge_fail("api_error", "libsilu.so does not need libcudart.so (readelf -d libsilu.so): nvcc links the runtime "
                                "statically by default, and then the emulator cannot replace it.");
    }
}

/* EMULATOR_CAPABILITY= is as if it were not set. */
static struct outcome start(const char *capability, int n) {
    const char *path = getenv("LD_LIBRARY_PATH");
    return in_folder("LD_LIBRARY_PATH=" + quoted(folder + ":" + (path ? path : "")) +
                     " NO_COLOR=1 EMULATOR_CAPABILITY=" + capability + " timeout 60 ./program " + std::to_string(n));
}

static bool went_well(const struct outcome *o, int n) {
    return o->status == 0 && names(o->printed, judge_print("PASS: %d numbers", n).c_str());
}

/* What runs on this device by machine code alone is built once more, for the emulator, and stays so. */
static void starts(const char *capability, int n) {
    judge_doing("program %d%s%s", n, *capability ? ", on a device of compute capability " : "", capability);
    struct outcome o = start(capability, n);
    int device = *capability ? (int)(10 * atof(capability) + 0.5) : 90;
    if (!went_well(&o, n) && judge_on_emulator() && names(o.printed, "cudaErrorNoKernelImageForDevice") &&
        by_machine_code(device)) {
        std::string own = folder;
        folder += ".ptx";
        if (in_folder("test -f program").status != 0) {
            build_with(with_ptx());
        }
        o = start(capability, n);
        folder = own;
        shown_as_ptx = true;
    }
    if (!went_well(&o, n)) {
        judge_fail(names(o.printed, "cudaError") ? "api_error" : "wrong_result", "it says:%s",
                   shown(o.printed).c_str());
    }
}

static void note_ptx(void) {
    if (shown_as_ptx) {
        judge_note("its machine code is for these devices; the emulator, which runs PTX, has shown it with %s",
                   PTX_FOR_ALL);
    }
}

static void program(void) {
    starts("", 1000);
    starts("", 33);
    note_ptx();
}

/* The last one does not exist yet. */
static void devices(void) {
    for (const char *capability : {"9.0", "8.6", "7.5", "8.0", "10.0", "12.0", "15.0"}) {
        starts(capability, 1000);
    }
    note_ptx();
}

static void again(void) {
    static const char *const all[] = {"7.5", "8.0", "8.7", "8.9", "9.0", "10.3", "11.0", "12.1"};
    starts(judge_on_emulator() ? all[judge_draw(0, 7)] : "", judge_draw(1, 20000));
}

int main(int argc, char **argv) {
    static const struct check checks[] = {
        {"build", "the commands build", build, EVERYWHERE},
        {"device code", "the commands with a .cu file succeed", device_code, EVERYWHERE},
        {"build", "program, libsilu.so and libreport.a are built as required", files, EVERYWHERE},
        {"build", "the program runs", program, EVERYWHERE},
        {"build", "the program runs on devices of compute capability 7.5 to 12.0, and on later ones", devices,
         ON_EMULATOR},
        JUDGE_AGAIN(again),
    };
    exercise = getenv("GRADER_COPY") ? getenv("GRADER_COPY") : "";
    char *own = realpath("build/graders", NULL);
    folder = (own ? own : ".") + std::string("/lesson23b/build.") + std::to_string(getpid());
    free(own);
    find_toolkit();
    int status = judge_main(argc, argv, "23b", {}, checks, sizeof checks / sizeof checks[0]);
    run_command("rm -rf " + quoted(folder) + " " + quoted(folder + ".ptx"));
    return status;
}
