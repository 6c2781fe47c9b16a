/* Takes shape and types from the opcode of a product, and adds up by them. */
#include "profile/tensor_shapes.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/out_of_memory.h"
#include "isa/instruction.h"
#include "ptx/opcode.h"

/* Of the words after the shape, only types have digits: not row, col, satfinite, xor and popc. */
static bool is_type(const char *word, size_t length) {
    return memchr(word, ':', length) == NULL && strcspn(word, "0123456789") < length;
}

/* The words of mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 from the shape on; NULL where there is none. */
static const char *find_shape(const char *opcode) {
    for (const char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.'))
        if (dot[1] == 'm' && isdigit((unsigned char)dot[2]))
            return dot + 1;
    return NULL;
}

bool tensor_shape_name(const struct ptx_insn *p, char name[SHAPE_NAME]) {
    const char *opcode = p->opcode;
    bool product = opcode && instruction_class(p->row, opcode) == CLASS_TENSOR;
    const char *shape = product ? find_shape(opcode) : NULL;
    if (!shape)
        return false;
    size_t n = strcspn(shape, ".");
    int length = snprintf(name, SHAPE_NAME, "%.*s%s %.*s", (int)strcspn(opcode, "."), opcode,
                          opcode_has(opcode, "sp") ? ".sp" : "", (int)n, shape);
    char between = ' ';
    for (const char *word = shape + n; *word && length < SHAPE_NAME; word += n) {
        n = strcspn(++word, ".");
        if (!is_type(word, n))
            continue;
        length += snprintf(name + length, SHAPE_NAME - (size_t)length, "%c%.*s", between, (int)n, word);
        between = '.';
    }
    return true;
}

void tensor_counts_add(struct tensor_counts *to, const struct ptx_insn *p, uint64_t times) {
    char name[SHAPE_NAME];
    if (!times || !tensor_shape_name(p, name))
        return;
    size_t i = 0;
    while (i < to->count && strcmp(to->items[i].name, name) != 0)
        i++;
    if (i == to->count) {
        to->items = or_out_of_memory(realloc(to->items, (i + 1) * sizeof *to->items));
        to->items[to->count++] = (struct tensor_count){.count = 0};
        strcpy(to->items[i].name, name);
    }
    to->items[i].count += times;
}

const char *tensor_count_unit(const struct tensor_count *c) {
    return strncmp(c->name, "wgmma", 5) == 0 ? "warpgroup" : "warp";
}

void tensor_count_metric(const struct tensor_count *c, char metric[2 * SHAPE_NAME]) {
    int begin = snprintf(metric, 2 * SHAPE_NAME, "emulator__");
    snprintf(metric + begin, 2 * SHAPE_NAME - (size_t)begin, "%s.sum", c->name);
    for (char *m = metric + begin, *end = strrchr(metric, '.'); m < end; m++)
        *m = *m == '.' || *m == ' ' ? '_' : *m;
}
