/* What the counts of a launch say about it, in words: each with the line, the number and what to do. */
#ifndef RULES_H
#define RULES_H

#include "profile/launches.h"
#include "profile/occupancy_limits.h"

#define RULE_TEXT  400
#define MOST_RULES 64

struct rule {
    double weight;  /* how much of the launch it concerns: rules are reported in this order */
    const char *id; /* for tools: "uncoalesced", "bank_conflicts" ... */
    const char *file;
    uint32_t line;            /* 0: the launch as a whole */
    char called[CALLED_TEXT]; /* of an inlined function that is called at several places: lines, innermost first */
    double found, possible;   /* the number, and what would do */
    char what[RULE_TEXT], remedy[RULE_TEXT];
};

/* Writes the rules that apply, the weightiest first. Returns how many. */
size_t rules_of(const struct launch_profile *p, const struct occupancy *o, struct rule out[MOST_RULES]);

/* A few threads that do little: how well they use a GPU is no matter. */
bool launch_is_demonstration(const struct launch_profile *p);

/* How the lanes' addresses lie, after "threads": "read addresses 4096 bytes apart". */
void describe_addresses(const struct access_example *e, const char *verb, char *out, size_t size);

#endif
