/* What a pass must not do, once in each line that says so. For rows.test.sh; not compiled. */
static bool knows(const struct ptx_insn *p, const struct insn *in) {
    static const char *const names[] = {"bfind", "shfl"};      /* two complaints */
    bool first = strncmp(p->opcode, "mul.lo", 6) == 0;         /* complaint */
    bool word = opcode_has(p->opcode, "brev") || is(p, "red"); /* two complaints: neither is a word that may be asked */
    return first || word || in->handler == op_barrier || has(names); /* complaint */
}
