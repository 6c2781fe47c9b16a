/* Copies by tensor maps against an H200, byte by byte.
 *
 *   tensor_map record FILE [A B]  executes every case, or A to B - 1, and writes what it gave
 *   tensor_map check FILE [N]     executes the same again, or each Nth case, and says what differs from the file
 *   tensor_map list               names the cases
 *   tensor_map ptx NUMBER         prints the kernel of a case
 *   tensor_map opcodes            prints the instructions about tensors of all cases
 *   tensor_map dump FILE A B      writes which words cases A to B - 1 have changed, in shared memory and in the tensor
 *   tensor_map wrong gather       takes four rows at once, which compute capability 9.0 cannot
 *   tensor_map wrong replace      changes a field of what is no tensor map
 *   tensor_map arguments          prints what the driver answers to wrong arguments
 *
 * A file has for each case what encoding the map returned, what the kernel ended with, whether the copy told its mbarrier, whether it was not
 * recorded (uint32_t each), and hashes of shared memory and of the tensor afterwards (uint64_t each). Contents follow from the case's number. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tensor/values.h"
#include "arguments.h"
#include "cases.h"

enum { PTX_SIZE = 1 << 14, THREADS = 128 };

#define CUDA(call)                                                                                                     \
    do {                                                                                                               \
        CUresult error_ = (call);                                                                                      \
        const char *said_ = "an error without a name";                                                                 \
        if (error_ != CUDA_SUCCESS) {                                                                                  \
            cuGetErrorName(error_, &said_);                                                                            \
            fprintf(stderr, "not ok tensor_map: %s: %s\n", #call, said_);                                              \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

struct result {
    uint32_t encoded, ended, told, missing; /* missing: nobody has recorded it */
    uint64_t shared, tensor;
};

struct buffers {
    CUdeviceptr map, in, out, tensor;
    size_t tensor_bytes;
    uint8_t *shared, *after; /* what is there when the kernel is over */
    uint8_t *before[2];      /* what was there, in shared memory and in the tensor */
};

static void *memory(size_t size) {
    void *p = calloc(size, 1);
    if (!p)
        abort();
    return p;
}

/* Numbers of the case's type, so that sums and least values mean something, or each word's place. */
static void fill(void *to, size_t bytes, const struct map_case *c, unsigned seed) {
    static const enum value_type kinds[] = {
        [CU_TENSOR_MAP_DATA_TYPE_FLOAT16] = VALUE_f16,     [CU_TENSOR_MAP_DATA_TYPE_FLOAT32] = VALUE_f32,
        [CU_TENSOR_MAP_DATA_TYPE_FLOAT64] = VALUE_f64,     [CU_TENSOR_MAP_DATA_TYPE_BFLOAT16] = VALUE_bf16,
        [CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ] = VALUE_f32, [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32] = VALUE_f32,
        [CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ] = VALUE_f32};
    static const enum value_kind values[] = {KIND_LIKE_CUDA, KIND_SMALL, KIND_EDGES, KIND_SOME_EDGE};
    struct value_random r = {seed};
    uint32_t *words = to;
    enum value_type type = c->type < sizeof kinds / sizeof *kinds && kinds[c->type] ? kinds[c->type] : VALUE_b1;
    if (c->positions)
        for (size_t i = 0; i < bytes / 4; i++)
            words[i] = (uint32_t)i | (seed % 2 ? 0 : 0x80000000u);
    else
        values_fill(to, (unsigned)(bytes / 4), type, values[seed / 2 % 4], false, &r);
}

static CUresult encode(const struct map_case *c, CUdeviceptr tensor, CUtensorMap *map) {
    cuuint64_t size[RANKS], stride[RANKS];
    cuuint32_t box[RANKS], step[RANKS];
    void *address = (void *)(uintptr_t)tensor;
    for (unsigned i = 0; i < c->rank; i++) {
        size[i] = c->size[i], box[i] = c->box[i], step[i] = c->step[i];
        stride[i] = i + 1 < c->rank ? c->stride[i] : 0;
    }
    if (c->im2col)
        return cuTensorMapEncodeIm2col(map, c->type, c->rank, address, size, stride, c->lower, c->upper, c->channels,
                                       c->pixels, step, c->interleave, c->swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                       c->fill);
    return cuTensorMapEncodeTiled(map, c->type, c->rank, address, size, stride, box, step, c->interleave, c->swizzle,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, c->fill);
}

