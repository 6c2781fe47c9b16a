/* The address space and the table of allocations. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory/memory.h"

static int failures;

static void check(const char *name, bool good) {
    printf(good ? "ok %s\n" : "not ok %s: see tests/unit/memory_test.c\n", name);
    failures += !good;
}

static struct allocation *device_memory(size_t size) {
    return memory_allocate(size, 0, MEMORY_DEVICE, 0, NULL);
}

static void test_addresses(void) {
    struct allocation *a = device_memory(1), *b = device_memory(256), *c = device_memory(1000);
    check("addresses/aligned", a->base % 256 == 0 && b->base % 256 == 0 && c->base % 256 == 0);
    check("addresses/apart", b->base - a->base >= 512 && c->base - b->base >= 512);
    check("addresses/room_after", b->base + 256 + 256 <= c->base);
    struct allocation *wide = memory_allocate(100, 4096, MEMORY_VARIABLE, 0, "v");
    check("addresses/alignment_asked_for", wide->base % 4096 == 0);
    struct allocation *text = memory_allocate(24, 1, MEMORY_VARIABLE, 0, "__unnamed_1");
    check("addresses/a_printf's_text_is_nobody's_neighbour",
          memory_nearest(text->base + 30) != text && memory_nearest(wide->base + 110) == wide);
    check("addresses/ids_count", b->id == a->id + 1 && c->id == b->id + 1);
    check("addresses/device_range", memory_is_device_range(a->base) && !memory_is_device_range((uintptr_t)&a));
    uint64_t base = a->base;
    memory_free(base);
    bool reused = false;
    for (int i = 0; i < 1000; i++) {
        struct allocation *again = device_memory(1);
        reused |= again->base == base;
        memory_free(again->base);
    }
    check("addresses/not_reused", !reused);
    memory_free(b->base), memory_free(c->base), memory_free(wide->base);
}

static bool all_are(const uint8_t *bytes, size_t n, uint8_t value) {
    return n == 0 || (bytes[0] == value && memcmp(bytes, bytes + 1, n - 1) == 0);
}

static void test_contents(void) {
    struct allocation *a = device_memory(10000), *m = memory_allocate(5000, 0, MEMORY_MANAGED, 0, NULL);
    struct allocation *p = memory_allocate(5000, 0, MEMORY_PINNED, 0, NULL);
    struct allocation *v = memory_allocate(64, 0, MEMORY_VARIABLE, 0, "v");
    struct allocation *c = memory_allocate(64, 0, MEMORY_CONSTANT, 0, "c");
    check("contents/device_poisoned", all_are(a->host, a->size, 0xff));
    check("contents/managed_zero", all_are(m->host, m->size, 0));
    check("contents/variable_zero", all_are(v->host, v->size, 0));
    check("contents/device_elsewhere", (uintptr_t)a->host != a->base);
    check("contents/managed_in_place", (uintptr_t)m->host == m->base && (uintptr_t)p->host == p->base);
    check("contents/constant_read_only", c->read_only && !v->read_only);
    memset((void *)(uintptr_t)p->base, 7, p->size);
    check("contents/pinned_shared", memory_translate(p->base + 4999, 1)[0] == 7);
    uint64_t freed[] = {a->base, m->base, p->base, v->base, c->base};
    for (int i = 0; i < 5; i++)
        check("contents/freed", memory_free(freed[i]) == MEMORY_FREED);
}

static void test_lookup(void) {
    struct allocation *a = device_memory(1000), *b = device_memory(1000);
    check("lookup/first_byte", memory_find(a->base) == a);
    check("lookup/last_byte", memory_find(a->base + 999) == a);
    check("lookup/past_the_end", memory_find(a->base + 1000) == NULL);
    check("lookup/before", memory_find(a->base - 1) != a);
    check("lookup/null", memory_find(0) == NULL && memory_find(UINT64_MAX) == NULL);
    check("lookup/nearest_after", memory_nearest(a->base + 1000) == a);
    check("lookup/nearest_before", memory_nearest(b->base - 1) == b);
    check("lookup/whole", memory_translate(a->base, 1000) == a->host);
    check("lookup/straddling", memory_translate(a->base + 998, 4) == NULL);
    check("lookup/overflow", memory_translate(a->base + 8, UINT64_MAX - 4) == NULL);
    uint64_t base = a->base;
    check("free/inside", memory_free(base + 4) == MEMORY_NOT_A_BASE);
    check("free/base", memory_free(base) == MEMORY_FREED);
    check("free/twice", memory_free(base) == MEMORY_ALREADY_FREED);
    check("free/unknown", memory_free((uintptr_t)&a) == MEMORY_UNKNOWN);
    check("free/still_known", memory_find(base + 10) == a && a->limit == 0 && a->size == 1000);
    check("free/not_readable", memory_translate(base, 4) == NULL);
    check("free/nearest_is_live", memory_nearest(base + 10) != a);
    memory_free(b->base);
}

static void count_live(const struct allocation *a, void *count) {
    (void)a;
    ++*(int *)count;
}

static void test_accounts(void) {
    size_t before = memory_free_bytes(0);
    check("accounts/total", memory_total() >= ((size_t)1 << 20) && before <= memory_total());
    struct allocation *a = device_memory(12345);
    int live = 0;
    memory_each_live(count_live, &live);
    check("accounts/used", memory_free_bytes(0) == before - 12345);
    check("accounts/live", live == 1);
    memory_free(a->base);
    check("accounts/returned", memory_free_bytes(0) == before);
    check("accounts/too_much", device_memory(memory_total() + 1) == NULL && device_memory(SIZE_MAX) == NULL);
    check("accounts/nothing", device_memory(0) == NULL);
    struct allocation *empty = memory_allocate(0, 0, MEMORY_VARIABLE, 0, "empty");
    check("accounts/empty_variable", empty && memory_find(empty->base) == NULL);
}

static long resident_bytes(void) {
    long pages = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &pages, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident * sysconf(_SC_PAGESIZE);
}

static void test_pages_returned(void) {
    long before = resident_bytes();
    for (int i = 0; i < 100; i++) {
        struct allocation *a = device_memory(4 << 20);
        memory_free(a->base);
    }
    check("pages/large_returned", resident_bytes() - before < 32 << 20);
    for (int i = 0; i < 100000; i++) {
        struct allocation *a = device_memory(700);
        memory_free(a->base);
    }
    check("pages/small_returned", resident_bytes() - before < 64 << 20);
}

/* Beyond 2 GiB, and filled without touching every page. */
static void test_huge(void) {
    size_t size = ((size_t)5 << 29) + 12345; /* 2.5 GiB and a bit */
    if (memory_free_bytes(0) < size) {
        printf("skip huge: the machine has less than 5 GiB of memory\n");
        return;
    }
    long before = resident_bytes();
    struct allocation *a = device_memory(size);
    check("huge/allocated", a != NULL);
    check("huge/cheap", resident_bytes() - before < (long)(size / 8));
    uint8_t *last = memory_translate(a->base + size - 8, 8);
    check("huge/poisoned", last && all_are(last, 8, 0xff) && all_are(a->host + size / 2, 4096, 0xff));
    memset(last, 1, 8);
    check("huge/written", all_are(a->host + size - 8, 8, 1));
    memory_free(a->base);
}

