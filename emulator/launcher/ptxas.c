/* cuda-emulator-ptxas [arguments of ptxas]: ptxas for compilers that end with it, as Triton does (TRITON_PTXAS_PATH).
 *
 * The emulator executes PTX, and the PTX that ptxas stores beside its machine code lacks the lines of the source. So
 * this program runs the real ptxas, EMULATOR_PTXAS, with the same arguments, which reports errors and the number of
 * registers. Then it makes a fat binary of the machine code and the whole PTX.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...) {
    va_list values;
    va_start(values, format);
    fputs("cuda-emulator-ptxas: ", stderr);
    vfprintf(stderr, format, values);
    fputc('\n', stderr);
    va_end(values);
    exit(1);
}

struct request {
    const char *input, *output, *arch; /* "sm_90a"; NULL: not among the arguments */
    bool version;
};

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* The value of an option in either form, "--name=value" and "--name value"; NULL: it is another argument. */
static const char *value_of(const char *name, char **argument) {
    size_t length = strlen(name);
    if (strncmp(*argument, name, length) != 0)
        return NULL;
    return (*argument)[length] == '=' ? *argument + length + 1 : (*argument)[length] ? NULL : argument[1];
}

static struct request read_arguments(char **arguments) {
    struct request r = {0};
    for (char **a = arguments; *a; a++) {
        const char *value;
        if ((value = value_of("-o", a)) || (value = value_of("--output-file", a)))
            r.output = value;
        else if ((value = value_of("-arch", a)) || (value = value_of("--gpu-name", a)))
            r.arch = value;
        else if (strcmp(*a, "--version") == 0 || strcmp(*a, "-V") == 0)
            r.version = true;
        else if (**a != '-' && ends_with(*a, ".ptx"))
            r.input = *a;
    }
    return r;
}

/* Exits as ptxas did where that is with an error; a signal is reported as a shell reports it. */
static void run_ptxas(char *ptxas, char **arguments) {
    int status;
    pid_t child = fork();
    if (child < 0)
        fail("cannot start a process: %s.", strerror(errno));
    if (child == 0) {
        arguments[0] = ptxas; /* its messages begin with it */
        execvp(ptxas, arguments);
        fail("EMULATOR_PTXAS=%s cannot be started: %s.", ptxas, strerror(errno));
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            fail("%s: %s.", ptxas, strerror(errno));
    if (WIFSIGNALED(status))
        exit(128 + WTERMSIG(status));
    if (WEXITSTATUS(status) != 0)
        exit(WEXITSTATUS(status));
}

struct file {
    char *bytes;
    size_t size;
};

static struct file read_file(const char *path) {
    struct file f = {0};
    FILE *stream = fopen(path, "rbe");
    size_t room = 0, got = 1;
    while (stream && got) {
        if (f.size == room)
            f.bytes = realloc(f.bytes, room = room * 2 + 65536);
        if (!f.bytes)
            fail("out of memory.");
        got = fread(f.bytes + f.size, 1, room - f.size, stream);
        f.size += got;
    }
    if (!stream || ferror(stream))
        fail("%s cannot be read: %s.", path, strerror(errno));
    fclose(stream);
    return f;
}

/* The layout of a fat binary, whose reader is fatbin/fatbin.c. */
struct header {
    uint32_t magic;
    uint16_t version, bytes;
    uint64_t body;
};
struct entry {
    uint16_t kind, version;
    uint32_t bytes;
    uint64_t payload;
    uint32_t compressed, options_at, made_for, arch;
    uint64_t reserved, flags, no_name, unpacked;
};
/* After the entry of a PTX: the options with which to compile it, and where they begin. There are none. */
struct options {
    uint64_t text_at, no_text;
};
enum { KIND_PTX = 1, KIND_MACHINE_CODE = 2 };
#define FLAGS_64_BITS   0x11u
#define FLAG_EXACT_ARCH 0x100000u
#define FLAG_FAMILY     0x200000u
_Static_assert(sizeof(struct entry) == 64, "its size is in the file");

static struct entry entry_for(uint16_t kind, const struct file *f, const char *arch) {
    char *letter;
    struct entry e = {
        .kind = kind, .version = 0x101, .bytes = sizeof e, .payload = f->size / 8 * 8 + 8}; /* a zero ends it */
    e.arch = (uint32_t)strtoul(arch + strcspn(arch, "0123456789"), &letter, 10);
    e.made_for = kind == KIND_PTX ? 0x80000 : 0x10007; /* which PTX, which machine code: not used here */
    if (kind == KIND_PTX) {
        e.options_at = sizeof e;
        e.bytes += sizeof(struct options);
    }
    e.flags = FLAGS_64_BITS | (*letter == 'a' ? FLAG_EXACT_ARCH : *letter == 'f' ? FLAG_FAMILY : 0);
    return e;
}

static void write_entry(FILE *out, const struct entry *e, const struct file *f) {
    static const char zeros[8];
    static const struct options none = {sizeof *e + sizeof none.text_at, 0};
    fwrite(e, sizeof *e, 1, out);
    fwrite(&none, 1, e->bytes - sizeof *e, out);
    fwrite(f->bytes, 1, f->size, out);
    fwrite(zeros, 1, e->payload - f->size, out);
}

/* Replaces the machine code that ptxas has written. */
static void write_both(const struct request *r) {
    struct file code = read_file(r->output), ptx = read_file(r->input);
    struct entry code_entry = entry_for(KIND_MACHINE_CODE, &code, r->arch);
    struct entry ptx_entry = entry_for(KIND_PTX, &ptx, r->arch);
    struct header h = {0xba55ed50u, 1, sizeof h, code_entry.bytes + code_entry.payload};
    h.body += ptx_entry.bytes + ptx_entry.payload;
    FILE *out = fopen(r->output, "wbe");
    if (!out)
        fail("%s cannot be written: %s.", r->output, strerror(errno));
    fwrite(&h, sizeof h, 1, out);
    write_entry(out, &code_entry, &code);
    write_entry(out, &ptx_entry, &ptx);
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed)
        fail("%s cannot be written: %s.", r->output, strerror(errno));
    free(code.bytes);
    free(ptx.bytes);
}

int main(int argc, char **argv) {
    (void)argc;
    char *ptxas = getenv("EMULATOR_PTXAS");
    if (!ptxas || !*ptxas)
        fail("EMULATOR_PTXAS does not name a ptxas. Set it to the path of the real one.");
    struct request r = read_arguments(argv + 1);
    run_ptxas(ptxas, argv);
    /* A compiler's cache distinguishes by this the files made for the emulator from those made for a GPU. */
    if (r.version)
        puts("with its PTX beside the machine code, for the CUDA emulator " EMULATOR_VERSION);
    else if (r.input && r.output && r.arch)
        write_both(&r);
    return 0;
}
