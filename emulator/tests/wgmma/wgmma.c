/* wgmma against an H200, bit by bit.
 *
 *   wgmma record FILE    executes every case and writes what it gave
 *   wgmma check FILE [N] executes the same again, or each Nth case, and says what differs from the file
 *   wgmma list           names the cases
 *   wgmma ptx NUMBER     prints the kernel of a case
 *   wgmma beyond, wgmma offset, wgmma race, wgmma unwritten: executes one case spoilt in that way
 *
 * A file has for each case a hash of its name (uint32_t), of the plainest cases the results of the first SHOWN trials, and for each
 * trial a hash of its results (uint64_t). The operands of a trial follow from its number. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

enum { TRIALS = 40, SHOWN = VALUE_KINDS, PTX_SIZE = 1 << 16, NARROWEST = 8 };

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        CUresult error_ = (call);                                                                                      \
        const char *said_ = "an error without a name";                                                                 \
        if (error_ != CUDA_SUCCESS) {                                                                                  \
            cuGetErrorName(error_, &said_);                                                                            \
            printf("not ok wgmma: %s: %s\n", #call, said_);                                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void *memory(size_t n, size_t size) {
    void *p = calloc(n, size);
    if (!p)
        abort();
    return p;
}

/* ---- operands ---- */

/* Rows of A or B, 32 bytes each, put where the layout has them. */
static void put_rows(uint8_t *image, const struct layout *l, const uint8_t *rows) {
    for (unsigned r = 0; r < l->rows; r++)
        for (unsigned i = 0; i < l->row_bytes; i++)
            image[cases_place(l, r, i)] = rows[r * l->row_bytes + i];
}

/* A's rows as the four warps' registers hold them: a lane has words of rows l / 4 and l / 4 + 8. */
static void put_fragments(uint32_t *to, const uint8_t *rows) {
    for (unsigned t = 0; t < WARPGROUP; t++)
        for (unsigned r = 0; r < 4; r++) {
            unsigned row = 16 * (t / 32) + t % 32 / 4 + 8 * (r % 2), word = t % 4 + 4 * (r / 2);
            memcpy(&to[r * WARPGROUP + t], rows + row * ROW_BYTES + 4 * word, 4);
        }
}

struct sizes {
    unsigned image, a, d, in; /* words of a trial */
};

static struct sizes sizes_of(const struct wgmma_case *c) {
    struct layout a, b;
    cases_layouts(c, &a, &b);
    struct sizes s = {(a.bytes + b.bytes) / 4, c->a_in_registers ? 4 * WARPGROUP : 0, cases_registers(c) * WARPGROUP,
                      0};
    s.in = s.image + s.a + s.d + (c->sparse ? WARPGROUP : 0);
    return s;
}

