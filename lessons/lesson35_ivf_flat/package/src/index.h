/* index.h - the index and the search of everything, in C++: who owns which array on the device, and which kernels run in which order. */
#pragma once

#include "kernels.h"
#include "memory.h"
#include <mutex>
#include <vector>

/* n vectors of d floats, row by row, on the device. */
struct Rows {
    const float *data;
    int n;
};

/* Results on the device, k for each query. */
struct Found {
    float *distances;
    int *ids;
};

/* Vectors, all of which are searched. */
class Flat {
  public:
    Flat(int d, enum precision precision);
    void add(Rows x);
    void search(Rows queries, int k, int version, Found found);
    int d, ntotal = 0;
    std::mutex lock;

  private:
    struct vectors stored(Memory<uint4> &memory, enum precision precision);
    enum precision precision;
    Memory<uint4> rows;
    Memory<uint4> padded_queries;
    Memory<key_word> keys;
    Memory<int> flag;
};

class Index {
  public:
    Index(int d, int nlist, enum precision precision, enum layout layout);
    /* x: the sample. The first nlist vectors are where the centroids begin. Returns how often an empty cluster got a new centroid. */
    int train(Rows x, int rounds);
    void add(Rows x);
    void search(Rows queries, int k, int nprobe, int version, Found found);
    void probes(Rows queries, int nprobe, int *lists); // on the device
    /* For host code: nlist * d floats; nlist numbers; the ids list by list; the list of each of n vectors. */
    void copy_centroids(float *to);
    void set_centroids(const float *from);
    std::vector<int> list_lengths();
    std::vector<int> list_ids();
    void assignment(Rows x, int *to);

    const int d, nlist;
    const enum precision precision;
    const enum layout layout;
    bool trained = false;
    int ntotal = 0;
    std::mutex lock;

  private:
    int refill_empty(Rows x);
    void rank(const int *lists, int n, int *lengths, int *ranks);
    void require_trained() const;
    void choose_probes(struct queries queries, int nprobe, int *lists);
    void search_some(struct queries queries, int k, int nprobe, int version, Found found);
    struct lists all_lists();

    Memory<float> centroids, norms;
    Memory<uint4> storage;
    Memory<int> ids, lengths, starts;
    // What only one call needs, kept for the next one.
    Memory<int> flag, of_list, ranks, counts, order, sizes, firsts, batches, chosen;
    Memory<float> padded_queries, coarse;
    Memory<key_word> keys;
};

/* Throws std::invalid_argument if a number is infinite, NaN, or too large for what vectors are kept as. */
void require_finite(Rows x, int d, Memory<int> &flag, enum precision precision = SINGLE);
