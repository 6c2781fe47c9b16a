#include "decode/device_runtime.h"

#include <string.h>

/* The handle of the grid is its workspace, which the driver passes in two registers, and 0 in a launch that is not
 * cooperative. One thread of each block counts up there; block 0 adds the difference to the highest bit, which
 * therefore flips when all have arrived. */
static const char TEXT[] =
    ".version 7.0\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .func (.param .b64 handle) cudaCGGetIntrinsicHandle(.param .b32 scope)\n"
    "{\n"
    "  .reg .pred %other;\n"
    "  .reg .b32 %wanted, %low, %high;\n"
    "  .reg .b64 %workspace;\n"
    "  ld.param.u32 %wanted, [scope];\n"
    "  mov.u32 %low, %envreg2;\n"
    "  mov.u32 %high, %envreg1;\n"
    "  mov.b64 %workspace, {%low, %high};\n"
    "  setp.ne.u32 %other, %wanted, 1;\n" /* cudaCGScopeGrid */
    "  selp.b64 %workspace, 0, %workspace, %other;\n"
    "  st.param.b64 [handle], %workspace;\n"
    "  ret;\n"
    "}\n"
    ".visible .func (.param .b32 error) cudaCGSynchronize(.param .b64 handle, .param .b32 flags)\n"
    "{\n"
    "  .reg .pred %none, %follows, %first, %waits;\n"
    "  .reg .b32 %x, %y, %z, %sum, %blocks, %adds, %before, %now;\n"
    "  .reg .b64 %workspace;\n"
    "  ld.param.u64 %workspace, [handle];\n"
    "  setp.eq.u64 %none, %workspace, 0;\n"
    "  @%none trap;\n"
    "  barrier.sync 0;\n"
    "  mov.u32 %x, %tid.x;\n"
    "  mov.u32 %y, %tid.y;\n"
    "  mov.u32 %z, %tid.z;\n"
    "  or.b32 %sum, %x, %y;\n"
    "  or.b32 %sum, %sum, %z;\n"
    "  setp.ne.u32 %follows, %sum, 0;\n"
    "  @%follows bra together;\n"
    "  mov.u32 %x, %nctaid.x;\n"
    "  mov.u32 %y, %nctaid.y;\n"
    "  mov.u32 %z, %nctaid.z;\n"
    "  mul.lo.u32 %blocks, %x, %y;\n"
    "  mul.lo.u32 %blocks, %blocks, %z;\n"
    "  mov.u32 %x, %ctaid.x;\n"
    "  mov.u32 %y, %ctaid.y;\n"
    "  mov.u32 %z, %ctaid.z;\n"
    "  or.b32 %sum, %x, %y;\n"
    "  or.b32 %sum, %sum, %z;\n"
    "  setp.eq.u32 %first, %sum, 0;\n"
    "  sub.u32 %adds, 0x80000001, %blocks;\n"
    "  selp.b32 %adds, %adds, 1, %first;\n"
    "  atom.add.release.gpu.u32 %before, [%workspace+4], %adds;\n"
    "wait:\n"
    "  ld.acquire.gpu.u32 %now, [%workspace+4];\n"
    "  xor.b32 %now, %now, %before;\n"
    "  setp.ge.s32 %waits, %now, 0;\n"
    "  @%waits bra wait;\n"
    "together:\n"
    "  barrier.sync 0;\n"
    "  st.param.b32 [error], 0;\n"
    "  ret;\n"
    "}\n";

static bool is_ours(const char *name) {
    return strcmp(name, "cudaCGSynchronize") == 0 || strcmp(name, "cudaCGGetIntrinsicHandle") == 0;
}

struct ptx_module *device_runtime(const struct ptx_module *first) {
    char error[256];
    bool needed = false, defined = false;
    for (const struct ptx_module *m = first; m; m = m->next)
        for (const struct ptx_function *f = m->functions; f; f = f->next)
            if (is_ours(f->name))
                *(f->insn_count ? &defined : &needed) = true;
    return needed && !defined ? ptx_parse(TEXT, sizeof TEXT - 1, error, sizeof error) : NULL;
}
