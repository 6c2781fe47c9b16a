// program [N]: N numbers through silu_all, which lies in libsilu.so, compared with the host's own, and a report, which lies in libreport.a.
#include <cmath>
#include <cstdlib>
#include <vector>

#include "report.h"
#include "silu.h"

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 1000;
    std::vector<float> x(n), y(n, NAN);
    for (int i = 0; i < n; i++) {
        x[i] = 20.0f * i / n - 10.0f;
    }
    bool good = silu_all(x.data(), y.data(), n);
    for (int i = 0; i < n && good; i++) {
        double expected = x[i] / (1.0 + exp(-(double)x[i]));
        good = fabs(y[i] - expected) <= 2e-6 * fabs(expected) + 1e-6;
    }
    return report(good, n);
}
