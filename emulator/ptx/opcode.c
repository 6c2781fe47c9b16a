/* Finding words in an opcode, between its dots. */
#include "ptx/opcode.h"

#include <string.h>

bool opcode_has(const char *opcode, const char *modifier) {
    size_t n = strlen(modifier);
    for (const char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.'))
        if (strncmp(dot + 1, modifier, n) == 0 && (dot[n + 1] == '\0' || dot[n + 1] == '.' || dot[n + 1] == ':'))
            return true;
    return false;
}

enum ptx_type opcode_type(const char *opcode, int n) {
    const char *end = opcode + strlen(opcode);
    for (const char *p = end; p > opcode; p--)
        if (p[-1] == '.') {
            enum ptx_type type = ptx_type_by_name(p, (size_t)(end - p));
            if (type != TYPE_NONE && n-- == 0)
                return type;
            end = p - 1;
        }
    return TYPE_NONE;
}