static bool taken; /* what memory_register says of an overlap */

static void test_registered(void) {
    static char buffer[8192];
    struct allocation *a = memory_register(buffer + 1024, 4096, 0, &taken);
    check("registered/found", memory_find((uintptr_t)buffer + 2000) == a);
    check("registered/outside", memory_find((uintptr_t)buffer) == NULL);
    check("registered/overlap", memory_register(buffer + 2000, 100, 0, &taken) == NULL &&
                                    memory_register(buffer, sizeof buffer, 0, &taken) == NULL && taken);
    struct allocation *b = memory_register(buffer, 1024, 0, &taken);
    check("registered/beside", b && memory_find((uintptr_t)buffer + 1023) == b);
    check("registered/ended", memory_free((uintptr_t)buffer + 1024) == MEMORY_FREED);
    check("registered/forgotten", memory_find((uintptr_t)buffer + 2000) == NULL);
    check("registered/content_stays", buffer[1024] == 0);
    check("registered/again", memory_register(buffer + 1024, 4096, 0, &taken) != NULL);
    memory_free((uintptr_t)buffer), memory_free((uintptr_t)buffer + 1024);
}

static _Atomic bool done;
static struct allocation *anchor;

static void *read_without_end(void *wrong) {
    while (!atomic_load(&done))
        if (memory_find(anchor->base + 10) != anchor)
            atomic_fetch_add((_Atomic int *)wrong, 1);
    return NULL;
}

