/* PTX as the parser sees it: a module of variables and functions, each function a list of typed instructions.
 *
 * Everything here lives in the module's arena and is freed with it. Strings are interned: two equal names are
 * the same pointer. The parser checks syntax only; decode.c decides what an instruction means. */
#ifndef PTX_H
#define PTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ptx_space { SPACE_GENERIC, SPACE_PARAM, SPACE_GLOBAL, SPACE_CONST, SPACE_SHARED, SPACE_LOCAL, SPACE_REG };

/* Fundamental types. Their sizes in bits are ptx_type_bits[]. */
enum ptx_type {
    TYPE_NONE,
    TYPE_PRED,
    TYPE_B8,
    TYPE_U8,
    TYPE_S8,
    TYPE_B16,
    TYPE_U16,
    TYPE_S16,
    TYPE_F16,
    TYPE_BF16,
    TYPE_B32,
    TYPE_U32,
    TYPE_S32,
    TYPE_F32,
    TYPE_F16X2,
    TYPE_BF16X2,
    TYPE_TF32,
    TYPE_B64,
    TYPE_U64,
    TYPE_S64,
    TYPE_F64,
    TYPE_B128,
    TYPE_TEXREF,
    TYPE_SAMPLERREF,
    TYPE_SURFREF, /* opaque, 64 bits */
    TYPE_COUNT
};

enum ptx_operand_kind {
    OPERAND_NONE,
    OPERAND_REGISTER, /* reg; negated for !%p */
    OPERAND_INTEGER,  /* value */
    OPERAND_FLOAT,    /* value holds the bits; float_bits says 32 or 64 */
    OPERAND_SYMBOL,   /* symbol + value: a variable, a function or a label */
    OPERAND_ADDRESS,  /* [reg + value], [symbol + value] or [value] */
    OPERAND_VECTOR,   /* items[0 .. count): registers, immediates or '_' (OPERAND_SINK) */
    OPERAND_LIST,     /* the parenthesised arguments of call: items[0 .. count) */
    OPERAND_SPECIAL,  /* symbol is the name with its dot: "%tid.x" */
    OPERAND_SINK,     /* '_' */
    OPERAND_PAIR,     /* p|q: items[0], items[1] */
};

struct ptx_register {
    const char *name;
    enum ptx_type type;
    uint32_t slot;       /* byte offset in a warp's frame, given by decode */
    uint32_t number;     /* in its function's list */
    uint8_t definitions; /* instructions that write it: 0, 1, or 2 for more */
    bool constant;       /* its slot holds a constant of the frame: see decode/fold.h */
};

struct ptx_operand {
    enum ptx_operand_kind kind;
    bool negated;         /* !predicate, -register */
    const char *selector; /* %r.b0: "b0"; NULL otherwise */
    uint8_t float_bits;
    uint16_t count;
    struct ptx_register *reg;
    const char *symbol;
    struct ptx_variable *variable;       /* the symbol's, where it was declared before its use; labels have none */
    const struct ptx_function *function; /* the symbol's; both are what decode/link.c has found, in whatever file */
    int64_t value;
    struct ptx_operand *items; /* VECTOR, LIST, PAIR; of an ADDRESS what follows a comma: [tex, {x, y}] */
};

/* Where an instruction came from, by .loc. file is 0 where there was none. An inlined instruction points to
 * the call's own location. */
struct ptx_location {
    uint32_t file, line, column;
    const char *function;                  /* inlined function's name, or NULL */
    const struct ptx_location *inlined_at; /* or NULL */
    bool ambiguous;            /* the same place is given with other callers, too: PTX leaves open which are meant */
    struct ptx_location *next; /* the module's earlier ones */
};

#define PTX_MAX_OPERANDS 10

struct instruction;

