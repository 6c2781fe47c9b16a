/* What wgmma and bulk copies do in the background: programs in which a wait, a fence or a commit is missing, and right ones, about which
 * nothing may be said. See memory.cu for the comments. */
// arch: sm_90a
#include <cstdint>

#include "run_case.h"

static __device__ unsigned shared_address(const void *p) {
    return (unsigned)__cvta_generic_to_shared(p);
}

/* Tiles without swizzling: pieces of 8 rows of 16 bytes lie 128 bytes apart along k, and 256 along the rows. */
static __device__ uint64_t descriptor(const void *p) {
    return (uint64_t)(shared_address(p) >> 4) | (uint64_t)(128 >> 4) << 16 | (uint64_t)(256 >> 4) << 32;
}

static __device__ void products_fence() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
static __device__ void products_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N> static __device__ void products_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
static __device__ void proxy_fence() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

struct accumulators {
    float x[4];
};

/* 64 x 8 += 64 x 16 * 16 x 8 */
#define PRODUCT(d, a, b)                                                                                               \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;"                                                                \
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }"      \
                 : "+f"((d).x[0]), "+f"((d).x[1]), "+f"((d).x[2]), "+f"((d).x[3])                                      \
                 : "l"(descriptor(a)), "l"(descriptor(b))                                                              \
                 : "memory")
#define PRODUCT_BY_REGISTERS(d, a, b)                                                                                  \
    asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;"                                                                \
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, {%4, %5, %6, %7}, %8, p, 1, "  \
                 "1, 0; }"                                                                                             \
                 : "+f"((d).x[0]), "+f"((d).x[1]), "+f"((d).x[2]), "+f"((d).x[3])                                      \
                 : "r"((a)[0]), "r"((a)[1]), "r"((a)[2]), "r"((a)[3]), "l"(descriptor(b))                              \
                 : "memory")

#define A_BYTES 2048
#define B_BYTES 256

static __device__ void fill(uint32_t *s, unsigned words) {
    for (unsigned i = threadIdx.x; i < words; i += blockDim.x)
        s[i] = 0x3f803f80;
}

static __device__ void store(float *y, const accumulators &d) {
    for (int i = 0; i < 4; i++)
        y[4 * threadIdx.x + i] = d.x[i];
}

#define TILES                                                                                                          \
    __shared__ alignas(128) uint32_t a[A_BYTES / 4];                                                                   \
    __shared__ alignas(128) uint32_t b[B_BYTES / 4];                                                                   \
    fill(a, A_BYTES / 4);                                                                                              \
    fill(b, B_BYTES / 4)

// EXPECT product_right 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS ERROR SUMMARY: 0 errors
__global__ void product_right(float *y) {
    TILES;
    proxy_fence();
    __syncthreads();
    accumulators d = {};
    products_fence();
    PRODUCT(d, a, b);
    PRODUCT(d, a, b);
    products_commit();
    products_wait<0>();
    store(y, d);
}
static void case_product_right(void) {
    product_right<<<2, 128>>>(device_array<float>(512));
}

// EXPECT product_no_wait 0 race
// CHECKS racecheck
// SAYS Unfinished wgmma reported between wgmma at product_no_wait
// SAYS and Read access to its registers at
// SAYS products.cu:LINE
// SAYS its group has not been waited for
__global__ void product_no_wait(float *y) {
    TILES;
    proxy_fence();
    __syncthreads();
    accumulators d = {};
    products_fence();
    PRODUCT(d, a, b);
    products_commit();
    y[threadIdx.x] = d.x[1]; // HERE
    products_wait<0>();
}
static void case_product_no_wait(void) {
    product_no_wait<<<1, 128>>>(device_array<float>(512));
}

// EXPECT product_no_commit 0 race
// CHECKS racecheck
// SAYS wgmma at product_no_commit
// SAYS products.cu:LINE [
// SAYS its group has not been committed
__global__ void product_no_commit(float *y) {
    TILES;
    proxy_fence();
    __syncthreads();
    accumulators d = {};
    products_fence();
    PRODUCT(d, a, b);
    products_wait<0>();
    y[threadIdx.x] = d.x[1] + 1; // HERE
}
static void case_product_no_commit(void) {
    product_no_commit<<<1, 128>>>(device_array<float>(512));
}

