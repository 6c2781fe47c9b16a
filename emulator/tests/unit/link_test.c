/* Linking PTX modules: what wins, what is kept apart, what contradicts, and what is missing. The modules are loaded and their
 * kernels decoded; variables' initial values show which definition was meant. */
#include <stdio.h>
#include <string.h>

#include "machine/code.h"
#include "decode/module.h"
#include "memory/memory.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

static int failures;
static char error[512];

static void check(const char *name, bool right, const char *why) {
    if (right)
        printf("ok link %s\n", name);
    else
        printf("not ok link %s: %s\n", name, why);
    failures += !right;
}

static struct module *load(const char *a, const char *b) {
    struct module_text texts[2] = {{a, strlen(a)}, {b, strlen(b)}};
    error[0] = '\0';
    return module_link(texts, 2, "link_test", error, sizeof error);
}

static uint64_t value_of(struct module *m, const char *name, size_t bytes) {
    uint64_t address, value = 0;
    size_t size;
    if (!m || !module_variable(m, name, &address, &size) || size < bytes)
        return 0xdead;
    memcpy(&value, memory_translate(address, bytes), bytes);
    return value;
}

static uint64_t address_of(struct module *m, const char *name) {
    uint64_t address = 0;
    size_t size;
    return m && module_variable(m, name, &address, &size) ? address : 1;
}

/* The module loads or does not; then the message has these words. */
static void check_words(const char *name, const struct module *m, const char *text, const char *words) {
    char why[700];
    snprintf(why, sizeof why, "%s, and the message is '%s'", m ? "it loads" : "it does not load", text);
    check(name, text && strstr(text, words), why);
}

static void test_values(void) {
    struct module *m =
        load(HEAD ".visible .global .u32 strong = 1;\n.weak .global .u32 either = 2;\n"
                  ".weak .global .u32 weak_first = 3;\n.global .u32 own = 4;\n.extern .global .u32 there;\n"
                  ".visible .global .u64 pointer = there+4;\n.visible .global .u64 to_own = own;\n",
             HEAD ".extern .global .u32 strong;\n.visible .global .u32 either = 20;\n"
                  ".weak .global .u32 weak_first = 30;\n.global .u32 own = 40;\n"
                  ".visible .global .u32 there[2] = {50, 51};\n.visible .global .u64 to_strong = strong;\n"
                  ".visible .global .u64 to_other_own = own;\n");
    check("two modules load", m != NULL, error);
    check("a strong definition wins over a weak one", value_of(m, "either", 4) == 20, "the weak one is there");
    check("of two weak ones the first wins", value_of(m, "weak_first", 4) == 3, "the second is there");
    check("an initial value finds another file's variable", value_of(m, "pointer", 8) == address_of(m, "there") + 4,
          "it holds another address");
    check("and in the other direction", value_of(m, "to_strong", 8) == address_of(m, "strong"),
          "it holds another address");
    uint64_t first = value_of(m, "to_own", 8), second = value_of(m, "to_other_own", 8);
    check("names that are not visible stay apart",
          first != second && *memory_translate(first, 4) == 4 && *memory_translate(second, 4) == 40,
          "they are one variable");
    module_unload(m);
}

static void test_functions(void) {
    struct module *m =
        load(HEAD ".extern .func there(.param .b32 x);\n.func own(.param .b32 x) { ret; }\n"
                  ".weak .func twice(.param .b32 x) { ret; }\n.visible .func renamed(.param .b32 x);\n"
                  ".alias renamed, own;\n.visible .global .u64 pointers[4] = {there, own, twice, renamed};\n"
                  ".visible .entry k() { .param .b32 p; call there, (p); call own, (p); call renamed, (p); ret; }\n",
             HEAD ".visible .func there(.param .b32 x) { ret; }\n.func own(.param .b32 x) { ret; }\n"
                  ".weak .func twice(.param .b32 x) { ret; }\n.extern .func renamed(.param .b32 x);\n"
                  ".visible .global .u64 others[4] = {there, own, twice, renamed};\n"
                  ".visible .entry k2() { .param .b32 p; call twice, (p); call renamed, (p); ret; }\n");
    check("functions of two modules link", m != NULL, error);
    if (!m)
        return;
    uint64_t a[4], b[4];
    memcpy(a, memory_translate(address_of(m, "pointers"), sizeof a), sizeof a);
    memcpy(b, memory_translate(address_of(m, "others"), sizeof b), sizeof b);
    check("a function has one address in all files", a[0] == b[0] && a[0] >> 56 == CODE_WINDOW >> 56, "it has two");
    check("static functions of one name have two", a[1] != b[1], "they have one");
    check("a weak function exists once", a[2] == b[2], "it has two addresses");
    check("an alias is its target, here and there", a[3] == a[1] && b[3] == a[1], "it is another function");
    struct kernel *k = module_kernel(m, "k"), *k2 = module_kernel(m, "k2");
    check("kernels that call across files decode", k && k2 && kernel_prepare(k) && kernel_prepare(k2),
          k && k->error     ? k->error
          : k2 && k2->error ? k2->error
                            : "they are not there");
    module_unload(m);
}

