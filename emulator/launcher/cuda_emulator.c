/* cuda-emulator [options] program [arguments]: runs a CUDA program on the CPU.
 *
 * It puts the emulator's folder first in the library path, passes its options in environment variables, and becomes the
 * program; so the program's exit status is its own. Exit status 2: the program was not started, and a message on
 * standard error states why. */
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launcher/executable.h"

enum { NOT_STARTED = 2 };

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...) {
    va_list values;
    va_start(values, format);
    fputs("cuda-emulator: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(NOT_STARTED);
}

enum value { NONE, WORD, NUMBER, FOLDER };
static const struct option {
    const char *name, *variable;
    enum value value;
    const char *without; /* its value without =VALUE; NULL: it needs one */
    const char *shown, *help;
} options[] = {
    {"--check", "EMULATOR_CHECK", WORD, "all", "[=CHECKS]",
     "checks to enable: memcheck, racecheck, synccheck, initcheck, leak; default: all of these"},
    {"--profile", "EMULATOR_PROFILE", WORD, "text", "[=FORMAT]",
     "count instructions and memory requests of kernels: text (default), csv or json"},
    {"--save", "EMULATOR_PROFILE_SAVE", WORD, NULL, "=FILE", "save the profile to a file, for --base of a later run"},
    {"--base", "EMULATOR_PROFILE_BASE", WORD, NULL, "=FILE",
     "with --profile: print the differences from that run instead of the report"},
    {"--view", "EMULATOR_VIEW", FOLDER, NULL, "=FOLDER", "draw memory accesses and idle lanes, as SVG files in FOLDER"},
    {"--timeout", "EMULATOR_TIMEOUT", NUMBER, NULL, "=SECONDS",
     "stop a kernel that runs longer; 0: no limit; default: 300"},
    {"--threads", "EMULATOR_THREADS", NUMBER, NULL, "=N", "host threads that execute blocks; default: all cores"},
    {"--devices", "EMULATOR_DEVICES", NUMBER, NULL, "=N", "devices that the program sees; default: 1"},
    {"--error-exitcode", "EMULATOR_ERROR_EXITCODE", NUMBER, NULL, "=N",
     "exit status if there are findings; default: the program's"},
    {"--quiet", "EMULATOR_QUIET", NONE, "1", "", "do not explain API errors; findings in kernels are still reported"},
};
enum { OPTIONS = sizeof options / sizeof *options };

static void print_help(void) {
    printf("usage: cuda-emulator [options] program [arguments]\n\n"
           "Runs a CUDA program on the CPU, with no NVIDIA GPU. The program links the CUDA runtime dynamically:\n\n"
           "    nvcc -cudart shared -o hello hello.cu\n"
           "    cuda-emulator ./hello\n\n");
    for (int i = 0; i < OPTIONS; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s%s", options[i].name, options[i].shown);
        printf("  %-22s %s\n", name, options[i].help);
    }
    printf("  %-22s %s\n  %-22s %s\n  %-22s %s\n", "--where",
           "print the folder of the emulator's libraries, for LD_LIBRARY_PATH", "--version", "print the version",
           "--help", "print this help");
    printf("\nEach option sets an environment variable; the manual lists these and more. Run times say nothing about a "
           "GPU's.\n");
}

/* "--timeout=5" or "--timeout 5": of the arguments from `*next` on, the value of `o`. */
static const char *value_of(const struct option *o, const char *argument, char **arguments, int *next) {
    const char *given = strchr(argument, '=');
    if (given && o->value == NONE)
        fail("%s takes no value.", o->name);
    if (given)
        return given + 1;
    if (o->without)
        return o->without;
    if (!arguments[*next])
        fail("%s needs a value: %s%s", o->name, o->name, o->shown);
    return arguments[(*next)++];
}

static void set_option(const struct option *o, const char *value) {
    if (!*value)
        fail("%s needs a value: %s%s", o->name, o->name, o->shown);
    if (o->value == NUMBER && (strspn(value, "0123456789") != strlen(value) || strlen(value) > 9))
        fail("%s=%s: not a number.", o->name, value);
    if (o->value == FOLDER && mkdir(value, 0777) != 0 && errno != EEXIST)
        fail("%s=%s: the folder cannot be created: %s.", o->name, value, strerror(errno));
    setenv(o->variable, value, 1);
    if (strcmp(o->name, "--timeout") == 0)
        setenv("EMULATOR_TIMEOUT_SETTING", "--timeout=SECONDS", 1);
}

static const struct option *find_option(const char *argument) {
    size_t length = strcspn(argument, "=");
    for (int i = 0; i < OPTIONS; i++) {
        if (strlen(options[i].name) == length && strncmp(options[i].name, argument, length) == 0)
            return &options[i];
    }
    fail("unknown option %.*s; cuda-emulator --help lists them.", (int)length, argument);
}

static bool has_library(const char *folder) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%.*s/libcudart.so.%d", PATH_MAX - 32, folder, CUDA_MAJOR);
    return access(path, R_OK) == 0;
}

