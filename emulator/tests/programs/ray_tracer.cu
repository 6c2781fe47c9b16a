// A small ray tracer in fixed point, so that every pixel is exact: spheres in constant memory over a chequered floor, shadows,
// and mirrors by recursion. Drawn in letters.
#include "program.h"
#include <vector>

enum { W = 64, H = 24, SPHERES = 4, ONE = 1 << 12, DEPTH = 4 };

struct vector3 {
    long long x, y, z;
};
struct sphere {
    vector3 centre;
    long long radius;
    int shade, mirror; // of 256
};
__host__ __device__ vector3 operator+(vector3 a, vector3 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
__host__ __device__ vector3 operator-(vector3 a, vector3 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
__host__ __device__ vector3 scaled(vector3 a, long long s) {
    return {a.x * s / ONE, a.y * s / ONE, a.z * s / ONE};
}
__host__ __device__ long long dot(vector3 a, vector3 b) {
    return (a.x * b.x + a.y * b.y + a.z * b.z) / ONE;
}
__host__ __device__ long long root(long long x) { // of a number in fixed point
    long long r = 0, rest = x * ONE;
    for (long long bit = 1ll << 46; bit && x > 0; bit >>= 2)
        if (rest >= r + bit) {
            rest -= r + bit;
            r = (r >> 1) + bit;
        } else
            r >>= 1;
    return r;
}
__host__ __device__ vector3 unit(vector3 a) {
    long long length = root(dot(a, a));
    return length ? vector3{a.x * ONE / length, a.y * ONE / length, a.z * ONE / length} : a;
}

__constant__ sphere on_device[SPHERES];
static const sphere on_host[SPHERES] = {{{0, ONE, 6 * ONE}, ONE, 90, 150},
                                        {{-5 * ONE / 2, 3 * ONE / 4, 5 * ONE}, 3 * ONE / 4, 220, 60},
                                        {{9 * ONE / 4, ONE / 2, 4 * ONE}, ONE / 2, 180, 0},
                                        {{ONE / 2, 5 * ONE / 2, 7 * ONE}, ONE, 140, 100}};
__host__ __device__ const sphere *spheres() {
#ifdef __CUDA_ARCH__
    return on_device;
#else
    return on_host;
#endif
}

// The distance along a ray, or 0.
__host__ __device__ long long hit(const sphere &s, vector3 from, vector3 along) {
    vector3 to = s.centre - from;
    long long b = dot(to, along), c = dot(to, to) - s.radius * s.radius / ONE, square = b * b / ONE - c;
    if (square < 0)
        return 0;
    long long distance = b - root(square);
    return distance > ONE / 64 ? distance : 0;
}
__host__ __device__ int trace(vector3 from, vector3 along, int depth) {
    int which = -1;
    long long nearest = 1ll << 40;
    for (int s = 0; s < SPHERES; s++) {
        long long d = hit(spheres()[s], from, along);
        if (d && d < nearest) {
            nearest = d;
            which = s;
        }
    }
    if (along.y < 0 && from.y > 0 && from.y * ONE / -along.y < nearest) {
        nearest = from.y * ONE / -along.y;
        which = SPHERES;
    }
    if (which < 0 || nearest > 60 * ONE)
        return (int)(200 + along.y * 50 / ONE);
    vector3 at = from + scaled(along, nearest), light = unit({2 * ONE, 5 * ONE, -2 * ONE}), normal = {0, ONE, 0};
    int shade = ((at.x >> 12) + (at.z >> 12)) & 1 ? 230 : 60, mirror = 30;
    if (which < SPHERES) {
        normal = unit(at - spheres()[which].centre);
        shade = spheres()[which].shade;
        mirror = spheres()[which].mirror;
    }
    long long lit = dot(normal, light);
    for (int s = 0; s < SPHERES; s++)
        if (hit(spheres()[s], at + scaled(normal, ONE / 16), light))
            lit = 0;
    shade = (int)(shade * (ONE / 4 + (lit > 0 ? lit * 3 / 4 : 0)) / ONE);
    if (depth > 0 && mirror > 0) {
        vector3 back = unit(along - scaled(normal, 2 * dot(along, normal)));
        shade = (shade * (256 - mirror) + mirror * trace(at + scaled(normal, ONE / 16), back, depth - 1)) / 256;
    }
    return shade;
}
__host__ __device__ int pixel(int x, int y) {
    vector3 eye = {0, 3 * ONE / 2, -ONE};
    return trace(eye, unit({(x * 2 - W) * ONE / 56, (H - y * 2) * ONE / 28 - ONE / 8, 2 * ONE}), DEPTH);
}
__global__ void render(int *out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < W && y < H)
        out[y * W + x] = pixel(x, y);
}

int main() {
    static int image[W * H], expected[W * H];
    int *device = device_zeros<int>(W * H);
    CUDA(cudaMemcpyToSymbol(on_device, on_host, sizeof on_host));
    CUDA(cudaDeviceSetLimit(cudaLimitStackSize, 8192));
    render<<<dim3((W + 15) / 16, (H + 4) / 5), dim3(16, 5)>>>(device);
    FINISH();
    from_device(image, device, W * H);
    for (int i = 0; i < W * H; i++)
        expected[i] = pixel(i % W, i / W);
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            int shade = image[y * W + x] / 26;
            putchar(" .:-=+*#%@"[shade < 0 ? 0 : shade > 9 ? 9 : shade]);
        }
        putchar('\n');
    }
    check_equal("every pixel", expected, image, W * H);
    show_bits("image", image, W * H);
    return program_failures;
}
