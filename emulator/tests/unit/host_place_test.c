/* Lines of host instructions: this program's own, which is compiled with -g, and damaged tables, which must not be read beyond their end. */
#include "base/host_place.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/host_line.h"

static int failures;
static uintptr_t here;

static void check(const char *name, bool right, const char *why) {
    if (right)
        printf("ok host place: %s\n", name);
    else
        printf("not ok host place: %s: %s\n", name, why);
    failures += !right;
}

__attribute__((noinline)) static void note_caller(void) {
    here = (uintptr_t)__builtin_return_address(0) - 1;
}

__attribute__((noinline)) static uint32_t called(void) {
    note_caller();
    return __LINE__ - 1;
}

static void own_lines(void) {
    struct host_place place;
    uint32_t line = called();
    check("a line of this program", host_place_find(here, &place) && place.line == line, "another line, or none");
    check("its file", strstr(place.file, "host_place_test.c") != NULL, place.file);
    check("its function", strcmp(place.function, "called") == 0, place.function);
    check("an address in no file", !host_place_find(16, &place) && !place.line, "something was found");
}

/* A function of the C library, which has no lines. */
static void library(void) {
    struct host_place place;
    bool found = host_place_find((uintptr_t)&strtoul, &place);
    check("a function of a library", found && place.function[0], "no name");
}

/* Copies of this program's table, each with a few bytes changed. */
static void damaged(void) {
    struct stat status;
    int file = open("/proc/self/exe", O_RDONLY);
    const uint8_t *program = NULL;
    if (fstat(file, &status) == 0)
        program = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    struct host_object whole = {program, (size_t)status.st_size};
    size_t bytes = 0;
    const uint8_t *lines = host_object_section(&whole, ".debug_line", &bytes);
    check("this program has lines", lines && bytes > 1000, "it has none");
    uint8_t *copy = malloc(whole.size);
    uint32_t line;
    char name[100];
    srand(1);
    for (int trial = 0; copy && lines && trial < 400; trial++) {
        memcpy(copy, program, whole.size);
        for (int i = 0; i < 20; i++)
            copy[(size_t)(lines - program) + (size_t)rand() % (trial % 2 ? bytes : 300)] = (uint8_t)rand();
        host_line_find(&(struct host_object){copy, whole.size}, (uint64_t)rand(), name, sizeof name, &line);
    }
    check("a file that ends too early",
          !host_object_section(&(struct host_object){program, 100}, ".debug_line", &bytes), "a section was found");
    free(copy);
    munmap((void *)(uintptr_t)program, whole.size);
    check("damaged tables end", true, "");
}

int main(void) {
    own_lines();
    library();
    damaged();
    return failures != 0;
}
