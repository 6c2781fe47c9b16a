/* picture.h - lesson 04's picture: drawn by arithmetic, and written as a PNG file that every viewer shows.
 *
 *     picture_draw(rgb, width, height);                    three planes of numbers from 0 to 1
 *     picture_write(argv[0], "before", rgb, width, height);      writes PROGRAM_before.png, and says so
 *
 * Nothing here is the lesson's subject. A PNG file is a signature and chunks, each with a checksum; its pixels would be
 * compressed, and here lie in blocks of the kind "stored", which is allowed and simple.
 */
#ifndef LESSON04_PICTURE_H
#define LESSON04_PICTURE_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---------------------------------------------------------------- the scene

struct picture_colour {
    float red, green, blue;
};

static inline bool picture_inside(float u, float v, float left, float top, float right, float bottom) {
    return left <= u && u < right && top <= v && v < bottom;
}

/* The letter F: whoever turns or mirrors it is found out. */
static inline bool picture_letter(float u, float v) {
    return picture_inside(u, v, 0.40f, 0.15f, 0.46f, 0.62f) || picture_inside(u, v, 0.40f, 0.15f, 0.60f, 0.25f) ||
           picture_inside(u, v, 0.40f, 0.35f, 0.55f, 0.44f);
}

/* u runs from left to right, v from the top down, both from 0 to 1. */
static inline struct picture_colour picture_at(float u, float v) {
    float from_sun = hypotf((u - 0.16f) * 1.6f, v - 0.24f);
    if (picture_letter(u, v)) {
        return {0.80f, 0.10f, 0.10f};
    }
    if (from_sun < 0.17f) {
        return {1.0f, 0.85f, 0.15f};
    }
    if (v > 0.78f) { // a road, with a dark and a light field by turns
        return (int)(u * 16) % 2 == (v > 0.89f) ? picture_colour{0.15f, 0.15f, 0.2f} : picture_colour{0.9f, 0.9f, 0.9f};
    }
    if (v > 0.62f - 0.12f * sinf(7.0f * u)) {
        return {0.20f, 0.50f, 0.20f};
    }
    return {0.45f + 0.3f * v, 0.65f + 0.3f * v, 0.95f};
}

static inline void picture_draw(float *planes, int width, int height) {
    size_t plane = (size_t)width * height;
    for (int y = 0; y < height; y++) {
        for (int x = 0; x < width; x++) {
            struct picture_colour c = picture_at((x + 0.5f) / width, (y + 0.5f) / height);
            float *at = planes + (size_t)y * width + x;
            at[0] = c.red, at[plane] = c.green, at[2 * plane] = c.blue;
        }
    }
}

/* A number as one of 256 shades. NaN, which nobody has written, is shown as 0. */
static inline unsigned char picture_shade(float number) {
    return number > 0 ? (unsigned char)(fminf(number, 1.0f) * 255.0f + 0.5f) : 0;
}

// ---------------------------------------------------------------- PNG

struct picture_bytes {
    unsigned char *at;
    size_t count;
};

static inline void picture_put(struct picture_bytes *b, const void *from, size_t count) {
    memcpy(b->at + b->count, from, count);
    b->count += count;
}

/* Four bytes, the highest first, as PNG wants them. */
static inline void picture_put_number(struct picture_bytes *b, uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        b->at[b->count++] = (unsigned char)(number >> shift);
    }
}

static inline uint32_t picture_crc(const unsigned char *from, size_t count) {
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < count; i++) {
        crc ^= from[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
        }
    }
    return ~crc;
}

static inline void picture_put_chunk(struct picture_bytes *b, const char *kind, const struct picture_bytes *content) {
    picture_put_number(b, (uint32_t)content->count);
    size_t checked = b->count;
    picture_put(b, kind, 4);
    picture_put(b, content->at, content->count);
    picture_put_number(b, picture_crc(b->at + checked, b->count - checked));
}

/* Lines of pixels as zlib wants them: blocks of at most 65535 bytes, stored as they are, and a checksum. */
static inline void picture_put_stored(struct picture_bytes *b, const struct picture_bytes *lines) {
    uint32_t low = 1, high = 0;
    picture_put(b, "\x78\x01", 2);
    for (size_t from = 0; from < lines->count; from += 65535) {
        size_t count = lines->count - from < 65535 ? lines->count - from : 65535;
        unsigned char head[] = {from + count == lines->count, (unsigned char)count, (unsigned char)(count >> 8),
                                (unsigned char)~count, (unsigned char)(~count >> 8)};
        picture_put(b, head, sizeof head);
        picture_put(b, lines->at + from, count);
    }
    for (size_t i = 0; i < lines->count; i++) {
        low = (low + lines->at[i]) % 65521;
        high = (high + low) % 65521;
    }
    picture_put_number(b, high << 16 | low);
}

static inline struct picture_bytes picture_room(size_t bytes) {
    struct picture_bytes b = {(unsigned char *)malloc(bytes), 0};
    if (!b.at) {
        fprintf(stderr, "no host memory for a picture\n");
        exit(1);
    }
    return b;
}

/* Each line begins with a 0: its bytes are the pixels themselves, and no differences. */
static inline struct picture_bytes picture_lines(const float *planes, int width, int height) {
    size_t plane = (size_t)width * height;
    struct picture_bytes lines = picture_room((size_t)height * (3 * width + 1));
    for (int y = 0; y < height; y++) {
        lines.at[lines.count++] = 0;
        for (int x = 0; x < width; x++) {
            for (int z = 0; z < 3; z++) {
                lines.at[lines.count++] = picture_shade(planes[z * plane + (size_t)y * width + x]);
            }
        }
    }
    return lines;
}

static inline struct picture_bytes picture_png(const float *planes, int width, int height) {
    struct picture_bytes lines = picture_lines(planes, width, height), none = {NULL, 0};
    struct picture_bytes head = picture_room(13), stored = picture_room(lines.count + lines.count / 1000 + 100);
    struct picture_bytes png = picture_room(lines.count + lines.count / 1000 + 200);
    picture_put_number(&head, (uint32_t)width);
    picture_put_number(&head, (uint32_t)height);
    picture_put(&head, "\x08\x02\x00\x00\x00", 5); // 8 bits for each of red, green and blue
    picture_put_stored(&stored, &lines);
    picture_put(&png, "\x89PNG\r\n\x1a\n", 8);
    picture_put_chunk(&png, "IHDR", &head);
    picture_put_chunk(&png, "IDAT", &stored);
    picture_put_chunk(&png, "IEND", &none);
    free(lines.at);
    free(head.at);
    free(stored.at);
    return png;
}

/* Writes PROGRAM_NAME.png. Where that cannot be written there is no picture, and that is all. */
static inline void picture_write(const char *program, const char *name, const float *planes, int width, int height) {
    char path[4096];
    snprintf(path, sizeof path, "%s_%s.png", program, name);
    struct picture_bytes png = picture_png(planes, width, height);
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(png.at, 1, png.count, file) == png.count;
    written = file && fclose(file) == 0 && written;
    printf("picture %s: %s%s\n", name, written ? "" : "cannot be written to ", path);
    free(png.at);
}

#endif
