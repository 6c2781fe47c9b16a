/* kernels.h - the interface of the kernels: plain types, a return code, nothing that is owned. Arrays are on the device; all work is queued in the
 * default stream. */
#pragma once

#include <cstddef>
#include <cuda_runtime_api.h>

enum { MOST = 128 };                 // the largest k of the kernels that select in registers
enum { GROUP = 32 };                 // vectors of a group: lists begin at a slot that is a multiple of it
enum { TILE = 1024 };                // vectors that a warp counts
enum { BATCH = 4 };                  // queries that scan a list together (version 5)
enum layout { ROWS, GROUPS };        // vectors.cuh
enum precision { SINGLE, HALF };     // of the vectors that are kept; sums are floats
typedef unsigned long long key_word; // a distance and an id: select.cuh

/* Vectors as they are kept: `padded` numbers each, a multiple of 8; what is behind the d-th is 0. */
struct vectors {
    void *data;
    enum precision precision;
    enum layout layout;
    int padded;
};

// ---------------------------------------------------------------- kmeans.cu

/* flag[0] becomes 1 if one of n numbers is NaN, or larger than `largest`, or smaller than -largest. */
cudaError_t find_unfit(const float *x, size_t n, float largest, int *flag);
cudaError_t gather_rows(const float *x, int d, const int *rows, int n, float *to);
/* norms[c] = ||c||^2. Centroids have `padded` numbers each. */
cudaError_t norms_of(const float *centroids, int nlist, int padded, float *norms);
/* lists[i]: the nearest centroid of x[i]; of equally near ones the first. */
cudaError_t assign(const float *x, int n, int d, const float *centroids, const float *norms, int nlist, int padded,
                   int *lists);
/* Each centroid becomes the mean of its members, order[starts[c]] to order[starts[c] + lengths[c] - 1]; one without members stays. */
cudaError_t update(const float *x, int d, const int *order, const int *starts, const int *lengths, float *centroids,
                   int nlist, int padded);

// ---------------------------------------------------------------- lists.cu

/* For each i below n: the rank of i among those with the same number in lists, `lengths` of which are there already; lengths grows. */
cudaError_t rank_in_lists(const int *lists, int n, int nlist, int *counts, int *lengths, int *ranks);
/* starts[c]: the sum of what the lists before c need, that is `scale` for each `unit` elements that are begun; starts[nlist]: of all. */
cudaError_t starts_of(const int *lengths, int nlist, int unit, int scale, int *starts);
/* order[starts[lists[i]] + ranks[i]] = i. */
cudaError_t order_by_list(const int *lists, const int *ranks, const int *starts, int n, int *order);
/* Vector i goes to slot starts[lists[i]] + ranks[i], or, if lists is NULL, first + i; there ids gets first + i. ids may be NULL. */
cudaError_t place_vectors(const float *x, int n, int d, const int *lists, const int *ranks, const int *starts,
                          int first, struct vectors to, int *ids);
/* Whole lists go from their old starts to their new ones. */
cudaError_t move_lists(struct vectors from, const int *from_ids, const int *from_starts, const int *lengths, int nlist,
                       const int *to_starts, struct vectors to, int *to_ids);

// ---------------------------------------------------------------- search.cu

struct queries {
    const float *data; // `padded` floats each
    int count, padded;
};

struct lists {
    struct vectors vectors;
    const int *ids, *starts, *lengths;
    int count;
};

/* Versions 1 and 2: all n vectors, in rows. keys: room for keys_of_1() or keys_of_2() of them. */
size_t keys_of_1(int n, int queries);
size_t keys_of_2(int n, int queries, int k);
cudaError_t search_all_1(struct vectors vectors, int n, struct queries queries, int k, key_word *keys, float *distances,
                         int *ids);
cudaError_t search_all_2(struct vectors vectors, int n, struct queries queries, int k, key_word *keys, float *distances,
                         int *ids);
/* Versions 3 and 4: probes[nprobe * q] and so on are the lists of query q. keys: room for queries * nprobe * k. */
cudaError_t search_lists(int version, struct lists lists, struct queries queries, const int *probes, int nprobe, int k,
                         key_word *keys, float *distances, int *ids);
/* Version 5. order has the pairs of query and probe, list by list; list c's begin at pair_starts[c]; batch_starts counts batches of them. */
cudaError_t search_batches(struct lists lists, struct queries queries, const int *order, const int *pair_starts,
                           const int *batch_starts, int nprobe, int k, key_word *keys, float *distances, int *ids);