// The second launch of a kernel is reported in short; another kernel with the same lines, and another mistake, are not: check.test.sh.
// EXPECT product_again 0 race
// CHECKS racecheck
// SAYS This is the same as above, in a later launch.
// SAYS ERROR SUMMARY: 4 errors
template <int N> __global__ void product_again(float *y) {
    TILES;
    proxy_fence();
    __syncthreads();
    accumulators d = {};
    products_fence();
    PRODUCT(d, a, b);
    products_commit();
    y[threadIdx.x] = d.x[N];
    products_wait<0>();
}
static void case_product_again(void) {
    for (int i = 0; i < 2; i++)
        product_again<0><<<1, 128>>>(device_array<float>(512));
    product_again<1><<<1, 128>>>(device_array<float>(512));
    product_no_commit<<<1, 128>>>(device_array<float>(512));
}

// EXPECT product_waits_for_older 0 race
// CHECKS racecheck
// SAYS products.cu:LINE [
// SAYS its group has not been waited for
__global__ void product_waits_for_older(float *y) {
    TILES;
    proxy_fence();
    __syncthreads();
    accumulators c = {}, d = {};
    products_fence();
    PRODUCT(c, a, b);
    products_commit();
    PRODUCT(d, a, b);
    products_commit();
    products_wait<1>();
    store(y, c);
    y[threadIdx.x] += d.x[0]; // HERE
    products_wait<0>();
    store(y + 512, d);
}
static void case_product_waits_for_older(void) {
    product_waits_for_older<<<1, 128>>>(device_array<float>(1024));
}

// EXPECT product_older_right 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS ERROR SUMMARY: 0 errors
__global__ void product_older_right(float *y, int rounds) {
    TILES;
    proxy_fence();
    __syncthreads();
    accumulators c = {}, d = {};
    float sum = 0;
    for (int i = 0; i < rounds; i++) {
        products_fence();
        PRODUCT(c, a, b);
        products_commit();
        PRODUCT(d, a, b);
        products_commit();
        products_wait<1>();
        for (int k = 0; k < 4; k++)
            sum += c.x[k], c.x[k] = 0;
        products_wait<0>();
        for (int k = 0; k < 4; k++)
            sum += d.x[k], d.x[k] = 0;
    }
    y[threadIdx.x] = sum;
}
static void case_product_older_right(void) {
    product_older_right<<<1, 128>>>(device_array<float>(512), 3);
}

// EXPECT fragments_written 0 race
// CHECKS racecheck
// SAYS and Write access to its registers at
// SAYS products.cu:LINE [
__global__ void fragments_written(float *y, const uint32_t *x, int rounds) {
    TILES;
    proxy_fence();
    __syncthreads();
    accumulators d = {};
    uint32_t f[4];
    for (int i = 0; i < rounds; i++) {
        for (int k = 0; k < 4; k++)
            f[k] = x[4 * i + k]; // HERE
        products_fence();
        PRODUCT_BY_REGISTERS(d, f, b);
        products_commit();
    }
    products_wait<0>();
    store(y, d);
}
static void case_fragments_written(void) {
    uint32_t *x = device_array<uint32_t>(16);
    cudaMemset(x, 0, 64);
    fragments_written<<<1, 128>>>(device_array<float>(512), x, 3);
}

// EXPECT no_fence_at_all 0 race
// CHECKS racecheck
// SAYS Missing wgmma.fence before wgmma at no_fence_at_all
// SAYS has executed no wgmma.fence before its first wgmma at
// SAYS products.cu:LINE
__global__ void no_fence_at_all(float *y) {
    TILES;
    proxy_fence();
    __syncthreads();
    accumulators d = {};
    PRODUCT(d, a, b); // HERE
    products_commit();
    products_wait<0>();
    store(y, d);
}
static void case_no_fence_at_all(void) {
    no_fence_at_all<<<1, 128>>>(device_array<float>(512));
}

// EXPECT no_fence_after_scaling 0 race
// CHECKS racecheck
// SAYS Missing wgmma.fence before wgmma at no_fence_after_scaling
// SAYS products.cu:LINE, and
__global__ void no_fence_after_scaling(float *y, int rounds, float factor) {
    TILES;
    proxy_fence();
    __syncthreads();
    accumulators d = {};
    products_fence();
    for (int i = 0; i < rounds; i++) {
        PRODUCT(d, a, b);
        products_commit();
        products_wait<0>();
        for (int k = 0; k < 4; k++)
            d.x[k] *= factor; // HERE
    }
    store(y, d);
}
static void case_no_fence_after_scaling(void) {
    no_fence_after_scaling<<<1, 128>>>(device_array<float>(512), 3, 2.0f);
}

