// Thrust: vectors, transforms, reductions, scans, sorting, searching, sets and fancy iterators.
#include "program.h"
#include <algorithm>
#include <numeric>
#include <thrust/binary_search.h>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>

struct square {
    __host__ __device__ long long operator()(int x) const { return (long long)x * x; }
};
struct is_small {
    __host__ __device__ bool operator()(int x) const { return x < 300; }
};
struct saxpy {
    float a;
    __host__ __device__ float operator()(float x, float y) const { return a * x + y; }
};

static void same(const char *name, const thrust::host_vector<int> &expected, const thrust::device_vector<int> &found) {
    thrust::host_vector<int> h = found;
    if (h.size() != expected.size())
        check(name, false);
    else
        check_equal(name, expected.data(), h.data(), h.size());
}

int main() {
    const int n = 7001;
    thrust::host_vector<int> h(n), expected;
    uint32_t random = 5;
    for (int i = 0; i < n; i++)
        h[i] = next_random(&random) % 1000;
    const thrust::device_vector<int> d = h;

    check("reduce", thrust::reduce(d.begin(), d.end()) == std::accumulate(h.begin(), h.end(), 0));
    long long squares = 0;
    for (int x : h)
        squares += square()(x);
    check("transform_reduce",
          thrust::transform_reduce(d.begin(), d.end(), square(), 0ll, thrust::plus<long long>()) == squares);
    check("count_if",
          thrust::count_if(d.begin(), d.end(), is_small()) == std::count_if(h.begin(), h.end(), is_small()));
    check("max_element",
          thrust::max_element(d.begin(), d.end()) - d.begin() == std::max_element(h.begin(), h.end()) - h.begin());
    check("inner_product", thrust::inner_product(d.begin(), d.end(), thrust::make_counting_iterator(0), 0ll) ==
                               std::inner_product(h.begin(), h.end(), thrust::make_counting_iterator(0), 0ll));

    thrust::device_vector<float> x(n), y(n, 2.0f);
    thrust::sequence(x.begin(), x.end());
    thrust::transform(x.begin(), x.end(), y.begin(), y.begin(), saxpy{0.5f});
    thrust::host_vector<float> hy = y;
    bool right = true;
    for (int i = 0; i < n; i++)
        right &= hy[i] == 0.5f * i + 2.0f;
    check("sequence and transform", right);

    thrust::device_vector<int> out(n);
    expected = h;
    thrust::inclusive_scan(d.begin(), d.end(), out.begin());
    std::partial_sum(h.begin(), h.end(), expected.begin());
    same("inclusive_scan", expected, out);

    thrust::device_vector<int> keys = d, values(n);
    thrust::sequence(values.begin(), values.end());
    thrust::stable_sort_by_key(keys.begin(), keys.end(), values.begin(), thrust::greater<int>());
    thrust::host_vector<int> order(n);
    thrust::sequence(order.begin(), order.end());
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return h[a] > h[b]; });
    same("stable_sort_by_key", order, values);
    out = d;
    thrust::sort(out.begin(), out.end());
    expected = h;
    std::sort(expected.begin(), expected.end());
    same("sort", expected, out);

    thrust::device_vector<int> sums(n), firsts(n);
    auto ends =
        thrust::reduce_by_key(out.begin(), out.end(), thrust::make_constant_iterator(1), firsts.begin(), sums.begin());
    sums.resize(ends.second - sums.begin());
    thrust::host_vector<int> counts;
    for (int i = 0; i < n; i++)
        if (i && expected[i] == expected[i - 1])
            counts.back()++;
        else
            counts.push_back(1);
    same("reduce_by_key", counts, sums);
    thrust::device_vector<int> wanted(50), places(50);
    thrust::sequence(wanted.begin(), wanted.end(), 0, 21);
    thrust::lower_bound(out.begin(), out.end(), wanted.begin(), wanted.end(), places.begin());
    thrust::host_vector<int> bounds(50);
    for (int i = 0; i < 50; i++)
        bounds[i] = std::lower_bound(expected.begin(), expected.end(), 21 * i) - expected.begin();
    same("lower_bound", bounds, places);
    out.erase(thrust::unique(out.begin(), out.end()), out.end());
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    same("unique", expected, out);
    thrust::device_vector<int> common(50);
    common.erase(thrust::set_intersection(out.begin(), out.end(), wanted.begin(), wanted.end(), common.begin()),
                 common.end());
    thrust::host_vector<int> both;
    for (int i = 0; i < 50; i++)
        if (std::binary_search(expected.begin(), expected.end(), 21 * i))
            both.push_back(21 * i);
    same("set_intersection", both, common);

    out.resize(n);
    out.erase(thrust::copy_if(d.begin(), d.end(), out.begin(), is_small()), out.end());
    expected.clear();
    std::copy_if(h.begin(), h.end(), std::back_inserter(expected), is_small());
    same("copy_if", expected, out);
    auto pairs = thrust::make_zip_iterator(d.begin(), thrust::make_counting_iterator(0));
    auto best =
        thrust::reduce(pairs, pairs + n, thrust::make_tuple(-1, -1), thrust::maximum<thrust::tuple<int, int>>());
    int last = (int)(std::max_element(h.rbegin(), h.rend()).base() - h.begin()) - 1;
    check("reduce of a zip_iterator", thrust::get<0>(best) == h[last] && thrust::get<1>(best) == last);
    return program_failures;
}