static CUresult run_kernel(char *ptx, const struct buffers *b, CUtensorMap *map) {
    CUmodule module;
    CUfunction kernel;
    CUdeviceptr constant;
    size_t bytes;
    CUresult loaded = cuModuleLoadData(&module, ptx);
    if (loaded != CUDA_SUCCESS)
        return loaded;
    CUDA(cuModuleGetFunction(&kernel, module, "k"));
    CUDA(cuModuleGetGlobal(&constant, &bytes, module, "cmap"));
    CUDA(cuMemcpyHtoD(constant, map, sizeof *map));
    void *arguments[] = {(void *)&b->map, (void *)&b->in, (void *)&b->out, (void *)&b->tensor, map};
    CUDA(cuLaunchKernel(kernel, 1, 1, 1, THREADS, 1, 1, 0, NULL, arguments, NULL));
    CUresult ended = cuCtxSynchronize();
    if (ended == CUDA_SUCCESS)
        CUDA(cuModuleUnload(module));
    return ended;
}

static void prepare(const struct map_case *c, unsigned number, struct buffers *b) {
    b->tensor_bytes = (c->bytes + 4096 + 255) / 256 * 256;
    CUDA(cuMemAlloc(&b->map, sizeof(CUtensorMap)));
    CUDA(cuMemAlloc(&b->in, SHARED_BYTES));
    CUDA(cuMemAlloc(&b->out, SHARED_BYTES + 4));
    CUDA(cuMemAlloc(&b->tensor, b->tensor_bytes));
    fill(b->before[1], b->tensor_bytes, c, 2 * number + 1);
    CUDA(cuMemcpyHtoD(b->tensor, b->before[1], b->tensor_bytes));
    fill(b->before[0], SHARED_BYTES, c, 2 * number + 2);
    CUDA(cuMemcpyHtoD(b->in, b->before[0], SHARED_BYTES));
    CUDA(cuMemsetD32(b->out, 0xeeeeeeee, SHARED_BYTES / 4 + 1));
}

static void look(struct buffers *b, struct result *r) {
    CUDA(cuMemcpyDtoH(b->shared, b->out, SHARED_BYTES + 4));
    CUDA(cuMemcpyDtoH(b->after, b->tensor, b->tensor_bytes));
    memcpy(&r->told, b->shared + SHARED_BYTES, 4);
    r->shared = hash_words((const uint32_t *)(const void *)b->shared, SHARED_BYTES / 4);
    r->tensor = hash_words((const uint32_t *)(const void *)b->after, b->tensor_bytes / 4);
}

static struct result run_case(unsigned number, struct buffers *b) {
    struct map_case c = cases_at(number);
    struct result r = {0};
    CUtensorMap map;
    memset(&map, 0, sizeof map);
    prepare(&c, number, b);
    r.encoded = encode(&c, b->tensor, &map);
    if (r.encoded == CUDA_SUCCESS) {
        if (c.field == FIELD_ALL)
            memset(&map, 0, sizeof map);
        CUDA(cuMemcpyHtoD(b->map, &map, sizeof map));
        char *ptx = memory(PTX_SIZE);
        cases_ptx(&c, ptx, PTX_SIZE);
        r.ended = run_kernel(ptx, b, &map);
        free(ptx);
        if (r.ended != CUDA_SUCCESS)
            return r;
        look(b, &r);
    }
    CUDA(cuMemFree(b->map));
    CUDA(cuMemFree(b->in));
    CUDA(cuMemFree(b->out));
    CUDA(cuMemFree(b->tensor));
    return r;
}

static void begin(void) {
    CUcontext context;
    CUDA(cuInit(0));
    CUDA(cuDevicePrimaryCtxRetain(&context, 0));
    CUDA(cuCtxSetCurrent(context));
}

/* ---- cases in processes of their own: a kernel that fails ends one ---- */

struct span {
    unsigned first, end, step;
    FILE *dump;
};

