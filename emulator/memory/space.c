/* Reserves three ranges of addresses in one piece: device addresses D, the backing B of those, and shared addresses S.
 *
 *   D  the addresses that programs see as device pointers. PROT_NONE forever: host code that follows one faults.
 *   B  D + delta: where the bytes of device memory are. Opened (made accessible) from the bottom up.
 *   S  managed and pinned memory: one address for host and kernel. Opened and closed page by page.
 *
 * Reserving costs no memory, so the ranges are far larger than the machine's memory and an address need not be reused:
 * a stale pointer stays recognisable. Where the host limits addresses (ulimit -v), the ranges shrink. */
#include "memory/space.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

#define LARGEST_RANGE  (1024 * GIB)
#define SMALLEST_RANGE (64 * MIB)
#define HUGE_PAGE      (2 * MIB)
#define OPEN_STEP      (4 * MIB)   /* so that small allocations do not cost a system call each */
#define HUGE_FROM      (4 * MIB)   /* allocations of this size or more request huge pages */
#define LAZY_FROM      (512 * MIB) /* and from here on get their fill on first touch */
#define PATTERN_BYTES  (16 * MIB)

static struct space_range device, shared;
static uint64_t delta;
static uint64_t opened; /* end of the accessible part of the device range (as a device address) */
static bool reserved;
static pthread_once_t once = PTHREAD_ONCE_INIT;

size_t space_page(void) {
    static size_t page;
    if (!page)
        page = (size_t)sysconf(_SC_PAGESIZE);
    return page;
}

static uint64_t round_up(uint64_t n, uint64_t to) {
    return (n + to - 1) / to * to;
}

static uint64_t address_limit(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    return limit.rlim_cur;
}

static void reserve(void) {
    uint64_t range = LARGEST_RANGE;
    uint64_t limit = address_limit();
    /* Under a limit take at most three quarters of it: the program and its threads also need addresses. */
    while (range >= SMALLEST_RANGE && (limit != UINT64_MAX && 3 * range > limit / 4 * 3))
        range /= 2;
    for (; range >= SMALLEST_RANGE; range /= 2) {
        uint64_t bytes = 3 * range + HUGE_PAGE;
        void *at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            continue;
        uint64_t start = round_up((uint64_t)(uintptr_t)at, HUGE_PAGE);
        delta = range;
        opened = start;
        device = (struct space_range){start, start + range};
        shared = (struct space_range){start + 2 * range, start + 3 * range};
        reserved = true;
        return;
    }
}

bool space_reserve(void) {
    pthread_once(&once, reserve);
    return reserved;
}

struct space_range space_device(void) {
    return device;
}
struct space_range space_shared(void) {
    return shared;
}
struct space_range space_all(void) {
    return (struct space_range){device.start, shared.end};
}
uint8_t *space_backing(uint64_t address) {
    return (uint8_t *)(uintptr_t)(address + delta);
}

/* A file in memory that holds nothing but the fill, or -1. Mapped privately again and again it gives a large allocation
 * its fill without touching a page: the host copies a page when it is first written. */
