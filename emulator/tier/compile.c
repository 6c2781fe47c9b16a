/* When a kernel is worth compiling, and how generated C becomes a function: compiler, cache, loader. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cache.h"
#include "base/out_of_memory.h"
#include "base/settings.h"
#include "tier/tier.h"

/* How long a kernel is interpreted before it is looked up in the cache, and before it is compiled. A compilation is
 * worth its price when the interpreter has already taken as long: then the two together take at most twice as long as
 * the better choice would have, whenever the program ends (the ski rental rule). Most short programs end earlier.
 * The price was measured with gcc 12 on two AVX2 cores: one second, and 15 to 35 ms for each instruction. */
#define LOOK_UP_NS  30000000u
#define WORTH_IT_NS 500000000u
#define WORTH_INSN  20000000u
#define MAX_INSNS   2500 /* longer kernels would occupy the compiler for too long */
#define MAX_SECONDS 60   /* for one compilation */

enum { TIER_NEVER, TIER_LONG, TIER_ALWAYS };

static int mode(void) {
    static _Atomic int known;
    int m = atomic_load(&known);
    if (!m) {
        const char *wanted = setting_text(SETTING_TIER);
        /* One more than the mode, since 0 means that it is not known yet. */
        m = 1 + (wanted && *wanted >= '0' && *wanted <= '2' && !wanted[1] ? *wanted - '0' : TIER_LONG);
        atomic_store(&known, m);
    }
    return m - 1;
}

/* ---- the cache ---- */

/* The CPU's features: the same C compiles differently on another one. */
static uint64_t hash_processor(uint64_t h) {
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[8192];
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, "flags", 5) == 0 || strncmp(line, "model name", 10) == 0) {
            h = cache_hash(h, line, strlen(line));
            /* The first CPU represents all; its model name precedes its flags. */
            if (line[0] == 'f')
                break;
        }
    if (f)
        fclose(f);
    return h;
}

/* ---- the compiler ---- */

static bool write_source(const char *path, const char *text) {
    if (setting_is_on(SETTING_TIER_DEBUG))
        fputs(text, stderr);
    FILE *f = fopen(path, "w");
    bool good = f && fputs(tier_prelude, f) >= 0 && fputs(text, f) >= 0;
    return f && fclose(f) == 0 && good;
}

/* The compiler runs on when this program ends first: the next run finds what it made. But when the program is killed,
 * it ends, too. A pipe distinguishes the cases, of which compilers have the read end: a program that ends normally
 * writes a line for each before it is closed. */
#define PIPE_AT        3
#define MOST_COMPILERS 64 /* at once */
static struct {
    pthread_once_t once;
    int read, write;
} lifeline = {PTHREAD_ONCE_INIT, -1, -1};

static void lifeline_make(void) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) == 0) {
        lifeline.read = ends[0];
        lifeline.write = ends[1];
    }
}

__attribute__((destructor)) static void program_ends(void) {
    char lines[MOST_COMPILERS];
    memset(lines, '\n', sizeof lines);
    if (lifeline.write >= 0 && write(lifeline.write, lines, sizeof lines) < 0)
        close(lifeline.write);
}

/* $1: the generated C; $2: the library to make; $3: its key; $4: time limit in seconds; $5: the compiler, or nothing.
 * The library's last line identifies it and shows that it is complete. */
static const char script[] =
    "unset LD_PRELOAD\n"
    "for cc in ${5:-" TIER_CC " gcc cc clang}; do command -v $cc >/dev/null 2>&1 && break; done\n"
    "command -v timeout >/dev/null && limit=\"timeout $4\"\n"
    "$limit nice -n 5 $cc -std=gnu11 -w -O3 -march=" TIER_MARCH " $($cc -march=" TIER_MARCH
    " -mprefer-vector-width=512 -xc -c -o "
    "/dev/null /dev/null 2>/dev/null && echo -mprefer-vector-width=512) -ffp-contract=off -fno-math-errno "
    "-fno-trapping-math "
    "-fno-strict-aliasing -fPIC -shared -o \"$1.so\" \"$1\" -lm & job=$!\n"
    "{ read -r line <&3 || kill $job; } 2>/dev/null & watch=$!\n"
    "wait $job && sum=$(cksum <\"$1.so\") && "
    "printf '\\nkernel %s %s\\n' \"$3\" \"$sum\" >>\"$1.so\" && mv \"$1.so\" \"$2\"\n"
    /* 124 is timeout's: not to be tried again */
    "result=$?; kill $watch 2>/dev/null; [ $result != 124 ] || : >\"${2%.so}.slow\"\n"
    "rm -f \"$1\" \"$1.so\"; exit $result\n";

