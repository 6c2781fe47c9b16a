// Options: prices by Black and Scholes in float and double against the host, put-call parity, implied volatility by Newton,
// an American option on a binomial tree in shared memory, and the mathematical functions that these use.
#include "program.h"
#include <algorithm>
#include <vector>

enum { OPTIONS = 1501, STEPS = 120 };

template <typename T> __host__ __device__ T normal(T x) {
    return T(0.5) * erfc(-x * T(0.70710678118654752440));
}
template <typename T> __host__ __device__ void price(T spot, T strike, T years, T rate, T volatility, T *call, T *put) {
    T root = volatility * sqrt(years);
    T d1 = (log(spot / strike) + (rate + volatility * volatility / 2) * years) / root, d2 = d1 - root;
    T discounted = strike * exp(-rate * years);
    *call = spot * normal(d1) - discounted * normal(d2);
    *put = discounted * normal(-d2) - spot * normal(-d1);
}
template <typename T>
__global__ void prices(const T *__restrict__ spot, const T *__restrict__ strike, const T *__restrict__ years, T *call,
                       T *put, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        price<T>(spot[i], strike[i], years[i], T(0.02), T(0.3), &call[i], &put[i]);
}

// The polynomial that most samples use instead of erfc, with fast functions.
__device__ float normal_fast(float x) {
    float k = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(x));
    float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float n = 0.39894228040143267f * __expf(-0.5f * x * x) * p;
    return x > 0 ? 1 - n : n;
}
__global__ void prices_fast(const float *spot, const float *strike, const float *years, float *call, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float root = 0.3f * sqrtf(years[i]);
    float d1 = __fdividef(__logf(__fdividef(spot[i], strike[i])) + (0.02f + 0.045f) * years[i], root);
    call[i] = spot[i] * normal_fast(d1) - strike[i] * __expf(-0.02f * years[i]) * normal_fast(d1 - root);
}

__global__ void implied(const double *spot, const double *strike, const double *years, const double *call,
                        double *volatility, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    double low = 0.01, high = 2, guess = 0.5, found, put;
    for (int round = 0; round < 60 && high - low > 1e-13; round++) {
        price(spot[i], strike[i], years[i], 0.02, guess, &found, &put);
        if (fabs(found - call[i]) < 1e-13)
            break;
        (found > call[i] ? high : low) = guess;
        double d1 = (log(spot[i] / strike[i]) + (0.02 + guess * guess / 2) * years[i]) / (guess * sqrt(years[i]));
        double slope = spot[i] * sqrt(years[i]) * exp(-d1 * d1 / 2) * 0.39894228040143267794;
        double next = guess - (found - call[i]) / slope;
        guess = next > low && next < high ? next : (low + high) / 2;
    }
    volatility[i] = guess;
}

// An American put: a block per option, a thread per few nodes, backwards in time.
__host__ __device__ double tree_value(double spot, double strike, double up, int i, int step) {
    double s = spot * pow(up, 2 * i - step), gain = strike - s;
    return gain > 0 ? gain : 0;
}
__global__ void american(const double *spot, const double *strike, const double *years, double *out) {
    __shared__ double value[2][STEPS + 1];
    double s = spot[blockIdx.x], k = strike[blockIdx.x], dt = years[blockIdx.x] / STEPS;
    double up = exp(0.3 * sqrt(dt)), p = (exp(0.02 * dt) - 1 / up) / (up - 1 / up), discount = exp(-0.02 * dt);
    for (int i = threadIdx.x; i <= STEPS; i += blockDim.x)
        value[STEPS % 2][i] = tree_value(s, k, up, i, STEPS);
    for (int step = STEPS - 1; step >= 0; step--) {
        __syncthreads();
        double *from = value[(step + 1) % 2], *to = value[step % 2];
        for (int i = threadIdx.x; i <= step; i += blockDim.x)
            to[i] = fmax(discount * (p * from[i + 1] + (1 - p) * from[i]), tree_value(s, k, up, i, step));
    }
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = value[0][0];
}