struct ptx_insn {
    const char *opcode; /* with its modifiers: "ld.global.v4.f32"; a label is an instruction with opcode NULL */
    const char *label;  /* for labels */
    const struct instruction *row; /* its row (isa/instruction.h); by decode/link.c */
    struct ptx_register *predicate;
    bool predicate_negated;
    bool folded; /* by decode/fold.c: not executed */
    uint8_t operand_count;
    uint32_t scope; /* number of the { } that contains it */
    struct ptx_operand operands[PTX_MAX_OPERANDS];
    const struct ptx_location *location;
    uint32_t ptx_line;
};

/* A variable, a parameter, or one element of an initialiser that is an address. */
struct ptx_initializer_address {
    uint64_t offset;    /* in the variable, bytes */
    const char *symbol; /* whose address goes there, 8 bytes ... */
    int64_t addend;
    bool generic;                        /* generic(symbol): a generic address */
    uint32_t mask_shift;                 /* 8 * i for mask(symbol) forms: the byte wanted; ~0u for the whole address */
    const struct ptx_variable *variable; /* the symbol's, or ... (both by decode/link.c) */
    const struct ptx_function *function;
    struct ptx_initializer_address *next;
};

struct ptx_variable {
    const char *name;
    enum ptx_space space;
    enum ptx_type type; /* element type */
    uint32_t align;     /* bytes */
    uint64_t size;      /* bytes; 0 for an array without a size (extern shared) */
    bool external, weak, visible, managed;
    uint8_t *data; /* its first data_size bytes, or NULL; the rest are zeros */
    uint64_t data_size;
    struct ptx_initializer_address *addresses;
    uint64_t address;                /* device address or offset in its space; given by the module loader or decode */
    struct ptx_variable *definition; /* of a module's variable, by decode/link.c: itself, another file's, or NULL */
    struct ptx_variable *next;
};

struct ptx_function {
    const char *name;
    bool entry, external, visible, weak, noreturn;
    struct ptx_variable *returns, *params; /* in order */
    struct ptx_variable *variables;        /* .shared, .local, .param declared inside, all scopes */
    struct ptx_register **registers;
    size_t register_count;
    struct ptx_insn *insns;
    size_t insn_count;
    uint32_t maxntid[3], reqntid[3], minnctapersm, maxnreg;
    bool explicit_cluster; /* it must be launched with cluster dimensions */
    uint32_t cluster[3];   /* .reqnctapercluster */
    uint32_t max_cluster;  /* .maxclusterrank; 0: none */
    struct ptx_module *module;
    const struct ptx_function *definition; /* by decode/link.c: itself, that of another file or an alias, or NULL */
    uint64_t number;                       /* in all that is linked together: the value of a function pointer */
    struct ptx_function *next;
};

/* .alias name, target; */
struct ptx_alias {
    const char *name, *target;
    struct ptx_alias *next;
};

/* .callprototype and .branchtargets / .calltargets, by label. */
struct ptx_prototype {
    const char *label;
    const struct ptx_function *function; /* that contains the label */
    uint32_t scope;
    struct ptx_variable *returns, *params;
    const char **targets; /* for .branchtargets */
    size_t target_count;
    struct ptx_prototype *next;
};

struct ptx_module {
    struct arena *arena;
    int version_major, version_minor;
    const char *target; /* "sm_75" */
    bool debug;         /* compiled at -G */
    struct ptx_variable *variables;
    struct ptx_function *functions;
    struct ptx_prototype *prototypes;
    struct ptx_alias *aliases;
    struct ptx_location *locations; /* all, newest first */
    const char **files;             /* by .file number; NULL where there is none */
    size_t file_count;
    struct ptx_module *next; /* the modules it was linked with: decode/link.c */
};

extern const uint8_t ptx_type_bits[TYPE_COUNT];
const char *ptx_type_name(enum ptx_type type);                   /* "f32" */
enum ptx_type ptx_type_by_name(const char *name, size_t length); /* "f32" -> TYPE_F32, TYPE_NONE if unknown */

/* Parses text (not necessarily zero-terminated). On an error returns NULL and writes one line to error. */
struct ptx_module *ptx_parse(const char *text, size_t length, char *error, size_t error_size);
void ptx_free(struct ptx_module *module);

#endif
