/* The value of a metric for a line or a launch, and metrics of instruction classes. */
#include "profile/metrics.h"

#define SECTION_INSTRUCTIONS "Instruction Statistics"
#define SECTION_MEMORY       "Memory Workload Analysis"
#define SECTION_SYNC         "Warp State Statistics"
#define SECTION_SOURCE       "Source Counters"

#define COUNTED(name, section, ncu, unit, label)                                                                       \
    {SECTION_##section, ncu, unit, label, METRIC_COUNT, 0, COUNT_##name, 0, 1},
#define RATIO(section, ncu, unit, label, a, b, factor)                                                                 \
    {SECTION_##section, ncu, unit, label, METRIC_RATIO, 2, COUNT_##a, COUNT_##b, factor},

/* Numerators and denominators; a sector has 32 bytes. */
#define PER_REQUEST(NAME, kind, label)                                                                                 \
    RATIO(MEMORY, "l1tex__average_t_sectors_per_request_pipe_lsu_mem_" kind ".ratio", "sector/request",                \
          label " Sectors/Req", NAME##_SECTORS, NAME##_REQUESTS, 1)                                                    \
    RATIO(MEMORY, "smsp__sass_average_data_bytes_per_sector_mem_" kind ".pct", "%",                                    \
          label " Bytes Used of Bytes Moved", NAME##_USED, NAME##_SECTORS, 100. / 32)

const struct metric metrics[] = {
    COUNTS(COUNTED) PER_REQUEST(GLOBAL_LOAD, "global_op_ld", "Global Load")
        PER_REQUEST(GLOBAL_STORE, "global_op_st", "Global Store") PER_REQUEST(LOCAL_LOAD, "local_op_ld", "Local Load")
            PER_REQUEST(LOCAL_STORE, "local_op_st", "Local Store")
                RATIO(SYNC, "smsp__thread_inst_executed_pred_on_per_inst_executed.ratio", "thread",
                      "Avg. Not Predicated Off Threads Per Warp", THREAD_INST, INST, 1)};
const size_t metric_count = sizeof metrics / sizeof *metrics;

bool metric_value(const struct metric *m, const struct launch_profile *p, const struct counts *counts, double *value) {
    (void)p;
    *value = (double)counts->n[m->a];
    if (m->kind == METRIC_COUNT) /* a share of the sectors would not be a number of sectors */
        return m->a != COUNT_TEXTURE_SECTORS || !counts->n[COUNT_TEXTURE_UNKNOWN];
    if (!counts->n[m->b])
        return false;
    *value *= m->factor / (double)counts->n[m->b];
    return true;
}

struct metric class_metric(unsigned class, bool threads) {
    static const char *const warps_names[] = {
#define NAME(name, label) "emulator__inst_executed_class_" #name ".sum",
        CLASSES(NAME)
#undef NAME
    };
    static const char *const threads_names[] = {
#define NAME(name, label) "emulator__thread_inst_executed_class_" #name ".sum",
        CLASSES(NAME)
#undef NAME
    };
    return (struct metric){.section = SECTION_INSTRUCTIONS,
                           .name = threads ? threads_names[class] : warps_names[class],
                           .unit = "inst",
                           .label = class_label(class)};
}

struct metric tensor_metric(const struct tensor_count *c, char name[2 * SHAPE_NAME]) {
    tensor_count_metric(c, name);
    return (struct metric){
        .section = SECTION_INSTRUCTIONS, .name = name, .unit = tensor_count_unit(c), .label = c->name};
}

const char *class_label(unsigned class) {
    static const char *const labels[] = {
#define LABEL(name, label) label,
        CLASSES(LABEL)
#undef LABEL
    };
    return labels[class];
}
