/* Fat binaries: the choice between images, the three ways of packing, and damage of every kind. */
#include "fatbin/fatbin.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXACT 0x100000u
#define ZSTD  0x8000u
#define LZ4   0x2000u

static int failures;

static void check(const char *name, bool right, const char *why) {
    if (right)
        printf("ok fatbin %s\n", name);
    else
        printf("not ok fatbin %s: %s\n", name, why);
    failures += !right;
}

/* ---- Making one ---- */

struct builder {
    uint8_t bytes[65536];
    size_t used;
};

static void put(uint8_t *at, uint64_t value, unsigned bytes) {
    memcpy(at, &value, bytes);
}

static void begin(struct builder *b) {
    memset(b, 0, sizeof *b);
    put(b->bytes, 0xba55ed50, 4);
    put(b->bytes + 4, 1, 2);
    put(b->bytes + 6, 16, 2);
    b->used = 16;
}

static void add(struct builder *b, unsigned kind, unsigned arch, uint64_t flags, const void *payload, size_t bytes,
                size_t unpacked) {
    uint8_t *entry = b->bytes + b->used;
    size_t padded = (bytes + 7) / 8 * 8;
    put(entry, kind, 2);
    put(entry + 4, 0x40, 4);
    put(entry + 8, padded, 8);
    put(entry + 0x10, unpacked ? bytes : 0, 4);
    put(entry + 0x1c, arch, 4);
    put(entry + 0x28, flags, 8);
    put(entry + 0x38, unpacked, 8);
    memcpy(entry + 0x40, payload, bytes);
    b->used += 0x40 + padded;
    put(b->bytes + 8, b->used - 16, 8);
}

static void add_text(struct builder *b, unsigned arch, uint64_t flags, const char *text) {
    add(b, 1, arch, flags, text, strlen(text), 0);
}

static const char *place = "the executable";

/* Unpacks a copy of exactly `size` bytes, so that ASan sees the first byte read behind them. */
static enum fatbin_result unpack(const uint8_t *bytes, size_t size, struct fatbin_image *image, char error[256]) {
    uint8_t *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    *image = (struct fatbin_image){0};
    *error = '\0';
    enum fatbin_result result = fatbin_unpack(copy, size, place, image, error, 256);
    free(copy);
    return result;
}

static void expect_text(const char *name, const struct builder *b, const char *text) {
    struct fatbin_image image;
    char error[256];
    enum fatbin_result result = unpack(b->bytes, b->used, &image, error);
    bool right = result == FATBIN_OK && image.length == strlen(text) && strcmp(image.text, text) == 0;
    check(name, right, result == FATBIN_OK ? "another text" : error);
    free(image.text);
}

static void expect_error(const char *name, const struct builder *b, enum fatbin_result expected, const char *word) {
    struct fatbin_image image;
    char error[256];
    enum fatbin_result result = unpack(b->bytes, b->used, &image, error);
    check(name, result == expected && strstr(error, word), *error ? error : "no error");
    free(image.text);
}

/* ---- Tests ---- */

static void choice(void) {
    static struct builder b;
    begin(&b);
    add_text(&b, 75, 0, "seventy-five");
    expect_text("one image", &b, "seventy-five");
    add_text(&b, 90, EXACT, "ninety a");
    add_text(&b, 90, 0, "ninety");
    add_text(&b, 80, 0, "eighty");
    add_text(&b, 100, 0, "a hundred");
    add_text(&b, 100, EXACT, "a hundred a");
    expect_text("90a before 90, 80, 75 and 100", &b, "ninety a");
    begin(&b);
    add(&b, 2, 90, 0, "ELF", 3, 0);
    add_text(&b, 80, 0, "eighty");
    add_text(&b, 86, 0, "eighty-six");
    expect_text("the highest below 90", &b, "eighty-six");
    begin(&b);
    add(&b, 2, 90, 0, "ELF", 3, 0);
    expect_error(
        "machine code alone", &b, FATBIN_NO_IMAGE,
        "the executable contains machine code (sm_90) but no PTX, and the emulator executes PTX: compile with");
    place = "libother.so.1";
    expect_error("machine code alone in a library", &b, FATBIN_NO_IMAGE,
                 "libother.so.1 contains machine code (sm_90) but no PTX, and the emulator executes PTX: compile with");
    place = "libcurand.so.10";
    expect_error("machine code alone in a library of NVIDIA's", &b, FATBIN_NO_IMAGE,
                 "libcurand.so.10 contains machine code (sm_90) but no PTX, and the emulator executes PTX. NVIDIA");
    place = "the executable";
    begin(&b);
    add_text(&b, 100, 0, "a hundred");
    expect_error("PTX for newer devices alone", &b, FATBIN_NO_IMAGE, "compute_100");
    begin(&b);
    expect_error("an empty one", &b, FATBIN_NO_IMAGE, "-arch=sm_90");
}