// EXPECT tile_overwritten 0 race
// CHECKS racecheck
// SAYS Unfinished wgmma reported between Read access at tile_overwritten
// SAYS wrote a[
// SAYS products.cu:LINE [
__global__ void tile_overwritten(float *y) {
    TILES;
    proxy_fence();
    __syncthreads();
    accumulators d = {};
    products_fence();
    PRODUCT(d, a, b);
    products_commit();
    __syncthreads();
    a[threadIdx.x] = 0; // HERE
    products_wait<0>();
    store(y, d);
}
static void case_tile_overwritten(void) {
    tile_overwritten<<<1, 128>>>(device_array<float>(512));
}

// EXPECT tile_waited_for_too_late 0 race
// CHECKS racecheck
// SAYS products.cu:LINE [
__global__ void
tile_waited_for_too_late(float *y) { // another warp may be past its wait, but this one's barrier comes before
    TILES;
    proxy_fence();
    __syncthreads();
    accumulators d = {};
    if (threadIdx.x < 128) {
        products_fence();
        PRODUCT(d, a, b);
        products_commit();
        asm volatile("bar.arrive 1, 160;" ::: "memory");
        products_wait<0>();
        store(y, d);
    } else {
        asm volatile("bar.sync 1, 160;" ::: "memory");
        b[threadIdx.x - 128] = 0; // HERE
    }
}
static void case_tile_waited_for_too_late(void) {
    tile_waited_for_too_late<<<1, 160>>>(device_array<float>(512));
}

// EXPECT tile_copied_over 0 race
// CHECKS racecheck
// SAYS Unfinished wgmma reported between Read access at tile_copied_over
// SAYS and Write access at tile_copied_over
// SAYS wrote a[
__global__ void tile_copied_over(float *y, const uint32_t *x) { // by cp.async
    TILES;
    proxy_fence();
    __syncthreads();
    accumulators d = {};
    products_fence();
    PRODUCT(d, a, b);
    products_commit();
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(shared_address(a + 4 * threadIdx.x)), "l"(x)
                 : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    products_wait<0>();
    store(y, d);
}
static void case_tile_copied_over(void) {
    tile_copied_over<<<1, 128>>>(device_array<float>(512), device_array<uint32_t>(4));
}

// EXPECT no_proxy_fence 0 race
// CHECKS racecheck
// SAYS Missing fence.proxy.async reported between Write access at
// SAYS read a + 1536 bytes
// SAYS with no fence.proxy.async
// SAYS products.cu:LINE [
__global__ void no_proxy_fence(float *y) {
    TILES;
    __syncthreads();
    accumulators d = {};
    products_fence();
    PRODUCT(d, a, b); // HERE
    products_commit();
    products_wait<0>();
    store(y, d);
}
static void case_no_proxy_fence(void) {
    no_proxy_fence<<<1, 128>>>(device_array<float>(512));
}

/* ---- a pipeline: a warp brings tiles by bulk copies, a warpgroup multiplies them ---- */

#define STAGES 2

static __device__ void init(uint64_t *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(barrier)), "r"(count) : "memory");
}
static __device__ void expect(uint64_t *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                 : "memory");
}
static __device__ void arrive(uint64_t *barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(barrier)) : "memory");
}
static __device__ void wait(uint64_t *barrier, unsigned parity) {
    asm volatile("{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra again; }" ::"r"(
                     shared_address(barrier)),
                 "r"(parity)
                 : "memory");
}
static __device__ void load(void *to, const void *from, unsigned bytes, uint64_t *barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}

enum mistake { NONE, RELEASES_EARLY, WAITS_FOR_NO_COPY, KEEPS_ONE_MORE };

