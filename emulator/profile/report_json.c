/* Profiles as JSON: an array of launches, each with its numbers by ncu's names, its lines and the rules' findings. */
#include <string.h>

#include "base/json.h"
#include "check/source.h"
#include "profile/metrics.h"
#include "profile/occupancy_limits.h"
#include "profile/reports.h"
#include "profile/rules.h"

static void put_string(FILE *out, const char *s) {
    json_put_string(out, s ? s : "", s ? strlen(s) : 0);
}

static void put_metrics(FILE *out, const struct launch_profile *p, const struct counts *counts,
                        const struct class_counts *classes, const struct tensor_counts *tensor, bool zeros) {
    const char *comma = "";
    fputs("{", out);
    for (size_t i = 0; i < metric_count; i++) {
        double value;
        if (!metric_value(&metrics[i], p, counts, &value) || (value == 0 && !zeros))
            continue;
        fprintf(out, "%s\"%s\": %.*f", comma, metrics[i].name, metrics[i].decimals, value);
        comma = ", ";
    }
    for (unsigned c = 0; c < CLASS_END; c++)
        if (classes->warps[c]) {
            fprintf(out, "%s\"%s\": %.0f", comma, class_metric(c, false).name, (double)classes->warps[c]);
            fprintf(out, ", \"%s\": %.0f", class_metric(c, true).name, (double)classes->threads[c]);
            comma = ", ";
        }
    for (size_t i = 0; i < tensor->count; i++) {
        char name[2 * SHAPE_NAME];
        fprintf(out, "%s\"%s\": %.0f", comma, tensor_metric(&tensor->items[i], name).name,
                (double)tensor->items[i].count);
        comma = ", ";
    }
    fputs("}", out);
}

static void put_rules(FILE *out, const struct launch_profile *p, const struct occupancy *o) {
    static struct rule rules[MOST_RULES];
    size_t count = rules_of(p, o, rules);
    fputs(",\n  \"rules\": [", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s\n    {\"rule\": \"%s\", \"file\": ", i ? "," : "", rules[i].id);
        put_string(out, rules[i].file ? source_short_path(rules[i].file) : "");
        fprintf(out, ", \"line\": %u, \"found\": %.2f, \"possible\": %.2f, \"what\": ", rules[i].line, rules[i].found,
                rules[i].possible);
        put_string(out, rules[i].what);
        if (*rules[i].called) {
            fputs(", \"called\": ", out);
            put_string(out, rules[i].called);
        }
        fputs(", \"remedy\": ", out);
        put_string(out, rules[i].remedy);
        fputs("}", out);
    }
    fputs("]", out);
}

static void put_lines(FILE *out, const struct launch_profile *p) {
    fputs(",\n  \"lines\": [", out);
    for (size_t i = 0; i < p->line_count; i++) {
        const struct line_profile *line = &p->lines[i];
        fprintf(out, "%s\n    {\"file\": ", i ? "," : "");
        put_string(out, line->file ? source_short_path(line->file) : "");
        fprintf(out, ", \"line\": %u, \"metrics\": ", line->line);
        put_metrics(out, p, &line->counts, &line->classes, &line->tensor, false);
        fputs("}", out);
    }
    fputs("]", out);
}

static void put_occupancy(FILE *out, const struct occupancy *o) {
    static const char *const limiters[] = {[LIMIT_BY_BLOCKS] = "blocks",
                                           [LIMIT_BY_REGISTERS] = "registers",
                                           [LIMIT_BY_SHARED] = "shared memory",
                                           [LIMIT_BY_WARPS] = "warps"};
    fprintf(out,
            ",\n  \"occupancy\": {\"capability\": \"%s\", \"theoretical_percent\": %.2f, \"warps\": %u, \"limiter\": "
            "\"%s\"",
            OCCUPANCY_CAPABILITY, o->percent, o->warps, limiters[o->limiter]);
    if (o->registers_known)
        fprintf(out, ", \"registers_per_thread\": %u}", o->registers.count);
    else
        fputs(", \"registers_per_thread\": null}", out);
}

static void put_launch(FILE *out, const struct launch_profile *p) {
    struct occupancy o = occupancy_of(p);
    fputs("{\"kernel\": ", out);
    put_string(out, p->name);
    fprintf(out,
            ", \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"static_shared\": %u, \"dynamic_shared\": %u,\n  "
            "\"metrics\": ",
            p->grid[0], p->grid[1], p->grid[2], p->block[0], p->block[1], p->block[2], p->static_shared,
            p->dynamic_shared);
    put_metrics(out, p, &p->counts, &p->classes, &p->tensor, true);
    put_occupancy(out, &o);
    put_rules(out, p, &o);
    put_lines(out, p);
    fputs("}", out);
}

void profile_json(FILE *out, const struct launch_profile *launches) {
    fputs("[", out);
    for (const struct launch_profile *p = launches; p; p = p->next) {
        put_launch(out, p);
        fputs(p->next ? ",\n" : "", out);
    }
    fputs("]\n", out);
}
