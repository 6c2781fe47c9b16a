/* Writing a graph for Graphviz, in the form that NVIDIA's driver writes. */
#include <stdio.h>

#include "api/graph.h"
#include "api/graph_memory.h"

struct drawing {
    FILE *file;
    unsigned flags, graphs;
};

static bool wants(const struct drawing *d, unsigned flag) {
    return d->flags & (flag | cudaGraphDebugDotFlagsVerbose);
}

static const char *type_name(enum cudaGraphNodeType type) {
    static const char *const names[] = {
        "KERNEL",       "MEMCPY",           "MEMSET",         "HOST",      "GRAPH",    "EMPTY", "WAIT_EVENT",
        "EVENT_RECORD", "SEMAPHORE_SIGNAL", "SEMAPHORE_WAIT", "MEM_ALLOC", "MEM_FREE", "",      "CONDITIONAL"};
    return (unsigned)type < sizeof names / sizeof *names ? names[type] : "";
}

static void draw_params(const struct drawing *d, const struct work *w) {
    FILE *f = d->file;
    switch (w->type) {
    case cudaGraphNodeTypeKernel: {
        const struct launch_config *c = &w->kernel->config;
        if (wants(d, cudaGraphDebugDotFlagsKernelNodeParams))
            fprintf(f, "<<<{%u,%u,%u},{%u,%u,%u},%u>>>\n", c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1],
                    c->block[2], c->dynamic_shared);
        break;
    }
    case cudaGraphNodeTypeMemcpy: {
        const struct copy_request *r = &w->copy.request;
        if (wants(d, cudaGraphDebugDotFlagsMemcpyNodeParams))
            fprintf(f, "0x%llx to 0x%llx\n%zu x %zu x %zu bytes\n", (unsigned long long)r->from.address,
                    (unsigned long long)r->to.address, r->box.width, r->box.height, r->box.depth);
        break;
    }
    case cudaGraphNodeTypeMemset:
        if (wants(d, cudaGraphDebugDotFlagsMemsetNodeParams))
            fprintf(f, "%p\nvalue 0x%x, elements of %u bytes, %zu x %zu\n", w->fill.dst, w->fill.value,
                    w->fill.elementSize, w->fill.width, w->fill.height);
        break;
    case cudaGraphNodeTypeHost:
        if (wants(d, cudaGraphDebugDotFlagsHostNodeParams))
            fprintf(f, "%p(%p)\n", (void *)(uintptr_t)w->host.fn, w->host.userData);
        break;
    case cudaGraphNodeTypeEventRecord:
    case cudaGraphNodeTypeWaitEvent:
        if (wants(d, cudaGraphDebugDotFlagsEventNodeParams))
            fprintf(f, "event %p\n", (void *)w->event);
        break;
    default:
        break;
    }
}

static void draw_graph(struct drawing *d, const struct graph *g);

static void draw_node(struct drawing *d, const struct node *n, unsigned graph, size_t number) {
    bool kernel = n->work->type == cudaGraphNodeTypeKernel;
    fprintf(d->file, "\"graph_%u_node_%zu\"[style=\"%s\" shape=\"%s\" label=\"%zu\n%s\n", graph, number,
            kernel ? "bold" : "solid", kernel ? "octagon" : "rectangle", number,
            kernel ? n->work->kernel->kernel->name : type_name(n->work->type));
    if (wants(d, cudaGraphDebugDotFlagsHandles))
        fprintf(d->file, "node %p\n", (const void *)n);
    draw_params(d, n->work);
    fprintf(d->file, "\"];\n\n");
}

static void draw_graph(struct drawing *d, const struct graph *g) {
    unsigned number = ++d->graphs;
    size_t count = 0;
    fprintf(d->file, "subgraph cluster_%u {\nlabel=\"graph_%u\" graph[style=\"dashed\"];\n", number, number);
    for (struct node *n = g->first; n; n = n->next) {
        n->mark = count++;
        draw_node(d, n, number, n->mark);
    }
    for (const struct node *n = g->first; n; n = n->next)
        for (size_t i = 0; i < n->after.count; i++)
            fprintf(d->file, "\"graph_%u_node_%zu\" -> \"graph_%u_node_%zu\";\n", number, n->mark, number,
                    n->after.items[i].node->mark);
    for (const struct node *n = g->first; n; n = n->next) {
        for (unsigned i = 0; i < n->inner_count; i++) {
            unsigned inner = d->graphs + 1;
            draw_graph(d, n->inner[i]);
            if (n->inner[i]->first)
                fprintf(d->file, "\"graph_%u_node_%zu\" -> \"graph_%u_node_0\" [style=\"dashed\"];\n", number, n->mark,
                        inner);
        }
    }
    fprintf(d->file, "}\n");
}

static cudaError_t draw(const struct graph *g, const char *path, unsigned flags) {
    if (!g || !path)
        return state_return(cudaErrorInvalidValue);
    struct drawing d = {.file = fopen(path, "w"), .flags = flags};
    if (!d.file)
        return state_refuse("cudaGraphDebugDotPrint", cudaErrorOperatingSystem, "%s cannot be written.", path);
    fprintf(d.file, "digraph dot {\n");
    draw_graph(&d, g);
    fprintf(d.file, "}\n");
    return fclose(d.file) == 0 ? cudaSuccess : state_return(cudaErrorOperatingSystem);
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags) {
    GRAPH_CALL(draw(graph_find(graph), path, flags));
}
