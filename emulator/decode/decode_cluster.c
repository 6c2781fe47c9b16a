/* Decoding the instructions for thread block clusters: mapa, getctarank, barrier.cluster. */
#include "decode/decode.h"
#include "ops/cluster.h"

bool decode_mapa(struct decoder *d, const struct ptx_insn *p) {
    unsigned bits = ptx_type_bits[opcode_type(p->opcode, 0)];
    if (p->operand_count != 3)
        decode_fail(d, "'%s' needs 3 operands", p->opcode);
    uint32_t address = decode_source(d, &p->operands[1], bits), rank = decode_source(d, &p->operands[2], 32);
    uint32_t slot = decode_destination(d, &p->operands[0], bits);
    struct insn *in = decode_emit(d, op_cluster_map);
    in->op[0] = slot;
    in->op[1] = address;
    in->op[2] = rank;
    in->kind = (uint16_t)bits;
    decode_destination_done(d, &p->operands[0], bits, slot, false);
    return true;
}

/* getctarank{.shared::cluster}.type rank, address: the type is the address's. */
bool decode_getctarank(struct decoder *d, const struct ptx_insn *p) {
    unsigned bits = ptx_type_bits[opcode_type(p->opcode, 0)];
    if (p->operand_count != 2)
        return false;
    uint32_t address = decode_source(d, &p->operands[1], bits), slot = decode_destination(d, &p->operands[0], 32);
    struct insn *in = decode_emit(d, op_cluster_rank);
    in->op[0] = slot;
    in->op[1] = address;
    in->kind = (uint16_t)bits;
    decode_destination_done(d, &p->operands[0], 32, slot, false);
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