void tier_compile(const char *source, const char *library, const char *key, int limit) {
    const char *compiler = setting_text(SETTING_CC);
    char seconds[16];
    pthread_once(&lifeline.once, lifeline_make);
    if (lifeline.read < 0)
        return;
    snprintf(seconds, sizeof seconds, "%d", limit);
    char *arguments[] = {"sh",
                         "-c",
                         (char *)(uintptr_t)script,
                         "sh",
                         (char *)(uintptr_t)source,
                         (char *)(uintptr_t)library,
                         (char *)(uintptr_t)key,
                         seconds,
                         (char *)(uintptr_t)(compiler ? compiler : ""),
                         NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
    if (!setting_is_on(SETTING_TIER_DEBUG))
        posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, lifeline.read, PIPE_AT);
#if __GLIBC_PREREQ(2, 34) /* a process that waits for the end of this program's pipe must not wait for the compiler */
    posix_spawn_file_actions_addclosefrom_np(&files, PIPE_AT + 1);
#endif
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none); /* a stream's thread has blocked all signals */
    pid_t child;
    int status;
    bool started = posix_spawn(&child, "/bin/sh", &files, &attributes, arguments, environ) == 0;
    while (started && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
}

/* ---- the loader ---- */

/* The sum that cksum prints. */
static uint32_t checksum(const uint8_t *data, size_t n) {
    uint32_t table[256], sum = 0;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i << 24;
        for (int bit = 0; bit < 8; bit++)
            c = c << 1 ^ (c >> 31 ? 0x04c11db7u : 0);
        table[i] = c;
    }
    for (size_t i = 0; i < n; i++)
        sum = sum << 8 ^ table[sum >> 24 ^ data[i]];
    for (size_t rest = n; rest; rest >>= 8)
        sum = sum << 8 ^ table[(sum >> 24 ^ rest) & 0xff];
    return ~sum;
}

/* The last line of a library: see the script. */
static bool vouched_for(const uint8_t *data, size_t size, const char *key) {
    char line[128] = "", of[CACHE_KEY];
    unsigned long sum, length;
    /* The line feed before the last line: that line is shorter than 128 characters. */
    const uint8_t *end = size > sizeof line ? memrchr(data + size - sizeof line, '\n', sizeof line - 1) : NULL;
    if (!end || data[size - 1] != '\n')
        return false;
    memcpy(line, end + 1, (size_t)(data + size - end - 1));
    return sscanf(line, "kernel %32s %lu %lu", of, &sum, &length) == 3 && strcmp(of, key) == 0 &&
           length == (size_t)(end - data) && checksum(data, length) == sum;
}

/* A library that is damaged or cut off could do anything, and crash the loader, too. */
static bool is_whole(const char *library, const char *key) {
    bool whole = false;
    struct stat s;
    int file = open(library, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && fstat(file, &s) == 0 && s.st_size > 0) {
        uint8_t *data = malloc((size_t)s.st_size);
        whole = data && read(file, data, (size_t)s.st_size) == s.st_size && vouched_for(data, (size_t)s.st_size, key);
        free(data);
    }
    if (file >= 0)
        close(file);
    return whole;
}

static tier_kernel load(const char *library, const char *key) {
    if (!is_whole(library, key))
        return NULL;
    cache_renew(library);
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    tier_kernel run = NULL;
    void *symbol = handle ? dlsym(handle, TIER_ENTRY) : NULL;
    memcpy(&run, &symbol, sizeof run);
    return run;
}