/* Which elements of A are there: of four two, in order; of tf32 one of two. */
static uint32_t metadata(const struct wgmma_case *c, struct value_random *r) {
    static const uint8_t pairs[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, singles[] = {0x4, 0xe};
    uint32_t word = 0;
    for (unsigned i = 0; i < 32; i += 4)
        word |= (c->form->k == 8 ? singles[value_below(r, 2)] : pairs[value_below(r, 6)]) << i;
    return word;
}

static void make_trial(const struct wgmma_case *c, const char *name, unsigned trial, uint32_t *in) {
    struct value_random r = {(uint64_t)hash_of(name) << 32 | trial};
    struct sizes s = sizes_of(c);
    struct layout a, b;
    uint32_t a_rows[ROWS * ROW_BYTES / 4], b_rows[256 * ROW_BYTES / 2];
    cases_layouts(c, &a, &b);
    values_fill(a_rows, ROWS * ROW_BYTES / 4, c->form->a_values, trial, false, &r);
    values_fill(b_rows, c->n * b.row_bytes / 4, c->form->b_values, trial, false, &r);
    if (c->a_in_registers)
        put_fragments(in + s.image, (const uint8_t *)a_rows);
    else
        put_rows((uint8_t *)in, &a, (const uint8_t *)a_rows);
    put_rows((uint8_t *)in, &b, (const uint8_t *)b_rows);
    values_fill(in + s.image + s.a, s.d, c->form->d_values, trial, true, &r);
    for (unsigned t = 0; c->sparse && t < WARPGROUP; t++)
        in[s.image + s.a + s.d + t] = metadata(c, &r);
}

/* ---- execution ---- */

static uint32_t *run_case(const struct wgmma_case *c, const char *name) {
    struct sizes s = sizes_of(c);
    uint32_t *in = memory((size_t)TRIALS * s.in, 4), *out = memory((size_t)TRIALS * s.d, 4);
    char *ptx = memory(PTX_SIZE, 1), log[2000] = "";
    CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {log, (void *)(uintptr_t)sizeof log};
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr from, to;
    for (unsigned t = 0; t < TRIALS; t++)
        make_trial(c, name, t, in + (size_t)t * s.in);
    cases_ptx(c, ptx, PTX_SIZE);
    CUresult loaded = cuModuleLoadDataEx(&module, ptx, 2, options, values);
    free(ptx);
    if (loaded == CUDA_SUCCESS) {
        CUDA(cuModuleGetFunction(&kernel, module, "k"));
        CUDA(cuMemAlloc(&from, (size_t)TRIALS * s.in * 4));
        CUDA(cuMemAlloc(&to, (size_t)TRIALS * s.d * 4));
        CUDA(cuMemcpyHtoD(from, in, (size_t)TRIALS * s.in * 4));
        void *arguments[] = {&from, &to};
        CUDA(cuLaunchKernel(kernel, TRIALS, 1, 1, WARPGROUP, 1, 1, 0, NULL, arguments, NULL));
        CUDA(cuMemcpyDtoH(out, to, (size_t)TRIALS * s.d * 4));
        CUDA(cuMemFree(from));
        CUDA(cuMemFree(to));
        CUDA(cuModuleUnload(module));
    } else {
        printf("not ok %s: it does not load: %s\n", name, log);
        free(out);
        out = NULL;
    }
    free(in);
    return out;
}

static void begin(void) {
    CUcontext context;
    CUDA(cuInit(0));
    CUDA(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA(cuCtxSetCurrent(context));
}

static unsigned shown_words(const struct wgmma_case *c) {
    bool plain = c->n == NARROWEST && !c->a_in_registers && !c->overwrite && !c->negate_a;
    return plain ? SHOWN * sizes_of(c).d : 0;
}

static int record(const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file)
        return 1;
    for (unsigned i = 0; i < cases_count(); i++) {
        struct wgmma_case c = cases_at(i);
        char name[200];
        cases_name(&c, name, sizeof name);
        uint32_t *out = run_case(&c, name), hash = hash_of(name);
        if (!out)
            continue;
        fwrite(&hash, 4, 1, file);
        fwrite(out, 4, shown_words(&c), file);
        for (unsigned t = 0; t < TRIALS; t++) {
            uint64_t of_trial = hash_words(out + (size_t)t * sizes_of(&c).d, sizes_of(&c).d);
            fwrite(&of_trial, 8, 1, file);
        }
        free(out);
    }
    printf("recorded %u cases\n", cases_count());
    return fclose(file) != 0;
}

struct expected {
    uint32_t *shown;
    uint64_t trials[TRIALS];
};

/* The next case of the file; false: it is not there. */
static bool read_case(FILE *file, const struct wgmma_case *c, const char *name, struct expected *e) {
    uint32_t hash;
    unsigned words = shown_words(c);
    e->shown = memory(words + 1, 4);
    return fread(&hash, 4, 1, file) == 1 && hash == hash_of(name) && fread(e->shown, 4, words, file) == words &&
           fread(e->trials, 8, TRIALS, file) == TRIALS;
}

static bool compare(const struct wgmma_case *c, const char *name, const struct expected *e, const uint32_t *found) {
    unsigned words = shown_words(c), different = 0, first = 0, d = sizes_of(c).d, trial = TRIALS;
    for (unsigned i = words; i-- > 0;)
        if (e->shown[i] != found[i]) {
            different++;
            first = i;
        }
    for (unsigned t = TRIALS; t-- > 0;)
        if (e->trials[t] != hash_words(found + (size_t)t * d, d))
            trial = t;
    if (different)
        printf("not ok %s: %u of %u words differ, first in trial %u, word %u: expected %08x, found %08x\n", name,
               different, words, first / d, first % d, e->shown[first], found[first]);
    else if (trial < TRIALS)
        printf("not ok %s: trial %u differs\n", name, trial);
    else
        printf("ok %s\n", name);
    return !different && trial == TRIALS;
}

static int check(const char *path, unsigned step) {
    FILE *file = fopen(path, "rb");
    bool right = true;
    if (!file) {
        printf("not ok wgmma: cannot read %s\n", path);
        return 1;
    }
    for (unsigned i = 0; i < cases_count(); i++) {
        struct wgmma_case c = cases_at(i);
        struct expected expected;
        char name[200];
        cases_name(&c, name, sizeof name);
        if (!read_case(file, &c, name, &expected)) {
            printf("not ok %s: it is not recorded\n", name);
            right = false;
            break;
        }
        uint32_t *found = i % step ? NULL : run_case(&c, name);
        right &= i % step || (found && compare(&c, name, &expected, found));
        free(found);
        free(expected.shown);
    }
    fclose(file);
    return !right;
}

static int list(void) {
    for (unsigned i = 0; i < cases_count(); i++) {
        struct wgmma_case c = cases_at(i);
        char name[200];
        cases_name(&c, name, sizeof name);
        printf("%u %s\n", i, name);
    }
    return 0;
}

static int print_ptx(unsigned number) {
    char *text = memory(PTX_SIZE, 1);
    if (number >= cases_count())
        return 2;
    struct wgmma_case c = cases_at(number);
    cases_ptx(&c, text, PTX_SIZE);
    fputs(text, stdout);
    free(text);
    return 0;
}

/* ---- wrong kernels ---- */

/* The kernel with one piece of its text replaced by another of the same length or a shorter one. */
static void replace(char *text, const char *old, const char *new) {
    char *at = strstr(text, old);
    if (!at)
        abort();
    memset(at, ' ', strlen(old));
    memcpy(at, new, strlen(new));
}

/* Executes the first case, spoilt; what the emulator says of it is for others to look at. */
static int spoilt(const char *how) {
    struct wgmma_case c = cases_at(0);
    struct sizes s = sizes_of(&c);
    char *ptx = memory(PTX_SIZE, 1);
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr from, to;
    cases_ptx(&c, ptx, PTX_SIZE);
    if (strcmp(how, "beyond") == 0)
        replace(ptx, "and.b32 at, at, 0x3fff;", "mov.u32 at, 0x3f00;");
    else if (strcmp(how, "offset") == 0)
        replace(ptx, "cvt.u64.u32 wide, at;", "mov.u64 wide, 1 << 49;");
    else if (strcmp(how, "race") == 0)
        replace(ptx, "bar.sync 0;", "");
    else
        replace(ptx, "st.shared.b32 [at], x;", "");
    CUDA(cuModuleLoadData(&module, ptx));
    CUDA(cuModuleGetFunction(&kernel, module, "k"));
    CUDA(cuMemAlloc(&from, s.in * 4));
    CUDA(cuMemAlloc(&to, s.d * 4));
    CUDA(cuMemsetD32(from, 0, s.in));
    void *arguments[] = {&from, &to};
    CUDA(cuLaunchKernel(kernel, 1, 1, 1, WARPGROUP, 1, 1, 0, NULL, arguments, NULL));
    cuCtxSynchronize();
    free(ptx);
    return 0;
}

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count == 2 && strcmp(arguments[1], "list") == 0)
        return list();
    if (count == 3 && strcmp(arguments[1], "ptx") == 0)
        return print_ptx((unsigned)atoi(arguments[2]));
    if (count < 2 || count > 4) {
        fprintf(stderr,
                "usage: wgmma record FILE | check FILE | list | ptx NUMBER | beyond | offset | race | unwritten\n");
        return 2;
    }
    begin();
    if (count == 2)
        return spoilt(arguments[1]);
    return strcmp(arguments[1], "record") == 0 ? record(arguments[2])
                                               : check(arguments[2], count == 4 ? (unsigned)atoi(arguments[3]) : 1);
}
