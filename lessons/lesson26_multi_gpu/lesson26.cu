/* Lesson 26: several GPUs, and the all-reduce.
 *
 *     make lesson26 run                     all versions on several sizes, verified, then measured (or counted)
 *     make lesson26 run V=5 SIZE=1000003    one version, one size (floats on each device)
 *
 * You will learn how devices reach each other's memory, and how to build an all-reduce: each device has n numbers, and
 * afterwards each has the sums of all. Training on several GPUs does this after every step.
 *
 *     gather1            copies: all to device 0, which adds; then the sums go out again
 *     ring2              copies: each device passes a piece on to the next one, which adds its own
 *     tree3              copies: pairs add, then pairs of pairs, and back
 *     oneshot_kernel4    no copies: a kernel on each device reads all the others' memory
 *     oneshot_kernel5    everyone reads a copy, of which there are two: one barrier between the devices instead of two
 *     oneshot_kernel6    no barrier: each word that arrives says by itself that it is there
 *     twoshot_kernel7    each device adds up a part, and writes the sums to all
 *
 * Without a GPU the emulator shows four devices. Where there is one GPU, four parties share it.
 */
#include "../../common/check.h"
#include "../../common/device.h"
#include "../../common/verify.h"

/* On two H200s version 7 with 64 blocks is 6 % slower for 1 GiB than with 128, and version 6 with SMALL floats still ahead of it, 8.5 us
 * to 10.4. BLOCK and PIECES have not been varied there; measured/sweep.sh does. */
enum { DEVICES_MAX = 8 };
enum { BLOCK = 256 };      // threads in a block
enum { BLOCKS_MAX = 128 }; // blocks of a kernel that waits for other devices: all of them must be running
enum { TURNS = 3 };        // version 6: compartments that are used in turns
enum { SMALL = 1 << 18 };  // version 6: floats at most
enum { PIECES = 4 };       // version 7: float4 that a thread asks each device for at once
#define EMPTY 0xffffffffu  // version 6: a word that has not arrived; a NaN that no addition gives, only a changed sign

/* What the kernel on one device has to know: where everything lies on all devices. One address space holds the
 * memory of all of them, so a pointer is enough to say which device is meant. */
struct peers {
    int count, me;                // devices; which of them this is
    int room;                     // float4 in a buffer of version 5
    const float *x[DEVICES_MAX];  // [n] on each device: what is added
    float *y[DEVICES_MAX];        // [n] on each device: the sums
    float4 *box[DEVICES_MAX];     // versions 5 and 6: what others read, or send here
    unsigned *flags[DEVICES_MAX]; // [BLOCKS_MAX][DEVICES_MAX] on each device: who has come
    unsigned *epoch;              // [BLOCKS_MAX] here: how often a block has waited
    unsigned *turn;               // [BLOCKS_MAX] here: which of the buffers is next
    unsigned *filled;             // [BLOCKS_MAX] here: float4 that the call before has filled (version 6)
};

#include "team.h"

// ---------------------------------------------------------------- the reference

/* Floats that are added in another order give another sum. So each version says in which order it adds, and is held to that,
 * to the bit: by device, from x[0] on; in a ring, a chunk from its own device on; in a tree, pairs. */
static float sum_from(float *const *x, int count, int i, int first) {
    float sum = x[first][i];
    for (int d = 1; d < count; d++) {
        sum += x[(first + d) % count][i];
    }
    return sum;
}

static float sum_of_pairs(float *const *x, int count, int i) {
    float sum[DEVICES_MAX];
    for (int d = 0; d < count; d++) {
        sum[d] = x[d][i];
    }
    for (int step = 1; step < count; step *= 2) {
        for (int d = 0; d + step < count; d += 2 * step) {
            sum[d] += sum[d + step];
        }
    }
    return sum[0];
}

static __host__ __device__ int chunk_start(int n, int count, int chunk) {
    return (int)((long long)n * chunk / count);
}

static void all_reduce_cpu(float *const *x, float *y, int n, int count, enum order order) {
    for (int c = 0; c < count; c++) {
        for (int i = chunk_start(n, count, c); i < chunk_start(n, count, c + 1); i++) {
            y[i] = order == PAIRS ? sum_of_pairs(x, count, i) : sum_from(x, count, i, order == RING ? c : 0);
        }
    }
}

// ---------------------------------------------------------------- versions 1 to 3: copies between devices

static __global__ void add_kernel(float *sum, const float *a, const float *b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        sum[i] = a[i] + b[i];
    }
}