/* The library of the generated C `text`, from the cache; else, if it `may_compile`, from the compiler. */
static tier_kernel build(const char *text, bool may_compile) {
    static _Atomic unsigned count;
    char folder[3000], library[3100], source[3200], key[CACHE_KEY];
    if (!cache_folder(folder, sizeof folder))
        return NULL;
    uint64_t seed = hash_processor(CACHE_START);
    /* 128 bits from two passes with different seeds: the prelude, this kernel's C, and the script with its flags. */
    uint64_t low = cache_hash(cache_hash(seed, tier_prelude, strlen(tier_prelude)), text, strlen(text));
    uint64_t high = cache_hash(cache_hash(~low, text, strlen(text)), script, sizeof script);
    cache_key(key, high, low);
    snprintf(library, sizeof library, "%s/%s.so", folder, key);
    snprintf(source, sizeof source, "%s/%s.slow", folder, key);
    tier_kernel run = load(library, key);
    /* In the cache; or a compilation of it has taken too long before, and the kernel stays interpreted. */
    if (run || !may_compile || access(source, F_OK) == 0)
        return run;
    cache_prune(folder);
    snprintf(source, sizeof source, "%s/%s.%d.%u.c", folder, key, (int)getpid(), atomic_fetch_add(&count, 1));
    if (!write_source(source, text)) {
        unlink(source);
        return NULL;
    }
    tier_compile(source, library, key, MAX_SECONDS);
    return load(library, key);
}

/* ---- the background thread ---- */

struct job {
    char *text;
    struct tier *tier;
    bool may_compile;
    struct job *next;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work;
    struct job *first, **last;
    bool started;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, NULL, false};

static void *background(void *unused) {
    (void)unused;
    for (;;) {
        pthread_mutex_lock(&queue.lock);
        while (!queue.first)
            pthread_cond_wait(&queue.work, &queue.lock);
        struct job *job = queue.first;
        queue.first = job->next;
        pthread_mutex_unlock(&queue.lock);
        /* From here on warps that begin a turn run the compiled code (machine/warp.c, run). */
        if (!atomic_load(&job->tier->run))
            atomic_store(&job->tier->run, build(job->text, job->may_compile));
        tier_free(job->tier);
        free(job->text);
        free(job);
    }
    return NULL;
}

static void enqueue(char *text, struct tier *tier, bool may_compile) {
    struct job *job = or_out_of_memory(malloc(sizeof *job));
    *job = (struct job){text, tier, may_compile, NULL};
    atomic_fetch_add(&tier->owners, 1);
    pthread_mutex_lock(&queue.lock);
    if (!queue.first)
        queue.last = &queue.first;
    *queue.last = job;
    queue.last = &job->next;
    pthread_t thread;
    if (!queue.started && pthread_create(&thread, NULL, background, NULL) == 0) {
        pthread_detach(thread);
        queue.started = true;
    }
    pthread_cond_signal(&queue.work);
    pthread_mutex_unlock(&queue.lock);
}

/* ---- when ---- */

static struct tier *tier_of(const struct kernel *kernel, bool counted) {
    return counted ? kernel->counted_tier : kernel->tier;
}

void tier_launch(const struct kernel *kernel, bool counted) {
    struct tier *tier = tier_of(kernel, counted);
    if (mode() != TIER_ALWAYS || kernel->code.count > MAX_INSNS || atomic_exchange(&tier->asked, true))
        return;
    char *text = tier_translate(kernel, counted);
    atomic_store(&tier->run, build(text, true));
    free(text);
}

void tier_spent(const struct kernel *kernel, bool counted, uint64_t nanoseconds) {
    struct tier *tier = tier_of(kernel, counted);
    if (mode() != TIER_LONG || kernel->code.count > MAX_INSNS ||
        atomic_load_explicit(&tier->asked, memory_order_relaxed))
        return;
    uint64_t spent = atomic_fetch_add(&tier->spent, nanoseconds) + nanoseconds;
    if (spent > LOOK_UP_NS && !atomic_exchange(&tier->looked_up, true))
        enqueue(tier_translate(kernel, counted), tier, false);
    if (spent > WORTH_IT_NS + (uint64_t)kernel->code.count * WORTH_INSN && !atomic_load(&tier->run) &&
        !atomic_exchange(&tier->asked, true))
        enqueue(tier_translate(kernel, counted), tier, true);
}