template <typename T> static void european(const char *name, const std::vector<T> *in, double tolerance) {
    T *spot = to_device(in[0].data(), OPTIONS), *strike = to_device(in[1].data(), OPTIONS);
    T *years = to_device(in[2].data(), OPTIONS), *call = device_zeros<T>(OPTIONS), *put = device_zeros<T>(OPTIONS);
    std::vector<T> expected(OPTIONS), calls(OPTIONS), puts(OPTIONS), parity(OPTIONS), forward(OPTIONS);
    prices<T><<<4, 96>>>(spot, strike, years, call, put, OPTIONS);
    FINISH();
    from_device(calls.data(), call, OPTIONS);
    from_device(puts.data(), put, OPTIONS);
    for (int i = 0; i < OPTIONS; i++) {
        double c, p;
        price<double>(in[0][i], in[1][i], in[2][i], T(0.02), T(0.3), &c, &p);
        expected[i] = (T)c;
        parity[i] = calls[i] - puts[i];
        forward[i] = in[0][i] - in[1][i] * (T)exp(-0.02 * in[2][i]);
    }
    check_close(name, expected.data(), calls.data(), OPTIONS, tolerance);
    check_close("put-call parity", forward.data(), parity.data(), OPTIONS, tolerance * 4);
}

int main() {
    std::vector<double> in[3];
    std::vector<float> in_float[3], calls(OPTIONS), expected(OPTIONS);
    uint32_t seed = 87;
    for (int i = 0; i < OPTIONS; i++) {
        double values[3] = {5 + next_random(&seed) % 2500 / 100.0, 1 + next_random(&seed) % 9900 / 100.0,
                            0.25 + next_random(&seed) % 975 / 100.0};
        for (int k = 0; k < 3; k++) {
            in_float[k].push_back((float)values[k]);
            in[k].push_back(in_float[k][i]);
        }
    }
    european<double>("double", in, 1e-13);
    european<float>("float", in_float, 4e-6);

    float *spot_float = to_device(in_float[0].data(), OPTIONS), *strike_float = to_device(in_float[1].data(), OPTIONS);
    float *years_float = to_device(in_float[2].data(), OPTIONS), *fast = device_zeros<float>(OPTIONS);
    prices_fast<<<(OPTIONS + 127) / 128, 128>>>(spot_float, strike_float, years_float, fast, OPTIONS);
    FINISH();
    from_device(calls.data(), fast, OPTIONS);
    std::vector<double> prices_exact(OPTIONS), put(OPTIONS);
    for (int i = 0; i < OPTIONS; i++) {
        price<double>(in[0][i], in[1][i], in[2][i], 0.02, 0.3, &prices_exact[i], &put[i]);
        expected[i] = (float)prices_exact[i];
    }
    check_close("fast functions", expected.data(), calls.data(), OPTIONS, 1e-4);

    // Only those whose price depends on the volatility at all.
    std::vector<double> near[3], near_price, volatility;
    for (int i = 0; i < OPTIONS; i++)
        if (in[1][i] > in[0][i] * 0.6 && in[1][i] < in[0][i] * 1.6) {
            for (int k = 0; k < 3; k++)
                near[k].push_back(in[k][i]);
            near_price.push_back(prices_exact[i]);
        }
    int n = (int)near_price.size();
    show("options near the money", n);
    double *spot = to_device(near[0].data(), n), *strike = to_device(near[1].data(), n);
    double *years = to_device(near[2].data(), n), *out = device_zeros<double>(n);
    implied<<<(n + 63) / 64, 64>>>(spot, strike, years, to_device(near_price.data(), n), out, n);
    FINISH();
    std::vector<double> found(n), truth(n, 0.3);
    from_device(found.data(), out, n);
    check_close("implied volatility", truth.data(), found.data(), n, 1e-9);

    const int trees = 9;
    american<<<trees, 64>>>(spot, strike, years, out);
    FINISH();
    from_device(found.data(), out, trees);
    for (int t = 0; t < trees; t++) {
        double s = near[0][t], k = near[1][t], dt = near[2][t] / STEPS, value[STEPS + 1];
        double up = exp(0.3 * sqrt(dt)), p = (exp(0.02 * dt) - 1 / up) / (up - 1 / up), discount = exp(-0.02 * dt);
        for (int i = 0; i <= STEPS; i++)
            value[i] = tree_value(s, k, up, i, STEPS);
        for (int step = STEPS - 1; step >= 0; step--)
            for (int i = 0; i <= step; i++)
                value[i] = std::max(discount * (p * value[i + 1] + (1 - p) * value[i]), tree_value(s, k, up, i, step));
        truth[t] = value[0];
        printf("an American put: %.6f\n", found[t]);
    }
    check_close("American puts", truth.data(), found.data(), trees, 1e-11);
    return program_failures;
}