/* On device d, in its stream. A stream belongs to a device: a launch needs the right one to be current. */
static void add(struct team *t, int d, float *sum, const float *a, const float *b, int n) {
    if (n > 0) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        add_kernel<<<(n + BLOCK - 1) / BLOCK, BLOCK, 0, t->stream[d]>>>(sum, a, b, n);
        CUDA_CHECK_LAUNCH();
        t->launches++;
    }
}

/* From device `from` to device `to`, in the stream of `to`. */
static void copy(struct team *t, int to, float *target, int from, const float *source, int n) {
    if (n > 0) {
        CUDA_CHECK(cudaSetDevice(t->device[to]));
        CUDA_CHECK(
            cudaMemcpyPeerAsync(target, t->device[to], source, t->device[from], n * sizeof(float), t->stream[to]));
        t->copies++;
        t->copied += n;
    }
}

/* What is queued in the stream of `who` from now on comes after what has been queued in that of `whom`. */
static void wait_for(struct team *t, int who, int whom) {
    CUDA_CHECK(cudaSetDevice(t->device[whom]));
    CUDA_CHECK(cudaEventRecord(t->event[whom], t->stream[whom]));
    CUDA_CHECK(cudaSetDevice(t->device[who]));
    CUDA_CHECK(cudaStreamWaitEvent(t->stream[who], t->event[whom], 0));
}

/* Version 1: one device does it all. Everything comes in through its link, and goes out through its link. */
static void gather1(struct team *t, int n) {
    const float *sum = t->x[0];
    for (int d = 1; d < t->count; d++) {
        wait_for(t, 0, d); // x[d] is complete
        copy(t, 0, t->spare[0], d, t->x[d], n);
        add(t, 0, t->y[0], sum, t->spare[0], n);
        sum = t->y[0];
    }
    if (t->count == 1) {
        copy(t, 0, t->y[0], 0, sum, n);
    }
    for (int d = 1; d < t->count; d++) {
        wait_for(t, d, 0);
        copy(t, d, t->y[d], 0, t->y[0], n);
    }
    for (int d = 1; d < t->count; d++) {
        wait_for(t, 0, d); // it may change y[0] only when all have it
    }
}

/* Version 2: the array falls into as many chunks as there are devices, and in each step every device gets one from the device
 * before it: all links carry something, in all steps. First the sums grow as they go round (reduce-scatter): chunk c
 * starts at device c, and the last one to add is the one before it. Then the finished chunks go round (all-gather). In the
 * end each waits for the next one: whatever comes behind may change y only when that one has read it. */
static void ring2(struct team *t, int n) {
    if (t->count == 1) {
        copy(t, 0, t->y[0], 0, t->x[0], n);
    }
    for (int step = 0; step < 2 * (t->count - 1); step++) {
        bool adds = step < t->count - 1;
        for (int d = 0; d < t->count; d++) {
            CUDA_CHECK(cudaSetDevice(t->device[d]));
            CUDA_CHECK(cudaEventRecord(t->event[d], t->stream[d])); // of the step before: done
        }
        for (int d = 0; d < t->count; d++) {
            int from = (d + t->count - 1) % t->count, c = (from - step + 2 * t->count) % t->count;
            int start = chunk_start(n, t->count, c), size = chunk_start(n, t->count, c + 1) - start;
            const float *source = (step == 0 ? t->x[from] : t->y[from]) + start;
            CUDA_CHECK(cudaSetDevice(t->device[d]));
            CUDA_CHECK(cudaStreamWaitEvent(t->stream[d], t->event[from], 0));
            copy(t, d, adds ? t->spare[d] : t->y[d] + start, from, source, size);
            if (adds) {
                add(t, d, t->y[d] + start, t->spare[d], t->x[d] + start, size);
            }
        }
    }
    for (int d = 0; d < t->count; d++) {
        wait_for(t, d, (d + 1) % t->count);
    }
}

/* Version 3: fewer steps, one after the other, but each of them with the whole array. */
static void tree3(struct team *t, int n) {
    const float *sum[DEVICES_MAX];
    int step = 1;
    for (int d = 0; d < t->count; d++) {
        sum[d] = t->x[d];
    }
    for (; step < t->count; step *= 2) {
        for (int d = 0; d + step < t->count; d += 2 * step) {
            wait_for(t, d, d + step);
            copy(t, d, t->spare[d], d + step, sum[d + step], n);
            add(t, d, t->y[d], sum[d], t->spare[d], n);
            sum[d] = t->y[d];
        }
    }
    if (t->count == 1) {
        copy(t, 0, t->y[0], 0, sum[0], n);
    }
    while (step /= 2) {
        for (int d = 0; d + step < t->count; d += 2 * step) {
            wait_for(t, d + step, d);
            copy(t, d + step, t->y[d + step], d, t->y[d], n);
            wait_for(t, d, d + step);
        }
    }
}