/* Beside this program, as it is built, or where `make install` puts it. */
static const char *library_folder(void) {
    static char folder[PATH_MAX];
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (length < 0)
        fail("/proc/self/exe cannot be read: %s.", strerror(errno));
    self[length] = '\0';
    *strrchr(self, '/') = '\0';
    static const char *const places[] = {"", "/../lib/cuda-emulator"};
    for (int i = 0; i < 2; i++) {
        char candidate[PATH_MAX + 32];
        snprintf(candidate, sizeof candidate, "%s%s", self, places[i]);
        if (has_library(candidate) && realpath(candidate, folder))
            return folder;
    }
    fail("libcudart.so.%d was found neither in %s nor in %s/../lib/cuda-emulator.", CUDA_MAJOR, self, self);
}

/* As execvp() would find it: a name without a slash is looked for on the PATH. */
static bool find_program(const char *name, char path[PATH_MAX]) {
    if (strchr(name, '/')) {
        snprintf(path, PATH_MAX, "%s", name);
        return access(path, F_OK) == 0;
    }
    const char *rest = getenv("PATH");
    while (rest && *rest) {
        size_t length = strcspn(rest, ":");
        snprintf(path, PATH_MAX, "%.*s/%s", length ? (int)length : 1, length ? rest : ".", name);
        if (access(path, X_OK) == 0)
            return true;
        rest += length + (rest[length] == ':');
    }
    return false;
}

static void check_program(const char *name, const char *folder) {
    char path[PATH_MAX], library[PATH_MAX + 32];
    if (!find_program(name, path)) {
        bool here = !strchr(name, '/') && access(name, X_OK) == 0;
        if (here)
            fail("%s is not on the PATH. Did you mean ./%s?", name, name);
        fail("there is no program %s.", name);
    }
    struct executable e = executable_inspect(path);
    if (e.linkage == LINKAGE_STATIC)
        fail("%s contains NVIDIA's runtime (nvcc links it statically by default), so it cannot load the "
             "emulator.\nLink it again with the runtime as a shared library:\n    nvcc -cudart shared ...        "
             "(CMake: set(CMAKE_CUDA_RUNTIME_LIBRARY Shared))",
             name);
    snprintf(library, sizeof library, "%s/libcudart.so.%d", folder, e.cuda_major);
    if (e.linkage == LINKAGE_SHARED && access(library, R_OK) != 0)
        fail("%s was compiled by CUDA %d, and there is no libcudart.so.%d in %s.\n"
             "Build the emulator for it: make install CUDA_MAJOR=%d",
             name, e.cuda_major, e.cuda_major, folder, e.cuda_major);
}

/* Prepends an item to a variable that is a list. */
static void prepend_path(const char *variable, const char *item) {
    const char *old = getenv(variable);
    size_t size = strlen(item) + (old ? strlen(old) : 0) + 2;
    char *list = malloc(size);
    if (!list)
        fail("out of memory.");
    snprintf(list, size, "%s%s%s", item, old && *old ? ":" : "", old ? old : "");
    setenv(variable, list, 1);
    free(list);
}

/* By its name, or by the first line of a script. */
static bool is_python(const char *name) {
    char path[PATH_MAX], line[256] = "";
    if (!find_program(name, path))
        return false;
    const char *slash = strrchr(path, '/');
    if (strncmp(slash ? slash + 1 : path, "python", 6) == 0)
        return true;
    FILE *file = fopen(path, "rbe");
    bool script = file && fgets(line, sizeof line, file) && strncmp(line, "#!", 2) == 0;
    if (file)
        fclose(file);
    return script && strstr(line, "python");
}

/* The module by which Triton finds the emulator; a wheel has it in a place of Python's own. */
static void prepend_python_path(const char *folder) {
    char path[PATH_MAX + 16];
    snprintf(path, sizeof path, "%s/python", folder);
    if (access(path, R_OK) == 0)
        prepend_path("PYTHONPATH", path);
}

int main(int argc, char **argv) {
    int next = 1;
    while (next < argc && argv[next][0] == '-') {
        const char *argument = argv[next++];
        if (strcmp(argument, "--") == 0)
            break;
        if (strcmp(argument, "--help") == 0 || strcmp(argument, "-h") == 0) {
            print_help();
            return 0;
        }
        if (strcmp(argument, "--version") == 0) {
            puts("cuda-emulator " EMULATOR_VERSION);
            return 0;
        }
        if (strcmp(argument, "--where") == 0) {
            puts(library_folder());
            return 0;
        }
        const struct option *o = find_option(argument);
        set_option(o, value_of(o, argument, argv, &next));
    }
    if (next >= argc)
        fail("no program given: cuda-emulator [options] program [arguments]; see --help.");
    const char *folder = library_folder();
    check_program(argv[next], folder);
    prepend_path("LD_LIBRARY_PATH", folder);
    prepend_python_path(folder);
    /* Python's packages look for NVIDIA's compilers beside themselves, unless there is one already. */
    if (is_python(argv[next]))
        prepend_path("LD_PRELOAD", "libnvrtc.so.13:libnvvm.so.4");
    execvp(argv[next], argv + next);
    fail("%s cannot be started: %s.", argv[next], strerror(errno));
}
