/* Tensor core instructions against an H200, bit by bit.
 *
 *   tensor record FILE   executes every case and writes what it gave
 *   tensor check FILE    executes the same again and says what differs from the file
 *   tensor list          names the cases
 *
 * A file has for each case a hash of its name (uint32_t), the results of the first SHOWN of its trials, and a hash of
 * the results of all (uint64_t). The operands of a trial follow from its number. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        cudaError_t cuda_error = (call);                                                                               \
        if (cuda_error != cudaSuccess) {                                                                               \
            printf("not ok tensor: %s: %s\n", #call, cudaGetErrorString(cuda_error));                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static void *memory(size_t n, size_t size) {
    void *p = calloc(n, size);
    if (!p)
        abort();
    return p;
}

/* The operands of all trials of a case, one after another. */
static uint32_t *make_operands(const struct tensor_case *c, unsigned trials) {
    unsigned words = c->a_words + c->b_words + c->c_words;
    uint32_t *in = (uint32_t *)memory((size_t)words * trials, 4);
    for (unsigned t = 0; t < trials; t++) {
        struct value_random r = {(uint64_t)hash_of(c->name) << 32 | t};
        uint32_t *p = in + (size_t)t * words;
        values_fill(p, c->a_words, c->a, t, false, &r);
        values_fill(p + c->a_words, c->b_words, c->b, t, false, &r);
        values_fill(p + c->a_words + c->b_words, c->c_words, c->c, t, true, &r);
    }
    return in;
}

static uint32_t *run_case(const struct tensor_case *c, const uint32_t *in, unsigned trials) {
    size_t in_bytes = (size_t)(c->a_words + c->b_words + c->c_words) * trials * 4;
    size_t out_bytes = (size_t)c->d_words * trials * 4;
    uint32_t *in_device, *out_device, *out = (uint32_t *)memory(out_bytes, 1);
    CUDA(cudaMalloc(&in_device, in_bytes));
    CUDA(cudaMalloc(&out_device, out_bytes));
    CUDA(cudaMemcpy(in_device, in, in_bytes, cudaMemcpyHostToDevice));
    CUDA(cudaMemset(out_device, 0xee, out_bytes));
    c->kernel<<<trials, 32>>>(in_device, out_device);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaMemcpy(out, out_device, out_bytes, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        printf("not ok %s: %s\n", c->name, cudaGetErrorString(error));
        free(out);
        out = NULL;
    }
    cudaFree(in_device);
    cudaFree(out_device);
    return out;
}

#define TRIALS 120
#define SHOWN  10 /* one of each kind of values */

static unsigned trials_of(const struct tensor_case *c) {
    return c->positions ? SHOWN : TRIALS;
}

/* The results of all trials, or NULL after a line that says why not. */
static uint32_t *results_of(const struct tensor_case *c) {
    uint32_t *in = make_operands(c, trials_of(c)), *out = run_case(c, in, trials_of(c));
    free(in);
    return out;
}

static int record(const char *path) {
    FILE *file = fopen(path, "wb");
    if (!file)
        return 1;
    for (unsigned i = 0; i < case_count; i++) {
        const struct tensor_case *c = &cases[i];
        uint32_t *out = results_of(c), name = hash_of(c->name);
        if (!out)
            return 1;
        uint64_t hash = hash_words(out, (size_t)c->d_words * trials_of(c));
        fwrite(&name, 4, 1, file);
        fwrite(out, 4, (size_t)c->d_words * SHOWN, file);
        if (fwrite(&hash, 8, 1, file) != 1)
            return 1;
        free(out);
    }
    printf("recorded %u cases\n", case_count);
    return fclose(file) != 0;
}

/* Says how many words differ, and shows the first. */
static bool compare(const struct tensor_case *c, const uint32_t *expected, uint64_t hash, const uint32_t *found) {
    size_t words = (size_t)c->d_words * SHOWN, different = 0, first = 0;
    for (size_t i = words; i-- > 0;)
        if (expected[i] != found[i]) {
            different++;
            first = i;
        }
    if (different)
        printf("not ok %s: %zu of %zu words differ, first in trial %zu, word %zu: expected %08x, found %08x\n", c->name,
               different, words, first / c->d_words, first % c->d_words, expected[first], found[first]);
    else if (hash != hash_words(found, (size_t)c->d_words * trials_of(c)))
        printf("not ok %s: a later trial differs; show more of them\n", c->name);
    else
        return printf("ok %s\n", c->name), true;
    return false;
}

static int check(const char *path) {
    FILE *file = fopen(path, "rb");
    bool right = true;
    if (!file) {
        printf("not ok tensor: cannot read %s\n", path);
        return 1;
    }
    for (unsigned i = 0; i < case_count; i++) {
        const struct tensor_case *c = &cases[i];
        size_t words = (size_t)c->d_words * SHOWN;
        uint32_t *expected = (uint32_t *)memory(words, 4), *out = results_of(c), name;
        uint64_t hash;
        if (fread(&name, 4, 1, file) != 1 || name != hash_of(c->name) || fread(expected, 4, words, file) != words ||
            fread(&hash, 8, 1, file) != 1) {
            printf("not ok %s: not in %s: record it again\n", c->name, path);
            return 1;
        }
        right &= out && compare(c, expected, hash, out);
        free(expected);
        free(out);
    }
    fclose(file);
    return right ? 0 : 1;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "record") == 0)
        return record(argv[2]);
    if (argc == 3 && strcmp(argv[1], "check") == 0)
        return check(argv[2]);
    if (argc == 2 && strcmp(argv[1], "list") == 0) {
        for (unsigned i = 0; i < case_count; i++)
            printf("%s\n", cases[i].name);
        return 0;
    }
    fprintf(stderr, "usage: tensor record FILE | check FILE | list\n");
    return 2;
}
