/* What the preprocessor finds elsewhere, put after run_time.cu. With Landlock a file that may not be read ends the compiler instead. */
enum {
    FOUND_SOLUTION =
#if __has_include(SOLUTION)
        1 +
#endif
        0,
    FOUND_IN_WORKBOOK =
#if __has_include("solutions/lesson01_threads/solution.cu")
        1 +
#endif
        0,
    FOUND_ABOVE =
#if __has_include("../../solutions/lesson01_threads/solution.cu")
        1 +
#endif
        0,
    FOUND_GRADER =
#if __has_include("lessons/lesson01_threads/grader.cpp")
        1 +
#endif
        0,
    FOUND_JUDGE =
#if __has_include("tools/grading/judge.cpp")
        1 +
#endif
        0,
    FOUND_OTHER =
#if __has_include(OTHER)
        1 +
#endif
        0,
    FOUND_ACCOUNTS =
#if __has_include("/etc/passwd")
        1 +
#endif
        0,
    FOUND_KEY =
#if __has_include(KEY)
        1 +
#endif
        0,
};

static int elsewhere = [] {
    deed("including the solution", FOUND_SOLUTION);
    deed("including it from the workbook", FOUND_IN_WORKBOOK);
    deed("including it by a way up", FOUND_ABOVE);
    deed("including the grader", FOUND_GRADER);
    deed("including the judge", FOUND_JUDGE);
    deed("including another student's file", FOUND_OTHER);
    deed("including the accounts", FOUND_ACCOUNTS);
    deed("including the teacher's key", FOUND_KEY);
    return 0;
}();
