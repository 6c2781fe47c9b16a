/* timeline.h - draws which operation of a pipeline is done when, or must come after which.
 *
 *     timeline_start(&timeline, TIMELINE_ORDER or TIMELINE_TIMES);    from now on operations are noted, in this timeline
 *     timeline_begin("in", chunk, stream);                             around each operation that is to be seen
 *     CUDA_CHECK(cudaMemcpyAsync(..., stream));
 *     timeline_end(stream);
 *     timeline_stop();                                                  then
 *     timeline_print(&timeline, "pipeline3");
 *
 * While none is started, begin and end do nothing. A row of the picture is a stream.
 *
 * TIMELINE_TIMES, for a GPU: an event before and one behind each operation. The picture has the times between them.
 *
 * TIMELINE_ORDER has no times. Between timeline_start and timeline_stop the calls are captured: CUDA notes them in a graph
 * and executes none of them. The edges of that graph are the order that streams and events force. An operation stands in the
 * first column behind all those that it has to wait for. So two in one column may be done at the same time, and two in one
 * row, or joined by events, may not. What is not captured stands behind all that came before: the host has waited for that. */
#ifndef LESSONS_LESSON22_STREAMS_TIMELINE_H
#define LESSONS_LESSON22_STREAMS_TIMELINE_H

#include <string.h>

#include "../../common/check.h"

enum { TIMELINE_MOST = 2048, TIMELINE_STREAMS = 8, TIMELINE_EDGES = 16, TIMELINE_COLUMNS = 96 };
enum timeline_kind { TIMELINE_ORDER, TIMELINE_TIMES };

struct timeline_operation {
    const char *what;
    int chunk, row;
    float from, to; /* steps, or milliseconds */
    cudaGraphNode_t node;
    cudaEvent_t begin, end;
};

struct timeline {
    enum timeline_kind kind;
    int count, rows;
    cudaStream_t stream[TIMELINE_STREAMS];
    struct timeline_operation operation[TIMELINE_MOST];
};

static struct timeline *timeline_now; /* the one that is being made, or NULL */

static inline void timeline_start(struct timeline *t, enum timeline_kind kind) {
    memset(t, 0, sizeof *t);
    t->kind = kind;
    timeline_now = t;
}

// ---------------------------------------------------------------- the order, from a capture

/* What a captured stream's next operation would have to wait for: *nodes, and how many. 0 if it is not being captured. */
static inline size_t timeline_last_nodes(cudaStream_t stream, const cudaGraphNode_t **nodes) {
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    size_t count = 0;
#if CUDART_VERSION >= 13000
    CUDA_CHECK(cudaStreamGetCaptureInfo(stream, &status, NULL, NULL, nodes, NULL, &count));
#else
    CUDA_CHECK(cudaStreamGetCaptureInfo_v2(stream, &status, NULL, NULL, nodes, &count));
#endif
    return status == cudaStreamCaptureStatusActive ? count : 0;
}

static inline size_t timeline_before(cudaGraphNode_t node, cudaGraphNode_t *before) {
    size_t count = TIMELINE_EDGES;
#if CUDART_VERSION >= 13000
    CUDA_CHECK(cudaGraphNodeGetDependencies(node, before, NULL, &count));
#else
    CUDA_CHECK(cudaGraphNodeGetDependencies(node, before, &count));
#endif
    return count;
}

/* The step in which a node is done, if all come as early as they can. One that is not drawn takes no step. */
static inline float timeline_step_of(const struct timeline *t, cudaGraphNode_t node) {
    cudaGraphNode_t before[TIMELINE_EDGES];
    float latest = 0;
    for (int k = 0; k < t->count; k++) {
        if (t->operation[k].node == node) {
            return t->operation[k].to;
        }
    }
    for (size_t k = timeline_before(node, before); k-- > 0;) {
        float step = timeline_step_of(t, before[k]);
        latest = step > latest ? step : latest;
    }
    return latest;
}

static inline void timeline_note_order(struct timeline *t, struct timeline_operation *o, cudaStream_t stream) {
    const cudaGraphNode_t *last = NULL;
    cudaGraphNode_t before[TIMELINE_EDGES];
    float latest = 0;
    if (timeline_last_nodes(stream, &last) == 0) { /* the host has waited for all that came before */
        for (int k = 0; k < t->count; k++) {
            latest = t->operation[k].to > latest ? t->operation[k].to : latest;
        }
    } else {
        o->node = last[0];
        for (size_t k = timeline_before(o->node, before); k-- > 0;) {
            float step = timeline_step_of(t, before[k]);
            latest = step > latest ? step : latest;
        }
    }
    o->from = latest;
    o->to = latest + 1;
}

// ---------------------------------------------------------------- noting

static inline int timeline_row(struct timeline *t, cudaStream_t stream) {
    int row = 0;
    while (row < t->rows && t->stream[row] != stream) {
        row++;
    }
    if (row == t->rows && t->rows < TIMELINE_STREAMS) {
        t->stream[t->rows++] = stream;
    }
    return row < TIMELINE_STREAMS ? row : TIMELINE_STREAMS - 1;
}

