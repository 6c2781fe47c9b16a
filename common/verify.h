/* verify.h - is the result right? Nothing passes because nobody looked.
 *
 *     verify_random(x, n, -1.0f, 1.0f, seed);               fresh input, the same for the same seed
 *     verify_poison_device(y, bytes);                       floats are NaN until a kernel writes them
 *     ... the kernel, the copy back ...
 *     verify_floats("relu_kernel1", found, expected, n, 1e-6, 1e-5);
 *     return verify_finish("relu");                         PASS or FAIL, and the exit status
 *
 * Two numbers agree when |found - expected| <= atol + rtol * |expected|. The test is written so that a NaN, for
 * which every comparison is false, never slips through; where NaN is expected, NaN must be found, and where an infinity
 * is expected, the same infinity. verify_floats_exact asks for the same bits, so it tells -0.0 from +0.0; only NaNs
 * may differ in their payload.
 *
 * The poison is one number of 16 bits, again and again. Seen as half, bfloat16, float or double that is a NaN, so a sum that begins with it
 * is found out. But it is none that arithmetic makes: a GPU's NaN is 0x7FFFFFFF and, where its sign is changed, 0xFFFFFFFF, a CPU's
 * 0x7FC00000 and 0xFFC00000. So a result that is NaN, of either sign, counts as written. What only copies must have no NaN of these bits
 * in its input.
 *
 * verify_alloc puts a guard zone before and after a device buffer and verify_free looks whether it was touched, since
 * a GPU lets a kernel write a little outside. The emulator checks every access by itself, to the byte and with the
 * line of the kernel, so there the zones are left out (VERIFY_CANARIES=1 forces them).
 */
#ifndef COMMON_VERIFY_H
#define COMMON_VERIFY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"
#include "device.h"

enum { VERIFY_SHOWN = 5, VERIFY_GUARD = 4096, VERIFY_CANARY = 0xA5, VERIFY_POISON = 0xFFFD };

/* What was compared in this process so far. */
struct verify_tally {
    long long comparisons, failures;
};

static inline struct verify_tally *verify_tally(void) {
    static struct verify_tally tally = {0, 0};
    return &tally;
}

/* The next number of a small generator (xorshift64*): 64 random bits. */
static inline uint64_t verify_next(uint64_t *state) {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545F4914F6CDD1DULL;
}

/* Fills x with numbers spread evenly over low .. high. */
static inline void verify_random(float *x, size_t n, float low, float high, uint64_t seed) {
    uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15ULL; /* neighbouring seeds start far apart */
    state = state ? state : 1;                           /* the generator would stay at zero for ever */
    for (size_t i = 0; i < n; i++) {
        float unit = (float)(verify_next(&state) >> 40) * (1.0f / 16777216.0f); /* 24 bits: 0 <= unit < 1 */
        x[i] = low + unit * (high - low);
    }
}

/* Host memory for `bytes`, or the end of the program. */
static inline void *verify_host_alloc(size_t bytes) {
    void *memory = malloc(bytes ? bytes : 1);
    if (!memory) {
        fprintf(stderr, "no host memory for %zu bytes: ask for a smaller SIZE\n", bytes);
        exit(CHECK_EXIT_FAIL);
    }
    return memory;
}

/* memset knows only bytes, so what is there already is copied behind itself, again and again. */
static inline void verify_poison_host(void *x, size_t bytes) {
    unsigned char *at = (unsigned char *)x;
    size_t done = 0, more = 0;
    for (; done < 2 && done < bytes; done++) {
        at[done] = VERIFY_POISON >> 8 * done & 0xFF;
    }
    for (; done < bytes; done += more) {
        more = done < bytes - done ? done : bytes - done;
        memcpy(at + done, at, more);
    }
}

static inline void verify_poison_device(void *x, size_t bytes) {
    unsigned char piece[VERIFY_GUARD];
    size_t done = bytes < sizeof piece ? bytes : sizeof piece, more = 0;
    verify_poison_host(piece, done);
    if (bytes) {
        CUDA_CHECK(cudaMemcpy(x, piece, done, cudaMemcpyHostToDevice));
    }
    for (; done < bytes; done += more) {
        more = done < bytes - done ? done : bytes - done;
        CUDA_CHECK(cudaMemcpy((char *)x + done, x, more, cudaMemcpyDeviceToDevice));
    }
}