static void test_readers(void) {
    _Atomic int wrong = 0;
    pthread_t reader;
    static char registered[64 * 256];
    anchor = device_memory(100);
    pthread_create(&reader, NULL, read_without_end, (void *)&wrong);
    for (int i = 0; i < 3000; i++) {
        struct allocation *a = device_memory(16);
        memory_register(registered + 64 * (i % 256), 64, 0, &taken);
        memory_free((uintptr_t)registered + 64 * ((i + 128) % 256));
        if (i % 3)
            memory_free(a->base);
    }
    atomic_store(&done, true);
    pthread_join(reader, NULL);
    check("readers/never_wrong", wrong == 0);
}

/* Runs a piece in a child; returns its wait status. */
static int in_child(void (*piece)(void)) {
    int status;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        piece();
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status;
}

#if !defined(__SANITIZE_ADDRESS__) /* which needs terabytes of addresses for itself */
/* Under a limit of addresses there is no room to leave freed addresses unused. */
static void limited(void) {
    struct rlimit limit = {(rlim_t)2 << 30, (rlim_t)2 << 30};
    setrlimit(RLIMIT_AS, &limit);
    size_t size = memory_total() / 4;
    struct allocation *kept = device_memory(1000);
    for (int i = 0; i < 40; i++) {
        struct allocation *a = device_memory(size);
        if (!a || memory_find(a->base + size - 1) != a || !all_are(a->host, 4096, 0xff))
            _exit(1);
        memset(a->host, i, size);
        uint64_t base = a->base;
        if (memory_free(base) != MEMORY_FREED || memory_find(kept->base) != kept)
            _exit(2);
    }
}
#endif

static int message_pipe[2];

static void expect_message(const char *name, void (*piece)(void), const char *words) {
    char text[4096];
    if (pipe(message_pipe) != 0)
        return;
    int status = in_child(piece);
    close(message_pipe[1]);
    ssize_t n = read(message_pipe[0], text, sizeof text - 1);
    text[n > 0 ? n : 0] = '\0';
    close(message_pipe[0]);
    bool good = WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV && strstr(text, words);
    check(name, good);
    if (!good)
        fprintf(stderr, "%s: status %x, said:\n%s", name, status, text);
}

/* Not inlined in any build: the report names the function that faults. */
static __attribute__((noinline)) void follow(uint64_t address, bool write) {
    dup2(message_pipe[1], STDERR_FILENO);
    close(message_pipe[0]), close(message_pipe[1]);
    memory_guard_install();
    volatile char *p = (volatile char *)(uintptr_t)address;
    if (write)
        *p = 1;
    else
        (void)*p;
}

static void read_device(void) {
    follow(device_memory(400)->base + 40, false);
}
static void write_device(void) {
    follow(device_memory(400)->base + 40, true);
}
static void use_freed_pinned(void) {
    struct allocation *a = memory_allocate(400, 0, MEMORY_PINNED, 0, NULL);
    memory_free(a->base);
    follow(a->base, true);
}
static void overrun_managed(void) {
    follow(memory_allocate(4096, 0, MEMORY_MANAGED, 0, NULL)->base + 4096, true);
}

static void test_host_faults(void) {
    expect_message("fault/read", read_device, "cannot read device memory");
    expect_message("fault/write", write_device, "cannot write device memory");
    expect_message("fault/inside", write_device, "inside the nearest allocation");
    expect_message("fault/freed_pinned", use_freed_pinned, "has been freed");
    expect_message("fault/overrun", overrun_managed, "1 bytes after the nearest allocation");
    expect_message("fault/function", read_device, "in follow");
#if !defined(__SANITIZE_ADDRESS__)
    int status = in_child(limited);
    check("limited/addresses_reused", WIFEXITED(status) && WEXITSTATUS(status) == 0);
#endif
}

int main(void) {
    test_host_faults(); /* first: the children must find the address space not yet reserved */
    test_accounts();
    test_addresses();
    test_contents();
    test_lookup();
    test_pages_returned();
    test_huge();
    test_registered();
    test_readers();
    return failures != 0;
}
