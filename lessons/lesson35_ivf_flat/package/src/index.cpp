#include "index.h"
#include <algorithm>
#include <cfloat>
#include <stdexcept>

enum { MOST_QUERIES = 32768 };                   // of a launch: the grid's second size ends at 65535
static const size_t MOST_KEYS = (size_t)1 << 26; // 512 MB of partial results

static int padded_of(int d) {
    return (d + 7) / 8 * 8;
}

static size_t units_of(size_t slots, int padded, enum precision precision) {
    return slots * padded / (precision == SINGLE ? 4 : 8);
}

void require_finite(Rows x, int d, Memory<int> &flag, enum precision precision) {
    float largest = precision == SINGLE ? FLT_MAX : 65504.0f;
    check(find_unfit(x.data, (size_t)x.n * d, largest, flag.reserve(1)));
    int found;
    flag.to_host(&found, 1);
    if (found) {
        throw std::invalid_argument(precision == SINGLE ? "the array has a number that is infinite or NaN"
                                                        : "the array has a number that is NaN, or too large for fp16");
    }
}

static void require(bool holds, const char *what) {
    if (!holds) {
        throw std::invalid_argument(what);
    }
}

/* Queries are kept as floats, whatever the vectors are. */
static struct queries pad(Rows x, int d, float *room) {
    int padded = padded_of(d);
    struct vectors to = {room, SINGLE, ROWS, padded};
    check(place_vectors(x.data, x.n, d, nullptr, nullptr, nullptr, 0, to, nullptr));
    return {room, x.n, padded};
}

// ---------------------------------------------------------------- all vectors

Flat::Flat(int d, enum precision precision) : d(d), precision(precision) {
    require(d >= 1 && d <= 2048, "d must be from 1 to 2048");
}

void Flat::add(Rows x) {
    require_finite(x, d, flag, precision);
    require((long long)ntotal + x.n <= 1LL << 30, "there may be 2^30 vectors");
    int padded = padded_of(d);
    size_t before = units_of(ntotal, padded, precision);
    Memory<uint4> all(units_of((size_t)ntotal + x.n, padded, precision));
    check(cudaMemcpyAsync(all.data, rows.data, before * sizeof(uint4), cudaMemcpyDeviceToDevice));
    check(
        place_vectors(x.data, x.n, d, nullptr, nullptr, nullptr, ntotal, {all.data, precision, ROWS, padded}, nullptr));
    check(cudaStreamSynchronize(nullptr));
    rows = std::move(all);
    ntotal += x.n;
}

/* Searches in parts, so that the keys of one part are not too many. */
template <class Search>
static void in_parts(struct queries queries, int k, size_t keys_of_one, Found found, Search search) {
    size_t room = std::max<size_t>(MOST_KEYS / std::max<size_t>(keys_of_one, 1), 1);
    int most = (int)std::min<size_t>(room, MOST_QUERIES);
    for (int first = 0; first < queries.count; first += most) {
        struct queries some = {queries.data + (size_t)first * queries.padded, std::min(most, queries.count - first),
                               queries.padded};
        search(some, first, Found{found.distances + (size_t)first * k, found.ids + (size_t)first * k});
    }
}

void Flat::search(Rows x, int k, int version, Found found) {
    require(version == 1 || version == 2, "version must be 1 or 2");
    require(k >= 1 && k <= MOST, "k must be from 1 to 128");
    require_finite(x, d, flag);
    struct queries queries = pad(x, d, (float *)padded_queries.reserve(units_of(x.n, padded_of(d), SINGLE)));
    struct vectors all = {rows.data, precision, ROWS, queries.padded};
    in_parts(queries, k, version == 1 ? keys_of_1(ntotal, 1) : 1024 * k / 32, found,
             [&](struct queries some, int, Found part) {
                 size_t wanted = version == 1 ? keys_of_1(ntotal, some.count) : keys_of_2(ntotal, some.count, k);
                 auto search = version == 1 ? search_all_1 : search_all_2;
                 check(search(all, ntotal, some, k, keys.reserve(wanted), part.distances, part.ids));
             });
    check(cudaStreamSynchronize(nullptr));
}

// ---------------------------------------------------------------- the index

Index::Index(int d, int nlist, enum precision precision, enum layout layout)
    : d(d), nlist(nlist), precision(precision), layout(layout) {
    require(d >= 1 && d <= 2048, "d must be from 1 to 2048");
    require(nlist >= 1 && nlist <= 1 << 20, "nlist must be from 1 to 2^20");
}

void Index::require_trained() const {
    if (!trained) {
        throw std::logic_error("the index is not trained");
    }
}

void Index::rank(const int *lists, int n, int *so_far, int *to) {
    size_t tiles = ((size_t)n + TILE - 1) / TILE;
    check(rank_in_lists(lists, n, nlist, counts.reserve(tiles * nlist), so_far, to));
}

