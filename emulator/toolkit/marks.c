#include "toolkit/marks.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct mark {
    const void *program;
    struct mark *next;
} * marks;

/* With the lock: where the pointer to its mark is, or would be. */
static struct mark **place_of(const void *program) {
    struct mark **at = &marks;
    while (*at && (*at)->program != program)
        at = &(*at)->next;
    return at;
}

/* Without memory a program stays unmarked: it then has no result, which is an error of its user's next call. */
void marks_set(const void *program, bool marked) {
    pthread_mutex_lock(&lock);
    struct mark **at = place_of(program), *old = *at;
    if (old && !marked) {
        *at = old->next;
        free(old);
    } else if (!old && marked && (*at = malloc(sizeof **at))) {
        **at = (struct mark){program, NULL};
    }
    pthread_mutex_unlock(&lock);
}

bool marks_has(const void *program) {
    pthread_mutex_lock(&lock);
    bool has = *place_of(program) != NULL;
    pthread_mutex_unlock(&lock);
    return has;
}
