/* What a pass may do: ask the row, read words behind an opcode's first, name what is no opcode. For rows.test.sh; not
 * compiled. */
static bool adds(const struct ptx_insn *p) {
    /* "add.s32" and op_add in a comment say nothing */
    return p->row->order == ORDER_BLOCK && opcode_has(p->opcode, "add") && form_find("add.s32") != NULL;
}

static const char *const texts[] = {"to add", "address", "adds", "operation"};
