/* Which types the operands of an instruction have. */
#ifndef OPERAND_TYPES_H
#define OPERAND_TYPES_H

/* A letter for each operand of an opcode with `count` of them; NULL: they are not listed, so they are not checked. t:
 * the opcode's last type; u: the one before it; w: an integer twice as wide as t; n: an integer of 32 bits; p: a
 * predicate; T and U: the same as t and u, but a register may be wider; a: an address; -: anything. */
const char *instruction_operands(const char *opcode, unsigned count);

#endif
