/* fragments.h - explains a tensor core product whose values are right but in the wrong position: which elements of the fragments were confused. */
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

/* The mistake that explains all of the 16 x 16 elements around this one; "" if no known one does, or if C does not contain all of them. */
std::string fragments_reason(const struct fragment_product *p, int row, int col);

#endif