/* A cluster without members takes a vector of the largest one, which counts as halved from then on. Returns how many were empty. */
int Index::refill_empty(Rows x) {
    std::vector<int> size(nlist), first(nlist + 1);
    sizes.to_host(size.data(), nlist);
    firsts.to_host(first.data(), nlist + 1);
    int refilled = 0;
    for (int c = 0; c < nlist; c++) {
        if (size[c] > 0) {
            continue;
        }
        int largest = (int)(std::max_element(size.begin(), size.end()) - size.begin()), member;
        int at = first[largest] + size[largest] / 2;
        check(cudaMemcpy(&member, order.data + at, sizeof member, cudaMemcpyDeviceToHost));
        check(cudaMemcpy(centroids.data + (size_t)c * padded_of(d), x.data + (size_t)member * d, d * sizeof(float),
                         cudaMemcpyDeviceToDevice));
        size[largest] = std::max(size[largest] / 2, 1);
        refilled++;
    }
    return refilled;
}

int Index::train(Rows x, int rounds) {
    require(ntotal == 0, "an index that has vectors cannot be trained");
    require(x.n >= nlist, "training needs nlist vectors or more");
    require(rounds >= 0, "rounds must be 0 or more");
    require_finite(x, d, flag);
    int padded = padded_of(d), refilled = 0;
    centroids.reserve((size_t)nlist * padded);
    check(
        place_vectors(x.data, nlist, d, nullptr, nullptr, nullptr, 0, {centroids.data, SINGLE, ROWS, padded}, nullptr));
    norms.reserve(nlist), sizes.reserve(nlist), firsts.reserve(nlist + 1);
    of_list.reserve(x.n), ranks.reserve(x.n), order.reserve(x.n);
    for (int round = 0; round < rounds; round++) {
        check(norms_of(centroids.data, nlist, padded, norms.data));
        check(assign(x.data, x.n, d, centroids.data, norms.data, nlist, padded, of_list.data));
        sizes.fill(0);
        rank(of_list.data, x.n, sizes.data, ranks.data);
        check(starts_of(sizes.data, nlist, 1, 1, firsts.data));
        check(order_by_list(of_list.data, ranks.data, firsts.data, x.n, order.data));
        check(update(x.data, d, order.data, firsts.data, sizes.data, centroids.data, nlist, padded));
        refilled += refill_empty(x);
    }
    check(norms_of(centroids.data, nlist, padded, norms.data));
    check(cudaStreamSynchronize(nullptr));
    trained = true;
    return refilled;
}

void Index::set_centroids(const float *from) {
    require(ntotal == 0, "an index that has vectors keeps its centroids");
    Memory<float> rows;
    rows.from_host(from, (size_t)nlist * d);
    int padded = padded_of(d);
    require_finite({rows.data, nlist}, d, flag);
    centroids.reserve((size_t)nlist * padded);
    check(place_vectors(rows.data, nlist, d, nullptr, nullptr, nullptr, 0, {centroids.data, SINGLE, ROWS, padded},
                        nullptr));
    check(norms_of(centroids.data, nlist, padded, norms.reserve(nlist)));
    check(cudaStreamSynchronize(nullptr));
    trained = true;
}

/* The lists are laid out anew: old ones move, new vectors come behind them. */
void Index::add(Rows x) {
    require_trained();
    require((long long)ntotal + x.n <= 1LL << 30, "there may be 2^30 vectors");
    require_finite(x, d, flag, precision);
    int padded = padded_of(d);
    check(assign(x.data, x.n, d, centroids.data, norms.data, nlist, padded, of_list.reserve(x.n)));
    Memory<int> new_lengths(nlist), new_starts(nlist + 1);
    if (ntotal == 0) {
        lengths.reserve(nlist);
        lengths.fill(0);
        starts.reserve(nlist + 1);
        starts.fill(0);
    }
    check(cudaMemcpyAsync(new_lengths.data, lengths.data, nlist * sizeof(int), cudaMemcpyDeviceToDevice));
    rank(of_list.data, x.n, new_lengths.data, ranks.reserve(x.n));
    check(starts_of(new_lengths.data, nlist, GROUP, GROUP, new_starts.data));
    int slots;
    check(cudaMemcpy(&slots, new_starts.data + nlist, sizeof slots, cudaMemcpyDeviceToHost));
    Memory<uint4> new_storage(units_of(slots, padded, precision));
    Memory<int> new_ids(slots);
    new_storage.fill(0); // slots behind a list's end are read, too
    new_ids.fill(0xff);
    struct vectors from = {storage.data, precision, layout, padded}, to = {new_storage.data, precision, layout, padded};
    check(move_lists(from, ids.data, starts.data, lengths.data, nlist, new_starts.data, to, new_ids.data));
    check(place_vectors(x.data, x.n, d, of_list.data, ranks.data, new_starts.data, ntotal, to, new_ids.data));
    check(cudaStreamSynchronize(nullptr));
    storage = std::move(new_storage), ids = std::move(new_ids);
    lengths = std::move(new_lengths), starts = std::move(new_starts);
    ntotal += x.n;
}

struct lists Index::all_lists() {
    return {{storage.data, precision, layout, padded_of(d)}, ids.data, starts.data, lengths.data, nlist};
}