/* One group stays under way while the next stage is waited for. One thread says for the whole warpgroup that a stage is free. */
template <mistake M> static __device__ void pipeline(float *y, const char *x, int tiles) {
    __shared__ alignas(128) char stage[STAGES][A_BYTES + B_BYTES];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++) {
            init(&full[s], 1);
            init(&empty[s], 1);
        }
    __syncthreads();
    if (threadIdx.x >= 128) {
        for (int i = 0; i < tiles && threadIdx.x == 128; i++) {
            int s = i % STAGES;
            if (i >= STAGES)
                wait(&empty[s], (i / STAGES - 1) % 2);
            expect(&full[s], A_BYTES + B_BYTES);
            load(stage[s], x + i * (A_BYTES + B_BYTES), A_BYTES, &full[s]);
            load(stage[s] + A_BYTES, x + i * (A_BYTES + B_BYTES) + A_BYTES, B_BYTES, &full[s]);
        }
        return;
    }
    accumulators d = {};
    for (int i = 0; i < tiles; i++) {
        int s = i % STAGES;
        if (M != WAITS_FOR_NO_COPY || i % STAGES == 0)
            wait(&full[s], i / STAGES % 2);
        products_fence();
        PRODUCT(d, stage[s], stage[s] + A_BYTES);
        products_commit();
        if (M == RELEASES_EARLY && threadIdx.x == 0)
            arrive(&empty[s]);
        products_wait<M == KEEPS_ONE_MORE ? 2 : 1>();
        if (M != RELEASES_EARLY && threadIdx.x == 0 && i)
            arrive(&empty[(i - 1) % STAGES]);
    }
    products_wait<0>();
    store(y, d);
}

template <mistake M> static void run_pipeline(void (*kernel)(float *, const char *, int)) {
    char *x = device_array<char>(6 * (A_BYTES + B_BYTES));
    cudaMemset(x, 0, 6 * (A_BYTES + B_BYTES));
    kernel<<<2, 160>>>(device_array<float>(512), x, 6);
}

// EXPECT pipeline_right 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS ERROR SUMMARY: 0 errors
__global__ void pipeline_right(float *y, const char *x, int tiles) {
    pipeline<NONE>(y, x, tiles);
}
static void case_pipeline_right(void) {
    run_pipeline<NONE>(pipeline_right);
}

// EXPECT pipeline_releases_early 0 race
// CHECKS racecheck
// SAYS Unfinished wgmma reported between Read access at
__global__ void pipeline_releases_early(float *y, const char *x, int tiles) {
    pipeline<RELEASES_EARLY>(y, x, tiles);
}
static void case_pipeline_releases_early(void) {
    run_pipeline<RELEASES_EARLY>(pipeline_releases_early);
}

// EXPECT pipeline_keeps_one_more 0 race
// CHECKS racecheck
// SAYS Unfinished wgmma reported between Read access at
__global__ void pipeline_keeps_one_more(float *y, const char *x, int tiles) {
    pipeline<KEEPS_ONE_MORE>(y, x, tiles);
}
static void case_pipeline_keeps_one_more(void) {
    run_pipeline<KEEPS_ONE_MORE>(pipeline_keeps_one_more);
}

// EXPECT pipeline_waits_for_no_copy 0 race
// CHECKS racecheck
// SAYS Unfinished bulk copy reported between Write access at
__global__ void pipeline_waits_for_no_copy(float *y, const char *x, int tiles) {
    pipeline<WAITS_FOR_NO_COPY>(y, x, tiles);
}
static void case_pipeline_waits_for_no_copy(void) {
    run_pipeline<WAITS_FOR_NO_COPY>(pipeline_waits_for_no_copy);
}

/* ---- bulk copies by themselves ---- */

static __device__ void store_bulk(void *to, const void *from, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
                 "r"(bytes)
                 : "memory");
}
static __device__ void stores_commit() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
static __device__ void stores_have_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// EXPECT bulk_right 0 none
// CHECKS memcheck,racecheck,synccheck,initcheck,strict
// SAYS ERROR SUMMARY: 0 errors
__global__ void bulk_right(int *y, const int *x, int rounds) { // thread 0 loads and stores for all
    __shared__ alignas(128) int s[128];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        init(&full, 1);
    __syncthreads();
    for (int i = 0; i < rounds; i++) {
        if (threadIdx.x == 0) {
            stores_have_read();
            expect(&full, sizeof s);
            load(s, x, sizeof s, &full);
        }
        wait(&full, i % 2);
        s[threadIdx.x] += i;
        proxy_fence();
        __syncthreads();
        if (threadIdx.x == 0) {
            store_bulk(y + 128 * i, s, sizeof s);
            stores_commit();
        }
    }
    if (threadIdx.x == 0)
        stores_have_read();
    __syncthreads();
    s[threadIdx.x] = 0;
}
static int *some_ints(void) {
    int *x = device_array<int>(128);
    cudaMemset(x, 0, 512);
    return x;
}
static void case_bulk_right(void) {
    bulk_right<<<1, 128>>>(device_array<int>(512), some_ints(), 3);
}