/* What has changed: runs of words whose values go up by one, or are the same. */
static void write_changes(FILE *file, char where, const uint8_t *before, const uint8_t *after, size_t bytes) {
    const uint32_t *old = (const uint32_t *)(const void *)before, *now = (const uint32_t *)(const void *)after;
    for (size_t i = 0, n; i < bytes / 4; i += n) {
        n = 1;
        if (now[i] == old[i])
            continue;
        uint32_t up = i + 1 < bytes / 4 ? now[i + 1] - now[i] : 0;
        while (up < 2 && i + n < bytes / 4 && now[i + n] != old[i + n] && now[i + n] == now[i] + up * n)
            n++;
        fprintf(file, "%c %zu %x x%zu%s\n", where, 4 * i, now[i], n, up == 1 && n > 1 ? " up" : "");
    }
}

static void work(struct span s, int results) {
    struct buffers b = {.shared = memory(SHARED_BYTES + 4),
                        .after = memory(1 << 22),
                        .before = {memory(SHARED_BYTES), memory(1 << 22)}};
    begin();
    for (unsigned i = s.first; i < s.end; i += s.step) {
        struct result r = run_case(i, &b);
        if (write(results, &r, sizeof r) != sizeof r)
            _exit(2);
        if (r.ended != CUDA_SUCCESS)
            _exit(0);
        if (s.dump && r.encoded == CUDA_SUCCESS) {
            fprintf(s.dump, "case %u told %u\n", i, r.told);
            write_changes(s.dump, 's', b.before[0], b.shared, SHARED_BYTES);
            write_changes(s.dump, 't', b.before[1], b.after, b.tensor_bytes);
            fflush(s.dump);
        }
    }
    _exit(0);
}

static pid_t begin_worker(struct span s, int *results) {
    int ends[2];
    fflush(NULL); /* or the worker might write it, too */
    if (pipe(ends) != 0)
        exit(2);
    pid_t worker = fork();
    if (worker == 0) {
        close(ends[0]);
        work(s, ends[1]);
    }
    close(ends[1]);
    *results = ends[0];
    return worker;
}

/* Calls take for each case, in order. */
static void run_cases(struct span s, void (*take)(unsigned number, const struct result *r, void *context),
                      void *context) {
    while (s.first < s.end) {
        int results;
        struct result r;
        unsigned begun = s.first;
        pid_t worker = begin_worker(s, &results);
        for (; read(results, &r, sizeof r) == sizeof r; s.first += s.step)
            take(s.first, &r, context);
        close(results);
        waitpid(worker, NULL, 0);
        if (s.first == begun)
            exit(2); /* it could not even begin */
    }
}

static void put_result(unsigned number, const struct result *r, void *file) {
    char name[500];
    struct map_case c = cases_at(number);
    cases_name(&c, number, name, sizeof name);
    if (r->encoded || r->ended)
        printf("encoded %u, ended %u: %s\n", r->encoded, r->ended, name);
    fwrite(r, sizeof *r, 1, file);
}

static int record(const char *path, struct span s) {
    FILE *file = fopen(path, "wb");
    if (!file)
        return 1;
    run_cases(s, put_result, file);
    return fclose(file) != 0;
}

struct check {
    FILE *file;
    bool right;
};

static void compare(unsigned number, const struct result *found, void *context) {
    struct check *k = context;
    struct result expected;
    char name[500];
    struct map_case c = cases_at(number);
    cases_name(&c, number, name, sizeof name);
    if (fseek(k->file, (long)(number * sizeof expected), SEEK_SET) != 0 ||
        fread(&expected, sizeof expected, 1, k->file) != 1)
        exit(1);
    if (expected.missing) {
        printf("skip %s\n", name);
        return;
    }
    if (memcmp(&expected, found, sizeof expected) == 0) {
        bool alone = c.operation == LOADS && found->ended == CUDA_SUCCESS && !found->told;
        printf("ok %s%s\n", name, alone ? ", and the mbarrier is not told" : "");
        return;
    }
    k->right = false;
    printf("not ok %s: encoded %u (%u), ended %u (%u), told %u (%u), shared memory %s, tensor %s\n", name,
           found->encoded, expected.encoded, found->ended, expected.ended, found->told, expected.told,
           found->shared == expected.shared ? "right" : "WRONG", found->tensor == expected.tensor ? "right" : "WRONG");
}

