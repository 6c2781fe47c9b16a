/* The table of all variables of the environment, with the lines that --help prints for them. */
#include "base/settings.h"

#include <stdlib.h>

const struct setting_row settings[SETTINGS_ALL] = {
    [SETTING_THREADS] = {"EMULATOR_THREADS", "host threads that execute blocks", "as many as the process may use"},
    [SETTING_TIMEOUT] = {"EMULATOR_TIMEOUT",
                         "seconds of processor time that a host thread may spend on a kernel before it is stopped and "
                         "reported; 0 for never",
                         "300"},
    [SETTING_TIMEOUT_SETTING] = {"EMULATOR_TIMEOUT_SETTING",
                                 "the name that the report of an endless kernel gives this limit",
                                 "EMULATOR_TIMEOUT=seconds"},
    [SETTING_QUIET] = {"EMULATOR_QUIET",
                       "1: no explanations of API errors on stderr; findings in kernels are always reported", "0"},
    [SETTING_PROFILE] = {"EMULATOR_PROFILE",
                         "`text`, `csv` or `json`: count the instructions and memory requests of kernels, and report "
                         "them at the end; see below",
                         ""},
    [SETTING_PROFILE_FILE] = {"EMULATOR_PROFILE_FILE", "the file for the profile", "standard error"},
    [SETTING_PROFILE_KERNEL] = {"EMULATOR_PROFILE_KERNEL", "only kernels with this in their name", ""},
    [SETTING_PROFILE_BRIEF] = {"EMULATOR_PROFILE_BRIEF",
                               "for programs with more than two kernels, print only a summary, as text, which names "
                               "these words as the way to show a single one",
                               ""},
    [SETTING_PROFILE_SAVE] = {"EMULATOR_PROFILE_SAVE",
                              "a file in which the profile is saved, as the base of a later comparison", ""},
    [SETTING_PROFILE_BASE] =
        {"EMULATOR_PROFILE_BASE",
         "such a file: print the differences from it instead of the report, as text, by kernel and line", ""},
    [SETTING_VIEW] = {"EMULATOR_VIEW",
                      "a folder: draw the accesses and branches of kernels, as SVG files there, and as text where the "
                      "profile is written; see below",
                      ""},
    [SETTING_VIEW_LINE] = {"EMULATOR_VIEW_LINE", "draw only the memory accesses of this line", ""},
    [SETTING_PTXAS] =
        {"EMULATOR_PTXAS",
         "the `ptxas` that determines how many registers (for profiles, `cudaFuncGetAttributes` and the occupancy "
         "functions) and how much stack a kernel needs, if the program contains no machine code",
         "the one on the PATH"},
    [SETTING_TIER] = {"EMULATOR_TIER",
                      "0: interpret always; 1: compile kernels that run long; 2: compile every kernel before its first "
                      "launch",
                      "1"},
    [SETTING_CACHE] = {"EMULATOR_CACHE", "the folder for compiled kernels and results of `ptxas`",
                       "`$XDG_CACHE_HOME/cuda-emulator` or `~/.cache/cuda-emulator`"},
    [SETTING_CC] = {"EMULATOR_CC", "the compiler for kernels",
                    "the one that built the emulator, else gcc, cc or clang"},
    [SETTING_TIER_DEBUG] = {"EMULATOR_TIER_DEBUG", "1: print the generated C code and the compiler's output", "0"},
    [SETTING_DEVICES] = {"EMULATOR_DEVICES", "how many devices the program sees", "1"},
    [SETTING_RESIDENT] = {"EMULATOR_RESIDENT",
                          "how many blocks of a launch may be resident at the same time; a low number exposes kernels "
                          "that rely on co-resident blocks although their launch is not cooperative",
                          "those that fit on the device"},
    [SETTING_CAPABILITY] =
        {"EMULATOR_CAPABILITY",
         "the compute capability that devices report, and by which the PTX of a program is selected: `7.5` (or `75`), "
         "`12.0`; any value that is not a number from 5.0 on is ignored; limits and instructions stay those of 9.0",
         "9.0"},
    [SETTING_CHECK] =
        {"EMULATOR_CHECK",
         "checks in addition to those that are always on: `memcheck`, `racecheck`, `synccheck`, `initcheck`, `leak`, "
         "separated by commas, or `all` of these; also `unused`, `strict` and `approx`",
         ""},
    [SETTING_ON_ERROR] = {"EMULATOR_ON_ERROR",
                          "`kernel`: a faulty kernel is reported and stopped, and the program continues without an "
                          "error, to find later faults (compute-sanitizer's `--destroy-on-device-error kernel`)",
                          "the device has an error from then on, as on a GPU"},
    [SETTING_ERROR_EXITCODE] = {"EMULATOR_ERROR_EXITCODE", "the exit status of a program with findings", "its own"},
    [SETTING_CHECK_JSON] = {"EMULATOR_CHECK_JSON", "a file for the findings, one JSON object per line", ""},
    [SETTING_NO_COLOR] = {"NO_COLOR", "reports have no colours", ""},
    [SETTING_TERM] = {"TERM", "`dumb`: the same", ""},
    [SETTING_CACHE_HOME] = {"XDG_CACHE_HOME", "the parent folder of EMULATOR_CACHE, if that is not set", ""},
    [SETTING_HOME] = {"HOME", "the same, in `.cache`", ""},
};

const char *setting_text(enum setting s) {
    const char *value = getenv(settings[s].name);
    return value && *value ? value : NULL;
}

double setting_number(enum setting s) {
    const char *value = setting_text(s);
    return atof(value ? value : settings[s].fallback);
}

/* 7.5 may be written as 75. Any other value counts as not set. */
unsigned setting_capability(void) {
    double number = setting_number(SETTING_CAPABILITY);
    if (number < 20)
        number *= 10;
    return number >= 50 && number < 200 ? (unsigned)(number + 0.5) : 90;
}

bool setting_is_on(enum setting s) {
    const char *value = setting_text(s);
    return value && *value != '0';
}