// EXPECT bulk_without_proxy_fence 0 race
// CHECKS racecheck
// SAYS Missing fence.proxy.async reported between Write access at
// SAYS products.cu:LINE
__global__ void bulk_without_proxy_fence(int *y) {
    __shared__ alignas(128) int s[128];
    s[threadIdx.x] = threadIdx.x; // HERE
    __syncthreads();
    if (threadIdx.x == 0) {
        store_bulk(y, s, sizeof s);
        stores_commit();
        stores_have_read();
    }
}
static void case_bulk_without_proxy_fence(void) {
    bulk_without_proxy_fence<<<1, 128>>>(device_array<int>(128));
}

// EXPECT bulk_source_overwritten 0 race
// CHECKS racecheck
// SAYS Unfinished bulk copy reported between Read access at
// SAYS products.cu:LINE [
// SAYS cp.async.bulk.wait_group.read 0
__global__ void bulk_source_overwritten(int *y) {
    __shared__ alignas(128) int s[128];
    s[threadIdx.x] = threadIdx.x;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        store_bulk(y, s, sizeof s);
        stores_commit();
    }
    __syncthreads();
    s[threadIdx.x] = 0; // HERE
    if (threadIdx.x == 0)
        stores_have_read();
}
static void case_bulk_source_overwritten(void) {
    bulk_source_overwritten<<<1, 128>>>(device_array<int>(128));
}

// EXPECT bulk_waited_for_by_another 0 race
// CHECKS racecheck
// SAYS products.cu:LINE [
__global__ void bulk_waited_for_by_another(int *y) { // whose groups are others
    __shared__ alignas(128) int s[128];
    s[threadIdx.x] = threadIdx.x;
    proxy_fence();
    __syncthreads();
    if (threadIdx.x == 0) {
        store_bulk(y, s, sizeof s);
        stores_commit();
    }
    if (threadIdx.x == 1)
        stores_have_read();
    __syncthreads();
    s[threadIdx.x] = 0; // HERE
}
static void case_bulk_waited_for_by_another(void) {
    bulk_waited_for_by_another<<<1, 128>>>(device_array<int>(128));
}

// EXPECT bulk_not_waited_for 0 race
// CHECKS racecheck
// SAYS Unfinished bulk copy reported between Write access at
// SAYS products.cu:LINE [
// SAYS A __syncthreads() waits for threads, not for copies.
__global__ void bulk_not_waited_for(int *y, const int *x) {
    __shared__ alignas(128) int s[128];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        expect(&full, sizeof s);
        load(s, x, sizeof s, &full);
    }
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x]; // HERE
    wait(&full, 0);
}
static void case_bulk_not_waited_for(void) {
    bulk_not_waited_for<<<1, 128>>>(device_array<int>(128), some_ints());
}

/* ---- mbarriers that never complete ---- */

// EXPECT bytes_too_few 719 divergent_barrier
// SAYS still expects 0 of 1 arrivals and 16 bytes in this phase
// SAYS and this is phase 1 (parity 1).
// SAYS Of 528 bytes announced by expect_tx at
// SAYS 512 have arrived
// SAYS 16 are missing.
__global__ void bytes_too_few(int *y, const int *x) {
    __shared__ alignas(128) int s[128];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        init(&full, 1);
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        if (threadIdx.x == 0) {
            expect(&full, sizeof s + 16 * i);
            load(s, x, sizeof s, &full);
        }
        wait(&full, i % 2);
        y[threadIdx.x] = s[threadIdx.x];
        __syncthreads();
    }
}
static void case_bytes_too_few(void) {
    bytes_too_few<<<1, 128>>>(device_array<int>(128), some_ints());
}