static int pattern_file(uint8_t fill) {
    static int file = -2;
    static uint8_t filled_with;
    if (file != -2)
        return fill == filled_with ? file : -1;
    file = memfd_create("device memory fill", MFD_CLOEXEC);
    filled_with = fill;
    if (file < 0)
        return file;
    uint8_t *at = MAP_FAILED;
    if (ftruncate(file, PATTERN_BYTES) == 0)
        at = mmap(NULL, PATTERN_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (at == MAP_FAILED) {
        close(file);
        return file = -1;
    }
    memset(at, fill, PATTERN_BYTES);
    munmap(at, PATTERN_BYTES);
    return file;
}

/* Maps the pattern over whole pages of [at, at + size) and returns how many bytes are done. */
static size_t fill_lazily(uint8_t *at, size_t size, uint8_t fill) {
    int file = pattern_file(fill);
    if (file < 0)
        return 0;
    size_t done = 0;
    while (size - done >= PATTERN_BYTES) {
        void *got =
            mmap(at + done, PATTERN_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, file, 0);
        if (got == MAP_FAILED)
            break;
        done += PATTERN_BYTES;
    }
    return done;
}

static void fill_bytes(uint8_t *at, size_t size, uint8_t fill) {
    if (size >= HUGE_FROM) {
        uint64_t first = round_up((uint64_t)(uintptr_t)at, HUGE_PAGE);
        uint64_t last = ((uint64_t)(uintptr_t)at + size) / HUGE_PAGE * HUGE_PAGE;
        if (size >= LAZY_FROM) {
            size_t head = first - (uint64_t)(uintptr_t)at;
            memset(at, fill, head);
            at += head;
            size -= head;
            size_t done = fill_lazily(at, size, fill);
            at += done;
            size -= done;
        } else if (last > first) {
            madvise((void *)(uintptr_t)first, last - first, MADV_HUGEPAGE);
        }
    }
    memset(at, fill, size);
}

bool space_device_open(uint64_t address, size_t size, uint8_t fill) {
    uint64_t end = address + size;
    if (end > opened) {
        uint64_t new_end = round_up(end, OPEN_STEP);
        if (new_end > device.end)
            new_end = device.end;
        if (mprotect(space_backing(opened), new_end - opened, PROT_READ | PROT_WRITE) != 0)
            return false;
        opened = new_end;
    }
    fill_bytes(space_backing(address), size, fill);
    return true;
}

/* Fresh anonymous pages in place of the current mapping. */
static void map_anew(uint8_t *at, size_t size, int protection) {
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (mmap(at, size, protection, flags, -1, 0) == MAP_FAILED)
        madvise(at, size, MADV_DONTNEED);
}

void space_device_discard(uint64_t start, uint64_t end) {
    uint64_t page = space_page();
    start = round_up(start, page);
    end = end / page * page;
    if (start >= end)
        return;
    if (end - start >= LAZY_FROM)
        map_anew(space_backing(start), end - start, PROT_READ | PROT_WRITE);
    else
        madvise(space_backing(start), end - start, MADV_DONTNEED);
}

bool space_device_map(uint64_t address, size_t size, int file, uint64_t offset) {
    int flags = MAP_SHARED | MAP_FIXED;
    return mmap(space_backing(address), size, PROT_READ | PROT_WRITE, flags, file, (off_t)offset) != MAP_FAILED;
}

void space_device_unmap(uint64_t address, size_t size) {
    map_anew(space_backing(address), size, PROT_READ | PROT_WRITE);
}

bool space_shared_open(uint64_t address, size_t size, uint8_t fill) {
    uint8_t *at = (uint8_t *)(uintptr_t)address;
    size_t bytes = round_up(size, space_page());
    if (mprotect(at, bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    fill_bytes(at, bytes, fill);
    return true;
}

void space_shared_close(uint64_t address, size_t size) {
    uint8_t *at = (uint8_t *)(uintptr_t)address;
    size_t bytes = round_up(size, space_page());
    map_anew(at, bytes, PROT_NONE);
    mprotect(at, bytes, PROT_NONE);
}

/* A number of bytes from a one-line file; UINT64_MAX when there is none ("max", or no such file). */
static uint64_t read_limit(const char *path) {
    FILE *file = fopen(path, "re");
    if (!file)
        return UINT64_MAX;
    unsigned long long bytes;
    if (fscanf(file, "%llu", &bytes) != 1)
        bytes = UINT64_MAX;
    fclose(file);
    return bytes;
}

/* The limit of our control group, for hosts that do not give a container its own view of /sys/fs/cgroup. */
static uint64_t group_limit(void) {
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return UINT64_MAX;
    uint64_t least = UINT64_MAX;
    char line[512], path[640];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "0::/", 4) != 0)
            continue;
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", line + 3);
        least = read_limit(path);
    }
    fclose(file);
    return least;
}

size_t space_machine_memory(void) {
    uint64_t bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * space_page();
    const uint64_t limits[] = {
        read_limit("/sys/fs/cgroup/memory.max"),
        read_limit("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        group_limit(),
        address_limit(),
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i] < bytes)
            bytes = limits[i];
    return bytes;
}
