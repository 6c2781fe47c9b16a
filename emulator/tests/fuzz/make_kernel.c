/* Random CUDA programs whose result does not depend on how they are executed: make_kernel SEED prints one. Loops, conditions that
 * part a warp, shared memory between barriers, shuffles and votes of whole warps, local arrays, function calls and integer
 * arithmetic of all widths, nothing of which is undefined: no index leaves its array, no shift its width, no divisor is 0,
 * and no loop is without end. The program prints a checksum of what each thread has computed. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { VARIABLES = 6, ARRAY = 8, MOST_DEPTH = 4, FUNCTIONS = 3 };

static uint64_t state;
static int indent, loops, in_function;

static unsigned below(unsigned n) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (unsigned)(state >> 16) % n;
}

static const char *const names[VARIABLES] = {"a", "b", "c", "d", "e", "f"};
static const char *const types[VARIABLES] = {"uint32_t", "int32_t", "uint64_t", "uint16_t", "int64_t", "int8_t"};

static void margin(void) {
    printf("%*s", 4 * indent, "");
}

static void expression(int depth);

/* Unsigned arithmetic wraps; what could be undefined is made to fit. */
static void operation(int depth) {
    static const char *const plain[] = {"+", "-", "*", "&", "|", "^"};
    static const char *const tests[] = {"<", ">", "==", "!=", "<=", ">="};
    static const char *const casts[] = {"uint8_t", "int8_t", "uint16_t", "int16_t", "uint32_t", "int32_t", "int64_t"};
    const char *middle = plain[below(6)], *end = "";
    printf("(");
    switch (below(8)) {
    case 0:
        middle = below(2) ? "<<" : ">>", end = " & 31";
        printf("(uint32_t)");
        break;
    case 1:
        middle = below(2) ? "/" : "%", end = " | 1";
        printf("(uint32_t)");
        break;
    case 2:
        middle = tests[below(6)];
        break;
    case 3:
        printf("(uint64_t)(%s)", casts[below(7)]);
        break;
    default:
        printf("(uint64_t)");
    }
    expression(depth - 1);
    printf(" %s (%s", middle, *end ? "(uint32_t)" : "uint64_t(");
    expression(depth - 1);
    printf("%s%s))", *end ? "" : ")", end);
}

static void call(int depth) {
    static const char *const intrinsics[] = {"__popc((uint32_t)", "__clz((int32_t)",     "__brev((uint32_t)",
                                             "__ffs((int32_t)",   "__popcll((uint64_t)", "mix((uint64_t)"};
    if (!in_function && below(3) == 0) {
        printf("f%u(", below(FUNCTIONS));
        expression(depth - 1);
        printf(", ");
        expression(depth - 1);
        printf(")");
        return;
    }
    printf("%s", intrinsics[below(6)]);
    expression(depth - 1);
    printf(")");
}

static void expression(int depth) {
    unsigned kind = depth > 0 ? below(10) : below(4);
    switch (kind) {
    case 0:
        printf("%uu", below(2) ? below(100) : below(0x7fffffff));
        break;
    case 1:
    case 2:
        printf("%s", names[below(VARIABLES)]);
        break;
    case 3:
        printf("local[%s & %d]", names[below(VARIABLES)], ARRAY - 1);
        break;
    case 4:
        printf("(");
        expression(depth - 1);
        printf(" ? (uint64_t)");
        expression(depth - 1);
        printf(" : (uint64_t)");
        expression(depth - 1);
        printf(")");
        break;
    case 5:
        call(depth);
        break;
    default:
        operation(depth);
    }
}

static void assignment(void) {
    unsigned v = below(VARIABLES);
    margin();
    if (below(4) == 0)
        printf("local[%s & %d] = (uint32_t)(", names[below(VARIABLES)], ARRAY - 1);
    else
        printf("%s = (%s)(", names[v], types[v]);
    expression(3);
    printf(");\n");
}

static void statements(int depth, bool whole);

static void condition(int depth) {
    margin();
    printf("if (");
    expression(2);
    printf(") {\n");
    statements(depth - 1, false);
    margin();
    printf("} else {\n");
    statements(depth - 1, false);
    margin();
    printf("}\n");
}

/* Each thread has its own number of rounds, if not all of the block must stay together. */
static void loop(int depth, bool whole) {
    int i = loops++;
    margin();
    if (whole)
        printf("for (int i%d = 0; i%d < %u; i%d++) {\n", i, i, 1 + below(5), i);
    else {
        printf("for (int i%d = 0, n%d = (int)((", i, i);
        expression(1);
        printf(") & 7); i%d < n%d; i%d++) {\n", i, i, i);
    }
    statements(depth - 1, whole);
    if (!whole && below(2)) {
        indent++;
        margin();
        printf("if (");
        expression(2);
        printf(")\n");
        margin();
        printf("    %s;\n", below(2) ? "break" : "continue");
        indent--;
    }
    margin();
    printf("}\n");
}

static void choice(int depth) {
    margin();
    printf("switch ((unsigned)(");
    expression(1);
    printf(") %% 5) {\n");
    for (int i = 0; i < 4; i++) {
        margin();
        printf("case %d:\n", i);
        statements(depth - 1, false);
        if (below(3)) {
            margin();
            printf("    break;\n");
        }
    }
    margin();
    printf("}\n");
}