// ---------------------------------------------------------------- versions 4 to 7: kernels that reach the others' memory

/* A flag on another device. release: who sees the new value sees all that was written before; sys: also on another
 * device. __threadfence() and atomicAdd are for one device (gpu), and not enough here. */
static __device__ void put_flag(unsigned *flag, unsigned value) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" ::"l"(flag), "r"(value) : "memory");
}

static __device__ unsigned get_flag(const unsigned *flag) {
    unsigned value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

/* A device that never comes must not stop the others for ever: 20 seconds at 2 GHz. */
static __device__ void give_up_after(long long start) {
    if (clock64() - start > 40000000000ll) {
        __trap();
    }
}

/* A barrier between the devices: block b of each waits for block b of all. Each thread of the first ones tells one
 * device, and waits for one. Flags only grow, so nobody has to set them back: the epoch says which barrier is meant. */
static __device__ void meet(const struct peers &p) {
    int t = threadIdx.x, b = blockIdx.x;
    __syncthreads(); // orders the accesses of the whole block before the flag
    unsigned epoch = p.epoch[b] + 1;
    if (t < p.count) {
        long long start = clock64();
        put_flag(&p.flags[t][b * DEVICES_MAX + p.me], epoch);
        while ((int)(get_flag(&p.flags[p.me][b * DEVICES_MAX + t]) - epoch) < 0) {
            give_up_after(start);
        }
    }
    __syncthreads(); // and its later accesses after it
    if (t == 0) {
        p.epoch[b] = epoch;
    }
}

/* Version 4: n >= 1; all devices with the same grid. Each reads everything, and adds. */
static __global__ void oneshot_kernel4(struct peers p, int n) {
    meet(p); // all x are complete
    for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) {
        float sum = p.x[0][i];
        for (int d = 1; d < p.count; d++) {
            sum += p.x[d][i];
        }
        p.y[p.me][i] = sum;
    }
    meet(p); // all have read: x may change
}

static __host__ __device__ constexpr int vectors_of(int n) {
    return (n + 3) / 4;
}

/* Vectors of four floats; what is beyond the end counts as 0. x and y must be where a float4 may be. */
static __device__ float4 load4(const float *x, int v, int n) {
    if (4 * v + 3 < n) {
        return ((const float4 *)x)[v];
    }
    int i = 4 * v;
    return make_float4(x[i], i + 1 < n ? x[i + 1] : 0.0f, i + 2 < n ? x[i + 2] : 0.0f, 0.0f);
}

static __device__ void store4(float *y, int v, int n, float4 a) {
    if (4 * v + 3 < n) {
        ((float4 *)y)[v] = a;
        return;
    }
    const float part[] = {a.x, a.y, a.z};
    for (int i = 4 * v; i < n; i++) {
        y[i] = part[i - 4 * v];
    }
}

