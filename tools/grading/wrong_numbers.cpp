/* wrong_numbers.cpp - wrong numbers, and the threads that write them. */
#include "tools/grading/checks.h"
#include "tools/grading/show.h"

#include <stdarg.h>

bool judge_all_poison(const float *found, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (!verify_is_poison(found[i])) {
            return false;
        }
    }
    return true;
}

/* The first element that is wrong, or -1. */
long long judge_first_bad(const float *found, const float *expected, size_t n, double atol, double rtol) {
    for (size_t i = 0; i < n; i++) {
        if (!verify_close(found[i], expected[i], atol, rtol)) {
            return (long long)i;
        }
    }
    return -1;
}

std::string judge_print(const char *format, ...) {
    char text[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

static const struct launch *last_launch(const struct result *r) {
    unsigned count = r->answer.launches < LAUNCHES_MAX ? r->answer.launches : LAUNCHES_MAX;
    return count ? &r->answer.launch[count - 1] : NULL;
}

static bool flat(const struct launch *l) {
    return l->grid[1] == 1 && l->grid[2] == 1 && l->block[1] == 1 && l->block[2] == 1;
}

static std::string shape_text(const struct launch *l) {
    if (flat(l)) {
        return judge_print("%u block%s of %u thread%s", l->grid[0], l->grid[0] == 1 ? "" : "s", l->block[0],
                           l->block[0] == 1 ? "" : "s");
    }
    return judge_print("%u x %u x %u blocks of %u x %u x %u threads", l->grid[0], l->grid[1], l->grid[2], l->block[0],
                       l->block[1], l->block[2]);
}

enum { LAUNCHES_SHOWN = 5 };

/* The launch of a graph has no grid if its content is unknown. */
std::string judge_launch_text(const struct result *r) {
    unsigned count = r->answer.launches, known = count < LAUNCHES_MAX ? count : LAUNCHES_MAX;
    if (count == 0 || (known == 1 && r->answer.launch[0].grid[0] == 0)) {
        return "";
    }
    if (count == 1) {
        return "\n          your launch: " + shape_text(&r->answer.launch[0]);
    }
    std::string text = judge_print("\n          your %u launches:", count);
    for (unsigned l = 0; l < known && l < LAUNCHES_SHOWN; l++) {
        const struct launch *launch = &r->answer.launch[l];
        text += judge_print("\n            %s%s", launch->called, launch->called[0] ? ": " : "") + shape_text(launch);
    }
    return count > LAUNCHES_SHOWN ? text + judge_print("\n            and %u more", count - LAUNCHES_SHOWN) : text;
}

/* The thread that writes element `index` in a one-dimensional launch with one element per thread. */
std::string judge_owner_text(const struct result *r, long long index, size_t n, enum owner owner) {
    const struct launch *l = last_launch(r);
    long long threads = l ? l->block[0] : 0, all = l ? threads * l->grid[0] : 0;
    long long thread = owner == THREAD_OF_MIRROR ? (long long)n - 1 - index : index;
    if (owner == NOBODY_KNOWS || !l || !flat(l) || all == 0) {
        return "";
    }
    std::string text =
        judge_print("; with one thread per element, element %lld %s thread %lld of block %lld", index,
                    owner == THREAD_OF_MIRROR ? "is written by" : "belongs to", thread % threads, thread / threads);
    if (thread >= all) {
        text +=
            judge_print(", which was not launched\n          (in a grid-stride loop: to thread %lld of block %lld, in "
                        "its round %lld)",
                        thread % all % threads, thread % all / threads, thread / all + 1);
    }
    return text;
}

void judge_reject(const struct result *r, const float *found, const float *expected, size_t n, long long bad,
                  const std::string &remark, enum owner owner) {
    std::string where =
        judge_launch_text(r) + judge_owner_text(r, bad, n, owner) + (remark.empty() ? "" : "\n          " + remark);
    if (r->answer.launches == 0 && judge_all_poison(found, n)) {
        judge_fail("not_implemented", "no kernel was launched and nothing was written.");
    }
    if (verify_is_poison(found[bad])) {
        judge_fail("stale_output", "element %lld was never written, expected %.9g%s", bad, expected[bad],
                   where.c_str());
    }
    judge_fail(isnan(found[bad]) != isnan(expected[bad]) ? "nan" : "wrong_result",
               "element %lld: expected %.9g, found %.9g%s", bad, expected[bad], found[bad], where.c_str());
}

void judge_compare(const struct result *r, struct handle array, const float *expected, size_t n, double atol,
                   double rtol, const judge_remark &remark, enum owner owner) {
    if (show_only()) {
        return;
    }
    const float *found = judge_content<float>(r, array);
    long long bad = judge_first_bad(found, expected, n, atol, rtol);
    if (bad >= 0) {
        judge_reject(r, found, expected, n, bad, remark ? remark(bad) : "", owner);
    }
}

void judge_compare_bits(const struct result *r, struct handle array, const float *expected, size_t n,
                        const judge_remark &remark, enum owner owner) {
    const float *found = judge_content<float>(r, array);
    for (size_t i = 0; i < n; i++) {
        if (verify_bits(found[i]) == verify_bits(expected[i])) {
            continue;
        }
        std::string text = remark ? remark((long long)i) : "";
        if (found[i] == expected[i] || (isnan(found[i]) && isnan(expected[i]) && !verify_is_poison(found[i]))) {
            text += judge_print("%sits bits are %08x, expected %08x: was it copied, or computed with?",
                                text.empty() ? "" : "\n          ", verify_bits(found[i]), verify_bits(expected[i]));
        }
        judge_reject(r, found, expected, n, (long long)i, text, owner);
    }
}
