/* The parts of PTX that nvcc seldom writes, but people do: constant expressions, initialisers of rows, labels in braces. */
#include <stdio.h>
#include <string.h>

#include "ptx/ptx.h"

#define HEAD ".version 9.0\n.target sm_90\n.address_size 64\n"

static void check(const char *name, bool right) {
    printf(right ? "ok %s\n" : "not ok %s: wrong\n", name);
}

/* The value of a constant expression, by what a variable of 64 bits begins with. */
static void expression(const char *text, uint64_t expected) {
    char ptx[300], error[200] = "";
    snprintf(ptx, sizeof ptx, HEAD ".global .u64 x = %s;\n", text);
    struct ptx_module *m = ptx_parse(ptx, strlen(ptx), error, sizeof error);
    uint64_t found = 0;
    if (m)
        memcpy(&found, m->variables->data, sizeof found);
    if (m && found == expected)
        printf("ok %s\n", text);
    else
        printf("not ok %s: expected %llu, found %llu %s\n", text, (unsigned long long)expected,
               (unsigned long long)found, error);
    ptx_free(m);
}

static void refused(const char *name, const char *text) {
    char ptx[300], error[200] = "";
    snprintf(ptx, sizeof ptx, HEAD "%s\n", text);
    struct ptx_module *m = ptx_parse(ptx, strlen(ptx), error, sizeof error);
    check(name, !m && error[0]);
    ptx_free(m);
}

static void expressions(void) {
    expression("1 + 2 * 3", 7);
    expression("(1 + 2) * 3", 9);
    expression("-(4)", (uint64_t)-4);
    expression("- -4", 4);
    expression("~5", ~(uint64_t)5);
    expression("!3", 0);
    expression("!0", 1);
    expression("7 - 2 - 1", 4);
    expression("1 << 4 + 1", 32);
    expression("-8 >> 1", (uint64_t)-4);
    expression("0xfffffffffffffff8 >> 1", 0x7ffffffffffffffcu);
    expression("(.s64)0xfffffffffffffff8 >> 1", (uint64_t)-4);
    expression("-7 / 2", (uint64_t)-3);
    expression("-7 % 2", (uint64_t)-1);
    expression("-1 < 1", 1);
    expression("-1 < 1U", 0);
    expression("(.u64)-1 > 0", 1);
    expression("0x8000000000000000 / -1 == 0", 1);
    expression("(.s64)0x8000000000000000 / -1", 0x8000000000000000u);
    expression("5 & 3 | 8 ^ 1", 9);
    expression("1 == 1 && 2 != 2 || 3 >= 3", 1);
    expression("0 ? 1 : 2 ? 3 : 4", 3);
    expression("WARP_SZ - 1", 31);
    expression("0x10U + 0b11 + 017", 34);
    expression("1.5 + .5 == 2.0", 1);
    refused("division by zero", ".global .u64 x = 1 / 0;");
    refused("a bit of a float", ".global .f64 x = 1.0 & 2.0;");
    refused("a missing parenthesis", ".global .u64 x = (1 + 2;");
    refused("a missing operand", ".global .u64 x = 1 +;");
}

static void values(const char *declaration, const int *expected, size_t count) {
    char ptx[300], error[200] = "";
    snprintf(ptx, sizeof ptx, HEAD ".global .b32 %s;\n", declaration);
    struct ptx_module *m = ptx_parse(ptx, strlen(ptx), error, sizeof error);
    bool right = m && m->variables->size == count * sizeof *expected;
    for (size_t i = 0; right && i < count; i++) {
        int found = 0;
        if (i * sizeof found < m->variables->data_size)
            memcpy(&found, m->variables->data + i * sizeof found, sizeof found);
        right = found == expected[i];
    }
    if (right)
        printf("ok %s\n", declaration);
    else
        printf("not ok %s: %s\n", declaration, m ? "wrong values or size" : error);
    ptx_free(m);
}

static void initialisers(void) {
    values("a[3] = {1, 2}", (const int[]){1, 2, 0}, 3);
    values("a[] = {1, 1 + 1, 3}", (const int[]){1, 2, 3}, 3);
    values("a[2][2] = {{1}, {3, 4}}", (const int[]){1, 0, 3, 4}, 4);
    values("a[][2] = {{1}, {3, 4}, {5}}", (const int[]){1, 0, 3, 4, 5, 0}, 6);
    values("a[2][2][2] = {{{1}, {2}}, {{3, 4}}}", (const int[]){1, 0, 2, 0, 3, 4, 0, 0}, 8);
    values("a[1 << 1]", (const int[]){0, 0}, 2);
    refused("too many values", ".global .b32 a[2] = {1, 2, 3};");
    refused("too many values in a row", ".global .b32 a[2][2] = {{1, 2, 3}, {4}};");
    refused("too many braces", ".global .b32 a[2] = {{{1}}};");
}

/* Where the instruction number i of the first function goes; labels have unique names. */
static size_t goes_to(const struct ptx_function *f, size_t i) {
    for (size_t k = 0; k < f->insn_count; k++)
        if (f->insns[k].label == f->insns[i].operands[0].symbol)
            return k;
    return ~(size_t)0;
}

static void labels(void) {
    static const char text[] = HEAD ".visible .entry k() {\n" /* instructions and labels from 0 */
                                    "L: bra L;\n"             /* 0 1 */
                                    "{ L: bra L; }\n"         /* 2 3 */
                                    "{ bra L; L: }\n"         /* 4 5 */
                                    "{ { bra L; } }\n"        /* 6 */
                                    "bra M;\n"                /* 7 */
                                    "{ M: bra L; } M:\n"      /* 8 9 10 */
                                    "ret; }\n";
    char error[200] = "";
    struct ptx_module *m = ptx_parse(text, strlen(text), error, sizeof error);
    if (!m) {
        printf("not ok labels: %s\n", error);
        return;
    }
    const struct ptx_function *f = m->functions;
    check("a label in the same braces", goes_to(f, 1) == 0 && goes_to(f, 3) == 2);
    check("a label further down in the same braces", goes_to(f, 4) == 5);
    check("a label of the braces around", goes_to(f, 6) == 0 && goes_to(f, 9) == 0);
    check("not a label of other braces", goes_to(f, 7) == 10);
    ptx_free(m);
}

int main(void) {
    expressions();
    initialisers();
    labels();
    return 0;
}
