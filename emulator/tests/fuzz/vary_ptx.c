/* Plausible PTX from legal PTX: vary_ptx FILE COUNT SEED FOLDER writes COUNT variants of the file to FOLDER/SEED_i.ptx, each with one
 * thing changed as a person might write or mistake it. About half of them stay legal; ask_ptxas.sh knows which. */
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;

static size_t below(size_t n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return n ? (size_t)(state % n) : 0;
}

#define ANY(list) (list[below(sizeof list / sizeof *list)])

static const char *const types[] = {".b8",  ".u8",  ".s8",  ".b16", ".u16", ".s16", ".f16", ".b32",
                                    ".u32", ".s32", ".f32", ".b64", ".u64", ".s64", ".f64", ".pred"};
static const char *const modifiers[] = {".ftz",    ".sat",   ".rn",       ".rz",          ".rm",          ".rp",
                                        ".approx", ".full",  ".lo",       ".hi",          ".wide",        ".uni",
                                        ".v2",     ".v4",    ".volatile", ".relaxed.gpu", ".acquire.cta", ".global",
                                        ".shared", ".local", ".cc",       ".nc",          ".and"};
static const char *const values[] = {
    "0",       "1",       "-1", "255",    "4294967295", "0x80000000", "1U",   "-2147483648",
    "WARP_SZ", "(1+2)*3", "~1", "1 << 4", "0f3F800000", "1.0",        "-1.5", "0d3FF0000000000000",
    "%tid.x",  "%laneid", "_",  "!%p1",   "%p1",        "%r1",        "%rd1", "%f1",
    "%fd1",    "%rs1"};
static const char *const statements[] = {".pragma \"nounroll\";",
                                         ".loc 1 7 3",
                                         "{}",
                                         "{ .reg .b32 %r1; mov.u32 %r1, 5; }",
                                         "LABEL:",
                                         "LABEL: OTHER:",
                                         "{ LABEL: bra.uni LABEL; }",
                                         ".reg .b32 fresh<3>, more; mov.b32 fresh2, 1;",
                                         "{ .reg .pred q; setp.eq.u32 q, 1, 2; @q ret; }",
                                         ".local .align 8 .b8 place[16]; st.local.u64 [place+8], 0;",
                                         ".shared .align 4 .b32 word; st.shared.u32 [word], 1;",
                                         "bar.sync 0;",
                                         "barrier.sync 1, 64;",
                                         "bar.arrive 2, 64;",
                                         "membar.gl;",
                                         "nanosleep.u32 20;",
                                         "@!%p1 exit;",
                                         "bar.warp.sync -1;",
                                         "{ .reg .b64 t; mov.b64 t, {1, 2}; }",
                                         "{ .reg .b64 t; .reg .b32 a, b; mov.b64 {a, b}, t; mov.b64 {_, b}, t; }",
                                         "{ .reg .b32 t; ts: .branchtargets LA, LB; brx.idx t, ts; LA: LB: }",
                                         "{ .param .b32 p; st.param.b32 [p+0], 1; }",
                                         "// comment",
                                         "/* comment */",
                                         "trap;",
                                         "ret.uni;",
                                         "fence.sc.gpu;",
                                         "{ .reg .b32 t; activemask.b32 t; }",
                                         "{ .reg .b32 t; .reg .pred q; shfl.sync.bfly.b32 t|q, t, 1, 31, -1; }"};
static const char *const directives[] = {
    ".global .align 4 .b32 extra[2][2] = {{1}, {2, 3}};",
    ".const .f64 extra = -1.5;",
    ".extern .shared .align 16 .b8 extra[];",
    ".visible .global .attribute(.managed) .u32 extra = 1 + 1;",
    ".weak .global .u64 extra[2] = {generic(other), other + 4}; ",
    ".global .b32 other = 2; .global .u64 extra[2] = {generic(other) + 4, other};",
    ".file 7 \"other.cu\", 12, 34",
    ".func (.param .b32 r) extra(.param .b32 a, .param .align 8 .b8 s[24]) { ret; }",
    ".extern .func extra(.param .b64 a) .noreturn;",
    ".visible .func twin(.param .b32 a); .visible .func extra(.param .b32 a) { ret; } .alias twin, extra;",
    ".section .debug_extra { .b8 1, 2, 3 .b32 7 }",
    ".global .b8 extra[] = {104, 105, 0};",
    ".pragma \"nounroll\";",
    (".entry extra(.param .u64 .ptr .global .align 16 p, .param .align 16 .b8 s[32]) .maxntid 64 .minnctapersm 2 "
     "{ ret; }"), /* in parentheses: clang takes two texts in a list for a forgotten comma */
    ".entry extra() .reqntid 8, 8 .explicitcluster { exit; }",
    ".common .global .u32 extra;",
    ".global .f16 extra;"};

struct piece {
    size_t begin, end;
};

static char *text;
static size_t length;

static void replace(struct piece p, const char *with, size_t n) {
    char *changed = malloc(length - (p.end - p.begin) + n + 1);
    if (!changed)
        exit(2);
    memcpy(changed, text, p.begin);
    memcpy(changed + p.begin, with, n);
    memcpy(changed + p.begin + n, text + p.end, length - p.end + 1);
    length = length - (p.end - p.begin) + n;
    free(text);
    text = changed;
}

