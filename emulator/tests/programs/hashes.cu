// Bytes and bits: CRC-32 by tables in constant and shared memory and joined from pieces, SHA-256 of messages of all lengths and a
// Merkle tree, base64, search for words by comparison and by rolling hashes, and counts of words and letters.
#include "program.h"
#include <string>
#include <vector>

__constant__ uint32_t k256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

__device__ uint32_t turn(uint32_t x, int n) {
    return __funnelshift_r(x, x, n);
}
struct sha256 {
    uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    __device__ void block(const unsigned char *bytes) {
        uint32_t w[16], s[8];
        for (int i = 0; i < 16; i++)
            w[i] = bytes[4 * i] << 24 | bytes[4 * i + 1] << 16 | bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
        for (int i = 0; i < 8; i++)
            s[i] = h[i];
        for (int i = 0; i < 64; i++) {
            if (i >= 16) {
                uint32_t a = w[(i + 1) % 16], b = w[(i + 14) % 16];
                w[i % 16] +=
                    w[(i + 9) % 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
            }
            uint32_t choice = (s[4] & s[5]) ^ (~s[4] & s[6]), most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
            uint32_t t1 = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) + choice + k256[i] + w[i % 16];
            uint32_t t2 = (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + most;
            for (int k = 7; k > 0; k--)
                s[k] = s[k - 1];
            s[4] += t1;
            s[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i++)
            h[i] += s[i];
    }
    __device__ void message(const unsigned char *bytes, int n) {
        unsigned char last[128] = {};
        int whole = n / 64, rest = n % 64, blocks = rest < 56 ? 1 : 2;
        for (int b = 0; b < whole; b++)
            block(bytes + 64 * b);
        memcpy(last, bytes + 64 * whole, rest);
        last[rest] = 0x80;
        for (int i = 0; i < 8; i++)
            last[64 * blocks - 1 - i] = (unsigned char)((uint64_t)n * 8 >> 8 * i);
        for (int b = 0; b < blocks; b++)
            block(last + 64 * b);
    }
    __device__ void put(unsigned char *out) const {
        for (int i = 0; i < 32; i++)
            out[i] = (unsigned char)(h[i / 4] >> (24 - i % 4 * 8));
    }
};
__global__ void hash_prefixes(const unsigned char *text, int n, unsigned char *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    sha256 hash;
    hash.message(text, i);
    hash.put(out + 32 * i);
}
__global__ void merkle_level(const unsigned char *in, unsigned char *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (n + 1) / 2)
        return;
    sha256 hash; // the last one of an odd number stands alone
    hash.message(in + 64 * i, 2 * i + 1 < n ? 64 : 32);
    hash.put(out + 32 * i);
}

__constant__ uint32_t crc_table[256];
__global__ void crc_pieces(const unsigned char *bytes, int n, int each, uint32_t *out) {
    __shared__ uint32_t table[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        table[i] = crc_table[i];
    __syncthreads();
    int p = blockIdx.x * blockDim.x + threadIdx.x, begin = p * each, end = min(begin + each, n);
    if (begin >= n)
        return;
    uint32_t a = 0, b = 0;
    for (int i = begin; i < end; i++) {
        a = a >> 8 ^ table[(a ^ bytes[i]) & 255];
        b = b >> 8 ^ crc_table[(b ^ bytes[i]) & 255]; // every lane another word of constant memory
    }
    out[p] = a == b ? a : 0;
}

__constant__ char alphabet[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
__global__ void base64(const unsigned char *in, int n, char *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, left = n - 3 * i;
    if (left <= 0)
        return;
    uint32_t bits = in[3 * i] << 16 | (left > 1 ? in[3 * i + 1] << 8 : 0) | (left > 2 ? in[3 * i + 2] : 0);
    for (int k = 0; k < 4; k++)
        out[4 * i + k] = k <= left ? alphabet[bits >> (18 - 6 * k) & 63] : '=';
}

__global__ void find_word(const char *text, int n, const char *word, int length, int *count, int *first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i + length > n)
        return;
    for (int k = 0; k < length; k++)
        if (text[i + k] != word[k])
            return;
    atomicAdd(count, 1);
    atomicMin(first, i);
}
// Each thread goes over a stretch with a rolling hash and looks closer where it fits.
__global__ void find_rolling(const char *text, int n, const char *word, int length, int each, int *count) {
    uint32_t target = 0, top = 1, hash = 0;
    for (int k = 0; k < length; k++) {
        target = target * 257 + word[k];
        top = k ? top * 257 : 1;
    }
    int begin = (blockIdx.x * blockDim.x + threadIdx.x) * each, end = min(begin + each, n - length + 1);
    for (int i = begin; i < end; i++) {
        if (i == begin)
            for (int k = 0; k < length; k++)
                hash = hash * 257 + text[i + k];
        else
            hash = (hash - text[i - 1] * top) * 257 + text[i + length - 1];
        bool same = hash == target;
        for (int k = 0; same && k < length; k++)
            same = text[i + k] == word[k];
        if (same)
            atomicAdd(count, 1);
    }
}
// Words are counted by their first letters.
__global__ void count_words(const char *text, int n, int *count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    bool letter = i < n && text[i] != ' ', before = i > 0 && i < n && text[i - 1] != ' ';
    int starts = __syncthreads_count(letter && !before);
    if (threadIdx.x == 0)
        atomicAdd(count, starts);
}
__global__ void letters(const char4 *text, int n4, unsigned *bins) {
    __shared__ unsigned local[256];
    local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
        char4 c = text[i];
        atomicAdd(&local[(unsigned char)c.x], 1);
        atomicAdd(&local[(unsigned char)c.y], 1);
        atomicAdd(&local[(unsigned char)c.z], 1);
        atomicAdd(&local[(unsigned char)c.w], 1);
    }
    __syncthreads();
    if (local[threadIdx.x])
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

static uint32_t table[256];
static uint32_t crc_on_host(uint32_t crc, const unsigned char *bytes, int n) {
    for (int i = 0; i < n; i++)
        crc = crc >> 8 ^ table[(crc ^ bytes[i]) & 255];
    return crc;
}
static std::string hex(const unsigned char *bytes, int n) {
    std::string s;
    for (int i = 0; i < n; i++) {
        char digits[3];
        snprintf(digits, sizeof digits, "%02x", bytes[i]);
        s += digits;
    }
    return s;
}

static void sums_of_bytes(const std::string &text) {
    int n = (int)text.size();
    const unsigned char *bytes = (const unsigned char *)text.data();
    unsigned char *d_text = to_device(bytes, n);
    for (int i = 0; i < 256; i++) {
        table[i] = i;
        for (int k = 0; k < 8; k++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? 0xedb88320u : 0);
    }
    CUDA(cudaMemcpyToSymbol(crc_table, table, sizeof table));
    check("the test value of CRC-32", (crc_on_host(~0u, (const unsigned char *)"123456789", 9) ^ ~0u) == 0xcbf43926);
    const int each = 37;
    int pieces = (n + each - 1) / each;
    std::vector<uint32_t> crcs(pieces);
    uint32_t *d_crcs = device_zeros<uint32_t>(pieces), joined = ~0u;
    crc_pieces<<<(pieces + 63) / 64, 64>>>(d_text, n, each, d_crcs);
    FINISH();
    from_device(crcs.data(), d_crcs, pieces);
    unsigned char zeros[each] = {};
    for (int p = 0; p < pieces; p++) // a piece of zeros moves what came before, the piece itself is added
        joined = crc_on_host(joined, zeros, p + 1 < pieces ? each : n - p * each) ^ crcs[p];
    check("CRC-32 of pieces", joined == crc_on_host(~0u, bytes, n));
    printf("crc = %08x\n", ~joined);

    const int prefixes = 130;
    std::vector<unsigned char> hashes(32 * prefixes), root(32);
    unsigned char *d_hashes = device_zeros<unsigned char>(32 * prefixes),
                  *other = device_zeros<unsigned char>(32 * prefixes);
    hash_prefixes<<<3, 64>>>((unsigned char *)to_device("abc", 3), 4, d_hashes);
    FINISH();
    from_device(hashes.data(), d_hashes, 128);
    check("SHA-256 of nothing",
          hex(&hashes[0], 32) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    check("SHA-256 of abc", hex(&hashes[96], 32) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    hash_prefixes<<<3, 64>>>(d_text, prefixes, d_hashes);
    int level = prefixes;
    FINISH();
    from_device(hashes.data(), d_hashes, hashes.size());
    show_bits("hashes of all lengths", hashes.data(), hashes.size());
    for (; level > 1; level = (level + 1) / 2) {
        merkle_level<<<(level + 63) / 64, 32>>>(d_hashes, other, level);
        std::swap(d_hashes, other);
    }
    FINISH();
    from_device(root.data(), d_hashes, 32);
    printf("root = %s\n", hex(root.data(), 32).c_str());

    std::string words = "any carnal pleas";
    char *d_out = device_zeros<char>(25), out[25] = "";
    for (int length = 14; length <= 16; length++) {
        base64<<<1, 32>>>((unsigned char *)to_device(words.data(), length), length, d_out);
        FINISH();
        from_device(out, d_out, 24);
        printf("base64: %.*s\n", (length + 2) / 3 * 4, out);
    }
    check("base64", strcmp(out, "YW55IGNhcm5hbCBwbGVhcw==") == 0);
}

int main() {
    const char *vocabulary[] = {"one", "two", "three", "warp", "lane", "block", "grid", "a", "an", "and", "banana"};
    std::string text;
    uint32_t seed = 64;
    while (text.size() < 6000)
        text += std::string(vocabulary[next_random(&seed) % 11]) + (next_random(&seed) % 5 ? " " : "  ");
    text.resize(6004);
    sums_of_bytes(text);

    int n = (int)text.size(), counts[4] = {0, 0, 0, 0x7fffffff}, found[4], want[4] = {0};
    char *d_text = to_device(text.data(), n), *word = to_device("anan", 4);
    int *d_counts = to_device(counts, 4);
    find_word<<<(n + 127) / 128, 128>>>(d_text, n, word, 4, d_counts, d_counts + 3);
    find_rolling<<<2, 96>>>(d_text, n, word, 4, (n + 191) / 192, d_counts + 1);
    count_words<<<(n + 159) / 160, 160>>>(d_text, n, d_counts + 2);
    FINISH();
    from_device(found, d_counts, 4);
    for (size_t at = text.find("anan"); at != std::string::npos; at = text.find("anan", at + 1))
        want[0]++;
    want[1] = want[0];
    for (int i = 0; i < n; i++)
        want[2] += text[i] != ' ' && (i == 0 || text[i - 1] == ' ');
    want[3] = (int)text.find("anan");
    check_equal("words found and counted", want, found, 4);
    show("words", found[2]);
    unsigned bins[256], want_bins[256] = {0}, *d_bins = device_zeros<unsigned>(256);
    for (char c : text)
        want_bins[(unsigned char)c]++;
    letters<<<3, 256>>>((const char4 *)d_text, n / 4, d_bins);
    FINISH();
    from_device(bins, d_bins, 256);
    check_equal("letters", want_bins, bins, 256);
    return program_failures;
}
