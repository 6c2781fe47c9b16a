/* fragments.cpp - see fragments.h. A position in 16 x 16 elements is an eight-bit number, row * 16 + column: a mistake in fragments exchanges two
 * bits of that number, or inverts some of them. */
#include "tools/grading/fragments.h"

#include <math.h>

#include "tools/grading/grader.h"

enum { SIDE = 16, PLACES = SIDE * SIDE, BITS = 8 };

static bool same(double found, double value) {
    return fabs(found - value) <= fabs(value) / 128 + 1e-6;
}

/* The position with bits `i` and `j` exchanged. */
static int exchanged(int place, int i, int j) {
    int differ = (place >> i ^ place >> j) & 1;
    return place ^ (differ << i | differ << j);
}

struct region {
    const struct fragment_product *p;
    int row, col; /* where it begins */
};

static double at(const std::function<double(int, int)> &matrix, const struct region *c, int place) {
    return matrix(c->row + place / SIDE, c->col + place % SIDE);
}

/* Whether each element equals this function's value, and at least one of them is wrong. */
static bool explains(const struct region *c, const std::function<double(int place)> &value) {
    bool differs = false;
    for (int place = 0; place < PLACES; place++) {
        double found = at(c->p->found, c, place);
        if (!same(found, value(place))) {
            return false;
        }
        differs |= !same(found, at(c->p->expected, c, place));
    }
    return differs;
}

/* The sums are right, but stored in the wrong position. */
static std::string sums_elsewhere(const struct region *c, const std::function<int(int place)> &other) {
    auto value = [&](int place) { return at(c->p->expected, c, other(place)); };
    if (!explains(c, value)) {
        return "";
    }
    int place = 0;
    while (other(place) == place) {
        place++;
    }
    int from = other(place);
    return judge_print(":\n          C[%d][%d] holds the value of C[%d][%d], and so on in these 16 x 16 elements:\n    "
                       "      which row and column does each of a lane's four sums have?",
                       c->row + place / SIDE, c->col + place % SIDE, c->row + from / SIDE, c->col + from % SIDE);
}

static std::string sums_mixed_up(const struct region *c) {
    for (int i = 0; i < BITS; i++) {
        for (int j = 0; j < i; j++) {
            std::string text = sums_elsewhere(c, [=](int place) { return exchanged(place, i, j); });
            if (!text.empty()) {
                return text;
            }
        }
    }
    for (int turned = 1; turned < PLACES; turned++) {
        std::string text = sums_elsewhere(c, [=](int place) { return place ^ turned; });
        if (!text.empty()) {
            return text;
        }
    }
    return "";
}

/* One element of a matrix, after these bits are exchanged in each of its 16 x 16 elements: the fourth bits of row and column, so that two of
 * four 8 x 8 matrices are exchanged, or the three lower ones, so that each 8 x 8 matrix is transposed. */
enum mixed { EXCHANGED, TRANSPOSED };

static double element_of(const std::function<double(int, int)> &matrix, int row, int col, enum mixed mixed) {
    int place = row % SIDE * SIDE + col % SIDE;
    for (int bit = mixed == EXCHANGED ? 3 : 0; bit < (mixed == EXCHANGED ? 4 : 3); bit++) {
        place = exchanged(place, bit, bit + 4);
    }
    return matrix(row / SIDE * SIDE + place / SIDE, col / SIDE * SIDE + place % SIDE);
}

static double sum_with(const struct fragment_product *p, int row, int col, bool is_a, enum mixed mixed) {
    double sum = 0;
    for (int k = 0; k < p->K; k++) {
        sum += is_a ? element_of(p->A, row, k, mixed) * p->B(k, col) : p->A(row, k) * element_of(p->B, k, col, mixed);
    }
    return sum;
}

static std::string inputs_mixed_up(const struct region *c) {
    const struct fragment_product *p = c->p;
    for (bool is_a : {true, false}) {
        for (enum mixed mixed : {EXCHANGED, TRANSPOSED}) {
            auto value = [&](int place) {
                return sum_with(p, c->row + place / SIDE, c->col + place % SIDE, is_a, mixed);
            };
            if (explains(c, value)) {
                return mixed == TRANSPOSED
                           ? judge_print(":\n          each 8 x 8 elements of %c were taken transposed: does ldmatrix "
                                         "need .trans there?",
                                         is_a ? 'A' : 'B')
                           : judge_print(
                                 ":\n          of each 16 x 16 elements of %c the upper right 8 x 8 and the lower "
                                 "left were exchanged:\n          which of them does the second of the four "
                                 "registers hold, and which the third?",
                                 is_a ? 'A' : 'B');
            }
        }
    }
    return "";
}

std::string fragments_reason(const struct fragment_product *p, int row, int col) {
    struct region c = {p, row / SIDE * SIDE, col / SIDE * SIDE};
    if (c.row + SIDE > p->M || c.col + SIDE > p->N || p->K == 0 || p->K % SIDE) {
        return "";
    }
    std::string text = sums_mixed_up(&c);
    return text.empty() ? inputs_mixed_up(&c) : text;
}
