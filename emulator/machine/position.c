/* Where in the source an instruction comes from. */
#include "machine/kernel.h"

const char *kernel_file_name(const struct kernel *k, uint32_t file) {
    return file < k->linked->file_count ? k->linked->files[file] : NULL;
}

struct source_position insn_position(const struct kernel *k, const struct insn *in) {
    struct source_position p = {0};
    const struct ptx_insn *source = in->index < k->code.count ? k->code.sources[in->index] : NULL;
    const struct ptx_location *l = source ? source->location : NULL;
    /* line 0 marks code that the compiler made up: the next instruction with a line is nearest */
    for (uint32_t i = in->index; l && !l->line && ++i < k->code.count;)
        l = k->code.sources[i] ? k->code.sources[i]->location : NULL;
    if (l && l->line)
        p = (struct source_position){kernel_file_name(k, l->file), l->line, l->column, l->function, l->inlined_at};
    return p;
}
