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
                                 "what the report of an endless kernel says sets that limit",
                                 "EMULATOR_TIMEOUT=seconds"},
    [SETTING_QUIET] = {"EMULATOR_QUIET",
                       "1: no explanations of API errors on stderr; findings in kernels are always reported", "0"},
    [SETTING_PROFILE] =
        {"EMULATOR_PROFILE",
         "`text`, `csv` or `json`: count what kernels ask of a GPU, and report it at the end; see below", ""},
    [SETTING_PROFILE_FILE] = {"EMULATOR_PROFILE_FILE", "where to write that", "standard error"},
    [SETTING_PROFILE_KERNEL] = {"EMULATOR_PROFILE_KERNEL", "only kernels with this in their name", ""},
    [SETTING_PROFILE_BRIEF] = {"EMULATOR_PROFILE_BRIEF",
                               "of programs with more than two kernels only a summary, as text, which says that these "
                               "words show a single one",
                               ""},
    [SETTING_PROFILE_SAVE] = {"EMULATOR_PROFILE_SAVE", "a file that gets the profile, to compare a later run with", ""},
    [SETTING_PROFILE_BASE] = {"EMULATOR_PROFILE_BASE",
                              "such a file: instead of the report, as text, what is better and worse than there, by "
                              "kernel and line",
                              ""},
    [SETTING_VIEW] = {"EMULATOR_VIEW",
                      "a folder: draw what kernels do, as SVG files there, and as text where the profile goes; see "
                      "below",
                      ""},
    [SETTING_VIEW_LINE] = {"EMULATOR_VIEW_LINE", "draw only this line's accesses to memory", ""},
    [SETTING_PTXAS] = {"EMULATOR_PTXAS",
                       "the `ptxas` that says how many registers a kernel needs (for profiles, "
                       "`cudaFuncGetAttributes` and the occupancy functions) and how much stack, where the program "
                       "holds no machine code",
                       "the one on the PATH"},
    [SETTING_TIER] = {"EMULATOR_TIER",
                      "0: interpret always; 1: compile kernels that run long; 2: compile every kernel before its first "
                      "launch",
                      "1"},
    [SETTING_CACHE] = {"EMULATOR_CACHE", "the folder where compiled kernels are kept, and what `ptxas` said",
                       "`$XDG_CACHE_HOME/cuda-emulator` or `~/.cache/cuda-emulator`"},
    [SETTING_CC] = {"EMULATOR_CC", "the compiler for kernels",
                    "the one that built the emulator, else gcc, cc or clang"},
    [SETTING_TIER_DEBUG] = {"EMULATOR_TIER_DEBUG",
                            "1: print the C text of what is compiled, and what the compiler says", "0"},
    [SETTING_DEVICES] = {"EMULATOR_DEVICES", "how many devices the program sees", "1"},
    [SETTING_RESIDENT] =
        {"EMULATOR_RESIDENT",
         "how many blocks of a launch may be unfinished at once; few of them show which kernels rely on "
         "blocks that are resident together, although their launch is not cooperative",
         "those that fit on the device"},
    [SETTING_CAPABILITY] = {"EMULATOR_CAPABILITY",
                            "the compute capability that devices say they have, and by which the PTX of a program is "
                            "chosen: `7.5` (or `75`), `12.0`; what is no number from 5.0 on counts as not set; limits "
                            "and instructions stay those of 9.0",
                            "9.0"},
    [SETTING_CHECK] = {"EMULATOR_CHECK",
                       "checks beside those that are always on: `memcheck`, `racecheck`, `synccheck`, `initcheck`, "
                       "`leak`, separated by commas, or `all` of these; also `unused`, `strict` and `approx`",
                       ""},
    [SETTING_ON_ERROR] = {"EMULATOR_ON_ERROR",
                          "`kernel`: a kernel that goes wrong is reported and ends, and the program goes on as if it "
                          "had not, to find what comes later (compute-sanitizer's `--destroy-on-device-error kernel`)",
                          "the device has an error from then on, as on a GPU"},
    [SETTING_ERROR_EXITCODE] = {"EMULATOR_ERROR_EXITCODE", "the exit status of a program in which something was found",
                                "its own"},
    [SETTING_CHECK_JSON] = {"EMULATOR_CHECK_JSON", "a file that gets the findings, one JSON object per line", ""},
    [SETTING_NO_COLOR] = {"NO_COLOR", "reports have no colours", ""},
    [SETTING_TERM] = {"TERM", "`dumb`: the same", ""},
    [SETTING_CACHE_HOME] = {"XDG_CACHE_HOME", "where EMULATOR_CACHE is, if nothing says so", ""},
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