static struct piece random_line(void) {
    struct piece p = {below(length), 0};
    while (p.begin && text[p.begin - 1] != '\n')
        p.begin--;
    for (p.end = p.begin; p.end < length && text[p.end] != '\n';)
        p.end++;
    return p;
}

/* A line that holds an instruction: not a directive, a label, a brace or a comment. */
static bool instruction_line(struct piece *line) {
    for (int tries = 0; tries < 200; tries++) {
        *line = random_line();
        while (line->begin < line->end && isspace((unsigned char)text[line->begin]))
            line->begin++;
        if (line->end - line->begin > 3 && text[line->end - 1] == ';' && isalpha((unsigned char)text[line->begin]))
            return true;
    }
    return false;
}

/* One of the operands behind the opcode: what stands between commas. */
static bool operand(struct piece line, struct piece *out) {
    struct piece found[16];
    size_t n = 0, begin = line.begin;
    while (begin < line.end && !isspace((unsigned char)text[begin]))
        begin++;
    for (size_t i = begin; i < line.end && n < 16; i++)
        if (text[i] == ',' || text[i] == ';') {
            while (begin < i && isspace((unsigned char)text[begin]))
                begin++;
            found[n++] = (struct piece){begin, i};
            begin = i + 1;
        }
    if (n)
        *out = found[below(n)];
    return n != 0;
}

/* A part of the opcode, with its dot. */
static bool modifier(struct piece line, struct piece *out) {
    size_t end = line.begin, dots[16], n = 0;
    for (; end < line.end && !isspace((unsigned char)text[end]) && text[end] != ';'; end++)
        if (text[end] == '.' && n < 16)
            dots[n++] = end;
    if (!n)
        return false;
    size_t i = below(n);
    *out = (struct piece){dots[i], i + 1 < n ? dots[i + 1] : end};
    return true;
}

static void put(struct piece p, const char *with) {
    replace(p, with, strlen(with));
}

static void change_address(struct piece p) {
    static const char *const ends[] = {"+4]", "+-4]", "+0]", "+(4*2)]", "+8+8]", "-4]", "+WARP_SZ]", "+0x10]"};
    size_t close = p.begin;
    while (close < p.end && text[close] != ']')
        close++;
    if (close < p.end)
        put((struct piece){close, close + 1}, ANY(ends));
}

static void change_operand(struct piece line) {
    struct piece to, from, other;
    if (!operand(line, &to))
        return;
    if (text[to.begin] == '[') {
        change_address(to);
    } else if (below(2) && instruction_line(&other) && operand(other, &from)) {
        char copy[200];
        size_t n = from.end - from.begin < sizeof copy ? from.end - from.begin : 0;
        memcpy(copy, text + from.begin, n);
        replace(to, copy, n);
    } else {
        put(to, ANY(values));
    }
}

static void change_opcode(struct piece line) {
    struct piece m;
    if (!modifier(line, &m))
        return;
    switch (below(4)) {
    case 0:
        put(m, "");
        break;
    case 1:
        put((struct piece){m.begin, m.begin}, ANY(modifiers));
        break;
    default:
        put(m, ANY(types));
    }
}

static void insert_directive(void) {
    const char *entry = strstr(text, "\n.visible");
    entry = entry ? entry : strstr(text, "\n.entry");
    size_t at = entry ? (size_t)(entry - text) + 1 : length;
    char line[400];
    snprintf(line, sizeof line, "%s\n", ANY(directives));
    put((struct piece){at, at}, line);
}

static void change(void) {
    struct piece line;
    if (!instruction_line(&line))
        return;
    struct piece before = {line.begin, line.begin};
    char statement[400];
    switch (below(8)) {
    case 0:
    case 1:
        change_opcode(line);
        break;
    case 2:
        snprintf(statement, sizeof statement, "%s\n", ANY(statements));
        put(before, statement);
        break;
    case 3:
        insert_directive();
        break;
    case 4:
        put(before, below(2) ? "@%p1 " : "@!%p1 ");
        break;
    default:
        change_operand(line);
    }
}

static bool load(const char *path) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END) != 0)
        return false;
    length = (size_t)ftell(f);
    rewind(f);
    free(text);
    text = malloc(length + 1);
    bool good = text && fread(text, 1, length, f) == length;
    fclose(f);
    if (good)
        text[length] = '\0';
    return good;
}

int main(int argc, char **argv) {
    if (argc != 5)
        return fprintf(stderr, "usage: vary_ptx FILE COUNT SEED FOLDER\n"), 2;
    unsigned long seed = strtoul(argv[3], NULL, 10);
    state = seed * 0x9e3779b97f4a7c15u | 1;
    for (long i = 0; i < strtol(argv[2], NULL, 10); i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%lu_%ld.ptx", argv[4], seed, i);
        if (!load(argv[1]))
            return fprintf(stderr, "vary_ptx: cannot read %s\n", argv[1]), 2;
        change();
        FILE *f = fopen(path, "wb");
        if (!f || fwrite(text, 1, length, f) != length || fclose(f) != 0)
            return fprintf(stderr, "vary_ptx: cannot write %s\n", path), 2;
    }
    free(text);
    return 0;
}
