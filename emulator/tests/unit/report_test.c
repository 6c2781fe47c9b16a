/* The pieces that a report is made of: text, the source line, names, advice. Whole reports: tests/check.test.sh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check/advice.h"
#include "base/demangle.h"
#include "check/source.h"
#include "base/text.h"

static int failures;

static void expect(const char *name, const char *found, const char *words) {
    bool good = strstr(found, words) != NULL;
    if (good)
        printf("ok %s\n", name);
    else
        printf("not ok %s: expected '%s' in '%s'\n", name, words, found);
    failures += !good;
}

static const char *ended(struct text *t) {
    t->bytes[t->length < sizeof t->bytes ? t->length : sizeof t->bytes - 1] = '\0';
    return t->bytes;
}

static void test_text(void) {
    struct text t = {0};
    text_format(&t, "[%s %u %i %l %x %%]", "word", 4294967295u, -17, UINT64_MAX, (uint64_t)0x7f00dead);
    expect("text/format", ended(&t), "[word 4294967295 -17 18446744073709551615 0x7f00dead %]");
    for (int i = 0; i < 2000; i++)
        text_format(&t, "%s", "0123456789");
    expect("text/bounded", t.length == sizeof t.bytes ? "full" : "overflow", "full");
}

static void test_source(void) {
    char path[] = "/tmp/source_test_XXXXXX", line[40];
    int file = mkstemp(path);
    if (file < 0 || write(file, "first\n\t  y[i] = x[i];  \r\n\nlast", 30) != 30)
        exit(1);
    close(file);
    uint32_t indent;
    expect("source/line", source_line(path, 2, line, sizeof line, &indent) ? line : "none", "y[i] = x[i];");
    expect("source/trimmed", line[0] == 'y' && line[strlen(line) - 1] == ';' ? "trimmed" : line, "trimmed");
    expect("source/last", source_line(path, 4, line, sizeof line, &indent) ? line : "none", "last");
    expect("source/empty", source_line(path, 3, line, sizeof line, &indent) ? line : "none", "none");
    expect("source/beyond", source_line(path, 5, line, sizeof line, &indent) ? line : "none", "none");
    expect("source/line_0", source_line(path, 0, line, sizeof line, &indent) ? line : "none", "none");
    unlink(path);
    expect("source/no_file", source_line(path, 1, line, sizeof line, &indent) ? line : "none", "none");
    expect("source/not_a_file", source_line("/dev/zero", 1, line, sizeof line, &indent) ? line : "none", "none");
    if (chdir("/tmp") == 0)
        expect("source/short", source_short_path("/tmp/a/b.cu"), "a/b.cu");
    expect("source/elsewhere", source_short_path("/tmpother/b.cu"), "/tmpother/b.cu");
}

static void test_demangle(void) {
    char name[100], small[8];
    static const char *const names[][2] = {
        {"_Z1kiPf", "k(int, float *)"},
        {"_Z3addPKfS0_Pfi", "add(const float *, const float *, float *, int)"},
        {"_Z1kPPKcRKi", "k(const char **, const int &)"},
        {"_Z1kPVyPVKi", "k(volatile unsigned long long *, volatile const int *)"},
        {"_ZN39_INTERNAL_2453f11f_9_memory_cu_7dbccc469atomicAddEPii", "atomicAdd(int *, int)"},
        {"_Z7reverseB2v1B7cw51xyzPf", "reverse(float *)"}, /* Numba's */
    };
    bool library = strcmp(demangle(names[0][0], name, sizeof name), names[0][0]) != 0;
    for (size_t i = 0; library && i < sizeof names / sizeof names[0]; i++)
        expect("demangle/name", demangle(names[i][0], name, sizeof name), names[i][1]);
    if (!library)
        printf("skip demangle/name: there is no C++ library\n");
    expect("demangle/not_mangled", demangle("main", name, sizeof name), "main");
    expect("demangle/bounded", strlen(demangle("a_very_long_name", small, sizeof small)) < 8 ? "short" : "long",
           "short");
}

static const char *advice_for(struct bad_access bad) {
    static struct text t;
    t.length = 0;
    advise(&t, &bad);
    return ended(&t);
}

static void test_advice(void) {
    struct allocation a = {.base = 0x7f0000000000, .size = 4000, .limit = 4000};
    struct bad_access bad = {.finding = FINDING_OUT_OF_BOUNDS, .space = SPACE_GLOBAL, .bytes = 4, .nearest = &a};
    bad.lanes = 1;
    bad.one_dimension = true;
    bad.address = a.base + 4000;
    bad.thread = 1000, bad.threads = 1024;
    expect("advice/element", advice_for(bad), "element 1000 of an allocation of 1000 elements of 4 bytes");
    expect("advice/guard", advice_for(bad), "if (i < n)");
    bad.thread = 7;
    expect("advice/off_by_one", advice_for(bad), "`<=` where `<` is meant");
    bad.address = a.base - 8;
    expect("advice/negative", advice_for(bad), "element -2");
    bad.address = 16;
    expect("advice/null", advice_for(bad), "null pointer");
    bad.address = UINT64_MAX - 100;
    expect("advice/poison", advice_for(bad), "not a valid pointer");
    bad.address = 0x10000000000;
    expect("advice/wild", advice_for(bad), "There is no allocation nearby");
    bad.address = a.base + 3992, bad.bytes = 16;
    expect("advice/straddle", advice_for(bad), "starts inside the allocation and extends past its end");
    bad.address = a.base + 8, bad.finding = FINDING_MISALIGNED;
    expect("advice/misaligned", advice_for(bad), "multiple of 16; this one is 8 past");
    bad.finding = FINDING_OUT_OF_BOUNDS, bad.space = SPACE_SHARED, bad.address = 128, bad.bytes = 4;
    bad.space_bytes = 128;
    expect("advice/shared", advice_for(bad), "bytes 128 to 131 of 128 bytes of shared memory");
    bad.space_bytes = 0;
    expect("advice/no_shared", advice_for(bad), "third launch parameter");
    bad.space = SPACE_LOCAL, bad.space_bytes = 64;
    expect("advice/local", advice_for(bad), "local memory");
    bad.nearest = NULL, bad.space = SPACE_GLOBAL, bad.address = 0x7f0000000000;
    expect("advice/nothing_allocated", advice_for(bad), "call cudaMalloc");
}

int main(void) {
    test_text();
    test_source();
    test_demangle();
    test_advice();
    return failures != 0;
}
