/* Profiles as comma-separated values, one number per row, with the names that ncu --csv has for its columns. */
#include "check/source.h"
#include "profile/metrics.h"
#include "profile/occupancy_limits.h"
#include "profile/reports.h"

static void put_quoted(FILE *out, const char *s) {
    putc('"', out);
    for (; *s; s++) {
        if (*s == '"')
            putc('"', out);
        putc(*s, out);
    }
    putc('"', out);
}

static void put_dimensions(FILE *out, const uint32_t n[3]) {
    fprintf(out, "\"(%u, %u, %u)\"", n[0], n[1], n[2]);
}

static void put_row(FILE *out, const struct launch_profile *p, const struct line_profile *line, unsigned number,
                    const struct metric *m, double value) {
    fprintf(out, "\"%u\",", number);
    put_quoted(out, p->name);
    putc(',', out);
    put_dimensions(out, p->block);
    putc(',', out);
    put_dimensions(out, p->grid);
    putc(',', out);
    put_quoted(out, line && line->file ? source_short_path(line->file) : "");
    fprintf(out, ",\"%.0u\",", line ? line->line : 0);
    put_quoted(out, m->section);
    putc(',', out);
    put_quoted(out, m->name);
    putc(',', out);
    put_quoted(out, m->unit);
    fprintf(out, ",\"%.*f\"\n", m->decimals, value);
}

static void put_counts(FILE *out, const struct launch_profile *p, const struct line_profile *line, unsigned number) {
    const struct counts *counts = line ? &line->counts : &p->counts;
    for (size_t i = 0; i < metric_count; i++) {
        double value;
        if (metric_value(&metrics[i], p, counts, &value) && (value != 0 || !line))
            put_row(out, p, line, number, &metrics[i], value);
    }
    const struct class_counts *classes = line ? &line->classes : &p->classes;
    for (unsigned c = 0; c < CLASS_END; c++)
        if (classes->warps[c]) {
            struct metric warps = class_metric(c, false), threads = class_metric(c, true);
            put_row(out, p, line, number, &warps, (double)classes->warps[c]);
            put_row(out, p, line, number, &threads, (double)classes->threads[c]);
        }
    const struct tensor_counts *tensor = line ? &line->tensor : &p->tensor;
    for (size_t i = 0; i < tensor->count; i++) {
        char name[2 * SHAPE_NAME];
        struct metric m = tensor_metric(&tensor->items[i], name);
        put_row(out, p, line, number, &m, (double)tensor->items[i].count);
    }
}

/* The values that depend on the launch alone. */
static void put_occupancy(FILE *out, const struct launch_profile *p, unsigned number) {
    struct occupancy o = occupancy_of(p);
    const struct {
        const char *name, *unit;
        double value;
        bool known;
    } rows[] = {{"launch__registers_per_thread", "register/thread", o.registers.count, o.registers_known},
                {"launch__occupancy_limit_blocks", "block", o.limits[LIMIT_BY_BLOCKS], true},
                {"launch__occupancy_limit_registers", "block", o.limits[LIMIT_BY_REGISTERS], o.registers_known},
                {"launch__occupancy_limit_shared_mem", "block", o.limits[LIMIT_BY_SHARED], true},
                {"launch__occupancy_limit_warps", "block", o.limits[LIMIT_BY_WARPS], true},
                {"sm__maximum_warps_per_active_cycle_pct", "%", o.percent, true},
                {"launch__waves_per_multiprocessor", "", o.waves, true}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct metric m = {.section = "Occupancy", .name = rows[i].name, .unit = rows[i].unit, .decimals = 2};
        if (rows[i].known)
            put_row(out, p, NULL, number, &m, rows[i].value);
    }
}

void profile_csv(FILE *out, const struct launch_profile *launches) {
    fputs("\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"File\",\"Line\",\"Section Name\",\"Metric Name\","
          "\"Metric Unit\",\"Metric Value\"\n",
          out);
    unsigned number = 0;
    for (const struct launch_profile *p = launches; p; p = p->next, number++) {
        put_counts(out, p, NULL, number);
        put_occupancy(out, p, number);
        for (size_t i = 0; i < p->line_count; i++)
            put_counts(out, p, &p->lines[i], number);
    }
}