/* Only where all threads of the block come. */
static void together(void) {
    unsigned v = below(2);
    margin();
    switch (below(5)) {
    case 0:
        printf("shared[threadIdx.x] = (uint32_t)(");
        expression(2);
        printf(");\n");
        margin();
        printf("__syncthreads();\n");
        margin();
        printf("a += shared[(threadIdx.x * %u + %u) %% blockDim.x];\n", 1 + below(9), below(100));
        margin();
        printf("__syncthreads();\n");
        break;
    case 1:
        printf("%s += __shfl_%s(0xffffffff, (uint32_t)%s, %u);\n", names[v], below(2) ? "xor_sync" : "down_sync",
               names[below(VARIABLES)], below(32));
        break;
    case 2:
        printf("%s ^= __ballot_sync(0xffffffff, ", names[v]);
        expression(2);
        printf(");\n");
        break;
    case 3:
        printf("a += __syncthreads_count((");
        expression(2);
        printf(") & 1);\n");
        break;
    default:
        printf("atomicAdd(&sum[(uint32_t)(");
        expression(2);
        printf(") %% 16], (uint32_t)%s);\n", names[below(VARIABLES)]);
        margin();
        printf("__syncthreads();\n");
        margin();
        printf("b ^= (int32_t)sum[%u];\n", below(16));
        margin();
        printf("__syncthreads();\n");
    }
}

static void statements(int depth, bool whole) {
    indent++;
    for (unsigned n = 1 + below(4); n; n--) {
        unsigned kind = depth > 0 ? below(8) : 0;
        if (whole && below(3) == 0)
            together();
        else if (kind == 5)
            condition(depth);
        else if (kind == 6)
            loop(depth, whole && below(2));
        else if (kind == 7)
            choice(depth);
        else
            assignment();
    }
    indent--;
}

static void function(int i) {
    printf("__device__ %s uint64_t f%d(uint64_t x, uint64_t y) {\n    uint32_t local[%d] = {1, 2, 3};\n",
           below(2) ? "__noinline__" : "", i, ARRAY);
    for (int v = 0; v < VARIABLES; v++)
        printf("    %s %s = (%s)(%s + %d);\n", types[v], names[v], types[v], v & 1 ? "x" : "y", v);
    in_function = 1;
    statements(2, false);
    in_function = 0;
    printf("    uint64_t r = a ^ b ^ c ^ d ^ e ^ f;\n    for (int i = 0; i < %d; i++)\n        r = r * 31 + local[i];\n"
           "    return r;\n}\n\n",
           ARRAY);
}

static void kernel(void) {
    printf("__global__ void kernel(uint64_t *out, uint32_t seed) {\n    __shared__ uint32_t shared[1024], sum[16];\n"
           "    uint32_t local[%d] = {seed, threadIdx.x};\n    if (threadIdx.x < 16)\n        sum[threadIdx.x] = 0;\n"
           "    __syncthreads();\n",
           ARRAY);
    for (int v = 0; v < VARIABLES; v++)
        printf("    %s %s = (%s)mix(seed + %d * threadIdx.x + blockIdx.x);\n", types[v], names[v], types[v], v + 1);
    for (int i = 0; i < 3; i++)
        statements(MOST_DEPTH - 1, true);
    printf("    uint64_t r = a ^ ((uint64_t)b << 7) ^ c ^ d ^ e ^ f;\n    for (int i = 0; i < %d; i++)\n"
           "        r = r * 31 + local[i];\n    out[blockIdx.x * blockDim.x + threadIdx.x] = r;\n}\n\n",
           ARRAY);
}

int main(int argc, char **argv) {
    unsigned long seed = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
    if (!seed)
        return fprintf(stderr, "usage: make_kernel SEED (from 1)\n"), 2;
    state = (seed + 1) * 0x9e3779b97f4a7c15u;
    unsigned blocks = 1 + below(5), warps = 1 + below(6), tail = below(3) ? 0 : 32;
    printf("#include <cstdint>\n#include <cstdio>\n\n__device__ uint64_t mix(uint64_t x) {\n"
           "    x = (x ^ x >> 31) * 0x9e3779b97f4a7c15u;\n    return x ^ x >> 29;\n}\n\n");
    for (int i = 0; i < FUNCTIONS; i++)
        function(i);
    kernel();
    unsigned threads = warps * 32 + tail;
    printf("int main() {\n    const int n = %u;\n    uint64_t *d, h[n], sum = 0;\n    cudaMalloc(&d, sizeof h);\n"
           "    kernel<<<%u, %u>>>(d, %lu);\n    cudaError_t error = cudaMemcpy(h, d, sizeof h, cudaMemcpyDefault);\n"
           "    for (int i = 0; i < n; i++)\n        sum = (sum ^ h[i]) * 0x100000001b3u;\n"
           "    printf(\"%%d %%016llx\\n\", error, (unsigned long long)sum);\n    return error;\n}\n",
           blocks * threads, blocks, threads, seed);
    return 0;
}