static int check(const char *path, unsigned step) {
    struct check k = {fopen(path, "rb"), true};
    if (!k.file) {
        printf("not ok tensor_map: cannot read %s\n", path);
        return 1;
    }
    run_cases((struct span){0, case_count, step, NULL}, compare, &k);
    fclose(k.file);
    return !k.right;
}

static void nothing(unsigned number, const struct result *r, void *context) {
    (void)context;
    printf("%u: encoded %u, ended %u, told %u\n", number, r->encoded, r->ended, r->told);
}

static int dump(const char *path, struct span s) {
    s.dump = fopen(path, "w");
    if (!s.dump)
        return 1;
    run_cases(s, nothing, NULL);
    return fclose(s.dump) != 0;
}

static int list(void) {
    for (unsigned i = 0; i < case_count; i++) {
        struct map_case c = cases_at(i);
        char name[500];
        cases_name(&c, i, name, sizeof name);
        printf("%s\n", name);
    }
    return 0;
}

static int print_ptx(unsigned number) {
    char *text = memory(PTX_SIZE);
    struct map_case c = cases_at(number);
    cases_ptx(&c, text, PTX_SIZE);
    fputs(text, stdout);
    free(text);
    return 0;
}

static int wrong(const char *what) {
    static CUtensorMap map;
    struct buffers b = {.before = {memory(SHARED_BYTES), memory(1 << 22)}};
    bool gather = strcmp(what, "gather") == 0;
    unsigned number = 0;
    struct map_case c = cases_at(number);
    while (gather ? c.operation != LOADS || c.rank != 2 : c.field != FIELD_BOX)
        c = cases_at(++number);
    begin();
    prepare(&c, number, &b);
    char *text = memory(PTX_SIZE), *ptx = memory(PTX_SIZE);
    cases_ptx(&c, text, PTX_SIZE);
    char *mode = strstr(text, ".tile.mbarrier");
    if (gather)
        snprintf(ptx, PTX_SIZE, "%.*s.tile::gather4%s", (int)(mode - text), text, mode + strlen(".tile"));
    memset(&map, 0x55, sizeof map);
    CUDA(cuMemcpyHtoD(b.map, &map, sizeof map));
    printf("ended %d\n", (int)run_kernel(gather ? ptx : text, &b, &map));
    return 0;
}

/* The instructions of a kernel that are about tensors. */
static void print_opcodes(char *text) {
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        line += strspn(line, " ");
        line[strcspn(line, " ")] = '\0';
        if (strstr(line, "tensor") && !strstr(line, "fence.proxy") && strchr(line, '.') && line[0] != '.')
            printf("%s\n", line);
    }
}

static int opcodes(void) {
    char *text = memory(PTX_SIZE);
    for (unsigned i = 0; i < case_count; i++) {
        struct map_case c = cases_at(i);
        cases_ptx(&c, text, PTX_SIZE);
        print_opcodes(text);
    }
    free(text);
    return 0;
}

int main(int count, char **a) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (count == 2 && strcmp(a[1], "list") == 0)
        return list();
    if (count == 2 && strcmp(a[1], "opcodes") == 0)
        return opcodes();
    if (count == 2 && strcmp(a[1], "arguments") == 0)
        return print_arguments();
    if (count == 3 && strcmp(a[1], "wrong") == 0)
        return wrong(a[2]);
    if (count == 3 && strcmp(a[1], "ptx") == 0)
        return print_ptx((unsigned)atoi(a[2]));
    struct span s = {0, case_count, 1, NULL};
    if (count == 5) {
        s.first = (unsigned)atoi(a[3]);
        s.end = (unsigned)atoi(a[4]) < case_count ? (unsigned)atoi(a[4]) : case_count;
    }
    if (count == 5 && strcmp(a[1], "dump") == 0)
        return dump(a[2], s);
    if ((count == 3 || count == 5) && strcmp(a[1], "record") == 0)
        return record(a[2], s);
    if (count >= 3 && count <= 4 && strcmp(a[1], "check") == 0)
        return check(a[2], count == 4 ? (unsigned)atoi(a[3]) : 1);
    fprintf(stderr, "usage: tensor_map record FILE [A B] | check FILE [N] | list | ptx NUMBER | opcodes | dump FILE A "
                    "B | arguments\n");
    return 2;
}