static char long_text[5000];

/* Packs with the system's library, as nvcc does; false when it is not installed. */
static bool add_packed(struct builder *b, uint64_t flag) {
    static char packed[20000];
    size_t bytes = 0, length = strlen(long_text);
    if (flag == ZSTD) {
        void *library = dlopen("libzstd.so.1", RTLD_NOW);
        size_t (*compress)(void *, size_t, const void *, size_t, int) = NULL;
        if (library)
            *(void **)&compress = dlsym(library, "ZSTD_compress");
        bytes = compress ? compress(packed, sizeof packed, long_text, length, 19) : 0;
    } else {
        void *library = dlopen("liblz4.so.1", RTLD_NOW);
        int (*compress)(const char *, char *, int, int) = NULL;
        if (library)
            *(void **)&compress = dlsym(library, "LZ4_compress_default");
        bytes = compress ? (size_t)compress(long_text, packed, (int)length, sizeof packed) : 0;
    }
    if (bytes)
        add(b, 1, 90, flag, packed, bytes, length);
    return bytes != 0;
}

/* No damage may crash it; what still unpacks must be a string of the length it says. */
static unsigned try_damaged(const uint8_t *bytes, size_t size) {
    struct fatbin_image image;
    char error[256];
    enum fatbin_result result = unpack(bytes, size, &image, error);
    bool right = result == FATBIN_OK ? image.text && image.text[image.length] == '\0' : !image.text && *error;
    free(image.text);
    return !right;
}

static void damage(const char *name, const struct builder *whole) {
    static struct builder b;
    static const uint8_t values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    unsigned wrong = 0;
    char text[100];
    for (size_t size = 0; size < whole->used; size++)
        wrong += try_damaged(whole->bytes, size);
    for (size_t at = 0; at < whole->used; at++)
        for (unsigned v = 0; v < sizeof values; v++) {
            b = *whole;
            b.bytes[at] ^= values[v] ? values[v] : 0x55;
            wrong += try_damaged(b.bytes, b.used);
        }
    uint64_t random = 88172645463325252u;
    for (int round = 0; round < 4000; round++) {
        b = *whole;
        for (int k = 0; k < 6; k++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            size_t span = round % 2 ? 0x60 : b.used; /* half of them in the headers */
            b.bytes[random % span] = (uint8_t)(random >> 40);
        }
        wrong += try_damaged(b.bytes, b.used);
    }
    snprintf(text, sizeof text, "%s, damaged", name);
    check(text, !wrong, "a damaged one was taken for good or refused without a reason");
}

static void packing(const char *name, uint64_t flag) {
    static struct builder b;
    begin(&b);
    if (!flag) {
        add_text(&b, 90, 0, long_text);
    } else if (!add_packed(&b, flag)) {
        printf("skip fatbin %s: its library is not installed\n", name);
        return;
    }
    expect_text(name, &b, long_text);
    damage(name, &b);
    put(b.bytes + 16 + 0x38, (uint64_t)1 << 40, 8); /* the size it unpacks to */
    if (flag == ZSTD)
        expect_error("zstd, a size that cannot be", &b, FATBIN_BROKEN, "damaged");
    if (flag == LZ4)
        expect_error("LZ4, a size that cannot be", &b, FATBIN_BROKEN, "damaged");
}

int main(void) {
    for (size_t i = 0; i + 1 < sizeof long_text; i++)
        long_text[i] = (char)("add.f32 %f1, %f2;\n"[i % 18] + (i % 97 == 0));
    choice();
    packing("plain", 0);
    packing("zstd", ZSTD);
    packing("LZ4", LZ4);
    return failures != 0;
}
