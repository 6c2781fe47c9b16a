// Bodies that attract each other: tiles in shared memory, leapfrog over many steps with buffers that change places and
// momentum kept; the same with forces used twice by a triangle of tiles; and collisions of balls in a box in whole numbers.
#include "program.h"
#include <utility>
#include <vector>

enum { N = 203, TILE = 64, STEPS = 12, BALLS = 90, BOX = 1 << 16, RADIUS = 1500 };

struct __align__(16) body {
    double x, y, z, w; // w is the mass
};

// Products are rounded before they are added, as on the host.
#ifdef __CUDA_ARCH__
#define MULTIPLY(a, b) __dmul_rn(a, b)
#else
#define MULTIPLY(a, b) ((a) * (b))
#endif
__host__ __device__ double3 pull(body me, body other) {
    double x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
    double square = MULTIPLY(x, x) + MULTIPLY(y, y) + MULTIPLY(z, z) + 0.015625;
    double s = other.w / MULTIPLY(square, sqrt(square));
    return make_double3(MULTIPLY(x, s), MULTIPLY(y, s), MULTIPLY(z, s));
}
__host__ __device__ void push(double &v, double a) {
    v = v + MULTIPLY(a, 0.03125);
}

__global__ void step(const body *from, body *to, double3 *velocity, int n) {
    __shared__ body tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    body me = from[min(i, n - 1)];
    double3 sum = make_double3(0, 0, 0);
    for (int start = 0; start < n; start += TILE) {
        int j = start + threadIdx.x;
        tile[threadIdx.x] = j < n ? from[j] : body{0, 0, 0, 0};
        __syncthreads();
#pragma unroll 4
        for (int k = 0; k < TILE; k++) {
            double3 p = pull(me, tile[k]);
            sum.x += p.x, sum.y += p.y, sum.z += p.z;
        }
        __syncthreads();
    }
    if (i < n) {
        double3 v = velocity[i];
        push(v.x, sum.x), push(v.y, sum.y), push(v.z, sum.z);
        velocity[i] = v;
        push(me.x, v.x), push(me.y, v.y), push(me.z, v.z);
        to[i] = me;
    }
}

// Each pair once: what one gets, the other gives. In fixed point, so that the order of the atomics is no matter.
__global__ void pairs(const body *bodies, unsigned long long *forces, int n) {
    __shared__ body tile[TILE];
    if (blockIdx.y > blockIdx.x)
        return;
    int i = blockIdx.x * TILE + threadIdx.x, first = blockIdx.y * TILE;
    tile[threadIdx.x] = bodies[min(first + (int)threadIdx.x, n - 1)];
    __syncthreads();
    for (int k = 0; k < TILE; k++) {
        int j = first + (k + threadIdx.x) % TILE; // lanes begin at different places
        if (i >= n || j >= i || j >= n)
            continue;
        body a = bodies[i], b = tile[j - first];
        double3 p = pull(body{a.x, a.y, a.z, 0}, body{b.x, b.y, b.z, a.w * b.w});
        double components[3] = {p.x, p.y, p.z};
        for (int c = 0; c < 3; c++) {
            unsigned long long fixed = (unsigned long long)__double2ll_rn(components[c] * 4294967296.0);
            atomicAdd(&forces[3 * i + c], fixed);
            atomicAdd(&forces[3 * j + c], 0 - fixed);
        }
    }
}

// Balls in a square box: one step, then each ball that touches another takes over its velocity (they are all alike).
struct ball {
    int x, y, vx, vy;
};
__host__ __device__ ball moved(ball b) {
    b.x += b.vx, b.y += b.vy;
    if (b.x < 0 || b.x >= BOX)
        b.vx = -b.vx, b.x += 2 * b.vx;
    if (b.y < 0 || b.y >= BOX)
        b.vy = -b.vy, b.y += 2 * b.vy;
    return b;
}
__host__ __device__ ball collided(const ball *all, int n, int i) {
    ball me = all[i];
    for (int j = 0; j < n; j++) {
        long long dx = all[j].x - me.x, dy = all[j].y - me.y,
                  closer = dx * (all[j].vx - all[i].vx) + dy * (all[j].vy - all[i].vy);
        if (j != i && dx * dx + dy * dy < RADIUS * RADIUS && closer < 0) {
            me.vx = all[j].vx, me.vy = all[j].vy;
            break;
        }
    }
    return me;
}
__global__ void __launch_bounds__(128) play(ball *balls, int n, int steps) {
    __shared__ ball all[128];
    int i = threadIdx.x;
    if (i < n)
        all[i] = balls[i];
    for (int s = 0; s < steps; s++) {
        if (i < n)
            all[i] = moved(all[i]);
        __syncthreads();
        ball next;
        if (i < n)
            next = collided(all, n, i);
        __syncthreads();
        if (i < n)
            all[i] = next;
    }
    if (i < n)
        balls[i] = all[i];
}

