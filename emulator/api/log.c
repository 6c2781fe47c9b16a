/* The log of errors: the last messages, in the form of NVIDIA's driver, for cudaLogs... functions and for callbacks. */
#include "api/log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MESSAGES 100
#define LENGTH   256 /* of a message, with its zero */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char messages[MESSAGES][LENGTH];
static unsigned next_message; /* counts all messages so far; the newest MESSAGES of them are stored here */

#if CUDART_VERSION >= 13000
struct listener {
    cudaLogsCallback_t function;
    void *data;
    struct listener *next;
};
static struct listener *listeners;

/* Listeners may log, too, or unregister: they are called without the lock, from a copy. */
static void tell(const char *text) {
    struct listener copy[16];
    int count = 0;
    pthread_mutex_lock(&lock);
    for (const struct listener *l = listeners; l && count < 16; l = l->next)
        copy[count++] = *l;
    pthread_mutex_unlock(&lock);
    char message[LENGTH];
    for (int i = 0; i < count; i++) {
        snprintf(message, sizeof message, "%s", text);
        copy[i].function(copy[i].data, cudaLogLevelError, message, strlen(message));
    }
}
#else
static void tell(const char *text) {
    (void)text;
}
#endif

void log_message(const char *text) {
    struct timespec t;
    struct tm local;
    clock_gettime(CLOCK_REALTIME, &t);
    localtime_r(&t.tv_sec, &local);
    pthread_mutex_lock(&lock);
    char *to = messages[next_message++ % MESSAGES];
    size_t used = strftime(to, LENGTH, "[%H:%M:%S", &local);
    snprintf(to + used, LENGTH - used, ".%03ld][%ld][CUDA][E] %s", t.tv_nsec / 1000000, (long)syscall(SYS_gettid),
             text);
    pthread_mutex_unlock(&lock);
    tell(text);
}

void log_error(cudaError_t error) {
    char text[100];
    snprintf(text, sizeof text, "Returning %d (%s)", (int)error, cudaGetErrorName(error));
    log_message(text);
}

#if CUDART_VERSION >= 13000
/* The first message from `from` on that is still here. With the lock. */
static unsigned first_kept(unsigned from) {
    unsigned oldest = next_message > MESSAGES ? next_message - MESSAGES : 0;
    return from < oldest || from > next_message ? oldest : from;
}

cudaError_t cudaLogsCurrent(cudaLogIterator *out, unsigned flags) {
    (void)flags;
    if (!out)
        return state_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    *out = next_message;
    pthread_mutex_unlock(&lock);
    return cudaSuccess;
}

/* When there is no room for all messages, the newest are returned. */
cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer, size_t *size, unsigned flags) {
    if (!buffer || !size || !*size || flags)
        return state_return(cudaErrorInvalidValue);
    size_t room = *size - 1, used = 0;
    pthread_mutex_lock(&lock);
    unsigned first = first_kept(iterator ? *iterator : 0), from = next_message;
    size_t bytes = 0;
    while (from > first && bytes + strlen(messages[(from - 1) % MESSAGES]) + 1 <= room)
        bytes += strlen(messages[--from % MESSAGES]) + 1;
    bool none_fits = first < next_message && from == next_message;
    for (unsigned i = from; i < next_message; i++)
        used += (size_t)sprintf(buffer + used, "%s\n", messages[i % MESSAGES]);
    if (iterator && !none_fits)
        *iterator = next_message;
    pthread_mutex_unlock(&lock);
    buffer[used] = '\0';
    *size = used;
    return none_fits ? state_refuse(__func__, cudaErrorInvalidValue, "The buffer has no room for a single message.")
                     : cudaSuccess;
}

cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *path, unsigned flags) {
    FILE *file = path && !flags ? fopen(path, "we") : NULL;
    if (!file)
        return state_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    for (unsigned i = first_kept(iterator ? *iterator : 0); i < next_message; i++)
        fprintf(file, "%s\n", messages[i % MESSAGES]);
    if (iterator)
        *iterator = next_message;
    pthread_mutex_unlock(&lock);
    fclose(file);
    return cudaSuccess;
}

cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t function, void *data, cudaLogsCallbackHandle *out) {
    struct listener *l = function && out ? malloc(sizeof *l) : NULL;
    if (!l)
        return state_return(cudaErrorInvalidValue);
    pthread_mutex_lock(&lock);
    *l = (struct listener){function, data, listeners};
    listeners = l;
    pthread_mutex_unlock(&lock);
    *out = (cudaLogsCallbackHandle)(void *)l;
    return cudaSuccess;
}

cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle handle) {
    struct listener *found = NULL;
    pthread_mutex_lock(&lock);
    for (struct listener **link = &listeners; *link && !found; link = &(*link)->next)
        if ((void *)*link == (void *)handle) {
            found = *link;
            *link = found->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    free(found);
    return found ? cudaSuccess : state_return(cudaErrorInvalidValue);
}
#endif