/* The centroids are vectors like others: their nearest are found as in versions 1 and 2. */
void Index::choose_probes(struct queries queries, int nprobe, int *lists) {
    struct vectors all = {centroids.data, SINGLE, ROWS, queries.padded};
    float *distances = coarse.reserve((size_t)queries.count * nprobe);
    if (nprobe <= MOST) {
        check(search_all_2(all, nlist, queries, nprobe, keys.reserve(keys_of_2(nlist, queries.count, nprobe)),
                           distances, lists));
    } else {
        check(
            search_all_1(all, nlist, queries, nprobe, keys.reserve(keys_of_1(nlist, queries.count)), distances, lists));
    }
}

void Index::search_some(struct queries queries, int k, int nprobe, int version, Found found) {
    int pairs = queries.count * nprobe;
    choose_probes(queries, nprobe, chosen.reserve(pairs));
    key_word *room = keys.reserve((size_t)pairs * k);
    if (version < 5) {
        check(search_lists(version, all_lists(), queries, chosen.data, nprobe, k, room, found.distances, found.ids));
        return;
    }
    // The pairs of query and list, sorted by list, as the vectors were.
    sizes.reserve(nlist);
    sizes.fill(0);
    rank(chosen.data, pairs, sizes.data, ranks.reserve(pairs));
    check(starts_of(sizes.data, nlist, 1, 1, firsts.reserve(nlist + 1)));
    check(starts_of(sizes.data, nlist, BATCH, 1, batches.reserve(nlist + 1)));
    check(order_by_list(chosen.data, ranks.data, firsts.data, pairs, order.reserve(pairs)));
    check(search_batches(all_lists(), queries, order.data, firsts.data, batches.data, nprobe, k, room, found.distances,
                         found.ids));
}

void Index::search(Rows x, int k, int nprobe, int version, Found found) {
    require_trained();
    require(k >= 1 && k <= MOST, "k must be from 1 to 128");
    require(nprobe >= 1 && nprobe <= nlist, "nprobe must be from 1 to nlist");
    require(layout == ROWS ? version == 3 : version == 4 || version == 5,
            "an index in rows has version 3, one in groups 4 and 5");
    require_finite(x, d, flag);
    struct queries queries = pad(x, d, padded_queries.reserve((size_t)x.n * padded_of(d)));
    size_t keys_of_one = std::max((size_t)nprobe * k, nprobe > MOST ? keys_of_1(nlist, 1) : 0);
    if (ntotal == 0) { // no list is there yet
        struct vectors none = {nullptr, SINGLE, ROWS, queries.padded};
        in_parts(queries, k, k, found, [&](struct queries some, int, Found part) {
            check(search_all_2(none, 0, some, k, keys.reserve(keys_of_2(0, some.count, k)), part.distances, part.ids));
        });
        check(cudaStreamSynchronize(nullptr));
        return;
    }
    in_parts(queries, k, keys_of_one, found,
             [&](struct queries some, int, Found part) { search_some(some, k, nprobe, version, part); });
    check(cudaStreamSynchronize(nullptr));
}

void Index::probes(Rows x, int nprobe, int *lists) {
    require_trained();
    require(nprobe >= 1 && nprobe <= nlist, "nprobe must be from 1 to nlist");
    require_finite(x, d, flag);
    struct queries queries = pad(x, d, padded_queries.reserve((size_t)x.n * padded_of(d)));
    in_parts(
        queries, nprobe, nprobe > MOST ? keys_of_1(nlist, 1) : 1024 * nprobe / 32, Found{nullptr, lists},
        [&](struct queries some, int first, Found) { choose_probes(some, nprobe, lists + (size_t)first * nprobe); });
    check(cudaStreamSynchronize(nullptr));
}

// ---------------------------------------------------------------- what Python may look at

void Index::copy_centroids(float *to) {
    require_trained();
    check(cudaMemcpy2D(to, d * sizeof(float), centroids.data, padded_of(d) * sizeof(float), d * sizeof(float), nlist,
                       cudaMemcpyDeviceToHost));
}

std::vector<int> Index::list_lengths() {
    std::vector<int> all(nlist);
    if (ntotal > 0) {
        lengths.to_host(all.data(), nlist);
    }
    return all;
}

std::vector<int> Index::list_ids() {
    std::vector<int> all;
    if (ntotal > 0) {
        std::vector<int> slots(ids.n), length = list_lengths(), start(nlist + 1);
        ids.to_host(slots.data(), ids.n);
        starts.to_host(start.data(), nlist + 1);
        for (int c = 0; c < nlist; c++) {
            all.insert(all.end(), slots.begin() + start[c], slots.begin() + start[c] + length[c]);
        }
    }
    return all;
}

void Index::assignment(Rows x, int *to) {
    require_trained();
    require_finite(x, d, flag);
    check(assign(x.data, x.n, d, centroids.data, norms.data, nlist, padded_of(d), of_list.reserve(x.n)));
    of_list.to_host(to, x.n);
}
