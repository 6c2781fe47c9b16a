/* Decoding what is about thread block clusters: mapa, getctarank, barrier.cluster. */
#include "decode/decode.h"
#include "ops/cluster.h"
#include "ops/forms.h"

static void move(struct decoder *d, const struct ptx_operand *to, uint32_t from, unsigned bits) {
    uint32_t slot = decode_destination(d, to, bits);
    struct insn *in = decode_emit(d, form_find(bits == 64 ? "mov.b64" : "mov.b32")->handler);
    in->op[0] = slot;
    in->op[1] = from;
    in->flags = INSN_PSEUDO;
    decode_destination_done(d, to, bits, slot, false);
}

/* The address in a block's shared memory that is at the same place as this one: the same, in the only block. */
bool decode_mapa(struct decoder *d, const struct ptx_insn *p) {
    unsigned bits = ptx_type_bits[opcode_type(p->opcode, 0)];
    if (p->operand_count != 3)
        decode_fail(d, "'%s' needs 3 operands", p->opcode);
    uint32_t address = decode_source(d, &p->operands[1], bits), rank = decode_source(d, &p->operands[2], 32);
    decode_emit(d, op_cluster_rank)->op[0] = rank;
    move(d, &p->operands[0], address, bits);
    return true;
}

bool decode_getctarank(struct decoder *d, const struct ptx_insn *p) {
    if (p->operand_count != 2)
        return false;
    move(d, &p->operands[0], decode_constant(d, 32, 0), 32);
    return true;
}

bool decode_cluster_arrive(struct decoder *d, const struct ptx_insn *p) {
    (void)p;
    decode_emit(d, op_cluster_arrive);
    return true;
}

bool decode_cluster_wait(struct decoder *d, const struct ptx_insn *p) {
    (void)p;
    decode_emit(d, op_cluster_wait);
    return true;
}
