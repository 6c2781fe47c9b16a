/* An access that has left the shared array it was computed from, and landed in another one. */
#include "check/block_watch.h"
#include "check/report_parts.h"
#include "check/symbols.h"
#include "base/text.h"
#include "ptx/ptx.h"

void report_outside_variable(struct warp *w, const struct insn *in, const struct ptx_variable *v, uint32_t lanes,
                             uint64_t address, uint32_t bytes) {
    static const char *const kinds[] = {[ACCESS_LOAD] = "read", [ACCESS_STORE] = "write", [ACCESS_ATOMIC] = "atomic"};
    const struct access *a = in->extra;
    struct text title = {0}, advice = {0};
    text_format(&title, "Invalid __shared__ %s of size %u bytes", kinds[a->kind], bytes);
    title.bytes[title.length] = '\0';
    text_string(&advice, "The access hits ");
    symbol_put_shared(&advice, w->launch->kernel,
                      own_line(w->launch->kernel, insn_position(w->launch->kernel, in)).file, address, bytes, false);
    text_string(&advice, ", but the index belongs to ");
    symbol_put_variable(&advice, v);
    text_format(&advice, ", which has %l elements of %u bytes: element ", v->size / bytes, bytes);
    if (address < v->address)
        text_format(&advice, "-%l", (v->address - address + bytes - 1) / bytes);
    else
        text_format(&advice, "%l", (address - v->address) / bytes);
    text_string(&advice, " is out of bounds. Shared arrays are adjacent, so hardware does not detect this.");
    advice.bytes[advice.length] = '\0';
    report_insn(w, in, FINDING_OUT_OF_BOUNDS, lanes, title.bytes, advice.bytes);
}
