/* Findings from the counts of a launch, in words: each with the line, the number and the advice. */
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
    double found, possible;   /* the number, and one that would suffice */
    char what[RULE_TEXT], remedy[RULE_TEXT];
};

/* Writes the rules that apply, the weightiest first. Returns how many. */
size_t rules_of(const struct launch_profile *p, const struct occupancy *o, struct rule out[MOST_RULES]);

/* A few threads that do little: how well they use a GPU does not matter. */
bool launch_is_demonstration(const struct launch_profile *p);

/* The pattern of the lanes' addresses, to follow "threads": "read addresses 4096 bytes apart". */
void describe_addresses(const struct access_example *e, const char *verb, char *out, size_t size);

#endif