static void test_contradictions(void) {
    struct module *m = load(HEAD ".visible .global .u32 x;\n", HEAD ".visible .global .u32 x;\n");
    check_words("two strong variables", m, error, "variable 'x' is defined in two files");
    m = load(HEAD ".visible .func f() { ret; }\n", HEAD ".visible .func f() { ret; }\n");
    check_words("two strong functions", m, error, "function 'f' is defined in two files");
    m = load(HEAD ".visible .func f() { ret; }\n", HEAD ".visible .global .u32 f;\n");
    check_words("a function and a variable", m, error, "'f' is a variable in one file");
    m = load(HEAD ".visible .const .u32 x = 1;\n", HEAD ".extern .global .u32 x;\n");
    check_words("a constant and a variable", m, error, "variable 'x' has different state spaces");
    m = load(HEAD ".visible .global .u64 p = nowhere;\n", HEAD);
    check_words("an initial value that nobody defines", m, error, "address of 'nowhere'");
    m = load(HEAD ".visible .func g();\n.alias g, f;\n", HEAD);
    check_words("an alias of nothing", m, error, "the alias 'g'");
    m = load(HEAD, HEAD ".visible .nonsense\n");
    check_words("a broken second file", m, error, "'.nonsense' is not understood");
}

static void test_missing(void) {
    struct module *m =
        load(HEAD ".extern .func there(.param .b32 x);\n.extern .global .u32 x;\n"
                  ".visible .entry calls() { .param .b32 p; call there, (p); ret; }\n"
                  ".visible .entry reads() { .reg .b32 %r<2>; ld.global.u32 %r1, [x]; ret; }\n"
                  ".visible .entry takes() { .reg .b64 %r<2>; mov.u64 %r1, there; st.global.u64 [%r1], %r1; ret; }\n",
             HEAD ".visible .entry runs() { ret; }\n");
    check("what is missing does not keep the rest from loading", m != NULL, error);
    const char *const names[] = {"calls", "reads", "takes"};
    const char *const words[] = {"function 'there' is not defined", "variable 'x' is not defined",
                                 "function 'there' is not defined"};
    for (size_t i = 0; m && i < 3; i++) {
        struct kernel *k = module_kernel(m, names[i]);
        check(names[i], k && !kernel_prepare(k) && strstr(k->error, words[i]), k && k->error ? k->error : "it decodes");
    }
    struct kernel *k = m ? module_kernel(m, "runs") : NULL;
    check("a kernel that needs nothing of it", k && kernel_prepare(k), "it does not decode");
    module_unload(m);
}

static void test_shared(void) {
    struct module *m =
        load(HEAD ".extern .shared .align 4 .b8 a[];\n.visible .shared .align 4 .b8 fixed[20];\n.visible .func f();\n"
                  ".visible .entry k() { .reg .b32 %r<2>; call f; ld.shared.u32 %r1, [a]; ld.shared.u32 %r1, [fixed]; "
                  "ret; }\n",
             HEAD ".extern .shared .align 64 .b8 b[];\n.extern .shared .align 4 .b8 fixed[20];\n"
                  ".visible .func f() { .reg .b32 %r<2>; ld.shared.u32 %r1, [b]; ld.shared.u32 %r1, [fixed]; ret; }\n");
    struct kernel *k = m ? module_kernel(m, "k") : NULL;
    check("shared memory across files decodes", k && kernel_prepare(k), k && k->error ? k->error : error);
    check("one static array for both", k && k->static_shared == 20, "its size is counted twice");
    check("dynamic arrays begin at the largest alignment", k && k->dynamic_start == 64, "they begin elsewhere");
    module_unload(m);
}

int main(void) {
    test_values();
    test_functions();
    test_contradictions();
    test_missing();
    test_shared();
    return failures != 0;
}