static inline cudaEvent_t timeline_event(cudaStream_t stream) {
    cudaEvent_t event;
    CUDA_CHECK(cudaEventCreate(&event));
    CUDA_CHECK(cudaEventRecord(event, stream));
    return event;
}

static inline void timeline_begin(const char *what, int chunk, cudaStream_t stream) {
    struct timeline *t = timeline_now;
    if (!t || t->count == TIMELINE_MOST) {
        return;
    }
    struct timeline_operation *o = &t->operation[t->count];
    o->what = what;
    o->chunk = chunk;
    o->row = timeline_row(t, stream);
    if (t->kind == TIMELINE_TIMES) {
        o->begin = timeline_event(stream);
    }
}

static inline void timeline_end(cudaStream_t stream) {
    struct timeline *t = timeline_now;
    if (!t || t->count == TIMELINE_MOST) {
        return;
    }
    struct timeline_operation *o = &t->operation[t->count];
    if (t->kind == TIMELINE_TIMES) {
        o->end = timeline_event(stream);
    } else {
        timeline_note_order(t, o, stream);
    }
    t->count++;
}

/* Waits for the device, if there are times to fetch. */
static inline void timeline_stop(void) {
    struct timeline *t = timeline_now;
    timeline_now = NULL;
    if (t->kind != TIMELINE_TIMES || t->count == 0) {
        return;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int k = 0; k < t->count; k++) { /* the first operation that is noted is the first that is done */
        struct timeline_operation *o = &t->operation[k];
        CUDA_CHECK(cudaEventElapsedTime(&o->from, t->operation[0].begin, o->begin));
        CUDA_CHECK(cudaEventElapsedTime(&o->to, t->operation[0].begin, o->end));
    }
    for (int k = 0; k < t->count; k++) {
        CUDA_CHECK(cudaEventDestroy(t->operation[k].begin));
        CUDA_CHECK(cudaEventDestroy(t->operation[k].end));
    }
}

/* The last step, or the time at which all is done. */
static inline float timeline_length(const struct timeline *t) {
    float latest = 0;
    for (int k = 0; k < t->count; k++) {
        latest = t->operation[k].to > latest ? t->operation[k].to : latest;
    }
    return latest;
}

// ---------------------------------------------------------------- drawing

/* A row of text: each operation is [in0    ], as long as it lasts. */
static inline void timeline_print_row(const struct timeline *t, int row, float scale) {
    char line[TIMELINE_COLUMNS + 2], label[24];
    memset(line, ' ', sizeof line);
    line[TIMELINE_COLUMNS + 1] = 0;
    for (int k = 0; k < t->count; k++) {
        const struct timeline_operation *o = &t->operation[k];
        int from = (int)(o->from * scale), to = (int)(o->to * scale) - 1;
        if (o->row != row || from >= TIMELINE_COLUMNS) {
            continue;
        }
        to = to > TIMELINE_COLUMNS ? TIMELINE_COLUMNS : to;
        snprintf(label, sizeof label, "%s%d", o->what, o->chunk);
        line[from] = '[';
        for (int c = from + 1; c < to; c++) {
            size_t k = (size_t)(c - from - 1);
            line[c] = k < strlen(label) ? label[k] : '.';
        }
        if (to > from) {
            line[to] = ']';
        }
    }
    for (int c = TIMELINE_COLUMNS; c >= 0 && line[c] == ' '; c--) {
        line[c] = 0;
    }
    printf("  stream %d  %s\n", row, line);
}

/* One line for each operation goes to the file that TIMELINE names, for timeline.sh, which makes a picture of it. */
static inline void timeline_write(const struct timeline *t, const char *name) {
    const char *path = getenv("TIMELINE");
    FILE *file = path && *path ? fopen(path, "w") : NULL;
    if (!file) {
        return;
    }
    fprintf(file, "title %s\nunit %s\n", name, t->kind == TIMELINE_ORDER ? "step" : "ms");
    for (int k = 0; k < t->count; k++) {
        const struct timeline_operation *o = &t->operation[k];
        fprintf(file, "%s %d %d %.6g %.6g\n", o->what, o->chunk, o->row, o->from, o->to);
    }
    fclose(file);
}

/* The same as rows of data, where a GPU has measured it. */
static inline void timeline_record(const struct timeline *t) {
    char name[24];
    record_part("timeline");
    for (int k = 0; k < t->count; k++) {
        const struct timeline_operation *o = &t->operation[k];
        snprintf(name, sizeof name, "%s %d", o->what, o->chunk);
        record_row(name, "stream", o->row, "");
        record_row(name, "from", o->from, "ms");
        record_row(name, "to", o->to, "ms");
    }
}

static inline void timeline_print(const struct timeline *t, const char *name) {
    float length = timeline_length(t);
    float scale = t->kind == TIMELINE_ORDER ? 7 : TIMELINE_COLUMNS / (length > 0 ? length : 1);
    if (t->kind == TIMELINE_ORDER) {
        printf("%s: the order that streams and events force, no times; %d operations in %.0f steps\n", name, t->count,
               length);
    } else {
        printf("%s: %d operations in %.4f ms\n", name, t->count, length);
        timeline_record(t);
    }
    for (int row = 0; row < t->rows; row++) {
        timeline_print_row(t, row, scale);
    }
    timeline_write(t, name);
}

#endif
