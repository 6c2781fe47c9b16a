/* parts: what race.py, backward_race.py, tune.py and tune_decode.py call, as a library of lesson 20. record.list includes
 * this file into changed copies of lesson20.cu, too, which are CHANGED. */
#ifndef CHANGED
#define main lesson20_main
#include "../lesson20.cu"
#undef main
#endif

static struct attention attention_of(int batch, int heads, int heads_kv, int n, int causal,
                                     const void *const *tensors) {
    struct attention a = {};
    a.batch = batch, a.heads = heads, a.heads_kv = heads_kv;
    a.queries = a.keys = n;
    a.rows_q = a.rows_k = batch * n;
    a.causal = causal;
    a.scale = 1 / sqrtf(D);
    a.Q = (const bf16 *)tensors[0], a.K = (const bf16 *)tensors[1], a.V = (const bf16 *)tensors[2];
    a.O = (bf16 *)tensors[3], a.lse = (float *)tensors[4];
    return a;
}

/* A version by its number. tensors: Q, K, V, O, lse; O and lse are written. */
extern "C" void lesson20_version(int version, int batch, int heads, int heads_kv, int n, int causal,
                                 const void *const *tensors, cudaStream_t stream) {
    versions[version - 1].launch(attention_of(batch, heads, heads_kv, n, causal, tensors), stream);
}

/* The last version that this GPU has. */
extern "C" void lesson20_forward(int batch, int heads, int heads_kv, int n, int causal, const void *const *tensors,
                                 cudaStream_t stream) {
    versions[versions_here() - 1].launch(attention_of(batch, heads, heads_kv, n, causal, tensors), stream);
}

/* tensors: Q, K, V, O, lse, dO, delta, dQ, dK, dV; the last four are written. */
extern "C" void lesson20_backward(int batch, int heads, int heads_kv, int n, int causal, const void *const *tensors,
                                  cudaStream_t stream) {
    struct backward w = {attention_of(batch, heads, heads_kv, n, causal, tensors), (const bf16 *)tensors[5]};
    w.delta = (float *)tensors[6];
    w.dQ = (bf16 *)tensors[7], w.dK = (bf16 *)tensors[8], w.dV = (bf16 *)tensors[9];
    backward_all(&w, stream);
}

/* How many keys version 3 of decode would give a block. lengths: on the host. */
extern "C" int lesson20_decode_chunk(int sequences, int heads, int heads_kv, const int *lengths) {
    struct decode d = {sequences, heads, heads_kv};
    decode_cut(&d, lengths);
    return d.chunk;
}

/* A version of decode. sizes: sequences, heads, heads of K and V, keys of a page, pages of a row of the table, keys of a
 * chunk, chunks of the longest sequence. tensors: q, k, v, table, lengths, out, and the chunks' results and sums. */
extern "C" void lesson20_decode(int version, const int *sizes, const void *const *tensors, cudaStream_t stream) {
    struct decode d = {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]};
    d.q = (const bf16 *)tensors[0], d.k = (const bf16 *)tensors[1], d.v = (const bf16 *)tensors[2];
    d.table = (const int *)tensors[3], d.lengths = (const int *)tensors[4], d.out = (bf16 *)tensors[5];
    d.partial = (float *)tensors[6], d.logsum = (float *)tensors[7];
    d.chunk = sizes[5], d.chunks = sizes[6];
    d.scale = (float)(M_LOG2E / sqrt((double)D));
    decode_versions[version - 1].launch(&d, stream);
}