// EXPECT bytes_too_many 719 divergent_barrier
// SAYS still expects 0 of 1 arrivals and -112 bytes in this phase
// SAYS Of 400 bytes announced by expect_tx at
// SAYS 112 too many.
__global__ void bytes_too_many(int *y, const int *x) {
    __shared__ alignas(128) int s[128];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        expect(&full, 400);
        load(s, x, sizeof s, &full);
    }
    __syncthreads();
    wait(&full, 0);
    y[threadIdx.x] = s[threadIdx.x];
}
static void case_bytes_too_many(void) {
    bytes_too_many<<<1, 128>>>(device_array<int>(128), some_ints());
}

// EXPECT bytes_stop_a_ring 719 divergent_barrier
// SAYS still expects 0 of 1 arrivals and 16 bytes in this phase
// SAYS 16 are missing.
__global__ void bytes_stop_a_ring(int *y, const int *x) { // the producer waits, too, but for the consumers
    __shared__ alignas(128) int s[128];
    __shared__ uint64_t full, empty;
    if (threadIdx.x == 0) {
        init(&full, 1);
        init(&empty, 96);
    }
    __syncthreads();
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 0) {
            wait(&empty, i % 2 ^ 1);
            expect(&full, sizeof s + 16);
            load(s, x, sizeof s, &full);
        } else if (threadIdx.x >= 32) {
            wait(&full, i % 2);
            y[threadIdx.x] = s[threadIdx.x];
            arrive(&empty);
        }
    }
}
static void case_bytes_stop_a_ring(void) {
    bytes_stop_a_ring<<<1, 128>>>(device_array<int>(128), some_ints());
}

// EXPECT parity_of_the_next 719 divergent_barrier
// SAYS and this is phase 1 (parity 1).
// SAYS Nothing has arrived in this phase, and phase 0 is complete: is the parity of this wait wrong?
__global__ void parity_of_the_next(int *y, const int *x) {
    __shared__ alignas(128) int s[128];
    __shared__ uint64_t full;
    if (threadIdx.x == 0) {
        init(&full, 1);
        expect(&full, sizeof s);
        load(s, x, sizeof s, &full);
    }
    __syncthreads();
    wait(&full, 1); // returns at once if nothing has completed yet, and never otherwise
    y[threadIdx.x] = s[threadIdx.x];
}
static void case_parity_of_the_next(void) {
    parity_of_the_next<<<1, 128>>>(device_array<int>(128), some_ints());
}

// EXPECT parity_that_is_over 0 race
// CHECKS racecheck
// SAYS Unfinished bulk copy reported between Write access at
// SAYS products.cu:LINE [
__global__ void parity_that_is_over(int *y, const int *x) { // the phase before the first counts as over
    __shared__ alignas(128) int s[128];
    __shared__ uint64_t full;
    if (threadIdx.x == 0)
        init(&full, 1);
    __syncthreads();
    wait(&full, 1);
    __syncthreads();
    if (threadIdx.x == 0) {
        expect(&full, sizeof s);
        load(s, x, sizeof s, &full);
    }
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x]; // HERE
    wait(&full, 0);
}
static void case_parity_that_is_over(void) {
    parity_that_is_over<<<1, 128>>>(device_array<int>(128), some_ints());
}

int main(int argc, char **argv) {
    static const struct test_case cases[] = {
        CASE(product_right),
        CASE(product_no_wait),
        CASE(product_no_commit),
        CASE(product_again),
        CASE(product_waits_for_older),
        CASE(product_older_right),
        CASE(fragments_written),
        CASE(no_fence_at_all),
        CASE(no_fence_after_scaling),
        CASE(tile_overwritten),
        CASE(tile_waited_for_too_late),
        CASE(tile_copied_over),
        CASE(no_proxy_fence),
        CASE(pipeline_right),
        CASE(pipeline_releases_early),
        CASE(pipeline_keeps_one_more),
        CASE(pipeline_waits_for_no_copy),
        CASE(bulk_right),
        CASE(bulk_without_proxy_fence),
        CASE(bulk_source_overwritten),
        CASE(bulk_waited_for_by_another),
        CASE(bulk_not_waited_for),
        CASE(bytes_too_few),
        CASE(bytes_too_many),
        CASE(bytes_stop_a_ring),
        CASE(parity_of_the_next),
        CASE(parity_that_is_over),
    };
    return run_case(cases, sizeof cases / sizeof *cases, argc, argv);
}
