/* library.cu - the lesson's versions as a library that pytorch.py loads. record.list includes it in lesson11b.cu, before main, and builds that with
 * -shared: as it is, and for int. */

/* Version `version` (from FIRST), queued in `stream`; `words` has room for one word for each tile and one more. */
extern "C" void lesson11b(int version, const void *x, void *y, int n, void *words, cudaStream_t stream) {
    struct arrays a = {n, (const element *)x, (element *)y, NULL, (unsigned long long *)words};
    versions[version - FIRST].launch(&a, stream);
}

extern "C" void lesson11b_copy(void *in, void *out, long long count, cudaStream_t stream) {
    struct bench_copy copy = {(float4 *)in, (float4 *)out, (size_t)count / 4};
    bench_launch_copy(&copy, stream);
}