static inline uint32_t verify_bits(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* True if no one has written here since the buffer was poisoned. */
static inline int verify_is_poison_word(uint32_t word) {
    return word == VERIFY_POISON * 0x10001u;
}

/* The same of a float, also of one that was made from a bfloat16: its upper half. */
static inline int verify_is_poison(float x) {
    return verify_bits(x) >> 16 == VERIFY_POISON;
}

static inline int verify_close(float found, float expected, double atol, double rtol) {
    if (isnan(expected) || isnan(found)) {
        return isnan(expected) && isnan(found) && !verify_is_poison(found);
    }
    if (isinf(expected) || isinf(found)) {
        return found == expected;
    }
    return fabs((double)found - expected) <= atol + rtol * fabs((double)expected);
}

static inline int verify_same(float found, float expected) {
    return verify_bits(found) == verify_bits(expected) || (isnan(found) && isnan(expected) && !verify_is_poison(found));
}

/* Ends one comparison: counts it, sums it up if it failed, and returns true when everything agreed. */
static inline int verify_tell(size_t bad, size_t n) {
    if (bad) {
        printf("    %zu of %zu are wrong%s\n", bad, n, bad > VERIFY_SHOWN ? ", the first ones are shown" : "");
    }
    verify_tally()->comparisons++;
    verify_tally()->failures += bad != 0;
    return bad == 0;
}

static inline void verify_heading(const char *name, size_t n) {
    printf("%s: wrong for n = %zu\n    %12s  %16s  %16s\n", name, n, "index", "expected", "found");
}

/* One number that is wrong: `bad` counts them, and the first ones are shown. */
static inline void verify_wrong(const char *name, size_t n, size_t index, float found, float expected, size_t *bad) {
    if (*bad == 0) {
        verify_heading(name, n);
    }
    if ((*bad)++ < VERIFY_SHOWN) {
        printf("    %12zu  %16.9g  %16.9g%s\n", index, expected, found,
               verify_is_poison(found) ? "  never written" : "");
    }
}

static inline int verify_compare(const char *name, const float *found, const float *expected, size_t n, int exact,
                                 double atol, double rtol) {
    size_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(exact ? verify_same(found[i], expected[i]) : verify_close(found[i], expected[i], atol, rtol))) {
            verify_wrong(name, n, i, found[i], expected[i], &bad);
        }
    }
    return verify_tell(bad, n);
}

/* Compare n numbers, print the first that differ, and return true when all agree. */
static inline int verify_floats(const char *name, const float *found, const float *expected, size_t n, double atol,
                                double rtol) {
    return verify_compare(name, found, expected, n, 0, atol, rtol);
}

static inline int verify_floats_exact(const char *name, const float *found, const float *expected, size_t n) {
    return verify_compare(name, found, expected, n, 1, 0, 0);
}

static inline int verify_ints(const char *name, const int *found, const int *expected, size_t n) {
    size_t bad = 0;
    for (size_t i = 0; i < n; i++) {
        if (found[i] == expected[i]) {
            continue;
        }
        if (bad == 0) {
            verify_heading(name, n);
        }
        if (bad++ < VERIFY_SHOWN) {
            printf("    %12zu  %16d  %16d%s\n", i, expected[i], found[i],
                   verify_is_poison_word((uint32_t)found[i]) ? "  never written" : "");
        }
    }
    return verify_tell(bad, n);
}

/* The last line of a lesson and its exit status. A run that compared nothing has not passed. */
static inline int verify_finish(const char *what) {
    const struct verify_tally *tally = verify_tally();
    if (tally->failures || !tally->comparisons) {
        printf("FAIL: %s: %lld of %lld comparisons with the CPU reference failed\n", what, tally->failures,
               tally->comparisons);
        return CHECK_EXIT_FAIL;
    }
    printf("PASS: %s: %lld comparisons with the CPU reference agree\n", what, tally->comparisons);
    return CHECK_EXIT_PASS;
}

static inline size_t verify_guard(void) {
    return device_is_emulator() && !getenv("VERIFY_CANARIES") ? 0 : (size_t)VERIFY_GUARD;
}

/* Device memory for `bytes`, poisoned, between two guard zones. */
static inline void *verify_alloc(size_t bytes) {
    size_t guard = verify_guard();
    char *base = NULL;
    CUDA_CHECK(cudaMalloc((void **)&base, bytes + 2 * guard));
    if (guard) {
        CUDA_CHECK(cudaMemset(base, VERIFY_CANARY, bytes + 2 * guard));
    }
    verify_poison_device(base + guard, bytes);
    return base + guard;
}

/* True if a guard zone was written to; *offset is then the damaged byte nearest to the buffer, counted from its
 * start: negative before it, `bytes` or more behind it. */
static inline int verify_guard_damaged(const void *buffer, size_t bytes, long long *offset) {
    static unsigned char zone[VERIFY_GUARD];
    for (int behind = 0; behind < 2 && verify_guard(); behind++) {
        long long start = behind ? (long long)bytes : -(long long)VERIFY_GUARD;
        CUDA_CHECK(cudaMemcpy(zone, (const char *)buffer + start, VERIFY_GUARD, cudaMemcpyDeviceToHost));
        for (int i = 0; i < VERIFY_GUARD; i++) {
            int k = behind ? i : VERIFY_GUARD - 1 - i; /* the nearest first */
            if (zone[k] != VERIFY_CANARY) {
                *offset = start + k;
                return 1;
            }
        }
    }
    return 0;
}

/* Frees what verify_alloc returned; true when the guard zones are intact, otherwise says where they are not. */
static inline int verify_free(const char *name, void *buffer, size_t bytes) {
    long long offset = 0;
    int damaged = verify_guard_damaged(buffer, bytes, &offset);
    if (damaged) {
        printf("%s: a kernel wrote outside its buffer of %zu bytes, at byte %lld\n", name, bytes, offset);
        verify_tally()->failures++;
    }
    CUDA_CHECK(cudaFree((char *)buffer - verify_guard()));
    return !damaged;
}

#endif