static __device__ float4 add4(float4 a, float4 b) {
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

/* Which buffer it is the turn of. All blocks must agree, also when the next call has another number of them: so the blocks
 * of a call move on the counters of those that it does not have. They count to six, for two buffers and for three: behind 2^32 - 1 comes
 * 0, and with three buffers both would mean the first one. */
static __device__ void next_turn(const struct peers &p, unsigned turn, int vectors) {
    __syncthreads(); // all have read them
    for (int b = blockIdx.x + gridDim.x * threadIdx.x; b < BLOCKS_MAX; b += gridDim.x * BLOCK) {
        p.turn[b] = (turn + 1) % (2 * TURNS);
        p.filled[b] = vectors;
    }
}

/* Version 5: the others read a copy of x, so x may change at once, and the copy when nobody reads it any more: when
 * all have come to the *next* barrier. With two copies in turns that is early enough. DEVICES: 0 is any number of them. */
template <int DEVICES> static __global__ void oneshot_kernel5(struct peers p, int n) {
    int count = DEVICES ? DEVICES : p.count, vectors = vectors_of(n), stride = gridDim.x * BLOCK;
    unsigned turn = p.turn[blockIdx.x];
    int copy = turn % 2 * p.room;
    for (int v = blockIdx.x * BLOCK + threadIdx.x; v < vectors; v += stride) {
        p.box[p.me][copy + v] = load4(p.x[p.me], v, n);
    }
    meet(p);
    for (int v = blockIdx.x * BLOCK + threadIdx.x; v < vectors; v += stride) {
        float4 sum = p.box[0][copy + v];
#pragma unroll
        for (int d = 1; d < count; d++) {
            sum = add4(sum, p.box[d][copy + v]);
        }
        store4(p.y[p.me], v, n, sum);
    }
    next_turn(p, turn, vectors);
}

/* Version 6: everyone sends its x to all, and looks into its own box until a word is there. Each word of 4 bytes is
 * written in one piece, so a word that is not EMPTY is the number: nothing else has to be ordered, and relaxed accesses do. */
static __device__ void send4(float4 *to, float4 a) {
    asm volatile("st.relaxed.sys.global.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(to), "f"(a.x), "f"(a.y), "f"(a.z),
                 "f"(a.w)
                 : "memory");
}

static __device__ float4 look4(const float4 *from) {
    float4 a;
    asm volatile("ld.relaxed.sys.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(a.x), "=f"(a.y), "=f"(a.z), "=f"(a.w)
                 : "l"(from)
                 : "memory");
    return a;
}

static __device__ bool is_empty(float a) {
    return __float_as_uint(a) == EMPTY;
}

static __device__ float4 receive4(const float4 *from) {
    long long start = clock64();
    float4 a = look4(from);
    while (is_empty(a.x) || is_empty(a.y) || is_empty(a.z) || is_empty(a.w)) {
        a = look4(from);
        give_up_after(start);
    }
    return a;
}

/* One NaN must not be sent: the one that means EMPTY. Any other one does. */
static __device__ float sendable(float a) {
    return is_empty(a) ? __uint_as_float(0x7fffffffu) : a;
}

/* A box has three compartments, and each of them a place for each device. In call k compartment k % 3 is filled, and that
 * of call k - 1, which this device has read, is emptied. Nobody sends there before call k + 2, and who is there has
 * received what this device sent in call k + 1, so after call k. */
template <int DEVICES> static __global__ void oneshot_kernel6(struct peers p, int n) {
    int count = DEVICES ? DEVICES : p.count, vectors = vectors_of(n), first = blockIdx.x * BLOCK + threadIdx.x;
    int stride = gridDim.x * BLOCK, place = vectors_of(SMALL);
    unsigned turn = p.turn[blockIdx.x], filled = p.filled[blockIdx.x];
    int now = turn % TURNS * count * place, before = (turn + TURNS - 1) % TURNS * count * place;
    const float none = __uint_as_float(EMPTY);
    for (int v = first; v < vectors; v += stride) {
        float4 a = load4(p.x[p.me], v, n);
        a = make_float4(sendable(a.x), sendable(a.y), sendable(a.z), sendable(a.w));
        for (int k = 0; k < count; k++) {
            int to = (p.me + k) % count; // not all to the same one at once
            send4(&p.box[to][now + p.me * place + v], a);
        }
    }
    for (int v = first; v < vectors; v += stride) {
        float4 sum = receive4(&p.box[p.me][now + v]);
#pragma unroll
        for (int d = 1; d < count; d++) {
            sum = add4(sum, receive4(&p.box[p.me][now + d * place + v]));
        }
        store4(p.y[p.me], v, n, sum);
    }
    for (int v = first; v < filled; v += stride) {
        for (int d = 0; d < count; d++) {
            send4(&p.box[p.me][before + d * place + v], make_float4(none, none, none, none));
        }
    }
    next_turn(p, turn, vectors);
}

/* Version 7: in one shot each device reads and adds everything, so count - 1 arrays come in through its link. Here device d adds up
 * part d alone, and writes the sums to all: 1 - 1 / count arrays come in as parts of x, and as many as parts of y. What
 * is added, and what is written, are nobody else's: two barriers are enough. */
template <int DEVICES> static __global__ void twoshot_kernel7(struct peers p, int n) {
    int count = DEVICES ? DEVICES : p.count, vectors = vectors_of(n);
    int begin = chunk_start(vectors, count, p.me), end = chunk_start(vectors, count, p.me + 1);
    meet(p); // all x are complete
    for (int tile = begin + blockIdx.x * (BLOCK * PIECES); tile < end; tile += gridDim.x * (BLOCK * PIECES)) {
        float4 sum[PIECES];
        int v = tile + threadIdx.x, last = min(end, tile + BLOCK * PIECES);
        if (tile + BLOCK * PIECES <= end && 4ll * (tile + BLOCK * PIECES) <= n) {
#pragma unroll
            for (int k = 0; k < PIECES; k++) {
                sum[k] = ((const float4 *)p.x[0])[v + k * BLOCK];
            }
#pragma unroll
            for (int d = 1; d < count; d++) {
#pragma unroll
                for (int k = 0; k < PIECES; k++) {
                    sum[k] = add4(sum[k], ((const float4 *)p.x[d])[v + k * BLOCK]);
                }
            }
            for (int d = 0; d < count; d++) {
                int to = (p.me + d) % count; // not all to the same one at once
#pragma unroll
                for (int k = 0; k < PIECES; k++) {
                    ((float4 *)p.y[to])[v + k * BLOCK] = sum[k];
                }
            }
            continue;
        }
        for (; v < last; v += BLOCK) {
            float4 rest = load4(p.x[0], v, n);
            for (int d = 1; d < count; d++) {
                rest = add4(rest, load4(p.x[d], v, n));
            }
            for (int d = 0; d < count; d++) {
                store4(p.y[d], v, n, rest);
            }
        }
    }
    meet(p); // all sums are written, and all x read
}

// ---------------------------------------------------------------- the launchers

typedef void (*peer_kernel)(struct peers, int);

/* One launch on each device, one after the other: a kernel waits for those that are launched after it. So nothing
 * between the launches may wait for the first kernel, and all blocks of all kernels must find room at the same time. */
static void launch_on_all(struct team *t, int mailbox, peer_kernel kernel, int n, int each) {
    int blocks = min(t->blocks_max, (n + each - 1) / each);
    if (n == 0) {
        return;
    }
    for (int d = 0; d < t->count; d++) {
        CUDA_CHECK(cudaSetDevice(t->device[d]));
        kernel<<<blocks, BLOCK, 0, t->stream[d]>>>(team_peers(t, mailbox, d), n);
        CUDA_CHECK_LAUNCH();
        t->launches++;
    }
}

static void oneshot4(struct team *t, int n) {
    launch_on_all(t, 4, oneshot_kernel4, n, BLOCK);
}

static void oneshot5(struct team *t, int n) {
    launch_on_all(t, 5,
                  t->count == 2   ? oneshot_kernel5<2>
                  : t->count == 4 ? oneshot_kernel5<4>
                                  : oneshot_kernel5<0>,
                  n, 4 * BLOCK);
}

static void twoshot7(struct team *t, int n) {
    peer_kernel kernel = t->count == 2 ? twoshot_kernel7<2> : t->count == 4 ? twoshot_kernel7<4> : twoshot_kernel7<0>;
    launch_on_all(t, 7, kernel, n, 4 * BLOCK * t->count);
}

/* What does not fit into the box takes version 7. */
static void oneshot6(struct team *t, int n) {
    if (n > SMALL) {
        twoshot7(t, n);
        return;
    }
    launch_on_all(t, 6,
                  t->count == 2   ? oneshot_kernel6<2>
                  : t->count == 4 ? oneshot_kernel6<4>
                                  : oneshot_kernel6<0>,
                  n, 4 * BLOCK);
}

static const struct version versions[] = {
    {"gather1", gather1, BY_DEVICE},
    {"ring2", ring2, RING},
    {"tree3", tree3, PAIRS},
    {"oneshot_kernel4", oneshot4, BY_DEVICE},
    {"oneshot_kernel5", oneshot5, BY_DEVICE},
    {"oneshot_kernel6", oneshot6, BY_DEVICE},
    {"twoshot_kernel7", twoshot7, BY_DEVICE},
};
enum { VERSIONS = sizeof versions / sizeof versions[0] };

#ifndef LESSON26_WITHOUT_MAIN // what is measured beside NCCL includes this file
int main(int argc, char **argv) {
    setenv("EMULATOR_DEVICES", "4", 0); // the emulator shows so many devices, unless the variable says otherwise
    struct options options = options_read(argc, argv, VERSIONS);
    int first = options.version ? options.version - 1 : 0, last = options.version ? options.version - 1 : VERSIONS - 1;
    const int sizes[] = {0, 1, 31, 33, 1000, 1025, 100003};
    const int on_emulator[] = {1 << 16}, on_gpu[] = {1 << 8, 1 << 12, 1 << 16, 1 << 20, 1 << 24, 1 << 26};
    device_print_backend();
    struct team team = team_find();
    team_show(&team);
    for (int s = 0; s < (options.size >= 0 ? 1 : 7); s++) {
        int n = options.size >= 0 ? (int)options.size : sizes[s];
        verify_versions(&team, versions, first, last, n, options.seed);
    }
    int tables = options.size >= 0 || device_is_emulator() ? 1 : 6;
    for (int s = 0; s < tables && verify_tally()->failures == 0; s++) { // how fast a wrong version is does not matter
        int n = options.size >= 0 ? (int)options.size : device_is_emulator() ? on_emulator[s] : on_gpu[s];
        if (n > 0) {
            measure_versions(&team, versions, first, last, n, options.seed);
        }
    }
    return verify_finish("all-reduce");
}
#endif
