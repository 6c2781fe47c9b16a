/* fragments.h - what is wrong with a product on tensor cores whose numbers are right and in the wrong place: which elements of fragments were taken
 * for which. */
#ifndef TOOLS_GRADING_FRAGMENTS_H
#define TOOLS_GRADING_FRAGMENTS_H

#include <functional>
#include <string>

struct fragment_product {
    int M, N, K;
    std::function<double(int row, int k)> A;
    std::function<double(int k, int col)> B;
    std::function<double(int row, int col)> found, expected;
};

/* What explains all of the 16 x 16 elements around this one; "" if nothing known does, or they do not lie in C as a whole. */
std::string fragments_reason(const struct fragment_product *p, int row, int col);

#endif