int main() {
    std::vector<body> bodies(N), other(N), found(N);
    std::vector<double3> velocity(N);
    uint32_t seed = 23;
    for (body &b : bodies)
        b = body{next_random(&seed) % 1000 / 64.0, next_random(&seed) % 1000 / 64.0, next_random(&seed) % 1000 / 64.0,
                 (1 + next_random(&seed) % 7) / 8.0};
    std::vector<body> start = bodies;
    body *from = to_device(bodies.data(), N), *to = device_zeros<body>(N);
    double3 *d_velocity = device_zeros<double3>(N);
    for (int s = 0; s < STEPS; s++) {
        step<<<(N + TILE - 1) / TILE, TILE>>>(from, to, d_velocity, N);
        std::swap(from, to);
        for (int i = 0; i < N; i++) {
            double3 sum = make_double3(0, 0, 0);
            for (int j = 0; j < (N + TILE - 1) / TILE * TILE; j++) {
                double3 p = pull(bodies[i], j < N ? bodies[j] : body{0, 0, 0, 0});
                sum.x += p.x, sum.y += p.y, sum.z += p.z;
            }
            double3 &v = velocity[i];
            push(v.x, sum.x), push(v.y, sum.y), push(v.z, sum.z);
            other[i] = bodies[i];
            push(other[i].x, v.x), push(other[i].y, v.y), push(other[i].z, v.z);
        }
        bodies.swap(other);
    }
    FINISH();
    from_device(found.data(), from, N);
    check_equal("leapfrog", &bodies[0].x, &found[0].x, 4 * N);
    show_bits("places", found.data(), N);
    std::vector<double3> last(N);
    from_device(last.data(), d_velocity, N);
    double momentum = 0;
    for (int i = 0; i < N; i++)
        momentum += start[i].w * last[i].x;
    check("momentum", fabs(momentum) < 1e-10);

    std::vector<unsigned long long> forces(3 * N), expected(3 * N);
    unsigned long long *d_forces = device_zeros<unsigned long long>(3 * N);
    pairs<<<dim3((N + TILE - 1) / TILE, (N + TILE - 1) / TILE), TILE>>>(to_device(start.data(), N), d_forces, N);
    FINISH();
    from_device(forces.data(), d_forces, 3 * N);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) {
            body a = start[i], b = start[j];
            double3 p = pull(body{a.x, a.y, a.z, 0}, body{b.x, b.y, b.z, a.w * b.w});
            double components[3] = {p.x, p.y, p.z};
            for (int c = 0; c < 3; c++) {
                unsigned long long fixed = (unsigned long long)llrint(components[c] * 4294967296.0);
                expected[3 * i + c] += fixed;
                expected[3 * j + c] -= fixed;
            }
        }
    check_equal("each pair once", expected.data(), forces.data(), 3 * N);

    ball balls[BALLS], balls_found[BALLS], next[BALLS];
    for (ball &b : balls)
        b = {(int)(next_random(&seed) % BOX), (int)(next_random(&seed) % BOX), (int)(next_random(&seed) % 801) - 400,
             (int)(next_random(&seed) % 801) - 400};
    ball *d_balls = to_device(balls, BALLS);
    const int steps = 100;
    play<<<1, 128>>>(d_balls, BALLS, steps);
    FINISH();
    from_device(balls_found, d_balls, BALLS);
    for (int s = 0; s < steps; s++) {
        for (ball &b : balls)
            b = moved(b);
        for (int i = 0; i < BALLS; i++)
            next[i] = collided(balls, BALLS, i);
        memcpy(balls, next, sizeof balls);
    }
    check_equal("balls", &balls[0].x, &balls_found[0].x, 4 * BALLS);
    show_bits("balls", balls_found, BALLS);
    return program_failures;
}
