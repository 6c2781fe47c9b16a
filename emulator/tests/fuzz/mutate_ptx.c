/* Mutations that keep PTX mostly legal: bytes changed at random rarely get past the lexer. Lines and operands are dropped,
 * repeated, exchanged and brought in from elsewhere in the text; the fuzzer's own mutations come in between. */
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

struct piece {
    size_t begin, end;
};

static uint32_t state;

static uint32_t random_below(size_t n) {
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return n ? (uint32_t)(state % n) : 0;
}

static struct piece random_line(const uint8_t *data, size_t size) {
    struct piece p = {random_below(size), 0};
    while (p.begin && data[p.begin - 1] != '\n')
        p.begin--;
    for (p.end = p.begin; p.end < size && data[p.end++] != '\n';)
        ;
    return p;
}

static int in_word(uint8_t c) {
    return isalnum(c) || c == '_' || c == '$' || c == '%' || c == '.' || c == '-';
}

/* A name, a number or an opcode; or the one character that stands there. */
static struct piece random_word(const uint8_t *data, size_t size) {
    struct piece p = {random_below(size), 0};
    while (p.begin < size && isspace(data[p.begin]))
        p.begin++;
    p.begin -= p.begin == size;
    p.end = p.begin + 1;
    while (in_word(data[p.begin]) && p.begin && in_word(data[p.begin - 1]))
        p.begin--;
    while (in_word(data[p.begin]) && p.end < size && in_word(data[p.end]))
        p.end++;
    return p;
}

/* Puts `length` bytes of `with` in the place of a piece; gives up when it does not fit. */
static size_t replace(uint8_t *data, size_t size, size_t max_size, struct piece p, const uint8_t *with, size_t length) {
    if (size - (p.end - p.begin) + length > max_size)
        return size;
    memmove(data + p.begin + length, data + p.end, size - p.end);
    memcpy(data + p.begin, with, length);
    return size - (p.end - p.begin) + length;
}

static size_t replace_by_copy(uint8_t *data, size_t size, size_t max_size, struct piece to, struct piece from) {
    size_t length = from.end - from.begin;
    uint8_t *copy = malloc(length + 1);
    if (!copy)
        return size;
    memcpy(copy, data + from.begin, length);
    size = replace(data, size, max_size, to, copy, length);
    free(copy);
    return size;
}

static size_t insert_value(uint8_t *data, size_t size, size_t max_size) {
    static const char *const values[] = {"0",
                                         "-1",
                                         "1",
                                         "32",
                                         "255",
                                         "4294967295",
                                         "18446744073709551615",
                                         "0x7fffffff",
                                         "[0]",
                                         "[%r1]",
                                         "{}",
                                         "{%r1}",
                                         "{_, _}",
                                         "(_)",
                                         "%tid.x",
                                         "%clock64",
                                         "%p1",
                                         "!%p1",
                                         "%rd1",
                                         "%f1",
                                         "%fd1",
                                         "%rs1",
                                         "%r1|%p1",
                                         "_",
                                         "0f7fc00000",
                                         "1.5",
                                         ".b128",
                                         ".v4",
                                         ".shared",
                                         ".u8",
                                         ".pred",
                                         ".param",
                                         ".const",
                                         ".extern",
                                         ".weak",
                                         "[_+4]",
                                         "\f.version 9.0\n.target sm_90\n.address_size 64\n"};
    const char *value = values[random_below(sizeof values / sizeof *values)];
    return replace(data, size, max_size, random_word(data, size), (const uint8_t *)value, strlen(value));
}

static size_t mutate_text(uint8_t *data, size_t size, size_t max_size) {
    struct piece line = random_line(data, size), other = random_line(data, size), at = {line.begin, line.begin};
    switch (random_below(7)) {
    case 0:
        return replace(data, size, max_size, line, data, 0);
    case 1:
        return replace_by_copy(data, size, max_size, at, other);
    case 2:
        return replace_by_copy(data, size, max_size, line, other);
    case 3:
        return replace(data, size, max_size, random_word(data, size), data, 0);
    case 4:
        return insert_value(data, size, max_size);
    default:
        return replace_by_copy(data, size, max_size, random_word(data, size), random_word(data, size));
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed) {
    state = seed * 2654435761u | 1;
    if (!size || random_below(4) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (uint32_t n = 1 + random_below(3); n && size; n--)
        size = mutate_text(data, size, max_size);
    return size;
}
